#!/usr/bin/env bash
# The tests of python/tepal, in the first Python that has NumPy and pytest: $TEPAL_PYTHON, python3, or Debian's own.
# What needs torch is skipped where that is not installed.
. "$(dirname "$0")/build.sh"
export TEPAL=$tepal PYTHONPATH=$root/python
export PYTHONDONTWRITEBYTECODE=1
for python in ${TEPAL_PYTHON:+"$TEPAL_PYTHON"} python3 /usr/bin/python3 ''; do
    [ -z "$python" ] || ! "$python" -c 'import numpy, pytest' 2>/dev/null || break
done
if [ -z "$python" ]; then
    echo "no Python with NumPy and pytest"
    echo "0 passed, 0 failed, $(grep -c '^def test_' "$root/python/test/test_tepal.py") skipped"
    exit 0
fi
summary=$("$python" -m pytest -q -p no:cacheprovider "$root/python/test" | tee /dev/stderr | tail -n 1)
count() { sed -nE "s/.*\b([0-9]+) $1.*/\1/p" <<<"$summary" | grep . || echo 0; }
failed=$(($(count failed) + $(count error)))
echo "$(count passed) passed, $failed failed, $(count skipped) skipped"
[ "$failed" = 0 ]
