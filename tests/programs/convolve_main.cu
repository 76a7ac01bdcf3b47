/* A program of two .cu files, each with a kernel of its own; the other file holds the constant memory. */
#include "check.h"
#include "convolve.h"

__constant__ float c_taps_of_main = 3; /* constant memory of this file is another one */

__global__ void fill(float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = (float)(i * 7 % 13) * c_taps_of_main;
}

int main()
{
    const int n = 1000;
    float taps[2 * RADIUS + 1], back[2 * RADIUS + 1];
    for (int k = 0; k < 2 * RADIUS + 1; k++)
        taps[k] = (float)(k + 1) / 64;
    float *d_in, *d_out;
    CHECK(cudaMalloc(&d_in, n * sizeof(float)));
    CHECK(cudaMalloc(&d_out, n * sizeof(float)));
    fill<<<(n + 255) / 256, 256>>>(d_in, n);
    CHECK(cudaGetLastError());
    set_taps(taps);
    get_taps(back);
    convolve(d_in, d_out, n);
    std::vector<float> in(n), out(n);
    CHECK(cudaMemcpy(in.data(), d_in, n * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(out.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost));
    show("filtered", out);
    bool good = memcmp(taps, back, sizeof taps) == 0;
    for (int i = 0; i < n; i++) {
        float sum = 0; /* all products and sums are exact in float */
        for (int k = -RADIUS; k <= RADIUS; k++)
            sum += in[i + k < 0 ? 0 : i + k >= n ? n - 1 : i + k] * taps[k + RADIUS];
        good = good && in[i] == (float)(i * 7 % 13) * 3 && out[i] == sum;
    }
    return verdict(good);
}
