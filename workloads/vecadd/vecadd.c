/* SPDX-License-Identifier: MIT */
/* Vector addition: the plainest streaming program. Every line is accessed once, neighbouring lanes read neighbouring
 * words; a cache can do nothing for it but get out of the way. */
#include "workloads/common/inputs.h"

void sl_workload_vecadd(sl_host *h)
{
    uint32_t n = (uint32_t)sl_host_param(h, "n", 1, 1u << 30);
    float *a = sl_random_floats(h, n), *b = sl_random_floats(h, n), *c = sl_host_new(h, float, n);
    uint64_t a_dev = sl_host_upload(h, "a", a, n * sizeof *a), b_dev = sl_host_upload(h, "b", b, n * sizeof *b);
    uint64_t c_dev = sl_host_device(h, "c", n * sizeof *c);

    sl_host_launch(h, "vecadd", SL_DIM(sl_blocks(n, 256)), SL_DIM(256), 0, a_dev, b_dev, c_dev, n);
    sl_host_download(h, c, c_dev, n * sizeof *c);

    if (!sl_host_checks(h))
        return;
    for (uint32_t i = 0; i < n; i++)
        a[i] += b[i];
    sl_check_f32(h, "c", c, a, n, 0, 0);
}
