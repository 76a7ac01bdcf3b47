/* SPDX-License-Identifier: MIT */
/* BlackScholes with the machine's approximations of exponentials and logarithms: some 80 operations per option. */
#include "workloads/common/options.h"

void sl_workload_black_scholes(sl_host *h)
{
    sl_price_options(h, "black_scholes");
}
