/* SPDX-License-Identifier: MIT */
/* Reads of several cores that reach the second level as one (access/coalescer.h). Cores of the small GPC are grouped as
 * the others. */
#ifndef SL_SIM_COALESCER_H
#define SL_SIM_COALESCER_H

#include "sim/engine.h"

typedef struct sl_coalescer sl_coalescer;

/* *join stays NULL where the machine joins nothing; the machine must outlive it. */
sl_status sl_coalescer_create(const sl_machine *machine, sl_coalescer **coalescer, sl_error *error);
void sl_coalescer_destroy(sl_coalescer *coalescer); /* NULL is fine */

/* A read leaves the first level. True: it waits for another one, and is not to be sent. */
bool sl_coalescer_merge(sl_sim *sim, uint32_t number);
/* It is sent: others may join it. False: memory ran out. */
bool sl_coalescer_send(sl_sim *sim, uint32_t number);
/* Something else leaves the first level: reads that come after it must not get what was read before it. */
void sl_coalescer_stop(sl_sim *sim, uint32_t number);
/* Its answer leaves the second level: those who waited, which get what it brings. */
sl_request_list sl_coalescer_answer(sl_sim *sim, uint32_t number);

#endif
