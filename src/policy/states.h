/* SPDX-License-Identifier: MIT */
/* What happens to what a policy keeps of a line, for documents: states, and what leads from one to the other. */
#ifndef SL_POLICY_STATES_H
#define SL_POLICY_STATES_H

#include "sluice/policy.h"

typedef struct sl_policy_transition {
    const char *from, *event, *to, *action;
} sl_policy_transition;

/* In decoupled.c; the last one has no `from`. */
extern const sl_policy_ops sl_policy_decoupled;
extern const sl_policy_transition sl_decoupled_states[];

/* NULL: the policy does not describe them. */
static inline const sl_policy_transition *sl_policy_states(const sl_policy_ops *policy)
{
    return policy == &sl_policy_decoupled ? sl_decoupled_states : NULL;
}

#endif
