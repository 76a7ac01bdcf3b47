/* SPDX-License-Identifier: MIT */
/* --policy-plugin: policies of shared libraries (SL_POLICY_PLUGIN of sluice/policy.h). A library is code that runs with
 * the rights of whoever loads it. */
#ifndef SL_CLI_PLUGINS_H
#define SL_CLI_PLUGINS_H

#include "cli/options.h"
#include "sluice/policy.h"

typedef struct sl_plugins {
    const sl_policy_ops *ops[SL_MAX_CUSTOM_POLICIES];
    sl_policy_list list; /* of them */
} sl_plugins;

/* Loads the libraries; they stay loaded until the program ends. `plugins` must stay where it is. */
sl_status sl_plugins_load(sl_plugins *plugins, const sl_option_list *files, sl_error *error);

#endif
