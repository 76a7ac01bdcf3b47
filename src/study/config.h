/* SPDX-License-Identifier: MIT */
/* YAML descriptions of points, shared by sweeps and papers. */
#ifndef SL_STUDY_CONFIG_H
#define SL_STUDY_CONFIG_H

#include "base/arena.h"
#include "base/yaml.h"
#include "study/point.h"

/* "a=1 b=2" from {a: 1, b: 2}. */
sl_status sl_config_settings(sl_yaml *yaml, const yaml_node_t *map, const char *name, sl_arena *arena,
                             const char **text);
/* Checks the machine, its settings and policies; errors have the location of the node. */
sl_status sl_config_check(sl_yaml *yaml, const yaml_node_t *node, const sl_point *point);
/* The text with every $name replaced; NULL: memory ran out. */
const char *sl_config_replace(const char *text, const char *name, const char *value, sl_arena *arena);

#endif
