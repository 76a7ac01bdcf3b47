/* SPDX-License-Identifier: MIT */
/* Compiling: each load gets a distinct line, so that the assembly shows which instruction came from which load. */
#include <stdlib.h>
#include <string.h>

#include "tune/rewrite/llvm_code.h"

sl_status sl_llvm_machine(const sl_llvm *llvm, const char *triple, const char *cpu, const char *features,
                          llvm_machine *machine, sl_error *error)
{
    const sl_llvm_api *api = &llvm->api;
    llvm_target target = NULL;
    char *message = NULL;
    if (api->GetTargetFromTriple(triple, &target, &message)) {
        sl_status status = sl_fail(error, SL_UNSUPPORTED, "LLVM %u: %s", llvm->version, message);
        api->DisposeMessage(message);
        return status;
    }
    *machine = api->CreateTargetMachine(target, triple, cpu, features, LLVM_CODEGEN_DEFAULT, LLVM_RELOC_PIC,
                                        LLVM_CODE_MODEL_DEFAULT);
    return *machine ? SL_OK : sl_fail(error, SL_UNSUPPORTED, "LLVM %u cannot compile for %s", llvm->version, triple);
}

/* ---- lines ---- */

typedef struct numbering {
    const sl_llvm_code *code;
    llvm_di_builder builder;
    llvm_metadata file, type;
    uint32_t next;
} numbering;

static void number_function(numbering *self, llvm_value function)
{
    const sl_llvm_api *api = &self->code->llvm->api;
    size_t length = 0;
    const char *name = api->GetValueName2(function, &length);
    llvm_metadata scope = api->DIBuilderCreateFunction(self->builder, self->file, name, length, name, length,
                                                       self->file, 1, self->type, 0, 1, 1, 0, 1);
    api->SetSubprogram(function, scope);
    llvm_metadata other = api->DIBuilderCreateDebugLocation(self->code->context, 1, 0, scope, NULL);
    for (llvm_block b = api->GetFirstBasicBlock(function); b; b = api->GetNextBasicBlock(b))
        for (llvm_value v = api->GetFirstInstruction(b); v; v = api->GetNextInstruction(v)) {
            llvm_metadata location = other;
            if (sl_llvm_is_global_load(self->code, v))
                location = api->DIBuilderCreateDebugLocation(self->code->context, SL_LLVM_FIRST_LINE + self->next++, 0,
                                                             scope, NULL);
            api->InstructionSetDebugLoc(v, location);
        }
}

/* Takes the debug information out of `module` and gives every load of the code the line of its number. The module is a
 * copy of code->module: its loads are found by their order. */
static sl_status llvm_number_lines(const sl_llvm_code *code, llvm_module module, sl_error *error)
{
    const sl_llvm_api *api = &code->llvm->api;
    static const char flag[] = "Debug Info Version";
    api->StripModuleDebugInfo(module);
    numbering self = {.code = code, .builder = api->CreateDIBuilder(module)};
    llvm_value version = api->ConstInt(api->IntTypeInContext(code->context, 32), 3, 0);
    if (!api->GetModuleFlag(module, flag, strlen(flag)))
        api->AddModuleFlag(module, LLVM_MODULE_FLAG_WARNING, flag, strlen(flag), api->ValueAsMetadata(version));
    self.file = api->DIBuilderCreateFile(self.builder, "loads", 5, ".", 1);
    api->DIBuilderCreateCompileUnit(self.builder, LLVM_DWARF_C99, self.file, "sluice", 6, 1, "", 0, 0, "", 0,
                                    LLVM_DWARF_LINES_ONLY, 0, 0, 0, "", 0, "", 0);
    self.type = api->DIBuilderCreateSubroutineType(self.builder, self.file, NULL, 0, 0);
    for (llvm_value f = api->GetFirstFunction(module); f; f = api->GetNextFunction(f))
        if (!api->IsDeclaration(f))
            number_function(&self, f);
    api->DIBuilderFinalize(self.builder);
    api->DisposeDIBuilder(self.builder);
    if (self.next != code->graph.loads)
        return sl_fail_at(error, SL_INVALID, code->name, 0, 0, "a copy of the module has %u global loads, not %u",
                          self.next, code->graph.loads);
    return SL_OK;
}

uint32_t sl_llvm_load_of(const sl_llvm_code *code, uint32_t line)
{
    uint32_t load = line - SL_LLVM_FIRST_LINE;
    return line >= SL_LLVM_FIRST_LINE && load < code->graph.loads ? load : SL_LLVM_NO_LOAD;
}

/* ---- compiling ---- */

static sl_status llvm_compile(const sl_llvm *llvm, llvm_module module, llvm_machine machine, const char *name,
                              char **text, size_t *length, sl_error *error)
{
    const sl_llvm_api *api = &llvm->api;
    llvm_buffer buffer = NULL;
    char *message = NULL;
    if (api->TargetMachineEmitToMemoryBuffer(machine, module, LLVM_ASSEMBLY_FILE, &message, &buffer)) {
        sl_status status =
            sl_fail_at(error, SL_UNSUPPORTED, name, 0, 0, "LLVM %u cannot compile it: %s", llvm->version, message);
        api->DisposeMessage(message);
        return status;
    }
    size_t bytes = api->GetBufferSize(buffer);
    *text = malloc(bytes + 1);
    if (*text) {
        memcpy(*text, api->GetBufferStart(buffer), bytes);
        (*text)[bytes] = '\0';
        *length = bytes;
    }
    api->DisposeMemoryBuffer(buffer);
    return *text ? SL_OK : sl_fail_memory(error);
}

/* An error that reached the context is one even when there is assembly. */
static sl_status heed(const sl_llvm_code *code, sl_status status, char **text, sl_error *error)
{
    if (!code->complaint[0] || status)
        return status;
    free(*text);
    *text = NULL;
    return sl_fail_at(error, SL_UNSUPPORTED, code->name, 0, 0, "LLVM %u cannot compile it: %s", code->llvm->version,
                      code->complaint);
}

sl_status sl_llvm_emit(const sl_llvm_code *code, char **text, size_t *length, sl_error *error)
{
    const sl_llvm_api *api = &code->llvm->api;
    llvm_module copy = api->CloneModule(code->module);
    llvm_machine machine = NULL;
    sl_status status = llvm_number_lines(code, copy, error);
    if (!status)
        status = sl_llvm_machine(code->llvm, code->triple, code->cpu, "", &machine, error);
    if (!status) {
        status = llvm_compile(code->llvm, copy, machine, code->name, text, length, error);
        api->DisposeTargetMachine(machine);
    }
    api->DisposeModule(copy);
    return heed(code, status, text, error);
}

/* sm_80 and PTX 7.5 are what the workloads are made for, and all of LLVM 14 to 19 know them. */
sl_status sl_llvm_emit_ptx(const sl_llvm_code *code, bool numbered, char **text, size_t *length, sl_error *error)
{
    const sl_llvm_api *api = &code->llvm->api;
    bool foreign = code->arch != SL_LLVM_NVPTX;
    llvm_module copy = api->CloneModule(code->module);
    llvm_machine machine = NULL;
    sl_status status = numbered ? llvm_number_lines(code, copy, error) : SL_OK;
    if (!status && foreign)
        status = sl_llvm_retarget(code, &copy, error);
    if (!status)
        status = sl_llvm_machine(code->llvm, "nvptx64-nvidia-cuda", foreign ? "sm_80" : code->cpu, "+ptx75", &machine,
                                 error);
    if (!status) {
        status = llvm_compile(code->llvm, copy, machine, code->name, text, length, error);
        api->DisposeTargetMachine(machine);
    }
    if (copy)
        api->DisposeModule(copy);
    return heed(code, status, text, error);
}
