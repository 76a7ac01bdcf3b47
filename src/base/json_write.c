/* SPDX-License-Identifier: MIT */
#include "base/json_write.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

void sl_json_start(sl_json *j, FILE *file)
{
    *j = (sl_json){.file = file};
}

static void new_line(sl_json *j)
{
    fputc('\n', j->file);
    for (unsigned i = 0; i < j->depth; i++)
        fputc(' ', j->file);
}

/* What stands before a value or a key. */
static void separate(sl_json *j)
{
    if (j->after_key) {
        j->after_key = false;
        return;
    }
    if (!j->depth)
        return;
    if (j->nonempty[j->depth - 1])
        fputs(j->lines[j->depth - 1] ? "," : ", ", j->file);
    j->nonempty[j->depth - 1] = true;
    if (j->lines[j->depth - 1])
        new_line(j);
}

static void open_container(sl_json *j, char bracket, bool lines)
{
    separate(j);
    assert(j->depth < SL_JSON_DEPTH);
    fputc(bracket, j->file);
    j->lines[j->depth] = lines;
    j->nonempty[j->depth++] = false;
}

void sl_json_object(sl_json *j, bool lines)
{
    open_container(j, '{', lines);
}

void sl_json_array(sl_json *j, bool lines)
{
    open_container(j, '[', lines);
}

void sl_json_close(sl_json *j, char bracket)
{
    assert(j->depth);
    j->depth--;
    if (j->lines[j->depth] && j->nonempty[j->depth])
        new_line(j);
    fputc(bracket, j->file);
}

static void write_string(FILE *file, const char *text)
{
    fputc('"', file);
    while (*text) {
        size_t length;
        uint32_t c = sl_utf8_next(text, &length);
        if (c == '"' || c == '\\')
            fprintf(file, "\\%c", (int)c);
        else if (c == '\n')
            fputs("\\n", file);
        else if (c == '\t')
            fputs("\\t", file);
        else if (c < 0x20 || c == 0x7f)
            fprintf(file, "\\u%04x", c);
        else if (c == SL_UTF8_BAD)
            fputs("\xef\xbf\xbd", file);
        else
            fwrite(text, 1, length, file);
        text += length;
    }
    fputc('"', file);
}

void sl_json_key(sl_json *j, const char *key)
{
    separate(j);
    write_string(j->file, key);
    fputs(": ", j->file);
    j->after_key = true;
}

void sl_json_string(sl_json *j, const char *text)
{
    separate(j);
    if (text)
        write_string(j->file, text);
    else
        fputs("null", j->file);
}

void sl_json_u64(sl_json *j, uint64_t value)
{
    separate(j);
    fprintf(j->file, "%llu", (unsigned long long)value);
}

void sl_json_double(sl_json *j, double value)
{
    char text[SL_DOUBLE_BYTES];
    separate(j);
    fputs(isfinite(value) ? sl_double_text(value, text) : "null", j->file);
}

void sl_json_bool(sl_json *j, bool value)
{
    separate(j);
    fputs(value ? "true" : "false", j->file);
}

void sl_json_null(sl_json *j)
{
    sl_json_string(j, NULL);
}

void sl_json_string_member(sl_json *j, const char *key, const char *text)
{
    sl_json_key(j, key);
    sl_json_string(j, text);
}

void sl_json_u64_member(sl_json *j, const char *key, uint64_t value)
{
    sl_json_key(j, key);
    sl_json_u64(j, value);
}

void sl_json_double_member(sl_json *j, const char *key, double value)
{
    sl_json_key(j, key);
    sl_json_double(j, value);
}

void sl_json_object_member(sl_json *j, const char *key, bool lines)
{
    sl_json_key(j, key);
    sl_json_object(j, lines);
}

void sl_json_array_member(sl_json *j, const char *key, bool lines)
{
    sl_json_key(j, key);
    sl_json_array(j, lines);
}

sl_status sl_json_finish(sl_json *j, sl_error *error)
{
    assert(!j->depth);
    fputc('\n', j->file);
    if (fflush(j->file) || ferror(j->file))
        return sl_fail_io(error, "write", "the JSON report");
    return SL_OK;
}
