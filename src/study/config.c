/* SPDX-License-Identifier: MIT */
#include "study/config.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

sl_status sl_config_read_kind(sl_yaml *yaml, const yaml_node_t *node, const char *name, void *to)
{
    int kind;
    sl_status status = sl_yaml_read_choice(yaml, node, name, sl_analysis_names, &kind);
    if (!status)
        *(sl_analysis_kind *)to = (sl_analysis_kind)kind;
    return status;
}

sl_status sl_config_check(sl_yaml *yaml, const yaml_node_t *node, const sl_point *point)
{
    sl_machine machine;
    return sl_yaml_locate(yaml, node, sl_point_machine(point, &machine, yaml->error));
}

const char *sl_config_replace(const char *text, const char *name, const char *value, sl_arena *arena)
{
    char *made = NULL;
    size_t bytes = 0, length = strlen(name);
    FILE *memory = open_memstream(&made, &bytes);
    if (!memory)
        return NULL;
    for (const char *at = text; *at;) {
        bool here = *at == '$' && !strncmp(at + 1, name, length) && !isalnum((unsigned char)at[1 + length]);
        if (here)
            fputs(value, memory);
        else
            fputc(*at, memory);
        at += here ? length + 1 : 1;
    }
    const char *copy = fclose(memory) ? NULL : sl_arena_strdup(arena, made);
    free(made);
    return copy;
}
