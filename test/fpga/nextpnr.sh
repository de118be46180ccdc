#!/bin/sh
# Stands in for nextpnr: writes the report of a design.
if [ "$1" = --version ]; then
    echo '"nextpnr-ecp5" -- Next Generation Place and Route (Version nextpnr-0.8)'
    exit 0
fi
for argument; do
    case $argument in
    */timing.json) report=$argument ;;
    esac
done
cat >"$report" <<'END'
{"fmax": {"clk": {"achieved": 101.5, "constraint": 125}},
 "critical_paths": [
  {"from": "<async>", "to": "posedge clk", "path": [{"delay": 99, "type": "routing"}]},
  {"from": "posedge clk", "to": "posedge clk", "path": [
   {"delay": 0.5, "type": "clk-to-q", "from": {"cell": "go$0"}, "to": {"cell": "go$0"}},
   {"delay": 6, "type": "routing", "net": "go[0]", "from": {"cell": "go$0"},
    "to": {"cell": "design.count_LUT4_Z"}},
   {"delay": 0.25, "type": "logic", "from": {"cell": "design.count_LUT4_Z"},
    "to": {"cell": "design.count_LUT4_Z"}},
   {"delay": 3, "type": "routing", "net": "design.count_LUT4_Z_1", "from": {"cell": "design.count_LUT4_Z"},
    "to": {"cell": "design.count_TRELLIS_FF_Q_3"}},
   {"delay": 0.1, "type": "setup", "from": {"cell": "design.count_TRELLIS_FF_Q_3"},
    "to": {"cell": "design.count_TRELLIS_FF_Q_3"}}]}]}
END
