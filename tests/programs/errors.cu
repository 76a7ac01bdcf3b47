/* The error numbers of calls that go wrong: what is refused, what is remembered, and what breaks the device. */
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

__global__ void misaligned(char *x)
{
    *(int *)(x + 1) = 5;
}

__global__ void trap()
{
    __trap();
}

static void say(const char *what, cudaError_t error)
{
    printf("%-34s %s\n", what, cudaGetErrorName(error));
}

static void after_launch(const char *what)
{
    say(what, cudaGetLastError());
    say("  waiting", cudaDeviceSynchronize());
    say("  once more", cudaDeviceSynchronize());
    say("  last", cudaGetLastError());
    say("  last again", cudaGetLastError());
    say("  reset", cudaDeviceReset());
    say("  last after reset", cudaGetLastError());
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

    write<<<0, 32>>>(x, 0);
    say("empty grid", cudaGetLastError());
    write<<<1, 1025>>>(x, 0);
    say("block of 1025", cudaGetLastError());
    write<<<1, dim3(1, 1, 65)>>>(x, 0);
    say("block depth 65", cudaGetLastError());
    write<<<dim3(1, 65536), 1>>>(x, 0);
    say("grid height 65536", cudaGetLastError());
    bounded<<<1, 65>>>(x);
    say("beyond launch bounds", cudaGetLastError());
    shared_user<<<1, 32, 49 * 1024>>>(x);
    say("49 KB of shared memory", cudaGetLastError());
    CHECK(cudaFuncSetAttribute(shared_user, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 * 1024));
    shared_user<<<1, 32, 49 * 1024>>>(x);
    say("49 KB after asking", cudaGetLastError());
    say("300 KB is too much to ask", cudaFuncSetAttribute(shared_user, cudaFuncAttributeMaxDynamicSharedMemorySize, 300 << 10));
    cudaGetLastError();
    say("wait", cudaDeviceSynchronize());
    write<<<1, 1025>>>(x, 0);
    say("peek", cudaPeekAtLastError());
    say("wait is fine", cudaDeviceSynchronize());
    say("last", cudaGetLastError());

    write<<<1, 1>>>(NULL, 0);
    after_launch("null pointer");
    x = fresh();
    write<<<1, 1>>>(x, 1 << 30);
    after_launch("far outside");
    misaligned<<<1, 1>>>((char *)fresh());
    after_launch("misaligned");
    trap<<<1, 1>>>();
    after_launch("trap");
    x = fresh();
    write<<<1, 1>>>(x, 0);
    say("works again", cudaDeviceSynchronize());
    CHECK(cudaMemcpy(&host, x, sizeof host, cudaMemcpyDeviceToHost));
    return verdict(host == 1);
}
