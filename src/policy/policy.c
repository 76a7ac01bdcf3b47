/* SPDX-License-Identifier: MIT */
#include "policy/policy.h"

sl_status sl_policy_init(sl_policy *policy, const sl_policy_choice *choice, const sl_cache_geometry *geometry,
                         sl_error *error)
{
    *policy = (sl_policy){0};
    if (choice->best)
        return sl_fail(error, SL_INVALID, "policy '%s': this command does not search for '%s=best'; give a value",
                       choice->ops->name, choice->ops->params[__builtin_ctz(choice->best)].name);
    policy->ops = choice->ops;
    sl_arena_init(&policy->arena);
    policy->self = sl_arena_alloc(&policy->arena, choice->ops->state_bytes);
    sl_status status = policy->self ? choice->ops->init(policy->self, geometry, choice->value, &policy->arena, error)
                                    : sl_fail_memory(error);
    if (status)
        sl_policy_fini(policy);
    return status;
}

void sl_policy_fini(sl_policy *policy)
{
    if (policy->ops)
        sl_arena_fini(&policy->arena);
    *policy = (sl_policy){0};
}

static void note_broken(sl_policy *policy, uint32_t way)
{
    if (!policy->is_broken)
        policy->broken = way;
    policy->is_broken = true;
}

uint32_t sl_policy_victim(sl_policy *policy, const sl_cache_access *access, const sl_way_mask *evictable)
{
    uint32_t way = policy->ops->victim(policy->self, access, evictable);
    if (sl_way_in(evictable, way))
        return way;
    note_broken(policy, way);
    return sl_way_from(evictable, 0);
}

uint32_t sl_policy_evict_on_bypass(sl_policy *policy, const sl_cache_access *access, const sl_way_mask *evictable)
{
    uint32_t way =
        policy->ops->evict_on_bypass ? policy->ops->evict_on_bypass(policy->self, access, evictable) : SL_NO_WAY;
    if (way == SL_NO_WAY || sl_way_in(evictable, way))
        return way;
    note_broken(policy, way);
    return SL_NO_WAY;
}

sl_status sl_policy_check(const sl_policy *policy, sl_error *error)
{
    if (!policy->is_broken)
        return SL_OK;
    return sl_fail(error, SL_INVALID, "policy '%s' chose way %u, which is not evictable: this is a bug of the policy",
                   policy->ops->name, policy->broken);
}
