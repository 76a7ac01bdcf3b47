/* SPDX-License-Identifier: MIT */
#include "findings/kernel_facts.h"

#include <string.h>

#include "machine/occupancy.h"

enum { SECTOR = 32 };

static const struct {
#define SL_COST(id, value, what) double id;
#include "findings/rules.def"
} assumed = {
#define SL_COST(id, value, what) .id = value,
#include "findings/rules.def"
};

static sl_costs costs_of(const sl_machine *m)
{
    double l2 = m->levels > 1 && m->level[1].network_bytes ? m->level[1].network_bytes : assumed.l2_bytes;
    double dram =
        m->memory.bytes_per_cycle && m->cores ? (double)m->memory.bytes_per_cycle / m->cores : assumed.dram_bytes;
    double schedulers = m->core.schedulers ? m->core.schedulers : assumed.schedulers;
    return (sl_costs){1 / schedulers, 1 / assumed.l1_sectors, SECTOR / l2, SECTOR / dram};
}

/* Counters of `from` replace those of `to`. */
static void replace(sl_counts *to, const sl_counts *from)
{
    sl_counter_set_join(&to->known, &from->known);
    for (int i = 0; i < SL_COUNTERS; i++)
        if (sl_counts_has(from, (sl_counter)i))
            to->value[i] = from->value[i];
}

/* Cycles of an SM. Levels behind L1 have sectors of the machine; where hits are unknown, all memory that is accessed
 * comes from DRAM once. */
static double work_of(const sl_counts *c, const sl_counts *m, const sl_machine *machine, const sl_costs *cost)
{
    double sectors = SL_FACT(*c, ld_sectors) + SL_FACT(*c, st_sectors) + SL_FACT(*c, atom_sectors) +
                     SL_FACT(*c, red_sectors) + SL_FACT(*c, async_sectors) + SL_FACT(*c, local_ld_sectors) +
                     SL_FACT(*c, local_st_sectors);
    double scale = (double)machine->level[0].sector_bytes / SECTOR;
    double l2 = SL_FACT(*m, l2_read_sectors) + SL_FACT(*m, l2_write_sectors);
    double dram = SL_FACT(*m, dram_read_sectors) + SL_FACT(*m, dram_write_sectors);
    if (!sl_counts_has(m, SL_COUNTER_l2_read_sectors)) {
        l2 = dram = SL_FACT(*c, footprint_bytes) / SECTOR;
        scale = 1;
    }
    return cost->issue * SL_FACT(*c, warp_insts) + cost->l1_sector * sectors + SL_FACT(*c, shared_ld_wavefronts) +
           SL_FACT(*c, shared_st_wavefronts) + scale * (cost->l2_sector * l2 + cost->dram_sector * dram);
}

/* ---- launches ---- */

typedef struct shape {
    double sms;  /* that have a block, 0 to 1 */
    double busy; /* the same, less where they have few warps */
} shape;

static shape shape_of(sl_kernel_facts *k, const sl_logged_launch *l)
{
    const sl_machine *m = k->machine;
    sl_trace_kernel kernel = {.name = l->kernel->name,
                              .regs_per_thread = l->kernel->regs_per_thread,
                              .regs_estimated = l->kernel->regs_estimated,
                              .static_shared_bytes = l->kernel->static_shared_bytes};
    sl_trace_launch launch = {.dynamic_shared_bytes = l->dynamic_shared_bytes,
                              .has_preferred_shared = l->has_preferred_shared,
                              .preferred_shared = l->preferred_shared,
                              .lanes = l->lanes};
    sl_occupancy occupancy;
    memcpy(launch.grid, l->grid, sizeof launch.grid);
    memcpy(launch.block, l->block, sizeof launch.block);
    if (!l->blocks || sl_occupancy_of(m, &kernel, &launch, &occupancy, NULL))
        return (shape){1, 1};
    uint64_t each = (l->blocks + m->cores - 1) / m->cores; /* blocks of an SM, if they are spread */
    uint32_t resident = each < occupancy.blocks ? (uint32_t)each : occupancy.blocks;
    uint32_t warps = sl_launch_warps(&launch);
    double sms = l->blocks < m->cores ? (double)l->blocks / m->cores : 1;
    double enough = m->core.warps * assumed.busy_warps, have = (double)resident * warps;
    if (l->blocks > k->most_blocks) {
        k->most_blocks = l->blocks;
        k->resident_blocks = resident;
        k->resident_warps = resident * warps;
        k->block_warps = warps;
        k->l1_bytes = occupancy.l1_bytes;
        k->limit = occupancy.blocks <= each ? occupancy.limit : "grid";
    }
    return (shape){sms, sms * (have < enough ? have / enough : 1)};
}

static uint64_t array_key(const sl_logged_kernel *kernel, const char *name)
{
    return sl_hash_mix(kernel->number) ^ sl_hash64(name, strlen(name));
}

static uint64_t key_of_sum(const void *items, uint32_t item)
{
    const sl_array_sum *sum = (const sl_array_sum *)items + item;
    return array_key(sum->kernel, sum->name);
}

static sl_array_sum *find_array(const sl_fact_list *facts, const sl_logged_kernel *kernel, const char *name)
{
    sl_index_for(&facts->array_index, array_key(kernel, name), at)
    {
        sl_array_sum *sum = &facts->arrays.items[sl_index_item(&facts->array_index, at)];
        if (sum->kernel == kernel && !strcmp(sum->name, name))
            return sum;
    }
    return NULL;
}

static bool add_array(sl_fact_list *facts, const sl_logged_kernel *kernel, const sl_array_footprint *array)
{
    sl_array_sum *sum = find_array(facts, kernel, array->name);
    if (!sum) {
        sl_array_sum added = {.kernel = kernel, .name = array->name};
        if (!sl_array_push(&facts->arrays, added) ||
            !sl_index_add(&facts->array_index, array_key(kernel, array->name), (uint32_t)facts->arrays.count - 1,
                          key_of_sum, facts->arrays.items))
            return false;
        sum = &facts->arrays.items[facts->arrays.count - 1];
    }
    sum->bytes += (double)array->bytes;
    return true;
}

double sl_array_bytes(const sl_fact_list *facts, const sl_logged_kernel *kernel, const char *array)
{
    const sl_array_sum *sum = find_array(facts, kernel, array);
    return sum ? sum->bytes : 0;
}

/* False when memory runs out. */
static bool add_launch(sl_fact_list *facts, const sl_findings_input *in, size_t n)
{
    const sl_logged_launch *l = &in->counted->launches.items[n];
    sl_kernel_facts *k = &facts->kernel[l->kernel->number];
    if (in->recording && n < in->recording->launches && (!k->launches || l->blocks > k->most_blocks))
        k->trace_launch = in->recording->launch[n];
    for (size_t i = 0; i < l->arrays; i++)
        if (!add_array(facts, l->kernel, &l->array[i]))
            return false;
    if (l->failed)
        return true;
    sl_counts counted = sl_unpack_counts(&l->counts), measured = {0};
    if (in->measured)
        measured = sl_unpack_counts(&in->measured->launches.items[n].counts);
    shape s = shape_of(k, l);
    double work = work_of(&counted, &measured, k->machine, k->cost);
    double time = work / (s.sms * k->machine->cores);
    /* Where there is an estimate, findings of the simulator are those of the model. */
    bool simulated = !in->estimated && sl_counts_has(&measured, SL_COUNTER_cycles);
    if (simulated)
        time = SL_FACT(measured, cycles);
    if (in->estimated && n < in->estimated->launches && counted.value[SL_COUNTER_warp_insts] > k->most_insts) {
        k->most_insts = counted.value[SL_COUNTER_warp_insts];
        k->imbalance = in->estimated->launch[n].imbalance;
        k->index_share = in->estimated->launch[n].index_share;
    }
    k->lanes = l->lanes;
    k->launches++;
    k->blocks += l->blocks;
    k->work += work;
    k->busy += time * s.busy; /* divided by the time in the end */
    k->time += time;
    k->footprint_bytes += SL_FACT(counted, footprint_bytes);
    facts->launches++;
    facts->time += time + (simulated ? 0 : facts->launch_cycles);
    facts->timed += simulated;
    return true;
}

/* ---- locations ---- */

/* Whether two access sectors alike: of the loads of one line, some can be strided and others not. */
static bool alike(const sl_counts *a, const sl_counts *b)
{
    double some = (SL_FACT(*a, ld_sectors) + SL_FACT(*a, st_sectors)) *
                  (SL_FACT(*b, ld_requests) + SL_FACT(*b, st_requests)),
           others = (SL_FACT(*b, ld_sectors) + SL_FACT(*b, st_sectors)) *
                    (SL_FACT(*a, ld_requests) + SL_FACT(*a, st_requests));
    return some <= 2 * others && others <= 2 * some;
}

static uint64_t location_key(const void *locations, uint32_t location)
{
    return sl_inst_location_hash(((const sl_location *)locations)[location].inst);
}

/* The first of the locations that an instruction belongs to; their number where there is none. */
static size_t find_location(const sl_index *index, const sl_location *location, size_t locations,
                            const sl_inst_name *inst, uint64_t key, const sl_counts *counts)
{
    size_t found = locations;
    sl_index_for(index, key, slot)
    {
        size_t at = sl_index_item(index, slot);
        if (at < found && sl_inst_same_location(location[at].inst, inst) && alike(&location[at].counted, counts))
            found = at;
    }
    return found;
}

static bool add_locations(sl_kernel_facts *k, const sl_kernel_sum *counted, const sl_kernel_sum *measured,
                          sl_arena *arena)
{
    sl_location *location = sl_arena_array(arena, sl_location, k->kernel->insts);
    sl_index index = {0};
    bool good = location;
    for (uint32_t i = 0; good && i < k->kernel->insts; i++) {
        const sl_inst_name *inst = &k->kernel->inst[i];
        if (!sl_counter_set_any(&counted->load[i].known))
            continue;
        uint64_t key = sl_inst_location_hash(inst);
        size_t at = find_location(&index, location, k->locations, inst, key, &counted->load[i]);
        if (at == k->locations) {
            location[k->locations++] = (sl_location){.inst = inst};
            good = sl_index_add(&index, key, (uint32_t)at, location_key, location);
        }
        location[at].copies++;
        sl_counts_merge(&location[at].counted, &counted->load[i]);
        if (measured)
            sl_counts_merge(&location[at].measured, &measured->load[i]);
    }
    sl_index_fini(&index);
    k->location = location;
    return good;
}

/* Of the model's classes, where the simulator has measured the rest. */
static void add_classes(sl_kernel_sum *to, const sl_kernel_sum *classes)
{
    sl_counts counts = classes->counts;
    replace(&counts, &to->counts);
    to->counts = counts;
    for (uint32_t i = 0; i < to->kernel->insts; i++) {
        counts = classes->load[i];
        replace(&counts, &to->load[i]);
        to->load[i] = counts;
    }
}

/* ---- all ---- */

static sl_status read_shapes(const sl_findings_input *in, sl_kernel_facts *k, sl_arena *arena, sl_error *error)
{
    const sl_trace *trace = in->recording->trace;
    const sl_trace_kernel *kernel = sl_trace_kernel_at(trace, sl_trace_launch_at(trace, k->trace_launch)->kernel);
    if (!kernel || kernel->mem_slots != k->kernel->insts)
        return SL_OK;
    sl_access_shape_sums *sums = sl_arena_array(arena, sl_access_shape_sums, kernel->mem_slots + 1u);
    if (!sums)
        return sl_fail_memory(error);
    k->shape = sums;
    return sl_access_shapes_read(trace, k->trace_launch, sums, error);
}

static sl_status join(const sl_findings_input *in, sl_kernel_sum *const sums[3], sl_arena *arena, sl_fact_list *facts,
                      sl_error *error)
{
    for (uint32_t i = 0; i < facts->kernels; i++) {
        sl_kernel_facts *k = &facts->kernel[i];
        *k = (sl_kernel_facts){.kernel = sums[0][i].kernel, .machine = in->machine, .cost = &facts->cost, .limit = ""};
        k->counted = sums[0][i].counts;
        if (sums[1] && sums[2] && sums[1][i].load && sums[2][i].load)
            add_classes(&sums[1][i], &sums[2][i]);
        if (sums[1])
            k->measured = sums[1][i].counts;
        k->modeled = sl_counts_has(&k->measured, SL_COUNTER_ld_sector_hits);
        if (!add_locations(k, &sums[0][i], sums[1] ? &sums[1][i] : NULL, arena))
            return sl_fail_memory(error);
    }
    for (size_t n = 0; n < in->counted->launches.count; n++)
        if (!add_launch(facts, in, n))
            return sl_fail_memory(error);
    for (uint32_t i = 0; i < facts->kernels && in->recording; i++) {
        sl_status status = facts->kernel[i].launches ? read_shapes(in, &facts->kernel[i], arena, error) : SL_OK;
        if (status)
            return status;
    }
    for (uint32_t i = 0; i < facts->kernels; i++)
        facts->kernel[i].busy /= facts->kernel[i].time > 0 ? facts->kernel[i].time : 1;
    return SL_OK;
}

static bool same_launches(const sl_launch_log *a, const sl_launch_log *b)
{
    return a->kernel_count == b->kernel_count && a->launches.count == b->launches.count;
}

sl_status sl_facts_gather(const sl_findings_input *in, sl_arena *arena, sl_fact_list *facts, sl_error *error)
{
    sl_findings_input joined = *in;
    if (joined.measured && !same_launches(joined.measured, in->counted))
        joined.measured = NULL;
    if (joined.classes && !same_launches(joined.classes, in->counted))
        joined.classes = NULL;
    const sl_launch_log *logs[3] = {in->counted, joined.measured, joined.classes};
    sl_kernel_sum *sums[3] = {0};
    sl_status status = SL_OK;
    *facts = (sl_fact_list){.cost = costs_of(in->machine),
                            .kernels = in->counted->kernel_count,
                            .launch_cycles = in->machine->core.launch_cycles};
    facts->kernel = sl_arena_array(arena, sl_kernel_facts, facts->kernels + 1);
    if (!facts->kernel)
        return sl_fail_memory(error);
    for (int i = 0; i < 3 && !status; i++)
        if (logs[i] && !(sums[i] = sl_kernel_sums_of(logs[i])))
            status = sl_fail_memory(error);
    if (!status)
        status = join(&joined, sums, arena, facts, error);
    for (int i = 0; i < 3; i++)
        sl_kernel_sums_free(sums[i], facts->kernels);
    return status;
}

void sl_facts_fini(sl_fact_list *facts)
{
    sl_array_free(&facts->arrays);
    sl_index_fini(&facts->array_index);
}
