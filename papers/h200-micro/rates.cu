/* How many requests an SM's L1 takes per cycle, by the lines and sectors a request touches. One block on one SM; the data fits
 * L1; loads of the experiments called l2 have the operator .cg. Prints CSV: experiment, parameter, warps, cycles per warp instruction. ./measure runs it. */
#include "check.h"
#include <vector>

enum { LOADS = 8, ROUNDS = 64 };
enum op { LOAD4, LOAD8, LOAD16, LOAD_CG, STORE4, ATOM_GLOBAL, RED_GLOBAL, LOAD_SHARED, ATOM_SHARED, ADD_F_SHARED, STORE_SHARED };

/* offsets[load * 32 + lane], in bytes. Each warp starts at its own place, `step` bytes further. */
template <int OP> __global__ void rate(char *data, const unsigned *offsets, unsigned step, unsigned far, long long *cycles,
                                       unsigned *out)
{
    extern __shared__ char shared[];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, sum = 0;
    char *at[LOADS];
    for (int i = 0; i < LOADS; i++) {
        unsigned offset = offsets[i * 32 + lane] + warp * step;
        at[i] = (OP >= LOAD_SHARED ? shared : data) + offset;
    }
    long long begin = 0;
    for (int round = -1; round < ROUNDS; round++) {
        if (round == 0) {
            __syncthreads();
            begin = clock64();
        }
#pragma unroll
        for (int i = 0; i < LOADS; i++) {
            unsigned v = 0, w, x, y;
            char *p = at[i] + (unsigned)(round + 1) * far; /* far is 0, but ptxas must not take the loads of two rounds for one */
            unsigned s = (unsigned)__cvta_generic_to_shared(p);
            switch (OP) {
            case LOAD4: asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(p)); break;
            case LOAD8:
                asm volatile("ld.global.v2.u32 {%0, %1}, [%2];" : "=r"(v), "=r"(w) : "l"(p));
                v ^= w;
                break;
            case LOAD16:
                asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v), "=r"(w), "=r"(x), "=r"(y) : "l"(p));
                v ^= w ^ x ^ y;
                break;
            case LOAD_CG: asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p)); break;
            case STORE4: asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(round)); break;
            case ATOM_GLOBAL: asm volatile("atom.global.add.u32 %0, [%1], 1;" : "=r"(v) : "l"(p)); break;
            case RED_GLOBAL: asm volatile("red.global.add.u32 [%0], 1;" ::"l"(p)); break;
            case LOAD_SHARED: asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"(s)); break;
            case ATOM_SHARED: asm volatile("atom.shared.add.u32 %0, [%1], 1;" : "=r"(v) : "r"(s)); break;
            case ADD_F_SHARED: {
                float f;
                asm volatile("atom.shared.add.f32 %0, [%1], 0f3f800000;" : "=f"(f) : "r"(s));
                v = __float_as_uint(f);
                break;
            }
            case STORE_SHARED: asm volatile("st.shared.u32 [%0], %1;" ::"r"(s), "r"(round)); break;
            }
            sum += v;
        }
    }
    __syncthreads();
    if (threadIdx.x == 0)
        cycles[blockIdx.x] = clock64() - begin;
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

static char *data;
static unsigned *device_offsets, *out;
static long long *device_cycles;

template <int OP> static void measure(const char *name, int parameter, int warps, const std::vector<unsigned> &offsets, unsigned step)
{
    CHECK(cudaMemcpy(device_offsets, offsets.data(), offsets.size() * sizeof offsets[0], cudaMemcpyHostToDevice));
    int shared = OP >= LOAD_SHARED ? 160 << 10 : 0;
    CHECK(cudaFuncSetAttribute(rate<OP>, cudaFuncAttributeMaxDynamicSharedMemorySize, 160 << 10));
    if (!shared)
        CHECK(cudaFuncSetAttribute(rate<OP>, cudaFuncAttributePreferredSharedMemoryCarveout, 0));
    long long best = 0;
    for (int i = 0; i < 3; i++) {
        rate<OP><<<1, warps * 32, shared>>>(data, device_offsets, step, 0, device_cycles, out);
        long long cycles;
        CHECK(cudaMemcpy(&cycles, device_cycles, sizeof cycles, cudaMemcpyDeviceToHost));
        if (!i || cycles < best)
            best = cycles;
    }
    printf("%s,%d,%d,%.3f\n", name, parameter, warps, (double)best / ((double)ROUNDS * LOADS * warps));
}

/* The lanes' offsets of LOADS loads. Each load starts `next` bytes behind the one before. */
template <typename F> static std::vector<unsigned> lanes(F offset, unsigned next, unsigned modulo)
{
    std::vector<unsigned> all(LOADS * 32);
    for (int i = 0; i < LOADS; i++)
        for (int lane = 0; lane < 32; lane++)
            all[i * 32 + lane] = (offset(lane) + i * next) % modulo;
    return all;
}

int main()
{
    CHECK(cudaMalloc(&data, 64 << 20));
    CHECK(cudaMemset(data, 0, 64 << 20));
    CHECK(cudaMalloc(&device_offsets, LOADS * 32 * sizeof(unsigned)));
    CHECK(cudaMalloc(&device_cycles, 8 * 132));
    CHECK(cudaMalloc(&out, 132 * 1024 * 4));
    printf("experiment,parameter,warps,cycles\n");
    const int strides[] = {0,   4,   8,   12,  16,  20,  24,  28,  32,  36,  40,  48,  56,  64,   68,   80,   96,  112,
                           124, 128, 132, 136, 144, 160, 192, 224, 256, 264, 320, 384, 512, 520,  640,  768,  1024, 1040,
                           1152, 2048, 2080, 2176, 4096, 4128, 4224};
    for (int warps : {4, 32})
        for (int stride : strides) { /* lanes `stride` bytes apart */
            auto all = lanes([&](int lane) { return lane * stride; }, 4, 128 << 10);
            measure<LOAD4>("stride", stride, warps, all, 0);
        }
    for (int lines = 1; lines <= 32; lines++) {
        /* `lines` lines, one after the other; lanes go round them; one sector of each line */
        measure<LOAD4>("lines", lines, 16, lanes([&](int lane) { return lane % lines * 128; }, 4, 128 << 10), 0);
        /* the same in blocks of lanes */
        measure<LOAD4>("lines_blocked", lines, 16, lanes([&](int lane) { return lane * lines / 32 * 128; }, 4, 128 << 10), 0);
        /* lines 1, 2, 4 and 8 KB apart, all lanes of a group on one word */
        measure<LOAD4>("lines_512", lines, 16, lanes([&](int lane) { return lane * lines / 32 * 512; }, 4, 128 << 10), 0);
        measure<LOAD4>("lines_1k", lines, 16, lanes([&](int lane) { return lane * lines / 32 * 1024; }, 4, 128 << 10), 0);
        measure<LOAD4>("lines_4k", lines, 16, lanes([&](int lane) { return lane * lines / 32 * 4096; }, 4, 128 << 10), 0);
        /* different words of `lines` lines, so that no two lanes share a bank of data */
        measure<LOAD4>("lines_words", lines, 16, lanes([&](int lane) { return lane * lines / 32 * 128 + lane * 4; }, 0, 128 << 10),
                       0);
        measure<LOAD4>("lines_1k_words", lines, 16,
                       lanes([&](int lane) { return lane * lines / 32 * 1024 + lane * 4; }, 0, 128 << 10), 0);
        measure<LOAD4>("lines_132", lines, 16, lanes([&](int lane) { return lane * lines / 32 * 132; }, 0, 128 << 10), 0);
        /* the sectors of one line, then of the next */
        measure<LOAD4>("sectors", lines, 16, lanes([&](int lane) { return lane * lines / 32 * 32; }, 4, 128 << 10), 0);
    }
    for (int lines = 1; lines <= 32; lines++) { /* random lines of 64 KB, random words of them */
        srand(lines);
        std::vector<unsigned> line(32), word(32);
        for (int i = 0; i < 32; i++)
            line[i] = rand() % 512 * 128, word[i] = rand() % 32 * 4;
        measure<LOAD4>("random", lines, 16, lanes([&](int lane) { return line[lane * lines / 32] + word[lane]; }, 128, 64 << 10), 0);
    }
    for (int stride : {4, 8, 16, 32, 64, 128, 136, 256, 512, 1024}) {
        if (stride % 8 == 0)
            measure<LOAD8>("stride_v2", stride, 16, lanes([&](int lane) { return lane * stride; }, 8, 128 << 10), 0);
        if (stride % 16 == 0)
            measure<LOAD16>("stride_v4", stride, 16, lanes([&](int lane) { return lane * stride; }, 16, 128 << 10), 0);
        measure<STORE4>("store", stride, 16, lanes([&](int lane) { return lane * stride; }, 4, 128 << 10), 0);
        measure<STORE4>("store_far", stride, 16, lanes([&](int lane) { return lane * stride; }, 4, 128 << 10), 256 << 10);
        measure<LOAD_CG>("l2", stride, 16, lanes([&](int lane) { return lane * stride; }, 128 << 10, 8 << 20), 16 << 10);
        measure<LOAD_CG>("l2", stride, 32, lanes([&](int lane) { return lane * stride; }, 128 << 10, 8 << 20), 16 << 10);
    }
    for (int ways : {1, 2, 4, 8, 16, 32}) { /* lanes per address */
        auto same = [&](int lane) { return lane / ways * 4; };
        measure<ATOM_GLOBAL>("atom_global_same", ways, 16, lanes(same, 128, 1 << 20), 4096);
        measure<RED_GLOBAL>("red_global_same", ways, 16, lanes(same, 128, 1 << 20), 4096);
        measure<ATOM_GLOBAL>("atom_global_same", ways, 32, lanes(same, 128, 1 << 20), 4096);
        measure<RED_GLOBAL>("red_global_same", ways, 32, lanes(same, 128, 1 << 20), 4096);
        measure<RED_GLOBAL>("red_global_shared_by_warps", ways, 16, lanes(same, 128, 1 << 20), 0);
        measure<ATOM_SHARED>("atom_shared_same", ways, 16, lanes(same, 128, 64 << 10), 1024);
        measure<ATOM_SHARED>("atom_shared_same_by_warps", ways, 16, lanes(same, 128, 64 << 10), 0);
        measure<ADD_F_SHARED>("atom_shared_f32_same", ways, 16, lanes(same, 128, 64 << 10), 1024);
        auto banks = [&](int lane) { return lane % (32 / ways) * 4 + lane / (32 / ways) * 128; };
        measure<ATOM_SHARED>("atom_shared_banks", ways, 16, lanes(banks, 4, 64 << 10), 0);
        measure<LOAD_SHARED>("ld_shared_banks", ways, 16, lanes(banks, 4, 64 << 10), 0);
        measure<STORE_SHARED>("st_shared_banks", ways, 16, lanes(banks, 4, 64 << 10), 0);
    }
    for (int stride : {4, 8, 16, 32, 64, 128}) {
        measure<ATOM_GLOBAL>("atom_global_stride", stride, 16, lanes([&](int lane) { return lane * stride; }, 4096, 4 << 20), 32 << 10);
        measure<RED_GLOBAL>("red_global_stride", stride, 16, lanes([&](int lane) { return lane * stride; }, 4096, 4 << 20), 32 << 10);
    }
    return 0;
}
