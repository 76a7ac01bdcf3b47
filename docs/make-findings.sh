#!/bin/sh
# SPDX-License-Identifier: MIT
# Usage: make-findings.sh PROGRAM
# Prints docs/findings.md with its rules regenerated from src/findings/rules.def, as the program explains them.
set -eu
program=$1
here=$(dirname "$0")
# table MACRO: id, value and meaning of the lines of a macro as rows.
table()
{
    sed -n "s/^$1(\([a-z0-9_]*\), *\([^,]*\), *\"\(.*\)\")\$/| \`\1\` | \2 | \3 |/p" "$here/../src/findings/rules.def"
}
sed '/^<!-- rules.def -->$/q' "$here/findings.md"
printf '## Limits\n\n| limit | value | |\n|---|---|---|\n'
table SL_FINDING_LIMIT
printf '\n| assumed | value | |\n|---|---|---|\n'
table SL_COST
printf '\n## Rules\n'
sed -n 's/^SL_RULE([a-z0-9_]*, "\([a-z0-9-]*\)".*/\1/p' "$here/../src/findings/rules.def" | while read -r rule; do
    printf '\n### %s\n\n' "$rule"
    "$program" explain "$rule" | sed "1s/^$rule: \(.*\)/**\1**/"
done
sed -n '/^<!-- end -->$/,$p' "$here/findings.md"
