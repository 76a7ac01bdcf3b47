/* SPDX-License-Identifier: MIT */
/* The networks between levels. Each bank has a port to the level below and one to the level above. A transfer occupies
 * the ports at both ends for as many cycles as its bytes need, and arrives network_cycles later. A bank's queue
 * reserves entries for what is in flight to it. */
#ifndef SL_SIM_NETWORK_H
#define SL_SIM_NETWORK_H

#include "sim/bank.h"

enum { SL_PACKET_HEADER_BYTES = 8 }; /* of a request or an answer, in addition to its data */

/* A queue entry is free: wakes the bank of `level` that has waited longest for one. */
void sl_network_entry_freed(sl_sim *sim, uint32_t level, sl_bank_list *waiting);
/* Appends a bank to those that wait for a queue entry. */
void sl_network_wait(sl_sim *sim, sl_bank *bank, sl_bank_list *waiting);
/* Unloaded network latency of a read to a level and back, without the time in the level. */
uint32_t sl_network_unloaded(const sl_sim *sim, uint32_t level);
/* Sends the head of the miss queue of a bank below L1, if ports and queues permit. */
void sl_network_down(sl_sim *sim, sl_bank *bank);
/* Loads the head of the miss queue of an L1 into its port. */
void sl_network_offer(sl_sim *sim, sl_bank *bank);
/* A store was merged with the request in the port, which is longer now. */
void sl_network_resize(sl_sim *sim, sl_bank *bank);
/* Sends the request in the port of an L1, if ports and queues permit. */
void sl_network_send(sl_sim *sim, sl_bank *bank);
/* The request in the port was sent: pops it from the miss queue. */
void sl_network_sent(sl_sim *sim, sl_bank *bank);
/* Sends a bank's next answer, which is due, to the level above. */
void sl_network_up(sl_sim *sim, sl_bank *bank);

#endif
