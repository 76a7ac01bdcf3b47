#!/bin/sh
# SPDX-License-Identifier: MIT
# Prints docs/bypass.md with its table of controls regenerated from src/tune/controls.def.
set -eu
here=$(dirname "$0")
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
cat >"$folder/table.c" <<'END'
#include <stdio.h>
#include "tune/controls.h"

static const sl_control controls[] = {
#define SL_CONTROL(mode, name, node, summary, ...) {name, SL_NODE_##node, summary, __VA_ARGS__},
#include "tune/controls.def"
#undef SL_CONTROL
};
static const char *const requires[] = {
#define SL_NEED(need, requires, why_not) requires,
#include "tune/controls.def"
#undef SL_NEED
};
static const char *const settings[] = {
#define SL_SETTING(setting, name, description) description,
#include "tune/controls.def"
#undef SL_SETTING
};
static const char *const nodes[] = {"load", "store", "kernel"};
static const char *const marks[] = {"", "`volatile`", "`!nontemporal`", "both"};
enum { SM_SHOWN = 70 };

int main(void)
{
    for (unsigned m = 1; m < SL_BYPASS_MODES; m++) {
        const sl_control *c = &controls[m];
        printf("| `%s` | %s | %s | ", c->name, nodes[c->node], c->summary);
        if (c->operators)
            printf(c->policy ? "`%s`, %s" : "`%s`", c->operators, c->policy);
        else if (c->prefetch)
            printf("`prefetch.global.L2` before it");
        else
            printf("launch setting: %s", settings[c->setting - SL_SETTINGS]);
        printf(" | %s | ", marks[c->amdgcn]);
        if (c->sm >= SM_SHOWN)
            printf("sm_%u%s", c->sm, *requires[c->needs] ? "; " : "");
        printf("%s | %s%s |\n", requires[c->needs], c->simulated ? "" : "not offered: ",
               c->simulated ? c->simulated : c->not_simulated);
    }
    return 0;
}
END
"${CC:-cc}" -I"$here/../include" -I"$here/../src" "$folder/table.c" -o "$folder/table"
sed '/^<!-- controls.def -->$/q' "$here/bypass.md"
printf '| control | for | description | PTX | LLVM IR, AMD GPUs | requires | in the simulator |\n|---|---|---|---|---|---|---|\n'
"$folder/table"
sed -n '/^<!-- end -->$/,$p' "$here/bypass.md"
