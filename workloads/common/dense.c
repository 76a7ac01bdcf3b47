#include "workloads/common/dense.h"

float *sl_reference_matmul(sl_host *h, const float *a, const float *b, uint32_t m, uint32_t n, uint32_t k)
{
    float *c = sl_host_new(h, float, (uint64_t)m *n);
    for (uint32_t i = 0; i < m; i++)
        for (uint32_t l = 0; l < k; l++)
            for (uint32_t j = 0; j < n; j++)
                c[(size_t)i * n + j] += a[(size_t)i * k + l] * b[(size_t)l * n + j];
    return c;
}
