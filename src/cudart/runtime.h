/* SPDX-License-Identifier: MIT */
/* The state behind the CUDA runtime interface, and what its parts share.
 *
 * One process has one runtime with one device (an sl_emu). Every entry point takes the one lock, so the parts below
 * need none. Work is done when it is issued: a launch or a copy has run to its end when the call returns, whatever its
 * stream, which is one of the orders CUDA allows. Times are counted from the work done, never read from a clock, so
 * that equal runs give equal answers.
 *
 *   runtime.c   state, errors, options, printing        device.c   properties, attributes, limits
 *   registry.c  fat binaries, kernels, symbols          memory.c   allocation, pools, pointer questions
 *   launch.c    kernel launches, occupancy              copy.c     copies and fills
 *   stream.c    streams, events, host functions         array.c    arrays and textures
 *   graph.c     stream capture and graphs               missing.c  everything else, refused by name
 *   results.c   what was launched, for `sluice run` */
#ifndef SL_CUDART_RUNTIME_H
#define SL_CUDART_RUNTIME_H

#include <stdio.h>
#include <sys/types.h>

#include "base/array.h"
#include "base/map.h"
#include "cudart/abi.h"
#include "cudart/options.h"
#include "emu/emu.h"
#include "ptx/cubin.h"
#include "ptx/fatbin.h"

typedef struct sl_rt sl_rt;

/* ---- registered code ---- */

/* What one __cudaRegisterFatBinary brought: loaded into the device when something of it is first used. */
typedef struct sl_rt_binary {
    const sl_fatbin_wrapper *wrapper;
    uint32_t serial; /* 1, 2, … */
    bool registered;
    cudaError_t load_error; /* of the only attempt; cudaSuccess before it */
    sl_emu_program *program;
    SL_ARRAY(sl_ptx_module *) modules;
    SL_ARRAY(sl_cubin) cubins;
    SL_ARRAY(char *) texts; /* unpacked PTX and cubins, kept while the modules live */
    sl_fatbin fatbin;
    uint32_t const_bytes;
} sl_rt_binary;

/* A kernel as host code knows it. A pointer to it is the cudaKernel_t and cudaFunction_t of the program. */
typedef struct sl_rt_function {
    sl_rt_binary *binary;
    const void *host;      /* the stub that stands for the kernel in host code; key of the map */
    const void *self;      /* the struct's own address: its other key */
    char *name;            /* mangled, as in the PTX */
    sl_emu_kernel *kernel; /* NULL until first used */
    cudaError_t error;     /* why it cannot be used; reported once */
    uint32_t max_dynamic_shared;
    int carveout;      /* percent of the largest; -1: no preference */
    int cache_config;  /* cudaFuncSetCacheConfig */
    bool warned_stray; /* its accesses outside of allocations were reported */
} sl_rt_function;

typedef struct sl_rt_variable {
    sl_rt_binary *binary;
    const void *host; /* shadow variable; for managed ones the pointer to fill in */
    char *name;
    size_t bytes;
    bool managed;
} sl_rt_variable;

/* ---- work ---- */

/* A copy or fill of depth x height rows of `width` bytes. */
typedef struct sl_rt_copy {
    char *dst;
    const char *src;
    size_t dst_pitch, dst_slice, src_pitch, src_slice;
    size_t width, height, depth;
    cudaMemcpyKind kind;
} sl_rt_copy;

typedef struct sl_rt_fill {
    char *dst;
    size_t pitch, slice, width, height, depth; /* width in bytes */
    uint32_t value, element_bytes;             /* 1, 2 or 4 */
} sl_rt_fill;

typedef struct sl_rt_launch {
    sl_rt_function *function;
    dim3 grid, block;
    uint32_t dynamic_shared;
    bool cooperative;
    uint32_t preferred_shared_plus; /* as in sl_emu_launch */
    void *params;                   /* packed; owned */
    size_t param_bytes;
} sl_rt_launch;

typedef enum sl_rt_op_kind {
    SL_RT_EMPTY,
    SL_RT_LAUNCH,
    SL_RT_COPY,
    SL_RT_FILL,
    SL_RT_HOST,
    SL_RT_CALLBACK,
    SL_RT_RECORD,
    SL_RT_WAIT,
    SL_RT_CHILD,
    SL_RT_FREE,
} sl_rt_op_kind;

/* One piece of work of a stream: run at once, or kept in a graph. */
typedef struct sl_rt_op {
    sl_rt_op_kind kind;
    cudaStream_t stream; /* where it was issued */
    union {
        sl_rt_launch launch;
        sl_rt_copy copy;
        sl_rt_fill fill;
        struct {
            cudaHostFn_t function;
            cudaStreamCallback_t callback;
            void *data;
        } host;
        cudaEvent_t event;
        cudaGraph_t child;
        void *pointer;
    };
} sl_rt_op;

struct sl_rt_stream {
    uint64_t id;
    unsigned flags;
    int priority;
    cudaGraph_t capture;  /* graph under construction, or NULL */
    cudaGraphNode_t last; /* last captured node of this stream */
    bool capture_origin, capture_invalid;
    unsigned long long capture_id;
    struct sl_rt_stream *next;
};

struct sl_rt_event {
    unsigned flags;
    bool recorded;
    uint64_t time_ns;
    cudaGraph_t capture; /* recorded in a capturing stream */
    cudaGraphNode_t captured_after;
    unsigned long long capture_id;
    struct sl_rt_event *next;
};

typedef struct sl_rt_results sl_rt_results;

struct sl_rt {
    pid_t pid; /* the process that started it: after a fork it is of no use */
    bool started;
    cudaError_t start_error;
    sl_cudart_options options;
    sl_emu *emu;
    cudaError_t fault; /* a kernel broke the context: every later call says so, until cudaDeviceReset */
    uint64_t time_ns;
    unsigned device_flags;
    size_t limits[SL_CUDA_LIMITS];
    int cache_config, shared_config;
    SL_ARRAY(char) printed; /* kernels' printf output that no sync point has passed on yet */
    SL_ARRAY(sl_rt_binary *) binaries;
    SL_ARRAY(sl_rt_function *) functions;
    SL_ARRAY(sl_rt_variable *) variables;
    sl_map function_by_host, variable_by_host;
    struct sl_rt_stream default_stream;
    struct sl_rt_stream *streams;
    struct sl_rt_event *events;
    uint64_t next_stream;
    struct sl_rt_array *arrays;
    struct sl_rt_texture *textures;
    struct sl_rt_pool *pools;
    unsigned long long captures;
    sl_rt_results *results;
    sl_rt_function *launching; /* the kernel that was launched last */
};

/* ---- runtime.c ---- */

/* Takes the lock; the runtime may not be started yet. */
sl_rt *sl_rt_enter(void);
/* Starts the device if need be; cudaSuccess when work can be done. */
cudaError_t sl_rt_ready(sl_rt *rt);
/* Remembers the error for cudaGetLastError, releases the lock, returns the error. */
cudaError_t sl_rt_leave(sl_rt *rt, cudaError_t error);
/* Around calls into the program. */
void sl_rt_unlock(sl_rt *rt);
void sl_rt_relock(sl_rt *rt);

/* The body of an entry point: `expression` uses `rt`. */
#define SL_CALL(expression)                                                                                            \
    do {                                                                                                               \
        sl_rt *rt = sl_rt_enter();                                                                                     \
        cudaError_t sl_call_error = sl_rt_ready(rt);                                                                   \
        if (!sl_call_error)                                                                                            \
            sl_call_error = (expression);                                                                              \
        return sl_rt_leave(rt, sl_call_error);                                                                         \
    } while (0)

/* A second name for an entry point: the variants for per-thread default streams do the same here. */
#define SL_ALIAS(other, name) extern __typeof(name) other __attribute__((alias(#name), visibility("default")))

/* One line "sluice: …" on stderr. */
void sl_rt_say(const char *format, ...) SL_PRINTF(1, 2);
void sl_rt_say_error(const char *what, const sl_error *error);
/* Says once per process that `name` is not there; returns cudaErrorNotSupported. */
cudaError_t sl_rt_missing(const char *name, bool *said);
/* The error number for a failure of the library that is no kernel fault. */
cudaError_t sl_rt_error_of(sl_status status);
/* A point at which CUDA passes kernels' printf output on. */
void sl_rt_flush_printed(sl_rt *rt);
/* Throws away the device and everything on it (cudaDeviceReset). */
void sl_rt_reset(sl_rt *rt);

/* ---- registry.c ---- */
/* The kernel behind a host stub or a cudaKernel_t, ready to run. */
cudaError_t sl_rt_function_get(sl_rt *rt, const void *function, sl_rt_function **found);
cudaError_t sl_rt_variable_address(sl_rt *rt, const void *symbol, char **address, size_t *bytes);
void sl_rt_registry_forget_device(sl_rt *rt);

/* ---- stream.c ---- */
bool sl_rt_stream_known(sl_rt *rt, cudaStream_t stream, struct sl_rt_stream **found);
/* Runs the work now, or adds it to the graph that the stream is capturing. Owned parts of `op` are taken over. */
cudaError_t sl_rt_submit(sl_rt *rt, cudaStream_t stream, sl_rt_op *op);
cudaError_t sl_rt_run_op(sl_rt *rt, const sl_rt_op *op);
void sl_rt_op_fini(sl_rt_op *op);
/* For calls that wait: fails when a stream is being captured that they would wait for. */
cudaError_t sl_rt_synchronize(sl_rt *rt, cudaStream_t stream);
void sl_rt_streams_forget_device(sl_rt *rt);

/* ---- launch.c ---- */
cudaError_t sl_rt_launch_make(sl_rt *rt, const void *function, dim3 grid, dim3 block, void **args, size_t shared,
                              bool cooperative, sl_rt_op *op);
cudaError_t sl_rt_launch_run(sl_rt *rt, const sl_rt_launch *launch, uint64_t stream);

/* ---- copy.c ---- */
cudaError_t sl_rt_copy_run(sl_rt *rt, const sl_rt_copy *copy);
cudaError_t sl_rt_fill_run(sl_rt *rt, const sl_rt_fill *fill);
cudaError_t sl_rt_copy_of_params(sl_rt *rt, const cudaMemcpy3DParms *params, sl_rt_copy *copy);

/* ---- memory.c ---- */
cudaError_t sl_rt_alloc(sl_rt *rt, void **pointer, size_t bytes, sl_alloc_kind kind);
cudaError_t sl_rt_free(sl_rt *rt, void *pointer);
void sl_rt_memory_forget_device(sl_rt *rt);

/* ---- array.c ---- */
/* Where element row y, slice z of an array starts, and its shape in bytes. */
typedef struct sl_rt_array_shape {
    char *data;
    size_t element_bytes, pitch, slice, width, height, depth; /* width in elements */
} sl_rt_array_shape;
cudaError_t sl_rt_array_shape_of(sl_rt *rt, cudaArray_t array, sl_rt_array_shape *shape);
void sl_rt_arrays_forget_device(sl_rt *rt);

/* ---- graph.c ---- */
cudaError_t sl_rt_graph_add(sl_rt *rt, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, sl_rt_op *op,
                            cudaGraphNode_t *node);
cudaError_t sl_rt_graph_run(sl_rt *rt, cudaGraph_t graph, cudaStream_t stream);

/* ---- results.c ---- */
/* Opens this process's results file (and trace) as the options say. *sink is NULL when nobody wants to know. */
sl_status sl_rt_results_open(sl_rt *rt, const sl_launch_sink **sink, sl_error *error);
/* Kernels' addresses lose their meaning with the device. */
void sl_rt_results_forget_device(sl_rt *rt);
void sl_rt_results_close(sl_rt *rt);

#endif
