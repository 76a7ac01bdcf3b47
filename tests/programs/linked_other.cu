/* The other half of `linked`: see linked_main.cu. */
#include "check.h"

typedef int (*Choice)(int);

__constant__ int c_table[8];
__device__ int counter = 5;

__device__ int lookup(int i)
{
    return c_table[i % 8] + i;
}

static __device__ int plus(int i)
{
    return i + 7;
}

static __device__ int minus(int i)
{
    return -i;
}

__device__ Choice choices[2] = {plus, minus};

void set_table(const int *table)
{
    CHECK(cudaMemcpyToSymbol(c_table, table, 8 * sizeof(int)));
}

int read_counter()
{
    int value;
    CHECK(cudaMemcpyFromSymbol(&value, counter, sizeof value));
    return value;
}
