/* SPDX-License-Identifier: MIT */
/* Reads JSON (RFC 8259) into a tree in an arena. Strict: no comments, no trailing commas, no duplicate keys, UTF-8
 * only; numbers are doubles. Every value knows its location, so that whoever looks for something else in it can say
 * where.
 */
#ifndef SL_BASE_JSON_READ_H
#define SL_BASE_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "sluice/error.h"

typedef enum sl_json_kind {
    SL_JSON_NULL,
    SL_JSON_BOOL,
    SL_JSON_NUMBER,
    SL_JSON_STRING,
    SL_JSON_ARRAY,
    SL_JSON_OBJECT
} sl_json_kind;

typedef struct sl_json_value sl_json_value;
struct sl_json_value {
    uint8_t kind; /* sl_json_kind */
    bool truth;
    uint32_t line, column; /* where it starts, from 1 */
    double number;
    const char *text;      /* STRING: ends with a zero, and holds no other */
    uint32_t count;        /* ARRAY, OBJECT */
    const char **key;      /* OBJECT: [count] */
    sl_json_value **value; /* ARRAY, OBJECT: [count] */
};

/* Containers may nest this deep. */
enum { SL_JSON_NESTING = 64 };

/* `name` is the file, for messages. */
sl_status sl_json_parse(const char *text, size_t length, const char *name, sl_arena *arena, sl_json_value **value,
                        sl_error *error);
/* The member of an object; NULL when there is none, or `object` is none. */
const sl_json_value *sl_json_member(const sl_json_value *object, const char *key);
/* The kind of a value, for messages: "a string", "an object". */
const char *sl_json_kind_name(unsigned kind);

#endif
