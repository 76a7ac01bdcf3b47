/* SPDX-License-Identifier: MIT */
/* Reads of several cores that the second level takes as one (access/coalescer.h), from when the first of them comes
 * there until it is answered. */
#ifndef SL_SIM_COALESCER_H
#define SL_SIM_COALESCER_H

#include "sim/engine.h"

typedef struct sl_coalescer sl_coalescer;

/* *coalescer stays NULL where the machine has none; the machine must outlive it. */
sl_status sl_coalescer_create(const sl_machine *machine, sl_coalescer **coalescer, sl_error *error);
void sl_coalescer_destroy(sl_coalescer *coalescer); /* NULL is fine */

typedef enum sl_coalesced { SL_COALESCED_FIRST, SL_COALESCED_ALONE, SL_COALESCED_MERGED } sl_coalesced;

/* A request comes to the second level. FIRST: when it is taken, it may be opened for others. MERGED: it waits for
 * another one, which is there. Reads of other sectors of a line that is open go alone, and close it. */
sl_coalesced sl_coalescer_merge(sl_sim *sim, const sl_request *r, uint32_t number);
/* Others may be merged with it from now on. `r`: as it came. False: memory ran out. */
bool sl_coalescer_open(sl_sim *sim, const sl_request *r, uint32_t number);
/* The line changes: reads that come after that must not get what was read before. */
void sl_coalescer_close(sl_sim *sim, uint64_t addr);
/* The second level answers it: returns the merged reads, which get the same data. */
sl_request_list sl_coalescer_answer(sl_sim *sim, uint32_t number);

#endif
