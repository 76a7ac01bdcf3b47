/* SPDX-License-Identifier: MIT */
/* The PTX modules of a program, as texts. */
#ifndef SL_PTX_TEXTS_H
#define SL_PTX_TEXTS_H

#include "ptx/fatbin.h"
#include "ptx/module.h"

typedef struct sl_ptx_text {
    char *ptx; /* ends with a zero that `length` does not count */
    size_t length;
    char name[256]; /* of the source file, for messages */
} sl_ptx_text;

typedef SL_ARRAY(sl_ptx_text) sl_ptx_texts; /* zeros are fine */

/* Takes a malloc'ed text, also on failure. */
sl_status sl_ptx_texts_add(sl_ptx_texts *texts, char *ptx, size_t length, const char *name, sl_error *error);
/* Adds what a machine of compute capability `sm` would compile: the best PTX of each container. */
sl_status sl_ptx_texts_add_fatbin(sl_ptx_texts *texts, const sl_fatbin *fatbin, uint32_t sm, sl_error *error);
void sl_ptx_texts_fini(sl_ptx_texts *texts);

/* The text that defines a kernel; NULL: none does. *module, where `module` is not NULL, is its parsed form, to be
 * freed.
 */
const sl_ptx_text *sl_ptx_text_of(const sl_ptx_texts *texts, const char *kernel, sl_ptx_module **module);

#endif
