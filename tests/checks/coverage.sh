#!/bin/sh
# SPDX-License-Identifier: MIT
# Usage: coverage.sh ROOT BUILD
# Prints which part of the lines of src the tests of a build with --coverage executed, by module and in all. Lines of
# a file that is compiled several times, and of headers, count once, as executed if any of them was; those of libraries
# that no test loaded count, too.
set -eu
cd "$1"
find "$PWD/$2" -name '*.gcno' -print0 | sort -z | xargs -0 gcov --stdout 2>/dev/null |
    awk -F: -v root="$PWD/src/" '
        $2 ~ /^ *0$/ && $3 == "Source" {
            file = $4; sub(/^(\.\.\/)+src\//, root, file)
            ours = index(file, root) == 1
            module = substr(file, length(root) + 1); sub(/\/.*/, "", module)
            next
        }
        !ours || $1 ~ /^ *-$/ || $1 !~ /^ *(#####|=====|[0-9]+\*?)$/ { next }
        {
            line = file ":" $2 + 0
            if (!(line in known)) { known[line]; lines[module]++; all++ }
            if ($1 ~ /[1-9]/ && !(line in ran)) { ran[line]; done[module]++; total++ }
        }
        END {
            for (m in lines) printf "%-12s %6d of %6d lines  %5.1f%%\n", m, done[m], lines[m], 100 * done[m] / lines[m] | "sort"
            close("sort")
            if (!all) { print "no line of src was executed" > "/dev/stderr"; exit 1 }
            printf "%-12s %6d of %6d lines  %5.1f%%\n", "src", total, all, 100 * total / all
        }'
