/* SPDX-License-Identifier: MIT */
/* Lookup of the embeddings of a text's tokens, plus those of their positions: a block per token copies a row, 16
 * bytes per thread. Tokens follow Zipf's law, so a few rows of a table far larger than the caches are read over and
 * over and most are read once or never; rows of positions are reused once per sequence of `length` tokens. */
#include "workloads/common/inputs.h"
#include "workloads/common/zipf.h"

enum { THREADS = 128 };

void sl_workload_embedding_gather(sl_host *h)
{
    uint32_t tokens = (uint32_t)sl_host_param(h, "tokens", 1, 1u << 26);
    uint32_t vocabulary = (uint32_t)sl_host_param(h, "vocabulary", 1, 1u << 24);
    uint32_t width = (uint32_t)sl_host_param(h, "width", 4, 1u << 16);
    uint32_t length = (uint32_t)sl_host_param(h, "length", 1, 1u << 20);
    if (width % 4)
        sl_host_fail(h, SL_INVALID, "width is %u, but must be a multiple of 4", width);
    uint64_t row_bytes = width * sizeof(float), items = (uint64_t)tokens * width;
    uint32_t *token = sl_zipf_indices(h, tokens, vocabulary);
    float *table = sl_random_floats(h, (uint64_t)vocabulary * width);
    float *position = sl_random_floats(h, (uint64_t)length * width), *out = sl_host_new(h, float, items);
    uint64_t token_dev = sl_host_upload(h, "token", token, tokens * sizeof *token);
    uint64_t table_dev = sl_host_upload(h, "table", table, vocabulary * row_bytes);
    uint64_t position_dev = sl_host_upload(h, "position", position, length * row_bytes);
    uint64_t out_dev = sl_host_device(h, "out", tokens * row_bytes);

    sl_host_launch(h, "embedding_gather", SL_DIM(tokens), SL_DIM(THREADS), 0, token_dev, table_dev, position_dev,
                   out_dev, length, width / 4);
    sl_host_download(h, out, out_dev, tokens * row_bytes);

    if (!sl_host_checks(h))
        return;
    float *expected = sl_host_new(h, float, items);
    for (uint64_t t = 0; t < tokens; t++)
        for (uint64_t i = 0; i < width; i++)
            expected[t * width + i] = table[token[t] * (uint64_t)width + i] + position[t % length * width + i];
    sl_check_f32(h, "out", out, expected, items, 0, 0);
}
