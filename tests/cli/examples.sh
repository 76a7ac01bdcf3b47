#!/bin/sh
# SPDX-License-Identifier: MIT
# The worked examples do what they show.
. "${SLUICE_SOURCE:?}/tests/typed.sh"

if [ -x build/release/programs/cheats ] && [ -x build/release/programs/arrays ] && command -v python3 >/dev/null && [ -z "${SLUICE_SANITIZERS:-}" ]; then
    export PYTHONDONTWRITEBYTECODE=1
    type_again docs/examples.md
else
    it 'types the examples again'
    skip 'the CUDA programs were not built, or there is no python3, or this build has sanitizers'
fi

done_testing
