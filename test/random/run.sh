#!/usr/bin/env bash
# Random programs (generate.py), each built with --check at a random --parallel, and a part of them simulated: all stages
# must give the same bits, and the simulation the predicted cycles.
#
#     run.sh [COUNT [FIRST_SEED]]
#
# A program that fails stays in $BUILD/test/random as SEED.mlir with its messages in SEED.log.
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
case ${BUILD:-build} in
/*) build=$BUILD ;;
*) build=$root/${BUILD:-build} ;;
esac
count=${1:-150} first=${2:-1}
export tepal=$build/tepal work=$build/test/random here
rm -rf "$work"
mkdir -p "$work"

# field FILE KEY: a number of a report.
field() { sed -nE "s/^[{ ]*\"$2\": ([0-9]+),?.*/\1/p" "$1" | head -n 1; }

# fail SEED TEXT
fail() {
    local parallel
    parallel=$(sed -n 's,^// parallel ,,p' "$work/$1.mlir")
    echo "FAIL seed $1 (--parallel $parallel): $2"
    { grep -A 2 -F 'error:' "$work/$1.log" || tail -n 4 "$work/$1.log"; } | head -n 6 | sed 's/^/    /'
    rm -rf "$work/$1"
}

# one SEED: makes one program and judges it.
one() {
    local seed=$1 design=$work/$1 log=$work/$1.log parallel
    python3 "$here/generate.py" "$seed" >"$design.mlir" || {
        echo "FAIL seed $seed: no program"
        return
    }
    parallel=$(sed -n 's,^// parallel ,,p' "$design.mlir")
    timeout 120 "$tepal" build "$design.mlir" -o "$design" --check --parallel "$parallel" >"$log" 2>&1 ||
        { fail "$seed" "build ended with status $?" && return; }
    if [ $((seed % 8)) = 0 ]; then
        timeout 300 "$tepal" sim "$design" --simulator icarus --seed "$seed" >>"$log" 2>&1 ||
            { fail "$seed" "sim ended with status $?" && return; }
        if [ "$(field "$design/sim.json" cycles)" != "$(field "$design/report.json" cycles)" ]; then
            fail "$seed" "the cycles are not the predicted ones"
            return
        fi
    fi
    rm -rf "$design" "$design.mlir" "$log"
    echo pass
}
export -f field fail one

seq "$first" $((first + count - 1)) |
    xargs -P "$(nproc 2>/dev/null || echo 2)" -I SEED bash -c 'one SEED' >"$work/results"
grep -v '^pass$' "$work/results"
passed=$(grep -c '^pass$' "$work/results")
failed=$((count - passed))
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
