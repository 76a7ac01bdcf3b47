/* SPDX-License-Identifier: MIT */
#include "sim/dram.h"

#include <string.h>

#include "sim/data_observer.h"
#include "sim/network.h"

enum { BUS = 16 }; /* time units of the bus per cycle */

/* Converts a timing of the machine to core cycles. */
static uint32_t cycles(const sl_sim *sim, uint32_t times)
{
    const sl_machine *m = &sim->machine;
    if (!m->clock_mhz || !m->memory.clock_mhz)
        return times;
    return (uint32_t)(((uint64_t)times * m->clock_mhz + m->memory.clock_mhz - 1) / m->memory.clock_mhz);
}

/* Time that a transfer occupies the bus of a channel, in 1 / BUS cycles. */
static uint64_t burst(const sl_sim *sim, uint32_t bytes)
{
    const sl_memory *m = &sim->machine.memory;
    return ((uint64_t)bytes * BUS * m->channels + m->bytes_per_cycle - 1) / m->bytes_per_cycle;
}

static uint32_t channel_of(const sl_sim *sim, uint64_t addr)
{
    const sl_level *last = &sim->machine.level[sim->machine.levels - 1];
    return sl_interleave_of(last, sl_divide(addr, sim->channel_bytes), sim->channels);
}

/* Neighboring rows are in different banks; with a power-of-two stride mostly, too. */
static void locate(const sl_sim *sim, uint64_t addr, sl_dram_entry *e)
{
    uint64_t chunk = sl_divide(sl_divide(addr, sim->channel_bytes), sim->channels);
    uint64_t local = chunk * sim->channel_bytes.by + sl_modulo(addr, sim->channel_bytes);
    uint64_t row = sl_divide(local, sim->row_bytes);
    e->row = sl_divide(row, sim->dram_banks);
    e->bank = (uint32_t)sl_modulo(row ^ e->row, sim->dram_banks);
}

/* Finds a bank's next command: an access to its open row by the oldest request of it, else precharge or activate for
 * the oldest request. */
static void update_turn(sl_channel *c, uint32_t number)
{
    const sl_dram_bank *bank = &c->bank[number];
    sl_dram_turn *turn = &c->turn[number];
    uint64_t bit = UINT64_C(1) << number;
    if (bank->first == SL_NONE) {
        c->waiting &= ~bit;
        return;
    }
    c->waiting |= bit;
    if (bank->hit != SL_NONE) {
        const sl_dram_entry *e = &c->entry[bank->hit];
        *turn = (sl_dram_turn){e->arrival, (uint32_t)bank->access_at, e->write ? SL_DRAM_TO_WRITE : SL_DRAM_TO_READ};
        return;
    }
    bool open = bank->row != SL_NEVER;
    *turn = (sl_dram_turn){c->entry[bank->first].arrival | SL_DRAM_NO_ACCESS,
                           (uint32_t)(open ? bank->precharge_at : bank->activate_at),
                           open ? SL_DRAM_TO_PRECHARGE : SL_DRAM_TO_ACTIVATE};
}

/* Removes the oldest entry to the active row of its bank. The next one to that row is behind it. */
static void remove_entry(sl_channel *c, uint32_t at)
{
    sl_dram_bank *bank = &c->bank[c->entry[at].bank];
    uint32_t *link = &bank->first, before = SL_NONE, hit = c->entry[at].next;
    for (; *link != at; link = &c->entry[before].next)
        before = *link;
    *link = hit;
    if (bank->last == at)
        bank->last = before;
    while (hit != SL_NONE && c->entry[hit].row != bank->row)
        hit = c->entry[hit].next;
    bank->hit = hit;
    c->entry[at].next = c->free;
    c->free = at;
    c->entries--;
}

static void notify_observer(const sl_sim *sim, const sl_channel *c, sl_dram_command command, bool write)
{
    const sl_sim_observer *l = sim->options.observer;
    if (l && l->dram)
        l->dram(l->to, (uint32_t)(c - sim->channel), sim->now, command, write);
}

/* Within a group of banks, data follows more slowly than between groups: ccdl to ccd. */
static void occupy_bank_group(const sl_sim *sim, sl_channel *c, uint32_t number, uint32_t granules)
{
    uint32_t banks = sim->bank_group_banks.by, group = (uint32_t)sl_divide(number, sim->bank_group_banks);
    uint64_t free = c->bank_group_free[group] =
        sl_later(sim->now * BUS, c->bank_group_free[group]) + sim->bank_group_burst[granules];
    for (uint32_t i = group * banks; i < (group + 1) * banks; i++) {
        c->bank[i].access_at = sl_later(c->bank[i].access_at, free / BUS);
        if (c->turn[i].command <= SL_DRAM_TO_WRITE)
            c->turn[i].time = (uint32_t)c->bank[i].access_at;
    }
}

/* Sets the earliest cycles of the next read and write of the channel. */
static void limit_accesses(const sl_sim *sim, sl_channel *c)
{
    const sl_memory *t = &sim->times;
    uint64_t bus = c->bus_free / BUS, next = sim->now + sl_later(t->ccd, 1);
    uint64_t read = sl_later(next, bus > t->cl ? bus - t->cl : 0),
             write = sl_later(next, bus > t->wl ? bus - t->wl : 0);
    c->limit[SL_DRAM_TO_READ] = sl_later(c->limit[SL_DRAM_TO_READ], read);
    c->limit[SL_DRAM_TO_WRITE] = sl_later(c->limit[SL_DRAM_TO_WRITE], write);
}

static void access_row(sl_sim *sim, sl_channel *c, uint32_t at)
{
    const sl_memory *t = &sim->times;
    sl_dram_entry e = c->entry[at];
    sl_dram_bank *bank = &c->bank[e.bank];
    uint32_t granules = sl_bits(e.granules);
    uint64_t start = sl_later((sim->now + (e.write ? t->wl : t->cl)) * BUS, c->bus_free);
    uint64_t end = c->bus_free = start + sim->burst[granules];
    uint64_t end_cycle = (end + BUS - 1) / BUS;
    uint32_t sectors = granules >> sim->log2_last_granules;
    limit_accesses(sim, c);
    if (sim->machine.memory.ccdl)
        occupy_bank_group(sim, c, e.bank, granules);
    sim->result->dram_row_hits += !e.activated;
    sim->result->dram_row_misses += e.activated;
    notify_observer(sim, c, e.activated ? SL_DRAM_MISS : SL_DRAM_HIT, e.write);
    remove_entry(c, at);
    SL_OBSERVE_DATA(sim, on_memory, e.request, e.write);
    if (e.write) {
        sim->result->dram_written_sectors += sectors;
        c->limit[SL_DRAM_TO_READ] = sl_later(c->limit[SL_DRAM_TO_READ], end_cycle + t->cdlr);
        bank->precharge_at = sl_later(bank->precharge_at, end_cycle + t->wr);
    } else {
        sim->result->dram_read_sectors += sectors;
        if (e.slot != SL_NONE)
            sim->slot[e.slot].memory_sectors += sectors;
    }
    update_turn(c, e.bank);
    if (!e.answered)
        sl_core_stored(sim, e.request);
    else if (!sl_queue_push(&c->done, end_cycle + sim->memory_pad, e.request, e.from))
        sim->failed = true;
    sl_network_entry_freed(sim, sim->machine.levels - 1, &c->room);
}

/* Precharges the bank that an entry needs, or activates the row of the entry; both can be done now. */
static void prepare_row(sl_sim *sim, sl_channel *c, sl_dram_entry *e)
{
    const sl_memory *t = &sim->times;
    sl_dram_bank *bank = &c->bank[e->bank];
    if (bank->row != SL_NEVER) {
        bank->row = SL_NEVER;
        notify_observer(sim, c, SL_DRAM_PRECHARGE, e->write);
        bank->activate_at = sl_later(bank->activate_at, sim->now + t->rp);
        update_turn(c, e->bank);
        return;
    }
    bank->row = e->row;
    e->activated = true;
    notify_observer(sim, c, SL_DRAM_ACTIVATE, e->write);
    bank->hit = bank->first;
    bank->access_at = sl_later(sim->now + t->rcd, c->bank_group_free[sl_divide(e->bank, sim->bank_group_banks)] / BUS);
    bank->precharge_at = sim->now + t->ras;
    bank->activate_at = sim->now + t->rc;
    c->limit[SL_DRAM_TO_ACTIVATE] = sim->now + t->rrd;
    update_turn(c, e->bank);
}

/* The better of a choice and the next command of a bank: of those that can be issued first, an access to an open row,
 * else precharge or activate, of each for the oldest request. Without branches, as the host cannot predict them. */
static inline sl_dram_choice better(const sl_channel *c, sl_dram_choice than, uint32_t bank, uint64_t soonest)
{
    const sl_dram_turn *turn = &c->turn[bank];
    uint64_t time = sl_later(sl_later(turn->time, c->limit[turn->command]), soonest);
    bool is = (time < than.time) | ((time == than.time) & (turn->order < than.order));
    return (sl_dram_choice){is ? time : than.time, is ? turn->order : than.order, is ? bank : than.bank};
}

/* Chooses the next command, which is final until a request arrives or a command is issued. */
static void choose(sl_channel *c, uint64_t soonest)
{
    sl_dram_choice next = {SL_NEVER, SL_NEVER, SL_NONE};
    for (uint64_t left = c->waiting; left; left &= left - 1)
        next = better(c, next, (uint32_t)__builtin_ctzll(left), soonest);
    c->next = next;
}

bool sl_dram_enqueue(sl_sim *sim, sl_bank *from, uint32_t number)
{
    const sl_request *r = sl_request_at(sim, number);
    uint32_t c = channel_of(sim, r->addr);
    sl_channel *channel = &sim->channel[c];
    if (channel->entries >= sim->machine.memory.queue) {
        sl_network_wait(sim, from, &channel->room);
        return false;
    }
    uint32_t at = channel->free;
    sl_dram_entry *e = &channel->entry[at];
    channel->free = e->next;
    channel->entries++;
    *e = (sl_dram_entry){.request = number,
                         .from = from->index,
                         .arrival = channel->arrivals++,
                         .next = SL_NONE,
                         .granules = r->granules,
                         .slot = r->slot,
                         .write = r->kind != SL_REQUEST_LOAD,
                         .answered = sl_request_is_answered(r)};
    locate(sim, r->addr, e);
    sl_dram_bank *bank = &channel->bank[e->bank];
    if (bank->first == SL_NONE)
        bank->first = at;
    else
        channel->entry[bank->last].next = at;
    bank->last = at;
    if (bank->hit == SL_NONE && bank->row == e->row)
        bank->hit = at;
    if (bank->hit == at || bank->first == at) { /* others wait for those before them */
        update_turn(channel, e->bank);
        if (channel->next.bank == e->bank)
            choose(channel, sim->now + 1);
        else
            channel->next = better(channel, channel->next, e->bank, sim->now + 1);
        sl_wake(&sim->channel_wheel, c, channel->next.time);
    }
    return true;
}

/* Issues the command that was chosen, and chooses the next. */
static void command(sl_sim *sim, sl_channel *c)
{
    uint32_t bank = c->next.bank;
    if (c->turn[bank].command <= SL_DRAM_TO_WRITE)
        access_row(sim, c, c->bank[bank].hit);
    else
        prepare_row(sim, c, &c->entry[c->bank[bank].first]);
    choose(c, sim->now + 1);
}

uint64_t sl_dram_tick(sl_sim *sim, uint32_t number)
{
    sl_channel *c = &sim->channel[number];
    uint32_t last = sim->machine.levels - 1;
    while (sl_queue_ready_at(&c->done) <= sim->now) {
        sl_bank *b = &sim->bank[last][sl_queue_head(&c->done)->to];
        /* Data is seen in the next cycle, or in this one by a bank that has something else to do, if only to stall. */
        bool busy = sl_sooner(sl_queue_ready_at(&b->hits), sl_queue_ready_at(&b->fills)) <= sim->now ||
                    b->stalled_since == sim->now;
        sl_bank_fill(sim, b, sl_queue_pop(&c->done));
        sl_bank_wake(sim, b, sim->now + !busy);
    }
    if (c->next.time <= sim->now)
        command(sim, c);
    return sl_sooner(c->next.time, sl_queue_ready_at(&c->done));
}

uint32_t sl_dram_unloaded(const sl_sim *sim)
{
    const sl_machine *m = &sim->machine;
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < m->levels; i++)
        bytes = m->level[i].fill_bytes > bytes ? m->level[i].fill_bytes : bytes;
    uint64_t row = sl_later(sim->times.rcd, 1) + sim->times.cl + (burst(sim, bytes) + BUS - 1) / BUS;
    return (uint32_t)row + 1 + sim->memory_pad;
}

/* Padding from the unloaded latency of a read to that of the machine. The unloaded latency: the networks both ways, the
 * levels between, activation and read of a row, and two cycles, as the first level sends a request in the cycle after
 * its miss, and its row is activated in the cycle after its arrival. Of partitions, what reads of all lines take on
 * average: those of lines whose home is another one cross the network twice more. */
static uint32_t pad(const sl_sim *sim)
{
    const sl_machine *m = &sim->machine;
    uint64_t taken = sl_dram_unloaded(sim) + 1;
    for (uint32_t i = 1; i < m->levels; i++)
        taken += sl_network_unloaded(sim, i) * (2 * sl_partitions(&m->level[i]) - 1) / sl_partitions(&m->level[i]) +
                 (i + 1 < m->levels ? sim->bank[i][0].hit_cycles : 0);
    return m->memory.latency_cycles > taken ? (uint32_t)(m->memory.latency_cycles - taken) : 0;
}

static void convert_timings(sl_sim *sim)
{
    sl_memory *t = &sim->times;
    *t = sim->machine.memory;
    uint32_t *time[] = {&t->ccd, &t->rrd, &t->rcd, &t->ras, &t->rp, &t->rc, &t->cl, &t->wl, &t->cdlr, &t->wr};
    for (size_t i = 0; i < sizeof time / sizeof *time; i++)
        *time[i] = cycles(sim, *time[i]);
}

sl_status sl_dram_create(sl_sim *sim, sl_error *error)
{
    const sl_memory *m = &sim->machine.memory;
    convert_timings(sim);
    sim->channel_bytes = sl_divisor_of(m->channel_interleave);
    sim->channels = sl_divisor_of(m->channels);
    sim->row_bytes = sl_divisor_of(m->row_bytes);
    sim->dram_banks = sl_divisor_of(m->banks);
    sim->bank_group_banks = sl_divisor_of(m->banks / m->bank_groups);
    sim->memory_pad = pad(sim);
    sim->log2_last_granules =
        (unsigned)__builtin_ctz(sim->machine.level[sim->machine.levels - 1].sector_bytes) - sim->log2_granule;
    for (uint32_t granules = 0; granules <= SL_MAX_GRANULES; granules++) {
        sim->burst[granules] = burst(sim, granules << sim->log2_granule);
        sim->bank_group_burst[granules] = sim->burst[granules] * m->ccdl / sl_later(m->ccd, 1);
    }
    sim->channel = calloc(m->channels, sizeof *sim->channel);
    if (!sim->channel)
        return sl_fail_memory(error);
    sl_status status = sl_wheel_init(&sim->channel_wheel, m->channels, error);
    for (uint32_t i = 0; i < m->channels; i++) {
        sl_channel *c = &sim->channel[i];
        c->entry = calloc(m->queue, sizeof *c->entry);
        c->bank = calloc(m->banks, sizeof *c->bank);
        c->turn = calloc(m->banks, sizeof *c->turn);
        c->bank_group_free = calloc(m->bank_groups, sizeof *c->bank_group_free);
        if (!c->entry || !c->bank || !c->turn || !c->bank_group_free)
            return sl_fail_memory(error);
    }
    if (!status)
        sl_dram_reset(sim);
    return status;
}

void sl_dram_reset(sl_sim *sim)
{
    for (uint32_t i = 0; i < sim->machine.memory.channels; i++) {
        sl_channel *c = &sim->channel[i];
        c->entries = 0;
        c->waiting = 0;
        c->free = 0;
        for (uint32_t e = 0; e < sim->machine.memory.queue; e++)
            c->entry[e].next = e + 1 < sim->machine.memory.queue ? e + 1 : SL_NONE;
        c->room = SL_NO_BANKS;
        memset(c->limit, 0, sizeof c->limit);
        c->bus_free = 0;
        c->next = (sl_dram_choice){SL_NEVER, SL_NEVER, SL_NONE};
        memset(c->bank_group_free, 0, sim->machine.memory.bank_groups * sizeof *c->bank_group_free);
        for (uint32_t b = 0; b < sim->machine.memory.banks; b++)
            c->bank[b] = (sl_dram_bank){.row = SL_NEVER, .first = SL_NONE, .last = SL_NONE, .hit = SL_NONE};
    }
}

void sl_dram_destroy(sl_sim *sim)
{
    for (uint32_t i = 0; sim->channel && i < sim->machine.memory.channels; i++) {
        free(sim->channel[i].entry);
        free(sim->channel[i].bank);
        free(sim->channel[i].turn);
        free(sim->channel[i].bank_group_free);
        sl_queue_fini(&sim->channel[i].done);
    }
    free(sim->channel);
    sl_wheel_fini(&sim->channel_wheel);
}
