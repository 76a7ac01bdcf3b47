/* SPDX-License-Identifier: MIT */
/* The cycles of a launch, one after the other, by one thread or several (workers.h). */
#include <inttypes.h>
#include <stdlib.h>

#include "sim/bank.h"
#include "sim/core.h"
#include "sim/dram.h"
#include "sim/evict.h"
#include "sim/host_prefetch.h"
#include "sim/network.h"
#include "sim/workers.h"

enum {
    PATIENCE = 1000000, /* cycles without progress */
    BATCH = 2,          /* shards that a thread claims at a time */
    MIN_LEFT = 3,       /* unclaimed shards of others from which on a thread steals one */
};

/* ---- DRAM and the levels below L1 ---- */

/* Prefetches the data of the components of a kind that are ticked in this cycle. */
#define HOST_PREFETCH_DUE(sim, wheel, look, part)                                                                      \
    do {                                                                                                               \
        for (uint32_t word_ = 0; (sim)->prefetch && word_ < (wheel)->words; word_++)                                   \
            for (uint64_t bits_ = sl_wheel_bits(wheel, word_); bits_; bits_ &= bits_ - 1)                              \
                look(sim, &(part)[64 * word_ + (uint32_t)__builtin_ctzll(bits_)], (sim)->prefetch);                    \
        if ((sim)->prefetch)                                                                                           \
            sl_host_prefetch_rest(sim, (sim)->prefetch);                                                               \
    } while (0)

static void tick_channels(sl_sim *sim)
{
    sl_timing_wheel *wheel = &sim->channel_wheel;
    uint32_t end = wheel->components;
    HOST_PREFETCH_DUE(sim, wheel, sl_host_prefetch_channel, sim->channel);
    for (uint32_t i = 0; (i = sl_wheel_pop(wheel, i, end)) < end; i++)
        sl_wake(wheel, i, sl_dram_tick(sim, i));
}

static void tick_banks(sl_sim *sim, uint32_t level)
{
    sl_timing_wheel *wheel = &sim->bank_wheel[level];
    uint32_t end = wheel->components, first = (uint32_t)sim->now % end; /* the first rotates */
    HOST_PREFETCH_DUE(sim, wheel, sl_host_prefetch_bank, sim->bank[level]);
    for (uint32_t i = first; (i = sl_wheel_pop(wheel, i, end)) < end; i++)
        sl_wake(wheel, i, sl_bank_tick(sim, &sim->bank[level][i]));
    for (uint32_t i = 0; (i = sl_wheel_pop(wheel, i, first)) < first; i++)
        sl_wake(wheel, i, sl_bank_tick(sim, &sim->bank[level][i]));
}

static void begin_memory(sl_sim *sim, uint64_t now)
{
    sl_wheel_begin(&sim->channel_wheel, now);
    for (uint32_t level = 1; level < sim->machine.levels; level++)
        sl_wheel_begin(&sim->bank_wheel[level], now);
}

/* Returns whether any component was ticked. */
static bool tick_memory(sl_sim *sim)
{
    bool any = false;
    begin_memory(sim, sim->now);
    if (sl_wheel_any(&sim->channel_wheel)) {
        tick_channels(sim);
        any = true;
    }
    sl_wheel_end(&sim->channel_wheel);
    for (uint32_t level = sim->machine.levels; level-- > 1;) {
        if (sl_wheel_any(&sim->bank_wheel[level])) {
            tick_banks(sim, level);
            any = true;
        }
        sl_wheel_end(&sim->bank_wheel[level]);
    }
    return any;
}

/* ---- shards: cores and their L1s ---- */

typedef struct range {
    uint32_t from, end;
} range;

static range caches_of(const sl_sim *sim, uint32_t shard)
{
    uint32_t from = shard * SL_SHARD_CACHES, end = from + SL_SHARD_CACHES;
    return (range){from, end < sim->banks[0] ? end : sim->banks[0]};
}

static range cores_of(const sl_sim *sim, uint32_t shard)
{
    uint32_t cores = sim->machine.level[0].cores_per_instance;
    range caches = caches_of(sim, shard);
    return (range){caches.from * cores, caches.end * cores};
}

static void host_prefetch_fills(sl_sim *sim, uint32_t shard)
{
    for (uint32_t i = 0; sim->prefetch && i < SL_SHARD_CACHES; i++)
        if (sim->shard[shard].fill_at[i] <= sim->now)
            sl_host_prefetch_bank(sim, &sim->bank[0][shard * SL_SHARD_CACHES + i], sim->prefetch);
}

static void host_prefetch_cores(sl_sim *sim, uint32_t shard)
{
    range cores = cores_of(sim, shard);
    for (uint32_t i = cores.from; sim->prefetch && i < cores.end; i++)
        if (sim->core[i].next <= sim->now)
            sl_host_prefetch_core(sim, &sim->core[i], sim->prefetch);
}

static void host_prefetch_rest(sl_sim *sim)
{
    if (sim->prefetch)
        sl_host_prefetch_rest(sim, sim->prefetch);
}

/* Ticks the L1s [from, end) of a shard that have fills or answers. */
static void tick_fills(sl_sim *sim, uint32_t number, uint32_t from, uint32_t end)
{
    sl_shard *shard = &sim->shard[number];
    if (shard->fill_next > sim->now)
        return;
    for (uint32_t i = from; i < end; i++)
        if (shard->fill_at[i] <= sim->now)
            sl_bank_tick_first(sim, &sim->bank[0][number * SL_SHARD_CACHES + i]);
    shard->fill_next = SL_NEVER;
    for (uint32_t i = 0; i < SL_SHARD_CACHES; i++)
        shard->fill_next = sl_sooner(shard->fill_next, shard->fill_at[i]);
}

/* Moves data that has arrived for the L1s of a shard to their queues. */
static void drain_inbox(sl_sim *sim, uint32_t shard)
{
    sl_queue *inbox = &sim->shard[shard].inbox;
    while (inbox->count) {
        sl_queued fill = *sl_queue_head(inbox);
        sl_bank *to = &sim->bank[0][fill.to];
        sl_queue_pop(inbox);
        sl_bank_enqueue(sim, &to->back, fill.time, fill.request);
        sl_bank_wake(sim, to, fill.time);
    }
}

static sl_status tick_cores(sl_sim *sim, uint32_t shard, sl_error *error)
{
    range cores = cores_of(sim, shard);
    uint64_t soonest = SL_NEVER;
    for (uint32_t sent = sim->shard[shard].sent; sent; sent &= sent - 1)
        sl_network_sent(sim, &sim->bank[0][shard * SL_SHARD_CACHES + (uint32_t)__builtin_ctz(sent)]);
    sim->shard[shard].sent = 0;
    for (sl_sim_core *core = &sim->core[cores.from], *end = &sim->core[cores.end]; core < end; core++) {
        if (core->next <= sim->now) {
            uint64_t next;
            core->next = SL_NEVER;
            sl_status status = sl_core_tick(sim, core, &next, error);
            if (status)
                return status;
            core->next = sl_sooner(core->next, next);
        }
        soonest = sl_sooner(soonest, core->next);
    }
    sim->shard[shard].core_next = soonest;
    return SL_OK;
}

/* ---- a cycle, by one thread ---- */

static void tick_all_fills(sl_sim *sim)
{
    for (uint32_t g = 0; sim->prefetch && g < sim->shards; g++)
        if (sim->shard[g].fill_next <= sim->now)
            host_prefetch_fills(sim, g);
    host_prefetch_rest(sim);
    uint32_t first = (uint32_t)sim->now % sim->banks[0]; /* the first rotates */
    uint32_t shard = first / SL_SHARD_CACHES;
    tick_fills(sim, shard, first % SL_SHARD_CACHES, SL_SHARD_CACHES);
    for (uint32_t g = shard + 1; g < sim->shards; g++)
        tick_fills(sim, g, 0, SL_SHARD_CACHES);
    for (uint32_t g = 0; g < shard; g++)
        tick_fills(sim, g, 0, SL_SHARD_CACHES);
    tick_fills(sim, shard, 0, first % SL_SHARD_CACHES);
}

/* Collects new senders from the shards. */
static void gather_senders(sl_sim *sim)
{
    for (uint32_t g = 0; g < sim->shards; g++) {
        uint32_t first = g * SL_SHARD_CACHES;
        if (!sim->shard[g].senders)
            continue;
        sim->senders[first / 64] |= (uint64_t)sim->shard[g].senders << first % 64;
        sim->shard[g].senders = 0;
    }
}

/* Iterates over L1s with a request to send. */
#define FOR_SENDERS(sim, i)                                                                                            \
    for (uint32_t word_ = 0; word_ < ((sim)->banks[0] + 63) / 64; word_++)                                             \
        for (uint64_t bits_ = (sim)->senders[word_], i;                                                                \
             bits_ && (i = 64 * word_ + (uint32_t)__builtin_ctzll(bits_), true); bits_ &= bits_ - 1)

static void send_from(sl_sim *sim, uint32_t from, uint32_t end)
{
    FOR_SENDERS(sim, i)
    if (i >= from && i < end && sim->port[i].send_at <= sim->now)
        sl_network_send(sim, &sim->bank[0][i]);
}

/* L1s send requests in rotating order, as ports and queues of L2 permit. */
static void tick_sends(sl_sim *sim)
{
    uint32_t end = sim->banks[0], first = (uint32_t)sim->now % end;
    if (sim->prefetch) {
        FOR_SENDERS(sim, i)
        __builtin_prefetch(&sim->port[i], 1);
        if (sim->machine.levels > 1)
            FOR_SENDERS(sim, i)
        __builtin_prefetch(&sim->bank[1][sim->port[i].to].up_free, 1);
    }
    send_from(sim, first, end);
    send_from(sim, 0, first);
}

static sl_status tick_all_cores(sl_sim *sim, sl_error *error)
{
    sl_status status = SL_OK;
    for (uint32_t g = 0; sim->prefetch && g < sim->shards; g++)
        if (sim->shard[g].core_next <= sim->now)
            host_prefetch_cores(sim, g);
    host_prefetch_rest(sim);
    for (uint32_t g = 0; g < sim->shards && !status; g++)
        if (sim->shard[g].core_next <= sim->now)
            status = tick_cores(sim, g, error);
    return status;
}

/* ---- by several ---- */

/* Some shards: their cores in cycle t, their fills and answers in t + 1. */
static void tick_batch(sl_view *view, const uint32_t *batch, uint32_t shards, uint64_t now)
{
    sl_sim *sim = &view->sim;
    sim->now = now;
    for (uint32_t i = 0; i < shards; i++) {
        drain_inbox(sim, batch[i]);
        host_prefetch_cores(sim, batch[i]);
    }
    host_prefetch_rest(sim);
    for (uint32_t i = 0; i < shards; i++) {
        sl_error error;
        sl_status status = sim->shard[batch[i]].core_next <= now ? tick_cores(sim, batch[i], &error) : SL_OK;
        if (status && batch[i] < view->failed_at) {
            view->failed_at = batch[i];
            view->status = status;
            view->error = error;
        }
    }
    view->ended += sim->blocks_done;
    sim->blocks_done = 0;
    sim->now = now + 1;
    for (uint32_t i = 0; i < shards; i++)
        host_prefetch_fills(sim, batch[i]);
    host_prefetch_rest(sim);
    for (uint32_t i = 0; i < shards; i++) {
        view->filled |= sim->shard[batch[i]].fill_next <= sim->now;
        tick_fills(sim, batch[i], 0, SL_SHARD_CACHES);
    }
    view->ended_after += sim->blocks_done;
    sim->blocks_done = 0;
}

/* The number of a shard with work, in the order in which a thread takes them: the first from the front, others from the
 * back. */
static uint32_t active_shard(const sl_workers *workers, uint32_t thread, uint32_t i)
{
    return workers->active[thread ? workers->actives - 1 - i : i];
}

/* Whether no thread has claimed a shard in this cycle; claims it for the calling thread. */
static bool is_unclaimed(const sl_workers *workers, const sl_shard *shard)
{
    return atomic_load_explicit(&shard->claimed, memory_order_relaxed) != workers->now + 1;
}
static bool claim(const sl_workers *workers, sl_shard *shard)
{
    uint32_t mark = (uint32_t)workers->now + 1;
    return is_unclaimed(workers, shard) &&
           atomic_exchange_explicit(&shard->claimed, mark, memory_order_relaxed) != mark;
}

/* Runs the shards that the thread owns: their data is in the cache of its host core. */
static void run_own_shards(sl_workers *workers, uint32_t thread)
{
    uint32_t batch[BATCH], shards = 0;
    for (uint32_t i = 0; i < workers->actives; i++) {
        uint32_t g = active_shard(workers, thread, i);
        sl_shard *shard = &workers->view->sim.shard[g];
        if (atomic_load_explicit(&shard->owner, memory_order_relaxed) != thread || !claim(workers, shard))
            continue;
        batch[shards++] = g;
        if (shards < BATCH)
            continue;
        tick_batch(&workers->view[thread], batch, shards, workers->now);
        shards = 0;
    }
    if (shards)
        tick_batch(&workers->view[thread], batch, shards, workers->now);
}

/* Steals shards of other threads for good, while so many are unclaimed that moving their data pays off. */
static void steal_shards(sl_workers *workers, uint32_t thread, uint32_t min_left)
{
    uint32_t left, first = 0;
    do {
        left = 0;
        for (uint32_t i = 0; i < workers->actives; i++) {
            uint32_t g = active_shard(workers, thread, i);
            if (is_unclaimed(workers, &workers->view->sim.shard[g]) && !left++)
                first = g;
        }
        if (left < min_left || !left)
            return;
        if (claim(workers, &workers->view->sim.shard[first])) {
            atomic_store_explicit(&workers->view->sim.shard[first].owner, (uint16_t)thread, memory_order_relaxed);
            tick_batch(&workers->view[thread], &first, 1, workers->now);
        }
    } while (left > min_left);
}

static void work(sl_workers *workers, uint32_t thread)
{
    run_own_shards(workers, thread);
    steal_shards(workers, thread, MIN_LEFT);
}

/* Delivers deferred data to L1s, and completed stores to cores. */
static void deliver_deferred(sl_sim *sim)
{
    while (sim->fills.count) {
        sl_queued fill = *sl_queue_head(&sim->fills);
        sl_shard *shard = &sim->shard[fill.to / SL_SHARD_CACHES];
        sl_queue_pop(&sim->fills);
        sim->failed |= !sl_queue_push(&shard->inbox, fill.time, fill.request, fill.to);
        shard->fill_next = sl_sooner(shard->fill_next, fill.time);
    }
    while (sim->acks.count)
        sl_core_stored(sim, sl_queue_pop(&sim->acks));
}

/* Cycle t of the cores, and t + 1 of the rest; *at_end: after the first of these nothing was left to do. */
static sl_status tick_together(sl_sim *sim, bool *at_end, bool *any, sl_error *error)
{
    sl_workers *workers = sim->workers;
    bool idle = !sim->stock.used && !sim->evictions_in_flight;
    sl_view *failed = NULL;
    workers->now = sim->now++;
    sim->defers = true;
    sl_work_gate_open(&workers->gate);
    workers->memory_ticked = tick_memory(sim);
    work(workers, 0);
    sl_work_gate_close(&workers->gate);
    steal_shards(workers, 0, 1); /* the other threads may be late */
    gather_senders(sim);
    sim->defers = false;
    sim->now--;
    *any = workers->memory_ticked;
    for (uint32_t i = 0; i < workers->threads; i++) {
        sl_view *view = &workers->view[i];
        sim->blocks_done += view->ended;
        sim->room |= view->sim.room;
        sim->failed |= view->sim.failed;
        sim->last_progress = sl_later(sim->last_progress, view->sim.last_progress);
        *any |= view->filled;
        view->ended = 0;
        view->sim.room = view->filled = false;
        if (view->status && (!failed || view->failed_at < failed->failed_at))
            failed = view;
    }
    *at_end = idle && sim->blocks_done == sl_loaded_blocks(sim->loaded) && !sl_requests_used(sim);
    for (uint32_t i = 0; i < workers->threads; i++) {
        sim->blocks_done += workers->view[i].ended_after;
        workers->view[i].ended_after = 0;
    }
    if (failed && error)
        *error = failed->error;
    return failed ? failed->status : SL_OK;
}

/* Whether the cycle has enough to do for several threads. The last cycles before the launch would be given up have
 * not. */
static bool is_worth_sharing(sl_sim *sim)
{
    sl_workers *workers = sim->workers;
    uint64_t next = sim->now + 1;
    if (!workers || next - sim->last_progress > PATIENCE || next >= UINT32_MAX ||
        (sim->options.max_cycles && next > sim->options.max_cycles))
        return false;
    workers->actives = 0;
    for (uint32_t g = 0; g < sim->shards; g++)
        if (sim->shard[g].core_next <= sim->now || sim->shard[g].fill_next <= next)
            workers->active[workers->actives++] = g;
    return workers->actives >= workers->min_active;
}

/* ---- all cycles ---- */

/* The cycle of the next event. */
static uint64_t next_cycle(sl_sim *sim)
{
    uint64_t next = sl_wheel_soonest(&sim->channel_wheel), soon = sim->now + 1;
    for (uint32_t level = 1; level < sim->machine.levels; level++)
        next = sl_sooner(next, sl_wheel_soonest(&sim->bank_wheel[level]));
    for (uint32_t g = 0; g < sim->shards && next > soon; g++)
        next = sl_sooner(next, sl_sooner(sim->shard[g].core_next, sim->shard[g].fill_next));
    if (next <= soon || sim->room)
        return soon;
    FOR_SENDERS(sim, i)
    next = sl_sooner(next, sim->port[i].send_at);
    return sl_later(next, soon);
}

/* At the end of a launch private levels write back dirty lines. False: there were none. */
static bool flush(sl_sim *sim)
{
    bool any = false;
    for (uint32_t level = 0; level < sim->machine.levels && !any; level++)
        if (sl_is_private(sim, level) && sim->machine.level[level].write == SL_WRITE_BACK)
            for (uint32_t i = 0; i < sim->banks[level]; i++)
                any |= sl_bank_flush(sim, &sim->bank[level][i]);
    return any;
}

/* Advances to the cycle of the next event. */
static sl_status advance_time(sl_sim *sim, sl_error *error)
{
    uint64_t next = next_cycle(sim);
    if (next == SL_NEVER || next - sim->last_progress > PATIENCE)
        return sl_sim_stuck(sim, error);
    sim->now = next;
    if (sim->now >= UINT32_MAX || (sim->options.max_cycles && sim->now > sim->options.max_cycles))
        return sl_fail(error, SL_LIMIT, "%s: more than %" PRIu64 " cycles", sim->program->kernel->name, sim->now - 1);
    return SL_OK;
}

static sl_status run(sl_sim *sim, sl_error *error)
{
    uint64_t blocks = sl_loaded_blocks(sim->loaded), shown = 0;
    bool ahead = false; /* DRAM, lower levels and fills of L1 have been ticked in this cycle */
    for (;;) {
        bool at_end, any;
        if (!ahead) {
            for (uint32_t g = 0; sim->workers && g < sim->shards; g++)
                drain_inbox(sim, g);
            tick_memory(sim);
            tick_all_fills(sim);
        }
        deliver_deferred(sim);
        tick_sends(sim);
        sl_status status = sim->room ? sl_dispatch(sim, error) : SL_OK;
        if (!status && is_worth_sharing(sim)) {
            status = tick_together(sim, &at_end, &any, error);
        } else if (!status) {
            status = tick_all_cores(sim, error);
            at_end = sim->blocks_done == blocks && !sim->evictions_in_flight && !sl_requests_used(sim);
            any = false;
        }
        if (!status && (sim->failed || sim->pool->failed))
            status = sl_fail_memory(error);
        if (status)
            return status;
        if (at_end)
            begin_memory(sim, sim->now + 1); /* with several threads it was ticked already, without events */
        if (at_end && !flush(sim))
            break;
        ahead = any && !at_end;
        if (ahead)
            sim->now++;
        else
            status = advance_time(sim, error);
        if (status)
            return status;
        if (sim->blocks_done != shown && sim->blocks_done < blocks)
            sl_progress_update(sim->options.progress, "blocks", shown = sim->blocks_done, blocks);
    }
    sim->now = sl_later(sim->now + 1, sl_dispatch_end(sim));
    for (uint32_t i = 0; i < sim->machine.cores; i++)
        sl_core_finish(sim, &sim->core[i]);
    return SL_OK;
}

/* The first job runs the launch, the others help. */
static sl_status run_job(void *context, size_t index, unsigned worker, sl_error *error)
{
    sl_sim *sim = context;
    (void)worker;
    if (!index) {
        sl_status status = run(sim, error);
        sl_work_gate_end(&sim->workers->gate);
        return status;
    }
    for (uint64_t seen = 0; sl_work_gate_enter(&sim->workers->gate, &seen); sl_work_gate_leave(&sim->workers->gate))
        work(sim->workers, (uint32_t)index);
    return SL_OK;
}

sl_status sl_sim_cycles(sl_sim *sim, sl_error *error)
{
    sl_pool *pool = sim->options.pool;
    sl_banks_prepare(sim);
    sl_status status = sl_workers_create(sim, pool, &sim->workers, error);
    if (!status)
        status = sim->workers ? sl_pool_run(pool, sim->workers->threads, run_job, sim, error) : run(sim, error);
    if (sim->workers && !status)
        sl_workers_collect(sim, sim->workers);
    sl_workers_destroy(sim->workers);
    sim->workers = NULL;
    return status;
}
