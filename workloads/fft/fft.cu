/* Fourier transforms of 512 complex numbers, one by each block of 64 threads with 8 numbers per thread in registers:
 * three steps of radix 8, between which the numbers change threads through shared memory. Input and output are read
 * and written once, in order. */
enum { POINTS = 512, THREADS = 64, RADIX = 8 };

static __device__ __forceinline__ float2 add(float2 a, float2 b)
{
    return make_float2(a.x + b.x, a.y + b.y);
}

static __device__ __forceinline__ float2 sub(float2 a, float2 b)
{
    return make_float2(a.x - b.x, a.y - b.y);
}

static __device__ __forceinline__ float2 mul(float2 a, float2 b)
{
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

/* e^(i * angle). */
static __device__ __forceinline__ float2 turn(float angle)
{
    return make_float2(cosf(angle), sinf(angle));
}

/* Transforms of 2, 4 and 8 numbers in place; `sign` is that of the exponent. */
static __device__ __forceinline__ void fft2(float2 &a, float2 &b)
{
    float2 sum = add(a, b);
    b = sub(a, b);
    a = sum;
}

/* In the order 0 2 1 3. */
static __device__ __forceinline__ void fft4(float2 &a, float2 &b, float2 &c, float2 &d, float sign)
{
    fft2(a, c);
    fft2(b, d);
    d = make_float2(-sign * d.y, sign * d.x);
    fft2(a, b);
    fft2(c, d);
}

/* v[r] gets the number reversed(r): 0 4 2 6 1 5 3 7. */
static __device__ __forceinline__ void fft8(float2 *v, float sign)
{
    const float half = 0.70710678118654752f;
#pragma unroll
    for (int i = 0; i < 4; i++)
        fft2(v[i], v[i + 4]);
    v[5] = mul(v[5], make_float2(half, sign * half));
    v[6] = make_float2(-sign * v[6].y, sign * v[6].x);
    v[7] = mul(v[7], make_float2(-half, sign * half));
    fft4(v[0], v[1], v[2], v[3], sign);
    fft4(v[4], v[5], v[6], v[7], sign);
}

static __device__ __forceinline__ int reversed(int r)
{
    return (r & 1) << 2 | (r & 2) | (r & 4) >> 2;
}

/* v[r], whose number is reversed(r), times e^(i * number * angle). */
static __device__ __forceinline__ void twiddle(float2 *v, float angle)
{
#pragma unroll
    for (int r = 1; r < RADIX; r++)
        v[r] = mul(v[r], turn((float)reversed(r) * angle));
}

/* A thread puts its number k at out + k * out_stride and takes one from in + k * in_stride: real parts first, then
 * imaginary parts, so that half the memory is enough. */
static __device__ __forceinline__ void exchange(float2 *v, float *shared, int out, int out_stride, int in,
                                                int in_stride)
{
#pragma unroll
    for (int r = 0; r < RADIX; r++)
        shared[out + reversed(r) * out_stride] = v[r].x;
    __syncthreads();
#pragma unroll
    for (int r = 0; r < RADIX; r++)
        v[r].x = shared[in + r * in_stride];
    __syncthreads();
#pragma unroll
    for (int r = 0; r < RADIX; r++)
        shared[out + reversed(r) * out_stride] = v[r].y;
    __syncthreads();
#pragma unroll
    for (int r = 0; r < RADIX; r++)
        v[r].y = shared[in + r * in_stride];
}

/* Number 64 a + 8 b + c of the input adds to number p + 8 q + 64 s of the output: sums over a, b and c in turn leave p,
 * q and s. A thread is 8 b + c at first, then 8 p + c, and in the end p + 8 q. Rows of 72 and 9 in shared memory keep
 * the threads of a warp in different banks. */
static __device__ __forceinline__ void fft512(float2 *data, float sign, float scale)
{
    __shared__ float shared[RADIX * 72];
    const float step = sign * 6.28318530717958648f / POINTS;
    int t = threadIdx.x, high = t / 8, low = t % 8;
    float2 v[RADIX];
    data += blockIdx.x * POINTS + t;
#pragma unroll
    for (int a = 0; a < RADIX; a++)
        v[a] = data[a * THREADS];
    fft8(v, sign);
    twiddle(v, (float)t * step);
    exchange(v, shared, t, 72, high * 72 + low, 8);
    fft8(v, sign);
    twiddle(v, (float)low * 8.0f * step);
    __syncthreads();
    exchange(v, shared, high * 9 + low, 72, high * 72 + low * 9, 1);
    fft8(v, sign);
#pragma unroll
    for (int r = 0; r < RADIX; r++)
        data[reversed(r) * THREADS] = make_float2(v[r].x * scale, v[r].y * scale);
}

KERNEL fft512_forward(float2 *data)
{
    fft512(data, -1.0f, 1.0f);
}

KERNEL fft512_inverse(float2 *data)
{
    fft512(data, 1.0f, 1.0f / POINTS);
}
