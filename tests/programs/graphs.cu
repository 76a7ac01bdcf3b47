/* Work captured from two streams into a graph, which is then run several times. */
#include "check.h"

__global__ void add(int *x, int n, int by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] += by;
}

__global__ void join(int *x, const int *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = x[i] * 2 + y[i];
}

static void note(void *data)
{
    *(int *)data += 1;
}

int main()
{
    const int n = 500;
    int *x, *y, calls = 0;
    CHECK(cudaMalloc(&x, n * sizeof(int)));
    CHECK(cudaMalloc(&y, n * sizeof(int)));
    CHECK(cudaMemset(x, 0, n * sizeof(int)));
    CHECK(cudaMemset(y, 0, n * sizeof(int)));
    cudaStream_t first, second;
    cudaEvent_t fork, done;
    CHECK(cudaStreamCreate(&first));
    CHECK(cudaStreamCreate(&second));
    CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));

    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
    CHECK(cudaEventRecord(fork, first));
    CHECK(cudaStreamWaitEvent(second, fork));
    add<<<2, 256, 0, first>>>(x, n, 1);
    add<<<2, 256, 0, second>>>(y, n, 10);
    CHECK(cudaEventRecord(done, second));
    CHECK(cudaStreamWaitEvent(first, done));
    join<<<2, 256, 0, first>>>(x, y, n);
    CHECK(cudaLaunchHostFunc(first, note, &calls));
    CHECK(cudaStreamEndCapture(first, &graph));
    int before = -1;
    CHECK(cudaMemcpy(&before, x, sizeof before, cudaMemcpyDeviceToHost)); /* nothing has run yet */
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 4; i++)
        CHECK(cudaGraphLaunch(exec, first));
    CHECK(cudaStreamSynchronize(first));
    std::vector<int> host(n);
    CHECK(cudaMemcpy(host.data(), x, n * sizeof(int), cudaMemcpyDeviceToHost));
    show("x", host);
    printf("before: %d, host functions: %d, x[0]: %d\n", before, calls, host[0]);
    int want = 0;
    for (int i = 0; i < 4; i++)
        want = (want + 1) * 2 + (i + 1) * 10;
    bool good = before == 0 && calls == 4;
    for (int v : host)
        good = good && v == want;
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    return verdict(good);
}
