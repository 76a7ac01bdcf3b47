/* SPDX-License-Identifier: MIT */
#include "tune/loads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"

const sl_control sl_controls[SL_BYPASS_MODES] = {
#define SL_CONTROL(mode, name, node, ptx, sm, operators, policy, sim, summary)                                         \
    [SL_BYPASS_##mode] = {name, SL_NODE_##node, ptx, sm, operators, policy, sim, summary},
#include "tune/controls.def"
#undef SL_CONTROL
};

const char *sl_bypass_name(unsigned mode)
{
    return mode < SL_BYPASS_MODES ? sl_controls[mode].name : "?";
}

sl_status sl_bypass_parse(const char *name, unsigned *mode, sl_error *error)
{
    const char *names[SL_BYPASS_MODES];
    if (!strcmp(name, "L0/1"))
        name = sl_controls[SL_BYPASS_L1].name;
    for (unsigned i = 0; i < SL_BYPASS_MODES; i++) {
        names[i] = sl_controls[i].name;
        if (!strcmp(name, names[i])) {
            *mode = i;
            return SL_OK;
        }
    }
    const char *near = sl_suggest(name, names, SL_BYPASS_MODES);
    return sl_fail(error, SL_NOT_FOUND, "unknown mode '%s'%s%s%s; 'sluice help tune' lists them", name,
                   near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
}

sl_status sl_bypass_parse_list(const char *list, uint32_t *modes, sl_error *error)
{
    sl_status status = SL_OK;
    *modes = 0;
    if (!strcmp(list, "all")) {
        *modes = UINT32_MAX;
        return SL_OK;
    }
    for (const char *at = list; !status;) {
        char name[64];
        size_t length = strcspn(at, ",");
        unsigned mode = 0;
        snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), at);
        status = sl_bypass_parse(name, &mode, error);
        *modes |= 1u << mode;
        if (!at[length])
            break;
        at += length + 1;
    }
    return status;
}

int sl_bypass_ahead(unsigned mode)
{
    return mode == SL_BYPASS_AHEAD_0 ? 0 : mode == SL_BYPASS_AHEAD_4 ? 4 : mode == SL_BYPASS_AHEAD_16 ? 16 : -1;
}

unsigned sl_bypass_neutral(unsigned mode)
{
    if (sl_bypass_ahead(mode) >= 0)
        return SL_BYPASS_AHEAD_0;
    if (!*sl_controls[mode].policy)
        return SL_BYPASS_NONE;
    return sl_controls[mode].node == SL_NODE_STORE ? SL_BYPASS_STORE_NEUTRAL : SL_BYPASS_NEUTRAL;
}

uint32_t sl_bypass_modes_of(sl_node node)
{
    uint32_t modes = 0;
    for (unsigned m = 0; m < SL_BYPASS_MODES; m++)
        modes |= (uint32_t)(sl_controls[m].node == node) << m;
    return modes;
}

const char *sl_load_why_not(const sl_load *load, unsigned mode)
{
    const sl_control *control = &sl_controls[mode];
    if (control->node != SL_NODE_ANY && control->node != load->node)
        return control->node == SL_NODE_STORE    ? "it is a mode of stores"
               : control->node == SL_NODE_KERNEL ? "it is a setting of a kernel"
                                                 : "it is a mode of loads";
    if (load->fixed)
        return load->fixed;
    if (mode == SL_BYPASS_NC && load->not_nc)
        return load->not_nc;
    if (sl_bypass_ahead(mode) >= 0)
        return "it is not in a loop that advances its address by a constant";
    if (mode >= SL_BYPASS_FETCH_64 && mode <= SL_BYPASS_FETCH_256)
        return "it already has a prefetch size, or the target knows none";
    return "the target does not support it";
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
