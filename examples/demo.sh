#!/usr/bin/env bash
# The main job, once: a PyTorch model to SystemVerilog, simulated and compared with the model.
set -euo pipefail
cd "$(dirname "$0")/.."
tepal=${TEPAL:-build/tepal}
model=examples/lenet5
design=build/demo/lenet5

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
[ -t 1 ] || say() { printf '\n%s\n' "$*"; }

mkdir -p build/demo
say "1. LeNet-5, as torch.export.save wrote it (tepal info $model/lenet5.pt2)"
"$tepal" info $model/lenet5.pt2

say "2. To hardware (tepal build $model/lenet5.pt2 -o $design)"
"$tepal" build $model/lenet5.pt2 -o $design

say "3. Simulated, and compared with the CPU reference and with PyTorch's own output (tepal sim)"
"$tepal" sim $design --input $model/input.npy --expect $model/expected.npy

say "Done. The design is in $design: lenet5.sv is the top, files.f lists its sources."
