/* SPDX-License-Identifier: MIT */
/* What a comparison comes to, in words: which side is faster, by what the time is known from, and the instruction whose
 * change explains most.
 *
 * Time is that of both sides where both know it: simulated or measured, else estimated. Without a time it is the first
 * of DRAM reads, L1 misses, sectors and instructions that changed by 3%.
 *
 * The cause is looked for among sectors accessed, sectors that miss in L1, and wavefronts of shared memory, which move
 * the bytes of four sectors: that which changed most, in bytes, in the direction that the verdict has. Its kernel and
 * kind of instruction (loads, stores ...) is the one with the largest net change, since a rewritten access leaves one
 * instruction that is gone and some that are new. If one instruction has half of that change, it is the cause. */
#include "study/compare.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

static const double MIN_CHANGE = 0.03; /* of the larger side: what is worth a word */
static const double SAME_TIME = 0.005;

/* ---- words ---- */

/* Kinds of instructions, by the start of their opcode; the last one is any other. */
static const struct {
    const char *opcode, *of, *alone;
} kinds[] = {{"ld", "loads of", "loads"},
             {"st", "stores to", "stores"},
             {"atom", "atomics on", "atomics"},
             {"red", "reductions on", "reductions"},
             {"tex", "fetches from", "fetches"},
             {"cp", "copies of", "copies"},
             {"wgmma", "operands of", "matrix operands"},
             {"", "accesses to", "accesses"}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static size_t kind_of(const sl_compared_load *l)
{
    size_t kind = 0;
    while (strncmp(l->opcode, kinds[kind].opcode, strlen(kinds[kind].opcode)) != 0)
        kind++;
    return kind;
}

/* "loads of param_0"; "loads in kernel move" */
static char *object_of(sl_comparison *c, const sl_compared_load *l)
{
    size_t kind = kind_of(l);
    if (*l->array)
        return sl_arena_printf(&c->arena, "%s %s", kinds[kind].of, l->array);
    return sl_arena_printf(&c->arena, "%s in kernel %s", kinds[kind].alone, c->kernels.items[l->kernel].name);
}

static char *location_of(sl_comparison *c, const sl_compared_load *l)
{
    return l->moved ? sl_arena_printf(&c->arena, "%s, now %s", l->source, l->moved)
                    : sl_arena_strdup(&c->arena, l->source);
}

/* "2.1", "1.04" */
static char *ratio_text(double ratio, char buffer[SL_HUMAN_BYTES])
{
    return sl_human_ratio(ratio, ratio < 1.095 ? 2 : 1, buffer);
}

/* How a share or ratio of an instruction went: ", 4.0 sectors per request instead of 32.0". */
static char *went(sl_comparison *c, const char *what, const double v[2], int digits, const char *unit)
{
    char a[SL_HUMAN_BYTES], b[SL_HUMAN_BYTES];
    return sl_arena_printf(&c->arena, "%s%s%s instead of %s%s", sl_human_ratio(v[1], digits, b), unit, what,
                           sl_human_ratio(v[0], digits, a), unit);
}

static bool moved_by(const double v[2], double share)
{
    return fabs(v[1] - v[0]) > share * fmax(fabs(v[0]), fabs(v[1]));
}

/* What happened to the instruction: "loads of x are better coalesced, ... (slow.cu:9)". */
static char *cause_text(sl_comparison *c, const sl_compared_load *l, sl_metric metric)
{
    char *of = object_of(c, l), *location = location_of(c, l), *detail = NULL;
    if (!of || !location)
        return NULL;
    double v[2], n[2];
    char ratio[SL_HUMAN_BYTES];
    if (l->of.there[0] != l->of.there[1])
        return sl_arena_printf(&c->arena, "%s are %s (%s)", of, l->of.there[1] ? "new" : "gone", location);
    bool shared = metric == SL_METRIC_shared_ld_wavefronts || metric == SL_METRIC_shared_st_wavefronts;
    sl_metric requests = metric == SL_METRIC_shared_ld_wavefronts   ? SL_METRIC_shared_ld_requests
                         : metric == SL_METRIC_shared_st_wavefronts ? SL_METRIC_shared_st_requests
                                                                    : SL_METRIC_requests;
    bool counted =
        sl_compared_metric(&l->of, metric, v) && sl_compared_metric(&l->of, requests, n) && n[0] > 0 && n[1] > 0;
    const double each[2] = {counted ? v[0] / n[0] : 0, counted ? v[1] / n[1] : 0};
    if (metric == SL_METRIC_ld_sector_misses && sl_compared_metric(&l->of, SL_METRIC_l1_hit_rate, v) &&
        fabs(v[1] - v[0]) >= 0.1) {
        detail = went(c, "", v, 1, "%");
        return detail ? sl_arena_printf(&c->arena, "%s hit %s in L1, %s (%s)", of, v[1] > v[0] ? "more" : "less",
                                        detail, location)
                      : NULL;
    }
    if (metric != SL_METRIC_ld_sector_misses && counted && moved_by(each, MIN_CHANGE)) {
        detail = went(c, shared ? " wavefronts per access" : " sectors per request", each, 1, "");
        const char *how = each[1] < each[0] ? "better" : "worse";
        if (detail && shared)
            return sl_arena_printf(&c->arena, "%s have %s bank conflicts, %s (%s)", of,
                                   each[1] < each[0] ? "fewer" : "more", detail, location);
        return detail ? sl_arena_printf(&c->arena, "%s are %s coalesced, %s (%s)", of, how, detail, location) : NULL;
    }
    if (!counted || n[0] == n[1])
        return sl_arena_printf(&c->arena, "%s change most (%s)", of, location);
    ratio_text(n[0] > n[1] ? n[0] / n[1] : n[1] / n[0], ratio);
    return sl_arena_printf(&c->arena, "%sx %s %s (%s)", ratio, n[0] > n[1] ? "fewer" : "more", of, location);
}

/* ---- causes ---- */

static const struct {
    sl_metric metric;
    double sectors; /* that one of it moves */
} causes[] = {{SL_METRIC_sectors, 1},
              {SL_METRIC_ld_sector_misses, 1},
              {SL_METRIC_shared_ld_wavefronts, 4},
              {SL_METRIC_shared_st_wavefronts, 4}};

/* What changed most in a direction: 1: B has more, -1: B has less. False: nothing by 3%. */
static bool find_metric(const sl_comparison *c, int direction, sl_metric *metric)
{
    double most = 0;
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++) {
        double v[2] = {0, 0};
        for (int side = 0; side < 2; side++)
            if (!sl_counts_metric(causes[i].metric, &c->total.counts[side], &v[side]))
                v[side] = 0;
        double by = direction * (v[1] - v[0]) * causes[i].sectors;
        if (by <= most || !moved_by(v, MIN_CHANGE))
            continue;
        most = by;
        *metric = causes[i].metric;
    }
    return most > 0;
}

/* The instruction with the largest change in that direction; SIZE_MAX: none. */
static size_t find_load(const sl_comparison *c, sl_metric metric, int direction)
{
    size_t at = SIZE_MAX;
    double most = 0;
    for (size_t i = 0; i < c->loads.count; i++) {
        double by = direction * sl_compared_change(&c->loads.items[i].of, metric);
        if (by > most) {
            most = by;
            at = i;
        }
    }
    return at;
}

/* Joins the instructions of a kind in a kernel; `at`: the one that changed most, whose location they get. Their array
 * is named if A, or B where A has none, has only one. */
static sl_compared_load join_kind(const sl_comparison *c, size_t at)
{
    sl_compared_load all = c->loads.items[at];
    const char *array[2] = {NULL, NULL};
    all.of = (sl_compared_sides){0};
    for (size_t i = 0; i < c->loads.count; i++) {
        const sl_compared_load *l = &c->loads.items[i];
        for (int side = 0; side < 2; side++) {
            if (l->kernel != all.kernel || kind_of(l) != kind_of(&all) || !l->of.there[side])
                continue;
            array[side] = !array[side] || !strcmp(array[side], l->array) ? l->array : "";
            all.of.there[side] = true;
            sl_counts_merge(&all.of.counts[side], &l->of.counts[side]);
        }
    }
    all.array = array[0] ? array[0] : array[1] ? array[1] : "";
    return all;
}

/* Sets the cause, if one is found. False when memory runs out. */
static bool find_cause(sl_comparison *c, int direction)
{
    sl_metric metric = c->verdict.cause_metric;
    double *net = sl_arena_array(&c->arena, double, c->kernels.count *KINDS + 1), most = 0, own = 0;
    sl_compared_load *cause = sl_arena_array(&c->arena, sl_compared_load, 1);
    size_t group = 0, at = SIZE_MAX;
    if (!net || !cause)
        return false;
    for (size_t i = 0; i < c->loads.count; i++) {
        const sl_compared_load *l = &c->loads.items[i];
        net[l->kernel * KINDS + kind_of(l)] += direction * sl_compared_change(&l->of, metric);
    }
    for (size_t i = 0; i < c->kernels.count * KINDS; i++)
        if (net[i] > most) {
            most = net[i];
            group = i;
        }
    for (size_t i = 0; i < c->loads.count; i++) {
        const sl_compared_load *l = &c->loads.items[i];
        double by = direction * sl_compared_change(&l->of, metric);
        if (l->kernel * KINDS + kind_of(l) == group && by > own) {
            own = by;
            at = i;
        }
    }
    if (most <= 0 || at == SIZE_MAX)
        return true;
    const sl_compared_load *one = &c->loads.items[at];
    bool alone = one->of.there[0] && one->of.there[1] && own >= most / 2;
    *cause = alone ? *one : join_kind(c, at);
    c->verdict.cause = cause;
    return true;
}

/* Sets the cause; its words, "" where there is none. NULL when memory runs out. */
static char *explain(sl_comparison *c, int direction)
{
    sl_compared_verdict *v = &c->verdict;
    double insts[2];
    char ratio[SL_HUMAN_BYTES];
    if (direction && find_metric(c, direction, &v->cause_metric) && !find_cause(c, direction))
        return NULL;
    if (v->cause)
        return cause_text(c, v->cause, v->cause_metric);
    bool known = sl_compared_metric(&c->total, SL_METRIC_warp_insts, insts) && insts[0] > 0 && insts[1] > 0;
    if (!direction || !known || !moved_by(insts, MIN_CHANGE) || (insts[1] - insts[0]) * direction < 0)
        return sl_arena_strdup(&c->arena, "");
    ratio_text(direction < 0 ? insts[0] / insts[1] : insts[1] / insts[0], ratio);
    return sl_arena_printf(&c->arena, "%sx %s instructions", ratio, direction < 0 ? "fewer" : "more");
}

/* ---- what to look at ---- */

/* Whether all instructions of its kind in its kernel got worse: a rewritten access leaves some that are new, while
 * others are gone. */
static bool kind_is_worse(const sl_comparison *c, size_t at, sl_metric metric, double min_change)
{
    const sl_compared_load *of = &c->loads.items[at];
    double change = 0;
    for (size_t i = 0; i < c->loads.count; i++) {
        const sl_compared_load *l = &c->loads.items[i];
        if (l->kernel == of->kernel && kind_of(l) == kind_of(of))
            change += sl_compared_change(&l->of, metric);
    }
    return change >= min_change;
}

/* What got worse most in B; where nothing did, what has most. */
static bool look_next(sl_comparison *c)
{
    sl_metric metric = c->load_effect;
    double all = 0, value, most = 0;
    size_t at = find_load(c, metric, 1);
    char text[SL_METRIC_BYTES], share[SL_HUMAN_BYTES];
    if (!sl_counts_metric(metric, &c->total.counts[1], &all) || all <= 0)
        return true;
    bool worse = at != SIZE_MAX && sl_compared_change(&c->loads.items[at].of, metric) >= MIN_CHANGE * all &&
                 kind_is_worse(c, at, metric, MIN_CHANGE * all);
    for (size_t i = 0; !worse && i < c->loads.count; i++) {
        const sl_compared_sides *of = &c->loads.items[i].of;
        if (of->there[1] && sl_counts_metric(metric, &of->counts[1], &value) && value > most) {
            most = value;
            at = i;
        }
    }
    if (!worse && most <= 0)
        return true;
    const sl_compared_load *l = &c->loads.items[at];
    char *of = object_of(c, l);
    const char *where = l->moved ? l->moved : l->source, *what = sl_metric_infos[metric].long_heading;
    if (!of)
        return false;
    if (worse) {
        const sl_metric_row row = {.counts = &l->of.counts[1]};
        char by[SL_METRIC_BYTES];
        c->verdict.next = sl_arena_printf(&c->arena, "%s (%s): B has more %s there, %s (%s)", of, where, what,
                                          sl_metric_text(metric, &row, 1, text), sl_change_text(&l->of, metric, by));
    } else {
        c->verdict.next = sl_arena_printf(&c->arena, "%s (%s): they have %s%% of the %s of B", of, where,
                                          sl_human_ratio(100 * most / all, 0, share), what);
    }
    return c->verdict.next;
}

/* ---- the verdict ---- */

static bool known_time(const sl_comparison *c, sl_metric metric, double v[2])
{
    return sl_compared_metric(&c->total, metric, v) && v[0] > 0 && v[1] > 0;
}

/* What both sides know of time. Cycles say nothing where clocks differ, so that nanoseconds are looked at first. The
 * estimates are looked for by name: not every report has such counters. */
static bool find_time(sl_compared_verdict *verdict, const sl_comparison *c, double v[2])
{
    double other[2];
    sl_counter estimated = sl_counter_find("est_ns");
    bool has_estimate = estimated < SL_COUNTERS && known_time(c, (sl_metric)estimated, other);
    if (!has_estimate) {
        estimated = sl_counter_find("est_cycles");
        has_estimate = estimated < SL_COUNTERS && known_time(c, (sl_metric)estimated, other);
    }
    bool cycles = known_time(c, SL_METRIC_cycles, v), time = known_time(c, SL_METRIC_time_ns, v);
    if (has_estimate)
        verdict->estimated = other[0] / other[1];
    if (time || cycles) {
        verdict->metric = time ? SL_METRIC_time_ns : SL_METRIC_cycles;
        verdict->kind = cycles ? "simulated" : "measured";
        return known_time(c, verdict->metric, v);
    }
    if (!has_estimate)
        return false;
    verdict->metric = (sl_metric)estimated;
    verdict->kind = "estimated";
    return known_time(c, verdict->metric, v);
}

/* The first that changed worth a word. */
static bool find_change(sl_compared_verdict *verdict, const sl_comparison *c, double v[2])
{
    static const sl_metric metrics[] = {SL_METRIC_dram_read_sectors, SL_METRIC_ld_sector_misses, SL_METRIC_sectors,
                                        SL_METRIC_warp_insts};
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
        if (sl_compared_metric(&c->total, metrics[i], v) && moved_by(v, MIN_CHANGE)) {
            verdict->metric = metrics[i];
            return true;
        }
    return false;
}

static char *time_text(sl_comparison *c, const double v[2])
{
    const sl_compared_verdict *verdict = &c->verdict;
    char ratio[SL_HUMAN_BYTES], by[SL_HUMAN_BYTES], estimate[64] = "";
    bool same = !moved_by(v, SAME_TIME);
    if (verdict->estimated > 0 && strcmp(verdict->kind, "estimated") != 0) {
        double e = verdict->estimated;
        snprintf(estimate, sizeof estimate, "; estimated %sx%s", ratio_text(e < 1 ? 1 / e : e, by),
                 e < 1 ? " slower" : "");
    }
    if (same)
        return sl_arena_printf(&c->arena, "A and B take the same time (%s%s)", verdict->kind, estimate);
    ratio_text(v[1] < v[0] ? v[0] / v[1] : v[1] / v[0], ratio);
    return sl_arena_printf(&c->arena, "B is %sx %s (%s%s)", ratio, v[1] < v[0] ? "faster" : "slower", verdict->kind,
                           estimate);
}

static char *change_words(sl_comparison *c, const double v[2])
{
    const char *what = sl_metric_infos[c->verdict.metric].long_heading;
    static const char untimed[] = "no time is known: simulate both sides for one";
    char ratio[SL_HUMAN_BYTES];
    if (v[0] <= 0 || v[1] <= 0)
        return sl_arena_printf(&c->arena, "%s has no %s, %s has (%s)", v[0] <= 0 ? "A" : "B", what,
                               v[0] <= 0 ? "B" : "A", untimed);
    ratio_text(v[1] < v[0] ? v[0] / v[1] : v[1] / v[0], ratio);
    return sl_arena_printf(&c->arena, "B has %sx %s %s (%s)", ratio, v[1] < v[0] ? "fewer" : "more", what, untimed);
}

bool sl_compare_conclude(sl_comparison *c)
{
    double v[2] = {0, 0};
    c->verdict = (sl_compared_verdict){.metric = c->effect, .ratio = NAN, .cause_metric = SL_METRIC_sectors};
    char *text;
    int direction = 0;
    if (find_time(&c->verdict, c, v)) {
        text = time_text(c, v);
        direction = moved_by(v, SAME_TIME) ? (v[1] > v[0] ? 1 : -1) : 0;
    } else if (find_change(&c->verdict, c, v)) {
        text = change_words(c, v);
        direction = v[1] > v[0] ? 1 : -1;
    } else {
        text = sl_arena_strdup(&c->arena, "No large difference in DRAM reads, L1 misses, sectors or instructions");
    }
    if (v[1] > 0)
        c->verdict.ratio = v[0] / v[1];
    char *why = explain(c, direction);
    if (!text || !why)
        return false;
    c->verdict.text = *why ? sl_arena_printf(&c->arena, "%s: %s", text, why) : text;
    return c->verdict.text && (!direction || look_next(c));
}
