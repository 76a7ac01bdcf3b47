/* SPDX-License-Identifier: MIT */
/* What-ifs: a trace in which the accesses of some memory instructions, or the lanes of some steps, are as a repair
 * would make them. Such a what-if is a view of a trace; the model, the simulator and the estimate of time read it as
 * any other (loaded.h). The table of what-ifs is what_if.def, docs/what-if.md says what each assumes.
 *
 * Only accesses change: a repair that also adds instructions (a barrier, an index) costs those on top. Counts of a
 * trace (count.h) do not read it. */
#ifndef SL_TRACE_WHAT_IF_H
#define SL_TRACE_WHAT_IF_H

#include "trace/codec.h"

typedef enum sl_what_if_id {
#define SL_WHAT_IF(id, ...) SL_WHAT_IF_##id,
#include "trace/what_if.def"
    SL_WHAT_IFS
} sl_what_if_id;

typedef enum sl_what_if_kind {
    SL_WHAT_IF_ACCESS,
    SL_WHAT_IF_STEP,
    SL_WHAT_IF_MACHINE,
    SL_WHAT_IF_TIME
} sl_what_if_kind;

typedef struct sl_what_if_info {
    const char *name, *summary;
    sl_what_if_kind kind;
} sl_what_if_info;
extern const sl_what_if_info sl_what_if_infos[SL_WHAT_IFS];

typedef struct sl_what_if {
    sl_what_if_id id;
    uint32_t line; /* of the source, or of PTX where that is unknown; 0: all */
} sl_what_if;

/* "bank-conflicts" or "bank-conflicts@12". An unknown name is an error with the nearest right one. */
sl_status sl_what_if_parse(const char *text, sl_what_if *what_if, sl_error *error);

/* A view of the trace, which must outlive it, of kinds ACCESS and STEP. Fails where nothing is changed by it. */
sl_status sl_trace_what_if(const sl_trace *trace, const sl_what_if *what_if, sl_trace **view, sl_error *error);
void sl_trace_what_if_destroy(sl_trace *view); /* NULL is fine */
/* Whether lanes of a kernel of a view, whose loads it coalesces, read rows that warps can share. */
bool sl_trace_what_if_rows(const sl_trace *view, uint32_t kernel);

/* ---- for what reads warps (loaded.c) ---- */

/* What the launch says of a memory instruction that changes (what_if_look.h); zero: nothing. */
enum { SL_KEPT_LOG2 = 16 };
typedef struct sl_what_if_measure {
    uint32_t spacing; /* of a gather: bytes from one word to the next, if they were in order */
    uint32_t kept;    /* of atomics: share of the updates that are left, times 2^SL_KEPT_LOG2; 0: of each sector one */
} sl_what_if_measure;

/* Of one kernel of a view. */
struct sl_what_if_slot;
typedef struct sl_kernel_what_if {
    sl_what_if_id id;
    const struct sl_what_if_slot *slot; /* [mem_slots]; NULL: no instruction of the kernel changes */
    const uint8_t *steps;               /* [bbs]; NULL: no basic block is */
} sl_kernel_what_if;
sl_kernel_what_if sl_trace_kernel_what_if(const sl_trace *trace,
                                          uint32_t kernel); /* of traces that are no view: none */

/* The warp of a block that has `warps`; `state`: of the memory slot, zero before its first access in a stream. */
typedef struct sl_what_if_warp {
    uint32_t lanes, warp, warps;
    uint64_t *state; /* [2] */
    uint64_t seed;   /* of the warp */
    sl_what_if_measure measure;
} sl_what_if_warp;
/* Whether a step is executed, of which `active` lanes of `all` take part: as often, over the steps of the launch, as
 * full warps would do it. `number`: of the step in its warp, `seed`: of the warp. */
bool sl_what_if_executes(uint64_t seed, uint32_t bb, uint64_t number, uint32_t active, uint32_t all);
/* What lanes of a warp accessed becomes an access of all lanes in `full`. */
void sl_what_if_fill(sl_access *access, uint64_t full);
void sl_what_if_apply(sl_what_if_id id, const sl_inst *inst, const sl_what_if_warp *warp, sl_access *access);

#endif
