// The same with eight lanes for each vector, which read four neighbors each: a warp has four vectors. `dims` is a
// multiple of 32.
extern "C" __global__ void norms(const float4 *vectors, float *length, int count, int dims)
{
    int vector = (blockIdx.x * blockDim.x + threadIdx.x) / 8, lane = threadIdx.x % 8;
    if (vector >= count)
        return;
    float sum = 0;
    for (int i = lane; i < dims / 4; i += 8) {
        float4 x = vectors[vector * (dims / 4) + i];
        sum += x.x * x.x + x.y * x.y + x.z * x.z + x.w * x.w;
    }
    for (int step = 4; step; step /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, step);
    if (lane == 0)
        length[vector] = sqrtf(sum);
}
