#!/usr/bin/env bash
# Models that PyTorch itself exported (make_cases.py), one for each family of operators: the
# reference must give PyTorch's results, and the simulated hardware the reference's bits. What
# docs/ops.md says about the Core ATen operators must be what the importer's table holds.
#
#     run.sh [NAME...]
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../build.sh"
work=$build/test/ops
mkdir -p "$work"
cd "$here/cases" || exit 1
passed=0 failed=0

# verdict NAME COMMAND...
verdict() {
    local what=$1 status=0
    shift
    timeout 300 "$@" >"$work/messages" 2>&1 || status=$?
    if [ "$status" = 0 ]; then
        passed=$((passed + 1))
        return 0
    fi
    echo "FAIL $what: exit status $status"
    cut -c1-200 "$work/messages" | head -n 12 | sed 's/^/    /'
    failed=$((failed + 1))
    return 1
}

files() { find . -name "$name.$1[0-9]*.npy" | sort -V; }

# options NAME: of the command line, as the table says.
options() { awk -F '\t' -v name="$1" '$1 == name { print $2 }' ../options.tsv; }

for model in *.pt2; do
    name=${model%.pt2}
    [ $# = 0 ] || [[ " $* " == *" $name "* ]] || continue
    # shellcheck disable=SC2046 # words without blanks
    verdict "$name" "$tepal" run "$model" $(options "$name") --input $(files in) \
        --expect $(files out) || continue
    # shellcheck disable=SC2046
    verdict "$name: build" "$tepal" build "$model" $(options "$name") -o "$work/$name" || continue
    # shellcheck disable=SC2046
    verdict "$name: sim" "$tepal" sim "$work/$name" --simulator icarus --input $(files in)
done
[ $# != 0 ] || verdict "docs/ops.md" python3 "$here/core.py" "$tepal" "$root/docs/ops.md"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
