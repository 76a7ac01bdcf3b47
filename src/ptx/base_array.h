/* Which array a memory instruction touches: data flow from its address register back to where the pointer came from
 * (a parameter with an offset, a module variable, or a pointer loaded from memory). PTX registers are assigned more
 * than once, so the answer is a set; an instruction gets a base only when the set has exactly one element. */
#ifndef SL_PTX_BASE_ARRAY_H
#define SL_PTX_BASE_ARRAY_H

#include "ptx/module.h"

typedef enum sl_base_kind {
    SL_BASE_NONE,   /* not a memory instruction, or nothing found */
    SL_BASE_PARAM,  /* parameter `index`, byte `offset` in it */
    SL_BASE_SYMBOL, /* variable `name` */
    SL_BASE_LOADED, /* a pointer loaded by instruction `index` */
    SL_BASE_MANY,   /* several of the above */
} sl_base_kind;

typedef struct sl_base {
    uint8_t kind;
    uint32_t index, offset;
    const char *name;
} sl_base;

/* One entry per instruction of `func`, allocated in `arena`. */
sl_status sl_base_arrays(const sl_ptx_func *func, sl_arena *arena, sl_base **bases, sl_error *error);

#endif
