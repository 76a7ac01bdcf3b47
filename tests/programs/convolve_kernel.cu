/* The device half of `convolve`: a filter whose taps are in constant memory. */
#include "check.h"
#include "convolve.h"

__constant__ float c_taps[2 * RADIUS + 1];

__global__ void filter(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
    for (int k = -RADIUS; k <= RADIUS; k++) {
        int j = i + k < 0 ? 0 : i + k >= n ? n - 1 : i + k;
        sum += in[j] * c_taps[k + RADIUS];
    }
    out[i] = sum;
}

void set_taps(const float *taps)
{
    CHECK(cudaMemcpyToSymbol(c_taps, taps, (2 * RADIUS + 1) * sizeof(float)));
}

void get_taps(float *taps)
{
    CHECK(cudaMemcpyFromSymbol(taps, c_taps, (2 * RADIUS + 1) * sizeof(float)));
}

void convolve(const float *in, float *out, int n)
{
    filter<<<(n + 127) / 128, 128>>>(in, out, n);
    CHECK(cudaGetLastError());
}
