/* SPDX-License-Identifier: MIT */
/* The warp trace: what each warp of each kernel launch executed and accessed, in program order per warp.
 *
 * A trace holds facts, not decisions: scheduling, coalescing, line sizes and caches are applied by whoever reads it.
 *
 *   static    per kernel: one sl_inst per PTX instruction, one sl_trace_bb per basic block, the arrays it names
 *   dynamic   per launch, per block, per warp: a sequence of steps (basic block, active lanes), and for every memory
 *             instruction of the step the lanes that took part and one address per lane
 *
 * The dynamic part exists in one encoded form everywhere: the emulator encodes it while it runs (sl_warp_stream), the
 * writer compresses it, the reader returns it, and a cursor (sl_warp_cursor) decodes it step by step. */
#ifndef SLUICE_TRACE_H
#define SLUICE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sluice/error.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SL_MAX_LANES = 64, SL_INST_REGS = 12, SL_MAX_MACHINE_BYTES = 1 << 24 };

typedef enum sl_op_class {
    SL_CLASS_OTHER,
    SL_CLASS_INT,     /* integer and logic */
    SL_CLASS_INT_MUL, /* integer multiply, multiply-add */
    SL_CLASS_INT_DIV,
    SL_CLASS_F16,
    SL_CLASS_F32,
    SL_CLASS_F64,
    SL_CLASS_SFU, /* rcp, rsqrt, sqrt, sin, cos, ex2, lg2, div */
    SL_CLASS_TENSOR,
    SL_CLASS_CONVERT,
    SL_CLASS_MOVE,
    SL_CLASS_WARP, /* shfl, vote, match, redux */
    SL_CLASS_CONTROL,
    SL_CLASS_BARRIER,
    SL_CLASS_FENCE,
    SL_CLASS_MEMORY,
} sl_op_class;

typedef enum sl_mem_space {
    SL_MEM_NONE,
    SL_MEM_GLOBAL,
    SL_MEM_SHARED,
    SL_MEM_LOCAL,
    SL_MEM_CONST,
    SL_MEM_TEXTURE,
    SL_MEM_GENERIC, /* each address says which (see sl_launch windows) */
} sl_mem_space;

typedef enum sl_mem_access {
    SL_ACCESS_NONE,
    SL_ACCESS_LOAD,
    SL_ACCESS_STORE,
    SL_ACCESS_ATOMIC,
    SL_ACCESS_REDUCTION,
    SL_ACCESS_PREFETCH,
    SL_ACCESS_ASYNC_COPY, /* cp.async: global to shared; the address is the global one */
    /* these access rows of any number and length, not lanes (see sl_row) */
    SL_ACCESS_BULK_LOAD,  /* cp.async.bulk to shared memory */
    SL_ACCESS_BULK_STORE, /* from shared memory */
    SL_ACCESS_BULK_REDUCTION,
    SL_ACCESS_BULK_PREFETCH,
    SL_ACCESS_MATRIX, /* operands of wgmma in shared memory */
    SL_MEM_ACCESSES
} sl_mem_access;

typedef enum sl_cache_op {
    SL_CACHE_DEFAULT,
    SL_CACHE_CA,
    SL_CACHE_CG,
    SL_CACHE_CS,
    SL_CACHE_LU,
    SL_CACHE_CV,
    SL_CACHE_WB,
    SL_CACHE_WT,
    SL_CACHE_NC, /* .nc, the read-only path */
    SL_CACHE_L1_NO_ALLOCATE,
    SL_CACHE_L1_EVICT_FIRST,
    SL_CACHE_L1_EVICT_LAST,
    SL_CACHE_L1_EVICT_UNCHANGED,
    SL_CACHE_VOLATILE,       /* .volatile, .mmio; .relaxed and .acquire beyond the block: not served by L1 */
    SL_CACHE_L2_EVICT_FIRST, /* .L2::cache_hint with the policy "evict first" */
    SL_CACHE_L1_NO_ALLOCATE_L2_EVICT_FIRST,
    SL_CACHE_L2_EVICT_LAST,
    SL_CACHE_L2_EVICT_FIRST_HALF, /* for half of the lines */
    SL_CACHE_L2_EVICT_LAST_HALF,
    SL_CACHE_L2_64B, /* prefetch size */
    SL_CACHE_L2_128B,
    SL_CACHE_L2_256B,
    SL_CACHE_OPS
} sl_cache_op;

/* One static instruction. Strings are offsets into the kernel's string table; 0 is the empty string. */
typedef struct sl_inst {
    uint8_t op_class;   /* sl_op_class */
    uint8_t space;      /* sl_mem_space */
    uint8_t access;     /* sl_mem_access */
    uint8_t cache_op;   /* sl_cache_op */
    uint16_t width;     /* bytes per lane, all vector elements together; 0 of what accesses no memory */
    uint8_t dsts, srcs; /* how many of `regs` are written and read: dsts first, then srcs (predicates included) */
    uint16_t regs[SL_INST_REGS]; /* virtual register numbers of the kernel */
    uint32_t opcode;             /* string: "ld.global.f32" */
    uint32_t pc;                 /* position in the kernel's listing; for SASS traces the byte address */
    uint32_t ptx_line;
    uint32_t source_file, source_line; /* string, line; 0: unknown */
    uint32_t inlined;                  /* 1 + the call by which the compiler inlined it; 0: it was not inlined */
    uint32_t array;                    /* string: name of the base array ("A", "param 0+8", symbol); 0: unknown */
    uint32_t mem_slot;                 /* rank among the kernel's memory instructions; UINT32_MAX for others */
    uint16_t unroll;                   /* of a branch that closes a loop: iterations that the compiler unrolls into one;
                                          0: it does not, or this is no such branch */
    uint8_t uniform; /* 1: a load whose address the code shows to be one for all lanes, from an array that the kernel
                        does not write: a scalar unit would do it */
} sl_inst;

/* A call that the compiler inlined, by its location. */
typedef struct sl_trace_call {
    uint32_t source_file, source_line; /* string, line */
    uint32_t caller;                   /* 1 + the call by which the caller was inlined, an earlier one; 0: it was not */
} sl_trace_call;

typedef struct sl_trace_bb {
    uint32_t first, count; /* instructions [first, first + count) */
} sl_trace_bb;

typedef struct sl_trace_kernel {
    const char *symbol; /* mangled */
    const char *name;   /* demangled short name */
    uint32_t insts;
    const sl_inst *inst;
    uint32_t bbs;
    const sl_trace_bb *bb;
    uint32_t mem_slots;       /* number of memory instructions */
    const uint32_t *mem_inst; /* slot -> instruction index */
    uint32_t strings_bytes;
    const char *strings;
    uint32_t regs_per_thread; /* physical; 0: unknown */
    bool regs_estimated;
    uint32_t static_shared_bytes, local_bytes;
    const uint32_t *jump; /* [bbs]: 1 + the basic block that the branch at its end leads to; 0: none. NULL: unknown */
    uint32_t machine_sm;  /* machine code that came with it, for this machine (90 for sm_90); 0: none did */
    uint32_t machine_bytes;
    const uint8_t *machine_code;
    uint32_t calls; /* that were inlined */
    const sl_trace_call *call;
} sl_trace_kernel;

/* What a launch belongs to in the program. Each label is a path: its parts on lines of their own, outermost first. */
typedef enum sl_label {
    SL_LABEL_RANGE,  /* NVTX ranges that were open */
    SL_LABEL_CALLER, /* functions of the program that called each other, by their symbols */
    SL_LABEL_MARK,   /* the last NVTX mark before the launch */
    SL_LABELS
} sl_label;

/* One launch. Addresses inside [shared_window, +window_bytes) and [local_window, +window_bytes) are shared and local
 * offsets in generic space; all others are global. Accesses to explicit shared or local space record plain offsets. */
typedef struct sl_trace_launch {
    uint32_t kernel; /* index of its sl_trace_kernel */
    uint32_t grid[3], block[3];
    uint32_t cluster[3]; /* blocks of a cluster; zeroes: there are none */
    uint32_t dynamic_shared_bytes;
    uint32_t lanes;            /* 32 or 64 */
    uint32_t preferred_shared; /* percent of the largest carve-out that the program prefers as shared memory
                                  (cudaFuncSetCacheConfig, carve-out attributes); 0 without has_preferred_shared */
    bool has_preferred_shared;
    bool has_parent; /* a kernel launched it, not the host */
    uint64_t parent; /* index of the launch of that kernel; 0 without has_parent */
    uint64_t stream; /* CUDA stream id; 0: default */
    uint64_t shared_window, local_window, window_bytes;
    uint64_t blocks_recorded;     /* fewer than the grid when --blocks cut it */
    uint64_t index;               /* among all launches of the program, from 0; the recorder fills it in */
    bool failed;                  /* it ended with an error: what was recorded of it is incomplete */
    const char *failure;          /* that error; NULL: none, or unknown */
    bool repeats;                 /* it was not run again: its blocks are those of an earlier launch */
    uint64_t original;            /* index of that launch, which repeats none; 0 without repeats */
    const char *label[SL_LABELS]; /* NULL: none */
} sl_trace_launch;

static inline uint64_t sl_launch_blocks(const sl_trace_launch *l)
{
    return (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
}
static inline uint32_t sl_launch_threads(const sl_trace_launch *l)
{
    return l->block[0] * l->block[1] * l->block[2];
}
static inline uint32_t sl_launch_warps(const sl_trace_launch *l) /* per block */
{
    return (sl_launch_threads(l) + l->lanes - 1) / l->lanes;
}

/* An allocation known when a launch ran, so that addresses can be named. */
typedef struct sl_trace_range {
    uint64_t base, bytes;
    const char *label; /* symbol or "alloc 3"; may be NULL */
} sl_trace_range;

/* What a bulk copy (one lane of it) accesses: `count` rows of `bytes` each, the first at `addr`, each `step` behind the
 * one before. `other` is where the row lies in shared memory (operands of wgmma and tcgen05.mma: `addr` is, and `other`
 * is the same).
 */
typedef struct sl_row {
    uint64_t addr, other;
    uint32_t bytes, count;
    int64_t step, other_step;
} sl_row;

/* ---- encoding: used by whatever produces a trace, one per warp, reused from block to block ---- */

typedef struct sl_warp_stream sl_warp_stream;
SL_API sl_status sl_warp_stream_create(uint32_t mem_slots, uint32_t lanes, sl_warp_stream **, sl_error *);
SL_API void sl_warp_stream_destroy(sl_warp_stream *); /* NULL is fine */
/* Forgets everything: start of a warp, or (between steps) of a new part of a long one. Buffers keep their capacity.
 * False when memory runs out. */
SL_API bool sl_warp_stream_reset(sl_warp_stream *, uint32_t mem_slots, uint32_t lanes);
/* The warp enters basic block `bb` with the lanes of `mask`. */
SL_API void sl_warp_stream_step(sl_warp_stream *, uint32_t bb, uint64_t mask);
/* The next memory instruction of the current step ran for the lanes in `mask` (may be 0, and may differ from the step's
 * mask because of predication). addr[i] is valid where bit i of the mask is set. Must be called for every memory
 * instruction of the step, in order. */
SL_API void sl_warp_stream_access(sl_warp_stream *, uint32_t mem_slot, uint64_t mask, const uint64_t *addr);
/* The same for an instruction that accesses rows: all that the lanes of `mask` access, and how many blocks receive it
 * (1, but for multicasts). Without rows no lane counts as taking part. */
SL_API void sl_warp_stream_rows(sl_warp_stream *, uint32_t mem_slot, uint64_t mask, const sl_row *row, size_t rows,
                                uint32_t blocks);

/* ---- a block's encoded streams, as produced and as read back ---- */

/* What one warp did, encoded (docs/trace-format.md): what a stream ends with, a block consists of, a cursor decodes. */
typedef struct sl_warp_view {
    uint32_t warp;
    const uint8_t *control, *memory;
    size_t control_bytes, memory_bytes;
} sl_warp_view;

/* Ends the stream of the warp with this number. The view is of bytes of the stream, valid until it is reset. */
SL_API sl_status sl_warp_stream_end(sl_warp_stream *, uint32_t warp, sl_warp_view *, sl_error *);

/* A long block is delivered in parts: part 0, 1, … each with some or all warps; `last` on the final one. Predictors
 * start over in every part. */
typedef struct sl_block_view {
    uint64_t block; /* linear: x + grid.x * (y + grid.y * z) */
    uint32_t part;
    bool last;
    uint32_t warps;
    const sl_warp_view *warp;
} sl_block_view;

/* ---- decoding ---- */

/* What one memory instruction accessed. Affine accesses come in closed form: lane i (of the lanes set in mask) is at
 *   base + (i + phase) % row_lanes * stride + (i + phase) / row_lanes * row
 * With row_lanes >= lanes (and then phase 0) this is base + i * stride. `base` itself need not be accessed. */
typedef struct sl_access {
    uint32_t slot; /* memory slot of the kernel */
    uint32_t inst; /* instruction index of the kernel */
    uint64_t mask;
    bool affine;
    uint64_t base;
    int64_t stride, row;
    uint32_t row_lanes, phase;
    uint64_t addr[SL_MAX_LANES]; /* valid after sl_access_expand, or when !affine */
    /* An instruction that accesses rows. They are cut where they cross into another 128 bytes of shared memory; `addr`
     * and `mask` hold up to 32 such pieces, all of `width` bytes. sl_access_more continues to the next ones. */
    bool bulk, first; /* first: nothing of this instruction came before */
    uint32_t width;
    uint32_t blocks;  /* that receive it; of tcgen05.mma: columns of its products */
    uint64_t issuers; /* lanes that took part */
    struct {          /* private to sl_access_more */
        const uint8_t *at, *end;
        uint64_t rows; /* not read yet */
        sl_row start;  /* the last one read */
        sl_row row;    /* what is left of it, `done` bytes of its first already cut off */
        uint32_t done;
    } rest;
} sl_access;

/* Bytes that each lane accesses, or each piece. */
static inline uint32_t sl_access_width(const sl_access *a, const sl_inst *inst)
{
    return a->bulk ? a->width : inst->width;
}

typedef struct sl_warp_cursor sl_warp_cursor;
SL_API sl_status sl_warp_cursor_create(const sl_trace_kernel *, uint32_t lanes, sl_warp_cursor **, sl_error *);
SL_API void sl_warp_cursor_destroy(sl_warp_cursor *); /* NULL is fine */
/* Starts to read a warp of a block; the view must stay valid while it is read. */
SL_API void sl_warp_cursor_start(sl_warp_cursor *, const sl_warp_view *);
/* Goes to the next step: its basic block and active lanes. SL_OK with *more false at the end; SL_CORRUPT on damage. */
SL_API sl_status sl_warp_cursor_step(sl_warp_cursor *, bool *more, sl_error *);
SL_API uint32_t sl_warp_cursor_bb(const sl_warp_cursor *);
SL_API uint64_t sl_warp_cursor_mask(const sl_warp_cursor *);
/* Goes to the next memory access of the current step, in order; *more false when there is none left. The access is
 * valid until the next call. */
SL_API sl_status sl_warp_cursor_access(sl_warp_cursor *, bool *more, sl_error *);
SL_API sl_access *sl_warp_cursor_current(sl_warp_cursor *);
/* Puts an access to rows to its next pieces; false: there are none, or it is another access. */
SL_API bool sl_access_more(sl_access *);
/* Fills addr[] of the active lanes. */
SL_API void sl_access_expand(sl_access *, uint32_t lanes);
/* The same of an affine access, to another location. */
SL_API void sl_access_addresses(const sl_access *, uint32_t lanes, uint64_t *addr);

/* ---- files ---- */

typedef struct sl_trace_writer sl_trace_writer;
typedef struct sl_trace_filter {
    const char *kernel_regex; /* NULL: all; POSIX extended, on symbol or short name */
    const char *launches;     /* NULL: all; by index, as --launch has them: "3,17,100-120,0-999/10" */
    uint64_t blocks;          /* per launch, the first N; 0: all */
} sl_trace_filter;

/* Writes to PATH.tmp-<pid> and renames on close. `producer` is a line for `sluice info` (command, version). */
SL_API sl_status sl_trace_writer_create(const char *path, const char *producer, int zstd_level, sl_trace_writer **,
                                        sl_error *);
/* Registers a kernel's static table (copied); returns its index through *index. Same symbol and content: same index. */
SL_API sl_status sl_trace_writer_kernel(sl_trace_writer *, const sl_trace_kernel *, uint32_t *index, sl_error *);
SL_API sl_status sl_trace_writer_begin(sl_trace_writer *, const sl_trace_launch *, const sl_trace_range *,
                                       size_t ranges, sl_error *);
/* Parts of one block arrive in order; parts of different blocks may interleave. The emulator's blocks come in ascending
 * order; those of imported traces as they stood there. After a failure of this or any other call the writer can only be
 * abandoned. */
SL_API sl_status sl_trace_writer_block(sl_trace_writer *, const sl_block_view *, sl_error *);
/* Instead of all blocks: the launch has those of an earlier one with the same kernel and shape, which has not
 * failed. `original`: the launches that were begun before that one. */
SL_API sl_status sl_trace_writer_repeat(sl_trace_writer *, uint32_t original, sl_error *);
/* The end of the launch; `failure`: the error that it ended with, or NULL. */
SL_API sl_status sl_trace_writer_end(sl_trace_writer *, const char *failure, sl_error *);
/* Finishes the index, renames and frees the writer. On failure the temporary file is removed. */
SL_API sl_status sl_trace_writer_close(sl_trace_writer *, sl_error *);
SL_API void sl_trace_writer_abandon(sl_trace_writer *);

typedef struct sl_trace sl_trace;
/* Opens by mapping the file. A file whose index is missing or damaged (it was cut off, or is still being written) still
 * opens: *damage (may be NULL) then has status SL_CORRUPT and says which launches and blocks were lost; otherwise its
 * status is SL_OK. What is whole is readable. Damage inside of a chunk shows when it is walked. */
SL_API sl_status sl_trace_open(const char *path, sl_trace **, sl_error *damage, sl_error *);
/* Analyses that interleave warps keep a launch in memory. With this, what would take more than some 100 MB goes to
 * unnamed temporary files in the folder. NULL, the default: everything stays in memory. Results are the same. */
SL_API sl_status sl_trace_spill(sl_trace *, const char *folder, sl_error *);
/* From now on the launches have their first `blocks` blocks only, as if no more had been recorded. 0: all. */
SL_API void sl_trace_limit_blocks(sl_trace *, uint64_t blocks);
SL_API void sl_trace_close(sl_trace *);
SL_API const char *sl_trace_producer(const sl_trace *);
SL_API uint32_t sl_trace_kernels(const sl_trace *);
/* NULL where the file is damaged; never for the kernel of a launch. */
SL_API const sl_trace_kernel *sl_trace_kernel_at(const sl_trace *, uint32_t index);
SL_API uint32_t sl_trace_launches(const sl_trace *);
SL_API const sl_trace_launch *sl_trace_launch_at(const sl_trace *, uint32_t index);
SL_API size_t sl_trace_ranges(const sl_trace *, uint32_t launch, const sl_trace_range **);
SL_API uint64_t sl_trace_launch_bytes(const sl_trace *, uint32_t launch); /* in the file */
SL_API uint64_t sl_trace_bytes(const sl_trace *);                         /* of the whole file */

/* Walks the blocks of a launch as they were recorded: in ascending order (imported traces: as they stood there), parts
 * in order; where blocks had to run interleaved, their parts are interleaved too. One walker per thread; several may
 * walk one trace at once. */
typedef struct sl_block_walker sl_block_walker;
SL_API sl_status sl_block_walker_create(const sl_trace *, uint32_t launch, uint64_t first_block, uint64_t end_block,
                                        sl_block_walker **, sl_error *);
/* *view is valid until the next call; *more false at the end. SL_CORRUPT names the blocks that cannot be read; another
 * call continues behind them. */
SL_API sl_status sl_block_walker_next(sl_block_walker *, sl_block_view *view, bool *more, sl_error *);
SL_API void sl_block_walker_destroy(sl_block_walker *); /* NULL is fine */

/* Accesses as rows of a table: one for each access of a warp in which a lane takes part (of an access to rows, one for
 * each group of pieces). The columns are the caller's, each with room for `capacity` rows; NULL: not wanted. */
typedef struct sl_access_rows {
    size_t capacity, count; /* count: rows that were filled */
    size_t addresses;       /* of these */
    uint64_t *block;
    uint32_t *warp;  /* of the block */
    uint32_t *slot;  /* memory slot of the kernel */
    uint32_t *width; /* bytes of each lane, or piece */
    uint64_t *mask;  /* lanes that take part */
    uint64_t *addr;  /* [capacity * lanes of the launch]: those of the lanes that take part, one after the other */
} sl_access_rows;

/* Reads the blocks of a launch as an sl_block_walker does, and of each the warps in order. `slot`: the memory slots
 * that are wanted; none: all. */
typedef struct sl_access_reader sl_access_reader;
SL_API sl_status sl_access_reader_create(const sl_trace *, uint32_t launch, uint64_t first_block, uint64_t end_block,
                                         const uint32_t *slot, size_t slots, sl_access_reader **, sl_error *);
/* Fills the next rows; fewer than `capacity` at the end. After SL_CORRUPT the rows that were filled are valid, and
 * another call continues behind what cannot be read. */
SL_API sl_status sl_access_reader_next(sl_access_reader *, sl_access_rows *rows, sl_error *);
SL_API void sl_access_reader_destroy(sl_access_reader *); /* NULL is fine */

#ifdef __cplusplus
}
#endif

#endif
