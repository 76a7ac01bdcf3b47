/* SPDX-License-Identifier: MIT */
/* Barriers in shared memory, asynchronous stores, vector atomics, and what else came with compute capability 9.0. */
#include "check.h"

__device__ static unsigned address(const void *shared)
{
    return (unsigned)__cvta_generic_to_shared(shared);
}

__device__ static void init(uint64_t *barrier, unsigned count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(barrier)), "r"(count) : "memory");
}

__device__ static uint64_t arrive(uint64_t *barrier, unsigned count = 1)
{
    uint64_t state;
    asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1], %2;"
                 : "=l"(state)
                 : "r"(address(barrier)), "r"(count)
                 : "memory");
    return state;
}

__device__ static void wait(uint64_t *barrier, unsigned parity)
{
    asm volatile(
        "{\n.reg .pred p;\nAGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@!p bra AGAIN;\n}" ::"r"(
            address(barrier)),
        "r"(parity)
        : "memory");
}

__device__ static unsigned test(uint64_t *barrier, uint64_t state)
{
    unsigned done;
    asm volatile("{\n.reg .pred p;\nmbarrier.test_wait.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
                 : "=r"(done)
                 : "r"(address(barrier)), "l"(state)
                 : "memory");
    return done;
}

__device__ static unsigned test_parity(uint64_t *barrier, unsigned parity)
{
    unsigned done;
    asm volatile("{\n.reg .pred p;\nmbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
                 : "=r"(done)
                 : "r"(address(barrier)), "r"(parity)
                 : "memory");
    return done;
}

__device__ static unsigned pending(uint64_t state)
{
    unsigned count;
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(count) : "l"(state));
    return count;
}

/* One warp fills stages of a ring, three others empty them. */
enum { STAGES = 4, STEPS = 37 };
__global__ void ring(const unsigned *in, unsigned *out)
{
    __shared__ unsigned stage[STAGES][32];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, sum = 0;
    if (threadIdx.x < STAGES) {
        init(&full[threadIdx.x], 32);
        init(&empty[threadIdx.x], 3);
    }
    __syncthreads();
    for (unsigned step = 0; step < STEPS; step++) {
        unsigned at = step % STAGES, round = step / STAGES;
        if (!warp) {
            wait(&empty[at], (round & 1) ^ 1);
            stage[at][lane] = in[step * 32 + lane];
            arrive(&full[at]);
        } else {
            wait(&full[at], round & 1);
            sum = sum * 3 + stage[at][(lane * warp) % 32];
            __syncwarp();
            if (!lane)
                arrive(&empty[at]);
        }
    }
    out[threadIdx.x] = sum;
}

/* States, counts and phases, by one thread. */
__global__ void states(unsigned *out)
{
    __shared__ uint64_t barrier;
    init(&barrier, 5);
    uint64_t first = arrive(&barrier), second = arrive(&barrier, 2);
    *out++ = pending(first);
    *out++ = pending(second);
    *out++ = test(&barrier, first);
    *out++ = test_parity(&barrier, 0);
    *out++ = test_parity(&barrier, 1);
    uint64_t dropped;
    asm volatile("mbarrier.arrive_drop.shared::cta.b64 %0, [%1];" : "=l"(dropped) : "r"(address(&barrier)) : "memory");
    *out++ = pending(dropped);
    uint64_t last = arrive(&barrier);
    *out++ = test(&barrier, first) + 2 * test(&barrier, last);
    *out++ = test_parity(&barrier, 0) + 2 * test_parity(&barrier, 1);
    uint64_t next = arrive(&barrier, 3); /* four are expected from here on */
    *out++ = pending(next);
    *out++ = test(&barrier, next);
    arrive(&barrier);
    *out++ = test(&barrier, next);
    asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(address(&barrier)) : "memory");
    init(&barrier, 1);
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 64;" ::"r"(address(&barrier)) : "memory");
    next = arrive(&barrier);
    *out++ = test(&barrier, next);
    asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cluster.b64 [%0], 48;" ::"r"(address(&barrier)) : "memory");
    *out++ = test(&barrier, next);
    asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cluster.b64 [%0], 16;" ::"r"(address(&barrier)) : "memory");
    *out++ = test(&barrier, next);
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 %0, [%1], 8;"
                 : "=l"(next)
                 : "r"(address(&barrier))
                 : "memory");
    *out++ = test(&barrier, next);
    asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cluster.b64 [%0], 8;" ::"r"(address(&barrier)) : "memory");
    *out++ = test(&barrier, next);
}

/* Stores and copies that a barrier waits for. */
__global__ void asynchronous(const unsigned *in, unsigned *out)
{
    alignas(16) __shared__ unsigned stored[64], copied[128];
    __shared__ uint64_t barrier, copies;
    if (!threadIdx.x) {
        init(&barrier, 1);
        init(&copies, 32);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    if (!threadIdx.x)
        asm volatile(
            "{\n.reg .b64 s;\nmbarrier.arrive.expect_tx.shared::cta.b64 s, [%0], 256;\n}" ::"r"(address(&barrier))
            : "memory");
    __syncthreads();
    unsigned remote, rank, where;
    asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(remote) : "r"(address(&stored[2 * threadIdx.x])));
    asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(where) : "r"(address(&barrier)));
    asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(rank) : "r"(remote));
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [%0], {%1, %2}, [%3];" ::"r"(remote),
                 "r"(threadIdx.x * 7), "r"(threadIdx.x * 11 + rank), "r"(where)
                 : "memory");
    wait(&barrier, 0);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(address(&copied[4 * threadIdx.x])),
                 "l"(in + 4 * threadIdx.x)
                 : "memory");
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(address(&copies)) : "memory");
    wait(&copies, 0);
    out[threadIdx.x] = stored[(2 * threadIdx.x + 33) % 64] + copied[(4 * threadIdx.x + 77) % 128];
}

__global__ void vectors(float *floats, uint32_t *halves, float *old)
{
    float x = threadIdx.x + 1;
    asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(floats), "f"(x), "f"(2 * x), "f"(3 * x),
                 "f"(4 * x)
                 : "memory");
    asm volatile("red.global.add.noftz.v2.f16x2 [%0], {%1, %2};" ::"l"(halves), "r"(0x3c003c00), "r"(0x40003c00)
                 : "memory");
    float a = 0, b = 0;
    if (!threadIdx.x)
        asm volatile("atom.global.add.v2.f32 {%0, %1}, [%2], {%3, %4};"
                     : "=f"(a), "=f"(b)
                     : "l"(floats + 4), "f"(5.f), "f"(6.f)
                     : "memory");
    if (!threadIdx.x) {
        old[0] = a;
        old[1] = b;
    }
}

__global__ void hints(const unsigned *in, unsigned *out)
{
    uint64_t policy;
    unsigned value, rank, ranks;
    asm volatile("griddepcontrol.wait;" ::: "memory");
    asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 0.5;" : "=l"(policy));
    asm volatile("ld.global.L2::cache_hint.u32 %0, [%1], %2;" : "=r"(value) : "l"(in + threadIdx.x), "l"(policy));
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(ranks));
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
    out[threadIdx.x] = value + 1000 * rank + 100000 * ranks;
}

template <class T> static std::vector<T> result(const T *device, size_t count)
{
    std::vector<T> host(count);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
}

int main()
{
    unsigned *in, *out;
    float *floats;
    std::vector<unsigned> numbers(STEPS * 32);
    Random random{5};
    for (unsigned &n : numbers)
        n = random.next() % 1000;
    CHECK(cudaMalloc(&in, numbers.size() * sizeof *in));
    CHECK(cudaMalloc(&out, 4096));
    CHECK(cudaMalloc(&floats, 4096));
    CHECK(cudaMemset(out, 0, 4096));
    CHECK(cudaMemset(floats, 0, 4096));
    CHECK(cudaMemcpy(in, numbers.data(), numbers.size() * sizeof *in, cudaMemcpyHostToDevice));
    ring<<<2, 128>>>(in, out);
    show("ring", result(out, 128));
    states<<<1, 1>>>(out);
    for (unsigned value : result(out, 16))
        printf("%u ", value);
    printf("\n");
    cudaLaunchAttribute cluster = {};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = 1;
    config.blockDim = 32;
    config.attrs = &cluster;
    config.numAttrs = 1;
    void *arguments[] = {&in, &out};
    CHECK(cudaLaunchKernelExC(&config, (const void *)asynchronous, arguments));
    show("asynchronous", result(out, 32));
    vectors<<<2, 32>>>(floats, out + 512, floats + 64);
    for (float value : result(floats, 6))
        printf("%g ", value);
    printf("\n");
    for (unsigned value : result(out + 512, 2))
        printf("%08x ", value);
    std::vector<float> old = result(floats + 64, 2);
    printf("%d\n", old[0] == 0 || old[0] == 5);
    hints<<<1, 32>>>(in, out);
    show("hints", result(out, 32));
    return 0;
}
