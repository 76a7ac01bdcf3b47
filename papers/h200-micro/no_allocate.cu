/* L1::no_allocate: cycles of hits with and without it, by lines of a warp's access, and loads of one line by several warps at the same
 * time. no_allocate.csv is what an H200 printed, with L2's reads of the latter beside it (ncu, caches emptied before each launch). */
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>

template <int MODE> __device__ float load(const float *p)
{
    float v;
    if (MODE == 0)
        asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(v) : "l"(p));
    else if (MODE == 1)
        asm volatile("ld.global.L1::no_allocate.f32 %0, [%1];" : "=f"(v) : "l"(p));
    else if (MODE == 2)
        asm volatile("ld.global.L1::evict_first.f32 %0, [%1];" : "=f"(v) : "l"(p));
    else
        asm volatile("ld.global.nc.L1::no_allocate.f32 %0, [%1];" : "=f"(v) : "l"(p));
    return v;
}

/* `lines` lines per access; 64 accesses of 8 per iteration, all hits (read with .ca before). */
template <int MODE> __global__ void hits(const float *a, int lines, long long *cycles, float *sink)
{
    const float *p = a + (threadIdx.x % 32 * lines / 32) * 32 + threadIdx.x % 32 + threadIdx.x / 32 * lines * 32;
    float sum = 0;
    for (int i = 0; i < 4; i++)
        sum += load<0>(p);
    __syncthreads();
    long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < 64; i++) {
        float v[8];
#pragma unroll
        for (int k = 0; k < 8; k++)
            v[k] = load<MODE>(p);
#pragma unroll
        for (int k = 0; k < 8; k++)
            sum += v[k];
    }
    __syncthreads();
    if (!threadIdx.x)
        *cycles = clock64() - begin;
    sink[threadIdx.x] = sum;
}

/* All warps read the same new line at the same time: cycles until all have it. */
template <int MODE> __global__ void together(const float *a, long long *cycles, float *sink)
{
    float sum = 0;
    __syncthreads();
    long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < 64; i++)
        sum += load<MODE>(a + 4096 * i + threadIdx.x % 32 + (__float_as_int(sum) == 12345));
    __syncthreads();
    if (!threadIdx.x)
        *cycles = clock64() - begin;
    sink[threadIdx.x] = sum;
}

int main()
{
    float *a, *sink;
    long long *cycles;
    cudaMalloc(&a, 64 << 20);
    cudaMemset(a, 0, 64 << 20);
    cudaMalloc(&sink, 4096);
    cudaMallocManaged(&cycles, 8);
    const char *names[] = {"ca", "no_allocate", "evict_first", "nc_no_allocate"};
    puts("test,mode,warps,lines,cycles_per_access");
    for (int repeat = 0; repeat < 2; repeat++)
        for (int warps = 1; warps <= 16; warps *= 4)
            for (int lines = 1; lines <= 32; lines *= 2)
                for (int mode = 0; mode < 4; mode++) {
                    void (*kernel[])(const float *, int, long long *, float *) = {hits<0>, hits<1>, hits<2>, hits<3>};
                    kernel[mode]<<<1, 32 * warps>>>(a, lines, cycles, sink);
                    cudaDeviceSynchronize();
                    printf("hits,%s,%d,%d,%.3f\n", names[mode], warps, lines, *cycles / (64.0 * 8 * warps));
                }
    for (int repeat = 0; repeat < 2; repeat++)
        for (int warps = 1; warps <= 16; warps *= 2)
            for (int mode = 0; mode < 4; mode++) {
                void (*kernel[])(const float *, long long *, float *) = {together<0>, together<1>, together<2>, together<3>};
                kernel[mode]<<<1, 32 * warps>>>(a, cycles, sink);
                cudaDeviceSynchronize();
                kernel[mode]<<<1, 32 * warps>>>(a, cycles, sink);
                cudaDeviceSynchronize();
                printf("together,%s,%d,1,%.3f\n", names[mode], warps, *cycles / 64.0);
            }
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
