/* SPDX-License-Identifier: MIT */
/* A program that trusts its kernels as little as it should: loads the PTX file it is given, launches kernel k(buffer,
 * address of a secret, address of a variable) with a block of one thread, and says what became of it. Exit codes: 0,
 * all went well; 1, CUDA refused something; 3, the kernel knows the secret or has changed the variable. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cudadriver/abi.h"

CUresult cuInit(unsigned);
CUresult cuCtxCreate_v2(CUcontext *, unsigned, CUdevice);
CUresult cuModuleLoadData(CUmodule *, const void *);
CUresult cuModuleGetFunction(CUfunction *, CUmodule, const char *);
CUresult cuMemAlloc_v2(CUdeviceptr *, size_t);
CUresult cuMemsetD8_v2(CUdeviceptr, unsigned char, size_t);
CUresult cuMemcpyDtoH_v2(void *, CUdeviceptr, size_t);
CUresult cuLaunchKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream,
                        void **, void **);
CUresult cuCtxSynchronize(void);

enum { BUFFER_BYTES = 4096, MAX_PTX = 1 << 20 };
static const char SECRET[64] = "known to the host alone";
static const char ORIGINAL[64] = "set by the host alone";
static char secret[64], variable[64];

static CUresult run(const char *ptx, char *out)
{
    CUcontext context;
    CUmodule module;
    CUfunction kernel;
    CUdeviceptr buffer;
    CUresult error = cuInit(0);
    error = error ? error : cuCtxCreate_v2(&context, 0, 0);
    error = error ? error : cuModuleLoadData(&module, ptx);
    error = error ? error : cuModuleGetFunction(&kernel, module, "k");
    error = error ? error : cuMemAlloc_v2(&buffer, BUFFER_BYTES);
    error = error ? error : cuMemsetD8_v2(buffer, 0, BUFFER_BYTES);
    if (error)
        return error;
    uint64_t secret_at = (uintptr_t)secret, variable_at = (uintptr_t)variable;
    void *args[] = {&buffer, &secret_at, &variable_at};
    error = cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL);
    error = error ? error : cuCtxSynchronize();
    return error ? error : cuMemcpyDtoH_v2(out, buffer, BUFFER_BYTES);
}

int main(int argc, char **argv)
{
    static char ptx[MAX_PTX], out[BUFFER_BYTES];
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (!file)
        return 2;
    ptx[fread(ptx, 1, sizeof ptx - 1, file)] = 0;
    fclose(file);
    memcpy(secret, SECRET, sizeof secret);
    memcpy(variable, ORIGINAL, sizeof variable);
    CUresult error = run(ptx, out);
    if (memmem(out, sizeof out, SECRET, 8) || memcmp(variable, ORIGINAL, sizeof variable))
        return 3;
    printf("result %d, the buffer begins with %#llx\n", (int)error, *(unsigned long long *)(void *)out);
    return error ? 1 : 0;
}
