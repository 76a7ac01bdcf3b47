/* SPDX-License-Identifier: MIT */
/* Which SM gets which block: grids of blocks with so many threads and so much shared memory, that stay for a while (`stay`) or leave at
 * once. Prints CSV: how many SMs got 0, 1, 2... of the first blocks that were there together, and the SMs in order of blocks. */
#include "check.h"
#include <algorithm>
#include <vector>

enum { SMS = 132, MOST = 4224 };

__global__ void place(unsigned *sm, unsigned long long *at, int stay)
{
    extern __shared__ unsigned char kept[];
    if (threadIdx.x)
        return;
    unsigned long long now, begin;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm[blockIdx.x]));
    at[blockIdx.x] = begin;
    long long clock = clock64();
    while (clock64() - clock < stay)
        ;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    at[MOST + blockIdx.x] = now;
    if (now == 1)
        kept[0] = 1;
}

int main()
{
    static unsigned sm[MOST];
    static unsigned long long at[2 * MOST];
    unsigned *device_sm;
    unsigned long long *device_at;
    CHECK(cudaMalloc(&device_sm, sizeof sm));
    CHECK(cudaMalloc(&device_at, sizeof at));
    CHECK(cudaFuncSetAttribute(place, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 << 10));
    printf("grid,threads,shared_kb,carveout,stay,sms with 0 1 2... blocks of the first wave,sms of the blocks\n");
    for (int stay : {100000, 2000})
        for (int carveout : {-1, 0, 100})
            for (int kb : {0, 8, 32, 48, 64, 100, 112, 200, 227})
                for (int threads : {32, 64, 128, 256, 512, 1024})
                    for (int grid : {16, 64, 100, 131, 132, 133, 140, 150, 198, 264, 265, 300, 396, 528, 1056}) {
                        if (carveout >= 0 && kb != 0 && kb != 32)
                            continue;
                        if (stay < 10000 && (kb || carveout >= 0))
                            continue;
                        CHECK(cudaFuncSetAttribute(place, cudaFuncAttributePreferredSharedMemoryCarveout, carveout));
                        for (int warm = 0; warm < 2; warm++)
                            place<<<grid, threads, kb << 10>>>(device_sm, device_at, stay);
                        CHECK(cudaDeviceSynchronize());
                        CHECK(cudaMemcpy(sm, device_sm, grid * sizeof *sm, cudaMemcpyDeviceToHost));
                        CHECK(cudaMemcpy(at, device_at, sizeof at, cudaMemcpyDeviceToHost));
                        unsigned long long ended = *std::min_element(at + MOST, at + MOST + grid);
                        std::vector<int> of(SMS), count(64);
                        for (int i = 0; i < grid; i++)
                            of[sm[i]] += at[i] < ended;
                        for (int n : of)
                            count[std::min(n, 63)]++;
                        while (count.size() > 1 && !count.back())
                            count.pop_back();
                        printf("%d,%d,%d,%d,%d,", grid, threads, kb, carveout, stay);
                        for (size_t i = 0; i < count.size(); i++)
                            printf("%s%d", i ? " " : "", count[i]);
                        printf(",");
                        for (int i = 0; i < std::min(grid, 300); i++)
                            printf("%s%u", i ? " " : "", sm[i]);
                        printf("\n");
                    }
    return 0;
}
