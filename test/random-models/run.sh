#!/usr/bin/env bash
# Random PyTorch models (generate.py), each judged by judge.sh: those of cases/, which PyTorch exported, and new ones
# where torch is installed.
#
#     run.sh                          all of cases/, and 8 new ones
#     run.sh NAME...                  some of cases/
#     run.sh --fresh [COUNT [SEED]]   only new ones: 100, from a seed of today
#
# A new model that fails stays in $BUILD/test/random-models, as SEED.py and what generate.py made of it.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../build.sh"
export tepal here
export work=$build/test/random-models
rm -rf "$work"
mkdir -p "$work"
count=8 seed=$(($(date +%s) % 1000000 * 1000))
if [ "${1-}" = --fresh ]; then
    count=${2:-100} seed=${3:-$seed}
elif [ $# -gt 0 ]; then
    count=0
    printf "$here/cases/%s\n" "$@" >"$work/list"
else
    find "$here/cases" -name '*.pt2' | sed 's/\.pt2$//' | sort -V >"$work/list"
fi

# Ten models by one process, as it takes torch seconds to start.
fresh() {
    timeout 600 "$python" "$here/generate.py" "$work" "$1" "$2" >>"$work/generate.log" 2>&1
}

one() {
    local message
    message=$(bash "$here/judge.sh" "$tepal" "$1" "$work") || {
        echo "FAIL $(basename "$1"): $message"
        return
    }
    [ "${1%/*}" != "$work" ] || rm -f "$1".*
    echo pass
}
export -f fresh one

for python in ${TEPAL_PYTHON:+"$TEPAL_PYTHON"} python3 ''; do
    [ -z "$python" ] || ! "$python" -c 'import numpy, torch' 2>/dev/null || break
done
export python
jobs=$(nproc 2>/dev/null || echo 2)
if [ -n "$python" ] && [ "$count" -gt 0 ]; then
    echo "seeds $seed to $((seed + count - 1))"
    for ((first = seed; first < seed + count; first += 10)); do
        echo "$first" $((seed + count - first < 10 ? seed + count - first : 10))
    done | xargs -P "$jobs" -I SEEDS bash -c 'fresh SEEDS'
    find "$work" -name '*.options' | sed 's/\.options$//' | sort -V >>"$work/list"
    grep '^seed' "$work/generate.log"
elif [ "$count" -gt 0 ]; then
    echo "no Python with torch: no new models"
fi
xargs -P "$jobs" -I NAME bash -c 'one NAME' <"$work/list" >"$work/results"
grep -v '^pass$' "$work/results"
passed=$(grep -c '^pass$' "$work/results")
failed=$(($(wc -l <"$work/list") - passed))
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
