/* SPDX-License-Identifier: MIT */
/* The Fetch and Replacement Cache of a bank: set-associative entries into which lines are fetched while their victims
 * stay in the cache. A filled line is swapped with its victim, which is evicted from the entry. A miss that finds no
 * free entry in its set is handled as without FRC (evict.h).
 *
 * After Candel, Petit, Valero, Sahuquillo: Improving GPU Cache Hierarchy Performance with a Fetch and Replacement Cache
 * (2018). A swap takes no time. With frc_keeps_victims victims are not evicted: sets grow (lines.h). */
#ifndef SL_SIM_FRC_H
#define SL_SIM_FRC_H

#include "sim/bank.h"

enum { SL_NO_ENTRY = 0xffffffff };

/* The entry that fetches a line, or has it. */
uint32_t sl_frc_find(const sl_bank *bank, uint64_t line);
/* Gives a line a free entry of its set, or SL_NO_ENTRY. */
uint32_t sl_frc_alloc(sl_bank *bank, const sl_cache_access *access);
void sl_frc_free(sl_bank *bank, uint32_t entry);
/* Whether the line's set has a free entry. */
bool sl_frc_has_room(const sl_bank *bank, uint64_t line);
/* A free entry of the line's set holds the record of its victim instead; false: there is none. */
bool sl_frc_park_victim(sl_bank *bank, uint64_t line, uint32_t record);
/* The entry is filled: its line moves to its set, if that has a way that is not in flight. */
void sl_frc_swap_in(sl_sim *sim, sl_bank *bank, uint32_t entry);
/* The same with those that found none. */
void sl_frc_swap_in_filled(sl_sim *sim, sl_bank *bank);

#endif
