/* One block reads 128 KB twice. How much of the second reading hits in L1 depends on how much of it is left beside shared
 * memory: by default nearly all, by what the program prefers less. */
#include "check.h"

__global__ void twice(int *out, const int *in)
{
    int sum = 0;
    for (int turn = 1; turn <= 2; turn++)
        for (int i = threadIdx.x; i < 32768; i += blockDim.x)
            sum += turn * in[i];
    out[threadIdx.x] = sum;
}

int main()
{
    int *in, *out, sum[256];
    std::vector<int> numbers(32768, 1);
    CHECK(cudaMalloc(&in, numbers.size() * sizeof(int)));
    CHECK(cudaMalloc(&out, sizeof sum));
    CHECK(cudaMemcpy(in, numbers.data(), numbers.size() * sizeof(int), cudaMemcpyHostToDevice));
    twice<<<1, 256>>>(out, in);
    CHECK(cudaFuncSetCacheConfig(twice, cudaFuncCachePreferShared));
    twice<<<1, 256>>>(out, in);
    CHECK(cudaFuncSetAttribute(twice, cudaFuncAttributePreferredSharedMemoryCarveout, 0));
    twice<<<1, 256>>>(out, in);
    CHECK(cudaFuncSetAttribute(twice, cudaFuncAttributePreferredSharedMemoryCarveout, 50));
    twice<<<1, 256>>>(out, in);
    CHECK(cudaMemcpy(sum, out, sizeof sum, cudaMemcpyDeviceToHost));
    bool good = true;
    for (int s : sum)
        good = good && s == 384;
    return verdict(good);
}
