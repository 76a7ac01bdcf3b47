#include "common/cuda_timing.h"

enum { MOST_LOADS = 32, MOST_WARPS = 32 };

/* One thread of each warp loads a word of each of `loads` lines, none of them waited for before all are issued, and
 * notes the cycles until all have come: one block. The stride counts words of 4 bytes.
 *   cycles[warps], sums[warps]   the sums are of the words read */
KERNEL mshr_count(const unsigned *memory, unsigned *cycles, unsigned *sums, unsigned stride, unsigned loads)
{
    __shared__ unsigned arrived[MOST_WARPS];
    unsigned warp = threadIdx.x / 32, warps = blockDim.x / 32;
    unsigned value[MOST_LOADS];
    __syncthreads();
    if (threadIdx.x % 32)
        return;
    ull start = sl_clock();
#pragma unroll
    for (unsigned i = 0; i < MOST_LOADS; i++)
        value[i] = i < loads ? memory[(warp + i * warps) * stride] : 0;
    unsigned sum = 0;
#pragma unroll
    for (unsigned i = 0; i < MOST_LOADS; i++)
        sum += value[i];
    sl_arrived(&arrived[warp], sum);
    cycles[warp] = (unsigned)(sl_clock() - start);
    sums[warp] = sum;
}
