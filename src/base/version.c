/* SPDX-License-Identifier: MIT */
#include "sluice/sluice.h"

const char *sl_version(void)
{
    return SLUICE_VERSION;
}
