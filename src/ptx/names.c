/* SPDX-License-Identifier: MIT */
/* Names: words are interned once per module and carry what they mean, so that looking a name up is one hash.
 *
 * Registers are bound when they are first used: `.reg .b32 %r<4000000>` costs nothing by itself. Labels are resolved
 * when their scope closes, because a branch may come before its label and sibling scopes may reuse a label's name. */
#include <string.h>

#include "base/suggest.h"
#include "ptx/parse.h"

static sl_ptx_word *add_word(sl_ptx_parser *p, const char *text, size_t length)
{
    sl_ptx_word *word = sl_arena_new(&p->scratch, sl_ptx_word);
    word->text = text;
    word->length = (uint32_t)length;
    word->special = -1;
    if (!sl_map_put(&p->words, text, length, word))
        sl_ptx_out_of_memory(p);
    return word;
}

static sl_ptx_word *table_word(sl_ptx_parser *p, const char *text)
{
    sl_ptx_word *word = sl_map_get(&p->words, text, strlen(text));
    return word ? word : add_word(p, text, strlen(text));
}

void sl_ptx_names_init(sl_ptx_parser *p)
{
    for (uint16_t op = SL_OP_UNKNOWN + 1; op < SL_OP_COUNT; op++)
        table_word(p, sl_ptx_op_info_of(op)->text)->op = op;
    for (uint16_t mod = SL_MOD_OTHER + 1; mod < SL_MOD_COUNT; mod++)
        table_word(p, sl_ptx_mod_text(mod))->mod = mod;
    for (uint16_t special = 0; special < SL_SREG_COUNT; special++)
        table_word(p, sl_ptx_special_text(special))->special = special;
    SL_PUSH(p, &p->scopes, (sl_ptx_scope){0});
}

sl_ptx_word *sl_ptx_intern(sl_ptx_parser *p, const char *text, size_t length)
{
    sl_ptx_word *word = sl_map_get(&p->words, text, length);
    return word ? word : add_word(p, sl_arena_strndup(p->arena, text, length), length);
}

sl_ptx_word *sl_ptx_token_word(sl_ptx_parser *p)
{
    uint32_t dot = p->token.kind == SL_TOK_DOT;
    return sl_ptx_intern(p, p->token.start + dot, p->token.length - dot);
}

bool sl_ptx_token_is(const sl_ptx_parser *p, const char *text)
{
    return p->token.length == strlen(text) && !memcmp(p->token.start, text, p->token.length);
}

/* ---- scopes ---- */

static uint32_t depth_of(const sl_ptx_parser *p)
{
    return (uint32_t)p->scopes.count - 1;
}

void sl_ptx_scope_open(sl_ptx_parser *p)
{
    sl_ptx_scope scope = {.range_depth = p->scopes.items[depth_of(p)].range_depth,
                          .first_ref = p->refs.count,
                          .line = p->token.line,
                          .column = p->token.column};
    SL_PUSH(p, &p->scopes, scope);
}

static sl_ptx_binding *label_at(sl_ptx_word *word, uint32_t depth)
{
    for (sl_ptx_binding *b = word->binding; b && b->depth >= depth; b = b->outer)
        if (b->depth == depth && b->kind == SL_BIND_LABEL)
            return b;
    return NULL;
}

static void resolve(sl_ptx_parser *p, const sl_ptx_ref *ref, uint32_t label)
{
    if (ref->operand)
        ref->operand->label = (int32_t)label;
    else
        p->labels.items[ref->label].target_label[ref->target] = (int32_t)label;
}

void sl_ptx_scope_close(sl_ptx_parser *p)
{
    uint32_t depth = depth_of(p);
    sl_ptx_scope *scope = &p->scopes.items[depth];
    size_t kept = scope->first_ref;
    for (size_t i = scope->first_ref; i < p->refs.count; i++) {
        sl_ptx_ref *ref = &p->refs.items[i];
        const sl_ptx_binding *label = label_at(ref->word, depth);
        if (label)
            resolve(p, ref, label->index);
        else
            p->refs.items[kept++] = *ref; /* left to the scope around */
    }
    p->refs.count = kept;
    for (sl_ptx_binding *b = scope->bindings; b; b = b->next_in_scope)
        b->word->binding = b->outer;
    for (sl_ptx_reg_range *range = scope->ranges; range; range = range->next_in_scope)
        range->word->ranges = range->outer;
    p->scopes.count--;
}

/* ---- binding and looking up ---- */

static sl_ptx_binding *bind_at(sl_ptx_parser *p, sl_ptx_word *word, uint32_t depth, sl_ptx_binding_kind kind,
                               uint32_t index, sl_ptx_var *var)
{
    sl_ptx_scope *scope = &p->scopes.items[depth];
    sl_ptx_binding *binding = sl_arena_new(&p->scratch, sl_ptx_binding);
    *binding = (sl_ptx_binding){.kind = kind,
                                .depth = depth,
                                .index = index,
                                .var = var,
                                .word = word,
                                .outer = word->binding,
                                .next_in_scope = scope->bindings};
    word->binding = scope->bindings = binding;
    return binding;
}

sl_ptx_binding *sl_ptx_bind(sl_ptx_parser *p, sl_ptx_word *word, sl_ptx_binding_kind kind, uint32_t index,
                            sl_ptx_var *var)
{
    static const char *const kinds[] = {"register", "variable", "label"};
    sl_ptx_binding *old = word->binding;
    if (old && old->depth == depth_of(p)) {
        bool redeclared = old->depth == 0 && kind == SL_BIND_VAR && old->kind == SL_BIND_VAR;
        if (!redeclared)
            sl_ptx_fail(p, p->token.line, p->token.column, "%s is already the name of a %s in this scope", word->text,
                        kinds[old->kind]);
        /* module scope: an extern declaration and its definition, in either order; the definition stays */
        if (var->linkage != SL_LINK_EXTERN || old->var->linkage == SL_LINK_EXTERN)
            old->var = var;
        return old;
    }
    return bind_at(p, word, depth_of(p), kind, index, var);
}

void sl_ptx_declare_range(sl_ptx_parser *p, sl_ptx_word *word, uint32_t count, sl_ptx_type type, uint8_t vector)
{
    uint32_t depth = depth_of(p);
    sl_ptx_scope *scope = &p->scopes.items[depth];
    sl_ptx_reg_range *range = sl_arena_new(&p->scratch, sl_ptx_reg_range);
    *range = (sl_ptx_reg_range){.type = type,
                                .vector = vector,
                                .depth = depth,
                                .count = count,
                                .word = word,
                                .outer = word->ranges,
                                .next_in_scope = scope->ranges};
    word->ranges = scope->ranges = range;
    scope->range_depth = depth;
}

uint32_t sl_ptx_add_reg(sl_ptx_parser *p, sl_ptx_word *word, sl_ptx_type type, uint8_t vector)
{
    SL_PUSH(p, &p->regs, (sl_ptx_reg){.name = word->text, .type = type, .vector = vector});
    return (uint32_t)p->regs.count - 1;
}

/* The innermost range that declares `word`: %r12 may be the 12th of %r<…> or the 2nd of %r1<…>. */
static sl_ptx_reg_range *find_range(sl_ptx_parser *p, const sl_ptx_word *word)
{
    sl_ptx_reg_range *best = NULL;
    uint64_t number = 0, weight = 1;
    for (uint32_t split = word->length; split > 1; weight *= 10) {
        char digit = word->text[--split];
        if (digit < '0' || digit > '9' || word->length - split > 10)
            break;
        number += weight * (uint64_t)(digit - '0');
        bool leading_zero = digit == '0' && word->length - split > 1;
        const sl_ptx_word *prefix = leading_zero ? NULL : sl_map_get(&p->words, word->text, split);
        sl_ptx_reg_range *range = prefix ? prefix->ranges : NULL;
        while (range && number >= range->count)
            range = range->outer;
        if (range && (!best || range->depth > best->depth))
            best = range;
    }
    return best;
}

sl_ptx_binding *sl_ptx_lookup(sl_ptx_parser *p, sl_ptx_word *word)
{
    sl_ptx_binding *binding = word->binding;
    uint32_t range_depth = p->scopes.items[depth_of(p)].range_depth;
    if (range_depth == 0 || (binding && binding->depth >= range_depth))
        return binding;
    const sl_ptx_reg_range *range = find_range(p, word);
    if (!range || (binding && binding->depth >= range->depth))
        return binding;
    return bind_at(p, word, range->depth, SL_BIND_REG, sl_ptx_add_reg(p, word, range->type, range->vector), NULL);
}

/* ---- what to say about a name without a meaning ---- */

typedef SL_ARRAY(const char *) name_list;

static void add_name(sl_ptx_parser *p, name_list *names, const char *name)
{
    if (!sl_array_push(names, name)) {
        sl_array_free(names);
        sl_ptx_out_of_memory(p);
    }
}

/* The nearest candidate as " (did you mean X?)", or nothing. Frees the list. */
static const char *did_you_mean(sl_ptx_parser *p, const char *word, name_list *names)
{
    const char *nearest = sl_suggest(word, names->items, names->count);
    sl_array_free(names);
    return nearest ? sl_arena_printf(&p->scratch, "; did you mean %s?", nearest) : "";
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

void sl_ptx_fail_register(sl_ptx_parser *p, const sl_ptx_word *word, uint32_t line, uint32_t column)
{
    size_t stem = word->length;
    while (stem > 1 && is_digit(word->text[stem - 1]))
        stem--;
    const sl_ptx_word *prefix = sl_map_get(&p->words, word->text, stem);
    if (prefix && prefix->ranges && stem < word->length)
        sl_ptx_fail(p, line, column, "register %s is not declared: %s<%u> ends at %s%u", word->text, prefix->text,
                    prefix->ranges->count, prefix->text, prefix->ranges->count - 1);
    name_list names = {0};
    for (size_t depth = 1; depth < p->scopes.count; depth++) {
        for (const sl_ptx_binding *b = p->scopes.items[depth].bindings; b; b = b->next_in_scope)
            if (b->kind == SL_BIND_REG)
                add_name(p, &names, b->word->text);
        for (const sl_ptx_reg_range *range = p->scopes.items[depth].ranges; range; range = range->next_in_scope)
            add_name(p, &names, sl_arena_printf(&p->scratch, "%s%s", range->word->text, word->text + stem));
    }
    for (uint16_t special = 0; special < SL_SREG_COUNT; special++)
        add_name(p, &names, sl_ptx_special_text(special));
    sl_ptx_fail(p, line, column, "register %s is not declared%s", word->text, did_you_mean(p, word->text, &names));
}

static _Noreturn void fail_label(sl_ptx_parser *p, const sl_ptx_ref *ref)
{
    name_list names = {0};
    for (size_t i = 0; i < p->labels.count; i++) {
        const sl_ptx_label *label = &p->labels.items[i];
        if (label->name == ref->word->text) {
            sl_array_free(&names);
            sl_ptx_fail(p, ref->line, ref->column, "label %s of line %u is inside a scope that does not reach here",
                        label->name, label->line);
        }
        add_name(p, &names, label->name);
    }
    sl_ptx_fail(p, ref->line, ref->column, "label %s is not defined in %s%s", ref->word->text, p->func->name,
                did_you_mean(p, ref->word->text, &names));
}

void sl_ptx_defer_refs(sl_ptx_parser *p)
{
    for (size_t i = 0; i < p->refs.count; i++) {
        if (p->refs.items[i].branch)
            fail_label(p, &p->refs.items[i]);
        SL_PUSH(p, &p->deferred_refs, p->refs.items[i]);
    }
    p->refs.count = 0;
}

void sl_ptx_resolve_deferred_refs(sl_ptx_parser *p)
{
    for (size_t i = 0; i < p->deferred_refs.count; i++) {
        const sl_ptx_ref *ref = &p->deferred_refs.items[i];
        if (ref->word->binding)
            ref->operand->var = ref->word->binding->var;
        if (ref->word->binding || ref->word->func)
            continue;
        name_list names = {0};
        for (size_t k = 0; k < p->vars.count; k++)
            add_name(p, &names, p->vars.items[k]->name);
        for (size_t k = 0; k < p->funcs.count; k++)
            add_name(p, &names, p->funcs.items[k]->name);
        sl_ptx_fail(p, ref->line, ref->column, "%s is not declared%s", ref->word->text,
                    did_you_mean(p, ref->word->text, &names));
    }
}
