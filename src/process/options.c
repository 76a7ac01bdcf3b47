/* SPDX-License-Identifier: MIT */
/* The option text: see options.h. One table entry per option gives its name, type and offset; both directions walk it.
 */
#include "process/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"

/* Those of settings.def, and strings in arrays. */
typedef enum option_type {
    TYPE_FLAG,
    TYPE_NUMBER,
    TYPE_VERSION,
    TYPE_CHOICE,
    TYPE_NAME,
    TYPE_TEXT,
    TYPE_ARRAY,
} option_type;

typedef struct option_entry {
    const char *name;
    option_type type;
    size_t offset, bytes;
    uint64_t min, max;
    const char *const *choices;
} option_entry;

#define ENTRY(field, type, ...)                                                                                        \
    {                                                                                                                  \
#field, TYPE_##type, offsetof(sl_proc_options, field), sizeof(((sl_proc_options *)0)->field), __VA_ARGS__      \
    }
#define SETTING(field, type, ...)                                                                                      \
    {                                                                                                                  \
#field, TYPE_##type, offsetof(sl_proc_options, settings.field),                                                \
            sizeof(((sl_proc_options *)0)->settings.field), __VA_ARGS__                                                \
    }
#define SL_SETTING(type, field, inputs, option, value, min, max, choices, help) SETTING(field, type, min, max, choices),
#define SL_SETTING_INTERNAL(type, field, min, max)                              SETTING(field, type, min, max, NULL),

static const option_entry TABLE[] = {
#include "emu/settings.def"
    ENTRY(quiet, FLAG, 0, 0, NULL),        ENTRY(results, ARRAY, 0, 0, NULL),
    ENTRY(trace, ARRAY, 0, 0, NULL),       ENTRY(producer, ARRAY, 0, 0, NULL),
    ENTRY(zstd_level, NUMBER, 0, 0, NULL), ENTRY(counters, FLAG, 0, 0, NULL),
    ENTRY(no_shared, FLAG, 0, 0, NULL),    ENTRY(kernel_regex, ARRAY, 0, 0, NULL),
    ENTRY(launches, ARRAY, 0, 0, NULL),    ENTRY(blocks, NUMBER, 0, 0, NULL),
    ENTRY(ptx, ARRAY, 0, 0, NULL),         ENTRY(plan, ARRAY, 0, 0, NULL),
    ENTRY(planned, ARRAY, 0, 0, NULL),     ENTRY(libraries, ARRAY, 0, 0, NULL),
    ENTRY(device, ARRAY, 0, 0, NULL),      ENTRY(static_runtimes, ARRAY, 0, 0, NULL),
};
enum { ENTRIES = sizeof TABLE / sizeof *TABLE };

/* ---- to text ---- */

/* The value as text; NULL: the default, which is not written. */
static const char *value_text(const sl_proc_options *options, const option_entry *entry, char buffer[32])
{
    const char *location = (const char *)options + entry->offset;
    uint64_t number = 0;
    switch (entry->type) {
    case TYPE_FLAG:
        number = *(const bool *)location;
        break;
    case TYPE_NUMBER:
    case TYPE_VERSION:
        number = *(const uint64_t *)location;
        break;
    case TYPE_CHOICE:
        return *(const int *)location ? entry->choices[*(const int *)location] : NULL;
    case TYPE_NAME:
    case TYPE_TEXT:
        return *(const char *const *)location;
    case TYPE_ARRAY:
        return *location ? location : NULL;
    }
    snprintf(buffer, 32, "%llu", (unsigned long long)number);
    return number ? buffer : NULL;
}

sl_status sl_proc_options_encode(const sl_proc_options *options, char **text, sl_error *error)
{
    size_t length = 0;
    FILE *stream = open_memstream(text, &length);
    if (!stream)
        return sl_fail_memory(error);
    for (size_t i = 0; i < ENTRIES; i++) {
        char buffer[32];
        const char *value = value_text(options, &TABLE[i], buffer);
        if (value && strchr(value, '\n')) {
            fclose(stream);
            free(*text);
            *text = NULL;
            return sl_fail(error, SL_INVALID, "the value of %s has a line break in it", TABLE[i].name);
        }
        if (value)
            fprintf(stream, "%s=%s\n", TABLE[i].name, value);
    }
    return fclose(stream) == 0 && *text ? SL_OK : sl_fail_memory(error);
}

/* ---- from text ---- */

static bool parse_number(const option_entry *entry, const char *value, uint64_t *number)
{
    char *end;
    errno = 0;
    *number = strtoull(value, &end, 10);
    uint64_t max = entry->type == TYPE_FLAG ? 1 : entry->max ? entry->max : UINT64_MAX;
    return !errno && !*end && *value >= '0' && *value <= '9' && *number >= entry->min && *number <= max;
}

static bool find_choice(const option_entry *entry, const char *value, int *index)
{
    for (*index = 0; entry->choices[*index]; ++*index)
        if (!strcmp(entry->choices[*index], value))
            return true;
    return false;
}

/* `value` stays where it is as long as the options. */
static sl_status set_value(sl_proc_options *options, const option_entry *entry, const char *value, sl_error *error)
{
    char *location = (char *)options + entry->offset;
    uint64_t number = 0;
    int index = 0;
    bool fine = true;
    switch (entry->type) {
    case TYPE_FLAG:
        fine = parse_number(entry, value, &number);
        *(bool *)location = number != 0;
        break;
    case TYPE_NUMBER:
    case TYPE_VERSION:
        fine = parse_number(entry, value, &number);
        *(uint64_t *)location = number;
        break;
    case TYPE_CHOICE:
        fine = find_choice(entry, value, &index);
        *(int *)location = index;
        break;
    case TYPE_NAME:
        fine = find_choice(entry, value, &index);
        *(const char **)location = entry->choices[index];
        break;
    case TYPE_TEXT:
        *(const char **)location = value;
        break;
    case TYPE_ARRAY:
        if ((size_t)snprintf(location, entry->bytes, "%s", value) >= entry->bytes)
            return sl_fail(error, SL_INVALID, "the value of %s is longer than %zu characters", entry->name,
                           entry->bytes - 1);
        break;
    }
    return fine ? SL_OK : sl_fail(error, SL_INVALID, "'%s' is not a value of %s", value, entry->name);
}

static const option_entry *find_entry(const char *name)
{
    for (size_t i = 0; i < ENTRIES; i++)
        if (!strcmp(TABLE[i].name, name))
            return &TABLE[i];
    return NULL;
}

static sl_status unknown(const char *name, sl_error *error)
{
    const char *names[ENTRIES];
    for (size_t i = 0; i < ENTRIES; i++)
        names[i] = TABLE[i].name;
    const char *near = sl_suggest(name, names, ENTRIES);
    return sl_fail(error, SL_NOT_FOUND, "unknown option '%s'%s%s%s", name, near ? "; did you mean '" : "",
                   near ? near : "", near ? "'?" : "");
}

static sl_status decode_line(sl_proc_options *options, char *line, sl_error *error)
{
    char *equals = strchr(line, '=');
    if (equals)
        *equals = 0;
    const option_entry *entry = find_entry(line);
    return entry && equals ? set_value(options, entry, equals + 1, error) : unknown(line, error);
}

sl_status sl_proc_options_decode(const char *text, sl_proc_options *options, sl_error *error)
{
    memset(options, 0, sizeof *options);
    if (!text || !*text)
        return SL_OK;
    sl_status status = SL_OK;
    options->text = strdup(text);
    if (!options->text)
        return sl_fail_memory(error);
    for (char *line = options->text, *next; line && !status; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = 0;
        if (*line)
            status = decode_line(options, line, error);
    }
    if (status)
        sl_proc_options_fini(options);
    return status;
}

void sl_proc_options_fini(sl_proc_options *options)
{
    free(options->text);
    *options = (sl_proc_options){0};
}

sl_trace_filter sl_proc_options_filter(const sl_proc_options *options)
{
    return (sl_trace_filter){.kernel_regex = *options->kernel_regex ? options->kernel_regex : NULL,
                             .launches = *options->launches ? options->launches : NULL,
                             .blocks = options->blocks};
}
