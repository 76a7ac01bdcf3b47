/* SPDX-License-Identifier: MIT */
/* How much a warp may execute. */
#include "emu/warp.h"

/* Where --max-instructions gives no limit for the launch, each warp has one, which is the same for any number of host
 * threads: some ten seconds of a GPU. A tree of calls without a loop, which grows as 2^depth in a few lines of code,
 * has a lower one. */
enum { CALLS_PER_CHECK = 1024, MAX_CALLS = 1 << 24 };
#define MAX_WARP_INSTS ((uint64_t)1 << 32)

void sl_warp_check_limit(sl_warp *warp, uint32_t inst)
{
    const sl_worker *worker = warp->worker;
    const volatile sig_atomic_t *stop = worker->run->emu->config.stop;
    if (stop && *stop)
        sl_fault_raise(warp, inst, -1, SL_FAULT_LIMIT, "interrupted");
    uint64_t limit = worker->run->emu->config.settings.max_instructions,
             before = worker->run->launch->instructions_before;
    if (limit && (before > limit || worker->clock > limit - before))
        sl_fault_raise(warp, inst, -1, SL_FAULT_LIMIT,
                       "more than %llu warp instructions: an endless loop? (see --max-instructions)",
                       (unsigned long long)limit);
    if (!limit && warp->ran + (worker->clock - warp->resumed) > MAX_WARP_INSTS)
        sl_fault_raise(warp, inst, -1, SL_FAULT_LIMIT,
                       "more than %llu instructions of one warp: an endless loop? (--max-instructions N allows N for "
                       "the launch)",
                       (unsigned long long)MAX_WARP_INSTS);
    if (!limit && warp->calls >= MAX_CALLS)
        sl_fault_raise(warp, inst, -1, SL_FAULT_LIMIT,
                       "more than %d calls of one warp without a loop: a tree of calls without an end? "
                       "(--max-instructions N allows N instructions for the launch)",
                       MAX_CALLS);
}

void sl_warp_count_call(sl_warp *warp, const sl_code_bb *bb)
{
    if (++warp->calls % CALLS_PER_CHECK == 0)
        sl_warp_check_limit(warp, bb->first_inst + bb->insts - 1);
}
