/* SPDX-License-Identifier: MIT */
#include "tune/loads.h"

#include <string.h>

const char *sl_load_why_not(const sl_load *load, unsigned mode)
{
    const sl_control *control = &sl_controls[mode];
    if (control->node != SL_NODE_ANY && control->node != load->node)
        return control->node == SL_NODE_STORE    ? "it is a mode of stores"
               : control->node == SL_NODE_KERNEL ? "it is a setting of a kernel"
                                                 : "it is a mode of loads";
    if (load->fixed)
        return load->fixed;
    if (control->needs == SL_NEEDS_READ_ONLY && load->not_nc)
        return load->not_nc;
    const char *why = sl_bypass_why_not(mode);
    return why ? why : "the target does not support it";
}

static bool same_group(const sl_load *a, const sl_load *b)
{
    return a->array && b->array && a->node == b->node && a->node != SL_NODE_KERNEL && a->block == b->block &&
           a->segment == b->segment && !strcmp(a->array, b->array) && !strcmp(a->function, b->function);
}

sl_status sl_load_groups(sl_load_graph *graph, sl_arena *arena, sl_error *error)
{
    graph->groups = 0;
    graph->nodes = graph->nodes > graph->loads ? graph->nodes : graph->loads;
    graph->group = sl_arena_array(arena, sl_load_group, graph->nodes + 1);
    uint32_t *first = sl_arena_array(arena, uint32_t, graph->nodes + 1);
    uint32_t *members = sl_arena_array(arena, uint32_t, graph->nodes + 1);
    if (!graph->group || !first || !members)
        return sl_fail_memory(error);
    for (uint32_t i = 0; i < graph->nodes; i++) {
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
    for (uint32_t i = 0; i < graph->nodes; i++) {
        sl_load_group *group = &graph->group[graph->load[i].group];
        group->load[group->loads++] = i;
    }
    return SL_OK;
}

uint32_t sl_load_groups_of_loads(const sl_load_graph *graph)
{
    uint32_t count = 0;
    while (count < graph->groups && graph->group[count].load[0] < graph->loads)
        count++;
    return count;
}
