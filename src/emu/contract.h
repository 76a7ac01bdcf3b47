/* SPDX-License-Identifier: MIT */
/* Products and sums that become one fma, as ptxas makes them, or one mad. */
#ifndef SL_EMU_CONTRACT_H
#define SL_EMU_CONTRACT_H

#include "emu/liveness.h"

typedef struct sl_contraction {
    const sl_ptx_inst **as; /* per instruction of the function: what it is executed as; NULL: as it is written */
    bool *dropped;          /* nobody needs the product any more */
} sl_contraction;

/* Allocates in `arena`. `off`: finds no fma. */
sl_status sl_contract_find(const sl_ptx_func *func, const sl_cfg *cfg, const sl_liveness *live, bool off,
                           sl_arena *arena, sl_contraction *result, sl_error *error);

#endif
