/* SPDX-License-Identifier: MIT */
/* Programs: modules linked together, their variables placed and initialized in device memory. */
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "emu/repetition.h"
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
                                                     const char *name, const sl_ptx_var *var)
{
    const struct sl_linked_variable *other = NULL;
    sl_multimap_for(&program->variable_names, name, i)
    {
        const struct sl_linked_variable *placed = &program->variable[i];
        if (placed->var == var)
            return placed;
        if (placed->var->owner || (var && var->owner))
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
    sl_multimap_for(&program->linked_names, name, i)
    {
        const struct sl_linked_function *linked = &program->linked.items[i];
        bool local = linked->module == module;
        if (!local && linked->func->linkage == SL_LINK_LOCAL)
            continue;
        if (!found || local) {
            found = linked->func;
            *found_in = linked->module;
        }
    }
    return found;
}

int64_t sl_program_function_handle(const sl_emu_program *program, const sl_ptx_func *func)
{
    sl_multimap_for(&program->linked_names, func->name, i)
    {
        if (program->linked.items[i].func == func)
            return program->linked.items[i].handle;
    }
    return -1;
}

uint32_t sl_program_scoped(const sl_emu_program *program, const sl_ptx_var *var)
{
    sl_index_for(&program->scoped_index, sl_address_key(var), at)
    {
        uint32_t item = sl_index_item(&program->scoped_index, at);
        if (program->scoped.items[item] == var)
            return item;
    }
    return UINT32_MAX;
}

const char *sl_emu_kernel_at(const sl_emu_program *program, uint64_t handle)
{
    uint64_t number = (handle - SL_FUNCTION_HANDLE_BASE) / 16 - program->functions;
    return handle >= SL_FUNCTION_HANDLE_BASE && handle % 16 == 0 && number < program->entries
               ? program->entry[number]->name
               : NULL;
}

/* Value of one initializer element: a number, or an address. */
static sl_status init_value(const sl_emu_program *program, const sl_ptx_module *module, const sl_ptx_var *var,
                            const sl_ptx_init *init, uint64_t *value, sl_error *error)
{
    *value = init->bits;
    if (!init->symbol)
        return SL_OK;
    uint64_t address;
    const sl_ptx_module *where;
    const struct sl_linked_variable *placed = sl_program_variable(program, module, init->symbol, NULL);
    const sl_ptx_func *func = placed ? NULL : sl_program_function(program, module, init->symbol, &where);
    if (placed)
        address = placed->addr;
    else if (func)
        address = (uint64_t)sl_program_function_handle(program, func);
    else
        return sl_fail_at(error, SL_NOT_FOUND, module->name, var->line, 0,
                          "the initializer of %s names %s, which is not defined", var->name, init->symbol);
    *value = address + init->bits;
    if (init->masked)
        *value = *value >> 8 * init->mask_shift & 0xff;
    return SL_OK;
}

static sl_status initialize(sl_emu_program *program, const struct sl_linked_variable *placed, sl_error *error)
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
                              "%s has more initializers than elements", var->name);
        memcpy(memory + (size_t)i * size, &value, size < 8 ? size : 8);
    }
    sl_heap_mark_written(program->emu->heap, placed->addr, var->bytes);
    return SL_OK;
}

/* Places a definition; once per name when weak or common. */
static sl_status allocate_variable(sl_emu_program *program, const sl_ptx_module *module, const sl_ptx_var *var,
                                   sl_error *error)
{
    if (!is_definition(var) || ((var->linkage == SL_LINK_WEAK || var->linkage == SL_LINK_COMMON) &&
                                sl_program_variable(program, NULL, var->name, NULL)))
        return SL_OK;
    uint64_t addr;
    sl_status status = sl_heap_alloc(program->emu->heap, var->bytes, var->managed ? SL_ALLOC_MANAGED : SL_ALLOC_SYMBOL,
                                     var->name, &addr, error);
    if (status != SL_OK)
        return status;
    program->variable[program->variables++] = (struct sl_linked_variable){var, module, addr};
    return sl_multimap_add(&program->variable_names, var->name) ? SL_OK : sl_fail_memory(error);
}

/* Those of modules, and those that functions declare for themselves. */
static sl_status allocate_variables(sl_emu_program *program, sl_error *error)
{
    size_t total = 0;
    for (size_t i = 0; i < program->modules; i++) {
        total += program->module[i]->vars;
        for (uint32_t f = 0; f < program->module[i]->funcs; f++)
            total += program->module[i]->func[f]->vars;
    }
    program->variable = sl_arena_array(&program->arena, struct sl_linked_variable, total + 1);
    sl_status status = program->variable ? SL_OK : sl_fail_memory(error);
    for (size_t i = 0; i < program->modules; i++) {
        const sl_ptx_module *module = program->module[i];
        for (uint32_t k = 0; k < module->vars && !status; k++)
            status = allocate_variable(program, module, module->var[k], error);
        for (uint32_t f = 0; f < module->funcs; f++)
            for (uint32_t k = 0; k < module->func[f]->vars && !status; k++)
                status = allocate_variable(program, module, module->func[f]->var[k], error);
    }
    for (uint32_t i = 0; i < program->variables && !status; i++)
        status = initialize(program, &program->variable[i], error);
    return status;
}

static bool add_function(sl_emu_program *program, const sl_ptx_module *module, const sl_ptx_func *func)
{
    struct sl_linked_function linked = {.func = func, .module = module};
    if (func->entry) {
        linked.handle = program->entries; /* those of functions come first: see finish_handles */
        program->entry[program->entries++] = func;
    } else {
        linked.handle = program->functions;
        program->function_module[program->functions] = module;
        program->function[program->functions++] = func;
    }
    return sl_array_push(&program->linked, linked) && sl_multimap_add(&program->linked_names, func->name);
}

static void finish_handles(sl_emu_program *program)
{
    for (size_t i = 0; i < program->linked.count; i++) {
        struct sl_linked_function *linked = &program->linked.items[i];
        int64_t number = linked->handle + (linked->func->entry ? program->functions : 0);
        linked->handle = SL_FUNCTION_HANDLE_BASE + 16 * number;
    }
}

static uint64_t scoped_key(const void *items, uint32_t item)
{
    return sl_address_key(((const sl_ptx_var *const *)items)[item]);
}

static bool add_scoped(sl_emu_program *program, const sl_ptx_var *var)
{
    if (var->space != SL_SPACE_SHARED && var->space != SL_SPACE_LOCAL)
        return true;
    return sl_array_push(&program->scoped, var) &&
           sl_index_add(&program->scoped_index, sl_address_key(var), (uint32_t)program->scoped.count - 1, scoped_key,
                        program->scoped.items);
}

/* Names and handles of what the modules define. */
static sl_status link_modules(sl_emu_program *program, sl_error *error)
{
    bool good = true;
    for (size_t i = 0; i < program->modules; i++) {
        const sl_ptx_module *module = program->module[i];
        for (uint32_t k = 0; k < module->funcs && good; k++)
            good = !module->func[k]->has_body || add_function(program, module, module->func[k]);
        for (uint32_t k = 0; k < module->vars && good; k++)
            good = add_scoped(program, module->var[k]);
    }
    finish_handles(program);
    return good ? SL_OK : sl_fail_memory(error);
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
        status = link_modules(program, error);
        if (status == SL_OK)
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
    sl_repetitions_clear(emu->repetitions);
    for (size_t i = 0; i < program->kernels.count; i++) {
        free(program->kernels.items[i]->code.consts);
        sl_arena_fini(&program->kernels.items[i]->arena);
        free(program->kernels.items[i]);
    }
    sl_array_free(&program->kernels);
    sl_map_fini(&program->kernel_names);
    sl_multimap_fini(&program->variable_names);
    sl_multimap_fini(&program->linked_names);
    sl_array_free(&program->linked);
    sl_array_free(&program->scoped);
    sl_index_fini(&program->scoped_index);
    for (uint32_t i = 0; i < program->variables; i++)
        sl_heap_free(emu->heap, program->variable[i].addr, NULL);
    sl_arena_fini(&program->arena);
    free(program);
}

bool sl_emu_has_kernel(const sl_emu_program *program, const char *name)
{
    sl_multimap_for(&program->linked_names, name, i)
    {
        if (program->linked.items[i].func->entry)
            return true;
    }
    return false;
}

sl_status sl_emu_symbol(const sl_emu_program *program, const char *name, uint64_t *addr, uint64_t *bytes,
                        sl_error *error)
{
    sl_multimap_for(&program->variable_names, name, i)
    {
        if (program->variable[i].var->owner)
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
    sl_emu_kernel *known = sl_map_get(&program->kernel_names, name, strlen(name));
    if (known) {
        *result = known;
        return SL_OK;
    }
    const sl_ptx_module *module;
    const sl_ptx_func *func = sl_program_function(program, NULL, name, &module);
    uint32_t hidden = func ? 0 : sl_multimap_first(&program->linked_names, name);
    if (hidden) /* kernels without .visible */
        func = program->linked.items[hidden - 1].func;
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
    if (status == SL_OK && !sl_map_put(&program->kernel_names, func->name, strlen(func->name), kernel))
        status = sl_fail_memory(error);
    if (status == SL_OK && !sl_array_push(&program->kernels, kernel)) {
        sl_map_put(&program->kernel_names, func->name, strlen(func->name), NULL);
        status = sl_fail_memory(error);
    }
    if (status != SL_OK) {
        free(kernel->code.consts);
        sl_arena_fini(&kernel->arena);
        free(kernel);
        return status;
    }
    *result = kernel;
    return SL_OK;
}
