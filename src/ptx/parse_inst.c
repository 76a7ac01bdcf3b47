/* SPDX-License-Identifier: MIT */
/* Instructions: guard, opcode, modifiers, operands. Opcodes that are not in the table are read like the others. */
#include <string.h>

#include "base/hash.h"
#include "ptx/parse.h"

static sl_ptx_operand parse_operand(sl_ptx_parser *p, uint16_t op);

static void fail_here(sl_ptx_parser *p, const char *text)
{
    sl_ptx_fail(p, p->token.line, p->token.column, "%s", text);
}

/* Operands separated by commas up to `close`, which is taken too. */
static void parse_items(sl_ptx_parser *p, sl_ptx_operand *list, uint16_t op, char close)
{
    size_t base = p->operands.count;
    sl_ptx_enter(p);
    while (!sl_ptx_at(p, close)) {
        sl_ptx_operand item = parse_operand(p, op);
        SL_PUSH(p, &p->operands, item);
        if (!sl_ptx_accept(p, ','))
            break;
    }
    sl_ptx_leave(p);
    sl_ptx_expect(p, close, "after a list of operands");
    list->items = SL_TAKE(p, &p->operands, base, &list->count);
}

static sl_ptx_operand parse_immediate(sl_ptx_parser *p)
{
    static const uint8_t kinds[] = {
        [SL_VALUE_INT] = SL_OPD_INT, [SL_VALUE_F32] = SL_OPD_F32, [SL_VALUE_F64] = SL_OPD_F64};
    sl_ptx_operand operand = {.element = -1, .label = -1};
    sl_ptx_value value = sl_ptx_constant(p, &operand.text);
    operand.kind = kinds[value.kind];
    operand.bits = value.bits;
    return operand;
}

/* .x after a vector register, .b0 or .h1 after a register of a video instruction. */
static int8_t parse_element(sl_ptx_parser *p)
{
    static const char texts[][4] = {".x",  ".y",  ".z",  ".w", ".b0", ".b1", ".b2",
                                    ".b3", ".h0", ".h1", ".r", ".g",  ".b",  ".a"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (sl_ptx_token_is(p, texts[i])) {
            sl_ptx_advance(p);
            return (int8_t)(i < 10 ? i : i - 10); /* .r .g .b .a are other names of .x .y .z .w */
        }
    sl_ptx_fail_expected(p, "an element of a register such as .x or .b0");
}

static sl_ptx_operand register_operand(sl_ptx_parser *p, uint32_t reg)
{
    sl_ptx_operand operand = {.kind = SL_OPD_REG, .reg = reg, .element = -1, .label = -1};
    sl_ptx_advance(p);
    if (p->token.kind == SL_TOK_DOT)
        operand.element = parse_element(p);
    return operand;
}

static sl_ptx_operand special_operand(sl_ptx_parser *p, const sl_ptx_word *word)
{
    sl_ptx_operand operand = {.kind = SL_OPD_SPECIAL, .special = (uint16_t)word->special, .element = -1, .label = -1};
    sl_ptx_advance(p);
    if (p->token.kind == SL_TOK_DOT) { /* %tid.x is a separate special register */
        char full[64];
        size_t length = word->length + p->token.length;
        if (length < sizeof full) {
            memcpy(full, word->text, word->length);
            memcpy(full + word->length, p->token.start, p->token.length);
        }
        const sl_ptx_word *component = length < sizeof full ? sl_map_get(&p->words, full, length) : NULL;
        if (!component || component->special < 0)
            sl_ptx_fail_expected(p, "a component of a special register such as .x");
        operand.special = (uint16_t)component->special;
        sl_ptx_advance(p);
    }
    return operand;
}

static uint64_t element_bytes(const sl_ptx_var *var)
{
    return (uint64_t)sl_ptx_type_bytes(var->type) * var->vector;
}

static void note_symbol(sl_ptx_parser *p, sl_ptx_word *word, uint16_t op)
{
    sl_ptx_ref ref = {.word = word,
                      .branch = sl_ptx_op_info_of(op)->flags & SL_OPF_BRANCH,
                      .line = p->token.line,
                      .column = p->token.column};
    SL_PUSH(p, &p->symbols, ref);
}

/* name, name+8, name[2] */
static sl_ptx_operand symbol_operand(sl_ptx_parser *p, sl_ptx_word *word, const sl_ptx_binding *binding, uint16_t op)
{
    sl_ptx_operand operand = {.kind = SL_OPD_SYMBOL, .name = word->text, .element = -1, .label = -1};
    if (binding && binding->kind == SL_BIND_VAR)
        operand.var = binding->var;
    else
        note_symbol(p, word, op);
    sl_ptx_advance(p);
    if (sl_ptx_at(p, '+') || sl_ptx_at(p, '-')) {
        operand.bits = sl_ptx_integer(p, "the offset from a symbol");
    } else if (sl_ptx_at(p, '[') && operand.var) {
        sl_ptx_advance(p);
        if (p->token.kind == SL_TOK_WORD)
            fail_here(p, "an index in brackets must be a constant; compute the address instead");
        operand.bits = sl_ptx_integer(p, "an index") * element_bytes(operand.var);
        sl_ptx_expect(p, ']', "after an index");
        if (sl_ptx_op_info_of(op)->flags & SL_OPF_MEMORY) { /* ld.u32 %r, a[2] means [a+8] */
            sl_ptx_operand address = {.kind = SL_OPD_ADDRESS, .bits = operand.bits, .element = -1, .label = -1};
            operand.bits = 0;
            address.count = 1;
            address.items = sl_arena_new(p->arena, sl_ptx_operand);
            address.items[0] = operand;
            return address;
        }
    }
    return operand;
}

static sl_ptx_operand parse_word(sl_ptx_parser *p, uint16_t op)
{
    sl_ptx_word *word = sl_ptx_token_word(p);
    const sl_ptx_binding *binding = sl_ptx_lookup(p, word);
    if (binding && binding->kind == SL_BIND_REG)
        return register_operand(p, binding->index);
    if (!binding && word->special >= 0)
        return special_operand(p, word);
    if (!binding && p->token.length == 1 && *p->token.start == '_') {
        sl_ptx_advance(p);
        return (sl_ptx_operand){.kind = SL_OPD_DISCARD, .element = -1, .label = -1};
    }
    if (!binding && *word->text == '%')
        sl_ptx_fail_register(p, word, p->token.line, p->token.column);
    return symbol_operand(p, word, binding, op);
}

/* [base + offset, more…] */
static sl_ptx_operand parse_address(sl_ptx_parser *p, uint16_t op)
{
    sl_ptx_operand address = {.kind = SL_OPD_ADDRESS, .element = -1, .label = -1};
    size_t base = p->operands.count;
    sl_ptx_enter(p);
    sl_ptx_advance(p);
    sl_ptx_operand first = parse_operand(p, op);
    if (first.kind == SL_OPD_SYMBOL) {
        address.bits = first.bits;
        first.bits = 0;
    } else if (first.kind == SL_OPD_REG && (sl_ptx_at(p, '+') || sl_ptx_at(p, '-'))) {
        address.bits = sl_ptx_integer(p, "an address offset");
    } else if (first.kind != SL_OPD_REG && first.kind != SL_OPD_INT) {
        fail_here(p, "an address starts with a register, a variable or an integer");
    }
    SL_PUSH(p, &p->operands, first);
    while (sl_ptx_accept(p, ',')) {
        sl_ptx_operand item = parse_operand(p, op);
        SL_PUSH(p, &p->operands, item);
    }
    sl_ptx_leave(p);
    sl_ptx_expect(p, ']', "after an address");
    address.items = SL_TAKE(p, &p->operands, base, &address.count);
    if (p->token.kind == SL_TOK_DOT) { /* [a].unified */
        address.text = sl_ptx_token_word(p)->text;
        sl_ptx_advance(p);
    }
    return address;
}

static sl_ptx_operand negated_operand(sl_ptx_parser *p, uint16_t op)
{
    sl_ptx_advance(p);
    sl_ptx_operand operand = parse_word(p, op);
    if (operand.kind != SL_OPD_REG && operand.kind != SL_OPD_SPECIAL)
        fail_here(p, "only a register can be negated");
    operand.negated = true;
    return operand;
}

/* WARP_SZ by itself is left to the machine; in an expression it is a number. */
static bool is_warp_size_expression(const sl_ptx_parser *p)
{
    return sl_ptx_token_is(p, "WARP_SZ") && !strchr(",;]})", sl_lexer_peek(&p->lexer));
}

static bool starts_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '%' || c == '_' || c == '$';
}

static sl_ptx_operand parse_operand(sl_ptx_parser *p, uint16_t op)
{
    sl_ptx_operand operand = {.element = -1, .label = -1};
    if (p->token.kind == SL_TOK_WORD && !is_warp_size_expression(p)) {
        operand = parse_word(p, op);
    } else if (sl_ptx_at(p, '[')) {
        return parse_address(p, op);
    } else if (sl_ptx_at(p, '{') || (sl_ptx_at(p, '(') && op == SL_OP_CALL)) {
        char close = sl_ptx_at(p, '{') ? '}' : ')';
        operand.kind = close == '}' ? SL_OPD_VECTOR : SL_OPD_LIST;
        sl_ptx_advance(p);
        parse_items(p, &operand, op, close);
    } else if ((sl_ptx_at(p, '!') || sl_ptx_at(p, '-')) && starts_word(sl_lexer_peek(&p->lexer))) {
        operand = negated_operand(p, op);
    } else {
        return parse_immediate(p);
    }
    if (!sl_ptx_at(p, '|'))
        return operand;
    sl_ptx_advance(p);
    if (p->token.kind != SL_TOK_WORD)
        sl_ptx_fail_expected(p, "a register after '|'");
    sl_ptx_operand pair = {.kind = SL_OPD_PAIR, .element = -1, .label = -1, .count = 2};
    pair.items = sl_arena_array(p->arena, sl_ptx_operand, 2);
    pair.items[0] = operand;
    pair.items[1] = parse_word(p, op);
    return pair;
}

static void parse_guard(sl_ptx_parser *p, sl_ptx_inst *inst)
{
    sl_ptx_advance(p);
    inst->guarded = true;
    inst->guard_negated = sl_ptx_accept(p, '!');
    if (p->token.kind != SL_TOK_WORD)
        sl_ptx_fail_expected(p, "a predicate register after '@'");
    sl_ptx_word *word = sl_ptx_token_word(p);
    const sl_ptx_binding *binding = sl_ptx_lookup(p, word);
    if (!binding || binding->kind != SL_BIND_REG)
        sl_ptx_fail_register(p, word, p->token.line, p->token.column);
    inst->guard = binding->index;
    if (p->regs.items[inst->guard].type != SL_T_PRED)
        sl_ptx_fail(p, p->token.line, p->token.column, "the guard %s is not a predicate", word->text);
    sl_ptx_advance(p);
}

/* Symbols that are not variables may be labels, here or further on, or functions. Now that the operands have their
 * final address in the arena, notes where to write what they turn out to be: the walk meets them in the order they were
 * read in. */
static void note_refs(sl_ptx_parser *p, sl_ptx_operand *operand, size_t *next)
{
    if (operand->kind == SL_OPD_SYMBOL && !operand->var) {
        sl_ptx_ref ref = p->symbols.items[(*next)++];
        ref.operand = operand;
        SL_PUSH(p, &p->refs, ref);
    }
    for (uint32_t i = 0; i < operand->count; i++)
        note_refs(p, &operand->items[i], next);
}

/* Takes the modifiers of an instruction off the stack. A combination that was checked before is not checked again. */
static void parse_mods(sl_ptx_parser *p, sl_ptx_inst *inst, uint32_t column)
{
    const sl_ptx_mod *mod = p->mods.items;
    uint32_t count = (uint32_t)p->mods.count, same = 0;
    uint64_t hash = (uintptr_t)inst->mnemonic;
    for (uint32_t i = 0; i < count; i++)
        hash = hash * 31 + (uintptr_t)mod[i].text;
    size_t slot = sl_hash_mix(hash) % SL_PTX_CHECKED;
    if (p->checked[slot].mnemonic == inst->mnemonic && p->checked[slot].mods == count)
        while (same < count && p->checked[slot].mod[same].text == mod[same].text)
            same++;
    if (p->checked[slot].mnemonic == inst->mnemonic && p->checked[slot].mods == count && same == count) {
        inst->mods = count;
        inst->mod = p->checked[slot].mod;
        p->mods.count = 0;
        return;
    }
    inst->mod = SL_TAKE(p, &p->mods, 0, &inst->mods);
    char message[512];
    uint32_t at = 0;
    bool known = p->module->version_major > 1 && !sl_ptx_is_newer(p->module); /* 1.x left more out */
    if (known && !sl_ptx_check_form(inst, &at, message, sizeof message)) {
        for (uint32_t i = 0; at < count && i <= at; i++)
            column += (uint32_t)strlen(i ? inst->mod[i - 1].text : inst->mnemonic) + (i > 0);
        sl_ptx_fail(p, inst->line, column, "%s", message);
    }
    p->checked[slot].mnemonic = inst->mnemonic;
    p->checked[slot].mods = count;
    p->checked[slot].mod = inst->mod;
}

/* mov.u64 a, b + 8: an addition. */
static void parse_sum(sl_ptx_parser *p, sl_ptx_inst *inst, size_t base)
{
    const sl_ptx_operand *from = &p->operands.items[p->operands.count - 1];
    sl_ptx_type type = inst->mods == 1 ? sl_ptx_mod_type(inst->mod[0].id) : SL_T_NONE;
    uint32_t bytes = type == SL_T_PRED ? 0 : sl_ptx_type_bytes(type);
    if (p->operands.count != base + 2 || from->kind != SL_OPD_REG || (bytes != 4 && bytes != 8))
        sl_ptx_fail_expected(p, "';' or ',' after an operand");
    sl_ptx_operand offset = {.kind = SL_OPD_INT, .element = -1, .label = -1};
    offset.bits = sl_ptx_integer(p, "an offset");
    offset.text = sl_arena_printf(p->arena, "%lld", (long long)offset.bits);
    SL_PUSH(p, &p->operands, offset);
    sl_ptx_mod *mod = sl_arena_new(p->arena, sl_ptx_mod);
    mod->id = bytes == 4 ? SL_MOD_U32 : SL_MOD_U64;
    mod->text = sl_ptx_mod_text(mod->id);
    inst->mod = mod;
    inst->op = SL_OP_ADD;
    inst->mnemonic = sl_ptx_op_info_of(SL_OP_ADD)->text;
}

void sl_ptx_parse_inst(sl_ptx_parser *p)
{
    sl_ptx_inst inst = {.line = p->token.line,
                        .column = p->token.column,
                        .loc_file = p->loc_file,
                        .loc_line = p->loc_line,
                        .loc_column = p->loc_column,
                        .inlined = p->inlined};
    size_t base = p->operands.count;
    if (sl_ptx_at(p, '@'))
        parse_guard(p, &inst);
    if (p->token.kind != SL_TOK_WORD)
        sl_ptx_fail_expected(p, "an instruction");
    const sl_ptx_word *word = sl_ptx_token_word(p);
    inst.op = word->op;
    inst.mnemonic = word->text;
    uint32_t column = p->token.column;
    for (sl_ptx_advance(p); p->token.kind == SL_TOK_DOT; sl_ptx_advance(p)) {
        const sl_ptx_word *mod = sl_ptx_token_word(p);
        SL_PUSH(p, &p->mods, (sl_ptx_mod){.id = mod->mod, .text = mod->text});
    }
    parse_mods(p, &inst, column);
    while (!sl_ptx_at(p, ';')) {
        sl_ptx_operand operand = parse_operand(p, inst.op);
        SL_PUSH(p, &p->operands, operand);
        if (!sl_ptx_accept(p, ','))
            break;
    }
    if (inst.op == SL_OP_MOV && (sl_ptx_at(p, '+') || sl_ptx_at(p, '-')))
        parse_sum(p, &inst, base);
    sl_ptx_expect(p, ';', "or ',' after an operand");
    sl_ptx_operand *operands = SL_TAKE(p, &p->operands, base, &inst.operands);
    inst.operand = operands;
    for (size_t i = 0, next = 0; next < p->symbols.count; i++)
        note_refs(p, &operands[i], &next);
    p->symbols.count = 0;
    sl_ptx_push_inst(p, &inst, operands);
}
