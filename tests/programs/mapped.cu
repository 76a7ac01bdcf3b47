// SPDX-License-Identifier: MIT
// Virtual memory management of the driver, values that streams write and wait for, batches of copies, libraries.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <unistd.h>

#define DRIVER(call)                                                                                                   \
    do {                                                                                                               \
        CUresult driver_error = (call);                                                                                \
        if (driver_error != CUDA_SUCCESS) {                                                                            \
            printf("line %d: %s: %d\n", __LINE__, #call, driver_error);                                                \
            exit(2);                                                                                                   \
        }                                                                                                              \
    } while (0)

static const char *CODE = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .global .align 4 .u32 step[1] = {3};
.visible .entry raise(.param .u64 p, .param .u32 n)
{
    .reg .pred %q;
    .reg .b32 %r<8>;
    .reg .b64 %d<4>;
    ld.param.u64 %d1, [p];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    setp.ge.u32 %q, %r5, %r1;
    @%q bra DONE;
    cvta.to.global.u64 %d1, %d1;
    mul.wide.u32 %d2, %r5, 4;
    add.s64 %d3, %d1, %d2;
    ld.global.u32 %r6, [%d3];
    ld.global.u32 %r7, [step];
    add.s32 %r6, %r6, %r7;
    st.global.u32 [%d3], %r6;
DONE:
    ret;
}
)";

int main()
{
    CUdevice device;
    CUcontext context;
    int supported;
    DRIVER(cuInit(0));
    DRIVER(cuDeviceGet(&device, 0));
    DRIVER(cuDevicePrimaryCtxRetain(&context, device));
    DRIVER(cuCtxSetCurrent(context));
    DRIVER(cuDeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, device));

    CUlibrary library;
    CUkernel kernel;
    CUdeviceptr step;
    size_t step_bytes;
    unsigned kernels;
    DRIVER(cuLibraryLoadData(&library, CODE, nullptr, nullptr, 0, nullptr, nullptr, 0));
    DRIVER(cuLibraryGetKernelCount(&kernels, library));
    DRIVER(cuLibraryGetKernel(&kernel, library, "raise"));
    DRIVER(cuLibraryGetGlobal(&step, &step_bytes, library, "step"));
    printf("supported: %d, %u kernel, variable of %zu bytes\n", supported, kernels, step_bytes);

    // Two pieces of memory side by side, and the first one also elsewhere.
    CUmemAllocationProp properties;
    memset(&properties, 0, sizeof properties);
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    size_t piece;
    CUmemGenericAllocationHandle memory[2];
    CUdeviceptr here, there;
    DRIVER(cuMemGetAllocationGranularity(&piece, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    DRIVER(cuMemAddressReserve(&here, 2 * piece, 0, 0, 0));
    DRIVER(cuMemAddressReserve(&there, piece, 0, 0, 0));
    for (int i = 0; i < 2; i++) {
        DRIVER(cuMemCreate(&memory[i], piece, &properties, 0));
        DRIVER(cuMemMap(here + i * piece, piece, 0, memory[i], 0));
    }
    printf("at an offset: %d\n", cuMemMap(there, piece, 4096, memory[0], 0));
    DRIVER(cuMemMap(there, piece, 0, memory[0], 0));
    CUmemAccessDesc access = {properties.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    DRIVER(cuMemSetAccess(here, 2 * piece, &access, 1));
    DRIVER(cuMemSetAccess(there, piece, &access, 1));
    unsigned long long flags;
    DRIVER(cuMemGetAccess(&flags, &properties.location, here));
    printf("granularity: %zu, access: %llu\n", piece, flags);

    unsigned n = (unsigned)(2 * piece / 4), *host = (unsigned *)malloc(2 * piece);
    DRIVER(cuMemsetD32(here, 10, n));
    void *args[] = {&here, &n};
    DRIVER(cuLaunchKernel((CUfunction)kernel, (n + 255) / 256, 1, 1, 256, 1, 1, 0, 0, args, nullptr));
    DRIVER(cuMemcpyDtoH(host, here, 2 * piece));
    bool good = true;
    for (unsigned i = 0; i < n; i++)
        good = good && host[i] == 13;
    printf("across both pieces: %s\n", good ? "13" : "?");
    unsigned value = 77;
    DRIVER(cuMemcpyHtoD(there + 8, &value, 4));
    DRIVER(cuMemcpyDtoH(host, here, 16));
    printf("the same bytes elsewhere: %u %u\n", host[1], host[2]);

    int file;
    CUmemGenericAllocationHandle again;
    DRIVER(cuMemExportToShareableHandle(&file, memory[0], CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    DRIVER(cuMemImportFromShareableHandle(&again, (void *)(intptr_t)file, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    DRIVER(cuMemUnmap(there, piece));
    DRIVER(cuMemMap(there, piece, 0, again, 0));
    DRIVER(cuMemSetAccess(there, piece, &access, 1));
    value = 0;
    DRIVER(cuMemcpyDtoH(&value, there + 8, 4));
    printf("imported: %u\n", value);
    close(file);

    // Handles can go while memory is mapped; what is not mapped cannot be accessed.
    DRIVER(cuMemRelease(memory[0]));
    DRIVER(cuMemRelease(memory[1]));
    DRIVER(cuMemRelease(again));
    DRIVER(cuMemUnmap(here + piece, piece));
    DRIVER(cuMemcpyDtoH(host, here + 8, 4));
    printf("after release: %u, unmapped: %s\n", host[0],
           cuMemcpyDtoH(host, here + piece, 4) == CUDA_ERROR_INVALID_VALUE ? "refused" : "?");
    DRIVER(cuMemUnmap(here, piece));
    DRIVER(cuMemUnmap(there, piece));
    DRIVER(cuMemAddressFree(here, 2 * piece));
    DRIVER(cuMemAddressFree(there, piece));

    // Values.
    CUstream stream;
    CUdeviceptr words;
    DRIVER(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    DRIVER(cuMemAlloc(&words, 64));
    DRIVER(cuMemsetD32(words, 0, 16));
    DRIVER(cuStreamWriteValue32(stream, words, 5, 0));
    DRIVER(cuStreamWaitValue32(stream, words, 4, CU_STREAM_WAIT_VALUE_GEQ));
    DRIVER(cuStreamWriteValue64(stream, words + 8, 0x100000002ull, 0));
    CUstreamBatchMemOpParams batch[2];
    memset(batch, 0, sizeof batch);
    batch[0].waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
    batch[0].waitValue.address = words + 8;
    batch[0].waitValue.value = 2;
    batch[0].waitValue.flags = CU_STREAM_WAIT_VALUE_AND;
    batch[1].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    batch[1].writeValue.address = words + 4;
    batch[1].writeValue.value = 9;
    DRIVER(cuStreamBatchMemOp(stream, 2, batch, 0));
    DRIVER(cuStreamSynchronize(stream));
    DRIVER(cuMemcpyDtoH(host, words, 16));
    printf("values: %u %u %u %u\n", host[0], host[1], host[2], host[3]);
    DRIVER(cuLibraryUnload(library));
    printf("PASSED\n");
    return 0;
}
