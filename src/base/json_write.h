/* SPDX-License-Identifier: MIT */
/* Writes JSON as it comes, to a FILE: nothing is held back but where commas go. Numbers are the same everywhere (no
 * locale), strings are escaped, and bytes that are not UTF-8 become U+FFFD. */
#ifndef SL_BASE_JSON_WRITE_H
#define SL_BASE_JSON_WRITE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "sluice/error.h"

enum { SL_JSON_DEPTH = 32 };

typedef struct sl_json {
    FILE *file;
    unsigned depth;
    bool lines[SL_JSON_DEPTH];    /* one member per line */
    bool nonempty[SL_JSON_DEPTH]; /* the next member needs a comma */
    bool after_key;
} sl_json;

void sl_json_start(sl_json *json, FILE *file);
/* Containers; `lines`: one member per line. As values of an object they follow a key. */
void sl_json_object(sl_json *json, bool lines);
void sl_json_array(sl_json *json, bool lines);
void sl_json_close(sl_json *json, char bracket); /* '}' or ']' */
void sl_json_key(sl_json *json, const char *key);

void sl_json_string(sl_json *json, const char *text); /* NULL: null */
void sl_json_u64(sl_json *json, uint64_t value);
void sl_json_double(sl_json *json, double value); /* the shortest form that reads back the same; not finite: null */
void sl_json_bool(sl_json *json, bool value);
void sl_json_null(sl_json *json);

/* Members of an object: a key and its value. */
void sl_json_string_member(sl_json *json, const char *key, const char *text);
void sl_json_u64_member(sl_json *json, const char *key, uint64_t value);
void sl_json_double_member(sl_json *json, const char *key, double value);
void sl_json_object_member(sl_json *json, const char *key, bool lines);
void sl_json_array_member(sl_json *json, const char *key, bool lines);

/* A final newline; SL_IO when anything could not be written. */
sl_status sl_json_finish(sl_json *json, sl_error *error);

#endif
