/* Doubles 1,024 numbers, as its first argument says: `right`, or in a way that looks right to who compares the results
 * and a time. --check and the judge of the Python package see through each of them. */
#include "check.h"

enum { COUNT = 1024, BYTES = COUNT * sizeof(float) };

__global__ void twice(float *out, const float *in, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = 2 * in[i];
}

__global__ void nothing(float *out, const float *in, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count && 2 * in[i] < -1e30f)
        out[i] = 0;
}

/* Writes its neighbor's element, too, behind the last one. */
__global__ void outside(float *out, const float *in, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        out[i + 1] = 0;
        out[i] = 2 * in[i];
    }
}

/* The last warp reads what the others have written, without a barrier. */
__global__ void racing(float *out, const float *in, int count)
{
    __shared__ float tile[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = 2 * in[i];
    out[i] = tile[255 - threadIdx.x] * 0 + 2 * in[i];
}

static bool is(const char *given, const char *name)
{
    return !strcmp(given, name);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "right";
    std::vector<float> numbers(COUNT), result(COUNT);
    for (int i = 0; i < COUNT; i++)
        numbers[i] = (float)i;
    float *in, *out, *gone, *answer;
    cudaStream_t side;
    cudaEvent_t start, end;
    float milliseconds;
    CHECK(cudaMalloc((void **)&in, BYTES));
    CHECK(cudaMalloc((void **)&gone, BYTES));
    CHECK(cudaMemcpy(in, numbers.data(), BYTES, cudaMemcpyHostToDevice));
    CHECK(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&end));

    /* What a harness does first: the answer, in memory that it frees again. */
    CHECK(cudaMalloc((void **)&answer, BYTES));
    twice<<<4, 256>>>(answer, in, COUNT);
    twice<<<4, 256>>>(gone, in, COUNT);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(answer));
    CHECK(cudaMalloc((void **)&out, BYTES));

    CHECK(cudaEventRecord(start, 0));
    if (is(how, "side"))
        twice<<<4, 256, 0, side>>>(out, in, COUNT);
    else if (is(how, "nothing"))
        nothing<<<4, 256>>>(out, in, COUNT);
    else if (is(how, "outside"))
        outside<<<4, 256>>>(out, in, COUNT);
    else if (is(how, "racing"))
        racing<<<4, 256>>>(out, in, COUNT);
    else if (is(how, "unwritten"))
        twice<<<4, 256>>>(out, in, COUNT - 32);
    else if (!is(how, "leftover"))
        twice<<<4, 256>>>(out, in, COUNT);
    if (is(how, "freed")) {
        CHECK(cudaFree(gone));
        twice<<<4, 256>>>(out, gone, COUNT);
    }
    CHECK(cudaEventRecord(end, 0));
    if (!is(how, "unwaited")) {
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaEventElapsedTime(&milliseconds, start, end));
    }
    CHECK(cudaMemcpy(result.data(), out, BYTES, cudaMemcpyDeviceToHost));
    if (is(how, "unwaited"))
        twice<<<4, 256, 0, side>>>(out, in, COUNT);
    double sum = 0;
    for (float number : result)
        sum += number;
    printf("sum %.1f\n", sum);
    return 0;
}
