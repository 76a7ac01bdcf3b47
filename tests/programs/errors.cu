/* The error numbers of calls that go wrong: what is refused and what is remembered. */
#include "check.h"

__global__ void write(int *x, int i)
{
    x[i] = 1;
}

__global__ void __launch_bounds__(64) bounded(int *x)
{
    x[threadIdx.x] = 2;
}

__global__ void shared_user(int *x)
{
    extern __shared__ int tile[];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    x[threadIdx.x] = tile[threadIdx.x ^ 1];
}

static void say(const char *what, cudaError_t error)
{
    printf("%-34s %s\n", what, cudaGetErrorName(error));
}

static int *fresh()
{
    int *x = NULL;
    CHECK(cudaMalloc(&x, 1024));
    return x;
}

int main()
{
    int *x = fresh(), host = 0;
    say("malloc too much", cudaMalloc(&x, (size_t)1 << 60));
    say("last", cudaGetLastError());
    say("last again", cudaGetLastError());
    int *zero = (int *)1;
    say("malloc nothing", cudaMalloc(&zero, 0));
    printf("pointer to nothing is %s\n", zero ? "not null" : "null");
    say("free null", cudaFree(NULL));
    say("free host pointer", cudaFree(&host));
    cudaGetLastError();
    x = fresh();
    say("copy of nothing", cudaMemcpy(x, &host, 0, cudaMemcpyHostToDevice));
    say("copy to null", cudaMemcpy(NULL, &host, sizeof host, cudaMemcpyHostToDevice));
    cudaGetLastError();
    say("copy to a host pointer", cudaMemcpy(&host, &zero, sizeof host, cudaMemcpyHostToDevice));
    cudaGetLastError();
    say("wrong kind", cudaMemcpy(x, &host, sizeof host, (cudaMemcpyKind)17));
    cudaGetLastError();
    say("bad device", cudaSetDevice(77));
    cudaGetLastError();

    int place = 0;
    void *args[] = {&x, &place};
    say("empty grid", cudaLaunchKernel((const void *)write, dim3(0), dim3(32), args, 0, 0));
    say("block of 1025", cudaLaunchKernel((const void *)write, dim3(1), dim3(1025), args, 0, 0));
    say("block depth 65", cudaLaunchKernel((const void *)write, dim3(1), dim3(1, 1, 65), args, 0, 0));
    say("grid height 65536", cudaLaunchKernel((const void *)write, dim3(1, 65536), dim3(1), args, 0, 0));
    say("beyond launch bounds", cudaLaunchKernel((const void *)bounded, dim3(1), dim3(65), args, 0, 0));
    say("what is no kernel", cudaLaunchKernel((const void *)&host, dim3(1), dim3(1), args, 0, 0));
    say("last", cudaGetLastError());
    shared_user<<<1, 32, 49 * 1024>>>(x);
    say("49 KB of shared memory", cudaGetLastError());
    CHECK(cudaFuncSetAttribute(shared_user, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 * 1024));
    shared_user<<<1, 32, 49 * 1024>>>(x);
    say("49 KB after asking", cudaGetLastError());
    say("300 KB is too much to ask", cudaFuncSetAttribute(shared_user, cudaFuncAttributeMaxDynamicSharedMemorySize, 300 << 10));
    cudaGetLastError();
    say("wait", cudaDeviceSynchronize());
    say("block of 1025", cudaLaunchKernel((const void *)write, dim3(1), dim3(1025), args, 0, 0));
    say("peek", cudaPeekAtLastError());
    say("wait is fine", cudaDeviceSynchronize());
    say("last", cudaGetLastError());
    write<<<1, 1025>>>(x, 0);
    say("<<< >>> with a block of 1025", cudaGetLastError());
    bounded<<<1, 65>>>(x);
    say("<<< >>> beyond launch bounds", cudaGetLastError());
    write<<<1, 1>>>(x, 0);
    say("works", cudaDeviceSynchronize());
    CHECK(cudaMemcpy(&host, x, sizeof host, cudaMemcpyDeviceToHost));
    return verdict(host == 1);
}
