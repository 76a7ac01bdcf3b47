/* Arguments of every size and alignment, structs by value among them; kernels without arguments; templates. */
#include "check.h"

struct Mixed {
    char c;
    double d;
    short s[3];
    int *p;
};

struct alignas(16) Wide {
    float x[5];
    char tag;
};

struct Nested {
    Mixed m;
    Wide w;
    unsigned char last;
};

__global__ void take(char a, short b, Mixed m, int c, Wide w, double d, Nested n, unsigned char e, float3 f, int *out)
{
    if (threadIdx.x)
        return;
    int i = 0;
    out[i++] = a;
    out[i++] = b;
    out[i++] = m.c;
    out[i++] = (int)m.d;
    out[i++] = m.s[0] + m.s[1] * 10 + m.s[2] * 100;
    out[i++] = *m.p;
    out[i++] = c;
    out[i++] = (int)(w.x[0] + w.x[4] * 100);
    out[i++] = w.tag;
    out[i++] = (int)(d * 4);
    out[i++] = n.m.s[2];
    out[i++] = (int)n.w.x[3];
    out[i++] = n.last;
    out[i++] = e;
    out[i++] = (int)(f.x + f.y * 10 + f.z * 100);
    out[i++] = (int)sizeof(Nested);
}

__device__ int touched;

__global__ void nothing()
{
    atomicAdd(&touched, 1);
}

template <class T, int N> __global__ void scale(T *x, T by)
{
    x[threadIdx.x] = x[threadIdx.x] * by + N;
}

template <class T> static bool scaled()
{
    T host[32], *device;
    for (int i = 0; i < 32; i++)
        host[i] = (T)i;
    CHECK(cudaMalloc(&device, sizeof host));
    CHECK(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice));
    scale<T, 3><<<1, 32>>>(device, (T)2);
    scale<T, 5><<<1, 32>>>(device, (T)3);
    CHECK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(device));
    bool good = true;
    for (int i = 0; i < 32; i++)
        good = good && host[i] == (T)((i * 2 + 3) * 3 + 5);
    return good;
}

int main()
{
    const int count = 16;
    int *d_out, *d_seven, seven = 7, launches = 0;
    CHECK(cudaMalloc(&d_out, count * sizeof(int)));
    CHECK(cudaMalloc(&d_seven, sizeof(int)));
    CHECK(cudaMemcpy(d_seven, &seven, sizeof seven, cudaMemcpyHostToDevice));
    Mixed m = {'m', 123.75, {1, 2, 3}, d_seven};
    Wide w = {{1, 2, 3, 4, 5}, 'w'};
    Nested n = {m, w, 200};
    n.m.s[2] = -9;
    take<<<1, 32>>>('a', -2, m, 1 << 20, w, 2.25, n, 250, make_float3(1, 2, 3), d_out);
    nothing<<<1, 1>>>();
    nothing<<<2, 3>>>();
    CHECK(cudaGetLastError());
    std::vector<int> out(count);
    CHECK(cudaMemcpy(out.data(), d_out, count * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpyFromSymbol(&launches, touched, sizeof launches));
    for (int v : out)
        printf("%d ", v);
    printf("\ntouched: %d\n", launches);
    const int want[count] = {'a', -2, 'm', 123, 321, 7, 1 << 20, 501, 'w', 9, -9, 4, 200, 250, 321, (int)sizeof(Nested)};
    return verdict(memcmp(out.data(), want, sizeof want) == 0 && launches == 7 && scaled<int>() && scaled<float>() &&
                   scaled<double>() && scaled<unsigned char>() && scaled<long long>());
}
