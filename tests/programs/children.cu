// SPDX-License-Identifier: MIT
// Kernels that launch kernels: default, named, fire-and-forget and tail streams, copies and fills between them, memory,
// questions, errors. All that is printed is the same in every order that CUDA allows.
#include "check.h"

__global__ void fill(int *x, int n, int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = value;
}

__global__ void twice(int *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = 2 * x[i] + 1;
}

__global__ void thrice(int *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = 3 * x[i] + 2;
}

// Each child of a stream sees what those before it wrote.
__global__ void in_order(int *x, int n)
{
    if (threadIdx.x)
        return;
    int *mine = x + blockIdx.x * n;
    fill<<<(n + 63) / 64, 64>>>(mine, n, blockIdx.x);
    void (*next)(int *, int) = blockIdx.x % 2 ? twice : thrice;
    next<<<(n + 63) / 64, 64>>>(mine, n);
    twice<<<dim3(1, 1, 1), dim3(64, 1, 1)>>>(mine, n / 2);
}

// A tree of launches: a child and all that it launches come before what its parent launches next.
__global__ void tree(unsigned *sums, int depth, int leaf)
{
    atomicAdd(&sums[depth], leaf);
    if (depth == 0)
        return;
    tree<<<1, 2>>>(sums, depth - 1, leaf + 1);
    tree<<<1, 1, 0, cudaStreamFireAndForget>>>(sums, depth - 1, leaf + 2);
}

__global__ void collect(const unsigned *parts, int n, unsigned *sum)
{
    for (int i = 0; i < n; i++)
        *sum += parts[i];
}

__global__ void part(unsigned *parts)
{
    parts[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x * 1000 + threadIdx.x;
}

// A tail launch comes when the kernel and all its other children have ended.
__global__ void with_tail(unsigned *parts, unsigned *sum, int again)
{
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        collect<<<1, 1, 0, cudaStreamTailLaunch>>>(parts, 128, sum);
        if (again)
            with_tail<<<2, 32, 0, cudaStreamTailLaunch>>>(parts, sum, again - 1);
        part<<<4, 32, 0, cudaStreamFireAndForget>>>(parts);
    }
}

// Copies and fills keep their place among the launches of their stream. The device runtime does not look at the value
// of a fill: zeros are written.
__global__ void moves(int *x, int *y, int n)
{
    cudaStream_t stream;
    cudaEvent_t event;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    cudaMemsetAsync(x, 1, n * sizeof(int), stream);
    twice<<<(n + 127) / 128, 128, 0, stream>>>(x, n);
    cudaMemcpyAsync(y, x, n * sizeof(int), cudaMemcpyDeviceToDevice, stream);
    cudaEventRecord(event, stream);
    cudaStreamWaitEvent(stream, event, 0);
    thrice<<<(n + 127) / 128, 128, 0, stream>>>(x, n);
    cudaMemset2DAsync(y, 8 * sizeof(int), 0, sizeof(int), n / 8, stream);
    cudaEventDestroy(event);
    cudaStreamDestroy(stream);
}

struct Answers {
    int device, devices, threads, warp, blocks, malloced, refused, again, text, too_much, stream, event;
    size_t shared;
};

__global__ void asks(Answers *a)
{
    cudaFuncAttributes attributes;
    cudaGetDevice(&a->device);
    cudaGetDeviceCount(&a->devices);
    cudaDeviceGetAttribute(&a->threads, cudaDevAttrMaxThreadsPerBlock, 0);
    cudaDeviceGetAttribute(&a->warp, cudaDevAttrWarpSize, 0);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&a->blocks, twice, 1024, 0);
    cudaFuncGetAttributes(&attributes, twice);
    a->shared = attributes.sharedSizeBytes;
    int *memory = 0;
    cudaMalloc(&memory, 64);
    memory[15] = 7;
    a->malloced = memory[15];
    cudaFree(memory);
    twice<<<1, 4096>>>((int *)a, 0); // more threads than a block can have
    a->refused = cudaGetLastError() != cudaSuccess;
    a->again = cudaGetLastError();
    twice<<<1, 32, 1 << 20>>>((int *)a, 0); // more shared memory than a block can have
    a->too_much = cudaGetLastError();
    cudaStream_t stream;
    cudaEvent_t event;
    a->stream = cudaStreamCreateWithFlags(&stream, cudaStreamDefault);
    a->event = cudaEventCreateWithFlags(&event, cudaEventDefault); // one that takes the time
    const char *text = cudaGetErrorString(cudaSuccess);
    a->text = text[0] == 'n' && text[1] == 'o';
}

template <class T> static std::vector<T> fetch(const T *from, size_t n)
{
    std::vector<T> host(n);
    CHECK(cudaMemcpy(host.data(), from, n * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
}

int main()
{
    const int n = 100, blocks = 6;
    bool good = true;
    int *x, *y;
    unsigned *sums;
    Answers *answers;
    CHECK(cudaMalloc(&x, blocks * n * sizeof(int)));
    CHECK(cudaMalloc(&y, blocks * n * sizeof(int)));
    CHECK(cudaMalloc(&sums, 256 * sizeof(unsigned)));
    CHECK(cudaMallocManaged(&answers, sizeof *answers));
    CHECK(cudaMemset(sums, 0, 256 * sizeof(unsigned)));

    in_order<<<blocks, 32>>>(x, n);
    CHECK(cudaDeviceSynchronize());
    std::vector<int> order = fetch(x, blocks * n);
    for (int b = 0; b < blocks; b++)
        for (int i = 0; i < n; i++) {
            int want = b % 2 ? 2 * b + 1 : 3 * b + 2;
            good = good && order[b * n + i] == (i < n / 2 ? 2 * want + 1 : want);
        }
    show("in order", order);

    tree<<<1, 1>>>(sums, 5, 1);
    CHECK(cudaDeviceSynchronize());
    std::vector<unsigned> levels = fetch(sums, 6);
    printf("tree: %u %u %u %u %u %u\n", levels[5], levels[4], levels[3], levels[2], levels[1], levels[0]);

    CHECK(cudaMemset(sums, 0, 256 * sizeof(unsigned)));
    with_tail<<<2, 32>>>(sums, sums + 200, 2);
    CHECK(cudaDeviceSynchronize());
    printf("tails: %u\n", fetch(sums, 256)[200]);

    moves<<<1, 1>>>(x, y, 512);
    CHECK(cudaDeviceSynchronize());
    show("x", fetch(x, 512));
    show("y", fetch(y, 512));
    good = good && fetch(y, 2)[0] == 0 && fetch(y, 2)[1] == 1;

    asks<<<1, 1>>>(answers);
    CHECK(cudaDeviceSynchronize());
    printf("device %d of %d: %d threads in a block, %d in a warp; %d blocks; %zu bytes shared; malloc %d\n",
           answers->device, answers->devices, answers->threads, answers->warp, answers->blocks, answers->shared,
           answers->malloced);
    printf("refused: %d, then %d, text %d\n", answers->refused, answers->again, answers->text);
    printf("too much shared memory: %d, stream: %d, event: %d\n", answers->too_much, answers->stream, answers->event);
    return verdict(good);
}
