/* Which SMs' requests for the same lines reach L2 as one, and when. One block on each SM (shared memory sees to that);
 * chosen SMs meet at a counter and then walk over the same cold lines, one load after the other, one of them possibly
 * later than the others.
 *
 *   merge 1        SM 0 with each other one
 *   merge 2 SM     SM 0 with another that starts 0 to 1600 cycles later
 *   merge 3        SMs 0 to k
 *   merge 4        one SM of each of k TPCs
 *   merge 5, 6     SMs 0 and 1, one of them much later; other numbers of lines
 *
 * ./measure runs all of them under ncu; results.csv is what an H200 showed. */
#include <cstdio>
#include <cstdlib>
#include <vector>

typedef unsigned long long ull;
enum { SMS = 132, SHARED = 120 << 10 };

static __device__ unsigned sm_id()
{
    unsigned id;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
    return id;
}

__global__ void walk(const unsigned *lines, int count, const ull *chosen, unsigned *arrived, int expected, int late,
                     int delay, unsigned *sink)
{
    extern __shared__ unsigned scratch[];
    unsigned sm = sm_id();
    if (!(chosen[sm / 64] >> (sm % 64) & 1))
        return;
    if (threadIdx.x == 0) {
        atomicAdd(arrived, 1);
        while (*(volatile unsigned *)arrived < (unsigned)expected)
            ;
        long long start = clock64();
        while (clock64() - start < 3000 + ((int)sm == late ? delay : 0))
            ;
    }
    __syncwarp();
    unsigned at = threadIdx.x, sum = 0;
    for (int i = 0; i < count; i++) { /* the loaded value, 0, is part of the next address */
        unsigned v;
        asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(lines + at));
        at += 32 + v;
        sum += v;
    }
    scratch[threadIdx.x] = sum;
    if (sum == 12345)
        *sink = sum;
}

static unsigned *lines, *arrived, *sink;
static ull *chosen;

static void run(const std::vector<int> &sms, int late, int delay, int count = 512)
{
    ull mask[4] = {0};
    for (int sm : sms)
        mask[sm / 64] |= 1ull << (sm % 64);
    cudaMemcpy(chosen, mask, sizeof mask, cudaMemcpyHostToDevice);
    cudaMemset(arrived, 0, sizeof *arrived);
    walk<<<SMS, 32, SHARED>>>(lines, count, chosen, arrived, (int)sms.size(), late, delay, sink);
    cudaError_t error = cudaDeviceSynchronize();
    if (error)
        printf("%s\n", cudaGetErrorString(error));
}

int main(int argc, char **argv)
{
    int experiment = atoi(argv[1]), other = argc > 2 ? atoi(argv[2]) : 1;
    std::vector<int> sms;
    cudaMalloc(&lines, 64 << 20);
    cudaMemset(lines, 0, 64 << 20);
    cudaMalloc(&arrived, 4);
    cudaMalloc(&sink, 4);
    cudaMalloc(&chosen, 32);
    cudaFuncSetAttribute(walk, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED);
    switch (experiment) {
    case 1:
        for (int sm = 1; sm < SMS; sm++)
            run({0, sm}, -1, 0);
        break;
    case 2:
        for (int delay = 0; delay <= 1600; delay += 50)
            run({0, other}, other, delay);
        break;
    case 3:
        for (int sm = 0; sm < SMS; sm++) {
            sms.push_back(sm);
            if (sm < 20 || sm % 16 == 15 || sm == SMS - 1)
                run(sms, -1, 0);
        }
        break;
    case 4:
        for (int sm = 0; sm < SMS; sm += 2) {
            sms.push_back(sm);
            if (sms.size() < 12 || sms.size() % 8 == 0)
                run(sms, -1, 0);
        }
        break;
    case 5:
        for (int count : {16, 64, 256, 1024, 4096})
            for (int delay : {20000, 200000, 2000000})
                run({0, 1}, 1, delay, count);
        break;
    case 6:
        for (int delay : {0, 2000, 5000, 10000, 20000, 50000, 100000, 200000})
            run({0, 1}, 1, delay);
        break;
    }
}
