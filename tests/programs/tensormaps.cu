/* SPDX-License-Identifier: MIT */
/* Tensor maps: boxes of one to five dimensions with swizzles, strides and borders, loaded, stored, reduced; im2col;
 * maps that are edited on the device. */
#include "check.h"

/* The driver's interface, as far as it is used here. */
struct alignas(64) Map {
    uint64_t opaque[16];
};
enum Type { U8, U16, U32, S32, U64, S64, F16, F32, F64, BF16, F32_FTZ, TF32, TF32_FTZ };
typedef int (*EncodeTiled)(Map *, int, uint32_t, void *, const uint64_t *, const uint64_t *, const uint32_t *,
                           const uint32_t *, int, int, int, int);
typedef int (*EncodeIm2col)(Map *, int, uint32_t, void *, const uint64_t *, const uint64_t *, const int *, const int *,
                            uint32_t, uint32_t, const uint32_t *, int, int, int, int);
static EncodeTiled encode_tiled;
static EncodeIm2col encode_im2col;

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

/* Stores or adds a box at (x, y). */
__global__ void stores(const __grid_constant__ Map map, int x, int y, int adds)
{
    alignas(1024) __shared__ unsigned room[2048];
    for (unsigned i = threadIdx.x; i < 2048; i += blockDim.x)
        room[i] = i + 1;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x)
        return;
    if (adds)
        asm volatile(
            "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map),
            "r"(x), "r"(y), "r"(address(room))
            : "memory");
    else
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map), "r"(x),
                     "r"(y), "r"(address(room))
                     : "memory");
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
}

__global__ void pixels(const __grid_constant__ Map map, unsigned *out, int c, int w, int h, int n, unsigned short right,
                       unsigned short down, unsigned bytes)
{
    alignas(1024) __shared__ unsigned room[2048];
    __shared__ uint64_t barrier;
    if (!threadIdx.x)
        init(&barrier, 1);
    __syncthreads();
    if (!threadIdx.x) {
        expect(&barrier, bytes);
        asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, "
                     "{%2, %3, %4, %5}], [%6], {%7, %8};" ::"r"(address(room)),
                     "l"(&map), "r"(c), "r"(w), "r"(h), "r"(n), "r"(address(&barrier)), "h"(right), "h"(down)
                     : "memory");
    }
    wait(&barrier, 0);
    for (unsigned i = threadIdx.x; i < bytes / 4; i += blockDim.x)
        out[i] = room[i];
}

/* A map in global memory is made from another one: other rows of another array. */
__global__ void edits(const __grid_constant__ Map map, Map *edited, const unsigned *array, unsigned rows)
{
    alignas(128) __shared__ Map copy;
    if (threadIdx.x < 16)
        copy.opaque[threadIdx.x] = map.opaque[threadIdx.x];
    __syncwarp();
    if (!threadIdx.x) {
        unsigned at = address(&copy);
        asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" ::"r"(at), "l"(array)
                     : "memory");
        asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 1, %1;" ::"r"(at), "r"(rows)
                     : "memory");
        asm volatile("tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%0], 0, %1;" ::"r"(at), "l"(512ull)
                     : "memory");
    }
    __syncwarp();
    asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], [%1], "
                 "128;" ::"l"(edited),
                 "r"(address(&copy))
                 : "memory");
}

__global__ void uses(const Map *map, unsigned *out)
{
    alignas(1024) __shared__ unsigned room[1024];
    __shared__ uint64_t barrier;
    if (!threadIdx.x)
        init(&barrier, 1);
    __syncthreads();
    if (!threadIdx.x) {
        asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map) : "memory");
        expect(&barrier, 4096);
        load(2, room, map, Place{{4, 1}}, &barrier);
    }
    wait(&barrier, 0);
    for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x)
        out[i] = room[i];
}

template <class T> static std::vector<T> result(const void *device, size_t count)
{
    std::vector<T> host(count);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
}

/* A tensor of numbers 0, 1, 2 … with rows of `pitch` bytes and boxes of it. */
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

static bool run(const Form &f)
{
    uint64_t stride[5];
    static Map map;
    strides_of(f, stride);
    int error = encode_tiled(&map, f.type, f.dims, in, f.size, stride, f.box, f.step, 0, f.swizzle, 2, f.fill);
    if (error) {
        printf("%s: error %d\n", f.name, error);
        return true;
    }
    boxes<<<1, 128>>>(map, out, f.dims, f.at, box_bytes(f));
    std::vector<unsigned> got = result<unsigned>(out, ROOM / 4);
    show(f.name, got);
    return true;
}

/* Where element (x, y) of a box of 4-byte elements lies in shared memory. */
static unsigned place(unsigned x, unsigned y, unsigned width, int swizzle)
{
    static const unsigned bits[] = {0, 0x10, 0x30, 0x70};
    unsigned byte = (y * width + x) * 4;
    return (byte ^ (byte >> 3 & bits[swizzle])) / 4;
}

static bool check_plane(int swizzle, int x0, int y0)
{
    static const unsigned width[] = {32, 8, 16, 32};
    Form f = {"plane", U32, 2, swizzle, 0, {100, 50}, {width[swizzle], 24}, {1, 1}, {{x0, y0}}};
    uint64_t stride[5];
    static Map map;
    strides_of(f, stride);
    if (encode_tiled(&map, f.type, 2, in, f.size, stride, f.box, f.step, 0, swizzle, 0, 0))
        return false;
    boxes<<<1, 128>>>(map, out, 2, f.at, box_bytes(f));
    std::vector<unsigned> got = result<unsigned>(out, ROOM / 4);
    bool good = true;
    for (unsigned y = 0; y < 24; y++)
        for (unsigned x = 0; x < f.box[0]; x++) {
            int gx = x0 + (int)x, gy = y0 + (int)y;
            bool inside = gx >= 0 && gx < 100 && gy >= 0 && gy < 50;
            good &= got[place(x, y, f.box[0], swizzle)] == (inside ? (unsigned)(gy * 100 + gx) : 0);
        }
    return good;
}

int main()
{
    void *found = nullptr;
    CHECK(cudaFree(0));
    CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, 0, nullptr));
    encode_tiled = (EncodeTiled)found;
    CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeIm2col", &found, 12000, 0, nullptr));
    encode_im2col = (EncodeIm2col)found;
    std::vector<unsigned> numbers(65536);
    for (unsigned i = 0; i < numbers.size(); i++)
        numbers[i] = i;
    CHECK(cudaMalloc(&in, numbers.size() * 4));
    CHECK(cudaMalloc(&out, 65536));
    CHECK(cudaMemcpy(in, numbers.data(), numbers.size() * 4, cudaMemcpyHostToDevice));
    bool good = true;
    for (int swizzle = 0; swizzle < 4; swizzle++) {
        good &= check_plane(swizzle, 8, 3);
        good &= check_plane(swizzle, -4, -7);
        good &= check_plane(swizzle, 92, 40);
        good &= check_plane(swizzle, 200, 0);
    }
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
        good &= run(f);
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
    CHECK(cudaMemcpy(in, numbers.data(), sizeof words, cudaMemcpyHostToDevice));
    /* Stores. */
    for (int swizzle = 0; swizzle < 4; swizzle += 3)
        for (int adds = 0; adds < 2; adds++) {
            uint64_t size[2] = {50, 40}, stride[1] = {208};
            uint32_t box[2] = {32, 16}, one[2] = {1, 1};
            static Map map;
            CHECK(cudaMemset(out, 1, 65536));
            int error = encode_tiled(&map, U32, 2, out, size, stride, box, one, 0, swizzle, 0, 0);
            stores<<<1, 64>>>(map, 30, 28, adds);
            std::vector<unsigned> got = result<unsigned>(out, 4096);
            show(adds ? "added" : "stored", got);
            for (unsigned y = 0; y < 40; y++)
                for (unsigned x = 0; x < 50; x++) {
                    bool inside = x >= 30 && y >= 28 && y < 44 && x < 62;
                    unsigned number = inside ? place(x - 30, y - 28, 32, swizzle) + 1 : 0;
                    unsigned old = inside && !adds ? 0 : 0x01010101;
                    good &= !error && got[y * 52 + x] == old + number;
                }
        }
    /* Pixels of images of 10 x 7 with 16 channels, a filter of 3 x 3. */
    {
        uint64_t size[4] = {16, 10, 7, 3}, stride[3] = {64, 640, 4480};
        uint32_t one[4] = {1, 1, 1, 1}, two[4] = {1, 2, 2, 1};
        int low[2] = {-1, -1}, high[2] = {-1, -1};
        static Map map, strided;
        int errors = encode_im2col(&map, U32, 4, in, size, stride, low, high, 8, 40, one, 0, 0, 0, 0);
        errors += encode_im2col(&strided, U32, 4, in, size, stride, low, high, 16, 24, two, 0, 0, 0, 0);
        printf("im2col: %d\n", errors);
        pixels<<<1, 64>>>(map, out, 8, -1, -1, 0, 0, 0, 40 * 8 * 4);
        show("pixels", result<unsigned>(out, 40 * 8));
        pixels<<<1, 64>>>(map, out, 0, 5, 3, 1, 2, 1, 40 * 8 * 4);
        show("pixels of the filter's corner", result<unsigned>(out, 40 * 8));
        pixels<<<1, 64>>>(strided, out, 0, -1, 1, 1, 1, 2, 24 * 16 * 4);
        show("every other pixel", result<unsigned>(out, 24 * 16));
    }
    /* Edited on the device. */
    {
        uint64_t size[2] = {64, 16}, stride[1] = {256};
        uint32_t box[2] = {32, 32}, one[2] = {1, 1};
        static Map map;
        Map *edited = (Map *)(out + 8192);
        int error = encode_tiled(&map, U32, 2, out, size, stride, box, one, 0, 3, 0, 0);
        edits<<<1, 32>>>(map, edited, in + 1024, 20);
        uses<<<1, 128>>>(edited, out);
        std::vector<unsigned> got = result<unsigned>(out, 1024);
        show("edited", got);
        for (unsigned y = 0; y < 32; y++)
            for (unsigned x = 0; x < 32; x++)
                good &= !error && got[place(x, y, 32, 3)] == (y + 1 < 20 ? 1024 + (y + 1) * 128 + x + 4 : 0);
    }
    /* What cannot be encoded. */
    {
        uint64_t size[2] = {64, 16}, stride[1] = {256}, odd[1] = {100};
        uint32_t box[2] = {32, 32}, one[2] = {1, 1}, wide[2] = {300, 1}, zero[2] = {1, 0}, nine[2] = {1, 9};
        static Map map;
        printf("%d %d %d %d %d %d %d %d\n",
               encode_tiled(&map, U32, 2, (char *)in + 4, size, stride, box, one, 0, 0, 0, 0),
               encode_tiled(&map, U32, 2, in, size, odd, box, one, 0, 0, 0, 0),
               encode_tiled(&map, U32, 2, in, size, stride, wide, one, 0, 0, 0, 0),
               encode_tiled(&map, U32, 2, in, size, stride, box, zero, 0, 0, 0, 0),
               encode_tiled(&map, U32, 2, in, size, stride, box, nine, 0, 0, 0, 0),
               encode_tiled(&map, U32, 2, in, size, stride, box, one, 0, 2, 0, 0),
               encode_tiled(&map, U32, 2, in, size, stride, box, one, 0, 0, 0, 1),
               encode_tiled(&map, 40, 2, in, size, stride, box, one, 0, 0, 0, 0));
    }
    return verdict(good);
}
