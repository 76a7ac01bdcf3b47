/* SPDX-License-Identifier: MIT */
/* IR for AMD GPUs as IR for NVIDIA's, so that the emulator can run it: the kernel's accesses come from a run of the
 * very IR that is tuned.
 *
 * Kernels get the other calling convention, intrinsics their counterparts (retarget.def), private variables the other
 * address space; what a kernel reads of the launch's sizes becomes special registers; constant memory becomes global
 * memory, which it is on AMD GPUs. Loads stay the loads they are, with their lines. What has no counterpart (inline
 * assembly, cross-lane operations, structs passed by reference, functions of other files) is refused by name.
 *
 * Launches are taken to be whole: every block has all its threads. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tune/rewrite/llvm_code.h"

typedef struct retargeting {
    const sl_llvm_code *code;
    const sl_llvm_api *api;
    llvm_module module;
    llvm_builder builder;
    llvm_layout layout;   /* of amdgcn: of the structs that it reads */
    const char *function; /* for messages */
    sl_error *error;
} retargeting;

static sl_status refuse(const retargeting *self, const char *what, const char *detail)
{
    return sl_fail_at(self->error, SL_UNSUPPORTED, self->code->name, 0, 0,
                      "%s cannot be run on the emulator: it %s%s%s", self->function, what, *detail ? " " : "", detail);
}

/* A function of the module with this name and the type of `like`, declared where it is not. */
static llvm_value counterpart(const retargeting *self, const char *name, llvm_type type)
{
    llvm_value function = self->api->GetNamedFunction(self->module, name);
    return function ? function : self->api->AddFunction(self->module, name, type);
}

/* ---- sizes of the launch ---- */

enum { FIELD_ZERO, FIELD_BLOCK, FIELD_BLOCKS, FIELD_THREADS, FIELD_DIMS };

typedef struct launch_field {
    uint8_t offset, bytes, what, axis;
} launch_field;

/* hsa_kernel_dispatch_packet_t */
static const launch_field DISPATCH[] = {{4, 2, FIELD_BLOCK, 0},
                                        {6, 2, FIELD_BLOCK, 1},
                                        {8, 2, FIELD_BLOCK, 2},
                                        {12, 4, FIELD_THREADS, 0},
                                        {16, 4, FIELD_THREADS, 1},
                                        {20, 4, FIELD_THREADS, 2},
                                        {0}};
/* Implicit arguments, code object version 5; before, there were but offsets, which are zero. */
static const launch_field IMPLICIT_5[] = {{0, 4, FIELD_BLOCKS, 0}, {4, 4, FIELD_BLOCKS, 1},
                                          {8, 4, FIELD_BLOCKS, 2}, {12, 2, FIELD_BLOCK, 0},
                                          {14, 2, FIELD_BLOCK, 1}, {16, 2, FIELD_BLOCK, 2},
                                          {18, 2, FIELD_ZERO, 0},  {20, 2, FIELD_ZERO, 0},
                                          {22, 2, FIELD_ZERO, 0},  {40, 8, FIELD_ZERO, 0},
                                          {48, 8, FIELD_ZERO, 0},  {56, 8, FIELD_ZERO, 0},
                                          {64, 2, FIELD_DIMS, 0},  {0}};
static const launch_field IMPLICIT_4[] = {{0, 8, FIELD_ZERO, 0}, {8, 8, FIELD_ZERO, 0}, {16, 8, FIELD_ZERO, 0}, {0}};

static llvm_value special_register(const retargeting *self, const char *which, unsigned axis)
{
    char name[64];
    llvm_type word = self->api->IntTypeInContext(self->code->context, 32);
    llvm_type type = self->api->FunctionType(word, NULL, 0, 0);
    snprintf(name, sizeof name, "llvm.nvvm.read.ptx.sreg.%s.%c", which, "xyz"[axis]);
    return self->api->BuildCall2(self->builder, type, counterpart(self, name, type), NULL, 0, "");
}

static llvm_value field_value(const retargeting *self, const launch_field *field)
{
    switch (field->what) {
    case FIELD_BLOCK:
        return special_register(self, "ntid", field->axis);
    case FIELD_BLOCKS:
        return special_register(self, "nctaid", field->axis);
    case FIELD_THREADS:
        return self->api->BuildMul(self->builder, special_register(self, "ntid", field->axis),
                                   special_register(self, "nctaid", field->axis), "");
    default:
        return self->api->ConstInt(self->api->IntTypeInContext(self->code->context, 32),
                                   field->what == FIELD_DIMS ? 3 : 0, 0);
    }
}

/* Puts the fields that the load reads together, whatever its type. */
static sl_status replace_load(const retargeting *self, llvm_value load, const launch_field *fields, int64_t offset)
{
    const sl_llvm_api *api = self->api;
    llvm_type type = api->TypeOf(load);
    int64_t bytes = (int64_t)api->StoreSizeOfType(self->layout, type), covered = 0;
    llvm_type whole = api->IntTypeInContext(self->code->context, (unsigned)bytes * 8);
    llvm_value sum = api->ConstInt(whole, 0, 0);
    api->PositionBuilderBefore(self->builder, load);
    for (; fields->bytes; fields++) {
        int64_t at = fields->offset - offset;
        if (at < 0 || at + fields->bytes > bytes)
            continue;
        llvm_value part = api->BuildIntCast2(self->builder, field_value(self, fields), whole, 0, "");
        part = api->BuildShl(self->builder, part, api->ConstInt(whole, (unsigned long long)at * 8, 0), "");
        sum = api->BuildOr(self->builder, sum, part, "");
        covered += fields->bytes;
    }
    if (covered < bytes) {
        char detail[48];
        snprintf(detail, sizeof detail, "(byte %lld)", (long long)offset);
        return refuse(self, "reads of the launch more than the sizes of grid and block", detail);
    }
    api->ReplaceAllUsesWith(load, api->BuildBitCast(self->builder, sum, type, ""));
    api->InstructionEraseFromParent(load);
    return SL_OK;
}

/* The constant that a getelementptr adds; false when it is none. */
static bool constant_offset(const retargeting *self, llvm_value gep, int64_t *offset)
{
    const sl_llvm_api *api = self->api;
    llvm_type type = api->GetGEPSourceElementType(gep);
    for (int i = 1; i < api->GetNumOperands(gep); i++) {
        llvm_value operand = api->GetOperand(gep, (unsigned)i);
        if (!api->IsAConstantInt(operand))
            return false;
        int64_t index = api->ConstIntGetSExtValue(operand);
        if (i > 1 && api->GetTypeKind(type) == LLVM_TYPE_STRUCT) {
            *offset += (int64_t)api->OffsetOfElement(self->layout, type, (unsigned)index);
            type = api->StructGetTypeAtIndex(type, (unsigned)index);
        } else {
            if (i > 1 && api->GetTypeKind(type) != LLVM_TYPE_ARRAY)
                return false;
            type = i > 1 ? api->GetElementType(type) : type;
            *offset += index * (int64_t)api->ABISizeOfType(self->layout, type);
        }
    }
    return true;
}

static sl_status replace_uses(const retargeting *self, llvm_value pointer, const launch_field *fields, int64_t offset)
{
    const sl_llvm_api *api = self->api;
    void *use;
    while ((use = api->GetFirstUse(pointer))) {
        llvm_value user = api->GetUser(use);
        int opcode = api->IsAInstruction(user) ? api->GetInstructionOpcode(user) : 0;
        int64_t further = offset;
        sl_status status;
        if (opcode == LLVM_OP_LOAD) {
            status = replace_load(self, user, fields, offset);
        } else if (opcode == LLVM_OP_BITCAST || opcode == LLVM_OP_ADDRSPACECAST ||
                   (opcode == LLVM_OP_GEP && constant_offset(self, user, &further))) {
            status = replace_uses(self, user, fields, further);
            if (!status)
                api->InstructionEraseFromParent(user);
        } else {
            status = refuse(self, "does more with the description of the launch than to read its sizes", "");
        }
        if (status)
            return status;
    }
    return SL_OK;
}

static bool has_code_object_5(const retargeting *self)
{
    static const char flag[] = "amdhsa_code_object_version", old[] = "amdgpu_code_object_version";
    llvm_metadata version = self->api->GetModuleFlag(self->module, flag, strlen(flag));
    version = version ? version : self->api->GetModuleFlag(self->module, old, strlen(old));
    if (!version)
        return self->code->llvm->version >= 18; /* LLVM's default since then */
    llvm_value number = self->api->GetOperand(self->api->MetadataAsValue(self->code->context, version), 0);
    return self->api->IsAConstantInt(number) && self->api->ConstIntGetSExtValue(number) >= 500;
}

/* ---- calls ---- */

static sl_status retarget_call(const retargeting *self, llvm_value call)
{
    static const struct {
        const char *name, *counterpart;
    } table[] = {
#define SL_RETARGET(name, other) {name, other},
#include "tune/rewrite/retarget.def"
#undef SL_RETARGET
    };
    const sl_llvm_api *api = self->api;
    llvm_value called = api->GetCalledValue(call);
    if (api->IsAInlineAsm(called))
        return refuse(self, "has inline assembly", "");
    if (!api->IsAFunction(called))
        return SL_OK; /* a pointer to a function of the module, or of none: the back end sees */
    size_t length = 0;
    const char *name = api->GetValueName2(called, &length);
    if (!strcmp(name, "llvm.amdgcn.dispatch.ptr") || !strcmp(name, "llvm.amdgcn.implicitarg.ptr")) {
        const launch_field *fields = name[12] == 'd' ? DISPATCH : has_code_object_5(self) ? IMPLICIT_5 : IMPLICIT_4;
        sl_status status = replace_uses(self, call, fields, 0);
        if (!status)
            api->InstructionEraseFromParent(call);
        return status;
    }
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (strcmp(name, table[i].name))
            continue;
        if (*table[i].counterpart)
            api->SetOperand(call, (unsigned)api->GetNumOperands(call) - 1,
                            counterpart(self, table[i].counterpart, api->GlobalGetValueType(called)));
        else
            api->InstructionEraseFromParent(call);
        return SL_OK;
    }
    if (!strncmp(name, "llvm.amdgcn.", 12))
        return refuse(self, "uses an operation of AMD GPUs without a counterpart,", name);
    if (strncmp(name, "llvm.", 5) && api->IsDeclaration(called))
        return refuse(self, "calls a function that is not in the file,", name);
    return SL_OK;
}

/* A barrier of a block is a fence of the block on NVIDIA GPUs: those that stand around it are one too many. */
static bool next_to_barrier(const retargeting *self, llvm_value fence)
{
    const sl_llvm_api *api = self->api;
    llvm_value neighbor[2] = {api->GetPreviousInstruction(fence), api->GetNextInstruction(fence)};
    for (int i = 0; i < 2; i++)
        if (neighbor[i] && api->GetInstructionOpcode(neighbor[i]) == LLVM_OP_CALL &&
            (sl_llvm_named(self->code->llvm, api->GetCalledValue(neighbor[i]), "llvm.amdgcn.s.barrier") ||
             sl_llvm_named(self->code->llvm, api->GetCalledValue(neighbor[i]), "llvm.nvvm.barrier0")))
            return true;
    return false;
}

/* Variables of a thread are in the flat space here, and in a separate one there. */
static void retarget_alloca(const retargeting *self, llvm_value alloca)
{
    const sl_llvm_api *api = self->api;
    api->PositionBuilderBefore(self->builder, alloca);
    llvm_value flat = api->BuildAlloca(self->builder, api->GetAllocatedType(alloca), "");
    api->SetAlignment(flat, api->GetAlignment(alloca));
    llvm_value private = api->BuildAddrSpaceCast(self->builder, flat, api->TypeOf(alloca), "");
    api->ReplaceAllUsesWith(alloca, private);
    api->InstructionEraseFromParent(alloca);
}

static sl_status retarget_body(const retargeting *self, llvm_value function)
{
    const sl_llvm_api *api = self->api;
    sl_status status = SL_OK;
    /* Erasing may take instructions further down with it, so each finding starts over. */
    for (bool again = true; again && !status;) {
        again = false;
        for (llvm_block b = api->GetFirstBasicBlock(function); b && !again && !status; b = api->GetNextBasicBlock(b))
            for (llvm_value v = api->GetFirstInstruction(b); v && !again && !status; v = api->GetNextInstruction(v)) {
                int opcode = api->GetInstructionOpcode(v);
                if (opcode == LLVM_OP_ALLOCA && api->GetPointerAddressSpace(api->TypeOf(v)) == SL_AS_PRIVATE) {
                    retarget_alloca(self, v);
                    again = true;
                } else if (opcode == LLVM_OP_FENCE && next_to_barrier(self, v)) {
                    api->InstructionEraseFromParent(v);
                    again = true;
                } else if (opcode == LLVM_OP_CALL &&
                           !sl_llvm_named(self->code->llvm, api->GetCalledValue(v), "llvm.nvvm.")) {
                    llvm_value called = api->GetCalledValue(v);
                    status = retarget_call(self, v);
                    again = sl_llvm_named(self->code->llvm, called, "llvm.amdgcn.");
                }
            }
    }
    return status;
}

static sl_status retarget_function(retargeting *self, llvm_value function)
{
    static const char *const attributes[] = {"target-cpu", "target-features"};
    static const char byref[] = "byref";
    const sl_llvm_api *api = self->api;
    size_t length = 0;
    self->function = api->GetValueName2(function, &length);
    for (unsigned i = 0; i < api->CountParams(function); i++)
        if (api->GetEnumAttributeAtIndex(function, (int)i + 1, api->GetEnumAttributeKindForName(byref, strlen(byref))))
            return refuse(self, "takes a struct by reference", "");
    for (int i = 0; i < 2; i++)
        api->RemoveStringAttributeAtIndex(function, LLVM_FUNCTION_INDEX, attributes[i],
                                          (unsigned)strlen(attributes[i]));
    if (api->GetFunctionCallConv(function) == LLVM_CC_AMDGPU_KERNEL)
        api->SetFunctionCallConv(function, LLVM_CC_PTX_KERNEL);
    api->SetVisibility(function, 0);
    return retarget_body(self, function);
}

/* ---- constant memory, in the text ---- */

/* A cast between constant and global memory would now be one from a space to itself. */
static bool casts_to_itself(const char *cast)
{
    size_t line = strcspn(cast, "\n");
    const char *to = memmem(cast, line, " to ", 4), *from = memmem(cast, line, "addrspace(4)", 12);
    const char *other = memmem(cast, line, "addrspace(1)", 12);
    if (!to || !from || !other)
        return false;
    return (from < to) != (other < to) && strcspn(to + 4, ",)\n") > 12;
}

/* The text with address space 4 as 1, also in the names of intrinsics; *out is malloc'ed. */
static sl_status rename_spaces(const char *text, char **out, sl_error *error)
{
    size_t length = strlen(text), used = 0;
    char *copy = malloc(length + 1);
    if (!copy)
        return sl_fail_memory(error);
    bool in_name = false;
    for (const char *at = text; *at;) {
        if (*at == '@')
            in_name = !strncmp(at, "@llvm.", 6);
        else if (in_name && strchr("( ,)\n", *at))
            in_name = false;
        if (!strncmp(at, "addrspace(4)", 12)) {
            memcpy(copy + used, "addrspace(1)", 12);
            used += 12, at += 12;
        } else if (in_name && !strncmp(at, ".p4", 3)) {
            memcpy(copy + used, ".p1", 3);
            used += 3, at += 3;
        } else if (!strncmp(at, "addrspacecast", 13) && casts_to_itself(at)) {
            memcpy(copy + used, "bitcast", 7);
            used += 7, at += 13;
        } else {
            copy[used++] = *at++;
        }
    }
    copy[used] = '\0';
    *out = copy;
    return SL_OK;
}

static sl_status read_again(const retargeting *self, const char *text, llvm_module *module)
{
    const sl_llvm_api *api = self->api;
    char *message = NULL, *changed = NULL;
    sl_status status = rename_spaces(text, &changed, self->error);
    if (status)
        return status;
    llvm_buffer buffer = api->CreateMemoryBufferWithMemoryRangeCopy(changed, strlen(changed), self->code->name);
    if (!buffer)
        status = sl_fail_memory(self->error);
    else if (api->ParseIRInContext(self->code->context, buffer, module, &message))
        status = sl_fail_at(self->error, SL_UNSUPPORTED, self->code->name, 0, 0,
                            "it cannot be made code for the emulator: %s", message);
    else if (api->VerifyModule(*module, LLVM_VERIFY_RETURN_STATUS, &message)) {
        status = sl_fail_at(self->error, SL_UNSUPPORTED, self->code->name, 0, 0,
                            "it cannot be made code for the emulator: %s", message);
        api->DisposeModule(*module);
    }
    api->DisposeMessage(message);
    free(changed);
    return status;
}

/* ---- all of it ---- */

static void drop_globals(const retargeting *self)
{
    static const char *const names[] = {"llvm.used", "llvm.compiler.used"};
    for (int i = 0; i < 2; i++) {
        llvm_value global = self->api->GetNamedGlobal(self->module, names[i]);
        if (global)
            self->api->DeleteGlobal(global);
    }
}

static sl_status set_target(const retargeting *self)
{
    static const char triple[] = "nvptx64-nvidia-cuda";
    const sl_llvm_api *api = self->api;
    llvm_machine machine = NULL;
    sl_status status = sl_llvm_machine(self->code->llvm, triple, "sm_80", "+ptx75", &machine, self->error);
    if (status)
        return status;
    llvm_layout layout = api->CreateTargetDataLayout(machine);
    char *text = api->CopyStringRepOfTargetData(layout);
    api->SetTarget(self->module, triple);
    api->SetDataLayout(self->module, text);
    api->DisposeMessage(text);
    api->DisposeTargetData(layout);
    api->DisposeTargetMachine(machine);
    return SL_OK;
}

static sl_status retarget(retargeting *self)
{
    const sl_llvm_api *api = self->api;
    sl_status status = set_target(self);
    if (status)
        return status;
    drop_globals(self);
    for (llvm_value f = api->GetFirstFunction(self->module); f && !status; f = api->GetNextFunction(f))
        if (!api->IsDeclaration(f))
            status = retarget_function(self, f);
    for (llvm_value f = api->GetFirstFunction(self->module), next; f && !status; f = next) {
        next = api->GetNextFunction(f);
        if (api->IsDeclaration(f) && !api->GetFirstUse(f))
            api->DeleteFunction(f);
    }
    if (status)
        return status;
    char *text = api->PrintModuleToString(self->module);
    llvm_module changed = NULL;
    status = text ? read_again(self, text, &changed) : sl_fail_memory(self->error);
    api->DisposeMessage(text);
    if (!status) {
        api->DisposeModule(self->module);
        self->module = changed;
    }
    return status;
}

sl_status sl_llvm_retarget(const sl_llvm_code *code, llvm_module *module, sl_error *error)
{
    const sl_llvm_api *api = &code->llvm->api;
    retargeting self = {.code = code, .api = api, .module = *module, .error = error};
    llvm_machine machine = NULL;
    sl_status status = sl_llvm_machine(code->llvm, code->triple, code->cpu, "", &machine, error);
    if (status)
        return status;
    self.layout = api->CreateTargetDataLayout(machine);
    self.builder = api->CreateBuilderInContext(code->context);
    status = retarget(&self);
    *module = self.module;
    api->DisposeBuilder(self.builder);
    api->DisposeTargetData(self.layout);
    api->DisposeTargetMachine(machine);
    return status;
}
