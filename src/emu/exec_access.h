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
    if (narrow) {
        const u32 *a = sl_operand(w, o->a);
        SL_LANES_LOOP addr[i] = (u32)(a[i] + (u32)o->imm);
    } else {
        const u64 *a = sl_operand(w, o->a);
        SL_LANES_LOOP addr[i] = a[i] + (u64)o->imm;
    }
    if (w->mask != ALL_LANES) {
        u64 some = addr[__builtin_ctzll(w->mask)], mask = w->mask;
        SL_LANES_LOOP addr[i] = mask >> i & 1 ? addr[i] : some;
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

/* The same for lanes in lines, as sl_launch_counter_lines wants them. */
static inline void record_lines(sl_warp *w, const sl_op *o, const sl_lane_lines *lines)
{
    _Alignas(64) u64 addr[SL_LANES];
    if (w->counter && !w->stream && !w->race) {
        if (o->slot != UINT32_MAX)
            sl_launch_counter_lines(w->counter, o->slot, w->mask, lines);
        return;
    }
    addresses(w, o, addr);
    record(w, o, addr);
}

#endif
