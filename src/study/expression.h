/* SPDX-License-Identifier: MIT */
/* Numbers made of counters: "BL.cycles / BALL.cycles", "geomean(CNF, BL.cycles / Decoupled.cycles) > 1.15".
 *
 *   CONFIG.counter         of the program at hand under a configuration
 *   geomean(GROUP, e)      also mean, sum, least, most: of e over the programs of a group
 *   count(GROUP, e)        programs of which e is true
 *   at(PROGRAM, e)         e for that program
 *   min(e, …) max(e, …)    of their arguments
 *   + - * / < > <= >= and  with their usual meaning; what is true is 1
 *
 * What is not known (a point that failed, a program that is left out) is NaN, and left out of groups. */
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
} sl_expression_names;

/* Lies in the arena. The error has a reason, but no place. */
sl_status sl_expression_parse(const char *text, const sl_expression_names *names, sl_arena *arena,
                              const sl_expression **expression, sl_error *error);

/* Where values come from. */
typedef struct sl_expression_source {
    double (*value)(const void *context, int program, int config, const char *counter); /* NaN: not known */
    size_t (*members)(const void *context, int group, const int **program);
    const void *context;
} sl_expression_source;

/* `program` -1: none at hand. `holes` (may be NULL) becomes true where a program of a group was left out. */
double sl_expression_value(const sl_expression *expression, const sl_expression_source *source, int program,
                           bool *holes);

/* Calls `use` for each configuration that is asked for, with the program at hand (-1: none). */
void sl_expression_uses(const sl_expression *expression, const sl_expression_source *source, int program,
                        void (*use)(void *context, int program, int config), void *context);

#endif
