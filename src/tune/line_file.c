/* SPDX-License-Identifier: MIT */
#include "tune/line_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/file.h"
#include "base/new_file.h"

typedef SL_ARRAY(char) bytes_list;

/* Items are counted in their own size. */
static bytes_list *list_of(const sl_line_format *line, void *from)
{
    return (bytes_list *)((char *)from + line->list);
}

/* ---- writing ---- */

static void write_value(FILE *file, sl_line_kind kind, const void *at)
{
    switch (kind) {
    case SL_LINE_U64:
        fprintf(file, " %" PRIu64, *(const uint64_t *)at);
        break;
    case SL_LINE_U32:
        fprintf(file, " %" PRIu32, *(const uint32_t *)at);
        break;
    case SL_LINE_BOOL:
        fprintf(file, " %d", *(const bool *)at);
        break;
    case SL_LINE_DOUBLE:
        fprintf(file, " %a", *(const double *)at);
        break;
    case SL_LINE_HASH:
        fprintf(file, " %016" PRIx64, *(const uint64_t *)at);
        break;
    case SL_LINE_TEXT:
        fprintf(file, " %s", *(char *const *)at);
        break;
    case SL_LINE_END:
        break;
    }
}

static void write_line(FILE *file, const sl_line_format *line, const char *from)
{
    for (const sl_line_value *v = line->value; v->kind; v++)
        if (v->kind == SL_LINE_TEXT && !*(char *const *)(from + v->offset))
            return;
    fputs(line->word, file);
    for (const sl_line_value *v = line->value; v->kind; v++)
        write_value(file, v->kind, from + v->offset);
    fputc('\n', file);
}

bool sl_lines_write(const sl_line_format *table, const void *from, const char *path)
{
    sl_new_file made;
    FILE *file;
    if (sl_new_file_print(path, &made, &file, NULL))
        return false;
    for (const sl_line_format *line = table; line->word; line++) {
        const bytes_list *list = list_of(line, (void *)(uintptr_t)from);
        for (size_t i = 0; line->item_bytes && i < list->count; i++)
            write_line(file, line, list->items + i * line->item_bytes);
        if (!line->item_bytes)
            write_line(file, line, from);
    }
    return !sl_new_file_finish(&made, file, NULL);
}

/* ---- reading ---- */

/* Behind the value, or NULL: there is none, or memory ran out, which *failed says. */
static const char *read_value(const char *text, sl_line_kind kind, void *at, bool *failed)
{
    char *end;
    if (*text++ != ' ')
        return NULL;
    if (kind == SL_LINE_TEXT) {
        char *copy = strdup(text);
        *failed = !copy;
        free(*(char **)at);
        *(char **)at = copy;
        return copy ? text + strlen(text) : NULL;
    }
    double number = kind == SL_LINE_DOUBLE ? strtod(text, &end) : 0;
    uint64_t whole = kind == SL_LINE_DOUBLE ? 0 : strtoull(text, &end, kind == SL_LINE_HASH ? 16 : 10);
    if (end == text)
        return NULL;
    if (kind == SL_LINE_DOUBLE)
        *(double *)at = number;
    else if (kind == SL_LINE_U32)
        *(uint32_t *)at = (uint32_t)whole;
    else if (kind == SL_LINE_BOOL)
        *(bool *)at = whole != 0;
    else
        *(uint64_t *)at = whole;
    return end;
}

static void free_texts(const sl_line_format *line, char *from)
{
    for (const sl_line_value *v = line->value; v->kind; v++)
        if (v->kind == SL_LINE_TEXT) {
            free(*(char **)(from + v->offset));
            *(char **)(from + v->offset) = NULL;
        }
}

static bool read_values(const sl_line_format *line, const char *text, char *into, bool *failed)
{
    for (const sl_line_value *v = line->value; text && v->kind; v++)
        text = read_value(text, v->kind, into + v->offset, failed);
    return text && !*text;
}

/* A line of this word; false: it is not as it should be, or memory ran out. */
static bool read_line(const sl_line_format *line, const char *text, void *into, bool *failed)
{
    if (!line->item_bytes)
        return read_values(line, text, into, failed);
    bytes_list *list = list_of(line, into);
    void *items = list->items;
    *failed = !sl_array_grow(&items, &list->capacity, list->count + 1, line->item_bytes);
    if (*failed)
        return false;
    list->items = items;
    char *item = list->items + list->count * line->item_bytes;
    memset(item, 0, line->item_bytes);
    if (!read_values(line, text, item, failed)) {
        free_texts(line, item);
        return false;
    }
    list->count++;
    return true;
}

static const sl_line_format *find_line(const sl_line_format *table, const char *text, size_t length)
{
    while (table->word && (strlen(table->word) != length || memcmp(table->word, text, length) != 0))
        table++;
    return table->word ? table : NULL;
}

sl_status sl_lines_read(const sl_line_format *table, const char *path, bool strict, void *into, sl_error *error)
{
    char *text = NULL;
    size_t length = 0;
    sl_status status = sl_file_read(path, &text, &length, error);
    for (char *at = text, *end; !status && (end = memchr(at, '\n', length - (size_t)(at - text))); at = end + 1) {
        *end = '\0';
        size_t word = strcspn(at, " ");
        const sl_line_format *line = find_line(table, at, word);
        bool failed = false, read = line && read_line(line, at + word, into, &failed);
        if (failed)
            status = sl_fail_memory(error);
        else if (strict && !read)
            status = sl_fail(error, SL_INVALID, "%s: not understood: %s", path, at);
    }
    free(text);
    return status;
}

void sl_lines_free(const sl_line_format *table, void *from)
{
    for (const sl_line_format *line = table; line->word; line++) {
        if (!line->item_bytes) {
            free_texts(line, from);
            continue;
        }
        bytes_list *list = list_of(line, from);
        for (size_t i = 0; i < list->count; i++)
            free_texts(line, list->items + i * line->item_bytes);
        sl_array_free(list);
    }
}
