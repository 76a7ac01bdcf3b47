#!/bin/sh
# SPDX-License-Identifier: MIT
# Prints docs/counters.md with its table made anew from src/trace/counters.def.
set -eu
here=$(dirname "$0")
table()
{
    printf '| counter | unit | what it counts | in Nsight Compute |\n|---|---|---|---|\n'
    # X(name, "unit", "meaning", "metric"); no text has a quote in it.
    sed -n 's/^X(\([a-z0-9_]*\), *"\([^"]*\)", *"\([^"]*\)", *"\([^"]*\)").*/\1|\2|\3|\4/p' "$here/../src/trace/counters.def" |
        awk -F'|' '{ printf "| `%s` | %s | %s | %s |\n", $1, $2, $3, $4 == "" ? "" : "`" $4 "`" }'
}
sed '/^<!-- counters.def -->$/q' "$here/counters.md"
table
sed -n '/^<!-- end -->$/,$p' "$here/counters.md"
