// What needs nvcc 13 and a recent machine: 256-bit loads, clusters, cache hints, tensor copies as inline assembly.
#include <cuda_runtime.h>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void __cluster_dims__(2, 1, 1) clusters(int *x)
{
    extern __shared__ int s[];
    cg::cluster_group c = cg::this_cluster();
    s[threadIdx.x] = x[threadIdx.x];
    c.sync();
    x[threadIdx.x] = c.map_shared_rank(s, c.block_rank() ^ 1)[threadIdx.x];
}
__global__ void __launch_bounds__(128, 1, 2) hints(const float *a, float *b, unsigned long long policy)
{
    float v, w;
    asm volatile("ld.global.L1::no_allocate.L2::cache_hint.f32 %0, [%1], %2;" : "=f"(v) : "l"(a), "l"(policy));
    asm volatile("ld.global.nc.L1::evict_last.L2::128B.f32 %0, [%1+-16];" : "=f"(w) : "l"(a));
    asm volatile("prefetch.global.L2::evict_last [%0];" ::"l"(a + 64));
    asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    b[threadIdx.x] = v + w + (float)policy;
}
__global__ void tensor_copy(const __grid_constant__ int4 map, int *out)
{
    __shared__ alignas(128) int tile[256];
    __shared__ unsigned long long bar;
    unsigned t = __cvta_generic_to_shared(tile), m = __cvta_generic_to_shared(&bar);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(m), "r"(1));
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(t), "l"(&map), "r"(0), "r"(1), "r"(m) : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 1024;" ::"r"(m));
    }
    asm volatile("{\n\t.reg .pred P1;\n\tLAB_WAIT:\n\tmbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n\t@P1 bra.uni DONE;\n\tbra.uni LAB_WAIT;\n\tDONE:\n\t}" ::"r"(m), "r"(0));
    unsigned pred, lane;
    asm volatile("{\n\t.reg .pred p;\n\telect.sync %0|p, 0xffffffff;\n\tselp.b32 %1, 1, 0, p;\n\t}" : "=r"(lane), "=r"(pred));
    out[threadIdx.x] = tile[threadIdx.x] + pred + lane;
}
__global__ void misc(unsigned *x, float2 *f, unsigned long long *l)
{
    unsigned a = x[0], b = x[1], d;
    d = __dp4a(a, b, 3u) + __byte_perm(a, b, 0x3210) + __funnelshift_l(a, b, 5) + __vadd4(a, b) + __sad((int)a, (int)b, 1u);
    asm("vadd.u32.u32.u32.sat %0, %1.b0, %2.h1, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(d));
    asm("lop3.b32 %0, %1, %2, %0, 0x96;" : "+r"(d) : "r"(a), "r"(b));
    asm("{\n\t.reg .pred p, q;\n\tsetp.lt.and.u32 p|q, %1, %2, 1;\n\tselp.u32 %0, 1, 2, q;\n\t}" : "=r"(d) : "r"(a), "r"(b));
    asm("add.cc.u32 %0, %1, %2;\n\taddc.u32 %0, %0, 0;" : "=r"(d) : "r"(a), "r"(b));
    x[2] = d;
    asm("ld.global.v2.f32 {%0, %1}, [%2];" : "=f"(f[1].x), "=f"(f[1].y) : "l"(f));
    l[0] = __umul64hi(l[1], l[2]);
}
