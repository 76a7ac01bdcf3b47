// The same with a warp for each vector: lanes that run together read neighbors.
extern "C" __global__ void norms(const float *vectors, float *length, int count, int dims)
{
    int vector = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (vector >= count)
        return;
    float sum = 0;
    for (int i = lane; i < dims; i += 32) {
        float x = vectors[vector * dims + i];
        sum += x * x;
    }
    for (int step = 16; step; step /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, step);
    if (lane == 0)
        length[vector] = sqrtf(sum);
}
