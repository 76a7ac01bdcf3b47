// SPDX-License-Identifier: MIT
// Graphs node by node: every kind of node, conditional nodes, data of edges, parameters asked for and changed, updates,
// objects that graphs keep.
#include "check.h"

__global__ void add(int *x, int by)
{
    atomicAdd(x, by);
}

__global__ void decide(cudaGraphConditionalHandle handle, const int *x, int limit)
{
    cudaGraphSetConditional(handle, *x < limit ? 1 : 0);
}

__global__ void choose(cudaGraphConditionalHandle handle, const int *x)
{
    cudaGraphSetConditional(handle, *x);
}

__device__ int symbol[4];
static int *x;
static cudaStream_t stream;

static cudaGraphNode_t kernel_node(cudaGraph_t graph, std::vector<cudaGraphNode_t> after, void *function, void **args)
{
    cudaGraphNode_t node;
    cudaGraphNodeParams params = {cudaGraphNodeTypeKernel};
    params.kernel.func = function;
    params.kernel.gridDim = params.kernel.blockDim = dim3(1, 1, 1);
    params.kernel.kernelParams = args;
    CHECK(cudaGraphAddNode(&node, graph, after.data(), nullptr, after.size(), &params));
    return node;
}

static cudaGraphNode_t add_node(cudaGraph_t graph, std::vector<cudaGraphNode_t> after, int by)
{
    void *args[] = {&x, &by};
    return kernel_node(graph, after, (void *)add, args);
}

static int run(cudaGraph_t graph, int start)
{
    cudaGraphExec_t exec;
    int result;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaMemcpy(x, &start, sizeof start, cudaMemcpyHostToDevice));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(&result, x, sizeof result, cudaMemcpyDeviceToHost));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    return result;
}

static cudaGraph_t *conditional(cudaGraph_t graph, cudaGraphNode_t after, cudaGraphConditionalHandle handle,
                                cudaGraphConditionalNodeType type, unsigned size)
{
    cudaGraphNode_t node;
    cudaGraphNodeParams params = {cudaGraphNodeTypeConditional};
    params.conditional.handle = handle;
    params.conditional.type = type;
    params.conditional.size = size;
    CHECK(cudaGraphAddNode(&node, graph, &after, nullptr, after ? 1 : 0, &params));
    return params.conditional.phGraph_out;
}

static void conditions()
{
    cudaGraphConditionalHandle handle;
    for (int start = 0; start < 12; start += 8) {
        cudaGraph_t graph;
        int limit = 5;
        CHECK(cudaGraphCreate(&graph, 0));
        CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
        void *args[] = {&handle, &x, &limit};
        cudaGraphNode_t first = kernel_node(graph, {}, (void *)decide, args);
        cudaGraph_t *body = conditional(graph, first, handle, cudaGraphCondTypeIf, 2);
        add_node(body[0], {}, 100);
        add_node(body[1], {}, 1000);
        printf("if: %d\n", run(graph, start));
    }
    cudaGraph_t graph;
    int limit = 10;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    cudaGraph_t *body = conditional(graph, nullptr, handle, cudaGraphCondTypeWhile, 1);
    void *args[] = {&handle, &x, &limit};
    kernel_node(body[0], {add_node(body[0], {}, 3)}, (void *)decide, args);
    cudaGraphExec_t exec;
    int result[2];
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaMemset(x, 0, sizeof(int)));
    for (int i = 0; i < 2; i++) { // each launch starts with the default
        CHECK(cudaGraphLaunch(exec, stream));
        CHECK(cudaStreamSynchronize(stream));
        CHECK(cudaMemcpy(&result[i], x, sizeof(int), cudaMemcpyDeviceToHost));
    }
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    printf("while: %d, again: %d\n", result[0], result[1]);
    for (int start = 0; start < 4; start++) {
        CHECK(cudaGraphCreate(&graph, 0));
        CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
        void *chosen[] = {&handle, &x};
        body = conditional(graph, kernel_node(graph, {}, (void *)choose, chosen), handle, cudaGraphCondTypeSwitch, 3);
        for (int i = 0; i < 3; i++)
            add_node(body[i], {}, 10 << i);
        printf("switch: %d\n", run(graph, start));
    }
}

static void count(void *data)
{
    ++*(int *)data;
}

static void kinds()
{
    cudaGraph_t graph, child;
    cudaGraphNode_t node, last;
    cudaEvent_t event;
    int calls = 0, host[4] = {1, 2, 3, 4}, back[4] = {0};
    CHECK(cudaEventCreate(&event));
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphCreate(&child, 0));
    add_node(child, {add_node(child, {}, 1)}, 2);

    cudaGraphNodeParams params = {cudaGraphNodeTypeMemset};
    params.memset.dst = x;
    params.memset.value = 7;
    params.memset.elementSize = 4;
    params.memset.width = params.memset.height = 1;
    CHECK(cudaGraphAddNode(&last, graph, nullptr, nullptr, 0, &params));
    params = {cudaGraphNodeTypeGraph};
    params.graph.graph = child;
    CHECK(cudaGraphAddNode(&node, graph, &last, nullptr, 1, &params));
    last = node;
    CHECK(cudaGraphDestroy(child)); // the node has a copy
    params = {cudaGraphNodeTypeHost};
    params.host.fn = count;
    params.host.userData = &calls;
    CHECK(cudaGraphAddNode(&node, graph, &last, nullptr, 1, &params));
    last = node;
    params = {cudaGraphNodeTypeEventRecord};
    params.eventRecord.event = event;
    CHECK(cudaGraphAddNode(&node, graph, &last, nullptr, 1, &params));
    last = node;
    params = {cudaGraphNodeTypeEmpty};
    CHECK(cudaGraphAddNode(&node, graph, &last, nullptr, 1, &params));
    last = node;
    CHECK(cudaGraphAddMemcpyNodeToSymbol(&node, graph, &last, 1, symbol, host, sizeof host, 0, cudaMemcpyHostToDevice));
    last = node;
    CHECK(cudaGraphAddMemcpyNodeFromSymbol(&node, graph, &last, 1, back, symbol, 2 * sizeof(int), 2 * sizeof(int),
                                           cudaMemcpyDeviceToHost));
    last = node;
    params = {cudaGraphNodeTypeMemAlloc};
    params.alloc.poolProps.allocType = cudaMemAllocationTypePinned;
    params.alloc.poolProps.location = {cudaMemLocationTypeDevice, 0};
    params.alloc.bytesize = 256;
    CHECK(cudaGraphAddNode(&node, graph, &last, nullptr, 1, &params));
    last = node;
    void *memory = params.alloc.dptr;
    params = {cudaGraphNodeTypeMemFree};
    params.free.dptr = memory;
    CHECK(cudaGraphAddNode(&node, graph, &last, nullptr, 1, &params));

    size_t nodes = 0, edges = 0;
    CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
    CHECK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
    std::vector<cudaGraphNode_t> all(nodes);
    CHECK(cudaGraphGetNodes(graph, all.data(), &nodes));
    printf("%zu nodes, %zu edges, types", nodes, edges);
    for (cudaGraphNode_t each : all) {
        cudaGraphNodeType type;
        CHECK(cudaGraphNodeGetType(each, &type));
        printf(" %d", type);
    }
    int result = run(graph, 0);
    printf("\nx: %d, calls: %d, back: %d %d\n", result, calls, back[0], back[1]);
}

static void changes()
{
    cudaGraph_t graph, other;
    cudaGraphExec_t exec;
    int results[3];
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t first = add_node(graph, {}, 1), second = add_node(graph, {first}, 10);
    cudaKernelNodeParams known;
    CHECK(cudaGraphKernelNodeGetParams(second, &known));
    printf("asked: %d by %d threads, %s, adds %d\n", known.gridDim.x, known.blockDim.x,
           known.func == (void *)add ? "add" : "?", *(int *)known.kernelParams[1]);
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaMemset(x, 0, sizeof(int)));
    int by = 20;
    void *args[] = {&x, &by};
    cudaGraphNodeParams params = {cudaGraphNodeTypeKernel};
    params.kernel.func = (void *)add;
    params.kernel.gridDim = dim3(2, 1, 1);
    params.kernel.blockDim = dim3(1, 1, 1);
    params.kernel.kernelParams = args;
    for (int i = 0; i < 3; i++) {
        if (i == 1)
            CHECK(cudaGraphExecNodeSetParams(exec, second, &params));
        if (i == 2)
            CHECK(cudaGraphNodeSetEnabled(exec, first, 0));
        CHECK(cudaGraphLaunch(exec, stream));
        CHECK(cudaMemcpy(&results[i], x, sizeof(int), cudaMemcpyDeviceToHost));
    }
    printf("launches: %d %d %d\n", results[0], results[1], results[2]);

    cudaGraphExecUpdateResultInfo info;
    CHECK(cudaGraphCreate(&other, 0));
    add_node(other, {add_node(other, {}, 1000)}, 2000);
    CHECK(cudaGraphExecUpdate(exec, other, &info));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaMemcpy(&results[0], x, sizeof(int), cudaMemcpyDeviceToHost));
    add_node(other, {}, 1);
    cudaError_t error = cudaGraphExecUpdate(exec, other, &info);
    printf("updated: %d, then %s\n", results[0], cudaGetErrorName(error));
    cudaGetLastError();

    int destroyed = 0;
    cudaUserObject_t object;
    CHECK(cudaUserObjectCreate(&object, &destroyed, count, 1, cudaUserObjectNoDestructorSync));
    CHECK(cudaGraphRetainUserObject(other, object, 1, cudaGraphUserObjectMove));
    int before = destroyed;
    CHECK(cudaGraphDestroy(other));
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 1000000 && !*(volatile int *)&destroyed; i++)
        ; // it may be destroyed later
    printf("object: %d, %d\n", before, destroyed);
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
}

// Nodes that a program adds by hand to what a stream captures.
static void captured()
{
    cudaGraph_t graph;
    cudaStreamCaptureStatus status;
    const cudaGraphNode_t *after;
    size_t count;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, stream>>>(x, 1);
    CHECK(cudaStreamGetCaptureInfo(stream, &status, nullptr, &graph, &after, nullptr, &count));
    cudaGraphNode_t mine = add_node(graph, std::vector<cudaGraphNode_t>(after, after + count), 10);
    CHECK(cudaStreamUpdateCaptureDependencies(stream, &mine, nullptr, 1, cudaStreamSetCaptureDependencies));
    add<<<1, 1, 0, stream>>>(x, 100);
    CHECK(cudaStreamEndCapture(stream, &graph));
    size_t nodes = 0, edges = 0;
    CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
    CHECK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
    printf("captured: %d, %zu nodes, %zu edges\n", run(graph, 0), nodes, edges);
}

int main()
{
    CHECK(cudaMalloc(&x, sizeof(int)));
    CHECK(cudaStreamCreate(&stream));
    conditions();
    kinds();
    changes();
    captured();
    return verdict(true);
}
