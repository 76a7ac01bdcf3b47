/* SPDX-License-Identifier: MIT */
/* Settings of kernels (the modes of SL_NODE_KERNEL) as launches on a GPU have them. */
#ifndef SL_TUNE_LAUNCH_SETTINGS_H
#define SL_TUNE_LAUNCH_SETTINGS_H

#include "device/device.h"
#include "tune/loads.h"

/* How many blocks an SM holds at once, and the shared memory of the kernel's variables: sl_device_residency. */
typedef struct sl_residency {
    uint32_t blocks, static_shared_bytes;
} sl_residency;

/* The launch with one more setting; where that is not possible, as it was. `window`: what it covers, of that mode. */
void sl_launch_set(sl_device_launch *launch, unsigned mode, const sl_gpu_limits *limits, const sl_residency *residency,
                   const sl_device_range *window);

#endif
