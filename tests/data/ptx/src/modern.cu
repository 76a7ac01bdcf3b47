#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_pipeline.h>
#include <mma.h>
namespace cg = cooperative_groups;
using namespace nvcuda;
__global__ void halves(__half *h, __nv_bfloat16 *b, __half2 *h2)
{
    int i = threadIdx.x;
    h[i] = __hfma(h[i], h[i + 1], __float2half(1.5f));
    b[i] = __hadd(b[i], __float2bfloat16(2.0f));
    h2[i] = __hmul2(h2[i], h2[i]);
}
__global__ void warp_ops(int *x)
{
    int v = x[threadIdx.x];
    for (int o = 16; o; o >>= 1) v += __shfl_down_sync(~0u, v, o);
    unsigned m = __ballot_sync(~0u, v > 3);
    if (__all_sync(m, v)) v ^= __match_any_sync(__activemask(), v);
    v += __reduce_add_sync(~0u, v);
    int p; v += __match_all_sync(~0u, v, &p);
    __syncwarp();
    v += __syncthreads_or(v) + __syncthreads_count(v);
    x[threadIdx.x] = v;
}
__global__ void grid_sum(float *x, float *total)
{
    cg::grid_group g = cg::this_grid();
    cg::thread_block b = cg::this_thread_block();
    auto w = cg::tiled_partition<32>(b);
    float s = cg::reduce(w, x[g.thread_rank()], cg::plus<float>());
    if (w.thread_rank() == 0) atomicAdd(total, s);
    g.sync();
    x[g.thread_rank()] /= *total;
}
__global__ void async_copy(float4 *in, float4 *out)
{
    __shared__ float4 s[128];
    __pipeline_memcpy_async(&s[threadIdx.x], &in[threadIdx.x], 16);
    __pipeline_commit(); __pipeline_wait_prior(0); __syncthreads();
    out[threadIdx.x] = s[127 - threadIdx.x];
}
__global__ void tensor(const __half *a, const __half *b, float *c)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.0f);
    wmma::load_matrix_sync(fa, a, 16); wmma::load_matrix_sync(fb, b, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
    unsigned r[4] = {1,2,3,4}, q[2] = {5,6}; float d[4] = {0,0,0,0};
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(q[0]), "r"(q[1]));
    c[threadIdx.x] += d[0] + d[1] + d[2] + d[3];
}
__global__ void textures(cudaTextureObject_t t1, cudaTextureObject_t t2, cudaSurfaceObject_t s, float *out)
{
    float x = threadIdx.x;
    float4 v = tex2D<float4>(t2, x, x + 0.5f);
    out[threadIdx.x] = tex1D<float>(t1, x) + tex1Dfetch<float>(t1, 3) + v.x + v.w + tex2DLod<float>(t2, x, x, 1.0f) + tex3D<float>(t2, x, x, x);
    surf2Dwrite(out[threadIdx.x], s, threadIdx.x * 4, 0);
    out[threadIdx.x + 32] = surf2Dread<float>(s, threadIdx.x * 4, 0);
}
__device__ float f1(float x) { return x + 1; }
__device__ float f2(float x) { return x * x; }
typedef float (*op_t)(float);
__device__ op_t ops[2] = {f1, f2};
struct Base { __device__ virtual float eval(float) const = 0; };
struct A : Base { float k; __device__ float eval(float x) const override { return x * k; } };
struct B : Base { __device__ float eval(float x) const override { return x - 1; } };
__global__ void indirect(float *x, int n)
{
    A a; a.k = 3; B b; const Base *p = n & 1 ? (Base *)&a : (Base *)&b;
    for (int i = 0; i < n; i++) x[i] = ops[i & 1](x[i]) + p->eval(x[i]);
}
__global__ void atomics(int *i, unsigned *u, unsigned long long *l, float *f, double *d)
{
    atomicAdd(i, 1); atomicMin(i, 2); atomicMax(u, 3u); atomicExch(i, 4); atomicInc(u, 5u); atomicDec(u, 6u);
    atomicAnd(i, 7); atomicOr(i, 8); atomicXor(u, 9u); atomicCAS(l, 1ull, 2ull); atomicAdd(f, 1.0f); atomicAdd(d, 1.0);
    __threadfence(); __threadfence_block(); __threadfence_system();
    f[1] = __ldg(f + 2) + __ldcg(f + 3) + __ldcs(f + 4); __stwt(f + 5, 1.0f);
    *(volatile int *)i = 3; u[3] = clock() + __isShared(f) + atomicAdd_block(i, 3);
    l[4] = clock64(); __nanosleep(100);
}
