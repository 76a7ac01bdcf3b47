/* SPDX-License-Identifier: MIT */
/* Causal attention of a transformer in half precision, tiled as FlashAttention-2 does it (Dao 2023), with the products
 * in the matrix units: halves in memory, sums in single precision. A block keeps 64 queries of a head in registers and
 * streams the keys and values before them through shared memory in tiles of 64, each loaded with 16 bytes per thread:
 * few memory instructions, all of full lines, and reuse only between the blocks of a head. Rows of a head have
 * a stride of heads * 128 bytes. Later blocks have more to do. Simplified: one size of head (64), no asynchronous
 * copies, padding of shared memory instead of a swizzle. */
#include "workloads/common/attention.h"
#include "workloads/common/half.h"
#include "workloads/common/inputs.h"

enum { DIM = 64, ROWS = 64, THREADS = 128 };

void sl_workload_attention_f16(sl_host *h)
{
    sl_attention shape = sl_attention_shape(h, DIM, ROWS);
    uint64_t items = sl_attention_items(&shape), bytes = items * sizeof(uint16_t);
    /* All of them are halves. */
    float *q = sl_random_floats(h, items), *k = sl_random_floats(h, items), *v = sl_random_floats(h, items);
    uint16_t *out = sl_host_new(h, uint16_t, items);
    uint64_t q_dev = sl_host_upload(h, "q", sl_halves_of_floats(h, q, items), bytes);
    uint64_t k_dev = sl_host_upload(h, "k", sl_halves_of_floats(h, k, items), bytes);
    uint64_t v_dev = sl_host_upload(h, "v", sl_halves_of_floats(h, v, items), bytes);
    uint64_t out_dev = sl_host_device(h, "out", bytes);

    sl_host_launch(h, "attention_f16", SL_DIM(shape.length / ROWS, shape.heads, shape.batch), SL_DIM(THREADS), 0, q_dev,
                   k_dev, v_dev, out_dev, shape.length, shape.heads, sl_attention_scale(&shape));
    sl_host_download(h, out, out_dev, bytes);

    if (!sl_host_checks(h))
        return;
    /* Weights are rounded to halves, then the averages of values up to 1 are. */
    sl_check_f32(h, "out", sl_floats_of_halves(h, out, items), sl_reference_attention(h, &shape, q, k, v), items,
                 0x1p-11, 0x1p-11);
}
