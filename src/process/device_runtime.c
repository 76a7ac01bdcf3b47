/* SPDX-License-Identifier: MIT */
/* The runtime that kernels call: launches, copies and fills by kernels (dynamic parallelism as of CUDA 12), memory, and
 * questions. Compilers call it __cudaCDP2NAME; cudaNAME before CUDA 12, and where the driver links PTX.
 *
 * A kernel cannot wait for what it launches, so all of it runs when the kernel has ended: in the order in which it was
 * issued, a launch with all that it launches in turn before the next; last what went to the stream of tail launches.
 * That is one of the orders that CUDA allows, and the same in every run. On a GPU some of the pending launches would
 * have started long ago: their limit is CUDA's times 32.
 *
 * Everything here is chosen by the kernel: an address is good only for sl_emu_call_memory, or for copies and fills that
 * check each byte when they run (copy.c), and a number only within a limit. */
#include "process/core.h"

#include <stdlib.h>
#include <string.h>

enum {
    STREAM_TAIL = 3,
    CHUNK_BYTES = 1 << 20,
    MIN_BUFFER = 256,
    MAX_DEPTH = 24, /* of nested launches, as CUDA has it */
    PENDING_FACTOR = 32,
};

/* A parameter buffer that kernels have: from cudaGetParameterBuffer to the launch. */
typedef struct buffer {
    uint64_t address;
    size_t bytes;
    bool busy;
    uint64_t kernel; /* what it is for, where that was said */
    dim3 grid, block;
    uint32_t shared;
} buffer;

struct sl_proc_device_calls {
    SL_ARRAY(buffer) buffers;
    size_t busy;                /* of them */
    uint64_t chunk, chunk_used; /* memory for further ones */
    SL_ARRAY(sl_proc_op) issued, tail;
    struct {
        uint64_t thread;
        cudaError_t error;
    } last_error;     /* of the thread that had one last */
    uint64_t handles; /* of streams and events, which need no more than a number */
    sl_map texts;     /* device addresses of texts */
};

/* Reads an argument into a variable of that name. */
#define ARGUMENT(index, type, name)                                                                                    \
    type name;                                                                                                         \
    sl_emu_call_argument(call, index, &name, sizeof name)

static void store_value(const sl_emu_call *call, uint64_t address, const void *value, uint32_t bytes)
{
    memcpy(sl_emu_call_memory(call, address, bytes, bytes == 8 ? 8 : 4, true), value, bytes);
}

/* ---- kernels ---- */

static cudaError_t find_kernel(sl_proc *rt, const sl_emu_call *call, uint64_t handle, sl_proc_function **function)
{
    const sl_emu_program *program = sl_emu_call_program(call);
    const char *name = sl_emu_kernel_at(program, handle);
    for (size_t i = 0; name && i < rt->binaries.count; i++)
        if (rt->binaries.items[i]->program == program) {
            cudaError_t error = sl_proc_binary_function(rt, rt->binaries.items[i], name, function);
            return error ? error : sl_proc_function_get(rt, *function, function);
        }
    return cudaErrorInvalidDeviceFunction;
}

static size_t max_pending(const sl_proc *rt)
{
    enum { MAX_PENDING = 1 << 20 };
    size_t limit = rt->limits[cudaLimitDevRuntimePendingLaunchCount];
    return limit < MAX_PENDING / PENDING_FACTOR ? limit * PENDING_FACTOR : MAX_PENDING;
}

static buffer *new_buffer(sl_proc *rt, size_t bytes)
{
    struct sl_proc_device_calls *calls = rt->device_calls;
    if (bytes > CHUNK_BYTES || calls->busy >= max_pending(rt))
        return NULL;
    for (size_t i = 0; i < calls->buffers.count && calls->busy < calls->buffers.count; i++)
        if (!calls->buffers.items[i].busy && calls->buffers.items[i].bytes >= bytes)
            return &calls->buffers.items[i];
    bytes = bytes < MIN_BUFFER ? MIN_BUFFER : (bytes + MIN_BUFFER - 1) / MIN_BUFFER * MIN_BUFFER;
    if (!calls->chunk || calls->chunk_used + bytes > CHUNK_BYTES) {
        calls->chunk_used = 0;
        if (sl_heap_alloc(sl_emu_heap(rt->emu), CHUNK_BYTES, SL_ALLOC_DEVICE, "parameters of launches", &calls->chunk,
                          NULL))
            return NULL;
    }
    buffer made = {.address = calls->chunk + calls->chunk_used, .bytes = bytes};
    calls->chunk_used += bytes;
    return sl_array_push(&calls->buffers, made) ? &calls->buffers.items[calls->buffers.count - 1] : NULL;
}

static uint64_t get_buffer(sl_proc *rt, const sl_emu_call *call)
{
    ARGUMENT(1, uint64_t, bytes); /* its first argument is an alignment, which all have */
    buffer *b = new_buffer(rt, bytes);
    if (!b)
        return 0;
    *b = (buffer){.address = b->address, .bytes = b->bytes, .busy = true};
    rt->device_calls->busy++;
    return b->address;
}

static uint64_t get_buffer_v2(sl_proc *rt, const sl_emu_call *call)
{
    ARGUMENT(0, uint64_t, kernel);
    ARGUMENT(1, dim3, grid);
    ARGUMENT(2, dim3, block);
    ARGUMENT(3, uint32_t, shared);
    sl_proc_function *function;
    if (find_kernel(rt, call, kernel, &function))
        return 0;
    buffer *b = new_buffer(rt, sl_emu_kernel_func(function->kernel)->param_bytes);
    if (!b)
        return 0;
    *b = (buffer){b->address, b->bytes, true, kernel, grid, block, shared};
    rt->device_calls->busy++;
    return b->address;
}

/* The kernel gets CUDA's error, which many do not look at; the user is warned once. */
static cudaError_t refused_launch(sl_proc *rt, cudaError_t error, const char *why)
{
    if (sl_proc_is_new(rt, why))
        sl_proc_say("warning: kernel %s: %s: refused with \"%s\", as on a GPU", rt->launching->name, why,
                    sl_proc_error_text(error));
    return error;
}

static cudaError_t launch(sl_proc *rt, const sl_emu_call *call, const buffer *b, uint64_t stream)
{
    sl_proc_op op;
    sl_proc_function *function;
    const struct sl_proc_device_calls *calls = rt->device_calls;
    if (rt->descent.depth >= MAX_DEPTH)
        return refused_launch(rt, cudaErrorLaunchMaxDepthExceeded, "launches nest deeper than 24");
    if (calls->issued.count + calls->tail.count >= max_pending(rt))
        return refused_launch(rt, cudaErrorLaunchPendingCountExceeded, "too many launches and copies are pending");
    cudaError_t error = find_kernel(rt, call, b->kernel, &function);
    const sl_proc_config config = {.function = function,
                                   .grid = b->grid,
                                   .block = b->block,
                                   .shared = b->shared,
                                   .packed = sl_heap_host(sl_emu_heap(rt->emu), b->address),
                                   .packed_bytes = b->bytes};
    if (!error)
        error = sl_proc_launch_make(rt, &config, &op);
    if (error) /* kernels get it for too much shared memory, too */
        return error == cudaErrorInvalidValue ? cudaErrorInvalidConfiguration : error;
    op.launch.depth = rt->descent.depth + 1;
    bool kept = stream == STREAM_TAIL ? sl_array_push(&rt->device_calls->tail, op)
                                      : sl_array_push(&rt->device_calls->issued, op);
    if (!kept)
        sl_proc_op_fini(rt, &op);
    return kept ? cudaSuccess : cudaErrorMemoryAllocation;
}

static buffer *find_buffer(sl_proc *rt, uint64_t address)
{
    /* The last one made is the most likely. */
    for (size_t i = rt->device_calls->buffers.count; i-- > 0;)
        if (rt->device_calls->buffers.items[i].address == address && rt->device_calls->buffers.items[i].busy)
            return &rt->device_calls->buffers.items[i];
    return NULL;
}

static uint64_t launch_v2(sl_proc *rt, const sl_emu_call *call)
{
    ARGUMENT(0, uint64_t, address);
    ARGUMENT(1, uint64_t, stream);
    buffer *b = find_buffer(rt, address);
    if (!b)
        return cudaErrorInvalidValue;
    cudaError_t error = launch(rt, call, b, stream);
    b->busy = false;
    rt->device_calls->busy--;
    return error;
}

static uint64_t launch_v1(sl_proc *rt, const sl_emu_call *call)
{
    ARGUMENT(0, uint64_t, kernel);
    ARGUMENT(1, uint64_t, address);
    ARGUMENT(2, dim3, grid);
    ARGUMENT(3, dim3, block);
    ARGUMENT(4, uint32_t, shared);
    ARGUMENT(5, uint64_t, stream);
    buffer *b = find_buffer(rt, address), none = {0};
    if (!b && address)
        return cudaErrorInvalidValue;
    if (b)
        rt->device_calls->busy--;
    b = b ? b : &none; /* of a kernel without parameters */
    *b = (buffer){b->address, b->bytes, false, kernel, grid, block, shared};
    return launch(rt, call, b, stream);
}

static uint64_t occupancy(sl_proc *rt, const sl_emu_call *call)
{
    ARGUMENT(0, uint64_t, result);
    ARGUMENT(1, uint64_t, kernel);
    ARGUMENT(2, int, threads);
    ARGUMENT(3, uint64_t, shared);
    int blocks;
    sl_proc_function *function;
    cudaError_t error = find_kernel(rt, call, kernel, &function);
    if (!error)
        error = sl_proc_occupancy(rt, &blocks, function, threads, shared);
    if (!error)
        store_value(call, result, &blocks, sizeof blocks);
    return error;
}

static uint64_t function_attributes(sl_proc *rt, const sl_emu_call *call)
{
    ARGUMENT(0, uint64_t, result);
    ARGUMENT(1, uint64_t, kernel);
    sl_proc_function *function;
    sl_proc_function_facts f;
    cudaError_t error = find_kernel(rt, call, kernel, &function);
    if (!error)
        error = sl_proc_function_describe(rt, function, &f);
    if (error)
        return error;
    struct { /* cudaFuncAttributes; CUDA 11 ends with the carve-out */
        uint64_t static_shared, const_bytes, local_bytes;
        int max_threads, registers, ptx_version, binary_version, cached, max_dynamic_shared, carveout;
        int more[23];
    } attributes = {f.static_shared,
                    f.const_bytes,
                    f.local_bytes,
                    (int)f.max_threads,
                    (int)f.registers,
                    (int)f.ptx_version,
                    (int)f.binary_version,
                    0,
                    (int)f.max_dynamic_shared,
                    f.carveout,
                    {0}};
    const sl_ptx_module *module = function->binary->modules.items[0];
    store_value(call, result, &attributes,
                module->version_major >= 8 ? sizeof attributes : offsetof(__typeof(attributes), more));
    return cudaSuccess;
}

/* ---- memory ---- */

static uint64_t allocate(sl_proc *rt, const sl_emu_call *call)
{
    ARGUMENT(0, uint64_t, result);
    ARGUMENT(1, uint64_t, bytes);
    uint64_t address = 0;
    sl_status status =
        bytes ? sl_heap_alloc(sl_emu_heap(rt->emu), bytes, SL_ALLOC_KERNEL, "cudaMalloc in a kernel", &address, NULL)
              : SL_OK;
    store_value(call, result, &address, sizeof address);
    return status ? cudaErrorMemoryAllocation : cudaSuccess;
}

static uint64_t deallocate(sl_proc *rt, const sl_emu_call *call)
{
    ARGUMENT(0, uint64_t, address);
    (void)rt;
    sl_emu_call_free(call, address);
    return cudaSuccess;
}

static cudaError_t issue(sl_proc *rt, const sl_proc_op *op)
{
    if (rt->device_calls->issued.count >= max_pending(rt))
        return refused_launch(rt, cudaErrorLaunchPendingCountExceeded, "too many launches and copies are pending");
    return sl_array_push(&rt->device_calls->issued, *op) ? cudaSuccess : cudaErrorMemoryAllocation;
}

static uint64_t copy(sl_proc *rt, const sl_emu_call *call)
{
    ARGUMENT(0, char *, dst);
    ARGUMENT(1, const char *, src);
    ARGUMENT(2, size_t, bytes);
    return issue(
        rt,
        &(sl_proc_op){
            .kind = SL_PROC_COPY,
            .copy = {
                .dst = dst, .src = src, .width = bytes, .height = 1, .depth = 1, .kind = cudaMemcpyDeviceToDevice}});
}

static uint64_t copy_2d(sl_proc *rt, const sl_emu_call *call)
{
    sl_proc_op op = {.kind = SL_PROC_COPY, .copy = {.depth = 1, .kind = cudaMemcpyDeviceToDevice}};
    sl_emu_call_argument(call, 0, &op.copy.dst, sizeof op.copy.dst);
    sl_emu_call_argument(call, 1, &op.copy.dst_pitch, sizeof op.copy.dst_pitch);
    sl_emu_call_argument(call, 2, &op.copy.src, sizeof op.copy.src);
    sl_emu_call_argument(call, 3, &op.copy.src_pitch, sizeof op.copy.src_pitch);
    sl_emu_call_argument(call, 4, &op.copy.width, sizeof op.copy.width);
    sl_emu_call_argument(call, 5, &op.copy.height, sizeof op.copy.height);
    return op.copy.width > op.copy.dst_pitch || op.copy.width > op.copy.src_pitch ? cudaErrorInvalidPitchValue
                                                                                  : issue(rt, &op);
}

static uint64_t copy_3d(sl_proc *rt, const sl_emu_call *call)
{
    ARGUMENT(0, uint64_t, address);
    cudaMemcpy3DParms params;
    sl_proc_op op = {.kind = SL_PROC_COPY};
    memcpy(&params, sl_emu_call_memory(call, address, sizeof params, 8, false), sizeof params);
    if (params.dstArray || params.srcArray) /* host pointers: kernels have no arrays */
        return cudaErrorInvalidValue;
    params.kind = cudaMemcpyDeviceToDevice; /* kernels copy nothing else, whatever they say */
    cudaError_t error = sl_proc_copy_of_params(rt, &params, &op.copy);
    return error ? error : issue(rt, &op);
}

/* CUDA's device runtime (11 to 13) does not look at the value: what kernels fill becomes zeros, on an H200 too. */
static cudaError_t fill(sl_proc *rt, sl_proc_fill what, int value)
{
    static const char IGNORED[] = "warning: kernels fill memory with zeros on a GPU, whatever value they give";
    if ((uint8_t)value && sl_proc_is_new(rt, IGNORED))
        sl_proc_say("%s", IGNORED);
    what.value = 0;
    what.element_bytes = 1;
    return issue(rt, &(sl_proc_op){.kind = SL_PROC_FILL, .fill = what});
}

static uint64_t fill_1d(sl_proc *rt, const sl_emu_call *call)
{
    ARGUMENT(0, char *, dst);
    ARGUMENT(1, int, value);
    ARGUMENT(2, size_t, bytes);
    return fill(rt, (sl_proc_fill){.dst = dst, .width = bytes, .height = 1, .depth = 1}, value);
}

static uint64_t fill_2d(sl_proc *rt, const sl_emu_call *call)
{
    ARGUMENT(0, char *, dst);
    ARGUMENT(1, size_t, pitch);
    ARGUMENT(2, int, value);
    ARGUMENT(3, size_t, width);
    ARGUMENT(4, size_t, height);
    return fill(rt, (sl_proc_fill){.dst = dst, .pitch = pitch, .width = width, .height = height, .depth = 1}, value);
}

static uint64_t fill_3d(sl_proc *rt, const sl_emu_call *call)
{
    ARGUMENT(0, cudaPitchedPtr, p);
    ARGUMENT(1, int, value);
    ARGUMENT(2, cudaExtent, e);
    return fill(rt,
                (sl_proc_fill){.dst = p.ptr,
                               .pitch = p.pitch,
                               .slice = p.pitch * p.ysize,
                               .width = e.width,
                               .height = e.height,
                               .depth = e.depth},
                value);
}

/* ---- streams and events: work is done in the order in which it is issued, so they are only names ---- */

static uint64_t create_handle(sl_proc *rt, const sl_emu_call *call)
{
    enum { FIRST_HANDLE = 0x100 };
    ARGUMENT(0, uint64_t, result);
    uint64_t handle = FIRST_HANDLE + 16 * rt->device_calls->handles++;
    store_value(call, result, &handle, sizeof handle);
    return cudaSuccess;
}

static uint64_t create_event(sl_proc *rt, const sl_emu_call *call)
{
    ARGUMENT(1, uint32_t, flags);
    return flags & cudaEventDisableTiming ? create_handle(rt, call) : cudaErrorInvalidValue; /* none have times */
}

static uint64_t nothing(sl_proc *rt, const sl_emu_call *call)
{
    (void)rt, (void)call;
    return cudaSuccess;
}

/* ---- questions ---- */

static uint64_t device_attribute(sl_proc *rt, const sl_emu_call *call)
{
    ARGUMENT(0, uint64_t, result);
    ARGUMENT(1, int, attribute);
    ARGUMENT(2, int, device);
    int value;
    cudaError_t error = sl_proc_device_attribute(rt, &value, attribute, device);
    if (!error)
        store_value(call, result, &value, sizeof value);
    return error;
}

static uint64_t device_limit(sl_proc *rt, const sl_emu_call *call)
{
    ARGUMENT(0, uint64_t, result);
    ARGUMENT(1, cudaLimit, which);
    size_t value;
    cudaError_t error = sl_proc_limit(rt, which, &value, NULL);
    if (!error)
        store_value(call, result, &value, sizeof value);
    return error;
}

static uint64_t return_number(const sl_emu_call *call, int number)
{
    ARGUMENT(0, uint64_t, result);
    store_value(call, result, &number, sizeof number);
    return cudaSuccess;
}

static uint64_t device(sl_proc *rt, const sl_emu_call *call)
{
    (void)rt;
    return return_number(call, 0);
}

static uint64_t device_count(sl_proc *rt, const sl_emu_call *call)
{
    (void)rt;
    return return_number(call, 1);
}

static uint64_t version(sl_proc *rt, const sl_emu_call *call)
{
    (void)rt;
    return return_number(call, SL_DRIVER_VERSION);
}

static uint64_t cache_config(sl_proc *rt, const sl_emu_call *call)
{
    return return_number(call, rt->cache_config);
}

static uint64_t shared_config(sl_proc *rt, const sl_emu_call *call)
{
    return return_number(call, rt->shared_config);
}

/* ---- graphs ---- */

static uint64_t set_conditional(sl_proc *rt, const sl_emu_call *call)
{
    ARGUMENT(0, uint64_t, handle);
    ARGUMENT(1, uint32_t, value);
    return sl_proc_condition_set(rt, handle, value) ? cudaSuccess : cudaErrorInvalidValue;
}

static uint64_t launch_graph(sl_proc *rt, const sl_emu_call *call)
{
    static bool said;
    (void)rt, (void)call;
    return sl_proc_missing("cudaGraphLaunch in a kernel", &said);
}

/* ---- errors: each thread has its last one ---- */

static uint64_t peek_error(sl_proc *rt, const sl_emu_call *call)
{
    const struct sl_proc_device_calls *calls = rt->device_calls;
    return calls->last_error.thread == sl_emu_call_thread(call) ? calls->last_error.error : cudaSuccess;
}

static uint64_t last_error(sl_proc *rt, const sl_emu_call *call)
{
    uint64_t error = peek_error(rt, call);
    if (error)
        rt->device_calls->last_error.error = cudaSuccess;
    return error;
}

/* A text that kernels can read; 0: none. */
static uint64_t text_address(sl_proc *rt, const char *text)
{
    sl_heap *heap = sl_emu_heap(rt->emu);
    uint64_t address;
    if (!text)
        return 0;
    size_t bytes = strlen(text) + 1;
    void *known = sl_map_get(&rt->device_calls->texts, text, bytes);
    if (known)
        return (uintptr_t)known;
    if (sl_heap_alloc(heap, bytes, SL_ALLOC_DEVICE, "text of an error", &address, NULL))
        return 0;
    memcpy(sl_heap_host(heap, address), text, bytes);
    sl_heap_mark_written(heap, address, bytes);
    sl_map_put(&rt->device_calls->texts, text, bytes, (void *)(uintptr_t)address);
    return address;
}

static uint64_t error_text(sl_proc *rt, const sl_emu_call *call)
{
    ARGUMENT(0, int, error);
    const char *text = sl_proc_error_text((cudaError_t)error);
    return text_address(rt, text ? text : "unrecognized error code");
}

static uint64_t error_name(sl_proc *rt, const sl_emu_call *call)
{
    ARGUMENT(0, int, error);
    const char *name = sl_proc_error_name((cudaError_t)error);
    return text_address(rt, name ? name : "unrecognized error code");
}

/* ---- the table ---- */

enum { ERROR, OTHER }; /* what a function returns: an error that becomes the thread's last one, or something else */

static const struct device_function {
    const char *name;
    uint64_t (*run)(sl_proc *rt, const sl_emu_call *call);
    uint8_t returns;
} FUNCTIONS[] = {
    {"DeviceGetAttribute", device_attribute, ERROR},
    {"DeviceGetCacheConfig", cache_config, ERROR},
    {"DeviceGetLimit", device_limit, ERROR},
    {"DeviceGetSharedMemConfig", shared_config, ERROR},
    {"EventCreateWithFlags", create_event, ERROR},
    {"EventDestroy", nothing, ERROR},
    {"EventRecord", nothing, ERROR},
    {"EventRecordWithFlags", nothing, ERROR},
    {"Free", deallocate, ERROR},
    {"FuncGetAttributes", function_attributes, ERROR},
    {"GetDevice", device, ERROR},
    {"GetDeviceCount", device_count, ERROR},
    {"GetErrorName", error_name, OTHER},
    {"GetErrorString", error_text, OTHER},
    {"GetLastError", last_error, OTHER},
    {"GetParameterBuffer", get_buffer, OTHER},
    {"GetParameterBufferV2", get_buffer_v2, OTHER},
    {"GraphLaunch", launch_graph, ERROR},
    {"GraphSetConditional", set_conditional, ERROR},
    {"LaunchDevice", launch_v1, ERROR},
    {"LaunchDeviceV2", launch_v2, ERROR},
    {"Malloc", allocate, ERROR},
    {"Memcpy2DAsync", copy_2d, ERROR},
    {"Memcpy3DAsync", copy_3d, ERROR},
    {"MemcpyAsync", copy, ERROR},
    {"Memset2DAsync", fill_2d, ERROR},
    {"Memset3DAsync", fill_3d, ERROR},
    {"MemsetAsync", fill_1d, ERROR},
    {"OccupancyMaxActiveBlocksPerMultiprocessor", occupancy, ERROR},
    {"OccupancyMaxActiveBlocksPerMultiprocessorWithFlags", occupancy, ERROR},
    {"PeekAtLastError", peek_error, OTHER},
    {"RuntimeGetVersion", version, ERROR},
    {"StreamCreateWithFlags", create_handle, ERROR},
    {"StreamDestroy", nothing, ERROR},
    {"StreamWaitEvent", nothing, ERROR},
};
enum { FUNCTION_COUNT = sizeof FUNCTIONS / sizeof *FUNCTIONS };

int sl_proc_device_function(void *context, const char *name)
{
    static const char *const PREFIXES[] = {"__cudaCDP2", "cuda"};
    (void)context;
    for (size_t p = 0; p < sizeof PREFIXES / sizeof *PREFIXES; p++) {
        size_t prefix = strlen(PREFIXES[p]);
        if (strncmp(name, PREFIXES[p], prefix) != 0)
            continue;
        for (int i = 0; i < FUNCTION_COUNT; i++) {
            const char *end = name + prefix + strlen(FUNCTIONS[i].name);
            if (strncmp(name + prefix, FUNCTIONS[i].name, strlen(FUNCTIONS[i].name)) == 0 &&
                (!*end || strcmp(end, "_ptsz") == 0))
                return i;
        }
    }
    return -1;
}

void sl_proc_device_call(void *context, uint32_t number, const sl_emu_call *call)
{
    sl_proc *rt = context;
    if (!rt->device_calls && !(rt->device_calls = calloc(1, sizeof *rt->device_calls)))
        sl_emu_call_return(call, FUNCTIONS[number].returns == ERROR ? cudaErrorMemoryAllocation : 0);
    if (!rt->device_calls)
        return;
    uint64_t result = FUNCTIONS[number].run(rt, call);
    if (FUNCTIONS[number].returns == ERROR && result) {
        rt->device_calls->last_error.thread = sl_emu_call_thread(call);
        rt->device_calls->last_error.error = (cudaError_t)result;
    }
    sl_emu_call_return(call, result);
}

/* ---- what kernels have issued ---- */

/* The last of `from` first: they are taken from the end of `to`. */
static bool push_reversed(sl_proc_ops *to, sl_proc_op *from, size_t count, uint64_t launches)
{
    for (size_t i = count; i-- > 0;) {
        if (from[i].kind == SL_PROC_LAUNCH) {
            from[i].launch.has_parent = launches;
            from[i].launch.parent = launches ? launches - 1 : 0;
        }
        if (!sl_array_push(to, from[i]))
            return false;
    }
    return true;
}

bool sl_proc_device_calls_move(sl_proc *rt, uint64_t launches, sl_proc_ops *to)
{
    struct sl_proc_device_calls *calls = rt->device_calls;
    if (!calls)
        return true;
    bool taken = push_reversed(to, calls->tail.items, calls->tail.count, launches) &&
                 push_reversed(to, calls->issued.items, calls->issued.count, launches);
    calls->issued.count = calls->tail.count = 0;
    for (size_t i = 0; i < calls->buffers.count && calls->busy; i++)
        calls->buffers.items[i].busy = false;
    calls->busy = 0;
    calls->last_error.error = cudaSuccess;
    return taken;
}

void sl_proc_device_calls_forget_device(sl_proc *rt)
{
    struct sl_proc_device_calls *calls = rt->device_calls;
    if (!calls)
        return;
    sl_array_free(&calls->buffers);
    sl_array_free(&calls->issued);
    sl_array_free(&calls->tail);
    sl_map_fini(&calls->texts);
    free(calls);
    rt->device_calls = NULL;
}
