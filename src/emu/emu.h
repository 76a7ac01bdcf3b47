/* SPDX-License-Identifier: MIT */
/* The emulator: a GPU that runs PTX on the CPU, a warp at a time, and says what each warp did.
 *
 * An sl_emu owns device memory. Programs (one or several linked PTX modules) are loaded into it; kernels of a program
 * are launched on it, one launch at a time. Device addresses are the same in every run (see heap.h). */
#ifndef SL_EMU_EMU_H
#define SL_EMU_EMU_H

#include "base/progress.h"
#include "emu/heap.h"
#include "emu/settings.h"
#include "machine/occupancy.h"
#include "ptx/cubin.h"
#include "ptx/module.h"
#include "trace/sink.h"
#include <signal.h>

typedef struct sl_emu_call sl_emu_call;

typedef void sl_lapse_observer(void *context, const sl_error *first, uint64_t count);

typedef struct sl_emu_config {
    sl_run_settings settings;      /* strings must outlive the emulator */
    bool host_addresses;           /* device addresses are host pointers, as in unified memory */
    uint64_t around, around_bytes; /* memory of another device is copied to these addresses (sl_heap_create_around); 0:
                                      none */
    const sl_cubin *cubin;         /* facts about kernels of all programs; NULL: none */
    const sl_machine *machine;     /* whose limits hold; NULL: the built-in h200 */
    const sl_launch_sink *sink;    /* NULL: there is no observer, nothing is recorded */
    const sl_progress *progress;   /* of launches, in blocks; called at most some hundred times in each. NULL: none */
    /* Text printed by the kernel of a launch that has ended, in block order. NULL: discarded. As on a GPU, the newest
     * sl_emu_printf_limit bytes are kept; print_lost is given the number of calls whose text was not. */
    void (*print)(void *context, const char *text, size_t length);
    void (*print_lost)(void *context, uint64_t calls);
    void *print_context;
    /* Accesses close to an allocation but outside of it, which a GPU lets pass because it maps whole pages, and beyond
     * the shared memory that was asked for but within its granularity. NULL: they end the launch as other illegal
     * accesses do. Else there is memory that starts as zeros (stray.c), and this is called for the first of a launch
     * (the lowest block's) and their number once the launch has ended. */
    sl_lapse_observer *stray;
    /* The same of shuffles that read lanes which do not take part: what they get is undefined. NULL: nothing happens.
     */
    sl_lapse_observer *absent;
    void *lapse_context;
    /* Becomes true, from a signal handler or another thread, when the launch shall end early; NULL: never. It then ends
     * as with SL_LIMIT, and what was counted until then is delivered. */
    const volatile sig_atomic_t *stop;
    /* Functions that programs call and do not define, besides printf, assert, malloc and free. NULL: there are none.
     * find: a number for a name; -1: not known. call: for one lane after the other. */
    int (*extern_find)(void *context, const char *name);
    void (*extern_call)(void *context, uint32_t number, const sl_emu_call *call);
    void *extern_context;
} sl_emu_config;

/* Instruction sets the emulator was built for and this CPU has, best first; NULL past the last. */
const char *sl_emu_isa_at(size_t index);

typedef struct sl_emu sl_emu;
typedef struct sl_emu_program sl_emu_program;
typedef struct sl_emu_kernel sl_emu_kernel;

sl_status sl_emu_create(const sl_emu_config *config, sl_emu **emu, sl_error *error);
void sl_emu_destroy(sl_emu *emu);
/* CPU time of the threads that it has started. */
uint64_t sl_emu_helpers_cpu_ns(const sl_emu *emu);
sl_heap *sl_emu_heap(sl_emu *emu);
/* Bytes of text that printf of a launch may print (cudaLimitPrintfFifoSize). */
enum { SL_PRINTF_BYTES = 8650752 }; /* as an H200's driver says */
void sl_emu_printf_limit(sl_emu *emu, size_t bytes);
const sl_machine *sl_emu_machine(const sl_emu *emu);
const sl_gpu_limits *sl_emu_limits(const sl_emu *emu); /* of the machine */

/* Links the modules, places their variables in device memory and initializes them. The modules must outlive the
 * program. Instructions are checked when a kernel is first prepared, not here. */
sl_status sl_emu_load(sl_emu *emu, const sl_ptx_module *const *modules, size_t count, sl_emu_program **program,
                      sl_error *error);
void sl_emu_unload(sl_emu *emu, sl_emu_program *program);
/* Whether a module defines a kernel of that name. */
bool sl_emu_has_kernel(const sl_emu_program *program, const char *name);
/* Address and size of a module variable. */
sl_status sl_emu_symbol(const sl_emu_program *program, const char *name, uint64_t *addr, uint64_t *bytes,
                        sl_error *error);

/* Finds and prepares (decodes) a kernel: everything it can reach that the emulator does not execute is an error here,
 * by name and line. Kernels are owned by the program. */
sl_status sl_emu_kernel_get(sl_emu_program *program, const char *name, sl_emu_kernel **kernel, sl_error *error);
const sl_ptx_func *sl_emu_kernel_func(const sl_emu_kernel *kernel);
const sl_trace_kernel *sl_emu_kernel_static(const sl_emu_kernel *kernel);
/* Takes what a cubin says of the kernel: its registers, which else are estimated from liveness, and its machine code,
 * which goes into traces. False: it says nothing, or memory ran out. */
bool sl_emu_kernel_use_cubin(sl_emu_kernel *kernel, const sl_cubin *cubin);
/* Blocks of this kernel that fit one multiprocessor at once. */
uint32_t sl_emu_occupancy(const sl_emu *emu, const sl_emu_kernel *kernel, uint32_t threads_per_block,
                          uint32_t dynamic_shared_bytes);
/* …by what is known: an estimate of its registers does not limit them. */
uint32_t sl_emu_occupancy_known(const sl_emu *emu, const sl_emu_kernel *kernel, uint32_t threads_per_block,
                                uint32_t dynamic_shared_bytes);

typedef struct sl_emu_launch {
    uint32_t grid[3], block[3];
    uint32_t cluster[3]; /* blocks of a cluster; zeroes: what the kernel requires, or none */
    uint32_t dynamic_shared_bytes;
    const void *params; /* the parameter block laid out as PTX says (sl_ptx_var.offset); param_bytes of the function */
    size_t param_bytes;
    bool cooperative; /* all blocks must be resident together */
    uint64_t stream;
    uint64_t instructions_before; /* that count for max_instructions, too: those of the launch it descends from */
    bool has_preferred_shared, has_parent; /* as in sl_trace_launch */
    uint32_t preferred_shared;             /* the same */
    uint64_t parent;                       /* the same */
    const char *label[SL_LABELS];          /* the same */
} sl_emu_launch;

/* Runs the kernel to its end. On SL_FAULT or SL_LIMIT the error names kernel, block, thread, PTX line, source line,
 * address and nearest allocation, as far as they apply. `stats` may be NULL. */
sl_status sl_emu_run(sl_emu *emu, sl_emu_kernel *kernel, const sl_emu_launch *launch, sl_launch_stats *stats,
                     sl_error *error);
/* Whether the last SL_FAULT was a failed assert() in a kernel (cudaErrorAssert), an illegal address, a misaligned one …
 */
typedef enum sl_fault {
    SL_FAULT_NONE,
    SL_FAULT_ILLEGAL_ADDRESS,
    SL_FAULT_MISALIGNED,
    SL_FAULT_BARRIER,
    SL_FAULT_ASSERT,
    SL_FAULT_TRAP,
    SL_FAULT_ILLEGAL_INSTRUCTION,
    SL_FAULT_UNINITIALISED,
    SL_FAULT_RACE,
    SL_FAULT_STACK,
    SL_FAULT_LIMIT,
} sl_fault;
sl_fault sl_emu_last_fault(const sl_emu *emu);

/* ---- for sl_emu_config.extern_call ---- */

/* Argument `index`, as far as the caller gave it; the rest is zero. */
void sl_emu_call_argument(const sl_emu_call *call, uint32_t index, void *value, size_t bytes);
void sl_emu_call_return(const sl_emu_call *call, uint64_t value);
/* Where the host has the bytes at a generic address, which must be a multiple of `align` (a power of 2). Ends the
 * launch, and does not come back, when the lane may not access them. */
void *sl_emu_call_memory(const sl_emu_call *call, uint64_t addr, uint32_t bytes, uint32_t align, bool store);
const sl_emu_program *sl_emu_call_program(const sl_emu_call *call);
uint64_t sl_emu_call_thread(const sl_emu_call *call); /* number of the thread in the grid */
/* Ends the launch, and does not come back, when no kernel has allocated it; 0 is nothing. */
void sl_emu_call_free(const sl_emu_call *call, uint64_t addr);
/* The kernel whose address device code has taken, or NULL. */
const char *sl_emu_kernel_at(const sl_emu_program *program, uint64_t handle);

/* Textures and surfaces by object: the same handles for both. Data is laid out in rows of `pitch` bytes in device
 * memory (or a cudaArray's backing store). */
typedef enum sl_tex_address { SL_TEX_WRAP, SL_TEX_CLAMP, SL_TEX_MIRROR, SL_TEX_BORDER } sl_tex_address;
typedef struct sl_texture_level {
    uint64_t data;
    uint64_t size[3];      /* elements; 1 where there is no such dimension */
    uint64_t pitch, slice; /* bytes per row; per slice, layer or face */
} sl_texture_level;
enum { SL_TEX_LEVELS = 16 };
typedef struct sl_texture {
    uint32_t dims;   /* 1, 2, 3; 2 for the faces of cube maps */
    uint32_t layers; /* of a cube map: its faces; 0: it has none */
    bool cube;
    bool surface; /* it has no sampler: everything from normalized_coords on is unused */
    uint32_t levels;
    sl_texture_level level[SL_TEX_LEVELS];
    uint8_t channels;     /* 1, 2, 4 */
    uint8_t channel_bits; /* 8, 16, 32 */
    char channel_kind;    /* 'u', 's', 'f' */
    bool normalized_coords, normalized_float /* integer texels read as [0,1] or [-1,1] */, linear_filter;
    bool linear_levels /* mixes two levels */, srgb, seamless;
    uint8_t address[3]; /* sl_tex_address */
    float border[4];
    float level_bias, min_level, max_level;
    bool swizzled;          /* channels are given, and stored, in another order, as OpenCL's BGRA: */
    uint8_t swizzle[4];     /* … of each result the texel's channel, or: */
    uint32_t channel_order; /* what a query answers: OpenCL's number; 0: by the number of channels */
} sl_texture;
enum { SL_SWIZZLE_ZERO = 4, SL_SWIZZLE_ONE = 5 };
sl_status sl_emu_texture_create(sl_emu *emu, const sl_texture *texture, uint64_t *object, sl_error *error);
sl_status sl_emu_texture_destroy(sl_emu *emu, uint64_t object, sl_error *error);
const sl_texture *sl_emu_texture(const sl_emu *emu, uint64_t object); /* NULL: no such object */

#endif
