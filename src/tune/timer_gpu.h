/* SPDX-License-Identifier: MIT */
/* The GPU timer: one launch of one kernel, repeated from the same state of memory.
 *
 * Every sample starts with an untimed warm-up run of the same code; the
 * original is timed in every round, between the others, and a choice is compared with the originals of its round. Short
 * kernels are run several times in a row where they read nothing that they change; otherwise memory is restored
 * before every run. */
#ifndef SL_TUNE_TIMER_GPU_H
#define SL_TUNE_TIMER_GPU_H

#include "device/device.h"
#include "tune/timer.h"

typedef struct sl_gpu_timer sl_gpu_timer;

typedef struct sl_gpu_timer_options {
    const char *input; /* see sl_timer */
    const char *ptx;   /* text of the kernel's module */
    size_t ptx_length;
    uint32_t rounds; /* 0: 11, or fewer where a round takes long */
    bool cold;       /* L2 is flushed before every sample instead of warmed up */
} sl_gpu_timer_options;

/* Made inside of sl_device_config.launching, before the launch: memory is as the launch finds it. The timer refers to
 * the loads of `graph`, which are those of the kernel; all must outlive it. */
sl_status sl_gpu_timer_create(sl_device_kernel *kernel, const sl_device_launch *launch, const sl_load_graph *graph,
                              const sl_gpu_timer_options *options, sl_gpu_timer **timer, sl_error *error);
const sl_timer *sl_gpu_timer_interface(const sl_gpu_timer *timer);
/* Median time of one run of the original in nanoseconds, and whether it is too short to be timed well. */
double sl_gpu_timer_base(const sl_gpu_timer *timer, bool *too_short);
/* Whether two runs of the original have the same results; where not, they cannot be compared. */
bool sl_gpu_timer_repeats(const sl_gpu_timer *timer);
/* Restores memory and frees. NULL is fine. */
sl_status sl_gpu_timer_destroy(sl_gpu_timer *timer, sl_error *error);

#endif
