/* What blocks, cached data and atomics cost when all SMs take part. ./measure runs it under ncu; it prints what each launch is,
 * in the same order. */
#include "check.h"

__global__ void empty() {}

/* the same bytes several times: all but the first from L2 */
__global__ void again(const float4 *in, float *out, size_t vectors, int times)
{
    size_t step = gridDim.x * (size_t)blockDim.x, first = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    float sum = 0;
    for (int t = 0; t < times; t++)
        for (size_t i = first; i + 3 * step < vectors; i += 4 * step) {
            float4 a, b, c, d;
            asm volatile("ld.global.cg.v4.f32 {%0,%1,%2,%3},[%4];" : "=f"(a.x), "=f"(a.y), "=f"(a.z), "=f"(a.w) : "l"(in + i));
            asm volatile("ld.global.cg.v4.f32 {%0,%1,%2,%3},[%4];" : "=f"(b.x), "=f"(b.y), "=f"(b.z), "=f"(b.w) : "l"(in + i + step));
            asm volatile("ld.global.cg.v4.f32 {%0,%1,%2,%3},[%4];" : "=f"(c.x), "=f"(c.y), "=f"(c.z), "=f"(c.w) : "l"(in + i + 2 * step));
            asm volatile("ld.global.cg.v4.f32 {%0,%1,%2,%3},[%4];" : "=f"(d.x), "=f"(d.y), "=f"(d.z), "=f"(d.w) : "l"(in + i + 3 * step));
            sum += a.x + b.x + c.x + d.x + a.y + b.y + c.y + d.y;
        }
    if (sum == 1.0f)
        out[0] = sum;
}

template <bool RETURNS> __global__ void add(unsigned *to, unsigned addresses, unsigned stride, unsigned *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    for (int k = 0; k < 8; k++) {
        unsigned *p = to + (size_t)((i + k * 7919) % addresses) * stride;
        if (RETURNS)
            sum += atomicAdd(p, 1u);
        else
            atomicAdd(p, 1u);
    }
    if (RETURNS && sum == 1)
        out[0] = sum;
}

template <int N> __global__ void straight(float *out, float a, float b)
{
    float x = threadIdx.x, y = a;
#pragma unroll
    for (int i = 0; i < N / 2; i++) {
        x = x * a + b;
        y = y * b + x;
    }
    if (x + y == 1.0f)
        out[0] = x;
}

/* a dependent load after another: what the first costs in a cold launch */
__global__ void chase(const unsigned *in, unsigned *out, int loads)
{
    unsigned at = threadIdx.x * 32;
    for (int i = 0; i < loads; i++)
        at = in[at + i * 1024];
    if (at == 1)
        out[0] = at;
}

int main()
{
    char *data, *out;
    CHECK(cudaMalloc(&data, 1 << 30));
    CHECK(cudaMemset(data, 0, 1 << 30));
    CHECK(cudaMalloc(&out, 1 << 20));
    CHECK(cudaFuncSetAttribute(empty, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 << 10));
    for (int resident : {1, 2, 4, 8}) /* blocks of an SM, one after the other */
        for (int threads : {32, 128, 256, 512, 1024}) {
            if (threads * resident > 2048)
                continue;
            printf("empty_resident %d %d %d\n", resident, threads, 132 * 32);
            empty<<<132 * 32, threads, (224 / resident - 1) << 10>>>();
        }
    for (int mb : {1, 4, 16, 24, 48, 96})
        for (int times : {1, 3}) {
            printf("again %d %d\n", mb, times);
            again<<<528, 512>>>((float4 *)data, (float *)out, ((size_t)mb << 20) / 16, times);
        }
    for (unsigned addresses : {1u, 8u, 32u, 256u, 4096u, 65536u, 1u << 20})
        for (unsigned stride : {1u, 32u}) {
            printf("red %u %u\n", addresses, stride);
            add<false><<<528, 256>>>((unsigned *)data, addresses, stride, (unsigned *)out);
            printf("atom %u %u\n", addresses, stride);
            add<true><<<528, 256>>>((unsigned *)data, addresses, stride, (unsigned *)out);
        }
    for (int loads : {1, 2, 4, 8, 16}) {
        printf("chase %d 1\n", loads);
        chase<<<1, 32>>>((unsigned *)data, (unsigned *)out, loads);
    }
    printf("straight 128 1\n"), straight<128><<<1, 32>>>((float *)out, 0.5f, 0.25f);
    printf("straight 256 1\n"), straight<256><<<1, 32>>>((float *)out, 0.5f, 0.25f);
    printf("straight 512 1\n"), straight<512><<<1, 32>>>((float *)out, 0.5f, 0.25f);
    printf("straight 1024 1\n"), straight<1024><<<1, 32>>>((float *)out, 0.5f, 0.25f);
    printf("straight 2048 1\n"), straight<2048><<<1, 32>>>((float *)out, 0.5f, 0.25f);
    printf("straight 4096 1\n"), straight<4096><<<1, 32>>>((float *)out, 0.5f, 0.25f);
    printf("straight 8192 1\n"), straight<8192><<<1, 32>>>((float *)out, 0.5f, 0.25f);
    printf("straight 1024 132\n"), straight<1024><<<132, 256>>>((float *)out, 0.5f, 0.25f);
    printf("straight 4096 132\n"), straight<4096><<<132, 256>>>((float *)out, 0.5f, 0.25f);
    CHECK(cudaDeviceSynchronize());
    return 0;
}
