/* SPDX-License-Identifier: MIT */
#include "tune/controls.h"

#include <stdio.h>
#include <string.h>

#include "base/suggest.h"

const sl_control sl_controls[SL_BYPASS_MODES] = {
#define SL_CONTROL(mode, name, node, summary, ...) [SL_BYPASS_##mode] = {name, SL_NODE_##node, summary, __VA_ARGS__},
#include "tune/controls.def"
#undef SL_CONTROL
};

const char *sl_bypass_name(unsigned mode)
{
    return mode < SL_BYPASS_MODES ? sl_controls[mode].name : "?";
}

sl_status sl_bypass_parse(const char *name, unsigned *mode, sl_error *error)
{
    const char *names[SL_BYPASS_MODES];
    for (unsigned i = 0; i < SL_BYPASS_MODES; i++) {
        const sl_control *control = &sl_controls[i];
        names[i] = control->name;
        if (!strcmp(name, control->name)) {
            *mode = i;
            return SL_OK;
        }
    }
    const char *near = sl_suggest(name, names, SL_BYPASS_MODES);
    return sl_fail(error, SL_NOT_FOUND, "unknown mode '%s'%s%s%s; 'sluice help tune' lists them", name,
                   near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
}

sl_status sl_bypass_parse_list(const char *list, uint32_t *modes, sl_error *error)
{
    sl_status status = SL_OK;
    *modes = 0;
    if (!strcmp(list, "all")) {
        *modes = UINT32_MAX;
        return SL_OK;
    }
    for (const char *at = list; !status;) {
        char name[64];
        size_t length = strcspn(at, ",");
        unsigned mode = 0;
        snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), at);
        status = sl_bypass_parse(name, &mode, error);
        *modes |= 1u << mode;
        if (!at[length])
            break;
        at += length + 1;
    }
    return status;
}

uint32_t sl_bypass_modes_of(sl_node node)
{
    uint32_t modes = 0;
    for (unsigned m = 0; m < SL_BYPASS_MODES; m++)
        modes |= (uint32_t)(sl_controls[m].node == node) << m;
    return modes;
}

uint32_t sl_bypass_modes_of_setting(uint32_t setting)
{
    uint32_t modes = 0;
    for (unsigned m = 0; m < SL_BYPASS_MODES; m++)
        modes |= (uint32_t)(sl_controls[m].setting &&
                            sl_controls[m].setting == (setting < SL_SETTING_WINDOW ? setting : SL_SETTING_WINDOW))
                 << m;
    return modes;
}

uint32_t sl_bypass_modes_needing(sl_need need)
{
    uint32_t modes = 0;
    for (unsigned m = 0; m < SL_BYPASS_MODES; m++)
        modes |= (uint32_t)(sl_controls[m].needs == need) << m;
    return modes;
}

uint32_t sl_bypass_neutrals(void)
{
    uint32_t modes = 0;
    for (unsigned m = 1; m < SL_BYPASS_MODES; m++)
        modes |= (uint32_t)(sl_controls[m].neutral == m) << m;
    return modes;
}

const char *sl_bypass_why_not(unsigned mode)
{
    static const char *const why_not[] = {
#define SL_NEED(need, requires, why_not) [SL_NEEDS_##need] = why_not,
#include "tune/controls.def"
#undef SL_NEED
    };
    const char *why = why_not[sl_controls[mode].needs];
    return *why ? why : NULL;
}

/* ---- settings ---- */

static const struct {
    const char *name, *description;
} settings[] = {
#define SL_SETTING(setting, name, description) {name, description},
#include "tune/controls.def"
#undef SL_SETTING
};

char *sl_setting_text(uint32_t setting, char *buffer, size_t size)
{
    if (setting >= SL_SETTING_WINDOW)
        snprintf(buffer, size, "%s %u", settings[SL_SETTING_WINDOW - SL_SETTINGS].name, setting - SL_SETTING_WINDOW);
    else
        snprintf(buffer, size, "%s", settings[setting - SL_SETTINGS].name);
    return buffer;
}

bool sl_setting_parse(const char *text, uint32_t *setting)
{
    unsigned param = 0;
    char extra;
    for (uint32_t i = SL_SETTINGS; i < SL_SETTING_WINDOW; i++)
        if (!strcmp(text, settings[i - SL_SETTINGS].name)) {
            *setting = i;
            return true;
        }
    *setting = SL_SETTING_WINDOW;
    if (sscanf(text, "window %u%c", &param, &extra) != 1 || param > UINT16_MAX)
        return false;
    *setting += param;
    return true;
}

const char *sl_setting_description(uint32_t setting)
{
    return settings[(setting < SL_SETTING_WINDOW ? setting : SL_SETTING_WINDOW) - SL_SETTINGS].description;
}
