/* SPDX-License-Identifier: MIT */
/* What a program has on the GPU: its code, with the PTX it came with, and its memory. One state per process; the caller
 * holds a lock. */
#ifndef SL_SWAP_PROGRAM_H
#define SL_SWAP_PROGRAM_H

#include "device/device.h"
#include "ptx/sources.h"
#include "tune/job.h"
#include "tune/plan.h"

/* Below, an image is code that was loaded together, the PTX texts that the GPU would compile: relocatable device code
 * has several, which are linked. */

/* A module, library, kernel or function. */
typedef struct sl_program_handle {
    uint64_t handle; /* what the driver calls it */
    const sl_ptx_sources *image;
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
const sl_ptx_sources *sl_program_image_add(const void *image, uint32_t sm);

/* Links PTX texts to machine code, which lives as long as the process; NULL: they cannot be linked. */
typedef void *sl_program_link(const char *const *text, const size_t *length, size_t texts, sl_error *error);
/* The same code, whose PTX is known, with the plans that belong to it applied: an image for the driver; NULL where none
 * belongs. *applied: accesses that were changed. What is made lives as long as the process. */
const void *sl_program_apply(const sl_ptx_sources *known, const sl_plan_list *plans, uint32_t sm, sl_program_link *link,
                             uint64_t *applied, sl_error *error);

/* Adds or replaces; NULL: memory ran out. `kernel` is copied. */
sl_program_handle *sl_program_handle_add(void *handle, const sl_ptx_sources *image, void *module, bool library,
                                         const char *kernel);
sl_program_handle *sl_program_handle_of(const void *handle); /* NULL: unknown */

void sl_program_allocated(uint64_t addr, uint64_t bytes);
void sl_program_freed(uint64_t addr);
/* The allocation that an address lies in; NULL: none. */
const sl_device_range *sl_program_range_at(uint64_t addr);
size_t sl_program_ranges(const sl_device_range **range);

/* Tunes a launch inside of the program that makes it: on the arguments and the memory it really has. */

/* Called before the launch, with the GPU idle. Memory is as it was afterwards. `driver` is the path of NVIDIA's
 * library. A kernel that cannot be tuned is an error, after which the program can continue. */
sl_status sl_tune_in_program(const char *driver, const sl_program_handle *handle, void *module, void *function,
                             const sl_program_launch *launch, const sl_tune_job *job, const sl_tune_job_launch *wanted,
                             sl_error *error);
/* Writes what was chosen so far, as a list of plans. */
sl_status sl_tuned_write(const char *path, sl_error *error);

#endif
