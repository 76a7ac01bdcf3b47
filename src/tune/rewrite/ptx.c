/* SPDX-License-Identifier: MIT */
#include "tune/rewrite/ptx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "ptx/cfg.h"
#include "ptx/lexer.h"
#include "tune/ptx_loads.h"

/* Replaces `length` bytes at `at` by `text`. Edits are made in the order of the text. */
typedef struct edit {
    size_t at, length;
    const char *text;
} edit;

/* A function as it lies in the text: [start, end), with its name. */
typedef struct span {
    const sl_ptx_func *func; /* NULL: a debug section */
    size_t start, name, end;
} span;

typedef struct rewriter {
    const char *text;
    size_t length;
    const sl_ptx_module *module;
    uint32_t sm;
    char raised[24];  /* what .target becomes */
    char version[32]; /* what .version becomes */
    uint32_t needed;  /* the version that the modes need, times ten */
    sl_arena arena;   /* of texts */
    SL_ARRAY(edit) edits;
    SL_ARRAY(span) spans;
    sl_error *error;
} rewriter;

static bool token_is(const sl_token *token, const char *text)
{
    return token->length == strlen(text) && !memcmp(token->start, text, token->length);
}

static bool push_edit(rewriter *r, const char *at, size_t length, const char *text)
{
    return sl_array_push(&r->edits, (edit){(size_t)(at - r->text), length, text});
}

/* ---- loads and stores ---- */

/* Where operators go: in front of the prefetch size, the vector and the type. */
static bool stands_behind(uint16_t mod)
{
    return mod == SL_MOD_V2 || mod == SL_MOD_V4 || mod == SL_MOD_V8 || sl_ptx_is_prefetch_size(mod) ||
           sl_ptx_mod_type(mod) != SL_T_NONE;
}

/* The prefetch of what is so many bytes ahead of a load, in front of it and under its guard. */
static bool insert_prefetch(rewriter *r, const sl_token *start, const sl_ptx_func *func, const sl_ptx_inst *inst,
                            int64_t ahead)
{
    const sl_ptx_operand *address = &inst->operand[1];
    char guard[160] = "";
    if (inst->guarded)
        snprintf(guard, sizeof guard, "@%s%s ", inst->guard_negated ? "!" : "", func->reg[inst->guard].name);
    char *text = sl_arena_printf(&r->arena, "%sprefetch.global.L2 [%s+%lld];\n\t", guard,
                                 func->reg[address->items[0].reg].name, (long long)((int64_t)address->bits + ahead));
    return text && push_edit(r, start->start, 0, text);
}

/* The lexer stands at the first token of the load or store. */
static sl_status edit_access(rewriter *r, sl_lexer *lexer, sl_token *token, const sl_ptx_inst *inst, unsigned mode)
{
    const sl_control *control = &sl_controls[mode];
    if (!control->operators)
        return SL_OK;
    while (token->kind != SL_TOK_END && !token_is(token, inst->mnemonic))
        sl_lexer_next(lexer, token);
    uint32_t k = 0;
    do
        sl_lexer_next(lexer, token);
    while (token->kind == SL_TOK_DOT && k < inst->mods && !stands_behind(inst->mod[k++].id));
    if (token->kind != SL_TOK_DOT)
        return sl_fail_at(r->error, SL_INVALID, r->module->name, inst->line, inst->column,
                          "this %s has no type to put a cache operator before",
                          inst->op == SL_OP_ST ? "store" : "load");
    bool fits = push_edit(r, token->start, 0, control->operators);
    while (token->kind != SL_TOK_END && token->punct != ';')
        sl_lexer_next(lexer, token);
    if (control->policy)
        fits = fits && push_edit(r, token->start, 0, ", ") && push_edit(r, token->start, 0, control->policy);
    return fits ? SL_OK : sl_fail_memory(r->error);
}

/* The steps of addresses, where a mode needs them. */
static sl_status find_steps(rewriter *r, const sl_ptx_modes *modes, int64_t **steps)
{
    bool needed = false;
    sl_cfg cfg;
    for (uint32_t i = 0; i < modes->func->insts; i++)
        needed |= sl_controls[modes->mode[i]].prefetch_distance > 0;
    if (!needed)
        return SL_OK;
    sl_status status = sl_cfg_build(r->module, modes->func, &r->arena, &cfg, r->error);
    return status ? status : sl_ptx_steps(modes->func, &cfg, &r->arena, steps, r->error);
}

/* Edits of one function, which follow each other in the text as its instructions do. */
static sl_status edit_function(rewriter *r, sl_lexer *lexer, sl_token *token, const sl_ptx_modes *modes)
{
    int64_t *steps = NULL;
    sl_status status = find_steps(r, modes, &steps);
    for (uint32_t i = 0; i < modes->func->insts && !status; i++) {
        const sl_ptx_inst *inst = &modes->func->inst[i];
        if (!modes->mode[i])
            continue;
        while (token->kind != SL_TOK_END &&
               (token->line < inst->line || (token->line == inst->line && token->column < inst->column)))
            sl_lexer_next(lexer, token);
        const sl_control *control = &sl_controls[modes->mode[i]];
        int64_t ahead = control->prefetch_distance ? control->prefetch_distance * steps[i] : 0;
        if (control->prefetch && !insert_prefetch(r, token, modes->func, inst, ahead))
            return sl_fail_memory(r->error);
        status = edit_access(r, lexer, token, inst, modes->mode[i]);
    }
    return status;
}

/* ---- the head of the module ---- */

/* The version of PTX that knows a target (PTX ISA, release notes), times ten; none before 7.4. */
static uint32_t version_for(uint32_t sm)
{
    static const struct {
        uint32_t sm, version;
    } since[] = {{120, 87}, {100, 86}, {88, 78}, {1, 74}};
    for (size_t i = 0; i < sizeof since / sizeof *since; i++)
        if (sm >= since[i].sm)
            return since[i].version;
    return 0;
}

/* The version of PTX that the modes need, times ten. */
static uint32_t version_of_modes(const sl_ptx_modes *modes)
{
    uint32_t version = 0;
    for (uint32_t i = 0; i < modes->func->insts; i++)
        if (sl_controls[modes->mode[i]].ptx > version)
            version = sl_controls[modes->mode[i]].ptx;
    return version;
}

static sl_status edit_head(rewriter *r, sl_lexer *lexer, sl_token *token)
{
    const sl_ptx_module *m = r->module;
    bool low = m->sm < r->sm, fits = true;
    uint32_t needed = version_for(low ? r->sm : 0);
    needed = needed > r->needed ? needed : r->needed;
    bool old = 10 * m->version_major + m->version_minor < needed;
    snprintf(r->version, sizeof r->version, "%u.%u", needed / 10, needed % 10);
    snprintf(r->raised, sizeof r->raised, "sm_%u", r->sm);
    for (sl_lexer_next(lexer, token); token->kind != SL_TOK_END && (old || low); sl_lexer_next(lexer, token)) {
        bool version = token_is(token, ".version"), target = token_is(token, ".target");
        if (!version && !target)
            continue;
        sl_lexer_next(lexer, token);
        while (target && token->kind != SL_TOK_END && (token->length < 3 || memcmp(token->start, "sm_", 3)))
            sl_lexer_next(lexer, token); /* texmode_independent may come first */
        if (version && old)
            fits = fits && push_edit(r, token->start, token->length, r->version);
        if (target && low)
            fits = fits && push_edit(r, token->start, token->length, r->raised);
        if (version)
            old = false;
        else
            low = false;
    }
    return fits ? SL_OK : sl_fail_memory(r->error);
}

/* ---- putting the text together ---- */

typedef struct builder {
    char *text;
    size_t length, capacity;
    bool failed;
} builder;

static void append(builder *b, const char *text, size_t length)
{
    if (b->failed || !sl_array_grow((void **)&b->text, &b->capacity, b->length + length + 1, 1)) {
        b->failed = true;
        return;
    }
    memcpy(b->text + b->length, text, length);
    b->length += length;
    b->text[b->length] = '\0';
}

/* The bytes [from, to) of the text with the edits that lie in it. */
static void append_edited(builder *b, const rewriter *r, size_t from, size_t to)
{
    for (size_t i = 0; i < r->edits.count; i++) {
        const edit *e = &r->edits.items[i];
        if (e->at < from || e->at >= to)
            continue;
        append(b, r->text + from, e->at - from);
        append(b, e->text, strlen(e->text));
        from = e->at + e->length;
    }
    append(b, r->text + from, to - from);
}

static sl_status finish(builder *b, char **out, size_t *length, sl_error *error)
{
    if (b->failed) {
        free(b->text);
        return sl_fail_memory(error);
    }
    *out = b->text;
    *length = b->length;
    return SL_OK;
}

static bool chooses(const sl_ptx_modes *modes)
{
    for (uint32_t i = 0; i < modes->func->insts; i++)
        if (modes->mode[i])
            return true;
    return false;
}

static int by_line(const void *a, const void *b)
{
    uint32_t x = (*(const sl_ptx_modes *const *)a)->func->line, y = (*(const sl_ptx_modes *const *)b)->func->line;
    return (x > y) - (x < y);
}

static sl_status collect_edits(rewriter *r, const sl_ptx_modes *modes, size_t count)
{
    sl_lexer lexer;
    sl_token token = {0};
    size_t chosen = 0;
    const sl_ptx_modes **order = calloc(count + 1, sizeof *order);
    if (!order)
        return sl_fail_memory(r->error);
    for (size_t i = 0; i < count; i++)
        if (chooses(&modes[i])) {
            uint32_t version = version_of_modes(&modes[i]);
            r->needed = version > r->needed ? version : r->needed;
            order[chosen++] = &modes[i];
        }
    qsort(order, chosen, sizeof *order, by_line);
    sl_lexer_init(&lexer, r->text, r->length);
    sl_status status = chosen ? edit_head(r, &lexer, &token) : SL_OK;
    sl_lexer_init(&lexer, r->text, r->length);
    sl_lexer_next(&lexer, &token);
    for (size_t i = 0; i < chosen && !status; i++)
        status = edit_function(r, &lexer, &token, order[i]);
    free(order);
    return status;
}

sl_status sl_ptx_rewrite(const char *text, size_t length, const sl_ptx_module *module, const sl_ptx_modes *modes,
                         size_t count, uint32_t sm, char **out, size_t *out_length, sl_error *error)
{
    rewriter r = {.text = text, .length = length, .module = module, .sm = sm, .error = error};
    builder b = {0};
    sl_arena_init(&r.arena);
    sl_status status = collect_edits(&r, modes, count);
    if (!status) {
        append_edited(&b, &r, 0, length);
        status = finish(&b, out, out_length, error);
    }
    sl_array_free(&r.edits);
    sl_arena_fini(&r.arena);
    return status;
}

/* ---- plans ---- */

static sl_status modes_of_plan(const sl_plan *plan, const sl_ptx_module *module, sl_arena *arena, sl_ptx_modes **modes,
                               sl_error *error)
{
    *modes = sl_arena_array(arena, sl_ptx_modes, module->funcs + 1);
    if (!*modes)
        return sl_fail_memory(error);
    for (uint32_t f = 0; f < module->funcs; f++) {
        const sl_ptx_func *func = module->func[f];
        uint8_t *mode = sl_arena_array(arena, uint8_t, func->insts + 1);
        if (!mode)
            return sl_fail_memory(error);
        (*modes)[f] = (sl_ptx_modes){func, mode};
        for (uint32_t i = 0; i < plan->loads; i++)
            if (plan->load[i].inst < func->insts && !strcmp(plan->load[i].function, func->name))
                mode[plan->load[i].inst] = plan->load[i].mode;
    }
    return SL_OK;
}

/* What we made must parse, whatever the text looked like. */
static sl_status check_result(const char *text, size_t length, const char *name, sl_error *error)
{
    sl_ptx_module *module;
    sl_status status = sl_ptx_parse(text, length, name, &module, error);
    if (!status)
        sl_ptx_free(module);
    return status;
}

sl_status sl_ptx_apply(const char *text, size_t length, const char *name, const sl_plan *plan, uint32_t sm, char **out,
                       size_t *out_length, sl_error *error)
{
    sl_ptx_module *module;
    sl_load_graph graph;
    sl_ptx_modes *modes;
    uint64_t hash;
    sl_status status = sl_ptx_parse(text, length, name, &module, error);
    if (status)
        return status;
    sl_arena arena;
    sl_arena_init(&arena);
    status = sl_ptx_loads(module, NULL, sm, &arena, &graph, error);
    if (!status)
        status = sl_ptx_code_hash(module, &hash, error);
    if (!status)
        status = sl_plan_check(plan, "ptx", hash, name, &graph, error);
    if (!status)
        status = modes_of_plan(plan, module, &arena, &modes, error);
    if (!status)
        status = sl_ptx_rewrite(text, length, module, modes, module->funcs, sm, out, out_length, error);
    if (!status && (status = check_result(*out, *out_length, name, error))) {
        free(*out);
        *out = NULL;
    }
    sl_arena_fini(&arena);
    sl_ptx_free(module);
    return status;
}

sl_status sl_ptx_apply_plans(const char *text, size_t length, const char *name, const sl_plan_list *plans, uint32_t sm,
                             char **out, size_t *out_length, uint64_t *changed, sl_error *error)
{
    uint64_t hash = plans->count ? sl_ptx_text_hash(text, length) : 0;
    sl_status status = SL_OK;
    *out = NULL;
    for (uint32_t i = 0; i < plans->count && hash && !*out && !status; i++) {
        const sl_plan *plan = &plans->plan[i];
        if (plan->code_hash == hash && sl_plan_chosen(plan))
            status = sl_ptx_apply(text, length, name, plan, sm, out, out_length, error);
        if (*out)
            *changed += sl_plan_chosen(plan);
    }
    return status;
}

/* ---- variants ---- */

char *sl_ptx_variant_name(const sl_ptx_func *kernel, size_t index, char *buffer, size_t size)
{
    snprintf(buffer, size, "%s__v%zu", kernel->name, index);
    return buffer;
}

static const sl_ptx_func *function_named(const sl_ptx_module *module, const sl_token *token)
{
    for (uint32_t i = 0; i < module->funcs; i++)
        if (token_is(token, module->func[i]->name))
            return module->func[i];
    return NULL;
}

/* What the items of the module are that are copied or left out: bodies of functions and debug sections. */
static sl_status find_spans(rewriter *r)
{
    sl_lexer lexer;
    sl_token token;
    span item = {0};
    unsigned depth = 0, parens = 0;
    bool open = false, function = false, section = false, named = false, linkage = false;
    sl_lexer_init(&lexer, r->text, r->length);
    for (sl_lexer_next(&lexer, &token); token.kind != SL_TOK_END; sl_lexer_next(&lexer, &token)) {
        size_t at = (size_t)(token.start - r->text);
        if (!depth && !open && token.kind == SL_TOK_DOT) {
            open = true;
            function = section = named = false;
            item = (span){.start = at};
        }
        if (!depth && token.newline_before && token.kind == SL_TOK_DOT && !function && !section && !linkage)
            item.start = at; /* directives such as .version end with their line */
        linkage = token_is(&token, ".visible") || token_is(&token, ".weak") || token_is(&token, ".extern");
        if (!depth && (token_is(&token, ".entry") || token_is(&token, ".func")))
            function = true;
        else if (!depth && token_is(&token, ".section"))
            section = true;
        else if (!depth && section && token_is(&token, ".debug_str"))
            section = false; /* line information names functions in it */
        else if (!depth && !parens && function && !named && token.kind == SL_TOK_WORD) {
            named = true;
            item.func = function_named(r->module, &token);
            item.name = at;
        }
        parens += token.punct == '(';
        parens -= token.punct == ')' && parens;
        depth += token.punct == '{';
        depth -= token.punct == '}' && depth;
        if (depth || parens || (token.punct != '}' && token.punct != ';'))
            continue;
        item.end = at + 1;
        if ((function && item.func && token.punct == '}') || section)
            if (!sl_array_push(&r->spans, item))
                return sl_fail_memory(r->error);
        open = function = section = false;
    }
    return SL_OK;
}

static void append_copy(builder *b, const rewriter *r, const span *s, size_t index)
{
    char name[512];
    sl_ptx_variant_name(s->func, index, name, sizeof name);
    append(b, "\n", 1);
    append_edited(b, r, s->start, s->name);
    append(b, name, strlen(name));
    append_edited(b, r, s->name + strlen(s->func->name), s->end);
    append(b, "\n", 1);
}

static sl_status append_variants(rewriter *r, builder *b, const span *s, const uint8_t *const *choice, size_t choices)
{
    sl_status status = SL_OK;
    for (size_t i = 0; i < choices && !status; i++) {
        const sl_ptx_modes modes = {s->func, choice[i]};
        r->edits.count = 0;
        status = collect_edits(r, &modes, 1);
        if (!status)
            append_copy(b, r, s, i);
    }
    r->edits.count = 0;
    return status;
}

sl_status sl_ptx_variants(const char *text, size_t length, const sl_ptx_module *module, const sl_ptx_func *kernel,
                          const uint8_t *const *choice, size_t choices, uint32_t sm, char **out, size_t *out_length,
                          sl_error *error)
{
    rewriter r = {.text = text, .length = length, .module = module, .sm = sm, .error = error};
    builder b = {0};
    sl_lexer lexer;
    sl_token token = {0};
    for (size_t i = 0; i < choices; i++) {
        uint32_t version = version_of_modes(&(sl_ptx_modes){kernel, choice[i]});
        r.needed = version > r.needed ? version : r.needed;
    }
    sl_arena_init(&r.arena);
    sl_lexer_init(&lexer, text, length);
    sl_status status = find_spans(&r);
    if (!status) /* the head of the whole text, whatever the choices are */
        status = edit_head(&r, &lexer, &token);
    size_t at = 0;
    for (size_t i = 0; i < r.spans.count && !status; i++) {
        const span *s = &r.spans.items[i];
        append_edited(&b, &r, at, s->start);
        at = s->end;
        if (s->func && !s->func->entry)
            append_edited(&b, &r, s->start, s->end);
        if (s->func && s->func == kernel)
            status = append_variants(&r, &b, s, choice, choices);
    }
    append_edited(&b, &r, at, length);
    sl_array_free(&r.edits);
    sl_array_free(&r.spans);
    sl_arena_fini(&r.arena);
    if (status) {
        free(b.text);
        return status;
    }
    return finish(&b, out, out_length, error);
}
