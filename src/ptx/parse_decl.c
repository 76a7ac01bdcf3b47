/* SPDX-License-Identifier: MIT */
/* Declarations: variables of every space, parameters, function headers with their performance directives. */
#include <string.h>

#include "ptx/parse.h"

/* No variable is larger than any device's memory; sizes below this cannot overflow where they are added up. */
#define MAX_BYTES (1ull << 48)

bool sl_ptx_space_of(const sl_ptx_word *word, sl_ptx_space *space)
{
    switch (word->mod) {
    case SL_MOD_REG:
        *space = SL_SPACE_REG;
        return true;
    case SL_MOD_GLOBAL:
        *space = SL_SPACE_GLOBAL;
        return true;
    case SL_MOD_SHARED:
        *space = SL_SPACE_SHARED;
        return true;
    case SL_MOD_LOCAL:
        *space = SL_SPACE_LOCAL;
        return true;
    case SL_MOD_CONST:
        *space = SL_SPACE_CONST;
        return true;
    case SL_MOD_PARAM:
        *space = SL_SPACE_PARAM;
        return true;
    case SL_MOD_TEX:
        *space = SL_SPACE_TEX;
        return true;
    default:
        return false;
    }
}

/* ---- one variable ---- */

static uint32_t parse_align(sl_ptx_parser *p)
{
    uint32_t line = p->token.line, column = p->token.column;
    uint64_t align = sl_ptx_integer(p, "an alignment");
    if (align == 0 || align & (align - 1) || align > 1u << 20)
        sl_ptx_fail(p, line, column, "an alignment must be a power of two");
    return (uint32_t)align;
}

/* .attribute(.managed): a word with or without something in brackets after it */
static void parse_attribute(sl_ptx_parser *p, sl_ptx_var *var)
{
    const char *start = p->token.start, *end = start + p->token.length;
    sl_ptx_advance(p);
    if (sl_ptx_at(p, '(')) {
        uint32_t depth = 0;
        do {
            if (p->token.kind == SL_TOK_END)
                sl_ptx_fail_expected(p, "')' after an attribute");
            depth += sl_ptx_at(p, '(');
            depth -= sl_ptx_at(p, ')');
            end = p->token.start + p->token.length;
            sl_ptx_advance(p);
        } while (depth);
    }
    const char *text = sl_ptx_slice(p, start, end, ' ');
    var->attributes = var->attributes ? sl_arena_printf(p->arena, "%s %s", var->attributes, text) : text;
    if (strstr(text, ".managed"))
        var->managed = true;
}

/* .ptr .global .align 16: what a pointer parameter points to */
static void parse_pointee(sl_ptx_parser *p, sl_ptx_var *var)
{
    const char *start = p->token.start, *end = start + p->token.length;
    sl_ptx_advance(p);
    while (p->token.kind == SL_TOK_DOT) {
        bool align = sl_ptx_token_is(p, ".align");
        end = p->token.start + p->token.length;
        sl_ptx_advance(p);
        if (align) {
            parse_align(p);
            end = p->token.start;
        }
    }
    var->pointee = sl_ptx_slice(p, start, end, ' ');
}

static uint8_t vector_of(const sl_ptx_word *word)
{
    return word->mod == SL_MOD_V2 ? 2 : word->mod == SL_MOD_V4 ? 4 : word->mod == SL_MOD_V8 ? 8 : 0;
}

/* Everything from the space to the name. */
static void parse_var_head(sl_ptx_parser *p, sl_ptx_var *var)
{
    var->vector = 1;
    if (!sl_ptx_space_of(sl_ptx_token_word(p), &var->space))
        sl_ptx_fail_expected(p, "a state space such as .param");
    sl_ptx_advance(p);
    while (p->token.kind == SL_TOK_DOT) {
        const sl_ptx_word *word = sl_ptx_token_word(p);
        sl_ptx_type type = sl_ptx_mod_type(word->mod);
        uint8_t vector = vector_of(word);
        if (sl_ptx_token_is(p, ".align")) {
            sl_ptx_advance(p);
            var->align = parse_align(p);
            var->align_written = true;
        } else if (sl_ptx_token_is(p, ".ptr")) {
            parse_pointee(p, var);
        } else if ((type != SL_T_NONE && var->type != SL_T_NONE) || (vector && var->vector > 1)) {
            sl_ptx_fail(p, p->token.line, p->token.column, "a variable has one type only");
        } else if (type != SL_T_NONE) {
            var->type = type;
            sl_ptx_advance(p);
        } else if (vector) {
            var->vector = vector;
            sl_ptx_advance(p);
        } else {
            parse_attribute(p, var);
        }
    }
    if (var->type == SL_T_NONE || var->type == SL_T_OTHER)
        sl_ptx_fail_expected(p, "the type of a variable");
}

static void parse_dims(sl_ptx_parser *p, sl_ptx_var *var)
{
    uint64_t bytes = (uint64_t)sl_ptx_type_bytes(var->type) * var->vector;
    if (var->align < bytes)
        var->align = var->align_written ? var->align : (uint32_t)bytes;
    bool open_ended = false;
    while (sl_ptx_at(p, '[')) {
        uint32_t line = p->token.line, column = p->token.column;
        sl_ptx_advance(p);
        if (var->dims == sizeof var->dim / sizeof *var->dim)
            sl_ptx_fail(p, line, column, "%s has more than %u dimensions", var->name, var->dims);
        uint64_t size = sl_ptx_at(p, ']') ? 0 : sl_ptx_integer(p, "the size of an array");
        sl_ptx_expect(p, ']', "after the size of an array");
        if (size == 0 && var->dims)
            sl_ptx_fail(p, line, column, "only the first dimension of an array may be left open");
        if (size && (__builtin_mul_overflow(bytes, size, &bytes) || bytes > MAX_BYTES))
            sl_ptx_fail(p, line, column, "%s is larger than any memory", var->name);
        open_ended |= size == 0;
        var->dim[var->dims++] = size;
    }
    var->bytes = open_ended ? 0 : bytes;
}

static sl_ptx_word *parse_var_name(sl_ptx_parser *p, sl_ptx_var *var)
{
    if (p->token.kind != SL_TOK_WORD)
        sl_ptx_fail_expected(p, "the name of a variable");
    sl_ptx_word *word = sl_ptx_token_word(p);
    var->name = word->text;
    var->line = p->token.line;
    var->owner = p->func;
    return word;
}

void sl_ptx_push_var(sl_ptx_parser *p, sl_ptx_var *var)
{
    SL_PUSH(p, &p->locals, var);
    SL_PUSH(p, &p->stmts, (sl_ptx_stmt){.kind = SL_STMT_VAR, .index = (uint32_t)p->locals.count - 1});
}

static void declare_var(sl_ptx_parser *p, sl_ptx_var *var)
{
    if (p->func) {
        sl_ptx_push_var(p, var);
    } else {
        SL_PUSH(p, &p->vars, var);
        SL_PUSH(p, &p->items, (sl_ptx_item){.kind = SL_ITEM_VAR, .var = var});
    }
}

/* .param .b32 p<4>: four parameters p0 … p3 */
static void parse_var_range(sl_ptx_parser *p, const sl_ptx_var *head, const sl_ptx_word *stem)
{
    uint32_t line = p->token.line, column = p->token.column;
    sl_ptx_advance(p);
    if (p->token.kind != SL_TOK_NUMBER)
        sl_ptx_fail_expected(p, "the number of variables");
    uint64_t count = strtoull(sl_ptx_token_word(p)->text, NULL, 10);
    sl_ptx_advance(p);
    sl_ptx_expect(p, '>', "after the number of variables");
    if (count > 65536)
        sl_ptx_fail(p, line, column, "more than 65536 variables at once");
    for (uint64_t i = 0; i < count; i++) {
        sl_ptx_var *var = sl_arena_new(p->arena, sl_ptx_var);
        *var = *head;
        const char *name = sl_arena_printf(p->arena, "%s%llu", stem->text, (unsigned long long)i);
        sl_ptx_word *word = sl_ptx_intern(p, name, strlen(name));
        var->name = word->text;
        sl_ptx_bind(p, word, SL_BIND_VAR, 0, var);
        parse_dims(p, var);
        declare_var(p, var);
    }
}

void sl_ptx_parse_vars(sl_ptx_parser *p, sl_ptx_linkage linkage)
{
    sl_ptx_var head = {.linkage = linkage};
    parse_var_head(p, &head);
    do {
        sl_ptx_var *var = sl_arena_new(p->arena, sl_ptx_var);
        *var = head;
        sl_ptx_word *word = parse_var_name(p, var);
        if (sl_lexer_peek(&p->lexer) == '<') {
            sl_ptx_advance(p);
            parse_var_range(p, var, word);
            continue;
        }
        sl_ptx_bind(p, word, SL_BIND_VAR, 0, var);
        sl_ptx_advance(p);
        parse_dims(p, var);
        if (sl_ptx_accept(p, '='))
            sl_ptx_parse_initializer(p, var);
        declare_var(p, var);
    } while (sl_ptx_accept(p, ','));
    sl_ptx_expect(p, ';', "after the declaration of a variable");
}

/* ---- functions ---- */

static uint64_t align_up(uint64_t offset, uint64_t align)
{
    return (offset + align - 1) & ~(align - 1);
}

/* ( .param .u64 a, .param .align 8 .b8 b[24] ); also return values. `bind`: names get a meaning in the current scope.
 */
static sl_ptx_var **parse_params(sl_ptx_parser *p, bool bind, uint32_t *count, uint64_t *block_bytes)
{
    size_t base = p->locals.count;
    uint64_t offset = 0;
    sl_ptx_expect(p, '(', "before parameters");
    while (!sl_ptx_at(p, ')')) {
        sl_ptx_var *var = sl_arena_new(p->arena, sl_ptx_var);
        if (p->token.kind != SL_TOK_DOT)
            sl_ptx_fail_expected(p, "a parameter, which starts with .param or .reg");
        parse_var_head(p, var);
        sl_ptx_word *word = parse_var_name(p, var);
        bool named = strcmp(var->name, "_") != 0;
        if (bind && named && var->space == SL_SPACE_REG) {
            var->reg = sl_ptx_add_reg(p, word, var->type, var->vector);
            sl_ptx_bind(p, word, SL_BIND_REG, var->reg, NULL);
        } else if (bind && named) {
            sl_ptx_bind(p, word, SL_BIND_VAR, 0, var);
        }
        sl_ptx_advance(p);
        parse_dims(p, var);
        offset = align_up(offset, var->align);
        if (offset + var->bytes > UINT32_MAX)
            sl_ptx_fail(p, var->line, 1, "the parameters take more than 4 GiB");
        var->index = (uint32_t)(p->locals.count - base);
        var->offset = (uint32_t)offset;
        offset += var->bytes;
        SL_PUSH(p, &p->locals, var);
        if (!sl_ptx_accept(p, ','))
            break;
    }
    sl_ptx_expect(p, ')', "after parameters");
    *block_bytes = offset;
    return SL_TAKE(p, &p->locals, base, count);
}

static void read_dimensions(sl_ptx_parser *p, uint32_t out[3])
{
    out[0] = out[1] = out[2] = 1;
    for (int i = 0; i < 3; i++) {
        out[i] = (uint32_t)sl_ptx_integer(p, "a number of threads");
        if (i == 2 || !sl_ptx_accept(p, ','))
            break;
    }
}

/* The value of a directive that is not known: everything up to the next one. */
static const char *skip_value(sl_ptx_parser *p, const char *end)
{
    while (p->token.kind != SL_TOK_DOT && p->token.kind != SL_TOK_END && !sl_ptx_at(p, '{') && !sl_ptx_at(p, ';')) {
        end = p->token.start + p->token.length;
        sl_ptx_advance(p);
    }
    return end;
}

/* .maxntid 256, 1, 1 and the like */
static void parse_func_directive(sl_ptx_parser *p, sl_ptx_func *func)
{
    const char *start = p->token.start, *end = start + p->token.length;
    bool pragma = sl_ptx_token_is(p, ".pragma");
    uint32_t *dimensions = sl_ptx_token_is(p, ".maxntid")             ? func->maxntid
                           : sl_ptx_token_is(p, ".reqntid")           ? func->reqntid
                           : sl_ptx_token_is(p, ".reqnctapercluster") ? func->reqnctapercluster
                                                                      : NULL;
    uint32_t *number = sl_ptx_token_is(p, ".minnctapersm")     ? &func->minnctapersm
                       : sl_ptx_token_is(p, ".maxnreg")        ? &func->maxnreg
                       : sl_ptx_token_is(p, ".maxclusterrank") ? &func->maxclusterrank
                                                               : NULL;
    func->noreturn |= sl_ptx_token_is(p, ".noreturn");
    func->explicitcluster |= sl_ptx_token_is(p, ".explicitcluster");
    func->blocksareclusters |= sl_ptx_token_is(p, ".blocksareclusters");
    sl_ptx_advance(p);
    if (dimensions) {
        read_dimensions(p, dimensions);
        end = p->token.start;
    } else if (number) {
        *number = (uint32_t)sl_ptx_integer(p, "the value of a directive");
        end = p->token.start;
    } else {
        end = skip_value(p, end);
    }
    if (pragma) {
        end = p->token.start + 1;
        sl_ptx_expect(p, ';', "after a pragma");
    }
    SL_PUSH(p, &p->strings, sl_ptx_slice(p, start, end, ' '));
}

/* Directives of a function, up to its body, or to what follows a declaration; compilers of old left out its ';'. */
static bool is_func_directive(sl_ptx_parser *p)
{
    static const char *const others[] = {".entry", ".func",   ".extern",  ".visible", ".weak",         ".common",
                                         ".file",  ".target", ".section", ".alias",   ".address_size", ".version"};
    sl_ptx_space space;
    bool is = p->token.kind == SL_TOK_DOT;
    for (size_t i = 0; i < sizeof others / sizeof *others && is; i++)
        is = !sl_ptx_token_is(p, others[i]);
    return is && !sl_ptx_space_of(sl_ptx_token_word(p), &space);
}

/* Return values, name and parameters. */
static sl_ptx_word *parse_signature(sl_ptx_parser *p, sl_ptx_func *func, bool bind)
{
    uint64_t bytes;
    if (sl_ptx_token_is(p, ".attribute")) {
        sl_ptx_var holder = {0};
        parse_attribute(p, &holder);
        func->attributes = holder.attributes;
    }
    if (sl_ptx_at(p, '('))
        func->ret = parse_params(p, bind, &func->returns, &bytes);
    if (p->token.kind != SL_TOK_WORD)
        sl_ptx_fail_expected(p, "the name of a function");
    sl_ptx_word *word = sl_ptx_token_word(p);
    func->name = word->text;
    sl_ptx_advance(p);
    if (sl_ptx_at(p, '(')) {
        func->param = parse_params(p, bind, &func->params, &bytes);
        func->param_bytes = (uint32_t)bytes;
    }
    return word;
}

static void parse_func_directives(sl_ptx_parser *p, sl_ptx_func *func)
{
    size_t base = p->strings.count;
    while (is_func_directive(p))
        parse_func_directive(p, func);
    func->directive = SL_TAKE(p, &p->strings, base, &func->directives);
}

const sl_ptx_func *sl_ptx_parse_prototype(sl_ptx_parser *p)
{
    sl_ptx_func *func = sl_arena_new(p->arena, sl_ptx_func);
    func->line = p->token.line;
    parse_signature(p, func, false);
    parse_func_directives(p, func);
    return func;
}

void sl_ptx_parse_func(sl_ptx_parser *p, sl_ptx_linkage linkage)
{
    sl_ptx_func *func = sl_arena_new(p->arena, sl_ptx_func);
    func->entry = sl_ptx_token_is(p, ".entry");
    func->linkage = linkage;
    func->line = p->token.line;
    p->func = func;
    sl_ptx_advance(p);
    sl_ptx_scope_open(p);
    uint32_t line = p->token.line, column = p->token.column;
    sl_ptx_word *word = parse_signature(p, func, true);
    parse_func_directives(p, func);
    func->has_body = sl_ptx_at(p, '{');
    if (func->has_body && word->func && word->func->has_body)
        sl_ptx_fail(p, line, column, "function %s is defined twice; the first time in line %u", func->name,
                    word->func->line);
    if (!word->func || func->has_body)
        word->func = func;
    SL_PUSH(p, &p->funcs, func);
    SL_PUSH(p, &p->items, (sl_ptx_item){.kind = SL_ITEM_FUNC, .func = func});
    if (func->has_body) {
        sl_ptx_parse_body(p, func);
    } else {
        sl_ptx_scope_close(p);
        func->reg = SL_TAKE(p, &p->regs, 0, &func->regs);
        if (!sl_ptx_accept(p, ';') && p->token.kind != SL_TOK_DOT)
            sl_ptx_fail_expected(p, "a function body or ';'");
    }
    p->func = NULL;
}
