/* SPDX-License-Identifier: MIT */
#include "base/gzip.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc32.h"

enum { WINDOW = 32768, HASH_BITS = 15, MIN_MATCH = 4, MAX_MATCH = 258, END_OF_BLOCK = 256 };

typedef struct packer {
    FILE *to;
    uint8_t data[2 * WINDOW];      /* the window before, and what follows it */
    size_t done, have;             /* packed, and in `data` at all */
    uint64_t start;                /* of data[0] among all bytes */
    uint64_t head[1 << HASH_BITS]; /* where such bytes were last, plus 1 */
    uint64_t bits;
    unsigned bit_count;
    uint32_t crc;
    uint64_t bytes;
} packer;

/* ---- bits ---- */

static void put_bits(packer *p, uint32_t value, unsigned count)
{
    p->bits |= (uint64_t)value << p->bit_count;
    for (p->bit_count += count; p->bit_count >= 8; p->bit_count -= 8, p->bits >>= 8)
        fputc((int)(p->bits & 255), p->to);
}

/* Huffman codes begin with their highest bit. */
static void put_code(packer *p, uint32_t code, unsigned count)
{
    uint32_t turned = 0;
    for (unsigned i = 0; i < count; i++)
        turned |= (code >> i & 1) << (count - 1 - i);
    put_bits(p, turned, count);
}

/* A literal, or the code of a length. */
static void put_symbol(packer *p, uint32_t symbol)
{
    if (symbol < 144)
        put_code(p, 0x30 + symbol, 8);
    else if (symbol < 256)
        put_code(p, 0x190 + symbol - 144, 9);
    else if (symbol < 280)
        put_code(p, symbol - 256, 7);
    else
        put_code(p, 0xc0 + symbol - 280, 8);
}

/* Lengths from 3, and distances from 1, come in groups: `each` codes that have as many further bits, then one more. */
static void group_of(uint32_t value, uint32_t each, uint32_t *code, unsigned *extra, uint32_t *rest)
{
    *extra = 0;
    if (value >= 2 * each)
        *extra = (unsigned)(31 - __builtin_clz(value) - (31 - __builtin_clz(each)));
    *code = *extra * each + (value >> *extra);
    *rest = value & ((1u << *extra) - 1);
}

static void put_match(packer *p, uint32_t length, uint32_t distance)
{
    uint32_t code, rest;
    unsigned extra;
    if (length == MAX_MATCH) {
        put_symbol(p, 285);
    } else {
        group_of(length - 3, 4, &code, &extra, &rest);
        put_symbol(p, 257 + code);
        put_bits(p, rest, extra);
    }
    group_of(distance - 1, 2, &code, &extra, &rest);
    put_code(p, code, 5);
    put_bits(p, rest, extra);
}

/* ---- matches ---- */

static uint32_t match_at(packer *p, size_t at, uint32_t *distance)
{
    uint32_t word, length = 0;
    if (p->have - at < MIN_MATCH)
        return 0;
    memcpy(&word, p->data + at, sizeof word);
    uint64_t *head = &p->head[word * 0x9e3779b1u >> (32 - HASH_BITS)], here = p->start + at;
    uint64_t before = *head;
    *head = here + 1;
    if (!before || before - 1 < p->start || here - (before - 1) > WINDOW)
        return 0;
    *distance = (uint32_t)(here - (before - 1));
    while (length < MAX_MATCH && at + length < p->have && p->data[at + length] == p->data[at + length - *distance])
        length++;
    return length;
}

static void pack(packer *p, bool last)
{
    put_bits(p, last, 1);
    put_bits(p, 1, 2); /* fixed codes */
    while (p->done < p->have) {
        uint32_t distance, unused, length = match_at(p, p->done, &distance);
        if (length < MIN_MATCH) {
            put_symbol(p, p->data[p->done++]);
            continue;
        }
        put_match(p, length, distance);
        for (uint32_t i = 1; i < length; i++)
            match_at(p, p->done + i, &unused);
        p->done += length;
    }
    put_symbol(p, END_OF_BLOCK);
}

/* ---- the stream ---- */

static ssize_t write_some(void *cookie, const char *bytes, size_t count)
{
    packer *p = cookie;
    p->crc = sl_crc32_more(p->crc, (const uint8_t *)bytes, count);
    p->bytes += count;
    for (size_t taken = 0; taken < count;) {
        size_t room = sizeof p->data - p->have, part = count - taken < room ? count - taken : room;
        memcpy(p->data + p->have, bytes + taken, part);
        p->have += part;
        taken += part;
        if (p->have < sizeof p->data)
            continue;
        pack(p, false);
        memcpy(p->data, p->data + WINDOW, WINDOW);
        p->have = p->done = WINDOW;
        p->start += WINDOW;
    }
    return ferror(p->to) ? 0 : (ssize_t)count;
}

static int close_stream(void *cookie)
{
    packer *p = cookie;
    pack(p, true);
    put_bits(p, 0, p->bit_count ? 8 - p->bit_count : 0);
    for (int i = 0; i < 8; i++)
        fputc((int)((i < 4 ? (uint64_t)p->crc >> 8 * i : p->bytes >> 8 * (i - 4)) & 255), p->to);
    int failed = ferror(p->to) ? EOF : 0;
    free(p);
    return failed;
}

FILE *sl_gzip_open(FILE *to)
{
    static const uint8_t heading[10] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255}; /* no name, no time: always the same */
    packer *p = calloc(1, sizeof *p);
    FILE *stream = p ? fopencookie(p, "w", (cookie_io_functions_t){.write = write_some, .close = close_stream}) : NULL;
    if (!stream) {
        free(p);
        return NULL;
    }
    p->to = to;
    fwrite(heading, 1, sizeof heading, to);
    return stream;
}
