/* Two-point angular correlation: for pairs of points on a sphere, a histogram of their distance in bins of equal ratio.
 * Block 0 pairs the observed points with each other; then a block per random set pairs it with itself, and a block per
 * random set pairs it with the observed ones. */
enum { THREADS = 256, BINS = 20, COPIES = 32 };
__constant__ float bin_edges[BINS + 1]; /* cosines of angles, falling */

/* The bin of a cosine: edges[bin] >= cosine > edges[bin + 1], with those beyond the ends in the first and last. */
SL_DEV unsigned find_bin(float cosine)
{
    unsigned low = 0, high = BINS;
    while (high > low + 1) {
        unsigned middle = (low + high) / 2;
        if (cosine >= bin_edges[middle])
            high = middle;
        else
            low = middle;
    }
    return low;
}

/* x, y, z: sets of n points, the observed ones first; histograms: a row of bins per block. */
KERNEL tpacf(unsigned *histograms, const float *x, const float *y, const float *z, unsigned sets, unsigned n)
{
    __shared__ float left_x[THREADS], left_y[THREADS], left_z[THREADS];
    __shared__ unsigned counts[BINS][COPIES];
    unsigned tid = threadIdx.x;
    for (unsigned i = tid; i < BINS * COPIES; i += THREADS)
        counts[i / COPIES][i % COPIES] = 0;
    bool with_itself = blockIdx.x <= sets;
    unsigned left_set = with_itself ? blockIdx.x * n : 0, right_set = with_itself ? left_set : (blockIdx.x - sets) * n;

    for (unsigned i = 0; i < n; i += THREADS) {
        __syncthreads();
        if (i + tid < n) {
            left_x[tid] = x[left_set + i + tid];
            left_y[tid] = y[left_set + i + tid];
            left_z[tid] = z[left_set + i + tid];
        }
        __syncthreads();
        unsigned lefts = min(n - i, (unsigned)THREADS);
        for (unsigned j = (with_itself ? i + 1 : 0) + tid; j < n; j += THREADS) {
            float right_x = x[right_set + j], right_y = y[right_set + j], right_z = z[right_set + j];
            unsigned count = with_itself ? min(lefts, j - i) : lefts;
            for (unsigned k = 0; k < count; k++) {
                float cosine = fmaf(right_z, left_z[k], fmaf(right_y, left_y[k], right_x * left_x[k]));
                atomicAdd(&counts[find_bin(cosine)][tid % COPIES], 1u);
            }
        }
    }
    __syncthreads();
    if (tid < BINS) {
        unsigned sum = 0;
        for (unsigned i = 0; i < COPIES; i++)
            sum += counts[tid][i];
        histograms[blockIdx.x * BINS + tid] = sum;
    }
}
