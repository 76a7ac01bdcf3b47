/* SPDX-License-Identifier: MIT */
/* For each rule of findings a kernel that it finds, and one like it that it does not: tests/cli/findings.sh.
 * nvcc -ptx -lineinfo -arch=sm_80 kernels.cu */
#define KERNEL extern "C" __global__ void

KERNEL loads_apart(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * 8 % n];
}
KERNEL loads_together(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i % n];
}

KERNEL stores_apart(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i * 2 % n] = in[i % n];
}
KERNEL stores_together(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    ((float2 *)out)[i] = make_float2(in[i % n], 0);
}

/* Each thread goes through a row of its own, `n` floats long: rows of all resident threads are the working set. */
KERNEL rows(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int j = 0; j < n; j++)
        sum += in[i * n + j];
    out[i] = sum;
}

/* A thread reads 8 words, `n` floats apart, again and again. */
KERNEL columns(const float *in, float *out, int n)
{
    float sum = 0;
#pragma unroll 1
    for (int again = 0; again < 128; again++)
        for (int j = 0; j < 8; j++)
            sum += in[j * n + (threadIdx.x ^ again % 32)];
    out[threadIdx.x] = sum;
}

/* A table of `n` words that is read again and again, beside a stream. */
KERNEL stream(const float *table, const float *streamed, float *out, int n)
{
    float sum = 0;
    for (int again = 0; again < 64; again++) {
        for (int j = threadIdx.x; j < n; j += blockDim.x)
            sum += table[j];
        for (int j = threadIdx.x; j < n; j += blockDim.x)
            sum += streamed[again * n + j];
    }
    out[threadIdx.x] = sum;
}

KERNEL local_array(const int *in, int *out, int n)
{
    int values[32], i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < 32; j++)
        values[j] = in[i] + j * n;
    for (int j = 0; j < 64; j++)
        values[(values[j % 32] ^ j) & 31] += j;
    out[i] = values[in[i] & 31];
}
KERNEL registers(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, value = in[i];
    for (int j = 0; j < 64; j++)
        value = (value ^ j) * n;
    out[i] = value;
}

template <int WIDTH> static __device__ void transpose(const float *in, float *out, int n)
{
    __shared__ float tile[32][WIDTH];
    for (int again = 0; again < n; again++) {
        tile[threadIdx.y][threadIdx.x] = in[(blockIdx.x * 32 + threadIdx.y) * 32 + threadIdx.x] + again;
        __syncthreads();
        out[(blockIdx.x * 32 + threadIdx.y) * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
        __syncthreads();
    }
}
KERNEL bank_conflicts(const float *in, float *out, int n)
{
    transpose<32>(in, out, n);
}
KERNEL banks_padded(const float *in, float *out, int n)
{
    transpose<33>(in, out, n);
}

KERNEL one_counter(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (in[i] % 2 == n % 2)
        atomicAdd(out, in[i]);
}
KERNEL many_counters(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (in[i] % 2 == n % 2)
        atomicAdd(&out[i], in[i]);
}

/* All blocks read the same `n` words. */
KERNEL everyone(const float *in, float *out, int n)
{
    float sum = 0;
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        sum += in[j];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
/* Each block has words of its own. */
KERNEL everyone_own(const float *in, float *out, int n)
{
    float sum = 0;
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        sum += in[blockIdx.x * n + j];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* One lane in `n` goes through a long loop. */
KERNEL few_lanes(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = in[i];
    if (i % n == 0)
        for (int k = 0; k < 512; k++)
            v = v * v + 0.5f;
    out[i] = v;
}

/* A block in `n` has a hundred times the work of others. */
KERNEL few_blocks(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, turns = blockIdx.x % n ? 16 : 1600;
    float v = in[i];
    for (int k = 0; k < turns; k++)
        v = v * v + 0.5f;
    out[i] = v;
}

/* Whether in[i] changes the compiler does not know: it is loaded in each turn. */
KERNEL again(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k++)
        out[i] = out[i] * 0.5f + in[i];
}
KERNEL once(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = in[i], sum = out[i];
    for (int k = 0; k < n; k++)
        sum = sum * 0.5f + v;
    out[i] = sum;
}
