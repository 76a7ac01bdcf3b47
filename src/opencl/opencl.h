/* SPDX-License-Identifier: MIT */
/* OpenCL over the core (process/core.h): an installable client driver, which the ICD loader of OpenCL finds through a
 * vendors file. One platform with one device, the one that CUDA programs see.
 *
 * Objects are structs that begin with the loader's dispatch table; their memory is reused for objects of the same kind
 * alone, so that a handle that was released is refused instead of followed. Every entry point takes the core's lock.
 * Commands run when they are enqueued, as in the core, unless they wait for a user event: then, and with them all that
 * wait for them, when it is set.
 *
 *   dispatch.c   the table, extensions, entry points that are refused   platform.c  the platform
 *   object.c     objects: making, counting references, answers          device.c    the device
 *   context.c    contexts                                                queue.c     command queues
 *   command.c    commands: waiting, running                              event.c     events, profiling, callbacks
 *   buffer.c     buffers, sub-buffers, questions about memory            image.c     images
 *   sampler.c    samplers                                                transfer.c  reading, writing, copying, filling
 *   image_transfer.c  the same of images
 *   map.c        mapping                                                 program.c   programs: making, building
 *   compile.c    clang: source to LLVM IR to PTX, kept in a cache        options.c   build options
 *   metadata.c   what LLVM IR and PTX say of kernels                     program_info.c  questions about programs
 *   kernel.c     kernels and their arguments                             launch.c    launches
 *   builtins.cl  device functions that libclc lacks, or has slower */
#ifndef SL_OPENCL_OPENCL_H
#define SL_OPENCL_OPENCL_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl_icd.h>

#include "base/array.h"
#include "base/buffer.h"
#include "process/core.h"

/* ---- object.c ---- */

typedef enum sl_cl_kind {
    SL_CL_FREE, /* memory for an object */
    SL_CL_PLATFORM,
    SL_CL_DEVICE,
    SL_CL_CONTEXT,
    SL_CL_QUEUE,
    SL_CL_MEM,
    SL_CL_SAMPLER,
    SL_CL_PROGRAM,
    SL_CL_KERNEL,
    SL_CL_EVENT,
    SL_CL_KINDS,
} sl_cl_kind;

/* What every object begins with. */
typedef struct sl_cl_object {
    const cl_icd_dispatch *dispatch; /* the loader's: first */
    sl_cl_kind kind;
    cl_uint references; /* that the program has */
    cl_uint users;      /* objects and commands that need it */
    struct sl_cl_object *next_free;
} sl_cl_object;

/* A zeroed object with one reference; NULL: out of memory. */
void *sl_cl_new(sl_cl_kind kind);
/* Is it one of this kind, and there? NULL is not. */
bool sl_cl_is(const void *object, sl_cl_kind kind);
/* For those who need an object beyond the references of the program. */
void sl_cl_use(void *object);
void sl_cl_unuse(sl_proc *rt, void *object);
/* References of the program; `missing` is the error when it is no such object. */
cl_int sl_cl_retain(void *object, sl_cl_kind kind, cl_int missing);
cl_int sl_cl_release(sl_proc *rt, void *object, sl_cl_kind kind, cl_int missing);

/* Where the answer to a clGet…Info goes. */
typedef struct sl_cl_answer {
    size_t room;
    void *value;
    size_t *size;
} sl_cl_answer;

cl_int sl_cl_give(const sl_cl_answer *to, const void *value, size_t bytes);
cl_int sl_cl_give_text(const sl_cl_answer *to, const char *text);
#define SL_CL_GIVE(to, type, ...) sl_cl_give(to, &(type){__VA_ARGS__}, sizeof(type))

/* ---- entry points ---- */

/* Takes the lock and starts the device, whose fault is no failure: programs may ask and clean up. False: there is no
 * device. */
bool sl_cl_enter(sl_proc **rt);
/* Runs callbacks that are due, and releases the lock. */
void sl_cl_leave(sl_proc *rt);
/* Calls the callbacks that are due, without the lock; false: there were none. */
bool sl_cl_callbacks_run(sl_proc *rt);
/* Whether commands can run. */
static inline cl_int sl_cl_working(const sl_proc *rt)
{
    return rt->fault ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}
/* OpenCL's number for an error of the core. */
cl_int sl_cl_error_of(cudaError_t error);

/* A function of the program, to be called when the lock can be given up. */
typedef struct sl_cl_callback {
    enum {
        SL_CL_ON_EVENT,
        SL_CL_ON_MEM,
        SL_CL_ON_PROGRAM,
        SL_CL_ON_CONTEXT,
    } kind;
    union {
        void(CL_CALLBACK *event)(cl_event, cl_int, void *);
        void(CL_CALLBACK *mem)(cl_mem, void *);
        void(CL_CALLBACK *program)(cl_program, void *);
        void(CL_CALLBACK *context)(cl_context, void *);
    };
    void *object, *data;
    cl_int status;
} sl_cl_callback;
void sl_cl_callback_due(const sl_cl_callback *callback);

/* The body of an entry point: `expression`, a cl_int, uses `rt`. */
#define SL_CL_CALL(...)                                                                                                \
    do {                                                                                                               \
        sl_proc *rt;                                                                                                   \
        cl_int call_error_ = sl_cl_enter(&rt) ? (__VA_ARGS__) : CL_OUT_OF_RESOURCES;                                   \
        sl_cl_leave(rt);                                                                                               \
        return call_error_;                                                                                            \
    } while (0)

/* The same of one that makes an object: the expression sets `made`. */
#define SL_CL_MAKE(type, error, ...)                                                                                   \
    do {                                                                                                               \
        sl_proc *rt;                                                                                                   \
        type made = NULL;                                                                                              \
        cl_int call_error_ = sl_cl_enter(&rt) ? (__VA_ARGS__) : CL_OUT_OF_RESOURCES;                                   \
        sl_cl_leave(rt);                                                                                               \
        if (error)                                                                                                     \
            *(error) = call_error_;                                                                                    \
        return call_error_ ? NULL : made;                                                                              \
    } while (0)

/* ---- platform and device ---- */

struct _cl_platform_id {
    sl_cl_object object;
};

struct _cl_device_id {
    sl_cl_object object;
};

extern struct _cl_platform_id sl_cl_platform;
extern struct _cl_device_id sl_cl_device;
extern const cl_icd_dispatch sl_cl_dispatch;
#define SL_CL_EXTENSIONS                                                                                               \
    "cl_khr_icd cl_khr_global_int32_base_atomics cl_khr_global_int32_extended_atomics "                                \
    "cl_khr_local_int32_base_atomics cl_khr_local_int32_extended_atomics cl_khr_byte_addressable_store "               \
    "cl_khr_fp64 cl_khr_int64_base_atomics cl_khr_int64_extended_atomics cl_khr_3d_image_writes "                      \
    "cl_khr_image2d_from_buffer"

/* Properties that end with 0, as they were given; NULL: none. */
typedef struct sl_cl_properties {
    cl_ulong *item;
    size_t bytes;
} sl_cl_properties;

/* A device list of the program: our only device. */
cl_int sl_cl_devices_check(cl_uint count, const cl_device_id *devices);
uint32_t sl_cl_lanes(sl_proc *rt);
/* Of the GPU model, as far as the emulator goes along. */
sl_gpu_limits sl_cl_limits(sl_proc *rt);
uint64_t sl_cl_max_alloc(sl_proc *rt);
enum { SL_CL_MAX_EXTENSIONS = 24 };
size_t sl_cl_extension_list(cl_name_version *list);
enum { SL_CL_PRINTF_BYTES = 8 << 20, SL_CL_BASE_ALIGN_BITS = 4096, SL_CL_MAX_PARAMETER_BYTES = 4096 };

/* ---- context.c ---- */

struct _cl_context {
    sl_cl_object object;
    sl_cl_properties properties;
    SL_ARRAY(sl_cl_callback) destroyed;
    bool dead; /* no more callbacks are taken */
};
void sl_cl_context_fini(sl_proc *rt, cl_context context);

/* ---- queue.c ---- */

struct _cl_command_queue {
    sl_cl_object object;
    cl_context context;
    cl_command_queue_properties flags;
    sl_cl_properties properties;
    cudaStream_t stream;
    struct _cl_event *first, *last; /* commands that wait for a user event, in the order they were enqueued */
};
void sl_cl_queue_fini(sl_proc *rt, cl_command_queue queue);

/* ---- event.c, command.c ---- */

/* An event, and the command that it stands for. */
struct _cl_event {
    sl_cl_object object;
    cl_context context;
    cl_command_queue queue; /* NULL: a user event */
    cl_command_type type;
    cl_int status; /* CL_QUEUED … CL_COMPLETE, or an error */
    uint64_t queued_ns, submitted_ns, started_ns, ended_ns;
    SL_ARRAY(sl_cl_callback) callbacks; /* `status`: the one that they are for */
    /* what is still to do */
    SL_ARRAY(cl_event) waits;
    SL_ARRAY(sl_proc_op) ops;
    SL_ARRAY(void *) used;  /* objects */
    void *data;             /* of the command, malloc'ed; NULL: none */
    bool after_all;         /* waits for everything before it in its queue */
    bool is_barrier;        /* everything after it waits for it */
    struct _cl_event *next; /* in its queue */
};

/* A command for `queue`, which is checked, and its wait list. On failure there is nothing to free. */
cl_int sl_cl_command_new(sl_proc *rt, cl_command_queue queue, cl_command_type type, cl_uint count,
                         const cl_event *waits, cl_event *command);
/* Adds work; owned parts of `op` are taken over. */
cl_int sl_cl_command_add(sl_proc *rt, cl_event command, sl_proc_op *op);
/* An object that must be there until it has run. */
cl_int sl_cl_command_use(cl_event command, void *object);
/* Runs it, or lets it wait. `blocking`: comes back when it has ended, with its error. `event`: where the program wants
 * the event; NULL: it does not. */
cl_int sl_cl_command_enqueue(sl_proc *rt, cl_event command, bool blocking, cl_event *event);
/* Throws away a command that was not enqueued; returns `error`. */
cl_int sl_cl_command_drop(sl_proc *rt, cl_event command, cl_int error);
/* Waits until the event has ended. */
void sl_cl_event_wait(sl_proc *rt, cl_event event);
/* Changes the status and tells those who asked. */
void sl_cl_event_set(sl_proc *rt, cl_event event, cl_int status);
/* Runs what an event that ended held back. */
void sl_cl_commands_continue(sl_proc *rt);
void sl_cl_event_fini(sl_proc *rt, cl_event event);
cl_int sl_cl_wait_list_check(cl_context context, cl_uint count, const cl_event *waits);

/* ---- memory ---- */

typedef struct sl_cl_mapping {
    char *pointer;
    cl_map_flags flags;
    size_t region[3]; /* bytes of a row, rows, slices */
} sl_cl_mapping;

enum { SL_CL_SAMPLERS = 32 }; /* textures of an image: one for each state of samplers (builtins.cl) */
/* The largest images. */
enum {
    SL_CL_IMAGE_SIDE = 16384,
    SL_CL_IMAGE_SIDE_3D = 2048,
    SL_CL_IMAGE_LAYERS = 2048,
    SL_CL_IMAGE_BUFFER_PIXELS = 1 << 27,
};

struct _cl_mem {
    sl_cl_object object;
    cl_context context;
    cl_mem_object_type type;
    cl_mem_flags flags;
    sl_cl_properties properties;
    char *data; /* on the device */
    size_t bytes, offset;
    cl_mem parent;  /* of a sub-buffer or an image of a buffer; NULL: none */
    char *host_ptr; /* given with CL_MEM_USE_HOST_PTR, for an image of a buffer with the buffer; see sl_cl_mem_at */
    SL_ARRAY(sl_cl_callback) destroyed;
    SL_ARRAY(sl_cl_mapping) mappings;
    /* images */
    cl_image_format format;
    cl_image_desc desc;
    size_t element_bytes, pitch, slice; /* of rows and slices (or layers) in `data` */
    size_t extent[3];                   /* as regions count: 1 where there is no such dimension */
    uint64_t texture, surface;          /* objects of the emulator; of textures the first of SL_CL_SAMPLERS; 0: none */
};
void sl_cl_mem_fini(sl_proc *rt, cl_mem mem);
/* Where its contents are between kernels: in the program's memory, if it is made of that, else on the device. */
static inline char *sl_cl_mem_at(const struct _cl_mem *mem)
{
    return mem->host_ptr ? mem->host_ptr : mem->data;
}
/* Brings the program's memory to the device, for a kernel, or back. */
void sl_cl_mem_to_device(sl_proc *rt, cl_mem mem);
void sl_cl_mem_to_host(cl_mem mem);
cl_int sl_cl_mem_flags_check(cl_mem_flags flags, const void *host_ptr);
/* Device memory for a new object, with what the program gives for it. */
cl_int sl_cl_properties_keep(sl_cl_properties *kept, const cl_ulong *list);
void sl_cl_image_fini(sl_proc *rt, cl_mem mem);
/* What a kernel gets for an image. */
/* Where a region starts in its memory; CL_INVALID_VALUE: it is not in the image. */
cl_int sl_cl_image_region(cl_mem image, const size_t *origin, const size_t *region, size_t *start);
/* A color (float4, int4 or uint4) as an element of the image. */
void sl_cl_image_pack(const struct _cl_mem *image, const void *color, unsigned char element[16]);
uint64_t sl_cl_image_handle(cl_mem image, cl_kernel_arg_access_qualifier access);
bool sl_cl_is_buffer(cl_mem mem);
bool sl_cl_is_image(cl_mem mem);

/* ---- transfer.c ---- */

/* A command to be: where, and what it waits for. */
typedef struct sl_cl_request {
    cl_command_queue queue;
    cl_command_type type;
    bool blocking;
    cl_uint count;
    const cl_event *waits;
    cl_event *event;
} sl_cl_request;

/* One end of a copy: rows and slices in a memory object or in the program's memory. */
typedef struct sl_cl_end {
    char *at;
    size_t row, slice;
} sl_cl_end;

/* What the host may not do with an object made so. */
enum {
    SL_CL_NO_READ = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS,
    SL_CL_NO_WRITE = CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS,
};

/* Whether the queue and a buffer, or an image, go together. */
cl_int sl_cl_request_check(const sl_cl_request *r, cl_mem mem, bool image);
/* A copy of rows of `width` bytes. */
sl_proc_copy sl_cl_copy(const sl_cl_end *to, const sl_cl_end *from, size_t width, size_t height, size_t depth);
/* Enqueues it as a command that needs one object or two. */
cl_int sl_cl_copy_submit(sl_proc *rt, const sl_cl_request *r, const sl_proc_copy *copy, cl_mem first, cl_mem second);

/* ---- programs ---- */

typedef enum sl_cl_arg_kind {
    SL_CL_ARG_VALUE,
    SL_CL_ARG_GLOBAL,
    SL_CL_ARG_CONSTANT,
    SL_CL_ARG_LOCAL,
    SL_CL_ARG_IMAGE,
    SL_CL_ARG_SAMPLER,
    SL_CL_ARG_OTHER, /* pipes, queues: refused */
} sl_cl_arg_kind;

typedef struct sl_cl_arg {
    sl_cl_arg_kind kind;
    cl_kernel_arg_access_qualifier access;
    cl_kernel_arg_type_qualifier qualifier;
    char *type, *name; /* NULL: not known */
} sl_cl_arg;

/* A kernel, as the compiler describes it. */
typedef struct sl_cl_kernel_facts {
    char *name, *attributes;
    SL_ARRAY(sl_cl_arg) args;
    bool described; /* by LLVM IR; else by PTX alone */
    size_t required[3], hint[3];
} sl_cl_kernel_facts;

typedef SL_ARRAY(sl_cl_kernel_facts) sl_cl_kernels;

/* Two builds of a program: for launches whose ids start at 0 and whose groups are all of one size, where they are what
 * the device counts, and for all others. */
typedef enum sl_cl_variant { SL_CL_PLAIN, SL_CL_GENERAL, SL_CL_VARIANTS } sl_cl_variant;

/* Compiled code of a program. */
typedef struct sl_cl_code {
    char *ir; /* LLVM IR as text; NULL: none (a binary that is PTX alone) */
    size_t ir_bytes;
    char *ptx[SL_CL_VARIANTS]; /* NULL: not made */
    bool unoptimized;
} sl_cl_code;
void sl_cl_code_fini(sl_cl_code *code);

typedef enum sl_cl_origin { SL_CL_OF_SOURCE, SL_CL_OF_BINARY, SL_CL_OF_LINKING } sl_cl_origin;

struct _cl_program {
    sl_cl_object object;
    cl_context context;
    sl_cl_origin origin;
    char *source;
    sl_cl_code code;
    cl_program_binary_type type;
    cl_build_status status;
    char *options; /* of the last build */
    sl_buffer log;
    sl_cl_kernels kernels;
    cl_uint attached;                       /* kernels that were made of it */
    sl_proc_binary *binary[SL_CL_VARIANTS]; /* loaded; NULL: not yet */
    bool broken[SL_CL_VARIANTS];            /* cannot be */
};
void sl_cl_program_fini(sl_proc *rt, cl_program program);
/* The program's code for such launches, made and loaded if need be. */
cl_int sl_cl_program_load(sl_proc *rt, cl_program program, sl_cl_variant variant);
/* Its binary as programs get it: PTX, with the LLVM IR in comments behind it. */
bool sl_cl_binary_write(const sl_cl_code *code, sl_buffer *to);
cl_int sl_cl_binary_read(const char *binary, size_t bytes, sl_cl_code *code);

/* ---- options.c ---- */

typedef struct sl_cl_options {
    SL_ARRAY(char *) clang;    /* arguments for the compiler */
    bool library, unoptimized; /* -create-library, -cl-opt-disable */
} sl_cl_options;
/* False, with a line in the log: an option that there is not. */
bool sl_cl_options_parse(const char *text, sl_cl_options *options, sl_buffer *log);
void sl_cl_options_fini(sl_cl_options *options);

/* ---- compile.c ---- */

typedef struct sl_cl_header {
    const char *name, *text;
} sl_cl_header;

/* Source to LLVM IR, and to PTX if `whole`. Fails with CL_BUILD_PROGRAM_FAILURE, CL_COMPILER_NOT_AVAILABLE or
 * CL_OUT_OF_HOST_MEMORY; what the compiler says, and what to install where there is none, is in the log. */
cl_int sl_cl_compile(const char *source, const sl_cl_options *options, const sl_cl_header *headers, size_t count,
                     bool whole, sl_cl_code *code, sl_buffer *log);
/* LLVM IR of several sources to that of all. */
cl_int sl_cl_link(const sl_cl_code *const *parts, size_t count, sl_cl_code *code, sl_buffer *log);
/* LLVM IR, linked with the device's functions, to a variant of PTX that is not there yet. */
cl_int sl_cl_generate(sl_cl_code *code, sl_cl_variant variant, sl_buffer *log);

/* ---- metadata.c ---- */

bool sl_cl_kernels_of_ir(const char *ir, sl_cl_kernels *kernels);
void sl_cl_kernel_facts_fini(sl_cl_kernel_facts *facts);
void sl_cl_kernels_fini(sl_cl_kernels *kernels);

/* ---- kernel.c, launch.c ---- */

typedef struct sl_cl_value {
    bool set;
    void *bytes;        /* of values */
    size_t local_bytes; /* of local memory */
    cl_mem mem;         /* NULL: a null pointer */
    cl_sampler sampler;
} sl_cl_value;

struct _cl_kernel {
    sl_cl_object object;
    cl_program program;
    const sl_cl_kernel_facts *facts;
    sl_proc_function *function[SL_CL_VARIANTS]; /* NULL: not needed yet */
    sl_cl_value *value;                         /* [args] */
    size_t *param_offset, *param_bytes;         /* [args]; in the block of parameters */
};
void sl_cl_kernel_fini(sl_proc *rt, cl_kernel kernel);
cl_int sl_cl_kernel_function(sl_proc *rt, cl_kernel kernel, sl_cl_variant variant, sl_proc_function **function);
/* Local memory of a group: what the kernel declares, and what its arguments ask for. */
uint64_t sl_cl_kernel_local(const sl_proc_function_facts *facts, cl_kernel kernel);
enum { SL_CL_LOCAL_ALIGN = 16 };
static inline uint64_t sl_cl_local_round(uint64_t bytes)
{
    return (bytes + SL_CL_LOCAL_ALIGN - 1) / SL_CL_LOCAL_ALIGN * SL_CL_LOCAL_ALIGN;
}

/* What the constant sluice_ndrange of builtins.cl holds: which part of the work-items a launch is. */
typedef struct sl_cl_ndrange {
    uint64_t base[3];   /* id of the first work-item */
    uint64_t offset[3]; /* as the program gave it */
    uint64_t global[3];
    uint32_t group[3];  /* number of the first group */
    uint32_t groups[3]; /* of the whole */
    uint32_t local[3];  /* sizes of groups but for the last ones */
    uint32_t dims;
} sl_cl_ndrange;

/* ---- sampler.c ---- */

struct _cl_sampler {
    sl_cl_object object;
    cl_context context;
    cl_bool normalized;
    cl_addressing_mode addressing;
    cl_filter_mode filter;
    sl_cl_properties properties;
};
/* The state of a sampler as kernels have it: what clang makes of a literal (CLK_…). */
uint32_t sl_cl_sampler_bits(const struct _cl_sampler *sampler);
void sl_cl_sampler_fini(sl_proc *rt, cl_sampler sampler);

#endif
