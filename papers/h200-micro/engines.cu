/* SPDX-License-Identifier: MIT */
/* Sectors and cycles of texture fetches and of the bulk copy engine. Each launch prints what it is and the cycles of its slowest block;
 * under ncu each is one row of counters ("copies": without textures). "warm" launches are the second of two. */
#include "check.h"
#include <algorithm>
#include <cstring>
#include <cuda.h>

enum { SMS = 132, SIDE = 2048, FETCHES = 16, COPIES = 16 };

static char *data;
static float *out;
static long long *device_cycles;

static void done(const char *what, int a, int b, int c, int blocks)
{
    static long long host[8 * SMS];
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(host, device_cycles, blocks * sizeof host[0], cudaMemcpyDeviceToHost));
    printf("%s,%d,%d,%d,%lld\n", what, a, b, c, *std::max_element(host, host + blocks));
    fflush(stdout);
}

/* ---- textures: where lane l of a warp fetches ---- */
enum shape { ROW, COLUMN, TILE_8x4, TILE_16x2, TILE_4x8, STRIDE_2, STRIDE_4, STRIDE_8, SAME, RANDOM, SHAPES };
enum texture { LINEAR, LINEAR4, PITCHED, ARRAY, ARRAY_FILTERED, ARRAY4, GLOBAL, GLOBAL4, TEXTURES };

static __device__ void place(int shape, int lane, int *x, int *y)
{
    int width = shape == TILE_8x4 ? 8 : shape == TILE_16x2 ? 16 : shape == TILE_4x8 ? 4 : shape == COLUMN ? 1 : 32;
    *x = lane % width, *y = lane / width;
    if (shape >= STRIDE_2 && shape <= STRIDE_8)
        *x = lane << (shape - STRIDE_2 + 1);
    if (shape == SAME)
        *x = 0;
    if (shape == RANDOM)
        *x = (lane * 2654435761u >> 20) % 512, *y = (lane * 2246822519u >> 20) % 64;
}

template <int KIND> __global__ void fetch(cudaTextureObject_t texture, const float *global, int shape, int again, long long *cycles, float *out)
{
    int lane = threadIdx.x % 32, warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, x, y;
    float sum = 0;
    place(shape, lane, &x, &y);
    __syncthreads();
    long long begin = clock64();
    for (int i = 0; i < FETCHES; i++) {
        int step = again ? 0 : i, tile = warp * FETCHES + step; /* each warp and step at a place of its own */
        int tx = x + tile % 4 * 512, ty = y + tile / 4 * 64 % SIDE + tile / 128 % 2 * 32;
        if (KIND == LINEAR)
            sum += tex1Dfetch<float>(texture, ty * SIDE + tx);
        else if (KIND == LINEAR4)
            sum += tex1Dfetch<float4>(texture, (ty * SIDE + tx) % (SIDE * SIDE / 4)).x;
        else if (KIND == ARRAY4)
            sum += tex2D<float4>(texture, tx % 1024 + 0.5f, ty % 1024 + 0.5f).x;
        else if (KIND == ARRAY_FILTERED)
            sum += tex2D<float>(texture, tx + 0.75f, ty + 0.75f);
        else if (KIND == GLOBAL)
            sum += __ldg(global + (ty * SIDE + tx));
        else if (KIND == GLOBAL4)
            sum += __ldg((const float4 *)global + (ty * SIDE + tx) % (SIDE * SIDE / 4)).x;
        else
            sum += tex2D<float>(texture, tx + 0.5f, ty + 0.5f);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        cycles[blockIdx.x] = clock64() - begin;
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

template <int KIND> static void textures(const char *name)
{
    cudaResourceDesc resource = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t texture;
    cudaArray_t array = nullptr;
    auto one = cudaCreateChannelDesc<float>(), four = cudaCreateChannelDesc<float4>();
    if (KIND == LINEAR || KIND == LINEAR4 || KIND == GLOBAL || KIND == GLOBAL4) {
        resource.resType = cudaResourceTypeLinear;
        resource.res.linear = {data, KIND == LINEAR4 ? four : one, (size_t)SIDE * SIDE * 4};
    } else if (KIND == PITCHED) {
        resource.resType = cudaResourceTypePitch2D;
        resource.res.pitch2D = {data, one, SIDE, SIDE, SIDE * 4};
    } else {
        CHECK(cudaMallocArray(&array, KIND == ARRAY4 ? &four : &one, KIND == ARRAY4 ? 1024 : SIDE, KIND == ARRAY4 ? 1024 : SIDE));
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = array;
    }
    how.filterMode = KIND == ARRAY_FILTERED ? cudaFilterModeLinear : cudaFilterModePoint;
    CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    static const char *const shapes[] = {"row", "column", "8x4", "16x2", "4x8", "stride 2", "stride 4", "stride 8", "same", "random"};
    for (int shape = 0; shape < SHAPES; shape++)
        for (int again = 0; again < 2; again++)
            for (int warps : {1, 8}) {
                char what[80];
                fetch<KIND><<<SMS, warps * 32>>>(texture, (float *)data, shape, again, device_cycles, out);
                snprintf(what, sizeof what, "%s %s", name, shapes[shape]);
                done(what, again, warps, FETCHES, SMS);
            }
    if (array)
        CHECK(cudaFreeArray(array));
}

/* ---- bulk copies to shared memory: thread 0 starts COPIES copies, `ahead` at a time; one block on an SM ---- */
static __device__ void expect(unsigned bar, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes) : "memory");
}
static __device__ void wait(unsigned bar, unsigned parity)
{
    asm volatile("{.reg .pred p; again: mbarrier.try_wait.parity.shared.b64 p, [%0], %1; @!p bra again; }" ::"r"(bar), "r"(parity) : "memory");
}

template <int DIMENSIONS>
__global__ void bulk(const __grid_constant__ CUtensorMap map, const char *data, unsigned bytes, int ahead, int box_x, int box_y, long long *cycles)
{
    extern __shared__ __align__(1024) char kept[];
    __shared__ __align__(8) unsigned long long bar;
    unsigned at = (unsigned)__cvta_generic_to_shared(&bar), to = (unsigned)__cvta_generic_to_shared(kept);
    to = (to + 1023) & ~1023u;
    if (threadIdx.x)
        return;
    asm volatile("mbarrier.init.shared.b64 [%0], 1; fence.mbarrier_init.release.cluster;" ::"r"(at) : "memory");
    asm volatile("fence.proxy.async;" ::: "memory");
    long long begin = clock64();
    for (int i = 0; i < COPIES; i += ahead) {
        expect(at, bytes * ahead);
        for (int k = 0; k < ahead; k++) {
            unsigned number = (unsigned)(blockIdx.x * COPIES + i + k), target = to + k * bytes;
            if (DIMENSIONS == 0)
                asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(target),
                             "l"(data + (size_t)number * bytes), "r"(bytes), "r"(at)
                             : "memory");
            else {
                int x = (int)(number % (SIDE / box_x)) * box_x, y = (int)(number / (SIDE / box_x)) * box_y;
                asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(target),
                             "l"(&map), "r"(x), "r"(y), "r"(at)
                             : "memory");
            }
        }
        wait(at, i / ahead & 1);
    }
    cycles[blockIdx.x] = clock64() - begin;
}

static void copies()
{
    enum { SHARED = 208 << 10 };
    CUtensorMap map = {};
    CHECK(cudaFuncSetAttribute(bulk<0>, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
    CHECK(cudaFuncSetAttribute(bulk<2>, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
    for (unsigned bytes = 16; bytes <= 65536; bytes *= 2)
        for (int ahead : {1, 4, 16})
            for (int sms : {1, (int)SMS}) {
                if (bytes * ahead > SHARED - 1024)
                    continue;
                for (int warm = 0; warm < 2; warm++) {
                    bulk<0><<<sms, 32, SHARED>>>(map, data, bytes, ahead, 1, 1, device_cycles);
                    done(warm ? "bulk warm" : "bulk", (int)bytes, ahead, sms, sms);
                }
            }
    void *entry = nullptr;
    cudaDriverEntryPointQueryResult found;
    CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000, cudaEnableDefault, &found));
    auto encode = (decltype(&cuTensorMapEncodeTiled))entry;
    for (int swizzle = 0; swizzle < 4; swizzle++)
        for (int box_x : {4, 8, 16, 32, 64, 128, 256})
            for (int box_y : {1, 4, 8, 16, 64, 128}) {
                cuuint64_t size[] = {SIDE, SIDE}, pitch[] = {SIDE * 4};
                cuuint32_t box[] = {(cuuint32_t)box_x, (cuuint32_t)box_y}, unit[] = {1, 1};
                unsigned bytes = (unsigned)(box_x * box_y * 4);
                if (bytes > 65536 || (swizzle && box_x * 4 > 16 << swizzle) || (swizzle && swizzle < 3 && box_y != 16) || bytes % 128)
                    continue;
                if (encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, data, size, pitch, box, unit, CU_TENSOR_MAP_INTERLEAVE_NONE,
                           (CUtensorMapSwizzle)swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
                    continue;
                for (int ahead : {1, 4})
                    for (int sms : {1, (int)SMS}) {
                        if (bytes * ahead > SHARED - 1024 || (long)sms * COPIES * box_x * box_y > SIDE * SIDE)
                            continue;
                        char what[80];
                        for (int warm = 0; warm < 2; warm++) {
                            bulk<2><<<sms, 32, SHARED>>>(map, data, bytes, ahead, box_x, box_y, device_cycles);
                            snprintf(what, sizeof what, "tensor %dx%d swizzle %d%s", box_x, box_y, swizzle, warm ? " warm" : "");
                            done(what, (int)bytes, ahead, sms, sms);
                        }
                    }
            }
}

int main(int argc, char **argv)
{
    CHECK(cudaMalloc(&data, 256 << 20));
    CHECK(cudaMemset(data, 0, 256 << 20));
    CHECK(cudaMalloc(&out, 8 * SMS * 1024 * 4));
    CHECK(cudaMalloc(&device_cycles, 8 * 8 * SMS));
    printf("launch,again_or_bytes,warps_or_ahead,fetches_or_sms,cycles\n");
    if (argc > 1 && !strcmp(argv[1], "copies"))
        return copies(), 0;
    textures<GLOBAL>("global"), textures<GLOBAL4>("global of 16 bytes"), textures<LINEAR>("tex1Dfetch"), textures<LINEAR4>("tex1Dfetch of 16 bytes");
    textures<PITCHED>("tex2D of rows"), textures<ARRAY>("tex2D"), textures<ARRAY_FILTERED>("tex2D filtered"), textures<ARRAY4>("tex2D of 16 bytes");
    copies();
    return 0;
}
