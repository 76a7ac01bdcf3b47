/* SPDX-License-Identifier: MIT */
/* The list of handlers by name, and the guard that runs an op for some lanes only. */
#include "emu/exec.h"

#define SL_OP1(family, name, ...) void SL_FN(name)(sl_warp *, const sl_op *);
#define SL_OP2(family, name, ...) void SL_FN(name)(sl_warp *, const sl_op *);
#define SL_OP3(family, name, ...) void SL_FN(name)(sl_warp *, const sl_op *);
#define SL_HAND(name, ...)        void SL_FN(name)(sl_warp *, const sl_op *);
#include "emu/handlers.def"

#define SL_OP1(family, name, D, A, ...) {#name, SL_FN(name), {sizeof(D), sizeof(A), 0, 0}, SL_FORM_PLAIN, true},
#define SL_OP2(family, name, D, A, B, ...)                                                                             \
    {#name, SL_FN(name), {sizeof(D), sizeof(A), sizeof(B), 0}, SL_FORM_PLAIN, true},
#define SL_OP3(family, name, D, A, B, C, ...)                                                                          \
    {#name, SL_FN(name), {sizeof(D), sizeof(A), sizeof(B), sizeof(C)}, SL_FORM_PLAIN, true},
#define SL_HAND(name, d, a, b, c, form) {#name, SL_FN(name), {d, a, b, c}, SL_FORM_##form, false},
static const struct sl_named_handler handlers[] = {
#include "emu/handlers.def"
};

static void guard(sl_warp *w, const sl_op *o)
{
    u64 chosen = sl_pred_bits(sl_operand(w, o->guard));
    u64 mask = w->mask & (o->guard_negated ? ~chosen : chosen);
    if (!mask) {
        sl_warp_record(w, o, 0, NULL);
        return;
    }
    if (mask == w->mask) {
        o->body(w, o);
        return;
    }
    u64 before = w->mask;
    bool was_full = w->full;
    const u32 *words = w->lanes;
    SL_LANES_LOOP w->guard_words[i] = -(u32)(mask >> i & 1);
    u32 active = w->active;
    w->mask = mask;
    w->active = (u32)__builtin_popcountll(mask);
    w->full = false;
    w->lanes = w->guard_words;
    o->body(w, o);
    w->mask = before;
    w->active = active;
    w->full = was_full;
    w->lanes = words;
}

#ifdef __AVX2__
#define SL_AVX2 true
#else
#define SL_AVX2 false
#endif
#define SL_STRING2(x) #x
#define SL_STRING(x)  SL_STRING2(x)

const sl_handler_set *SL_FN(set)(void);
const sl_handler_set *SL_FN(set)(void)
{
    static const sl_handler_set set = {SL_STRING(SL_EXEC_VARIANT),         SL_LANES, SL_AVX2, guard,
                                       sizeof handlers / sizeof *handlers, handlers};
    return &set;
}
