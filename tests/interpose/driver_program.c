/* SPDX-License-Identifier: MIT */
/* A program of the driver's interface, for what stands in front of the driver: it adds a table to a stream, four times,
 * in kernels of two modules, one of which counts its launches in a variable. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct CUctx *CUcontext;
typedef struct CUmod *CUmodule;
typedef struct CUfunc *CUfunction;

extern int cuInit(unsigned), cuDeviceGet(int *, int), cuDevicePrimaryCtxRetain(CUcontext *, int);
extern int cuCtxSetCurrent(CUcontext), cuModuleLoadData(CUmodule *, const void *);
extern int cuModuleGetFunction(CUfunction *, CUmodule, const char *);
extern int cuMemAlloc_v2(uint64_t *, size_t), cuMemFree_v2(uint64_t), cuMemcpyHtoD_v2(uint64_t, const void *, size_t);
extern int cuMemcpyDtoH_v2(void *, uint64_t, size_t), cuCtxSynchronize(void);
extern int cuLaunchKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,
                          void **, void **);

enum { THREADS = 256, BLOCKS = 8, VALUES = THREADS * BLOCKS, LAUNCHES = 4 };

#define MODULE(name, last)                                                                                             \
    ".version 7.4\n.target sm_80\n.address_size 64\n.global .align 4 .u32 count = 0;\n"                                \
    ".visible .entry " name "(.param .u64 p_table, .param .u64 p_stream)\n{\n"                                         \
    ".reg .pred %p<2>; .reg .b32 %r<12>; .reg .b64 %rd<10>;\n"                                                         \
    "ld.param.u64 %rd1, [p_table];\nld.param.u64 %rd2, [p_stream];\n"                                                  \
    "cvta.to.global.u64 %rd1, %rd1;\ncvta.to.global.u64 %rd2, %rd2;\n"                                                 \
    "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\nmad.lo.s32 %r4, %r1, %r2, %r3;\n"            \
    "mul.wide.s32 %rd3, %r4, 4;\nadd.s64 %rd4, %rd2, %rd3;\nmul.wide.s32 %rd5, %r3, 4;\nadd.s64 %rd6, %rd1, %rd5;\n"   \
    "ld.global.u32 %r5, [%rd6];\nld.global.u32 %r6, [%rd4];\nadd.s32 %r7, %r5, %r6;\nst.global.u32 [%rd4], "           \
    "%r7;\n" last "ret;\n}\n"

static const char ADDS[] = MODULE("adds", "");
static const char COUNTS[] =
    MODULE("counts", "setp.ne.s32 %p1, %r4, 0;\n@%p1 ret;\nmov.u64 %rd8, count;\n"
                     "ld.global.u32 %r8, [%rd8];\nadd.s32 %r8, %r8, 1;\nst.global.u32 [%rd8], %r8;\n"
                     "st.global.u32 [%rd4], %r8;\n");

static void check(int result, const char *what)
{
    if (!result)
        return;
    fprintf(stderr, "%s: error %d\n", what, result);
    exit(1);
}

int main(void)
{
    static uint32_t table[THREADS], stream[VALUES];
    uint64_t on_gpu[2];
    int device;
    uint64_t sum = 0;
    CUcontext context;
    CUmodule module[2];
    CUfunction kernel[2];
    for (uint32_t i = 0; i < VALUES; i++)
        stream[i] = table[i % THREADS] = i % 7;
    check(cuInit(0), "cuInit");
    check(cuDeviceGet(&device, 0), "cuDeviceGet");
    check(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    check(cuCtxSetCurrent(context), "cuCtxSetCurrent");
    check(cuModuleLoadData(&module[0], ADDS), "cuModuleLoadData");
    check(cuModuleLoadData(&module[1], COUNTS), "cuModuleLoadData");
    check(cuModuleGetFunction(&kernel[0], module[0], "adds"), "cuModuleGetFunction");
    check(cuModuleGetFunction(&kernel[1], module[1], "counts"), "cuModuleGetFunction");
    check(cuMemAlloc_v2(&on_gpu[0], sizeof table), "cuMemAlloc");
    check(cuMemAlloc_v2(&on_gpu[1], sizeof stream), "cuMemAlloc");
    check(cuMemcpyHtoD_v2(on_gpu[0], table, sizeof table), "cuMemcpyHtoD");
    check(cuMemcpyHtoD_v2(on_gpu[1], stream, sizeof stream), "cuMemcpyHtoD");
    for (int i = 0; i < LAUNCHES; i++) {
        void *args[] = {&on_gpu[0], &on_gpu[1]};
        check(cuLaunchKernel(kernel[i % 2], BLOCKS, 1, 1, THREADS, 1, 1, 0, NULL, args, NULL), "cuLaunchKernel");
    }
    check(cuCtxSynchronize(), "cuCtxSynchronize");
    check(cuMemcpyDtoH_v2(stream, on_gpu[1], sizeof stream), "cuMemcpyDtoH");
    for (uint32_t i = 0; i < VALUES; i++)
        sum += stream[i];
    printf("sum %llu, first %u\n", (unsigned long long)sum, stream[0]);
    cuMemFree_v2(on_gpu[0]);
    cuMemFree_v2(on_gpu[1]);
    return 0;
}
