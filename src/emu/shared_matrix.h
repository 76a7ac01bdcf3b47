/* SPDX-License-Identifier: MIT */
/* Matrices in shared memory that a descriptor names: factors of wgmma and tcgen05.mma, and what tcgen05.cp copies.
 *
 * Lines (rows of A, columns of B) lie in chunks of 16 bytes, of neighbors along k, or along the lines when the matrix
 * is transposed. A line has 32 bytes in all types of both instructions. */
#ifndef SL_EMU_SHARED_MATRIX_H
#define SL_EMU_SHARED_MATRIX_H

#include "emu/exec.h"

enum { LINE_BYTES = 32 };

typedef struct described {
    u64 start, leading, stride;
    u32 span, swizzle; /* bytes that are swizzled together; the address bits that change */
    u32 shift, period; /* how far they are from the bits that change them; rows along k until these repeat */
    u32 size;          /* bytes of an element */
    bool transposed;
} described;

static inline described describe(sl_warp *w, const sl_op *o, u64 bits, u32 size, bool transposed)
{
    static const u32 span[] = {16, 128, 64, 32}, swizzle[] = {0, 0x70, 0x30, 0x10};
    const u32 mode = (u32)(bits >> 62);
    const bool halves = bits >> 61 & 1; /* tcgen05: pairs of chunks are swizzled, in 128 bytes */
    if (bits >> 49 & 15 || (halves && mode))
        sl_fault_raise(w, o->inst, -1, SL_FAULT_ILLEGAL_ADDRESS,
                       "the matrix descriptor 0x%llx has a base offset or a mode that is not emulated",
                       (unsigned long long)bits);
    return (described){.start = (bits & 0x3fff) << 4,
                       .leading = (bits >> 16 & 0x3fff) << 4,
                       .stride = (bits >> 32 & 0x3fff) << 4,
                       .span = halves ? 128 : span[mode],
                       .swizzle = halves ? 0x60 : swizzle[mode],
                       .shift = halves ? 2 : 3,
                       .period = halves ? 4 : 8,
                       .size = size,
                       .transposed = transposed};
}

/* Where a chunk lies: of line `line` and chunk `part` along k, or of the lines from `line` on and k = `part`. */
static inline u64 chunk_at(const described *m, u32 line, u32 part)
{
    u64 at = m->start;
    if (!m->transposed) {
        at += (u64)(line % 8) * m->span + line / 8 * m->stride + part * (m->swizzle ? 16 : m->leading);
    } else if (m->swizzle) {
        u32 chunk = line * m->size / 16, wide = m->span / 16;
        at += chunk % wide * 16 + chunk / wide * m->leading + (u64)(part % m->period) * m->span +
              part / m->period * m->stride;
    } else {
        at += line * m->size / 16 * m->stride + (u64)(part % 8) * 16 + part / 8 * m->leading;
    }
    return at ^ (at >> m->shift & m->swizzle);
}

/* Of the shared memory of that block. */
static inline const u8 *chunk_bytes(sl_warp *w, const sl_op *o, const sl_block *block, u64 at)
{
    if (at + 16 > block->shared_bytes)
        sl_fault_raise(w, o->inst, -1, SL_FAULT_ILLEGAL_ADDRESS,
                       "illegal 16-byte read at shared offset 0x%llx of %u bytes", (unsigned long long)at,
                       block->shared_bytes);
    for (u64 i = at; block->shared_written && i < at + 16; i++)
        if (!(block->shared_written[i / 8] >> i % 8 & 1))
            sl_fault_raise(w, o->inst, -1, SL_FAULT_UNINITIALISED,
                           "read of memory that was never written: shared offset 0x%llx", (unsigned long long)i);
    return block->shared + at;
}

/* Lines [first, first + lines) as rows of LINE_BYTES. */
static inline void read_lines(sl_warp *w, const sl_op *o, const sl_block *block, const described *m, u32 first,
                              u32 lines, u8 (*out)[LINE_BYTES])
{
    const u32 per = 16 / m->size;
    for (u32 line = 0; line < lines && !m->transposed; line++)
        for (u32 part = 0; part < 2; part++)
            memcpy(out[line] + 16 * part, chunk_bytes(w, o, block, chunk_at(m, first + line, part)), 16);
    for (u32 line = 0; line < lines && m->transposed; line += per)
        for (u32 k = 0; k < LINE_BYTES / m->size; k++) {
            const u8 *chunk = chunk_bytes(w, o, block, chunk_at(m, first + line, k));
            for (u32 i = 0; i < per && line + i < lines; i++)
                memcpy(out[line + i] + m->size * k, chunk + m->size * i, m->size);
        }
}

/* What these lines are read from. Lines eight apart lie at a regular distance. */
static inline void note_lines(sl_warp *w, const sl_op *o, const described *m, u32 first, u32 end)
{
    u32 chunks = m->transposed ? LINE_BYTES / m->size : 2, step = m->transposed ? 1 : 8;
    u32 per = m->transposed ? 16 / m->size : 8;
    bool together = !m->transposed && m->swizzle && m->start % 32 == 0;
    for (u32 part = 0; part < chunks; part += together ? 2 : 1)
        for (u32 r = 0; r < step; r++)
            for (u32 line = first + r; line < end; line += per) {
                u64 at = chunk_at(m, line, part);
                at = together && chunk_at(m, line, 1) < at ? chunk_at(m, line, 1) : at;
                sl_note_row(w, o, at, at, together ? 32 : 16);
            }
}

#endif
