/* SPDX-License-Identifier: MIT */
/* Parameters of workloads that must divide evenly. Like everything hosts call, these do not return when they fail. */
#ifndef SL_WORKLOADS_PARAMS_H
#define SL_WORKLOADS_PARAMS_H

#include "workloads/workload.h"

/* The value of a parameter as sl_host_param gives it, which must be a power of two. */
uint32_t sl_param_power_of_two(sl_host *h, const char *name, uint32_t min, uint32_t max);
/* The same, which must be a multiple of `unit`. */
uint32_t sl_param_multiple(sl_host *h, const char *name, uint32_t unit, uint32_t max);

#endif
