/* SPDX-License-Identifier: MIT */
/* Bypass all: no load allocates. The papers call it BALL and classify programs by it as cache-friendly or
 * cache-unfriendly. */
#include "policy/policy.h"

static sl_status init(void *self, const sl_cache_geometry *geometry, const uint64_t *value, sl_arena *arena,
                      sl_error *error)
{
    (void)self, (void)geometry, (void)value, (void)arena, (void)error;
    return SL_OK;
}

static sl_admission admit(void *self, const sl_cache_access *access, const sl_way_mask *choices)
{
    (void)self, (void)access, (void)choices;
    return SL_BYPASS;
}

const sl_policy_ops sl_policy_all = {
    .name = "all",
    .summary = "bypass all loads, as if there were no cache",
    .source = "Li et al., ICS 2015, section 6.1, as BALL",
    .init = init,
    .admit = admit,
};
