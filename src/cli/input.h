/* SPDX-License-Identifier: MIT */
/* The input of a command: a workload, PTX or LLVM IR with a launch, a CUDA program, or a trace. All commands share one
 * table of options (input.def) and one way of recording. */
#ifndef SL_CLI_INPUT_H
#define SL_CLI_INPUT_H

#include "cli/command.h"
#include "exec/start.h"
#include "recording/recording.h"
#include "report/page.h"

/* The struct of a command's options begins with this one, and its more_options are sl_input_table. */
typedef struct sl_input_options {
    sl_common common;
    const char *kernel_regex; /* NULL: all kernels */
    const char *launch;       /* NULL: all launches */
    uint64_t blocks;          /* of each launch; 0: all */
    uint64_t process;         /* 0: all */
    /* From here on they say what the input is and how it runs (sl_is_input_option). */
    sl_run_settings settings;
    const char *entry;
    uint32_t grid[3], block[3]; /* 0: not given */
    uint64_t shared_bytes;
    sl_option_list arg;
    const char *workload; /* whose host launches LLVM IR */
    const char *cubin, *llvm;
    bool optimize;
    int size; /* index into sl_size_names */
    uint64_t seed;
} sl_input_options;

extern const sl_option sl_input_table[];
#define SL_INPUT_DEFAULTS                                                                                              \
    {                                                                                                                  \
        .size = 1, .seed = 1                                                                                           \
    }
#define SL_INPUT_NAMES   "INPUT [NAME=VALUE...] | -- PROGRAM [ARG...]"
#define SL_INPUT_USAGE   "(" SL_INPUT_NAMES ")"
#define SL_INPUT_OPERAND "an input (a workload, a PTX file, LLVM IR, a trace, or '-- ./app')"
#define SL_INPUT_HELP                                                                                                  \
    "The input is a built-in workload (see 'sluice workloads'), a PTX file or LLVM IR (.ll, .bc; for NVIDIA or AMD "   \
    "GPUs) with a launch, a trace of 'sluice trace' or one that 'sluice import' reads, or a CUDA program after '--', " \
    "which must contain PTX. Inputs other than traces are run on the CPU and recorded into a temporary trace."
#define SL_KERNEL_ARGS_HELP                                                                                            \
    "A kernel argument is TYPE:VALUE (u32:1024, f32:0.5), TYPE[COUNT]:FILL for a buffer, whose address the kernel "    \
    "gets, or hex:DIGITS for the bytes of any other parameter. TYPE is u8 to u64, s8 to s64, f32 or f64. COUNT takes " \
    "the suffixes K, M and G (powers of 1024). FILL is zero, iota (0, 1, 2, ...), random, random:BOUND, file:PATH, "   \
    "none (uninitialized) or a number."
enum { SL_INPUT_MAX_OPERANDS = 64 };

/* What commands that take one input have in common. `type`: the struct of their options. */
#define SL_OF_INPUTS(type, table, start, lines)                                                                        \
    .options = table, .more_options = sl_input_table, .values_bytes = sizeof(type), .defaults = &start,                \
    .min_operands = 1, .max_operands = SL_INPUT_MAX_OPERANDS, .takes_program = true, .examples = lines

/* An input that is open and, on request, recorded. */
typedef struct sl_cli_input {
    sl_input input;
    sl_record_options record;
    sl_recording recording;
    sl_pool *pool;      /* of the threads of --jobs, for what is done with the recording; NULL: it was not recorded */
    char params[1024];  /* NAME=VALUE of the command line, joined */
    char scratch[1024]; /* a temporary folder, removed on close; "": none */
    sl_program_settings program;
    char ptx[1100]; /* file in it for the PTX of a program, where plans need it */
    /* for reports */
    char subject[320];            /* "spmv rows=500", "app.slt" */
    sl_report_option fact;        /* what ran, for the header of a JSON report; only if `trace` is NULL */
    const sl_report_trace *trace; /* NULL: not a trace */
    sl_report_trace about;
    size_t texts; /* sources of the kernels */
    sl_source_text text[2];
} sl_cli_input;

/* sl_command.inputs, and to what an option applies: a bit for each sl_input_kind, and for what is done with inputs. */
enum {
    SL_TAKES_TRACES = 1 << SL_INPUT_TRACE | 1 << SL_INPUT_FOREIGN,
    SL_TAKES_KERNELS = 1 << SL_INPUT_PTX | 1 << SL_INPUT_LLVM,
    SL_TAKES_CODE = 1 << SL_INPUT_WORKLOAD | SL_TAKES_KERNELS,
    SL_TAKES_PROGRAMS = 1 << SL_INPUT_PROGRAM,
    SL_TAKES_EMULATED = SL_TAKES_CODE | SL_TAKES_PROGRAMS,
    SL_TAKES_ALL = SL_TAKES_TRACES | SL_TAKES_EMULATED,
    SL_USES_EMULATOR = 1 << 16, /* inputs run on the emulator */
    SL_USES_SEED = 1 << 17,     /* inputs are generated, or analyses random */
    SL_USES_ALL = SL_USES_EMULATOR | SL_USES_SEED,
};

/* Whether a command that declares its inputs can use the option at all; true for options that are not of inputs. */
bool sl_option_applies(const sl_command *command, const sl_option *option);
/* Rejects options that do not; returns the exit code. */
int sl_check_input_options(const sl_invocation *inv);
/* Whether it says what an input is and how it runs, rather than what is shown of it. */
bool sl_is_input_option(const sl_option *option);

/* Opens the input of the command line and sets the options for recording it. `lanes`: of the machine; 0: there is
 * none. `number_loads` as in sl_input_spec. Prints errors and returns the exit code; on failure there is nothing to
 * close. */
int sl_cli_input_open(sl_cli_input *input, const sl_invocation *inv, unsigned kinds, uint32_t lanes, bool number_loads);
/* Records an open input. With `damaged`, a damaged trace is taken as far as it can be read; otherwise it is an error.
 * Closes the input on failure. */
int sl_cli_input_run(sl_cli_input *input, const sl_invocation *inv, bool damaged);
/* Both. */
int sl_cli_input_record(sl_cli_input *input, const sl_invocation *inv, unsigned kinds, uint32_t lanes, bool damaged);
void sl_cli_input_close(sl_cli_input *input);

/* Gives a recorded program or trace its PTX, from the file of --code (NULL: not given), or as the program loaded it. A
 * trace without --code has none. */
sl_status sl_cli_input_find_code(sl_cli_input *input, const char *code, sl_error *error);

/* Where the text report goes by default: stderr for programs, which keep their standard output. */
FILE *sl_cli_input_stream(const sl_cli_input *input);
/* `code` if it is a failure, else the exit code of the program that ran. */
int sl_cli_input_code(const sl_cli_input *input, int code);

/* Warns of a program that was killed by a signal or ended while recording to `trace` (NULL: a temporary one). */
void sl_cli_input_warn(const sl_invocation *inv, const sl_run_end *end, const char *trace);

#endif
