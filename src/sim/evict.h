/* SPDX-License-Identifier: MIT */
/* How lines leave a bank.
 *
 * Where misses are overlapped a line leaves at once: what is dirty goes to the miss queue. Otherwise it takes its
 * time: the levels above that hold the line drop it (`inclusive`), which takes invalidate_cycles; what is dirty is
 * written back; when the level below has that, or memory's queue has taken it, the line has left. Until then nobody
 * gets it, and nothing comes in where it was. What is asked for later of memory is behind it in the same queue.
 *
 * Which levels above hold a line is known exactly, as by a directory that hears of every line that leaves above; with
 * `stale_sharers` it hears of none, and every line that they asked for is invalidated. */
#ifndef SL_SIM_EVICT_H
#define SL_SIM_EVICT_H

#include "sim/bank.h"

/* Puts a request into a queue of the bank. */
void sl_bank_put(sl_sim *sim, sl_queue *queue, uint64_t time, uint32_t number);
/* The policies hear that a line leaves; `forget` empties its way. */
void sl_line_report_eviction(sl_bank *bank, uint32_t set, uint32_t way);
void sl_line_clear(sl_bank *bank, uint32_t set, uint32_t way);
/* The line's data is no longer true: of what is on its way only those who wait for it already may use it. */
void sl_line_invalidate(sl_bank *bank, uint32_t set, uint32_t way);

/* Takes a line out of its way. Overlapped, it has left; otherwise the number of its record in bank->leaving, or SL_NONE
 * where it had no more to do. */
uint32_t sl_line_evict(sl_sim *sim, sl_bank *bank, uint32_t set, uint32_t way);
/* What comes in at a place goes below when the line that was there has left: at once where that has been. */
void sl_line_fetch(sl_sim *sim, sl_bank *bank, size_t place, uint32_t record, uint32_t number);
/* A line that was written back has arrived below. */
void sl_line_written(sl_sim *sim, const sl_request *writeback);
/* Memory's queue has taken a request: if it is a line that was written back, that is enough. */
void sl_line_taken(sl_sim *sim, sl_request *request);
/* Goes on with those that the levels above have dropped by now. */
void sl_lines_tick(sl_sim *sim, sl_bank *bank);
/* Writes back what is dirty in a bank, keeping it; whether there was anything. */
bool sl_bank_flush(sl_sim *sim, sl_bank *bank);
bool sl_line_in_eviction(const sl_bank *bank, uint64_t line);

#endif
