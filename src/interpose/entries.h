/* SPDX-License-Identifier: MIT */
/* The entry points of the CUDA driver inside of a program that runs on a real GPU: those of NVIDIA's library, and the
 * hooks of this one in front of some of them.
 *
 * The library has the name libcuda.so.1 inside, so that whoever loads the driver, a CUDA runtime inside of the program
 * too, gets this one. */
#ifndef SL_SWAP_ENTRIES_H
#define SL_SWAP_ENTRIES_H

#include <stdbool.h>

#define SL_DRIVER_VARIABLE "SLUICE_GPU_DRIVER" /* path of NVIDIA's library */

typedef enum sl_entry {
#define SL_DRIVER(name, version, symbol) SL_AT_##symbol,
#define SL_THREAD                        SL_DRIVER
#include "cudadriver/functions.def"
#undef SL_DRIVER
#undef SL_THREAD
    SL_ENTRIES
} sl_entry;

/* The driver's function; NULL: it has none. */
void *sl_real(sl_entry entry);
/* Loads the driver; called by the first use of an entry point. */
void sl_driver_start(void) __attribute__((visibility("hidden")));
/* The hook that cuGetProcAddress should answer with; NULL: what the driver answers. */
void *sl_hook_named(const char *name, int version, bool per_thread);

/* hooks.c: the function in front of an entry point; NULL: none. */
void *sl_hook(sl_entry entry);
/* hooks.c: the driver has been loaded from `path`. */
void sl_hooks_start(const char *path);

#endif
