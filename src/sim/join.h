/* SPDX-License-Identifier: MIT */
/* Reads of several cores that reach the second level as one (access/coalescer.h). Cores of the small GPC are grouped as
 * the others. */
#ifndef SL_SIM_JOIN_H
#define SL_SIM_JOIN_H

#include "sim/engine.h"

typedef struct sl_join sl_join;

/* *join stays NULL where the machine joins nothing; the machine must outlive it. */
sl_status sl_join_create(const sl_machine *machine, sl_join **join, sl_error *error);
void sl_join_destroy(sl_join *join); /* NULL is fine */

/* A read leaves the first level. True: it waits for another one, and is not to be sent. */
bool sl_join_takes(sl_sim *sim, uint32_t number);
/* It is sent: others may join it. False: memory ran out. */
bool sl_join_open(sl_sim *sim, uint32_t number);
/* Something else leaves the first level: reads that come after it must not get what was read before it. */
void sl_join_stop(sl_sim *sim, uint32_t number);
/* Its answer leaves the second level: those who waited, which get what it brings. */
sl_request_list sl_join_close(sl_sim *sim, uint32_t number);

#endif
