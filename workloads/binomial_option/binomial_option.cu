#include "common/cuda_vector.h"

/* What a share of [0, 1] stands for: an option with a price today, a strike price and a time until it expires. */
struct option {
    float price, strike, up_log; /* a step up multiplies the price by e^up_log */
    float up, down;              /* weights of the two next nodes: probability, discounted by one step */
};

static __device__ option option_of(float share, unsigned steps)
{
    const float interest = 0.02f, volatility = 0.3f;
    float years = 0.25f * (1.0f - share) + 10.0f * share;
    float step = years / steps;
    option o;
    o.price = 5.0f * (1.0f - share) + 30.0f * share;
    o.strike = 1.0f * (1.0f - share) + 100.0f * share;
    o.up_log = volatility * sqrtf(step);
    float growth = expf(interest * step), rise = expf(o.up_log), fall = 1.0f / rise;
    float probability = (growth - fall) / (rise - fall);
    o.up = probability / growth;
    o.down = (1.0f - probability) / growth;
    return o;
}

/* What the option is worth at leaf i, after i steps up and the others down. */
static __device__ float leaf(const option &o, unsigned i, unsigned steps)
{
    return fmaxf(o.price * expf(o.up_log * (2.0f * i - steps)) - o.strike, 0.0f);
}

/* Four options per block, one node of each lattice per thread; two steps back in time per round, between two arrays. */
KERNEL binomial_option(const float4 *__restrict__ share, float4 *__restrict__ value, unsigned steps)
{
    __shared__ float4 even[256], odd[256];
    unsigned i = threadIdx.x;
    float4 s = share[blockIdx.x];
    option a = option_of(s.x, steps), b = option_of(s.y, steps), c = option_of(s.z, steps), d = option_of(s.w, steps);
    float4 up = {a.up, b.up, c.up, d.up}, down = {a.down, b.down, c.down, d.down};
    even[i] = {leaf(a, i, steps), leaf(b, i, steps), leaf(c, i, steps), leaf(d, i, steps)};
    __syncthreads();
    for (unsigned nodes = steps; nodes > 0; nodes -= 2) {
        if (i < nodes)
            odd[i] = down * even[i] + up * even[i + 1];
        __syncthreads();
        if (i < nodes - 1)
            even[i] = down * odd[i] + up * odd[i + 1];
        __syncthreads();
    }
    if (i == 0)
        value[blockIdx.x] = sl_load(&even[0]);
}
