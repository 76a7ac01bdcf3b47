/* SPDX-License-Identifier: MIT */
/* LLVM IR in and out: reading, preparing, annotating, writing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "tune/plan.h"
#include "tune/rewrite/llvm_code.h"

/* ---- what LLVM says ---- */

/* Errors that reach the context: without a handler LLVM would print them and exit. */
static void note_complaint(llvm_diagnostic diagnostic, void *context)
{
    sl_llvm_code *code = context;
    const sl_llvm_api *api = &code->llvm->api;
    if (api->GetDiagInfoSeverity(diagnostic) != LLVM_SEVERITY_ERROR)
        return;
    char *text = api->GetDiagInfoDescription(diagnostic);
    snprintf(code->complaint, sizeof code->complaint, "%s", text ? text : "an error without words");
    api->DisposeMessage(text);
}

/* LLVM's message is "name:line:column: error: text", a line of the file and a caret. */
static sl_status syntax_error(const char *name, const char *message, sl_error *error)
{
    unsigned line = 0, column = 0;
    const char *at = message;
    size_t length = strlen(name);
    if (!strncmp(at, name, length) && at[length] == ':') {
        at += length + 1;
        sscanf(at, "%u:%u", &line, &column);
    }
    const char *reason = strstr(at, "error: ");
    reason = reason ? reason + strlen("error: ") : at;
    return sl_fail_at(error, SL_SYNTAX, name, line, column, "LLVM cannot read it: %.*s", (int)strcspn(reason, "\n"),
                      reason);
}

/* ---- reading ---- */

static sl_status parse(sl_llvm_code *code, const char *data, size_t bytes, sl_error *error)
{
    const sl_llvm_api *api = &code->llvm->api;
    char *message = NULL;
    /* A copy: text must end with a NUL. The parser takes the buffer. */
    llvm_buffer buffer = api->CreateMemoryBufferWithMemoryRangeCopy(data, bytes, code->name);
    if (!buffer)
        return sl_fail_memory(error);
    if (api->ParseIRInContext(code->context, buffer, &code->module, &message)) {
        code->module = NULL;
        sl_status status = syntax_error(code->name, message ? message : code->complaint, error);
        api->DisposeMessage(message);
        return status;
    }
    return SL_OK;
}

static sl_status find_target(sl_llvm_code *code, const char *cpu, sl_error *error)
{
    const char *triple = code->llvm->api.GetTarget(code->module);
    code->triple = sl_arena_strdup(&code->arena, triple ? triple : "");
    if (!code->triple)
        return sl_fail_memory(error);
    if (!strncmp(code->triple, "amdgcn", 6))
        code->arch = SL_LLVM_AMDGCN;
    else if (!strncmp(code->triple, "nvptx64", 7))
        code->arch = SL_LLVM_NVPTX;
    else
        return sl_fail_at(error, SL_UNSUPPORTED, code->name, 0, 0,
                          "the code is for %s%s%s; loads are annotated for amdgcn, and nvptx64 can be looked at",
                          *code->triple ? "'" : "no target that it names", code->triple, *code->triple ? "'" : "");
    code->cpu = cpu ? sl_arena_strdup(&code->arena, cpu) : code->arch == SL_LLVM_AMDGCN ? "gfx1030" : "sm_80";
    return code->cpu ? SL_OK : sl_fail_memory(error);
}

/* The layout that this version of the target has: files may have an older one, or none. */
static sl_status set_layout(sl_llvm_code *code, llvm_machine machine, sl_error *error)
{
    const sl_llvm_api *api = &code->llvm->api;
    char *message = NULL;
    llvm_layout layout = api->CreateTargetDataLayout(machine);
    char *text = api->CopyStringRepOfTargetData(layout);
    api->SetDataLayout(code->module, text);
    api->DisposeMessage(text);
    api->DisposeTargetData(layout);
    sl_status status = SL_OK;
    if (api->VerifyModule(code->module, LLVM_VERIFY_RETURN_STATUS, &message))
        status = sl_fail_at(error, SL_SYNTAX, code->name, 0, 0, "LLVM rejects the code: %.*s",
                            (int)strcspn(message, "\n"), message);
    api->DisposeMessage(message);
    return status;
}

/* What the back end would do before it selects instructions, done now: afterwards loads stay what they are. */
static sl_status prepare(sl_llvm_code *code, bool optimize, sl_error *error)
{
    const sl_llvm_api *api = &code->llvm->api;
    llvm_machine machine = NULL;
    sl_status status = sl_llvm_machine(code->llvm, code->triple, code->cpu, "", &machine, error);
    if (!status)
        status = set_layout(code, machine, error);
    if (status) {
        if (machine)
            api->DisposeTargetMachine(machine);
        return status;
    }
    llvm_pass_options options = api->CreatePassBuilderOptions();
    void *failed = api->RunPasses(
        code->module, optimize ? "default<O2>,function(load-store-vectorizer)" : "function(load-store-vectorizer)",
        machine, options);
    if (failed) {
        char *message = api->GetErrorMessage(failed);
        status = sl_fail_at(error, SL_UNSUPPORTED, code->name, 0, 0, "LLVM %u cannot prepare the code: %s",
                            code->llvm->version, message);
        api->DisposeErrorMessage(message);
    }
    api->DisposePassBuilderOptions(options);
    api->DisposeTargetMachine(machine);
    return status;
}

/* Without the names of files, so that text and bitcode of one module have one hash. */
static sl_status hash(sl_llvm_code *code, sl_error *error)
{
    const sl_llvm_api *api = &code->llvm->api;
    size_t length = 0;
    const char *source = api->GetSourceFileName(code->module, &length);
    char *kept = sl_arena_strndup(&code->arena, source, length);
    api->SetModuleIdentifier(code->module, "", 0);
    api->SetSourceFileName(code->module, "", 0);
    char *text = api->PrintModuleToString(code->module);
    if (!text || !kept)
        return sl_fail_memory(error);
    code->hash = sl_hash64(text, strlen(text));
    api->DisposeMessage(text);
    api->SetSourceFileName(code->module, kept, length);
    api->SetModuleIdentifier(code->module, code->name, strlen(code->name));
    return SL_OK;
}

sl_status sl_llvm_read(sl_llvm *llvm, const char *data, size_t bytes, const char *name, const sl_llvm_options *options,
                       sl_llvm_code **code, sl_error *error)
{
    sl_llvm_code *self = calloc(1, sizeof *self);
    if (!self)
        return sl_fail_memory(error);
    self->llvm = llvm;
    sl_arena_init(&self->arena);
    self->context = llvm->api.ContextCreate();
    llvm->api.ContextSetDiagnosticHandler(self->context, note_complaint, self);
    self->name = sl_arena_strdup(&self->arena, name);
    sl_status status = self->name ? parse(self, data, bytes, error) : sl_fail_memory(error);
    if (!status)
        status = find_target(self, options->cpu, error);
    if (!status) {
        sl_llvm_mark_lines(self, data, bytes);
        status = prepare(self, options->optimize, error);
    }
    if (!status)
        status = sl_llvm_list_loads(self, error);
    if (!status)
        status = hash(self, error);
    if (status) {
        sl_llvm_free(self);
        return status;
    }
    *code = self;
    return SL_OK;
}

void sl_llvm_free(sl_llvm_code *code)
{
    if (!code)
        return;
    if (code->module)
        code->llvm->api.DisposeModule(code->module);
    code->llvm->api.ContextDispose(code->context);
    sl_arena_fini(&code->arena);
    free(code);
}

sl_llvm_facts sl_llvm_facts_of(const sl_llvm_code *code)
{
    return (sl_llvm_facts){code->arch, code->triple, code->hash, code->loads_before, code->loads_joined};
}

const sl_load_graph *sl_llvm_graph(const sl_llvm_code *code)
{
    return &code->graph;
}

/* ---- annotating and writing ---- */

static sl_status refuse(const sl_llvm_code *code, const sl_load *load, uint32_t mode, sl_error *error)
{
    return sl_fail_at(error, SL_UNSUPPORTED, code->name, load->line, 0, "load %u of %s cannot take mode %s: %s",
                      load->inst, load->function, sl_bypass_name(mode),
                      load->fixed ? load->fixed : "there is no such mode");
}

sl_status sl_llvm_annotate(sl_llvm_code *code, const uint8_t *mode, sl_error *error)
{
    const sl_llvm_api *api = &code->llvm->api;
    for (uint32_t i = 0; i < code->graph.loads; i++)
        if (mode[i] >= SL_BYPASS_MODES || !(code->graph.load[i].modes >> mode[i] & 1))
            return refuse(code, &code->graph.load[i], mode[i], error);
    for (uint32_t i = 0; code->arch == SL_LLVM_NVPTX && i < code->graph.loads; i++)
        if (mode[i])
            sl_llvm_nvptx_apply(code, i, mode[i]);
    if (code->arch == SL_LLVM_NVPTX)
        return SL_OK;
    unsigned nontemporal = api->GetMDKindIDInContext(code->context, "nontemporal", strlen("nontemporal"));
    llvm_value one = api->ConstInt(api->IntTypeInContext(code->context, 32), 1, 0);
    llvm_value yes = api->MDNodeInContext(code->context, &one, 1);
    for (uint32_t i = 0; i < code->graph.loads; i++) {
        if (mode[i] == code->mode[i])
            continue; /* so that marks that the code came with stay */
        uint8_t marks = sl_controls[mode[i]].amdgcn;
        api->SetVolatile(code->value[i], (marks & SL_AMDGCN_VOLATILE) != 0);
        api->SetMetadata(code->value[i], nontemporal, marks & SL_AMDGCN_NONTEMPORAL ? yes : NULL);
        code->mode[i] = mode[i];
    }
    return SL_OK;
}

void sl_llvm_annotate_store(const sl_llvm_code *code, uint32_t node, unsigned mode)
{
    const sl_llvm_api *api = &code->llvm->api;
    if (code->arch == SL_LLVM_NVPTX) {
        sl_llvm_nvptx_apply(code, node, mode);
        return;
    }
    unsigned kind = api->GetMDKindIDInContext(code->context, "nontemporal", strlen("nontemporal"));
    llvm_value one = api->ConstInt(api->IntTypeInContext(code->context, 32), 1, 0);
    api->SetMetadata(code->value[node], kind, api->MDNodeInContext(code->context, &one, 1));
}

static sl_status copy_out(const char *from, size_t length, char **data, size_t *bytes, sl_error *error)
{
    *data = malloc(length + 1);
    if (!*data)
        return sl_fail_memory(error);
    memcpy(*data, from, length);
    (*data)[length] = '\0';
    *bytes = length;
    return SL_OK;
}

sl_status sl_llvm_write(const sl_llvm_code *code, bool bitcode, char **data, size_t *bytes, sl_error *error)
{
    const sl_llvm_api *api = &code->llvm->api;
    sl_status status;
    if (bitcode) {
        llvm_buffer buffer = api->WriteBitcodeToMemoryBuffer(code->module);
        if (!buffer)
            return sl_fail_memory(error);
        status = copy_out(api->GetBufferStart(buffer), api->GetBufferSize(buffer), data, bytes, error);
        api->DisposeMemoryBuffer(buffer);
    } else {
        char *text = api->PrintModuleToString(code->module);
        if (!text)
            return sl_fail_memory(error);
        status = copy_out(text, strlen(text), data, bytes, error);
        api->DisposeMessage(text);
    }
    return status;
}
