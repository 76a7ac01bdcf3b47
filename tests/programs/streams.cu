/* Streams, events, pinned and mapped memory, host functions, stream-ordered allocation. */
#include "check.h"

__global__ void work(int *x, int n, int add)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = x[i] * 3 + add;
}

static void note(void *data)
{
    *(int *)data += 1;
}

int main()
{
    const int streams = 4, n = 2048;
    cudaStream_t stream[streams];
    cudaEvent_t start, stop, ready;
    int *host, *device[streams], calls = 0;
    bool good = true;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
    CHECK(cudaMallocHost(&host, streams * n * sizeof(int)));
    for (int i = 0; i < streams * n; i++)
        host[i] = i;
    for (int s = 0; s < streams; s++) {
        CHECK(s % 2 ? cudaStreamCreate(&stream[s]) : cudaStreamCreateWithFlags(&stream[s], cudaStreamNonBlocking));
        CHECK(cudaMallocAsync(&device[s], n * sizeof(int), stream[s]));
    }
    CHECK(cudaEventRecord(start, stream[0]));
    for (int s = 0; s < streams; s++) {
        CHECK(cudaMemcpyAsync(device[s], host + s * n, n * sizeof(int), cudaMemcpyHostToDevice, stream[s]));
        for (int k = 0; k < 3; k++)
            work<<<n / 256, 256, 0, stream[s]>>>(device[s], n, s + k);
        CHECK(cudaMemcpyAsync(host + s * n, device[s], n * sizeof(int), cudaMemcpyDeviceToHost, stream[s]));
        CHECK(cudaLaunchHostFunc(stream[s], note, &calls));
        if (s) { /* a chain, so that the host functions do not race */
            CHECK(cudaEventRecord(ready, stream[s]));
            CHECK(cudaStreamWaitEvent(stream[(s + 1) % streams], ready));
        } else {
            CHECK(cudaStreamSynchronize(stream[s]));
        }
    }
    CHECK(cudaEventRecord(stop, stream[0]));
    CHECK(cudaEventSynchronize(stop));
    CHECK(cudaEventQuery(stop));
    for (int s = 0; s < streams; s++)
        CHECK(cudaStreamSynchronize(stream[s]));
    float ms = -1;
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    good = good && ms > 0 && ms < 10000 && calls == streams;
    printf("host functions: %d, time is %s\n", calls, ms > 0 ? "positive" : "not positive");
    for (int s = 0; s < streams; s++)
        for (int i = 0; i < n; i++) {
            int x = s * n + i;
            for (int k = 0; k < 3; k++)
                x = x * 3 + s + k;
            good = good && host[s * n + i] == x;
        }
    printf("streams: %016llx\n", (unsigned long long)hash_bytes(host, streams * n * sizeof(int)));

    int *mapped, *mapped_on_device;
    CHECK(cudaHostAlloc(&mapped, n * sizeof(int), cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer(&mapped_on_device, mapped, 0));
    for (int i = 0; i < n; i++)
        mapped[i] = i;
    work<<<n / 256, 256>>>(mapped_on_device, n, 9);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++)
        good = good && mapped[i] == i * 3 + 9;
    printf("mapped: %016llx\n", (unsigned long long)hash_bytes(mapped, n * sizeof(int)));
    for (int s = 0; s < streams; s++) {
        CHECK(cudaFreeAsync(device[s], stream[s]));
        CHECK(cudaStreamDestroy(stream[s]));
    }
    CHECK(cudaFreeHost(mapped));
    CHECK(cudaFreeHost(host));
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    CHECK(cudaEventDestroy(ready));
    return verdict(good);
}
