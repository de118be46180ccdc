#!/bin/sh
# Do all tools take the units of hardware/, at many parameter sets, and do memories become block RAM?
#
# usage: test/hardware/tools.sh
# BUILD names a folder for logs (default build). A missing tool's checks are skipped.
set -u
here=$(cd "$(dirname "$0")" && pwd)
hardware=${HARDWARE:-$(cd "$here/../../hardware" && pwd)}
build=$(realpath -m "${BUILD:-$here/../../build}")/test/tools
mkdir -p "$build"
cd "$build" || exit 1
passed=0 failed=0 skipped=0

# check NAME TOOL COMMAND...: one line of the report; COMMAND's output is shown if it fails
check() {
    name=$1 tool=$2
    shift 2
    if ! command -v "$tool" > /dev/null; then
        echo "skip $name: no $tool"
        skipped=$((skipped + 1))
    elif "$@" > log 2>&1; then
        echo "ok   $name"
        passed=$((passed + 1))
    else
        echo "FAIL $name"
        sed 's/^/     /' log | head -20
        failed=$((failed + 1))
    fi
}

# The parameter sets of a module, one per line
sets() {
    formats="32:8 64:11 16:5 16:8 8:5 8:4"
    case $1 in
    float_add | float_multiply) latencies="0 1 2 3 4 5 6 7 9" ;;
    float_divide | float_sqrt) latencies="0 1 5 17 30" ;;
    *) latencies="0 1 2 3 5" ;;
    esac
    case $1 in
    register_rank) for r in 0 1 3; do echo "WIDTH=1 RANKS=$r"; echo "WIDTH=9 RANKS=$r"; done ;;
    memory) for d in 1:1 2:1 5:3 5:8 256:8 600:10; do for r in 0 1; do for c in 0 1; do
        echo "WIDTH=8 DEPTH=${d%:*} ADDRESS_WIDTH=${d#*:} OUTPUT_REGISTER=$r COLLISIONS=$c"
        done; done; done ;;
    rom) for d in 1:1 2:1 5:3 5:8 256:8 600:10; do for r in 0 1; do
        echo "WIDTH=8 DEPTH=${d%:*} ADDRESS_WIDTH=${d#*:} OUTPUT_REGISTER=$r"; done; done ;;
    float_*_iterative | float_unpack)
        for f in $formats; do echo "WIDTH=${f%:*} EXPONENT=${f#*:}"; done ;;
    int_to_float | float_to_int)
        for f in 32:8 64:11 16:5 8:4; do for i in 1 2 3 8 24 32 64; do for s in 0 1; do
        echo "INT_WIDTH=$i WIDTH=${f%:*} EXPONENT=${f#*:} SIGNED=$s LATENCY=3"; done; done; done
        for l in $latencies; do echo "LATENCY=$l"; done ;;
    float_convert)
        for f in $formats; do for g in $formats; do
        echo "IN_WIDTH=${f%:*} IN_EXPONENT=${f#*:} OUT_WIDTH=${g%:*} OUT_EXPONENT=${g#*:}"
        done; done
        for l in $latencies; do echo "LATENCY=$l"; done ;;
    float_pack) echo "EXPONENT=8" ;;
    float_*)
        for f in $formats; do for l in $latencies; do
        echo "WIDTH=${f%:*} EXPONENT=${f#*:} LATENCY=$l"; done; done ;;
    *) echo "WIDTH=32" ;;
    esac
}

# A full -Wall run at every set; for_sets MODULE FUNCTION calls FUNCTION MODULE SET...
for_sets() {
    sets "$1" > "sets.$1"
    while read -r set; do
        "$2" "$1" $set || { echo "at $set"; return 1; }
    done < "sets.$1"
}
lint() {
    module=$1
    shift
    for setting; do
        set -- "$@" "-G$setting"
        shift
    done
    verilator --lint-only -Wall --top-module "tepal_$module" "$@" "$hardware"/*.sv || return 1
    case $module in
    memory | rom)  # have a part for simulation only
        verilator --lint-only -Wall -DSYNTHESIS --top-module "tepal_$module" "$@" "$hardware"/*.sv ;;
    esac
}
compile() {
    module=$1
    shift
    for setting; do
        set -- "$@" "-Ptepal_$module.$setting"
        shift
    done
    iverilog -g2012 -Wall -Wno-timescale -s "tepal_$module" "$@" -o compiled "$hardware"/*.sv
}
elaborate() {
    module=$1 settings=
    shift
    for setting; do
        settings="$settings -chparam ${setting%=*} ${setting#*=}"
    done
    yosys -q -p "read_verilog -sv -defer $hardware/*.sv
        hierarchy -check -top tepal_$module $settings; proc; check -assert"
}
block_ram() {  # TARGET CELL MODULE SETTINGS...
    target=$1 cell=$2 module=$3
    shift 3
    yosys -p "read_verilog -sv $hardware/register_rank.sv $hardware/$module.sv
        chparam -set WIDTH 32 -set DEPTH 600 -set ADDRESS_WIDTH 10 $* tepal_$module
        synth_$target -top tepal_$module; select -assert-min 1 t:$cell; stat"
}
simulate_memories() {
    iverilog -g2012 -o memory_test "$here/memory_test.sv" "$hardware"/*.sv &&
        vvp memory_test | tee memory_log && grep -q 'memories behave' memory_log &&
        for misuse in 1 2 3 4; do
            vvp memory_test "+misuse=$misuse" > memory_log
            grep ERROR memory_log || return 1
        done
}
simulate_memories_verilator() {
    verilator --binary --timing --assert -Wno-fatal -Mdir memory_obj --top-module memory_test \
        -CFLAGS -O0 "$here/memory_test.sv" "$hardware"/*.sv &&
        memory_obj/Vmemory_test | tee memory_log && grep -q 'memories behave' memory_log &&
        for misuse in 1 2 3 4; do
            if memory_obj/Vmemory_test "+misuse=$misuse"; then return 1; fi
        done
}

awk 'BEGIN { for (i = 0; i < 8; i++) printf "%x\n", 16 + i }' > words.hex
awk 'BEGIN { srand(1); for (i = 0; i < 600; i++) printf "%04x%04x\n", rand() * 65536, rand() * 65536 }' \
    > image.hex
for file in "$hardware"/*.sv; do
    module=$(basename "$file" .sv)
    check "verilator -Wall takes $module" verilator for_sets "$module" lint
    check "iverilog takes $module" iverilog for_sets "$module" compile
    check "yosys takes $module" yosys for_sets "$module" elaborate
done
for collisions in 0 1; do
    check "memory is block RAM on ECP5 (COLLISIONS $collisions)" yosys \
        block_ram ecp5 DP16KD memory -set COLLISIONS "$collisions"
    check "memory is block RAM on iCE40 (COLLISIONS $collisions)" yosys \
        block_ram ice40 SB_RAM40_4K memory -set COLLISIONS "$collisions"
    check "memory is block RAM on Xilinx (COLLISIONS $collisions)" yosys \
        block_ram xilinx RAMB36E1 memory -set COLLISIONS "$collisions"
done
check "ROM is block RAM on ECP5" yosys block_ram ecp5 DP16KD rom '-set IMAGE "image.hex"'
check "ROM is block RAM on iCE40" yosys block_ram ice40 SB_RAM40_4K rom '-set IMAGE "image.hex"'
check "memories behave in Icarus" iverilog simulate_memories
check "memories behave in Verilator" verilator simulate_memories_verilator

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
