#!/bin/sh
# SPDX-License-Identifier: MIT
# The server for programs that write kernels, and what it sees of kernels that cheat.
. "${SLUICE_SOURCE:?}/tests/tap.sh"

it 'speaks the Model Context Protocol, keeps limits and sees through cheating kernels'
if [ -n "${SLUICE_SANITIZERS:-}" ]; then
    skip 'programs are not run with sanitizers'
elif python=$(sh "$source_root/tests/python/find.sh"); then
    cheats=${SLUICE_PROGRAMS:-}/cheats
    [ -x "$cheats" ] || cheats=''
    home=$(dirname "$(dirname "$sluice")")
    run env SLUICE_HOME="$home" PYTHONPATH="$source_root/python" "$python" "$source_root/tests/python/test_mcp.py" "$cheats"
    exits 0
else
    skip 'Python is missing'
fi

done_testing
