/* SPDX-License-Identifier: MIT */
/* GRAMSCHM of PolyBench/GPU: the Gram-Schmidt method, three launches per column. The first walks down a column with a
 * single thread, the second divides that column with a thread per row, a line per lane; the third takes the column out
 * of those behind it with a thread per column, in blocks of 256: it reads all of a twice, line by line, and r[k][j]
 * again in every step because a is written meanwhile.
 *
 * Only the first `steps` columns are done. The suite's default is 2048 x 2048, and it does all columns. */
#include "workloads/common/inputs.h"

#include <math.h>

typedef struct matrices {
    uint32_t rows, columns, steps;
    double *a, *r, *q;
} matrices;

static void take_out(const matrices *m, uint32_t k, uint32_t j)
{
    size_t n = m->columns;
    double *along = &m->r[k * n + j];
    for (size_t i = 0; i < m->rows; i++)
        *along += m->q[i * n + k] * m->a[i * n + j];
    for (size_t i = 0; i < m->rows; i++)
        m->a[i * n + j] -= m->q[i * n + k] * *along;
}

static void orthogonalise(const matrices *m)
{
    size_t n = m->columns;
    for (uint32_t k = 0; k < m->steps; k++) {
        double sum = 0;
        for (size_t i = 0; i < m->rows; i++)
            sum += m->a[i * n + k] * m->a[i * n + k];
        m->r[k * n + k] = sqrt(sum);
        for (size_t i = 0; i < m->rows; i++)
            m->q[i * n + k] = m->a[i * n + k] / m->r[k * n + k];
        for (uint32_t j = k + 1; j < n; j++)
            take_out(m, k, j);
    }
}

static void check(sl_host *h, const char *what, uint64_t dev, const double *expected, uint64_t count, double allowed)
{
    float *got = sl_host_new(h, float, count);
    double *wide = sl_host_new(h, double, count);
    sl_host_download(h, got, dev, count * sizeof *got);
    for (uint64_t i = 0; i < count; i++)
        wide[i] = (double)got[i];
    sl_check_f64(h, what, wide, expected, count, allowed, 0);
}

void sl_workload_gramschmidt(sl_host *h)
{
    uint32_t rows = (uint32_t)sl_host_param(h, "rows", 1, 16384);
    uint32_t columns = (uint32_t)sl_host_param(h, "columns", 1, 16384);
    uint32_t steps = (uint32_t)sl_host_param(h, "steps", 1, 16384);
    if (steps > columns || steps * 2 > rows)
        sl_host_fail(h, SL_INVALID, "steps must be at most the columns and half of the rows");
    uint64_t items = (uint64_t)rows * columns, bytes = items * sizeof(float);
    uint64_t factors = (uint64_t)steps * columns;
    float *a = sl_random_floats(h, items);
    uint64_t a_dev = sl_host_upload(h, "a", a, bytes), q_dev = sl_host_device(h, "q", bytes);
    uint64_t r_dev = sl_host_device(h, "r", factors * sizeof(float));
    sl_host_fill(h, q_dev, 0, bytes);
    sl_host_fill(h, r_dev, 0, factors * sizeof(float));

    for (uint32_t k = 0; k < steps; k++) {
        sl_host_launch(h, "gramschmidt_kernel1", SL_DIM(1), SL_DIM(256), 0, a_dev, r_dev, rows, columns, k);
        sl_host_launch(h, "gramschmidt_kernel2", SL_DIM(sl_blocks(rows, 256)), SL_DIM(256), 0, a_dev, r_dev, q_dev,
                       rows, columns, k);
        sl_host_launch(h, "gramschmidt_kernel3", SL_DIM(sl_blocks(columns, 256)), SL_DIM(256), 0, a_dev, r_dev, q_dev,
                       rows, columns, k);
    }
    if (!sl_host_checks(h))
        return;
    matrices m = {rows,
                  columns,
                  steps,
                  sl_host_new(h, double, items),
                  sl_host_new(h, double, factors),
                  sl_host_new(h, double, items)};
    for (uint64_t i = 0; i < items; i++)
        m.a[i] = (double)a[i];
    orthogonalise(&m);
    /* Random columns are far from dependent, so that errors stay those of the sums: `rows` terms of which the largest
     * sum is about sqrt(rows). */
    double sum_error = rows * sqrt(rows) * 0x1p-24;
    check(h, "r", r_dev, m.r, factors, sum_error);
    check(h, "q", q_dev, m.q, items, sum_error);
    check(h, "a", a_dev, m.a, items, sum_error);
}
