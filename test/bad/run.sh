#!/usr/bin/env bash
# Malformed, hostile and odd-but-valid files: each line of cases.tsv is a file that `tepal run` must
# refuse with status 3 and a message that holds the third column, or accept with the right result:
# NAME.out0.npy for NAME.in0.npy. The npy_* files are inputs of a good model. Each run has 60
# seconds and 2 GiB (4 where it is accepted), and must leave nothing behind.
#
#     run.sh [NAME...]
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../build.sh"
models=$here/../models
work=$build/test/bad
rm -rf "$work"
mkdir -p "$work/directory.pt2"
passed=0 failed=0

# The sanitizers reserve more address space than any limit allows.
memory=2097152
if nm -D "$tepal" 2>/dev/null | grep -q __asan_init; then memory=unlimited; fi

fail() {
    echo "FAIL $file: $1"
    sed 's/^/    /' "$work/messages" | cut -c1-300 | head -n 4
    failed=$((failed + 1))
}

# The arguments of `tepal run` for a file.
arguments() {
    local stem=$here/${file%.pt2}
    case $file in
    directory.pt2) echo "$work/directory.pt2" ;;
    npy_fortran_matmul16.npy)
        echo "$models/matmul16.pt2 --input $here/$file $models/matmul16.in1.npy" \
            "--expect $models/matmul16.out0.npy"
        ;;
    npy_nan.npy | npy_inf.npy) echo "$models/mlp.pt2 --input $here/$file" ;;
    npy_*) echo "$models/mlp.pt2 --input $here/$file --expect $models/mlp.out0.npy" ;;
    *)
        echo "$stem.pt2"
        [ "$verdict" != accept ] || echo "--input $stem.in0.npy --expect $stem.out0.npy"
        ;;
    esac
}

# one: runs one file and judges it.
one() {
    local status=0 limit=$memory
    # The reference of a chain of 6,000 operations takes 2.6 GiB in MLIR's JIT.
    [ "$verdict" != accept ] || [ "$memory" = unlimited ] || limit=4194304
    # shellcheck disable=SC2046 # names without blanks
    (
        cd "$work/empty" && ulimit -v "$limit" && timeout 60 "$tepal" run $(arguments)
    ) >"$work/messages" 2>&1 || status=$?
    case $verdict:$status in
    accept:0 | reject:3) ;;
    *)
        fail "$verdict was expected, the exit status is $status"
        return
        ;;
    esac
    if [ "$verdict" = reject ] && ! grep -qF -- "$fragment" "$work/messages"; then
        fail "the message lacks: $fragment"
        return
    fi
    passed=$((passed + 1))
}

mkdir "$work/empty"
while IFS=$'\t' read -r file verdict fragment; do
    case $file in '#'*) continue ;; esac
    [ $# = 0 ] || [[ " $* " == *" $file "* ]] || continue
    one
done <"$here/cases.tsv"
if [ -n "$(ls -A "$work/empty")" ] || [ -e /tmp/pwned ]; then
    file="all files" && fail "something was written: $(ls -A "$work/empty")"
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
