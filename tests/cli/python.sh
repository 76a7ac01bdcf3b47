#!/bin/sh
# SPDX-License-Identifier: MIT
# The package for Python.
. "${SLUICE_SOURCE:?}/tests/tap.sh"

if ! python=$(sh "$source_root/tests/python/find.sh"); then
    it 'is tested with Python'
    skip 'python3 (3.9 or later) is not installed'
    done_testing
elif ! ls "${SLUICE_BUILD:?}"/lib/libsluice.so >/dev/null 2>&1; then
    it 'is tested with the shared library'
    skip 'this build has no shared library'
    done_testing
fi
# One with NumPy and pandas where there is one; tests that need them are skipped elsewhere.
python=$(sh "$source_root/tests/python/find.sh" numpy pandas || sh "$source_root/tests/python/find.sh" numpy || echo "$python")
export SLUICE_HOME="$SLUICE_BUILD" PYTHONPATH="$source_root/python" PYTHONDONTWRITEBYTECODE=1
"$python" "$source_root/tests/python/main.py"
