#!/usr/bin/env bash
# Runs all tests on the build folder $BUILD (default: build) and ends with one line that counts
# them: `N passed, N failed`, and `, N skipped` if any were. TEPAL_LONG=1 runs thousands of random
# programs, with new seeds, in place of 200.
cd "$(dirname "$0")/.." || exit 1
BUILD=$(realpath -m "${BUILD:-build}")
export BUILD
jobs=$(nproc 2>/dev/null || echo 2)
# MLIR keeps what it registers until the end, which is no leak.
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=0}
logs=$BUILD/test/logs
mkdir -p "$logs"
passed=0 failed=0 skipped=0

# add SUITE PASSED FAILED SKIPPED STATUS: a suite that fails without counting it has failed once.
add() {
    local fails=$3
    if [ "$5" != 0 ] && [ "$fails" = 0 ]; then
        fails=1
        echo "$1: ended with status $5"
    fi
    passed=$((passed + $2)) failed=$((failed + fails)) skipped=$((skipped + $4))
    printf '%-14s %d passed, %d failed, %d skipped\n' "$1:" "$2" "$fails" "$4"
}

# The number that follows or precedes a pattern in a log; 0 if there is none.
number() {
    local found
    found=$(sed -nE "s/$1/\\1/p" "$2" | tail -n 1)
    echo "${found:-0}"
}

unit_tests() {
    local log=$logs/unit.log status=0 program
    if ! cmake --build "$BUILD" --target unit_tests --parallel >"$log" 2>&1; then
        tail -n 40 "$log"
        add unit 0 1 0 0
        return
    fi
    local good=0 bad=0 run fine source
    for source in test/unit/*.c; do
        program=$BUILD/unit/$(basename "$source" .c)
        status=0
        "$program" >"$log" 2>&1 || status=$?
        run=$(number '.*\] [^0-9]*([0-9]+) test\(s\) run.*' "$log")
        fine=$(number '.*PASSED.*\] ([0-9]+) test.*' "$log")
        # A crash in the middle prints no counts.
        [ "$status" = 0 ] || [ "$run" != "$fine" ] || run=$((fine + 1))
        [ "$status" = 0 ] || {
            echo "$program:"
            grep -vE '\[ +(RUN|OK) ' "$log"
        }
        good=$((good + fine)) bad=$((bad + run - fine))
    done
    add unit "$good" "$bad" 0 0
}

text_tests() {
    local log=$logs/lit.log status=0 lit llvm
    [ -n "$(find test \( -name '*.mlir' -o -name '*.test' \) \
        -not -path 'test/unit/*' -not -path 'test/hardware/*' -not -path 'test/models/*' | head -n 1)" ] || return
    llvm=$(llvm-config-19 --prefix 2>/dev/null || echo /usr/lib/llvm-19)
    export LLVM_BIN=$llvm/bin
    lit=$llvm/build/utils/lit/lit.py # part of llvm-19-tools
    if [ -f "$lit" ]; then
        lit="python3 $lit"
    elif ! lit=$(command -v lit); then
        echo "lit was not found"
        add text 0 1 0 0
        return
    fi
    $lit -sv --no-progress-bar -j "$jobs" test >"$log" 2>&1 || status=$?
    [ "$status" = 0 ] || cat "$log"
    local good bad=0 gone=0 kind
    # -s prints only failures, and so counts only them; the first line tells how many ran.
    good=$(number '^ *Passed *: *([0-9]+).*' "$log")
    for kind in Failed 'Unexpectedly Passed' Unresolved 'Timed Out'; do
        bad=$((bad + $(number "^ *$kind *: *([0-9]+).*" "$log")))
    done
    for kind in Unsupported Skipped 'Expectedly Failed'; do
        gone=$((gone + $(number "^ *$kind *: *([0-9]+).*" "$log")))
    done
    add text "$good" "$bad" "$gone" "$status"
}

# script NAME FILE [ARGUMENT...]: a suite of its own, whose last counting line we take.
script() {
    local log=$logs/$1.log status=0 line
    [ -f "$2" ] || return
    bash "${@:2}" >"$log" 2>&1 || status=$?
    line=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$log" | tail -n 1)
    if [ "$status" != 0 ] || [ -z "$line" ]; then
        tail -n 60 "$log"
        [ "$status" != 0 ] || status=1
    fi
    echo "$line" >"$log.count"
    add "$1" "$(number '^([0-9]+) passed.*' "$log.count")" \
        "$(number '.* ([0-9]+) failed.*' "$log.count")" \
        "$(number '.* ([0-9]+) skipped.*' "$log.count")" "$status"
}

unit_tests
text_tests
script hardware test/hardware/run.sh
script integers test/hardware/integers.sh
script tools test/hardware/tools.sh
script import test/import/run.sh
script ops test/ops/run.sh
script reference test/models/reference.sh
script bad test/bad/run.sh
script random test/random/run.sh ${TEPAL_LONG:+--long}
script random-models test/random-models/run.sh ${TEPAL_LONG:+--fresh 300}
script mlir-roads test/mlir-roads/run.sh
script interop test/interop/run.sh
script python test/python.sh
script models test/models/run.sh

if [ "$skipped" = 0 ]; then
    echo "$passed passed, $failed failed"
else
    echo "$passed passed, $failed failed, $skipped skipped"
fi
[ "$failed" = 0 ]
