#include "sim/dram.h"

#include <string.h>

#include "sim/network.h"
#include "sim/versions.h"

enum { BUS = 16 }; /* parts of a cycle */

/* The machine's times, in cycles of the cores. */
static uint32_t cycles(const sl_sim *sim, uint32_t times)
{
    const sl_machine *m = &sim->machine;
    if (!m->clock_mhz || !m->memory.clock_mhz)
        return times;
    return (uint32_t)(((uint64_t)times * m->clock_mhz + m->memory.clock_mhz - 1) / m->memory.clock_mhz);
}

/* How long the bus of a channel carries so many bytes, in its parts of a cycle. */
static uint64_t burst(const sl_sim *sim, uint32_t bytes)
{
    const sl_memory *m = &sim->machine.memory;
    return ((uint64_t)bytes * BUS * m->channels + m->bytes_per_cycle - 1) / m->bytes_per_cycle;
}

static uint32_t channel_of(const sl_sim *sim, uint64_t addr)
{
    const sl_memory *m = &sim->machine.memory;
    uint64_t chunk = addr / m->channel_bytes;
    if (sim->machine.level[sim->machine.levels - 1].index == SL_INDEX_MIX)
        chunk = sl_mix_bits(chunk);
    return (uint32_t)(chunk % m->channels);
}

/* Neighbouring rows lie in different banks; rows that are a power of two apart mostly, too. */
static void locate(const sl_sim *sim, uint64_t addr, sl_dram_entry *e)
{
    const sl_memory *m = &sim->machine.memory;
    uint64_t local = addr / m->channel_bytes / m->channels * m->channel_bytes + addr % m->channel_bytes;
    uint64_t row = local / m->row_bytes;
    e->row = row / m->banks;
    e->bank = (uint32_t)((row ^ e->row) % m->banks);
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* When the entry's row, which is open, can be accessed. */
static uint64_t access_time(const sl_sim *sim, const sl_channel *c, const sl_dram_entry *e)
{
    const sl_memory *t = &sim->times;
    uint64_t time = later(c->bank[e->bank].access_at, c->access_at);
    uint64_t lead = (e->write ? t->wl : t->cl), bus = c->bus_free / BUS;
    if (!e->write)
        time = later(time, c->read_at);
    return bus > lead ? later(time, bus - lead) : time;
}

static void find_hit(const sl_channel *c, sl_dram_bank *bank)
{
    uint32_t at = bank->first;
    while (at != SL_NONE && c->entry[at].row != bank->row)
        at = c->entry[at].next;
    bank->hit = at;
}

static void take_entry(sl_channel *c, uint32_t at)
{
    sl_dram_bank *bank = &c->bank[c->entry[at].bank];
    uint32_t *link = &bank->first, before = SL_NONE;
    for (; *link != at; link = &c->entry[before].next)
        before = *link;
    *link = c->entry[at].next;
    if (bank->last == at)
        bank->last = before;
    if (bank->first == SL_NONE)
        c->wanted &= ~(UINT64_C(1) << c->entry[at].bank);
    c->entry[at].next = c->free;
    c->free = at;
    c->entries--;
    find_hit(c, bank);
}

static void tell(const sl_sim *sim, const sl_channel *c, sl_dram_command command, bool write)
{
    const sl_sim_listener *l = sim->options.listener;
    if (l && l->dram)
        l->dram(l->to, (uint32_t)(c - sim->channel), sim->now, command, write);
}

static void access_row(sl_sim *sim, sl_channel *c, uint32_t at)
{
    const sl_memory *t = &sim->times;
    sl_dram_entry e = c->entry[at];
    sl_dram_bank *bank = &c->bank[e.bank];
    const sl_request *r = sl_request_at(sim, e.request);
    uint32_t bytes = (uint32_t)__builtin_popcount(r->units) << sim->log2_unit;
    uint64_t start = later((sim->now + (e.write ? t->wl : t->cl)) * BUS, c->bus_free);
    uint64_t end = c->bus_free = start + burst(sim, bytes);
    uint64_t end_cycle = (end + BUS - 1) / BUS;
    uint32_t sectors = bytes / sim->machine.level[sim->machine.levels - 1].sector_bytes;
    c->access_at = sim->now + later(t->ccd, 1);
    sim->result->dram_row_hits += !e.opened;
    sim->result->dram_row_misses += e.opened;
    tell(sim, c, e.opened ? SL_DRAM_MISS : SL_DRAM_HIT, e.write);
    take_entry(c, at);
    if (sim->versions)
        sl_versions_memory(sim, e.request, e.write);
    if (e.write) {
        sim->result->dram_written_sectors += sectors;
        c->read_at = later(c->read_at, end_cycle + t->cdlr);
        bank->close_at = later(bank->close_at, end_cycle + t->wr);
    } else {
        sim->result->dram_read_sectors += sectors;
        if (r->slot != SL_NONE)
            sim->slot[r->slot].memory_sectors += sectors;
    }
    if (!sl_request_is_answered(r))
        sl_core_stored(sim, e.request);
    else if (!sl_queue_put(&c->done, end_cycle + sim->memory_pad, e.request))
        sim->failed = true;
    sl_network_has_room(sim, sim->machine.levels - 1, &c->room);
}

/* Closes the row that is in the way of an entry, or opens the entry's; both can be done now. */
static void open_row(sl_sim *sim, sl_channel *c, sl_dram_entry *e)
{
    const sl_memory *t = &sim->times;
    sl_dram_bank *bank = &c->bank[e->bank];
    if (bank->row != SL_NEVER) {
        bank->row = SL_NEVER;
        tell(sim, c, SL_DRAM_CLOSE, e->write);
        bank->open_at = later(bank->open_at, sim->now + t->rp);
        return;
    }
    bank->row = e->row;
    e->opened = true;
    tell(sim, c, SL_DRAM_OPEN, e->write);
    find_hit(c, bank);
    bank->access_at = sim->now + t->rcd;
    bank->close_at = sim->now + t->ras;
    bank->open_at = sim->now + t->rc;
    c->open_at = sim->now + t->rrd;
}

/* When the row that a bank's oldest request wants can be closed or opened. */
static uint64_t open_time(const sl_channel *c, const sl_dram_bank *bank)
{
    return bank->row != SL_NEVER ? bank->close_at : later(bank->open_at, c->open_at);
}

bool sl_dram_put(sl_sim *sim, sl_bank *from, uint32_t number)
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
    *e = (sl_dram_entry){
        .request = number, .arrival = channel->arrivals++, .next = SL_NONE, .write = r->kind != SL_REQUEST_LOAD};
    locate(sim, r->addr, e);
    sl_dram_bank *bank = &channel->bank[e->bank];
    if (bank->first == SL_NONE)
        bank->first = at;
    else
        channel->entry[bank->last].next = at;
    bank->last = at;
    if (bank->hit == SL_NONE && bank->row == e->row)
        bank->hit = at;
    channel->wanted |= UINT64_C(1) << e->bank;
    if (bank->hit == at || bank->first == at) { /* others wait for those before them */
        uint64_t time = bank->hit == at ? access_time(sim, channel, e) : open_time(channel, bank);
        sl_wake(&sim->channel_due, c, later(time, sim->now + 1));
    }
    return true;
}

/* Whether entry `at` came before entry `best`, if there is such. */
static bool older(const sl_channel *c, uint32_t at, uint32_t best)
{
    return best == SL_NONE || c->entry[at].arrival < c->entry[best].arrival;
}

/* Gives one command, if one can be given now: the oldest access to an open row, else for the oldest request of a bank
 * that has none its row. Returns when the next can. */
static uint64_t command(sl_sim *sim, sl_channel *c)
{
    uint64_t next = SL_NEVER, now = sim->now, bus = c->bus_free / BUS, cl = sim->times.cl, wl = sim->times.wl;
    uint64_t write_at = later(c->access_at, bus > wl ? bus - wl : 0);
    uint64_t read_at = later(later(c->access_at, c->read_at), bus > cl ? bus - cl : 0);
    uint32_t access = SL_NONE, open = SL_NONE;
    for (uint64_t left = c->wanted; left; left &= left - 1) {
        const sl_dram_bank *bank = &c->bank[__builtin_ctzll(left)];
        bool hit = bank->hit != SL_NONE;
        uint64_t time = !hit                        ? open_time(c, bank)
                        : c->entry[bank->hit].write ? later(bank->access_at, write_at)
                                                    : later(bank->access_at, read_at);
        if (time > now)
            next = time < next ? time : next;
        else if (hit && older(c, bank->hit, access))
            access = bank->hit;
        else if (!hit && older(c, bank->first, open))
            open = bank->first;
    }
    if (access != SL_NONE)
        access_row(sim, c, access);
    else if (open != SL_NONE)
        open_row(sim, c, &c->entry[open]);
    else
        return next;
    return c->entries ? now + 1 : SL_NEVER;
}

uint64_t sl_dram_tick(sl_sim *sim, uint32_t number)
{
    sl_channel *c = &sim->channel[number];
    while (sl_queue_due(&c->done) <= sim->now) {
        uint32_t request = sl_queue_take(&c->done);
        const sl_request *r = sl_request_at(sim, request);
        uint32_t last = sim->machine.levels - 1;
        uint32_t b = sl_bank_for(sim, last, r->core, r->addr);
        sl_bank_fill(sim, &sim->bank[last][b], request);
        sl_wake(&sim->bank_due[last], b, sim->now + 1);
    }
    sl_expect_head(sim, &c->done);
    uint64_t next = c->entries ? command(sim, c) : SL_NEVER, due = sl_queue_due(&c->done);
    return next < due ? next : due;
}

uint32_t sl_dram_unloaded(const sl_sim *sim)
{
    const sl_machine *m = &sim->machine;
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < m->levels; i++)
        bytes = m->level[i].fill_bytes > bytes ? m->level[i].fill_bytes : bytes;
    uint64_t row = later(sim->times.rcd, 1) + sim->times.cl + (burst(sim, bytes) + BUS - 1) / BUS;
    return (uint32_t)row + 1 + sim->memory_pad;
}

/* What an unloaded read takes less than the machine says it does: the networks there and back, the levels between, a
 * row opened and read, and two cycles: it leaves the first level in the one after its miss, and its row is opened in
 * the one after it came here. */
static uint32_t pad(const sl_sim *sim)
{
    const sl_machine *m = &sim->machine;
    uint64_t taken = sl_dram_unloaded(sim) + 1;
    for (uint32_t i = 1; i < m->levels; i++)
        taken += sl_network_unloaded(sim, i) + (i + 1 < m->levels ? sim->bank[i][0].hit_cycles : 0);
    return m->memory.latency_cycles > taken ? (uint32_t)(m->memory.latency_cycles - taken) : 0;
}

static void turn_times(sl_sim *sim)
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
    turn_times(sim);
    sim->memory_pad = pad(sim);
    sim->channel = calloc(m->channels, sizeof *sim->channel);
    if (!sim->channel)
        return sl_fail_memory(error);
    sl_status status = sl_due_init(&sim->channel_due, m->channels, error);
    for (uint32_t i = 0; i < m->channels; i++) {
        sl_channel *c = &sim->channel[i];
        c->entry = calloc(m->queue, sizeof *c->entry);
        c->bank = calloc(m->banks, sizeof *c->bank);
        if (!c->entry || !c->bank)
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
        c->wanted = 0;
        c->free = 0;
        for (uint32_t e = 0; e < sim->machine.memory.queue; e++)
            c->entry[e].next = e + 1 < sim->machine.memory.queue ? e + 1 : SL_NONE;
        c->room = SL_NO_BANKS;
        c->access_at = c->read_at = c->open_at = c->bus_free = 0;
        for (uint32_t b = 0; b < sim->machine.memory.banks; b++)
            c->bank[b] = (sl_dram_bank){.row = SL_NEVER, .first = SL_NONE, .last = SL_NONE, .hit = SL_NONE};
    }
}

void sl_dram_destroy(sl_sim *sim)
{
    for (uint32_t i = 0; sim->channel && i < sim->machine.memory.channels; i++) {
        free(sim->channel[i].entry);
        free(sim->channel[i].bank);
        sl_queue_fini(&sim->channel[i].done);
    }
    free(sim->channel);
    sl_due_fini(&sim->channel_due);
}
