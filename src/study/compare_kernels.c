/* SPDX-License-Identifier: MIT */
/* Likeness of two kernels: what their instructions have in common by opcode and by array, as twice the common ones over
 * all (Dice), each counted once as a kind and once as often as it is there; the mean of the four. Kernels of one
 * function, as two instances of a template, are always alike; a common beginning of their names helps ("move" and
 * "move_soa"). */
#include "study/compare.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

/* MAX_LEFT: with more renamed kernels than that, the first ones are compared, those with --match always. */
enum { MAX_LEFT = 256 };
static const double MIN_LIKENESS = 0.5;

static bool on_side_alone(const sl_compared_kernel *k, int side)
{
    return k->of.there[side] && !k->of.there[!side];
}

/* Moves what B has of kernel `from` to kernel `to`. */
static void join(sl_comparison *c, size_t to, size_t from, bool by_likeness)
{
    sl_compared_kernel *a = &c->kernels.items[to], *b = &c->kernels.items[from];
    a->of.there[1] = true;
    a->of.counts[1] = b->of.counts[1];
    a->of.launches[1] = b->of.launches[1];
    a->renamed = strcmp(a->name, b->name) ? b->name : b->symbol;
    a->by_likeness = by_likeness;
    b->of.there[1] = false;
    for (size_t i = 0; i < c->loads.count; i++)
        if (c->loads.items[i].kernel == from)
            c->loads.items[i].kernel = to;
}

/* ---- as asked ---- */

static bool is_named(const char *name, const char *text, size_t length)
{
    return strlen(name) == length && !memcmp(name, text, length);
}

/* The kernel of one side alone with that symbol or name. */
static sl_status find(const sl_comparison *c, int side, const char *text, size_t length, size_t *at, sl_error *error)
{
    bool there = false;
    for (size_t i = 0; i < c->kernels.count; i++) {
        const sl_compared_kernel *k = &c->kernels.items[i];
        if (!is_named(k->symbol, text, length) && !is_named(k->name, text, length))
            continue;
        *at = i;
        if (on_side_alone(k, side))
            return SL_OK;
        there |= k->of.there[side];
    }
    if (there)
        return sl_fail(error, SL_INVALID, "kernel '%.*s' of %c already has a kernel of the other side", (int)length,
                       text, 'A' + side);
    return sl_fail(error, SL_INVALID, "%c has no kernel '%.*s'", 'A' + side, (int)length, text);
}

static sl_status match_named(sl_comparison *c, const char *text, sl_error *error)
{
    /* Names may hold '=', as in "operator=": the first division that names a kernel of each side is taken. */
    sl_status status = sl_fail(error, SL_INVALID, "'%s': write OLD=NEW, a kernel of A and one of B", text);
    for (const char *equals = strchr(text, '='); equals; equals = strchr(equals + 1, '=')) {
        size_t a = 0, b = 0;
        status = find(c, 0, text, (size_t)(equals - text), &a, error);
        if (!status)
            status = find(c, 1, equals + 1, strlen(equals + 1), &b, error);
        if (status)
            continue;
        join(c, a, b, false);
        return SL_OK;
    }
    return status;
}

/* ---- by likeness ---- */

/* A kernel that is left, and hashes of its instructions, sorted. */
typedef struct left {
    size_t kernel;
    size_t loads;
    uint64_t *opcode, *array; /* arrays without the offset behind "+" */
} left;

typedef struct pair {
    double likeness;
    size_t a, b; /* of those that are left */
} pair;

static int by_value(const void *x, const void *y)
{
    uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return (a > b) - (a < b);
}

static int by_likeness(const void *x, const void *y)
{
    const pair *p = x, *q = y;
    if (p->likeness != q->likeness)
        return p->likeness > q->likeness ? -1 : 1;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    return (p->b > q->b) - (p->b < q->b);
}

/* Twice what two sorted lists have in common, over all; `kinds`: what is there several times counts once. */
static double in_common(const uint64_t *a, size_t as, const uint64_t *b, size_t bs, bool kinds)
{
    size_t common = 0, all = 0;
    for (size_t i = 0, j = 0; i < as || j < bs;) {
        bool of_a = i < as && (j == bs || a[i] <= b[j]), of_b = j < bs && (i == as || b[j] <= a[i]);
        uint64_t value = of_a ? a[i] : b[j];
        common += of_a && of_b;
        all += (size_t)of_a + of_b;
        i += of_a;
        j += of_b;
        while (kinds && i < as && a[i] == value)
            i++;
        while (kinds && j < bs && b[j] == value)
            j++;
    }
    return all ? 2.0 * (double)common / (double)all : 0;
}

/* The name of a function without its parameters and those of its template. */
static size_t function_length(const char *name)
{
    return strcspn(name, "<(");
}

/* The share of the shorter name that both begin with. */
static double begins_alike(const char *a, size_t as, const char *b, size_t bs)
{
    size_t shorter = as < bs ? as : bs, same = 0;
    while (same < shorter && a[same] == b[same])
        same++;
    return shorter ? (double)same / (double)shorter : 0;
}

static double likeness_of(const sl_comparison *c, const left *a, const left *b)
{
    static const double NAME = 0.25; /* what a common beginning is worth, besides instructions */
    const char *of_a = c->kernels.items[a->kernel].name, *of_b = c->kernels.items[b->kernel].name;
    size_t as = function_length(of_a), bs = function_length(of_b);
    bool one_function = as && as == bs && !memcmp(of_a, of_b, as);
    double alike = 0;
    for (int kinds = 0; kinds < 2; kinds++)
        alike += (in_common(a->opcode, a->loads, b->opcode, b->loads, kinds) +
                  in_common(a->array, a->loads, b->array, b->loads, kinds)) /
                 4;
    return alike + one_function + NAME * begins_alike(of_a, as, of_b, bs);
}

static bool read_left(sl_comparison *c, int side, const size_t *first, const size_t *load, left *to, size_t *count)
{
    for (size_t k = 0; k < c->kernels.count && *count < MAX_LEFT; k++) {
        if (!on_side_alone(&c->kernels.items[k], side))
            continue;
        size_t loads = first[k + 1] - first[k];
        left *l = &to[(*count)++];
        *l = (left){.kernel = k,
                    .loads = loads,
                    .opcode = sl_arena_array(&c->arena, uint64_t, loads + 1),
                    .array = sl_arena_array(&c->arena, uint64_t, loads + 1)};
        if (!l->opcode || !l->array)
            return false;
        for (size_t i = 0; i < loads; i++) {
            const sl_compared_load *of = &c->loads.items[load[first[k] + i]];
            l->opcode[i] = sl_hash64(of->opcode, strlen(of->opcode));
            l->array[i] = sl_hash64(of->array, strcspn(of->array, "+"));
        }
        qsort(l->opcode, loads, sizeof *l->opcode, by_value);
        qsort(l->array, loads, sizeof *l->array, by_value);
    }
    return true;
}

/* The best pairs first; each kernel has one at most. */
static void join_pairs(sl_comparison *c, const left *a, size_t as, const left *b, size_t bs, pair *pairs)
{
    size_t count = 0;
    for (size_t i = 0; i < as; i++)
        for (size_t j = 0; j < bs; j++) {
            double likeness = likeness_of(c, &a[i], &b[j]);
            if (likeness >= MIN_LIKENESS)
                pairs[count++] = (pair){likeness, i, j};
        }
    qsort(pairs, count, sizeof *pairs, by_likeness);
    for (size_t i = 0; i < count; i++) {
        size_t to = a[pairs[i].a].kernel, from = b[pairs[i].b].kernel;
        if (on_side_alone(&c->kernels.items[to], 0) && on_side_alone(&c->kernels.items[from], 1))
            join(c, to, from, true);
    }
}

static bool match_alike(sl_comparison *c)
{
    left *of[2] = {calloc(MAX_LEFT, sizeof(left)), calloc(MAX_LEFT, sizeof(left))};
    size_t count[2] = {0, 0}, *first = NULL, *load = NULL;
    bool good = of[0] && of[1] && sl_comparison_by_kernel(c, &first, &load);
    for (int side = 0; side < 2 && good; side++)
        good = read_left(c, side, first, load, of[side], &count[side]);
    pair *pairs = good ? calloc(count[0] * count[1] + 1, sizeof *pairs) : NULL;
    if (pairs)
        join_pairs(c, of[0], count[0], of[1], count[1], pairs);
    good = pairs;
    free(pairs);
    free(first);
    free(load);
    free(of[0]);
    free(of[1]);
    return good;
}

/* Leaves out kernels that were joined with others. */
static bool compact(sl_comparison *c)
{
    size_t *to = calloc(c->kernels.count + 1, sizeof *to), kept = 0;
    if (!to)
        return false;
    for (size_t k = 0; k < c->kernels.count; k++) {
        to[k] = kept;
        if (c->kernels.items[k].of.there[0] || c->kernels.items[k].of.there[1])
            c->kernels.items[kept++] = c->kernels.items[k];
    }
    c->kernels.count = kept;
    for (size_t i = 0; i < c->loads.count; i++)
        c->loads.items[i].kernel = to[c->loads.items[i].kernel];
    free(to);
    return true;
}

sl_status sl_compare_match_kernels(sl_comparison *c, const char *const *match, size_t matches, sl_error *error)
{
    for (size_t i = 0; i < matches; i++) {
        sl_status status = match_named(c, match[i], error);
        if (status)
            return status;
    }
    return match_alike(c) && compact(c) ? SL_OK : sl_fail_memory(error);
}
