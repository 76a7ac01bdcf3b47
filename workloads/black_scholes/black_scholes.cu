/* The normal distribution by the polynomial of Abramowitz and Stegun, 26.2.17: wrong by 7.5e-8 at most. */
static __device__ float normal(float x)
{
    float t = 1.0f / (1.0f + 0.2316419f * fabsf(x));
    float sum = fmaf(t, 1.330274429f, -1.821255978f);
    sum = fmaf(t, sum, 1.781477937f);
    sum = fmaf(t, sum, -0.356563782f);
    sum = fmaf(t, sum, 0.319381530f);
    float above = 0.398942280f * expf(-0.5f * x * x) * t * sum;
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
    float d1 = (logf(stock / strike) + (interest + 0.5f * volatility * volatility) * years) / spread;
    float discounted = strike * expf(-interest * years);
    float n1 = normal(d1), n2 = normal(d1 - spread);
    call = stock * n1 - discounted * n2;
    put = discounted * (1.0f - n2) - stock * (1.0f - n1);
}

/* Four options per thread: a float4 in, two out. */
KERNEL black_scholes(const float4 *__restrict__ share, float4 *__restrict__ call, float4 *__restrict__ put,
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
