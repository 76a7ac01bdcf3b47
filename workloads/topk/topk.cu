/* The k largest of each row and where they are, largest first, earlier ones first among equals: a block per row. Radix
 * selection: keys that order by value and then by place are narrowed down from their highest digit, each time with a
 * histogram over the whole row, until what is left is just what is needed; then these are collected and sorted. */
#include "common/cuda_block.h"

enum { THREADS = 256, DIGITS = 256, MOST = 256 };

SL_DEV ull key_of(float v, unsigned place)
{
    int bits = __float_as_int(v);
    unsigned ordered = (unsigned)(bits ^ (bits >> 31 | (int)0x80000000));
    return (ull)ordered << 32 | ~place;
}
SL_DEV float value_of(ull key)
{
    int ordered = (int)(key >> 32);
    return __int_as_float(ordered ^ (~ordered >> 31 | (int)0x80000000));
}

/* Largest first; `count` is a power of two of at most THREADS. */
SL_DEV void sort(ull *key, unsigned count)
{
    unsigned me = threadIdx.x;
    for (unsigned run = 2; run <= count; run *= 2)
        for (unsigned distance = run / 2; distance; distance /= 2) {
            unsigned other = me ^ distance;
            if (other > me && other < count) {
                ull a = key[me], b = key[other];
                if ((a < b) == !(me & run)) {
                    key[me] = b;
                    key[other] = a;
                }
            }
            __syncthreads();
        }
}

KERNEL __launch_bounds__(THREADS)
topk(const float *__restrict__ row, float *__restrict__ best, unsigned *__restrict__ best_place, unsigned columns,
     unsigned k)
{
    __shared__ unsigned histogram[DIGITS], scratch[33], digit, above, inside, collected;
    __shared__ ull chosen[MOST];
    unsigned me = threadIdx.x, needed = k, shift = 64;
    ull prefix = 0;
    row += (size_t)blockIdx.x * columns;

    do {
        shift -= 8;
        histogram[me] = 0;
        __syncthreads();
        for (unsigned i = me; i < columns; i += THREADS) {
            ull key = key_of(row[i], i) >> shift;
            if (key >> 8 == prefix)
                atomicAdd(&histogram[key % DIGITS], 1u);
        }
        __syncthreads();
        /* The digit that the last key needed has: thread t looks at digit 255 - t. */
        unsigned mine = histogram[DIGITS - 1 - me], total;
        unsigned larger = sl_block_prefix_sum(mine, scratch, &total);
        if (larger < needed && larger + mine >= needed) {
            digit = DIGITS - 1 - me;
            above = larger;
            inside = mine;
        }
        __syncthreads();
        prefix = prefix << 8 | digit;
        needed -= above;
    } while (inside > needed);

    chosen[me] = 0;
    if (me == 0)
        collected = 0;
    __syncthreads();
    for (unsigned i = me; i < columns; i += THREADS) {
        ull key = key_of(row[i], i);
        if (key >> shift >= prefix)
            chosen[atomicAdd(&collected, 1u)] = key;
    }
    __syncthreads();
    unsigned padded = 1;
    while (padded < k)
        padded *= 2;
    sort(chosen, padded);
    if (me < k) {
        best[blockIdx.x * k + me] = value_of(chosen[me]);
        best_place[blockIdx.x * k + me] = ~(unsigned)chosen[me];
    }
}
