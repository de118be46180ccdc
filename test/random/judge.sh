#!/usr/bin/env bash
# judge.sh TEPAL FILE.mlir: builds a random program with --check at the --parallel that its comment asks for, and simulates
# it: all stages must give the same bits, and the simulation the predicted cycles, which only programs with the comment
# "on data" may lack. Says what is wrong, in one line and the messages under it, and ends with status 1. FILE is a name
# in a folder that may be written to.
tepal=$1 program=$2 design=${2%.mlir}.design log=${2%.mlir}.log
trap 'rm -rf "$design"' EXIT

# field FILE KEY: a number of a report.
field() { sed -nE "s/^[{ ]*\"$2\": ([0-9]+),?.*/\1/p" "$1" | head -n 1; }

fail() {
    echo "$1"
    { grep -A 2 -F 'error:' "$log" || tail -n 4 "$log"; } | head -n 6 | sed 's/^/    /'
    exit 1
}

parallel=$(sed -n 's,^// parallel ,,p' "$program")
timeout 120 "$tepal" build "$program" -o "$design" --check --parallel "${parallel:-1}" >"$log" 2>&1 ||
    fail "build ended with status $?"
# An Icarus simulation of a long run takes minutes: Verilator is there for those.
simulator=icarus
[ "$(field "$design/report.json" cycles)" -lt 30000 ] || simulator=verilator
timeout 900 "$tepal" sim "$design" --simulator $simulator --runs 2 >>"$log" 2>&1 || fail "sim ended with status $?"
predicted=$(field "$design/sim.json" predicted_cycles)
[ -n "$predicted" ] || grep -q '^// on data$' "$program" || fail "no cycles are predicted"
[ -z "$predicted" ] || [ "$(field "$design/sim.json" cycles)" = "$predicted" ] ||
    fail "the cycles are not the predicted ones"
