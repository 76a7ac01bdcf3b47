/* SPDX-License-Identifier: MIT */
/* Programs: modules linked together, their variables placed and initialised in device memory. */
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "emu/warp.h"

static bool is_data(const sl_ptx_var *var)
{
    return var->space == SL_SPACE_GLOBAL || var->space == SL_SPACE_CONST;
}

static bool is_definition(const sl_ptx_var *var)
{
    return is_data(var) && var->linkage != SL_LINK_EXTERN;
}

const struct sl_linked_variable *sl_program_variable(const sl_emu_program *program, const sl_ptx_module *module,
                                                     const char *name)
{
    const struct sl_linked_variable *other = NULL;
    for (uint32_t i = 0; i < program->variables; i++) {
        const struct sl_linked_variable *placed = &program->variable[i];
        if (strcmp(placed->var->name, name))
            continue;
        if (placed->module == module && is_definition(placed->var))
            return placed;
        if (placed->var->linkage != SL_LINK_LOCAL && !other)
            other = placed;
    }
    return other;
}

const sl_ptx_func *sl_program_function(const sl_emu_program *program, const sl_ptx_module *module, const char *name,
                                       const sl_ptx_module **found_in)
{
    const sl_ptx_func *found = NULL;
    for (size_t i = 0; i < program->modules; i++) {
        const sl_ptx_module *candidate = program->module[i];
        for (uint32_t k = 0; k < candidate->funcs; k++) {
            const sl_ptx_func *func = candidate->func[k];
            if (!func->has_body || strcmp(func->name, name))
                continue;
            bool local = candidate == module;
            if (!local && func->linkage == SL_LINK_LOCAL)
                continue;
            if (!found || local) {
                found = func;
                *found_in = candidate;
            }
        }
    }
    return found;
}

int64_t sl_program_function_handle(const sl_emu_program *program, const sl_ptx_func *func)
{
    for (uint32_t i = 0; i < program->functions; i++)
        if (program->function[i] == func)
            return SL_FUNCTION_HANDLE_BASE + 16 * (int64_t)i;
    for (uint32_t i = 0; i < program->entries; i++)
        if (program->entry[i] == func)
            return SL_FUNCTION_HANDLE_BASE + 16 * ((int64_t)program->functions + i);
    return -1;
}

const char *sl_emu_kernel_at(const sl_emu_program *program, uint64_t handle)
{
    uint64_t number = (handle - SL_FUNCTION_HANDLE_BASE) / 16 - program->functions;
    return handle >= SL_FUNCTION_HANDLE_BASE && handle % 16 == 0 && number < program->entries
               ? program->entry[number]->name
               : NULL;
}

/* Value of one initialiser element: a number, or an address. */
static sl_status init_value(const sl_emu_program *program, const sl_ptx_module *module, const sl_ptx_var *var,
                            const sl_ptx_init *init, uint64_t *value, sl_error *error)
{
    *value = init->bits;
    if (!init->symbol)
        return SL_OK;
    uint64_t address;
    const sl_ptx_module *where;
    const struct sl_linked_variable *placed = sl_program_variable(program, module, init->symbol);
    const sl_ptx_func *func = placed ? NULL : sl_program_function(program, module, init->symbol, &where);
    if (placed)
        address = placed->addr;
    else if (func)
        address = (uint64_t)sl_program_function_handle(program, func);
    else
        return sl_fail_at(error, SL_NOT_FOUND, module->name, var->line, 0,
                          "the initialiser of %s names %s, which is not defined", var->name, init->symbol);
    *value = address + init->bits;
    if (init->masked)
        *value = *value >> 8 * init->mask_shift & 0xff;
    return SL_OK;
}

static sl_status initialise(sl_emu_program *program, const struct sl_linked_variable *placed, sl_error *error)
{
    const sl_ptx_var *var = placed->var;
    uint32_t size = sl_ptx_type_bytes(var->type);
    uint8_t *memory = sl_heap_host(program->emu->heap, placed->addr);
    for (uint32_t i = 0; i < var->inits; i++) {
        uint64_t value;
        sl_status status = init_value(program, placed->module, var, &var->init[i], &value, error);
        if (status != SL_OK)
            return status;
        if ((uint64_t)(i + 1) * size > var->bytes)
            return sl_fail_at(error, SL_INVALID, placed->module->name, var->line, 0,
                              "%s has more initialisers than elements", var->name);
        memcpy(memory + (size_t)i * size, &value, size < 8 ? size : 8);
    }
    sl_heap_mark_written(program->emu->heap, placed->addr, var->bytes);
    return SL_OK;
}

/* Definitions first, once per name when weak or common. */
static sl_status allocate_variables(sl_emu_program *program, sl_error *error)
{
    size_t total = 0;
    for (size_t i = 0; i < program->modules; i++)
        total += program->module[i]->vars;
    program->variable = sl_arena_array(&program->arena, struct sl_linked_variable, total + 1);
    if (!program->variable)
        return sl_fail_memory(error);
    for (size_t i = 0; i < program->modules; i++) {
        const sl_ptx_module *module = program->module[i];
        for (uint32_t k = 0; k < module->vars; k++) {
            const sl_ptx_var *var = module->var[k];
            if (!is_definition(var))
                continue;
            const struct sl_linked_variable *earlier = sl_program_variable(program, NULL, var->name);
            if (earlier && (var->linkage == SL_LINK_WEAK || var->linkage == SL_LINK_COMMON))
                continue;
            uint64_t addr;
            sl_status status =
                sl_heap_alloc(program->emu->heap, var->bytes, var->managed ? SL_ALLOC_MANAGED : SL_ALLOC_SYMBOL,
                              var->name, &addr, error);
            if (status != SL_OK)
                return status;
            program->variable[program->variables++] = (struct sl_linked_variable){var, module, addr};
        }
    }
    for (uint32_t i = 0; i < program->variables; i++) {
        sl_status status = initialise(program, &program->variable[i], error);
        if (status != SL_OK)
            return status;
    }
    return SL_OK;
}

sl_status sl_emu_load(sl_emu *emu, const sl_ptx_module *const *modules, size_t count, sl_emu_program **result,
                      sl_error *error)
{
    sl_emu_program *program = calloc(1, sizeof *program);
    if (!program)
        return sl_fail_memory(error);
    sl_arena_init(&program->arena);
    program->emu = emu;
    size_t functions = 0;
    for (size_t i = 0; i < count; i++)
        functions += modules[i]->funcs;
    const sl_ptx_module **copy = sl_arena_array(&program->arena, const sl_ptx_module *, count + 1);
    program->function = sl_arena_array(&program->arena, const sl_ptx_func *, functions + 1);
    program->function_module = sl_arena_array(&program->arena, const sl_ptx_module *, functions + 1);
    program->entry = sl_arena_array(&program->arena, const sl_ptx_func *, functions + 1);
    sl_status status =
        copy && program->function && program->function_module && program->entry ? SL_OK : sl_fail_memory(error);
    if (status == SL_OK) {
        memcpy(copy, modules, count * sizeof *copy);
        program->module = copy;
        program->modules = count;
        for (size_t i = 0; i < count; i++) {
            for (uint32_t k = 0; k < modules[i]->funcs; k++) {
                if (!modules[i]->func[k]->has_body)
                    continue;
                if (modules[i]->func[k]->entry) {
                    program->entry[program->entries++] = modules[i]->func[k];
                    continue;
                }
                program->function_module[program->functions] = modules[i];
                program->function[program->functions++] = modules[i]->func[k];
            }
        }
        status = allocate_variables(program, error);
    }
    if (status != SL_OK) {
        sl_emu_unload(emu, program);
        return status;
    }
    *result = program;
    return SL_OK;
}

void sl_emu_unload(sl_emu *emu, sl_emu_program *program)
{
    if (!program)
        return;
    for (size_t i = 0; i < program->kernels.count; i++) {
        free(program->kernels.items[i]->code.consts);
        sl_arena_fini(&program->kernels.items[i]->arena);
        free(program->kernels.items[i]);
    }
    sl_array_free(&program->kernels);
    for (uint32_t i = 0; i < program->variables; i++)
        sl_heap_free(emu->heap, program->variable[i].addr, NULL);
    sl_arena_fini(&program->arena);
    free(program);
}

sl_status sl_emu_symbol(const sl_emu_program *program, const char *name, uint64_t *addr, uint64_t *bytes,
                        sl_error *error)
{
    for (uint32_t i = 0; i < program->variables; i++) {
        if (strcmp(program->variable[i].var->name, name))
            continue;
        *addr = program->variable[i].addr;
        *bytes = program->variable[i].var->bytes;
        return SL_OK;
    }
    return sl_fail(error, SL_NOT_FOUND, "no variable %s in the program", name);
}

static sl_status no_such_kernel(const sl_emu_program *program, const char *name, sl_error *error)
{
    const char *names[64];
    size_t count = 0;
    for (size_t i = 0; i < program->modules; i++)
        for (uint32_t k = 0; k < program->module[i]->funcs && count < 64; k++)
            if (program->module[i]->func[k]->entry)
                names[count++] = program->module[i]->func[k]->name;
    const char *near = sl_suggest(name, names, count);
    return near ? sl_fail(error, SL_NOT_FOUND, "no kernel %s; did you mean %s?", name, near)
                : sl_fail(error, SL_NOT_FOUND, "no kernel %s", name);
}

sl_status sl_emu_kernel_get(sl_emu_program *program, const char *name, sl_emu_kernel **result, sl_error *error)
{
    for (size_t i = 0; i < program->kernels.count; i++) {
        if (!strcmp(program->kernels.items[i]->func->name, name)) {
            *result = program->kernels.items[i];
            return SL_OK;
        }
    }
    const sl_ptx_module *module;
    const sl_ptx_func *func = sl_program_function(program, NULL, name, &module);
    for (size_t i = 0; !func && i < program->modules; i++) { /* kernels without .visible */
        func = sl_ptx_find(program->module[i], name);
        module = program->module[i];
        if (func && !func->has_body)
            func = NULL;
    }
    if (!func || !func->entry)
        return no_such_kernel(program, name, error);
    sl_emu_kernel *kernel = calloc(1, sizeof *kernel);
    if (!kernel)
        return sl_fail_memory(error);
    sl_arena_init(&kernel->arena);
    kernel->program = program;
    kernel->func = func;
    sl_status status = sl_decode_kernel(kernel, program->emu->handlers, error);
    if (status == SL_OK)
        status = sl_kernel_facts(kernel, error);
    if (status == SL_OK && program->emu->config.cubin)
        sl_emu_kernel_use_cubin(kernel, program->emu->config.cubin);
    if (status == SL_OK && !sl_array_push(&program->kernels, kernel))
        status = sl_fail_memory(error);
    if (status != SL_OK) {
        free(kernel->code.consts);
        sl_arena_fini(&kernel->arena);
        free(kernel);
        return status;
    }
    *result = kernel;
    return SL_OK;
}
