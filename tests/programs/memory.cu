/* Copies and fills in one, two and three dimensions; symbols; registered host memory; what pointers are. */
#include "check.h"

__device__ int counters[4] = {1, 2, 3, 4};
__constant__ short limits[3] = {-5, 0, 5};

__global__ void bump(short *out)
{
    if (threadIdx.x < 4)
        counters[threadIdx.x] += limits[threadIdx.x % 3];
    if (threadIdx.x < 3)
        out[threadIdx.x] = limits[threadIdx.x];
}

__global__ void add_rows(char *base, size_t pitch, int width, int height)
{
    int x = threadIdx.x, y = blockIdx.x;
    if (x < width && y < height)
        ((int *)(base + y * pitch))[x] += y * 100 + x;
}

static const char *kind_of(const void *pointer)
{
    static const char *const KINDS[] = {"unregistered", "host", "device", "managed"};
    cudaPointerAttributes a;
    CHECK(cudaPointerGetAttributes(&a, pointer));
    return KINDS[a.type];
}

int main()
{
    bool good = true;
    const int width = 30, height = 7, depth = 3;
    int *d_2d;
    size_t pitch;
    CHECK(cudaMallocPitch(&d_2d, &pitch, width * sizeof(int), height));
    CHECK(cudaMemset2D(d_2d, pitch, 0, width * sizeof(int), height));
    add_rows<<<height, 32>>>((char *)d_2d, pitch, width, height);
    std::vector<int> rows((width + 2) * height, -1);
    CHECK(cudaMemcpy2D(rows.data() + 1, (width + 2) * sizeof(int), d_2d, pitch, width * sizeof(int), height,
                       cudaMemcpyDeviceToHost));
    for (int y = 0; y < height; y++)
        for (int x = -1; x <= width; x++)
            good = good && rows[y * (width + 2) + x + 1] == (x < 0 || x == width ? -1 : y * 100 + x);
    show("rows", rows);

    cudaPitchedPtr box;
    CHECK(cudaMalloc3D(&box, make_cudaExtent(width * sizeof(int), height, depth)));
    std::vector<int> cube(width * height * depth), back(width * height * depth, 0);
    for (size_t i = 0; i < cube.size(); i++)
        cube[i] = (int)i * 3;
    cudaMemcpy3DParms p;
    memset(&p, 0, sizeof p);
    p.srcPtr = make_cudaPitchedPtr(cube.data(), width * sizeof(int), width, height);
    p.dstPtr = box;
    p.extent = make_cudaExtent(width * sizeof(int), height, depth);
    p.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&p));
    /* Back only the part that starts at (4, 2, 1). */
    memset(&p, 0, sizeof p);
    p.srcPtr = box;
    p.srcPos = make_cudaPos(4 * sizeof(int), 2, 1);
    p.dstPtr = make_cudaPitchedPtr(back.data(), width * sizeof(int), width, height);
    p.extent = make_cudaExtent(10 * sizeof(int), 3, 2);
    p.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&p));
    for (int z = 0; z < 2; z++)
        for (int y = 0; y < 3; y++)
            for (int x = 0; x < 10; x++)
                good = good && back[(z * height + y) * width + x] == cube[((z + 1) * height + y + 2) * width + x + 4];
    show("part of a box", back);

    short more[2] = {7, 9}, seen[3], *d_seen;
    int counted[4];
    size_t bytes;
    CHECK(cudaMalloc(&d_seen, sizeof seen));
    CHECK(cudaMemcpyToSymbol(limits, more, sizeof more, sizeof(short)));
    bump<<<1, 32>>>(d_seen);
    CHECK(cudaMemcpyFromSymbol(counted, counters, sizeof counted));
    CHECK(cudaMemcpy(seen, d_seen, sizeof seen, cudaMemcpyDeviceToHost));
    CHECK(cudaGetSymbolSize(&bytes, limits));
    printf("counters: %d %d %d %d limits: %d %d %d (%zu bytes)\n", counted[0], counted[1], counted[2], counted[3],
           seen[0], seen[1], seen[2], bytes);
    good = good && counted[0] == -4 && counted[1] == 9 && counted[2] == 12 && counted[3] == -1 && bytes == 6;

    std::vector<int> host(64, 5);
    CHECK(cudaHostRegister(host.data(), host.size() * sizeof(int), 0));
    int *device, *managed, *pinned, *mapped;
    CHECK(cudaHostGetDevicePointer(&mapped, host.data(), 0));
    add_rows<<<2, 32>>>((char *)mapped, 32 * sizeof(int), 32, 2);
    CHECK(cudaDeviceSynchronize());
    good = good && host[33] == 5 + 101;
    CHECK(cudaMalloc(&device, 64));
    CHECK(cudaMallocManaged(&managed, 64));
    CHECK(cudaMallocHost(&pinned, 64));
    int local;
    printf("kinds: %s %s %s %s %s %s\n", kind_of(device), kind_of(device + 15), kind_of(managed), kind_of(pinned),
           kind_of(host.data()), kind_of(&local));
    CHECK(cudaHostUnregister(host.data()));

    CHECK(cudaMemset(device, 0x11, 64));
    CHECK(cudaMemcpy(managed, device, 64, cudaMemcpyDefault));
    CHECK(cudaMemcpy(pinned, managed, 64, cudaMemcpyDefault));
    CHECK(cudaMemcpy(&local, pinned + 3, sizeof local, cudaMemcpyHostToHost));
    printf("carried through: %x\n", local);
    good = good && local == 0x11111111;
    size_t left, all;
    CHECK(cudaMemGetInfo(&left, &all));
    good = good && left > 0 && left < all;
    return verdict(good);
}
