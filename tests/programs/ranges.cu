/* SPDX-License-Identifier: MIT */
/* A program that says what it does: ranges of NVTX that nest, of a domain, of the process, across graphs, threads and
 * launches of kernels; marks; and the same through libnvToolsExt.so.1, the library of NVTX 2 ("ranges old"). */
#include "check.h"

#include <dlfcn.h>
#include <nvtx3/nvToolsExt.h>
#include <thread>

__global__ void attention(float *data, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        data[i] = data[i] * 2 + 1;
}

template <class T> __global__ void matmul(T *data, int count)
{
    for (int i = threadIdx.x; i < count; i += blockDim.x)
        data[i] += (T)i;
}

static const int COUNT = 4096;
static float *data;

/* Not inlined: --by caller names them. */
__attribute__((noinline)) static void attend()
{
    attention<<<COUNT / 128, 128>>>(data, COUNT);
}

__attribute__((noinline)) static void multiply(bool wide)
{
    if (wide)
        matmul<double><<<1, 128>>>((double *)data, COUNT / 2);
    else
        matmul<float><<<1, 128>>>(data, COUNT);
}

__attribute__((noinline)) static void run_layer(int layer)
{
    char name[32];
    snprintf(name, sizeof name, "layer %d", layer);
    nvtxRangePushA(name);
    nvtxRangePushA("attention");
    attend();
    nvtxRangePop();
    nvtxRangePushW(L"feed forward \u2192");
    multiply(false);
    multiply(layer == 1);
    nvtxRangePop();
    nvtxRangePop();
}

static nvtxEventAttributes_t message(const char *text)
{
    nvtxEventAttributes_t event = {};
    event.version = NVTX_VERSION;
    event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    event.messageType = NVTX_MESSAGE_TYPE_ASCII;
    event.message.ascii = text;
    return event;
}

/* A domain of its own, whose ranges end in another order than others; a string that is registered. */
static void domains()
{
    nvtxDomainHandle_t library = nvtxDomainCreateA("lib");
    nvtxEventAttributes_t event = message("sort");
    nvtxDomainRangePushEx(library, &event);
    event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    event.message.registered = nvtxDomainRegisterStringA(library, "pass/1\tof 2");
    nvtxRangePushA("mine");
    nvtxDomainRangePushEx(library, &event);
    nvtxRangePop(); /* mine */
    attend();       /* lib:sort, lib:pass */
    nvtxDomainRangePop(library);
    nvtxDomainRangePop(library);
    attend(); /* none */
    nvtxDomainDestroy(library);
}

static void threads()
{
    nvtxRangeId_t phase = nvtxRangeStartA("phase");
    nvtxRangePushA("of main");
    std::thread([] {
        nvtxRangePushA("of a thread");
        attend(); /* phase, of a thread */
        nvtxRangePop();
    }).join();
    nvtxRangeEnd(phase);
    attend(); /* of main */
    nvtxRangePop();
}

static void graph()
{
    cudaStream_t stream;
    cudaGraph_t captured;
    cudaGraphExec_t executable;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    nvtxRangePushA("captured");
    attention<<<1, 32, 0, stream>>>(data, 32);
    nvtxRangePop();
    attention<<<1, 32, 0, stream>>>(data, 32);
    CHECK(cudaStreamEndCapture(stream, &captured));
    CHECK(cudaGraphInstantiate(&executable, captured, 0));
    nvtxRangePushA("replayed");
    CHECK(cudaGraphLaunch(executable, stream)); /* captured; replayed */
    nvtxRangePop();
    CHECK(cudaStreamSynchronize(stream));
}

static int old_library()
{
    void *library = dlopen("libnvToolsExt.so.1", RTLD_NOW);
    if (!library) {
        printf("%s\n", dlerror());
        return 1;
    }
    auto push = (int (*)(const char *))dlsym(library, "nvtxRangePushA");
    auto pop = (int (*)())dlsym(library, "nvtxRangePop");
    auto mark = (void (*)(const char *))dlsym(library, "nvtxMarkA");
    mark("begin");
    printf("%d", push("outer"));
    printf(" %d", push("inner"));
    attend();
    printf(" %d", pop());
    printf(" %d", pop());
    printf(" %d\n", pop());
    return 0;
}

int main(int argc, char **argv)
{
    CHECK(cudaMalloc((void **)&data, COUNT * sizeof(float)));
    CHECK(cudaMemset(data, 0, COUNT * sizeof(float)));
    if (argc > 1 && !strcmp(argv[1], "old"))
        return old_library();
    attend();
    nvtxMarkA("decoding");
    nvtxRangePushA("decode");
    for (int layer = 0; layer < 2; layer++)
        run_layer(layer);
    nvtxRangePop();
    domains();
    threads();
    graph();
    CHECK(cudaDeviceSynchronize());
    std::vector<float> host(COUNT);
    CHECK(cudaMemcpy(host.data(), data, COUNT * sizeof(float), cudaMemcpyDeviceToHost));
    show("data", host);
    return 0;
}
