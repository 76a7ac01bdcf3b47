#!/bin/sh
# SPDX-License-Identifier: MIT
# A program that is run again at each change.
. "${SLUICE_SOURCE:?}/tests/tap.sh"

it 'runs a program again when a file changes, and says which version is faster'
if [ -x "${SLUICE_PROGRAMS:-}/cheats" ] && [ -z "${SLUICE_SANITIZERS:-}" ]; then
    mkdir code
    echo leftover >code/how
    cat >build <<END
#!/bin/sh
how=\$(cat code/how)
echo "\$how" >>seen
[ "\$how" != broken ] || exit 3
exec "$SLUICE_PROGRAMS/cheats" "\$how"
END
    chmod +x build
    seen() { while [ "$(grep -c . seen 2>/dev/null)" != "$1" ]; do sleep 0.1; done; }
    # The version in the middle fails, as a build may.
    (seen 1 && sleep 2 && echo broken >code/how && seen 2 && sleep 2 && echo right >code/how) &
    run timeout 120 "$sluice" watch --path code --rounds 3 -- ./build
    wait
    exits 0
    stdout_has 'sum '
    grep -qE '^B is [0-9.]+x (slower|faster) \(estimated\)|take the same time \(estimated\)' "$scratch/stdout" || fail "$(saw 'no verdict')"
    stderr_has 'it ended with 1; waiting for the next change'
    [ "$(tr '\n' ' ' <seen)" = 'leftover broken right ' ] || fail "it ran $(cat seen)"
else
    skip 'the CUDA programs were not built'
fi

it 'says what is missing'
run "$sluice" watch
exits 2
run "$sluice" watch --gpu nosuch -- true
exits 1
stderr_has "nosuch"

done_testing
