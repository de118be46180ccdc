#!/usr/bin/env bash
# What Tepal prints, checked by the tools that own the text:
#   linalg, affine   mlir-opt takes them, and what it prints gives the same results, bit for bit
#   calyx            the official Calyx compiler takes it; its Verilog, simulated, gives the same
#                    outputs in the same number of cycles (the two count from different edges: up to 4)
#   calyx-mlir, hw   CIRCT parses and verifies them; the SystemVerilog that it exports of `hw`,
#                    simulated in the place of ours, gives the reference's results
#   generic          calyx and hw in MLIR's generic form: mlir-opt and CIRCT take them, and a design that Tepal builds
#                    of either is that of the model
# A part whose tool is missing is skipped, and counted: tools/calyx.sh and tools/circt.sh get them.
#
#     run.sh [--record] [mlir|generic|calyx|circt ...]
#
# cycles.tsv has the cycles of the programs that ran as ours and through the Calyx compiler; --record writes it anew.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../build.sh"
work=$build/test/interop
models=$root/test/models
mkdir -p "$work"

fail() {
    echo "FAIL $label: $1"
    [ -z "${2-}" ] || tail -n 8 "$2" | cut -c1-300 | sed 's/^/    /'
    exit 1
}
# field KEY FILE: a number of a JSON file.
field() { sed -nE "s/^[{ ]*\"$1\": ([0-9]+),?.*/\1/p" "$2" | head -n 1; }
ok() { echo "ok   $label${1:+: $1}"; }

# --- what there is to check ---

# The models, but for the decomposed forms of others.
model_names() { find "$models" -maxdepth 1 -name '*.pt2' ! -name '*.core.pt2' -printf '%f\n' | sed 's/\.pt2$//' | sort; }
# source_of NAME: a model, or a program of test/mlir-roads.
source_of() {
    local place
    for place in "$models/$1.pt2" "$root/test/mlir-roads/control/$1.mlir" "$root/test/mlir-roads/allo/$1.mlir"; do
        [ ! -f "$place" ] || break
    done
    echo "$place"
}
# Those whose control depends on data.
control_names() { find "$root/test/mlir-roads/control" -name '*.mlir' -printf '%f\n' | sed 's/\.mlir$//' | sort; }
files() { find "$models" -name "$1.$2[0-9]*.npy" | sort -V; }

mlir_opt=$(command -v mlir-opt-19 || command -v /usr/lib/llvm-19/bin/mlir-opt)
calyx=$root/build/calyx/bin/calyx
[ -x "$calyx" ] || calyx=
for circt in "${TEPAL_CIRCT_PYTHON:-}" "$root/build/circt/bin/python" ''; do
    [ -z "$circt" ] || ! "$circt" -c 'import circt' 2>/dev/null || break
done

# --- mlir-opt ---

# check_text STAGE: mlir-opt's print of a stage runs to the same outputs, file by file.
check_text() {
    local stage=$1 text=$work/$name.$1
    rm -rf "$text.outputs"
    "$mlir_opt" "$text.mlir" -o "$text.again.mlir" 2>"$text.log" || fail "mlir-opt: $stage" "$text.log"
    # shellcheck disable=SC2046 # names without blanks
    timeout 300 "$tepal" run "$text.again.mlir" --input $(files "$name" in) --output "$text.outputs" \
        >"$text.log" 2>&1 || fail "$stage, read again, does not run" "$text.log"
    diff -r "$work/$name.outputs" "$text.outputs" >"$text.log" 2>&1 ||
        fail "$stage, read again, gives other results" "$text.log"
}

job_mlir() {
    name=$1 label="mlir $1"
    rm -rf "$work/$name.outputs"
    timeout 300 "$tepal" build "$models/$name.pt2" --emit "linalg=$work/$name.linalg.mlir" \
        "affine=$work/$name.affine.mlir" >"$work/$name.log" 2>&1 || fail "build" "$work/$name.log"
    # shellcheck disable=SC2046
    timeout 300 "$tepal" run "$models/$name.pt2" --input $(files "$name" in) \
        --output "$work/$name.outputs" >"$work/$name.log" 2>&1 || fail "run" "$work/$name.log"
    check_text linalg
    check_text affine
    ok
}

# --- the generic form ---

# print_generic STAGE TEXT PASS...: prints a stage of the model, which mlir-opt and CIRCT take.
print_generic() {
    local text=$work/$name.generic.$1 source=$2
    shift 2
    timeout 300 "$tepal" opt "$source" "$@" --mlir-print-op-generic -o "$text" 2>"$text.log" ||
        fail "$text" "$text.log"
    "$mlir_opt" --allow-unregistered-dialect "$text" -o "$text.again" 2>"$text.log" ||
        fail "mlir-opt: $text" "$text.log"
    [ -z "$circt" ] || "$circt" "$root/test/tool/circt_parse.py" <"$text" >"$text.log" 2>&1 ||
        fail "CIRCT refuses $text" "$text.log"
}

# The program of calyx is the same when it was read; small designs of both are simulated.
job_generic() {
    name=$1 label="generic $1"
    local text=$work/$1.generic stage
    timeout 300 "$tepal" build "$(source_of "$name")" --emit "linalg=$text.linalg" >"$text.log" 2>&1 ||
        fail "build" "$text.log"
    print_generic calyx "$text.linalg" --lower-scf-to-calyx
    print_generic hw "$text.calyx.again" --lower-calyx-to-hw
    timeout 300 "$tepal" opt "$text.linalg" --lower-scf-to-calyx -o "$text.once" 2>"$text.log" ||
        fail "opt" "$text.log"
    timeout 300 "$tepal" opt "$text.calyx.again" -o "$text.twice" 2>"$text.log" ||
        fail "opt, of what it printed" "$text.log"
    cmp "$text.once" "$text.twice" >"$text.log" 2>&1 || fail "it is not what was printed" "$text.log"
    for stage in calyx hw; do
        timeout 300 "$tepal" build "$text.$stage.again" -o "$text.$stage.design" >"$text.log" 2>&1 ||
            fail "build of $stage" "$text.log"
        [ "$(field cycles "$text.$stage.design/report.json")" -lt 2000 ] || continue
        timeout 300 "$tepal" sim "$text.$stage.design" --simulator icarus >"$text.log" 2>&1 ||
            fail "simulation of $stage" "$text.log"
        ! grep -q '"cycles_exact": true' "$text.$stage.design/report.json" ||
            grep -q 'as predicted' "$text.log" || fail "not the predicted cycles" "$text.log"
    done
    ok
}

# --- the Calyx compiler ---

job_calyx_parse() {
    local name=$1 text=$work/$1.futil
    label="calyx $1"
    timeout 300 "$tepal" build "$(source_of "$name")" --emit "calyx=$text" >"$work/$name.log" 2>&1 ||
        fail "build" "$work/$name.log"
    timeout 300 "$calyx" -l "$HOME/.calyx" -p well-formed -b none "$text" >"$text.log" 2>&1 ||
        fail "the Calyx compiler refuses the text" "$text.log"
    ok
}

# Where control depends on data, both counts are only recorded: Calyx compiles dynamic control its own
# way.
job_calyx_simulate() {
    local name=$1 design=$work/$1.calyx ours theirs
    label="calyx simulation $1"
    timeout 300 "$tepal" build "$(source_of "$name")" -o "$design" --emit "calyx=$design.futil" \
        >"$design.log" 2>&1 || fail "build" "$design.log"
    timeout 900 python3 "$root/test/calyx/official.py" "$tepal" "$calyx" "$design" "$design.futil" \
        verilator >"$design.log" 2>&1 || fail "simulation" "$design.log"
    ! grep -q ': .* words DIFFERENT' "$design.log" || fail "other outputs" "$design.log"
    read -r ours theirs < <(sed -n 's/^cycles: \([0-9]*\) and \([0-9]*\).*/\1 \2/p' "$design.log")
    printf '%s\t%s\t%s\n' "$name" "$ours" "$theirs" >"$design.cycles"
    # Where data decides how long it takes, the two are only recorded.
    grep -q '"cycles_exact": false' "$design/report.json" ||
        { [ $((ours - theirs)) -le 4 ] && [ $((theirs - ours)) -le 4 ]; } ||
        fail "$ours cycles here, $theirs there"
    ok "$ours and $theirs cycles"
}

# --- CIRCT ---

job_circt_parse() {
    local name=$1 stage
    label="circt $1"
    timeout 300 "$tepal" build "$(source_of "$name")" --emit "calyx-mlir=$work/$name.calyx-mlir" \
        "hw=$work/$name.hw" >"$work/$name.log" 2>&1 || fail "build" "$work/$name.log"
    for stage in calyx-mlir hw; do
        timeout 300 "$circt" "$root/test/tool/circt_parse.py" <"$work/$name.$stage" >"$work/$name.log" 2>&1 ||
            fail "CIRCT refuses $stage" "$work/$name.log"
    done
    ok
}

job_circt_simulate() {
    local name=$1 design=$work/$1.circt
    label="circt simulation $1"
    timeout 300 "$tepal" build "$models/$name.pt2" -o "$design" --emit "hw=$design.hw" \
        >"$design.log" 2>&1 || fail "build" "$design.log"
    timeout 300 "$circt" "$root/test/tool/circt_verilog.py" <"$design.hw" >"$design/$name.sv" \
        2>"$design.log" || fail "CIRCT's export" "$design.log"
    # shellcheck disable=SC2046
    timeout 900 "$tepal" sim "$design" --input $(files "$name" in) --expect $(files "$name" out) \
        >"$design.log" 2>&1 || fail "simulation" "$design.log"
    ok
}

# --- all of them ---

if [ "${1-}" = --job ]; then
    "job_$2" "$3"
    exit
fi
skipped=0 record=
if [ "${1-}" = --record ]; then
    record=1
    shift
fi
rm -f "$work"/*.calyx.cycles
: >"$work/list"
# part NAME TOOL JOB MODEL...: a part of the list, or of the count of what is skipped.
part() {
    local part=$1 tool=$2 job=$3
    shift 3
    case " $chosen " in *" $part "*) ;; *) return ;; esac
    if [ -z "$tool" ]; then
        echo "skip $job: its tool is missing"
        skipped=$((skipped + $#))
    else
        printf -- "--job $job %s\n" "$@" >>"$work/list"
    fi
}
chosen=${*:-mlir generic calyx circt}
mapfile -t all < <(model_names)
mapfile -t control < <(control_names)
part calyx "$calyx" calyx_simulate add matmul16 mlp tiny_conv_small softmax.allo gcd newton branches sparse triangle aliases \
    carried clamped switch
part circt "$circt" circt_simulate add mlp
part circt "$circt" circt_parse "${all[@]}" "${control[@]}"
part calyx "$calyx" calyx_parse "${all[@]}" "${control[@]}"
part generic "$mlir_opt" generic "${all[@]}" "${control[@]}"
part mlir "$mlir_opt" mlir "${all[@]}"
xargs -P "$(nproc 2>/dev/null || echo 2)" -n 3 bash "$0" <"$work/list" | tee "$work/log"
passed=$(grep -c '^ok ' "$work/log")
failed=$(($(wc -l <"$work/list") - passed))
if [ -n "$record" ]; then
    { printf 'program\tTepal\tCalyx\n' && sort "$work"/*.calyx.cycles; } >"$here/cycles.tsv"
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
