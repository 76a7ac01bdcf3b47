/* SPDX-License-Identifier: MIT */
/* Which registers hold values that are still needed: to zero those that may be read before they are written, and to
 * estimate how many physical registers a kernel needs. */
#ifndef SL_EMU_LIVENESS_H
#define SL_EMU_LIVENESS_H

#include "ptx/cfg.h"

typedef struct sl_liveness {
    uint32_t at_entry;  /* registers live where the function starts */
    uint32_t *entry;    /* their indices, ascending */
    uint32_t max_words; /* maximum of 32-bit registers live at any instruction; predicates are free */
    uint64_t *in;       /* per block `set_words` words: a bit per register that is live where it starts */
    uint32_t set_words;
} sl_liveness;

static inline bool sl_live_at(const sl_liveness *live, uint32_t block, uint32_t reg)
{
    return live->in[(size_t)block * live->set_words + reg / 64] >> reg % 64 & 1;
}

sl_status sl_liveness_find(const sl_ptx_func *func, const sl_cfg *cfg, sl_arena *arena, sl_liveness *result,
                           sl_error *error);

#endif
