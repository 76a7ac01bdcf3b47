/* SPDX-License-Identifier: MIT */
/* The loads of LLVM IR that read global memory, and what is known of each: its array, its block, its stretch between
 * barriers, fences and calls.
 *
 * An array is found by following the pointer back through getelementptr, casts, phi, select and freeze to arguments,
 * variables and pointers that were themselves loaded. On amdgcn, constant memory is global memory that is never
 * written, so its loads count too, but not those of what the launch passes (the argument segment, the sizes of the
 * grid).
 *
 * Left out: intrinsics that load (memcpy, buffer loads), atomics that read and write. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "tune/rewrite/llvm_code.h"

enum { DEEPEST = 256, NAMES = 16 };

/* Where a pointer comes from. */
typedef struct origin {
    const sl_llvm_code *code;
    uint32_t visited, names;
    llvm_value seen[DEEPEST];
    char name[NAMES][64];
    bool unknown;                 /* a number, a call's result, or more than there is room for */
    bool shared, private, launch; /* also, or only, these */
    bool loaded;                  /* a pointer found in memory is among them */
} origin;

bool sl_llvm_named(const sl_llvm *llvm, llvm_value value, const char *prefix)
{
    size_t length = 0, wanted = strlen(prefix);
    const char *name = llvm->api.GetValueName2(value, &length);
    return length >= wanted && !memcmp(name, prefix, wanted);
}

static void add_name(origin *at, const char *name)
{
    for (uint32_t i = 0; i < at->names; i++)
        if (!strcmp(at->name[i], name))
            return;
    if (at->names == NAMES)
        at->unknown = true;
    else
        snprintf(at->name[at->names++], sizeof at->name[0], "%s", name);
}

static uint32_t space_of(const sl_llvm_api *api, llvm_value pointer)
{
    llvm_type type = api->TypeOf(pointer);
    return api->GetTypeKind(type) == LLVM_TYPE_POINTER ? api->GetPointerAddressSpace(type) : SL_AS_FLAT;
}

/* Number of the instruction in its function. */
static uint32_t location_of(const sl_llvm_api *api, llvm_value instruction)
{
    uint32_t inst = 0;
    llvm_block block = api->GetInstructionParent(instruction);
    for (llvm_value v = instruction; (v = api->GetPreviousInstruction(v));)
        inst++;
    while ((block = api->GetPreviousBasicBlock(block)))
        for (llvm_value v = api->GetFirstInstruction(block); v; v = api->GetNextInstruction(v))
            inst++;
    return inst;
}

static void name_argument(origin *at, llvm_value argument, char *name, size_t size)
{
    const sl_llvm_api *api = &at->code->llvm->api;
    llvm_value function = api->GetParamParent(argument);
    size_t length = 0;
    unsigned index = 0;
    const char *full = api->GetValueName2(argument, &length);
    const char *coerced = memmem(full, length, ".coerce", 7); /* clang's word for a parameter of another type */
    while (api->GetParam(function, index) != argument)
        index++;
    if (length)
        snprintf(name, size, "%.*s", (int)(coerced ? (size_t)(coerced - full) : length), full);
    else
        snprintf(name, size, "param_%u", index);
}

static bool passed_by_reference(const sl_llvm_api *api, llvm_value argument)
{
    llvm_value function = api->GetParamParent(argument);
    static const char *const kinds[] = {"byref", "byval"};
    for (unsigned index = 0; index < api->CountParams(function); index++)
        for (int k = 0; k < 2 && api->GetParam(function, index) == argument; k++)
            if (api->GetEnumAttributeAtIndex(function, (int)index + 1,
                                             api->GetEnumAttributeKindForName(kinds[k], strlen(kinds[k]))))
                return true;
    return false;
}

static void walk(origin *origin, llvm_value value);

/* A pointer that was loaded: a field of a parameter passed by value, or something found in memory. */
static void name_loaded(origin *at, llvm_value load)
{
    const sl_llvm_api *api = &at->code->llvm->api;
    llvm_value pointer = api->GetOperand(load, 0), base = pointer;
    int64_t offset = -1;
    char name[64];
    if (api->IsAInstruction(pointer) && api->GetInstructionOpcode(pointer) == LLVM_OP_GEP &&
        api->GetNumOperands(pointer) == 2 && api->IsAConstantInt(api->GetOperand(pointer, 1))) {
        base = api->GetOperand(pointer, 0);
        offset = api->ConstIntGetSExtValue(api->GetOperand(pointer, 1));
    }
    if (api->IsAArgument(base) && passed_by_reference(api, base)) {
        name_argument(at, base, name, sizeof name - 24);
        if (offset > 0)
            snprintf(name + strlen(name), 24, "+%lld", (long long)offset);
    } else {
        snprintf(name, sizeof name, "loaded_%u", location_of(api, load));
        at->loaded = true;
    }
    add_name(at, name);
}

static void walk_call(origin *at, llvm_value call)
{
    static const char *const launch[] = {"llvm.amdgcn.dispatch.ptr", "llvm.amdgcn.implicitarg.ptr",
                                         "llvm.amdgcn.kernarg.segment.ptr", "llvm.amdgcn.queue.ptr"};
    const sl_llvm_api *api = &at->code->llvm->api;
    llvm_value called = api->GetCalledValue(call);
    for (size_t i = 0; i < sizeof launch / sizeof *launch; i++)
        if (sl_llvm_named(at->code->llvm, called, launch[i])) {
            at->launch = true;
            return;
        }
    if (sl_llvm_named(at->code->llvm, called, "llvm.ptrmask") ||
        sl_llvm_named(at->code->llvm, called, "llvm.launder.invariant") ||
        sl_llvm_named(at->code->llvm, called, "llvm.nvvm.ptr."))
        walk(at, api->GetOperand(call, 0));
    else
        at->unknown = true;
}

static void walk_field(origin *at, llvm_value extract)
{
    const sl_llvm_api *api = &at->code->llvm->api;
    llvm_value from = api->GetOperand(extract, 0);
    char name[64];
    if (!api->IsAArgument(from)) {
        at->unknown = true;
        return;
    }
    name_argument(at, from, name, sizeof name);
    for (unsigned i = 0; i < api->GetNumIndices(extract); i++)
        snprintf(name + strlen(name), sizeof name - strlen(name), ".%u", api->GetIndices(extract)[i]);
    add_name(at, name);
}

static void walk_operation(origin *at, llvm_value value, int opcode)
{
    const sl_llvm_api *api = &at->code->llvm->api;
    switch (opcode) {
    case LLVM_OP_GEP:
    case LLVM_OP_BITCAST:
    case LLVM_OP_ADDRSPACECAST:
    case LLVM_OP_FREEZE:
        walk(at, api->GetOperand(value, 0));
        break;
    case LLVM_OP_SELECT:
        walk(at, api->GetOperand(value, 1));
        walk(at, api->GetOperand(value, 2));
        break;
    case LLVM_OP_PHI:
        for (unsigned i = 0; i < api->CountIncoming(value); i++)
            walk(at, api->GetIncomingValue(value, i));
        break;
    case LLVM_OP_LOAD:
        name_loaded(at, value);
        break;
    case LLVM_OP_CALL:
        walk_call(at, value);
        break;
    case LLVM_OP_EXTRACTVALUE:
        walk_field(at, value);
        break;
    case LLVM_OP_ALLOCA:
        at->private = true;
        break;
    default:
        at->unknown = true;
    }
}

static void walk(origin *at, llvm_value value)
{
    const sl_llvm_api *api = &at->code->llvm->api;
    char name[64];
    for (uint32_t i = 0; i < at->visited; i++)
        if (at->seen[i] == value)
            return;
    if (at->visited == DEEPEST) {
        at->unknown = true;
        return;
    }
    at->seen[at->visited++] = value;
    uint32_t space = space_of(api, value);
    at->shared |= space == SL_AS_SHARED;
    at->private |= space == SL_AS_PRIVATE;
    if (api->IsAArgument(value)) {
        name_argument(at, value, name, sizeof name);
        add_name(at, name);
        at->launch |= passed_by_reference(api, value);
    } else if (api->IsAGlobalVariable(value)) {
        size_t length = 0;
        const char *text = api->GetValueName2(value, &length);
        snprintf(name, sizeof name, "%.*s", (int)length, text);
        add_name(at, name);
    } else if (api->IsAInstruction(value)) {
        walk_operation(at, value, api->GetInstructionOpcode(value));
    } else if (api->IsAConstantExpr(value)) {
        walk_operation(at, value, api->GetConstOpcode(value));
    } /* others are null and undefined pointers, which are of no array */
}

static void find_origin(const sl_llvm_code *code, llvm_value pointer, origin *at)
{
    at->code = code;
    at->visited = at->names = 0;
    at->unknown = at->shared = at->private = at->launch = at->loaded = false;
    walk(at, pointer);
}

/* The address of a load or store. */
static llvm_value address_of(const sl_llvm_api *api, llvm_value access)
{
    return api->GetOperand(access, api->GetInstructionOpcode(access) == LLVM_OP_STORE);
}

static bool is_global(const sl_llvm_code *code, llvm_value access)
{
    const sl_llvm_api *api = &code->llvm->api;
    llvm_value pointer = address_of(api, access);
    uint32_t space = space_of(api, pointer);
    if (space == SL_AS_GLOBAL)
        return true;
    if (space != SL_AS_FLAT && !(space == SL_AS_CONSTANT && code->arch == SL_LLVM_AMDGCN))
        return false;
    origin at;
    find_origin(code, pointer, &at);
    return !at.launch && !(at.private && !at.names) && !(at.shared && at.names <= 1);
}

bool sl_llvm_is_global_load(const sl_llvm_code *code, llvm_value instruction)
{
    return code->llvm->api.GetInstructionOpcode(instruction) == LLVM_OP_LOAD && is_global(code, instruction);
}

/* ---- lines of the file ---- */

/* The k-th load in the text of a function is the k-th that LLVM has of it. */
static const char *next_load(const char *at, const char *end, uint32_t *line)
{
    for (; at < end; at++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((stop ? stop : end) - at);
        const char *load = memmem(at, length, " = load ", 8);
        const char *comment = memchr(at, ';', length);
        if (*at == '}')
            return NULL;
        if (load && !(comment && comment < load))
            return at;
        at += length;
        ++*line;
    }
    return NULL;
}

/* Whether the line [at, stop) begins the definition of @name. */
static bool defines(const char *at, const char *stop, const char *name, size_t length)
{
    if (stop - at < 8 || memcmp(at, "define ", 7))
        return false;
    for (at += 7; (at = memchr(at, '@', (size_t)(stop - at)));) {
        at++;
        bool quoted = at < stop && *at == '"';
        at += quoted;
        if ((size_t)(stop - at) > length && !memcmp(at, name, length) && at[length] == (quoted ? '"' : '('))
            return true;
    }
    return false;
}

/* The first line after the head of the function. */
static const char *find_body(const char *data, const char *end, const char *name, size_t length, uint32_t *line)
{
    *line = 1;
    for (const char *at = data, *stop; at < end; at = stop + 1, ++*line) {
        stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop ? stop : end;
        if (defines(at, stop, name, length)) {
            ++*line;
            return stop < end ? stop + 1 : end;
        }
    }
    return NULL;
}

static void mark_function(sl_llvm_code *code, llvm_value function, const char *data, const char *end, unsigned kind)
{
    const sl_llvm_api *api = &code->llvm->api;
    size_t length = 0;
    uint32_t line = 0;
    const char *name = api->GetValueName2(function, &length);
    const char *at = find_body(data, end, name, length, &line);
    llvm_type word = api->IntTypeInContext(code->context, 32);
    for (llvm_block b = api->GetFirstBasicBlock(function); b; b = api->GetNextBasicBlock(b))
        for (llvm_value v = api->GetFirstInstruction(b); v; v = api->GetNextInstruction(v)) {
            code->loads_before += sl_llvm_is_global_load(code, v);
            if (!at || api->GetInstructionOpcode(v) != LLVM_OP_LOAD || !(at = next_load(at, end, &line)))
                continue;
            llvm_value number = api->ConstInt(word, line, 0);
            api->SetMetadata(v, kind, api->MDNodeInContext(code->context, &number, 1));
            const char *stop = memchr(at, '\n', (size_t)(end - at));
            at = stop ? stop + 1 : end;
            line++;
        }
}

void sl_llvm_mark_lines(sl_llvm_code *code, const char *data, size_t bytes)
{
    const sl_llvm_api *api = &code->llvm->api;
    bool text = bytes < 2 || (memcmp(data, "BC", 2) && memcmp(data, "\xde\xc0", 2));
    unsigned kind = api->GetMDKindIDInContext(code->context, "sluice.line", strlen("sluice.line"));
    for (llvm_value f = api->GetFirstFunction(code->module); f; f = api->GetNextFunction(f))
        mark_function(code, f, data, text ? data + bytes : data, kind);
}

/* The line that was noted, taken off the load. Loads that were joined have none. */
static uint32_t pop_line(const sl_llvm_code *code, llvm_value load)
{
    const sl_llvm_api *api = &code->llvm->api;
    unsigned kind = api->GetMDKindIDInContext(code->context, "sluice.line", strlen("sluice.line"));
    llvm_value node = api->GetMetadata(load, kind), number = NULL;
    if (!node || api->GetMDNodeNumOperands(node) != 1)
        return 0;
    api->GetMDNodeOperands(node, &number);
    api->SetMetadata(load, kind, NULL);
    return (uint32_t)api->ConstIntGetSExtValue(number);
}

/* ---- the list ---- */

typedef struct listing {
    sl_llvm_code *code;
    SL_ARRAY(sl_load) loads;
    SL_ARRAY(llvm_value) values;
    llvm_layout layout;
    uint32_t inst, block, segment;
    const char *function;
    SL_ARRAY(sl_load) stores;
    SL_ARRAY(llvm_value) stored;
} listing;

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Sorted and joined by '|'; NULL when something is not known. */
static const char *concatenate_names(origin *at, sl_arena *arena)
{
    char text[NAMES * 65] = "";
    if (at->unknown || !at->names)
        return NULL;
    qsort(at->name, at->names, sizeof at->name[0], by_name);
    for (uint32_t i = 0; i < at->names; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? "|" : "", at->name[i]);
    return sl_arena_strdup(arena, text);
}

static const char *cpu_of(const sl_llvm_code *code, llvm_value function)
{
    const sl_llvm_api *api = &code->llvm->api;
    llvm_attribute cpu =
        api->GetStringAttributeAtIndex(function, LLVM_FUNCTION_INDEX, "target-cpu", strlen("target-cpu"));
    unsigned length = 0;
    return cpu ? api->GetStringAttributeValue(cpu, &length) : code->cpu;
}

/* Pointers that a kernel gets are of global memory. */
static bool may_be_shared(const sl_llvm_code *code, llvm_value function, const origin *at, const sl_load *load)
{
    return load->flags & SL_LOAD_GENERIC &&
           (at->unknown || at->shared || at->private || at->loaded || !at->names || !sl_llvm_is_kernel(code, function));
}

/* Modes that are marks of the load or store. */
static uint32_t amdgcn_modes(const sl_load *load)
{
    uint32_t modes = 1;
    for (unsigned m = 1; m < SL_BYPASS_MODES; m++)
        modes |= (uint32_t)(sl_controls[m].amdgcn && sl_controls[m].node == load->node) << m;
    return modes;
}

static void find_modes(const sl_llvm_code *code, llvm_value function, llvm_value value, const origin *at, sl_load *load)
{
    const sl_llvm_api *api = &code->llvm->api;
    unsigned nontemporal = api->GetMDKindIDInContext(code->context, "nontemporal", strlen("nontemporal"));
    unsigned invariant = api->GetMDKindIDInContext(code->context, "invariant.load", strlen("invariant.load"));
    load->flags |= api->GetMetadata(value, invariant) ? SL_LOAD_READONLY : 0;
    if (api->GetVolatile(value) || api->GetOrdering(value)) {
        load->flags |= SL_LOAD_VOLATILE;
        load->fixed = api->GetVolatile(value) ? "it is volatile already" : "it is atomic";
    } else if (api->GetMetadata(value, nontemporal)) {
        load->flags |= SL_LOAD_OPERATOR;
        load->fixed = "it is nontemporal already";
    } else if (code->arch == SL_LLVM_NVPTX && may_be_shared(code, function, at, load)) {
        load->fixed = "its address may be of shared or local memory";
    }
    load->modes = load->fixed                   ? 1
                  : code->arch == SL_LLVM_NVPTX ? sl_llvm_nvptx_modes(code, value, cpu_of(code, function), &load->fixed)
                                                : amdgcn_modes(load);
}

static bool describe(listing *list, llvm_value function, llvm_value value, sl_load *load)
{
    const sl_llvm_code *code = list->code;
    const sl_llvm_api *api = &code->llvm->api;
    sl_arena *arena = &list->code->arena;
    bool store = api->GetInstructionOpcode(value) == LLVM_OP_STORE;
    llvm_type accessed = api->TypeOf(store ? api->GetOperand(value, 0) : value);
    char *type = api->PrintTypeToString(accessed);
    unsigned length = 0;
    const char *source = api->GetDebugLocFilename(value, &length);
    llvm_value pointer = address_of(api, value);
    origin at;
    find_origin(code, pointer, &at);
    *load = (sl_load){.function = list->function,
                      .inst = list->inst,
                      .node = store ? SL_NODE_STORE : SL_NODE_LOAD,
                      .line = pop_line(code, value),
                      .source = length ? sl_arena_strndup(arena, source, length) : NULL,
                      .source_line = api->GetDebugLocLine(value),
                      .opcode = sl_arena_printf(arena, "%s %s", store ? "store" : "load", type),
                      .array = concatenate_names(&at, arena),
                      .block = list->block,
                      .segment = list->segment,
                      .width = (uint32_t)api->StoreSizeOfType(list->layout, accessed)};
    if (space_of(api, pointer) == SL_AS_FLAT)
        load->flags |= SL_LOAD_GENERIC;
    if (!load->source_line)
        load->source = NULL;
    find_modes(code, function, value, &at, load);
    api->DisposeMessage(type);
    return load->opcode;
}

/* Whether it ends a segment: loads before and after it are in different ones. */
static bool ends_segment(const sl_llvm_code *code, llvm_value value, int opcode)
{
    static const char *const barriers[] = {"llvm.amdgcn.s.barrier", "llvm.nvvm.barrier", "llvm.nvvm.bar.",
                                           "llvm.nvvm.membar",      "llvm.nvvm.fence",   "llvm.amdgcn.s.wait"};
    if (opcode == LLVM_OP_FENCE || opcode == LLVM_OP_INVOKE || opcode == LLVM_OP_CALLBR)
        return true;
    if (opcode != LLVM_OP_CALL)
        return false;
    llvm_value called = code->llvm->api.GetCalledValue(value);
    if (!code->llvm->api.IsAFunction(called) || !sl_llvm_named(code->llvm, called, "llvm."))
        return true;
    for (size_t i = 0; i < sizeof barriers / sizeof *barriers; i++)
        if (sl_llvm_named(code->llvm, called, barriers[i]))
            return true;
    return false;
}

static bool list_function(listing *list, llvm_value function)
{
    const sl_llvm_api *api = &list->code->llvm->api;
    size_t length = 0;
    const char *name = api->GetValueName2(function, &length);
    list->function = sl_arena_strndup(&list->code->arena, name, length);
    list->inst = list->block = list->segment = 0;
    if (!list->function)
        return false;
    for (llvm_block b = api->GetFirstBasicBlock(function); b; b = api->GetNextBasicBlock(b), list->block++)
        for (llvm_value v = api->GetFirstInstruction(b); v; v = api->GetNextInstruction(v), list->inst++) {
            sl_load load;
            list->segment += ends_segment(list->code, v, api->GetInstructionOpcode(v));
            if (api->GetInstructionOpcode(v) == LLVM_OP_LOAD && !sl_llvm_is_global_load(list->code, v))
                pop_line(list->code, v);
            else if (api->GetInstructionOpcode(v) == LLVM_OP_LOAD &&
                     (!describe(list, function, v, &load) || !sl_array_push(&list->loads, load) ||
                      !sl_array_push(&list->values, v)))
                return false;
            else if (api->GetInstructionOpcode(v) == LLVM_OP_STORE && is_global(list->code, v) &&
                     (!describe(list, function, v, &load) || !sl_array_push(&list->stores, load) ||
                      !sl_array_push(&list->stored, v)))
                return false;
        }
    return true;
}

static sl_status keep(listing *list, sl_error *error)
{
    sl_llvm_code *code = list->code;
    size_t count = list->loads.count, stores = list->stores.count;
    code->graph.loads = (uint32_t)count;
    code->graph.nodes = (uint32_t)(count + stores);
    code->graph.load = sl_arena_array(&code->arena, sl_load, count + stores + 1);
    code->value = sl_arena_array(&code->arena, llvm_value, count + stores + 1);
    code->mode = sl_arena_array(&code->arena, uint8_t, count + 1);
    if (!code->graph.load || !code->value || !code->mode)
        return sl_fail_memory(error);
    if (count) {
        memcpy(code->graph.load, list->loads.items, count * sizeof *list->loads.items);
        memcpy(code->value, list->values.items, count * sizeof *list->values.items);
    }
    if (stores) {
        memcpy(code->graph.load + count, list->stores.items, stores * sizeof *list->stores.items);
        memcpy(code->value + count, list->stored.items, stores * sizeof *list->stored.items);
    }
    code->loads_joined = code->loads_before > count ? code->loads_before - (uint32_t)count : 0;
    return sl_load_groups(&code->graph, &code->arena, error);
}

sl_status sl_llvm_list_loads(sl_llvm_code *code, sl_error *error)
{
    const sl_llvm_api *api = &code->llvm->api;
    listing list = {.code = code};
    llvm_machine machine = NULL;
    sl_status status = sl_llvm_machine(code->llvm, code->triple, code->cpu, "", &machine, error);
    if (status)
        return status;
    list.layout = api->CreateTargetDataLayout(machine);
    for (llvm_value f = api->GetFirstFunction(code->module); f && !status; f = api->GetNextFunction(f))
        if (!list_function(&list, f))
            status = sl_fail_memory(error);
    if (!status)
        status = keep(&list, error);
    api->DisposeTargetData(list.layout);
    api->DisposeTargetMachine(machine);
    sl_array_free(&list.loads);
    sl_array_free(&list.values);
    sl_array_free(&list.stores);
    sl_array_free(&list.stored);
    return status;
}

const char *sl_llvm_cpu(const sl_llvm_code *code, uint32_t load)
{
    return cpu_of(code, code->llvm->api.GetNamedFunction(code->module, code->graph.load[load].function));
}
