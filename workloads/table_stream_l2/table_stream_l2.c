/* SPDX-License-Identifier: MIT */
/* A table that just fits the L2 of a large GPU (32 MB by default), read at random word by word, with a stream beside it
 * that is four times as wide and read once. Lines of the stream in L2 take capacity from the table: the case that
 * marking loads as first to evict is for. The sums are of whole numbers and compared exactly. */
#include "workloads/common/table_stream.h"

void sl_workload_table_stream_l2(sl_host *h)
{
    sl_table_stream t = sl_table_stream_start(h, 1); /* words of a row */
    if (!sl_host_checks(h))
        return;
    for (uint32_t thread = 0; thread < t.threads; thread++) {
        uint32_t state = thread * 747796405u + 2891336453u, sum = 0;
        for (uint32_t i = 0; i < t.steps; i++) {
            const uint32_t *s = &t.stream[4 * ((uint64_t)i * t.threads + thread)];
            state = state * 1664525u + 1013904223u;
            sum += t.table[(uint64_t)state * t.rows >> 32] ^ (s[0] + s[1] + s[2] + s[3]);
        }
        t.expected[thread] = sum;
    }
    sl_check_u32(h, "out", t.out, t.expected, t.threads);
}
