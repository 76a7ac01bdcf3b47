/* One barrier per turn where two are needed: the sum of the next turn may be written before all have read this one. The
 * warps of a GPU keep step, and get away with it. */
#include "check.h"

enum { THREADS = 256, TURNS = 4 };

__global__ void sums(int *out, const int *in)
{
    __shared__ int partial[32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (warp == 0)
        partial[lane] = 0;
    __syncthreads();
    for (int turn = 0; turn < TURNS; turn++) {
        int sum = in[turn * THREADS + threadIdx.x];
        for (int i = 16; i; i /= 2)
            sum += __shfl_xor_sync(~0u, sum, i);
        partial[warp] = sum;
        __syncthreads();
        sum = partial[lane];
        for (int i = 16; i; i /= 2)
            sum += __shfl_xor_sync(~0u, sum, i);
        out[turn * THREADS + threadIdx.x] = sum;
    }
}

int main()
{
    Random random(3);
    std::vector<int> numbers(TURNS * THREADS), result(numbers.size());
    for (int &n : numbers)
        n = (int)(random.next() % 100);
    int *in, *out;
    CHECK(cudaMalloc(&in, numbers.size() * sizeof(int)));
    CHECK(cudaMalloc(&out, numbers.size() * sizeof(int)));
    CHECK(cudaMemcpy(in, numbers.data(), numbers.size() * sizeof(int), cudaMemcpyHostToDevice));
    sums<<<1, THREADS>>>(out, in);
    cudaError_t error = cudaMemcpy(result.data(), out, numbers.size() * sizeof(int), cudaMemcpyDeviceToHost);
    bool good = error == cudaSuccess;
    for (int turn = 0; turn < TURNS; turn++) {
        int sum = 0;
        for (int i = 0; i < THREADS; i++)
            sum += numbers[turn * THREADS + i];
        for (int i = 0; i < THREADS; i++)
            good = good && result[turn * THREADS + i] == sum;
    }
    return verdict(good);
}
