/* Sums, maxima and prefix sums over a warp or a block of 32 to 1024 threads in one dimension, whole warps. All threads
 * of the warp or block must call them. Those over a block take 33 words of shared memory and may be called again with
 * the same words at once. */
#ifndef SL_CUDA_BLOCK_H
#define SL_CUDA_BLOCK_H
// clang-format off

SL_DEV float sl_warp_sum(float v)
{
    for (int distance = 16; distance; distance /= 2)
        v += __shfl_xor_sync(0xffffffffu, v, distance);
    return v;
}
SL_DEV float sl_warp_max(float v)
{
    for (int distance = 16; distance; distance /= 2)
        v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, distance));
    return v;
}
/* Of the lanes up to and including this one. */
SL_DEV unsigned sl_warp_prefix_sum(unsigned v)
{
    for (int distance = 1; distance < 32; distance *= 2) {
        unsigned below = __shfl_up_sync(0xffffffffu, v, distance);
        v += (threadIdx.x & 31) >= (unsigned)distance ? below : 0;
    }
    return v;
}

/* Each warp leaves its result, the first warp combines them. `absent` stands for warps that are not there. */
#define SL_BLOCK_REDUCTION(name, of_warp, absent)                                                                      \
    SL_DEV float name(float v, float *shared)                                                                          \
    {                                                                                                                  \
        v = of_warp(v);                                                                                                \
        if ((threadIdx.x & 31) == 0)                                                                                   \
            shared[threadIdx.x / 32] = v;                                                                              \
        __syncthreads();                                                                                               \
        if (threadIdx.x < 32) {                                                                                        \
            v = of_warp(threadIdx.x < blockDim.x / 32 ? shared[threadIdx.x] : absent);                                 \
            if (threadIdx.x == 0)                                                                                      \
                shared[32] = v;                                                                                        \
        }                                                                                                              \
        __syncthreads();                                                                                               \
        return shared[32];                                                                                             \
    }
SL_BLOCK_REDUCTION(sl_block_sum, sl_warp_sum, 0.0f)
SL_BLOCK_REDUCTION(sl_block_max, sl_warp_max, -3.402823466e38f)
#undef SL_BLOCK_REDUCTION

/* Of the threads below this one; *total gets that of all. */
SL_DEV unsigned sl_block_prefix_sum(unsigned v, unsigned *shared, unsigned *total)
{
    unsigned up_to_here = sl_warp_prefix_sum(v);
    if ((threadIdx.x & 31) == 31)
        shared[threadIdx.x / 32] = up_to_here;
    __syncthreads();
    if (threadIdx.x < 32) {
        unsigned warp = threadIdx.x < blockDim.x / 32 ? shared[threadIdx.x] : 0;
        unsigned warps = sl_warp_prefix_sum(warp);
        shared[threadIdx.x] = warps - warp;
        if (threadIdx.x == 31)
            shared[32] = warps;
    }
    __syncthreads();
    unsigned below = shared[threadIdx.x / 32] + up_to_here - v;
    *total = shared[32];
    __syncthreads();
    return below;
}

// clang-format on
#endif
