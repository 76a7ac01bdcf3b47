// Kernels for clang without CUDA headers: control flow, structs, calls, tables, atomics, inline assembly.
struct Pair { float x; double y; int tag; };
struct Tree { Tree *left, *right; int value; };
union Mixed { int i; float f; char c[4]; };
__constant__ float weights[3][4] = {{1, 2, 3, 4}, {5, 6}, {7}};
__device__ int matrix[2][3] = {{1, 2, 3}, {4, 5, 6}};
__device__ Pair pairs[2] = {{1.5f, 2.5, 3}, {4.0f, -5.0, 6}};
#if __clang_major__ >= 19 /* older ones cannot print addresses of elements */
__device__ int *where = &matrix[1][2];
__device__ struct { char c; int *p; } packed __attribute__((aligned(8))) = {'a', matrix[0]};
__device__ struct __attribute__((packed)) { char c; int *p; } squeezed = {'b', &matrix[1][0]};
#else
__device__ int *where;
__device__ struct { char c; int *p; } packed, squeezed;
#endif
__device__ char text[] = "tab\t\"quoted\"\n";
__device__ unsigned long long big = 0xFFFFFFFFFFFFFFFFull;
__device__ double nan_value = __builtin_nan("");
__device__ __attribute__((noinline)) int depth(const Tree *t) { return t ? 1 + depth(t->left) + depth(t->right) : 0; }
__device__ __attribute__((noinline)) Pair swap(Pair p) { Pair q = {(float)p.y, p.x, -p.tag}; return q; }
__device__ int (*choice)(const Tree *) = depth;
extern __shared__ float pool[];

__global__ void __launch_bounds__(128) saxpy(float a, const float *__restrict x, float *__restrict y, int n)
{
    int i = bid_x * bdim_x + tid_x;
    if (i < n)
        y[i] = a * x[i] + y[i] * weights[i % 3][i & 3];
}
__global__ void structs(Pair p, Pair *out, Mixed m)
{
    Pair q = swap(p);
    out[tid_x] = q;
    out[tid_x].tag += m.c[2] + pairs[tid_x & 1].tag + squeezed.c + *packed.p + *where;
}
__global__ void trees(const Tree *t, int *out) { out[tid_x] = depth(t + tid_x) + choice(t); }
__global__ void jump(int *x, int k)
{
    int i = tid_x, v = x[i];
    switch (k) {
    case 0: v += 3; x[i + 1] = v; break;
    case 1: v *= v; x[i + 2] = v; break;
    case 2: v ^= 77; x[i + 3] = v; break;
    case 3: v -= i; x[i + 4] = v; break;
    case 4: v = v / 3; x[i + 5] = v; break;
    case 5: v = v % 13; x[i + 6] = v; break;
    case 6: v <<= i; x[i + 7] = v; break;
    case 7: v >>= 2; x[i + 8] = v; break;
    case 8: v = ~v; x[i + 9] = v; break;
    case 9: v = -v; x[i + 10] = v; break;
    default: v = 0;
    }
    x[i] = v;
}
__global__ void share(const float *in, float *out)
{
    __shared__ float tile[64][65];
    for (int k = 0; k < 64; k++) tile[k][tid_x] = in[k * 64 + tid_x];
    __syncthreads();
    float s = pool[tid_x];
    for (int k = 0; k < 64; k++) s += tile[tid_x][k];
    out[tid_x] = s;
}
__global__ void assembly(int *x, float *f)
{
    int a = x[tid_x], b, lane;
    asm("{\n\t.reg .pred p;\n\t.reg .b32 t;\n\tsetp.gt.s32 p, %1, 5;\n\tadd.s32 t, %1, 7;\n\tselp.b32 %0, t, %1, p;\n\t}" : "=r"(b) : "r"(a));
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm volatile("{\n\tWAIT:\n\tld.volatile.global.u32 %0, [%1];\n\t.reg .pred q;\n\tsetp.ne.u32 q, %0, 0;\n\t@q bra DONE;\n\tbra WAIT;\n\tDONE:\n\t}" : "=r"(a) : "l"(x));
    asm volatile("{\n\tWAIT:\n\tld.volatile.global.u32 %0, [%1+4];\n\t.reg .pred q;\n\tsetp.ne.u32 q, %0, 1;\n\t@q bra DONE;\n\tbra WAIT;\n\tDONE:\n\t}" : "=r"(a) : "l"(x));
    x[tid_x] = a + b + lane + text[b & 7];
    f[tid_x] = __nvvm_ex2_approx_f(f[tid_x]) + (float)big + (float)nan_value + 1e-30f;
    __nvvm_atom_add_gen_i(x, 3);
    __sync_fetch_and_add(x + 1, 2);
}
