/* SPDX-License-Identifier: MIT */
/* The module level of PTX: directives, linkage, and the plumbing that all parts of the parser use. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/parse.h"

enum { DEEPEST = 128 };

/* ---- failing ---- */

void sl_ptx_out_of_memory(sl_ptx_parser *p)
{
    p->status = sl_fail_memory(p->error);
    longjmp(p->landing, 1);
}

void sl_ptx_fail(sl_ptx_parser *p, uint32_t line, uint32_t column, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    p->status = sl_fail_at(p->error, SL_SYNTAX, p->module->name, line, column, "%s", text);
    longjmp(p->landing, 1);
}

void sl_ptx_fail_expected(sl_ptx_parser *p, const char *what)
{
    const sl_token *t = &p->token;
    if (t->kind == SL_TOK_END)
        sl_ptx_fail(p, t->line, t->column, "expected %s, but the text ends here", what);
    sl_ptx_fail(p, t->line, t->column, "expected %s, found %.*s", what, (int)(t->length < 60 ? t->length : 60),
                t->start);
}

/* ---- tokens ---- */

void sl_ptx_advance(sl_ptx_parser *p)
{
    sl_lexer_next(&p->lexer, &p->token);
    if (p->token.kind == SL_TOK_BAD)
        sl_ptx_fail(p, p->token.line, p->token.column, "%s", p->token.problem);
}

bool sl_ptx_accept(sl_ptx_parser *p, char punct)
{
    if (p->token.punct != punct)
        return false;
    sl_ptx_advance(p);
    return true;
}

void sl_ptx_expect(sl_ptx_parser *p, char punct, const char *where)
{
    if (!sl_ptx_accept(p, punct)) {
        char what[128];
        snprintf(what, sizeof what, "'%c' %s", punct, where);
        sl_ptx_fail_expected(p, what);
    }
}

void sl_ptx_enter(sl_ptx_parser *p)
{
    if (++p->nesting > DEEPEST)
        sl_ptx_fail(p, p->token.line, p->token.column, "this is nested more than %d levels deep", DEEPEST);
}

void sl_ptx_leave(sl_ptx_parser *p)
{
    p->nesting--;
}

void *sl_ptx_pop_items(sl_ptx_parser *p, const void *items, size_t item_bytes, size_t from, size_t *count,
                       uint32_t *length)
{
    size_t taken = *count - from;
    *length = (uint32_t)taken;
    *count = from;
    if (!taken)
        return NULL;
    void *copy = sl_arena_alloc(p->arena, taken * item_bytes);
    memcpy(copy, (const char *)items + from * item_bytes, taken * item_bytes);
    return copy;
}

/* ---- text kept as written ---- */

static void append(sl_ptx_parser *p, const char *text, size_t length)
{
    if (!sl_array_reserve(&p->text, length))
        sl_ptx_out_of_memory(p);
    memcpy(p->text.items + p->text.count, text, length);
    p->text.count += length;
}

const char *sl_ptx_slice(sl_ptx_parser *p, const char *start, const char *end, char newline)
{
    sl_lexer lexer;
    sl_token token;
    sl_lexer_init(&lexer, start, (size_t)(end - start));
    p->text.count = 0;
    for (sl_lexer_next(&lexer, &token); token.length && token.kind != SL_TOK_BAD; sl_lexer_next(&lexer, &token)) {
        if (token.space_before && p->text.count)
            append(p, token.newline_before ? &newline : " ", 1);
        append(p, token.start, token.length);
    }
    return sl_ptx_intern(p, p->text.items ? p->text.items : "", p->text.count)->text;
}

/* Skips a balanced { … } or ( … ), of which the current token is the opening. */
static void skip_block(sl_ptx_parser *p)
{
    uint32_t line = p->token.line, column = p->token.column, depth = 0;
    do {
        if (p->token.kind == SL_TOK_END)
            sl_ptx_fail(p, line, column, "this bracket is never closed");
        if (sl_ptx_at(p, '{') || sl_ptx_at(p, '('))
            depth++;
        else if (sl_ptx_at(p, '}') || sl_ptx_at(p, ')'))
            depth--;
        sl_ptx_advance(p);
    } while (depth);
}

const char *sl_ptx_directive(sl_ptx_parser *p)
{
    const char *start = p->token.start, *end = start + p->token.length;
    bool comma = false, block = false;
    sl_ptx_advance(p);
    while (!block && p->token.kind != SL_TOK_END && !sl_ptx_at(p, '}')) {
        if (p->token.newline_before && !comma && !sl_ptx_at(p, '{') && !sl_ptx_at(p, ';'))
            break;
        comma = sl_ptx_at(p, ',');
        bool last = sl_ptx_at(p, ';');
        block = sl_ptx_at(p, '{');
        if (block || sl_ptx_at(p, '(')) {
            skip_block(p);
            end = p->token.start;
            continue;
        }
        end = p->token.start + p->token.length;
        sl_ptx_advance(p);
        if (last)
            break;
    }
    return sl_ptx_slice(p, start, end, '\n');
}

/* ---- module directives ---- */

static void push_directive(sl_ptx_parser *p, const char *text)
{
    SL_PUSH(p, &p->items, (sl_ptx_item){.kind = SL_ITEM_DIRECTIVE, .text = text});
}

static void parse_version(sl_ptx_parser *p)
{
    if (!sl_ptx_token_is(p, ".version"))
        sl_ptx_fail_expected(p, "a PTX module, which starts with .version");
    sl_ptx_advance(p);
    char text[32], extra;
    snprintf(text, sizeof text, "%.*s", (int)(p->token.length < 31 ? p->token.length : 31), p->token.start);
    if (p->token.kind != SL_TOK_NUMBER ||
        sscanf(text, "%9u.%9u%c", &p->module->version_major, &p->module->version_minor, &extra) != 2)
        sl_ptx_fail_expected(p, "a version such as 7.8");
    sl_ptx_advance(p);
}

static void parse_target(sl_ptx_parser *p)
{
    sl_ptx_advance(p);
    const char *start = p->token.start, *end;
    do {
        if (p->token.kind != SL_TOK_WORD)
            sl_ptx_fail_expected(p, "a target such as sm_75");
        if (p->token.length > 3 && !memcmp(p->token.start, "sm_", 3))
            p->module->sm = (uint32_t)strtoul(sl_ptx_token_word(p)->text + 3, NULL, 10);
        end = p->token.start + p->token.length;
        sl_ptx_advance(p);
    } while (sl_ptx_accept(p, ','));
    p->module->target = sl_ptx_slice(p, start, end, ' ');
}

static void parse_file(sl_ptx_parser *p)
{
    const char *start = p->token.start;
    sl_ptx_advance(p);
    sl_ptx_file file = {.number = (uint32_t)sl_ptx_integer(p, "the number of a file")};
    if (p->token.kind != SL_TOK_STRING)
        sl_ptx_fail_expected(p, "a file name in quotes");
    const char *end = NULL;
    file.name = "";
    for (; p->token.kind == SL_TOK_STRING; sl_ptx_advance(p)) { /* "name", or "folder" "name" */
        file.name = sl_arena_printf(p->arena, "%s%s%.*s", file.name, *file.name ? "/" : "", (int)p->token.length - 2,
                                    p->token.start + 1);
        end = p->token.start + p->token.length;
    }
    while (sl_ptx_accept(p, ',')) { /* time stamp, size */
        if (p->token.kind != SL_TOK_NUMBER)
            sl_ptx_fail_expected(p, "a number");
        end = p->token.start + p->token.length;
        sl_ptx_advance(p);
    }
    SL_PUSH(p, &p->files, file);
    push_directive(p, sl_ptx_slice(p, start, end, ' '));
}

static const char *parse_name(sl_ptx_parser *p, const char *what)
{
    if (p->token.kind != SL_TOK_WORD)
        sl_ptx_fail_expected(p, what);
    const char *name = sl_ptx_token_word(p)->text;
    sl_ptx_advance(p);
    return name;
}

static void parse_alias(sl_ptx_parser *p)
{
    const char *start = p->token.start;
    sl_ptx_advance(p);
    sl_ptx_alias alias = {.name = parse_name(p, "the alias's name")};
    sl_ptx_expect(p, ',', "between an alias and what it stands for");
    alias.target = parse_name(p, "the name of a function");
    const char *end = p->token.start + 1;
    sl_ptx_expect(p, ';', "after .alias");
    SL_PUSH(p, &p->aliases, alias);
    push_directive(p, sl_ptx_slice(p, start, end, ' '));
}

static bool linkage_of(const sl_ptx_parser *p, sl_ptx_linkage *linkage)
{
    static const char *const texts[] = {[SL_LINK_EXTERN] = ".extern",
                                        [SL_LINK_VISIBLE] = ".visible",
                                        [SL_LINK_WEAK] = ".weak",
                                        [SL_LINK_COMMON] = ".common"};
    for (int i = SL_LINK_EXTERN; i <= SL_LINK_COMMON; i++)
        if (sl_ptx_token_is(p, texts[i])) {
            *linkage = (sl_ptx_linkage)i;
            return true;
        }
    return false;
}

static void parse_item(sl_ptx_parser *p)
{
    sl_ptx_linkage linkage = SL_LINK_LOCAL;
    sl_ptx_space space;
    uint32_t line = p->token.line, column = p->token.column;
    if (p->token.kind != SL_TOK_DOT)
        sl_ptx_fail_expected(p, "a directive, a variable or a function");
    bool linked = linkage_of(p, &linkage);
    if (linked)
        sl_ptx_advance(p);
    if (sl_ptx_token_is(p, ".entry") || sl_ptx_token_is(p, ".func"))
        sl_ptx_parse_func(p, linkage);
    else if (p->token.kind == SL_TOK_DOT && sl_ptx_space_of(sl_ptx_token_word(p), &space) && space != SL_SPACE_REG &&
             space != SL_SPACE_PARAM)
        sl_ptx_parse_vars(p, linkage);
    else if (linked)
        sl_ptx_fail_expected(p, ".entry, .func or the space of a variable after the linkage");
    else if (sl_ptx_token_is(p, ".version"))
        sl_ptx_fail(p, line, column, "a module has one .version only");
    else if (sl_ptx_token_is(p, ".target"))
        parse_target(p);
    else if (sl_ptx_token_is(p, ".address_size")) {
        sl_ptx_advance(p);
        p->module->address_size = (uint32_t)sl_ptx_integer(p, "the address size");
        if (p->module->address_size != 32 && p->module->address_size != 64)
            sl_ptx_fail(p, line, column, "the address size must be 32 or 64");
    } else if (sl_ptx_token_is(p, ".file"))
        parse_file(p);
    else if (sl_ptx_token_is(p, ".alias"))
        parse_alias(p);
    else
        push_directive(p, sl_ptx_directive(p));
}

static void parse_module(sl_ptx_parser *p)
{
    sl_ptx_module *m = p->module;
    m->address_size = 64;
    m->target = "";
    sl_ptx_names_init(p);
    sl_ptx_advance(p);
    parse_version(p);
    while (p->token.kind != SL_TOK_END)
        parse_item(p);
    sl_ptx_resolve_deferred_refs(p);
    m->item = SL_TAKE(p, &p->items, 0, &m->items);
    m->func = SL_TAKE(p, &p->funcs, 0, &m->funcs);
    m->var = SL_TAKE(p, &p->vars, 0, &m->vars);
    m->file = SL_TAKE(p, &p->files, 0, &m->files);
    m->alias = SL_TAKE(p, &p->aliases, 0, &m->aliases);
}

static void parser_fini(sl_ptx_parser *p)
{
    sl_array_free(&p->items);
    sl_array_free(&p->funcs);
    sl_array_free(&p->vars);
    sl_array_free(&p->files);
    sl_array_free(&p->aliases);
    sl_array_free(&p->deferred_refs);
    sl_array_free(&p->regs);
    sl_array_free(&p->insts);
    sl_array_free(&p->labels);
    sl_array_free(&p->locals);
    sl_array_free(&p->stmts);
    sl_array_free(&p->refs);
    sl_array_free(&p->scopes);
    sl_array_free(&p->operands);
    sl_array_free(&p->symbols);
    sl_array_free(&p->mods);
    sl_array_free(&p->inits);
    sl_array_free(&p->strings);
    sl_array_free(&p->text);
    sl_map_fini(&p->words);
    sl_arena_fini(&p->scratch);
    if (p->c_locale)
        freelocale(p->c_locale);
}

/* Separate from sl_ptx_parse, so that none of its variables live across the jump. */
static sl_status run_parser(sl_ptx_parser *p)
{
    if (setjmp(p->landing)) {
        if (p->status == SL_OK) /* an arena ran out of memory */
            p->status = sl_fail_memory(p->error);
        return p->status;
    }
    parse_module(p);
    return SL_OK;
}

sl_status sl_ptx_parse(const char *text, size_t length, const char *name, sl_ptx_module **module, sl_error *error)
{
    sl_ptx_module *m = calloc(1, sizeof *m);
    sl_ptx_parser *p = calloc(1, sizeof *p);
    *module = NULL;
    if (!m || !p) {
        free(m);
        free(p);
        return sl_fail_memory(error);
    }
    while (length && text[length - 1] == 0)
        length--;
    sl_arena_init(&m->arena);
    sl_arena_init(&p->scratch);
    m->arena.on_oom = p->scratch.on_oom = &p->landing;
    m->name = name;
    p->module = m;
    p->arena = &m->arena;
    p->error = error;
    sl_lexer_init(&p->lexer, text, length);
    sl_status status = run_parser(p);
    m->arena.on_oom = NULL;
    if (status == SL_OK) {
        m->name = sl_arena_strdup(&m->arena, name);
        if (!m->name)
            status = sl_fail_memory(error);
    }
    parser_fini(p);
    free(p);
    if (status == SL_OK)
        *module = m;
    else
        sl_ptx_free(m);
    return status;
}

void sl_ptx_free(sl_ptx_module *module)
{
    if (!module)
        return;
    sl_arena_fini(&module->arena);
    free(module);
}

uint64_t sl_ptx_max_threads(const sl_ptx_func *function)
{
    const uint32_t *size = function->reqntid[0] ? function->reqntid : function->maxntid;
    return (uint64_t)size[0] * (size[1] ? size[1] : 1) * (size[2] ? size[2] : 1);
}

const sl_ptx_func *sl_ptx_find(const sl_ptx_module *module, const char *function)
{
    const sl_ptx_func *found = NULL;
    for (uint32_t i = 0; i < module->funcs; i++)
        if (!strcmp(module->func[i]->name, function) && (!found || module->func[i]->has_body))
            found = module->func[i];
    return found;
}
