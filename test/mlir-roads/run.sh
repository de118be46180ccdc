#!/usr/bin/env bash
# MLIR that other tools wrote, from text to simulation:
#   allo/    what Allo's Python front end prints (functions per layer, loops over memrefs; also after
#            its own passes: *.decomp, *.lowered), with inputs and what PyTorch or NumPy gives
#   torch/   what torch-mlir prints (linalg on tensors); inputs and outputs are those of ../models
#   control/ programs whose loops and branches depend on data, on random inputs at N = 1 and 4
#   and the two recorded command lines of the open flow, through `tepal opt`.
# Each design must give what the CPU reference gives (bit for bit) in the predicted number of
# cycles, and the recorded outputs within tolerance.
#
#     run.sh [NAME...]      such as allo/mlp.allo, torch/mlp, roads; or the paths of other files,
#                           PLACE/NAME.mlir with PLACE/NAME.in0.npy, NAME.out0.npy and so on
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../build.sh"
work=$build/test/mlir-roads

# fail TEXT [LOG]: the line of a file that failed, with its messages.
fail() {
    echo "FAIL $label: $1"
    [ -z "${2-}" ] || { grep -A 4 -F 'error:' "$2" || tail -n 12 "$2"; } | cut -c1-300 | head -n 24 |
        sed 's/^/    /'
    exit 1
}

# field KEY FILE: a number of a JSON file.
field() { sed -nE "s/^[{ ]*\"$1\": ([0-9]+),?.*/\1/p" "$2" | head -n 1; }

# The .npy files of a kind in their order. Files in torch/ have theirs beside the .pt2 file.
files() {
    local base=${label##*/} folder
    case $label in
    /*) folder=${label%/*} ;;
    torch/*) folder=$root/test/models ;;
    *) folder=$here/allo ;;
    esac
    find "$folder" -name "${base%%.*}.$1[0-9]*.npy" | sort -V
}

# Options of `tepal sim` beyond the inputs: what is expected, and how closely.
expectations() {
    case $label in
    # torch-mlir's text does not say what is unsigned, or gives buffers as further results.
    torch/int_ops | torch/int_bits | torch/stateful_mean) return ;;
    # torch-mlir's tanh form of GELU has a constant of four digits.
    torch/eltwise_unary) echo "--atol 1e-4" ;;
    # One step of the scale of a quantized result.
    torch/mlp_int8_pt2e) echo "--rtol 0 --atol 0.0041" ;;
    torch/tiny_conv_int8_pt2e) echo "--rtol 0 --atol 0.0309" ;;
    esac
    echo "--expect"
    files out
}

# simulate DESIGN LOG: with the recorded inputs. Short runs do not pay for compiling a simulator.
simulate() {
    local simulator=verilator cycles
    [ "$(field cycles "$1/report.json")" -gt 20000 ] || simulator=icarus
    # shellcheck disable=SC2046 # names without blanks
    timeout 900 "$tepal" sim "$1" --simulator $simulator --input $(files in) $(expectations) >"$2" 2>&1 ||
        fail "sim: exit status $?" "$2"
    cycles=$(field cycles "$1/sim.json")
    [ "$cycles" = "$(field predicted_cycles "$1/sim.json")" ] || fail "not the predicted cycles"
    echo "ok   $label: $cycles cycles"
}

# one FILE.mlir
one() {
    label=${1#"$here/"}
    label=${label%.mlir}
    local design=$label
    [ "${label#/}" = "$label" ] || design=${label##*/}
    design=$work/${design//\//.}
    if [ "$label" = allo/fixed_gemm.allo ]; then
        # Allo's own types are not MLIR's: the message says what to do.
        "$tepal" build "$1" -o "$design" >"$design.log" 2>&1
        [ $? = 3 ] && grep -q lower_fixed_to_int "$design.log" || fail "no hint" "$design.log"
        echo "ok   $label: refused"
        return
    fi
    timeout 900 "$tepal" build "$1" -o "$design" --check >"$design.log" 2>&1 ||
        fail "build: exit status $?" "$design.log"
    simulate "$design" "$design.log"
}

# control FILE.mlir: several runs, which leave something behind in the memories for the next.
control() {
    label=${1#"$here/"}
    label=${label%.mlir}
    local design=$work/${label//\//.} parallel cycles=
    for parallel in 1 4; do
        timeout 900 "$tepal" build "$1" -o "$design" --check --parallel $parallel >"$design.log" 2>&1 ||
            fail "build: exit status $?" "$design.log"
        timeout 900 "$tepal" sim "$design" --simulator icarus --runs 5 >"$design.log" 2>&1 ||
            fail "sim: exit status $?" "$design.log"
        cycles="$cycles $(field cycles "$design/sim.json")"
    done
    echo "ok   $label:$cycles cycles"
}

# opt OUTPUT INPUT PASS...: a step of a road.
opt() {
    local output=$work/$1 input=$2
    shift 2
    "$tepal" opt "$input" "$@" -o "$output" 2>"$output.log" || fail "opt $*: exit status $?" "$output.log"
}

lowering='lower-scf-to-calyx{top-level-function=forward}'

# torch add: linalg on tensors, bufferized; copies legalized; Calyx, hw, SystemVerilog.
road_add() {
    label=allo/add.road
    rm -rf "$work/add.design"
    opt add.1 "$here/allo/add.tensor.mlir" --empty-tensor-to-alloc-tensor \
        --one-shot-bufferize="allow-return-allocs-from-loops bufferize-function-boundaries" \
        --buffer-results-to-out-params --convert-linalg-to-loops --canonicalize
    opt add.2 "$work/add.1" --flatten-memref
    opt add.3 "$work/add.2" --pass-pipeline="builtin.module(func.func(handshake-legalize-memrefs))"
    opt add.calyx "$work/add.3" --pass-pipeline="builtin.module($lowering)" --mlir-print-op-generic
    opt add.hw "$work/add.calyx" --lower-calyx-to-hw --mlir-print-op-generic
    opt add.none "$work/add.hw" "--export-split-verilog=dir-name=$work/add.design"
    flat_simulate add.design
    # Without flattening, and in one command from Calyx on.
    opt add.4 "$work/add.1" --pass-pipeline="builtin.module(func.func(handshake-legalize-memrefs))"
    rm -rf "$work/add.whole"
    opt add.none "$work/add.4" "--lower-scf-to-calyx=top-level-function=forward" \
        --lower-calyx-to-hw "--export-split-verilog=dir-name=$work/add.whole"
    "$tepal" sim "$work/add.whole" --simulator icarus >"$work/add.whole.log" 2>&1 ||
        fail "sim: exit status $?" "$work/add.whole.log"
}

# A CNN of Allo's: the same by the command lines of the second record; globals, fptoui and copies on the way.
road_cnn() {
    label=allo/tiny_conv16.road
    rm -rf "$work/cnn.design"
    opt cnn.1 "$here/allo/tiny_conv16.allo.mlir" --lower-affine
    opt cnn.2 "$work/cnn.1" -flatten-memref
    opt cnn.3 "$work/cnn.2" --symbol-privatize --buffer-results-to-out-params --canonicalize --cse
    opt cnn.4 "$work/cnn.3" --memref_copy_to_affine_loops
    opt cnn.5 "$work/cnn.4" -lower-affine
    opt cnn.calyx "$work/cnn.5" --pass-pipeline="builtin.module($lowering)"
    opt cnn.none "$work/cnn.5" \
        --pass-pipeline="builtin.module($lowering,lower-calyx-to-hw,export-split-verilog{dir-name=$work/cnn.design})"
    flat_simulate cnn.design
}

# Simulates a flattened design: its tensors are the recorded ones, in one dimension.
flat_simulate() {
    local design=$work/$1 flat=$work/$1.npy kind file elements
    rm -rf "$flat" && mkdir -p "$flat"
    for kind in in out; do
        for file in $(files $kind); do
            python3 "$here/flatten_npy.py" "$file" "$flat/$(basename "$file")" || fail "flatten"
        done
    done
    # shellcheck disable=SC2046
    timeout 900 "$tepal" sim "$design" --input $(find "$flat" -name '*.in*.npy' | sort -V) \
        --expect $(find "$flat" -name '*.out*.npy' | sort -V) >"$design.log" 2>&1 ||
        fail "sim: exit status $?" "$design.log"
    cycles=$(field cycles "$design/sim.json")
    [ "$cycles" = "$(field predicted_cycles "$design/sim.json")" ] || fail "not the predicted cycles"
    echo "ok   $label: $cycles cycles"
}

job() {
    case $1 in
    road_*) "$1" ;;
    */control/*) control "$1" ;;
    *) one "$1" ;;
    esac
}

if [ "${1-}" = --job ]; then
    job "$2"
    exit
fi
mkdir -p "$work"
jobs=$(nproc 2>/dev/null || echo 2)
if [ $# -gt 0 ]; then
    for name; do
        case $name in
        roads) ;;
        /*) echo "$name" ;;
        *) echo "$here/$name.mlir" ;;
        esac
    done >"$work/list"
    case " $* " in *" roads "*) printf 'road_add\nroad_cnn\n' >>"$work/list" ;; esac
else
    printf 'road_add\nroad_cnn\n' >"$work/list"
    find "$here/allo" "$here/torch" "$here/control" -name '*.mlir' -printf '%s %p\n' | sort -rn | cut -d' ' -f2 >>"$work/list"
fi
xargs -P "$jobs" -n 1 bash "$0" --job <"$work/list" | tee "$work/log"
passed=$(grep -c '^ok ' "$work/log")
failed=$(($(wc -l <"$work/list") - passed))
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
