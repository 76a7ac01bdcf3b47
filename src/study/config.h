/* SPDX-License-Identifier: MIT */
/* YAML descriptions of points, shared by sweeps and papers. */
#ifndef SL_STUDY_CONFIG_H
#define SL_STUDY_CONFIG_H

#include "base/arena.h"
#include "base/yaml.h"
#include "study/point.h"

/* Keys of a point that sweeps and papers read alike, into an sl_point that is at `start` of the struct. */
#define SL_POINT_FIELDS(start)                                                                                         \
    {"kind", sl_config_read_kind, (start) + offsetof(sl_point, kind), false},                                          \
        {"cold", sl_yaml_read_flag, (start) + offsetof(sl_point, cold), false},                                        \
        {"stream", sl_yaml_read_flag, (start) + offsetof(sl_point, requests), false},                                  \
    {                                                                                                                  \
        "loads_only", sl_yaml_read_flag, (start) + offsetof(sl_point, loads_only), false                               \
    }
sl_yaml_read sl_config_read_kind; /* sl_analysis_kind */
/* Checks the machine, its settings and policies; errors have the location of the node. */
sl_status sl_config_check(sl_yaml *yaml, const yaml_node_t *node, const sl_point *point);
/* The text with every $name replaced; NULL: memory ran out. */
const char *sl_config_replace(const char *text, const char *name, const char *value, sl_arena *arena);

#endif
