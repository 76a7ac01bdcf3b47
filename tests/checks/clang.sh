#!/bin/sh
# SPDX-License-Identifier: MIT
# Clang has no complaints about what only gcc builds: everything outside of the library, which the fuzz targets hold.
. "${SLUICE_SOURCE:?}/tests/tap.sh"
commands=${SLUICE_BUILD:?}/compile_commands.json
clang=
for candidate in clang clang-19 clang-18 clang-17 clang-16 clang-15 clang-14; do
    if [ -z "$clang" ] && command -v "$candidate" >/dev/null; then clang=$candidate; fi
done

# Prints the commands of compile_commands.json for files outside of the library, as clang takes them.
for_clang()
{
    sed -n 's/^  "command": "\(.*\)",*$/\1/p' "$commands" | sed 's/\\\(.\)/\1/g' |
        grep -E ' -c [^ ]*/(src/(cli|cuda|cudart|cudadriver|launch|redirect|study|swap)|workloads|tests|bench)/' |
        sed "s/^[^ ]*/$clang -fsyntax-only -Wno-unknown-warning-option/; s/ -o [^ ]*//"
}

it 'is C to clang, too, without warnings'
if [ -z "$clang" ]; then
    skip 'there is no clang'
else
    for_clang >commands
    [ "$(wc -l <commands)" -gt 200 ] || fail "only $(wc -l <commands) files were found"
    xargs -d '\n' -P "$(nproc)" -n 1 sh -c <commands >complaints 2>&1 || fail "$(head -c 4000 complaints)"
fi
done_testing
