/* The smallest file with everything a fat binary can hold: make.sh compiles it in every way nvcc has. */
__constant__ float scale[4];

__device__ __noinline__ float scaled(float x, int i)
{
    return x * scale[i & 3];
}

__global__ void tiny(float *x, int n)
{
    __shared__ float tile[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x & 63] = i < n ? x[i] : 0;
    __syncthreads();
    if (i < n)
        x[i] = scaled(tile[(threadIdx.x + 1) & 63], i);
}
