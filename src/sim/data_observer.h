/* SPDX-License-Identifier: MIT */
/* Follows data through the memory path. The simulator moves no data; an observer is notified of everything that would
 * read, change or move some, in the order in which it is simulated, and can so check that none is lost
 * (tests/sim/data_check.c). With an observer a launch runs on one thread, and no access takes the fast path. */
#ifndef SL_SIM_DATA_OBSERVER_H
#define SL_SIM_DATA_OBSERVER_H

#include "sim/bank.h"

/* All functions must be set. They may set sim->failed when memory runs out, and change nothing else of the simulator.
 */
typedef struct sl_data_observer {
    void *self;
    /* A core has made a request. */
    void (*on_issue)(void *self, sl_sim *sim, uint32_t number);
    /* A bank has accepted a request, which reads `granules` of the line or writes them. */
    void (*on_access)(void *self, sl_sim *sim, const sl_bank *bank, size_t line_slot, uint32_t number,
                      uint32_t granules, sl_request_kind kind);
    /* Granules of a line were requested from below. */
    void (*on_request)(void *self, sl_sim *sim, const sl_bank *bank, size_t line_slot, uint32_t asked);
    /* They have arrived with a request. */
    void (*on_fill)(void *self, sl_sim *sim, const sl_bank *bank, size_t line_slot, uint32_t with, const sl_mshr *done);
    /* A bank answers a request with what it read there. */
    void (*on_answer)(void *self, sl_sim *sim, const sl_bank *bank, uint32_t number);
    /* A request gets the data of another one, with which it was coalesced. */
    void (*on_coalesce)(void *self, sl_sim *sim, uint32_t other, uint32_t number);
    /* The dirty granules of a line are written back by a request. */
    void (*on_writeback)(void *self, sl_sim *sim, const sl_bank *bank, size_t line_slot, uint32_t number);
    /* A line moves to another slot of its bank. */
    void (*on_move)(void *self, sl_sim *sim, const sl_bank *bank, size_t from, size_t to);
    /* DRAM is read or written. */
    void (*on_memory)(void *self, sl_sim *sim, uint32_t number, bool write);
    /* A load is back at its core. */
    void (*on_return)(void *self, sl_sim *sim, uint32_t number);
    /* The banks of a level are about to be emptied; their dirty data counts as written back. */
    void (*on_reset)(void *self, sl_sim *sim, uint32_t level);
} sl_data_observer;

/* Calls a function of the observer, if there is one. */
#define SL_OBSERVE_DATA(sim, function, ...)                                                                            \
    do {                                                                                                               \
        const sl_data_observer *observer_ = (sim)->options.data_observer;                                              \
        if (observer_)                                                                                                 \
            observer_->function(observer_->self, sim, __VA_ARGS__);                                                    \
    } while (0)

#endif
