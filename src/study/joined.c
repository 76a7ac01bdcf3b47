/* SPDX-License-Identifier: MIT */
/* Joins what was counted, modeled and profiled. Kernels are the same when their symbols and their memory
 * instructions are. Where the model and the trace both know a counter the model's is taken: its sectors are those of
 * the machine. */
#include "study/joined.h"

#include <string.h>

#include "analysis/launch_log.h"
#include "base/index.h"
#include "base/map.h"

/* ---- kernels ---- */

static bool same_kernel(const sl_joined_kernel *k, uint32_t insts, const sl_inst_name *inst)
{
    if (k->loads != insts)
        return false;
    for (uint32_t i = 0; i < insts; i++)
        if (!sl_inst_same(&k->load[i].inst, &inst[i]))
            return false;
    return true;
}

/* Index of the kernel in the joined, which is added where it is missing; SIZE_MAX when memory runs out. */
static size_t kernel_at(sl_joined *joined, const sl_logged_kernel *like, uint32_t insts, const sl_inst_name *inst)
{
    sl_multimap_for(&joined->symbols, like->symbol, i)
    {
        if (same_kernel(&joined->kernels.items[i], insts, inst))
            return i;
    }
    sl_joined_kernel k = {.symbol = like->symbol, .code_symbol = like->code_symbol, .name = like->name, .loads = insts};
    k.load = sl_arena_array(&joined->arena, sl_joined_load, insts);
    if (!k.load || !sl_multimap_add(&joined->symbols, like->symbol) || !sl_array_push(&joined->kernels, k))
        return SIZE_MAX;
    for (uint32_t i = 0; i < insts; i++)
        k.load[i].inst = inst[i];
    return joined->kernels.count - 1;
}

/* ---- logs ---- */

/* Adds what `from` knows but for the counters of `except`. */
static void add_known(sl_counts *to, sl_counts from, const sl_counter_set *except)
{
    for (int i = 0; i < SL_COUNTERS; i++)
        if (sl_counter_set_has(except, (sl_counter)i))
            from.value[i] = 0;
    for (int i = 0; i < SL_COUNTER_WORDS; i++)
        from.known.word[i] &= ~except->word[i];
    sl_counts_merge(to, &from);
}

/* All logs have the same launches in the same order: `number` is the position in its log. */
static sl_joined_launch *launch_at(sl_joined *joined, const sl_logged_launch *l, size_t number, size_t kernel)
{
    if (number < joined->launches.count)
        return &joined->launches.items[number];
    sl_joined_launch launch = {
        .index = l->index, .kernel = kernel, .failed = l->failed, .failure = l->failure, .launches = 1};
    memcpy(launch.grid, l->grid, sizeof launch.grid);
    memcpy(launch.block, l->block, sizeof launch.block);
    if (!sl_array_push(&joined->launches, launch))
        return NULL;
    joined->kernels.items[kernel].launches++;
    return &joined->launches.items[joined->launches.count - 1];
}

static bool add_logged(sl_joined *joined, const sl_logged_launch *l, size_t number, size_t kernel,
                       const sl_counter_set *except)
{
    sl_counts counts = sl_unpack_counts(&l->counts);
    sl_joined_kernel *k = &joined->kernels.items[kernel];
    sl_joined_launch *launch = launch_at(joined, l, number, kernel);
    if (!launch)
        return false;
    add_known(&launch->counts, counts, except);
    add_known(&k->counts, counts, except);
    add_known(&joined->counts, counts, except);
    for (uint32_t i = 0; i < l->loads; i++) {
        counts = sl_unpack_counts(&l->load[i].counts);
        add_known(&k->load[l->load[i].inst].counts, counts, except);
    }
    return true;
}

/* Counters of `except` come from another analysis. */
static bool add_log(sl_joined *joined, const sl_launch_log *log, const sl_counter_set *except)
{
    size_t *location = sl_arena_array(&joined->arena, size_t, log->kernel_count + 1);
    for (size_t i = 0; location && i < log->launches.count; i++) {
        const sl_logged_launch *l = &log->launches.items[i];
        const sl_logged_kernel *k = l->kernel;
        if (!location[k->number])
            location[k->number] = kernel_at(joined, k, k->insts, k->inst) + 1;
        if (!location[k->number] || !add_logged(joined, l, i, location[k->number] - 1, except))
            return false;
    }
    return location;
}

static sl_counter_set known_by(const sl_launch_log *log)
{
    sl_counter_set known = {0};
    for (size_t i = 0; log && i < log->launches.count; i++)
        sl_counter_set_join(&known, &log->launches.items[i].counts.known);
    return known;
}

/* The estimated time alone. */
static bool add_estimates(sl_joined *joined, const sl_launch_log *log)
{
    static const sl_counter estimates[] = {SL_COUNTER_est_cycles, SL_COUNTER_est_ns, SL_COUNTER_est_limit};
    sl_counter_set except;
    memset(&except, 0xff, sizeof except);
    for (size_t i = 0; i < sizeof estimates / sizeof *estimates; i++)
        except.word[estimates[i] / 64] &= ~(1ull << estimates[i] % 64);
    return add_log(joined, log, &except);
}

/* ---- profiles ---- */

static bool add_profile(sl_joined *joined, const sl_profile_sum *sum)
{
    const sl_trace_kernel *kernel = sum->kernel;
    sl_inst_name *inst = sl_arena_array(&joined->arena, sl_inst_name, kernel->mem_slots);
    for (uint32_t s = 0; inst && s < kernel->mem_slots; s++)
        inst[s] = sl_inst_named(kernel, s, kernel->strings, kernel->call);
    if (inst && !sl_insts_distinguish(inst, kernel->mem_slots))
        return false;
    const sl_logged_kernel like = {.symbol = kernel->symbol, .code_symbol = kernel->symbol, .name = kernel->name};
    size_t at = inst ? kernel_at(joined, &like, kernel->mem_slots, inst) : SIZE_MAX;
    if (at == SIZE_MAX)
        return false;
    sl_joined_kernel *k = &joined->kernels.items[at];
    k->reuse = sum;
    if (!k->launches)
        k->launches = sum->launches;
    for (uint32_t i = 0; i < sum->loads; i++)
        k->load[sum->load[i].slot].reuse = &sum->load[i].counts;
    return true;
}

/* ---- plans ---- */

/* What to look up: plans by function, loads of a kernel by address. */
typedef struct plan_names {
    sl_multimap kernels, loads;
} plan_names;

static bool name_plan(const sl_plan *plan, plan_names *names)
{
    bool good = true;
    for (uint32_t i = 0; i < plan->kernels && good; i++)
        good = sl_multimap_add(&names->kernels, plan->kernel[i].function);
    for (uint32_t i = 0; i < plan->loads && good; i++)
        good = sl_multimap_add(&names->loads, plan->load[i].function);
    return good;
}

static uint64_t pc_key(const void *loads, uint32_t load)
{
    return ((const sl_joined_load *)loads)[load].inst.pc;
}

static bool add_plan(sl_joined_kernel *k, const sl_plan *plan, const plan_names *names)
{
    sl_index pcs = {0};
    bool good = true;
    sl_multimap_for(&names->kernels, k->code_symbol, i) k->planned = &plan->kernel[i];
    for (uint32_t n = 0; n < k->loads && good; n++)
        good = sl_index_add(&pcs, k->load[n].inst.pc, n, pc_key, k->load);
    sl_multimap_for(&names->loads, k->code_symbol, l)
    {
        sl_index_for(&pcs, plan->load[l].inst, at)
        {
            sl_joined_load *load = &k->load[sl_index_item(&pcs, at)];
            if (load->inst.pc == plan->load[l].inst)
                load->planned = &plan->load[l];
        }
    }
    sl_index_fini(&pcs);
    return good;
}

static bool add_plans(sl_joined *joined, const sl_plan *plan)
{
    plan_names names = {0};
    bool good = name_plan(plan, &names);
    for (size_t i = 0; i < joined->kernels.count && good; i++)
        good = add_plan(&joined->kernels.items[i], plan, &names);
    sl_multimap_fini(&names.kernels);
    sl_multimap_fini(&names.loads);
    return good;
}

/* ---- launches of one shape ---- */

static uint64_t shape_key(const void *launches, uint32_t launch)
{
    const sl_joined_launch *l = (const sl_joined_launch *)launches + launch;
    uint64_t key = l->kernel * 2 + l->failed;
    for (int i = 0; i < 3; i++)
        key = sl_hash_mix(key) ^ ((uint64_t)l->grid[i] << 32 | l->block[i]);
    return key;
}

static bool same_shape(const sl_joined_launch *a, const sl_joined_launch *b)
{
    return a->kernel == b->kernel && a->failed == b->failed && !memcmp(a->grid, b->grid, sizeof a->grid) &&
           !memcmp(a->block, b->block, sizeof a->block);
}

/* The launches of that shape; NULL: there are none yet. */
static sl_joined_launch *find_shape(const sl_joined_launches *shapes, const sl_index *index, const sl_joined_launch *l)
{
    sl_index_for(index, shape_key(l, 0), at)
    {
        sl_joined_launch *shape = &shapes->items[sl_index_item(index, at)];
        if (same_shape(shape, l))
            return shape;
    }
    return NULL;
}

bool sl_joined_shapes(const sl_joined *joined, sl_joined_launches *shapes)
{
    sl_index index = {0};
    bool good = true;
    *shapes = (sl_joined_launches){0};
    for (size_t i = 0; i < joined->launches.count && good; i++) {
        const sl_joined_launch *l = &joined->launches.items[i];
        sl_joined_launch *shape = find_shape(shapes, &index, l);
        if (shape) {
            shape->launches++;
            sl_counts_merge(&shape->counts, &l->counts);
        } else {
            good = sl_array_push(shapes, *l) &&
                   sl_index_add(&index, shape_key(l, 0), (uint32_t)shapes->count - 1, shape_key, shapes->items);
        }
    }
    sl_index_fini(&index);
    return good;
}

sl_counts sl_joined_rest(const sl_joined_kernel *k)
{
    sl_counts rest = k->counts, loads = {0};
    for (uint32_t i = 0; i < k->loads; i++)
        sl_counts_merge(&loads, &k->load[i].counts);
    for (int i = 0; i < SL_COUNTERS; i++)
        rest.value[i] -= loads.value[i] < rest.value[i] ? loads.value[i] : rest.value[i];
    return rest;
}

/* ---- all together ---- */

/* Whether anything was accessed. */
static bool has_run(const sl_joined_load *load)
{
    return load->reuse || sl_counter_set_any(&load->counts.known);
}

static void drop_idle_loads(sl_joined_kernel *k)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < k->loads; i++)
        if (has_run(&k->load[i]))
            k->load[kept++] = k->load[i];
    k->loads = kept;
}

static bool join(sl_joined *joined)
{
    const sl_joined_input *in = &joined->of;
    const sl_counter_set none = {0}, modeled = known_by(in->modeled);
    if (in->counted && !add_log(joined, in->counted, &modeled))
        return false;
    if (in->modeled && !add_log(joined, in->modeled, &none))
        return false;
    if (in->estimated && !add_estimates(joined, in->estimated))
        return false;
    /* Profiles are of kernels, not of groups. */
    for (size_t i = 0; in->profile && !sl_joined_groups(joined) && i < in->profile->sums.kernels; i++)
        if (!add_profile(joined, &in->profile->sums.kernel[i]))
            return false;
    for (size_t i = 0; i < joined->kernels.count; i++)
        drop_idle_loads(&joined->kernels.items[i]);
    return !in->plan || add_plans(joined, in->plan);
}

sl_status sl_joined_init(sl_joined *joined, const sl_joined_input *input, sl_error *error)
{
    *joined = (sl_joined){.of = *input};
    sl_arena_init(&joined->arena);
    return join(joined) ? SL_OK : sl_fail_memory(error);
}

void sl_joined_fini(sl_joined *joined)
{
    sl_array_free(&joined->kernels);
    sl_multimap_fini(&joined->symbols);
    sl_array_free(&joined->launches);
    sl_arena_fini(&joined->arena);
}
