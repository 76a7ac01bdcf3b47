/* SPDX-License-Identifier: MIT */
/* Cache controls of NVIDIA GPUs in LLVM IR, which has no operators for them: the load or store becomes inline assembly.
 * It has side effects and clobbers memory, so that no pass moves it across other accesses, or removes it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tune/rewrite/llvm_code.h"

enum { VECTOR_BYTES = 16, WORD_BYTES = 8 };

/* As which words it is accessed; 0 bytes: a type that assembly cannot take. */
typedef struct words {
    uint32_t bytes, count;
    char constraint; /* of registers */
} words;

static words words_of(const sl_llvm_code *code, llvm_value access)
{
    const sl_llvm_api *api = &code->llvm->api;
    bool store = api->GetInstructionOpcode(access) == LLVM_OP_STORE;
    llvm_type type = api->TypeOf(store ? api->GetOperand(access, 0) : access), item = type;
    if (api->GetTypeKind(type) == LLVM_TYPE_VECTOR)
        item = api->GetElementType(type);
    int kind = api->GetTypeKind(item);
    bool number = kind == LLVM_TYPE_INTEGER || (kind >= LLVM_TYPE_HALF && kind <= LLVM_TYPE_DOUBLE);
    uint32_t bits = kind == LLVM_TYPE_INTEGER ? api->GetIntTypeWidth(item) : 8u << kind;
    uint32_t bytes = bits / 8 * (item == type ? 1 : api->GetVectorSize(type));
    bool whole = number && bits % 8 == 0 && (bytes == 2 || bytes == 4 || bytes == 8 || bytes == VECTOR_BYTES);
    if (!whole || api->GetAlignment(access) < bytes)
        return (words){0};
    uint32_t word = bytes < WORD_BYTES ? bytes : WORD_BYTES;
    return (words){word, bytes / word, word == 2 ? 'h' : word == 4 ? 'r' : 'l'};
}

/* Kernels are named by the calling convention, or in the annotations of the module. */
bool sl_llvm_is_kernel(const sl_llvm_code *code, llvm_value function)
{
    const sl_llvm_api *api = &code->llvm->api;
    if (api->GetFunctionCallConv(function) == LLVM_CC_PTX_KERNEL)
        return true;
    unsigned count = api->GetNamedMetadataNumOperands(code->module, "nvvm.annotations");
    llvm_value *all = calloc(count + 1u, sizeof *all);
    bool found = false;
    if (all)
        api->GetNamedMetadataOperands(code->module, "nvvm.annotations", all);
    for (unsigned i = 0; all && i < count; i++) {
        llvm_value part[3];
        unsigned length = 0;
        if (api->GetMDNodeNumOperands(all[i]) != 3)
            continue;
        api->GetMDNodeOperands(all[i], part);
        const char *key = part[1] ? api->GetMDString(part[1], &length) : NULL;
        found |= part[0] == function && key && length == strlen("kernel") && !memcmp(key, "kernel", length);
    }
    free(all);
    return found;
}

uint32_t sl_llvm_nvptx_modes(const sl_llvm_code *code, llvm_value access, const char *cpu, const char **fixed)
{
    unsigned sm = 0,
             node = code->llvm->api.GetInstructionOpcode(access) == LLVM_OP_STORE ? SL_NODE_STORE : SL_NODE_LOAD;
    uint32_t modes = 1;
    sscanf(cpu, "sm_%u", &sm);
    if (!words_of(code, access).bytes) {
        *fixed = "it is not of 2, 4, 8 or 16 bytes of numbers, aligned";
        return modes;
    }
    for (unsigned m = 1; m < SL_BYPASS_MODES; m++)
        if (sl_controls[m].node == node && sl_controls[m].operators && sl_controls[m].sm <= sm)
            modes |= 1u << m;
    modes &= ~sl_bypass_modes_needing(SL_NEEDS_READ_ONLY); /* nothing here shows it */
    if (modes == 1)
        *fixed = "its target has no cache operators; compile it for sm_70 or later";
    return modes;
}

/* "ld.global.L1::no_allocate.v2.b64 {$0, $1}, [$2];" */
static void write_text(const sl_control *control, bool store, bool flat, words w, char *text, size_t size)
{
    uint32_t address = store ? 0 : w.count, first = store ? 1 : 0, policy = w.count + 1;
    char values[32], where[32], hint[16] = "";
    snprintf(values, sizeof values, w.count == 2 ? "{$%u, $%u}" : "$%u", first, first + 1);
    snprintf(where, sizeof where, flat ? "[sluice_a]" : "[$%u]", address);
    if (control->policy)
        snprintf(hint, sizeof hint, ", $%u", policy);
    size_t used = 0;
    if (flat)
        used = (size_t)snprintf(text, size, "{ .reg .b64 sluice_a; cvta.to.global.u64 sluice_a, $%u; ", address);
    snprintf(text + used, size - used, "%s.global%s%s.b%u %s, %s%s;%s", store ? "st" : "ld", control->operators,
             w.count == 2 ? ".v2" : "", 8 * w.bytes, store ? where : values, store ? values : where, hint,
             flat ? " }" : "");
}

static llvm_value call_assembly(const sl_llvm_code *code, llvm_builder builder, llvm_value access, words w,
                                const sl_control *control, const llvm_value value[2])
{
    const sl_llvm_api *api = &code->llvm->api;
    llvm_type word = api->IntTypeInContext(code->context, 8 * w.bytes), param[4], two[2] = {word, word};
    llvm_type address = api->IntTypeInContext(code->context, 64);
    bool store = api->GetInstructionOpcode(access) == LLVM_OP_STORE;
    llvm_value pointer = api->GetOperand(access, store), arg[4];
    llvm_type result = store          ? api->VoidTypeInContext(code->context)
                       : w.count == 2 ? api->StructTypeInContext(code->context, two, 2, 0)
                                      : word;
    bool flat = api->GetPointerAddressSpace(api->TypeOf(pointer)) == SL_AS_FLAT;
    char text[256], constraints[64] = "";
    unsigned args = 0;
    for (uint32_t i = 0; !store && i < w.count; i++)
        snprintf(constraints + strlen(constraints), 8, "=%c,", w.constraint);
    arg[args++] = api->BuildPtrToInt(builder, pointer, address, "");
    snprintf(constraints + strlen(constraints), 8, "l");
    for (uint32_t i = 0; store && i < w.count; i++) {
        arg[args++] = value[i];
        snprintf(constraints + strlen(constraints), 8, ",%c", w.constraint);
    }
    if (control->policy) {
        arg[args++] = api->ConstInt(address, strtoull(control->policy, NULL, 0), 0);
        snprintf(constraints + strlen(constraints), 8, ",l");
    }
    snprintf(constraints + strlen(constraints), 16, ",~{memory}");
    for (unsigned i = 0; i < args; i++)
        param[i] = api->TypeOf(arg[i]);
    write_text(control, store, flat, w, text, sizeof text);
    llvm_type type = api->FunctionType(result, param, args, 0);
    llvm_value assembly = api->GetInlineAsm(type, text, strlen(text), constraints, strlen(constraints), 1, 0, 0, 0);
    return api->BuildCall2(builder, type, assembly, arg, args, "");
}

void sl_llvm_nvptx_apply(const sl_llvm_code *code, uint32_t node, unsigned mode)
{
    const sl_llvm_api *api = &code->llvm->api;
    llvm_value access = code->value[node], value[2] = {0};
    bool store = api->GetInstructionOpcode(access) == LLVM_OP_STORE;
    words w = words_of(code, access);
    llvm_type word = api->IntTypeInContext(code->context, 8 * w.bytes),
              index = api->IntTypeInContext(code->context, 32);
    llvm_type pair = api->VectorType(word, 2), plain = w.count == 2 ? pair : word;
    llvm_builder builder = api->CreateBuilderInContext(code->context);
    api->PositionBuilderBefore(builder, access);
    if (store) {
        value[0] = api->BuildBitCast(builder, api->GetOperand(access, 0), plain, "");
        llvm_value whole = value[0];
        for (uint32_t i = 0; w.count == 2 && i < 2; i++)
            value[i] = api->BuildExtractElement(builder, whole, api->ConstInt(index, i, 0), "");
    }
    llvm_value called = call_assembly(code, builder, access, w, &sl_controls[mode], value);
    if (!store) {
        llvm_value whole = w.count == 2 ? api->GetUndef(pair) : called;
        for (uint32_t i = 0; w.count == 2 && i < 2; i++)
            whole = api->BuildInsertElement(builder, whole, api->BuildExtractValue(builder, called, i, ""),
                                            api->ConstInt(index, i, 0), "");
        api->ReplaceAllUsesWith(access, api->BuildBitCast(builder, whole, api->TypeOf(access), ""));
    }
    api->InstructionEraseFromParent(access);
    api->DisposeBuilder(builder);
}
