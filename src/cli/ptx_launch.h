/* SPDX-License-Identifier: MIT */
/* A kernel of a PTX module launched as --entry, --grid, --block, --shared and --arg say. */
#ifndef SL_CLI_PTX_LAUNCH_H
#define SL_CLI_PTX_LAUNCH_H

#include "cli/run_source.h"
#include "device/device.h"

/* Places the arguments, launches, waits, does what --dump asks for, and frees the arguments. */
sl_status sl_ptx_launch(sl_device_module *module, const sl_run_options *options, sl_device *device, sl_error *error);

#endif
