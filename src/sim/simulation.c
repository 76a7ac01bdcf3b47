/* SPDX-License-Identifier: MIT */
/* The simulator for users of the library: launches of a trace in, results on the heap out. */
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "machine/machine.h"
#include "sim/series.h"

static sl_status check_policy(const sl_machine *machine, const char *text, sl_error *error)
{
    sl_policy_choice choice;
    sl_status status = *text ? sl_policy_parse_among(machine->policies, text, &choice, error) : SL_OK;
    if (status || !*text)
        return status;
    for (uint32_t i = 0; choice.ops->params && choice.ops->params[i].name; i++)
        if (choice.best >> i & 1)
            return sl_fail(error, SL_UNSUPPORTED,
                           "%s: the library does not search for the best %s; use `sluice sim`, or give a value", text,
                           choice.ops->params[i].name);
    if (choice.ops->needs_counts)
        return sl_fail(error, SL_UNSUPPORTED, "%s needs a profiling run that counts lines; use `sluice sim`",
                       choice.ops->name);
    return SL_OK;
}

sl_status sl_sim_create(const sl_machine *machine, const sl_sim_setup *setup, sl_sim **sim, sl_error *error)
{
    const sl_sim_options options = {.seed = setup ? setup->seed : 1, .cold = setup && setup->cold};
    sl_status status = SL_OK;
    *sim = NULL;
    for (uint32_t i = 0; i < machine->levels && !status; i++) {
        status = check_policy(machine, machine->level[i].replacement, error);
        if (!status)
            status = check_policy(machine, machine->level[i].bypass, error);
    }
    return status ? status : sl_sim_create_with(machine, &options, sim, error);
}

sl_status sl_sim_run(sl_sim *sim, const sl_trace *trace, uint32_t launch, const uint8_t *bypass, sl_sim_result **result,
                     sl_error *error)
{
    sl_loaded *loaded = NULL;
    *result = NULL;
    if (launch >= sl_trace_launches(trace))
        return sl_fail(error, SL_NOT_FOUND, "launch %u: the trace has %u", launch, sl_trace_launches(trace));
    sl_sim_result *made = calloc(1, sizeof *made);
    sl_status status = made ? sl_loaded_create(trace, launch, NULL, &loaded, error) : sl_fail_memory(error);
    uint32_t slots = status ? 0 : sl_loaded_kernel(loaded)->mem_slots;
    sl_sim_hint *hint = bypass ? calloc(slots + 1, sizeof *hint) : NULL;
    if (!status && bypass && !hint)
        status = sl_fail_memory(error);
    for (uint32_t i = 0; hint && i < slots; i++)
        hint[i].bypass = bypass[i];
    if (!status)
        status = sl_sim_launch(sim, loaded, &(const sl_sim_plan){.hint = hint}, made, error);
    free(hint);
    sl_loaded_destroy(loaded);
    if (status)
        sl_sim_result_destroy(made);
    else
        *result = made;
    return status;
}

void sl_sim_result_destroy(sl_sim_result *result)
{
    if (result)
        sl_sim_result_fini(result);
    free(result);
}

const sl_counts *sl_sim_total(const sl_sim_result *result)
{
    return &result->counts.total;
}

const sl_counts *sl_sim_slot(const sl_sim_result *result, uint32_t slot)
{
    return &result->counts.slot[slot];
}

const sl_level_metric sl_level_metrics[SL_LEVEL_METRICS] = {
#define AT(member)                                  offsetof(sl_sim_level_result, member)
#define SL_LEVEL(field, unit, heading, description) {{#field, unit, description, ""}, heading, AT(field), false},
#define SL_LEVEL_STALL(name, reason, heading, description)                                                             \
    {{#name, "cycles", description, ""}, heading, AT(stall_cycles) + (reason) * sizeof(uint64_t), false},
#define SL_LEVEL_ENERGY(field, unit, heading, description) {{#field, unit, description, ""}, heading, AT(field), true},
#include "trace/metrics.def"
#undef AT
};

double sl_level_value(const sl_sim_level_result *level, int metric)
{
    const char *at = (const char *)level + sl_level_metrics[metric].offset;
    return sl_level_metrics[metric].real ? *(const double *)(const void *)at
                                         : (double)*(const uint64_t *)(const void *)at;
}

void sl_level_add(sl_sim_level_result *to, const sl_sim_level_result *from)
{
    for (int i = 0; i < SL_LEVEL_METRICS; i++) {
        size_t offset = sl_level_metrics[i].offset;
        if (sl_level_metrics[i].real)
            *(double *)(void *)((char *)to + offset) += *(const double *)(const void *)((const char *)from + offset);
        else
            *(uint64_t *)(void *)((char *)to + offset) +=
                *(const uint64_t *)(const void *)((const char *)from + offset);
    }
}

size_t sl_level_counter_count(void)
{
    return SL_LEVEL_METRICS;
}

const sl_counter_info *sl_level_counter_at(size_t index)
{
    return index < SL_LEVEL_METRICS ? &sl_level_metrics[index].info : NULL;
}

sl_status sl_sim_level_value(const sl_sim_result *result, uint32_t level, const char *name, double *value,
                             sl_error *error)
{
    const char *names[SL_LEVEL_METRICS];
    *value = 0;
    if (level >= SL_MAX_LEVELS)
        return sl_fail(error, SL_NOT_FOUND, "level %u: no machine has that many", level);
    for (int i = 0; i < SL_LEVEL_METRICS; i++) {
        names[i] = sl_level_metrics[i].info.name;
        if (strcmp(name, names[i]))
            continue;
        *value = sl_level_value(&result->level[level], i);
        return SL_OK;
    }
    const char *near = sl_suggest(name, names, SL_LEVEL_METRICS);
    return sl_fail(error, SL_NOT_FOUND, "a level has no count '%s'%s%s%s", name, near ? "; did you mean '" : "",
                   near ? near : "", near ? "'?" : "");
}
