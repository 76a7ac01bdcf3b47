/* Lanes of one store with the same address: whose value stays. */
#include "check.h"

template <class T> __global__ void global_store(T *out, int together, T one)
{
    T value = one;
    value.x = threadIdx.x;
    out[threadIdx.x / together] = value;
}

template <class T> __global__ void shared_store(T *out, int together, T one)
{
    __shared__ T cell[32];
    T value = one;
    value.x = threadIdx.x;
    cell[threadIdx.x] = one;
    __syncwarp();
    cell[threadIdx.x / together] = value;
    __syncwarp();
    out[threadIdx.x] = cell[threadIdx.x];
}

/* Every lane stores the result of a sum that only the lowest has. */
__global__ void sum_of_all(int *out, const int *in)
{
    int sum = in[threadIdx.x];
    for (int i = 16; i; i /= 2)
        sum += __shfl_down_sync(~0u, sum, i);
    *out = sum;
}

template <class T> static void try_all(const char *name)
{
    T *out, host[32];
    CHECK(cudaMalloc(&out, sizeof host));
    for (int together = 2; together <= 32; together *= 2)
        for (int shared = 0; shared < 2; shared++) {
            CHECK(cudaMemset(out, 0xff, sizeof host));
            (shared ? shared_store<T> : global_store<T>)<<<1, 32>>>(out, together, T{});
            CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
            printf("%s, %d lanes, %s:", name, together, shared ? "shared" : "global");
            for (int i = 0; i < 32 / together; i++)
                printf(" %d", (int)host[i].x);
            printf("\n");
        }
    CHECK(cudaFree(out));
}

int main()
{
    try_all<uchar1>("1 byte");
    try_all<ushort1>("2 bytes");
    try_all<int1>("4 bytes");
    try_all<double1>("8 bytes");
    try_all<int2>("2 x 4 bytes");
    try_all<int4>("4 x 4 bytes");
    try_all<double2>("2 x 8 bytes");
    int *data, host[33];
    CHECK(cudaMalloc(&data, sizeof host));
    for (int i = 0; i < 32; i++)
        host[i] = i;
    CHECK(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
    sum_of_all<<<1, 32>>>(data + 32, data);
    CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    printf("sum: %d\n", host[32]);
    return verdict(host[32] == 496);
}
