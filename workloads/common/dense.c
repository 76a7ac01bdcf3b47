/* SPDX-License-Identifier: MIT */
#include "workloads/common/dense.h"

#include <math.h>

#include "workloads/common/inputs.h"

float *sl_dominant_matrix(sl_host *h, uint32_t n)
{
    float *a = sl_uniform_floats(h, (uint64_t)n * n, -0.5f, 0.5f);
    for (size_t i = 0; i < n; i++)
        a[i * n + i] = (float)n;
    return a;
}

float *sl_reference_matmul(sl_host *h, const float *a, const float *b, uint32_t m, uint32_t n, uint32_t k)
{
    float *c = sl_host_new(h, float, (uint64_t)m *n);
    for (uint32_t i = 0; i < m; i++)
        for (uint32_t l = 0; l < k; l++)
            for (uint32_t j = 0; j < n; j++)
                c[(size_t)i * n + j] += a[(size_t)i * k + l] * b[(size_t)l * n + j];
    return c;
}

float *sl_reference_matvec(sl_host *h, const float *a, const float *x, uint32_t rows, uint32_t columns)
{
    float *y = sl_host_new(h, float, rows);
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t j = 0; j < columns; j++)
            y[i] += a[(size_t)i * columns + j] * x[j];
    return y;
}

float *sl_reference_matvec_transposed(sl_host *h, const float *a, const float *x, uint32_t rows, uint32_t columns)
{
    float *y = sl_host_new(h, float, columns);
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t j = 0; j < columns; j++)
            y[j] += a[(size_t)i * columns + j] * x[i];
    return y;
}

float *sl_transposed(sl_host *h, const float *a, uint32_t rows, uint32_t columns)
{
    float *t = sl_host_new(h, float, (uint64_t)rows *columns);
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t j = 0; j < columns; j++)
            t[(size_t)j * rows + i] = a[(size_t)i * columns + j];
    return t;
}

void sl_check_sums(sl_host *h, const char *what, const float *got, const float *expected, uint64_t count,
                   uint64_t terms)
{
    double largest = 0;
    for (uint64_t i = 0; i < count; i++)
        largest = fmax(largest, fabs((double)expected[i]));
    sl_check_f32(h, what, got, expected, count, (double)terms * largest * 0x1p-24, 0);
}
