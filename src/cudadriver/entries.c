/* SPDX-License-Identifier: MIT */
/* The table of entry points. It knows them as addresses only, and so not by their prototypes. */
#include <string.h>

#include "cudadriver/driver.h"

typedef struct entry {
    const char *name;
    int version;
    bool per_thread;
    void (*function)(void);
} entry;

#define SL_DRIVER(name, version, symbol) extern void symbol(void);
#define SL_THREAD                        SL_DRIVER
#include "cudadriver/functions.def"
#undef SL_DRIVER
#undef SL_THREAD

/* Sorted by name; of one name and kind, by version. */
static const entry ENTRIES[] = {
#define SL_DRIVER(name, version, symbol) {#name, version, false, symbol},
#define SL_THREAD(name, version, symbol) {#name, version, true, symbol},
#include "cudadriver/functions.def"
#undef SL_DRIVER
#undef SL_THREAD
};
enum { ENTRY_COUNT = sizeof ENTRIES / sizeof *ENTRIES };

void *sl_driver_find(const char *name, int version, bool per_thread, bool *known)
{
    const entry *best = NULL;
    for (size_t i = 0; i < ENTRY_COUNT; i++) {
        const entry *e = &ENTRIES[i];
        if (strcmp(e->name, name) != 0)
            continue;
        *known = true;
        if (e->per_thread == per_thread && e->version <= version && (!best || e->version > best->version))
            best = e;
    }
    return best ? (void *)(uintptr_t)best->function : NULL;
}
