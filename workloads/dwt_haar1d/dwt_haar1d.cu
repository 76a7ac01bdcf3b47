enum { MOST_THREADS = 256 };

/* `levels` levels of the transform. Each block has two values of `in` per thread; the differences of a level go to the
 * upper half of what that level covers of `details`, the one mean that a block is left with goes to `means`. */
KERNEL dwt_haar1d(const float *__restrict__ in, float *__restrict__ details, float *__restrict__ means,
                  unsigned length, unsigned levels, float scale)
{
    __shared__ float mean[2 * MOST_THREADS];
    const float half = 0.70710678118654752f; /* the square root of 1/2, so that lengths stay what they are */
    unsigned i = threadIdx.x, threads = blockDim.x, first = blockIdx.x * threads * 2;
    mean[i] = in[first + i] * scale;
    mean[threads + i] = in[first + threads + i] * scale;
    __syncthreads();
    unsigned active = threads, upper = length / 2;
    for (unsigned level = 0; level < levels; level++) {
        float left = 0, right = 0;
        if (i < active) {
            left = mean[2 * i];
            right = mean[2 * i + 1];
        }
        __syncthreads();
        if (i < active) {
            mean[i] = (left + right) * half;
            details[upper + blockIdx.x * active + i] = (left - right) * half;
        }
        __syncthreads();
        active /= 2;
        upper /= 2;
    }
    if (i == 0)
        means[blockIdx.x] = mean[0];
}
