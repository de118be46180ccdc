#!/bin/sh
# Checks all units of hardware/ against the host's arithmetic.
#
# usage: test/hardware/run.sh [PAIRS] [SEED]      (default: 1000000 1)
# BUILD names the build folder (default build); HARDWARE the folder of the units.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
hardware=${HARDWARE:-$root/hardware}
build=$(realpath -m "${BUILD:-$root/build}")/test/hardware
mkdir -p "$build"

python3 "$here/units.py" "$build"
# What was built from the same text need not be built again.
stamp=$(cat "$hardware"/*.sv "$here"/bench.cpp "$build"/*.inc "$build"/units.sv | cksum)
if [ ! -x "$build/Vunits" ] || [ "$(cat "$build/stamp" 2>/dev/null)" != "$stamp" ]; then
    rm -rf "$build/obj" "$build/stamp"
    verilator --cc --exe --build -j "$(nproc)" -O3 --x-assign fast --output-split 20000 \
        -Wno-UNOPTFLAT -CFLAGS "-O1 -std=c++17 -ffp-contract=off -I$build" \
        --top-module units -Mdir "$build/obj" -o "$build/Vunits" \
        "$build/units.sv" "$hardware"/*.sv "$here/bench.cpp" > "$build/log" 2>&1 ||
        { cat "$build/log"; exit 1; }
    echo "$stamp" > "$build/stamp"
fi
exec "$build/Vunits" "${1:-1000000}" "${2:-1}"
