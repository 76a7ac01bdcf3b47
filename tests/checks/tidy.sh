#!/bin/sh
# SPDX-License-Identifier: MIT
# Usage: tidy.sh ROOT BUILD [FILE...]
# Runs the checks of .clang-tidy on the sources of src (or the files given) as the build compiles them. Other versions
# than 14 have other checks, so without it nothing is done (exit code 77).
set -eu
cd "$1"
root=$PWD build=$2
shift 2
tool=
for candidate in clang-tidy-14 clang-tidy; do
    if command -v "$candidate" >/dev/null && "$candidate" --version | grep -q 'version 14\.'; then
        tool=$candidate
        break
    fi
done
if [ -z "$tool" ]; then
    echo 'clang-tidy 14 is not installed, so nothing was checked' >&2
    exit 77
fi
if [ ! -e "$build/compile_commands.json" ]; then
    echo "$build has no compile_commands.json: configure it with a preset" >&2
    exit 77
fi
if [ $# -eq 0 ]; then
    # Only what is compiled here: sources for other compilers or systems have no commands.
    files=$(sed -n "s|^ *\"file\": \"$root/\(src/[^\"]*\.c\)\".*|\1|p" "$build/compile_commands.json" | sort -u)
else
    files=$*
fi
[ -n "$files" ] || { echo "$build compiles nothing of src" >&2 && exit 1; }
# Options of gcc are unknown to it.
echo "$files" | tr ' ' '\n' | xargs -n 8 -P "$(nproc 2>/dev/null || echo 2)" "$tool" -p "$build" --quiet \
    --extra-arg=-Wno-unknown-warning-option --extra-arg=-Wno-error 2>&1 |
    grep -v '^[0-9]* warnings\? \(and [0-9]* errors\? \)\?generated\|^Suppressed\|^Use -header-filter' >"$build/tidy.log" || true
grep -q . "$build/tidy.log" || exit 0
cat "$build/tidy.log"
exit 1
