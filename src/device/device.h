/* SPDX-License-Identifier: MIT */
/* A thing that can run kernels. The same host code runs on every implementation:
 *
 *   emu   the emulator of this library (emulator.c)
 *   gpu   a real GPU through the CUDA driver library, loaded at run time (cuda.c)
 *
 * Everything is in issue order on one queue: a launch may return before the kernel has ended, but copies, fills and
 * sl_device_synchronize wait for it. Device addresses are plain 64-bit numbers. Not thread-safe. */
#ifndef SL_DEVICE_DEVICE_H
#define SL_DEVICE_DEVICE_H

#include "base/array.h"
#include "base/pool.h"
#include "machine/occupancy.h"
#include "ptx/module.h"
#include "sluice/error.h"

typedef struct sl_device sl_device;
typedef struct sl_device_module sl_device_module;
typedef struct sl_device_kernel sl_device_kernel;
typedef struct sl_device_event sl_device_event;

typedef struct sl_device_info {
    char name[128];       /* "NVIDIA H200", "emulator" */
    uint32_t sm;          /* compute capability, 90 for 9.0; 0: not a particular one */
    uint32_t lanes;       /* threads per warp */
    bool emulated;        /* launches reach the sink of sl_emu_config; times mean nothing */
    sl_gpu_limits limits; /* zero where the device does not say */
} sl_device_info;

/* One argument of a kernel: `bytes` must be the size of the parameter as the PTX declares it. */
typedef struct sl_device_arg {
    const void *data;
    size_t bytes;
} sl_device_arg;

/* What a launch asks of an SM and of L2; 0: nothing. No result depends on it. */
typedef struct sl_launch_settings {
    uint32_t shared_percent_plus;  /* 1 + the percentage of an SM's largest shared memory that is preferred to L1 */
    uint64_t window, window_bytes; /* memory that L2 keeps as long as it can */
} sl_launch_settings;

typedef struct sl_device_launch {
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared_bytes;
    size_t args;
    const sl_device_arg *arg; /* [args], in the order of the parameters; read before the launch returns */
    sl_launch_settings settings;
} sl_device_launch;

typedef struct sl_device_config {
    const struct sl_emu_config *emu; /* emu: its settings; NULL: defaults */
    int ordinal;                     /* gpu: which one, from 0 */
    const char *library;             /* gpu: the driver library; NULL: libcuda.so.1 on the loader's path */
    bool attach;                     /* gpu: the context that this thread has, which others use, instead of one's own */
    /* Called after every launch has ended with the time it took, on devices with events. NULL: launches are not timed.
     */
    void (*timed)(void *context, const sl_device_kernel *, const sl_device_launch *, double nanoseconds);
    void *timed_context;
    /* Called in place of every launch that sl_device_run has checked: to launch it (sl_device_launch_now) as often as
     * it likes, or others first. NULL: launches just run. */
    sl_status (*launching)(void *context, sl_device_kernel *, const sl_device_launch *, sl_error *error);
    void *launching_context;
} sl_device_config;

/* An allocation that is alive. */
typedef struct sl_device_range {
    uint64_t addr, bytes;
} sl_device_range;

/* `kind` is a name of the table below; a wrong one is answered with the nearest right one. */
sl_status sl_device_open(const char *kind, const sl_device_config *config, sl_device **device, sl_error *error);
void sl_device_close(sl_device *device); /* frees what is still allocated and loaded; NULL is fine */
const sl_device_info *sl_device_info_of(const sl_device *device);

/* Memory. `label` (may be NULL) names the allocation in traces and messages. */
sl_status sl_device_alloc(sl_device *device, uint64_t bytes, const char *label, uint64_t *addr, sl_error *error);
sl_status sl_device_free(sl_device *device, uint64_t addr, sl_error *error);
sl_status sl_device_copy_in(sl_device *device, uint64_t to, const void *from, uint64_t bytes, sl_error *error);
sl_status sl_device_copy_out(sl_device *device, void *to, uint64_t from, uint64_t bytes, sl_error *error);
sl_status sl_device_fill(sl_device *device, uint64_t addr, uint8_t value, uint64_t bytes, sl_error *error);
/* From one range of device memory to another; they must not overlap. */
sl_status sl_device_copy_within(sl_device *device, uint64_t to, uint64_t from, uint64_t bytes, sl_error *error);
/* What is allocated, oldest first; valid until the next allocation or free. */
size_t sl_device_ranges(const sl_device *device, const sl_device_range **range);

/* Code. `name` is the file it came from, for messages. The module belongs to the device. */
sl_status sl_device_load(sl_device *device, const char *ptx, size_t length, const char *name, sl_device_module **module,
                         sl_error *error);
/* The same for several texts, which have one name in messages, compiled side by side where the device can. On failure
 * none is loaded. */
sl_status sl_device_load_many(sl_device *device, const char *const *ptx, const size_t *length, size_t count,
                              const char *name, sl_pool *pool, sl_device_module **module, sl_error *error);
void sl_device_unload(sl_device_module *module); /* NULL is fine */
/* A kernel that another part of the process has loaded, with the text it was compiled from; `kernel_handle` and
 * `module_handle` are the implementation's and must outlive the device. */
sl_status sl_device_adopt(sl_device *device, const char *ptx, size_t length, const char *name, void *module_handle,
                          const char *kernel, void *kernel_handle, sl_device_kernel **out, sl_error *error);
/* Memory that another part of the process has allocated, as one of sl_device_ranges. */
sl_status sl_device_adopt_range(sl_device *device, uint64_t addr, uint64_t bytes, sl_error *error);
const sl_ptx_module *sl_device_module_ptx(const sl_device_module *module);
/* A kernel of the module by name; NULL: the only one. The kernel belongs to the module; asking again gives the same. */
sl_status sl_device_kernel_get(sl_device_module *module, const char *name, sl_device_kernel **kernel, sl_error *error);
const sl_ptx_func *sl_device_kernel_func(const sl_device_kernel *kernel);
/* Address and size of a variable of the module. */
sl_status sl_device_symbol(sl_device_module *module, const char *name, uint64_t *addr, uint64_t *bytes,
                           sl_error *error);

/* Checks number and sizes of the arguments against the kernel's parameters, then launches. */
sl_status sl_device_run(sl_device_kernel *kernel, const sl_device_launch *launch, sl_error *error);
/* The same without the hooks of sl_device_config. */
sl_status sl_device_launch_now(sl_device_kernel *kernel, const sl_device_launch *launch, sl_error *error);
sl_status sl_device_synchronize(sl_device *device, sl_error *error);

/* Blocks of a launch that an SM holds at once, and the shared memory of the kernel's variables; *blocks is 0 where the
 * device does not say. */
sl_status sl_device_residency(sl_device_kernel *kernel, const sl_device_launch *launch, uint32_t *blocks,
                              uint32_t *static_shared_bytes, sl_error *error);

/* Time on the device. SL_UNSUPPORTED where there is none to measure (the emulator). */
sl_status sl_device_event_create(sl_device *device, sl_device_event **event, sl_error *error);
void sl_device_event_destroy(sl_device *device, sl_device_event *event); /* NULL is fine */
sl_status sl_device_event_record(sl_device *device, sl_device_event *event, sl_error *error);
/* Waits for `end`. */
sl_status sl_device_event_elapsed(sl_device *device, sl_device_event *begin, sl_device_event *end, double *nanoseconds,
                                  sl_error *error);

/* ---- what an implementation provides ---- */

struct sl_device_kernel {
    sl_device_module *module;
    const sl_ptx_func *func;
    void *handle;                 /* the implementation's, set by prepare */
    uint32_t shared_percent_plus; /* the implementation's: as of the last launch */
    sl_device_kernel *next;
};

struct sl_device_module {
    sl_device *device;
    sl_ptx_module *ptx;
    void *handle; /* the implementation's, set by load */
    bool adopted; /* others unload it */
    sl_device_kernel *kernels;
    sl_device_module *next;
};

/* A hook is called with arguments that the functions above have checked. Hooks marked MUST are always set; the event
 * hooks MAY be NULL, but only all together. */
typedef struct sl_device_ops {
    const char *name, *summary; /* MUST; for --on and its help */
    /* MUST. *device is allocated by the implementation, with `info` filled in. */
    sl_status (*open)(const sl_device_config *config, sl_device **device, sl_error *error);
    /* MUST. Frees *device and all its memory; modules have been unloaded before. */
    void (*close)(sl_device *device);
    /* MUST. alloc: at least 256-byte aligned; `bytes` may be 0, and the address is then still one that free takes. */
    sl_status (*alloc)(sl_device *device, uint64_t bytes, const char *label, uint64_t *addr, sl_error *error);
    sl_status (*free)(sl_device *device, uint64_t addr, sl_error *error);
    sl_status (*copy_in)(sl_device *device, uint64_t to, const void *from, uint64_t bytes, sl_error *error);
    sl_status (*copy_out)(sl_device *device, void *to, uint64_t from, uint64_t bytes, sl_error *error);
    sl_status (*fill)(sl_device *device, uint64_t addr, uint8_t value, uint64_t bytes, sl_error *error);
    sl_status (*copy_within)(sl_device *device, uint64_t to, uint64_t from, uint64_t bytes, sl_error *error);
    /* MUST. `module` has device and ptx set; `ptx` is the text it was parsed from. */
    sl_status (*load)(sl_device_module *module, const char *ptx, size_t length, sl_error *error);
    bool loads_side_by_side; /* load may be called by several threads at once */
    void (*unload)(sl_device_module *module);
    /* MUST. `name` is a variable that the module defines. */
    sl_status (*symbol)(sl_device_module *module, const char *name, uint64_t *addr, uint64_t *bytes, sl_error *error);
    /* MUST. `kernel` has module and func set. */
    sl_status (*prepare)(sl_device_kernel *kernel, sl_error *error);
    sl_status (*launch)(sl_device_kernel *kernel, const sl_device_launch *launch, sl_error *error);
    /* MAY. NULL: nothing is said. */
    sl_status (*residency)(sl_device_kernel *kernel, const sl_device_launch *launch, uint32_t *blocks,
                           uint32_t *static_shared_bytes, sl_error *error);
    /* MAY. NULL: launches have ended when they return. */
    sl_status (*synchronize)(sl_device *device, sl_error *error);
    /* MAY. */
    sl_status (*event_create)(sl_device *device, sl_device_event **event, sl_error *error);
    void (*event_destroy)(sl_device *device, sl_device_event *event);
    sl_status (*event_record)(sl_device *device, sl_device_event *event, sl_error *error);
    sl_status (*event_elapsed)(sl_device *device, sl_device_event *begin, sl_device_event *end, double *nanoseconds,
                               sl_error *error);
} sl_device_ops;

/* Implementations put this first in their own struct. */
struct sl_device {
    const sl_device_ops *ops;
    sl_device_info info;
    sl_device_config config; /* only the hooks and their contexts are kept */
    sl_device_module *modules;
    SL_ARRAY(sl_device_range) ranges;
};

extern const sl_device_ops sl_device_emulator, sl_device_cuda;

/* The table of implementations. */
enum { SL_DEVICE_KINDS = 2 };
extern const sl_device_ops *const sl_device_kinds[SL_DEVICE_KINDS];

#endif
