/* SPDX-License-Identifier: MIT */
/* Access patterns of small GPU programs, thread by thread: what a tracer would have written of them. For measuring the
 * reading and modeling of traces without running anything. */
#ifndef SL_BENCH_THREAD_PATTERNS_H
#define SL_BENCH_THREAD_PATTERNS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct pattern_access {
    uint64_t addr;
    bool store; /* words of 4 bytes */
} pattern_access;

typedef struct thread_pattern {
    const char *name;
    uint32_t block[3], threads;
    uint32_t accesses, loads; /* of each thread */
    uint32_t size;            /* of the problem, as the function takes it */
    pattern_access (*access)(const struct thread_pattern *, uint32_t thread, uint32_t k);
} thread_pattern;

thread_pattern pattern_mm_naive(void); /* C = A B, 256 wide, one thread per element; 32 blocks of 16 x 16 */
thread_pattern pattern_mm_tiled(void); /* the same through shared memory, 2048 wide */
thread_pattern pattern_stencil(void);  /* five points of a grid 2048 wide; 32 blocks of 32 x 8, 32 sweeps */
thread_pattern pattern_stream(void);   /* 8192 threads copy neighboring words */
/* Sparse matrix in rows of 48, a thread per row, times a vector of 64 K words: three of four columns are near. */
thread_pattern pattern_spmv(uint32_t rows);
/* One block, each thread copies a row of 1024 words (figure 3 of the paper). */
thread_pattern pattern_rowcopy(uint32_t rows);

/* Thread loads in all. */
uint64_t pattern_loads(const thread_pattern *pattern);
/* Writes it as a thread trace, warp by warp. */
void pattern_write(const thread_pattern *pattern, FILE *file);

#endif
