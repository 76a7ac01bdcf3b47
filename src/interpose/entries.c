/* SPDX-License-Identifier: MIT */
/* Every entry point of libcuda.so.1, each a jump through a slot: to a hook (hooks.c), or to NVIDIA's driver. The driver
 * is loaded when the first of them is called: programs that use no GPU, such as the shell that starts one, do not load
 * it. */
#include "interpose/entries.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOT_SUPPORTED = 801, UNKNOWN_ERROR = 999 };

/* x86-64: `first` keeps the registers of arguments, and the slot is in r11. */
// clang-format off
#define ENTRY(symbol)                                                                                                  \
    ".globl " #symbol "\n.type " #symbol ", @function\n" #symbol ":\n"                                                 \
    "jmp *sl_slot_" #symbol "(%rip)\n"                                                                                 \
    "sl_first_" #symbol ":\nlea sl_slot_" #symbol "(%rip), %r11\njmp sl_first_call\n"                                  \
    ".pushsection .data.rel.local, \"aw\"\nsl_slot_" #symbol ": .quad sl_first_" #symbol "\n.popsection\n"
#define SL_DRIVER(name, version, symbol) ENTRY(symbol)
#define SL_THREAD SL_DRIVER

__asm__(".pushsection .data.rel.local, \"aw\"\n.balign 8\nsl_driver_slots:\n.popsection\n"
        ".text\n"
#include "cudadriver/functions.def"
        "sl_first_call:\n"
        "push %rdi\npush %rsi\npush %rdx\npush %rcx\npush %r8\npush %r9\npush %r11\n"
        "call sl_driver_start\n"
        "pop %r11\npop %r9\npop %r8\npop %rcx\npop %rdx\npop %rsi\npop %rdi\n"
        "jmp *(%r11)\n");
#undef SL_DRIVER
#undef SL_THREAD
// clang-format on

extern void *sl_driver_slots[SL_ENTRIES] __attribute__((visibility("hidden")));

typedef struct entry {
    const char *name, *symbol; /* as cuGetProcAddress is asked, and as the library exports it */
    int version;
    bool per_thread;
} entry;

static const entry ENTRIES[SL_ENTRIES] = {
#define SL_DRIVER(name, version, symbol) {#name, #symbol, version, false},
#define SL_THREAD(name, version, symbol) {#name, #symbol, version, true},
#include "cudadriver/functions.def"
#undef SL_DRIVER
#undef SL_THREAD
};

static void *real[SL_ENTRIES];

void *sl_real(sl_entry at)
{
    return real[at];
}

static int not_there(void)
{
    return NOT_SUPPORTED;
}

static void load(void)
{
    const char *path = getenv(SL_DRIVER_VARIABLE);
    /* What the driver calls of itself must not come back to us. */
    void *driver = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND) : NULL;
    if (!driver) {
        const char *reason = path ? dlerror() : SL_DRIVER_VARIABLE " is not set";
        fprintf(stderr, "sluice: NVIDIA's driver cannot be loaded: %s\n", reason ? reason : "no reason given");
    }
    for (size_t i = 0; i < SL_ENTRIES; i++) {
        real[i] = driver ? dlsym(driver, ENTRIES[i].symbol) : NULL;
        void *hook = real[i] ? sl_hook((sl_entry)i) : NULL;
        sl_driver_slots[i] = hook ? hook : real[i] ? real[i] : (void *)not_there;
    }
    if (driver)
        sl_hooks_start(path);
}

void sl_driver_start(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
}

void *sl_hook_named(const char *name, int version, bool per_thread)
{
    size_t found = SL_ENTRIES;
    for (size_t i = 0; i < SL_ENTRIES; i++)
        if (ENTRIES[i].per_thread == per_thread && ENTRIES[i].version <= version && !strcmp(ENTRIES[i].name, name) &&
            (found == SL_ENTRIES || ENTRIES[i].version >= ENTRIES[found].version))
            found = i;
    if (found == SL_ENTRIES)
        return per_thread ? sl_hook_named(name, version, false) : NULL;
    return real[found] ? sl_hook((sl_entry)found) : NULL;
}
