/* SPDX-License-Identifier: MIT */
/* A table that just fits the L1 of every core (224 KB by default), read at random row by row, with a stream beside it
 * that nobody reads twice and few enough warps that their loads are waited for. Lines of the stream in L1 take capacity
 * from the table: the case that bypassing L1 is for. The sums are of whole numbers and compared exactly. */
#include "workloads/common/table_stream.h"

void sl_workload_table_stream_l1(sl_host *h)
{
    sl_table_stream t = sl_table_stream_start(h, 128); /* words of a row */
    if (!sl_host_checks(h))
        return;
    for (uint32_t thread = 0; thread < t.threads; thread++) {
        uint32_t state = thread / 32, sum = 0;
        for (uint32_t i = 0; i < t.steps; i++) {
            const uint32_t *s = &t.stream[4 * ((uint64_t)i * t.threads + thread)];
            sum += s[0] + s[1] + s[2] + s[3];
            for (int read = 0; read < 8; read++) {
                state = state * 1664525u + 1013904223u;
                const uint32_t *a = &t.table[((uint64_t)state * t.rows >> 32) * 128 + thread % 32 * 4];
                sum += (a[0] ^ a[1]) + (a[2] ^ a[3]);
            }
        }
        t.expected[thread] = sum;
    }
    sl_check_u32(h, "out", t.out, t.expected, t.threads);
}
