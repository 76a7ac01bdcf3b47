/* SPDX-License-Identifier: MIT */
/* sluice apply: writes a bypass plan into the code it was made for. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/apply.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "ptx/elf.h"
#include "tune/ptx_loads.h"
#include "tune/rewrite/llvm_file.h"
#include "tune/rewrite/ptx.h"

typedef struct apply_options {
    sl_common common;
    const char *target;
    sl_apply_llvm_options llvm;
} apply_options;

// clang-format off
static const sl_option options[] = {
    {"target", 0, SL_OPTION_STRING, "SM", "PTX: raise .target to SM, e.g. sm_80, if it is lower and the plan requires it", offsetof(apply_options, target), 0, 0, NULL},
    {"cpu", 0, SL_OPTION_STRING, "CPU", "LLVM IR: target of functions without a \"target-cpu\" attribute (default: gfx1030 or sm_80)", offsetof(apply_options, llvm.cpu), 0, 0, NULL},
    {"llvm", 0, SL_OPTION_STRING, "VERSION", "LLVM IR: LLVM version to use, 14 to 19, or the path of its library (default: the newest installed)", offsetof(apply_options, llvm.llvm), 0, 0, NULL},
    {0},
};
// clang-format on

/* 80 of "sm_80"; 0: invalid. */
static uint32_t read_target(const char *text)
{
    char *end;
    if (strncmp(text, "sm_", 3) || text[3] < '0' || text[3] > '9')
        return 0;
    unsigned long sm = strtoul(text + 3, &end, 10);
    return *end || sm < 20 || sm > 999 ? 0 : (uint32_t)sm;
}

static sl_status write_text(const sl_invocation *inv, const char *text, size_t length, sl_error *error)
{
    sl_output output;
    sl_status status = sl_output_open(&output, inv->common->output, error);
    if (status)
        return status;
    fwrite(text, 1, length, output.file);
    return sl_output_close(&output, error);
}

static void print_summary(const sl_invocation *inv, const sl_plan *plan)
{
    uint32_t nodes[SL_NODE_ANY] = {0}, chosen[SL_NODE_ANY] = {0}, bypass = 0;
    char call[512];
    for (uint32_t i = 0; i < plan->loads; i++) {
        const sl_plan_load *load = &plan->load[i];
        nodes[load->node]++;
        chosen[load->node] += load->mode != SL_BYPASS_NONE;
        bypass += load->node == SL_NODE_LOAD && load->mode && load->mode < SL_BYPASS_BY_LEVEL;
    }
    if (!sl_apply_prints_summary(inv))
        return;
    printf("%u of %u loads bypass\n", bypass, nodes[SL_NODE_LOAD]);
    if (chosen[SL_NODE_LOAD] > bypass)
        printf("%u more have other controls\n", chosen[SL_NODE_LOAD] - bypass);
    if (chosen[SL_NODE_STORE])
        printf("%u %s changed\n", chosen[SL_NODE_STORE], chosen[SL_NODE_STORE] == 1 ? "store is" : "stores are");
    for (uint32_t i = 0; i < plan->loads; i++)
        if (plan->load[i].node == SL_NODE_KERNEL && plan->load[i].mode) {
            sl_setting_call(&plan->load[i], call, sizeof call);
            fputs("not in the code, for the host: ", stdout);
            sl_terminal_write(stdout, call, strlen(call));
            putchar('\n');
        }
}

static sl_status report(const sl_invocation *inv, const sl_plan *plan, const char *path, sl_error *error)
{
    sl_applied_load *load = calloc((size_t)plan->loads + 1, sizeof *load);
    if (!load)
        return sl_fail_memory(error);
    size_t count = 0;
    for (uint32_t i = 0; i < plan->loads; i++) {
        const sl_plan_load *from = &plan->load[i];
        if (from->node == SL_NODE_KERNEL)
            continue;
        load[count++] = (sl_applied_load){.function = from->function,
                                          .source = from->source,
                                          .opcode = from->opcode,
                                          .array = from->array,
                                          .inst = from->inst,
                                          .line = from->line,
                                          .source_line = from->source_line,
                                          .mode = from->mode};
    }
    const sl_applied applied = {inv->args.operand[0], path, count, load, plan};
    sl_status status = sl_apply_report(inv, &applied, error);
    free(load);
    return status;
}

static sl_status apply(const sl_invocation *inv, const char *path, uint32_t sm, sl_error *error)
{
    char *text = NULL, *out = NULL;
    size_t length = 0, out_length = 0;
    sl_plan plan = {0};
    sl_status status = sl_file_read(path, &text, &length, error);
    if (!status && sl_elf_is(text, length))
        status = sl_fail(error, SL_UNSUPPORTED,
                         "%s is a program: 'sluice run --plan' applies plans to programs as they run, and 'sluice ptx' "
                         "writes their PTX to files",
                         path);
    if (!status)
        status = sl_plan_read_for(inv->args.operand[0], sl_ptx_text_hash(text, length), &plan, error);
    bool read = !status;
    if (!status)
        status = sl_ptx_apply(text, length, path, &plan, sm, &out, &out_length, error);
    if (!status)
        status = write_text(inv, out, out_length, error);
    if (!status)
        status = report(inv, &plan, path, error);
    if (!status)
        print_summary(inv, &plan);
    if (read)
        sl_plan_fini(&plan);
    free(text);
    free(out);
    return status;
}

static sl_status apply_to_ir(const sl_invocation *inv, const char *path, const sl_apply_llvm_options *llvm,
                             sl_error *error)
{
    sl_plan plan;
    sl_status status = sl_plan_read(inv->args.operand[0], &plan, error);
    if (status)
        return status;
    status = sl_apply_llvm(inv, &plan, path, llvm, error);
    sl_plan_fini(&plan);
    return status;
}

static int run(const sl_invocation *inv)
{
    const apply_options *o = inv->values;
    sl_error error = {0};
    uint32_t sm = o->target ? read_target(o->target) : 0;
    if (o->target && !sm)
        return sl_cli_usage(inv, "--target: '%s' is not a target such as sm_80", o->target);
    if (!sl_apply_outputs_differ(inv))
        return SL_EXIT_USAGE;
    const char *code = inv->args.operand[1];
    sl_status status = sl_llvm_file_is(code) ? apply_to_ir(inv, code, &o->llvm, &error) : apply(inv, code, sm, &error);
    return status ? sl_cli_fail(inv, &error) : SL_EXIT_OK;
}

static const sl_example examples[] = {
    {"sluice apply plan.json kernel.ptx -o faster.ptx", "Write cache operators into the PTX"},
    {"sluice apply plan.json kernel.ll -o faster.bc", "Mark the loads of LLVM IR for an AMD GPU and check their bits"},
    {"sluice apply plan.json kernel.ptx -o faster.ptx --csv loads.csv", "Also list the mode of each load"},
    {"sluice apply plan.json old.ptx --target sm_80 | diff old.ptx -", "Show the changes"},
    {0},
};

const sl_command sl_cmd_apply = {
    .name = "apply",
    .summary = "write a bypass plan into the code it was made for",
    .usage = "[options] PLAN (FILE.ptx | FILE.ll | FILE.bc)",
    .description =
        "Rewrite the loads and stores chosen by a plan of 'sluice tune', and nothing else. In PTX, L1 is bypassed by "
        ".L1::no_allocate and L2 by .L2::cache_hint with an evict-first policy; other controls are what 'sluice help "
        "tune' lists; the PTX version is raised where they need it. Settings of kernels are not in the code: the CUDA "
        "calls that the host has to make are printed. In LLVM IR for AMD GPUs, loads that bypass L1 (and L0) become "
        "volatile and those that bypass L2 "
        "!nontemporal; it is then compiled, and loads without the bits of their mode (glc dlc, slc on RDNA2) are "
        "reported. In LLVM IR for NVIDIA GPUs loads and stores become inline assembly with their operators: compile it "
        "with -mattr=+ptx74 or later. The IR is written as text or, to a file named .bc, as bitcode.\n\nA plan for "
        "other code, or a mode that "
        "the target cannot express, is an error, and nothing is written.",
    .options = options,
    .common = SL_COMMON_REPORT & ~SL_COMMON_MARKDOWN,
    .values_bytes = sizeof(apply_options),
    .min_operands = 2,
    .max_operands = 2,
    .operand = "a plan or a code file",
    .examples = examples,
    .run = run,
};
