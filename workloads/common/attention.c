/* SPDX-License-Identifier: MIT */
#include "workloads/common/attention.h"

#include <math.h>

sl_attention sl_attention_shape(sl_host *h, uint32_t dim, uint32_t tile)
{
    sl_attention shape = {.batch = (uint32_t)sl_host_param(h, "batch", 1, 1024),
                          .heads = (uint32_t)sl_host_param(h, "heads", 1, 1024),
                          .length = (uint32_t)sl_host_param(h, "length", 1, 1u << 20),
                          .dim = dim};
    if (shape.length % tile)
        sl_host_fail(h, SL_INVALID, "length is %u, but must be a multiple of %u", shape.length, tile);
    if (sl_attention_items(&shape) > 1u << 30)
        sl_host_fail(h, SL_INVALID, "batch * heads * length is more than %u", (1u << 30) / dim);
    return shape;
}

uint64_t sl_attention_items(const sl_attention *shape)
{
    return (uint64_t)shape->batch * shape->heads * shape->length * shape->dim;
}

float sl_attention_scale(const sl_attention *shape)
{
    return (float)(1.4426950408889634 / sqrt(shape->dim));
}

/* One query; all pointers are to the first row of its head, whose rows have a stride of `pitch`. */
static void attend(const sl_attention *shape, uint32_t row, const float *q, const float *k, const float *v, float *out,
                   double *weight, double *sums)
{
    size_t pitch = (size_t)shape->heads * shape->dim;
    double largest = -HUGE_VAL, total = 0;
    for (uint32_t key = 0; key <= row; key++) {
        weight[key] = 0;
        for (uint32_t d = 0; d < shape->dim; d++)
            weight[key] += (double)q[row * pitch + d] * (double)k[key * pitch + d];
        weight[key] /= sqrt(shape->dim);
        largest = fmax(largest, weight[key]);
    }
    for (uint32_t d = 0; d < shape->dim; d++)
        sums[d] = 0;
    for (uint32_t key = 0; key <= row; key++) {
        double w = exp(weight[key] - largest);
        total += w;
        for (uint32_t d = 0; d < shape->dim; d++)
            sums[d] += w * (double)v[key * pitch + d];
    }
    for (uint32_t d = 0; d < shape->dim; d++)
        out[row * pitch + d] = (float)(sums[d] / total);
}

float *sl_reference_attention(sl_host *h, const sl_attention *shape, const float *q, const float *k, const float *v)
{
    float *out = sl_host_new(h, float, sl_attention_items(shape));
    double *weight = sl_host_new(h, double, shape->length), *sums = sl_host_new(h, double, shape->dim);
    for (uint32_t b = 0; b < shape->batch; b++)
        for (uint32_t head = 0; head < shape->heads; head++) {
            size_t at = ((size_t)b * shape->length * shape->heads + head) * shape->dim;
            for (uint32_t row = 0; row < shape->length; row++)
                attend(shape, row, q + at, k + at, v + at, out + at, weight, sums);
        }
    return out;
}
