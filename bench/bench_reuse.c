/* SPDX-License-Identifier: MIT */
/* Reuse distances: time per access for 10^3 … 10^6 distinct keys, next to a plain LRU stack (a list that is searched
 * and shifted at every access) where that is fast enough. Keys are random, so that distances are as long as they get.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "bench.h"
#include "reuse/reuse.h"

typedef struct setting {
    uint64_t keys, accesses;
    sl_reuse *reuse;
    uint64_t *stack; /* latest first */
    uint64_t sum;    /* of all distances, to check that both agree */
} setting;

static void access_reuse(void *context)
{
    setting *s = context;
    sl_random random = sl_random_seed(1);
    s->sum = 0;
    sl_reuse_reset(s->reuse);
    for (uint64_t i = 0; i < s->keys; i++)
        sl_reuse_access(s->reuse, i);
    for (uint64_t i = 0; i < s->accesses; i++)
        s->sum += sl_reuse_access(s->reuse, sl_random_below(&random, s->keys));
}

static void access_stack(void *context)
{
    setting *s = context;
    sl_random random = sl_random_seed(1);
    s->sum = 0;
    for (uint64_t i = 0; i < s->keys; i++)
        s->stack[i] = s->keys - 1 - i;
    for (uint64_t i = 0; i < s->accesses; i++) {
        uint64_t key = sl_random_below(&random, s->keys), at = 0;
        while (s->stack[at] != key)
            at++;
        memmove(s->stack + 1, s->stack, at * sizeof *s->stack);
        s->stack[0] = key;
        s->sum += at;
    }
}

static double ns_per_access(void (*run)(void *), setting *s)
{
    return bench_best(run, s, 0.3) * 1e9 / (double)(s->accesses + s->keys);
}

int main(void)
{
    int missed = 0;
    double first = 0, last = 0;
    puts("reuse distances, random accesses");
    for (uint64_t keys = 1000; keys <= 1000000; keys *= 10) {
        setting s = {.keys = keys, .accesses = keys * 4, .reuse = sl_reuse_create(), .stack = calloc(keys, 8)};
        char what[80];
        if (!s.reuse || !s.stack)
            return 1;
        last = ns_per_access(access_reuse, &s);
        first = first ? first : last;
        snprintf(what, sizeof what, "%llu keys", (unsigned long long)keys);
        bench_value(what, last, "ns/access");
        if (keys <= 10000) {
            uint64_t sum = s.sum;
            double plain = ns_per_access(access_stack, &s);
            snprintf(what, sizeof what, "%llu keys, faster than a plain stack by", (unsigned long long)keys);
            missed += bench_goal(what, plain / last, "times", true, keys == 1000 ? 2 : 20);
            if (sum != s.sum) {
                puts("  the two implementations differ");
                return 1;
            }
        }
        sl_reuse_destroy(s.reuse);
        free(s.stack);
    }
    /* N log M: twice the logarithm; what is beyond that is the caches of this machine. */
    missed += bench_goal("10^6 keys over 10^3 keys", last / first, "times", false, 30);
    return missed ? 1 : 0;
}
