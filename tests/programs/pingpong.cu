/* A producer block and a consumer block that spin on each other through global memory: neither can finish alone. And
 * threads of one warp that fight for a lock. */
#include "check.h"

struct Channel {
    int full;
    int value;
};

__global__ void pass(Channel *channel, int *out, int items)
{
    volatile int *full = &channel->full;
    volatile int *value = &channel->value;
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0)
        for (int i = 0; i < items; i++) {
            while (*full)
                ;
            *value = i * i + 1;
            __threadfence();
            atomicExch(&channel->full, 1);
        }
    else
        for (int i = 0; i < items; i++) {
            while (!*full)
                ;
            __threadfence();
            out[i] = *value;
            __threadfence();
            atomicExch(&channel->full, 0);
        }
}

/* Each thread takes the lock in turn; the counter is not atomic. */
__global__ void fight(int *lock, int *counter, int rounds)
{
    for (int r = 0; r < rounds; r++) {
        bool done = false;
        while (!done)
            if (atomicCAS(lock, 0, 1) == 0) {
                __threadfence();
                *(volatile int *)counter = *(volatile int *)counter + 1;
                __threadfence();
                atomicExch(lock, 0);
                done = true;
            }
    }
}

int main()
{
    const int items = 200, rounds = 5, threads = 64, blocks = 4;
    Channel *channel;
    int *d_out, *d_lock;
    CHECK(cudaMalloc(&channel, sizeof *channel));
    CHECK(cudaMalloc(&d_out, items * sizeof(int)));
    CHECK(cudaMalloc(&d_lock, 2 * sizeof(int)));
    CHECK(cudaMemset(channel, 0, sizeof *channel));
    CHECK(cudaMemset(d_lock, 0, 2 * sizeof(int)));
    pass<<<2, 32>>>(channel, d_out, items);
    fight<<<blocks, threads>>>(d_lock, d_lock + 1, rounds);
    CHECK(cudaGetLastError());
    std::vector<int> out(items);
    int counter;
    CHECK(cudaMemcpy(out.data(), d_out, items * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&counter, d_lock + 1, sizeof counter, cudaMemcpyDeviceToHost));
    show("passed", out);
    printf("counter: %d\n", counter);
    bool good = counter == rounds * threads * blocks;
    for (int i = 0; i < items; i++)
        good = good && out[i] == i * i + 1;
    return verdict(good);
}
