#include <cstdio>
#include <cassert>
struct Particle { float3 pos; float mass; int id; };
struct Args { float *a; int n; double scale; };
__constant__ float table[16] = {1.0f, 2.5f, -3.0f};
__device__ int counters[4] = {1, 2, 3};
__device__ double dval = 3.25;
__device__ const char message[] = "hello\n";
__device__ int *pointer = counters + 2;
__managed__ int managed_value = 7;
__device__ float helper(float x) { return x * 2.0f + 1.0f; }
__device__ __noinline__ float called(float x, Particle p) { return x * p.mass + p.pos.y; }
__device__ __noinline__ Particle make(int i) { Particle p; p.pos = make_float3(i, 2*i, 3*i); p.mass = i; p.id = i; return p; }
__global__ void vec_add(const float *__restrict__ a, const float *__restrict__ b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i] * table[i & 15];
}
__global__ void by_value(Args args, Particle *out)
{
    int i = threadIdx.x;
    if (i < args.n) { out[i] = make(i); args.a[i] = called(args.a[i] * (float)args.scale, out[i]); }
}
extern __shared__ float dynamic[];
__global__ void __launch_bounds__(256, 2) reduce(const float *in, float *out)
{
    __shared__ float tile[256];
    tile[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x] + dynamic[threadIdx.x];
    __syncthreads();
    for (int s = 128; s > 0; s >>= 1) { if (threadIdx.x < s) tile[threadIdx.x] += tile[threadIdx.x + s]; __syncthreads(); }
    if (threadIdx.x == 0) { out[blockIdx.x] = tile[0]; atomicAdd(&counters[blockIdx.x & 3], 1); *pointer = managed_value; }
}
__global__ void talk(int n)
{
    assert(n > 0);
    printf("n=%d d=%f %s\n", n, dval, message);
}
__global__ void choose(int *x, int k)
{
    int i = threadIdx.x, r;
    switch (k + i) {
    case 0: r = x[i] * 3; break; case 1: r = x[i] / 7; break; case 2: r = x[i] % 11; break;
    case 3: r = x[i] << 2; break; case 4: r = __popc(x[i]); break; case 5: r = __clz(x[i]); break;
    case 6: r = x[i] ^ 5; break; case 7: r = __brev(x[i]); break; case 8: r = 17; break;
    default: r = -1; }
    x[i] = r;
}
__global__ void doubles(double *d, float *f, long long *l)
{
    int i = threadIdx.x;
    d[i] = sin(d[i]) + pow(d[i], 1.5) + sqrt(d[i]) / d[i + 1];
    f[i] = __sinf(f[i]) + expf(f[i]) + rsqrtf(f[i]);
    l[i] = l[i] / 3 + __double2ll_rn(d[i]) + (unsigned)f[i];
}
__global__ void loops(float *a, int n)
{
    float local[8];
    for (int i = 0; i < 8; i++) local[i] = a[i];
    for (int i = 0; i < n; i++) local[(i * 7) & 7] += helper(a[i]);
    while (atomicCAS((int *)a, 0, 1) != 0) ;
    for (int i = 0; i < 8; i++) a[i] = local[i];
}
