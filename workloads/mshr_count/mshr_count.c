/* SPDX-License-Identifier: MIT */
/* How many misses a core, and a warp of it, can have open at a time (Nugteren et al., HPCA 2014, section 5.2). In one
 * block of `warps` warps one thread of each warp loads from that many separate lines, without waiting in between, and
 * times them all together. Load i of warp w goes to line (w + i * warps), and lines have a stride of `stride` bytes. A
 * first launch fills all lines into L2; then follow launches with least, least + 1, ... most loads per warp.
 *
 * How to read it: a launch gives cycles[warps], or a simulator says how long it took. The time hardly grows with the
 * loads, up to the load for which no register is free: it waits for the first ones to come back, and the time doubles.
 * On Fermi with one warp that is the 7th load, with 10 warps also the 7th, with 11 the 6th, with 13 the 5th, with 17
 * the 4th: at most 6 per warp and 64 per core.
 *   - stride=4096 is the paper's. Where a miss reserves a line at once, the ways of the sets that the lines fall on are
 *     a limit too, and with Fermi's mapping of addresses these lines share 16 sets of 4 ways: 64 again. stride=128
 *     spreads them over all sets and distinguishes the two.
 *   - With sectors of 32 bytes a miss may be one of a sector: stride=32 against stride=128 tells.
 * The times of one launch, from a GPU:
 *   sluice run --on gpu mshr_count.ptx --grid 1 --block 320 --arg u32[64K]:iota --arg u32[10]:zero --arg u32[10]:zero
 *     --arg u32:1024 --arg u32:6 --dump 1
 *
 * Differences from the paper's listing: a barrier lets all warps begin together, and the code holds 32 loads of which
 * `loads` are executed, so that other instructions cost the same for all. */
#include "workloads/common/inputs.h"

enum { LANES = 32, WORD = sizeof(uint32_t) };

static void ask(sl_host *h, const uint32_t *memory, uint64_t memory_dev, uint32_t warps, uint32_t stride,
                uint32_t loads)
{
    uint64_t cycles_dev = sl_host_device(h, "cycles", warps * WORD), sums_dev = sl_host_device(h, "sums", warps * WORD);
    sl_host_launch(h, "mshr_count", SL_DIM(1), SL_DIM(warps * LANES), 0, memory_dev, cycles_dev, sums_dev, stride,
                   loads);

    if (!sl_host_checks(h))
        return;
    uint32_t *sums = sl_host_new(h, uint32_t, warps), *expected = sl_host_new(h, uint32_t, warps);
    sl_host_download(h, sums, sums_dev, warps * WORD);
    for (uint32_t line = 0; line < loads * warps; line++)
        expected[line % warps] += memory[(size_t)line * stride];
    sl_check_u32(h, "sums", sums, expected, warps);
}

void sl_workload_mshr_count(sl_host *h)
{
    uint32_t warps = (uint32_t)sl_host_param(h, "warps", 1, 32);
    uint32_t least = (uint32_t)sl_host_param(h, "least", 1, 32), most = (uint32_t)sl_host_param(h, "most", least, 32);
    uint32_t stride_bytes = (uint32_t)sl_host_param(h, "stride", WORD, 1u << 20), stride = stride_bytes / WORD;
    if (stride_bytes % WORD)
        sl_host_fail(h, SL_INVALID, "stride is %u, but must be a multiple of %d", stride_bytes, WORD);
    uint64_t words = ((uint64_t)warps * most - 1) * stride + 1;
    uint32_t *memory = sl_random_indices(h, words, UINT32_MAX);
    uint64_t memory_dev = sl_host_upload(h, "memory", memory, words * WORD);

    ask(h, memory, memory_dev, warps, stride, most);
    for (uint32_t loads = least; loads <= most; loads++)
        ask(h, memory, memory_dev, warps, stride, loads);
}
