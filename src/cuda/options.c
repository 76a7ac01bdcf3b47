/* SPDX-License-Identifier: MIT */
/* The option text: see options.h. One table entry per option gives its name, type and offset; both directions walk it.
 */
#include "cuda/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"

typedef enum option_type { TYPE_U32, TYPE_U64, TYPE_BOOL, TYPE_TEXT } option_type;

typedef struct option_entry {
    const char *name;
    option_type type;
    size_t offset, bytes;
} option_entry;

#define ENTRY(field, type)                                                                                             \
    {                                                                                                                  \
#field, type, offsetof(sl_cuda_options, field), sizeof(((sl_cuda_options *)0)->field)                          \
    }

static const option_entry TABLE[] = {
    ENTRY(lanes, TYPE_U32),
    ENTRY(threads, TYPE_U32),
    ENTRY(max_instructions, TYPE_U64),
    ENTRY(quiet, TYPE_BOOL),
    ENTRY(check_address, TYPE_BOOL),
    ENTRY(check_uninit, TYPE_BOOL),
    ENTRY(check_race, TYPE_BOOL),
    ENTRY(fp_contract_off, TYPE_BOOL),
    ENTRY(isa, TYPE_TEXT),
    ENTRY(results, TYPE_TEXT),
    ENTRY(trace, TYPE_TEXT),
    ENTRY(producer, TYPE_TEXT),
    ENTRY(zstd_level, TYPE_U32),
    ENTRY(counters, TYPE_BOOL),
    ENTRY(no_shared, TYPE_BOOL),
    ENTRY(kernel_regex, TYPE_TEXT),
    ENTRY(ranged, TYPE_BOOL),
    ENTRY(first_launch, TYPE_U64),
    ENTRY(last_launch, TYPE_U64),
    ENTRY(blocks, TYPE_U64),
    ENTRY(ptx, TYPE_TEXT),
    ENTRY(plan, TYPE_TEXT),
    ENTRY(planned, TYPE_TEXT),
    ENTRY(libraries, TYPE_TEXT),
    ENTRY(cudart_static, TYPE_TEXT),
    ENTRY(compute_capability, TYPE_U32),
};
enum { ENTRIES = sizeof TABLE / sizeof *TABLE };

static uint64_t get_number(const sl_cuda_options *options, const option_entry *entry)
{
    const char *location = (const char *)options + entry->offset;
    if (entry->type == TYPE_BOOL)
        return *(const bool *)location;
    return entry->type == TYPE_U32 ? *(const uint32_t *)location : *(const uint64_t *)location;
}

sl_status sl_cuda_options_encode(const sl_cuda_options *options, char **text, sl_error *error)
{
    size_t length = 0;
    FILE *stream = open_memstream(text, &length);
    if (!stream)
        return sl_fail_memory(error);
    for (size_t i = 0; i < ENTRIES; i++) {
        const char *value = (const char *)options + TABLE[i].offset;
        if (TABLE[i].type != TYPE_TEXT) {
            uint64_t number = get_number(options, &TABLE[i]);
            if (number)
                fprintf(stream, "%s=%llu\n", TABLE[i].name, (unsigned long long)number);
            continue;
        }
        if (strchr(value, '\n')) {
            fclose(stream);
            free(*text);
            *text = NULL;
            return sl_fail(error, SL_INVALID, "the value of %s has a line break in it", TABLE[i].name);
        }
        if (*value)
            fprintf(stream, "%s=%s\n", TABLE[i].name, value);
    }
    return fclose(stream) == 0 && *text ? SL_OK : sl_fail_memory(error);
}

static sl_status set_value(sl_cuda_options *options, const option_entry *entry, const char *value, size_t length,
                           sl_error *error)
{
    char *location = (char *)options + entry->offset;
    if (entry->type == TYPE_TEXT) {
        if (length >= entry->bytes)
            return sl_fail(error, SL_INVALID, "the value of %s is longer than %zu characters", entry->name,
                           entry->bytes - 1);
        memcpy(location, value, length);
        location[length] = 0;
        return SL_OK;
    }
    char *end;
    errno = 0;
    unsigned long long number = strtoull(value, &end, 10);
    if (errno || end != value + length || !length || *value == '-' ||
        (entry->type == TYPE_U32 && number > UINT32_MAX) || (entry->type == TYPE_BOOL && number > 1))
        return sl_fail(error, SL_INVALID, "'%.*s' is not a value of %s", (int)length, value, entry->name);
    if (entry->type == TYPE_BOOL)
        *(bool *)location = number != 0;
    else if (entry->type == TYPE_U32)
        *(uint32_t *)location = (uint32_t)number;
    else
        *(uint64_t *)location = number;
    return SL_OK;
}

static const option_entry *find_entry(const char *name, size_t length)
{
    for (size_t i = 0; i < ENTRIES; i++)
        if (strlen(TABLE[i].name) == length && memcmp(TABLE[i].name, name, length) == 0)
            return &TABLE[i];
    return NULL;
}

static sl_status unknown(const char *name, size_t length, sl_error *error)
{
    const char *names[ENTRIES];
    char word[64];
    for (size_t i = 0; i < ENTRIES; i++)
        names[i] = TABLE[i].name;
    snprintf(word, sizeof word, "%.*s", (int)length, name);
    const char *near = sl_suggest(word, names, ENTRIES);
    return sl_fail(error, SL_NOT_FOUND, "unknown option '%s'%s%s%s", word, near ? "; did you mean '" : "",
                   near ? near : "", near ? "'?" : "");
}

sl_status sl_cuda_options_decode(const char *text, sl_cuda_options *options, sl_error *error)
{
    memset(options, 0, sizeof *options);
    for (const char *line = text; line && *line;) {
        const char *end = strchrnul(line, '\n'), *equals = memchr(line, '=', (size_t)(end - line));
        if (end > line) {
            size_t name_length = (size_t)((equals ? equals : end) - line);
            const option_entry *entry = find_entry(line, name_length);
            if (!entry || !equals)
                return unknown(line, name_length, error);
            sl_status status = set_value(options, entry, equals + 1, (size_t)(end - equals - 1), error);
            if (status)
                return status;
        }
        line = *end ? end + 1 : end;
    }
    return SL_OK;
}

sl_trace_filter sl_cuda_options_filter(const sl_cuda_options *options)
{
    return (sl_trace_filter){.kernel_regex = *options->kernel_regex ? options->kernel_regex : NULL,
                             .first_launch = options->first_launch,
                             .last_launch = options->last_launch,
                             .ranged = options->ranged,
                             .blocks = options->blocks};
}
