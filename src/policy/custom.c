/* SPDX-License-Identifier: MIT */
/* Checks of custom policies: what the registry takes for granted of the built-in ones. */
#include <inttypes.h>
#include <string.h>

#include "policy/policy.h"

/* A name that "name(parameter=value)" can hold. */
static bool is_name(const char *name)
{
    size_t length = name ? strlen(name) : 0;
    return length && length < 64 && !name[strcspn(name, "(),=+ \t\n")];
}

static sl_status check_param(const sl_policy_ops *ops, const sl_param *p, sl_error *error)
{
    uint64_t words = 0;
    if (!is_name(p->name))
        return sl_fail(error, SL_INVALID, "policy '%s': '%s' is not a valid parameter name", ops->name, p->name);
    for (const sl_param *other = ops->params; other < p; other++)
        if (!strcmp(other->name, p->name))
            return sl_fail(error, SL_INVALID, "policy '%s' has two parameters '%s'", ops->name, p->name);
    while (p->type == SL_PARAM_WORD && p->words && p->words[words])
        words++;
    uint64_t min = p->type == SL_PARAM_WORD ? 0 : p->min, max = p->type == SL_PARAM_WORD ? words - 1 : p->max;
    if (p->type == SL_PARAM_WORD && !words)
        return sl_fail(error, SL_INVALID, "policy '%s': parameter '%s' has no words", ops->name, p->name);
    if (p->default_value < min || p->default_value > max)
        return sl_fail(error, SL_INVALID,
                       "policy '%s': '%s' is from %" PRIu64 " to %" PRIu64 ", but its default is %" PRIu64, ops->name,
                       p->name, min, max, p->default_value);
    return SL_OK;
}

static sl_status check_ops(const sl_policy_ops *ops, sl_error *error)
{
    size_t params = 0;
    if (!ops || !is_name(ops->name))
        return sl_fail(error, SL_INVALID, "a custom policy has no valid name");
    if (!ops->init)
        return sl_fail(error, SL_INVALID, "policy '%s' has no init", ops->name);
    if (!sl_policy_replaces(ops) && !sl_policy_bypasses(ops))
        return sl_fail(error, SL_INVALID, "policy '%s' neither chooses victims nor bypasses", ops->name);
    for (const sl_param *p = ops->params; p && p->name; p++) {
        if (++params > SL_MAX_POLICY_PARAMS)
            return sl_fail(error, SL_INVALID, "policy '%s' has more than %d parameters", ops->name,
                           SL_MAX_POLICY_PARAMS);
        sl_status status = check_param(ops, p, error);
        if (status)
            return status;
    }
    return SL_OK;
}

sl_status sl_policy_list_check(const sl_policy_list *custom, sl_error *error)
{
    sl_status status = SL_OK;
    if (custom && custom->count > SL_MAX_CUSTOM_POLICIES)
        return sl_fail(error, SL_LIMIT, "%zu custom policies are too many: the limit is %d", custom->count,
                       SL_MAX_CUSTOM_POLICIES);
    for (size_t i = 0; custom && i < custom->count && !status; i++) {
        const sl_policy_ops *ops = custom->ops[i], *other = NULL;
        status = check_ops(ops, error);
        for (size_t k = 0; k < sl_policy_count() + i && !status; k++) {
            other = k < i ? custom->ops[k] : sl_policy_at(k - i);
            if (!strcmp(other->name, ops->name))
                status = sl_fail(error, SL_INVALID, "two policies are called '%s'", ops->name);
        }
    }
    return status;
}
