/* SPDX-License-Identifier: MIT */
/* Machines: GPUs as descriptions, with cores, their limits, and caches from the cores outwards. A machine is made from
 * a YAML file (`sluice machines --keys` lists what it may say) and does not change afterwards. */
#ifndef SLUICE_MACHINE_H
#define SLUICE_MACHINE_H

#include <stddef.h>
#include <stdint.h>

#include "sluice/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sl_machine sl_machine;

/* The machine of that name among the built-in ones, or, where `name` has a '/' or ends in ".yaml", the one that the
 * file describes; with some keys changed: "cores=8", "L1.size=32K", "L2.replacement=srrip(bits=3)". What follows from
 * the keys follows from the changed ones. `policies` are custom ones that levels may have; NULL: none.
 * They must outlive the machine. Errors name file, line and the nearest key, machine or policy. */
SL_API sl_status sl_machine_create(const char *name, const char *const *settings, size_t count,
                                   const sl_policy_list *policies, sl_machine **machine, sl_error *error);
SL_API void sl_machine_destroy(sl_machine *machine); /* NULL is fine */

SL_API const char *sl_machine_name(const sl_machine *machine);
/* Caches, from the cores outwards. */
SL_API uint32_t sl_machine_levels(const sl_machine *machine);
SL_API const char *sl_machine_level_name(const sl_machine *machine, uint32_t level);
/* The number that a key has: "lanes", "core.warps", "L1.ways". Sizes are bytes, times cycles of the core clock.
 * SL_INVALID for keys that are no numbers. */
SL_API sl_status sl_machine_number(const sl_machine *machine, const char *key, uint64_t *value, sl_error *error);

/* The built-in machines: 0 … sl_machine_count() - 1, and their files as they are. */
SL_API size_t sl_machine_count(void);
SL_API const char *sl_machine_name_at(size_t index);
SL_API const char *sl_machine_text_at(size_t index, size_t *bytes);

#ifdef __cplusplus
}
#endif

#endif
