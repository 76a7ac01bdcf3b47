/* Relocatable device code: a kernel here calls a function and reads variables that the other file defines. */
#include "check.h"

extern __constant__ int c_table[8];
extern __device__ int counter;
extern __device__ int lookup(int i);
typedef int (*Choice)(int);
extern __device__ Choice choices[2];

__global__ void use(int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    out[i] = lookup(i) * 10 + c_table[(i + 1) % 8] + choices[i % 2](i) * 1000;
    atomicAdd(&counter, 1);
}

void set_table(const int *table);
int read_counter();

int main()
{
    const int n = 300;
    int table[8] = {3, 1, 4, 1, 5, 9, 2, 6}, *d_out;
    set_table(table);
    CHECK(cudaMalloc(&d_out, n * sizeof(int)));
    use<<<3, 128>>>(d_out, n);
    CHECK(cudaGetLastError());
    std::vector<int> out(n);
    CHECK(cudaMemcpy(out.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost));
    show("linked", out);
    printf("counter: %d\n", read_counter());
    bool good = read_counter() == n + 5;
    for (int i = 0; i < n; i++)
        good = good && out[i] == (table[i % 8] + i) * 10 + table[(i + 1) % 8] + (i % 2 ? -i : i + 7) * 1000;
    return verdict(good);
}
