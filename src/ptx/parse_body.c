/* SPDX-License-Identifier: MIT */
/* The body of a function: statements in order, scopes, labels and the tables that look like labels. */
#include <stdlib.h>
#include <string.h>

#include "ptx/parse.h"

static void push_stmt(sl_ptx_parser *p, sl_ptx_stmt_kind kind, uint32_t index, const char *text)
{
    SL_PUSH(p, &p->stmts, (sl_ptx_stmt){.kind = kind, .index = index, .text = text});
}

/* ---- .reg ---- */

static void parse_reg_names(sl_ptx_parser *p, sl_ptx_type type, uint8_t vector)
{
    do {
        if (p->token.kind != SL_TOK_WORD)
            sl_ptx_fail_expected(p, "the name of a register");
        sl_ptx_word *word = sl_ptx_token_word(p);
        if (sl_lexer_peek(&p->lexer) != '<') {
            sl_ptx_bind(p, word, SL_BIND_REG, sl_ptx_add_reg(p, word, type, vector), NULL);
            sl_ptx_advance(p);
            continue;
        }
        sl_ptx_advance(p);
        sl_ptx_advance(p);
        uint32_t line = p->token.line, column = p->token.column;
        /* not a constant expression: that would take the closing '>' as an operator */
        char *end = NULL;
        uint64_t count = p->token.kind == SL_TOK_NUMBER ? strtoull(sl_ptx_token_word(p)->text, &end, 10) : 0;
        if (!end || *end)
            sl_ptx_fail_expected(p, "the number of registers");
        if (count > UINT32_MAX)
            sl_ptx_fail(p, line, column, "more registers than a function can have");
        sl_ptx_advance(p);
        sl_ptx_expect(p, '>', "after the number of registers");
        sl_ptx_declare_range(p, word, (uint32_t)count, type, vector);
    } while (sl_ptx_accept(p, ','));
}

static void parse_reg(sl_ptx_parser *p)
{
    const char *start = p->token.start;
    sl_ptx_type type = SL_T_NONE;
    uint8_t vector = 1;
    for (sl_ptx_advance(p); p->token.kind == SL_TOK_DOT; sl_ptx_advance(p)) {
        const sl_ptx_word *word = sl_ptx_token_word(p);
        sl_ptx_type this_type = sl_ptx_mod_type(word->mod);
        if (word->mod == SL_MOD_V2 || word->mod == SL_MOD_V4)
            vector = word->mod == SL_MOD_V2 ? 2 : 4;
        else if (this_type != SL_T_NONE)
            type = this_type;
        else
            sl_ptx_fail_expected(p, "the type of a register");
    }
    if (type == SL_T_NONE)
        sl_ptx_fail_expected(p, "the type of a register");
    parse_reg_names(p, type, vector);
    const char *end = p->token.start + 1;
    sl_ptx_expect(p, ';', "after the declaration of registers");
    push_stmt(p, SL_STMT_REG, 0, sl_ptx_slice(p, start, end, ' '));
}

/* ---- .loc ---- */

static uint32_t loc_number(sl_ptx_parser *p, const char **end)
{
    if (p->token.kind != SL_TOK_NUMBER)
        sl_ptx_fail_expected(p, "a number of .loc");
    uint32_t number = (uint32_t)strtoul(sl_ptx_token_word(p)->text, NULL, 0);
    *end = p->token.start + p->token.length;
    sl_ptx_advance(p);
    return number;
}

static uint64_t location_hash(uint32_t file, uint32_t line, uint32_t column)
{
    return sl_hash_mix((uint64_t)file << 32 | line) ^ column;
}

static uint64_t location_key(const void *locations, uint32_t number)
{
    const sl_ptx_location *location = (const sl_ptx_location *)locations + number;
    return location_hash(location->file, location->line, location->column);
}

static sl_ptx_location *find_location(sl_ptx_parser *p, uint32_t file, uint32_t line, uint32_t column)
{
    uint64_t key = location_hash(file, line, column);
    sl_index_for(&p->location_index, key, at)
    {
        sl_ptx_location *location = &p->locations.items[sl_index_item(&p->location_index, at)];
        if (location->file == file && location->line == line && location->column == column)
            return location;
    }
    SL_PUSH(p, &p->locations, (sl_ptx_location){.file = file, .line = line, .column = column});
    uint32_t number = (uint32_t)p->locations.count - 1;
    if (!sl_index_add(&p->location_index, key, number, location_key, p->locations.items))
        sl_ptx_out_of_memory(p);
    return &p->locations.items[number];
}

/* 1 + the inlined call at a location. A call within an inlined function has its own callers: those that the last .loc
 * of its location has named. */
static uint32_t call_at(sl_ptx_parser *p, uint32_t file, uint32_t line, uint32_t column)
{
    sl_ptx_location *location = find_location(p, file, line, column);
    if (!location->call) {
        sl_ptx_inlined_call call = {file, line, column, location->inlined};
        SL_PUSH(p, &p->inlined_calls, call);
        location->call = (uint32_t)p->inlined_calls.count;
    }
    return location->call;
}

static void note_location(sl_ptx_parser *p)
{
    sl_ptx_location *location = find_location(p, p->loc_file, p->loc_line, p->loc_column);
    if (location->inlined != p->inlined)
        location->call = 0;
    location->inlined = p->inlined;
}

/* .loc file line column [, function_name label[+n], inlined_at file line column] */
static void parse_loc(sl_ptx_parser *p)
{
    const char *start = p->token.start, *end;
    sl_ptx_advance(p);
    p->loc_file = loc_number(p, &end);
    p->loc_line = loc_number(p, &end);
    p->loc_column = p->token.kind == SL_TOK_NUMBER ? loc_number(p, &end) : 0;
    p->inlined = 0;
    while (sl_ptx_accept(p, ',')) {
        bool function = sl_ptx_token_is(p, "function_name");
        if (!function && !sl_ptx_token_is(p, "inlined_at"))
            sl_ptx_fail_expected(p, "function_name or inlined_at");
        sl_ptx_advance(p);
        if (function) {
            if (p->token.kind != SL_TOK_WORD)
                sl_ptx_fail_expected(p, "a label");
            end = p->token.start + p->token.length;
            sl_ptx_advance(p);
            if (sl_ptx_accept(p, '+'))
                loc_number(p, &end);
        } else {
            uint32_t file = loc_number(p, &end), line = loc_number(p, &end), column = loc_number(p, &end);
            p->inlined = call_at(p, file, line, column);
        }
    }
    note_location(p);
    push_stmt(p, SL_STMT_LOC, 0, sl_ptx_slice(p, start, end, ' '));
}

/* ---- labels ---- */

static void parse_targets(sl_ptx_parser *p, sl_ptx_label *label, uint32_t index)
{
    size_t base = p->strings.count;
    do {
        if (p->token.kind != SL_TOK_WORD)
            sl_ptx_fail_expected(p, "the name of a target");
        sl_ptx_word *word = sl_ptx_token_word(p);
        if (label->kind == SL_LABEL_BRANCH_TARGETS) {
            sl_ptx_ref ref = {.word = word,
                              .label = index,
                              .target = (uint32_t)(p->strings.count - base),
                              .branch = true,
                              .line = p->token.line,
                              .column = p->token.column};
            SL_PUSH(p, &p->refs, ref);
        }
        SL_PUSH(p, &p->strings, word->text);
        sl_ptx_advance(p);
    } while (sl_ptx_accept(p, ','));
    label->target = SL_TAKE(p, &p->strings, base, &label->targets);
    if (label->kind == SL_LABEL_BRANCH_TARGETS)
        label->target_label = sl_arena_array(p->arena, int32_t, label->targets);
}

static void parse_label(sl_ptx_parser *p)
{
    sl_ptx_word *word = sl_ptx_token_word(p);
    uint32_t index = (uint32_t)p->labels.count;
    sl_ptx_label label = {.name = word->text, .inst = (uint32_t)p->insts.count, .line = p->token.line};
    sl_ptx_bind(p, word, SL_BIND_LABEL, index, NULL);
    sl_ptx_advance(p);
    sl_ptx_advance(p);
    bool branches = sl_ptx_token_is(p, ".branchtargets");
    if (branches || sl_ptx_token_is(p, ".calltargets")) {
        label.kind = branches ? SL_LABEL_BRANCH_TARGETS : SL_LABEL_CALL_TARGETS;
        sl_ptx_advance(p);
        parse_targets(p, &label, index);
        sl_ptx_expect(p, ';', "after a table of targets");
    } else if (sl_ptx_token_is(p, ".callprototype")) {
        label.kind = SL_LABEL_CALL_PROTOTYPE;
        sl_ptx_advance(p);
        label.prototype = sl_ptx_parse_prototype(p);
        sl_ptx_expect(p, ';', "after a prototype");
    }
    SL_PUSH(p, &p->labels, label);
    push_stmt(p, SL_STMT_LABEL, index, NULL);
}

/* ---- statements ---- */

static void parse_dot_statement(sl_ptx_parser *p)
{
    sl_ptx_space space;
    if (sl_ptx_token_is(p, ".loc"))
        parse_loc(p);
    else if (sl_ptx_token_is(p, ".reg"))
        parse_reg(p);
    else if (sl_ptx_space_of(sl_ptx_token_word(p), &space))
        sl_ptx_parse_vars(p, SL_LINK_LOCAL);
    else
        push_stmt(p, SL_STMT_DIRECTIVE, 0, sl_ptx_directive(p));
}

/* False: the body is complete. */
static bool parse_statement(sl_ptx_parser *p, size_t body_depth)
{
    if (p->token.kind == SL_TOK_DOT) {
        parse_dot_statement(p);
    } else if (p->token.kind == SL_TOK_WORD && sl_lexer_peek(&p->lexer) == ':') {
        parse_label(p);
    } else if (p->token.kind == SL_TOK_WORD || sl_ptx_at(p, '@')) {
        sl_ptx_parse_inst(p);
    } else if (sl_ptx_at(p, '{')) {
        sl_ptx_scope_open(p);
        push_stmt(p, SL_STMT_OPEN, 0, NULL);
        sl_ptx_advance(p);
    } else if (sl_ptx_at(p, '}')) {
        sl_ptx_scope_close(p);
        sl_ptx_advance(p);
        if (p->scopes.count < body_depth)
            return false;
        push_stmt(p, SL_STMT_CLOSE, 0, NULL);
    } else if (sl_ptx_at(p, ';')) {
        sl_ptx_advance(p); /* an empty statement */
    } else if (p->token.kind == SL_TOK_END) {
        const sl_ptx_scope *scope = &p->scopes.items[p->scopes.count - 1];
        sl_ptx_fail(p, p->token.line, p->token.column,
                    "the text ends inside function %s; a '{' after line %u column %u has no '}'", p->func->name,
                    scope->line, scope->column);
    } else {
        sl_ptx_fail_expected(p, "an instruction, a label or a directive");
    }
    return true;
}

void sl_ptx_parse_body(sl_ptx_parser *p, sl_ptx_func *func)
{
    size_t body_depth = p->scopes.count;
    p->loc_file = p->loc_line = p->loc_column = p->inlined = 0;
    sl_ptx_expect(p, '{', "before a function body");
    sl_ptx_begin_body(p);
    while (parse_statement(p, body_depth))
        ;
    sl_ptx_end_body(p);
    sl_ptx_defer_refs(p);
    func->reg = SL_TAKE(p, &p->regs, 0, &func->regs);
    func->inst = SL_TAKE(p, &p->insts, 0, &func->insts);
    func->inlined_call = SL_TAKE(p, &p->inlined_calls, 0, &func->inlined_calls);
    p->locations.count = 0;
    sl_index_fini(&p->location_index);
    func->label = SL_TAKE(p, &p->labels, 0, &func->labels);
    func->var = SL_TAKE(p, &p->locals, 0, &func->vars);
    func->stmt = SL_TAKE(p, &p->stmts, 0, &func->stmts);
}
