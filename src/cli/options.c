/* SPDX-License-Identifier: MIT */
#include "cli/options.h"

#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"

enum { MAX_NAMES = 128 };

typedef struct parser {
    const sl_option *const *tables;
    size_t table_count;
    char *values;
    sl_args *args;
    char **argv;
    int argc, next;
    /* The last word taken as the value of an option with an optional value, and its position among the operands: it is
     * returned if operands are missing. */
    const char **lent;
    const char *lent_word;
    size_t lent_position;
    sl_error *error;
} parser;

/* ---- names ---- */

static const sl_option *find_long(const parser *p, const char *name, size_t length)
{
    for (size_t t = 0; t < p->table_count; t++)
        for (const sl_option *o = p->tables[t]; o->name; o++)
            if (!strncmp(o->name, name, length) && !o->name[length])
                return o;
    return NULL;
}

static const sl_option *find_short(const parser *p, char letter)
{
    for (size_t t = 0; t < p->table_count; t++)
        for (const sl_option *o = p->tables[t]; o->name; o++)
            if (o->letter == letter)
                return o;
    return NULL;
}

static sl_status unknown_option(const parser *p, const char *word)
{
    const char *names[MAX_NAMES] = {"help"};
    size_t count = 1;
    for (size_t t = 0; t < p->table_count; t++)
        for (const sl_option *o = p->tables[t]; o->name && count < MAX_NAMES; o++)
            names[count++] = o->name;
    char hint[128], name[64];
    size_t dashes = word[1] == '-' ? 2 : 1;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word + dashes, "="), word + dashes);
    return sl_fail(p->error, SL_INVALID, "unknown option '%.*s'%s", (int)strcspn(word, "="), word,
                   sl_did_you_mean(name, names, count, "--", hint, sizeof hint));
}

/* ---- values ---- */

static sl_status bad_number(const parser *p, const sl_option *o, const char *text)
{
    const char *kind = o->kind == SL_OPTION_BYTES ? "a number of bytes (such as 64K or 1.5G)" : "a number";
    return sl_fail(p->error, SL_INVALID, "--%s: '%s' is not %s", o->name, text, kind);
}

static sl_status in_range(const parser *p, const sl_option *o, const char *text, uint64_t value)
{
    if (value < o->min || (o->max && value > o->max)) {
        if (o->max)
            return sl_fail(p->error, SL_INVALID, "--%s: %s is not between %llu and %llu", o->name, text,
                           (unsigned long long)o->min, (unsigned long long)o->max);
        return sl_fail(p->error, SL_INVALID, "--%s: %s is less than %llu", o->name, text, (unsigned long long)o->min);
    }
    return SL_OK;
}

static sl_status set_number(const parser *p, const sl_option *o, const char *text, uint64_t *value)
{
    if (!sl_parse_count(text, o->kind == SL_OPTION_BYTES ? 1024 : 1000, value))
        return bad_number(p, o, text);
    return in_range(p, o, text, *value);
}

static sl_status set_choice(const parser *p, const sl_option *o, const char *text, int *value)
{
    size_t count = 0, used = 0;
    char list[256] = "";
    for (; o->choices[count]; count++) {
        if (!strcmp(o->choices[count], text)) {
            *value = (int)count;
            return SL_OK;
        }
        if (used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", count ? ", " : "", o->choices[count]);
    }
    char hint[128];
    return sl_fail(p->error, SL_INVALID, "--%s: '%s' is not one of %s%s", o->name, text, list,
                   sl_did_you_mean(text, o->choices, count, "", hint, sizeof hint));
}

static sl_status set_name(const parser *p, const sl_option *o, const char *text, const char **value)
{
    int index;
    sl_status status = set_choice(p, o, text, &index);
    if (!status)
        *value = o->choices[index];
    return status;
}

static sl_status set_version(const parser *p, const sl_option *o, const char *text, uint64_t *value)
{
    unsigned major, minor;
    char rest;
    if (text[0] < '0' || text[0] > '9' || sscanf(text, "%2u.%1u%c", &major, &minor, &rest) != 2)
        return sl_fail(p->error, SL_INVALID, "--%s: '%s' is not a version %s, such as 9.0", o->name, text, o->value);
    *value = major * 10 + minor;
    if (*value < o->min || (o->max && *value > o->max))
        return sl_fail(p->error, SL_INVALID, "--%s: %s is %s than %u.%u", o->name, text,
                       *value < o->min ? "lower" : "higher", (unsigned)(*value < o->min ? o->min : o->max) / 10,
                       (unsigned)(*value < o->min ? o->min : o->max) % 10);
    return SL_OK;
}

static sl_status set_range(const parser *p, const sl_option *o, const char *text, sl_option_range *range)
{
    char first[32];
    const char *dash = strchr(text, '-');
    snprintf(first, sizeof first, "%.*s", dash ? (int)(dash - text) : (int)strlen(text), text);
    range->given = true;
    if (!sl_parse_count(first, 1000, &range->first))
        return sl_fail(p->error, SL_INVALID, "--%s: '%s' is neither a number nor a range A-B", o->name, text);
    range->last = range->first;
    if (dash && !sl_parse_count(dash + 1, 1000, &range->last))
        return sl_fail(p->error, SL_INVALID, "--%s: '%s' is neither a number nor a range A-B", o->name, text);
    if (range->last < range->first)
        return sl_fail(p->error, SL_INVALID, "--%s: the range %s ends before it begins", o->name, text);
    sl_status status = in_range(p, o, text, range->first);
    return status ? status : in_range(p, o, text, range->last);
}

static sl_status set_dims(const parser *p, const sl_option *o, const char *text, uint32_t dims[3])
{
    dims[0] = dims[1] = dims[2] = 1;
    const char *at = text;
    for (size_t i = 0;; i++) {
        char part[32];
        uint64_t value;
        size_t length = strcspn(at, ",");
        snprintf(part, sizeof part, "%.*s", (int)length, at);
        if (i == 3 || length >= sizeof part || !sl_parse_count(part, 1000, &value))
            return sl_fail(p->error, SL_INVALID, "--%s: '%s' is not X, X,Y or X,Y,Z", o->name, text);
        sl_status status = in_range(p, o, part, value);
        if (status)
            return status;
        if (value > UINT32_MAX)
            return sl_fail(p->error, SL_INVALID, "--%s: %s is too large", o->name, part);
        dims[i] = (uint32_t)value;
        if (!at[length])
            return SL_OK;
        at += length + 1;
    }
}

static sl_status set_list(const parser *p, const char *text, sl_option_list *list)
{
    const char **items = realloc(list->item, (list->count + 1) * sizeof *items);
    if (!items)
        return sl_fail_memory(p->error);
    list->item = items;
    items[list->count++] = text;
    return SL_OK;
}

static sl_status set_value(parser *p, const sl_option *o, const char *text)
{
    void *location = p->values + o->offset;
    switch (o->kind) {
    case SL_OPTION_FLAG:
        *(bool *)location = true;
        return SL_OK;
    case SL_OPTION_STRING:
    case SL_OPTION_FILE:
        *(const char **)location = text;
        return SL_OK;
    case SL_OPTION_NUMBER:
    case SL_OPTION_BYTES:
        return set_number(p, o, text, location);
    case SL_OPTION_CHOICE:
        return set_choice(p, o, text, location);
    case SL_OPTION_NAME:
        return set_name(p, o, text, location);
    case SL_OPTION_VERSION:
        return set_version(p, o, text, location);
    case SL_OPTION_LIST:
        return set_list(p, text, location);
    case SL_OPTION_RANGE:
        return set_range(p, o, text, location);
    case SL_OPTION_DIMS:
        return set_dims(p, o, text, location);
    }
    return SL_OK;
}

/* ---- the walk ---- */

/* `attached`: the value written in the same word, or NULL. */
static sl_status parse_option(parser *p, const sl_option *o, const char *attached)
{
    if (o->kind == SL_OPTION_FLAG) {
        if (attached)
            return sl_fail(p->error, SL_INVALID, "--%s takes no value", o->name);
    } else if (!attached && p->next < p->argc && strcmp(p->argv[p->next], "--") &&
               (o->kind != SL_OPTION_FILE || p->argv[p->next][0] != '-' || !p->argv[p->next][1])) {
        attached = p->argv[p->next++];
        if (o->kind == SL_OPTION_FILE) {
            p->lent = (const char **)(p->values + o->offset);
            p->lent_word = attached;
            p->lent_position = p->args->operands;
        }
    } else if (!attached && o->kind == SL_OPTION_FILE) {
        attached = "-";
    } else if (!attached) {
        return sl_fail(p->error, SL_INVALID, "--%s needs a value: %s", o->name, o->value);
    }
    bool before = false;
    for (size_t i = 0; i < p->args->sets; i++)
        before |= p->args->set[i] == o;
    if (!before)
        p->args->set[p->args->sets++] = o;
    else if (o->kind != SL_OPTION_LIST && o->kind != SL_OPTION_FLAG)
        return sl_fail(p->error, SL_INVALID, "--%s is given twice", o->name);
    return set_value(p, o, attached);
}

static sl_status parse_word(parser *p, char *word)
{
    bool all = !strcmp(word, "--help=all");
    if (all || !strcmp(word, "--help") || !strcmp(word, "-h")) {
        p->args->help = true;
        p->args->help_all = all;
        return SL_OK;
    }
    if (word[0] != '-' || !word[1]) {
        p->args->operand[p->args->operands++] = word;
        return SL_OK;
    }
    if (word[1] == '-') {
        size_t length = strcspn(word + 2, "=");
        const sl_option *o = find_long(p, word + 2, length);
        return o ? parse_option(p, o, word[2 + length] ? word + 3 + length : NULL) : unknown_option(p, word);
    }
    const sl_option *o = find_short(p, word[1]);
    return o ? parse_option(p, o, word[2] ? word + 2 : NULL) : unknown_option(p, word);
}

/* Puts the options that were given into the order of the tables. */
static void order_set(const parser *p)
{
    size_t done = 0;
    for (size_t t = 0; t < p->table_count; t++)
        for (const sl_option *o = p->tables[t]; o->name; o++)
            for (size_t i = done; i < p->args->sets; i++)
                if (p->args->set[i] == o) {
                    p->args->set[i] = p->args->set[done];
                    p->args->set[done++] = o;
                }
}

static void give_back(parser *p)
{
    sl_args *args = p->args;
    *p->lent = "-";
    memmove(args->operand + p->lent_position + 1, args->operand + p->lent_position,
            (args->operands - p->lent_position) * sizeof *args->operand);
    args->operand[p->lent_position] = p->lent_word;
    args->operands++;
}

sl_status sl_options_parse(const sl_option *const *tables, size_t table_count, int argc, char **argv,
                           size_t min_operands, void *values, sl_args *args, sl_error *error)
{
    *args = (sl_args){0};
    args->operand = calloc((size_t)argc + 1, sizeof *args->operand);
    args->set = calloc((size_t)argc + 1, sizeof *args->set);
    if (!args->operand || !args->set)
        return sl_fail_memory(error);
    parser p = {.tables = tables,
                .table_count = table_count,
                .values = values,
                .args = args,
                .argv = argv,
                .argc = argc,
                .error = error};
    while (p.next < argc && !args->help) {
        char *word = argv[p.next++];
        if (!strcmp(word, "--")) {
            args->program = argv + p.next;
            break;
        }
        sl_status status = parse_word(&p, word);
        if (status)
            return status;
    }
    if (!args->help && p.lent && args->operands + (args->program != NULL) < min_operands)
        give_back(&p);
    order_set(&p);
    return SL_OK;
}

void sl_args_fini(const sl_option *const *tables, size_t table_count, void *values, sl_args *args)
{
    for (size_t t = 0; t < table_count; t++)
        for (const sl_option *o = tables[t]; o->name; o++)
            if (o->kind == SL_OPTION_LIST)
                free(((sl_option_list *)((char *)values + o->offset))->item);
    free(args->operand);
    free(args->set);
    *args = (sl_args){0};
}

char *sl_shell_word(char *to, const char *word)
{
    if (*word && !word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%^")])
        return stpcpy(to, word);
    *to++ = '\'';
    for (; *word; word++)
        to = *word == '\'' ? stpcpy(to, "'\\''") : (*to = *word, to + 1);
    return stpcpy(to, "'");
}

char *sl_option_text(const sl_option *option, const void *values, char *buffer, size_t size)
{
    const void *location = (const char *)values + option->offset;
    const sl_option_range *range = location;
    const sl_option_list *list = location;
    const uint32_t *dims = location;
    buffer[0] = 0;
    switch (option->kind) {
    case SL_OPTION_FLAG:
        snprintf(buffer, size, "%s", *(const bool *)location ? "true" : "false");
        break;
    case SL_OPTION_STRING:
    case SL_OPTION_FILE:
    case SL_OPTION_NAME:
        snprintf(buffer, size, "%s", *(const char *const *)location);
        break;
    case SL_OPTION_VERSION:
        snprintf(buffer, size, "%llu.%llu", (unsigned long long)*(const uint64_t *)location / 10,
                 (unsigned long long)*(const uint64_t *)location % 10);
        break;
    case SL_OPTION_NUMBER:
    case SL_OPTION_BYTES:
        snprintf(buffer, size, "%llu", (unsigned long long)*(const uint64_t *)location);
        break;
    case SL_OPTION_CHOICE:
        snprintf(buffer, size, "%s", option->choices[*(const int *)location]);
        break;
    case SL_OPTION_LIST:
        for (size_t i = 0, used = 0; i < list->count && used < size; i++)
            used += (size_t)snprintf(buffer + used, size - used, "%s%s", i ? " " : "", list->item[i]);
        break;
    case SL_OPTION_RANGE:
        snprintf(buffer, size, "%llu-%llu", (unsigned long long)range->first, (unsigned long long)range->last);
        break;
    case SL_OPTION_DIMS:
        snprintf(buffer, size, "%u,%u,%u", dims[0], dims[1], dims[2]);
        break;
    }
    return buffer;
}
