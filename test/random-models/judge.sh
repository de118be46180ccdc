#!/usr/bin/env bash
# judge.sh TEPAL CASE FOLDER: takes the model CASE.pt2 through the road: `tepal run` must give PyTorch's results
# within tolerance, and the designs at N = 1 and at the N of CASE.options what the reference gives, bit for bit,
# in the predicted cycles. Says what is wrong, in one line and the messages under it, and ends with status 1. FOLDER
# is for files of its own.
tepal=$1 case=$2 design=$3/${2##*/}.design log=$3/${2##*/}.log
trap 'rm -rf "$design"' EXIT

# field FILE KEY: a number of a report.
field() { sed -nE "s/^[{ ]*\"$2\": ([0-9]+),?.*/\1/p" "$1" | head -n 1; }
files() { find "${case%/*}" -name "${case##*/}.$1[0-9]*.npy" | sort -V; }

fail() {
    echo "$1"
    { grep -A 3 -E 'error:|mismatch|differ' "$log" || tail -n 4 "$log"; } | cut -c1-200 | head -n 8 | sed 's/^/    /'
    exit 1
}

# design OPTION...: a design and its simulation.
design() {
    timeout 300 "$tepal" build "$case.pt2" -o "$design" "$@" >"$log" 2>&1 || fail "build $*: status $?"
    # An Icarus simulation of a long run takes minutes: Verilator is there for those.
    local simulator=icarus
    [ "$(field "$design/report.json" cycles)" -lt 40000 ] || simulator=verilator
    # shellcheck disable=SC2046 # names without blanks
    timeout 900 "$tepal" sim "$design" --simulator $simulator --input $(files in) >"$log" 2>&1 ||
        fail "sim $*: status $?"
    [ "$(field "$design/sim.json" predicted_cycles)" = "$(field "$design/sim.json" cycles)" ] ||
        fail "sim $*: not the predicted cycles"
}

# shellcheck disable=SC2046
timeout 100 "$tepal" run "$case.pt2" --input $(files in) --expect $(files out) >"$log" 2>&1 || fail "run: status $?"
design --parallel 1
# shellcheck disable=SC2046
design --check $(cat "$case.options")
rm -f "$log"
