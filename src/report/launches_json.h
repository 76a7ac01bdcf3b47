/* SPDX-License-Identifier: MIT */
/* The report of launches as JSON and CSV (launches.h), for reports that say more of each launch. */
#ifndef SL_REPORT_LAUNCHES_JSON_H
#define SL_REPORT_LAUNCHES_JSON_H

#include "base/json_write.h"
#include "report/launches.h"

/* Members beside the usual ones. */
typedef struct sl_launch_json_more {
    const void *of;
    void (*head)(sl_json *json, const void *of);
    void (*launch)(sl_json *json, const void *of, size_t n); /* of the n-th launch of the log */
} sl_launch_json_more;

/* Columns behind the usual ones, each with a comma before it; empty in rows of memory instructions. */
typedef struct sl_launch_csv_more {
    const void *of;
    size_t (*columns)(FILE *file, const void *of); /* writes their names; how many there are */
    void (*launch)(FILE *file, const void *of, size_t n);
} sl_launch_csv_more;

/* `more` may be NULL. */
sl_status sl_launch_report_json_more(FILE *file, const sl_launch_log *log, const sl_report_info *info,
                                     const sl_launch_json_more *more, sl_error *error);
sl_status sl_launch_report_csv_more(FILE *file, const sl_launch_log *log, const sl_launch_csv_more *more,
                                    sl_error *error);

#endif
