#!/bin/sh
# Builds the official Calyx compiler into build/calyx, once, where cargo is there: tests run Calyx
# text through it. Without it those tests are skipped, so a failure here is only a message.
cd "$(dirname "$0")/.." || exit 1
version=0.7.1
[ ! -x build/calyx/bin/calyx ] || exit 0
if ! command -v cargo >/dev/null; then
    echo "calyx: no cargo: tests with the Calyx compiler are skipped"
    exit 0
fi
mkdir -p build
echo "calyx: building the Calyx compiler $version (once)"
cargo install --quiet --locked --version $version --root build/calyx calyx >build/calyx.log 2>&1 ||
    echo "calyx: the build failed (see build/calyx.log): tests with the Calyx compiler are skipped"
exit 0
