/* "L1.ways=8": a key of a machine, changed from outside of its file. */
#include <stdio.h>
#include <string.h>

#include "base/suggest.h"
#include "machine/keys.h"

enum { LONGEST_NAME = 64 };

/* Which section a setting is of, and where its fields lie. */
static sl_status find_owner(sl_machine *m, const char *name, sl_key_section *section, void **base, sl_error *error)
{
    const char *names[SL_MOST_LEVELS + 2] = {"core", "memory"};
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

/* Splits "L1.ways=8"; what has no dot is of the machine itself. */
static bool split(const char *setting, char owner[LONGEST_NAME], char key[LONGEST_NAME], const char **value)
{
    const char *equals = strchr(setting, '='), *dot = memchr(setting, '.', equals ? (size_t)(equals - setting) : 0);
    if (!equals || equals - setting >= LONGEST_NAME)
        return false;
    snprintf(owner, LONGEST_NAME, "%.*s", dot ? (int)(dot - setting) : 0, setting);
    setting = dot ? dot + 1 : setting;
    snprintf(key, LONGEST_NAME, "%.*s", (int)(equals - setting), setting);
    *value = equals + 1;
    return *key;
}

sl_status sl_machine_set(sl_machine *raw, const char *setting, sl_error *error)
{
    static const char *const no_others[] = {NULL};
    char owner[LONGEST_NAME], name[LONGEST_NAME];
    const char *value;
    if (!split(setting, owner, name, &value))
        return sl_fail(error, SL_SYNTAX, "'%s' is no setting of a machine: those look like cores=8 or L1.size=32K",
                       setting);
    sl_key_section section = SL_SECTION_machine;
    void *base = raw;
    sl_status status = *owner ? find_owner(raw, owner, &section, &base, error) : SL_OK;
    if (status)
        return status;
    const sl_key *key = sl_key_find(section, name);
    if (!key)
        return sl_key_unknown(section, name, no_others, error);
    if (section == SL_SECTION_level)
        ((sl_level *)base)->sets = key == &sl_keys[SL_AT_level_sets] ? ((sl_level *)base)->sets : 0;
    return sl_key_put(key, value, base, error);
}
