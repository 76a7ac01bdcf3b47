/* SPDX-License-Identifier: MIT */
#include "cli/command.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "policy/policy.h"

enum { MAX_PLUGIN_BYTES = 1 << 28 };

/* What a plug-in computes is what is in its file. */
static sl_status hash_library(sl_hash *hash, const char *path, sl_error *error)
{
    char *text;
    size_t bytes;
    sl_status status = sl_file_read_max(path, MAX_PLUGIN_BYTES, &text, &bytes, error);
    if (status)
        return status;
    sl_hash_bytes(hash, text, bytes);
    free(text);
    return SL_OK;
}

static sl_status load(sl_plugins *plugins, const char *file, sl_hash *hash, sl_error *error)
{
    char path[4096];
    snprintf(path, sizeof path, "%s%s", strchr(file, '/') ? "" : "./", file); /* not from the folders of the system */
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library)
        return sl_fail(error, SL_INVALID, "--policy-plugin: %s", dlerror());
    const sl_policy_plugin *plugin = dlsym(library, SL_POLICY_PLUGIN_NAME);
    if (!plugin)
        return sl_fail(error, SL_INVALID, "--policy-plugin: %s does not say SL_POLICY_PLUGIN(...): it has no '%s'",
                       file, SL_POLICY_PLUGIN_NAME);
    if (plugin->version != SL_POLICY_PLUGIN_VERSION || plugin->ops_bytes != sizeof(sl_policy_ops))
        return sl_fail(error, SL_INVALID, "--policy-plugin: %s was built for another version of Sluice; rebuild it",
                       file);
    for (size_t i = 0; i < plugin->policies.count; i++) {
        if (plugins->list.count == SL_MAX_CUSTOM_POLICIES)
            return sl_fail(error, SL_LIMIT, "--policy-plugin: there are more than %d policies", SL_MAX_CUSTOM_POLICIES);
        plugins->ops[plugins->list.count++] = plugin->policies.ops[i];
    }
    return hash_library(hash, path, error);
}

sl_status sl_plugins_load(sl_plugins *plugins, const sl_option_list *files, sl_error *error)
{
    sl_error reason;
    sl_hash hash = sl_hash_start();
    *plugins = (sl_plugins){.list.ops = plugins->ops};
    for (size_t i = 0; i < files->count; i++) {
        sl_status status = load(plugins, files->item[i], &hash, error);
        if (status)
            return status;
        if (sl_policy_list_check(&plugins->list, &reason))
            return sl_fail(error, SL_INVALID, "--policy-plugin: %s: %s", files->item[i], reason.text);
    }
    sl_hash_write(hash, plugins->id);
    plugins->custom = (sl_custom_policies){&plugins->list, plugins->id};
    return SL_OK;
}
