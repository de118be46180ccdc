#!/bin/sh
# Checks hardware/int_multiply.sv and int_divide.sv: lint, both simulators, and that Yosys reads them.
#
# usage: test/hardware/integers.sh [CYCLES]      (default: 20000)
# BUILD names the build folder (default build). The last line is `N passed, N failed`.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
hardware=${HARDWARE:-$root/hardware}
build=$(realpath -m "${BUILD:-$root/build}")/test/integers
cycles=${1:-20000}
mkdir -p "$build"
passed=0 failed=0
sources="$hardware/int_multiply.sv $hardware/int_divide.sv $hardware/register_rank.sv"

# What passed with the same text need not run again.
stamp=$(cat "$here"/integers.* $sources | cksum)\ $cycles
if [ "$(head -n 1 "$build/stamp" 2>/dev/null)" = "$stamp" ]; then
    tail -n 1 "$build/stamp"
    exit 0
fi

# count NAME STATUS
count() {
    if [ "$2" = 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)) && echo "failed: $1"; fi
}
# results NAME LOG: counts the lines that a simulation printed.
results() {
    good=$(grep -c '^good:' "$2")
    bad=$(grep -c '^bad:' "$2")
    grep '^bad:' "$2" | sed "s/^/$1 /"
    [ $((good + bad)) -gt 0 ] || { tail -n 20 "$2" && bad=1; }
    passed=$((passed + good)) failed=$((failed + bad))
}

for width in 1 8 18 19 32 64; do
    for latency in 0 1 2 4 9; do
        for unit in multiply divide; do
            verilator --lint-only -Wall -GWIDTH=$width -GLATENCY=$latency $sources \
                --top-module tepal_int_$unit >"$build/lint.log" 2>&1
            status=$?
            [ ! -s "$build/lint.log" ] || { cat "$build/lint.log" && status=1; }
            count "lint int_$unit $width $latency" $status
        done
    done
done
for unit in multiply divide; do
    yosys -q -p "read_verilog -sv $sources; hierarchy -top tepal_int_$unit; proc; check -assert" \
        >"$build/yosys.log" 2>&1
    count "yosys int_$unit" $?
done

# Icarus takes a hundred times as long.
iverilog -g2012 -Wall -Wno-timescale -Pintegers.CYCLES=$((cycles / 100 + 100)) -s integers -o "$build/integers.vvp" \
    "$here/integers.sv" $sources >"$build/icarus.log" 2>&1 &&
    vvp -n "$build/integers.vvp" >>"$build/icarus.log" 2>&1
results Icarus "$build/icarus.log"
verilator --binary -j 2 -O3 -Wno-fatal -Wno-lint -GCYCLES="$cycles" --top-module integers -Mdir "$build/obj" \
    "$here/integers.sv" $sources >"$build/verilator.log" 2>&1 &&
    "$build/obj/Vintegers" >>"$build/verilator.log" 2>&1
results Verilator "$build/verilator.log"

[ "$failed" != 0 ] || printf '%s\n%s\n' "$stamp" "$passed passed, 0 failed" >"$build/stamp"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
