/* SPDX-License-Identifier: MIT */
/* Launches that need not be run again.
 *
 * What a launch does follows from its kernel, its configuration and parameters, and what the allocations hold that it
 * touches, unless the kernel asks for more: a clock, a texture, a function of the host. Blocks that may see each
 * other's work run in a fixed order. So the same launch on the same contents does the same: what it executed and
 * accessed is known, and so is what memory holds afterwards, which is put there.
 *
 * "The same contents" is not concluded from who may have written them: pages are compared by hashes of 128 bits. Only
 * allocations that the program's own code cannot write, and that no copy, fill or launch has touched since, are known
 * to hold what they held. Of what a launch changes, the new contents are kept (page_store.h). */
#ifndef SL_EMU_REPETITION_H
#define SL_EMU_REPETITION_H

#include "emu/emu.h"

typedef struct sl_repetitions sl_repetitions;

enum { SL_REPEATABLE = 512 }; /* launches whose effect is remembered */

typedef enum sl_repetition {
    SL_LAUNCH_UNWATCHED, /* has to run */
    SL_LAUNCH_WATCHED,   /* has to run, and what memory held is known: what becomes of it is found out afterwards */
    SL_LAUNCH_KNOWN,     /* has run, with memory as it is now */
} sl_repetition;

/* What is known of a launch. */
typedef struct sl_known_launch {
    uint32_t number; /* less than SL_REPEATABLE; as the recorder knows it */
    bool recorded;   /* the sink has kept what was recorded */
    sl_launch_stats stats;
    uint64_t cycles; /* that the clock went on by */
} sl_known_launch;

/* NULL: out of memory. */
sl_repetitions *sl_repetitions_create(void);
void sl_repetitions_destroy(sl_repetitions *repetitions); /* NULL is fine */
/* Forgets all: kernels are gone. */
void sl_repetitions_clear(sl_repetitions *repetitions);
/* Before a launch. *known: what is known of one that has run, else NULL. */
sl_repetition sl_repetitions_look(sl_repetitions *repetitions, const sl_heap *heap, const sl_emu_kernel *kernel,
                                  const sl_emu_launch *launch, sl_known_launch **known);
/* Instead of a known launch: gives memory the contents that the launch leaves. */
void sl_repetitions_apply(sl_repetitions *repetitions, const sl_heap *heap);
/* After a launch that was run. `lapsed`: something was forgiven, and reported; `good`: it has not failed. What is known
 * of it from now on; NULL: nothing. */
sl_known_launch *sl_repetitions_ran(sl_repetitions *repetitions, sl_heap *heap, bool good, bool lapsed,
                                    const sl_launch_stats *stats, uint64_t cycles);

#endif
