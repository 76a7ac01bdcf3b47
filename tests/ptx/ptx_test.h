/* SPDX-License-Identifier: MIT */
/* Helpers of the PTX tests: parsing text that must be right, and comparing modules part by part. */
#ifndef SL_TESTS_PTX_TEST_H
#define SL_TESTS_PTX_TEST_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/module.h"
#include "support.h"

#define PTX_HEAD ".version 7.8\n.target sm_80\n.address_size 64\n"
/* A kernel with the usual registers around `body`, whose first line is line 10. */
#define PTX_KERNEL(body)                                                                                               \
    PTX_HEAD ".visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)\n{\n"                                  \
             ".reg .pred %p<9>;\n.reg .b32 %r<30>, %x;\n.reg .b64 %rd<30>;\n.reg .f32 %f<30>;\n" body "\n}\n"

static inline sl_ptx_module *parse_text(const char *text)
{
    sl_ptx_module *module;
    sl_error error;
    char message[2048];
    if (sl_ptx_parse(text, strlen(text), "t.ptx", &module, &error) != SL_OK)
        fail_msg("%s", sl_error_format(&error, message, sizeof message));
    return module;
}

static inline const sl_ptx_func *kernel_of(const sl_ptx_module *module)
{
    const sl_ptx_func *func = sl_ptx_find(module, "k");
    assert_non_null(func);
    return func;
}

static inline const sl_ptx_var *var_of(const sl_ptx_module *module, const char *name)
{
    for (uint32_t i = 0; i < module->vars; i++)
        if (!strcmp(module->var[i]->name, name))
            return module->var[i];
    fail_msg("no variable %s", name);
    return NULL;
}

static inline char *read_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("cannot open %s", path);
    fseek(file, 0, SEEK_END);
    *length = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(*length + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, *length, file), *length);
    text[*length] = 0;
    fclose(file);
    return text;
}

static inline void assert_same_text(const char *a, const char *b)
{
    if (!a || !b)
        assert_true(!a && !b);
    else
        assert_string_equal(a, b);
}

static inline void assert_same_var(const sl_ptx_var *a, const sl_ptx_var *b)
{
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->space, b->space);
    assert_int_equal(a->linkage, b->linkage);
    assert_int_equal(a->type, b->type);
    assert_int_equal(a->vector, b->vector);
    assert_int_equal(a->align, b->align);
    assert_int_equal(a->align_written, b->align_written);
    assert_int_equal(a->dims, b->dims);
    assert_memory_equal(a->dim, b->dim, sizeof a->dim);
    assert_int_equal(a->bytes, b->bytes);
    assert_int_equal(a->managed, b->managed);
    assert_int_equal(a->index, b->index);
    assert_int_equal(a->offset, b->offset);
    assert_same_text(a->attributes, b->attributes);
    assert_same_text(a->pointee, b->pointee);
    assert_int_equal(a->inits, b->inits);
    for (uint32_t i = 0; i < a->inits; i++) {
        const sl_ptx_init *x = &a->init[i], *y = &b->init[i];
        assert_int_equal(x->bits, y->bits);
        assert_same_text(x->symbol, y->symbol);
        assert_same_text(x->key, y->key);
        assert_same_text(x->text, y->text);
        assert_int_equal(x->generic, y->generic);
        assert_int_equal(x->masked, y->masked);
        assert_int_equal(x->mask_shift, y->mask_shift);
    }
}

static inline void assert_same_operands(const sl_ptx_operand *a, uint32_t a_count, const sl_ptx_operand *b,
                                        uint32_t b_count)
{
    assert_int_equal(a_count, b_count);
    for (uint32_t i = 0; i < a_count; i++) {
        assert_int_equal(a[i].kind, b[i].kind);
        assert_int_equal(a[i].negated, b[i].negated);
        assert_int_equal(a[i].element, b[i].element);
        assert_int_equal(a[i].special, b[i].special);
        assert_int_equal(a[i].reg, b[i].reg);
        assert_int_equal(a[i].bits, b[i].bits);
        assert_int_equal(a[i].label, b[i].label);
        assert_same_text(a[i].name, b[i].name);
        assert_same_text(a[i].text, b[i].text);
        assert_int_equal(a[i].var != NULL, b[i].var != NULL);
        if (a[i].var)
            assert_string_equal(a[i].var->name, b[i].var->name);
        assert_same_operands(a[i].items, a[i].count, b[i].items, b[i].count);
    }
}

static inline void assert_same_inst(const sl_ptx_inst *a, const sl_ptx_inst *b)
{
    assert_int_equal(a->op, b->op);
    assert_string_equal(a->mnemonic, b->mnemonic);
    assert_int_equal(a->guarded, b->guarded);
    assert_int_equal(a->guard_negated, b->guard_negated);
    assert_int_equal(a->guard, b->guard);
    assert_int_equal(a->loc_file, b->loc_file);
    assert_int_equal(a->loc_line, b->loc_line);
    assert_int_equal(a->loc_column, b->loc_column);
    assert_int_equal(a->mods, b->mods);
    for (uint32_t i = 0; i < a->mods; i++) {
        assert_int_equal(a->mod[i].id, b->mod[i].id);
        assert_string_equal(a->mod[i].text, b->mod[i].text);
    }
    assert_same_operands(a->operand, a->operands, b->operand, b->operands);
}

static inline void assert_same_func(const sl_ptx_func *a, const sl_ptx_func *b);

static inline void assert_same_label(const sl_ptx_label *a, const sl_ptx_label *b)
{
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->inst, b->inst);
    assert_int_equal(a->targets, b->targets);
    for (uint32_t i = 0; i < a->targets; i++) {
        assert_string_equal(a->target[i], b->target[i]);
        if (a->target_label)
            assert_int_equal(a->target_label[i], b->target_label[i]);
    }
    assert_int_equal(a->prototype != NULL, b->prototype != NULL);
    if (a->prototype)
        assert_same_func(a->prototype, b->prototype);
}

static inline void assert_same_body(const sl_ptx_func *a, const sl_ptx_func *b)
{
    assert_int_equal(a->regs, b->regs);
    for (uint32_t i = 0; i < a->regs; i++) {
        assert_string_equal(a->reg[i].name, b->reg[i].name);
        assert_int_equal(a->reg[i].type, b->reg[i].type);
        assert_int_equal(a->reg[i].vector, b->reg[i].vector);
    }
    assert_int_equal(a->insts, b->insts);
    for (uint32_t i = 0; i < a->insts; i++)
        assert_same_inst(&a->inst[i], &b->inst[i]);
    assert_int_equal(a->labels, b->labels);
    for (uint32_t i = 0; i < a->labels; i++)
        assert_same_label(&a->label[i], &b->label[i]);
    assert_int_equal(a->vars, b->vars);
    for (uint32_t i = 0; i < a->vars; i++)
        assert_same_var(a->var[i], b->var[i]);
    assert_int_equal(a->stmts, b->stmts);
    for (uint32_t i = 0; i < a->stmts; i++) {
        assert_int_equal(a->stmt[i].kind, b->stmt[i].kind);
        assert_int_equal(a->stmt[i].index, b->stmt[i].index);
        assert_same_text(a->stmt[i].text, b->stmt[i].text);
    }
}

static inline void assert_same_func(const sl_ptx_func *a, const sl_ptx_func *b)
{
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->entry, b->entry);
    assert_int_equal(a->has_body, b->has_body);
    assert_int_equal(a->noreturn, b->noreturn);
    assert_int_equal(a->linkage, b->linkage);
    assert_int_equal(a->param_bytes, b->param_bytes);
    assert_int_equal(a->returns, b->returns);
    assert_int_equal(a->params, b->params);
    for (uint32_t i = 0; i < a->returns; i++)
        assert_same_var(a->ret[i], b->ret[i]);
    for (uint32_t i = 0; i < a->params; i++)
        assert_same_var(a->param[i], b->param[i]);
    assert_same_text(a->attributes, b->attributes);
    assert_int_equal(a->directives, b->directives);
    for (uint32_t i = 0; i < a->directives; i++)
        assert_string_equal(a->directive[i], b->directive[i]);
    assert_memory_equal(a->maxntid, b->maxntid, sizeof a->maxntid);
    assert_memory_equal(a->reqntid, b->reqntid, sizeof a->reqntid);
    assert_int_equal(a->minnctapersm, b->minnctapersm);
    assert_int_equal(a->maxnreg, b->maxnreg);
    assert_same_body(a, b);
}

static inline void assert_same_module(const sl_ptx_module *a, const sl_ptx_module *b)
{
    assert_int_equal(a->version_major, b->version_major);
    assert_int_equal(a->version_minor, b->version_minor);
    assert_string_equal(a->target, b->target);
    assert_int_equal(a->sm, b->sm);
    assert_int_equal(a->address_size, b->address_size);
    assert_int_equal(a->files, b->files);
    for (uint32_t i = 0; i < a->files; i++) {
        assert_int_equal(a->file[i].number, b->file[i].number);
        assert_string_equal(a->file[i].name, b->file[i].name);
    }
    assert_int_equal(a->aliases, b->aliases);
    assert_int_equal(a->items, b->items);
    for (uint32_t i = 0; i < a->items; i++) {
        assert_int_equal(a->item[i].kind, b->item[i].kind);
        assert_same_text(a->item[i].text, b->item[i].text);
        if (a->item[i].var)
            assert_same_var(a->item[i].var, b->item[i].var);
        if (a->item[i].func)
            assert_same_func(a->item[i].func, b->item[i].func);
    }
}

/* Parses, prints, parses and prints again: the modules must be equal and so must the texts. */
static inline void assert_round_trip(const char *text, size_t length, const char *name)
{
    sl_ptx_module *first, *second;
    sl_error error;
    char message[2048], *printed, *again;
    size_t printed_length, again_length;
    if (sl_ptx_parse(text, length, name, &first, &error) != SL_OK)
        fail_msg("%s", sl_error_format(&error, message, sizeof message));
    assert_int_equal(sl_ptx_print(first, &printed, &printed_length, &error), SL_OK);
    if (sl_ptx_parse(printed, printed_length, "printed", &second, &error) != SL_OK)
        fail_msg("%s: %s", name, sl_error_format(&error, message, sizeof message));
    assert_same_module(first, second);
    assert_int_equal(sl_ptx_print(second, &again, &again_length, &error), SL_OK);
    assert_string_equal(printed, again);
    free(printed);
    free(again);
    sl_ptx_free(first);
    sl_ptx_free(second);
}

#endif
