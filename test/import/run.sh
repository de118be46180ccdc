#!/usr/bin/env bash
# Small models that each hold one operation in several variants (made by make_cases.py): `tepal run`
# must give the stated results, and refuse what refused.tsv lists with its messages.
#
#     run.sh [NAME...]
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../build.sh"
work=$build/test/import
mkdir -p "$work"
cd "$here/cases" || exit 1
passed=0 failed=0

# verdict NAME STATUS WANTED [MESSAGE]
verdict() {
    if [ "$2" = "$3" ] && { [ -z "${4-}" ] || grep -qF -- "$4" "$work/messages"; }; then
        passed=$((passed + 1))
        return
    fi
    echo "FAIL $1: exit status $2, expected $3${4:+ and the message: $4}"
    cut -c1-200 "$work/messages" | head -n 8 | sed 's/^/    /'
    failed=$((failed + 1))
}

files() { find . -name "$name.$1[0-9]*.npy" | sort -V; }

for model in *.pt2; do
    name=${model%.pt2} status=0 options=
    [ $# = 0 ] || [[ " $* " == *" $name "* ]] || continue
    case $name in
    refused_*) continue ;;
    dynamic) options="--shape x=5x2" ;;
    esac
    # shellcheck disable=SC2046,SC2086 # words without blanks
    timeout 60 "$tepal" run "$model" $options --input $(files in) --expect $(files out) \
        >"$work/messages" 2>&1 || status=$?
    verdict "$name" "$status" 0
done
while IFS='|' read -r name options message; do
    [ $# = 0 ] || [[ " $* " == *" $name "* ]] || continue
    status=0
    # shellcheck disable=SC2086
    timeout 60 "$tepal" run "$name.pt2" $options >"$work/messages" 2>&1 || status=$?
    verdict "$name $options" "$status" 3 "$message"
done < <(tr '\t' '|' <refused.tsv)
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
