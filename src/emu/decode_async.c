/* SPDX-License-Identifier: MIT */
/* What Hopper brought: barriers in shared memory (mbarrier), stores that report to them, addresses in a cluster, and
 * hints to the scheduler, which change nothing here. */
#include "emu/atomic.h"
#include "emu/decode.h"
#include "emu/warp.h"

/* An update of the barrier at `at`: `arrivals` and `bytes` are 64-bit references. */
static void update_barrier(sl_decoder *d, const sl_memory_operand *at, sl_atomic how, uint32_t state, uint32_t arrivals,
                           uint32_t bytes)
{
    sl_op *op = sl_emit(d, state, at->ref, arrivals, bytes, "atomic_u64");
    sl_decode_fill(d, op, at, 8, 1, 0);
    op->aux = how | (at->narrow ? SL_ATOM_ADDRESS_32 : 0);
    op->slot = UINT32_MAX; /* it goes through the barrier unit, not through the memory pipeline */
}

/* A 32-bit operand as 64 bits; negated for counts that go down. */
static uint32_t wide_count(sl_decoder *d, const sl_ptx_operand *operand, bool negated)
{
    uint32_t wide = sl_decode_temp(d, 8), zero = sl_decode_const(d, 0, 8);
    uint32_t count = sl_decode_src(d, operand, SL_T_U32);
    sl_emit(d, wide, count, count, count, "ext_u32_u32_u64");
    if (negated)
        sl_emit(d, wide, zero, wide, wide, "sub_b64");
    return wide;
}

static sl_memory_operand barrier_at(sl_decoder *d, uint32_t operand)
{
    sl_memory_operand at = sl_decode_locate(d, sl_decode_operand(d, operand), sl_ptx_inst_space(d->inst));
    if (at.is_param)
        sl_decode_refuse(d, "a barrier in a parameter");
    return at;
}

/* p = whether the phase that a state was taken in, or that has a parity, is complete. */
static void decode_wait(sl_decoder *d)
{
    sl_memory_operand at = barrier_at(d, 1);
    uint32_t p = sl_decode_dst(d, sl_decode_operand(d, 0), 4), phase = sl_decode_temp(d, 8);
    uint32_t bit = sl_decode_const(d, SL_BARRIER_PHASE_BIT, 4), other = sl_decode_temp(d, 8);
    sl_op *load = sl_emit(d, phase, at.ref, 0, 0, "ld_u64_u64");
    sl_decode_fill(d, load, &at, 8, 1, 0);
    load->slot = UINT32_MAX;
    sl_emit(d, phase, phase, bit, bit, "shr_u64");
    if (sl_ptx_has(d->inst, SL_MOD_PARITY)) {
        uint32_t parity = wide_count(d, sl_decode_operand(d, 2), false), one = sl_decode_const(d, 1, 8);
        sl_emit(d, other, parity, one, one, "and_b64");
    } else {
        uint32_t state = sl_decode_src(d, sl_decode_operand(d, 2), SL_T_B64);
        sl_emit(d, other, state, bit, bit, "shr_u64");
    }
    sl_emit(d, p, phase, other, other, "setp_ne_u64");
    if (d->check_race)
        sl_emit(d, 0, sl_decode_address(d, sl_decode_operand(d, 1), sl_ptx_inst_space(d->inst)), p, 0, "race_waited");
}

static void decode_mbarrier(sl_decoder *d)
{
    const sl_ptx_inst *inst = d->inst;
    uint32_t none = sl_decode_const(d, 0, 8), one = sl_decode_const(d, 1, 8);
    if (sl_ptx_has(inst, SL_MOD_TEST_WAIT) || sl_ptx_has(inst, SL_MOD_TRY_WAIT)) {
        decode_wait(d);
    } else if (sl_ptx_has(inst, SL_MOD_PENDING_COUNT)) {
        uint32_t shifted = sl_decode_temp(d, 8), state = sl_decode_src(d, sl_decode_operand(d, 1), SL_T_B64);
        uint32_t bit = sl_decode_const(d, SL_BARRIER_PENDING_BIT, 4),
                 mask = sl_decode_const(d, SL_BARRIER_COUNT_MASK, 8);
        sl_emit(d, shifted, state, bit, bit, "shr_u64");
        sl_emit(d, shifted, shifted, mask, mask, "and_b64");
        sl_emit(d, sl_decode_dst(d, sl_decode_operand(d, 0), 4), shifted, shifted, shifted, "ext_u32_u64_u32");
    } else if (sl_ptx_has(inst, SL_MOD_INIT)) {
        sl_memory_operand at = barrier_at(d, 0);
        update_barrier(d, &at, SL_ATOM_BARRIER_INIT, sl_decode_temp(d, 8),
                       wide_count(d, sl_decode_operand(d, 1), false), none);
    } else if (sl_ptx_has(inst, SL_MOD_ARRIVE) || sl_ptx_has(inst, SL_MOD_ARRIVE_DROP)) {
        bool expects = sl_ptx_has(inst, SL_MOD_EXPECT_TX), returns = sl_ptx_inst_dsts(inst);
        uint32_t first = returns ? 1 : 0;
        sl_memory_operand at = barrier_at(d, first);
        uint32_t count = inst->operands > first + 1 ? wide_count(d, sl_decode_operand(d, first + 1), false) : one;
        uint32_t state = returns ? sl_decode_dst(d, sl_decode_operand(d, 0), 8) : sl_decode_temp(d, 8);
        update_barrier(d, &at, sl_ptx_has(inst, SL_MOD_ARRIVE_DROP) ? SL_ATOM_BARRIER_DROP : SL_ATOM_BARRIER_ARRIVE,
                       state, expects ? one : count, expects ? count : none);
    } else if (!sl_ptx_has(inst, SL_MOD_INVAL)) { /* expect_tx, complete_tx */
        sl_memory_operand at = barrier_at(d, 0);
        uint32_t bytes = wide_count(d, sl_decode_operand(d, 1), sl_ptx_has(inst, SL_MOD_COMPLETE_TX));
        update_barrier(d, &at, SL_ATOM_BARRIER_ARRIVE, sl_decode_temp(d, 8), none, bytes);
    }
}

void sl_decode_complete_bytes(sl_decoder *d, const sl_ptx_operand *barrier, uint32_t bytes)
{
    sl_memory_operand at = sl_decode_locate(d, barrier, SL_SPACE_SHARED);
    update_barrier(d, &at, SL_ATOM_BARRIER_ARRIVE, sl_decode_temp(d, 8), sl_decode_const(d, 0, 8),
                   sl_decode_const(d, -(uint64_t)bytes, 8));
}

void sl_decode_copies_arrive(sl_decoder *d)
{
    /* Copies are done when they are issued. Without .noinc the arrival was added to those that are waited for. */
    if (!sl_ptx_has(d->inst, SL_MOD_NOINC))
        return;
    sl_memory_operand at = barrier_at(d, 0);
    update_barrier(d, &at, SL_ATOM_BARRIER_ARRIVE, sl_decode_temp(d, 8), sl_decode_const(d, 1, 8),
                   sl_decode_const(d, 0, 8));
}

/* The rank of a block is in the address, of the shared window or generic (sl_shared_at_rank). */
static void decode_mapa(sl_decoder *d)
{
    bool narrow = sl_ptx_type_bytes(sl_ptx_inst_type(d->inst, 0)) == 4;
    uint32_t bytes = narrow ? 4 : 8;
    uint32_t a = sl_decode_src(d, sl_decode_operand(d, 1), narrow ? SL_T_U32 : SL_T_U64);
    uint32_t rank = sl_decode_src(d, sl_decode_operand(d, 2), SL_T_U32), bit = sl_decode_const(d, SL_RANK_BIT, 4);
    uint32_t offset = sl_decode_temp(d, bytes), base = sl_decode_temp(d, bytes),
             cleared = sl_decode_const(d, ~(UINT64_C(255) << SL_RANK_BIT), bytes);
    sl_emit(d, offset, a, cleared, cleared, narrow ? "and_b32" : "and_b64");
    if (!narrow) {
        uint32_t wide = sl_decode_temp(d, 8);
        sl_emit(d, wide, rank, rank, rank, "ext_u32_u32_u64");
        rank = wide;
    }
    sl_emit(d, base, rank, bit, bit, narrow ? "shl_b32" : "shl_b64");
    sl_emit(d, sl_decode_dst(d, sl_decode_operand(d, 0), bytes), offset, base, base, narrow ? "or_b32" : "or_b64");
}

bool sl_decode_async(sl_decoder *d)
{
    switch (d->inst->op) {
    case SL_OP_MBARRIER:
        decode_mbarrier(d);
        return true;
    case SL_OP_MAPA:
        decode_mapa(d);
        return true;
    case SL_OP_GETCTARANK: {
        bool narrow = sl_ptx_type_bytes(sl_ptx_inst_type(d->inst, 0)) == 4;
        uint32_t a = sl_decode_src(d, sl_decode_operand(d, 1), narrow ? SL_T_U32 : SL_T_U64);
        uint32_t bit = sl_decode_const(d, SL_RANK_BIT, 4), byte = sl_decode_const(d, 255, 4);
        uint32_t rank = sl_decode_temp(d, narrow ? 4 : 8), dst = sl_decode_dst(d, sl_decode_operand(d, 0), 4);
        sl_emit(d, rank, a, bit, bit, narrow ? "shr_u32" : "shr_u64");
        if (!narrow)
            sl_emit(d, dst, rank, rank, rank, "ext_u32_u64_u32");
        sl_emit(d, dst, narrow ? rank : dst, byte, byte, "and_b32");
        return true;
    }
    case SL_OP_GRIDDEPCONTROL: /* launches run one after the other */
    case SL_OP_SETMAXNREG:
    case SL_OP_DISCARD: /* what is read afterwards is undefined: it may be what was there */
        return true;
    default:
        return false;
    }
}
