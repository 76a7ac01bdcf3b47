/* SPDX-License-Identifier: MIT */
/* What add.cl does, in CUDA. */
extern "C" __global__ void add(const float *a, const float *b, float *c, int n)
{
    __shared__ float t[256];
    int l = threadIdx.x, i = blockIdx.x * 256 + l;
    t[l] = a[i];
    __syncthreads();
    if (i < n)
        c[i] = t[255 - l] + b[3 * i];
}

int main()
{
    enum { N = 8192 };
    float *a, *b, *c;
    cudaMalloc(&a, N * 4), cudaMalloc(&b, 3 * N * 4), cudaMalloc(&c, N * 4);
    cudaMemset(a, 0, N * 4), cudaMemset(b, 0, 3 * N * 4);
    add<<<N / 256, 256>>>(a, b, c, N - 5);
    return cudaDeviceSynchronize();
}
