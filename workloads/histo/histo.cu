/* Saturating histogram of an image with very many bins, most of whose pixels fall into few of them. The bins are cut
 * into ranges that fit shared memory; the ranges around the mean are counted there, the rest by atomics in global
 * memory. */
#include "common/cuda_vector.h"
enum { RANGE_BINS = 12288, RANGE_WORDS = RANGE_BINS / 2, PRESCAN_THREADS = 512, UNROLL = 16, MOST = 255 };

/* The sum of a value over the block. */
SL_DEV float block_sum(float *scratch, float value)
{
    unsigned tid = threadIdx.x;
    __syncthreads();
    scratch[tid] = value;
    for (unsigned half = PRESCAN_THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (tid < half)
            scratch[tid] += scratch[tid + half];
    }
    __syncthreads();
    return scratch[0];
}

/* Each block looks at an eighth of its share of the pixels and widens [bounds[0], bounds[1]] by two standard deviations
 * about their mean. */
KERNEL histo_prescan(const unsigned *image, unsigned pixels, unsigned *bounds)
{
    __shared__ float scratch[PRESCAN_THREADS];
    unsigned share = pixels / gridDim.x, first = blockIdx.x * share, end = first + (share + 7) / 8;
    float sum = 0, squares = 0, count = max((float)(end - first), 1.0f);
    for (unsigned i = first + threadIdx.x; i < end; i += PRESCAN_THREADS)
        sum += (float)image[i];
    float mean = block_sum(scratch, sum) / count;
    for (unsigned i = first + threadIdx.x; i < end; i += PRESCAN_THREADS) {
        float off = (float)image[i] - mean;
        squares += off * off;
    }
    float spread = 2.0f * sqrtf(block_sum(scratch, squares) / count);
    if (threadIdx.x == 0) {
        atomicMin(&bounds[0], (unsigned)max(mean - spread, 0.0f));
        atomicMax(&bounds[1], (unsigned)(mean + spread));
    }
}

/* Where a pixel's bin lies: the range in the upper half, its place there in the lower. */
SL_DEV unsigned place_of(unsigned bin) { return bin / RANGE_BINS << 16 | bin % RANGE_BINS; }

/* A thread per two neighbouring pixels, for 16 rows. */
KERNEL histo_intermediates(const uint2 *image, unsigned *places, unsigned width, unsigned height)
{
    unsigned row = blockIdx.x * UNROLL;
    unsigned from = row * (width / 2) + threadIdx.x, to = row * width + threadIdx.x;
    for (unsigned i = 0; i < UNROLL && row + i < height; i++) {
        uint2 bins = image[from];
        places[to] = place_of(bins.x);
        places[to + blockDim.x] = place_of(bins.y);
        from += width / 2;
        to += width;
    }
}

/* Blocks in x share the pixels, blocks in y have a range each, two bins to a word. */
KERNEL histo_main(const unsigned *places, unsigned pixels, unsigned first_range, unsigned last_range, unsigned bins,
                  unsigned *range_counts, unsigned *other_counts)
{
    __shared__ unsigned counts[RANGE_WORDS];
    unsigned mine = first_range + blockIdx.y;
    for (unsigned i = threadIdx.x; i < RANGE_WORDS; i += blockDim.x)
        counts[i] = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < pixels; i += gridDim.x * blockDim.x) {
        unsigned range = places[i] >> 16, offset = places[i] & 0xffff;
        if (range == mine)
            atomicAdd(&counts[offset / 2], offset % 2 ? 0x10000u : 1u);
        else if (blockIdx.y == 0 && (range < first_range || range > last_range))
            atomicAdd(&other_counts[range * RANGE_BINS + offset], 1u);
    }
    __syncthreads();
    unsigned first = mine * RANGE_BINS;
    for (unsigned i = threadIdx.x; i < RANGE_BINS && first + i < bins; i += blockDim.x) {
        unsigned count = i % 2 ? counts[i / 2] >> 16 : counts[i / 2] & 0xffff;
        if (count)
            atomicAdd(&range_counts[first + i], count);
    }
}

/* Zeros of this type are stored in one access; those of uint4 are not, as clang takes them for bytes to clear. */
typedef unsigned words4 __attribute__((vector_size(16)));

/* Four bins per thread and turn: counts cut at 255, and the counters back to 0. */
KERNEL histo_final(unsigned first_bin, unsigned end_bin, unsigned bins, uint4 *range_counts, uint4 *other_counts,
                   uchar4 *histogram)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < bins / 4; i += gridDim.x * blockDim.x) {
        uint4 *from = 4 * i >= first_bin && 4 * i < end_bin ? range_counts + i : other_counts + i;
        uint4 count = sl_load(from);
        *(words4 *)from = words4{};
        histogram[i] = make_uchar4((uchar)min(count.x, (unsigned)MOST), (uchar)min(count.y, (unsigned)MOST),
                                   (uchar)min(count.z, (unsigned)MOST), (uchar)min(count.w, (unsigned)MOST));
    }
}
