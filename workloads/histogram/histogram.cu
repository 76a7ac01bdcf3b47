/* Counts values below 256. Each block counts its share in shared memory and adds its counts to the result. */
enum { BINS = 256 };

KERNEL histogram(const unsigned *__restrict__ value, unsigned *__restrict__ count, unsigned n)
{
    __shared__ unsigned mine[BINS];
    for (unsigned bin = threadIdx.x; bin < BINS; bin += blockDim.x)
        mine[bin] = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[value[i]], 1u);
    __syncthreads();
    for (unsigned bin = threadIdx.x; bin < BINS; bin += blockDim.x)
        if (mine[bin])
            atomicAdd(&count[bin], mine[bin]);
}
