/* SPDX-License-Identifier: MIT */
/* Expressions over counters: "BL.cycles / BALL.cycles", "geomean(CNF, BL.cycles / Decoupled.cycles) > 1.15".
 *
 *   CONFIG.counter         of the current program under a configuration
 *   geomean(GROUP, e)      also mean, sum, group_min, group_max: of e over the programs of a group
 *   count(GROUP, e)        number of programs for which e is true
 *   at(PROGRAM, e)         e for that program
 *   min(e, …) max(e, …)    of their arguments
 *   abs(e)                 without its sign
 *   value                  in a condition about a number: that number
 *   + - * / < > <= >= and  with their usual meaning; true is 1
 *
 * Unknown values (a point that failed, a program that is not run) are NaN and are skipped in groups. */
#ifndef SL_EXPERIMENT_EXPRESSION_H
#define SL_EXPERIMENT_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

typedef struct sl_expression sl_expression;

/* What names mean: positions from 0, or -1 for unknown names. */
typedef struct sl_expression_names {
    int (*config)(const void *context, const char *name);
    int (*program)(const void *context, const char *name);
    int (*group)(const void *context, const char *name);
    const void *context;
    const sl_expression *value; /* what `value` stands for; NULL: nothing */
} sl_expression_names;

/* Allocated in the arena. The error has no location. */
sl_status sl_expression_parse(const char *text, const sl_expression_names *names, sl_arena *arena,
                              const sl_expression **expression, sl_error *error);

/* Where values come from. */
typedef struct sl_expression_source {
    double (*value)(const void *context, int program, int config, const char *counter); /* NaN: not known */
    size_t (*members)(const void *context, int group, const int **program);
    const void *context;
} sl_expression_source;

/* `program` -1: none. `holes` (may be NULL) becomes true if a program of a group was skipped. */
double sl_expression_value(const sl_expression *expression, const sl_expression_source *source, int program,
                           bool *holes);

/* Calls `use` for each configuration that is needed, with the current program (-1: none). */
void sl_expression_uses(const sl_expression *expression, const sl_expression_source *source, int program,
                        void (*use)(void *context, int program, int config), void *context);

#endif
