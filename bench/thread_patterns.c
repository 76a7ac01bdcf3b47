/* SPDX-License-Identifier: MIT */
#include "thread_patterns.h"

#include <inttypes.h>

#define A UINT64_C(0x10000000)
#define B UINT64_C(0x20000000)
#define C UINT64_C(0x30000000)
#define D UINT64_C(0x40000000)
#define E UINT64_C(0x50000000)

static pattern_access load(uint64_t base, uint64_t word)
{
    return (pattern_access){base + 4 * word, false};
}

static pattern_access store(uint64_t base, uint64_t word)
{
    return (pattern_access){base + 4 * word, true};
}

/* ---- dense matrices, blocks of 16 x 16 ---- */

/* The element of C that a thread computes. */
typedef struct element {
    uint64_t x, y, row, column; /* within its block; of the matrix */
} element;

static element element_of(const thread_pattern *p, uint32_t thread)
{
    uint32_t block = thread / 256, across = p->size / 16;
    element e = {.x = thread % 16, .y = thread % 256 / 16};
    e.row = block / across * 16 + e.y;
    e.column = block % across * 16 + e.x;
    return e;
}

static pattern_access mm_naive(const thread_pattern *p, uint32_t thread, uint32_t k)
{
    element e = element_of(p, thread);
    uint64_t n = p->size, i = k / 2;
    if (i == n)
        return store(C, e.row * n + e.column);
    return k % 2 ? load(B, i * n + e.column) : load(A, e.row * n + i);
}

thread_pattern pattern_mm_naive(void)
{
    return (thread_pattern){"mm_naive", {16, 16, 1}, 32 * 256, 513, 512, 256, mm_naive};
}

static pattern_access mm_tiled(const thread_pattern *p, uint32_t thread, uint32_t k)
{
    element e = element_of(p, thread);
    uint64_t n = p->size, tile = k / 2;
    if (tile == n / 16)
        return store(C, e.row * n + e.column);
    return k % 2 ? load(B, (tile * 16 + e.y) * n + e.column) : load(A, e.row * n + tile * 16 + e.x);
}

thread_pattern pattern_mm_tiled(void)
{
    return (thread_pattern){"mm_tiled", {16, 16, 1}, 32 * 256, 257, 256, 2048, mm_tiled};
}

/* ---- grids and streams ---- */

static pattern_access stencil(const thread_pattern *p, uint32_t thread, uint32_t k)
{
    static const int64_t dy[] = {0, 0, 0, -1, 1}, dx[] = {0, -1, 1, 0, 0};
    uint32_t block = thread / 256;
    int64_t x = block % 16 * 32 + thread % 32 + 1, y = (k / 5 * 2 + block / 16) * 8 + thread % 256 / 32 + 1;
    return load(A, (uint64_t)((y + dy[k % 5]) * p->size + x + dx[k % 5]));
}

thread_pattern pattern_stencil(void)
{
    return (thread_pattern){"stencil", {32, 8, 1}, 32 * 256, 160, 160, 2048, stencil};
}

static pattern_access stream(const thread_pattern *p, uint32_t thread, uint32_t k)
{
    uint64_t word = (uint64_t)(k / 2) * p->threads + thread;
    return k % 2 ? store(B, word) : load(A, word);
}

thread_pattern pattern_stream(void)
{
    return (thread_pattern){"stream", {256, 1, 1}, 8192, 256, 128, 0, stream};
}

static pattern_access rowcopy(const thread_pattern *p, uint32_t thread, uint32_t k)
{
    uint64_t word = (uint64_t)thread * p->size + k / 2;
    return k % 2 ? store(B, word) : load(A, word);
}

thread_pattern pattern_rowcopy(uint32_t rows)
{
    return (thread_pattern){"rowcopy", {rows, 1, 1}, rows, 2048, 1024, 1024, rowcopy};
}

/* ---- sparse ---- */

enum { ROW = 48, VECTOR = 65536 };

/* The column of a nonzero: three of four are within 512 of the diagonal. */
static uint64_t column_of(uint64_t row, uint64_t nonzero)
{
    uint64_t h = (nonzero + 1) * UINT64_C(0x9e3779b97f4a7c15);
    h ^= h >> 29;
    h *= UINT64_C(0xbf58476d1ce4e5b9);
    h ^= h >> 32;
    return (h & 3 ? row * 8 + (h >> 8) % 512 : h >> 8) % VECTOR;
}

/* Two row pointers, then index, value and vector element of each nonzero, and the result. */
static pattern_access spmv(const thread_pattern *p, uint32_t row, uint32_t k)
{
    (void)p;
    if (k < 2)
        return load(D, row + k);
    uint64_t nonzero = (uint64_t)row * ROW + (k - 2) / 3;
    if (k == 2 + 3 * ROW)
        return store(E, row);
    switch ((k - 2) % 3) {
    case 0:
        return load(A, nonzero);
    case 1:
        return load(B, nonzero);
    default:
        return load(C, column_of(row, nonzero));
    }
}

thread_pattern pattern_spmv(uint32_t rows)
{
    return (thread_pattern){"spmvU", {256, 1, 1}, rows, 3 + 3 * ROW, 2 + 3 * ROW, rows, spmv};
}

/* ---- as a trace ---- */

uint64_t pattern_loads(const thread_pattern *p)
{
    return (uint64_t)p->threads * p->loads;
}

void pattern_write(const thread_pattern *p, FILE *file)
{
    fprintf(file, "blocksize: %u %u %u\n", p->block[0], p->block[1], p->block[2]);
    for (uint32_t warp = 0; warp < p->threads; warp += 32)
        for (uint32_t k = 0; k < p->accesses; k++)
            for (uint32_t t = warp; t < warp + 32 && t < p->threads; t++) {
                pattern_access a = p->access(p, t, k);
                fprintf(file, "%u %d %" PRIu64 " 4\n", t, a.store, a.addr);
            }
}
