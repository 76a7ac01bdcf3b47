/* SPDX-License-Identifier: MIT */
/* What a program has on the GPU: its code, with the PTX it came with, and its memory. One state per process; the caller
 * holds a lock. */
#ifndef SL_SWAP_PROGRAM_H
#define SL_SWAP_PROGRAM_H

#include "bypass/plan.h"
#include "device/device.h"

/* Code that was loaded together. */
typedef struct sl_program_image {
    char *ptx; /* the text that the GPU would compile; NULL: there is none */
    size_t length;
    char name[256]; /* of the source file, for messages */
} sl_program_image;

/* A module, library, kernel or function. */
typedef struct sl_program_handle {
    uint64_t handle; /* what the driver calls it */
    const sl_program_image *image;
    void *module;  /* of a kernel: where its variables are found, a CUmodule or CUlibrary; of these: itself */
    bool library;  /* that is a CUlibrary */
    char *kernel;  /* symbol of the kernel; NULL: not a kernel */
    uint64_t runs; /* launches of the kernel so far */
} sl_program_handle;

/* A launch as the driver is asked for it: `params`, or all of them in a block as `extra` says. */
typedef struct sl_program_launch {
    uint32_t grid[3], block[3], shared;
    void **params, **extra;
} sl_program_launch;

/* The PTX in what a program hands to the driver: PTX text, a container or its wrapper; for a GPU of compute capability
 * `sm`. NULL: memory ran out. */
const sl_program_image *sl_program_image_add(const void *image, uint32_t sm);
/* The same code with the plans that belong to it applied; `image` itself where none does. *applied: loads that were
 * changed; *texts: PTX texts seen. What is made lives as long as the process. */
const void *sl_program_apply(const void *image, const sl_plan_list *plans, uint32_t sm, uint64_t *applied,
                             uint64_t *texts, sl_error *error);

/* Adds or replaces; NULL: memory ran out. `kernel` is copied. */
sl_program_handle *sl_program_handle_add(void *handle, const sl_program_image *image, void *module, bool library,
                                         const char *kernel);
sl_program_handle *sl_program_handle_of(const void *handle); /* NULL: unknown */

void sl_program_allocated(uint64_t addr, uint64_t bytes);
void sl_program_freed(uint64_t addr);
size_t sl_program_ranges(const sl_device_range **range);

#endif
