/* SPDX-License-Identifier: MIT */
/* Copy of a matrix in which each thread copies a row (Nugteren et al., HPCA 2014, figure 3). Nothing is shared between
 * threads; a thread uses a line of 128 bytes 32 times, in consecutive steps. Whether the line is still there depends on
 * what the other threads do in between: in step with each other, up to as many threads as the cache has lines find it
 * always and more never (3.1 % or 100 % misses). A limit on open misses lets some warps run ahead, which hurts the
 * former and helps the latter.
 *
 * The paper takes one block of 32 to 1024 threads and rows of 1024 floats: threads=32 … threads=1024. */
#include "workloads/common/inputs.h"

void sl_workload_rowcopy(sl_host *h)
{
    uint32_t threads = (uint32_t)sl_host_param(h, "threads", 1, 1024);
    uint32_t blocks = (uint32_t)sl_host_param(h, "blocks", 1, 1024);
    uint32_t width = (uint32_t)sl_host_param(h, "width", 1, 1024);
    uint64_t items = (uint64_t)blocks * threads * width, bytes = items * sizeof(float);
    float *in = sl_random_floats(h, items), *out = sl_host_new(h, float, items);
    uint64_t in_dev = sl_host_upload(h, "in", in, bytes), out_dev = sl_host_device(h, "out", bytes);

    sl_host_launch(h, "rowcopy", SL_DIM(blocks), SL_DIM(threads), 0, in_dev, out_dev, width);
    sl_host_download(h, out, out_dev, bytes);

    if (sl_host_checks(h))
        sl_check_f32(h, "out", out, in, items, 0, 0);
}
