/* SPDX-License-Identifier: MIT */
/* Clusters: cooperative groups, shared memory of other blocks, barriers in it, launches by attribute and by kernel. */
#include "check.h"

enum { BINS = 128, THREADS = 96, RING = 8, ROUNDS = 5 };

#ifdef __NVCC__
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

/* Every block of the cluster counts a part of the bins, for all of them. */
__global__ void histogram(const unsigned *in, unsigned n, unsigned *bins)
{
    extern __shared__ unsigned counts[];
    cg::cluster_group cluster = cg::this_cluster();
    unsigned part = BINS / cluster.num_blocks();
    for (unsigned i = threadIdx.x; i < part; i += blockDim.x)
        counts[i] = 0;
    cluster.sync();
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned bin = in[i] % BINS;
        atomicAdd(cluster.map_shared_rank(counts, bin / part) + bin % part, 1);
    }
    cluster.sync();
    for (unsigned i = threadIdx.x; i < part; i += blockDim.x)
        atomicAdd(&bins[cluster.block_rank() * part + i], counts[i]);
}

/* A tree over the threads of a block, then over the blocks of a 2 x 2 cluster. */
__global__ void __cluster_dims__(2, 2, 1) reduce(const unsigned *in, unsigned *out)
{
    __shared__ unsigned sums[THREADS];
    __shared__ unsigned total;
    cg::cluster_group cluster = cg::this_cluster();
    unsigned block = blockIdx.y * gridDim.x + blockIdx.x;
    sums[threadIdx.x] = in[block * THREADS + threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        total = 0;
        for (unsigned i = 0; i < THREADS; i++)
            total += sums[i];
    }
    auto token = cluster.barrier_arrive();
    dim3 index = cluster.block_index(), shape = cluster.dim_blocks(), group = cg::this_grid().cluster_index();
    cluster.barrier_wait(std::move(token));
    if (cluster.thread_rank() == 0) {
        unsigned sum = 0;
        for (unsigned i = 0; i < cluster.num_blocks(); i++)
            sum = sum * 3 + *cluster.map_shared_rank(&total, i);
        out[group.y * (gridDim.x / shape.x) + group.x] = sum;
    }
    if (threadIdx.x == 1) {
        unsigned *far = cluster.map_shared_rank(&total, cluster.num_blocks() - 1);
        out[64 + block] = cluster.block_rank() | index.x << 4 | index.y << 8 | cluster.query_shared_rank(&total) << 12 |
                          cluster.query_shared_rank(far) << 16 | cluster.num_threads() << 20;
    }
    cluster.sync();
}

__device__ static unsigned at_rank(const void *shared, unsigned rank)
{
    unsigned address;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                 : "=r"(address)
                 : "r"((unsigned)__cvta_generic_to_shared(shared)), "r"(rank));
    return address;
}

/* Blocks pass a number on, each to the next: it is stored there and its barrier told of the bytes. */
__global__ void ring(unsigned *out)
{
    __shared__ alignas(8) uint64_t full;
    __shared__ alignas(16) unsigned box[4];
    cg::cluster_group cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank(), next = (rank + 1) % cluster.num_blocks();
    unsigned barrier = (unsigned)__cvta_generic_to_shared(&full);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    cluster.sync();
    if (threadIdx.x == 0) {
        unsigned value = 1;
        for (unsigned round = 0; round < ROUNDS; round++) {
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 16;" ::"r"(barrier) : "memory");
            if (round == 0 && rank == 0)
                asm volatile(
                    "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %1, %1, %1}, [%2];" ::"r"(
                        at_rank(box, next)),
                    "r"(value), "r"(at_rank(&full, next))
                    : "memory");
            asm volatile("{\n.reg .pred p;\nAGAIN:\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], "
                         "%1;\n@!p bra AGAIN;\n}" ::"r"(barrier),
                         "r"(round & 1)
                         : "memory");
            value = box[3] * 5 + rank;
            if (round < ROUNDS - 1 || rank)
                asm volatile(
                    "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %1, %1, %1}, [%2];" ::"r"(
                        at_rank(box, next)),
                    "r"(value), "r"(at_rank(&full, next))
                    : "memory");
        }
        out[blockIdx.x] = value;
    }
    cluster.sync();
}

/* Thread 0 of block 0 waits for all threads of all blocks. */
__global__ void remote_arrivals(unsigned *out)
{
    __shared__ alignas(8) uint64_t all;
    __shared__ unsigned sum;
    cg::cluster_group cluster = cg::this_cluster();
    unsigned barrier = (unsigned)__cvta_generic_to_shared(&all);
    if (threadIdx.x == 0) {
        sum = 0;
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(cluster.num_threads()) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    cluster.sync();
    atomicAdd(cluster.map_shared_rank(&sum, 0), cluster.thread_rank());
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(at_rank(&all, 0)) : "memory");
    if (cluster.thread_rank() == 0) {
        asm volatile("{\n.reg .pred p;\nAGAIN:\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], "
                     "0;\n@!p bra AGAIN;\n}" ::"r"(barrier)
                     : "memory");
        out[blockIdx.x / cluster.num_blocks()] = sum;
    }
    cluster.sync();
}

__global__ void ranks(unsigned *out)
{
    unsigned rank, ranks, id, ids, is;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(ranks));
    asm volatile("mov.u32 %0, %%clusterid.x;" : "=r"(id));
    asm volatile("mov.u32 %0, %%nclusterid.x;" : "=r"(ids));
    asm volatile("{\n.reg .pred p;\nmov.pred p, %%is_explicit_cluster;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(is));
    out[blockIdx.x] = rank | ranks << 8 | id << 16 | ids << 24 | is << 31;
}
#else /* never compiled: the device code comes from the fat binary */
__global__ void histogram(const unsigned *, unsigned, unsigned *)
{
}
__global__ void reduce(const unsigned *, unsigned *)
{
}
__global__ void ring(unsigned *)
{
}
__global__ void remote_arrivals(unsigned *)
{
}
__global__ void ranks(unsigned *)
{
}
#endif

static cudaError_t launch(const void *kernel, unsigned blocks, unsigned threads, unsigned cluster, size_t shared,
                          void **arguments)
{
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = blocks;
    config.blockDim = threads;
    config.dynamicSmemBytes = shared;
    config.attrs = &attribute;
    config.numAttrs = 1;
    return cudaLaunchKernelExC(&config, kernel, arguments);
}

static std::vector<unsigned> result(const unsigned *device, size_t count)
{
    std::vector<unsigned> host(count);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(host.data(), device, count * sizeof(unsigned), cudaMemcpyDeviceToHost));
    return host;
}

static void list(const char *name, const std::vector<unsigned> &values)
{
    printf("%s:", name);
    for (unsigned value : values)
        printf(" %x", value);
    printf("\n");
}

int main()
{
    unsigned n = 16 * THREADS * 7, *in, *out;
    std::vector<unsigned> numbers(n), want(BINS);
    Random random{11};
    for (unsigned &number : numbers) {
        number = random.next() % 1000;
        want[number % BINS]++;
    }
    CHECK(cudaMalloc(&in, n * sizeof *in));
    CHECK(cudaMalloc(&out, 4096));
    CHECK(cudaMemcpy(in, numbers.data(), n * sizeof *in, cudaMemcpyHostToDevice));

    CHECK(cudaMemset(out, 0, 4096));
    void *counted[] = {&in, &n, &out};
    CHECK(launch((const void *)histogram, 16, THREADS, 4, BINS / 4 * sizeof(unsigned), counted));
    printf("histogram: %s\n", result(out, BINS) == want ? "right" : "wrong");

    CHECK(cudaMemset(out, 0, 4096));
    reduce<<<dim3(6, 4), THREADS>>>(in, out);
    CHECK(cudaGetLastError());
    list("reduce", result(out, 6));
    list("indices", result(out + 64, 24));

    void *only[] = {&out};
    CHECK(launch((const void *)ring, 2 * RING, 32, RING, 0, only));
    list("ring", result(out, 2 * RING));
    CHECK(launch((const void *)remote_arrivals, 8, 64, 4, 0, only));
    list("arrivals", result(out, 2));

    CHECK(cudaMemset(out, 0, 4096));
    CHECK(launch((const void *)ranks, 6, 32, 3, 0, only));
    list("ranks", result(out, 6));
    ranks<<<3, 32>>>(out);
    list("no clusters", result(out, 3));
    for (unsigned size : {5u, 9u, 16u}) {
        cudaError_t error = launch((const void *)ranks, 16, 32, size, 0, only);
        cudaGetLastError();
        printf("clusters of %u: %s\n", size, cudaGetErrorName(error));
    }
    CHECK(cudaFuncSetAttribute((const void *)ranks, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    CHECK(launch((const void *)ranks, 16, 32, 16, 0, only));
    list("large clusters", result(out, 16));
    cudaError_t error = launch((const void *)ranks, 32, 32, 32, 0, only);
    cudaGetLastError();
    printf("clusters of 32: %s\n", cudaGetErrorName(error));
    reduce<<<dim3(3, 2), THREADS>>>(in, out);
    printf("half a cluster: %s\n", cudaGetErrorName(cudaGetLastError()));
    return 0;
}
