/* SPDX-License-Identifier: MIT */
/* What programs of pairs share. "PROGRAM PAIR before" launches one side of one pair; "PROGRAM --all TIMES" launches both sides
 * of all pairs as often, and prints which and how long it took on an empty L2. */
#pragma once
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

enum { ITEMS = 1 << 18, THREADS = 256, ALL = ITEMS / THREADS, WORDS = 1 << 23 };

/* WORDS words each; `index` is 0 until a pair fills it. */
static float *a, *b;
static int *index_of;

static cudaEvent_t begin;

/* What was done on the host until now is not timed. */
static inline void prepared()
{
    if (begin)
        cudaEventRecord(begin);
}

static unsigned draw(unsigned *state)
{
    return (*state = *state * 1664525u + 1013904223u) >> 9;
}

/* `count` random numbers below `limit` in index_of, from `at` on, perhaps sorted. */
static inline void fill(int at, int count, unsigned limit, bool sorted)
{
    std::vector<int> values(count);
    unsigned state = 1;
    for (int &v : values)
        v = (int)(draw(&state) % limit);
    if (sorted)
        std::sort(values.begin(), values.end());
    cudaMemcpy(index_of + at, values.data(), count * sizeof(int), cudaMemcpyHostToDevice);
    prepared();
}

struct pair {
    const char *name;
    void (*run)(bool after);
};

static inline void clear()
{
    cudaMemset(a, 0, WORDS * sizeof *a);
    cudaMemset(b, 0, WORDS * sizeof *b);
    cudaMemset(index_of, 0, WORDS * sizeof *index_of);
}

static inline int run_all(const pair *pairs, int count, int times)
{
    enum { OTHER = 256 << 20 }; /* more than L2 holds */
    void *other;
    cudaEvent_t end;
    if (cudaMalloc(&other, OTHER) || cudaEventCreate(&begin) || cudaEventCreate(&end))
        return 1;
    for (int i = 0; i < count * 2 * times; i++) {
        const pair &p = pairs[i / times / 2];
        float ms;
        bool after = i / times % 2;
        clear();
        cudaMemset(other, i, OTHER);
        prepared();
        p.run(after);
        cudaEventRecord(end);
        if (cudaDeviceSynchronize() || cudaEventElapsedTime(&ms, begin, end))
            return 1;
        printf("%s,%s,%.0f\n", p.name, after ? "after" : "before", ms * 1e6);
    }
    return 0;
}

template <int COUNT> static int run_pair(int argc, char **argv, const pair (&pairs)[COUNT])
{
    if (argc < 3)
        return 2;
    if (cudaMalloc(&a, WORDS * sizeof *a) || cudaMalloc(&b, WORDS * sizeof *b) || cudaMalloc(&index_of, WORDS * sizeof *index_of))
        return 1;
    clear();
    if (!strcmp(argv[1], "--all"))
        return run_all(pairs, COUNT, atoi(argv[2]));
    for (const pair &p : pairs)
        if (!strcmp(p.name, argv[1])) {
            p.run(!strcmp(argv[2], "after"));
            return cudaDeviceSynchronize() != cudaSuccess || cudaGetLastError() != cudaSuccess;
        }
    return 2;
}
