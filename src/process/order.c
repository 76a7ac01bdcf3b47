/* SPDX-License-Identifier: MIT */
#include "process/order.h"

#include <stdio.h>
#include <string.h>

/* A clock has an entry for each stream, so that their number is bounded: programs with more are not checked. */
enum { MAX_SLOTS = 1024 };

static uint64_t ended(const sl_proc_clock *clock, size_t slot)
{
    return slot < clock->count ? clock->items[slot] : 0;
}

/* Without memory nothing is checked any more. */
static void see(sl_proc_order *o, sl_proc_clock *clock, size_t slot, uint64_t number)
{
    while (clock->count <= slot)
        if (!sl_array_push(clock, 0)) {
            o->on = false;
            return;
        }
    if (clock->items[slot] < number)
        clock->items[slot] = number;
}

static void join(sl_proc_order *o, sl_proc_clock *to, const sl_proc_clock *from)
{
    for (size_t i = 0; i < from->count && o->on; i++)
        see(o, to, i, from->items[i]);
}

static void join_slot(sl_proc_order *o, sl_proc_clock *to, size_t slot)
{
    join(o, to, &o->slots.items[slot].clock);
    see(o, to, slot, o->slots.items[slot].last);
}

void sl_proc_order_start(sl_proc_order *o)
{
    o->on = true;
    sl_proc_order_add_stream(o, true);
}

void sl_proc_order_fini(sl_proc_order *o)
{
    for (size_t i = 0; i < o->slots.count; i++)
        sl_array_free(&o->slots.items[i].clock);
    sl_array_free(&o->slots);
    sl_array_free(&o->host);
    *o = (sl_proc_order){0};
}

uint32_t sl_proc_order_add_stream(sl_proc_order *o, bool blocking)
{
    const sl_proc_order_slot slot = {.blocking = blocking};
    if (!o->on)
        return 0;
    if (o->slots.count == MAX_SLOTS || !sl_array_push(&o->slots, slot)) {
        o->on = false;
        return 0;
    }
    return (uint32_t)(o->slots.count - 1);
}

void sl_proc_order_issue(sl_proc_order *o, uint32_t number, const char *kernel)
{
    if (!o->on)
        return;
    sl_proc_order_slot *slot = &o->slots.items[number];
    join(o, &slot->clock, &o->host);
    for (size_t i = 0; !number && i < o->slots.count && o->on; i++)
        if (i && o->slots.items[i].blocking)
            join_slot(o, &slot->clock, i);
    if (number && slot->blocking)
        join_slot(o, &slot->clock, 0);
    slot->last = ++o->issued;
    if (kernel) {
        slot->launched = slot->last;
        snprintf(slot->kernel, sizeof slot->kernel, "%s", kernel);
    }
    see(o, &slot->clock, number, slot->last);
}

void sl_proc_order_record(sl_proc_order *o, uint32_t number, sl_proc_order_mark *mark)
{
    if (!o->on)
        return;
    sl_proc_order_issue(o, number, NULL);
    mark->clock.count = 0;
    join(o, &mark->clock, &o->slots.items[number].clock);
    mark->at = o->issued;
    mark->missing = 0;
    for (size_t i = 0; i < o->slots.count; i++) {
        const sl_proc_order_slot *slot = &o->slots.items[i];
        if (slot->launched > ended(&mark->clock, i) && slot->launched > mark->missing) {
            mark->missing = slot->launched;
            memcpy(mark->kernel, slot->kernel, sizeof mark->kernel);
        }
    }
}

void sl_proc_order_wait(sl_proc_order *o, uint32_t number, const sl_proc_order_mark *mark)
{
    if (o->on)
        join(o, &o->slots.items[number].clock, &mark->clock);
}

void sl_proc_order_host_event(sl_proc_order *o, const sl_proc_order_mark *mark)
{
    if (o->on)
        join(o, &o->host, &mark->clock);
}

void sl_proc_order_host(sl_proc_order *o, uint32_t number)
{
    if (!o->on)
        return;
    /* What waits for the default stream waits for all that this one would wait for. */
    for (size_t i = 1; !number && i < o->slots.count && o->on; i++)
        if (o->slots.items[i].blocking)
            join_slot(o, &o->host, i);
    if (o->on)
        join_slot(o, &o->host, number);
}

void sl_proc_order_host_all(sl_proc_order *o)
{
    for (size_t i = 0; i < o->slots.count && o->on; i++)
        join_slot(o, &o->host, i);
}

const char *sl_proc_order_untimed(const sl_proc_order_mark *start, const sl_proc_order_mark *end)
{
    return end->missing > start->at ? end->kernel : NULL;
}

const char *sl_proc_order_unwaited(const sl_proc_order *o)
{
    for (size_t i = 0; o->on && i < o->slots.count; i++)
        if (o->slots.items[i].launched > ended(&o->host, i))
            return o->slots.items[i].kernel;
    return NULL;
}
