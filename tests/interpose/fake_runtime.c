/* SPDX-License-Identifier: MIT */
/* Stands for a CUDA runtime that is linked into a program: functions with the names of MAJOR's, none of which works.
 * Between them lies code without relocations, as in a real one. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define INSIDE __attribute__((visibility("hidden"), noinline, aligned(16)))

enum { NOT_REDIRECTED = 99 };
static volatile int calls;
INSIDE const char *cudaGetErrorName(int error);
const char *cudaGetErrorName(int error)
{
    return error ? "libcuda.so.1" : "cudaErrorMissingConfiguration"; /* what every runtime has among its texts */
}

#define FUNCTION(name, ...)                                                                                            \
    INSIDE int name(__VA_ARGS__);                                                                                      \
    int name(__VA_ARGS__)                                                                                              \
    {                                                                                                                  \
        __asm__ volatile(".rept 16; mov %0, %%eax; .endr" ::"i"(MAJOR * 1000 + __LINE__) : "eax");                     \
        return NOT_REDIRECTED + calls++;                                                                               \
    }
FUNCTION(cudaRuntimeGetVersion, int *v)
FUNCTION(cudaMalloc, void **p, unsigned long n)
FUNCTION(cudaMemset, void *p, int v, unsigned long n)
FUNCTION(cudaMemcpy, void *to, const void *from, unsigned long n, int kind)
FUNCTION(cudaFree, void *p)
FUNCTION(cudaDeviceSynchronize, void)
#ifdef RELEASE_2 /* of the same version: something was added in between */
FUNCTION(added, int *v)
#endif
FUNCTION(cudaGetLastError, void)
FUNCTION(cudaPeekAtLastError, void)
FUNCTION(cudaSetDevice, int d)
FUNCTION(cudaGetDevice, int *d)
FUNCTION(cudaGetDeviceCount, int *d)
FUNCTION(cudaMallocHost, void **p, unsigned long n)
FUNCTION(cudaFreeHost, void *p)
FUNCTION(cudaStreamCreate, void **s)
FUNCTION(cudaStreamDestroy, void *s)
FUNCTION(cudaEventCreate, void **e)
FUNCTION(cudaEventDestroy, void *e)
FUNCTION(__cudaRegisterFatBinary, void *w)
#if MAJOR == 11
FUNCTION(cudaBindTexture, void *p)
#endif
#if MAJOR < 13
FUNCTION(cudaMemAdvise_v2, void *p)
#endif
