/* Sums of products that the compiler leaves apart in PTX, and ptxas makes one fma of: results depend on which. */
#include "check.h"

/* A product that two sums need: nvcc leaves it, ptxas computes it in each. */
__global__ void two_sums(float2 *out, const float4 *in)
{
    float4 v = in[threadIdx.x];
    float product = v.x * v.y;
    out[threadIdx.x] = make_float2(product + v.z, product - v.w);
}

/* …with a barrier in between. */
__global__ void behind_a_barrier(float2 *out, const float4 *in)
{
    __shared__ float sum[64];
    float4 v = in[threadIdx.x];
    float product = v.x * v.y;
    sum[threadIdx.x] = v.z;
    __syncthreads();
    float other = sum[threadIdx.x ^ 1];
    out[threadIdx.x] = make_float2(product + other, product - other);
}

/* A product that is stored, too, stays a product. */
__global__ void kept(float2 *out, const float4 *in)
{
    float4 v = in[threadIdx.x];
    float product = v.x * v.y;
    out[threadIdx.x] = make_float2(product + v.z, product);
}

/* Rotations: each product is used once, and the first operand is the one that is not rounded. */
__global__ void rotate(float2 *out, const float4 *in)
{
    float4 v = in[threadIdx.x];
    out[threadIdx.x] = make_float2(v.x * v.z - v.y * v.w, v.x * v.w + v.y * v.z);
}

/* A condition between the product and the sum. */
__global__ void conditional(float2 *out, const float4 *in)
{
    float4 v = in[threadIdx.x];
    float product = v.x * v.y, other = v.w;
    if (v.z > 0.5f)
        other = product + v.z;
    out[threadIdx.x] = make_float2(other, product + v.w);
}

__global__ void in_ptx(float2 *out, const float4 *in)
{
    float4 v = in[threadIdx.x];
    float a, b;
    double x = v.x, y = v.y, z = v.z, s;
    asm("{ .reg .f32 p, q; mul.f32 p, %2, %3; mul.f32 q, %4, %5; add.f32 %0, p, %4; add.f32 %1, q, p; }"
        : "=f"(a), "=f"(b)
        : "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w));
    asm("{ .reg .f64 p; mul.f64 p, %1, %2; add.f64 %0, p, %3; }" : "=d"(s) : "d"(x / 3), "d"(y), "d"(z));
    out[threadIdx.x] = make_float2(a + b, (float)((s - z) * 0x1p20));
    out[threadIdx.x].y += (float)(s - (float)s);
}

int main()
{
    Random random(5);
    std::vector<float4> numbers(64);
    for (float4 &v : numbers) {
        v.w = random.unit();
        v.z = random.unit();
        v.y = random.unit() + 0.5f;
        v.x = random.unit() + 0.5f;
    }
    float4 *in;
    float2 *out;
    std::vector<float2> result(64);
    CHECK(cudaMalloc(&in, sizeof(float4) * 64));
    CHECK(cudaMalloc(&out, sizeof(float2) * 64));
    CHECK(cudaMemcpy(in, numbers.data(), sizeof(float4) * 64, cudaMemcpyHostToDevice));
    const struct {
        const char *name;
        void (*kernel)(float2 *, const float4 *);
    } kernels[] = {{"two sums", two_sums}, {"behind a barrier", behind_a_barrier}, {"kept", kept},
                   {"rotate", rotate},     {"conditional", conditional},           {"in PTX", in_ptx}};
    bool good = true;
    for (auto &k : kernels) {
        k.kernel<<<1, 64>>>(out, in);
        CHECK(cudaMemcpy(result.data(), out, sizeof(float2) * 64, cudaMemcpyDeviceToHost));
        show(k.name, result);
        good = good && result[3].x == result[3].x;
    }
    return verdict(good);
}
