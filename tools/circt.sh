#!/bin/sh
# Installs CIRCT's Python wheel into build/circt, once, if there is a Python that it runs on (3.12 or
# later; those of pyenv count): tests check Tepal's hw and calyx dialect texts with it. Without it
# these tests are skipped, so a failure here is only a message.
cd "$(dirname "$0")/.." || exit 1
version=1.162.0
[ ! -x build/circt/bin/python ] || ! build/circt/bin/python -c 'import circt' 2>/dev/null || exit 0
for python in python3 python3.14 python3.13 python3.12 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/*/bin/python; do
    command -v "$python" >/dev/null || continue
    "$python" -c 'import sys, venv; sys.exit(sys.version_info < (3, 12))' 2>/dev/null || continue
    mkdir -p build
    if "$python" -m venv --clear build/circt >build/circt.log 2>&1 &&
        build/circt/bin/python -m pip install --quiet "circt==$version" >>build/circt.log 2>&1; then
        exit 0
    fi
done
rm -rf build/circt
echo "circt: no Python of 3.12 or later could install it: tests with CIRCT are skipped"
exit 0
