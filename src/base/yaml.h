/* SPDX-License-Identifier: MIT */
/* YAML files as Sluice uses them (machines, sweeps, papers): one document of maps with known keys, lists and words.
 * Every error has a line and a column. */
#ifndef SL_BASE_YAML_H
#define SL_BASE_YAML_H

#include <stdbool.h>
#include <stddef.h>
#include <yaml.h>

#include "sluice/error.h"

typedef struct sl_yaml {
    const char *path; /* for messages */
    yaml_document_t document;
    sl_error *error; /* where errors go */
} sl_yaml;

/* The location of a node or a key in its file. */
typedef struct sl_yaml_mark {
    uint32_t line, column; /* from 1; 0: nowhere */
} sl_yaml_mark;

enum { SL_YAML_MAX_BYTES = 4 << 20 }; /* of a file; no description comes near it */

/* On failure there is nothing to close. `path` must outlive it. A second document in the text is an error. */
sl_status sl_yaml_open(sl_yaml *yaml, const char *path, const char *text, size_t bytes, sl_error *error);
void sl_yaml_close(sl_yaml *yaml);

const yaml_node_t *sl_yaml_root(sl_yaml *yaml);        /* NULL: there is nothing in it */
sl_yaml_mark sl_yaml_mark_of(const yaml_node_t *node); /* NULL: the start of the file */
/* Gives an error its location. */
sl_status sl_yaml_locate_at(sl_yaml *yaml, sl_yaml_mark mark, sl_status status);
sl_status sl_yaml_locate(sl_yaml *yaml, const yaml_node_t *node, sl_status status);
/* An error at a node. */
sl_status sl_yaml_fail(sl_yaml *yaml, const yaml_node_t *node, const char *format, ...) SL_PRINTF(3, 4);

const char *sl_yaml_word(const yaml_node_t *node); /* NULL: it is no single value */
size_t sl_yaml_items(const yaml_node_t *node);     /* of a list or a map; of a single value 1 */
/* The item of a list, the value of a map, or the single value itself. */
const yaml_node_t *sl_yaml_item(sl_yaml *yaml, const yaml_node_t *node, size_t index);
const yaml_node_t *sl_yaml_key(sl_yaml *yaml, const yaml_node_t *map, size_t index);

/* Reads a value of a map into `to`. The struct of who reads a file begins with its sl_yaml, so that functions find it.
 */
typedef sl_status sl_yaml_read(sl_yaml *yaml, const yaml_node_t *node, const char *name, void *to);
sl_yaml_read sl_yaml_read_word;   /* const char *, which lives as long as the document */
sl_yaml_read sl_yaml_read_number; /* double */
sl_yaml_read sl_yaml_read_count;  /* uint64_t */
sl_yaml_read sl_yaml_read_flag;   /* bool: yes or no */
/* Which of the names (NULL ends them) the word is; an unknown one is an error with the nearest. */
sl_status sl_yaml_read_choice(sl_yaml *yaml, const yaml_node_t *node, const char *what, const char *const *names,
                              int *index);

/* A key of a map. */
typedef struct sl_yaml_field {
    const char *name;   /* NULL ends a table */
    sl_yaml_read *read; /* NULL: the key is known, and read elsewhere */
    size_t offset;      /* of the value in the struct that the map is read into */
    bool required;
} sl_yaml_field;

/* Reads a map into the struct `to`, in the order of the table; what the map does not have keeps its value. Keys that
 * the table does not have, or that come twice, are errors. `what`: "a paper". */
sl_status sl_yaml_read_fields(sl_yaml *yaml, const yaml_node_t *map, const char *what, const sl_yaml_field *fields,
                              void *to);

#endif
