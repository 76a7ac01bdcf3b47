/* L1::no_allocate: cycles of hits with and without it, by lines of a warp's access; loads of one line by several warps at the same
 * time; and what of lines that L1 has is still there after such loads of them. no_allocate.csv is what an H200 printed, with L2's
 * reads of the second beside it (ncu, caches emptied before each launch). */
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

/* One warp, 32 lines per access, an L1 that is full. Reads sector 0 of `lines` lines if `present`, then sector `sector` of them in
 * MODE, sector 0 once more if `again`, then one sector of `others` other lines, by loads or stores, and counts of which lines sector
 * `sector` still hits: cycles of single loads tell. */
struct experiment {
    int lines, present, sector, again, others, stores;
};

template <int MODE> __device__ float read_lines(const float *a, int lines, float sum)
{
    for (int i = threadIdx.x; i < lines; i += 32)
        sum += load<MODE>(a + i * 32 + (__float_as_int(sum) == 12345));
    __syncwarp();
    return sum;
}

template <int MODE> __global__ void kept(float *a, experiment e, long long *count, float *sink)
{
    float *b = a + (8 << 20);
    float sum = read_lines<0>(b + (1 << 20), 4096, 0);
    sum = read_lines<0>(a, e.present * e.lines, sum);
    sum = read_lines<MODE>(a + e.sector * 8, e.lines, sum);
    sum = read_lines<0>(a, e.again * e.lines, sum);
    sum = read_lines<0>(b, e.stores ? 0 : e.others, sum);
    for (int i = threadIdx.x; e.stores && i < e.others; i += 32)
        asm volatile("st.global.f32 [%0], %1;" ::"l"(b + i * 32 + (__float_as_int(sum) == 12345)), "f"(1.0f));
    __syncwarp();
    long long hits = 0;
    for (int i = 0; i < e.lines; i++) {
        long long begin = clock64();
        sum += load<0>(a + i * 32 + e.sector * 8 + (__float_as_int(sum) == 12345));
        hits += clock64() + (__float_as_int(sum) == 12345) - begin < 100;
    }
    if (!threadIdx.x)
        *count = hits;
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
    puts("test,mode,lines,present,sector,again,others,stores,hits");
    for (int n = 0; n < 3 * 2 * 2 * 2 * 4 * 2 * 3; n++) {
        int rest = n / 3, mode = n % 3, digit[6], base[] = {2, 4, 2, 2, 2, 3};
        for (int i = 0; i < 6; rest /= base[i++])
            digit[i] = rest % base[i];
        experiment e = {32 << 2 * digit[5], digit[4], digit[3], digit[2], digit[1] ? 16 << 2 * digit[1] : 0, digit[0]};
        void (*kernel[])(float *, experiment, long long *, float *) = {kept<0>, kept<1>, kept<2>};
        if ((e.again && !e.present) || (e.stores && !e.others))
            continue;
        kernel[mode]<<<1, 32>>>(a, e, cycles, sink);
        cudaDeviceSynchronize();
        printf("kept,%s,%d,%d,%d,%d,%d,%d,%lld\n", names[mode], e.lines, e.present, e.sector, e.again, e.others, e.stores, *cycles);
    }
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
