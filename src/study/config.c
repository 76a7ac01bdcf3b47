/* SPDX-License-Identifier: MIT */
#include "study/config.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

sl_status sl_config_settings(sl_yaml *yaml, const yaml_node_t *map, const char *name, sl_arena *arena,
                             const char **text)
{
    const char *all = "";
    if (!map)
        return SL_OK;
    if (map->type != YAML_MAPPING_NODE)
        return sl_yaml_fail(yaml, map, "'%s' takes keys and values, such as {L1.size: 32K}", name);
    for (size_t i = 0; i < sl_yaml_items(map); i++) {
        const char *key = sl_yaml_word(sl_yaml_key(yaml, map, i));
        const yaml_node_t *node = sl_yaml_item(yaml, map, i);
        const char *value = sl_yaml_word(node);
        if (!key || !value || strchr(value, ' '))
            return sl_yaml_fail(yaml, node, "'%s' takes a single value without spaces for each key", name);
        all = sl_arena_printf(arena, "%s%s%s=%s", all, *all ? " " : "", key, value);
        if (!all)
            return sl_fail_memory(yaml->error);
    }
    *text = all;
    return SL_OK;
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
