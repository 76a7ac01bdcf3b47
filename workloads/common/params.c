/* SPDX-License-Identifier: MIT */
#include "workloads/common/params.h"

uint32_t sl_param_power_of_two(sl_host *h, const char *name, uint32_t min, uint32_t max)
{
    uint32_t value = (uint32_t)sl_host_param(h, name, min, max);
    if (value & (value - 1))
        sl_host_fail(h, SL_INVALID, "%s=%u is not a power of two", name, value);
    return value;
}

uint32_t sl_param_multiple(sl_host *h, const char *name, uint32_t unit, uint32_t max)
{
    uint32_t value = (uint32_t)sl_host_param(h, name, unit, max);
    if (value % unit)
        sl_host_fail(h, SL_INVALID, "%s=%u is not a multiple of %u", name, value, unit);
    return value;
}
