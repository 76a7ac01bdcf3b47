// The length of each of many vectors, which lie one behind the other.
extern "C" __global__ void norms(const float *vectors, float *length, int count, int dims)
{
    int vector = blockIdx.x * blockDim.x + threadIdx.x;
    if (vector >= count)
        return;
    float sum = 0;
    for (int i = 0; i < dims; i++) {
        float x = vectors[vector * dims + i];
        sum += x * x;
    }
    length[vector] = sqrtf(sum);
}
