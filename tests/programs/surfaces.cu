/* Surfaces: rows, planes, volumes, layers and the faces of a cube map, written and read in all widths; what happens
 * outside of them; reductions. */
#include "check.h"

/* Every element gets a number made of where it is. */
__host__ __device__ static unsigned number(int x, int y, int z)
{
    return 0x01010101u * (unsigned)(x + 1) + 1000u * (unsigned)y + 70001u * (unsigned)z;
}

__global__ void write_row(cudaSurfaceObject_t s, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    surf1Dwrite((unsigned short)number(x, 0, 0), s, x * 2, cudaBoundaryModeZero);
    if (x < width)
        surf1Dwrite((unsigned short)(surf1Dread<unsigned short>(s, x * 2) + 1), s, x * 2);
}

__global__ void write_plane(cudaSurfaceObject_t s)
{
    int x = (int)(blockIdx.x * blockDim.x + threadIdx.x) - 2, y = (int)(blockIdx.y * blockDim.y + threadIdx.y) - 2;
    unsigned n = number(x, y, 0);
    uchar4 element;
    element.x = (unsigned char)n;
    element.y = (unsigned char)(n >> 8);
    element.z = (unsigned char)(n >> 16);
    element.w = (unsigned char)(n >> 24);
    surf2Dwrite(element, s, x * 4, y, cudaBoundaryModeZero);
}

/* Around the plane, and inside: as bytes, words and pairs. */
__global__ void read_plane(cudaSurfaceObject_t s, unsigned *zero, unsigned *clamp, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    zero[y * width + x] = surf2Dread<unsigned>(s, (x - 2) * 4, y - 2, cudaBoundaryModeZero);
    clamp[y * width + x] = surf2Dread<unsigned>(s, (x - 2) * 4, y - 2, cudaBoundaryModeClamp);
}

__global__ void write_volume(cudaSurfaceObject_t s)
{
    int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
    float4 v = make_float4((float)x, (float)y, (float)z, 1.0f);
    surf3Dwrite(v, s, x * 16, y, z, cudaBoundaryModeZero);
}

__global__ void write_layers(cudaSurfaceObject_t s, int layers)
{
    int x = threadIdx.x, y = threadIdx.y;
    for (int l = -1; l <= layers; l++)
        surf2DLayeredwrite(make_int2((int)number(x, y, l), -l), s, x * 8, y, l, cudaBoundaryModeZero);
}

__global__ void rotate_faces(cudaSurfaceObject_t from, cudaSurfaceObject_t to)
{
    int x = threadIdx.x, y = threadIdx.y, face = blockIdx.x;
    surfCubemapwrite(surfCubemapread<float>(from, x * 4, y, face), to, y * 4, x, (face + 1) % 6);
}

__global__ void reduce(cudaSurfaceObject_t s)
{
    int t = threadIdx.x;
    asm volatile("sured.b.add.1d.u32.zero [%0, {%1}], %2;" ::"l"(s), "r"(t % 8 * 4 - 8), "r"(t));
    asm volatile("sured.b.min.1d.s32.zero [%0, {%1}], %2;" ::"l"(s), "r"(32 + t % 4 * 4), "r"(-t));
    asm volatile("sured.b.or.1d.b32.zero [%0, {%1}], %2;" ::"l"(s), "r"(48 + t % 4 * 4), "r"(1 << t % 32));
}

static cudaArray_t array_of(cudaChannelFormatDesc format, size_t width, size_t height, size_t depth, unsigned flags)
{
    cudaArray_t array;
    CHECK(cudaMalloc3DArray(&array, &format, make_cudaExtent(width, height, depth), flags | cudaArraySurfaceLoadStore));
    return array;
}

static cudaSurfaceObject_t surface_of(cudaArray_t array)
{
    cudaResourceDesc resource, back;
    memset(&resource, 0, sizeof resource);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaSurfaceObject_t surface;
    CHECK(cudaCreateSurfaceObject(&surface, &resource));
    CHECK(cudaGetSurfaceObjectResourceDesc(&back, surface));
    if (back.resType != cudaResourceTypeArray || back.res.array.array != array)
        printf("the surface has another array\n");
    return surface;
}

template <class T> static std::vector<T> copy_out(cudaArray_t array, size_t width, size_t height, size_t depth)
{
    std::vector<T> data(width * height * depth);
    cudaMemcpy3DParms p;
    memset(&p, 0, sizeof p);
    p.srcArray = array;
    p.dstPtr = make_cudaPitchedPtr(data.data(), width * sizeof(T), width, height);
    p.extent = make_cudaExtent(width, height, depth);
    p.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&p));
    return data;
}

template <class T>
static void copy_in(cudaArray_t array, std::vector<T> &data, size_t width, size_t height, size_t depth)
{
    cudaMemcpy3DParms p;
    memset(&p, 0, sizeof p);
    p.srcPtr = make_cudaPitchedPtr(data.data(), width * sizeof(T), width, height);
    p.dstArray = array;
    p.extent = make_cudaExtent(width, height, depth);
    p.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&p));
}

int main()
{
    bool good = true;
    cudaChannelFormatDesc u16 = cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindUnsigned);
    cudaChannelFormatDesc u32 = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindUnsigned);
    cudaChannelFormatDesc bytes = cudaCreateChannelDesc(8, 8, 8, 8, cudaChannelFormatKindUnsigned);
    cudaChannelFormatDesc pairs = cudaCreateChannelDesc(32, 32, 0, 0, cudaChannelFormatKindSigned);
    cudaChannelFormatDesc floats = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
    cudaChannelFormatDesc quads = cudaCreateChannelDesc(32, 32, 32, 32, cudaChannelFormatKindFloat);

    cudaArray_t row = array_of(u16, 100, 0, 0, 0);
    cudaSurfaceObject_t s = surface_of(row);
    write_row<<<2, 64>>>(s, 100); /* more threads than elements */
    CHECK(cudaDeviceSynchronize());
    std::vector<unsigned short> shorts = copy_out<unsigned short>(row, 100, 1, 1);
    for (int x = 0; x < 100; x++)
        good = good && shorts[x] == (unsigned short)(number(x, 0, 0) + 1);
    show("row", shorts);
    CHECK(cudaDestroySurfaceObject(s));

    const int width = 13, height = 7;
    cudaArray_t plane = array_of(bytes, width, height, 0, 0);
    s = surface_of(plane);
    write_plane<<<dim3(2, 2), dim3(16, 8)>>>(s);
    CHECK(cudaDeviceSynchronize());
    std::vector<unsigned> elements = copy_out<unsigned>(plane, width, height, 1);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            good = good && elements[y * width + x] == number(x, y, 0);
    show("plane", elements);
    const int around = (width + 4) * (height + 4);
    unsigned *d_zero, *d_clamp;
    CHECK(cudaMalloc(&d_zero, around * 4));
    CHECK(cudaMalloc(&d_clamp, around * 4));
    read_plane<<<dim3(2, 2), dim3(16, 8)>>>(s, d_zero, d_clamp, width + 4, height + 4);
    std::vector<unsigned> zero(around), clamp(around);
    CHECK(cudaMemcpy(zero.data(), d_zero, around * 4, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(clamp.data(), d_clamp, around * 4, cudaMemcpyDeviceToHost));
    for (int y = 0; y < height + 4; y++)
        for (int x = 0; x < width + 4; x++) {
            int cx = x < 2            ? 0
                     : x - 2 >= width ? width - 1
                                      : x - 2,
                cy = y < 2             ? 0
                     : y - 2 >= height ? height - 1
                                       : y - 2;
            bool inside = cx == x - 2 && cy == y - 2;
            good = good && zero[y * (width + 4) + x] == (inside ? number(cx, cy, 0) : 0);
            good = good && clamp[y * (width + 4) + x] == number(cx, cy, 0);
        }
    show("outside is zero", zero);
    show("outside is clamped", clamp);
    CHECK(cudaDestroySurfaceObject(s));

    cudaArray_t volume = array_of(quads, 8, 4, 3, 0);
    s = surface_of(volume);
    write_volume<<<5, dim3(8, 8)>>>(s);
    CHECK(cudaDeviceSynchronize());
    std::vector<float4> texels = copy_out<float4>(volume, 8, 4, 3);
    for (int i = 0; i < 8 * 4 * 3; i++)
        good = good && texels[i].x == i % 8 && texels[i].y == i / 8 % 4 && texels[i].z == i / 32 && texels[i].w == 1;
    show("volume", texels);

    cudaArray_t layered = array_of(pairs, 6, 5, 4, cudaArrayLayered);
    s = surface_of(layered);
    write_layers<<<1, dim3(6, 5)>>>(s, 4);
    CHECK(cudaDeviceSynchronize());
    std::vector<int2> layers = copy_out<int2>(layered, 6, 5, 4);
    for (int i = 0; i < 6 * 5 * 4; i++)
        good = good && layers[i].x == (int)number(i % 6, i / 6 % 5, i / 30) && layers[i].y == -(i / 30);
    show("layers", layers);

    cudaArray_t cube = array_of(floats, 4, 4, 6, cudaArrayCubemap),
                turned = array_of(floats, 4, 4, 6, cudaArrayCubemap);
    std::vector<float> faces(96), moved;
    for (int i = 0; i < 96; i++)
        faces[i] = (float)i;
    copy_in(cube, faces, 4, 4, 6);
    rotate_faces<<<6, dim3(4, 4)>>>(surface_of(cube), surface_of(turned));
    CHECK(cudaDeviceSynchronize());
    moved = copy_out<float>(turned, 4, 4, 6);
    for (int f = 0; f < 6; f++)
        for (int i = 0; i < 16; i++)
            good = good && moved[(f + 1) % 6 * 16 + i % 4 * 4 + i / 4] == faces[f * 16 + i];
    show("faces", moved);

    cudaArray_t counters = array_of(u32, 16, 0, 0, 0);
    std::vector<unsigned> counts(16, 0);
    copy_in(counters, counts, 16, 1, 1);
    reduce<<<1, 64>>>(surface_of(counters));
    CHECK(cudaDeviceSynchronize());
    counts = copy_out<unsigned>(counters, 16, 1, 1);
    std::vector<unsigned> expected(16, 0);
    for (int t = 0; t < 64; t++) {
        if (t % 8 >= 2)
            expected[t % 8 - 2] += (unsigned)t;
        if ((int)expected[8 + t % 4] > -t)
            expected[8 + t % 4] = (unsigned)-t;
        expected[12 + t % 4] |= 1u << t % 32;
    }
    good = good && counts == expected;
    show("reductions", counts);
    return verdict(good);
}
