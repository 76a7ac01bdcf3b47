/* SPDX-License-Identifier: MIT */
/* Prints a module as PTX text that parses to an equal module: comments and layout are lost, nothing else is. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "ptx/module.h"

typedef struct printer {
    SL_ARRAY(char) text;
    bool failed; /* out of memory: what follows is discarded */
    uint32_t indent;
    const sl_ptx_func *func;
} printer;

static void print_text(printer *out, const char *text)
{
    size_t length = strlen(text);
    if (out->failed || !sl_array_reserve(&out->text, length + 1)) {
        out->failed = true;
        return;
    }
    memcpy(out->text.items + out->text.count, text, length + 1);
    out->text.count += length;
}

static SL_PRINTF(2, 3) void print_format(printer *out, const char *format, ...)
{
    char text[64];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    print_text(out, text);
}

static void print_indent(printer *out)
{
    for (uint32_t i = 0; i < out->indent; i++)
        print_text(out, "\t");
}

/* ---- operands ---- */

static void print_operand(printer *out, const sl_ptx_operand *operand);

static void print_items(printer *out, const char *open, const sl_ptx_operand *items, uint32_t count,
                        const char *between, const char *close)
{
    print_text(out, open);
    for (uint32_t i = 0; i < count; i++) {
        if (i)
            print_text(out, between);
        print_operand(out, &items[i]);
    }
    print_text(out, close);
}

static void print_offset(printer *out, uint64_t offset)
{
    if (offset)
        print_format(out, "+%" PRId64, (int64_t)offset);
}

static void print_register(printer *out, const sl_ptx_operand *operand)
{
    static const char *const elements[] = {".x", ".y", ".z", ".w", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1"};
    const sl_ptx_reg *reg = &out->func->reg[operand->reg];
    if (operand->negated)
        print_text(out, reg->type == SL_T_PRED ? "!" : "-");
    print_text(out, reg->name);
    if (operand->element >= 0)
        print_text(out, elements[operand->element]);
}

static void print_operand(printer *out, const sl_ptx_operand *operand)
{
    switch ((sl_ptx_operand_kind)operand->kind) {
    case SL_OPD_REG:
        print_register(out, operand);
        break;
    case SL_OPD_SPECIAL:
        if (operand->negated)
            print_text(out, "!");
        print_text(out, sl_ptx_special_text(operand->special));
        break;
    case SL_OPD_INT:
    case SL_OPD_F32:
    case SL_OPD_F64:
        print_text(out, operand->text);
        break;
    case SL_OPD_SYMBOL:
        print_text(out, operand->name);
        print_offset(out, operand->bits);
        break;
    case SL_OPD_ADDRESS:
        print_text(out, "[");
        print_operand(out, &operand->items[0]);
        print_offset(out, operand->bits);
        print_items(out, operand->count > 1 ? ", " : "", operand->items + 1, operand->count - 1, ", ", "]");
        if (operand->text) {
            print_text(out, ".");
            print_text(out, operand->text);
        }
        break;
    case SL_OPD_VECTOR:
        print_items(out, "{", operand->items, operand->count, ", ", "}");
        break;
    case SL_OPD_PAIR:
        print_items(out, "", operand->items, operand->count, "|", "");
        break;
    case SL_OPD_LIST:
        print_items(out, "(", operand->items, operand->count, ", ", ")");
        break;
    case SL_OPD_DISCARD:
        print_text(out, "_");
        break;
    }
}

static void print_inst(printer *out, const sl_ptx_inst *inst)
{
    print_indent(out);
    if (inst->guarded) {
        print_text(out, inst->guard_negated ? "@!" : "@");
        print_text(out, out->func->reg[inst->guard].name);
        print_text(out, " ");
    }
    print_text(out, inst->mnemonic);
    for (uint32_t i = 0; i < inst->mods; i++) {
        print_text(out, ".");
        print_text(out, inst->mod[i].text);
    }
    if (inst->operands)
        print_items(out, " ", inst->operand, inst->operands, ", ", "");
    print_text(out, ";\n");
}

/* ---- declarations ---- */

static void print_linkage(printer *out, sl_ptx_linkage linkage)
{
    static const char *const texts[] = {[SL_LINK_LOCAL] = "",
                                        [SL_LINK_EXTERN] = ".extern ",
                                        [SL_LINK_VISIBLE] = ".visible ",
                                        [SL_LINK_WEAK] = ".weak ",
                                        [SL_LINK_COMMON] = ".common "};
    print_text(out, texts[linkage]);
}

static void print_init(printer *out, const sl_ptx_init *init)
{
    if (init->key) {
        print_text(out, init->key);
        print_text(out, " = ");
        print_text(out, init->text);
        return;
    }
    if (!init->symbol) {
        print_text(out, init->text);
        return;
    }
    if (init->masked) {
        print_text(out, init->text);
        print_text(out, "(");
    }
    print_text(out, init->generic ? "generic(" : "");
    print_text(out, init->symbol);
    print_text(out, init->generic ? ")" : "");
    print_offset(out, init->bits);
    print_text(out, init->masked ? ")" : "");
}

/* Each row gets braces: assemblers do not take a matrix as one list. */
static void print_inits(printer *out, const sl_ptx_var *var)
{
    uint64_t row[6], size = 1; /* elements below each level of braces */
    uint32_t levels = var->dims + (var->vector > 1);
    bool keyed = var->init[0].key != NULL;
    for (uint32_t i = levels; i-- > 0;) {
        row[i] = size;
        size *= i == var->dims ? var->vector : var->dim[i];
    }
    print_text(out, levels || keyed ? " = {" : " = ");
    for (uint32_t i = 0; i < var->inits; i++) {
        if (i)
            print_text(out, i % 16 ? ", " : ",\n\t");
        for (uint32_t k = 0; k + 1 < levels; k++)
            print_text(out, i % row[k] ? "" : "{");
        print_init(out, &var->init[i]);
        for (uint32_t k = 0; k + 1 < levels; k++)
            print_text(out, (i + 1) % row[k] ? "" : "}");
    }
    print_text(out, levels || keyed ? "}" : "");
}

static void print_var(printer *out, const sl_ptx_var *var)
{
    static const char *const spaces[] = {
        [SL_SPACE_NONE] = "",          [SL_SPACE_REG] = ".reg",     [SL_SPACE_GLOBAL] = ".global",
        [SL_SPACE_SHARED] = ".shared", [SL_SPACE_LOCAL] = ".local", [SL_SPACE_CONST] = ".const",
        [SL_SPACE_PARAM] = ".param",   [SL_SPACE_TEX] = ".tex"};
    print_linkage(out, var->linkage);
    print_text(out, spaces[var->space]);
    if (var->attributes) {
        print_text(out, " ");
        print_text(out, var->attributes);
    }
    if (var->align_written)
        print_format(out, " .align %u", var->align);
    if (var->vector > 1)
        print_format(out, " .v%u", var->vector);
    print_format(out, " .%s ", sl_ptx_type_text(var->type));
    if (var->pointee) {
        print_text(out, var->pointee);
        print_text(out, " ");
    }
    print_text(out, var->name);
    for (uint32_t i = 0; i < var->dims; i++) {
        if (var->dim[i])
            print_format(out, "[%" PRIu64 "]", var->dim[i]);
        else
            print_text(out, "[]");
    }
    if (var->init)
        print_inits(out, var);
}

static void print_params(printer *out, sl_ptx_var *const *params, uint32_t count)
{
    print_text(out, "(");
    for (uint32_t i = 0; i < count; i++) {
        print_text(out, i ? ",\n\t" : "");
        print_var(out, params[i]);
    }
    print_text(out, ")");
}

static void print_signature(printer *out, const sl_ptx_func *func)
{
    if (func->attributes) {
        print_text(out, " ");
        print_text(out, func->attributes);
    }
    if (func->returns) {
        print_text(out, " ");
        print_params(out, func->ret, func->returns);
    }
    print_text(out, " ");
    print_text(out, func->name);
    print_text(out, " ");
    print_params(out, func->param, func->params);
    for (uint32_t i = 0; i < func->directives; i++) {
        print_text(out, "\n");
        print_text(out, func->directive[i]);
    }
}

static void print_label(printer *out, const sl_ptx_label *label)
{
    print_text(out, label->name);
    print_text(out, ":");
    switch ((sl_ptx_label_kind)label->kind) {
    case SL_LABEL_CODE:
        break;
    case SL_LABEL_BRANCH_TARGETS:
    case SL_LABEL_CALL_TARGETS:
        print_text(out, label->kind == SL_LABEL_BRANCH_TARGETS ? " .branchtargets" : " .calltargets");
        for (uint32_t i = 0; i < label->targets; i++) {
            print_text(out, i ? ", " : " ");
            print_text(out, label->target[i]);
        }
        print_text(out, ";");
        break;
    case SL_LABEL_CALL_PROTOTYPE:
        print_text(out, " .callprototype");
        print_signature(out, label->prototype);
        print_text(out, ";");
        break;
    }
    print_text(out, "\n");
}

static void print_stmt(printer *out, const sl_ptx_stmt *stmt)
{
    switch ((sl_ptx_stmt_kind)stmt->kind) {
    case SL_STMT_INST:
        print_inst(out, &out->func->inst[stmt->index]);
        break;
    case SL_STMT_LABEL:
        print_label(out, &out->func->label[stmt->index]);
        break;
    case SL_STMT_VAR:
        print_indent(out);
        print_var(out, out->func->var[stmt->index]);
        print_text(out, ";\n");
        break;
    case SL_STMT_OPEN:
        print_indent(out);
        print_text(out, "{\n");
        out->indent++;
        break;
    case SL_STMT_CLOSE:
        out->indent--;
        print_indent(out);
        print_text(out, "}\n");
        break;
    case SL_STMT_REG:
    case SL_STMT_LOC:
    case SL_STMT_DIRECTIVE:
        print_indent(out);
        print_text(out, stmt->text);
        print_text(out, "\n");
        break;
    }
}

static void print_func(printer *out, const sl_ptx_func *func)
{
    out->func = func;
    print_text(out, "\n");
    print_linkage(out, func->linkage);
    print_text(out, func->entry ? ".entry" : ".func");
    print_signature(out, func);
    if (func->has_body) {
        print_text(out, "\n{\n");
        out->indent = 1;
        for (uint32_t i = 0; i < func->stmts; i++)
            print_stmt(out, &func->stmt[i]);
        print_text(out, "}\n");
    } else {
        print_text(out, ";\n");
    }
}

sl_status sl_ptx_print(const sl_ptx_module *module, char **text, size_t *length, sl_error *error)
{
    printer out = {0};
    print_format(&out, ".version %u.%u\n", module->version_major, module->version_minor);
    if (*module->target) {
        print_text(&out, ".target ");
        print_text(&out, module->target);
        print_text(&out, "\n");
    }
    print_format(&out, ".address_size %u\n\n", module->address_size);
    for (uint32_t i = 0; i < module->items; i++) {
        const sl_ptx_item *item = &module->item[i];
        switch ((sl_ptx_item_kind)item->kind) {
        case SL_ITEM_VAR:
            print_var(&out, item->var);
            print_text(&out, ";\n");
            break;
        case SL_ITEM_FUNC:
            print_func(&out, item->func);
            break;
        case SL_ITEM_DIRECTIVE:
            print_text(&out, item->text);
            print_text(&out, "\n");
            break;
        }
    }
    if (out.failed) {
        sl_array_free(&out.text);
        return sl_fail_memory(error);
    }
    *text = out.text.items;
    *length = out.text.count;
    return SL_OK;
}
