/* What JSON reports have in common: the members that say what made them. */
#ifndef SL_REPORT_HEAD_JSON_H
#define SL_REPORT_HEAD_JSON_H

#include "report/json.h"
#include "report/launches.h"

/* Members of the outermost object: tool, version, command, machine, options, seed, trace. */
void sl_report_head_json(sl_json *json, const sl_report_info *info);
/* A member: "grid": [x, y, z]. */
void sl_json_dims(sl_json *json, const char *key, const uint32_t dims[3]);

#endif
