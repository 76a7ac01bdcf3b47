/* SPDX-License-Identifier: MIT */
#include "recording/input.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/suggest.h"
#include "base/text.h"
#include "ptx/elf.h"
#include "ptx/fatbin.h"

const char *sl_input_kind_name(sl_input_kind kind)
{
    static const char *const names[] = {"a workload",     "a PTX file", "an LLVM IR file",
                                        "a CUDA program", "a trace",    "a trace of another tool"};
    return names[kind];
}

/* ---- kind ---- */

static bool ends_in(const char *text, const char *end)
{
    size_t length = strlen(text), part = strlen(end);
    return length > part && !strcmp(text + length - part, end);
}

static sl_status nothing_there(const char *name, sl_error *error)
{
    enum { MAX_NAMES = 256 };
    const char *names[MAX_NAMES];
    size_t count = 0;
    char hint[128];
    for (; count < sl_workload_count() && count < MAX_NAMES; count++)
        names[count] = sl_workload_at(count)->name;
    return sl_fail(error, SL_NOT_FOUND, "'%s' is neither a file nor a workload%s", name,
                   sl_did_you_mean(name, names, count, "", hint, sizeof hint));
}

sl_status sl_input_refuse_source(const char *name, sl_error *error)
{
    static const char *const sources[] = {".cu", ".cuh", ".cpp", ".cc", ".c", ".h"};
    const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        if (ends_in(name, sources[i]))
            return sl_fail(error, SL_INVALID,
                           "%s is source code: compile it ('nvcc -lineinfo -o %.*s %s') and give the program after "
                           "'--', or compile it to PTX ('nvcc -lineinfo -ptx %s')",
                           name, (int)(strlen(base) - strlen(sources[i])), base, name, name);
    return SL_OK;
}

/* A file that is no input: what it is instead, and what to do with it. */
static sl_status explain_file(const char *name, sl_error *error)
{
    const char *here = strchr(name, '/') ? "" : "./";
    uint8_t head[20] = {0};
    FILE *file = fopen(name, "rb");
    size_t bytes = file ? fread(head, 1, sizeof head, file) : 0;
    if (file)
        fclose(file);
    uint32_t type = head[16], machine = head[18];
    sl_status status = sl_input_refuse_source(name, error);
    if (status)
        return status;
    if (sl_elf_is(head, bytes) && machine == SL_ELF_MACHINE_CUDA)
        return sl_fail(error, SL_INVALID,
                       "%s is machine code of a GPU, which cannot be run: compile to PTX (nvcc -ptx)", name);
    if (sl_elf_is(head, bytes) && type == SL_ELF_RELOCATABLE)
        return sl_fail(error, SL_INVALID,
                       "%s is an object file: link it to a program, or extract its PTX with 'sluice ptx %s'", name,
                       name);
    if (sl_elf_is(head, bytes) || (bytes > 1 && head[0] == '#' && head[1] == '!'))
        return sl_fail(error, SL_INVALID, "%s is a %s: give it after '--', as in 'sluice run -- %s%s'", name,
                       head[0] == '#' ? "script" : "program", here, name);
    if (bytes >= 16 && sl_fatbin_container_bytes(head))
        return sl_fail(error, SL_INVALID, "%s is a fat binary: 'sluice ptx %s' lists and extracts its PTX", name, name);
    if (ends_in(name, ".ncu-rep"))
        return sl_fail(error, SL_INVALID, "%s has counters of a GPU, which 'sluice validate' puts next to a prediction",
                       name);
    return sl_fail_at(error, SL_INVALID, name, 0, 0, "not a trace that Sluice can read");
}

static sl_status detect_trace(const sl_input_spec *spec, sl_trace_format *format, sl_error *error)
{
    if (access(spec->name, F_OK) && !strpbrk(spec->name, "/."))
        return nothing_there(spec->name, error);
    sl_status status = sl_trace_detect(spec->name, format, error);
    if (!status && *format == SL_FORMAT_UNKNOWN)
        status = explain_file(spec->name, error);
    return status;
}

sl_status sl_input_detect(const sl_input_spec *spec, sl_input_kind *kind, sl_error *error)
{
    const sl_workload *workload;
    sl_trace_format format = SL_FORMAT_UNKNOWN;
    sl_status status = SL_OK;
    if (spec->program) {
        *kind = SL_INPUT_PROGRAM;
    } else if (!sl_workload_find(spec->name, &workload, NULL)) {
        *kind = SL_INPUT_WORKLOAD;
    } else if (ends_in(spec->name, ".ptx")) {
        *kind = SL_INPUT_PTX;
    } else if (sl_llvm_file_is(spec->name)) {
        *kind = SL_INPUT_LLVM;
    } else {
        status = detect_trace(spec, &format, error);
        *kind = format == SL_FORMAT_SLUICE ? SL_INPUT_TRACE : SL_INPUT_FOREIGN;
    }
    return status;
}

sl_status sl_input_check(const sl_input_spec *spec, sl_input_kind kind, sl_error *error)
{
    const sl_workload *workload;
    bool hosted = kind == SL_INPUT_WORKLOAD || (kind == SL_INPUT_LLVM && *spec->host);
    const sl_kernel_launch *launch = &spec->launch;
    const char *name = spec->name, *params = spec->params;
    if (*spec->host && kind != SL_INPUT_LLVM)
        return sl_fail(error, SL_INVALID, "--workload requires LLVM IR; %s is %s", name, sl_input_kind_name(kind));
    if (*spec->host && sl_workload_find(spec->host, &workload, error))
        return SL_INVALID;
    if (!hosted && *params && (kind == SL_INPUT_PTX || kind == SL_INPUT_LLVM))
        return sl_fail(error, SL_INVALID, "unexpected argument '%.*s'; give kernel arguments with --arg",
                       (int)strcspn(params, " "), params);
    if (!hosted && *params)
        return sl_fail(error, SL_INVALID, "unexpected argument '%.*s': %s is %s", (int)strcspn(params, " "), params,
                       name, sl_input_kind_name(kind));
    if (!hosted && (kind == SL_INPUT_PTX || kind == SL_INPUT_LLVM) && (!launch->grid[0] || !launch->block[0]))
        return sl_fail(error, SL_INVALID, "--%s is missing: the number of %s%s", launch->grid[0] ? "block" : "grid",
                       launch->grid[0] ? "threads per block" : "blocks to launch",
                       kind == SL_INPUT_LLVM ? "; or give --workload, whose host code launches the kernels" : "");
    return SL_OK;
}

/* ---- reading ---- */

/* Loads that cannot bypass, from the assembly: scalar loads use the scalar cache, and merged loads cannot be chosen
 * separately. Before gfx12, volatile hides nontemporal: a load cannot bypass both L1 and L2. */
static sl_status narrow_modes(sl_input *input, sl_error *error)
{
    const sl_load_graph *all = sl_llvm_graph(input->ir.code);
    sl_llvm_check *check = calloc((size_t)all->loads + 1, sizeof *check);
    input->ir_loads = *all;
    input->ir_loads.nodes = all->loads;
    input->ir_loads.load = sl_arena_array(&input->arena, sl_load, all->loads + 1);
    sl_status status = check && input->ir_loads.load ? SL_OK : sl_fail_memory(error);
    bool amd = sl_llvm_facts_of(input->ir.code).arch == SL_LLVM_AMDGCN;
    if (!status && amd)
        status = sl_llvm_file_check(&input->ir, check, error);
    for (uint32_t i = 0; i < all->loads && !status; i++) {
        sl_load *load = &input->ir_loads.load[i];
        *load = all->load[i];
        if (amd && strncmp(sl_llvm_cpu(input->ir.code, i), "gfx12", 5))
            load->modes &= ~(1u << SL_BYPASS_BOTH);
        if (!amd || !(check[i].scalar || !check[i].instructions))
            continue;
        load->modes = 1;
        load->flags |= check[i].scalar ? SL_LOAD_UNIFORM : 0;
        load->fixed = check[i].scalar ? "a scalar load" : "merged with other loads";
    }
    free(check);
    return status;
}

static sl_status read_llvm(sl_input *input, sl_error *error)
{
    const sl_input_spec *spec = &input->spec;
    const sl_llvm_options options = {.optimize = spec->optimize};
    sl_status status = *spec->host ? sl_workload_find(spec->host, &input->workload, error) : SL_OK;
    if (!status)
        status = sl_llvm_file_open(&input->ir, spec->name, *spec->llvm ? spec->llvm : NULL, &options, error);
    if (!status && spec->number_loads)
        status = narrow_modes(input, error);
    if (!status)
        status = sl_llvm_file_ptx(&input->ir, spec->number_loads, &input->owned, &input->ptx_length, error);
    if (status)
        return status;
    input->ptx = input->owned;
    if (input->workload) {
        input->rehosted = *input->workload;
        input->rehosted.ptx = input->ptx;
        input->rehosted.ptx_end = input->ptx + input->ptx_length;
        input->workload = &input->rehosted;
    }
    return SL_OK;
}

static sl_status read_input(sl_input *input, sl_error *error)
{
    const sl_input_spec *spec = &input->spec;
    sl_status status = SL_OK;
    switch (input->kind) {
    case SL_INPUT_WORKLOAD:
        status = sl_workload_find(spec->name, &input->workload, error);
        input->ptx = status ? NULL : input->workload->ptx;
        input->ptx_length = status ? 0 : (size_t)(input->workload->ptx_end - input->workload->ptx);
        return status;
    case SL_INPUT_PTX:
        status = sl_file_read_max(spec->name, SL_FILE_MAX_BYTES, &input->owned, &input->ptx_length, error);
        input->ptx = input->owned;
        return status;
    case SL_INPUT_LLVM:
        return read_llvm(input, error);
    case SL_INPUT_TRACE:
    case SL_INPUT_FOREIGN:
        return sl_trace_detect(spec->name, &input->format, error);
    default:
        return SL_OK;
    }
}

/* A folder need not have the machine code of every input. */
static sl_status read_cubin(sl_input *input, sl_error *error)
{
    const sl_input_spec *spec = &input->spec;
    const char *base = strrchr(spec->name, '/'), *path = spec->cubin;
    base = base ? base + 1 : spec->name;
    char in_folder[1100];
    struct stat about;
    if (!*path || input->kind >= SL_INPUT_PROGRAM)
        return SL_OK;
    if (!stat(path, &about) && S_ISDIR(about.st_mode)) {
        snprintf(in_folder, sizeof in_folder, "%s/%.*s.cubin", path, (int)strcspn(base, "."), base);
        path = in_folder;
        if (access(path, F_OK))
            return SL_OK;
    }
    sl_status status = sl_file_read(path, &input->cubin_data, &input->cubin_bytes, error);
    sl_error why = {0};
    if (!status && sl_cubin_read(input->cubin_data, input->cubin_bytes, &input->cubin, &why))
        status = sl_fail_at(error, why.status, path, 0, 0, "%s", why.text);
    return status;
}

sl_status sl_input_open(const sl_input_spec *spec, sl_input *input, sl_error *error)
{
    *input = (sl_input){.spec = *spec};
    sl_arena_init(&input->arena);
    sl_status status = sl_input_detect(spec, &input->kind, error);
    if (!status)
        status = sl_input_check(spec, input->kind, error);
    if (!status)
        status = read_input(input, error);
    if (!status)
        status = read_cubin(input, error);
    if (status)
        sl_input_close(input);
    return status;
}

void sl_input_close(sl_input *input)
{
    free(input->owned);
    sl_cubin_fini(&input->cubin);
    free(input->cubin_data);
    sl_ptx_sources_fini(&input->texts);
    sl_llvm_file_close(&input->ir);
    sl_arena_fini(&input->arena);
    *input = (sl_input){0};
}

/* ---- running ---- */

sl_status sl_input_run(const sl_input *input, sl_device *device, bool check, sl_workload_result *result,
                       sl_error *error)
{
    const sl_input_spec *spec = &input->spec;
    if (input->workload) {
        sl_split params;
        sl_status status = sl_split_words(spec->params, &params, error);
        if (status)
            return status;
        const sl_workload_options options = {
            .size = spec->size, .sets = params.count, .set = params.word, .seed = spec->seed, .skip_check = !check};
        status = sl_workload_run(input->workload, device, &options, result, error);
        sl_split_free(&params);
        return status;
    }
    sl_device_module *module = NULL;
    sl_status status = sl_device_load(device, input->ptx, input->ptx_length, spec->name, &module, error);
    return status ? status : sl_kernel_launch_run(&spec->launch, module, spec->seed, device, error);
}

char *sl_input_text(const sl_input *input, char *buffer, size_t size)
{
    const sl_input_spec *spec = &input->spec;
    const sl_kernel_launch *l = &spec->launch;
    size_t used = (size_t)snprintf(buffer, size, "%s seed %" PRIu64, spec->name, spec->seed);
    if (used < size && input->workload)
        snprintf(buffer + used, size - used, "%s%s %s%s%s", *spec->host ? " " : "", spec->host, spec->size,
                 *spec->params ? " " : "", spec->params);
    else if (used < size && input->kind < SL_INPUT_PROGRAM)
        used += (size_t)snprintf(buffer + used, size - used, " %u,%u,%u %u,%u,%u %" PRIu64, l->grid[0], l->grid[1],
                                 l->grid[2], l->block[0], l->block[1], l->block[2], l->shared_bytes);
    for (size_t i = 0; !input->workload && i < l->args && used < size; i++)
        used += (size_t)snprintf(buffer + used, size - used, " %s", l->arg[i]);
    return buffer;
}
