/* SPDX-License-Identifier: MIT */
/* Reads of several cores that reach the second level as one (access/coalescer.h). Cores of the small GPC are grouped as
 * the others. */
#ifndef SL_SIM_COALESCER_H
#define SL_SIM_COALESCER_H

#include "sim/engine.h"

typedef struct sl_coalescer sl_coalescer;

/* *coalescer stays NULL where the machine has none; the machine must outlive it. */
sl_status sl_coalescer_create(const sl_machine *machine, sl_coalescer **coalescer, sl_error *error);
void sl_coalescer_destroy(sl_coalescer *coalescer); /* NULL is fine */

/* A read misses in the first level. True: it waits for another one, and is not to be sent. */
bool sl_coalescer_merge(sl_sim *sim, uint32_t number);
/* It is sent: others may be merged with it. False: memory ran out. */
bool sl_coalescer_send(sl_sim *sim, uint32_t number);
/* The first level sends something else: reads that come after it must not get what was read before it. */
void sl_coalescer_stop(sl_sim *sim, uint32_t number);
/* The second level answers it: returns the merged reads, which get the same data. */
sl_request_list sl_coalescer_answer(sl_sim *sim, uint32_t number);

#endif
