/* SPDX-License-Identifier: MIT */
/* The running state: warps, blocks, and what handlers may access. Internal to src/emu. */
#ifndef SL_EMU_WARP_H
#define SL_EMU_WARP_H

#include <setjmp.h>
#include <string.h>

#include "base/buffer.h"
#include "emu/code.h"
#include "trace/codec.h"
#include "trace/count.h"

enum {
    SL_BARRIERS = 16,
    SL_CLUSTER_BARRIER = SL_BARRIERS, /* sl_warp_split.barrier: that of the cluster */
};

/* Addresses of shared memory in kernels that know of clusters: the rank of a block in its cluster, then the offset. */
enum { SL_RANK_BIT = 24, SL_MAX_CLUSTER_BLOCKS = 16 };

/* Generic addresses inside these windows mean shared and local memory; everything else is global. */
#define SL_SHARED_WINDOW 0x2f0000000000u
#define SL_LOCAL_WINDOW  0x2f8000000000u
#define SL_WINDOW_BYTES  0x001000000000u

typedef enum sl_split_state { SL_SPLIT_READY, SL_SPLIT_BARRIER, SL_SPLIT_WARP_SYNC } sl_split_state;

enum { SL_NO_RECONVERGENCE = INT32_MIN };

/* Lanes of a warp that run together. */
typedef struct sl_warp_split {
    uint64_t mask;
    int32_t bb;
    int32_t
        reconverge; /* the reconvergence point's block (SL_BB_EXIT: the end of the function), or SL_NO_RECONVERGENCE */
    int32_t reconvergence; /* index of the reconvergence point these lanes are heading for; -1: none */
    uint8_t state;         /* sl_split_state */
    uint8_t barrier;       /* SL_SPLIT_BARRIER: which one */
    bool released;         /* the lanes named by the warp-synchronising instruction at the start of bb are all here */
    bool ops_done;         /* …and the ops of bb were run together with theirs: only the terminator is left */
    int32_t wait_bb;       /* SL_SPLIT_BARRIER: the block that ended in the barrier */
    uint32_t frame;        /* byte offset of the running function's registers */
    uint32_t local;        /* byte offset of its local frame */
} sl_warp_split;

/* Where lanes that diverged run together again: a join of a divergent branch, or the return of a
 * call. */
typedef struct sl_reconvergence {
    uint64_t mask, arrived;
    int32_t bb;     /* where it continues; SL_BB_EXIT: the function's end, so that it continues to its parent */
    int32_t parent; /* of one not in use: the next such */
    uint32_t inner; /* points that have this one as parent: they come first */
    bool used, call;
    uint32_t frame, local;         /* of the lanes when they continue */
    const sl_call *site;           /* call: where return values go */
    uint32_t callee_local, callee; /* call: where they come from */
} sl_reconvergence;

typedef struct sl_block sl_block;
typedef struct sl_cluster sl_cluster;
typedef struct sl_stray_line sl_stray_line; /* stray.c */

/* Things that a GPU lets pass: the first one, by the lowest block, and how many there were. */
typedef struct sl_lapse {
    sl_error *first; /* NULL: none */
    uint64_t block, count;
} sl_lapse;
typedef struct sl_race sl_race; /* race.c */
typedef struct sl_worker sl_worker;

/* Products of a warp group (wgmma) that 32 lanes have executed, and how many they had at their last commits. */
enum { SL_GROUPS_KEPT = 16 };
typedef struct sl_group_progress {
    uint32_t products, commits, committed[SL_GROUPS_KEPT];
} sl_group_progress;

struct sl_warp {
    /* What handlers access, first. */
    uint8_t *area[4];           /* bases of the operand areas */
    uint64_t mask;              /* active lanes */
    uint32_t active;            /* how many */
    bool full;                  /* all live lanes are active: registers may be written without a blend */
    const uint32_t *lanes;      /* per lane all ones or zeros: mask, expanded; valid unless the mask has every lane */
    sl_warp_stream *stream;     /* NULL: not recorded */
    sl_launch_counter *counter; /* of the block; NULL: its accesses are not counted */
    sl_race *race;              /* of the cluster; NULL: nobody looks for races */
    bool watched;               /* any of the three */
    sl_block *block;
    sl_worker *worker;
    uint8_t *registers; /* the register file: frames of all active calls */
    uint8_t *local;     /* local memory, lane-major: lane * local_capacity + offset */
    uint32_t local_capacity, register_capacity;
    uint32_t local_base;   /* local frame of the running function */
    uint32_t index;        /* in the block */
    uint64_t exists, live; /* lanes that have a thread; that have not exited */
    const sl_code *code;

    /* Control. */
    uint32_t splits;
    sl_warp_split split[SL_MAX_LANES]; /* [0, splits): a stack of those not running; the last ready one runs next */
    sl_reconvergence *reconvergence;
    uint32_t reconvergences, reconvergence_capacity; /* ever used since the warp started; allocated */
    int32_t free_reconvergence;                      /* first of those not in use; -1: none */
    sl_warp_split now;                               /* the running split */
    bool has_now;
    uint32_t turns, spin_turns; /* back edges since it last paused; those of spinning loops since it last gave way */
    uint32_t pauses;            /* times it paused since it started */
    uint64_t slice, slice_end;  /* instructions until others of its block get their turn; worker->clock then */
    uint64_t spun;              /* lanes that gave way since the warp was last scheduled */
    uint64_t ran, resumed;      /* instructions before it was last scheduled; worker->clock then */
    uint32_t calls;             /* since the last iteration of a loop */
    sl_group_progress group[2]; /* of either half of 64 lanes */
    _Alignas(64) uint32_t lane_words[SL_MAX_LANES];
    uint64_t few_addr[SL_MAX_LANES]; /* addresses of accesses with few active lanes */
    _Alignas(64) uint32_t guard_words[SL_MAX_LANES];
};

typedef struct sl_barrier_state {
    bool active;
    uint32_t expected; /* threads; 0: all live threads of the block */
    uint32_t arrivals; /* threads so far */
    uint64_t *arrived; /* per warp: lanes */
    uint32_t ayes;     /* bar.red: threads whose predicate holds */
    bool all;
} sl_barrier_state;

struct sl_block {
    sl_worker *worker;
    sl_cluster *cluster;
    uint32_t rank; /* in the cluster */
    uint64_t index;
    uint32_t id[3];
    uint32_t warps;
    sl_warp *warp;
    sl_warp_stream *stream;            /* [warps]; NULL: not recorded */
    sl_launch_counter *counter;        /* NULL: not counted */
    uint64_t warp_insts, thread_insts; /* counted: that ran since it was last handed over */
    uint32_t live_threads;
    uint8_t *shared;
    uint32_t shared_bytes, shared_room; /* as asked for; as the hardware gives it */
    uint32_t shared_base;               /* its address: 0, but for kernels that know of clusters */
    sl_stray_line *strays;              /* what it wrote outside of allocations */
    uint8_t *shared_written;            /* --check=uninit: one bit per byte; else NULL */
    struct sl_tensor_memory *tensor;    /* NULL: nothing was ever allocated in it */
    sl_barrier_state barrier[SL_BARRIERS];
    uint64_t *at_cluster_barrier; /* per warp: lanes that have arrived there */
    uint32_t part;                /* parts of its trace already handed over */
    bool recorded;                /* or counted */
};

/* Blocks that run together, taking turns: one, but for launches with clusters. */
struct sl_cluster {
    sl_worker *worker;
    uint64_t index;
    uint32_t blocks;
    sl_block *block;      /* by rank */
    sl_race *race;        /* --check=race; else NULL */
    uint32_t arrivals;    /* threads at its barrier, in this phase of it */
    uint32_t idle_rounds; /* rounds of all warps in a row in which nobody did anything but spin */
};

/* The last allocation a memory slot fell into: checked first. */
typedef struct sl_range_cache {
    uint64_t base, bytes;
} sl_range_cache;

/* How the active lanes of a load or store lay when it last looked at them. The distance of every lane from the first
 * active one (0 for others) follows, first in 64 bits, then in 32. */
typedef struct sl_shape {
    uint64_t mask;
    uint64_t low, room; /* all lanes are inside the memory when the first is at `low`, or up to `room` bytes above it */
    uint64_t stride;
    uint64_t unaligned; /* bits that no address may have */
    uint32_t lanes;     /* how many are active; 0: nothing is known */
    uint8_t misses;     /* in a row since it was looked at */
    bool hit;           /* lanes have lain so again since then */
    uint8_t run;        /* neighbors, so many at a time (the last ones may be fewer) `stride` apart; 0: they are not */
    bool apart;         /* no two access the same bytes */
    _Alignas(64) sl_shape_counts counts;
} sl_shape;
#define SL_SHAPE_BYTES(lanes) (sizeof(sl_shape) + (lanes) * (sizeof(uint64_t) + sizeof(uint32_t)))

/* Things of one launch that all workers share. */
typedef struct sl_run {
    sl_emu *emu;
    sl_emu_kernel *kernel;
    const sl_code *code;
    const sl_emu_launch *launch;
    uint32_t lanes, threads_per_block, warps_per_block;
    uint64_t blocks, clusters;
    uint32_t cluster[3], cluster_blocks; /* shape and size of a cluster; all ones: there are none */
    bool explicit_cluster;               /* the launch or the kernel says which */
    uint32_t shared_bytes;
    uint64_t param_addr;
    const uint8_t *params; /* where the host has them */
    bool parallel;         /* blocks run on several host threads */
    bool recording;
    sl_launch_counter *counter; /* recording: counts are all that is wanted; else NULL */
    uint64_t block_limit;       /* blocks from here on are not recorded */
    uint64_t serial;            /* of the launch */
} sl_run;

/* One host thread's view of a launch. */
struct sl_worker {
    sl_run *run;
    sl_range_cache *range; /* per instruction */
    uint8_t *shapes;       /* [sl_code.shapes] of SL_SHAPE_BYTES */
    uint64_t shift;        /* host address - device address */
    uint64_t clock;        /* warp instructions so far */
    uint64_t waited;       /* cycles that were skipped in loops that wait for a time to come */
    uint64_t thread_insts;
    uint64_t steps; /* basic blocks left so far */
    sl_error *error;
    sl_fault fault;
    jmp_buf escape;         /* faults jump here */
    sl_lapse stray, absent; /* as sl_emu_config has them */
    sl_stray_line *strays;  /* of blocks that have ended */
    uint32_t stray_lines;   /* so far */
    sl_buffer text[3];      /* what functions of builtin.c read and print */
    SL_ARRAY(sl_row) rows;  /* what bulk.c has copied */
    uint64_t prefetched;    /* bytes, by bulk.c */
    void *factors;          /* of products, as they were read last (exec_matrix.c); NULL: none */
    void *columns;          /* of wgmma, the same (exec_group.c) */
    /* Hands a part of a block's trace to the sink; jumps out on failure. */
    void (*deliver)(sl_worker *worker, sl_block *block, bool last);
    void *launcher; /* private to launch.c */
};

/* What the kernels of a launch have printed (device_printf.c). */
typedef struct sl_printed {
    sl_buffer text;
    SL_ARRAY(uint32_t) calls; /* bytes of each */
    size_t start, first;      /* text and calls before these were replaced by newer ones */
    size_t limit;             /* bytes of text that are kept */
    uint64_t lost;            /* calls whose text was replaced */
} sl_printed;

struct sl_emu {
    sl_emu_config config;
    bool check_uninit, check_race; /* of its settings */
    sl_machine machine;
    sl_gpu_limits limits;
    sl_heap *heap;
    struct sl_pool *pool;
    const sl_handler_set *handlers;
    sl_fault fault;
    uint64_t launches;
    uint64_t cycles; /* of all launches before this one */
    struct sl_textures *textures;
    struct sl_repetitions *repetitions; /* NULL: every launch runs */
    sl_printed printed;
    uint64_t params;               /* device memory for parameter blocks */
    uint64_t grid_workspace;       /* device memory for cooperative launches: what %envreg1 and %envreg2 point to */
    struct sl_trace_range *ranges; /* live allocations, as of heap generation `ranges_at` */
    size_t range_count;
    uint64_t ranges_at;
    sl_arena range_labels;
};

enum {
    SL_PARAM_BYTES = 32768,
    SL_GRID_WORKSPACE_BYTES = 256,
};

/* Ends the launch: fills the error with kernel, block, thread, source location and the sentence, and jumps out. `lane`
 * < 0: the whole warp. */
_Noreturn void sl_fault_raise(sl_warp *warp, uint32_t inst, int lane, sl_fault kind, const char *format, ...)
    SL_PRINTF(5, 6);
/* An access that the fast path did not accept: finds what is wrong with it, or returns the host pointer. */
void *sl_memory_resolve_aligned(sl_warp *warp, const sl_op *op, int lane, uint64_t addr, uint32_t bytes, uint32_t align,
                                bool store);
static inline void *sl_memory_resolve(sl_warp *warp, const sl_op *op, int lane, uint64_t addr, uint32_t bytes,
                                      bool store)
{
    return sl_memory_resolve_aligned(warp, op, lane, addr, bytes, bytes, store);
}
/* The host pointer of bytes that lie in one live allocation, or in the shared memory of a block that has not exited.
 * NULL: they do not, or lie in local memory, which every lane has its own of; alignment is the caller's matter. */
void *sl_memory_whole(sl_warp *warp, const sl_op *op, uint64_t addr, uint64_t bytes, bool store);
/* Slow path for --check=uninit. */
void sl_memory_check_read(sl_warp *warp, const sl_op *op, int lane, uint64_t addr, uint32_t bytes);
void sl_memory_mark_written(sl_warp *warp, const sl_op *op, int lane, uint64_t addr, uint32_t bytes);

/* ---- warp.c ---- */

/* Cycles since the first launch, at an instruction of the running block: four per warp instruction, which is how long
 * one that depends on the one before takes. */
static inline uint64_t sl_warp_cycles(const sl_warp *warp, uint32_t inst)
{
    const sl_worker *worker = warp->worker;
    const sl_code_bb *bb = &warp->code->bb[warp->now.bb];
    uint64_t insts = worker->clock - bb->insts + (inst - bb->first_inst);
    return worker->run->emu->cycles + worker->waited + 4 * insts;
}

typedef enum sl_warp_stop {
    SL_WARP_DONE,    /* every lane has exited */
    SL_WARP_WAITING, /* every lane that is left waits */
    SL_WARP_PAUSED,  /* ran for a while and can continue */
    SL_WARP_SPINS,   /* waits for somebody else by looking at memory */
} sl_warp_stop;

void sl_warp_start(sl_warp *warp);
/* A barrier has completed: warps take short turns from here on, and longer ones the longer they are past it. */
void sl_warp_past_barrier(sl_warp *warp);
/* Asynchronous work has been signaled: the others get their turn now. On a GPU it takes a while, in which all warps see
 * the phase of the barrier that came before; some programs count on that. */
void sl_warp_yield(sl_warp *warp);
sl_warp_stop sl_warp_run(sl_warp *warp);
bool sl_warp_has_ready(const sl_warp *warp);
/* Splits that are ready to continue at the same instruction to the same reconvergence point become one. */
void sl_warp_merge(sl_warp *warp);

/* What warp.c and warp_calls.c share. */
const void *sl_warp_operand(const sl_warp *warp, uint32_t ref);
void sl_warp_set_mask(sl_warp *warp, uint64_t mask);
void sl_warp_push(sl_warp *warp, sl_warp_split split);
void sl_warp_enter_frame(sl_warp *warp);
/* A point inside of that of the running split, for its lanes. */
int32_t sl_warp_new_reconvergence(sl_warp *warp, uint32_t inst);
/* Makes the running split head for a new reconvergence point at `bb`, which all its lanes will reach. */
int32_t sl_warp_part_ways(sl_warp *warp, int32_t bb);

/* ---- warp_calls.c ---- */

/* Ends the launch where the warp, or the launch, has executed more than it may. */
void sl_warp_check_limit(sl_warp *warp, uint32_t inst);
/* The warp calls a function at the end of `bb`. */
void sl_warp_count_call(sl_warp *warp, const sl_code_bb *bb);

/* ---- warp_calls.c ---- */

/* The running split enters function `index` and will return to `next`. */
void sl_warp_call(sl_warp *warp, const sl_code_bb *bb, uint32_t index, int32_t next);
void sl_warp_call_indirect(sl_warp *warp, const sl_code_bb *bb);
/* Copies results to the caller's frame when the lanes of `mask` come back. */
void sl_warp_return_values(sl_warp *warp, const sl_reconvergence *reconvergence, uint64_t mask);
/* Registers that may be read before they are written. */
void sl_warp_zero_registers(sl_warp *warp, const sl_code_function *function);

/* A memory instruction ran for the lanes of `mask`: tells those who record or count it. */
static inline void sl_warp_record(const sl_warp *warp, const sl_op *op, uint64_t mask, const uint64_t *addr)
{
    if (op->slot == UINT32_MAX)
        return;
    if (warp->stream)
        sl_warp_stream_access(warp->stream, op->slot, mask, addr);
    else if (warp->counter)
        sl_launch_counter_access(warp->counter, op->slot, mask, addr);
}

/* ---- block.c ---- */

sl_status sl_block_init(sl_block *block, sl_cluster *cluster, uint32_t rank, sl_error *error);
void sl_block_fini(sl_block *block);
/* Makes the context ready to run the block. */
void sl_block_start(sl_block *block, const uint32_t id[3]);
/* The running split of `warp` has reached the barrier at the end of `bb`: true when it has to wait. */
bool sl_block_barrier(sl_block *block, sl_warp *warp, const sl_code_bb *bb);
/* Lanes have exited: barriers may be complete now. */
void sl_block_exited(sl_block *block, uint32_t threads);

/* ---- cluster.c ---- */

typedef enum sl_cluster_stop { SL_CLUSTER_DONE, SL_CLUSTER_SPINS } sl_cluster_stop;

sl_status sl_cluster_init(sl_cluster *cluster, sl_worker *worker, sl_error *error);
void sl_cluster_fini(sl_cluster *cluster);
/* Makes the context ready to run cluster `index`. */
void sl_cluster_start(sl_cluster *cluster, uint64_t index);
/* `alone`: there is nobody else to wait for, so spinning continues. */
sl_cluster_stop sl_cluster_run(sl_cluster *cluster, bool alone);
/* The running split of `warp` arrives at, or waits at, the barrier of the cluster: true when it has to wait. */
bool sl_cluster_barrier(sl_warp *warp, const sl_code_bb *bb);
/* Lanes have exited: the barrier may be complete now. */
void sl_cluster_exited(sl_cluster *cluster);

/* The block whose shared memory an address of the shared window means, and the offset in it (which may lie outside).
 * NULL: the cluster has no such block. Every access to shared memory comes through here, or through the test in
 * exec_memory.c that it lies in that of the running block. */
static inline sl_block *sl_shared_block(const sl_warp *warp, uint64_t addr, uint64_t *offset)
{
    *offset = addr;
    if (!warp->code->knows_clusters)
        return warp->block;
    *offset = addr & ((1u << SL_RANK_BIT) - 1);
    addr >>= SL_RANK_BIT;
    return addr < warp->block->cluster->blocks ? &warp->block->cluster->block[addr] : NULL;
}

/* The same; ends the launch when there is no such block, or it has exited. */
sl_block *sl_cluster_locate(sl_warp *warp, uint32_t inst, int lane, uint64_t addr, uint64_t *offset);
/* Block `rank` of the warp's cluster; NULL: there is none. */
static inline sl_block *sl_cluster_block(const sl_warp *warp, uint32_t rank)
{
    const sl_cluster *cluster = warp->block->cluster;
    return rank < cluster->blocks ? &cluster->block[rank] : NULL;
}

/* The address of the same variable in the block of that rank; for addresses in the shared window and for generic ones.
 */
static inline uint64_t sl_shared_at_rank(uint64_t addr, uint32_t rank)
{
    return (addr & ~(UINT64_C(255) << SL_RANK_BIT)) | (uint64_t)(rank & 255) << SL_RANK_BIT;
}

/* `lane` shuffles and reads lane `source`, which does not take part: a race where those are looked for, else a lapse.
 */
void sl_note_absent(sl_warp *warp, const sl_op *op, int lane, int source);

/* ---- stray.c ---- */

/* Where a forgiven access outside of allocations goes; NULL: there is no memory for it. */
void *sl_stray_bytes(sl_warp *warp, uint64_t addr, uint32_t bytes, bool store);
/* Moves all lines of one list to another. */
void sl_stray_join(sl_stray_line **to, sl_stray_line **from);
/* Writes what was kept to memory, in order of blocks. False: out of memory. */
bool sl_stray_end_launch(const sl_heap *heap, sl_stray_line *lines);
void sl_stray_free(sl_stray_line *lines);

/* ---- race.c ---- */

sl_race *sl_race_create(uint32_t warps);                /* NULL: out of memory */
void sl_race_destroy(sl_race *race);                    /* NULL is fine */
void sl_race_start(sl_race *race, const sl_code *code); /* a new cluster */
/* The active lanes access memory; a race ends the launch. */
void sl_race_note(sl_warp *warp, const sl_op *op, const uint64_t *addr);
/* A lane accesses memory in the operation's space: matrix loads and stores. */
void sl_race_range(sl_warp *warp, const sl_op *op, int lane, uint64_t addr, uint32_t bytes, bool store);

/* What completes later than it was issued, in groups of a warp. */
typedef enum sl_race_agent {
    SL_RACE_COPIES,      /* cp.async: writes of shared memory */
    SL_RACE_BULK_READS,  /* bulk copies to global memory: what they read */
    SL_RACE_BULK_WRITES, /* and what they write */
    SL_RACE_PRODUCTS,    /* wgmma: reads of shared memory */
    SL_RACE_TENSOR,      /* the same of tcgen05 */
    SL_RACE_AGENTS
} sl_race_agent;
/* The active lanes begin to copy to shared memory (cp.async). */
void sl_race_copy(sl_warp *warp, const sl_op *op, const uint64_t *to);
/* The group that is open accesses bytes: of that block's shared memory, or global memory (NULL). */
void sl_race_later(sl_warp *warp, const sl_op *op, int lane, sl_race_agent agent, const sl_block *block, uint64_t at,
                   uint32_t bytes);
/* The same of all rows that the worker has noted. */
void sl_race_rows(sl_warp *warp, const sl_op *op, int lane, sl_race_agent agent, const sl_block *block);
/* A bulk copy writes shared memory and signals a barrier. */
void sl_race_signaled(sl_warp *warp, const sl_op *op, int lane, const sl_block *block, uint64_t at, uint32_t bytes,
                      const sl_block *of_barrier, uint64_t barrier);
/* tcgen05.commit: what was committed signals a barrier. */
void sl_race_committed(sl_warp *warp, const sl_op *op, const sl_block *block, uint64_t barrier);
/* A lane has found the phase of a barrier complete that it waited for. */
void sl_race_waited(sl_warp *warp, const sl_op *op, int lane, uint64_t addr);
/* fence.proxy.async */
void sl_race_fence(sl_warp *warp);
/* A group is committed; all but the last `left` groups, or everything, are waited for. */
typedef enum sl_race_wait { SL_RACE_COMMIT, SL_RACE_WAIT_GROUP, SL_RACE_WAIT_ALL } sl_race_wait;
void sl_race_groups(sl_warp *warp, sl_race_agent agent, sl_race_wait kind, uint32_t left);
/* A barrier of one block or all blocks of a cluster completes: arrived[i] are the lanes of each warp of block i. */
void sl_race_barrier(sl_race *race, const sl_block *block, uint32_t blocks, const uint64_t *const *arrived);

/* ---- bulk.c ---- */

void sl_bulk_execute(sl_warp *warp, const sl_op *op);
void sl_tensor_map_edit(sl_warp *warp, const sl_op *op);
/* Adds to worker->rows; rows at a regular distance are one entry. */
void sl_note_row(sl_warp *warp, const sl_op *op, uint64_t addr, uint64_t other, uint32_t bytes);

/* ---- device_printf.c ---- */

/* Copies a string of at most `max` characters out of device memory, as an access of the lane. */
const char *sl_device_string(sl_warp *warp, const sl_op *op, int lane, uint64_t addr, size_t max, sl_buffer *text);
/* Prints for one lane; the number of conversions. */
int sl_device_printf(sl_warp *warp, const sl_op *op, int lane, uint64_t format, uint64_t arguments);
/* The launch has ended. */
void sl_printed_pass_on(sl_printed *printed, const sl_emu_config *config);
void sl_printed_fini(sl_printed *printed);

/* ---- builtin.c ---- */

/* Runs a function that the device runtime provides for every active lane. */
void sl_builtin_call(sl_warp *warp, const sl_code_bb *bb);

/* ---- texture.c ---- */

void sl_textures_destroy(struct sl_textures *textures); /* NULL is fine */

/* May the blocks of a launch run in any order? */

/* True only when it is certain that no block can see what another did. */
bool sl_blocks_independent(const sl_run *run);

/* Splits that wait for lanes of their warp, for warp.c. */

static inline void sl_warp_remove_split(sl_warp *warp, uint32_t index)
{
    uint32_t above = --warp->splits - index;
    if (above)
        memmove(&warp->split[index], &warp->split[index + 1], above * sizeof *warp->split);
}

/* Lanes that wait for others of their warp. */
uint64_t sl_warp_parked(const sl_warp *warp);
/* The lanes of a split for which every lane they name in the instruction at the start of its block is
 * in `here` or has exited. Lanes that its guard keeps out wait for nobody. */
uint64_t sl_warp_satisfied(const sl_warp *warp, const sl_warp_split *split, uint64_t here);
/* True when the running split, or what is left of it here, may run the block now. Splits that waited for it are
 * released; those at the same instruction run the block along with it. */
bool sl_warp_gather(sl_warp *warp);

#endif
