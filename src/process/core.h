/* SPDX-License-Identifier: MIT */
/* CUDA on the emulator: the state behind the runtime's and the driver's interface, and what both are made of.
 *
 * One process has one core (libsluice_process.so) with one device (an sl_emu). The two interfaces are thin: src/cudart
 * and src/cudadriver. Handles are the same objects in both, as CUDA promises: a stream of one can be used by the other.
 *
 * Every entry point takes the one lock, so the parts below need none. Work is done when it is issued: a launch or a
 * copy has run to its end when the call returns, whatever its stream, which is one of the orders CUDA allows. Times
 * are counted from the work done, never read from a clock, so that equal runs give equal answers. Errors are numbers of
 * the runtime; the driver's are the same but for a few.
 *
 *   core.c      state, options, printing                device.c   attributes, limits
 *   context.c   contexts, a stack of them per thread    image.c    fat binaries and PTX, to programs
 *   registry.c  kernels and variables by name, by stub  link.c     the driver's linker
 *   memory.c    allocation, pools, pointer questions    copy.c     copies and fills
 *   virtual_memory.c  addresses and memory apart        processes.c  memory and events of several processes
 *   launch.c    kernel launches, occupancy              array.c    arrays, textures, surfaces
 *   stream.c    streams, events, host functions         capture.c  work of streams that becomes a graph
 *   graph.c     graphs: edges, copies, running          graph_nodes.c  parameters of their nodes
 *   device_runtime.c  what kernels call                 results.c  what was launched, for `sluice run`
 *   call_site.c  who calls                        labels.c   NVTX ranges, marks, callers of launches
 *   calls.def   entry points that both interfaces have alike */
#ifndef SL_PROC_CORE_H
#define SL_PROC_CORE_H

#include <stdio.h>
#include <sys/types.h>

#include "base/array.h"
#include "base/map.h"
#include "emu/emu.h"
#include "process/options.h"
#include "process/order.h"
#include "process/results_file.h"
#include "process/types.h"
#include "ptx/cubin.h"
#include "ptx/fatbin.h"
#include "tune/plan.h"
#include "tune/program_results.h"

typedef struct sl_proc sl_proc;

/* ---- registered code ---- */

/* Code that belongs together: what one __cudaRegisterFatBinary brought, a CUmodule, a CUlibrary. Loaded into the device
 * when something of it is first used. */
typedef struct sl_proc_binary {
    const sl_fatbin_wrapper *wrapper; /* registered by the runtime; NULL: an image that was given to the driver */
    const void *origin;               /* an address in the file that it comes from, for messages */
    uint32_t serial;                  /* 1, 2, … */
    bool registered;                  /* neither taken back nor unloaded */
    cudaError_t load_error;           /* of the only attempt; cudaSuccess before it */
    sl_emu_program *program;
    sl_map function_names; /* name -> sl_proc_function */
    SL_ARRAY(sl_ptx_module *) modules;
    SL_ARRAY(sl_cubin) cubins;
    SL_ARRAY(char *) texts; /* unpacked PTX and cubins, kept while the modules live */
    sl_fatbin fatbin;
    uint32_t const_bytes;
    uint32_t ptx_sm; /* architecture of the PTX that was chosen */
    bool prepared;   /* parsed, if that went well */
} sl_proc_binary;

/* A kernel as host code knows it. A pointer to it is the cudaKernel_t, cudaFunction_t, CUkernel and CUfunction. */
typedef struct sl_proc_function {
    sl_proc_binary *binary;
    const void *host;      /* the stub that stands for the kernel in host code; key of the map; NULL: the driver's */
    const void *self;      /* the struct's own address: its other key */
    char *name;            /* mangled, as in the PTX */
    sl_emu_kernel *kernel; /* NULL until first used */
    cudaError_t error;     /* why it cannot be used; reported once */
    uint32_t max_dynamic_shared;
    int carveout;        /* percent of the largest; -1: no preference */
    int cache_config;    /* cudaFuncSetCacheConfig */
    bool large_clusters; /* cudaFuncAttributeNonPortableClusterSizeAllowed */
    int cluster_policy;  /* cudaFuncAttributeClusterSchedulingPolicyPreference */
    bool warned_stray;   /* its accesses outside of allocations were reported */
    bool warned_absent;  /* its shuffles that read absent lanes */
} sl_proc_function;

typedef struct sl_proc_variable {
    sl_proc_binary *binary;
    const void *host; /* shadow variable; for managed ones the pointer to fill in */
    char *name;
    size_t bytes;
    bool managed;
} sl_proc_variable;

/* ---- contexts ---- */

/* All contexts share the one device; a context is a name for it. */
typedef struct sl_proc_context {
    bool is_primary;
    unsigned flags;
    uint64_t id;
    struct sl_proc_context *next;
} sl_proc_context;

/* ---- work ---- */

/* A copy or fill of depth x height rows of `width` bytes. */
typedef struct sl_proc_copy {
    char *dst;
    const char *src;
    size_t dst_pitch, dst_slice, src_pitch, src_slice;
    size_t width, height, depth;
    cudaMemcpyKind kind;
} sl_proc_copy;

typedef struct sl_proc_fill {
    char *dst;
    size_t pitch, slice, width, height, depth; /* width in bytes */
    uint32_t value, element_bytes;             /* 1, 2 or 4 */
} sl_proc_fill;

typedef struct sl_proc_launch {
    sl_proc_function *function;
    dim3 grid, block, cluster; /* of the last: zeroes, there are none */
    uint32_t dynamic_shared;
    bool cooperative;
    bool has_preferred_shared, has_parent; /* as in sl_emu_launch */
    uint32_t preferred_shared;             /* the same */
    uint64_t parent;                       /* the same */
    uint32_t depth;                        /* of nesting: 0 for launches of the host */
    const char *label[SL_LABELS];          /* as in sl_emu_launch: of when it was issued */
    void *params;                          /* packed; owned */
    size_t param_bytes;
} sl_proc_launch;

/* A number in memory that a stream writes, or waits for. */
typedef struct sl_proc_value {
    void *address;
    uint64_t value;
    uint32_t bytes; /* 4 or 8; 0: only a barrier */
    bool wait;
    uint32_t flags; /* how a wait compares */
} sl_proc_value;

typedef enum sl_proc_op_kind {
    SL_PROC_EMPTY,
    SL_PROC_LAUNCH,
    SL_PROC_COPY,
    SL_PROC_FILL,
    SL_PROC_HOST,
    SL_PROC_CALLBACK,
    SL_PROC_RECORD,
    SL_PROC_WAIT,
    SL_PROC_CHILD,
    SL_PROC_ALLOC,
    SL_PROC_FREE,
    SL_PROC_CONDITIONAL,
    SL_PROC_VALUES,
} sl_proc_op_kind;

/* One piece of work of a stream: run at once, or kept in a graph. */
typedef struct sl_proc_op {
    sl_proc_op_kind kind;
    cudaStream_t stream; /* where it was issued */
    union {
        sl_proc_launch launch;
        sl_proc_copy copy;
        sl_proc_fill fill;
        struct {
            cudaHostFn_t function;
            cudaStreamCallback_t callback;
            void *data;
        } host;
        cudaEvent_t event;
        cudaGraph_t child; /* owned */
        struct {
            void *pointer;
            size_t bytes; /* of an allocation */
        } memory;
        struct {
            uint64_t handle;
            cudaGraphConditionalNodeType type;
            unsigned count;
            cudaGraph_t *body; /* owned, and so are they */
        } conditional;
        struct {
            unsigned count;
            sl_proc_value *item; /* owned */
        } values;
    };
} sl_proc_op;

typedef SL_ARRAY(sl_proc_op) sl_proc_ops;

typedef SL_ARRAY(cudaGraphNode_t) sl_proc_nodes;

struct sl_proc_stream {
    uint64_t id;
    unsigned flags;
    int priority;
    cudaGraph_t capture; /* graph under construction, or NULL */
    sl_proc_nodes last;  /* what the next node of this stream comes after */
    bool capture_origin, capture_invalid;
    SL_ARRAY(cudaLaunchAttribute) attributes; /* as they were set */
    unsigned long long capture_id;
    uint32_t slot; /* of the order */
    struct sl_proc_stream *next;
};

struct sl_proc_event {
    unsigned flags;
    bool recorded;
    uint64_t time_ns;
    cudaGraph_t capture; /* recorded in a capturing stream */
    sl_proc_nodes captured_after;
    unsigned long long capture_id;
    sl_proc_order_mark mark;
    struct sl_proc_event *next;
};

typedef struct sl_proc_pages {
    uint64_t first, end;
} sl_proc_pages;

/* An allocation of another process, here. */
typedef struct sl_proc_foreign {
    sl_proc_ipc_handle handle;
    uint64_t at, mapped; /* its pages */
    unsigned users;
} sl_proc_foreign;

typedef struct sl_proc_edge {
    cudaGraphNode_t from;
    uint64_t data; /* a cudaGraphEdgeData: 0, or how early the next kernel may start, which changes nothing here */
} sl_proc_edge;

struct sl_proc_node {
    sl_proc_op op;
    cudaGraph_t graph;
    bool disabled;
    SL_ARRAY(sl_proc_edge) after;
    SL_ARRAY(cudaLaunchAttribute) attributes; /* of a kernel, as they were set */
    void **args;    /* pointers into the arguments of a launch, for a program that asks for them; NULL: not yet */
    unsigned index; /* position in the graph; used while sorting and cloning */
};

struct sl_proc_graph {
    SL_ARRAY(cudaGraphNode_t) nodes;    /* in the order they were added */
    unsigned users;                     /* the program's handle, executables, nodes of other graphs */
    SL_ARRAY(cudaUserObject_t) objects; /* kept as long as the graph, once for each reference */
};

struct sl_proc_user_object {
    void *data;
    cudaHostFn_t destroy;
    unsigned users;
};

struct sl_proc_graph_exec {
    cudaGraph_t graph; /* a private copy */
    unsigned long long flags;
};

/* What decides which body of a conditional node runs. */
typedef struct sl_proc_condition {
    uint32_t value, initial;
    bool starts_over; /* with each launch of the graph */
} sl_proc_condition;

typedef struct sl_proc_results sl_proc_results;

struct sl_proc {
    pid_t pid; /* the process that started it: after a fork it is of no use */
    bool started;
    cudaError_t start_error;
    sl_proc_options options;
    sl_emu *emu;
    sl_machine *model;     /* of options.device; NULL: not asked for yet */
    cudaError_t fault;     /* a kernel broke the context: every later call says so, until cudaDeviceReset */
    sl_progress_line line; /* of launches that take long */
    sl_progress progress;
    sl_cpu_times spent;  /* without that of threads of the emulator, until it is destroyed */
    uint64_t entered_ns; /* CPU time of the thread that holds the lock, when it took it */
    uint64_t time_ns;
    unsigned device_flags;
    size_t limits[SL_PROC_LIMITS];
    int cache_config, shared_config;
    SL_ARRAY(char) printed; /* kernels' printf output that no sync point has passed on yet */
    SL_ARRAY(sl_proc_binary *) binaries;
    SL_ARRAY(sl_proc_function *) functions;
    SL_ARRAY(sl_proc_variable *) variables;
    sl_map function_by_host, variable_by_host;
    sl_map warned; /* warnings that were printed; not repeated */
    sl_map sites;  /* call_site.c: by address */
    struct sl_proc_stream default_stream;
    struct sl_proc_stream *streams;
    struct sl_proc_event *events;
    sl_proc_order order; /* --check=race */
    uint64_t next_stream;
    sl_proc_context primary, *contexts; /* the others */
    uint64_t next_context;
    struct sl_proc_array *arrays;
    struct sl_proc_mipmap *mipmaps;
    struct sl_proc_texture *textures;
    struct sl_proc_pool *pools;
    struct sl_proc_range *ranges; /* virtual_memory.c */
    struct sl_proc_physical *physical;
    int shared_file;                      /* processes.c; 0: none yet */
    SL_ARRAY(sl_proc_pages) shared_pages; /* that are in it */
    SL_ARRAY(sl_proc_foreign) foreign;
    SL_ARRAY(void *) graph_memory; /* allocated by nodes of graphs: it is there as long as the device */
    uint64_t graph_bytes;
    SL_ARRAY(sl_proc_condition) conditions; /* a handle is 1 + the index */
    unsigned long long captures;
    sl_proc_results *results;
    sl_plan_list plans;                         /* to apply to the program's PTX */
    sl_program_results planned;                 /* what the program did, for options.planned */
    sl_proc_function *launching;                /* the kernel that was launched last */
    struct sl_proc_device_calls *device_calls;  /* what kernels have; NULL: no kernel has called anything */
    struct {                                    /* by the host's running launch and those that descend from it */
        uint32_t depth;                         /* of the kernel that runs */
        uint64_t launches, instructions, bytes; /* of kernels, that they executed, copied and filled */
    } descent;
    volatile sig_atomic_t in_launch, stop; /* a kernel runs; a signal asks to end it */
};

/* ---- core.c ---- */

/* After a launch: if a signal ended it, the program ends by that signal. */
void sl_proc_end_interrupted(sl_proc *rt);

#pragma GCC visibility push(default) /* for the two interfaces, under a name of their own: see CMakeLists.txt */

/* Takes the lock; the device may not be started yet. */
sl_proc *sl_proc_enter(void);
/* Starts the device if need be; cudaSuccess when work can be done. */
cudaError_t sl_proc_ready(sl_proc *rt);
/* At the end of a call, and around calls into the program. */
void sl_proc_unlock(sl_proc *rt);
void sl_proc_relock(sl_proc *rt);

/* One line "sluice: …" on stderr. */
void sl_proc_say(const char *format, ...) SL_PRINTF(1, 2);
void sl_proc_say_error(const char *what, const sl_error *error);
/* The same, once for each text, and the run is no success: the program continues without something it needs. */
void sl_proc_problem(sl_proc *rt, const char *format, ...) SL_PRINTF(2, 3);
/* The file that an address lies in, for messages: "app", "libcublas.so.13". */
const char *sl_proc_file_at(const void *address);
/* Which of CUDA's own libraries a file is, from 1; 0: none of them. */
enum { SL_PROC_CUDA_LIBRARIES = 7 };
unsigned sl_proc_cuda_library(const char *file);
/* Says once per process that `name` is not there; returns cudaErrorNotSupported. */
cudaError_t sl_proc_missing(const char *name, bool *said);
struct sl_tensor_map;
/* Why the emulator could not use a tensor map; NULL: it can. */
const char *sl_proc_tensor_map_wrong(const struct sl_tensor_map *map);
/* The error number for a failure of the library that is no kernel fault. */
cudaError_t sl_proc_error_of(sl_status status);
/* A point at which CUDA passes kernels' printf output on. */
void sl_proc_flush_printed(sl_proc *rt);
/* Throws away the device and everything on it (cudaDeviceReset). */
void sl_proc_reset(sl_proc *rt);
/* Name and text of an error, or NULL. */
const char *sl_proc_error_name(cudaError_t error);
const char *sl_proc_error_text(cudaError_t error);

/* ---- context.c ---- */

/* The current context of this thread, or NULL. */
sl_proc_context *sl_proc_context_current(sl_proc *rt);
/* Makes the primary context current where the thread has none, as every call of the runtime does. */
void sl_proc_context_need(sl_proc *rt);
bool sl_proc_context_known(sl_proc *rt, const sl_proc_context *context);
cudaError_t sl_proc_context_create(sl_proc *rt, unsigned flags, sl_proc_context **context);
/* Also removes it from this thread's stack. */
cudaError_t sl_proc_context_destroy(sl_proc *rt, sl_proc_context *context);
cudaError_t sl_proc_context_push(sl_proc *rt, sl_proc_context *context);
cudaError_t sl_proc_context_pop(sl_proc *rt, sl_proc_context **context);
/* Replaces the top of the stack; NULL removes it. */
cudaError_t sl_proc_context_set(sl_proc *rt, sl_proc_context *context);

/* ---- device.c ---- */

#define SL_PCI_BUS_ID "0000:01:00.0"
enum { SL_DRIVER_VERSION = 13000, SL_LAST_ATTRIBUTE = 147 };
const sl_machine *sl_proc_machine(const sl_proc *rt);
const sl_gpu_limits *sl_proc_limits(const sl_proc *rt);
/* The GPU model whose properties a program of OpenCL sees. Programs of CUDA see the emulator's, an H200. */
const sl_machine *sl_proc_model(sl_proc *rt);
sl_gpu_limits sl_proc_model_limits(sl_proc *rt);
/* 10 × major + minor: of the device as programs see it. */
uint32_t sl_proc_capability(const sl_proc *rt);
/* The same as a library of CUDA sees it (0: the program). Most kernels of these libraries are machine code for the GPUs
 * that they know, and PTX for later ones: unless --compute-capability says something else, the device is a later one.
 */
uint32_t sl_proc_capability_for(const sl_proc *rt, unsigned library);
/* Value of a cudaDeviceAttr, which is the CUdevice_attribute of that number; 0 for what is not there. */
int sl_proc_attribute(sl_proc *rt, int attribute);
char *sl_proc_device_name(const sl_machine *machine, char *buffer, size_t size);
void sl_proc_device_uuid(char uuid[16]);
cudaError_t sl_proc_device_attribute(sl_proc *rt, int *value, int attribute, int device);
cudaError_t sl_proc_device_pci_id(char *text, int length, int device);
cudaError_t sl_proc_limit(sl_proc *rt, cudaLimit which, size_t *get, const size_t *set);

/* ---- registry.c ---- */

/* Registration by the runtime. */
sl_proc_binary *sl_proc_register_binary(sl_proc *rt, const sl_fatbin_wrapper *wrapper);
void sl_proc_register_function(sl_proc *rt, sl_proc_binary *binary, const void *host, const char *name);
void sl_proc_register_variable(sl_proc *rt, sl_proc_binary *binary, const void *host, const char *name, size_t bytes,
                               bool managed);
/* Images given to the driver: a fat binary's wrapper or container, or PTX text. They are not needed afterwards.
 * `why`: room for a sentence about a failure, which is also reported. */
cudaError_t sl_proc_image_load(sl_proc *rt, const void *image, const void *origin, sl_proc_binary **binary, char *why,
                               size_t size);
cudaError_t sl_proc_image_load_file(sl_proc *rt, const char *path, const void *origin, sl_proc_binary **binary,
                                    char *why, size_t size);
cudaError_t sl_proc_binary_unload(sl_proc *rt, sl_proc_binary *binary);
/* What is in a library that may not be one. */
cudaError_t sl_proc_library_kernel(sl_proc *rt, sl_proc_function **kernel, sl_proc_binary *library, const char *name);
/* `kernels` NULL: only how many there are. */
cudaError_t sl_proc_library_kernels(sl_proc *rt, sl_proc_function **kernels, unsigned room, unsigned *count,
                                    sl_proc_binary *library);
cudaError_t sl_proc_library_variable(sl_proc *rt, void **address, size_t *bytes, sl_proc_binary *library,
                                     const char *name);
bool sl_proc_binary_known(const sl_proc *rt, const sl_proc_binary *binary);
/* Takes back a registered binary or unloads an image. Its functions and variables stay known but are refused. */
void sl_proc_binary_release(sl_proc *rt, sl_proc_binary *binary);
cudaError_t sl_proc_binary_load(sl_proc *rt, sl_proc_binary *binary);
/* A kernel of an image by name. */
cudaError_t sl_proc_binary_function(sl_proc *rt, sl_proc_binary *binary, const char *name, sl_proc_function **function);
/* The kernel behind a host stub or a handle, or NULL. Its binary may have been taken back. */
sl_proc_function *sl_proc_function_find(const sl_proc *rt, const void *function);
/* The same, ready to run, unless its binary has been. */
cudaError_t sl_proc_function_get(sl_proc *rt, const void *function, sl_proc_function **found);
cudaError_t sl_proc_variable_address(sl_proc *rt, const void *symbol, char **address, size_t *bytes);
cudaError_t sl_proc_function_param(sl_proc *rt, const void *host, size_t index, size_t *offset, size_t *bytes);

/* ---- link.c ---- */

/* Version of a container that the linker made: its texts are linked with each other, not chosen from. */
enum { SL_LINKED_VERSION = 0x534c };
struct sl_proc_linker;
cudaError_t sl_proc_linker_create(struct sl_proc_linker **linker);
void sl_proc_linker_destroy(struct sl_proc_linker *linker);
/* PTX, a fat binary, or an object file with one; says why it cannot be used. */
cudaError_t sl_proc_linker_add(sl_proc *rt, struct sl_proc_linker *linker, const void *data, size_t bytes);
cudaError_t sl_proc_linker_add_file(sl_proc *rt, struct sl_proc_linker *linker, const char *path);
/* An image for sl_proc_image_load, which lives as long as the linker. */
cudaError_t sl_proc_linker_complete(struct sl_proc_linker *linker, void **image, size_t *bytes);

/* ---- stream.c ---- */

bool sl_proc_stream_known(sl_proc *rt, cudaStream_t stream, struct sl_proc_stream **found);
/* Runs the work now, or adds it to the graph that the stream is capturing. Owned parts of `op` are taken over. */
cudaError_t sl_proc_submit(sl_proc *rt, cudaStream_t stream, sl_proc_op *op);
/* Frees the owned parts of work that is not submitted. */
void sl_proc_op_fini(sl_proc *rt, sl_proc_op *op);
/* For calls that wait: fails when a stream is being captured that they would wait for. */
cudaError_t sl_proc_synchronize(sl_proc *rt, cudaStream_t stream);
cudaError_t sl_proc_device_synchronize(sl_proc *rt);
cudaError_t sl_proc_stream_create(sl_proc *rt, cudaStream_t *stream, unsigned flags, int priority);
cudaError_t sl_proc_stream_destroy(sl_proc *rt, cudaStream_t stream);
/* What is not asked for is NULL. */
cudaError_t sl_proc_stream_facts(sl_proc *rt, cudaStream_t stream, unsigned *flags, int *priority, uint64_t *id);
/* `set` NULL: what was set before, or zeros. */
cudaError_t sl_proc_stream_attribute(sl_proc *rt, cudaStream_t stream, int id, void *get, const void *set);
/* For calls that change nothing here: is there such a stream? */
cudaError_t sl_proc_stream_hint(sl_proc *rt, cudaStream_t stream);
cudaError_t sl_proc_submit_host(sl_proc *rt, cudaStream_t stream, cudaHostFn_t function, cudaStreamCallback_t callback,
                                void *data);
cudaError_t sl_proc_event_create(sl_proc *rt, cudaEvent_t *event, unsigned flags);
cudaError_t sl_proc_event_destroy(sl_proc *rt, cudaEvent_t event);
cudaError_t sl_proc_event_record(sl_proc *rt, cudaEvent_t event, cudaStream_t stream);
cudaError_t sl_proc_event_wait(sl_proc *rt, cudaStream_t stream, cudaEvent_t event);
cudaError_t sl_proc_event_synchronize(sl_proc *rt, cudaEvent_t event);
cudaError_t sl_proc_event_elapsed(sl_proc *rt, float *milliseconds, cudaEvent_t start, cudaEvent_t end);

/* ---- launch.c ---- */

/* A launch as a program asks for it. */
typedef struct sl_proc_config {
    const void *function; /* stub or handle */
    dim3 grid, block;
    size_t shared;
    bool cooperative;
    bool has_carveout;
    uint32_t carveout;  /* where has_carveout: percent of shared memory; UINT32_MAX: no preference */
    dim3 cluster;       /* blocks of a cluster; zeroes: what the kernel requires, or none */
    void **args;        /* a pointer per parameter; NULL: */
    const void *packed; /* all of them as PTX lays them out */
    size_t packed_bytes;
} sl_proc_config;

typedef struct sl_proc_function_facts {
    uint32_t static_shared, const_bytes, local_bytes, registers;
    uint32_t max_threads, max_dynamic_shared;
    uint32_t ptx_version, binary_version; /* 90 */
    int carveout;
    bool must_set_cluster, large_clusters;
    int cluster[3], cluster_policy; /* of the first: what the kernel requires */
} sl_proc_function_facts;

/* Arguments as the driver takes them besides a pointer per parameter: a list of kinds and values that ends with 0. */
cudaError_t sl_proc_config_extra(sl_proc_config *config, void **extra);
cudaError_t sl_proc_launch_make(sl_proc *rt, const sl_proc_config *config, sl_proc_op *op);
cudaError_t sl_proc_launch_issue(sl_proc *rt, const sl_proc_config *config, cudaStream_t stream);
/* What a driver of CUDA 13 makes of the reasons for refusing a launch: it is less exact than its predecessors. */
cudaError_t sl_proc_refusal(cudaError_t error);
/* Reads attributes of a launch, of the runtime or the driver (which have the same layout). */
cudaError_t sl_proc_launch_attributes(const cudaLaunchAttribute *attributes, unsigned count, sl_proc_config *config);
/* Clusters that fit the device at once, and the largest cluster that a kernel may be launched with. */
cudaError_t sl_proc_active_clusters(sl_proc *rt, int *clusters, const sl_proc_config *config);
cudaError_t sl_proc_largest_cluster(sl_proc *rt, int *blocks, const sl_proc_config *config);
cudaError_t sl_proc_function_describe(sl_proc *rt, const void *function, sl_proc_function_facts *facts);
/* cudaFuncCache: which part of the unified cache the kernel prefers. */
cudaError_t sl_proc_function_cache_config(sl_proc *rt, const void *function, int config);
cudaError_t sl_proc_function_set(sl_proc *rt, const void *function, cudaFuncAttribute attribute, int value);
/* Is it ready to run? For preferences that change nothing. */
cudaError_t sl_proc_function_check(sl_proc *rt, const void *function);
cudaError_t sl_proc_occupancy(sl_proc *rt, int *blocks, const void *function, int threads, size_t shared);
cudaError_t sl_proc_available_shared(sl_proc *rt, size_t *shared, const void *function, int blocks, int threads);

/* ---- virtual_memory.c ---- */

struct sl_proc_physical; /* memory without an address */
size_t sl_proc_vm_granularity(void);
cudaError_t sl_proc_vm_reserve(sl_proc *rt, uint64_t *address, size_t bytes, size_t align);
cudaError_t sl_proc_vm_unreserve(sl_proc *rt, uint64_t address, size_t bytes);
cudaError_t sl_proc_vm_create(sl_proc *rt, struct sl_proc_physical **memory, size_t bytes);
/* Gives a handle back; the memory is there as long as it is mapped. */
cudaError_t sl_proc_vm_release(sl_proc *rt, struct sl_proc_physical *memory);
cudaError_t sl_proc_vm_size(const sl_proc *rt, const struct sl_proc_physical *memory, size_t *bytes);
/* As a file descriptor, which the caller closes. */
cudaError_t sl_proc_vm_export(const sl_proc *rt, const struct sl_proc_physical *memory, int *file);
cudaError_t sl_proc_vm_import(sl_proc *rt, struct sl_proc_physical **memory, int file);
cudaError_t sl_proc_vm_map(sl_proc *rt, uint64_t address, size_t bytes, struct sl_proc_physical *memory);
cudaError_t sl_proc_vm_unmap(sl_proc *rt, uint64_t address, size_t bytes);
/* What is mapped can be accessed only then. */
cudaError_t sl_proc_vm_set_access(sl_proc *rt, uint64_t address, size_t bytes, unsigned access);
cudaError_t sl_proc_vm_access(const sl_proc *rt, uint64_t address, unsigned *access);
/* Another handle of the memory at an address. */
cudaError_t sl_proc_vm_retain(const sl_proc *rt, uint64_t address, struct sl_proc_physical **memory);

bool sl_proc_vm_holds(const sl_proc *rt, uint64_t address);

/* ---- processes.c ---- */

/* `handle`: room for an sl_proc_ipc_handle, of any alignment. */
cudaError_t sl_proc_share_memory(sl_proc *rt, void *handle, const void *pointer);
cudaError_t sl_proc_open_memory(sl_proc *rt, void **pointer, sl_proc_ipc_handle handle, unsigned flags);
cudaError_t sl_proc_close_memory(sl_proc *rt, const void *pointer);
cudaError_t sl_proc_share_event(sl_proc *rt, void *handle, cudaEvent_t event);
cudaError_t sl_proc_open_event(sl_proc *rt, cudaEvent_t *event, sl_proc_ipc_handle handle);

/* ---- copy.c ---- */

/* Where an element of a pitched block lies. An error, not another address, where there is none. */
cudaError_t sl_proc_pitched_at(void *base, size_t x, size_t y, size_t z, size_t pitch, size_t slice, char **at);
cudaError_t sl_proc_copy_of_params(sl_proc *rt, const cudaMemcpy3DParms *params, sl_proc_copy *copy);
/* `wait`: the call returns only when the copy is done, and so passes printf output on. Offsets and widths of arrays are
 * in bytes. */
cudaError_t sl_proc_copy_submit(sl_proc *rt, const sl_proc_copy *copy, cudaStream_t stream, bool wait);
cudaError_t sl_proc_copy_1d(sl_proc *rt, void *dst, const void *src, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream, bool wait);
/* *failed: which of them could not be issued. */
cudaError_t sl_proc_copy_batch(sl_proc *rt, void *const *dst, const void *const *src, const size_t *bytes, size_t count,
                               size_t *failed, cudaStream_t stream);
cudaError_t sl_proc_copy_2d(sl_proc *rt, void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t width,
                            size_t height, cudaMemcpyKind kind, cudaStream_t stream, bool wait);
cudaError_t sl_proc_copy_3d(sl_proc *rt, const cudaMemcpy3DParms *params, cudaStream_t stream, bool wait);
cudaError_t sl_proc_copy_array_2d(sl_proc *rt, cudaArray_t array, size_t x, size_t y, void *out, const void *in,
                                  size_t pitch, size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream,
                                  bool wait);
cudaError_t sl_proc_copy_array_run(sl_proc *rt, cudaArray_t array, size_t x, size_t y, char *out, const char *in,
                                   size_t bytes, cudaMemcpyKind kind, cudaStream_t stream, bool wait);
cudaError_t sl_proc_copy_arrays(sl_proc *rt, cudaArray_t dst, size_t dst_x, size_t dst_y, cudaArray_t src, size_t src_x,
                                size_t src_y, size_t width, size_t height, cudaMemcpyKind kind);
cudaError_t sl_proc_copy_array_runs(sl_proc *rt, cudaArray_t dst, size_t dst_x, size_t dst_y, cudaArray_t src,
                                    size_t src_x, size_t src_y, size_t bytes, cudaMemcpyKind kind);
cudaError_t sl_proc_fill_submit(sl_proc *rt, const sl_proc_fill *fill, cudaStream_t stream);

/* call_site.c: the functions of the program that the call comes from, and the offsets in them:
 * "in on_device<float>+0x2c, main+0x4e". False: they are unknown. */
bool sl_proc_call_site(sl_proc *rt, char *text, size_t size);
/* The library of CUDA that the call comes from (sl_proc_cuda_library); 0: from elsewhere. */
unsigned sl_proc_calling_library(sl_proc *rt);
/* The names of those that led to the launch of a kernel, outermost first, a line each. The same. */
bool sl_proc_callers(sl_proc *rt, const char *symbol, char *text, size_t size);

/* ---- labels.c: NVTX's ranges and marks, and what a launch belongs to ---- */

/* A name that NVTX is given, as the label of a launch has it: "domain:name" on one line. Lives as long as the process;
 * NULL when memory runs out. `domain` may be NULL. */
const char *sl_proc_label(const char *domain, const char *name);
/* Ranges of this thread, of each domain nested: how many enclose it, or -2. Names are labels, or NULL. */
int sl_proc_range_push(const void *domain, const char *name);
int sl_proc_range_pop(const void *domain);
/* Ranges of the process: a number that is not 0, unless too many are open. */
uint64_t sl_proc_range_start(const char *name);
void sl_proc_range_end(uint64_t range);
void sl_proc_mark(const char *name);
/* Labels that this thread gives to a launch that it issues now. */
void sl_proc_labels_now(sl_proc *rt, const char *symbol, const char *label[SL_LABELS]);

/* ---- memory.c ---- */

cudaError_t sl_proc_alloc(sl_proc *rt, void **pointer, size_t bytes, sl_alloc_kind kind);
cudaError_t sl_proc_free(sl_proc *rt, void *pointer);
/* Memory of a node of a graph. Every launch gets the same memory: it is never given back. */
cudaError_t sl_proc_alloc_for_graph(sl_proc *rt, void **pointer, size_t bytes);
cudaError_t sl_proc_graph_memory(sl_proc *rt, int attribute, uint64_t *bytes);
/* What a pointer points into; false: nothing of ours. */
bool sl_proc_pointer_find(sl_proc *rt, const void *pointer, cudaMemoryType *type, char **base, size_t *bytes);
/* `host`: pinned memory, which is freed by calls of its own. */
cudaError_t sl_proc_free_kind(sl_proc *rt, void *pointer, bool host);
cudaError_t sl_proc_alloc_pitched(sl_proc *rt, void **pointer, size_t *pitch, size_t width, size_t height,
                                  size_t depth);
cudaError_t sl_proc_register_host(sl_proc *rt, void *pointer, size_t bytes, unsigned flags);
cudaError_t sl_proc_unregister_host(sl_proc *rt, void *pointer);
cudaError_t sl_proc_host_pointer(sl_proc *rt, void **device, void *host);
cudaError_t sl_proc_host_flags(sl_proc *rt, unsigned *flags, void *host);
cudaError_t sl_proc_memory_info(sl_proc *rt, size_t *available, size_t *total);
/* For advice about managed memory, which changes nothing here. */
cudaError_t sl_proc_check_managed(sl_proc *rt, const void *pointer, size_t bytes);
cudaError_t sl_proc_check_managed_batch(sl_proc *rt, void *const *pointer, const size_t *bytes, size_t count);
enum { SL_ACCESS_READ_WRITE = 3 };
bool sl_proc_pool_known(sl_proc *rt, cudaMemPool_t pool);
cudaError_t sl_proc_pool_check(sl_proc *rt, cudaMemPool_t pool); /* for settings that change nothing here */
cudaError_t sl_proc_default_pool(sl_proc *rt, cudaMemPool_t *pool, int device);
cudaError_t sl_proc_pool_create(sl_proc *rt, cudaMemPool_t *pool, const cudaMemPoolProps *props);
cudaError_t sl_proc_pool_destroy(sl_proc *rt, cudaMemPool_t pool);
cudaError_t sl_proc_pool_attribute(sl_proc *rt, cudaMemPool_t pool, cudaMemPoolAttr attribute, void *value, bool set);
cudaError_t sl_proc_alloc_async(sl_proc *rt, void **pointer, size_t bytes, cudaStream_t stream);
cudaError_t sl_proc_free_async(sl_proc *rt, void *pointer, cudaStream_t stream);

/* ---- array.c ---- */

enum { SL_MAX_LINEAR_TEXELS = 1 << 28 };
/* Where element row y, slice z of an array starts, and its shape in bytes. */
typedef struct sl_proc_array_shape {
    char *data;
    size_t element_bytes, pitch, slice, width, height, depth; /* width in elements */
} sl_proc_array_shape;
cudaError_t sl_proc_array_shape_of(sl_proc *rt, cudaArray_t array, sl_proc_array_shape *shape);
cudaError_t sl_proc_array_create(sl_proc *rt, cudaArray_t *array, const cudaChannelFormatDesc *format,
                                 cudaExtent extent, unsigned flags);
cudaError_t sl_proc_array_free(sl_proc *rt, cudaArray_t array);
cudaError_t sl_proc_array_info(sl_proc *rt, cudaChannelFormatDesc *format, cudaExtent *extent, unsigned *flags,
                               cudaArray_t array);
/* Their levels are arrays that go with them. */
cudaError_t sl_proc_mipmap_create(sl_proc *rt, cudaMipmappedArray_t *mipmap, const cudaChannelFormatDesc *format,
                                  cudaExtent extent, unsigned levels, unsigned flags);
cudaError_t sl_proc_mipmap_level(sl_proc *rt, cudaArray_t *array, cudaMipmappedArray_t mipmap, unsigned level);
cudaError_t sl_proc_mipmap_free(sl_proc *rt, cudaMipmappedArray_t mipmap);
/* `view` may be NULL. */
cudaError_t sl_proc_texture_create(sl_proc *rt, cudaTextureObject_t *object, const sl_proc_resource *resource,
                                   const cudaTextureDesc *desc, const cudaResourceViewDesc *view);
cudaError_t sl_proc_surface_create(sl_proc *rt, cudaTextureObject_t *object, const sl_proc_resource *resource);
cudaError_t sl_proc_texture_destroy(sl_proc *rt, cudaTextureObject_t object, bool surface);
/* What is not asked for is NULL. */
cudaError_t sl_proc_texture_descs(sl_proc *rt, sl_proc_resource *resource, cudaTextureDesc *desc,
                                  cudaResourceViewDesc *view, cudaTextureObject_t object);
/* Textures and surfaces as the emulator has them; their memory is the caller's. Those that are made one after the other
 * have numbers that follow each other. */
cudaError_t sl_proc_sampled_create(sl_proc *rt, const sl_texture *texture, uint64_t *object);
void sl_proc_sampled_destroy(sl_proc *rt, uint64_t object);
cudaError_t sl_proc_surface_resource(sl_proc *rt, sl_proc_resource *resource, cudaTextureObject_t object);

/* ---- capture.c ---- */

cudaError_t sl_proc_capture_begin(sl_proc *rt, cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *after,
                                  const void *edges, size_t count);
cudaError_t sl_proc_capture_end(sl_proc *rt, cudaStream_t stream, cudaGraph_t *graph);
/* A stream that is destroyed takes the capture with it that began there. */
void sl_proc_capture_abandon(sl_proc *rt, struct sl_proc_stream *stream);
cudaError_t sl_proc_capture_info(sl_proc *rt, cudaStream_t stream, int *status, unsigned long long *id,
                                 cudaGraph_t *graph, const cudaGraphNode_t **after, size_t *count);
/* Adds to what the next node comes after, or replaces it. */
cudaError_t sl_proc_capture_depend(sl_proc *rt, cudaStream_t stream, const cudaGraphNode_t *after, const void *edges,
                                   size_t count, unsigned flags);

/* ---- graph.c ---- */

cudaGraph_t sl_proc_graph_new(void);
void sl_proc_graph_release(sl_proc *rt, cudaGraph_t graph);
cudaGraph_t sl_proc_graph_clone(sl_proc *rt, cudaGraph_t graph);
/* Takes over owned parts of `op`. `edges`: a cudaGraphEdgeData for each of `after`; NULL: all zero. */
cudaError_t sl_proc_graph_add_node(sl_proc *rt, cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                   const void *edges, size_t count, sl_proc_op *op);
cudaError_t sl_proc_node_destroy(sl_proc *rt, cudaGraphNode_t node);
cudaError_t sl_proc_graph_add_dependencies(const cudaGraphNode_t *from, const cudaGraphNode_t *to, const void *edges,
                                           size_t count);
cudaError_t sl_proc_graph_remove_dependencies(const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count);
/* Lists take as much as there is room for, and say how much there is. `edges`: room for data of edges, or NULL. */
cudaError_t sl_proc_graph_list(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count, bool roots);
cudaError_t sl_proc_graph_edges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, void *edges,
                                size_t *count);
cudaError_t sl_proc_node_neighbors(cudaGraphNode_t node, bool after, cudaGraphNode_t *nodes, void *edges,
                                   size_t *count);
/* The node of a copy of the graph, or of an executable, that was made from `node`; NULL: none. */
cudaGraphNode_t sl_proc_node_in_clone(cudaGraph_t clone, cudaGraphNode_t node);
cudaGraphNode_t sl_proc_node_in_exec(cudaGraphExec_t exec, cudaGraphNode_t node);
cudaError_t sl_proc_graph_dot(cudaGraph_t graph, const char *path);
cudaError_t sl_proc_graph_instantiate(sl_proc *rt, cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags);
cudaError_t sl_proc_graph_launch(sl_proc *rt, cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t sl_proc_graph_update(sl_proc *rt, cudaGraphExec_t exec, cudaGraph_t graph,
                                 cudaGraphExecUpdateResultInfo *info);
/* As CUDA 11 answers. */
cudaError_t sl_proc_graph_update_11(sl_proc *rt, cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *node,
                                    int *result);
void sl_proc_graph_exec_destroy(sl_proc *rt, cudaGraphExec_t exec);
cudaError_t sl_proc_condition_create(sl_proc *rt, unsigned long long *handle, cudaGraph_t graph, unsigned value,
                                     unsigned flags);
/* From kernels; false: no such handle. */
bool sl_proc_condition_set(sl_proc *rt, uint64_t handle, uint32_t value);
cudaError_t sl_proc_object_create(cudaUserObject_t *object, void *data, cudaHostFn_t destroy, unsigned users);
cudaError_t sl_proc_object_retain(cudaUserObject_t object, unsigned count);
cudaError_t sl_proc_object_release(sl_proc *rt, cudaUserObject_t object, unsigned count);
cudaError_t sl_proc_graph_retain(cudaGraph_t graph, cudaUserObject_t object, unsigned count, unsigned flags);
cudaError_t sl_proc_graph_unretain(sl_proc *rt, cudaGraph_t graph, cudaUserObject_t object, unsigned count);

/* ---- graph_nodes.c ---- */

/* The work that parameters describe. An allocation and the bodies of a conditional node are made, and returned in
 * `params`. */
cudaError_t sl_proc_node_op(sl_proc *rt, cudaGraphNodeParams *params, sl_proc_op *op);
cudaError_t sl_proc_graph_add(sl_proc *rt, cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                              const void *edges, size_t count, cudaGraphNodeParams *params);
/* Parameters of one kind, in their own struct. */
cudaError_t sl_proc_graph_add_kind(sl_proc *rt, cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                   size_t count, cudaGraphNodeType type, void *params, size_t bytes);
cudaError_t sl_proc_node_set(sl_proc *rt, cudaGraphNode_t node, cudaGraphNodeParams *params);
cudaError_t sl_proc_node_set_kind(sl_proc *rt, cudaGraphNode_t node, cudaGraphNodeType type, const void *params,
                                  size_t bytes);
/* Puts other work of the same kind into a node; takes over owned parts of `op`. */
cudaError_t sl_proc_node_replace(sl_proc *rt, cudaGraphNode_t node, sl_proc_op *op);
cudaError_t sl_proc_node_type(cudaGraphNode_t node, cudaGraphNodeType *type);
cudaError_t sl_proc_node_get_kernel(cudaGraphNode_t node, cudaKernelNodeParams *params);
cudaError_t sl_proc_node_get_copy(cudaGraphNode_t node, cudaMemcpy3DParms *params);
cudaError_t sl_proc_node_get_fill(cudaGraphNode_t node, cudaMemsetParams *params);
cudaError_t sl_proc_node_get_host(cudaGraphNode_t node, cudaHostNodeParams *params);
cudaError_t sl_proc_node_get_alloc(cudaGraphNode_t node, cudaMemAllocNodeParams *params);
cudaError_t sl_proc_node_get_free(cudaGraphNode_t node, void **pointer);
cudaError_t sl_proc_node_get_child(cudaGraphNode_t node, cudaGraph_t *graph);
/* Of nodes that record an event, or wait for one. */
cudaError_t sl_proc_node_get_event(cudaGraphNode_t node, sl_proc_op_kind kind, cudaEvent_t *event);
/* Of kernels; `set` NULL: what was set before, or zeros. */
cudaError_t sl_proc_node_attribute(cudaGraphNode_t node, int id, void *get, const void *set);
cudaError_t sl_proc_node_copy_attributes(cudaGraphNode_t to, cudaGraphNode_t from);
/* `was` NULL: sets whether the node runs. */
cudaError_t sl_proc_node_enable(cudaGraphNode_t node, bool enabled, unsigned *was);

#pragma GCC visibility pop

/* ---- within the core ---- */

/* core.c: whether this text comes for the first time. */
bool sl_proc_is_new(sl_proc *rt, const char *text);
/* image.c: what the device is to the code of a binary. */
uint32_t sl_proc_binary_capability(const sl_proc *rt, const sl_proc_binary *binary);
/* image.c: takes the parts of an image over into `binary`. */
cudaError_t sl_proc_image_read(sl_proc *rt, sl_proc_binary *binary, const void *image, sl_error *error);
/* Makes a program of it on the device; sl_proc_binary_load does so once, and reports failures. */
cudaError_t sl_proc_binary_prepare(sl_proc *rt, sl_proc_binary *binary, sl_error *error);
cudaError_t sl_proc_run_op(sl_proc *rt, const sl_proc_op *op);
/* capture.c: adds nodes that are not there yet. False: out of memory. */
bool sl_proc_nodes_add(sl_proc_nodes *to, const cudaGraphNode_t *from, size_t count);
/* Adds work to the graph that the stream is capturing. */
cudaError_t sl_proc_capture_add(sl_proc *rt, struct sl_proc_stream *stream, sl_proc_op *op);
/* graph.c */
cudaError_t sl_proc_conditional_run(sl_proc *rt, const sl_proc_op *op);
cudaError_t sl_proc_child_run(sl_proc *rt, const sl_proc_op *op);
/* memory.c: writes values, or waits for them. */
cudaError_t sl_proc_values_run(sl_proc *rt, const sl_proc_op *op);
cudaError_t sl_proc_launch_run(sl_proc *rt, const sl_proc_launch *launch, uint64_t stream);
cudaError_t sl_proc_copy_run(sl_proc *rt, const sl_proc_copy *copy);
cudaError_t sl_proc_fill_run(sl_proc *rt, const sl_proc_fill *fill);
/* device_runtime.c: sl_emu_config.extern_find and extern_call; the context is the sl_proc. */
int sl_proc_device_function(void *context, const char *name);
void sl_proc_device_call(void *context, uint32_t number, const sl_emu_call *call);
/* Moves what the kernel that ran last has issued to the end of `to`, the first last. `launches`: how many were counted,
 * of which the last is the parent of those; 0: none is counted. False: out of memory. */
bool sl_proc_device_calls_move(sl_proc *rt, uint64_t launches, sl_proc_ops *to);
/* What each part keeps of a device that is thrown away. */
void sl_proc_device_calls_forget_device(sl_proc *rt);
void sl_proc_vm_forget_device(sl_proc *rt);
void sl_proc_processes_forget_device(sl_proc *rt);
void sl_proc_registry_forget_device(sl_proc *rt);
void sl_proc_streams_forget_device(sl_proc *rt);
void sl_proc_memory_forget_device(sl_proc *rt);
void sl_proc_arrays_forget_device(sl_proc *rt);

/* ---- results.c ---- */

/* Opens this process's results file (and trace) as the options say. *sink is NULL when nobody wants to know. */
sl_status sl_proc_results_open(sl_proc *rt, const sl_launch_sink **sink, sl_error *error);
/* 1 + the number of the launch that ran last; 0: nobody counts. */
uint64_t sl_proc_results_launches(const sl_proc *rt);
/* Addresses of kernels lose their meaning with the device, and with a module that is unloaded. */
void sl_proc_results_forget_kernels(sl_proc *rt);
void sl_proc_results_close(sl_proc *rt);
/* What is known of the CPU time, before the program is ended. */
void sl_proc_results_interrupted(sl_proc *rt);

#endif
