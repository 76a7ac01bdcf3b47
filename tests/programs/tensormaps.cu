/* SPDX-License-Identifier: MIT */
/* Tensor maps: boxes of one to five dimensions with swizzles, strides and borders, loaded byte for byte. */
#include "check.h"

/* The driver's interface, as far as it is used here. */
struct alignas(64) Map {
    uint64_t opaque[16];
};
enum Type { U8, U16, U32, S32, U64, S64, F16, F32, F64, BF16, F32_FTZ, TF32, TF32_FTZ };
typedef int (*EncodeTiled)(Map *, int, uint32_t, void *, const uint64_t *, const uint64_t *, const uint32_t *,
                           const uint32_t *, int, int, int, int);
static EncodeTiled encode_tiled;

__device__ static unsigned address(const void *shared)
{
    return (unsigned)__cvta_generic_to_shared(shared);
}

__device__ static void init(uint64_t *barrier, unsigned count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(barrier)), "r"(count) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ static void expect(uint64_t *barrier, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(barrier)), "r"(bytes)
                 : "memory");
}

__device__ static void wait(uint64_t *barrier, unsigned parity)
{
    asm volatile(
        "{\n.reg .pred p;\nAGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@!p bra AGAIN;\n}" ::"r"(
            address(barrier)),
        "r"(parity)
        : "memory");
}

struct Place {
    int x[5];
};

#define LOAD "cp.async.bulk.tensor."
#define INTO ".shared::cluster.global.mbarrier::complete_tx::bytes"
__device__ static void load(int dims, void *to, const Map *map, Place at, uint64_t *barrier)
{
    unsigned target = address(to), b = address(barrier);
    const int *x = at.x;
    if (dims == 1)
        asm volatile(LOAD "1d" INTO " [%0], [%1, {%2}], [%3];" ::"r"(target), "l"(map), "r"(x[0]), "r"(b) : "memory");
    if (dims == 2)
        asm volatile(LOAD "2d" INTO " [%0], [%1, {%2, %3}], [%4];" ::"r"(target), "l"(map), "r"(x[0]), "r"(x[1]), "r"(b)
                     : "memory");
    if (dims == 3)
        asm volatile(LOAD "3d" INTO " [%0], [%1, {%2, %3, %4}], [%5];" ::"r"(target), "l"(map), "r"(x[0]), "r"(x[1]),
                     "r"(x[2]), "r"(b)
                     : "memory");
    if (dims == 4)
        asm volatile(LOAD "4d" INTO " [%0], [%1, {%2, %3, %4, %5}], [%6];" ::"r"(target), "l"(map), "r"(x[0]),
                     "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(b)
                     : "memory");
    if (dims == 5)
        asm volatile(LOAD "5d" INTO " [%0], [%1, {%2, %3, %4, %5, %6}], [%7];" ::"r"(target), "l"(map), "r"(x[0]),
                     "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(b)
                     : "memory");
}

enum { ROOM = 16384 };

/* Loads a box and copies what arrived out, byte for byte. */
__global__ void boxes(const __grid_constant__ Map map, unsigned *out, int dims, Place at, unsigned bytes)
{
    alignas(1024) __shared__ unsigned room[ROOM / 4];
    __shared__ uint64_t barrier;
    for (unsigned i = threadIdx.x; i < ROOM / 4; i += blockDim.x)
        room[i] = 0x55555555;
    if (!threadIdx.x)
        init(&barrier, 1);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (!threadIdx.x) {
        asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
        expect(&barrier, bytes);
        load(dims, room, &map, at, &barrier);
    }
    wait(&barrier, 0);
    for (unsigned i = threadIdx.x; i < ROOM / 4; i += blockDim.x)
        out[i] = room[i];
}

template <class T> static std::vector<T> result(const void *device, size_t count)
{
    std::vector<T> host(count);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
}

/* A tensor of numbers 0, 1, 2 … in rows of a multiple of 16 bytes, and boxes of it. */
struct Form {
    const char *name;
    int type, dims, swizzle, fill;
    uint64_t size[5];
    uint32_t box[5], step[5];
    Place at;
};
static const unsigned BYTES[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};

static unsigned *in, *out;

static void strides_of(const Form &f, uint64_t stride[5])
{
    stride[0] = (f.size[0] * BYTES[f.type] + 15) / 16 * 16;
    for (int i = 1; i < 4; i++)
        stride[i] = stride[i - 1] * f.size[i];
}

static unsigned box_bytes(const Form &f)
{
    unsigned bytes = f.box[0] * BYTES[f.type];
    for (int i = 1; i < f.dims; i++)
        bytes *= (f.box[i] + f.step[i] - 1) / f.step[i];
    return bytes;
}

static void run(const Form &f)
{
    uint64_t stride[5];
    static Map map;
    strides_of(f, stride);
    int error = encode_tiled(&map, f.type, f.dims, in, f.size, stride, f.box, f.step, 0, f.swizzle, 2, f.fill);
    if (error) {
        printf("%s: error %d\n", f.name, error);
        return;
    }
    boxes<<<1, 128>>>(map, out, f.dims, f.at, box_bytes(f));
    std::vector<unsigned> got = result<unsigned>(out, ROOM / 4);
    show(f.name, got);
}

int main()
{
    void *found = nullptr;
    CHECK(cudaFree(0));
    CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, 0, nullptr));
    encode_tiled = (EncodeTiled)found;
    std::vector<unsigned> numbers(65536);
    for (unsigned i = 0; i < numbers.size(); i++)
        numbers[i] = i;
    CHECK(cudaMalloc(&in, numbers.size() * 4));
    CHECK(cudaMalloc(&out, 65536));
    CHECK(cudaMemcpy(in, numbers.data(), numbers.size() * 4, cudaMemcpyHostToDevice));
    static const Form forms[] = {
        {"line of bytes", U8, 1, 0, 0, {1000}, {256}, {1}, {{16}}},
        {"line before the start", U8, 1, 0, 0, {1000}, {256}, {1}, {{-16}}},
        {"halves beyond the end", U16, 2, 3, 0, {77, 20}, {64, 16}, {1, 1}, {{40, 10}}},
        {"narrow rows, 128-byte swizzle", U16, 2, 3, 0, {128, 40}, {32, 32}, {1, 1}, {{0, 0}}},
        {"narrow rows, 64-byte swizzle", U32, 2, 2, 0, {128, 40}, {4, 32}, {1, 1}, {{0, 0}}},
        {"every other row", U32, 2, 0, 0, {64, 60}, {16, 32}, {1, 2}, {{8, 1}}},
        {"every third row of planes", U32, 3, 2, 0, {40, 20, 9}, {16, 9, 4}, {1, 3, 1}, {{4, 2, 5}}},
        {"four dimensions", U64, 4, 0, 0, {12, 7, 6, 5}, {4, 3, 3, 2}, {1, 1, 1, 2}, {{2, 5, 1, 3}}},
        {"five dimensions", F16, 5, 1, 0, {24, 5, 4, 3, 3}, {16, 3, 2, 2, 2}, {1, 1, 1, 1, 1}, {{8, 1, 1, 2, -1}}},
        {"NaN outside, f16", F16, 2, 0, 1, {30, 10}, {16, 8}, {1, 1}, {{24, 6}}},
        {"NaN outside, bf16", BF16, 2, 0, 1, {30, 10}, {16, 8}, {1, 1}, {{24, 6}}},
        {"NaN outside, f32", F32, 2, 0, 1, {30, 10}, {16, 8}, {1, 1}, {{24, 6}}},
        {"NaN outside, f64", F64, 2, 0, 1, {30, 10}, {16, 8}, {1, 1}, {{24, 6}}},
    };
    for (const Form &f : forms)
        run(f);
    /* What the types that are no plain bytes do to numbers. */
    static const unsigned words[] = {1,          2,          3,          4,          0x3f800fff, 0x3f801001,
                                     0x3f803000, 0xbf801fff, 0x7f800001, 0x80000123, 0x7f7fffff};
    CHECK(cudaMemcpy(in, words, sizeof words, cudaMemcpyHostToDevice));
    static const int types[] = {F32, F32_FTZ, TF32, TF32_FTZ};
    for (int type : types) {
        uint64_t size[1] = {11}, none[1] = {0};
        uint32_t box[1] = {8}, one[1] = {1};
        static Map map;
        int error = encode_tiled(&map, type, 1, in, size, none, box, one, 0, 0, 0, type == F32 ? 0 : 1);
        boxes<<<1, 32>>>(map, out, 1, Place{{4}}, 32);
        std::vector<unsigned> got = result<unsigned>(out, 8);
        printf("type %d: %d:", type, error);
        for (unsigned word : got)
            printf(" %08x", word);
        printf("\n");
    }
}
