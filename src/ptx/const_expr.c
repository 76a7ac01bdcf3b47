/* SPDX-License-Identifier: MIT */
/* Numbers and constant expressions, folded as PTX says: 64-bit integers, signed unless a literal or a cast makes them
 * unsigned, or double-precision floats. Complete for what compilers emit; names in expressions other than
 * WARP_SZ are errors. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/parse.h"

static double as_double(sl_ptx_value v)
{
    double d;
    float f;
    uint32_t low = (uint32_t)v.bits;
    switch (v.kind) {
    case SL_VALUE_F32:
        memcpy(&f, &low, sizeof f);
        return (double)f;
    case SL_VALUE_F64:
        memcpy(&d, &v.bits, sizeof d);
        return d;
    default:
        return v.is_unsigned ? (double)v.bits : (double)(int64_t)v.bits;
    }
}

static sl_ptx_value of_double(double d)
{
    sl_ptx_value v = {.kind = SL_VALUE_F64};
    memcpy(&v.bits, &d, sizeof d);
    return v;
}

static sl_ptx_value of_int(uint64_t bits, bool is_unsigned)
{
    return (sl_ptx_value){.kind = SL_VALUE_INT, .is_unsigned = is_unsigned, .bits = bits};
}

/* ---- literals ---- */

static _Noreturn void fail_number(sl_ptx_parser *p, const char *why)
{
    sl_ptx_fail(p, p->token.line, p->token.column, "%.*s %s", (int)(p->token.length < 60 ? p->token.length : 60),
                p->token.start, why);
}

static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

static uint64_t digits(sl_ptx_parser *p, const char *c, const char *end, uint64_t base)
{
    uint64_t value = 0;
    if (c == end)
        fail_number(p, "is not a number");
    for (; c < end; c++) {
        uint64_t digit = (uint64_t)digit_value(*c);
        if (digit >= base)
            fail_number(p, "is not a number");
        if (__builtin_mul_overflow(value, base, &value) || __builtin_add_overflow(value, digit, &value))
            fail_number(p, "does not fit in 64 bits");
    }
    return value;
}

static sl_ptx_value hex_float(sl_ptx_parser *p, size_t width, sl_ptx_value_kind kind)
{
    const char *text = p->token.start;
    if (p->token.length != width + 2)
        fail_number(p, width == 8 ? "must have 8 hexadecimal digits after 0f"
                                  : "must have 16 hexadecimal digits after 0d");
    return (sl_ptx_value){.kind = kind, .bits = digits(p, text + 2, text + p->token.length, 16)};
}

/* strtod follows the program's locale, in which 1.5 may be written 1,5. */
static sl_ptx_value decimal_fraction(sl_ptx_parser *p, const char *text, size_t length)
{
    char buffer[512], *end;
    if (length >= sizeof buffer)
        fail_number(p, "is too long for a number");
    memcpy(buffer, text, length);
    buffer[length] = 0;
    if (!p->c_locale) {
        p->c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
        if (!p->c_locale)
            sl_ptx_out_of_memory(p);
    }
    double value = strtod_l(buffer, &end, p->c_locale);
    if (*end)
        fail_number(p, "is not a number");
    return of_double(value);
}

static sl_ptx_value literal(sl_ptx_parser *p)
{
    const char *text = p->token.start, *end = text + p->token.length;
    char second = p->token.length > 1 && text[0] == '0' ? (char)(text[1] | 0x20) : 0;
    if (second == 'f')
        return hex_float(p, 8, SL_VALUE_F32);
    if (second == 'd')
        return hex_float(p, 16, SL_VALUE_F64);
    if (second != 'x' && second != 'b')
        for (const char *c = text; c < end; c++)
            if (*c == '.' || *c == 'e' || *c == 'E')
                return decimal_fraction(p, text, p->token.length);
    bool is_unsigned = end[-1] == 'U' || end[-1] == 'u';
    end -= is_unsigned;
    uint64_t bits = second == 'x'                      ? digits(p, text + 2, end, 16)
                    : second == 'b'                    ? digits(p, text + 2, end, 2)
                    : text[0] == '0' && end - text > 1 ? digits(p, text + 1, end, 8)
                                                       : digits(p, text, end, 10);
    return of_int(bits, is_unsigned || bits >> 63);
}

/* ---- expressions ---- */

typedef enum binary_op {
    NO_OP,
    MUL,
    DIV,
    REM,
    ADD,
    SUB,
    SHL,
    SHR,
    LT,
    LE,
    GT,
    GE,
    EQ,
    NE,
    AND,
    XOR,
    OR,
    LOGIC_AND,
    LOGIC_OR,
} binary_op;

static const uint8_t precedence[] = {
    [NO_OP] = 0, [LOGIC_OR] = 1, [LOGIC_AND] = 2, [OR] = 3,   [XOR] = 4,  [AND] = 5, [EQ] = 6,
    [NE] = 6,    [LT] = 7,       [LE] = 7,        [GT] = 7,   [GE] = 7,   [SHL] = 8, [SHR] = 8,
    [ADD] = 9,   [SUB] = 9,      [MUL] = 10,      [DIV] = 10, [REM] = 10,
};

/* The operator that starts at the current token, and whether it has a second character. */
static binary_op operator_here(const sl_ptx_parser *p, bool *two)
{
    static const struct {
        char text[3];
        uint8_t op;
    } table[] = {
        {"<<", SHL},       {">>", SHR},      {"<=", LE}, {">=", GE}, {"==", EQ}, {"!=", NE},
        {"&&", LOGIC_AND}, {"||", LOGIC_OR}, {"*", MUL}, {"/", DIV}, {"%", REM}, {"+", ADD},
        {"-", SUB},        {"<", LT},        {">", GT},  {"&", AND}, {"^", XOR}, {"|", OR},
    };
    if (p->token.kind != SL_TOK_PUNCT)
        return NO_OP;
    char next = p->lexer.next < p->lexer.end ? *p->lexer.next : 0;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        *two = table[i].text[1];
        if (table[i].text[0] == p->token.punct && (!*two || table[i].text[1] == next))
            return table[i].op;
    }
    return NO_OP;
}

static sl_ptx_value expression(sl_ptx_parser *p, uint8_t min_precedence);
static sl_ptx_value conditional(sl_ptx_parser *p);

static sl_ptx_value cast(sl_ptx_parser *p)
{
    const sl_ptx_word *type = sl_ptx_token_word(p);
    if (type->mod != SL_MOD_S64 && type->mod != SL_MOD_U64)
        sl_ptx_fail_expected(p, "a cast to .s64 or .u64");
    sl_ptx_advance(p);
    sl_ptx_expect(p, ')', "after the type of a cast");
    sl_ptx_value v = expression(p, 11);
    uint64_t bits = v.bits;
    if (v.kind != SL_VALUE_INT) {
        double d = trunc(as_double(v));
        bits = type->mod == SL_MOD_U64 ? (d >= 0 && d < 0x1p64 ? (uint64_t)d : 0)
                                       : (uint64_t)(d >= -0x1p63 && d < 0x1p63 ? (int64_t)d : 0);
    }
    return of_int(bits, type->mod == SL_MOD_U64);
}

static sl_ptx_value negate(sl_ptx_value v)
{
    switch (v.kind) {
    case SL_VALUE_F32:
        v.bits ^= 1u << 31;
        break;
    case SL_VALUE_F64:
        v.bits ^= 1ull << 63;
        break;
    default:
        v.bits = 0 - v.bits;
        break;
    }
    return v;
}

static sl_ptx_value integer_only(sl_ptx_parser *p, sl_ptx_value v)
{
    if (v.kind != SL_VALUE_INT)
        sl_ptx_fail(p, p->token.line, p->token.column, "this operator takes integers only");
    return v;
}

static sl_ptx_value primary(sl_ptx_parser *p)
{
    sl_ptx_value v;
    if (p->token.kind == SL_TOK_NUMBER) {
        v = literal(p);
        sl_ptx_advance(p);
        return v;
    }
    if (p->token.kind == SL_TOK_DOT && p->token.start[1] >= '0' && p->token.start[1] <= '9') {
        v = decimal_fraction(p, p->token.start, p->token.length);
        sl_ptx_advance(p);
        return v;
    }
    if (sl_ptx_token_is(p, "WARP_SZ")) {
        sl_ptx_advance(p);
        return of_int(32, false);
    }
    char punct = p->token.punct;
    if (punct != '-' && punct != '+' && punct != '~' && punct != '!' && punct != '(')
        sl_ptx_fail_expected(p, "a number");
    sl_ptx_enter(p);
    sl_ptx_advance(p);
    if (punct == '(' && p->token.kind == SL_TOK_DOT) {
        v = cast(p);
    } else if (punct == '(') {
        v = conditional(p);
        sl_ptx_expect(p, ')', "after a constant expression");
    } else {
        v = expression(p, 11);
        if (punct == '-')
            v = negate(v);
        else if (punct == '~')
            v.bits = ~integer_only(p, v).bits;
        else if (punct == '!')
            v = of_int(!integer_only(p, v).bits, false);
    }
    sl_ptx_leave(p);
    return v;
}

static sl_ptx_value fold_float(sl_ptx_parser *p, binary_op op, double a, double b)
{
    switch (op) {
    case MUL:
        return of_double(a * b);
    case DIV:
        return of_double(a / b);
    case ADD:
        return of_double(a + b);
    case SUB:
        return of_double(a - b);
    case LT:
        return of_int(a < b, false);
    case LE:
        return of_int(a <= b, false);
    case GT:
        return of_int(a > b, false);
    case GE:
        return of_int(a >= b, false);
    case EQ:
        return of_int(a == b, false);
    case NE:
        return of_int(a != b, false);
    default:
        sl_ptx_fail(p, p->token.line, p->token.column, "this operator takes integers only");
    }
}

static sl_ptx_value divide(sl_ptx_parser *p, binary_op op, uint64_t a, uint64_t b, bool is_unsigned)
{
    if (b == 0)
        sl_ptx_fail(p, p->token.line, p->token.column, "a constant expression divides by zero");
    if (is_unsigned)
        return of_int(op == DIV ? a / b : a % b, true);
    if (b == UINT64_MAX) /* INT64_MIN / -1 does not fit */
        return of_int(op == DIV ? 0 - a : 0, false);
    int64_t sa = (int64_t)a, sb = (int64_t)b;
    return of_int((uint64_t)(op == DIV ? sa / sb : sa % sb), false);
}

static sl_ptx_value fold(sl_ptx_parser *p, binary_op op, sl_ptx_value va, sl_ptx_value vb)
{
    if (va.kind != SL_VALUE_INT || vb.kind != SL_VALUE_INT)
        return fold_float(p, op, as_double(va), as_double(vb));
    uint64_t a = va.bits, b = vb.bits;
    bool u = va.is_unsigned || vb.is_unsigned;
    bool less = u ? a < b : (int64_t)a < (int64_t)b;
    switch (op) {
    case MUL:
        return of_int(a * b, u);
    case DIV:
    case REM:
        return divide(p, op, a, b, u);
    case ADD:
        return of_int(a + b, u);
    case SUB:
        return of_int(a - b, u);
    case SHL:
        return of_int(b < 64 ? a << b : 0, va.is_unsigned);
    case SHR:
        if (va.is_unsigned)
            return of_int(b < 64 ? a >> b : 0, true);
        return of_int((uint64_t)((int64_t)a >> (b < 64 ? b : 63)), false);
    case LT:
        return of_int(less, false);
    case LE:
        return of_int(less || a == b, false);
    case GT:
        return of_int(!less && a != b, false);
    case GE:
        return of_int(!less, false);
    case EQ:
        return of_int(a == b, false);
    case NE:
        return of_int(a != b, false);
    case AND:
        return of_int(a & b, u);
    case XOR:
        return of_int(a ^ b, u);
    case OR:
        return of_int(a | b, u);
    case LOGIC_AND:
        return of_int(a && b, false);
    default:
        return of_int(a || b, false);
    }
}

static sl_ptx_value expression(sl_ptx_parser *p, uint8_t min_precedence)
{
    sl_ptx_value left = primary(p);
    bool two;
    binary_op op;
    while ((op = operator_here(p, &two)) != NO_OP && precedence[op] >= min_precedence) {
        sl_ptx_advance(p);
        if (two)
            sl_ptx_advance(p);
        left = fold(p, op, left, expression(p, (uint8_t)(precedence[op] + 1)));
    }
    return left;
}

static sl_ptx_value conditional(sl_ptx_parser *p)
{
    sl_ptx_value condition = expression(p, 1);
    if (!sl_ptx_accept(p, '?'))
        return condition;
    sl_ptx_enter(p);
    sl_ptx_value yes = conditional(p);
    sl_ptx_expect(p, ':', "between the choices of a conditional expression");
    sl_ptx_value no = conditional(p);
    sl_ptx_leave(p);
    return (condition.kind == SL_VALUE_INT ? condition.bits != 0 : as_double(condition) != 0) ? yes : no;
}

sl_ptx_value sl_ptx_constant(sl_ptx_parser *p, const char **text)
{
    const char *start = p->token.start;
    /* nearly always: one literal */
    if (p->token.kind == SL_TOK_NUMBER && p->lexer.next < p->lexer.end && strchr(",;]}", *p->lexer.next)) {
        sl_ptx_value v = literal(p);
        if (text)
            *text = sl_ptx_token_word(p)->text;
        sl_ptx_advance(p);
        return v;
    }
    const char *before;
    sl_ptx_value v = conditional(p);
    before = p->token.start;
    if (text)
        *text = sl_ptx_slice(p, start, before, ' ');
    return v;
}

uint64_t sl_ptx_integer(sl_ptx_parser *p, const char *what)
{
    uint32_t line = p->token.line, column = p->token.column;
    sl_ptx_value v = sl_ptx_constant(p, NULL);
    if (v.kind != SL_VALUE_INT)
        sl_ptx_fail(p, line, column, "%s must be an integer", what);
    return v.bits;
}

uint64_t sl_ptx_value_as(sl_ptx_value v, sl_ptx_type type)
{
    double d;
    float f;
    uint32_t low;
    switch (type) {
    case SL_T_F32:
        if (v.kind == SL_VALUE_F32)
            return v.bits;
        f = (float)as_double(v);
        memcpy(&low, &f, sizeof low);
        return low;
    case SL_T_F64:
        d = as_double(v);
        return of_double(d).bits;
    default:
        return v.bits;
    }
}
