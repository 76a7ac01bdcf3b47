/* SPDX-License-Identifier: MIT */
/* The loop of the naive matmul workload as plain C; native_matmul.c is compiled with -O2 and without vectorization. */
#ifndef SL_BENCH_NATIVE_MATMUL_H
#define SL_BENCH_NATIVE_MATMUL_H

void native_matmul(const float *a, const float *b, float *c, unsigned n);

#endif
