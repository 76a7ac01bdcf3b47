/* SPDX-License-Identifier: MIT */
/* A library for the dynamic loader's auditing interface (LD_AUDIT, rtld-audit(7)): sends the functions of every static
 * CUDA runtime of a process to the library of src/cudart, before any code of the program or library around it runs.
 *
 * The loader reports each object when it has mapped it: the program, what it needs, what it opens later. Objects
 * without a runtime are left alone. This library lives in a namespace of its own; it reads where functions are in the
 * files of the target libraries and overwrites the first bytes of each function of the static runtime with a jump, in
 * the memory of this process only. */
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/text.h"
#include "interpose/static_runtime.h"
#include "process/options.h"
#include "process/results_file.h"

#define EXPORT __attribute__((visibility("default")))

/* A library of ours that functions may be sent to. */
typedef struct target {
    const char *name;
    unsigned major; /* of CUDA */
    bool loaded;
    uint64_t base;
    sl_mapped_file file;
} target;

/* An object with a runtime, to be changed when the targets are mapped too. */
typedef struct pending {
    uint64_t base;
    char *path;
    sl_mapped_file file;
    sl_static_runtime runtime;
} pending;

static target targets[] = {{.name = "libcudart.so.11.0", .major = 11},
                           {.name = "libcudart.so.12", .major = 12},
                           {.name = "libcudart.so.13", .major = 13}};
enum { TARGETS = sizeof targets / sizeof *targets };

static sl_proc_options options;
static SL_ARRAY(pending) waiting;

/* A run in which this happens does not count as a success. */
static void report_problem(const char *path, const char *text)
{
    char line[2048];
    snprintf(line, sizeof line, "%s %s", path, text);
    fputs("sluice: ", stderr);
    sl_text_append(stderr, line, false, false);
    fputc('\n', stderr);
    sl_results_problem(options.results, line);
}

/* ---- what the loader has mapped ---- */

static bool is_target(const sl_mapped_file *file, uint64_t base)
{
    for (size_t i = 0; i < TARGETS; i++)
        if (targets[i].file.data && targets[i].file.device == file->device && targets[i].file.inode == file->inode) {
            targets[i].loaded = true;
            targets[i].base = base;
            return true;
        }
    return false;
}

static void forget(pending *object)
{
    sl_static_runtime_fini(&object->runtime);
    sl_mapped_file_close(&object->file);
    free(object->path);
    *object = (pending){0};
}

static void inspect(const char *path, uint64_t base)
{
    sl_elf elf;
    sl_error error = {0};
    pending object = {.base = base};
    if (!sl_mapped_file_open(path, &object.file))
        return;
    bool found = false;
    if (!is_target(&object.file, base) && !sl_elf_open(object.file.data, object.file.bytes, &elf, NULL)) {
        sl_status status = sl_static_runtime_find(&elf, options.static_runtimes, &object.runtime, &error);
        found = !status;
        if (status && status != SL_NOT_FOUND)
            report_problem(path, error.text);
    }
    object.path = found ? strdup(path) : NULL;
    if (!found || !sl_array_push(&waiting, object))
        forget(&object);
}

/* ---- the change ---- */

/* The file's bytes at an address, which must be what the loader has mapped. */
static const uint8_t *file_bytes_at(const sl_elf *elf, uint64_t addr)
{
    sl_elf_segment s;
    for (uint32_t i = 0; i < elf->segments; i++)
        if (sl_elf_segment_at(elf, i, &s) && addr >= s.addr && addr - s.addr < s.bytes &&
            s.bytes - (addr - s.addr) >= SL_STATIC_FUNCTION_BYTES)
            return s.data + (addr - s.addr);
    return NULL;
}

static void write_jump(uint8_t *at, uint64_t to)
{
    static const uint8_t JUMP[6] = {0xff, 0x25, 0, 0, 0, 0}; /* to the address in the 8 bytes behind it */
    memcpy(at, JUMP, sizeof JUMP);
    memcpy(at + sizeof JUMP, &to, sizeof to);
}

/* The library that functions of this version go to; NULL: it is not loaded. */
static const target *choose_target(unsigned major, sl_elf *elf)
{
    for (size_t i = 0; i < TARGETS; i++)
        if (targets[i].loaded && targets[i].major == major &&
            !sl_elf_open(targets[i].file.data, targets[i].file.bytes, elf, NULL))
            return &targets[i];
    return NULL;
}

static sl_status redirect(pending *object, sl_error *error)
{
    sl_elf elf, target_elf;
    sl_static_runtime *runtime = &object->runtime;
    const target *chosen = choose_target(runtime->major, &target_elf);
    if (!chosen)
        return sl_fail(error, SL_NOT_FOUND,
                       "contains the runtime of CUDA %u, for which Sluice's library is not loaded in this process",
                       runtime->major);
    sl_status status = sl_elf_open(object->file.data, object->file.bytes, &elf, error);
    if (!status)
        status = sl_static_runtime_match(&elf, runtime, &target_elf, 1, error);
    if (status || !runtime->functions.count)
        return status;
    const sl_static_function *f = runtime->functions.items, *last = f + runtime->functions.count - 1;
    for (; f <= last; f++) {
        const uint8_t *bytes = file_bytes_at(&elf, f->addr);
        if (!bytes || memcmp(bytes, (const void *)(uintptr_t)(object->base + f->addr), SL_STATIC_FUNCTION_BYTES) != 0)
            return sl_fail(error, SL_MISMATCH,
                           "was changed while it was loaded: the code of %s is not that of the file", f->name);
    }
    f = runtime->functions.items;
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), from = (object->base + f->addr) / page * page;
    size_t bytes = object->base + last->addr + SL_STATIC_FUNCTION_BYTES - from;
    if (mprotect((void *)(uintptr_t)from, bytes, PROT_READ | PROT_WRITE) != 0)
        return sl_fail(error, SL_IO,
                       "contains a CUDA runtime that cannot be changed here (%s); link with nvcc -cudart shared",
                       strerror(errno));
    for (; f <= last; f++)
        write_jump((uint8_t *)(uintptr_t)(object->base + f->addr), chosen->base + f->target_addr);
    if (mprotect((void *)(uintptr_t)from, bytes, PROT_READ | PROT_EXEC) != 0)
        return sl_fail(error, SL_IO,
                       "contains a CUDA runtime that cannot be changed here (%s); link with nvcc -cudart shared",
                       strerror(errno));
    return SL_OK;
}

static void redirect_waiting(void)
{
    for (size_t i = 0; i < waiting.count; i++) {
        sl_error error = {0};
        if (redirect(&waiting.items[i], &error))
            report_problem(waiting.items[i].path, error.text);
        forget(&waiting.items[i]);
    }
    waiting.count = 0;
}

/* ---- rtld-audit(7) ---- */

static void open_targets(void)
{
    char path[1200];
    for (size_t i = 0; i < TARGETS; i++) {
        snprintf(path, sizeof path, "%s/%s", options.libraries, targets[i].name);
        sl_mapped_file_open(path, &targets[i].file);
    }
}

EXPORT unsigned la_version(unsigned version)
{
    const char *text = getenv(SL_PROC_OPTIONS_VARIABLE);
    if (!text || sl_proc_options_decode(text, &options, NULL))
        return 0; /* not ours: the loader leaves this library out */
    open_targets();
    return version < LAV_CURRENT ? version : LAV_CURRENT;
}

EXPORT unsigned la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie)
{
    (void)cookie;
    if (space == LM_ID_BASE)
        inspect(*map->l_name ? map->l_name : "/proc/self/exe", map->l_addr);
    return 0; /* no interest in its symbols */
}

EXPORT void la_activity(uintptr_t *cookie, unsigned flag)
{
    (void)cookie;
    if (flag == LA_ACT_CONSISTENT)
        redirect_waiting();
}
