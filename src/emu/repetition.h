/* SPDX-License-Identifier: MIT */
/* Launches that need not be run again.
 *
 * What a launch does follows from its kernel, its configuration and parameters, and what memory holds, unless the
 * kernel asks for more: a clock, a texture, a function of the host. Blocks that may see each other's work run in a
 * fixed order. So when a launch has left all memory as it found it, the same launch on the same memory does the same,
 * and what it executed and accessed is known.
 *
 * "The same memory" is not concluded from who may have written it: all allocations are compared, byte by byte, with a
 * copy. That is worth while for launches that do much more than their program has memory; the others are run. */
#ifndef SL_EMU_REPETITION_H
#define SL_EMU_REPETITION_H

#include "emu/emu.h"

typedef struct sl_repetitions sl_repetitions;

enum { SL_REPEATABLE = 256 }; /* launches that are remembered */

typedef enum sl_repetition {
    SL_LAUNCH_UNWATCHED, /* has to run */
    SL_LAUNCH_WATCHED,   /* has to run, and memory was copied: whether it changes is found out afterwards */
    SL_LAUNCH_KNOWN,     /* has run, with memory as it is now, and left it so */
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
/* Before a launch. *known: what is kept of it, for sl_repetitions_ran; NULL: nothing. */
sl_repetition sl_repetitions_look(sl_repetitions *repetitions, const sl_heap *heap, const sl_emu_kernel *kernel,
                                  const sl_emu_launch *launch, sl_known_launch **known);
/* After a launch that had to run, and has not failed. `lapsed`: something was forgiven, and reported. True:
 * it was watched, and is repeatable. */
bool sl_repetitions_ran(sl_repetitions *repetitions, const sl_heap *heap, sl_known_launch *known, sl_repetition how,
                        bool lapsed, const sl_launch_stats *stats, uint64_t cycles);

#endif
