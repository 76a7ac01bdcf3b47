/* SPDX-License-Identifier: MIT */
/* Collecting launches. Kernels are kept once; counters are kept only where they are known, since programs with tens of
 * thousands of launches are common. */
#include "analysis/launch_log.h"

#include <string.h>

#include "base/mangle.h"
#include "base/text.h"

sl_status sl_launch_log_create(sl_launch_log **log, sl_error *error)
{
    sl_launch_log *l = calloc(1, sizeof *l);
    if (!l)
        return sl_fail_memory(error);
    sl_arena_init(&l->arena);
    sl_map_init(&l->kernels);
    sl_map_init(&l->short_names);
    sl_map_init(&l->labels);
    *log = l;
    return SL_OK;
}

void sl_launch_log_destroy(sl_launch_log *l)
{
    if (!l)
        return;
    sl_array_free(&l->launches);
    sl_map_fini(&l->kernels);
    sl_map_fini(&l->short_names);
    sl_map_fini(&l->labels);
    sl_arena_fini(&l->arena);
    free(l);
}

size_t sl_launch_log_count(const sl_launch_log *l)
{
    return l->launches.count;
}

size_t sl_launch_log_failed(const sl_launch_log *l)
{
    size_t failed = 0;
    for (size_t i = 0; i < l->launches.count; i++)
        failed += l->launches.items[i].failed;
    return failed;
}

sl_counts sl_launch_log_sum(const sl_launch_log *l)
{
    sl_counts sum = {0};
    for (size_t i = 0; i < l->launches.count; i++) {
        const sl_counts counts = sl_unpack_counts(&l->launches.items[i].counts);
        sl_counts_merge(&sum, &counts);
    }
    return sum;
}

static bool same_kernel(const sl_logged_kernel *logged, const sl_trace_kernel *k)
{
    if (logged->insts != k->mem_slots)
        return false;
    for (uint32_t s = 0; s < k->mem_slots; s++) {
        sl_inst_name name = sl_inst_named(k, s, k->strings, k->call);
        if (!sl_inst_same(&logged->inst[s], &name))
            return false;
    }
    return true;
}

static sl_logged_kernel *copy_kernel(sl_launch_log *l, const sl_trace_kernel *k)
{
    sl_logged_kernel *logged = sl_arena_new(&l->arena, sl_logged_kernel);
    sl_inst_name *inst = sl_arena_array(&l->arena, sl_inst_name, k->mem_slots);
    char *strings = sl_arena_strndup(&l->arena, k->strings ? k->strings : "", k->strings ? k->strings_bytes : 0);
    char *symbol = sl_arena_strdup(&l->arena, k->symbol), *name = sl_arena_strdup(&l->arena, k->name);
    sl_trace_call *calls = sl_arena_array(&l->arena, sl_trace_call, k->calls + 1);
    if (!logged || !inst || !strings || !symbol || !name || !calls)
        return NULL;
    if (k->calls)
        memcpy(calls, k->call, k->calls * sizeof *calls);
    for (uint32_t s = 0; s < k->mem_slots; s++)
        inst[s] = sl_inst_named(k, s, strings, calls);
    if (!sl_insts_distinguish(inst, k->mem_slots))
        return NULL;
    *logged = (sl_logged_kernel){.symbol = symbol,
                                 .code_symbol = symbol,
                                 .name = name,
                                 .own_name = name,
                                 .short_name = name,
                                 .insts = k->mem_slots,
                                 .inst = inst,
                                 .number = l->kernel_count++,
                                 .regs_per_thread = k->regs_per_thread,
                                 .static_shared_bytes = k->static_shared_bytes,
                                 .regs_estimated = k->regs_estimated};
    return logged;
}

static bool name_fully(sl_launch_log *l, sl_logged_kernel *logged)
{
    char arguments[128];
    logged->name = sl_arena_printf(&l->arena, "%s%s", logged->short_name,
                                   sl_template_arguments(logged->symbol, arguments, sizeof arguments));
    logged->own_name = logged->name;
    return logged->name;
}

/* Kernels of one template have one short name: where there are several, with their arguments. */
static bool distinguish_insts(sl_launch_log *l, sl_logged_kernel *logged)
{
    size_t length = strlen(logged->short_name);
    sl_logged_kernel *other = sl_map_get(&l->short_names, logged->short_name, length);
    logged->same_name = other;
    if (!sl_map_put(&l->short_names, logged->short_name, length, logged))
        return false;
    while (other && !strcmp(other->symbol, logged->symbol))
        other = other->same_name;
    if (!other)
        return true;
    /* The others have their arguments already, unless all are of one symbol. */
    bool named = other->name != other->short_name;
    for (; other && !named; other = other->same_name)
        if (!name_fully(l, other))
            return false;
    return name_fully(l, logged);
}

/* The log's copy of a kernel; NULL when memory runs out. */
static const sl_logged_kernel *intern_kernel(sl_launch_log *l, const sl_trace_kernel *k)
{
    sl_logged_kernel *first = sl_map_get(&l->kernels, k->symbol, strlen(k->symbol));
    for (sl_logged_kernel *logged = first; logged; logged = logged->same_symbol)
        if (same_kernel(logged, k))
            return logged;
    sl_logged_kernel *logged = copy_kernel(l, k);
    if (!logged || !distinguish_insts(l, logged) ||
        !sl_map_put(&l->kernels, logged->symbol, strlen(logged->symbol), logged))
        return NULL;
    logged->same_symbol = first;
    return logged;
}

static bool pack(sl_launch_log *l, const sl_counts *counts, sl_packed_counts *packed)
{
    size_t known = 0, used = 0;
    for (int i = 0; i < SL_COUNTERS; i++)
        known += sl_counts_has(counts, (sl_counter)i);
    uint64_t *value = sl_arena_array(&l->arena, uint64_t, known);
    if (!value)
        return false;
    for (int i = 0; i < SL_COUNTERS; i++)
        if (sl_counts_has(counts, (sl_counter)i))
            value[used++] = counts->value[i];
    *packed = (sl_packed_counts){counts->known, value};
    return true;
}

sl_counts sl_unpack_counts(const sl_packed_counts *packed)
{
    sl_counts counts = {.known = packed->known};
    size_t used = 0;
    for (int i = 0; i < SL_COUNTERS; i++)
        if (sl_counts_has(&counts, (sl_counter)i))
            counts.value[i] = packed->value[used++];
    return counts;
}

static bool ran(const sl_counts *counts)
{
    bool any = false;
    for (int i = 0; i < SL_COUNTERS; i++)
        any |= counts->value[i] != 0;
    return any;
}

/* What a parameter points to in all launches of a kernel; "" where that changes. */
static void name_arrays(const sl_logged_kernel *kernel, const sl_array_footprint *array)
{
    if (!*array->allocation || strncmp(array->name, "param", 5) != 0)
        return;
    for (uint32_t i = 0; i < kernel->insts; i++) {
        sl_inst_name *inst = &kernel->inst[i];
        if (strcmp(inst->array, array->name) != 0)
            continue;
        bool same = !inst->allocation ||
                    (!strcmp(inst->allocation, array->allocation) && inst->allocation_bytes == array->allocation_bytes);
        inst->allocation = same ? array->allocation : "";
        inst->allocation_bytes = array->allocation_bytes;
    }
}

static bool add_loads(sl_launch_log *l, const sl_launch_counts *counts, sl_logged_launch *launch)
{
    sl_logged_load *load = sl_arena_array(&l->arena, sl_logged_load, counts->slots);
    sl_array_footprint *array = sl_arena_array(&l->arena, sl_array_footprint, counts->arrays);
    if (!load || !array)
        return false;
    for (uint32_t s = 0; s < counts->slots; s++) {
        if (!ran(&counts->slot[s]))
            continue;
        load[launch->loads].inst = s;
        if (!pack(l, &counts->slot[s], &load[launch->loads++].counts))
            return false;
    }
    for (size_t i = 0; i < counts->arrays; i++) {
        array[i] = counts->array[i];
        const char *allocation = counts->array[i].allocation;
        array[i].name = sl_arena_strdup(&l->arena, counts->array[i].name);
        array[i].allocation = sl_arena_strdup(&l->arena, allocation ? allocation : "");
        if (!array[i].name || !array[i].allocation)
            return false;
        name_arrays(launch->kernel, &array[i]);
    }
    launch->load = load;
    launch->arrays = counts->arrays;
    launch->array = array;
    return true;
}

/* The log's copy of a label, one for all launches that have it. False when memory runs out. */
static bool keep_label(sl_launch_log *l, const char *text, const char **kept)
{
    size_t length = text ? strlen(text) : 0;
    if (!length)
        return true;
    *kept = sl_map_get(&l->labels, text, length);
    if (*kept)
        return true;
    char *copy = sl_arena_strndup(&l->arena, text, length);
    *kept = copy;
    return copy && sl_map_put(&l->labels, copy, length, copy);
}

sl_status sl_launch_log_add(sl_launch_log *l, const sl_launch_result *result, sl_error *error)
{
    const sl_trace_launch *from = result->launch;
    sl_logged_launch launch = {.index = result->index,
                               .kernel = intern_kernel(l, result->kernel),
                               .lanes = from->lanes,
                               .dynamic_shared_bytes = from->dynamic_shared_bytes,
                               .has_preferred_shared = from->has_preferred_shared,
                               .preferred_shared = from->preferred_shared,
                               .blocks = sl_launch_blocks(from),
                               .blocks_recorded = from->blocks_recorded,
                               .trace_bytes = result->trace_bytes,
                               .has_parent = from->has_parent,
                               .parent = from->parent,
                               .repeats = from->repeats,
                               .original = from->original,
                               .failed = from->failed,
                               .failure = sl_arena_strdup(&l->arena, from->failure ? from->failure : "")};
    memcpy(launch.grid, from->grid, sizeof launch.grid);
    memcpy(launch.block, from->block, sizeof launch.block);
    /* Counters of a failed launch are incomplete, and are not shown. */
    const sl_launch_counts *counted = from->failed ? NULL : result->counts;
    sl_counts counts = {0};
    if (counted) {
        counts = counted->total;
    } else if (result->stats && !from->failed) {
        sl_counts_add(&counts, SL_COUNTER_warp_insts, result->stats->warp_insts);
        sl_counts_add(&counts, SL_COUNTER_thread_insts, result->stats->thread_insts);
    }
    if (!result->counts)
        launch.blocks_recorded = launch.blocks; /* nothing was left out of what is shown */
    bool kept = true;
    for (int i = 0; i < SL_LABELS; i++)
        kept = kept && keep_label(l, from->label[i], &launch.label[i]);
    if (!kept || !launch.kernel || !launch.failure || !pack(l, &counts, &launch.counts) ||
        (counted && !add_loads(l, counted, &launch)) || !sl_array_push(&l->launches, launch))
        return sl_fail_memory(error);
    l->repeated += from->repeats;
    return SL_OK;
}

sl_status sl_launch_log_done(void *log, const sl_launch_result *result, sl_error *error)
{
    return sl_launch_log_add(log, result, error);
}

/* ---- groups ---- */

const char *const sl_label_names[SL_LABELS + 1] = {
    [SL_LABEL_RANGE] = "range", [SL_LABEL_CALLER] = "caller", [SL_LABEL_MARK] = "mark"};
const char *const sl_label_none[SL_LABELS] = {
    [SL_LABEL_RANGE] = "(no range)", [SL_LABEL_CALLER] = "(no caller)", [SL_LABEL_MARK] = "(no mark)"};

char *sl_label_text(sl_label kind, const char *label, char *buffer, size_t size)
{
    snprintf(buffer, size, "%s", label ? label : sl_label_none[kind]);
    for (char *c = buffer; (c = strchr(c, '\n'));)
        *c = '/';
    return buffer;
}

/* Calls that all launches have in common, as from main to an engine's loop, say nothing of any of them: labels begin
 * behind those. */
static void skip_shared_callers(sl_launch_log *l)
{
    const char *first = NULL;
    size_t shared = 0; /* bytes of the first label, up to the end of a part, that all others begin with */
    for (size_t i = 0; i < l->launches.count; i++) {
        const char *label = l->launches.items[i].label[SL_LABEL_CALLER], *end;
        if (!label)
            return;
        if (!first) {
            first = label;
            end = strrchr(label, '\n');
            shared = end ? (size_t)(end - label) + 1 : 0;
        }
        size_t same = 0, parts = 0;
        for (; same < shared && label[same] == first[same]; same++)
            parts = label[same] == '\n' ? same + 1 : parts;
        shared = parts;
    }
    for (size_t i = 0; i < l->launches.count; i++)
        l->launches.items[i].label[SL_LABEL_CALLER] += shared;
}

/* A copy of a kernel for the launches of a group; arrays are named by what these launches pass. */
static sl_logged_kernel *split_kernel(sl_launch_log *l, const sl_logged_kernel *kernel, const char *group)
{
    sl_logged_kernel *split = sl_arena_new(&l->arena, sl_logged_kernel);
    sl_inst_name *inst = sl_arena_array(&l->arena, sl_inst_name, kernel->insts + 1);
    if (!split || !inst)
        return NULL;
    *split = *kernel;
    split->symbol = sl_arena_printf(&l->arena, "%s: %s", group, kernel->symbol);
    split->name = sl_arena_printf(&l->arena, "%s: %s", group, kernel->own_name);
    split->inst = inst;
    split->number = l->kernel_count++;
    split->same_symbol = split->same_name = NULL;
    for (uint32_t i = 0; i < kernel->insts; i++) {
        inst[i] = kernel->inst[i];
        if (!strncmp(inst[i].array, "param", 5))
            inst[i].allocation = NULL;
    }
    return split->symbol && split->name ? split : NULL;
}

sl_status sl_launch_log_group(sl_launch_log *l, sl_label by, sl_error *error)
{
    if (!l || l->grouped)
        return SL_OK;
    sl_map split;
    bool good = true;
    sl_map_init(&split);
    l->grouped = true;
    l->by = by;
    l->kernel_count = 0;
    if (by == SL_LABEL_CALLER)
        skip_shared_callers(l);
    for (size_t i = 0; i < l->launches.count && good; i++) {
        sl_logged_launch *launch = &l->launches.items[i];
        char group[SL_LABEL_BYTES];
        sl_label_text(by, launch->label[by], group, sizeof group);
        char *key = sl_arena_printf(&l->arena, "%u %s", launch->kernel->number, group);
        sl_logged_kernel *kernel = key ? sl_map_get(&split, key, strlen(key)) : NULL;
        if (key && !kernel) {
            kernel = split_kernel(l, launch->kernel, group);
            good = kernel && sl_map_put(&split, key, strlen(key), kernel);
        }
        good = good && key;
        if (good)
            launch->kernel = kernel;
        for (size_t k = 0; good && k < launch->arrays; k++)
            name_arrays(kernel, &launch->array[k]);
    }
    sl_map_fini(&split);
    return good ? SL_OK : sl_fail_memory(error);
}

/* ---- launches that were not analyzed ---- */

static int by_index(const void *a, const void *b)
{
    const sl_logged_launch *x = a, *y = b;
    return (x->index > y->index) - (x->index < y->index);
}

/* Counts of a launch of another kernel have other memory instructions: only sums are taken over. */
static void copy_counts(sl_logged_launch *to, const sl_logged_launch *from)
{
    bool same = to->kernel == from->kernel;
    to->stood_for = true;
    to->stand_in = from->index;
    if (to->failed)
        return;
    to->counts = from->counts;
    to->loads = same ? from->loads : 0;
    to->load = from->load;
    to->arrays = same ? from->arrays : 0;
    to->array = from->array;
}

sl_status sl_launch_log_expand(sl_launch_log *l, const sl_trace *trace, const uint32_t *launch, uint32_t launches,
                               const uint32_t *stand_in, sl_error *error)
{
    size_t known = l->launches.count, next = 0;
    sl_logged_launch *all = calloc(launches + 1u, sizeof *all);
    uint32_t *at = calloc(launches + 1u, sizeof *at); /* of launches of the trace in those that are known */
    sl_status status = all && at ? SL_OK : sl_fail_memory(error);
    if (known)
        qsort(l->launches.items, known, sizeof *l->launches.items, by_index);
    for (uint32_t n = 0; n < launches && !status; n++)
        at[n] = stand_in[n] == n && next < known ? (uint32_t)next++ : UINT32_MAX;
    for (uint32_t n = 0; n < launches && !status; n++) {
        const sl_trace_launch *facts = sl_trace_launch_at(trace, launch[n]);
        if (at[n] != UINT32_MAX) {
            all[n] = l->launches.items[at[n]];
            continue;
        }
        status = sl_launch_log_add(l,
                                   &(sl_launch_result){.index = facts->index,
                                                       .kernel = sl_trace_kernel_at(trace, facts->kernel),
                                                       .launch = facts},
                                   error);
        if (status)
            break;
        all[n] = l->launches.items[--l->launches.count];
        if (stand_in[n] != UINT32_MAX && at[stand_in[n]] != UINT32_MAX)
            copy_counts(&all[n], &l->launches.items[at[stand_in[n]]]);
    }
    if (!status) {
        l->launches.count = 0;
        for (uint32_t n = 0; n < launches && !status; n++)
            status = sl_array_push(&l->launches, all[n]) ? SL_OK : sl_fail_memory(error);
    }
    free(all);
    free(at);
    return status;
}
