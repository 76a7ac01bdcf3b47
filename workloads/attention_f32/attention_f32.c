/* SPDX-License-Identifier: MIT */
/* Causal attention of a transformer in single precision, tiled as FlashAttention does it (Dao et al. 2022): the matrix
 * of scores never reaches memory. A block keeps 32 queries of a head and streams the keys and values before them
 * through shared memory, so each is read by all blocks of later queries of the head: reuse between blocks, over a
 * distance that the length sets, and none within one. Rows of a head have a stride of heads * 256 bytes. Later blocks
 * have more to do. Simplified: one size of head (64), no asynchronous copies. */
#include "workloads/common/attention.h"
#include "workloads/common/inputs.h"

enum { DIM = 64, ROWS = 32, THREADS = 128 };

void sl_workload_attention_f32(sl_host *h)
{
    sl_attention shape = sl_attention_shape(h, DIM, ROWS);
    uint64_t items = sl_attention_items(&shape), bytes = items * sizeof(float);
    float *q = sl_random_floats(h, items), *k = sl_random_floats(h, items), *v = sl_random_floats(h, items);
    float *out = sl_host_new(h, float, items);
    uint64_t q_dev = sl_host_upload(h, "q", q, bytes), k_dev = sl_host_upload(h, "k", k, bytes);
    uint64_t v_dev = sl_host_upload(h, "v", v, bytes), out_dev = sl_host_device(h, "out", bytes);

    sl_host_launch(h, "attention_f32", SL_DIM(shape.length / ROWS, shape.heads, shape.batch), SL_DIM(THREADS), 0, q_dev,
                   k_dev, v_dev, out_dev, shape.length, shape.heads, sl_attention_scale(&shape));
    sl_host_download(h, out, out_dev, bytes);

    if (!sl_host_checks(h))
        return;
    /* Averages of values up to 1, with weights whose errors are a few units in the last place of scores up to 12. */
    sl_check_f32(h, "out", out, sl_reference_attention(h, &shape, q, k, v), items, 1e-5, 0);
}
