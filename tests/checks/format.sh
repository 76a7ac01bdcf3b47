#!/bin/sh
# SPDX-License-Identifier: MIT
# Usage: format.sh ROOT [--check]
# Formats the C sources with clang-format 14, or lists those that it would change. Other versions format differently, so
# without version 14 nothing is done (exit code 77 with --check).
set -eu
cd "$1"
tool=
for candidate in clang-format-14 clang-format; do
    if command -v "$candidate" >/dev/null && "$candidate" --version | grep -q 'version 14\.'; then
        tool=$candidate
        break
    fi
done
if [ -z "$tool" ]; then
    echo 'clang-format 14 is not installed' >&2
    [ "${2:-}" != --check ] || exit 77
    exit 1
fi
sources=$(find include src tests bench workloads examples hip -name '*.[ch]' 2>/dev/null | sort)
if [ "${2:-}" = --check ]; then
    bad=$(echo "$sources" | xargs -n 40 -P "$(nproc 2>/dev/null || echo 2)" "$tool" --dry-run -Werror 2>&1 |
        sed -n 's/^\(.*\):[0-9]*:[0-9]*: error: .*/\1/p' | sort -u)
    [ -n "$bad" ] || exit 0
    echo "$bad"
    exit 1
fi
# shellcheck disable=SC2086
"$tool" -i $sources
