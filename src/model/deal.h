/* SPDX-License-Identifier: MIT */
/* Which core runs which block. */
#ifndef SL_MODEL_DEAL_H
#define SL_MODEL_DEAL_H

#include "machine/machine.h"
#include "trace/loaded.h"

/* Blocks go out in rounds, one to each core, until the cores are full; then to the core that is first to finish one.
 * How long a block takes is not known before it runs: where blocks are alike the rounds just go on, where they differ
 * by a factor of two and more the size of their traces stands for their time.
 *
 * Fills in core_of[blocks of the launch]. A core holds `resident_blocks` at a time. */
sl_status sl_deal_blocks(const sl_machine *machine, const sl_loaded *loaded, uint32_t resident_blocks,
                         uint32_t *core_of, sl_error *error);

#endif
