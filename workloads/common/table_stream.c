/* SPDX-License-Identifier: MIT */
#include "workloads/common/table_stream.h"

/* Words that differ, made fast: streams are long. */
static void fill(uint32_t *words, uint64_t count, uint64_t seed)
{
    for (uint64_t i = 0; i < count; i++) {
        uint64_t x = (i + seed) * 0x9e3779b97f4a7c15u;
        words[i] = (uint32_t)(x >> 32 ^ x >> 13);
    }
}

sl_table_stream sl_table_stream_start(sl_host *h, uint32_t row_words)
{
    sl_table_stream t = {0};
    uint64_t table_words = sl_host_param(h, "table", 1, 1u << 20) * 256;
    uint32_t blocks = (uint32_t)sl_host_param(h, "blocks", 1, 1u << 16);
    uint32_t block = (uint32_t)sl_host_param(h, "threads", 32, 1024);
    t.steps = (uint32_t)sl_host_param(h, "steps", 1, 1u << 16);
    t.threads = blocks * block;
    t.rows = (uint32_t)(table_words / row_words);
    if (block % 32)
        sl_host_fail(h, SL_INVALID, "a block is a multiple of 32 threads");
    uint64_t stream_words = 4 * (uint64_t)t.threads * t.steps, seed = sl_random_u64(sl_host_random(h));
    t.table = sl_host_new(h, uint32_t, table_words);
    t.stream = sl_host_new(h, uint32_t, stream_words);
    t.out = sl_host_new(h, uint32_t, t.threads);
    t.expected = sl_host_new(h, uint32_t, t.threads);
    fill(t.table, table_words, seed);
    fill(t.stream, stream_words, ~seed);
    uint64_t table = sl_host_upload(h, "table", t.table, table_words * 4);
    uint64_t stream = sl_host_upload(h, "stream", t.stream, stream_words * 4);
    uint64_t out = sl_host_device(h, "out", t.threads * (uint64_t)4);
    sl_host_launch(h, "table_stream", SL_DIM(blocks), SL_DIM(block), 0, table, stream, out, t.rows, t.steps);
    sl_host_download(h, t.out, out, t.threads * (uint64_t)4);
    return t;
}
