#!/usr/bin/env bash
# Every model of models.tsv from its .pt2 file to a simulation: the design must give what PyTorch
# gave (within tolerance) and what the CPU reference gives (bit for bit), in the predicted number of
# cycles, and in the number that the table has: a loss is an error, and so is a gain that is not yet
# in the table.
#
#     run.sh [--rebase] [NAME...]     --rebase writes the cycles of what is right into the table
#
# models.tsv: name, options of build, options of sim, cycles; "-" for no options, "?" for cycles not
# known. The models in the file `slow` are started first, and simulated once; all others twice, as
# what is left from one run must not change the next.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../build.sh"
work=$build/test/models

# files KIND: the model's .npy files in their order. NAME.core has those of NAME.
files() { find "$here" -name "${name%.core}.$1[0-9]*.npy" | sort -V; }

# field KEY: a number of sim.json.
field() { sed -nE "s/^[{ ]*\"$1\": ([0-9]+),?.*/\1/p" "$design/sim.json" | head -n 1; }

# fail TEXT [LOG]: the line of a model that failed, with its messages.
fail() {
    echo "FAIL $label: $1"
    [ -z "${2-}" ] || { grep -A 4 -F 'error:' "$2" || tail -n 12 "$2"; } | head -n 24 |
        sed 's/^/    /'
    exit 1
}

# one ROW: builds and simulates what a row of the table says.
one() {
    local row=$1 name build_options sim_options wanted design label log start
    IFS=$'\t' read -r name build_options sim_options wanted < <(sed -n "${row}p" "$here/models.tsv")
    [ "$build_options" != - ] || build_options=
    [ "$sim_options" != - ] || sim_options=
    grep -qxF "$name" "$here/slow" || sim_options="--runs 2 $sim_options"
    label=$name${build_options:+ $build_options}
    design=$work/$name.$row
    log=$design.log
    start=$(date +%s%N)
    # shellcheck disable=SC2086 # the options are words
    timeout 900 "$tepal" build "$here/$name.pt2" -o "$design" --check $build_options >"$log" 2>&1 ||
        fail "build: exit status $?" "$log"
    # shellcheck disable=SC2046,SC2086
    timeout 900 "$tepal" sim "$design" $sim_options --input $(files in) --expect $(files out) \
        >"$log" 2>&1 || fail "sim: exit status $?" "$log"
    local cycles predicted seconds
    cycles=$(field cycles) predicted=$(field predicted_cycles)
    seconds=$(($(date +%s%N) - start))
    [ "$cycles" = "$predicted" ] || fail "$cycles cycles, predicted were ${predicted:-none}"
    echo "$cycles" >"$work/$row.cycles"
    if [ "$wanted" != "$cycles" ] && [ -z "$rebase" ]; then
        case $wanted in
        *[!0-9]*) fail "$cycles cycles; the table has none" ;;
        esac
        [ "$cycles" -gt "$wanted" ] || fail "$cycles cycles, a gain of $((wanted - cycles)): --rebase"
        fail "$cycles cycles, a loss of $((cycles - wanted))"
    fi
    printf 'ok   %s: %d cycles, %d.%d s\n' "$label" "$cycles" $((seconds / 1000000000)) \
        $((seconds / 100000000 % 10))
}

# rows [NAME...]: the numbers of the rows to run, the slow ones first.
rows() {
    awk -F '\t' -v names="$*" '
        BEGIN { count = split(names, list, " "); for (i = 1; i <= count; i++) chosen[list[i]] = 1 }
        FILENAME ~ /slow$/ { slow[$1] = ++slow_count; next }
        /^#/ || NF < 4 || (count && !($1 in chosen)) { next }
        $1 in slow { first[slow[$1]] = first[slow[$1]] FNR "\n"; next }
        { later = later FNR "\n" }
        END {
            for (i = 1; i <= slow_count; i++) printf "%s", first[i]
            printf "%s", later
        }' "$here/slow" "$here/models.tsv"
}

rewrite_table() {
    local row cycles
    for row in "$@"; do
        [ -f "$work/$row.cycles" ] || continue
        cycles=$(cat "$work/$row.cycles")
        sed -i -E "${row}s/[^\t]*\$/$cycles/" "$here/models.tsv"
    done
}

if [ "${1-}" = --one ]; then
    rebase=$2
    one "$3"
    exit
fi

rebase=
if [ "${1-}" = --rebase ]; then
    rebase=1
    shift
fi
mkdir -p "$work"
rm -f "$work"/*.cycles
mapfile -t chosen < <(rows "$@")
[ "${#chosen[@]}" -gt 0 ] || { echo "no such model in models.tsv: $*" >&2 && exit 2; }
results=$work/results
printf '%s\n' "${chosen[@]}" |
    xargs -P "$(nproc 2>/dev/null || echo 2)" -I{} bash "$0" --one "$rebase" {} | tee "$results"
[ -z "$rebase" ] || rewrite_table "${chosen[@]}"
passed=$(grep -c '^ok ' "$results")
failed=$((${#chosen[@]} - passed))
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
