/* SPDX-License-Identifier: MIT */
/* Memory and events that two processes share: one allocates, the other computes in it. */
#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

struct Handles {
    cudaIpcMemHandle_t large, small, neighbour;
    cudaIpcEventHandle_t event;
};

__global__ void add(int *data, int count, int value)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        data[i] += value + i;
}

static const int LARGE = 300000, SMALL = 100;

/* The other process, started with where it finds the handles. */
static int compute(int from)
{
    Handles handles;
    if (read(from, &handles, sizeof handles) != (ssize_t)sizeof handles)
        return 3;
    int *large, *again, *small, *neighbour;
    cudaEvent_t event;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaIpcOpenMemHandle((void **)&large, handles.large, cudaIpcMemLazyEnablePeerAccess));
    CHECK(cudaIpcOpenMemHandle((void **)&small, handles.small, cudaIpcMemLazyEnablePeerAccess));
    CHECK(cudaIpcOpenMemHandle((void **)&neighbour, handles.neighbour, cudaIpcMemLazyEnablePeerAccess));
    CHECK(cudaIpcOpenMemHandle((void **)&again, handles.large, cudaIpcMemLazyEnablePeerAccess));
    CHECK(cudaIpcOpenEventHandle(&event, handles.event));
    CHECK(cudaStreamWaitEvent(stream, event, 0));
    add<<<16, 128, 0, stream>>>(large, LARGE, 1000);
    add<<<1, 32, 0, stream>>>(small, SMALL, 2000);
    CHECK(cudaMemsetAsync(neighbour, 0x11, SMALL * sizeof(int), stream));
    CHECK(cudaEventRecord(event, stream));
    CHECK(cudaStreamSynchronize(stream));
    std::vector<int> seen(LARGE);
    CHECK(cudaMemcpy(seen.data(), large, LARGE * sizeof(int), cudaMemcpyDeviceToHost));
    show("seen by the other", seen);
    printf("opened twice: %s\n", again == large ? "the same" : "another");
    CHECK(cudaIpcCloseMemHandle(again));
    add<<<1, 32, 0, stream>>>(large, 10, 5); /* still there */
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaIpcCloseMemHandle(large));
    CHECK(cudaIpcCloseMemHandle(small));
    CHECK(cudaIpcCloseMemHandle(neighbour));
    printf("closed twice: %s\n", cudaGetErrorName(cudaIpcCloseMemHandle(large)));
    CHECK(cudaEventDestroy(event));
    CHECK(cudaStreamDestroy(stream));
    fflush(stdout);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return compute(atoi(argv[1]));
    Handles handles;
    int *large, *small, *neighbour;
    cudaEvent_t event, alone;
    CHECK(cudaMalloc((void **)&large, LARGE * sizeof(int)));
    CHECK(cudaMalloc((void **)&small, SMALL * sizeof(int)));
    CHECK(cudaMalloc((void **)&neighbour, SMALL * sizeof(int)));
    CHECK(cudaMemset(large, 1, LARGE * sizeof(int)));
    CHECK(cudaMemset(small, 2, SMALL * sizeof(int)));
    CHECK(cudaMemset(neighbour, 3, SMALL * sizeof(int)));
    CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventInterprocess));
    CHECK(cudaEventCreateWithFlags(&alone, cudaEventDisableTiming));
    CHECK(cudaIpcGetMemHandle(&handles.large, large));
    CHECK(cudaIpcGetMemHandle(&handles.small, small));
    CHECK(cudaIpcGetMemHandle(&handles.neighbour, neighbour));
    CHECK(cudaIpcGetEventHandle(&handles.event, event));
    printf("handle of an event for one process: %s\n", cudaGetErrorName(cudaIpcGetEventHandle(&handles.event, alone)));
    CHECK(cudaIpcGetEventHandle(&handles.event, event));
    add<<<16, 128>>>(large, LARGE, 7); /* after it has a handle */
    CHECK(cudaEventRecord(event, 0));
    CHECK(cudaDeviceSynchronize());
    fflush(stdout);

    int pipes[2];
    char number[16];
    if (pipe(pipes) || write(pipes[1], &handles, sizeof handles) != (ssize_t)sizeof handles)
        return 3;
    snprintf(number, sizeof number, "%d", pipes[0]);
    pid_t other = fork();
    if (!other) {
        execl("/proc/self/exe", argv[0], number, (char *)nullptr);
        _exit(4);
    }
    int status = -1;
    waitpid(other, &status, 0);
    if (status) {
        printf("the other process failed\n");
        return 1;
    }
    CHECK(cudaEventSynchronize(event));
    std::vector<int> result(LARGE), rows(SMALL), filled(SMALL);
    CHECK(cudaMemcpy(result.data(), large, LARGE * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(rows.data(), small, SMALL * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(filled.data(), neighbour, SMALL * sizeof(int), cudaMemcpyDeviceToHost));
    bool good = true;
    for (int i = 0; i < LARGE; i++)
        good &= result[i] == 0x01010101 + 1007 + 2 * i + (i < 10 ? 5 + i : 0);
    for (int i = 0; i < SMALL; i++)
        good &= rows[i] == 0x02020202 + 2000 + i && filled[i] == 0x11111111;
    show("large", result);
    show("small", rows);
    CHECK(cudaEventDestroy(event));
    CHECK(cudaEventDestroy(alone));
    CHECK(cudaFree(large));
    CHECK(cudaFree(small));
    CHECK(cudaFree(neighbour));
    return verdict(good);
}
