#!/bin/sh
# SPDX-License-Identifier: MIT
# The same numbers from a command, a sweep, the library and Python.
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
export SLUICE_HOME="$SLUICE_BUILD" PYTHONPATH="$source_root/python" PYTHONDONTWRITEBYTECODE=1
"$python" "$source_root/tests/python/agreement.py"
