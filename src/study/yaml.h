/* SPDX-License-Identifier: MIT */
/* YAML as experiments use it: maps of known keys, lists, and words, with a place for every complaint. */
#ifndef SL_STUDY_YAML_H
#define SL_STUDY_YAML_H

#include <stdbool.h>
#include <stddef.h>
#include <yaml.h>

#include "sluice/error.h"

typedef struct sl_yaml {
    const char *path; /* for messages */
    yaml_document_t document;
    sl_error *error; /* where complaints go */
} sl_yaml;

/* On failure there is nothing to close. `path` must outlive it. */
sl_status sl_yaml_open(sl_yaml *yaml, const char *path, const char *text, size_t bytes, sl_error *error);
void sl_yaml_close(sl_yaml *yaml);
/* The text of a whole file, ended by a zero; the caller frees it. */
sl_status sl_yaml_read(const char *path, char **text, size_t *bytes, sl_error *error);

const yaml_node_t *sl_yaml_root(sl_yaml *yaml); /* NULL: there is nothing in it */
/* A complaint about a node. */
sl_status sl_yaml_fail(sl_yaml *yaml, const yaml_node_t *node, const char *format, ...) SL_PRINTF(3, 4);
/* Says where an error that has a reason belongs. */
sl_status sl_yaml_locate(sl_yaml *yaml, const yaml_node_t *node, sl_status status);

const char *sl_yaml_word(const yaml_node_t *node); /* NULL: it is no single value */
size_t sl_yaml_items(const yaml_node_t *node);     /* of a list or a map; of a single value 1 */
/* The item of a list, the value of a map, or the single value itself. */
const yaml_node_t *sl_yaml_item(sl_yaml *yaml, const yaml_node_t *node, size_t index);
const yaml_node_t *sl_yaml_key(sl_yaml *yaml, const yaml_node_t *map, size_t index);

/* Picks the values of a map by the names of its keys (NULL ends them); what is absent becomes NULL. Keys that have
 * no such name, or come twice, are errors. */
sl_status sl_yaml_pick(sl_yaml *yaml, const yaml_node_t *map, const char *what, const char *const *names,
                       const yaml_node_t **value);
/* A word, a number, a yes or no; NULL nodes leave what is there. */
sl_status sl_yaml_take_word(sl_yaml *yaml, const yaml_node_t *node, const char *name, const char **word);
sl_status sl_yaml_take_number(sl_yaml *yaml, const yaml_node_t *node, const char *name, double *number);
sl_status sl_yaml_take_count(sl_yaml *yaml, const yaml_node_t *node, const char *name, uint64_t *count);
sl_status sl_yaml_take_flag(sl_yaml *yaml, const yaml_node_t *node, const char *name, bool *flag);
/* Which of the names (NULL ends them) the word is; an unknown one is an error with the nearest. */
sl_status sl_yaml_take_choice(sl_yaml *yaml, const yaml_node_t *node, const char *what, const char *const *names,
                              int *index);
/* "; the nearest is 'x'" or "": for messages about a word that should be one of the names. */
const char *sl_yaml_nearest(const char *word, const char *const *names, size_t count, char *buffer, size_t size);

#endif
