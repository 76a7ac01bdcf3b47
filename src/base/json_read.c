/* SPDX-License-Identifier: MIT */
#include "base/json_read.h"

#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

typedef struct reader {
    const char *at, *end, *line_start, *name;
    uint32_t line, depth;
    locale_t c_locale; /* strtod follows the program's, in which 1.5 may be written 1,5 */
    sl_arena *arena;
    sl_error *error;
} reader;

typedef SL_ARRAY(sl_json_value *) value_list;
typedef SL_ARRAY(const char *) key_list;

static sl_status read_value(reader *r, sl_json_value **value);

static sl_status fail(reader *r, const char *what)
{
    return sl_fail_at(r->error, SL_SYNTAX, r->name, r->line, (uint32_t)(r->at - r->line_start) + 1, "%s", what);
}

static void skip_space(reader *r)
{
    for (; r->at < r->end && strchr(" \t\r\n", *r->at) && *r->at; r->at++)
        if (*r->at == '\n') {
            r->line++;
            r->line_start = r->at + 1;
        }
}

static bool accept(reader *r, char c)
{
    skip_space(r);
    if (r->at == r->end || *r->at != c)
        return false;
    r->at++;
    return true;
}

/* ---- strings ---- */

static bool read_hex4(reader *r, uint32_t *code)
{
    *code = 0;
    if (r->end - r->at < 4)
        return false;
    for (int i = 0; i < 4; i++, r->at++) {
        if (!isxdigit((unsigned char)*r->at))
            return false;
        *code = *code * 16 + (uint32_t)(*r->at <= '9' ? *r->at - '0' : (*r->at | 32) - 'a' + 10);
    }
    return true;
}

static char *encode_utf8(char *out, uint32_t code)
{
    if (code < 0x80) {
        *out++ = (char)code;
    } else if (code < 0x800) {
        *out++ = (char)(0xc0 | code >> 6);
        *out++ = (char)(0x80 | (code & 63));
    } else if (code < 0x10000) {
        *out++ = (char)(0xe0 | code >> 12);
        *out++ = (char)(0x80 | (code >> 6 & 63));
        *out++ = (char)(0x80 | (code & 63));
    } else {
        *out++ = (char)(0xf0 | code >> 18);
        *out++ = (char)(0x80 | (code >> 12 & 63));
        *out++ = (char)(0x80 | (code >> 6 & 63));
        *out++ = (char)(0x80 | (code & 63));
    }
    return out;
}

static sl_status read_escape(reader *r, char **out)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    if (r->at == r->end)
        return fail(r, "the text ends inside a string");
    char c = *r->at++;
    const char *known = c ? strchr(from, c) : NULL;
    if (known) {
        *(*out)++ = to[known - from];
        return SL_OK;
    }
    uint32_t code, low;
    if (c != 'u' || !read_hex4(r, &code))
        return fail(r, "a backslash must be followed by one of \" \\ / b f n r t, or u and four hexadecimal digits");
    if (code >= 0xd800 && code < 0xdc00) {
        if (r->end - r->at < 2 || r->at[0] != '\\' || r->at[1] != 'u')
            return fail(r, "half of a character: \\ud800 to \\udbff are followed by \\udc00 to \\udfff");
        r->at += 2;
        if (!read_hex4(r, &low) || low < 0xdc00 || low > 0xdfff)
            return fail(r, "half of a character: \\ud800 to \\udbff are followed by \\udc00 to \\udfff");
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    } else if (code >= 0xdc00 && code < 0xe000) {
        return fail(r, "half of a character: \\udc00 to \\udfff follow \\ud800 to \\udbff");
    }
    if (!code)
        return fail(r, "a string must not hold the character 0");
    *out = encode_utf8(*out, code);
    return SL_OK;
}

/* Bytes of the UTF-8 character at the reader; 0: not one. */
static size_t utf8_bytes(const reader *r)
{
    const uint8_t *p = (const uint8_t *)r->at;
    size_t left = (size_t)(r->end - r->at), bytes = p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
    if (p[0] < 0x80)
        return 1;
    if (!bytes || bytes > left || p[0] > 0xf4)
        return 0;
    for (size_t i = 1; i < bytes; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xf0 && p[1] < 0x90);
    bool outside = (p[0] == 0xed && p[1] > 0x9f) || (p[0] == 0xf4 && p[1] > 0x8f);
    return overlong || outside ? 0 : bytes;
}

/* The reader stands behind the opening quote. */
static sl_status read_string(reader *r, const char **text)
{
    size_t max = 0;
    for (const char *p = r->at; p < r->end && *p != '"'; p += p + 1 < r->end && *p == '\\' ? 2 : 1)
        max += 2;
    char *copy = sl_arena_alloc(r->arena, max + 1), *out = copy;
    if (!copy)
        return sl_fail_memory(r->error);
    while (r->at < r->end && *r->at != '"') {
        size_t bytes = utf8_bytes(r);
        if (*r->at == '\\') {
            r->at++;
            sl_status status = read_escape(r, &out);
            if (status)
                return status;
        } else if ((unsigned char)*r->at < 0x20) {
            return fail(r, "a string must not hold control characters or line ends; write \\n");
        } else if (!bytes) {
            return fail(r, "not UTF-8");
        } else {
            memcpy(out, r->at, bytes);
            out += bytes;
            r->at += bytes;
        }
    }
    if (r->at == r->end)
        return fail(r, "the text ends inside a string");
    r->at++;
    *text = copy;
    return SL_OK;
}

/* ---- numbers ---- */

static const char *digits(const char *at, const char *end)
{
    while (at < end && *at >= '0' && *at <= '9')
        at++;
    return at;
}

static sl_status read_number(reader *r, double *number)
{
    char text[64];
    const char *p = r->at + (*r->at == '-'), *whole = p, *part;
    p = digits(p, r->end);
    if (p == whole || (*whole == '0' && p - whole > 1))
        return fail(r, "not a number: expected digits without a leading zero");
    if (p < r->end && *p == '.') {
        part = ++p;
        if ((p = digits(p, r->end)) == part)
            return fail(r, "not a number: no digit behind the point");
    }
    if (p < r->end && (*p == 'e' || *p == 'E')) {
        p++;
        part = p += p < r->end && (*p == '+' || *p == '-');
        if ((p = digits(p, r->end)) == part)
            return fail(r, "not a number: no digit in the exponent");
    }
    size_t length = (size_t)(p - r->at);
    if (length >= sizeof text)
        return fail(r, "a number of more than 63 characters");
    memcpy(text, r->at, length);
    text[length] = '\0';
    *number = strtod_l(text, NULL, r->c_locale);
    if (!isfinite(*number))
        return fail(r, "a number that is too large");
    r->at = p;
    return SL_OK;
}

/* ---- containers ---- */

static sl_status read_items(reader *r, bool object, value_list *values, key_list *keys)
{
    char close = object ? '}' : ']';
    if (accept(r, close))
        return SL_OK;
    do {
        const char *key = NULL;
        sl_json_value *value = NULL;
        sl_status status = SL_OK;
        if (object) {
            if (!accept(r, '"'))
                return fail(r, "expected a key in double quotes");
            reader location = *r;
            status = read_string(r, &key);
            for (size_t i = 0; !status && i < keys->count; i++)
                if (!strcmp(keys->items[i], key))
                    return fail(&location, "duplicate key");
            if (!status && !accept(r, ':'))
                return fail(r, "expected a colon between key and value");
            if (!status && !sl_array_push(keys, key))
                return sl_fail_memory(r->error);
        }
        if (!status)
            status = read_value(r, &value);
        if (status)
            return status;
        if (!sl_array_push(values, value))
            return sl_fail_memory(r->error);
    } while (accept(r, ','));
    return accept(r, close) ? SL_OK : fail(r, object ? "expected a comma or }" : "expected a comma or ]");
}

static sl_status read_container(reader *r, sl_json_value *value)
{
    value_list values = {0};
    key_list keys = {0};
    bool object = value->kind == SL_JSON_OBJECT;
    if (++r->depth > SL_JSON_NESTING)
        return fail(r, "nested too deep");
    sl_status status = read_items(r, object, &values, &keys);
    r->depth--;
    if (!status) {
        value->count = (uint32_t)values.count;
        value->value = sl_arena_array(r->arena, sl_json_value *, values.count + 1);
        value->key = sl_arena_array(r->arena, const char *, keys.count + 1);
        if (!value->value || !value->key)
            status = sl_fail_memory(r->error);
    }
    if (!status && values.count)
        memcpy(value->value, values.items, values.count * sizeof *values.items);
    if (!status && keys.count)
        memcpy(value->key, keys.items, keys.count * sizeof *keys.items);
    sl_array_free(&values);
    sl_array_free(&keys);
    return status;
}

static bool accept_word(reader *r, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(r->end - r->at) < length || memcmp(r->at, word, length))
        return false;
    r->at += length;
    return true;
}

static sl_status read_value(reader *r, sl_json_value **out)
{
    skip_space(r);
    sl_json_value *value = sl_arena_new(r->arena, sl_json_value);
    if (!value)
        return sl_fail_memory(r->error);
    value->line = r->line;
    value->column = (uint32_t)(r->at - r->line_start) + 1;
    *out = value;
    if (r->at == r->end)
        return fail(r, "the text ends where a value is expected");
    char c = *r->at;
    if (c == '{' || c == '[') {
        r->at++;
        value->kind = c == '{' ? SL_JSON_OBJECT : SL_JSON_ARRAY;
        return read_container(r, value);
    }
    if (c == '"') {
        r->at++;
        value->kind = SL_JSON_STRING;
        return read_string(r, &value->text);
    }
    if (c == '-' || (c >= '0' && c <= '9')) {
        value->kind = SL_JSON_NUMBER;
        return read_number(r, &value->number);
    }
    value->kind = c == 'n' ? SL_JSON_NULL : SL_JSON_BOOL;
    value->truth = c == 't';
    if (accept_word(r, c == 'n' ? "null" : c == 't' ? "true" : "false"))
        return SL_OK;
    return fail(r, "expected a value: an object, an array, a string, a number, true, false or null");
}

sl_status sl_json_parse(const char *text, size_t length, const char *name, sl_arena *arena, sl_json_value **value,
                        sl_error *error)
{
    reader r = {.at = text, .end = text + length, .line_start = text, .name = name, .line = 1, .arena = arena};
    r.error = error;
    r.c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!r.c_locale)
        return sl_fail_memory(error);
    sl_status status = read_value(&r, value);
    freelocale(r.c_locale);
    if (status)
        return status;
    skip_space(&r);
    return r.at == r.end ? SL_OK : fail(&r, "unexpected text after the value");
}

const sl_json_value *sl_json_member(const sl_json_value *object, const char *key)
{
    for (uint32_t i = 0; object->kind == SL_JSON_OBJECT && i < object->count; i++)
        if (!strcmp(object->key[i], key))
            return object->value[i];
    return NULL;
}

const char *sl_json_kind_name(unsigned kind)
{
    static const char *const names[] = {"null", "true or false", "a number", "a string", "an array", "an object"};
    return kind < sizeof names / sizeof *names ? names[kind] : "?";
}
