/* SPDX-License-Identifier: MIT */
/* One line of an Accel-Sim trace:
 *   [block x y z, warp] [source line] PC mask ndst [registers] OPCODE nsrc [registers] width [mode addresses]
 * [immediate]
 */
#include <ctype.h>
#include <string.h>

#include "trace/accelsim.h"

enum { ALL_ADDRESSES, BASE_STRIDE, BASE_DELTAS };

typedef struct scan {
    const char *at;
    bool bad;
} scan;

static const char *skip_blanks(const char *at)
{
    while (*at == ' ' || *at == '\t')
        at++;
    return at;
}

static bool at_end(scan *s)
{
    s->at = skip_blanks(s->at);
    return !*s->at;
}

static bool ends_token(char c)
{
    return !c || c == ' ' || c == '\t';
}

static uint64_t read_hex(scan *s)
{
    const char *at = skip_blanks(s->at), *first;
    if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X'))
        at += 2;
    uint64_t value = 0;
    for (first = at; isxdigit((unsigned char)*at); at++)
        value = value << 4 | (uint64_t)(isdigit((unsigned char)*at) ? *at - '0' : (*at | 32) - 'a' + 10);
    s->bad |= at == first || at - first > 16 || !ends_token(*at);
    s->at = at;
    return value;
}

static uint64_t read_decimal(scan *s, uint64_t max)
{
    const char *at = skip_blanks(s->at), *first;
    uint64_t value = 0;
    for (first = at; isdigit((unsigned char)*at) && at - first < 19; at++)
        value = value * 10 + (uint64_t)(*at - '0');
    s->bad |= at == first || !ends_token(*at) || value > max;
    s->at = at;
    return s->bad ? 0 : value;
}

static uint64_t read_signed(scan *s)
{
    const char *at = skip_blanks(s->at);
    bool negative = *at == '-';
    s->at = at + negative;
    s->bad |= !isdigit((unsigned char)*s->at);
    uint64_t value = read_decimal(s, INT64_MAX);
    return negative ? -value : value;
}

/* R12, or whatever else the tracer calls a register: its number. */
static uint16_t read_register(scan *s)
{
    const char *at = skip_blanks(s->at);
    unsigned number = 0;
    s->bad |= !*at;
    while (*at && !isdigit((unsigned char)*at) && !ends_token(*at))
        at++;
    for (; isdigit((unsigned char)*at) && number < 10000; at++)
        number = number * 10 + (unsigned)(*at - '0');
    s->bad |= !ends_token(*at);
    s->at = at;
    return (uint16_t)number;
}

/* What exceeds SL_INST_REGS is passed over: no instruction of interest has that many. */
static uint8_t read_registers(scan *s, sl_sass_line *out, unsigned already)
{
    unsigned count = (unsigned)read_decimal(s, 64), kept = 0;
    for (unsigned i = 0; i < count && !s->bad; i++) {
        uint16_t number = read_register(s);
        if (already + kept < SL_INST_REGS)
            out->regs[already + kept++] = number;
    }
    return (uint8_t)kept;
}

static void read_addresses(scan *s, sl_sass_line *out)
{
    uint64_t mode = read_decimal(s, BASE_DELTAS), at = 0, stride = 0;
    bool first = true;
    if (mode != ALL_ADDRESSES)
        at = read_hex(s);
    if (mode == BASE_STRIDE)
        stride = read_signed(s);
    for (uint32_t left = out->mask; left && !s->bad; left &= left - 1) {
        if (mode == ALL_ADDRESSES)
            at = read_hex(s);
        else if (!first)
            at += mode == BASE_STRIDE ? stride : read_signed(s);
        first = false;
        out->addr[__builtin_ctz(left)] = at;
    }
}

const char *sl_sass_parse(const char *line, const sl_sass_syntax *syntax, sl_sass_line *out)
{
    scan s = {line, false};
    if (syntax->version < 3)
        for (int i = 0; i < 4; i++)
            read_decimal(&s, UINT32_MAX);
    out->source_line = syntax->source_lines ? (uint32_t)read_decimal(&s, UINT32_MAX) : 0;
    uint64_t pc = read_hex(&s), mask = read_hex(&s);
    if (s.bad || pc > UINT32_MAX || mask > UINT32_MAX)
        return "a PC and a mask in hexadecimal are expected";
    out->pc = (uint32_t)pc;
    out->mask = (uint32_t)mask;
    out->key = skip_blanks(s.at);
    out->dsts = read_registers(&s, out, 0);
    if (s.bad)
        return "the number of destination registers and as many registers are expected";
    out->opcode = skip_blanks(s.at);
    while (!ends_token(*s.at) || s.at < out->opcode)
        s.at++;
    out->opcode_bytes = (size_t)(s.at - out->opcode);
    if (!out->opcode_bytes)
        return "an opcode is expected";
    out->srcs = read_registers(&s, out, out->dsts);
    if (s.bad)
        return "the number of source registers and as many registers are expected";
    out->key_bytes = (size_t)(s.at - out->key);
    uint64_t width = read_decimal(&s, 1024);
    if (s.bad)
        return "the width of the access, or 0, is expected";
    out->addressed = width != 0;
    if (out->addressed)
        read_addresses(&s, out);
    if (s.bad)
        return "a mode (0, 1 or 2) and the addresses of the active lanes are expected";
    if (!at_end(&s)) { /* the immediate: any one word */
        while (!ends_token(*s.at))
            s.at++;
        if (!at_end(&s))
            return "unexpected text at the end of the line";
    }
    return NULL;
}
