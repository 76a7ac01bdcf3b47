/* Texture objects: linear memory by index, pitched memory and arrays by coordinate, point and linear filtering, clamped
 * and wrapped addresses, normalised reads. */
#include "check.h"

__global__ void by_index(cudaTextureObject_t floats, cudaTextureObject_t pairs, float *out, int2 *pair, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = tex1Dfetch<float>(floats, n - 1 - i);
        pair[i] = tex1Dfetch<int2>(pairs, i);
    }
}

__global__ void by_place(cudaTextureObject_t texture, float *out, int width, int height, float dx, float dy, float sx,
                         float sy)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[y * width + x] = tex2D<float>(texture, ((float)x + dx) * sx, ((float)y + dy) * sy);
}

static cudaTextureObject_t make(const cudaResourceDesc &resource, cudaTextureAddressMode address,
                                cudaTextureFilterMode filter, bool normalized, cudaTextureReadMode read)
{
    cudaTextureDesc desc;
    memset(&desc, 0, sizeof desc);
    desc.addressMode[0] = desc.addressMode[1] = address;
    desc.filterMode = filter;
    desc.readMode = read;
    desc.normalizedCoords = normalized;
    cudaTextureObject_t object = 0;
    CHECK(cudaCreateTextureObject(&object, &resource, &desc, NULL));
    return object;
}

static float at(const std::vector<float> &image, int width, int height, int x, int y)
{
    x = x < 0 ? 0 : x >= width ? width - 1 : x;
    y = y < 0 ? 0 : y >= height ? height - 1 : y;
    return image[y * width + x];
}

int main()
{
    const int n = 300, width = 20, height = 12;
    std::vector<float> floats(n), image(width * height);
    std::vector<int2> pairs(n);
    std::vector<unsigned char> bytes(width * height);
    for (int i = 0; i < n; i++) {
        floats[i] = (float)(i * i % 101);
        pairs[i] = make_int2(i, -i);
    }
    for (int i = 0; i < width * height; i++) {
        image[i] = (float)(i * 5 % 64);
        bytes[i] = (unsigned char)(i * 17);
    }
    float *d_floats, *d_image, *d_out;
    int2 *d_pairs, *d_pair_out;
    size_t pitch;
    CHECK(cudaMalloc(&d_floats, n * sizeof(float)));
    CHECK(cudaMalloc(&d_pairs, n * sizeof(int2)));
    CHECK(cudaMalloc(&d_pair_out, n * sizeof(int2)));
    CHECK(cudaMalloc(&d_out, n * sizeof(float)));
    CHECK(cudaMallocPitch(&d_image, &pitch, width * sizeof(float), height));
    CHECK(cudaMemcpy(d_floats, floats.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_pairs, pairs.data(), n * sizeof(int2), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy2D(d_image, pitch, image.data(), width * sizeof(float), width * sizeof(float), height,
                       cudaMemcpyHostToDevice));
    cudaArray_t array;
    cudaChannelFormatDesc byte = cudaCreateChannelDesc<unsigned char>();
    CHECK(cudaMallocArray(&array, &byte, width, height, 0));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, bytes.data(), width, width, height, cudaMemcpyHostToDevice));

    cudaResourceDesc linear, pair, pitched, from_array;
    memset(&linear, 0, sizeof linear);
    linear.resType = cudaResourceTypeLinear;
    linear.res.linear.devPtr = d_floats;
    linear.res.linear.desc = cudaCreateChannelDesc<float>();
    linear.res.linear.sizeInBytes = n * sizeof(float);
    pair = linear;
    pair.res.linear.devPtr = d_pairs;
    pair.res.linear.desc = cudaCreateChannelDesc<int2>();
    pair.res.linear.sizeInBytes = n * sizeof(int2);
    memset(&pitched, 0, sizeof pitched);
    pitched.resType = cudaResourceTypePitch2D;
    pitched.res.pitch2D.devPtr = d_image;
    pitched.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    pitched.res.pitch2D.width = width;
    pitched.res.pitch2D.height = height;
    pitched.res.pitch2D.pitchInBytes = pitch;
    memset(&from_array, 0, sizeof from_array);
    from_array.resType = cudaResourceTypeArray;
    from_array.res.array.array = array;

    bool good = true;
    cudaTextureObject_t t = make(linear, cudaAddressModeClamp, cudaFilterModePoint, false, cudaReadModeElementType);
    cudaTextureObject_t t2 = make(pair, cudaAddressModeClamp, cudaFilterModePoint, false, cudaReadModeElementType);
    by_index<<<3, 128>>>(t, t2, d_out, d_pair_out, n);
    CHECK(cudaGetLastError());
    std::vector<float> out(n);
    std::vector<int2> pair_out(n);
    CHECK(cudaMemcpy(out.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(pair_out.data(), d_pair_out, n * sizeof(int2), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        good = good && out[i] == floats[n - 1 - i] && pair_out[i].x == i && pair_out[i].y == -i;
    show("by index", out);
    CHECK(cudaDestroyTextureObject(t));
    CHECK(cudaDestroyTextureObject(t2));

    dim3 grid(2, 2), block(16, 8);
    out.resize(width * height);
    t = make(pitched, cudaAddressModeClamp, cudaFilterModePoint, false, cudaReadModeElementType);
    by_place<<<grid, block>>>(t, d_out, width, height, -2.5f, 3.5f, 1, 1);
    CHECK(cudaMemcpy(out.data(), d_out, out.size() * sizeof(float), cudaMemcpyDeviceToHost));
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            good = good && out[y * width + x] == at(image, width, height, x - 3, y + 3);
    show("pitched, point", out);
    CHECK(cudaDestroyTextureObject(t));

    t = make(pitched, cudaAddressModeClamp, cudaFilterModeLinear, false, cudaReadModeElementType);
    by_place<<<grid, block>>>(t, d_out, width, height, 0.75f, 0.5f, 1, 1); /* a quarter of the way: exact */
    CHECK(cudaMemcpy(out.data(), d_out, out.size() * sizeof(float), cudaMemcpyDeviceToHost));
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            good = good && out[y * width + x] ==
                               0.75f * at(image, width, height, x, y) + 0.25f * at(image, width, height, x + 1, y);
    show("pitched, linear", out);
    CHECK(cudaDestroyTextureObject(t));

    t = make(from_array, cudaAddressModeWrap, cudaFilterModePoint, true, cudaReadModeNormalizedFloat);
    by_place<<<grid, block>>>(t, d_out, width, height, 0.5f + width, 0.5f, 1.0f / width, 1.0f / height);
    CHECK(cudaMemcpy(out.data(), d_out, out.size() * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < width * height; i++)
        good = good && out[i] == (float)bytes[i] / 255.0f;
    show("array, wrapped, normalised", out);
    CHECK(cudaDestroyTextureObject(t));
    CHECK(cudaFreeArray(array));
    return verdict(good);
}
