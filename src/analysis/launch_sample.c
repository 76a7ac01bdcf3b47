/* SPDX-License-Identifier: MIT */
#include "analysis/launch_sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

/* The first phase analyzes at most every twentieth launch, or thirty, if strata can be made as large as that. */
enum { FIRST_PARTS = 3, FIRST_SHARE = 20, FIRST_MIN = 30 };
/* Launches that count alike are taken to differ by this much at least (standard deviation, relative): three that happen
 * to be equal do not prove that all are. */
static const double MIN_VARIATION = 0.005;
/* Where fewer than two launches of a stratum were analyzed nothing is known of their variation. */
static const double UNKNOWN_VARIATION = 0.5;

/* ---- strata ---- */

/* A launch, to be sorted. */
typedef struct sorted {
    uint64_t key[5]; /* of its stratum */
    uint64_t size[2];
    uint32_t launch;
} sorted;

/* Coarse classes of a number: `steps` for each power of two; 0: every number is its own. */
static uint64_t class_of(uint64_t n, unsigned steps)
{
    return steps ? (uint64_t)(log2((double)n + 1) * steps) : n;
}

static sorted sort_key(const sl_launch_sample_unit *u, uint32_t launch, bool first, unsigned steps)
{
    return (sorted){{u->kernel, first ? 0 : 1 + class_of(u->thread_insts, steps), class_of(u->requests, steps),
                     class_of(u->sectors, steps), steps ? 0 : u->blocks},
                    {u->thread_insts, u->sectors},
                    launch};
}

static int compare(const void *a, const void *b)
{
    const sorted *x = a, *y = b;
    for (int i = 0; i < 5; i++)
        if (x->key[i] != y->key[i])
            return x->key[i] < y->key[i] ? -1 : 1;
    for (int i = 0; i < 2; i++)
        if (x->size[i] != y->size[i])
            return x->size[i] < y->size[i] ? -1 : 1;
    return (x->launch > y->launch) - (x->launch < y->launch);
}

/* The strata with so many classes per power of two; returns how many launches the first phase analyzes. */
static uint32_t make_strata(sl_launch_sample *s, sorted *item, const bool *first, unsigned steps)
{
    uint32_t chosen = 0;
    for (uint32_t n = 0; n < s->launches; n++)
        item[n] = sort_key(&s->unit[n], n, first[n], steps);
    qsort(item, s->launches, sizeof *item, compare);
    s->strata = 0;
    for (uint32_t i = 0; i < s->launches; i++) {
        if (!i || memcmp(item[i].key, item[i - 1].key, sizeof item->key) != 0)
            s->first[s->strata++] = i;
        s->order[i] = item[i].launch;
    }
    s->first[s->strata] = s->launches;
    for (uint32_t h = 0; h < s->strata; h++) {
        uint32_t size = s->first[h + 1] - s->first[h];
        s->parts[h] = size < FIRST_PARTS ? size : FIRST_PARTS;
        chosen += s->parts[h];
    }
    return chosen;
}

static uint32_t size_of(const sl_launch_sample *s, uint32_t stratum)
{
    return s->first[stratum + 1] - s->first[stratum];
}

/* Where a part begins in the order of the launches. Parts of parts begin where these do. */
static uint32_t part_start(const sl_launch_sample *s, uint32_t stratum, uint32_t part)
{
    return s->first[stratum] + (uint32_t)((uint64_t)part * size_of(s, stratum) / s->parts[stratum]);
}

/* Chooses a launch of each part of a stratum that has none; returns how many. */
static uint32_t choose(sl_launch_sample *s, uint32_t stratum)
{
    uint32_t added = 0;
    for (uint32_t p = 0; p < s->parts[stratum]; p++) {
        uint32_t from = part_start(s, stratum, p), until = part_start(s, stratum, p + 1);
        bool any = false;
        for (uint32_t i = from; i < until; i++)
            any |= s->chosen[s->order[i]];
        if (any)
            continue;
        uint64_t state = s->seed ^ ((uint64_t)s->first[stratum] << 32 | from);
        s->chosen[s->order[from + sl_splitmix64(&state) % (until - from)]] = true;
        added++;
    }
    s->chosen_launches += added;
    return added;
}

static void mark_first(const sl_launch_sample *s, bool *first)
{
    uint32_t kernels = 0;
    for (uint32_t n = 0; n < s->launches; n++)
        kernels = s->unit[n].kernel >= kernels ? s->unit[n].kernel + 1 : kernels;
    bool *seen = calloc(kernels + 1u, sizeof *seen);
    for (uint32_t n = 0; seen && n < s->launches; n++) {
        first[n] = !seen[s->unit[n].kernel];
        seen[s->unit[n].kernel] = true;
    }
    free(seen);
}

sl_status sl_launch_sample_create(sl_launch_sample_unit *unit, uint32_t launches, uint64_t seed, sl_launch_sample *s,
                                  sl_error *error)
{
    static const unsigned steps[] = {0, 8, 4, 2, 1};
    *s = (sl_launch_sample){.launches = launches, .seed = seed, .unit = unit};
    s->order = calloc(launches + 1u, sizeof *s->order);
    s->first = calloc(launches + 1u, sizeof *s->first);
    s->parts = calloc(launches + 1u, sizeof *s->parts);
    s->chosen = calloc(launches + 1u, sizeof *s->chosen);
    s->known = calloc(launches + 1u, sizeof *s->known);
    sorted *item = calloc(launches + 1u, sizeof *item);
    bool *first = calloc(launches + 1u, sizeof *first);
    bool made = unit && s->order && s->first && s->parts && s->chosen && s->known && item && first;
    if (made) {
        uint32_t limit = launches / FIRST_SHARE > FIRST_MIN ? launches / FIRST_SHARE : FIRST_MIN;
        mark_first(s, first);
        for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
            if (make_strata(s, item, first, steps[i]) <= limit)
                break;
        for (uint32_t h = 0; h < s->strata; h++)
            choose(s, h);
    }
    free(item);
    free(first);
    if (made)
        return SL_OK;
    sl_launch_sample_fini(s);
    return sl_fail_memory(error);
}

void sl_launch_sample_fini(sl_launch_sample *s)
{
    free(s->unit);
    free(s->order);
    free(s->first);
    free(s->parts);
    free(s->chosen);
    free(s->known);
    *s = (sl_launch_sample){0};
}

/* ---- how sure ---- */

/* Of the launches of a stratum that were analyzed. */
typedef struct spread {
    uint32_t size, known;
    double mean, deviation;
} spread;

/* What the number of a launch is in proportion to. */
static double scale_of(const sl_launch_sample *s, uint32_t launch, bool by_sectors)
{
    return by_sectors ? (double)s->unit[launch].sectors + 1 : 1;
}

/* `mean` is that of the values, `deviation` that of what they differ by from those which their scales let expect. */
static spread spread_of(const sl_launch_sample *s, uint32_t stratum, const double *value, bool by_sectors)
{
    spread r = {.size = size_of(s, stratum)};
    double sum = 0, scales = 0, squares = 0;
    for (uint32_t i = s->first[stratum]; i < s->first[stratum + 1]; i++)
        if (s->known[s->order[i]]) {
            r.known++;
            sum += value[s->order[i]];
            scales += scale_of(s, s->order[i], by_sectors);
        }
    for (uint32_t i = s->first[stratum]; i < s->first[stratum + 1] && r.known; i++)
        if (s->known[s->order[i]]) {
            double off = value[s->order[i]] - sum / scales * scale_of(s, s->order[i], by_sectors);
            squares += off * off;
        }
    r.mean = r.known ? sum / r.known : 0;
    double min = MIN_VARIATION * fabs(r.mean);
    r.deviation = r.known > 1 ? sqrt(squares / (r.known - 1)) : UNKNOWN_VARIATION * fabs(r.mean);
    r.deviation = r.deviation > min ? r.deviation : min;
    return r;
}

/* The 97.5 % quantile of Student's distribution. */
static double student(double freedom)
{
    static const double small[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228};
    if (freedom <= 1)
        return small[0];
    if (freedom < 10) {
        int at = (int)freedom;
        return small[at - 1] + (small[at] - small[at - 1]) * (freedom - at);
    }
    return 1.96 + 2.4 / freedom + 2.8 / (freedom * freedom);
}

bool sl_launch_sample_refine(sl_launch_sample *s, const double *value, double target)
{
    double weighted = 0, square = 0, total = 0;
    for (uint32_t h = 0; h < s->strata; h++) {
        spread r = spread_of(s, h, value, false);
        total += r.size * r.mean;
        if (r.known < r.size) {
            weighted += r.size * r.deviation;
            square += r.size * r.deviation * r.deviation;
        }
    }
    double half = target * fabs(total) / student(30), wanted = weighted * weighted / (half * half + square);
    uint32_t added = 0;
    for (uint32_t h = 0; h < s->strata && weighted > 0; h++) {
        spread r = spread_of(s, h, value, false);
        double launches = ceil(wanted * r.size * r.deviation / weighted);
        if (r.known == r.size || launches <= s->parts[h])
            continue;
        double parts = s->parts[h] * ceil(launches / s->parts[h]);
        s->parts[h] = parts < r.size ? (uint32_t)parts : r.size;
        added += choose(s, h);
    }
    return added;
}

sl_interval sl_launch_sample_interval(const sl_launch_sample *s, const uint32_t *of, const double *value,
                                      bool by_sectors, const double *allowance)
{
    sl_interval interval = {0};
    double variance = 0, freedom = 0, off = 0;
    for (uint32_t n = 0; n < s->launches; n++) {
        if (of[n] == UINT32_MAX)
            continue;
        interval.total += value[of[n]] * scale_of(s, n, by_sectors) / scale_of(s, of[n], by_sectors);
        off += allowance && of[n] != n ? allowance[n] : 0;
    }
    for (uint32_t h = 0; h < s->strata; h++) {
        spread r = spread_of(s, h, value, by_sectors);
        for (uint32_t i = s->first[h]; !r.known && i < s->first[h + 1]; i++)
            if (of[s->order[i]] != UINT32_MAX)
                off += UNKNOWN_VARIATION * fabs(value[of[s->order[i]]]);
        if (!r.known || r.known == r.size)
            continue;
        double rest = r.size - r.known, v = r.size * rest * r.deviation * r.deviation / r.known;
        variance += v;
        freedom += v * v / (r.known > 1 ? r.known - 1 : 1);
    }
    if (variance > 0)
        off += student(variance * variance / freedom) * sqrt(variance);
    interval.half = off;
    return interval;
}

/* ---- what stands for what ---- */

static double distance(const sl_launch_sample_unit *a, const sl_launch_sample_unit *b)
{
    double size = fabs(log2((double)a->thread_insts + 1) - log2((double)b->thread_insts + 1));
    return size + (a->kernel == b->kernel ? 0 : 1e3);
}

/* Of a stratum of which none was analyzed, since the run was ended: one of the same kernel, of about the same size. */
static uint32_t most_alike(const sl_launch_sample *s, uint32_t launch)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t n = 0; n < s->launches; n++)
        if (s->known[n] && (best == UINT32_MAX ||
                            distance(&s->unit[n], &s->unit[launch]) < distance(&s->unit[best], &s->unit[launch])))
            best = n;
    return best;
}

/* Of an analyzed launch before and one behind a launch in the order (UINT32_MAX: there is none) that of its part, which
 * is in [from, until), or the nearer one. */
static uint32_t nearer(uint32_t at, uint32_t before, uint32_t behind, uint32_t from, uint32_t until)
{
    if (before == UINT32_MAX || behind == UINT32_MAX)
        return before == UINT32_MAX ? behind : before;
    bool has_before = before >= from, has_behind = behind < until;
    if (has_before != has_behind)
        return has_before ? before : behind;
    return at - before <= behind - at ? before : behind;
}

static void stand_ins_of(const sl_launch_sample *s, uint32_t stratum, uint32_t *of)
{
    uint32_t from = s->first[stratum], until = s->first[stratum + 1], last = UINT32_MAX, part = s->parts[stratum];
    for (uint32_t i = from; i < until; i++) { /* the one before, as a position */
        last = s->known[s->order[i]] ? i : last;
        of[s->order[i]] = last;
    }
    last = UINT32_MAX;
    for (uint32_t i = until; i-- > from;) {
        last = s->known[s->order[i]] ? i : last;
        while (part && i < part_start(s, stratum, part - 1))
            part--;
        part = part ? part : 1;
        uint32_t near =
            nearer(i, of[s->order[i]], last, part_start(s, stratum, part - 1), part_start(s, stratum, part));
        of[s->order[i]] = near == UINT32_MAX ? UINT32_MAX : s->order[near];
    }
}

void sl_launch_sample_stand_ins(const sl_launch_sample *s, uint32_t *of)
{
    for (uint32_t h = 0; h < s->strata; h++) {
        stand_ins_of(s, h, of);
        if (of[s->order[s->first[h]]] != UINT32_MAX)
            continue;
        uint32_t other = most_alike(s, s->order[s->first[h]]);
        for (uint32_t i = s->first[h]; i < s->first[h + 1]; i++)
            of[s->order[i]] = other;
    }
}
