/* SPDX-License-Identifier: MIT */
/* Sectors of which stores have written some words.
 *
 * The first level keeps these words, and loads of them hit (`write: allocate`). A sector that was valid stays so. But
 * where a store meets an earlier one to other words of its sector that is still to be sent on, the first level forgets
 * all but the words of the later one, unless the two join (measured: papers/h200-micro/stored.csv). A level that keeps
 * stores
 * (`write: back`) has a sector when all of its words have been stored. */
#ifndef SL_SIM_STORED_H
#define SL_SIM_STORED_H

#include "sim/bank.h"

/* Of these granules of a line of the first level, those of which the words that a load wants were stored. */
uint32_t sl_stored_granules(const sl_sim *sim, const sl_bank *bank, size_t line_slot, uint32_t words,
                            uint32_t granules);
/* A store to granules of a line of the first level, some of which it writes in part; it is about to be put into `out`.
 */
void sl_stored_keep(sl_sim *sim, sl_bank *bank, size_t line_slot, const sl_request *store, uint32_t granules);
/* Whether the store goes on with one of its warp to the same line that has not been sent: its place in `out`, or
 * SL_NONE. */
uint32_t sl_stored_merge(sl_sim *sim, sl_bank *bank, size_t line_slot, const sl_request *store);
/* A store to a level that keeps it: of its granules, those of which all words have been stored by now. */
uint32_t sl_stored_add(sl_sim *sim, sl_bank *bank, size_t line_slot, uint32_t words, uint32_t granules);

#endif
