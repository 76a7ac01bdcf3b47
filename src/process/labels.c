/* SPDX-License-Identifier: MIT */
/* What launches belong to: the NVTX ranges that are open, the last mark, and the functions that led to them.
 *
 * NVTX is called more often than anything is launched, and by threads that wait for nobody: these functions have a lock
 * of their own, which is never held for long. */
#include "process/core.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_PUSHED = 128,   /* ranges of a thread; what is pushed within them is not seen */
    MAX_STARTED = 1024, /* ranges of the process; as many may stay open in a program that never ends them */
    NAME_BYTES = 256,   /* of a range; the rest of a longer one is cut off */
    LABEL_BYTES = 4096,
    NOT_TRACKED = -2, /* NVTX_NO_PUSH_POP_TRACKING */
};

typedef struct open_range {
    const char *name;
    const void *domain;
    uint64_t order; /* in which ranges of all threads were opened; of those of the process: its number */
} open_range;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sl_map texts; /* every text once */
static open_range started[MAX_STARTED];
static unsigned started_count;
static _Atomic uint64_t last_order;
static _Atomic(const char *) last_mark;

static _Thread_local open_range pushed[MAX_PUSHED];
static _Thread_local unsigned pushed_count, pushed_beyond;

/* ---- texts ---- */

static const char *keep_text(const char *text, size_t length)
{
    if (!length)
        return NULL;
    pthread_mutex_lock(&lock);
    char *kept = sl_map_get(&texts, text, length);
    if (!kept) {
        kept = strndup(text, length);
        if (kept && !sl_map_put(&texts, kept, length, kept)) {
            free(kept);
            kept = NULL;
        }
    }
    pthread_mutex_unlock(&lock);
    return kept;
}

static size_t append(char *to, size_t used, const char *text)
{
    for (; *text && used < NAME_BYTES - 1; text++)
        to[used++] = (unsigned char)*text < ' ' || *text == 127 ? ' ' : *text;
    return used;
}

const char *sl_proc_label(const char *domain, const char *name)
{
    char text[NAME_BYTES];
    size_t used = 0;
    if (domain && *domain)
        used = append(text, append(text, 0, domain), ":");
    used = append(text, used, name && *name ? name : "(unnamed)");
    while (used && used == NAME_BYTES - 1 && (text[used - 1] & 0xc0) == 0x80) /* in the middle of a character */
        used--;
    return keep_text(text, used);
}

/* ---- ranges and marks ---- */

int sl_proc_range_push(const void *domain, const char *name)
{
    int within = 0;
    if (pushed_count == MAX_PUSHED) {
        pushed_beyond++;
        return NOT_TRACKED;
    }
    for (unsigned i = 0; i < pushed_count; i++)
        within += pushed[i].domain == domain;
    pushed[pushed_count++] = (open_range){name, domain, atomic_fetch_add(&last_order, 1) + 1};
    return within;
}

int sl_proc_range_pop(const void *domain)
{
    unsigned at = pushed_count;
    int within = 0;
    if (pushed_beyond) {
        pushed_beyond--;
        return NOT_TRACKED;
    }
    while (at && pushed[at - 1].domain != domain)
        at--;
    if (!at)
        return NOT_TRACKED;
    memmove(&pushed[at - 1], &pushed[at], (pushed_count - at) * sizeof *pushed);
    pushed_count--;
    for (unsigned i = 0; i < pushed_count; i++)
        within += pushed[i].domain == domain;
    return within;
}

uint64_t sl_proc_range_start(const char *name)
{
    uint64_t order = 0;
    pthread_mutex_lock(&lock);
    if (started_count < MAX_STARTED) {
        order = atomic_fetch_add(&last_order, 1) + 1;
        started[started_count++] = (open_range){.name = name, .order = order};
    }
    pthread_mutex_unlock(&lock);
    return order;
}

void sl_proc_range_end(uint64_t range)
{
    pthread_mutex_lock(&lock);
    for (unsigned i = started_count; i-- > 0;)
        if (started[i].order == range) {
            memmove(&started[i], &started[i + 1], (started_count - i - 1) * sizeof *started);
            started_count--;
            break;
        }
    pthread_mutex_unlock(&lock);
}

void sl_proc_mark(const char *name)
{
    atomic_store(&last_mark, name);
}

/* ---- launches ---- */

/* Those of this thread and those of the process, in the order in which they were opened. */
static const char *open_ranges(void)
{
    open_range all[MAX_STARTED];
    char text[LABEL_BYTES];
    size_t used = 0;
    pthread_mutex_lock(&lock);
    unsigned count = started_count;
    memcpy(all, started, count * sizeof *all);
    pthread_mutex_unlock(&lock);
    for (unsigned i = 0, k = 0; (i < pushed_count || k < count) && used < sizeof text;) {
        bool mine = k == count || (i < pushed_count && pushed[i].order < all[k].order);
        const char *name = mine ? pushed[i++].name : all[k++].name;
        if (name)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used ? "\n" : "", name);
    }
    return keep_text(text, used < sizeof text ? used : sizeof text - 1);
}

void sl_proc_labels_now(sl_proc *rt, const char *symbol, const char *label[SL_LABELS])
{
    char callers[LABEL_BYTES];
    memset(label, 0, SL_LABELS * sizeof *label);
    if (!*rt->options.results && !*rt->options.trace)
        return;
    if (pushed_count || started_count)
        label[SL_LABEL_RANGE] = open_ranges();
    label[SL_LABEL_MARK] = atomic_load(&last_mark);
    if (symbol && sl_proc_callers(rt, symbol, callers, sizeof callers))
        label[SL_LABEL_CALLER] = keep_text(callers, strlen(callers));
}
