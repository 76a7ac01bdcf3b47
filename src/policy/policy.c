#include "policy/policy.h"

sl_status sl_policy_init(sl_policy *policy, const sl_policy_choice *choice, const sl_cache_shape *shape,
                         sl_error *error)
{
    *policy = (sl_policy){.ops = choice->ops};
    sl_arena_init(&policy->arena);
    policy->self = sl_arena_alloc(&policy->arena, choice->ops->state_bytes);
    sl_status status = policy->self ? choice->ops->init(policy->self, shape, choice->value, &policy->arena, error)
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

uint32_t sl_policy_victim(sl_policy *policy, const sl_cache_access *access, const sl_way_mask *evictable)
{
    uint32_t way = policy->ops->victim(policy->self, access, evictable);
    if (sl_way_in(evictable, way))
        return way;
    if (!policy->is_broken)
        policy->broken = way;
    policy->is_broken = true;
    return sl_way_from(evictable, 0);
}

sl_status sl_policy_check(const sl_policy *policy, sl_error *error)
{
    if (!policy->is_broken)
        return SL_OK;
    return sl_fail(error, SL_INVALID, "policy '%s' chose way %u, which it was not offered: this is an error in it",
                   policy->ops->name, policy->broken);
}
