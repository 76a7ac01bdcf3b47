/* SPDX-License-Identifier: MIT */
/* BlackScholes of the AMD APP SDK, used by the FRC paper: prices of European call and put options in closed form.
 *
 * Each thread of a 16 x 16 block reads a float4 and writes two: streams without any reuse, two thirds of them dirty
 * victims of the L2. As in the original one random number stands for all five parameters of an option; the price today
 * and the strike price therefore agree. */
#ifndef SL_WORKLOADS_OPTIONS_H
#define SL_WORKLOADS_OPTIONS_H

#include "workloads/workload.h"

/* Runs a kernel that prices width x height x 4 options, and checks what it says. */
void sl_price_options(sl_host *h, const char *kernel);

#endif
