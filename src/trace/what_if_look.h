/* SPDX-License-Identifier: MIT */
/* What a what-if has to know of a kernel's accesses before it changes them: how many sectors a gather needs at least,
 * how often blocks update a sector, which accesses one repair changes together. */
#ifndef SL_TRACE_WHAT_IF_LOOK_H
#define SL_TRACE_WHAT_IF_LOOK_H

#include "trace/what_if.h"

/* Of a memory instruction. */
typedef struct sl_what_if_slot {
    bool changed;
    bool partner; /* changes because another instruction does, whatever the what-if is about */
    sl_what_if_measure measure;
} sl_what_if_slot;

/* Completes slot[mem_slots] of a kernel, of which those that the what-if names are `changed`, from the launch of the
 * kernel that has most blocks: reads its first blocks, and of gathers many requests. Where the what-if is about all
 * lines, others are `changed` that the same repair would change. *rows: whether lanes mostly read rows of their own, of
 * as many elements as a warp has lanes. */
sl_status sl_what_if_look(const sl_trace *trace, uint32_t kernel, const sl_what_if *what_if, sl_what_if_slot *slot,
                          bool *rows, sl_error *error);

#endif
