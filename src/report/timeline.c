/* SPDX-License-Identifier: MIT */
#include "report/timeline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/json_write.h"

/* An interval of cycles in which a scheduler has the same state. */
typedef struct stretch {
    uint64_t from, until; /* equal: none */
    uint8_t kind;
} stretch;

/* Counters of a level, and which of its banks had another value in the cycle that they wait to be written for. */
enum { MSHRS, QUEUE, COUNTERS };
typedef struct level_state {
    uint32_t banks;
    uint32_t *value[COUNTERS]; /* [banks]: what was written last */
    SL_ARRAY(char) changes[COUNTERS];
    uint64_t now;
} level_state;

struct sl_timeline {
    sl_sim_observer observer;
    FILE *file;
    sl_json json;
    uint64_t first, last;
    uint64_t start; /* of this launch, in cycles of all launches */
    uint64_t busy;  /* the first cycle in which a scheduler had work; UINT64_MAX: none yet */
    bool any;       /* one had in the window */
    bool failed;    /* memory ran out */
    bool named;     /* the parts have names in the file */
    sl_machine machine;
    stretch *stretch; /* [cores * schedulers] */
    level_state level[SL_MAX_LEVELS];
};

/* ---- the file ---- */

/* Processes of the trace: cores from 1, then levels, then DRAM. */
static uint64_t process_of_level(const sl_timeline *t, uint32_t level)
{
    return 1 + t->machine.cores + level;
}

/* Most of the file: written without spaces. */
static void write_slice(sl_timeline *t, const char *name, uint64_t process, uint64_t thread, uint64_t from,
                        uint64_t until)
{
    fprintf(t->file,
            ",\n{\"ph\":\"X\",\"name\":\"%s\",\"pid\":%" PRIu64 ",\"tid\":%" PRIu64 ",\"ts\":%" PRIu64
            ",\"dur\":%" PRIu64 "}",
            name, process, thread, from, until - from);
}

/* A level's counters that changed in one cycle are one event, with a series for each bank. */
static void flush_counters(sl_timeline *t, uint32_t level)
{
    static const char *const names[COUNTERS] = {"MSHRs", "queue"};
    level_state *l = &t->level[level];
    for (int c = 0; c < COUNTERS; c++) {
        if (l->changes[c].count)
            fprintf(t->file, ",\n{\"ph\":\"C\",\"name\":\"%s\",\"pid\":%" PRIu64 ",\"ts\":%" PRIu64 ",\"args\":{%.*s}}",
                    names[c], process_of_level(t, level), l->now, (int)l->changes[c].count - 1, l->changes[c].items);
        l->changes[c].count = 0;
    }
}

static void write_counter(sl_timeline *t, uint32_t level, int counter, uint32_t bank, uint64_t now, uint32_t value)
{
    level_state *l = &t->level[level];
    char text[32];
    if (l->value[counter][bank] == value)
        return;
    if (l->now != now)
        flush_counters(t, level);
    size_t bytes = (size_t)snprintf(text, sizeof text, "\"%u\":%u,", bank, value);
    t->failed |= !sl_array_reserve(&l->changes[counter], bytes);
    if (t->failed)
        return;
    memcpy(l->changes[counter].items + l->changes[counter].count, text, bytes);
    l->changes[counter].count += bytes;
    l->value[counter][bank] = value;
    l->now = now;
}

/* ---- names ---- */

static void name_part(sl_timeline *t, const char *what, uint64_t process, uint64_t thread, const char *name)
{
    sl_json_object(&t->json, false);
    sl_json_string_member(&t->json, "ph", "M");
    sl_json_string_member(&t->json, "name", what);
    sl_json_u64_member(&t->json, "pid", process);
    sl_json_u64_member(&t->json, "tid", thread);
    sl_json_object_member(&t->json, "args", false);
    sl_json_string_member(&t->json, "name", name);
    sl_json_close(&t->json, '}');
    sl_json_close(&t->json, '}');
}

static void name_parts(sl_timeline *t)
{
    const sl_machine *m = &t->machine;
    char text[64];
    for (uint32_t c = 0; c < m->cores; c++) {
        snprintf(text, sizeof text, "SM %u", c);
        name_part(t, "process_name", 1 + c, 0, text);
        for (uint32_t s = 0; s < m->core.schedulers; s++) {
            snprintf(text, sizeof text, "scheduler %u", s);
            name_part(t, "thread_name", 1 + c, s, text);
        }
    }
    for (uint32_t i = 0; i < m->levels; i++)
        name_part(t, "process_name", process_of_level(t, i), 0, m->level[i].name);
    name_part(t, "process_name", process_of_level(t, m->levels), 0, "DRAM");
    for (uint32_t i = 0; i < m->memory.channels; i++) {
        snprintf(text, sizeof text, "channel %u", i);
        name_part(t, "thread_name", process_of_level(t, m->levels), i, text);
    }
    t->named = true;
}

static bool make_states(sl_timeline *t)
{
    const sl_machine *m = &t->machine;
    t->stretch = calloc((size_t)m->cores * m->core.schedulers, sizeof *t->stretch);
    bool ok = t->stretch;
    for (uint32_t i = 0; i < m->levels; i++) {
        level_state *l = &t->level[i];
        l->banks = m->cores / m->level[i].cores_per_instance * (i ? m->level[i].banks : 1);
        for (int c = 0; c < COUNTERS; c++)
            ok = (l->value[c] = calloc(l->banks, sizeof *l->value[c])) && ok;
    }
    return ok;
}

/* ---- what is heard ---- */

/* Cuts cycles of the launch to the window, and makes them those of all launches. False: nothing is left. */
static bool cut(const sl_timeline *t, uint64_t *from, uint64_t *until)
{
    *from += t->start;
    *until += t->start;
    *from = *from < t->first ? t->first : *from;
    *until = *until > t->last + 1 ? t->last + 1 : *until;
    return *from < *until;
}

static void on_launch(void *to, const sl_machine *machine, const sl_loaded *loaded)
{
    sl_timeline *t = to;
    (void)loaded;
    t->machine = *machine;
    if (!t->named) {
        t->failed = !make_states(t);
        name_parts(t);
    }
}

static void flush(sl_timeline *t, uint32_t core, uint32_t scheduler)
{
    static const char *const names[SL_CYCLES] = {
        [SL_CYCLE_ISSUE] = "issue",       [SL_CYCLE_MEMORY] = "load/store unit full",
        [SL_CYCLE_PIPELINE] = "pipeline", [SL_CYCLE_DATA] = "wait for data",
        [SL_CYCLE_BARRIER] = "barrier",   [SL_CYCLE_IDLE] = "idle"};
    stretch *s = &t->stretch[core * t->machine.core.schedulers + scheduler];
    if (s->from < s->until && s->kind != SL_CYCLE_IDLE)
        write_slice(t, names[s->kind], 1 + core, scheduler, s->from, s->until);
    s->from = s->until = 0;
}

static void on_scheduler(void *to, uint32_t core, uint32_t scheduler, sl_cycle_kind kind, uint64_t from, uint64_t until)
{
    sl_timeline *t = to;
    if (kind != SL_CYCLE_IDLE && t->start + from < t->busy)
        t->busy = t->start + from;
    if (t->failed || !cut(t, &from, &until))
        return;
    t->any |= kind != SL_CYCLE_IDLE;
    stretch *s = &t->stretch[core * t->machine.core.schedulers + scheduler];
    if (s->until == from && s->from < s->until && s->kind == kind) {
        s->until = until;
        return;
    }
    flush(t, core, scheduler);
    *s = (stretch){from, until, (uint8_t)kind};
}

static void on_bank(void *to, uint32_t level, uint32_t bank, uint64_t now, uint32_t mshrs, uint32_t queued)
{
    sl_timeline *t = to;
    uint64_t until = now + 1;
    if (t->failed || !cut(t, &now, &until))
        return;
    write_counter(t, level, MSHRS, bank, now, mshrs);
    if (level)
        write_counter(t, level, QUEUE, bank, now, queued);
}

static void on_dram(void *to, uint32_t channel, uint64_t now, sl_dram_command command, bool write)
{
    static const char *const names[SL_DRAM_COMMANDS][2] = {[SL_DRAM_PRECHARGE] = {"close row", "close row"},
                                                           [SL_DRAM_ACTIVATE] = {"open row", "open row"},
                                                           [SL_DRAM_HIT] = {"read, row hit", "write, row hit"},
                                                           [SL_DRAM_MISS] = {"read, row miss", "write, row miss"}};
    sl_timeline *t = to;
    uint64_t until = now + 1;
    if (!t->failed && cut(t, &now, &until))
        write_slice(t, names[command][write], process_of_level(t, t->machine.levels), channel, now, until);
}

static void flush_all(sl_timeline *t)
{
    for (uint32_t c = 0; t->stretch && c < t->machine.cores; c++)
        for (uint32_t s = 0; s < t->machine.core.schedulers; s++)
            flush(t, c, s);
    for (uint32_t i = 0; i < t->machine.levels; i++)
        flush_counters(t, i);
}

static void on_done(void *to, uint64_t cycles)
{
    sl_timeline *t = to;
    t->start += cycles;
}

/* ---- life ---- */

sl_timeline *sl_timeline_create(FILE *file, uint64_t first, uint64_t last)
{
    sl_timeline *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->file = file;
    t->first = first;
    t->last = last;
    t->busy = UINT64_MAX;
    t->observer = (sl_sim_observer){
        .to = t, .launch = on_launch, .done = on_done, .scheduler = on_scheduler, .bank = on_bank, .dram = on_dram};
    sl_json_start(&t->json, file);
    sl_json_object(&t->json, true);
    sl_json_string_member(&t->json, "displayTimeUnit", "ns");
    sl_json_key(&t->json, "traceEvents");
    sl_json_array(&t->json, true);
    return t;
}

const sl_sim_observer *sl_timeline_observer(const sl_timeline *t)
{
    return &t->observer;
}

bool sl_timeline_is_empty(const sl_timeline *t, uint64_t *first, uint64_t *last)
{
    *first = t->busy;
    *last = t->start ? t->start - 1 : 0;
    return !t->any && t->busy != UINT64_MAX;
}

sl_status sl_timeline_finish(sl_timeline *t, sl_error *error)
{
    if (t->failed)
        return sl_fail_memory(error);
    flush_all(t);
    sl_json_close(&t->json, ']');
    sl_json_close(&t->json, '}');
    return sl_json_finish(&t->json, error);
}

void sl_timeline_destroy(sl_timeline *t)
{
    if (!t)
        return;
    free(t->stretch);
    for (uint32_t i = 0; i < SL_MAX_LEVELS; i++)
        for (int c = 0; c < COUNTERS; c++) {
            free(t->level[i].value[c]);
            sl_array_free(&t->level[i].changes[c]);
        }
    free(t);
}
