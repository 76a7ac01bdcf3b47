/* SPDX-License-Identifier: MIT */
/* One launch of one kernel of a PTX module, with arguments as kernel_args.h reads them. */
#ifndef SL_RECORDING_KERNEL_LAUNCH_H
#define SL_RECORDING_KERNEL_LAUNCH_H

#include "device/device.h"
#include "recording/kernel_args.h"

typedef struct sl_kernel_launch {
    const char *entry;          /* NULL: the only kernel */
    uint32_t grid[3], block[3]; /* 0: 1 */
    uint64_t shared_bytes;      /* dynamic */
    size_t args;
    const char *const *arg; /* [args]: as typed, one per parameter, in order */
    /* Called after the launch, before its buffers are freed. May be NULL. */
    sl_status (*after)(void *context, const sl_kernel_arg *arg, size_t args, sl_device *device, sl_error *error);
    void *after_context;
} sl_kernel_launch;

/* Allocates the arguments, launches, waits, calls `after`, and frees the arguments. `seed` is for random buffers. */
sl_status sl_kernel_launch_run(const sl_kernel_launch *launch, sl_device_module *module, uint64_t seed,
                               sl_device *device, sl_error *error);

#endif
