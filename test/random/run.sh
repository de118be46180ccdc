#!/usr/bin/env bash
# Random programs (generate.py), each judged by judge.sh, and those of kept/, which once failed.
#
#     run.sh [COUNT [FIRST_SEED]]     200 from seed 1
#     run.sh --long [COUNT]           5000 from a seed of today
#
# A program that fails stays in $BUILD/test/random as SEED.mlir with its messages in SEED.log; reduce.py makes
# it small.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../build.sh"
count=${1:-200} first=${2:-1}
if [ "$count" = --long ]; then
    count=${2:-5000} first=$(($(date +%s) % 1000000 * 1000))
fi
export tepal=$build/tepal work=$build/test/random here
rm -rf "$work"
mkdir -p "$work"

# one SEED, or one KEPT.mlir: judges one program.
one() {
    local name=$1 message
    case $name in
    *.mlir)
        cp "$name" "$work/"
        name=$(basename "$name" .mlir)
        ;;
    *)
        python3 "$here/generate.py" "$name" >"$work/$name.mlir" || {
            echo "FAIL seed $name: no program"
            return
        }
        ;;
    esac
    message=$(bash "$here/judge.sh" "$tepal" "$work/$name.mlir") || {
        echo "FAIL $name: $message"
        return
    }
    rm -f "$work/$name.mlir" "$work/$name.log"
    echo pass
}
export -f one

{
    find "$here/kept" -name '*.mlir' 2>/dev/null
    seq "$first" $((first + count - 1))
} >"$work/list"
echo "seeds $first to $((first + count - 1))"
xargs -P "$(nproc 2>/dev/null || echo 2)" -I NAME bash -c 'one NAME' <"$work/list" >"$work/results"
grep -v '^pass$' "$work/results"
passed=$(grep -c '^pass$' "$work/results")
failed=$(($(wc -l <"$work/list") - passed))
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
