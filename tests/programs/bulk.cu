/* SPDX-License-Identifier: MIT */
/* Bulk copies: global to shared memory with a barrier that waits for their bytes, shared to global in groups, within
 * shared memory, reductions, prefetches. */
#include "check.h"

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

__device__ static void load(void *to, const void *from, unsigned bytes, uint64_t *barrier)
{
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(address(to)),
        "l"(from), "r"(bytes), "r"(address(barrier))
        : "memory");
}

__device__ static void finish()
{
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

enum { ROOM = 8192 };

/* `bytes` from `skip` bytes into the source to `at` bytes into shared memory. */
__global__ void loads(const char *in, unsigned *out, unsigned skip, unsigned at, unsigned bytes)
{
    alignas(128) __shared__ char room[ROOM];
    __shared__ uint64_t barrier;
    for (unsigned i = threadIdx.x; i < ROOM / 4; i += blockDim.x)
        ((unsigned *)room)[i] = 7;
    if (!threadIdx.x)
        init(&barrier, 1);
    __syncthreads();
    if (!threadIdx.x) {
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        expect(&barrier, bytes);
        load(room + at, in + skip, bytes, &barrier);
    }
    wait(&barrier, 0);
    for (unsigned i = threadIdx.x; i < ROOM / 4; i += blockDim.x)
        out[i] = ((const unsigned *)room)[i];
}

__global__ void stores(char *out, unsigned skip, unsigned at, unsigned bytes)
{
    alignas(128) __shared__ char room[ROOM];
    for (unsigned i = threadIdx.x; i < ROOM / 4; i += blockDim.x)
        ((unsigned *)room)[i] = i * 3;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (!threadIdx.x) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out + skip),
                     "r"(address(room + at)), "r"(bytes)
                     : "memory");
        finish();
    }
}

/* Every lane of a warp copies a piece: reads, is told so, and writes it back elsewhere. */
__global__ void pieces(const char *in, char *out)
{
    alignas(128) __shared__ char room[32 * 48];
    __shared__ uint64_t barrier;
    if (!threadIdx.x)
        init(&barrier, 32);
    __syncthreads();
    unsigned bytes = 16 + 16 * (threadIdx.x % 3);
    expect(&barrier, bytes);
    uint64_t policy;
    asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, "
                 "[%3], %4;" ::"r"(address(room + 48 * threadIdx.x)),
                 "l"(in + 64 * threadIdx.x), "r"(bytes), "r"(address(&barrier)), "l"(policy)
                 : "memory");
    wait(&barrier, 0);
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out + 48 * threadIdx.x),
                 "r"(address(room + 48 * threadIdx.x)), "r"(bytes)
                 : "memory");
    finish();
}

/* Within shared memory, and reductions there. */
__global__ void within(unsigned *out)
{
    alignas(128) __shared__ unsigned from[256], to[256];
    __shared__ uint64_t barrier;
    from[threadIdx.x] = threadIdx.x * 5;
    to[threadIdx.x] = 1000;
    if (!threadIdx.x)
        init(&barrier, 1);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (!threadIdx.x) {
        unsigned target, signal;
        asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(target) : "r"(address(to)));
        asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(signal) : "r"(address(&barrier)));
        expect(&barrier, 512 + 256);
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 512, "
                     "[%2];" ::"r"(target),
                     "r"(address(from + 64)), "r"(signal)
                     : "memory");
        asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.max.s32 [%0], "
                     "[%1], 256, [%2];" ::"r"(target + 192 * 4),
                     "r"(address(from + 192)), "r"(signal)
                     : "memory");
    }
    wait(&barrier, 0);
    out[threadIdx.x] = to[threadIdx.x];
}

#define REDUCE(how)                                                                                                    \
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." how " [%0], [%1], 128;" ::"l"(out + 128 * row), \
                 "r"(address(room))                                                                                    \
                 : "memory");                                                                                          \
    row++

/* Reductions of every kind, one row of 128 bytes each, of two blocks. */
__global__ void reductions(char *out)
{
    alignas(128) __shared__ unsigned room[32];
    room[threadIdx.x] = 0x3c004000u + threadIdx.x * 0x10001u;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncwarp();
    if (threadIdx.x)
        return;
    int row = 0;
    REDUCE("add.u32");
    REDUCE("add.s32");
    REDUCE("add.u64");
    REDUCE("inc.u32");
    REDUCE("dec.u32");
    REDUCE("min.u32");
    REDUCE("max.s32");
    REDUCE("min.s64");
    REDUCE("max.u64");
    REDUCE("and.b32");
    REDUCE("or.b64");
    REDUCE("xor.b32");
    REDUCE("add.f32");
    REDUCE("add.f64");
    REDUCE("add.noftz.f16");
    REDUCE("add.noftz.bf16");
    REDUCE("min.f16");
    REDUCE("max.bf16");
    finish();
}

__global__ void prefetches(const char *in)
{
    if (!threadIdx.x)
        asm volatile("cp.async.bulk.prefetch.L2.global [%0], 4096;" ::"l"(in) : "memory");
}

/* A ring of stages: one thread copies, all others add. */
enum { STAGES = 3, STAGE = 1024, STEPS = 20 };
__global__ void ring(const char *in, unsigned *out)
{
    alignas(128) __shared__ unsigned stage[STAGES][STAGE / 4];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    if (threadIdx.x < STAGES) {
        init(&full[threadIdx.x], 1);
        init(&empty[threadIdx.x], 128);
    }
    __syncthreads();
    unsigned sum = 0;
    for (unsigned step = 0; step < STEPS; step++) {
        unsigned at = step % STAGES, round = step / STAGES;
        if (threadIdx.x == 128) {
            wait(&empty[at], (round & 1) ^ 1);
            expect(&full[at], STAGE);
            load(stage[at], in + step * STAGE, STAGE, &full[at]);
        } else if (threadIdx.x < 128) {
            wait(&full[at], round & 1);
            sum = sum * 3 + stage[at][threadIdx.x] + stage[at][255 - threadIdx.x];
            asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address(&empty[at])) : "memory");
        }
    }
    if (threadIdx.x < 128)
        out[blockIdx.x * 128 + threadIdx.x] = sum;
}

template <class T> static std::vector<T> result(const void *device, size_t count)
{
    std::vector<T> host(count);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
}

int main()
{
    char *in, *out;
    std::vector<unsigned> numbers(8192);
    Random random{9};
    for (unsigned &n : numbers)
        n = random.next();
    CHECK(cudaMalloc(&in, numbers.size() * 4));
    CHECK(cudaMalloc(&out, 16384));
    CHECK(cudaMemcpy(in, numbers.data(), numbers.size() * 4, cudaMemcpyHostToDevice));
    static const unsigned forms[][3] = {{0, 0, 4096},   {16, 0, 4096}, {0, 16, 4096},
                                        {48, 80, 1024}, {32, 0, 16},   {0, 0, 8192}};
    bool good = true;
    for (const unsigned *form : forms) {
        loads<<<1, 128>>>(in, (unsigned *)out, form[0], form[1], form[2]);
        std::vector<unsigned> got = result<unsigned>(out, ROOM / 4);
        show("load", got);
        for (unsigned i = 0; i < ROOM / 4; i++) {
            bool copied = 4 * i >= form[1] && 4 * i < form[1] + form[2];
            good &= got[i] == (copied ? numbers[i + form[0] / 4 - form[1] / 4] : 7);
        }
    }
    for (const unsigned *form : forms) {
        CHECK(cudaMemset(out, 0, 16384));
        stores<<<1, 128>>>(out, form[0], form[1], form[2]);
        std::vector<unsigned> got = result<unsigned>(out, 4096);
        show("store", got);
        for (unsigned i = 0; i < 4096; i++) {
            bool copied = 4 * i >= form[0] && 4 * i < form[0] + form[2];
            good &= got[i] == (copied ? (i + form[1] / 4 - form[0] / 4) * 3 : 0);
        }
    }
    CHECK(cudaMemset(out, 0, 16384));
    pieces<<<1, 32>>>(in, out);
    show("pieces", result<unsigned>(out, 384));
    cudaLaunchAttribute cluster = {};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = 1;
    config.blockDim = 256;
    config.attrs = &cluster;
    config.numAttrs = 1;
    void *arguments[] = {&out};
    CHECK(cudaLaunchKernelExC(&config, (const void *)within, arguments));
    show("within", result<unsigned>(out, 256));
    CHECK(cudaMemset(out, 0x11, 16384));
    reductions<<<2, 32>>>(out);
    std::vector<unsigned> rows = result<unsigned>(out, 18 * 32);
    for (int row = 0; row < 18; row++)
        printf("%08x %08x %08x%c", rows[row * 32], rows[row * 32 + 1], rows[row * 32 + 31], row % 3 == 2 ? '\n' : ' ');
    prefetches<<<1, 32>>>(in);
    ring<<<2, 160>>>(in, (unsigned *)out);
    show("ring", result<unsigned>(out, 256));
    return verdict(good);
}
