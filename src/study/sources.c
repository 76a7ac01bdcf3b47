/* SPDX-License-Identifier: MIT */
#include "study/joined.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/file.h"
#include "base/map.h"
#include "ptx/elf.h"
#include "ptx/fatbin.h"

enum { MAX_SOURCE_BYTES = 16 << 20, MAX_PROGRAM_BYTES = 1 << 30 };

typedef struct texts {
    sl_source_text *items;
    size_t count, capacity;
    sl_map searched; /* names that were looked for, found or not */
} texts;

/* ---- files ---- */

static bool ends_in(const char *text, const char *end)
{
    size_t length = strlen(text), wanted = strlen(end);
    return length > wanted && !strcmp(text + length - wanted, end);
}

static bool is_folder(const char *path)
{
    struct stat info;
    return !stat(path, &info) && S_ISDIR(info.st_mode);
}

/* The whole of a plain file; NULL where it is none, is too large, or memory ran out. */
static char *read_file(const char *path, off_t max, sl_arena *arena, size_t *bytes)
{
    struct stat info;
    FILE *file = sl_file_open_regular(path);
    char *text = NULL;
    if (file && !fstat(fileno(file), &info) && info.st_size <= max) {
        text = sl_arena_alloc(arena, (size_t)info.st_size + 1);
        *bytes = text ? fread(text, 1, (size_t)info.st_size, file) : 0;
    }
    if (file)
        fclose(file);
    return text;
}

static bool add(texts *found, const char *name, const char *text, size_t bytes)
{
    return sl_array_push(found, (sl_source_text){name, text, bytes});
}

static char *read_text(const char *path, sl_arena *arena, size_t *bytes)
{
    return read_file(path, MAX_SOURCE_BYTES, arena, bytes);
}

/* A PTX file that the user named. */
static sl_status add_ptx(texts *found, const char *path, sl_arena *arena, sl_error *error)
{
    size_t bytes = 0;
    char *text = read_text(path, arena, &bytes);
    if (!text)
        return sl_fail_io(error, "read", path);
    return add(found, path, text, bytes) ? SL_OK : sl_fail_memory(error);
}

/* ---- programs ---- */

static bool is_elf(const char *path)
{
    char start[64] = {0};
    FILE *file = sl_file_open_regular(path);
    size_t got = file ? fread(start, 1, sizeof start, file) : 0;
    if (file)
        fclose(file);
    return sl_elf_is(start, got);
}

static sl_status add_entry(texts *found, const char *path, const sl_fatbin_entry *entry, sl_arena *arena,
                           sl_error *error)
{
    char *plain = NULL;
    size_t bytes = 0;
    sl_status status = sl_fatbin_unpack(entry, &plain, &bytes, error);
    if (status)
        return status;
    char *text = sl_arena_strndup(arena, plain, bytes);
    char *name = sl_arena_printf(arena, "%s:%u:compute_%u.ptx", path, entry->container, entry->sm);
    free(plain);
    return text && name && add(found, name, text, bytes) ? SL_OK : sl_fail_memory(error);
}

/* The PTX that a CUDA program carries. */
static sl_status add_program(texts *found, const char *path, sl_arena *arena, sl_error *error)
{
    size_t bytes = 0;
    char *image = read_file(path, MAX_PROGRAM_BYTES, arena, &bytes);
    sl_fatbin fatbin = {0};
    if (!image)
        return sl_fail_io(error, "read", path);
    sl_status status = sl_fatbin_add_elf(&fatbin, image, bytes, error);
    for (size_t i = 0; i < fatbin.entries.count && !status; i++)
        if (fatbin.entries.items[i].kind == SL_FATBIN_PTX)
            status = add_entry(found, path, &fatbin.entries.items[i], arena, error);
    sl_fatbin_fini(&fatbin);
    return status;
}

/* ---- files that kernels name ---- */

/* A path that leads out of a folder, or nowhere. */
static bool leads_out(const char *path)
{
    for (const char *part = path; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (!strncmp(part, "..", 2) && (part[2] == '/' || !part[2]))
            return true;
    }
    return false;
}

/* Whether a file lies in a folder, also when links are followed. */
static bool lies_in(const char *path, const char *folder)
{
    char *file = realpath(path, NULL), *around = realpath(folder, NULL);
    size_t length = around ? strlen(around) : 0;
    bool inside =
        file && around && !strncmp(file, around, length) && (file[length] == '/' || around[length - 1] == '/');
    free(file);
    free(around);
    return inside;
}

/* "/home/me/src/k.cu" is DIR/home/me/src/k.cu, DIR/me/src/k.cu, DIR/src/k.cu or DIR/k.cu. */
static bool find_in(texts *found, const char *folder, const char *name, sl_arena *arena)
{
    for (const char *rest = name; rest; rest = strchr(rest, '/')) {
        char path[4096];
        size_t bytes = 0;
        rest += *rest == '/';
        if (!*rest || snprintf(path, sizeof path, "%s/%s", folder, rest) >= (int)sizeof path)
            continue;
        char *text = lies_in(path, folder) ? read_text(path, arena, &bytes) : NULL;
        if (text)
            return add(found, name, text, bytes);
    }
    return false;
}

static bool known(const texts *found, const char *name)
{
    for (size_t i = 0; i < found->count; i++)
        if (!strcmp(found->items[i].name, name))
            return true;
    return false;
}

static void find_named(texts *found, const sl_source_paths *wanted, const char *name, sl_arena *arena)
{
    if (!*name || sl_map_get(&found->searched, name, strlen(name)))
        return;
    /* Where memory runs out it is looked for again. */
    sl_map_put(&found->searched, name, strlen(name), found);
    if (known(found, name) || leads_out(name))
        return;
    bool any = false, there = false;
    for (size_t i = 0; i < wanted->count && !there; i++) {
        if (!is_folder(wanted->path[i]))
            continue;
        any = true;
        there = find_in(found, wanted->path[i], name, arena);
    }
    if (!any && wanted->here)
        find_in(found, ".", name, arena);
}

static void find_of_log(texts *found, const sl_source_paths *wanted, const sl_launch_log *log, sl_arena *arena)
{
    bool *seen = log ? calloc(log->kernel_count + 1, sizeof *seen) : NULL;
    for (size_t i = 0; seen && i < log->launches.count; i++) {
        const sl_logged_kernel *k = log->launches.items[i].kernel;
        for (uint32_t n = 0; !seen[k->number] && n < k->insts; n++)
            find_named(found, wanted, k->inst[n].source_file, arena);
        seen[k->number] = true;
    }
    free(seen);
}

static void find_of_profile(texts *found, const sl_source_paths *wanted, const sl_result *profile, sl_arena *arena)
{
    for (size_t i = 0; profile && i < profile->sums.kernels; i++) {
        const sl_trace_kernel *k = profile->sums.kernel[i].kernel;
        for (uint32_t n = 0; n < k->mem_slots; n++)
            find_named(found, wanted, k->strings + k->inst[k->mem_inst[n]].source_file, arena);
    }
}

/* A path of --source. */
static sl_status add_wanted(texts *found, const char *path, sl_arena *arena, sl_error *error)
{
    if (ends_in(path, ".ptx"))
        return add_ptx(found, path, arena, error);
    if (access(path, R_OK))
        return sl_fail_io(error, "read", path);
    if (is_folder(path))
        return SL_OK;
    if (!is_elf(path))
        return sl_fail(error, SL_INVALID, "--source %s: this is neither a folder, nor PTX, nor a program", path);
    return add_program(found, path, arena, error);
}

sl_status sl_sources_find(const sl_source_paths *wanted, sl_joined_input *input, sl_arena *arena, sl_error *error)
{
    texts found = {0};
    sl_status status = SL_OK;
    for (size_t i = 0; i < input->sources && !status; i++)
        if (!sl_array_push(&found, input->source[i]))
            status = sl_fail_memory(error);
    if (!status && wanted->code && ends_in(wanted->code, ".ptx"))
        status = add_ptx(&found, wanted->code, arena, error);
    else if (!status && wanted->code && is_elf(wanted->code))
        status = add_program(&found, wanted->code, arena, error);
    for (size_t i = 0; i < wanted->count && !status; i++)
        status = add_wanted(&found, wanted->path[i], arena, error);
    if (!status) {
        find_of_log(&found, wanted, input->counted, arena);
        find_of_log(&found, wanted, input->modeled, arena);
        find_of_profile(&found, wanted, input->profile, arena);
        sl_source_text *copy = sl_arena_array(arena, sl_source_text, found.count + 1);
        if (copy && found.count)
            memcpy(copy, found.items, found.count * sizeof *copy);
        input->source = copy;
        input->sources = found.count;
        if (!copy)
            status = sl_fail_memory(error);
    }
    sl_array_free(&found);
    sl_map_fini(&found.searched);
    return status;
}
