/* SPDX-License-Identifier: MIT */
/* Where variables go: those of all functions of a kernel in shared memory, those of one function in its local frame. */
#include <stdlib.h>

#include "emu/decode.h"

enum {
    MAX_LOCAL_BYTES = 512 << 10, /* per thread, as CUDA has it */
    MAX_SHARED_BYTES = 1 << 24,  /* more than any GPU has: launches check the real limit */
};

static uint64_t align_up(uint64_t x, uint64_t to)
{
    return to ? (x + to - 1) / to * to : x;
}

/* Where a variable goes behind others, with its size added to theirs; both stay below the limit. */
static uint32_t append_variable(sl_decoder *d, const sl_ptx_var *var, uint32_t *bytes, uint64_t limit,
                                const char *memory)
{
    uint64_t offset = align_up(*bytes, var->align);
    if (offset > limit || var->bytes > limit - offset)
        sl_decode_refuse(d, "%s does not fit %s memory of %llu bytes", var->name, memory, (unsigned long long)limit);
    *bytes = (uint32_t)(offset + var->bytes);
    return (uint32_t)offset;
}

uint32_t sl_decode_shared_offset(sl_decoder *d, const sl_ptx_var *var)
{
    bool dynamic = var->linkage == SL_LINK_EXTERN && var->bytes == 0;
    sl_multimap_for(&d->shared_names, var->name, i)
    {
        const sl_ptx_var *known = d->shared.items[i].var;
        if (known == var || (var->linkage != SL_LINK_LOCAL && known->linkage != SL_LINK_LOCAL))
            return d->shared.items[i].offset;
    }
    if (dynamic)
        return UINT32_MAX; /* placed last, see sl_decode_allocate_shared */
    sl_decode_refuse(d, "shared variable %s is not declared where it can be seen", var->name);
}

static void add_mentioned(sl_decoder *d, const sl_ptx_operand *operand)
{
    uint32_t scoped = operand->var ? sl_program_scoped(d->program, operand->var) : UINT32_MAX;
    if (scoped != UINT32_MAX && !sl_array_push(&d->scoped, scoped))
        sl_decode_memory_out(d);
    for (uint32_t i = 0; i < operand->count; i++)
        add_mentioned(d, &operand->items[i]);
}

static int ascending(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* Which of the program's `scoped` variables a function mentions, in their order. */
static void find_scoped(sl_decoder *d, const sl_ptx_func *func)
{
    size_t kept = 0;
    d->scoped.count = 0;
    for (uint32_t i = 0; i < func->insts && d->program->scoped.count; i++)
        for (uint32_t k = 0; k < func->inst[i].operands; k++)
            add_mentioned(d, &func->inst[i].operand[k]);
    if (d->scoped.count)
        qsort(d->scoped.items, d->scoped.count, sizeof *d->scoped.items, ascending);
    for (size_t i = 0; i < d->scoped.count; i++)
        if (!kept || d->scoped.items[kept - 1] != d->scoped.items[i])
            d->scoped.items[kept++] = d->scoped.items[i];
    d->scoped.count = kept;
}

/* Places a static variable behind `*offset`; a dynamic array is placed last. */
static void add_shared(sl_decoder *d, const sl_ptx_var *var, uint32_t *offset)
{
    sl_multimap_for(&d->shared_names, var->name, i)
    {
        if (d->shared.items[i].var == var)
            return;
    }
    uint32_t at = var->bytes ? append_variable(d, var, offset, MAX_SHARED_BYTES, "shared") : 0;
    struct sl_shared_var added = {var, at};
    if (!sl_array_push(&d->shared, added) || !sl_multimap_add(&d->shared_names, var->name))
        sl_decode_memory_out(d);
}

/* Shared variables of every function the kernel reaches: static ones first, then the dynamic array. */
void sl_decode_allocate_shared(sl_decoder *d)
{
    uint32_t offset = 0, alignment = 16;
    for (int pass = 0; pass < 2; pass++) { /* 0: static, 1: dynamic */
        for (uint32_t f = 0; f < d->functions.count; f++) {
            const sl_ptx_func *func = d->functions.items[f].func;
            find_scoped(d, func);
            for (uint32_t i = 0; i < func->vars + d->scoped.count; i++) {
                const sl_ptx_var *var =
                    i < func->vars ? func->var[i] : d->program->scoped.items[d->scoped.items[i - func->vars]];
                bool dynamic = var->bytes == 0;
                if (var->space != SL_SPACE_SHARED || dynamic != (pass == 1))
                    continue;
                if (dynamic && var->align > alignment)
                    alignment = var->align;
                add_shared(d, var, &offset);
            }
        }
        if (pass == 0)
            d->kernel->code.static_shared_bytes = offset;
    }
    uint32_t dynamic_offset = (uint32_t)align_up(offset, alignment);
    d->kernel->code.dynamic_shared_offset = dynamic_offset;
    for (size_t i = 0; i < d->shared.count; i++)
        if (d->shared.items[i].var->bytes == 0)
            d->shared.items[i].offset = dynamic_offset;
}

/* Local variables of modules: a thread has them once, in front of the kernel's frame. */
void sl_decode_allocate_module_locals(sl_decoder *d)
{
    d->module_local_plus = sl_decode_need(d, sl_arena_array(d->arena, uint32_t, d->program->scoped.count + 1));
    for (uint32_t f = 0; f < d->functions.count; f++) {
        find_scoped(d, d->functions.items[f].func);
        for (size_t i = 0; i < d->scoped.count; i++) {
            const sl_ptx_var *var = d->program->scoped.items[d->scoped.items[i]];
            uint32_t *plus = &d->module_local_plus[d->scoped.items[i]];
            if (var->space == SL_SPACE_LOCAL && !*plus)
                *plus = 1 + append_variable(d, var, &d->module_local_bytes, MAX_LOCAL_BYTES, "local");
        }
    }
}

uint32_t sl_decode_module_local(sl_decoder *d, const sl_ptx_var *var)
{
    uint32_t scoped = sl_program_scoped(d->program, var);
    if (scoped == UINT32_MAX || !d->module_local_plus[scoped])
        sl_decode_refuse(d, "local variable %s is not declared where it can be seen", var->name);
    return d->module_local_plus[scoped] - 1;
}

uint32_t sl_decode_local_offset(sl_decoder *d, const sl_ptx_var *var)
{
    sl_index_for(&d->local_index, sl_address_key(var), at)
    {
        const struct sl_local_var *known = &d->local[sl_index_item(&d->local_index, at)];
        if (known->var == var)
            return known->offset;
    }
    sl_decode_refuse(d, "%s is not a variable of this function", var->name);
}

static uint64_t local_key(const void *items, uint32_t item)
{
    return sl_address_key(((const struct sl_local_var *)items)[item].var);
}

static uint32_t add_local(sl_decoder *d, const sl_ptx_var *var)
{
    uint32_t offset = append_variable(d, var, &d->local_bytes, MAX_LOCAL_BYTES, "local");
    d->local[d->local_vars++] = (struct sl_local_var){var, offset};
    if (!sl_index_add(&d->local_index, sl_address_key(var), d->local_vars - 1, local_key, d->local))
        sl_decode_memory_out(d);
    return offset;
}

/* The local frame: formals of a device function, then its .local and .param variables. */
void sl_decode_allocate_locals(sl_decoder *d, sl_code_function *function)
{
    const sl_ptx_func *func = d->func;
    d->local =
        sl_decode_need(d, sl_arena_array(d->arena, struct sl_local_var, func->vars + func->params + func->returns + 1));
    d->local_vars = 0;
    d->local_bytes = d->function == 0 ? d->module_local_bytes : 0;
    sl_index_fini(&d->local_index);
    function->params = func->params;
    function->rets = func->returns;
    uint32_t formals = func->params + func->returns;
    function->param_offset = sl_decode_need(d, sl_arena_array(d->arena, uint32_t, formals + 1));
    function->param_bytes = sl_decode_need(d, sl_arena_array(d->arena, uint32_t, formals + 1));
    for (uint32_t i = 0; i < formals && !func->entry; i++) {
        const sl_ptx_var *var = i < func->params ? func->param[i] : func->ret[i - func->params];
        if (var->space == SL_SPACE_REG)
            sl_decode_refuse(d, "a parameter of this type in a register");
        function->param_offset[i] = add_local(d, var);
        function->param_bytes[i] = (uint32_t)var->bytes;
    }
    for (uint32_t i = 0; i < func->vars; i++)
        if (func->var[i]->space == SL_SPACE_LOCAL || func->var[i]->space == SL_SPACE_PARAM)
            add_local(d, func->var[i]);
    function->local_bytes = (uint32_t)align_up(d->local_bytes, 16);
}
