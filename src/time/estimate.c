/* SPDX-License-Identifier: MIT */
#include "time/estimate.h"

#include <math.h>
#include <string.h>

#include "trace/counters.h"

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* ---- the busiest core ---- */

/* Where not all was simulated: cycles of the rest, if all warps go on together at the pace of the second half of the
 * sample, and of the longest warp by its own pace there. */
typedef struct rest {
    double together, longest;
    double pace, left; /* of the longest warp: cycles per instruction, and instructions */
} rest;

static rest rest_of(const sl_time_facts *f)
{
    const sl_core_sample *s = &f->sample;
    double cycles = (double)(s->whole.cycles - s->start.cycles), insts = (double)(s->whole.insts - s->start.insts);
    rest r = {.together = ((double)f->insts - (double)s->whole.insts) * cycles / insts};
    if (f->longest_warp > s->warp_insts && s->warp_insts > s->start_warp_insts) {
        r.pace = cycles / (double)(s->warp_insts - s->start_warp_insts);
        r.left = (double)(f->longest_warp - s->warp_insts);
        r.longest = r.left * r.pace;
    }
    return r;
}

/* The longest warp goes on with the others as long as these have something to do, then at its own pace. */
static double core_cycles(const sl_time_facts *f)
{
    const sl_core_sample *s = &f->sample;
    double cycles = (double)s->whole.cycles, done = (double)s->whole.insts;
    if (done <= 0 || done >= (double)f->insts)
        return cycles;
    if (s->start.insts >= s->whole.insts || s->start.cycles >= s->whole.cycles)
        return cycles * (double)f->insts / done;
    rest r = rest_of(f);
    if (r.longest <= r.together)
        return cycles + r.together;
    double pace = s->lone_pace > 0 && s->lone_pace < r.pace ? s->lone_pace : r.pace;
    return cycles + r.together + (r.left - r.together / r.pace) * pace;
}

/* ---- what cores share ---- */

static double l2_cycles(const sl_machine *m, const sl_time_facts *f)
{
    uint32_t last = m->levels - 1;
    uint32_t banks = m->level[last].banks ? m->level[last].banks : 1;
    return (double)(f->l2_read_sectors + f->l2_write_sectors + f->atomic_sectors) / banks;
}

static double dram_cycles(const sl_machine *m, const sl_time_facts *f)
{
    double bytes = (double)(f->dram_read_sectors + f->dram_write_sectors) * m->level[m->levels - 1].sector_bytes;
    return m->memory.bytes_per_cycle ? bytes / m->memory.bytes_per_cycle : 0;
}

/* The slice with most, and the sector. A machine that does not say it takes a pass per cycle. */
static double atomic_cycles(const sl_machine *m, const sl_time_facts *f)
{
    const sl_level *last = &m->level[m->levels - 1];
    uint32_t rate = last->atomic_rate ? last->atomic_rate : 1000;
    uint32_t float_rate = last->atomic_float_rate ? last->atomic_float_rate : rate;
    return larger((double)f->atomics.passes * 1000 / rate, (double)f->atomics.float_passes * 1000 / float_rate);
}

static double start_cycles(const sl_machine *m, const sl_time_facts *f)
{
    return m->core.block_rate ? (double)f->blocks * 1000 / m->core.block_rate : 0;
}

/* Cycles in which a core receives what it fetches. */
static double fill_cycles(const sl_machine *m, uint64_t sectors)
{
    const sl_level *below = &m->level[1];
    uint32_t rate = below->receive_bytes ? below->receive_bytes : below->network_bytes;
    return m->levels > 1 && rate ? (double)sectors * m->level[0].sector_bytes / rate : 0;
}

/* ---- ideals ---- */

static double at_most(double a, double b)
{
    return a < b ? a : b;
}

/* The busiest core, if all had as much to do. */
static double even_core(const sl_machine *m, const sl_time_facts *f, double core)
{
    return f->insts ? core * at_most(1, (double)f->all_insts / m->cores / (double)f->insts) : core;
}

/* The least that a core takes for its share, however many warps it has: issue, requests to the first level, and what
 * that fetches. */
static double min_core(const sl_machine *m, const sl_time_facts *f)
{
    double schedulers = m->core.schedulers ? m->core.schedulers : 1, banks = m->level[0].banks ? m->level[0].banks : 1;
    double least = larger((double)f->all_insts / schedulers, (double)f->all_load_lines / banks);
    return larger(least, fill_cycles(m, f->all_fill_sectors)) / m->cores;
}

/* As many warps as fit hide more of what schedulers wait for memory and barriers, and of what they have no warp for;
 * results of arithmetic and shared memory, and a full load/store unit, take as long as before. */
static double full_core(const sl_machine *m, const sl_time_facts *f, double even)
{
    const uint64_t *cycles = f->sample.whole.scheduler_cycles;
    double all = 0, warps = m->core.warps ? at_most(1, (double)f->resident_warps / m->core.warps) : 1;
    for (int i = 0; i < SL_CYCLES; i++)
        all += (double)cycles[i];
    double hidden = (double)(cycles[SL_CYCLE_DATA] + cycles[SL_CYCLE_BARRIER] + cycles[SL_CYCLE_IDLE]);
    double share = all > 0 ? hidden / all : 1;
    return at_most(even, larger(even * (1 - share + share * warps), min_core(m, f)));
}

/* The share of its cycles in which a core issues instructions for indices: three of four of them fewer. */
enum { FEWER = 3, OF = 4 };
static double wide_core(const sl_machine *m, const sl_time_facts *f, double core, double index_share)
{
    const uint64_t *cycles = f->sample.whole.scheduler_cycles;
    double all = 0;
    for (int i = 0; i < SL_CYCLES; i++)
        all += (double)cycles[i];
    double saved = all > 0 ? (double)cycles[SL_CYCLE_ISSUE] / all * index_share * FEWER / OF : 0;
    return at_most(core, larger(core * (1 - saved), fill_cycles(m, f->fill_sectors)));
}

static void add_ideals(const sl_machine *m, const sl_time_facts *f, double shared, sl_time_estimate *e)
{
    double even = even_core(m, f, e->core), full = full_core(m, f, even), launch = (double)f->launch_cycles;
    double issued = (double)f->sample.whole.scheduler_cycles[SL_CYCLE_ISSUE];
    e->index_share = issued > 0 ? (double)f->sample.whole.index_insts / issued : 0;
    double wide = wide_core(m, f, e->core, e->index_share);
    e->ideal_cycles[SL_TIME_WIDE] = (uint64_t)(launch + hypot(wide, shared) + 0.5);
    e->ideal_cycles[SL_TIME_EVEN] = (uint64_t)(launch + hypot(even, shared) + 0.5);
    e->ideal_cycles[SL_TIME_FULL] = (uint64_t)(launch + hypot(full, shared) + 0.5);
    e->ideal_cycles[SL_TIME_BEHIND] = (uint64_t)(hypot(e->core, shared) + 0.5);
}

/* ---- the limit ---- */

/* What the schedulers of the sampled core did most, and whether one of its parts was busy most of the time. */
static sl_time_limit limit_of_core(const sl_machine *m, const sl_time_facts *f, double core)
{
    const uint64_t *cycles = f->sample.whole.scheduler_cycles;
    double schedulers = m->core.schedulers;
    if (f->cores && (double)f->all_insts * 2 < (double)f->insts * m->cores)
        return SL_TIME_IMBALANCE;
    if (schedulers > 0 && (double)f->insts > core * schedulers / 2)
        return SL_TIME_ISSUE;
    if ((double)f->load_lines > core / 2)
        return SL_TIME_L1;
    if (fill_cycles(m, f->fill_sectors) > core / 2)
        return SL_TIME_FILLS;
    static const sl_time_limit limit[SL_CYCLES] = {SL_TIME_ISSUE,   SL_TIME_L1,       SL_TIME_UNITS,
                                                   SL_TIME_LATENCY, SL_TIME_BARRIERS, SL_TIME_LATENCY};
    int most = 0;
    for (int i = 1; i < SL_CYCLE_IDLE; i++)
        most = cycles[i] > cycles[most] ? i : most;
    return limit[most];
}

sl_time_estimate sl_time_of(const sl_machine *m, const sl_time_facts *f)
{
    sl_time_estimate e = {.core = core_cycles(f),
                          .l2 = l2_cycles(m, f),
                          .dram = dram_cycles(m, f),
                          .atomics = atomic_cycles(m, f),
                          .starts = start_cycles(m, f)};
    double shared = larger(larger(e.l2, e.dram), larger(e.atomics, e.starts)), launch = (double)f->launch_cycles;
    e.cycles = (uint64_t)(launch + hypot(e.core, shared) + 0.5);
    add_ideals(m, f, shared, &e);
    if (launch > e.core && launch > shared)
        e.limit = SL_TIME_LAUNCH;
    else if (e.core >= shared)
        e.limit = limit_of_core(m, f, e.core);
    else
        e.limit = shared <= e.l2        ? SL_TIME_L2
                  : shared <= e.dram    ? SL_TIME_DRAM
                  : shared <= e.atomics ? SL_TIME_ATOMICS
                                        : SL_TIME_STARTS;
    return e;
}

/* ---- a launch ---- */

static uint32_t busiest_core(const sl_model_result *result)
{
    uint32_t most = 0;
    for (uint32_t c = 1; c < result->cores; c++)
        most = result->work[c].insts > result->work[most].insts ? c : most;
    return most;
}

static sl_time_facts facts_of(const sl_machine *machine, const sl_loaded *loaded, const sl_model_result *result,
                              uint32_t core)
{
    const uint64_t *value = result->counts.total.value;
    sl_time_facts f = {.launch_cycles = machine->core.launch_cycles + machine->core.block_cycles,
                       .insts = result->work[core].insts,
                       .longest_warp = result->work[core].longest_warp,
                       .blocks = sl_loaded_blocks(loaded),
                       .l2_read_sectors = value[SL_COUNTER_l2_read_sectors],
                       .l2_write_sectors = value[SL_COUNTER_l2_write_sectors],
                       .atomics = result->atomics,
                       .dram_read_sectors = value[SL_COUNTER_dram_read_sectors],
                       .dram_write_sectors = value[SL_COUNTER_dram_write_sectors],
                       .load_lines = result->work[core].load_lines,
                       .fill_sectors = result->work[core].fill_sectors};
    size_t blocks = result->first_block[core + 1] - result->first_block[core];
    uint32_t resident = blocks < result->resident_blocks ? (uint32_t)blocks : result->resident_blocks;
    f.resident_warps = resident * sl_launch_warps(sl_loaded_launch(loaded));
    for (uint32_t c = 0; c < result->cores; c++) {
        f.cores += result->work[c].insts != 0;
        f.all_insts += result->work[c].insts;
        f.all_load_lines += result->work[c].load_lines;
        f.all_fill_sectors += result->work[c].fill_sectors;
        f.atomic_sectors += result->work[c].atomic_sectors;
    }
    return f;
}

/* What simulating costs: instructions, and requests of memory instructions for lines. */
static uint64_t cost_of(const sl_warps_work *work)
{
    return work->insts + work->load_lines + work->store_lines + work->atomic_lines;
}

/* Of the busiest core, the first blocks, as many as it holds three times over, and so many instructions of their warps
 * that simulating them takes a small part of the time of the model; and of its longest warp alone a quarter as many.
 */
enum { ROUNDS = 3, SHARE = 64, MIN_COST = 16384, LONE_SHARE = 4 };

/* Whether the sample finds its lines in the levels below: nine of ten are there. Where fewer are, warps wait for the
 * others nearly as long as if none were. */
static bool is_warm(const sl_model_result *result)
{
    return result->kept_sectors > result->filled_sectors * 9;
}

/* The launch, and what the model says of it. */
typedef struct modeled {
    const sl_loaded *loaded;
    const sl_model_result *result;
    uint32_t core; /* the busiest */
    uint64_t cost; /* of all cores */
    bool warm;     /* launches before left most of what it would read from memory */
} modeled;

/* The pace of the longest warp, alone: that of the second half of so many instructions. */
static sl_status sample_longest(sl_sampler *sampler, const modeled *m, uint64_t insts, sl_core_sample *made,
                                sl_error *error)
{
    const sl_warps_work *work = &m->result->work[m->core];
    uint32_t block = (uint32_t)work->longest_block;
    insts = insts < work->longest_warp ? insts : work->longest_warp;
    sl_sample whole, start;
    sl_sampled sampled = {.loaded = m->loaded,
                          .part = {.block = &block,
                                   .blocks = 1,
                                   .warp_insts = insts,
                                   .lone = true,
                                   .warp = (uint32_t)work->longest_index},
                          .warm = m->warm};
    sl_status status = sl_sampler_run(sampler, &sampled, &whole, error);
    sampled.part.warp_insts = insts / 2;
    if (!status)
        status = sl_sampler_run(sampler, &sampled, &start, error);
    if (!status && whole.cycles > start.cycles && whole.insts > start.insts)
        made->lone_pace = (double)(whole.cycles - start.cycles) / (double)(whole.insts - start.insts);
    return status;
}

/* What a sample of the launch may cost. */
static uint64_t affordable_of(const modeled *m)
{
    return m->cost / SHARE > MIN_COST ? m->cost / SHARE : MIN_COST;
}

static sl_status sample_core(sl_sampler *sampler, const modeled *m, sl_core_sample *made, sl_error *error)
{
    const sl_warps_work *work = &m->result->work[m->core];
    const size_t *first = &m->result->first_block[m->core];
    size_t blocks = first[1] - first[0], most = (size_t)m->result->resident_blocks * ROUNDS;
    uint64_t warps = sl_launch_warps(sl_loaded_launch(m->loaded)), cost = cost_of(work), insts = work->insts;
    uint64_t affordable = affordable_of(m);
    bool whole = affordable >= cost;
    uint64_t part = whole ? insts : (uint64_t)((double)affordable * (double)insts / (double)cost);
    blocks = blocks < most ? blocks : most;
    sl_sampled sampled = {.loaded = m->loaded,
                          .part = {.block = &m->result->block[first[0]],
                                   .blocks = blocks,
                                   .warp_insts = whole ? UINT64_MAX : part / (blocks * warps) + 2},
                          .warm = m->warm};
    *made = (sl_core_sample){.warp_insts = sampled.part.warp_insts};
    sl_status status = sl_sampler_run(sampler, &sampled, &made->whole, error);
    if (status || made->whole.insts >= insts)
        return status;
    made->start_warp_insts = sampled.part.warp_insts = sampled.part.warp_insts / 2;
    status = sl_sampler_run(sampler, &sampled, &made->start, error);
    if (status || made->start.insts >= made->whole.insts || made->start.cycles >= made->whole.cycles)
        return status;
    const sl_time_facts f = {.sample = *made, .insts = insts, .longest_warp = work->longest_warp};
    rest r = rest_of(&f);
    return r.longest > r.together ? sample_longest(sampler, m, part / LONE_SHARE, made, error) : SL_OK;
}

/* The sample of the busiest core; of launches that are alike, that of the first. */
static sl_status find_sample(sl_sampler *sampler, const modeled *m, sl_core_sample *sample, sl_error *error)
{
    const sl_trace_launch *launch = sl_loaded_launch(m->loaded);
    sl_sampled_like like;
    bool known;
    memset(&like, 0, sizeof like); /* its padding, too */
    like.work = m->result->work[m->core];
    like.blocks = m->result->first_block[m->core + 1] - m->result->first_block[m->core];
    if (affordable_of(m) >= cost_of(&like.work)) {
        like.work.longest_block = 0; /* nothing is left for the longest warp, and how much others do is the same */
    } else {
        like.cost = m->cost;
        memcpy(like.grid, launch->grid, sizeof like.grid);
    }
    like.kernel = launch->kernel;
    like.resident_blocks = m->result->resident_blocks;
    like.warm = m->warm;
    memcpy(like.block, launch->block, sizeof like.block);
    sl_core_sample *found = sl_sampler_find(sampler, &like, &known);
    sl_status status = known ? SL_OK : sample_core(sampler, m, found, error);
    *sample = *found;
    return status;
}

sl_status sl_time_add(sl_sampler *sampler, const sl_machine *machine, const sl_loaded *loaded, sl_model_result *result,
                      sl_error *error)
{
    uint32_t core = busiest_core(result);
    sl_time_facts facts = facts_of(machine, loaded, result, core);
    if (!sampler || machine->levels < 2 || !facts.insts)
        return SL_OK;
    modeled m = {.loaded = loaded, .result = result, .core = core, .warm = is_warm(result)};
    for (uint32_t c = 0; c < result->cores; c++)
        m.cost += cost_of(&result->work[c]);
    sl_status status = find_sample(sampler, &m, &facts.sample, error);
    if (status)
        return status;
    sl_counts *total = &result->counts.total;
    sl_time_estimate estimate = sl_time_of(machine, &facts);
    sl_counts_add(total, SL_COUNTER_est_cycles, estimate.cycles);
    if (machine->clock_mhz)
        sl_counts_add(total, SL_COUNTER_est_ns, estimate.cycles * 1000 / machine->clock_mhz);
    sl_counts_add(total, SL_COUNTER_est_limit, estimate.limit);
    result->imbalance = (double)facts.insts * machine->cores / (double)facts.all_insts;
    result->index_share = estimate.index_share;
    memcpy(result->ideal_cycles, estimate.ideal_cycles, sizeof result->ideal_cycles);
    return SL_OK;
}
