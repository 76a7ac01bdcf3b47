/* SPDX-License-Identifier: MIT */
#include "cli/apply.h"

#include <stdlib.h>
#include <string.h>

#include "cli/output.h"
#include "cli/terminal.h"
#include "report/table.h"
#include "tune/rewrite/llvm_file.h"

static sl_status write_module(const sl_invocation *inv, const sl_llvm_file *file, sl_error *error)
{
    const char *path = inv->common->output, *dot = path ? strrchr(path, '.') : NULL;
    char *data = NULL;
    size_t bytes = 0;
    sl_output output;
    sl_status status = sl_llvm_write(file->code, dot && !strcmp(dot, ".bc"), &data, &bytes, error);
    if (!status)
        status = sl_output_open(&output, path, error);
    if (!status) {
        fwrite(data, 1, bytes, output.file);
        status = sl_output_close(&output, error);
    }
    free(data);
    return status;
}

static void location_text(const sl_load *load, char *text, size_t size)
{
    if (load->line)
        snprintf(text, size, "%s, line %u", load->function, load->line);
    else
        snprintf(text, size, "%s, instruction %u", load->function, load->inst);
}

/* The chosen loads and their instructions. */
static sl_status print_table(const sl_llvm_file *file, const uint8_t *mode, const sl_llvm_check *check, sl_error *error)
{
    static const sl_column columns[] = {SL_NAMES("load"), SL_NAMES("array"),       SL_TEXTS("mode"),
                                        SL_TEXTS("cpu"),  SL_NAMES("instruction"), SL_TEXTS("bits")};
    const sl_load_graph *graph = sl_llvm_graph(file->code);
    sl_table *table = sl_table_create(columns, sizeof columns / sizeof *columns);
    char inst[160];
    if (!table)
        return sl_fail_memory(error);
    for (uint32_t i = 0; i < graph->loads; i++) {
        if (!mode[i])
            continue;
        location_text(&graph->load[i], inst, sizeof inst);
        sl_table_cell(table, inst);
        sl_table_cell(table, graph->load[i].array ? graph->load[i].array : "?");
        sl_table_cell(table, sl_bypass_name(mode[i]));
        sl_table_cell(table, sl_llvm_cpu(file->code, i));
        sl_table_cell(table, check[i].instructions ? check[i].instruction : "none");
        sl_table_cell(table, *check[i].got ? check[i].got : "none");
    }
    sl_output output;
    sl_status status = sl_output_open(&output, NULL, error);
    if (!status && (status = sl_table_print(table, output.file, sl_terminal_width(stdout), error)))
        sl_output_abandon(&output);
    else if (!status)
        status = sl_output_close(&output, error);
    sl_table_destroy(table);
    return status;
}

static void warn(const sl_invocation *inv, const sl_llvm_file *file, const uint8_t *mode, const sl_llvm_check *check)
{
    const sl_load_graph *graph = sl_llvm_graph(file->code);
    char inst[160];
    for (uint32_t i = 0; i < graph->loads; i++) {
        if (check[i].fate == SL_FATE_AS_ASKED)
            continue;
        location_text(&graph->load[i], inst, sizeof inst);
        if (check[i].fate == SL_FATE_BITS || check[i].fate == SL_FATE_CHANGED)
            sl_cli_warn(inv, "the load at %s (mode %s) %s: '%s', not '%s'", inst, sl_bypass_name(mode[i]),
                        sl_llvm_fate_text(check[i].fate), check[i].got, check[i].wanted);
        else
            sl_cli_warn(inv, "the load at %s (mode %s) %s", inst, sl_bypass_name(mode[i]),
                        sl_llvm_fate_text(check[i].fate));
    }
}

/* The "target-cpu" of a function takes precedence over --cpu. */
static void warn_of_cpus(const sl_invocation *inv, const sl_llvm_file *file, const char *wanted)
{
    const sl_load_graph *graph = sl_llvm_graph(file->code);
    for (uint32_t i = 0; wanted && i < graph->loads; i++) {
        const char *cpu = sl_llvm_cpu(file->code, i);
        if (strcmp(cpu, wanted) && (!i || strcmp(graph->load[i - 1].function, graph->load[i].function)))
            sl_cli_warn(inv, "%s is compiled for %s, its \"target-cpu\" attribute, not for %s", graph->load[i].function,
                        cpu, wanted);
    }
}

static sl_status print_summary(const sl_invocation *inv, const sl_plan *plan, const sl_llvm_file *file,
                               const uint8_t *mode, const sl_llvm_check *check, sl_error *error)
{
    const sl_load_graph *graph = sl_llvm_graph(file->code);
    sl_llvm_facts facts = sl_llvm_facts_of(file->code);
    bool amd = facts.arch == SL_LLVM_AMDGCN;
    uint32_t chosen = 0, waiting = 0;
    for (uint32_t i = 0; i < graph->loads; i++) {
        chosen += mode[i] != SL_BYPASS_NONE;
        waiting += amd && (sl_controls[mode[i]].amdgcn & SL_AMDGCN_VOLATILE) != 0;
    }
    uint32_t stores = (uint32_t)sl_plan_chosen(plan) - chosen;
    warn(inv, file, mode, check);
    if (!sl_apply_prints_summary(inv))
        return SL_OK;
    printf("%u of %u loads %s (LLVM %u)\n", chosen, graph->loads, amd ? "bypass" : "become inline assembly",
           sl_llvm_version(file->llvm));
    if (stores)
        printf("%u %s changed\n", stores, stores == 1 ? "store is" : "stores are");
    if (facts.loads_joined)
        printf("loads were merged by the optimizer: %u in the file, %u now\n", facts.loads_before, graph->loads);
    if (waiting)
        printf("%u of them %s volatile, which also makes the wavefront wait for the data immediately\n", waiting,
               waiting == 1 ? "is" : "are");
    return chosen ? print_table(file, mode, check, error) : SL_OK;
}

static sl_status report(const sl_invocation *inv, const sl_llvm_file *file, const char *path, const uint8_t *mode,
                        const sl_llvm_check *check, sl_error *error)
{
    const sl_load_graph *graph = sl_llvm_graph(file->code);
    bool looked = sl_llvm_facts_of(file->code).arch == SL_LLVM_AMDGCN;
    sl_applied_load *load = calloc((size_t)graph->loads + 1, sizeof *load);
    if (!load)
        return sl_fail_memory(error);
    for (uint32_t i = 0; i < graph->loads; i++) {
        const sl_load *from = &graph->load[i];
        load[i] = (sl_applied_load){.function = from->function,
                                    .source = from->source,
                                    .opcode = from->opcode,
                                    .array = from->array,
                                    .inst = from->inst,
                                    .line = from->line,
                                    .source_line = from->source_line,
                                    .mode = mode[i],
                                    .instruction = looked ? check[i].instruction : NULL,
                                    .wanted = looked ? check[i].wanted : NULL,
                                    .got = looked ? check[i].got : NULL};
        if (looked && check[i].fate != SL_FATE_AS_ASKED)
            load[i].trouble = sl_llvm_fate_text(check[i].fate);
    }
    const sl_applied applied = {inv->args.operand[0], path, graph->loads, load, NULL};
    sl_status status = sl_apply_report(inv, &applied, error);
    free(load);
    return status;
}

/* For NVIDIA GPUs the assembly is what the IR says. */
static void note_assembly(const uint8_t *mode, uint32_t loads, sl_llvm_check *check)
{
    for (uint32_t i = 0; i < loads; i++) {
        const sl_control *control = &sl_controls[mode[i]];
        check[i].instructions = 1;
        snprintf(check[i].instruction, sizeof check[i].instruction, "ld.global%s",
                 control->operators ? control->operators : "");
        snprintf(check[i].got, sizeof check[i].got, "%s", control->policy ? control->policy : "");
    }
}

sl_status sl_apply_llvm(const sl_invocation *inv, const sl_plan *plan, const char *path,
                        const sl_apply_llvm_options *options, sl_error *error)
{
    sl_llvm_file file;
    sl_status status = sl_llvm_file_open_planned(&file, path, options->llvm, options->cpu, plan, error);
    if (status)
        return status;
    uint32_t loads = sl_llvm_graph(file.code)->loads;
    uint8_t *mode = calloc((size_t)loads + 1, 1);
    sl_llvm_check *check = calloc((size_t)loads + 1, sizeof *check);
    status = mode && check ? sl_llvm_file_apply(&file, plan, path, mode, error) : sl_fail_memory(error);
    if (!status && sl_llvm_facts_of(file.code).arch == SL_LLVM_AMDGCN)
        status = sl_llvm_file_check(&file, check, error);
    else if (!status)
        note_assembly(mode, loads, check);
    if (!status)
        status = write_module(inv, &file, error);
    if (!status) {
        warn_of_cpus(inv, &file, options->cpu);
        status = report(inv, &file, path, mode, check, error);
    }
    if (!status)
        status = print_summary(inv, plan, &file, mode, check, error);
    free(mode);
    free(check);
    sl_llvm_file_close(&file);
    return status;
}
