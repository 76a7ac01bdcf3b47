/* SPDX-License-Identifier: MIT */
#include "bypass/load.h"

#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"

static const char *const MODE_NAMES[SL_BYPASS_MODES] = {"none", "L1", "L2", "both"};

const char *sl_bypass_name(unsigned mode)
{
    return mode < SL_BYPASS_MODES ? MODE_NAMES[mode] : "?";
}

sl_status sl_bypass_parse(const char *name, unsigned *mode, sl_error *error)
{
    for (unsigned i = 0; i < SL_BYPASS_MODES; i++)
        if (!strcmp(name, MODE_NAMES[i])) {
            *mode = i;
            return SL_OK;
        }
    if (!strcmp(name, "L0/1")) {
        *mode = SL_BYPASS_L1;
        return SL_OK;
    }
    const char *near = sl_suggest(name, MODE_NAMES, SL_BYPASS_MODES);
    return sl_fail(error, SL_NOT_FOUND, "unknown bypass mode '%s'%s%s%s; modes are none, L1, L2 and both", name,
                   near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
}

static bool same_group(const sl_load *a, const sl_load *b)
{
    return a->array && b->array && a->block == b->block && a->segment == b->segment && !strcmp(a->array, b->array) &&
           !strcmp(a->function, b->function);
}

sl_status sl_load_groups(sl_load_graph *graph, sl_arena *arena, sl_error *error)
{
    graph->groups = 0;
    graph->group = sl_arena_array(arena, sl_load_group, graph->loads + 1);
    uint32_t *first = sl_arena_array(arena, uint32_t, graph->loads + 1);
    uint32_t *members = sl_arena_array(arena, uint32_t, graph->loads + 1);
    if (!graph->group || !first || !members)
        return sl_fail_memory(error);
    for (uint32_t i = 0; i < graph->loads; i++) {
        uint32_t g = 0;
        while (g < graph->groups && !same_group(&graph->load[first[g]], &graph->load[i]))
            g++;
        if (g == graph->groups)
            first[graph->groups++] = i;
        graph->load[i].group = g;
        graph->group[g].loads++;
    }
    for (uint32_t g = 0; g < graph->groups; members += graph->group[g++].loads)
        graph->group[g].load = members;
    for (uint32_t g = 0; g < graph->groups; g++)
        graph->group[g].loads = 0;
    for (uint32_t i = 0; i < graph->loads; i++) {
        sl_load_group *group = &graph->group[graph->load[i].group];
        group->load[group->loads++] = i;
    }
    return SL_OK;
}
