#!/bin/sh
# SPDX-License-Identifier: MIT
# Prints docs/counters.md with its tables regenerated from src/trace/metrics.def.
set -eu
here=$(dirname "$0")
# table MACRO: the lines of one macro as rows. Arguments are separated by commas outside of quotes and parentheses.
table()
{
    awk -v macro="$1" '
    function cut(text,    i, c, depth, quoted, field) {
        fields = 0; field = ""
        for (i = 1; i <= length(text); i++) {
            c = substr(text, i, 1)
            if (c == "\"") { quoted = !quoted; continue }
            if (!quoted && c == "(") depth++
            if (!quoted && c == ")" && depth-- == 0) break
            if (!quoted && c == "," && depth == 0) { arg[++fields] = field; field = ""; continue }
            if (field != "" || c != " ") field = field c
        }
        arg[++fields] = field
    }
    function formula(part, whole) {
        gsub(/V\(|O\(|c->|o->|sl_profile_/, "", part); gsub(/V\(|O\(|c->|o->|sl_profile_/, "", whole)
        gsub(/once\(c\)/, "lines_once", part); gsub(/\)/, "", part); gsub(/\)/, "", whole)
        if (whole == "SL_SCHEDULERS") whole = "cycles of all schedulers"
        if (whole ~ / [+*] /) whole = "(" whole ")"
        if (whole != "1" && part ~ / [+-] /) part = "(" part ")"
        return whole == "1" ? part : part " / " whole
    }
    index($0, macro "(") == 1 {
        cut(substr($0, length(macro) + 2))
        if (macro == "SL_COUNTER") printf "| `%s` | %s | %s | %s | %s |\n", arg[1], arg[2], arg[3], arg[5], arg[6] == "" ? "" : "`" arg[6] "`"
        else if (macro == "SL_LEVEL" || macro == "SL_LEVEL_ENERGY") printf "| `%s` | %s | %s | %s |\n", arg[1], arg[2], arg[3], arg[4]
        else if (macro == "SL_LEVEL_STALL") printf "| `%s` | cycles | %s | %s |\n", arg[1], arg[3], arg[4]
        else printf "| `%s` | %s | %s | %s | %s |\n", arg[1], arg[2], arg[5], arg[7], formula(arg[3], arg[4])
    }' "$here/../src/trace/metrics.def"
}
sed '/^<!-- metrics.def -->$/q' "$here/counters.md"
printf '### Counters\n\n| counter | unit | heading | description | Nsight Compute metric |\n|---|---|---|---|---|\n'
table SL_COUNTER
printf '\n### Derived metrics\n\n| metric | unit | heading | description | formula |\n|---|---|---|---|---|\n'
table SL_DERIVED
printf '\n### Reuse profile metrics\n\n| metric | unit | heading | description | formula |\n|---|---|---|---|---|\n'
table SL_REUSE
printf '\n### Counters of each cache level\n\n| metric | unit | heading | description |\n|---|---|---|---|\n'
table SL_LEVEL
table SL_LEVEL_STALL
table SL_LEVEL_ENERGY
sed -n '/^<!-- end -->$/,$p' "$here/counters.md"
