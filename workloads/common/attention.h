/* SPDX-License-Identifier: MIT */
/* What the workloads of attention share. */
#ifndef SL_WORKLOADS_ATTENTION_H
#define SL_WORKLOADS_ATTENTION_H

#include "workloads/workload.h"

typedef struct sl_attention {
    uint32_t batch, heads, length, dim;
} sl_attention;

/* The parameters batch, heads and length; the length must be a multiple of `tile`. */
sl_attention sl_attention_shape(sl_host *h, uint32_t dim, uint32_t tile);
/* Items of each of the arrays [batch][length][heads][dim]. */
uint64_t sl_attention_items(const sl_attention *shape);
/* What multiplies scores: 1 / sqrt(dim), and log2(e) because kernels use powers of two. */
float sl_attention_scale(const sl_attention *shape);
/* softmax(q k^T / sqrt(dim)) v, with a causal mask; computed in double precision. */
float *sl_reference_attention(sl_host *h, const sl_attention *shape, const float *q, const float *k, const float *v);

#endif
