#!/bin/sh
# Stands in for Yosys: writes the statistics of a design.
if [ "$1" = -V ]; then
    echo "Yosys 0.99 (git sha1 0)"
    exit 0
fi
grep -q '^read_verilog -sv toy.sv' "$3" || exit 1
cat >"$(dirname "$3")/cells.json" <<'END'
{"modules": {"\\toy": {"num_cells_by_type": {
    "LUT4": 1000, "CCU2C": 30, "TRELLIS_DPR16X4": 4, "TRELLIS_FF": 55, "MULT18X18D": 4, "DP16KD": 3,
    "$scopeinfo": 9}}}}
END
