/* SPDX-License-Identifier: MIT */
/* Which lines of memory share a cache set, and how many fit into one (Nugteren et al., HPCA 2014, section 5.1). One
 * block walks over `lines` lines with a stride of `stride` bytes, loads one word more, the probe, and walks again.
 * Every load is timed and waited for. The first launch has no probe; then follow `probes` launches whose probes lie at
 * the bytes first, first + step, ... of the same memory.
 *
 * How to read it: a launch gives cycles[2][lines], those of the first and of the second walk, or a simulator says
 * which loads of the second walk missed.
 *   - Without a probe everything hits as long as the lines fill the cache and no more: the largest such `lines`, at
 *     stride=128, is the capacity. That is the default: 128 lines for the 16 KB of Fermi.
 *   - With a probe those loads miss whose lines share its set, up to as many as there are ways: with LRU the probe
 *     evicts the oldest one, that one the next one, and so on. A sweep over probes gives the mapping.
 *   - warps=1 probes=0: as many lines as ways always fit, and each bit of the address that the lines vary and that is
 *     part of the set's number doubles what fits. So stride=2^n with growing `lines` tells the bits from n on (figure
 *     7).
 * The times of one launch, from a GPU:
 *   sluice run --on gpu set_mapping.ptx --grid 1 --block 128 --shared 1536 --arg u32[8K]:iota --arg u32[256]:zero
 *     --arg u32[128]:zero --arg u32:128 --arg u32:32 --arg s32:4096 --dump 1
 *
 * Differences from the paper's listing: barriers between the stages, and times are kept in shared memory until the end
 * so that their stores do not affect the cache. Loads are as wide as a line of 128 bytes. */
#include "workloads/common/inputs.h"

enum { LANES = 32, WORD = sizeof(uint32_t) };

typedef struct questions {
    uint32_t lines, stride, warps, probes, first, step; /* distances in words */
} questions;

static uint32_t words_param(sl_host *h, const char *name)
{
    uint64_t bytes = sl_host_param(h, name, 0, 1u << 30);
    if (bytes % WORD)
        sl_host_fail(h, SL_INVALID, "%s is %u, but must be a multiple of %d", name, (unsigned)bytes, WORD);
    return (uint32_t)(bytes / WORD);
}

static void add_walk(const questions *q, const uint32_t *memory, uint32_t *sums)
{
    for (uint32_t line = 0; line < q->lines; line++)
        for (uint32_t lane = 0; lane < LANES; lane++)
            sums[line % q->warps * LANES + lane] += memory[(size_t)line * q->stride + lane];
}

static void ask(sl_host *h, const questions *q, const uint32_t *memory, uint64_t memory_dev, int32_t probe)
{
    uint32_t threads = q->warps * LANES;
    uint64_t cycles_dev = sl_host_device(h, "cycles", 2ull * q->lines * WORD);
    uint64_t sums_dev = sl_host_device(h, "sums", threads * WORD);
    sl_host_launch(h, "set_mapping", SL_DIM(1), SL_DIM(threads), (2 * q->lines + threads) * WORD, memory_dev,
                   cycles_dev, sums_dev, q->lines, q->stride, probe);

    if (!sl_host_checks(h))
        return;
    uint32_t *sums = sl_host_new(h, uint32_t, threads), *expected = sl_host_new(h, uint32_t, threads);
    sl_host_download(h, sums, sums_dev, threads * WORD);
    add_walk(q, memory, expected);
    add_walk(q, memory, expected);
    if (probe >= 0)
        expected[0] += memory[probe];
    sl_check_u32(h, "sums", sums, expected, threads);
}

void sl_workload_set_mapping(sl_host *h)
{
    questions q = {
        .lines = (uint32_t)sl_host_param(h, "lines", 1, 4096),
        .stride = words_param(h, "stride"),
        .warps = (uint32_t)sl_host_param(h, "warps", 1, 32),
        .probes = (uint32_t)sl_host_param(h, "probes", 0, 1u << 16),
        .first = words_param(h, "first"),
        .step = words_param(h, "step"),
    };
    uint64_t words = (uint64_t)(q.lines - 1) * q.stride + LANES;
    uint64_t last_probe = q.first + (q.probes ? q.probes - 1ull : 0) * q.step;
    if (last_probe >= words)
        words = last_probe + 1;
    if (words >> 30)
        sl_host_fail(h, SL_INVALID, "lines and probes must lie within 4 GB");
    uint32_t *memory = sl_random_indices(h, words, UINT32_MAX);
    uint64_t memory_dev = sl_host_upload(h, "memory", memory, words * WORD);

    ask(h, &q, memory, memory_dev, -1);
    for (uint32_t p = 0; p < q.probes; p++)
        ask(h, &q, memory, memory_dev, (int32_t)(q.first + p * q.step));
}
