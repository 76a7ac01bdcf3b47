/* SPDX-License-Identifier: MIT */
/* What handlers that access memory share: the addresses of the lanes, and the record of them. */
#ifndef SL_EMU_EXEC_ACCESS_H
#define SL_EMU_EXEC_ACCESS_H

#include "emu/exec.h"

static const u64 ALL_LANES = SL_LANES == 64 ? ~(u64)0 : ((u64)1 << (SL_LANES & 63)) - 1;

/* Addresses of all lanes; inactive lanes repeat an active one, so that loops over all lanes are harmless. `narrow`: the
 * register has 32-bit lanes. */
static inline void addresses_of(const sl_warp *w, const sl_op *o, bool narrow, u64 *addr)
{
    const u64 imm = (u64)o->imm, mask = w->mask;
    if (narrow) {
        const u32 *a = sl_operand(w, o->a);
        SL_LANES_LOOP addr[i] = (u32)(a[i] + (u32)imm);
    } else {
        const u64 *a = sl_operand(w, o->a);
        SL_LANES_LOOP addr[i] = a[i] + imm;
    }
    if (mask != ALL_LANES) {
        u64 some = addr[__builtin_ctzll(mask)];
        for (u64 i = 0; i < SL_LANES; i++) /* without a branch, and all as wide: that becomes vector code */
            addr[i] = some ^ ((addr[i] ^ some) & -(mask >> i & 1));
    }
}

static inline void addresses(const sl_warp *w, const sl_op *o, u64 *addr)
{
    addresses_of(w, o, o->aux & SL_ADDRESS_32, addr);
}

static inline void record(sl_warp *w, const sl_op *o, const u64 *addr)
{
    if (!w->watched)
        return;
    sl_warp_record(w, o, w->mask, addr);
    if (w->race)
        sl_race_note(w, o, addr);
}

static __attribute__((noinline, unused)) void record_each(sl_warp *w, const sl_op *o)
{
    _Alignas(64) u64 addr[SL_LANES];
    addresses(w, o, addr);
    record(w, o, addr);
}

/* What follows a shape: the distances of all lanes. */
static inline u64 *distances_u64(const sl_shape *s)
{
    return __builtin_assume_aligned((u8 *)s + sizeof *s, 64);
}

static inline u32 *distances_u32(const sl_shape *s)
{
    return __builtin_assume_aligned(distances_u64(s) + SL_LANES, 64);
}

/* The same for lanes that lie as `s` says, the first active one at `at`. */
static __attribute__((noinline, unused)) void record_shape(sl_warp *w, const sl_op *o, sl_shape *s, u64 at)
{
    if (!w->counter || w->stream || w->race)
        record_each(w, o);
    else if (o->slot != UINT32_MAX)
        sl_launch_counter_shape(w->counter, o->slot, &s->counts, distances_u64(s), at);
}

#endif
