/* SPDX-License-Identifier: MIT */
/* BlackScholes with exponentials, logarithms and quotients in software, as AMD's compiler makes them of OpenCL's: its
 * kernel for Southern Islands has 1080 vector instructions for the four options of a thread. */
#include "workloads/common/options.h"

void sl_workload_black_scholes_exact(sl_host *h)
{
    sl_price_options(h, "black_scholes_exact");
}
