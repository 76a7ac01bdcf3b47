/* Moves numbers into 1024 buckets between pivots. Blocks are single warps that take 4096 numbers each, so that a
 * number's rank in its bucket within the block is the count that it found there. */
enum { BUCKETS_LOG = 10, BUCKETS = 1 << BUCKETS_LOG, THREADS = 32, BAND = 128, PER_BLOCK = THREADS * BAND };

/* Finds each number's bucket by bisection, its rank there, and the number of each bucket's members in this block. */
KERNEL bucket_count(const float *in, unsigned *place, unsigned *counts, const float *pivot, unsigned n)
{
    __shared__ unsigned count[BUCKETS];
    for (unsigned b = threadIdx.x; b < BUCKETS; b += THREADS)
        count[b] = 0;
    __syncthreads();
    unsigned first = blockIdx.x * PER_BLOCK, end = min(first + PER_BLOCK, n);
    for (unsigned i = first + threadIdx.x; i < end; i += THREADS) {
        float number = in[i];
        unsigned bucket = BUCKETS / 2 - 1, jump = BUCKETS / 4;
        float bound = pivot[bucket];
        while (jump >= 1) {
            bucket = number < bound ? bucket - jump : bucket + jump;
            bound = pivot[bucket];
            jump /= 2;
        }
        bucket = number < bound ? bucket : bucket + 1;
        place[i] = atomicAdd(&count[bucket], 1u) << BUCKETS_LOG | bucket;
    }
    __syncthreads();
    for (unsigned b = threadIdx.x; b < BUCKETS; b += THREADS)
        counts[blockIdx.x * BUCKETS + b] = count[b];
}

/* A thread per bucket turns its counts into offsets of the blocks within the bucket. */
KERNEL bucket_offsets(unsigned *counts, unsigned *sizes, unsigned blocks)
{
    unsigned bucket = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    for (unsigned i = bucket; i < blocks * BUCKETS; i += BUCKETS) {
        unsigned count = counts[i];
        counts[i] = sum;
        sum += count;
    }
    sizes[bucket] = sum;
}

KERNEL bucket_scatter(const float *in, const unsigned *place, float *out, const unsigned *offsets,
                      const unsigned *starts, unsigned n)
{
    __shared__ unsigned start[BUCKETS];
    for (unsigned b = threadIdx.x; b < BUCKETS; b += THREADS)
        start[b] = starts[b] + offsets[blockIdx.x * BUCKETS + b];
    __syncthreads();
    unsigned first = blockIdx.x * PER_BLOCK, end = min(first + PER_BLOCK, n);
    for (unsigned i = first + threadIdx.x; i < end; i += THREADS) {
        unsigned to = place[i];
        out[start[to % BUCKETS] + (to >> BUCKETS_LOG)] = in[i];
    }
}
