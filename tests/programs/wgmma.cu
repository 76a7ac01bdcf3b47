/* SPDX-License-Identifier: MIT */
/* Products of warp groups: types, shapes, layouts in shared memory, factors in registers. Small whole numbers are
 * compared with the CPU; of others the bits are shown. */
#include <functional>

#include "check.h"

/* Factors as they lie in shared memory, and the bits of their descriptors without the address. */
struct Operands {
    unsigned char a[8192], b[32768];
    uint64_t a_form, b_form;
};

__device__ static uint64_t descriptor(const void *shared, uint64_t form)
{
    return form | (__cvta_generic_to_shared(shared) & 0x3ffff) >> 4;
}

#define BEGIN                                                                                                          \
    extern __shared__ unsigned char room[];                                                                            \
    unsigned char *a = room + (1024 - __cvta_generic_to_shared(room) % 1024) % 1024, *b = a + 8192;                    \
    for (unsigned i = threadIdx.x; i < 8192; i += 128)                                                                 \
        a[i] = in->a[i];                                                                                               \
    for (unsigned i = threadIdx.x; i < 32768; i += 128)                                                                \
        b[i] = in->b[i];                                                                                               \
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");                                                       \
    __syncthreads();                                                                                                   \
    uint64_t da = descriptor(a, in->a_form), db = descriptor(b, in->b_form);                                           \
    (void)da;                                                                                                          \
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory")
#define END       asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory")
#define PREDICATE "{\n.reg .pred p;\nsetp.ne.b32 p, %"

/* m64n8: four numbers of each thread, or two words of halves. */
#define NARROW(name, type, constraint, regs, shape, more)                                                              \
    __global__ void name(const Operands *in, type *out, int keep)                                                      \
    {                                                                                                                  \
        BEGIN;                                                                                                         \
        type d[4] = {out[threadIdx.x * 4], out[threadIdx.x * 4 + 1], out[threadIdx.x * 4 + 2],                         \
                     out[threadIdx.x * 4 + 3]};                                                                        \
        asm volatile(PREDICATE "6, 0;\nwgmma.mma_async.sync.aligned." shape " " regs ", %4, %5, p" more ";\n}"         \
                     : "+" constraint(d[0]), "+" constraint(d[1]), "+" constraint(d[2]), "+" constraint(d[3])          \
                     : "l"(da), "l"(db), "r"(keep)                                                                     \
                     : "memory");                                                                                      \
        END;                                                                                                           \
        for (int i = 0; i < 4; i++)                                                                                    \
            out[threadIdx.x * 4 + i] = d[i];                                                                           \
    }
#define FOUR "{%0, %1, %2, %3}"
#define TWO  "{%0, %1}"
NARROW(f16_f32, float, "f", FOUR, "m64n8k16.f32.f16.f16", ", 1, 1, 0, 0")
NARROW(f16_f32_turned, float, "f", FOUR, "m64n8k16.f32.f16.f16", ", 1, 1, 1, 1")
NARROW(f16_f32_negated, float, "f", FOUR, "m64n8k16.f32.f16.f16", ", -1, 1, 0, 0")
NARROW(f16_f16, unsigned, "r", TWO, "m64n8k16.f16.f16.f16", ", 1, -1, 0, 0")
NARROW(bf16_f32, float, "f", FOUR, "m64n8k16.f32.bf16.bf16", ", 1, 1, 0, 0")
NARROW(tf32_f32, float, "f", FOUR, "m64n8k8.f32.tf32.tf32", ", 1, 1")
NARROW(e4m3_f32, float, "f", FOUR, "m64n8k32.f32.e4m3.e4m3", ", 1, 1")
NARROW(e5m2_f32, float, "f", FOUR, "m64n8k32.f32.e5m2.e4m3", ", 1, 1")
NARROW(e4m3_f16, unsigned, "r", TWO, "m64n8k32.f16.e4m3.e4m3", ", 1, 1")
NARROW(s8_s32, int, "r", FOUR, "m64n8k32.s32.s8.s8", "")
NARROW(u8_s32, int, "r", FOUR, "m64n8k32.s32.u8.s8", "")

/* m64n64 with A in registers. */
__global__ void from_registers(const Operands *in, float *out, int keep)
{
    BEGIN;
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, x[4];
    for (int r = 0; r < 4; r++) /* rows of 32 bytes, one after the other */
        x[r] = *(const unsigned *)&in->a[(16 * warp + lane / 4 + 8 * (r & 1)) * 32 + 16 * (r / 2) + 4 * (lane % 4)];
    float d[32];
    for (int i = 0; i < 32; i++)
        d[i] = out[threadIdx.x * 32 + i];
    asm volatile(
        PREDICATE "37, 0;\nwgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
                  "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, "
                  "%21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}"
                  ", {%32, %33, %34, %35}, %36, p, 1, 1, 0;\n}"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]),
          "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]),
          "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]),
          "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
        : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "l"(db), "r"(keep)
        : "memory");
    END;
    for (int i = 0; i < 32; i++)
        out[threadIdx.x * 32 + i] = d[i];
}

/* m64n256, B turned. */
__global__ void wide(const Operands *in, float *out, int keep)
{
    BEGIN;
    float d[128];
    for (int i = 0; i < 128; i++)
        d[i] = out[threadIdx.x * 128 + i];
    asm volatile(
        PREDICATE "130, 0;\nwgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 "
                  "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, "
                  "%21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, "
                  "%41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, "
                  "%61, %62, %63, %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, "
                  "%81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, "
                  "%100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, %112, %113, %114, %115, "
                  "%116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}"
                  ", %128, %129, p, 1, 1, 0, 1;\n}"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]),
          "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]),
          "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]),
          "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]),
          "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]),
          "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]),
          "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]),
          "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63]), "+f"(d[64]),
          "+f"(d[65]), "+f"(d[66]), "+f"(d[67]), "+f"(d[68]), "+f"(d[69]), "+f"(d[70]), "+f"(d[71]), "+f"(d[72]),
          "+f"(d[73]), "+f"(d[74]), "+f"(d[75]), "+f"(d[76]), "+f"(d[77]), "+f"(d[78]), "+f"(d[79]), "+f"(d[80]),
          "+f"(d[81]), "+f"(d[82]), "+f"(d[83]), "+f"(d[84]), "+f"(d[85]), "+f"(d[86]), "+f"(d[87]), "+f"(d[88]),
          "+f"(d[89]), "+f"(d[90]), "+f"(d[91]), "+f"(d[92]), "+f"(d[93]), "+f"(d[94]), "+f"(d[95]), "+f"(d[96]),
          "+f"(d[97]), "+f"(d[98]), "+f"(d[99]), "+f"(d[100]), "+f"(d[101]), "+f"(d[102]), "+f"(d[103]), "+f"(d[104]),
          "+f"(d[105]), "+f"(d[106]), "+f"(d[107]), "+f"(d[108]), "+f"(d[109]), "+f"(d[110]), "+f"(d[111]),
          "+f"(d[112]), "+f"(d[113]), "+f"(d[114]), "+f"(d[115]), "+f"(d[116]), "+f"(d[117]), "+f"(d[118]),
          "+f"(d[119]), "+f"(d[120]), "+f"(d[121]), "+f"(d[122]), "+f"(d[123]), "+f"(d[124]), "+f"(d[125]),
          "+f"(d[126]), "+f"(d[127])
        : "l"(da), "l"(db), "r"(keep)
        : "memory");
    END;
    for (int i = 0; i < 128; i++)
        out[threadIdx.x * 128 + i] = d[i];
}

/* ---- layouts ---- */

/* mode: 0 chunks of 16 bytes as they are, 1 to 3: swizzled within 128, 64, 32 bytes. */
struct Layout {
    int mode;
    unsigned leading, stride;
    bool turned;
    uint64_t form() const
    {
        return (uint64_t)mode << 62 | (uint64_t)(stride >> 4) << 32 | (uint64_t)(leading >> 4) << 16;
    }
    /* Where the byte of k that is `byte` bytes along lies (turned: element k of 16 bits). */
    unsigned place(unsigned line, unsigned byte) const
    {
        static const unsigned spans[] = {16, 128, 64, 32}, bits[] = {0, 0x70, 0x30, 0x10};
        unsigned span = spans[mode], at;
        if (!turned) {
            at = line % 8 * span + line / 8 * stride + byte / 16 * (mode ? 16 : leading) + byte % 16;
        } else {
            unsigned k = byte / 2, chunk = line / 8;
            at = mode ? chunk % (span / 16) * 16 + chunk / (span / 16) * leading + k % 8 * span + k / 8 * stride
                      : chunk * stride + k % 8 * 16 + k / 8 * leading;
            at += line % 8 * 2 + byte % 2;
        }
        return at ^ (at >> 3 & bits[mode]);
    }
};
static const Layout plain = {0, 128, 256, false}, swizzle128 = {1, 0, 1024, false}, swizzle64 = {2, 0, 512, false},
                    swizzle32 = {3, 0, 256, false}, turned128 = {1, 2048, 1024, true}, turned64 = {2, 1024, 512, true},
                    turned32 = {3, 512, 256, true}, turned = {0, 2048, 128, true};

/* ---- types ---- */

static float from_half(uint16_t h)
{
    int exponent = h >> 10 & 31, mantissa = h & 0x3ff;
    float value = exponent ? ldexpf((float)(mantissa | 0x400), exponent - 25) : ldexpf((float)mantissa, -24);
    return h >> 15 ? -value : value;
}
static uint16_t to_half(int number) /* up to 2048 */
{
    uint16_t sign = number < 0 ? 0x8000 : 0;
    unsigned n = (unsigned)abs(number), exponent = 25;
    if (!n)
        return 0;
    for (; !(n & 0x400); n <<= 1)
        exponent--;
    return sign | (uint16_t)(exponent << 10 | (n & 0x3ff));
}
static uint32_t to_float_bits(int number)
{
    float f = (float)number;
    uint32_t bits;
    memcpy(&bits, &f, 4);
    return bits;
}
/* Whole numbers of up to three bits as eight-bit floats. */
static uint8_t to_byte_float(int number, int mantissa, int bias)
{
    unsigned n = (unsigned)abs(number), exponent = 0;
    if (!n)
        return 0;
    while (n >> (exponent + 1))
        exponent++;
    return (uint8_t)((number < 0 ? 0x80 : 0) | (exponent + bias) << mantissa |
                     ((n << mantissa >> exponent) & ((1 << mantissa) - 1)));
}

enum Kind { HALF, BRAIN, TENSOR, E4M3, E5M2, S8, U8 };
static const unsigned SIZE[] = {2, 2, 4, 1, 1, 1, 1};

static uint32_t encode(Kind kind, int number)
{
    switch (kind) {
    case HALF:
        return to_half(number);
    case BRAIN:
        return to_float_bits(number) >> 16;
    case TENSOR:
        return to_float_bits(number);
    case E4M3:
        return to_byte_float(number, 3, 7);
    case E5M2:
        return to_byte_float(number, 2, 15);
    default:
        return (uint8_t)number;
    }
}

static Operands *operands;
static void *out;

/* Fills both factors: line by line, what `bits` says for a line and a k. */
static void fill(const Layout &a, const Layout &b, Kind kind_a, Kind kind_b, unsigned n,
                 const std::function<uint32_t(bool, unsigned, unsigned)> &bits)
{
    static Operands host;
    memset(&host, 0x11, sizeof host);
    for (int second = 0; second < 2; second++)
        for (unsigned line = 0; line < (second ? n : 64); line++)
            for (unsigned k = 0; k < 32 / SIZE[second ? kind_b : kind_a]; k++) {
                unsigned size = SIZE[second ? kind_b : kind_a];
                uint32_t value = bits(second, line, k);
                for (unsigned i = 0; i < size; i++)
                    (second ? host.b[b.place(line, k * size + i)] : host.a[a.place(line, k * size + i)]) =
                        (unsigned char)(value >> 8 * i);
            }
    host.a_form = a.form();
    host.b_form = b.form();
    CHECK(cudaMemcpy(operands, &host, sizeof host, cudaMemcpyHostToDevice));
}

static int number(Kind kind, bool second, unsigned line, unsigned k)
{
    int value = (int)((line * 7 + k * 5 + second * 3) * 2654435761u >> 13) % 8 - 4;
    return kind == U8 && !second ? value + 4 : value;
}

/* Row and column of number i of a thread. */
static void spot(unsigned thread, unsigned i, unsigned *row, unsigned *col)
{
    *row = 16 * (thread / 32) + thread % 32 / 4 + 8 * (i >> 1 & 1);
    *col = 8 * (i / 4) + thread % 4 * 2 + (i & 1);
}

template <class T>
static bool run(const char *name, void (*kernel)(const Operands *, T *, int), const Layout &a, const Layout &b,
                Kind kind_a, Kind kind_b, unsigned n, int keep, int sign = 1, bool halves = false)
{
    unsigned count = 128 * n / 2, ks = 32 / SIZE[kind_a];
    std::vector<T> before(count), after(count);
    for (unsigned i = 0; i < count; i++) {
        int old = (int)(i % 13) - 6;
        uint32_t packed = to_half(old) | (uint32_t)to_half(-old) << 16;
        before[i] = halves ? (T)packed : (T)old;
    }
    fill(a, b, kind_a, kind_b, n, [&](bool second, unsigned line, unsigned k) {
        return encode(second ? kind_b : kind_a, number(kind_a, second, line, k));
    });
    CHECK(cudaMemcpy(out, before.data(), count * sizeof(T), cudaMemcpyHostToDevice));
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 42 * 1024));
    kernel<<<1, 128, 42 * 1024>>>(operands, (T *)out, keep);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(after.data(), out, count * sizeof(T), cudaMemcpyDeviceToHost));
    bool good = true;
    for (unsigned thread = 0; thread < 128; thread++)
        for (unsigned i = 0; i < n / 2; i++) {
            unsigned row, col;
            int sum = 0;
            spot(thread, i, &row, &col);
            for (unsigned k = 0; k < ks; k++)
                sum += number(kind_a, false, row, k) * number(kind_a, true, col, k);
            sum *= sign;
            if (halves) {
                unsigned word = thread * 4 + i / 2;
                uint32_t bits = (uint32_t)after[word], old = (uint32_t)before[word];
                float had = keep ? from_half((uint16_t)(old >> 16 * (i & 1))) : 0;
                good &= from_half((uint16_t)(bits >> 16 * (i & 1))) == had + (float)sum;
            } else {
                T had = keep ? before[thread * (n / 2) + i] : 0;
                good &= after[thread * (n / 2) + i] == had + (T)sum;
            }
        }
    if (!good)
        printf("%s: wrong\n", name);
    show(name, after);
    return good;
}

/* The bits of sums of numbers that do not fit. */
template <class T>
static void bits(const char *name, void (*kernel)(const Operands *, T *, int), Kind kind_a, Kind kind_b, unsigned seed,
                 uint32_t mask, float start)
{
    Random random{seed};
    std::vector<T> before(512), after(512);
    for (T &x : before)
        x = (T)start;
    fill(plain, plain, kind_a, kind_b, 8,
         [&](bool, unsigned, unsigned) { return (random.next() << 8 ^ random.next()) & mask; });
    CHECK(cudaMemcpy(out, before.data(), 512 * sizeof(T), cudaMemcpyHostToDevice));
    kernel<<<1, 128, 42 * 1024>>>(operands, (T *)out, 1);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(after.data(), out, 512 * sizeof(T), cudaMemcpyDeviceToHost));
    show(name, after);
    uint32_t first[4];
    memcpy(first, after.data(), sizeof first);
    printf("  %08x %08x %08x %08x\n", first[0], first[1], first[2], first[3]);
}

/* One row times one column: which bits of small terms survive beside a large one. */
template <class T>
static void survive(const char *name, void (*kernel)(const Operands *, T *, int), Kind kind, uint32_t big, uint32_t one,
                    uint32_t small, unsigned from, float start)
{
    std::vector<T> sums(512, (T)start);
    fill(plain, plain, kind, kind, 8, [&](bool second, unsigned, unsigned k) {
        return second ? one : k == 0 ? big : k >= from ? small : 0;
    });
    CHECK(cudaMemcpy(out, sums.data(), 512 * sizeof(T), cudaMemcpyHostToDevice));
    kernel<<<1, 128, 42 * 1024>>>(operands, (T *)out, 1);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(sums.data(), out, 512 * sizeof(T), cudaMemcpyDeviceToHost));
    uint32_t first;
    memcpy(&first, sums.data(), 4);
    printf("%s: %08x\n", name, first);
}

int main()
{
    CHECK(cudaMalloc(&operands, sizeof *operands));
    CHECK(cudaMalloc(&out, 65536));
    bool good = true;
    good &= run("f16", f16_f32, plain, plain, HALF, HALF, 8, 1);
    good &= run("f16 without a sum", f16_f32, swizzle128, swizzle128, HALF, HALF, 8, 0);
    good &= run("f16 64-byte swizzle", f16_f32, swizzle64, swizzle32, HALF, HALF, 8, 1);
    good &= run("f16 32-byte swizzle", f16_f32, swizzle32, swizzle64, HALF, HALF, 8, 1);
    good &= run("f16 turned", f16_f32_turned, turned, turned, HALF, HALF, 8, 1);
    good &= run("f16 turned 128", f16_f32_turned, turned128, turned128, HALF, HALF, 8, 1);
    good &= run("f16 turned 64", f16_f32_turned, turned64, turned64, HALF, HALF, 8, 1);
    good &= run("f16 turned 32", f16_f32_turned, turned32, turned32, HALF, HALF, 8, 1);
    good &= run("f16 negated", f16_f32_negated, plain, swizzle128, HALF, HALF, 8, 1, -1);
    good &= run("f16 in f16", f16_f16, plain, plain, HALF, HALF, 8, 1, -1, true);
    good &= run("bf16", bf16_f32, swizzle128, plain, BRAIN, BRAIN, 8, 1);
    good &= run("tf32", tf32_f32, swizzle128, swizzle128, TENSOR, TENSOR, 8, 1);
    good &= run("e4m3", e4m3_f32, plain, swizzle128, E4M3, E4M3, 8, 1);
    good &= run("e5m2 and e4m3", e5m2_f32, swizzle128, plain, E5M2, E4M3, 8, 1);
    good &= run("e4m3 in f16", e4m3_f16, plain, plain, E4M3, E4M3, 8, 1, 1, true);
    good &= run("s8", s8_s32, swizzle128, swizzle128, S8, S8, 8, 1);
    good &= run("u8 and s8", u8_s32, plain, plain, U8, S8, 8, 0);
    {
        static Operands host;
        fill(plain, swizzle128, HALF, HALF, 64,
             [&](bool second, unsigned line, unsigned k) { return encode(HALF, number(HALF, second, line, k)); });
        CHECK(cudaMemcpy(&host, operands, sizeof host, cudaMemcpyDeviceToHost));
        for (unsigned row = 0; row < 64; row++)
            for (unsigned k = 0; k < 16; k++) {
                uint16_t value = to_half(number(HALF, false, row, k));
                memcpy(&host.a[row * 32 + 2 * k], &value, 2);
            }
        CHECK(cudaMemcpy(operands, &host, sizeof host, cudaMemcpyHostToDevice));
        CHECK(cudaMemset(out, 0, 65536));
        CHECK(cudaFuncSetAttribute(from_registers, cudaFuncAttributeMaxDynamicSharedMemorySize, 42 * 1024));
        from_registers<<<1, 128, 42 * 1024>>>(operands, (float *)out, 1);
        std::vector<float> sums(4096);
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaMemcpy(sums.data(), out, 16384, cudaMemcpyDeviceToHost));
        for (unsigned thread = 0; thread < 128; thread++)
            for (unsigned i = 0; i < 32; i++) {
                unsigned row, col;
                int sum = 0;
                spot(thread, i, &row, &col);
                for (unsigned k = 0; k < 16; k++)
                    sum += number(HALF, false, row, k) * number(HALF, true, col, k);
                good &= sums[thread * 32 + i] == (float)sum;
            }
        show("from registers", sums);
    }
    good &= run("n256", wide, swizzle128, turned128, BRAIN, BRAIN, 256, 1);
    bits("f16 bits", f16_f32, HALF, HALF, 1, 0xbfff, 0.125f);
    bits("f16 small bits", f16_f32, HALF, HALF, 2, 0x83ff, 0);
    bits("f16 in f16 bits", f16_f16, HALF, HALF, 3, 0xb7ff, 0);
    bits("bf16 bits", bf16_f32, BRAIN, BRAIN, 4, 0xbfff, 3);
    bits("tf32 bits", tf32_f32, TENSOR, TENSOR, 5, 0xbfffffff, 1);
    bits("e4m3 bits", e4m3_f32, E4M3, E4M3, 6, 0xf7, 0.0625f);
    bits("e5m2 bits", e5m2_f32, E5M2, E4M3, 7, 0xb7, 0.0625f);
    bits("e4m3 in f16 bits", e4m3_f16, E4M3, E4M3, 8, 0xb7, 0);
    /* 2^b + ones: 2^b = 0x3c00 + (b << 10) in f16; e5m2 1.0 = 0x3c, 2^b = 0x3c + (b << 2), e4m3 1.0 = 0x38 */
    for (unsigned b = 9; b <= 15; b++)
        survive("f16 in f32, tiny terms", f16_f32, HALF, 0x3c00 + (b << 10), 0x3c00, 0x0400 + ((b - 9) << 10), 1, 0);
    for (unsigned small = 1; small <= 0x48; small += 4) {
        survive("e5m2, first half", e5m2_f32, E5M2, 0x78, 0x38, small, 24, 0);
        survive("e5m2, near terms", e5m2_f32, E5M2, 0x78, 0x38, small, 1, 0);
    }
    for (int e = 0; e < 16; e++)
        survive("e4m3 beside the sum", e4m3_f32, E4M3, 0x38, 0x38, 0x08, 2, ldexpf(1, e + 2));
    return verdict(good);
}
