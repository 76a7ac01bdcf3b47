enum { BLOCK = 256 }; /* values per block, two per thread */

/* What stands before each value within its block, and the sum of each block. */
KERNEL scan_blocks(const float *__restrict__ in, float *__restrict__ out, float *__restrict__ sums)
{
    __shared__ float sum[BLOCK];
    unsigned left = 2 * threadIdx.x, right = left + 1, first = blockIdx.x * BLOCK;
    sum[left] = in[first + left];
    sum[right] = in[first + right];
    __syncthreads();
    for (unsigned distance = 1; distance < BLOCK; distance *= 2) {
        float a = sum[left], b = sum[right];
        if (left >= distance)
            a += sum[left - distance];
        if (right >= distance)
            b += sum[right - distance];
        __syncthreads();
        sum[left] = a;
        sum[right] = b;
        __syncthreads();
    }
    out[first + left] = threadIdx.x ? sum[left - 1] : 0.0f;
    out[first + right] = sum[left];
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum[BLOCK - 1];
}

/* The same for one block of up to 256 values, as a tree: sums on the way up, what stands before on the way down. */
KERNEL scan_last(const float *__restrict__ in, float *__restrict__ out, unsigned n)
{
    __shared__ float sum[BLOCK];
    unsigned i = threadIdx.x, distance = 1;
    sum[2 * i] = in[2 * i];
    sum[2 * i + 1] = in[2 * i + 1];
    for (unsigned nodes = n / 2; nodes > 0; nodes /= 2, distance *= 2) {
        __syncthreads();
        if (i < nodes)
            sum[distance * (2 * i + 2) - 1] += sum[distance * (2 * i + 1) - 1];
    }
    if (i == 0)
        sum[n - 1] = 0;
    for (unsigned nodes = 1; nodes < n; nodes *= 2) {
        distance /= 2;
        __syncthreads();
        if (i < nodes) {
            unsigned left = distance * (2 * i + 1) - 1, right = distance * (2 * i + 2) - 1;
            float before = sum[right];
            sum[right] = before + sum[left];
            sum[left] = before;
        }
    }
    __syncthreads();
    out[2 * i] = sum[2 * i];
    out[2 * i + 1] = sum[2 * i + 1];
}

/* Adds to each value what stands before its block. */
KERNEL add_to_blocks(const float *__restrict__ before, float *__restrict__ out)
{
    __shared__ float mine;
    if (threadIdx.x == 0)
        mine = before[blockIdx.x];
    __syncthreads();
    out[blockIdx.x * BLOCK + threadIdx.x] += mine;
}
