/* SPDX-License-Identifier: MIT */
/* The machines of machines/, embedded in the program, and user files. */
#include "machine/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/incbin.h"
#include "base/suggest.h"
#include "base/yaml.h"
#include "machine/keys.h"
#include "machine/vary.h"

/* SL_MACHINES_DIR and machines.def come from the build. */
#define SL_MACHINE(symbol, name) SL_INCBIN("sl_machine_" #symbol, SL_MACHINES_DIR "/" name ".yaml")
#include "machine/machines.def"
#undef SL_MACHINE

#define SL_MACHINE(symbol, name) extern const char sl_machine_##symbol[], sl_machine_##symbol##_end[];
#include "machine/machines.def"
#undef SL_MACHINE

static const struct builtin {
    const char *name, *text, *end;
} builtins[] = {
#define SL_MACHINE(symbol, name) {name, sl_machine_##symbol, sl_machine_##symbol##_end},
#include "machine/machines.def"
#undef SL_MACHINE
};
enum { BUILTINS = sizeof builtins / sizeof builtins[0] };

size_t sl_machine_count(void)
{
    return BUILTINS;
}

const char *sl_machine_name_at(size_t index)
{
    return builtins[index].name;
}

const char *sl_machine_text_at(size_t index, size_t *bytes)
{
    *bytes = (size_t)(builtins[index].end - builtins[index].text);
    return builtins[index].text;
}

bool sl_machine_is_path(const char *name)
{
    size_t length = strlen(name);
    return strchr(name, '/') || (length > 5 && !strcmp(name + length - 5, ".yaml"));
}

static sl_status open_builtin(const char *name, sl_machine_source *source, sl_error *error)
{
    const char *names[BUILTINS];
    for (size_t i = 0; i < BUILTINS; i++) {
        names[i] = builtins[i].name;
        if (strcmp(name, names[i]))
            continue;
        source->text = sl_machine_text_at(i, &source->bytes);
        if (asprintf(&source->path, "%s.yaml", name) < 0)
            return sl_fail_memory(error);
        return SL_OK;
    }
    const char *near = sl_suggest(name, names, BUILTINS);
    if (near)
        return sl_fail(error, SL_NOT_FOUND, "unknown GPU model '%s'; the nearest is '%s'", name, near);
    return sl_fail(error, SL_NOT_FOUND, "unknown GPU model '%s'; 'sluice machines' lists them", name);
}

static sl_status open_file(const char *path, sl_machine_source *source, sl_error *error)
{
    sl_status status = sl_file_read_max(path, SL_YAML_MAX_BYTES, &source->owned, &source->bytes, error);
    if (!status && !(source->path = strdup(path)))
        status = sl_fail_memory(error);
    source->text = source->owned;
    if (status)
        sl_machine_source_close(source);
    return status;
}

sl_status sl_machine_source_open(const char *name, sl_machine_source *source, sl_error *error)
{
    *source = (sl_machine_source){0};
    return sl_machine_is_path(name) ? open_file(name, source, error) : open_builtin(name, source, error);
}

void sl_machine_source_close(sl_machine_source *source)
{
    free(source->path);
    free(source->owned);
}

sl_status sl_machine_load_among(const char *name, const char *const *settings, size_t count,
                                const sl_policy_list *policies, sl_machine *machine, sl_error *error)
{
    sl_machine_source source;
    sl_status status = sl_machine_source_open(name, &source, error);
    if (status)
        return status;
    status = sl_machine_parse_raw(source.path, source.text, source.bytes, policies, machine, error);
    sl_machine_source_close(&source);
    if (status)
        return status;
    const sl_machine before = *machine;
    for (size_t i = 0; i < count && !status; i++)
        status = sl_machine_set(machine, settings[i], error);
    if (status)
        return status;
    sl_machine_adapt(machine, &before);
    return sl_machine_check(machine, error);
}

sl_status sl_machine_load_with(const char *name, const char *const *settings, size_t count, sl_machine *machine,
                               sl_error *error)
{
    return sl_machine_load_among(name, settings, count, NULL, machine, error);
}

sl_status sl_machine_load(const char *name, sl_machine *machine, sl_error *error)
{
    return sl_machine_load_with(name, NULL, 0, machine, error);
}
