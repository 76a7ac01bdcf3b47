/* SPDX-License-Identifier: MIT */
/* A check that no data is lost: every unit of memory has a version, which travels with requests and lies in lines as
 * its data does. A store makes a new one; a load must see that of the last store that was issued before it.
 *
 * That holds for programs without races: those whose warps share what is written only across barriers of a block, or
 * from launch to launch. Atomics may race: each adds 1 to the version where it is done, and no load may look at it in
 * the same launch.
 *
 * What requests do to a line is done in the order in which the bank takes them. Of units in flight a line's version is
 * then what comes, plus so many atomics: RELATIVE. */
#ifndef SL_SIM_DATA_CHECK_H
#define SL_SIM_DATA_CHECK_H

#include "sim/bank.h"

typedef struct sl_data_check sl_data_check;

sl_status sl_data_check_create(sl_sim *sim, sl_error *error);
void sl_data_check_destroy(sl_sim *sim);
/* The banks of a level are about to be emptied. */
void sl_data_check_empty(sl_sim *sim, uint32_t level);
/* SL_FAULT with the first load that saw something else. */
sl_status sl_data_check_result(const sl_sim *sim, sl_error *error);

/* A request of a core has been made. */
void sl_data_check_issue(sl_sim *sim, uint32_t number);
/* A bank has taken a request: its units there are `units`. It sees the line, or changes it. */
void sl_data_check_access(sl_sim *sim, const sl_bank *bank, size_t line_slot, uint32_t number, uint32_t units,
                          sl_request_kind kind);
/* Units of a line are asked for below. */
void sl_data_check_request(sl_sim *sim, const sl_bank *bank, size_t line_slot, uint32_t asked);
/* They have come with a request: the line, and those who wait for it, know what they saw. */
void sl_data_check_fill(sl_sim *sim, const sl_bank *bank, size_t line_slot, uint32_t with, const sl_mshr *done);
/* A request that a bank answers takes with it what it saw there. */
void sl_data_check_answer(sl_sim *sim, const sl_bank *bank, uint32_t number);
/* It is answered with what another one got. */
void sl_data_check_coalesce(sl_sim *sim, uint32_t other, uint32_t number);
/* A line's dirty units are written back with a request. */
void sl_data_check_take(sl_sim *sim, const sl_bank *bank, size_t line_slot, uint32_t number);
/* A line moves to another slot of its bank. */
void sl_data_check_move(sl_sim *sim, const sl_bank *bank, size_t from, size_t to);
/* Memory is read or written. */
void sl_data_check_memory(sl_sim *sim, uint32_t number, bool write);
/* A load is back at its core. */
void sl_data_check_seen(sl_sim *sim, uint32_t number);

#endif
