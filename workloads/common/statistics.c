/* SPDX-License-Identifier: MIT */
#include "workloads/common/statistics.h"

double *sl_centered(sl_host *h, const float *data, uint32_t vectors, uint32_t length)
{
    size_t pitch = vectors + 1;
    double *x = sl_host_new(h, double, (length + 1) * pitch);
    for (uint32_t j = 1; j <= vectors; j++) {
        double mean = 0;
        for (uint32_t i = 1; i <= length; i++)
            mean += (double)data[i * pitch + j];
        mean /= length;
        for (uint32_t i = 1; i <= length; i++)
            x[i * pitch + j] = (double)data[i * pitch + j] - mean;
    }
    return x;
}

float *sl_column_products(sl_host *h, const double *x, uint32_t vectors, uint32_t length)
{
    size_t pitch = vectors + 1;
    double *sum = sl_host_new(h, double, pitch *pitch);
    for (uint32_t i = 1; i <= length; i++)
        for (uint32_t j1 = 1; j1 <= vectors; j1++)
            for (uint32_t j2 = 1; j2 <= vectors; j2++)
                sum[j1 * pitch + j2] += x[i * pitch + j1] * x[i * pitch + j2];
    float *result = sl_host_new(h, float, pitch *pitch);
    for (size_t k = 0; k < pitch * pitch; k++)
        result[k] = (float)sum[k];
    return result;
}
