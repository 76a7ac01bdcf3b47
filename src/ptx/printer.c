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

static void put(printer *out, const char *text)
{
    size_t length = strlen(text);
    if (out->failed || !sl_array_reserve(&out->text, length + 1)) {
        out->failed = true;
        return;
    }
    memcpy(out->text.items + out->text.count, text, length + 1);
    out->text.count += length;
}

static SL_PRINTF(2, 3) void put_format(printer *out, const char *format, ...)
{
    char text[64];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    put(out, text);
}

static void put_indent(printer *out)
{
    for (uint32_t i = 0; i < out->indent; i++)
        put(out, "\t");
}

/* ---- operands ---- */

static void put_operand(printer *out, const sl_ptx_operand *operand);

static void put_items(printer *out, const char *open, const sl_ptx_operand *items, uint32_t count, const char *between,
                      const char *close)
{
    put(out, open);
    for (uint32_t i = 0; i < count; i++) {
        if (i)
            put(out, between);
        put_operand(out, &items[i]);
    }
    put(out, close);
}

static void put_offset(printer *out, uint64_t offset)
{
    if (offset)
        put_format(out, "+%" PRId64, (int64_t)offset);
}

static void put_register(printer *out, const sl_ptx_operand *operand)
{
    static const char *const elements[] = {".x", ".y", ".z", ".w", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1"};
    const sl_ptx_reg *reg = &out->func->reg[operand->reg];
    if (operand->negated)
        put(out, reg->type == SL_T_PRED ? "!" : "-");
    put(out, reg->name);
    if (operand->element >= 0)
        put(out, elements[operand->element]);
}

static void put_operand(printer *out, const sl_ptx_operand *operand)
{
    switch ((sl_ptx_operand_kind)operand->kind) {
    case SL_OPD_REG:
        put_register(out, operand);
        break;
    case SL_OPD_SPECIAL:
        if (operand->negated)
            put(out, "!");
        put(out, sl_ptx_special_text(operand->special));
        break;
    case SL_OPD_INT:
    case SL_OPD_F32:
    case SL_OPD_F64:
        put(out, operand->text);
        break;
    case SL_OPD_SYMBOL:
        put(out, operand->name);
        put_offset(out, operand->bits);
        break;
    case SL_OPD_ADDRESS:
        put(out, "[");
        put_operand(out, &operand->items[0]);
        put_offset(out, operand->bits);
        put_items(out, operand->count > 1 ? ", " : "", operand->items + 1, operand->count - 1, ", ", "]");
        if (operand->text) {
            put(out, ".");
            put(out, operand->text);
        }
        break;
    case SL_OPD_VECTOR:
        put_items(out, "{", operand->items, operand->count, ", ", "}");
        break;
    case SL_OPD_PAIR:
        put_items(out, "", operand->items, operand->count, "|", "");
        break;
    case SL_OPD_LIST:
        put_items(out, "(", operand->items, operand->count, ", ", ")");
        break;
    case SL_OPD_DISCARD:
        put(out, "_");
        break;
    }
}

static void put_inst(printer *out, const sl_ptx_inst *inst)
{
    put_indent(out);
    if (inst->guarded) {
        put(out, inst->guard_negated ? "@!" : "@");
        put(out, out->func->reg[inst->guard].name);
        put(out, " ");
    }
    put(out, inst->mnemonic);
    for (uint32_t i = 0; i < inst->mods; i++) {
        put(out, ".");
        put(out, inst->mod[i].text);
    }
    if (inst->operands)
        put_items(out, " ", inst->operand, inst->operands, ", ", "");
    put(out, ";\n");
}

/* ---- declarations ---- */

static void put_linkage(printer *out, sl_ptx_linkage linkage)
{
    static const char *const texts[] = {[SL_LINK_LOCAL] = "",
                                        [SL_LINK_EXTERN] = ".extern ",
                                        [SL_LINK_VISIBLE] = ".visible ",
                                        [SL_LINK_WEAK] = ".weak ",
                                        [SL_LINK_COMMON] = ".common "};
    put(out, texts[linkage]);
}

static void put_init(printer *out, const sl_ptx_init *init)
{
    if (init->key) {
        put(out, init->key);
        put(out, " = ");
        put(out, init->text);
        return;
    }
    if (!init->symbol) {
        put(out, init->text);
        return;
    }
    if (init->masked) {
        put(out, init->text);
        put(out, "(");
    }
    put(out, init->generic ? "generic(" : "");
    put(out, init->symbol);
    put(out, init->generic ? ")" : "");
    put_offset(out, init->bits);
    put(out, init->masked ? ")" : "");
}

/* Each row gets braces: assemblers do not take a matrix as one list. */
static void put_inits(printer *out, const sl_ptx_var *var)
{
    uint64_t row[6], size = 1; /* elements below each level of braces */
    uint32_t levels = var->dims + (var->vector > 1);
    bool keyed = var->init[0].key != NULL;
    for (uint32_t i = levels; i-- > 0;) {
        row[i] = size;
        size *= i == var->dims ? var->vector : var->dim[i];
    }
    put(out, levels || keyed ? " = {" : " = ");
    for (uint32_t i = 0; i < var->inits; i++) {
        if (i)
            put(out, i % 16 ? ", " : ",\n\t");
        for (uint32_t k = 0; k + 1 < levels; k++)
            put(out, i % row[k] ? "" : "{");
        put_init(out, &var->init[i]);
        for (uint32_t k = 0; k + 1 < levels; k++)
            put(out, (i + 1) % row[k] ? "" : "}");
    }
    put(out, levels || keyed ? "}" : "");
}

static void put_var(printer *out, const sl_ptx_var *var)
{
    static const char *const spaces[] = {
        [SL_SPACE_NONE] = "",          [SL_SPACE_REG] = ".reg",     [SL_SPACE_GLOBAL] = ".global",
        [SL_SPACE_SHARED] = ".shared", [SL_SPACE_LOCAL] = ".local", [SL_SPACE_CONST] = ".const",
        [SL_SPACE_PARAM] = ".param",   [SL_SPACE_TEX] = ".tex"};
    put_linkage(out, var->linkage);
    put(out, spaces[var->space]);
    if (var->attributes) {
        put(out, " ");
        put(out, var->attributes);
    }
    if (var->align_written)
        put_format(out, " .align %u", var->align);
    if (var->vector > 1)
        put_format(out, " .v%u", var->vector);
    put_format(out, " .%s ", sl_ptx_type_text(var->type));
    if (var->pointee) {
        put(out, var->pointee);
        put(out, " ");
    }
    put(out, var->name);
    for (uint32_t i = 0; i < var->dims; i++) {
        if (var->dim[i])
            put_format(out, "[%" PRIu64 "]", var->dim[i]);
        else
            put(out, "[]");
    }
    if (var->init)
        put_inits(out, var);
}

static void put_params(printer *out, sl_ptx_var *const *params, uint32_t count)
{
    put(out, "(");
    for (uint32_t i = 0; i < count; i++) {
        put(out, i ? ",\n\t" : "");
        put_var(out, params[i]);
    }
    put(out, ")");
}

static void put_signature(printer *out, const sl_ptx_func *func)
{
    if (func->attributes) {
        put(out, " ");
        put(out, func->attributes);
    }
    if (func->returns) {
        put(out, " ");
        put_params(out, func->ret, func->returns);
    }
    put(out, " ");
    put(out, func->name);
    put(out, " ");
    put_params(out, func->param, func->params);
    for (uint32_t i = 0; i < func->directives; i++) {
        put(out, "\n");
        put(out, func->directive[i]);
    }
}

static void put_label(printer *out, const sl_ptx_label *label)
{
    put(out, label->name);
    put(out, ":");
    switch ((sl_ptx_label_kind)label->kind) {
    case SL_LABEL_CODE:
        break;
    case SL_LABEL_BRANCH_TARGETS:
    case SL_LABEL_CALL_TARGETS:
        put(out, label->kind == SL_LABEL_BRANCH_TARGETS ? " .branchtargets" : " .calltargets");
        for (uint32_t i = 0; i < label->targets; i++) {
            put(out, i ? ", " : " ");
            put(out, label->target[i]);
        }
        put(out, ";");
        break;
    case SL_LABEL_CALL_PROTOTYPE:
        put(out, " .callprototype");
        put_signature(out, label->prototype);
        put(out, ";");
        break;
    }
    put(out, "\n");
}

static void put_stmt(printer *out, const sl_ptx_stmt *stmt)
{
    switch ((sl_ptx_stmt_kind)stmt->kind) {
    case SL_STMT_INST:
        put_inst(out, &out->func->inst[stmt->index]);
        break;
    case SL_STMT_LABEL:
        put_label(out, &out->func->label[stmt->index]);
        break;
    case SL_STMT_VAR:
        put_indent(out);
        put_var(out, out->func->var[stmt->index]);
        put(out, ";\n");
        break;
    case SL_STMT_OPEN:
        put_indent(out);
        put(out, "{\n");
        out->indent++;
        break;
    case SL_STMT_CLOSE:
        out->indent--;
        put_indent(out);
        put(out, "}\n");
        break;
    case SL_STMT_REG:
    case SL_STMT_LOC:
    case SL_STMT_DIRECTIVE:
        put_indent(out);
        put(out, stmt->text);
        put(out, "\n");
        break;
    }
}

static void put_func(printer *out, const sl_ptx_func *func)
{
    out->func = func;
    put(out, "\n");
    put_linkage(out, func->linkage);
    put(out, func->entry ? ".entry" : ".func");
    put_signature(out, func);
    if (func->has_body) {
        put(out, "\n{\n");
        out->indent = 1;
        for (uint32_t i = 0; i < func->stmts; i++)
            put_stmt(out, &func->stmt[i]);
        put(out, "}\n");
    } else {
        put(out, ";\n");
    }
}

sl_status sl_ptx_print(const sl_ptx_module *module, char **text, size_t *length, sl_error *error)
{
    printer out = {0};
    put_format(&out, ".version %u.%u\n", module->version_major, module->version_minor);
    if (*module->target) {
        put(&out, ".target ");
        put(&out, module->target);
        put(&out, "\n");
    }
    put_format(&out, ".address_size %u\n\n", module->address_size);
    for (uint32_t i = 0; i < module->items; i++) {
        const sl_ptx_item *item = &module->item[i];
        switch ((sl_ptx_item_kind)item->kind) {
        case SL_ITEM_VAR:
            put_var(&out, item->var);
            put(&out, ";\n");
            break;
        case SL_ITEM_FUNC:
            put_func(&out, item->func);
            break;
        case SL_ITEM_DIRECTIVE:
            put(&out, item->text);
            put(&out, "\n");
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
