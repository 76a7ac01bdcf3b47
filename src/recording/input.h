/* SPDX-License-Identifier: MIT */
/* The input of a study. All commands and points name it in the same way:
 *
 *   a workload             spmv rows=500
 *   PTX with a launch      k.ptx, --grid 8 --block 256 --arg f32[1K]:random
 *   LLVM IR                k.ll, launched likewise, or by the host code of a workload
 *   a CUDA program         -- ./app 1024
 *   a trace                app.slt, or one of another tool (Accel-Sim, threads)
 *
 * An open input has been read but not run: recording.h runs it. */
#ifndef SL_RECORDING_INPUT_H
#define SL_RECORDING_INPUT_H

#include "ptx/cubin.h"
#include "ptx/sources.h"
#include "recording/kernel_args.h"
#include "trace/import.h"
#include "tune/loads.h"
#include "tune/rewrite/llvm_file.h"
#include "workloads/workload.h"

typedef enum sl_input_kind {
    SL_INPUT_WORKLOAD,
    SL_INPUT_PTX,
    SL_INPUT_LLVM,
    SL_INPUT_PROGRAM,
    SL_INPUT_TRACE,   /* ours */
    SL_INPUT_FOREIGN, /* a trace of another tool */
} sl_input_kind;

/* "a workload", "a CUDA program": for messages. */
const char *sl_input_kind_name(sl_input_kind kind);

/* As requested. Strings are borrowed; unused ones are "". */
typedef struct sl_input_spec {
    const char *name;        /* of the workload or the file; of a program the same as program[0] */
    char *const *program;    /* argv of a CUDA program, ends with NULL; NULL: not a program */
    const char *size;        /* of a workload: small, default, large */
    const char *params;      /* of a workload, beyond its size: "n=4 steps=2" */
    const char *host;        /* LLVM IR: the workload whose host launches it */
    sl_kernel_launch launch; /* PTX, and LLVM IR without a host */
    const char *cubin;       /* workloads, PTX, LLVM IR: machine code of the kernels, or a folder that has it in a file
                                NAME.cubin; "": none */
    const char *llvm;        /* LLVM IR: version or library; "": the newest */
    bool optimize;           /* LLVM IR: run -O2 first */
    bool number_loads;       /* LLVM IR: line numbers of the code are numbers of loads, for tuning */
    uint64_t seed;           /* of generated data */
} sl_input_spec;

#define SL_INPUT_SPEC_START                                                                                            \
    {                                                                                                                  \
        .name = "", .size = "default", .params = "", .host = "", .cubin = "", .llvm = "", .seed = 1                    \
    }

typedef struct sl_input {
    sl_input_kind kind;
    sl_input_spec spec;
    sl_trace_format format;      /* of traces */
    const sl_workload *workload; /* the host code that launches; NULL: none */
    sl_workload rehosted;        /* target of `workload` if the code is LLVM IR */
    const char *ptx;             /* code of workloads, PTX and LLVM IR; NULL: none */
    size_t ptx_length;
    char *owned;      /* NULL: the code is the workload's */
    sl_cubin cubin;   /* zero: none */
    char *cubin_data; /* NULL: none */
    size_t cubin_bytes;
    sl_ptx_sources texts; /* of a program or trace, where its code is at hand (input_plan.h) */
    sl_llvm_file ir;      /* zero: not LLVM IR */
    sl_load_graph ir_loads;
    sl_arena arena;
} sl_input;

/* Source code, by its name: an error that says how to compile it. SL_OK for any other file. */
sl_status sl_input_refuse_source(const char *name, sl_error *error);
/* What the spec names. SL_NOT_FOUND, with the nearest workload: nothing. */
sl_status sl_input_detect(const sl_input_spec *spec, sl_input_kind *kind, sl_error *error);
/* SL_INVALID: something is missing or does not belong to this kind of input. */
sl_status sl_input_check(const sl_input_spec *spec, sl_input_kind kind, sl_error *error);
/* Detects, checks and reads it. On failure there is nothing to close. */
sl_status sl_input_open(const sl_input_spec *spec, sl_input *input, sl_error *error);
void sl_input_close(sl_input *input); /* zeros are fine */

/* Runs the host of a workload, PTX or LLVM IR on a device, whose hooks see the launches. `check`: a workload compares
 * its result with the CPU. `result` may be NULL. */
sl_status sl_input_run(const sl_input *input, sl_device *device, bool check, sl_workload_result *result,
                       sl_error *error);
/* Everything that determines its launches and data, in one line. Returns `buffer`. */
char *sl_input_text(const sl_input *input, char *buffer, size_t size);

/* ---- its loads, for plans ---- */

/* "ptx", "llvm-ir", or "trace" where the code is not at hand: as plans call it. */
const char *sl_input_form(const sl_input *input);
/* Identifies its code in plans. `module` is the parsed PTX. */
sl_status sl_input_hash(const sl_input *input, const sl_ptx_module *module, uint64_t *hash, sl_error *error);
/* The loads of a kernel, with groups. `sm` as sl_ptx_loads takes it. */
sl_status sl_input_loads(const sl_input *input, const sl_ptx_module *module, const sl_ptx_func *kernel, uint32_t sm,
                         sl_arena *arena, sl_load_graph *graph, sl_error *error);
/* The load of that graph that an instruction of a recorded kernel belongs to; UINT32_MAX: none. */
uint32_t sl_input_load_of(const sl_input *input, const sl_load_graph *graph, const sl_inst *inst);

#endif
