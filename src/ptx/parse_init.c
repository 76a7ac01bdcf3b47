/* SPDX-License-Identifier: MIT */
/* Initializers: numbers, addresses of symbols and pieces of such addresses, in braces nested like the array. */
#include <string.h>

#include "ptx/parse.h"

enum { MAX_PADDING = 1 << 20, LEVELS = 6 };

typedef struct shape {
    sl_ptx_var *var;
    uint64_t stride[LEVELS]; /* elements that one element of this level of braces holds */
    uint32_t levels;
    uint64_t limit; /* UINT64_MAX: as many as are given */
    size_t base;    /* where this variable's elements start on the stack */
} shape;

static uint64_t saturating_mul(uint64_t a, uint64_t b)
{
    return __builtin_mul_overflow(a, b, &a) ? UINT64_MAX : a;
}

static shape shape_of(sl_ptx_parser *p, sl_ptx_var *var)
{
    shape s = {.var = var, .base = p->inits.count, .limit = 1};
    uint64_t sizes[LEVELS];
    for (uint32_t i = 0; i < var->dims; i++)
        sizes[s.levels++] = var->dim[i];
    if (var->vector > 1)
        sizes[s.levels++] = var->vector;
    for (uint32_t i = s.levels; i-- > 0;) {
        s.stride[i] = s.limit;
        s.limit = saturating_mul(s.limit, sizes[i]);
    }
    if (var->dims && var->dim[0] == 0)
        s.limit = UINT64_MAX;
    return s;
}

static void push(sl_ptx_parser *p, const shape *s, sl_ptx_init init)
{
    if (p->inits.count - s->base >= s->limit)
        sl_ptx_fail(p, p->token.line, p->token.column, "%s has room for %llu elements, but more are given",
                    s->var->name, (unsigned long long)s->limit);
    SL_PUSH(p, &p->inits, init);
}

static void pad(sl_ptx_parser *p, const shape *s, uint64_t until)
{
    uint64_t have = p->inits.count - s->base;
    if (until > have && until - have > MAX_PADDING)
        sl_ptx_fail(p, p->token.line, p->token.column, "an initializer omits more than %d elements", MAX_PADDING);
    for (; have < until; have++)
        push(p, s, (sl_ptx_init){.text = "0"});
}

static const char *symbol_name(sl_ptx_parser *p)
{
    if (p->token.kind != SL_TOK_WORD)
        sl_ptx_fail_expected(p, "the name of a variable or function");
    const char *name = sl_ptx_token_word(p)->text;
    sl_ptx_advance(p);
    return name;
}

/* symbol, symbol+4, generic(symbol)+4 */
static void symbol_address(sl_ptx_parser *p, sl_ptx_init *init)
{
    if (sl_ptx_token_is(p, "generic") && sl_lexer_peek(&p->lexer) == '(') {
        sl_ptx_advance(p);
        sl_ptx_advance(p);
        init->generic = true;
        init->symbol = symbol_name(p);
        sl_ptx_expect(p, ')', "after generic(symbol");
    } else {
        init->symbol = symbol_name(p);
    }
    if (sl_ptx_at(p, '+') || sl_ptx_at(p, '-'))
        init->bits = sl_ptx_integer(p, "the offset from a symbol");
}

/* 0xFF00(address): one byte of an address. */
static void masked_address(sl_ptx_parser *p, sl_ptx_init *init)
{
    uint32_t line = p->token.line, column = p->token.column;
    init->text = sl_ptx_token_word(p)->text;
    uint64_t mask = sl_ptx_integer(p, "a byte mask");
    uint32_t shift = mask ? (uint32_t)__builtin_ctzll(mask) / 8 : 0;
    if (mask != 0xFFull << shift * 8)
        sl_ptx_fail(p, line, column, "a mask on an address must select one byte, such as 0xFF00");
    init->masked = true;
    init->mask_shift = (uint8_t)shift;
    sl_ptx_expect(p, '(', "after the mask of an address");
    symbol_address(p, init);
    sl_ptx_expect(p, ')', "after a masked address");
}

static bool is_opaque(sl_ptx_type type)
{
    return type == SL_T_TEXREF || type == SL_T_SAMPLERREF || type == SL_T_SURFREF;
}

/* Samplers and textures: addr_mode_0 = wrap */
static void keyed(sl_ptx_parser *p, sl_ptx_init *init)
{
    init->key = symbol_name(p);
    sl_ptx_expect(p, '=', "after the name of a sampler's attribute");
    init->text = sl_ptx_token_word(p)->text;
    if (p->token.kind == SL_TOK_NUMBER)
        init->bits = sl_ptx_integer(p, "a sampler's attribute");
    else
        init->symbol = symbol_name(p);
}

static void element(sl_ptx_parser *p, const shape *s)
{
    sl_ptx_init init = {0};
    if (p->token.kind == SL_TOK_WORD && is_opaque(s->var->type))
        keyed(p, &init);
    else if (p->token.kind == SL_TOK_WORD && !sl_ptx_token_is(p, "WARP_SZ"))
        symbol_address(p, &init);
    else if (p->token.kind == SL_TOK_NUMBER && sl_lexer_peek(&p->lexer) == '(')
        masked_address(p, &init);
    else
        init.bits = sl_ptx_value_as(sl_ptx_constant(p, &init.text), s->var->type);
    push(p, s, init);
}

static void braces(sl_ptx_parser *p, const shape *s, uint32_t level)
{
    sl_ptx_enter(p);
    sl_ptx_expect(p, '{', "before a list of initial values");
    uint64_t stride = level < s->levels ? s->stride[level] : 1;
    while (!sl_ptx_at(p, '}')) {
        if (sl_ptx_at(p, '{')) {
            if (level + 1 >= s->levels)
                sl_ptx_fail(p, p->token.line, p->token.column, "more nested braces than %s has dimensions",
                            s->var->name);
            uint64_t have = p->inits.count - s->base, start = (have + stride - 1) / stride * stride;
            pad(p, s, start);
            braces(p, s, level + 1);
            if (p->inits.count - s->base > start + stride)
                sl_ptx_fail(p, p->token.line, p->token.column, "this row of %s has more than %llu elements",
                            s->var->name, (unsigned long long)stride);
            pad(p, s, start + stride);
        } else {
            element(p, s);
        }
        if (!sl_ptx_accept(p, ','))
            break;
    }
    sl_ptx_expect(p, '}', "after a list of initial values");
    sl_ptx_leave(p);
}

void sl_ptx_parse_initializer(sl_ptx_parser *p, sl_ptx_var *var)
{
    shape s = shape_of(p, var);
    if (is_opaque(var->type))
        s.limit = UINT64_MAX;
    if (sl_ptx_at(p, '{'))
        braces(p, &s, 0);
    else
        element(p, &s);
    if (s.levels > 1) /* whole rows */
        pad(p, &s, (p->inits.count - s.base + s.stride[0] - 1) / s.stride[0] * s.stride[0]);
    var->init = SL_TAKE(p, &p->inits, s.base, &var->inits);
    if (var->dims && var->dim[0] == 0 && !is_opaque(var->type)) { /* x[] = {…}: as long as its values */
        var->dim[0] = (var->inits + s.stride[0] - 1) / s.stride[0];
        var->bytes = var->dim[0] * s.stride[0] * sl_ptx_type_bytes(var->type);
    }
}
