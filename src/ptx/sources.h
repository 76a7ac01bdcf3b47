/* SPDX-License-Identifier: MIT */
/* The PTX sources of a program. */
#ifndef SL_PTX_SOURCES_H
#define SL_PTX_SOURCES_H

#include "ptx/fatbin.h"
#include "ptx/module.h"

typedef struct sl_ptx_source {
    char *ptx; /* ends with a zero that `length` does not count */
    size_t length;
    char name[256]; /* of the source file, for messages */
} sl_ptx_source;

typedef SL_ARRAY(sl_ptx_source) sl_ptx_sources; /* zeros are fine */

/* Takes a malloc'ed text, also on failure. */
sl_status sl_ptx_sources_add(sl_ptx_sources *sources, char *ptx, size_t length, const char *name, sl_error *error);
/* Adds what a machine of compute capability `sm` would compile: the best PTX of each container. */
sl_status sl_ptx_sources_add_fatbin(sl_ptx_sources *sources, const sl_fatbin *fatbin, uint32_t sm, sl_error *error);
void sl_ptx_sources_fini(sl_ptx_sources *sources);

/* The text that defines a kernel; NULL: none does. *module, where `module` is not NULL, is its parsed form, to be
 * freed.
 */
const sl_ptx_source *sl_ptx_source_of(const sl_ptx_sources *sources, const char *kernel, sl_ptx_module **module);

#endif
