/* Textures of layers, of cube maps and of levels; gathers; what the runtime says about arrays. */
#include "check.h"

__global__ void fetch_layers(cudaTextureObject_t rows, cudaTextureObject_t planes, float *out, int layers)
{
    int t = threadIdx.x, l = blockIdx.x;
    float *mine = out + (l * blockDim.x + t) * 2;
    mine[0] = tex1DLayered<float>(rows, (float)t + 0.25f, l);
    mine[1] = tex2DLayered<float>(planes, (float)(t % 8) + 0.75f, (float)(t / 8) + 0.5f, l < layers ? l : -1);
}

__global__ void fetch_cube(cudaTextureObject_t cube, cudaTextureObject_t cubes, const float *direction, float *out,
                           int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const float *d = direction + 3 * i;
        out[2 * i] = texCubemap<float>(cube, d[0], d[1], d[2]);
        out[2 * i + 1] = texCubemapLayered<float>(cubes, d[0], d[1], d[2], i % 2);
    }
}

__global__ void fetch_levels(cudaTextureObject_t texture, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = tex2DLod<float>(texture, 0.3f, 0.6f, (float)i / 64.0f - 1.0f);
}

__global__ void gather(cudaTextureObject_t texture, float4 *out, int width)
{
    int x = threadIdx.x, y = threadIdx.y, i = y * width + x;
    float u = (float)x - 0.7f, v = (float)y - 0.2f;
    out[4 * i] = tex2Dgather<float4>(texture, u, v, 0);
    out[4 * i + 1] = tex2Dgather<float4>(texture, u, v, 1);
    out[4 * i + 2] = tex2Dgather<float4>(texture, u, v, 2);
    out[4 * i + 3] = tex2Dgather<float4>(texture, u, v, 3);
}

static void copy_in(cudaArray_t array, const void *data, size_t element, size_t width, size_t height, size_t depth)
{
    cudaMemcpy3DParms p;
    memset(&p, 0, sizeof p);
    p.srcPtr = make_cudaPitchedPtr((void *)data, width * element, width, height);
    p.dstArray = array;
    p.extent = make_cudaExtent(width, height, depth);
    p.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&p));
}

static cudaArray_t array_of(cudaChannelFormatDesc format, const void *data, size_t element, size_t width, size_t height,
                            size_t depth, unsigned flags)
{
    cudaArray_t array;
    CHECK(cudaMalloc3DArray(&array, &format, make_cudaExtent(width, height, depth), flags));
    copy_in(array, data, element, width, height ? height : 1, depth ? depth : 1);
    return array;
}

static cudaTextureDesc sampler(cudaTextureFilterMode filter, bool normalized)
{
    cudaTextureDesc desc;
    memset(&desc, 0, sizeof desc);
    desc.addressMode[0] = desc.addressMode[1] = desc.addressMode[2] = cudaAddressModeClamp;
    desc.filterMode = filter;
    desc.normalizedCoords = normalized;
    return desc;
}

static cudaTextureObject_t texture_of(cudaArray_t array, const cudaTextureDesc &desc)
{
    cudaResourceDesc resource;
    memset(&resource, 0, sizeof resource);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &desc, NULL));
    return texture;
}

static void refused(const char *what, size_t width, size_t height, size_t depth, unsigned flags)
{
    cudaChannelFormatDesc floats = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
    cudaArray_t array;
    printf("%s: %s\n", what,
           cudaGetErrorName(cudaMalloc3DArray(&array, &floats, make_cudaExtent(width, height, depth), flags)));
    cudaGetLastError();
}

int main()
{
    bool good = true;
    cudaChannelFormatDesc floats = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
    cudaChannelFormatDesc quads = cudaCreateChannelDesc(32, 32, 32, 32, cudaChannelFormatKindFloat);
    std::vector<float> data(4 * 4 * 12), out;
    for (size_t i = 0; i < data.size(); i++)
        data[i] = (float)(i / 16 * 100 + i / 4 % 4 * 10 + i % 4);

    /* Layers: 3 rows of 32, 3 planes of 8 x 4; one layer too many is the last, and so is a negative one. */
    cudaArray_t rows = array_of(floats, data.data(), 4, 32, 0, 3, cudaArrayLayered);
    cudaArray_t planes = array_of(floats, data.data(), 4, 8, 4, 3, cudaArrayLayered);
    float *d_out;
    CHECK(cudaMalloc(&d_out, 65536));
    fetch_layers<<<4, 32>>>(texture_of(rows, sampler(cudaFilterModeLinear, false)),
                            texture_of(planes, sampler(cudaFilterModePoint, false)), d_out, 3);
    out.resize(4 * 32 * 2);
    CHECK(cudaMemcpy(out.data(), d_out, out.size() * 4, cudaMemcpyDeviceToHost));
    for (int l = 0; l < 4; l++)
        for (int t = 0; t < 32; t++) {
            const float *row = &data[(l < 3 ? l : 2) * 32];
            float before = row[t ? t - 1 : 0];
            good = good && out[(l * 32 + t) * 2] == 0.25f * before + 0.75f * row[t];
            good = good && out[(l * 32 + t) * 2 + 1] == row[t];
        }
    show("layers", out);

    /* Cube maps: the largest part of a direction chooses the face. */
    cudaArray_t cube = array_of(floats, data.data(), 4, 4, 4, 6, cudaArrayCubemap);
    cudaArray_t cubes = array_of(floats, data.data(), 4, 4, 4, 12, cudaArrayCubemap | cudaArrayLayered);
    std::vector<float> directions;
    Random random(5);
    for (int i = 0; i < 600; i++)
        directions.push_back(i < 81 ? (float)((i % 3 == 0   ? i / 27
                                               : i % 3 == 1 ? i / 9
                                                            : i / 3) %
                                                  3 -
                                              1)
                                    : random.unit() * 2 - 1);
    float *d_directions;
    CHECK(cudaMalloc(&d_directions, 600 * 4));
    CHECK(cudaMemcpy(d_directions, directions.data(), 600 * 4, cudaMemcpyHostToDevice));
    cudaTextureObject_t whole = texture_of(cube, sampler(cudaFilterModePoint, true));
    fetch_cube<<<2, 128>>>(whole, texture_of(cubes, sampler(cudaFilterModePoint, true)), d_directions, d_out, 200);
    out.resize(400);
    CHECK(cudaMemcpy(out.data(), d_out, out.size() * 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 200; i++) {
        const float *d = &directions[3 * i];
        int axis = 2;
        axis = fabsf(d[1]) > fabsf(d[axis]) ? 1 : axis;
        axis = fabsf(d[0]) > fabsf(d[axis]) ? 0 : axis;
        good = good && (int)out[2 * i] / 100 == axis * 2 + (d[axis] < 0);
        good = good && out[2 * i + 1] == out[2 * i] + (float)(i % 2 * 600);
    }
    show("faces", out);
    fetch_cube<<<2, 128>>>(texture_of(cube, sampler(cudaFilterModeLinear, true)),
                           texture_of(cubes, sampler(cudaFilterModeLinear, true)), d_directions, d_out, 200);
    CHECK(cudaMemcpy(out.data(), d_out, out.size() * 4, cudaMemcpyDeviceToHost));
    show("faces, filtered", out);

    /* Levels: each holds its number. */
    cudaMipmappedArray_t mipmap;
    CHECK(cudaMallocMipmappedArray(&mipmap, &floats, make_cudaExtent(32, 16, 0), 5, 0));
    for (unsigned l = 0; l < 5; l++) {
        cudaArray_t level;
        cudaExtent extent;
        cudaChannelFormatDesc format;
        unsigned flags;
        CHECK(cudaGetMipmappedArrayLevel(&level, mipmap, l));
        CHECK(cudaArrayGetInfo(&format, &extent, &flags, level));
        printf("level %u: %zu x %zu x %zu, %d bits\n", l, extent.width, extent.height, extent.depth, format.x);
        std::vector<float> same(512, (float)l);
        copy_in(level, same.data(), 4, extent.width, extent.height, 1);
    }
    cudaArray_t none;
    printf("level 5: %s\n", cudaGetErrorName(cudaGetMipmappedArrayLevel(&none, mipmap, 5)));
    cudaGetLastError();
    for (int linear = 0; linear < 2; linear++) {
        cudaResourceDesc resource;
        memset(&resource, 0, sizeof resource);
        resource.resType = cudaResourceTypeMipmappedArray;
        resource.res.mipmap.mipmap = mipmap;
        cudaTextureDesc desc = sampler(cudaFilterModeLinear, true);
        desc.mipmapFilterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
        desc.maxMipmapLevelClamp = 3.5f;
        desc.mipmapLevelBias = 0.25f;
        cudaTextureObject_t texture;
        CHECK(cudaCreateTextureObject(&texture, &resource, &desc, NULL));
        fetch_levels<<<3, 128>>>(texture, d_out, 384);
        out.resize(384);
        CHECK(cudaMemcpy(out.data(), d_out, out.size() * 4, cudaMemcpyDeviceToHost));
        for (int i = 0; i < 384; i++) {
            float level = (float)i / 64.0f - 0.75f;
            level = level < 0 ? 0 : level > 3.5f ? 3.5f : level;
            good = good && out[i] == (linear ? level : floorf(level + 0.5f));
        }
        show(linear ? "levels, mixed" : "levels", out);
    }
    CHECK(cudaFreeMipmappedArray(mipmap));

    /* Gathers: one channel of four texels. */
    std::vector<float4> plane(36), gathered(64 * 4);
    for (int i = 0; i < 36; i++)
        plane[i] = make_float4((float)i, i + 100.0f, i + 200.0f, i + 300.0f);
    cudaArray_t six = array_of(quads, plane.data(), 16, 6, 6, 0, cudaArrayTextureGather);
    float4 *d_gathered;
    CHECK(cudaMalloc(&d_gathered, gathered.size() * 16));
    gather<<<1, dim3(8, 8)>>>(texture_of(six, sampler(cudaFilterModePoint, false)), d_gathered, 8);
    CHECK(cudaMemcpy(gathered.data(), d_gathered, gathered.size() * 16, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++)
        for (int c = 0; c < 4; c++) {
            int x[2], y[2];
            for (int k = 0; k < 2; k++) { /* u - 0.5 = x - 1.2, v - 0.5 = y - 0.7 */
                x[k] = i % 8 - 2 + k;
                y[k] = i / 8 - 1 + k;
                x[k] = x[k] < 0 ? 0 : x[k] > 5 ? 5 : x[k];
                y[k] = y[k] < 0 ? 0 : y[k] > 5 ? 5 : y[k];
            }
            float4 g = gathered[4 * i + c];
            float base = 100.0f * (float)c;
            good = good && g.x == base + (float)(y[1] * 6 + x[0]) && g.y == base + (float)(y[1] * 6 + x[1]) &&
                   g.z == base + (float)(y[0] * 6 + x[1]) && g.w == base + (float)(y[0] * 6 + x[0]);
        }
    show("gathers", gathered);

    refused("a cube of 5 faces", 8, 8, 5, cudaArrayCubemap);
    refused("a cube of oblongs", 8, 4, 6, cudaArrayCubemap);
    refused("7 faces in layers", 8, 8, 7, cudaArrayCubemap | cudaArrayLayered);
    refused("no layers", 8, 8, 0, cudaArrayLayered);
    refused("a gather from layers", 8, 8, 3, cudaArrayLayered | cudaArrayTextureGather);
    refused("a gather from a row", 8, 0, 0, cudaArrayTextureGather);
    return verdict(good);
}
