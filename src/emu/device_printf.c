/* SPDX-License-Identifier: MIT */
/* printf in kernels. Formats and arguments are the kernel's own, so each conversion is parsed, checked and written
 * again before the host's printf sees it.
 *
 * Text is kept as a GPU keeps it: in a buffer of fixed size (cudaLimitPrintfFifoSize) that is passed on when the launch
 * has ended, and in which the newest calls replace the oldest. Here it is the text that counts, on a GPU the arguments.
 */
#include <stdio.h>
#include <string.h>

#include "emu/half.h"
#include "emu/warp.h"

enum {
    MAX_FIELD = 4096,        /* of a width or precision: no program means more */
    MAX_CALL_TEXT = 1 << 20, /* of one call; also what is read of a string */
};
enum { FORMAT, ARGUMENT, OUTPUT }; /* sl_worker.text */

/* A call of one lane. */
typedef struct print {
    sl_warp *warp;
    const sl_op *op;
    int lane;
    uint64_t arguments, offset; /* where they are in device memory, and how far they were read */
    sl_buffer *out;
} print;

static _Noreturn void no_memory(const print *p)
{
    sl_fault_raise(p->warp, p->op->inst, p->lane, SL_FAULT_LIMIT, "printf: out of memory");
}

static void append(const print *p, const char *text, size_t length)
{
    if (p->out->count > MAX_CALL_TEXT || length > MAX_CALL_TEXT - p->out->count)
        sl_fault_raise(p->warp, p->op->inst, p->lane, SL_FAULT_LIMIT, "printf: more than %d characters in one call",
                       MAX_CALL_TEXT);
    if (!sl_buffer_append(p->out, text, length))
        no_memory(p);
}

const char *sl_device_string(sl_warp *warp, const sl_op *op, int lane, uint64_t addr, size_t max, sl_buffer *text)
{
    sl_buffer_clear(text);
    bool kept = sl_buffer_append(text, "", 0);
    for (size_t i = 0; kept && i < max; i++) {
        const char *c = sl_memory_resolve(warp, op, lane, addr + i, 1, false);
        if (!*c)
            break;
        kept = sl_buffer_append(text, c, 1);
    }
    if (!kept)
        sl_fault_raise(warp, op->inst, lane, SL_FAULT_LIMIT, "no memory for a string");
    return text->data;
}

static uint64_t next_argument(print *p, uint32_t bytes)
{
    uint64_t value = 0;
    p->offset = (p->offset + bytes - 1) / bytes * bytes;
    memcpy(&value, sl_memory_resolve(p->warp, p->op, p->lane, p->arguments + p->offset, bytes, false), bytes);
    p->offset += bytes;
    return value;
}

/* ---- conversions ---- */

typedef struct conversion {
    char flags[8];
    bool has_width, has_precision, wide;
    int width, precision;
    char kind;
    uint32_t elements, element_bytes; /* of OpenCL's vectors: "%v4hld"; 0: it is none */
} conversion;

/* A width or precision: digits, or an argument. */
static int field(print *p, const char **at)
{
    int value = 0;
    if (**at == '*') {
        value = (int32_t)next_argument(p, 4);
        (*at)++;
    } else {
        for (; **at >= '0' && **at <= '9'; (*at)++)
            value = value > MAX_FIELD ? value : 10 * value + (**at - '0');
    }
    if (value > MAX_FIELD || value < -MAX_FIELD)
        sl_fault_raise(p->warp, p->op->inst, p->lane, SL_FAULT_ILLEGAL_INSTRUCTION,
                       "printf: a field of more than %d characters", MAX_FIELD);
    return value;
}

/* Reads "%-8.3f" up to its last letter; `at` moves there. False: it is no conversion, and printed as it is. */
static bool parse(print *p, const char **at, conversion *c)
{
    const char *s = *at + 1;
    size_t flags = 0;
    *c = (conversion){0};
    for (; *s && strchr("-+ #0", *s); s++)
        if (!strchr(c->flags, *s) && flags < sizeof c->flags - 1)
            c->flags[flags++] = *s;
    c->has_width = *s == '*' || (*s >= '1' && *s <= '9');
    if (c->has_width)
        c->width = field(p, &s);
    c->has_precision = *s == '.';
    if (c->has_precision) {
        s++;
        c->precision = field(p, &s);
    }
    if (*s == '*' || *s == '.' || (*s >= '0' && *s <= '9'))
        sl_fault_raise(p->warp, p->op->inst, p->lane, SL_FAULT_ILLEGAL_INSTRUCTION,
                       "printf: a conversion has more than one width or precision: %.40s", *at);
    if (*s == 'v' && s[1] >= '1' && s[1] <= '9') {
        for (s++; *s >= '0' && *s <= '9' && c->elements < 100; s++)
            c->elements = 10 * c->elements + (uint32_t)(*s - '0');
        c->element_bytes = !strncmp(s, "hh", 2) ? 1 : !strncmp(s, "hl", 2) ? 4 : *s == 'h' ? 2 : *s == 'l' ? 8 : 4;
    }
    for (; *s && strchr("hlLjzt", *s); s++)
        c->wide |= *s != 'h' && *s != 'L';
    *at = s;
    if (c->elements > 4 && c->elements != 8 && c->elements != 16)
        return false;
    c->kind = *s;
    return *s && strchr("diuxXocpseEfFgGaA", *s);
}

/* Appends what printf makes of the conversion, with `length` ("ll" or "") and a value of a matching type. */
#define WRITE(p, c, length, value)                                                                                     \
    do {                                                                                                               \
        char format_[64];                                                                                              \
        write_format(c, length, format_, sizeof format_);                                                              \
        if (!sl_buffer_format((p)->out, format_, value))                                                               \
            no_memory(p);                                                                                              \
    } while (0)

static void write_format(const conversion *c, const char *length, char *format, size_t size)
{
    char width[16] = "", precision[16] = "";
    if (c->has_width)
        snprintf(width, sizeof width, "%d", c->width);
    if (c->has_precision && c->precision >= 0) /* a negative one counts as none */
        snprintf(precision, sizeof precision, ".%d", c->precision);
    snprintf(format, size, "%%%s%s%s%s%c", c->flags, width, precision, length, c->kind);
}

static void write_string(print *p, const conversion *c)
{
    uint64_t addr = next_argument(p, 8);
    size_t max = c->has_precision && c->precision >= 0 ? (size_t)c->precision : MAX_CALL_TEXT;
    const char *text =
        addr ? sl_device_string(p->warp, p->op, p->lane, addr, max, &p->warp->worker->text[ARGUMENT]) : "(null)";
    if (c->has_width || c->has_precision)
        WRITE(p, c, "", text);
    else
        append(p, text, strlen(text));
}

/* -Wformat-nonliteral: the formats are those of write_format. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void convert(print *p, const conversion *c)
{
    switch (c->kind) {
    case 'd':
    case 'i': {
        uint64_t value = next_argument(p, c->wide ? 8 : 4);
        WRITE(p, c, "ll", c->wide ? (long long)value : (long long)(int32_t)value);
        break;
    }
    case 'u':
    case 'x':
    case 'X':
    case 'o':
        WRITE(p, c, "ll", (unsigned long long)next_argument(p, c->wide ? 8 : 4));
        break;
    case 'c':
        WRITE(p, c, "", (int)next_argument(p, 4));
        break;
    case 'p':
        WRITE(p, c, "", (void *)(uintptr_t)next_argument(p, 8));
        break;
    case 's':
        write_string(p, c);
        break;
    default: { /* e f g a in both cases */
        uint64_t bits = next_argument(p, 8);
        double value;
        memcpy(&value, &bits, sizeof value);
        WRITE(p, c, "", value);
        break;
    }
    }
    append(p, "", 0); /* checks the length */
}
#pragma GCC diagnostic pop

/* An element of a vector. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void convert_element(print *p, const conversion *c)
{
    uint64_t bits = next_argument(p, c->element_bytes);
    uint32_t unused = 64 - 8 * c->element_bytes;
    if (strchr("eEfFgGaA", c->kind)) {
        double value = 0;
        float single;
        if (c->element_bytes == 8)
            memcpy(&value, &bits, sizeof value);
        else if (c->element_bytes == 4)
            value = (memcpy(&single, &bits, sizeof single), (double)single);
        else
            value = (double)sl_f16_to_f32((uint16_t)bits);
        WRITE(p, c, "", value);
    } else if (c->kind == 'd' || c->kind == 'i') {
        WRITE(p, c, "ll", (long long)((int64_t)(bits << unused) >> unused));
    } else {
        WRITE(p, c, "ll", (unsigned long long)bits);
    }
}
#pragma GCC diagnostic pop

/* OpenCL's "%v4f": the elements with commas between them. Three take the room of four. */
static void convert_vector(print *p, const conversion *c)
{
    uint32_t room = (c->elements == 3 ? 4 : c->elements) * c->element_bytes;
    p->offset = (p->offset + room - 1) / room * room;
    uint64_t end = p->offset + room;
    for (uint32_t i = 0; i < c->elements; i++) {
        if (i)
            append(p, ",", 1);
        convert_element(p, c);
    }
    p->offset = end;
    append(p, "", 0); /* checks the length */
}

/* ---- the buffer of a launch ---- */

/* Keeps the text of a call; the oldest calls make room for it. */
static bool keep(sl_printed *printed, const sl_buffer *text)
{
    if (text->count > printed->limit) {
        printed->lost++;
        return true;
    }
    while (printed->first < printed->calls.count &&
           printed->text.count - printed->start + text->count > printed->limit) {
        printed->start += printed->calls.items[printed->first++];
        printed->lost++;
    }
    if (printed->start > printed->limit) { /* not at every call: on average a byte is moved once */
        sl_buffer *all = &printed->text;
        all->count -= printed->start;
        memmove(all->data, all->data + printed->start, all->count);
        printed->calls.count -= printed->first;
        memmove(printed->calls.items, printed->calls.items + printed->first,
                printed->calls.count * sizeof *printed->calls.items);
        printed->start = printed->first = 0;
    }
    return sl_array_reserve(&printed->calls, 1) && sl_buffer_append(&printed->text, text->data, text->count) &&
           sl_array_push(&printed->calls, (uint32_t)text->count);
}

void sl_printed_pass_on(sl_printed *printed, const sl_emu_config *config)
{
    if (config->print && printed->text.count > printed->start)
        config->print(config->print_context, printed->text.data + printed->start, printed->text.count - printed->start);
    if (config->print_lost && printed->lost)
        config->print_lost(config->print_context, printed->lost);
    sl_buffer_clear(&printed->text);
    printed->calls.count = printed->first = printed->start = 0;
    printed->lost = 0;
}

void sl_printed_fini(sl_printed *printed)
{
    sl_buffer_free(&printed->text);
    sl_array_free(&printed->calls);
}

int sl_device_printf(sl_warp *warp, const sl_op *op, int lane, uint64_t format_addr, uint64_t arguments)
{
    sl_worker *worker = warp->worker;
    print p = {.warp = warp, .op = op, .lane = lane, .arguments = arguments, .out = &worker->text[OUTPUT]};
    const char *at = sl_device_string(warp, op, lane, format_addr, MAX_CALL_TEXT, &worker->text[FORMAT]);
    int conversions = 0;
    sl_buffer_clear(p.out);
    while (*at) {
        size_t plain = strcspn(at, "%");
        append(&p, at, plain);
        at += plain;
        if (at[0] == '%' && at[1] == '%') {
            append(&p, "%", 1);
            at += 2;
        } else if (at[0] == '%') {
            conversion c;
            const char *end = at;
            if (parse(&p, &end, &c)) {
                if (c.elements && strchr("diuxXoeEfFgGaA", c.kind))
                    convert_vector(&p, &c);
                else
                    convert(&p, &c);
                conversions++;
                end++;
            } else {
                append(&p, at, (size_t)(end - at));
            }
            at = end;
        }
    }
    sl_emu *emu = worker->run->emu;
    if (emu->config.print && p.out->count && !keep(&emu->printed, p.out))
        no_memory(&p);
    return conversions;
}
