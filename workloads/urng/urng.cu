enum { TABLE = 16, THREADS = 64 };

/* The generator of Park and Miller, 16807 * state modulo 2^31 - 1, without a product that is longer than 32 bits. */
static __device__ int next(int state)
{
    int high = state / 127773;
    state = 16807 * (state - high * 127773) - 2836 * high;
    return state < 0 ? state + 2147483647 : state;
}

/* The first number after a shuffle of Bays and Durham, in [-0.55, 0.45): 16 states in this thread's part of `table`. */
static __device__ float noise_from(int state, int *table)
{
#pragma unroll
    for (int i = TABLE; i >= 0; i--) {
        state = next(state);
        if (i < TABLE)
            table[i] = state;
    }
    return fmaf((float)table[table[0] / (1 + 2147483646 / TABLE)], 4.65661287e-10f, -0.55f);
}

static __device__ unsigned char noisy(unsigned char value, float noise, float strength)
{
    return (unsigned char)(unsigned)fminf(fmaxf(fmaf(noise, strength, value), 0.0f), 255.0f);
}

/* Adds noise to each pixel, which its own mean seeds. */
KERNEL urng(const uchar4 *__restrict__ in, uchar4 *__restrict__ out, unsigned width, float strength)
{
    __shared__ int table[THREADS * TABLE];
    unsigned i = blockIdx.y * width + blockIdx.x * blockDim.x + threadIdx.x;
    uchar4 p = in[i];
    int mean = (p.x + p.y + p.z + p.w) / 4;
    float noise = noise_from(max(mean, 1), table + threadIdx.x * TABLE);
    out[i] = {noisy(p.x, noise, strength), noisy(p.y, noise, strength), noisy(p.z, noise, strength),
              noisy(p.w, noise, strength)};
}
