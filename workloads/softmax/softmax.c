/* SPDX-License-Identifier: MIT */
/* Softmax over the rows of a matrix, as over the words a language model may say next: a block per row, which is read
 * three times: for its maximum, for the sum of the exponentials and for the result. The second and third time hit where
 * the rows in flight fit the cache of a multiprocessor. */
#include <math.h>

#include "workloads/common/inputs.h"

enum { THREADS = 256 };

static void softmax(const float *x, float *out, uint32_t columns)
{
    double largest = -HUGE_VAL, sum = 0;
    for (uint32_t i = 0; i < columns; i++)
        largest = fmax(largest, (double)x[i]);
    for (uint32_t i = 0; i < columns; i++)
        sum += exp((double)x[i] - largest);
    for (uint32_t i = 0; i < columns; i++)
        out[i] = (float)(exp((double)x[i] - largest) / sum);
}

void sl_workload_softmax(sl_host *h)
{
    uint32_t rows = (uint32_t)sl_host_param(h, "rows", 1, 1u << 24);
    uint32_t columns = (uint32_t)sl_host_param(h, "columns", 1, 1u << 24);
    uint64_t items = (uint64_t)rows * columns, bytes = items * sizeof(float);
    float *x = sl_random_floats(h, items), *out = sl_host_new(h, float, items);
    for (uint64_t i = 0; i < items; i++)
        x[i] *= 8;
    uint64_t x_dev = sl_host_upload(h, "x", x, bytes), out_dev = sl_host_device(h, "out", bytes);

    sl_host_launch(h, "softmax", SL_DIM(rows), SL_DIM(THREADS), 0, x_dev, out_dev, columns);
    sl_host_download(h, out, out_dev, bytes);

    if (!sl_host_checks(h))
        return;
    float *expected = sl_host_new(h, float, items);
    for (uint64_t r = 0; r < rows; r++)
        softmax(x + r * columns, expected + r * columns, columns);
    /* Exponents to base 2 of up to 23 are rounded to 2^-20, and the machine's power of two has an error of 2^-22; the
     * sum of a row in 256 parts loses less. */
    sl_check_f32(h, "out", out, expected, items, 0, 1e-5);
}
