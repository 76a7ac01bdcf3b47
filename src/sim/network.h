/* SPDX-License-Identifier: MIT */
/* The networks between levels: from each bank one port to the level below and one to the level above. A transfer takes
 * the ports at both ends for as many cycles as its bytes need, and arrives a fixed time later. A bank's queue has room
 * for what is in flight to it. */
#ifndef SL_SIM_NETWORK_H
#define SL_SIM_NETWORK_H

#include "sim/bank.h"

enum { SL_PACKET_HEADER_BYTES = 8 }; /* of a request or an answer, beside its data */

/* A queue entry has become free: the bank of `level` that has waited longest goes on. */
void sl_network_entry_freed(sl_sim *sim, uint32_t level, sl_bank_list *waiting);
/* The bank waits for a queue entry. */
void sl_network_wait(sl_sim *sim, sl_bank *bank, sl_bank_list *waiting);
/* Cycles from the sending of a read to a level until its answer is back, without those in which the level has it. */
uint32_t sl_network_unloaded(const sl_sim *sim, uint32_t level);
/* Sends what is due at the head of `out`, if it can go: one request per call. Not of the first level. */
void sl_network_down(sl_sim *sim, sl_bank *bank);
/* Puts the head of a first-level cache's `out` into its port. */
void sl_network_offer(sl_sim *sim, sl_bank *bank);
/* That request has more to carry. */
void sl_network_resize(sl_sim *sim, sl_bank *bank);
/* Sends what is in the port, if it can go. */
void sl_network_send(sl_sim *sim, sl_bank *bank);
/* What was in the port has been sent: the cache goes on. */
void sl_network_sent(sl_sim *sim, sl_bank *bank);
/* The same with an answer, of which one is due. */
void sl_network_up(sl_sim *sim, sl_bank *bank);

/* ---- request coalescing across SMs (coalescer.c) ----
 *
 * Reads of the same sectors by several SMs that L2 sees as one (access/coalescer.h), from the arrival of the first of
 * them at L2 until it is answered. */

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
