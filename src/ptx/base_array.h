/* SPDX-License-Identifier: MIT */
/* Which array a memory instruction accesses: data flow from its address register back to where the pointer came from
 * (a parameter with an offset, a module variable, or a pointer loaded from memory). PTX registers are assigned more
 * than once, so the answer is a set. */
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

/* All that an address may come from: a pointer that is one of two arrays (selected, or swapped from one round of a loop
 * to the next) has both. */
enum { SL_BASE_SET = 8 };
typedef struct sl_base_set {
    uint8_t count;             /* 0: nothing found, or not a memory instruction */
    bool more;                 /* there are others that found no room */
    sl_base item[SL_BASE_SET]; /* in a fixed order: equal sets are equal item by item */
} sl_base_set;

/* One set per instruction of `func`, allocated in `arena`. */
sl_status sl_base_sets(const sl_ptx_func *func, sl_arena *arena, sl_base_set **sets, sl_error *error);
/* The same as one entry per instruction: the only element, or SL_BASE_MANY. */
sl_status sl_base_arrays(const sl_ptx_func *func, sl_arena *arena, sl_base **bases, sl_error *error);

/* "param_0", "param_2+8" (a member of a struct by value), "table", "*17" (a pointer loaded by instruction 17), into
 * `buffer`; empty for SL_BASE_NONE and SL_BASE_MANY. The name of the function in front of its parameters is left out.
 */
char *sl_base_text(const sl_ptx_func *func, const sl_base *base, char *buffer, size_t size);

#endif
