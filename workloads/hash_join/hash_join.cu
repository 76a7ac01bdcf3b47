/* Joining two relations through a hash table that is already built: look up every key of the one, count matches per
 * block, scan the counts, and write the matches in the order of the keys. */
#include "common/cuda_block.h"

enum { THREADS = 256, NONE = -1 };

/* found[i] = what the table holds for key[i], or NONE. Slots are a key (the lower half) and what belongs to it; key 0
 * marks a free one. A key lies at its hash or in the next slots, up to the first free one. */
KERNEL probe(const ull *__restrict__ slot, const unsigned *__restrict__ key, int *__restrict__ found,
             unsigned *__restrict__ matches, unsigned slots_log2, unsigned n)
{
    unsigned i = blockIdx.x * THREADS + threadIdx.x;
    int mine = NONE;
    if (i < n) {
        unsigned wanted = key[i], at = wanted * 0x9e3779b1u >> (32 - slots_log2);
        for (;;) {
            ull s = slot[at];
            if ((unsigned)s == wanted)
                mine = (int)(s >> 32);
            if ((unsigned)s == wanted || (unsigned)s == 0)
                break;
            at = (at + 1) & ((1u << slots_log2) - 1);
        }
        found[i] = mine;
    }
    int count = __syncthreads_count(mine != NONE);
    if (threadIdx.x == 0)
        matches[blockIdx.x] = (unsigned)count;
}

/* One block: counts become how many matches earlier blocks have; the one behind the last becomes their number. */
KERNEL scan_matches(unsigned *__restrict__ matches, unsigned blocks)
{
    __shared__ unsigned scratch[33];
    unsigned sum = 0;
    for (unsigned first = 0; first < blocks; first += blockDim.x) {
        unsigned i = first + threadIdx.x, more;
        unsigned below = sl_block_prefix_sum(i < blocks ? matches[i] : 0, scratch, &more);
        if (i < blocks)
            matches[i] = sum + below;
        sum += more;
    }
    if (threadIdx.x == 0)
        matches[blocks] = sum;
}

/* joined: pairs of the place of a key and what was found for it. */
KERNEL write_matches(const int *__restrict__ found, const unsigned *__restrict__ matches, uint2 *__restrict__ joined,
                     unsigned n)
{
    __shared__ unsigned scratch[33];
    unsigned i = blockIdx.x * THREADS + threadIdx.x, ignored;
    int mine = i < n ? found[i] : NONE;
    unsigned to = matches[blockIdx.x] + sl_block_prefix_sum(mine != NONE, scratch, &ignored);
    if (mine != NONE)
        joined[to] = make_uint2(i, (unsigned)mine);
}
