/* SPDX-License-Identifier: MIT */
/* A point of an experiment: a program on a machine, looked at in one way. It has a key, a hash of all it depends on
 * (the program and its parameters or the contents of its trace, every key of the machine, the version of what runs it),
 * so that a result found under the key is the result that running it would give. */
#ifndef SL_EXPERIMENT_POINT_H
#define SL_EXPERIMENT_POINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "machine/machine.h"
#include "sluice/trace.h"

/* How it is looked at. */
typedef enum sl_point_kind {
    SL_POINT_SIM,     /* cycle by cycle */
    SL_POINT_MODEL,   /* by reuse distances */
    SL_POINT_TUNE,    /* cycle by cycle, with loads that bypass as each way to choose says (point_tune.h) */
    SL_POINT_PROFILE, /* reuse in the trace alone, in the order and with the line and size of the machine's L1 */
    SL_POINT_KINDS
} sl_point_kind;
extern const char *const sl_point_kinds[SL_POINT_KINDS + 1]; /* their names; ends with NULL */

/* Texts are borrowed; what is not wanted is "". */
typedef struct sl_point {
    sl_point_kind kind;
    const char *workload; /* "" where it is a trace */
    const char *size;     /* of the workload */
    const char *params;   /* of the workload, beyond its size: "n=4 steps=2" */
    const char *kernel;   /* SL_POINT_TUNE: this one alone; "": each kernel, summed up */
    const char *trace;    /* a file of ours */
    uint64_t seed;
    const char *machine;
    const char *settings; /* changes of the machine: "L1.size=32K cores=1" */
    const char *l1, *l2, *scheduler;
    const char *without; /* extensions of the model that are off: "latency mshr" */
    bool cold;
    bool stream; /* SL_POINT_SIM: also how lines come back in what goes into L1 (sim/stream.h) */
} sl_point;

/* What a point, for itself, starts from. */
#define SL_POINT_START                                                                                                 \
    {                                                                                                                  \
        .workload = "", .size = "default", .params = "", .kernel = "", .trace = "", .seed = 1,                         \
        .machine = "fermi-gtx480", .settings = "", .l1 = "", .l2 = "", .scheduler = "", .without = ""                  \
    }

enum { SL_KEY_BYTES = 33, SL_VALUE_NAME = 40 };

/* A counter of a result, summed over the launches of the program. */
typedef struct sl_value {
    char name[SL_VALUE_NAME];
    double value; /* counters are whole and exact below 2^53 */
} sl_value;

typedef SL_ARRAY(sl_value) sl_values;

/* False when memory runs out. Adds to a value that is there. */
bool sl_values_add(sl_values *values, const char *name, double amount);
const double *sl_values_find(const sl_values *values, const char *name); /* NULL: there is none */

/* The machine with the point's settings and policies. */
sl_status sl_point_machine(const sl_point *point, sl_machine *machine, sl_error *error);
/* A hash of every key of the machine, and of the simulator's sources. */
void sl_point_machine_key(const sl_machine *machine, char key[SL_KEY_BYTES]);
/* Checks what can be checked without running it. `key` is of the point, `trace_key` of what it reads ("" where that is
 * a file of its own): workloads of the same key have the same trace. */
sl_status sl_point_keys(const sl_point *point, const sl_machine *machine, char key[SL_KEY_BYTES],
                        char trace_key[SL_KEY_BYTES], sl_error *error);
/* Runs it on a trace of its program. */
sl_status sl_point_run(const sl_point *point, const sl_machine *machine, const sl_trace *trace, sl_values *values,
                       sl_error *error);
/* Runs the workload of a point and writes its trace to `path`, which appears complete or not at all. */
sl_status sl_point_record(const sl_point *point, uint32_t lanes, const char *path, sl_error *error);

/* "spmv rows=500 on fermi-gtx480, L1 decoupled": for messages. Returns `buffer`. */
char *sl_point_text(const sl_point *point, char *buffer, size_t size);

#endif
