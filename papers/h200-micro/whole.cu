/* What launches of the whole GPU cost: streams of 1 MB to 4 GB, on 1 to 132 SMs, with few and many blocks; empty launches by
 * grid and block; straight code of 1 K to 64 K instructions; stores of parts of sectors. ./measure runs it under ncu, which
 * empties the caches before each launch; this program prints what each launch is, in the same order. */
#include "check.h"

__global__ void empty() {}

/* one word of each thread, as vecadd and the like */
__global__ void word_each(const float *in, float *out, size_t words)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < words && in[i] == 1.0f)
        out[0] = 1.0f;
}

/* a grid that stays: each thread reads 16 bytes, four loads in flight */
__global__ void stream(const float4 *in, float *out, size_t vectors)
{
    size_t step = gridDim.x * (size_t)blockDim.x;
    float sum = 0;
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    for (; i + 3 * step < vectors; i += 4 * step) {
        float4 a = in[i], b = in[i + step], c = in[i + 2 * step], d = in[i + 3 * step];
        sum += a.x + a.y + a.z + a.w + b.x + b.y + b.z + b.w + c.x + c.y + c.z + c.w + d.x + d.y + d.z + d.w;
    }
    for (; i < vectors; i += step)
        sum += in[i].x;
    if (sum == 1.0f)
        out[0] = sum;
}

__global__ void copy_each(const float *in, float *out, size_t words)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < words)
        out[i] = in[i];
}

__global__ void write_each(float *out, size_t words)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < words)
        out[i] = 1.0f;
}

/* dependent loads `stride` bytes apart: address translation */
__global__ void far_each(const char *in, float *out, size_t stride)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (in[i * stride] == 1)
        out[0] = 1.0f;
}

template <int N> __global__ void straight(float *out, float a, float b)
{
    float x = threadIdx.x, y = a;
#pragma unroll
    for (int i = 0; i < N / 2; i++) {
        x = x * a + b * i;
        y = y * b + x;
    }
    if (x + y == 1.0f)
        out[0] = x;
}

/* words `stride` bytes apart, `count` of them one after the other */
__global__ void partial(char *out, int stride, int count, int next)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    for (int k = 0; k < count; k++)
        *(volatile float *)(out + i * stride + k * next) = 1.0f;
}

int main()
{
    size_t bytes = (size_t)4 << 30;
    char *in, *out;
    CHECK(cudaMalloc(&in, bytes));
    CHECK(cudaMalloc(&out, bytes));
    for (int grid : {1, 132, 264, 1056, 2112, 8448, 33792, 135168}) /* empty launches */
        for (int block : {32, 256, 1024}) {
            printf("empty %d %d\n", grid, block);
            empty<<<grid, block>>>();
        }
    for (size_t mb : {1, 2, 4, 8, 16, 32, 64, 128, 256, 1024, 4096}) {
        size_t words = (mb << 20) / 4;
        printf("word_each %zu %zu\n", mb, words / 256);
        word_each<<<words / 256, 256>>>((float *)in, (float *)out, words);
        printf("stream %zu 1056\n", mb);
        stream<<<1056, 256>>>((float4 *)in, (float *)out, words / 4);
        if (mb <= 1024) {
            printf("copy_each %zu %zu\n", mb, words / 256);
            copy_each<<<words / 256, 256>>>((float *)in, (float *)out, words);
            printf("write_each %zu %zu\n", mb, words / 256);
            write_each<<<words / 256, 256>>>((float *)out, words);
        }
    }
    for (int blocks : {1, 2, 4, 8, 16, 32, 66, 132, 264, 528}) { /* 16 MB and 64 MB by blocks of 1024 threads */
        printf("stream_blocks 16 %d\n", blocks);
        stream<<<blocks, 1024>>>((float4 *)in, (float *)out, (16 << 20) / 16);
        printf("stream_blocks 64 %d\n", blocks);
        stream<<<blocks, 1024>>>((float4 *)in, (float *)out, (64 << 20) / 16);
    }
    for (size_t stride : {128, 4096, 65536, 1 << 20, 2 << 20}) { /* 2048 threads in all, one load each */
        printf("far %zu 64\n", stride);
        far_each<<<64, 32>>>(in, (float *)out, stride);
    }
    printf("straight 1024 1\n"), straight<1024><<<1, 32>>>((float *)out, 0.5f, 0.25f);
    printf("straight 4096 1\n"), straight<4096><<<1, 32>>>((float *)out, 0.5f, 0.25f);
    printf("straight 16384 1\n"), straight<16384><<<1, 32>>>((float *)out, 0.5f, 0.25f);
    printf("straight 65536 1\n"), straight<65536><<<1, 32>>>((float *)out, 0.5f, 0.25f);
    printf("straight 1024 132\n"), straight<1024><<<132, 1024>>>((float *)out, 0.5f, 0.25f);
    printf("straight 4096 132\n"), straight<4096><<<132, 1024>>>((float *)out, 0.5f, 0.25f);
    printf("straight 16384 132\n"), straight<16384><<<132, 1024>>>((float *)out, 0.5f, 0.25f);
    printf("straight 65536 132\n"), straight<65536><<<132, 1024>>>((float *)out, 0.5f, 0.25f);
    const int stores[][3] = {{4, 1, 0},    {8, 1, 0},    {8, 2, 4},   {16, 1, 0},  {16, 4, 4},   {32, 1, 0},   {32, 2, 4},
                             {32, 8, 4},   {64, 1, 0},   {64, 16, 4}, {128, 1, 0}, {128, 32, 4}, {128, 8, 4},  {136, 1, 0},
                             {256, 2, 4},  {256, 64, 4}, {512, 8, 4}, {512, 2, 4}, {1024, 8, 4}, {1024, 16, 4}};
    for (auto &s : stores) {
        printf("partial stride %d count %d next %d\n", s[0], s[1], s[2]);
        partial<<<528, 256>>>(out, s[0], s[1], s[2]);
    }
    CHECK(cudaDeviceSynchronize());
    return 0;
}
