/* SPDX-License-Identifier: MIT */
/* The rules of rules.def. Each examines a kernel, or each memory instruction of one, and reports what it costs. */
#include "findings/rules.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

const sl_rule sl_rules[SL_RULES] = {
#define SL_RULE(id, name, title, unit, threshold, measure, fix, explanation)                                           \
    [SL_RULE_##id] = {name, title, unit, threshold, measure, fix, explanation},
#include "findings/rules.def"
};

enum { SECTOR = 32 };

/* The line that stands for a kernel as a whole. */
static const sl_inst_name *first_line(const sl_kernel_facts *k)
{
    const sl_inst_name *first = NULL;
    for (size_t i = 0; i < k->locations; i++) {
        const sl_inst_name *inst = k->location[i].inst;
        if (!first || inst->source_line < first->source_line ||
            (inst->source_line == first->source_line && inst->ptx_line < first->ptx_line))
            first = inst;
    }
    return first;
}

/* A source location or kernel for which a rule reports something; `work` in cycles of SMs. */
static sl_finding *found(sl_rule_run *run, const sl_location *location, double effect, double work)
{
    const sl_kernel_facts *k = run->kernel;
    double cycles = k->work > 0 ? work / k->work * k->time : 0;
    sl_finding f = {.rule = run->rule,
                    .symbol = k->kernel->symbol,
                    .kernel = k->kernel->name,
                    .inst = location ? location->inst : NULL,
                    .first = first_line(k),
                    .copies = location ? location->copies : 0,
                    .fix = run->rule->fix,
                    .simulated_share = NAN,
                    .effect = effect,
                    .cycles = cycles,
                    .share = run->facts->time > 0 ? cycles / run->facts->time : 0};
    if (run->failed || !sl_array_push(&run->findings->list, f)) {
        run->failed = true;
        return NULL;
    }
    return &run->findings->list.items[run->findings->list.count - 1];
}

static void cite(sl_finding *f, const char *name, double value)
{
    if (f && f->numbers < SL_MAX_EVIDENCE)
        f->number[f->numbers++] = (sl_evidence){name, value};
}

#define SAY(run, f, ...)                                                                                               \
    do {                                                                                                               \
        if (f)                                                                                                         \
            say(run, f, sl_arena_printf(&(run)->findings->arena, __VA_ARGS__));                                        \
    } while (0)
static void say(sl_rule_run *run, sl_finding *f, const char *text)
{
    f->text = text ? text : "";
    run->failed |= !text;
}

static const char *percent(double share, char text[SL_HUMAN_BYTES])
{
    sl_human_ratio(100 * share, share < 0.2 ? 1 : 0, text);
    return strcat(text, "%");
}

/* Cycles of an SM for a sector that comes from L2, or from DRAM behind it. */
static double fetch_cost(const sl_kernel_facts *k)
{
    double reads = SL_FACT(k->measured, l2_read_sectors), hits = SL_FACT(k->measured, l2_read_hits);
    double missed = reads > 0 ? 1 - hits / reads : 0;
    return (k->cost->l2_sector + missed * k->cost->dram_sector) * k->machine->level[0].sector_bytes / SECTOR;
}

/* ---- advice ---- */

/* How the lanes of a location lie to each other; NULL: unknown. */
static const sl_access_shape_sums *shape_of(const sl_rule_run *run, const sl_location *p)
{
    const sl_kernel_facts *k = run->kernel;
    const sl_access_shape_sums *s = k->shape ? &k->shape[p->inst - k->kernel->inst] : NULL;
    return s && s->requests ? s : NULL;
}

/* What the distance of lanes says: an array of structures, the wrong order of indices, rows, a gather. */
static const char *advice_on_lanes(sl_rule_run *run, const sl_location *p, bool loads)
{
    sl_arena *arena = &run->findings->arena;
    const sl_access_shape_sums *s = shape_of(run, p);
    if (!s)
        return NULL;
    double walk = sl_access_walk_length(s, p->inst->width, p->copies);
    uint64_t stride = (uint64_t)llabs(s->stride);
    uint32_t lanes = run->kernel->lanes;
    if (loads && walk >= lanes)
        return sl_arena_printf(arena,
                               "Each lane reads a row of its own, about %.0f elements: let a warp take a row, so "
                               "that its lanes read neighbors.",
                               walk);
    if (loads && walk > 1)
        return sl_arena_printf(arena,
                               "Each lane reads a row of its own, about %.0f elements. That is less than a warp: "
                               "let as many lanes as a row has elements take it, or stage rows in shared memory; "
                               "a whole warp per row would leave lanes idle.",
                               walk);
    if (s->gathers * 2 > s->requests)
        return sl_arena_printf(arena,
                               "The addresses of lanes follow no stride: sort or group the indices, so that lanes "
                               "of a warp %s neighbors.",
                               loads ? "read" : "write");
    if (stride > p->inst->width && stride <= SL_MAX_ELEMENT_BYTES)
        return sl_arena_printf(arena,
                               "Lanes are %llu bytes apart and %s %u of them: elements of %llu bytes. Make it a "
                               "structure of arrays, or %s whole elements.",
                               (unsigned long long)stride, loads ? "read" : "write", p->inst->width,
                               (unsigned long long)stride, loads ? "read" : "write");
    if (stride > SL_MAX_ELEMENT_BYTES)
        return sl_arena_printf(arena,
                               "Lanes are %llu bytes apart, as rows are: let neighboring threads take neighbors "
                               "in a row (the other order of indices), or %s through a tile in shared memory.",
                               (unsigned long long)stride, loads ? "read" : "write");
    return NULL;
}

/* ---- coalescing ---- */

typedef struct accesses {
    double requests, sectors, bytes;
    double fetched; /* cycles for what comes from below beyond the ideal */
} accesses;

/* Sectors beyond the least: full ones, and at least one for each request. One more may come of misalignment alone. */
static void find_scattered(sl_rule_run *run, const sl_location *p, accesses a, double extra_cost, const char *verb)
{
    double ideal = fmax(a.requests, a.bytes / SECTOR), used = fmin(1, a.bytes / (a.sectors * SECTOR));
    char share[SL_HUMAN_BYTES], each[SL_HUMAN_BYTES], ideal_text[SL_HUMAN_BYTES];
    if (!a.requests || a.sectors < run->rule->threshold * ideal || a.sectors - ideal <= a.requests)
        return;
    double excess = a.sectors - ideal;
    const char *fix = advice_on_lanes(run, p, *verb == 'u');
    sl_finding *f = found(run, p, excess, excess * (run->kernel->cost->l1_sector + extra_cost) + a.fetched);
    cite(f, "sectors_per_request", a.sectors / a.requests);
    cite(f, "ideal_sectors_per_request", ideal / a.requests);
    cite(f, "used_bytes_share", used);
    if (f && fix)
        f->fix = fix;
    SAY(run, f, "%s sectors per request where %s would do: lanes %s %s of the bytes.",
        sl_human_ratio(a.sectors / a.requests, 1, each), sl_human_ratio(ideal / a.requests, 1, ideal_text), verb,
        percent(used, share));
}

static void find_uncoalesced_loads(sl_rule_run *run)
{
    const sl_kernel_facts *k = run->kernel;
    for (size_t i = 0; i < k->locations; i++) {
        const sl_location *p = &k->location[i];
        accesses a = {SL_FACT(p->counted, ld_requests) + SL_FACT(p->counted, async_requests),
                      SL_FACT(p->counted, ld_sectors) + SL_FACT(p->counted, async_sectors),
                      SL_FACT(p->counted, ld_bytes) + SL_FACT(p->counted, async_bytes), 0};
        double ideal = fmax(a.requests, a.bytes / SECTOR), scale = k->machine->level[0].sector_bytes / (double)SECTOR;
        a.fetched = k->cost->l2_sector * fmax(0, scale * SL_FACT(p->measured, l2_read_sectors) - ideal) +
                    k->cost->dram_sector * fmax(0, scale * SL_FACT(p->measured, dram_read_sectors) - ideal);
        find_scattered(run, p, a, 0, "use");
    }
}

static void find_strided_stores(sl_rule_run *run)
{
    const sl_kernel_facts *k = run->kernel;
    for (size_t i = 0; i < k->locations; i++) {
        const sl_location *p = &k->location[i];
        accesses a = {SL_FACT(p->counted, st_requests), SL_FACT(p->counted, st_sectors), SL_FACT(p->counted, st_bytes),
                      0};
        find_scattered(run, p, a, k->cost->l2_sector, "write"); /* all stores go to L2 */
    }
}

/* Loads and stores of what the same instruction accessed the last time, in the same warp. */
static void find_redundant_loads(sl_rule_run *run)
{
    const sl_kernel_facts *k = run->kernel;
    for (size_t i = 0; i < k->locations; i++) {
        const sl_location *p = &k->location[i];
        const sl_access_shape_sums *s = shape_of(run, p);
        double sectors = SL_FACT(p->counted, ld_sectors) + SL_FACT(p->counted, st_sectors);
        double repeated = s ? (double)s->repeats / (double)s->requests : 0;
        char share[SL_HUMAN_BYTES];
        if (sectors <= 0 || repeated < run->rule->threshold || p->inst->space == SL_MEM_LOCAL)
            continue;
        double again = sectors * repeated,
               requests = SL_FACT(p->counted, ld_requests) + SL_FACT(p->counted, st_requests);
        sl_finding *f = found(run, p, again, again * k->cost->l1_sector + repeated * requests * k->cost->issue);
        cite(f, "repeated_share", repeated);
        SAY(run, f, "%s of its requests access what the request before of the warp has accessed.",
            percent(repeated, share));
    }
}

/* ---- L1 ---- */

/* Sectors that were in L1 and got lost. */
static double lost(const sl_counts *m)
{
    return SL_FACT(*m, capacity_sectors) + SL_FACT(*m, conflict_sectors) + SL_FACT(*m, mshr_sectors);
}

static const sl_location *largest(const sl_kernel_facts *k, double weight(const sl_counts *))
{
    const sl_location *best = NULL;
    for (size_t i = 0; i < k->locations; i++)
        if (weight(&k->location[i].measured) > (best ? weight(&best->measured) : 0))
            best = &k->location[i];
    return best;
}

/* Whether nearly all repeated misses are conflict misses. */
static bool by_conflict(const sl_counts *m)
{
    double others = SL_FACT(*m, capacity_sectors) + SL_FACT(*m, mshr_sectors);
    return SL_FACT(*m, conflict_sectors) > sl_finding_limit.conflict_times * others;
}

/* What of the working set L1 would hold. */
static void fit_text(const sl_kernel_facts *k, char *text, size_t size)
{
    double set = SL_FACT(k->measured, working_set_bytes), l1 = (double)k->l1_bytes;
    char bytes[SL_HUMAN_BYTES], have[SL_HUMAN_BYTES];
    *text = 0;
    if (set <= 0 || l1 <= 0)
        return;
    int used = snprintf(text, size, " The working set of an SM is %s%s, its L1 %s", set >= 64 * l1 ? "more than " : "",
                        sl_human_bytes((uint64_t)set, bytes), sl_human_bytes(k->l1_bytes, have));
    uint32_t fits = (uint32_t)(k->resident_blocks * l1 / set);
    if (fits && fits < k->resident_blocks)
        snprintf(text + used, size - (size_t)used, ": %u of the %u resident block%s would fit.", fits,
                 k->resident_blocks, k->resident_blocks == 1 ? "" : "s");
    else
        snprintf(text + used, size - (size_t)used, fits ? "." : ": not even one block would fit.");
}

static void find_l1_thrashing(sl_rule_run *run)
{
    const sl_kernel_facts *k = run->kernel;
    double sectors = SL_FACT(k->measured, ld_sectors), again = lost(&k->measured);
    char share[SL_HUMAN_BYTES], fit[160];
    if (!k->modeled || again <= 0 || again < run->rule->threshold * sectors || by_conflict(&k->measured))
        return;
    sl_finding *f = found(run, largest(k, lost), again, again * fetch_cost(k));
    cite(f, "lost_share", again / sectors);
    cite(f, "working_set_bytes", SL_FACT(k->measured, working_set_bytes));
    cite(f, "l1_capacity_bytes", (double)k->l1_bytes);
    cite(f, "resident_blocks", k->resident_blocks);
    fit_text(k, fit, sizeof fit);
    SAY(run, f, "%s of the load sectors were in L1 and are gone when they are used again.%s",
        percent(again / sectors, share), fit);
}

static double conflicts(const sl_counts *m)
{
    return SL_FACT(*m, conflict_sectors);
}

static void find_conflict_misses(sl_rule_run *run)
{
    const sl_kernel_facts *k = run->kernel;
    double sectors = SL_FACT(k->measured, ld_sectors), conflict = conflicts(&k->measured);
    char share[SL_HUMAN_BYTES];
    if (!k->modeled || conflict <= 0 || conflict < run->rule->threshold * sectors || !by_conflict(&k->measured))
        return;
    const sl_level *l1 = &k->machine->level[0];
    sl_finding *f = found(run, largest(k, conflicts), conflict, conflict * fetch_cost(k));
    cite(f, "conflict_share", conflict / sectors);
    cite(f, "ways", l1->ways);
    SAY(run, f, "%s of the load sectors miss because their lines share a set of %u ways; L1 as a whole has room.",
        percent(conflict / sectors, share), l1->ways);
}

/* Whether other instructions use the lines that this one fills: those of the same array that hit, or would. */
static bool used_by_others(const sl_kernel_facts *k, const sl_location *p)
{
    double used = 0;
    for (size_t i = 0; i < k->locations; i++)
        if (&k->location[i] != p && sl_inst_same_array(k->location[i].inst, p->inst))
            used += SL_FACT(k->location[i].measured, ld_sector_hits) + lost(&k->location[i].measured);
    return used > sl_finding_limit.stream_share * SL_FACT(p->measured, ld_sectors);
}

static void find_no_reuse(sl_rule_run *run)
{
    const sl_kernel_facts *k = run->kernel;
    const sl_finding_limits *min = &sl_finding_limit;
    double misses = SL_FACT(k->measured, ld_sector_misses), gone = lost(&k->measured);
    if (!k->modeled || misses <= 0)
        return;
    for (size_t i = 0; i < k->locations; i++) {
        const sl_location *p = &k->location[i];
        double sectors = SL_FACT(p->measured, ld_sectors), hits = SL_FACT(p->measured, ld_sector_hits);
        double fills = SL_FACT(p->measured, ld_sector_misses) - SL_FACT(p->measured, bypassed_sectors);
        double others = gone - lost(&p->measured);
        char share[SL_HUMAN_BYTES], part[SL_HUMAN_BYTES], loses[SL_HUMAN_BYTES];
        bool stream =
            sectors > 0 && hits <= run->rule->threshold * sectors && lost(&p->measured) < min->stream_share * sectors;
        /* last, since it looks at all locations: few have such a share of the misses */
        if (!stream || fills < min->stream_share * misses ||
            others < min->lost_share * SL_FACT(k->measured, ld_sectors) || used_by_others(k, p))
            continue;
        sl_finding *f = found(run, p, others, others * fetch_cost(k));
        cite(f, "hit_share", hits / sectors);
        cite(f, "fill_share", fills / misses);
        cite(f, "lost_by_others", others);
        SAY(run, f, "It hits in %s of its sectors and makes %s of the fills; other loads lose %s sectors.",
            percent(hits / sectors, share), percent(fills / misses, part), sl_human_count((uint64_t)others, loses));
    }
}

static void find_l2_sharing(sl_rule_run *run)
{
    const sl_kernel_facts *k = run->kernel;
    double sector = k->machine->level[0].sector_bytes, first = SL_FACT(k->measured, compulsory_sectors);
    double distinct = k->footprint_bytes / sector;
    char times[SL_HUMAN_BYTES], part[SL_HUMAN_BYTES];
    if (!k->modeled || distinct <= 0 || first < run->rule->threshold * distinct)
        return;
    sl_finding *f = found(run, NULL, first - distinct, (first - distinct) * k->cost->l2_sector * sector / SECTOR);
    cite(f, "sms_per_sector", first / distinct);
    cite(f, "compulsory_share", first / SL_FACT(k->measured, ld_sectors));
    SAY(run, f, "A sector is fetched by %s of the %u SMs on average; first accesses are %s of the load sectors.",
        sl_human_ratio(first / distinct, 1, times), k->machine->cores,
        percent(first / SL_FACT(k->measured, ld_sectors), part));
}

/* ---- other memories ---- */

static void find_local_memory(sl_rule_run *run)
{
    const sl_kernel_facts *k = run->kernel;
    const sl_counts *c = &k->counted;
    double local = SL_FACT(*c, local_ld_sectors) + SL_FACT(*c, local_st_sectors);
    double all = local + SL_FACT(*c, ld_sectors) + SL_FACT(*c, st_sectors) + SL_FACT(*c, atom_sectors) +
                 SL_FACT(*c, red_sectors) + SL_FACT(*c, async_sectors);
    if (local <= 0 || local < run->rule->threshold * all)
        return;
    for (size_t i = 0; i < k->locations; i++) {
        const sl_counts *p = &k->location[i].counted;
        double sectors = SL_FACT(*p, local_ld_sectors) + SL_FACT(*p, local_st_sectors);
        double requests = SL_FACT(*p, local_ld_requests) + SL_FACT(*p, local_st_requests);
        char share[SL_HUMAN_BYTES], count[SL_HUMAN_BYTES];
        if (sectors <= 0)
            continue;
        sl_finding *f = found(run, &k->location[i], sectors, sectors * k->cost->l1_sector + requests * k->cost->issue);
        cite(f, "local_share", local / all);
        cite(f, "local_requests", requests);
        SAY(run, f, "%s requests to local memory, which makes up %s of the sectors that the kernel accesses.",
            sl_human_count((uint64_t)requests, count), percent(local / all, share));
    }
}

static void find_bank_conflicts(sl_rule_run *run)
{
    const sl_kernel_facts *k = run->kernel;
    for (size_t i = 0; i < k->locations; i++) {
        const sl_location *p = &k->location[i];
        double requests = SL_FACT(p->counted, shared_ld_requests) + SL_FACT(p->counted, shared_st_requests);
        double wavefronts = SL_FACT(p->counted, shared_ld_wavefronts) + SL_FACT(p->counted, shared_st_wavefronts);
        double each = fmax(1, ceil(p->inst->width * (double)k->lanes / (32 * 4)));
        char shown[SL_HUMAN_BYTES], ideal_text[SL_HUMAN_BYTES];
        if (requests <= 0 || wavefronts < run->rule->threshold * each * requests)
            continue;
        double excess = wavefronts - each * requests;
        sl_finding *f = found(run, p, excess, excess);
        cite(f, "wavefronts_per_request", wavefronts / requests);
        cite(f, "ideal_wavefronts_per_request", each);
        SAY(run, f, "%s wavefronts per request where %s would do.", sl_human_ratio(wavefronts / requests, 1, shown),
            sl_human_ratio(each, 0, ideal_text));
    }
}

static void find_hot_atomics(sl_rule_run *run)
{
    const sl_kernel_facts *k = run->kernel;
    for (size_t i = 0; i < k->locations; i++) {
        const sl_location *p = &k->location[i];
        double sectors = SL_FACT(p->counted, atom_sectors) + SL_FACT(p->counted, red_sectors);
        double bytes = sectors > 0 ? sl_array_bytes(run->facts, k->kernel, p->inst->array) : 0;
        char count[SL_HUMAN_BYTES], room[SL_HUMAN_BYTES], each[SL_HUMAN_BYTES];
        if (bytes <= 0)
            continue;
        double targets = bytes / SECTOR, deep = sectors / targets; /* both summed over the launches */
        if (deep < run->rule->threshold)
            continue;
        double serial = deep * (double)k->launches; /* cycles of the GPU: SMs do not help */
        sl_finding *f = found(run, p, sectors - targets, 0);
        if (f) {
            f->cycles = serial;
            f->share = serial / (run->facts->time + serial); /* the estimate of the time knows nothing of it */
        }
        cite(f, "atomic_sectors", sectors);
        cite(f, "array_bytes", bytes / (double)k->launches);
        cite(f, "accesses_per_sector", deep);
        SAY(run, f, "%s accesses of atomics to an array of %s: each sector %s times in a launch.",
            sl_human_count((uint64_t)sectors, count), sl_human_bytes((uint64_t)(bytes / (double)k->launches), room),
            sl_human_count((uint64_t)deep, each));
    }
}

/* ---- lanes and blocks ---- */

static void find_divergence(sl_rule_run *run)
{
    const sl_kernel_facts *k = run->kernel;
    double warps = SL_FACT(k->counted, warp_insts), lanes = SL_FACT(k->counted, thread_insts);
    double active = warps > 0 ? lanes / (warps * k->lanes) : 1;
    char share[SL_HUMAN_BYTES], count[SL_HUMAN_BYTES], full[SL_HUMAN_BYTES];
    if (active > run->rule->threshold)
        return;
    sl_finding *f = found(run, NULL, warps * (1 - active), warps * (1 - active) * k->cost->issue);
    cite(f, "active_lanes_share", active);
    cite(f, "warp_insts", warps);
    SAY(run, f, "%s of the lanes are active: %s warp instructions, where %s of full warps would do.",
        percent(active, share), sl_human_count((uint64_t)warps, count),
        sl_human_count((uint64_t)(warps * active), full));
}

static void find_imbalance(sl_rule_run *run)
{
    const sl_kernel_facts *k = run->kernel;
    char times[SL_HUMAN_BYTES], blocks[SL_HUMAN_BYTES];
    double each = (double)k->most_blocks / k->machine->cores; /* whole ones: the busiest has more than that anyway */
    if (k->imbalance * each < run->rule->threshold * ceil(each))
        return;
    sl_finding *f = found(run, NULL, k->time * (1 - 1 / k->imbalance), k->work * (1 - 1 / k->imbalance));
    cite(f, "busiest_sm", k->imbalance);
    cite(f, "blocks", (double)k->most_blocks);
    SAY(run, f,
        "The busiest SM executes %s times the instructions of the average one (%s blocks, %u at once on an SM).",
        sl_human_ratio(k->imbalance, 1, times), sl_human_count(k->most_blocks, blocks), k->resident_blocks);
}

/* The widest access of its lanes, in bytes. */
static uint32_t widest(const sl_kernel_facts *k)
{
    uint32_t most = 0;
    for (size_t i = 0; i < k->locations; i++) {
        const sl_inst_name *inst = k->location[i].inst;
        bool global = inst->space == SL_MEM_GLOBAL || inst->space == SL_MEM_GENERIC;
        most = global && inst->width > most ? inst->width : most;
    }
    return most;
}

enum { WIDE_BYTES = 8, WORD_BYTES = 4 };

static void find_instructions(sl_rule_run *run)
{
    const sl_kernel_facts *k = run->kernel;
    double insts = SL_FACT(k->counted, warp_insts),
           bytes = SL_FACT(k->counted, ld_bytes) + SL_FACT(k->counted, st_bytes);
    double words = bytes / (WORD_BYTES * k->lanes), index = insts * k->index_share;
    char share[SL_HUMAN_BYTES], each[SL_HUMAN_BYTES];
    if (words <= 0 || k->index_share < run->rule->threshold || insts < sl_finding_limit.word_insts * words ||
        widest(k) > WIDE_BYTES)
        return;
    sl_finding *f = found(run, NULL, index, index * k->cost->issue);
    cite(f, "index_share", k->index_share);
    cite(f, "insts_per_word", insts / words);
    cite(f, "warp_insts", insts);
    SAY(run, f,
        "%s instructions for each word that a warp loads or stores; %s of them are integers, moves and branches.",
        sl_human_ratio(insts / words, 1, each), percent(k->index_share, share));
}

/* ---- launches ---- */

static void find_low_occupancy(sl_rule_run *run)
{
    const sl_kernel_facts *k = run->kernel;
    char busy[SL_HUMAN_BYTES], count[SL_HUMAN_BYTES];
    /* Where the gain of more warps is estimated and there are blocks enough, that decides. */
    bool enough = k->most_blocks >= (uint64_t)2 * k->machine->cores * k->resident_blocks;
    bool few = k->imbalance > 0 && enough && k->resident_warps * 2 <= k->machine->core.warps;
    if (k->time <= 0 || (k->busy > run->rule->threshold && !few))
        return;
    double idle = 1 - (few ? fmin(k->busy, (double)k->resident_warps / k->machine->core.warps) : k->busy);
    sl_finding *f = found(run, NULL, k->time * idle, k->work * idle);
    cite(f, "share_at_work", k->busy);
    cite(f, "blocks", (double)k->blocks / (double)k->launches);
    cite(f, "resident_warps", k->resident_warps);
    cite(f, "max_warps", k->machine->core.warps);
    uint64_t blocks = (k->blocks + k->launches / 2) / k->launches;
    const char *limit = strcmp(k->limit, "grid") != 0 ? k->limit : "the size of the grid";
    char work[64] = "";
    if (k->busy <= run->rule->threshold)
        snprintf(work, sizeof work, ": %s of the GPU is at work", percent(k->busy, busy));
    SAY(run, f, "%s block%s of %u warp%s%s for %u SMs, with %u of %u warps resident, limited by %s%s.",
        sl_human_count(blocks, count), blocks == 1 ? "" : "s", k->block_warps, k->block_warps == 1 ? "" : "s",
        k->launches > 1 ? " on average" : "", k->machine->cores, k->resident_warps, k->machine->core.warps, limit,
        work);
}

static const sl_kernel_facts *most_launched(const sl_fact_list *all)
{
    const sl_kernel_facts *best = &all->kernel[0];
    for (uint32_t i = 1; i < all->kernels; i++)
        if (all->kernel[i].launches > best->launches)
            best = &all->kernel[i];
    return best;
}

/* Without regard to the groups that they are split by. */
static uint32_t different_kernels(const sl_fact_list *all)
{
    uint32_t count = 0;
    for (uint32_t i = 0, k; i < all->kernels; i++) {
        for (k = 0; k < i && strcmp(all->kernel[k].kernel->code_symbol, all->kernel[i].kernel->code_symbol) != 0;)
            k++;
        count += k == i;
    }
    return count;
}

/* About all kernels together: reported once, for the kernel with the most launches. */
static void find_launch_overhead(sl_rule_run *run)
{
    const sl_fact_list *all = run->facts;
    double launches = (double)all->launches, overhead = all->launch_cycles * launches, own = 0;
    char count[SL_HUMAN_BYTES], cycles[SL_HUMAN_BYTES], start[SL_HUMAN_BYTES], kernels[64] = "";
    if (run->kernel != most_launched(all))
        return;
    for (uint32_t i = 0; i < all->kernels; i++)
        own += all->kernel[i].time;
    own -= all->launch_cycles * (double)all->timed;
    if (launches < sl_finding_limit.launches || own <= 0 || overhead < run->rule->threshold * all->time)
        return;
    sl_finding *f = found(run, NULL, overhead, 0);
    if (f) {
        f->cycles = overhead;
        f->share = overhead / all->time;
    }
    cite(f, "launches", launches);
    cite(f, "launch_cycles", all->launch_cycles);
    cite(f, "cycles_per_launch", own / launches);
    uint32_t different = different_kernels(all);
    if (different > 1)
        snprintf(kernels, sizeof kernels, " of %u kernels", different);
    SAY(run, f, "%s launches%s, of about %s cycles of work each; starting one takes %s.",
        sl_human_count(all->launches, count), kernels, sl_human_count((uint64_t)(own / launches), cycles),
        sl_human_count((uint64_t)all->launch_cycles, start));
}

/* ---- all ---- */

bool sl_rules_apply(sl_rule_run *run)
{
    static void (*const find[SL_RULES])(sl_rule_run *) = {
#define SL_RULE(id, ...) [SL_RULE_##id] = find_##id,
#include "findings/rules.def"
    };
    for (uint32_t k = 0; k < run->facts->kernels; k++)
        for (int i = 0; i < SL_RULES; i++) {
            run->kernel = &run->facts->kernel[k];
            run->rule = &sl_rules[i];
            if (run->kernel->launches)
                find[i](run);
        }
    return !run->failed;
}
