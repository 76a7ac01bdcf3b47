/* Prices of options with mathematics in software: no instruction but those of addition, multiplication, reciprocal and
 * square root, and every special case handled, as OpenCL wants it. */

/* a / b within 2.5 units in the last place: a divisor whose reciprocal would be flushed to zero is scaled. */
static __device__ float quotient(float a, float b)
{
    float scale = fabsf(b) > 0x1p96f ? 0x1p-32f : 1.0f;
    return a * (1.0f / (b * scale)) * scale;
}

static __device__ float power_of_two(int exponent)
{
    return __int_as_float((exponent + 127) << 23);
}

/* x = n ln 2 + r with |r| < 0.35, e^r by its series, and 2^n in two steps, so that small results are not lost. */
static __device__ float exact_exp(float x)
{
    float n = fmaf(x, 1.44269504f, 12582912.0f) - 12582912.0f;
    float r = fmaf(n, 2.12194440e-4f, fmaf(n, -0.693359375f, x));
    float sum = fmaf(r, 1.0f / 5040, 1.0f / 720);
    sum = fmaf(r, sum, 1.0f / 120);
    sum = fmaf(r, sum, 1.0f / 24);
    sum = fmaf(r, sum, 1.0f / 6);
    sum = fmaf(r, sum, 0.5f);
    sum = fmaf(r * r, sum, r) + 1.0f;
    int exponent = (int)n, half = exponent >> 1;
    float result = sum * power_of_two(half) * power_of_two(exponent - half);
    result = x > 88.7228394f ? __int_as_float(0x7f800000) : result;
    result = x < -103.972084f ? 0.0f : result;
    return x != x ? x : result;
}

/* x = 2^e m with m around 1, and ln m = 2 (s + s^3 / 3 + s^5 / 5 ...) for s = (m - 1) / (m + 1). */
static __device__ float exact_log(float x)
{
    bool small = x < 0x1p-126f;
    int bits = __float_as_int(small ? x * 0x1p23f : x);
    int exponent = (bits >> 23) - (small ? 150 : 127);
    float m = __int_as_float((bits & 0x007fffff) | 0x3f800000);
    bool high = m > 1.41421356f;
    m = high ? 0.5f * m : m;
    float e = (float)(high ? exponent + 1 : exponent);
    float s = quotient(m - 1.0f, m + 1.0f), square = s * s;
    float sum = fmaf(square, 2.0f / 11, 2.0f / 9);
    sum = fmaf(square, sum, 2.0f / 7);
    sum = fmaf(square, sum, 2.0f / 5);
    sum = fmaf(square, sum, 2.0f / 3);
    float result = fmaf(e, 0.693359375f, fmaf(e, -2.12194440e-4f, fmaf(s * square, sum, 2.0f * s)));
    result = x == __int_as_float(0x7f800000) ? x : result;
    result = x == 0.0f ? __int_as_float(0xff800000) : result;
    return x < 0.0f || x != x ? __int_as_float(0x7fc00000) : result;
}

/* The normal distribution by the polynomial of Abramowitz and Stegun, 26.2.17: wrong by 7.5e-8 at most. */
static __device__ float normal(float x)
{
    float t = quotient(1.0f, 1.0f + 0.2316419f * fabsf(x));
    float sum = fmaf(t, 1.330274429f, -1.821255978f);
    sum = fmaf(t, sum, 1.781477937f);
    sum = fmaf(t, sum, -0.356563782f);
    sum = fmaf(t, sum, 0.319381530f);
    float above = 0.398942280f * exact_exp(quotient(-x * x, 2.0f)) * t * sum;
    return x < 0.0f ? above : 1.0f - above;
}

static __device__ float between(float least, float most, float share)
{
    return least * share + most * (1.0f - share);
}

static __device__ void price(float share, float &call, float &put)
{
    float stock = between(10.0f, 100.0f, share), strike = between(10.0f, 100.0f, share);
    float years = between(1.0f, 10.0f, share), interest = between(0.01f, 0.05f, share);
    float volatility = between(0.01f, 0.10f, share);
    float spread = volatility * sqrtf(years);
    float drift = (interest + 0.5f * volatility * volatility) * years;
    float d1 = quotient(exact_log(quotient(stock, strike)) + drift, spread), d2 = d1 - spread;
    float discounted = strike * exact_exp(-interest * years);
    call = stock * normal(d1) - discounted * normal(d2);
    put = discounted * normal(-d2) - stock * normal(-d1);
}

/* Four options per thread: a float4 in, two out. */
KERNEL black_scholes_exact(const float4 *__restrict__ share, float4 *__restrict__ call, float4 *__restrict__ put,
                           unsigned width)
{
    unsigned i = (blockIdx.y * blockDim.y + threadIdx.y) * width + blockIdx.x * blockDim.x + threadIdx.x;
    float4 s = share[i], c, p;
    price(s.x, c.x, p.x);
    price(s.y, c.y, p.y);
    price(s.z, c.z, p.z);
    price(s.w, c.w, p.w);
    call[i] = c;
    put[i] = p;
}
