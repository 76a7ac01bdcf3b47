/* SPDX-License-Identifier: MIT */
/* "L1.ways=8": a key of a machine, changed from outside of its file. */
#include <stdio.h>
#include <string.h>

#include "base/suggest.h"
#include "machine/keys.h"

enum { LONGEST_NAME = 64 };

/* Which section a setting is of, and where its fields lie. */
static sl_status find_owner(sl_machine *m, const char *name, sl_key_section *section, void **base, sl_error *error)
{
    const char *names[SL_MAX_LEVELS + 2] = {"core", "memory"};
    *base = m;
    *section = !strcmp(name, "core") ? SL_SECTION_core : SL_SECTION_memory;
    if (!strcmp(name, "core") || !strcmp(name, "memory"))
        return SL_OK;
    *section = SL_SECTION_level;
    for (uint32_t i = 0; i < m->levels; i++) {
        names[2 + i] = m->level[i].name;
        *base = &m->level[i];
        if (!strcmp(name, m->level[i].name))
            return SL_OK;
    }
    const char *near = sl_suggest(name, names, 2 + m->levels);
    return sl_fail(error, SL_NOT_FOUND, "%s has no level '%s'%s%s%s", m->name, name, near ? "; did you mean '" : "",
                   near ? near : "", near ? "'?" : "");
}

/* Splits "L1.ways", the first `length` of a text; what has no dot is of the machine itself. */
static bool split(const char *text, size_t length, char owner[LONGEST_NAME], char key[LONGEST_NAME])
{
    const char *dot = memchr(text, '.', length), *end = text + length;
    if (length >= LONGEST_NAME)
        return false;
    snprintf(owner, LONGEST_NAME, "%.*s", dot ? (int)(dot - text) : 0, text);
    text = dot ? dot + 1 : text;
    snprintf(key, LONGEST_NAME, "%.*s", (int)(end - text), text);
    return *key;
}

static sl_status find_key(sl_machine *m, const char *owner, const char *name, const sl_key **key, void **base,
                          sl_error *error)
{
    static const char *const no_others[] = {NULL};
    sl_key_section section = SL_SECTION_machine;
    *base = m;
    sl_status status = *owner ? find_owner(m, owner, &section, base, error) : SL_OK;
    if (status)
        return status;
    *key = sl_key_find(section, name);
    return *key ? SL_OK : sl_key_unknown(section, name, no_others, error);
}

sl_status sl_machine_set(sl_machine *raw, const char *setting, sl_error *error)
{
    char owner[LONGEST_NAME], name[LONGEST_NAME];
    const char *equals = strchr(setting, '=');
    if (!equals || !split(setting, (size_t)(equals - setting), owner, name))
        return sl_fail(error, SL_SYNTAX, "'%s' is not a machine setting; write KEY=VALUE, as cores=8 or L1.size=32K",
                       setting);
    const sl_key *key;
    void *base;
    sl_status status = find_key(raw, owner, name, &key, &base, error);
    if (status)
        return status;
    if (key->section == SL_SECTION_level)
        ((sl_level *)base)->sets = key == &sl_keys[SL_AT_level_sets] ? ((sl_level *)base)->sets : 0;
    return sl_key_parse(key, equals + 1, base, error);
}

sl_status sl_machine_number(const sl_machine *machine, const char *text, uint64_t *value, sl_error *error)
{
    char owner[LONGEST_NAME], name[LONGEST_NAME];
    if (!split(text, strlen(text), owner, name))
        return sl_fail(error, SL_SYNTAX, "'%s' is not a machine key; write it as cores or L1.size", text);
    const sl_key *key;
    void *base;
    sl_status status = find_key((sl_machine *)(uintptr_t)machine, owner, name, &key, &base, error);
    if (status)
        return status;
    if (key->type != SL_KEY_COUNT && key->type != SL_KEY_SIZE && key->type != SL_KEY_CORES)
        return sl_fail(error, SL_INVALID, "'%s' is not a number", text);
    *value = sl_key_get(key, base);
    return SL_OK;
}
