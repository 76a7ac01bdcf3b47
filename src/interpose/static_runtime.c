/* SPDX-License-Identifier: MIT */
#include "interpose/static_runtime.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    TYPE_RELA = 4,
    KIND_FUNCTION = 2,
    RELA_BYTES = 24,
    AR_HEADER = 60,
    /* Linkers change what a relocation covers (8 bytes at most) and up to 4 bytes before it, where they find a shorter
     * instruction. */
    BEFORE_RELOCATION = 4,
    AFTER_RELOCATION = 8,
    MIN_RUN = 32,  /* bytes: shorter runs of code without relocations identify nothing */
    MIN_RUNS = 16, /* that must agree */
    /* Another release of the same version has most of the code, in pieces that have moved against each other. */
    MIN_ANCHOR = 48,  /* bytes of a run that shows how far a piece has moved */
    MAX_TRIES = 32,   /* longest runs, of which one must be there */
    MAX_MOVED = 65536 /* bytes that the whole may have grown or shrunk */
};

bool sl_mapped_file_open(const char *path, sl_mapped_file *file)
{
    struct stat facts;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    *file = (sl_mapped_file){0};
    if (descriptor < 0)
        return false;
    if (fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size > 0) {
        void *data = mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
        if (data != MAP_FAILED)
            *file = (sl_mapped_file){data, (size_t)facts.st_size, facts.st_dev, facts.st_ino};
    }
    close(descriptor);
    return file->data != NULL;
}

void sl_mapped_file_close(sl_mapped_file *file)
{
    if (file->data)
        munmap((void *)(uintptr_t)file->data, file->bytes);
    *file = (sl_mapped_file){0};
}

void sl_static_runtime_fini(sl_static_runtime *runtime)
{
    sl_array_free(&runtime->functions);
    sl_mapped_file_close(&runtime->archive);
}

static bool is_runtime_name(const char *name)
{
    return strncmp(name, "cuda", 4) == 0 || strncmp(name, "__cuda", 6) == 0;
}

static int by_address(const void *a, const void *b)
{
    const sl_static_function *x = a, *y = b;
    return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static bool is_executable(const sl_elf *elf, uint64_t addr, uint64_t bytes)
{
    sl_elf_segment s;
    for (uint32_t i = 0; i < elf->segments; i++)
        if (sl_elf_segment_at(elf, i, &s) && s.executable && addr >= s.addr && addr - s.addr <= s.bytes &&
            bytes <= s.bytes - (addr - s.addr))
            return true;
    return false;
}

static bool has(const sl_static_runtime *runtime, const char *name)
{
    for (size_t i = 0; i < runtime->functions.count; i++)
        if (strcmp(runtime->functions.items[i].name, name) == 0)
            return true;
    return false;
}

/* Finds the version by what each one has or lost. */
static sl_status detect_version(sl_static_runtime *runtime, sl_error *error)
{
    if (!has(runtime, "cudaRuntimeGetVersion") || !has(runtime, "__cudaRegisterFatBinary"))
        return sl_fail(error, SL_NOT_FOUND, "no CUDA runtime inside");
    runtime->major = has(runtime, "cudaBindTexture")                                                  ? 11
                     : has(runtime, "cudaGetDeviceProperties_v2") || has(runtime, "cudaMemAdvise_v2") ? 12
                                                                                                      : 13;
    return SL_OK;
}

sl_status sl_static_runtime_by_symbols(const sl_elf *elf, sl_static_runtime *runtime, sl_error *error)
{
    sl_elf_section table;
    *runtime = (sl_static_runtime){0};
    if (sl_elf_symbol_table(elf, &table)) {
        sl_elf_symbol symbol;
        for (size_t i = 0; sl_elf_symbol_at(elf, &table, i, &symbol); i++)
            if (symbol.kind == KIND_FUNCTION && symbol.section && is_runtime_name(symbol.name) &&
                !sl_array_push(&runtime->functions, (sl_static_function){.name = symbol.name, .addr = symbol.value}))
                return sl_fail_memory(error);
    }
    return detect_version(runtime, error);
}

/* ---- by archive ---- */

typedef struct run {
    size_t offset, bytes; /* of .text */
} run;

typedef SL_ARRAY(run) run_list;

typedef struct object_code {
    sl_elf elf;
    sl_elf_section text;
    uint8_t *changed; /* for each byte of .text: the linker may change it */
    run_list runs;    /* the bytes that it leaves alone */
} object_code;

/* Marks what relocations of the section may change. */
static bool find_runs(object_code *object)
{
    const sl_elf_section *text = &object->text;
    uint8_t *changed = object->changed = calloc(1, text->bytes);
    if (!changed)
        return false;
    for (uint32_t i = 0; i < object->elf.sections; i++) {
        sl_elf_section s;
        if (!sl_elf_section_at(&object->elf, i, &s) || s.type != TYPE_RELA || s.info != text->index || !s.data)
            continue;
        for (size_t r = 0; r + RELA_BYTES <= s.bytes; r += RELA_BYTES) {
            uint64_t at;
            memcpy(&at, s.data + r, sizeof at);
            if (at >= text->bytes)
                continue;
            size_t from = at < BEFORE_RELOCATION ? 0 : at - BEFORE_RELOCATION;
            size_t to = text->bytes - at < AFTER_RELOCATION ? text->bytes : at + AFTER_RELOCATION;
            memset(changed + from, 1, to - from);
        }
    }
    bool whole = true;
    for (size_t from = 0, to; whole && from < text->bytes; from = to) {
        for (to = from; to < text->bytes && changed[to] == changed[from];)
            to++;
        if (!changed[from] && to - from >= MIN_RUN)
            whole = sl_array_push(&object->runs, (run){from, to - from});
    }
    return whole;
}

static bool is_function(const object_code *object, const sl_elf_symbol *symbol)
{
    return symbol->kind == KIND_FUNCTION && symbol->section == object->text.index && is_runtime_name(symbol->name) &&
           symbol->value < object->text.bytes;
}

static bool runs_agree(const object_code *object, const uint8_t *code, size_t bytes)
{
    if (bytes < object->text.bytes)
        return false;
    for (size_t i = 0; i < object->runs.count; i++) {
        const run *r = &object->runs.items[i];
        if (memcmp(code + r->offset, object->text.data + r->offset, r->bytes) != 0)
            return false;
    }
    return true;
}

/* Where the object's .text lies in the file, by its longest run and then all others. */
static bool locate(const object_code *object, const sl_elf *elf, uint64_t *addr)
{
    const run *longest = object->runs.items;
    for (size_t i = 1; i < object->runs.count; i++)
        if (object->runs.items[i].bytes > longest->bytes)
            longest = &object->runs.items[i];
    if (object->runs.count < MIN_RUNS)
        return false;
    sl_elf_segment s;
    for (uint32_t i = 0; i < elf->segments; i++) {
        if (!sl_elf_segment_at(elf, i, &s) || !s.executable)
            continue;
        for (size_t at = 0; at < s.bytes;) {
            const uint8_t *found =
                memmem(s.data + at, s.bytes - at, object->text.data + longest->offset, longest->bytes);
            if (!found)
                break;
            size_t offset = (size_t)(found - s.data);
            if (offset >= longest->offset &&
                runs_agree(object, s.data + (offset - longest->offset), s.bytes - (offset - longest->offset))) {
                *addr = s.addr + (offset - longest->offset);
                return true;
            }
            at = offset + 1;
        }
    }
    return false;
}

/* ---- another release of the same version ---- */

/* A piece of the object's code that is in the file: `moved` is where it is, less where it is in .text. */
typedef struct anchor {
    size_t offset;
    uint64_t moved;
} anchor;

typedef SL_ARRAY(anchor) anchor_list;

static int by_length(const void *a, const void *b)
{
    const run *x = a, *y = b;
    return x->bytes != y->bytes ? (x->bytes < y->bytes ? 1 : -1) : x->offset < y->offset ? -1 : 1;
}

/* The part of an executable segment that the object's code is in, around the longest run that is there. */
static bool find_window(const object_code *object, const sl_elf *elf, const uint8_t **code, size_t *bytes,
                        uint64_t *addr)
{
    size_t count = object->runs.count;
    run *longest = malloc((count + 1) * sizeof *longest);
    bool found = false;
    sl_elf_segment s;
    if (!longest || count < MIN_RUNS) {
        free(longest);
        return false;
    }
    memcpy(longest, object->runs.items, count * sizeof *longest);
    qsort(longest, count, sizeof *longest, by_length);
    for (size_t i = 0; i < count && i < MAX_TRIES && !found; i++)
        for (uint32_t k = 0; k < elf->segments && !found; k++) {
            if (!sl_elf_segment_at(elf, k, &s) || !s.executable)
                continue;
            const uint8_t *at = memmem(s.data, s.bytes, object->text.data + longest[i].offset, longest[i].bytes);
            if (!at)
                continue;
            size_t position = (size_t)(at - s.data), before = longest[i].offset + MAX_MOVED;
            size_t from = position > before ? position - before : 0;
            *bytes = s.bytes - from < object->text.bytes + 2 * MAX_MOVED ? s.bytes - from
                                                                         : object->text.bytes + 2 * MAX_MOVED;
            *code = s.data + from;
            *addr = s.addr + from;
            found = true;
        }
    free(longest);
    return found;
}

/* Every long run that is in the window exactly once. */
static bool find_anchors(const object_code *object, const uint8_t *code, size_t bytes, uint64_t addr,
                         anchor_list *anchors)
{
    size_t wanted = 0;
    for (size_t i = 0; i < object->runs.count; i++) {
        const run *r = &object->runs.items[i];
        const uint8_t *what = object->text.data + r->offset;
        const uint8_t *at = r->bytes < MIN_ANCHOR ? NULL : memmem(code, bytes, what, r->bytes);
        wanted += r->bytes >= MIN_ANCHOR;
        if (!at || memmem(at + 1, bytes - (size_t)(at + 1 - code), what, r->bytes))
            continue;
        if (!sl_array_push(anchors, (anchor){r->offset, addr + (size_t)(at - code) - r->offset}))
            return false;
    }
    return anchors->count >= MIN_RUNS && anchors->count >= wanted / 4;
}

/* Whether a function's bytes, but for what the linker changes, are in the window at this distance. */
static bool is_there(const object_code *object, const sl_elf_symbol *f, uint64_t moved, const uint8_t *code,
                     size_t bytes, uint64_t addr)
{
    uint64_t at = f->value + moved - addr;
    if (at > bytes || f->size > bytes - at || f->size > object->text.bytes - f->value)
        return false;
    for (size_t i = 0; i < f->size; i++)
        if (!object->changed[f->value + i] && code[at + i] != object->text.data[f->value + i])
            return false;
    return true;
}

/* Where a function is: as far away as the pieces next to it, of which exactly one distance must fit. */
static bool place(const object_code *object, const sl_elf_symbol *f, const anchor_list *anchors, const uint8_t *code,
                  size_t bytes, uint64_t addr, uint64_t *found)
{
    size_t next = 0, fits = 0;
    while (next < anchors->count && anchors->items[next].offset <= f->value)
        next++;
    for (size_t i = next > 2 ? next - 2 : 0; i < next + 2 && i < anchors->count; i++) {
        uint64_t moved = anchors->items[i].moved;
        if (!is_there(object, f, moved, code, bytes, addr) || (fits && *found == f->value + moved))
            continue;
        *found = f->value + moved;
        fits++;
    }
    return fits == 1;
}

/* All functions of the runtime or none. */
static sl_status add_moved(const object_code *object, const sl_elf *elf, const sl_elf_section *table,
                           sl_static_runtime *runtime, sl_error *error)
{
    anchor_list anchors = {0};
    const uint8_t *code;
    size_t bytes, before = runtime->functions.count;
    uint64_t addr, found = 0;
    sl_elf_symbol symbol;
    sl_status status = SL_OK;
    bool all = find_window(object, elf, &code, &bytes, &addr) && find_anchors(object, code, bytes, addr, &anchors);
    for (size_t i = 0; all && !status && sl_elf_symbol_at(&object->elf, table, i, &symbol); i++) {
        if (!is_function(object, &symbol))
            continue;
        all = place(object, &symbol, &anchors, code, bytes, addr, &found);
        if (all && !sl_array_push(&runtime->functions, (sl_static_function){.name = symbol.name, .addr = found}))
            status = sl_fail_memory(error);
    }
    if (!all)
        runtime->functions.count = before;
    sl_array_free(&anchors);
    return status;
}

/* Adds the functions of one object file of the archive, if its code is in the file. */
static sl_status add_object(const sl_elf *elf, const uint8_t *data, size_t bytes, sl_static_runtime *runtime,
                            sl_error *error)
{
    object_code object = {0};
    sl_elf_section table;
    sl_elf_symbol symbol;
    uint64_t addr;
    sl_status status = SL_OK;
    if (sl_elf_open(data, bytes, &object.elf, NULL) || !sl_elf_section_named(&object.elf, ".text", &object.text) ||
        !object.text.data || !sl_elf_symbol_table(&object.elf, &table))
        return SL_OK;
    if (!find_runs(&object))
        status = sl_fail_memory(error);
    else if (!locate(&object, elf, &addr))
        status = add_moved(&object, elf, &table, runtime, error);
    else
        for (size_t i = 0; !status && sl_elf_symbol_at(&object.elf, &table, i, &symbol); i++)
            if (is_function(&object, &symbol) &&
                !sl_array_push(&runtime->functions,
                               (sl_static_function){.name = symbol.name, .addr = addr + symbol.value}))
                status = sl_fail_memory(error);
    free(object.changed);
    sl_array_free(&object.runs);
    return status;
}

/* The decimal number in a field of an archive's header. */
static bool read_decimal(const uint8_t *field, size_t length, size_t *number)
{
    *number = 0;
    for (size_t i = 0; i < length && field[i] != ' '; i++) {
        if (field[i] < '0' || field[i] > '9')
            return false;
        *number = *number * 10 + (field[i] - '0');
    }
    return true;
}

sl_status sl_static_runtime_by_archive(const sl_elf *elf, const void *archive, size_t bytes, sl_static_runtime *runtime,
                                       sl_error *error)
{
    static const char MAGIC[8] = "!<arch>\n";
    const uint8_t *data = archive;
    sl_status status = SL_OK;
    *runtime = (sl_static_runtime){0};
    if (bytes < sizeof MAGIC || memcmp(data, MAGIC, sizeof MAGIC) != 0)
        return sl_fail(error, SL_INVALID, "not an archive");
    for (size_t at = sizeof MAGIC, size; !status && bytes - at >= AR_HEADER; at += size + size % 2) {
        const uint8_t *header = data + at;
        at += AR_HEADER;
        if (!read_decimal(header + 48, 10, &size) || size > bytes - at)
            return sl_fail(error, SL_CORRUPT, "the archive is damaged");
        status = add_object(elf, data + at, size, runtime, error);
        if (size % 2 && size == bytes - at)
            break;
    }
    return status ? status : detect_version(runtime, error);
}

/* Whether a file without the symbols of a runtime contains one all the same, by texts that every one has. */
static bool is_likely(const sl_elf *elf)
{
    /* With their zeros: the library that it opens, and a name that it has for an error. */
    static const char DRIVER[] = "libcuda.so.1", ERROR[] = "cudaErrorMissingConfiguration";
    sl_elf_section s;
    bool driver = false, error = false;
    for (uint32_t i = 0; i < elf->sections && !(driver && error); i++)
        if (sl_elf_section_at(elf, i, &s) && s.data && strncmp(s.name, ".rodata", 7) == 0) {
            driver = driver || memmem(s.data, s.bytes, DRIVER, sizeof DRIVER);
            error = error || memmem(s.data, s.bytes, ERROR, sizeof ERROR);
        }
    return driver && error;
}

sl_status sl_static_runtime_find(const sl_elf *elf, const char *archives, sl_static_runtime *runtime, sl_error *error)
{
    char path[4096];
    sl_mapped_file archive;
    sl_status status = sl_static_runtime_by_symbols(elf, runtime, error);
    if (status != SL_NOT_FOUND || !is_likely(elf))
        return status;
    for (const char *next = archives; *next;) {
        size_t length = strcspn(next, ":");
        snprintf(path, sizeof path, "%.*s", (int)length, next);
        next += length + (next[length] == ':');
        if (!sl_mapped_file_open(path, &archive))
            continue;
        sl_static_runtime_fini(runtime);
        status = sl_static_runtime_by_archive(elf, archive.data, archive.bytes, runtime, error);
        if (!status) {
            runtime->archive = archive;
            return SL_OK;
        }
        sl_mapped_file_close(&archive);
    }
    return sl_fail(error, SL_UNSUPPORTED,
                   "contains a CUDA runtime without symbols, and none of the known libcudart_static.a (%s) is it; name "
                   "that of the CUDA version it was built with (--cudart-static), or link it with nvcc -cudart shared",
                   *archives ? archives : "there is none");
}

/* ---- where they are sent ---- */

typedef struct exported {
    const char *name;
    uint32_t target;
    uint64_t addr;
} exported;

typedef SL_ARRAY(exported) export_list;

static int by_name_and_target(const void *a, const void *b)
{
    const exported *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : (int)x->target - (int)y->target;
}

/* The exports of all targets, by name; of equal names only that of the first target stays. */
static bool list_exports(const sl_elf *target, uint32_t targets, export_list *list)
{
    for (uint32_t t = 0; t < targets; t++) {
        sl_elf_section table;
        sl_elf_symbol symbol;
        if (!sl_elf_dynamic_symbols(&target[t], &table))
            continue;
        for (size_t i = 0; sl_elf_symbol_at(&target[t], &table, i, &symbol); i++)
            if (symbol.kind == KIND_FUNCTION && symbol.section && is_runtime_name(symbol.name) &&
                !sl_array_push(list, (exported){symbol.name, t, symbol.value}))
                return false;
    }
    size_t kept = 0;
    if (list->count)
        qsort(list->items, list->count, sizeof *list->items, by_name_and_target);
    for (size_t i = 0; i < list->count; i++)
        if (!kept || strcmp(list->items[kept - 1].name, list->items[i].name) != 0)
            list->items[kept++] = list->items[i];
    list->count = kept;
    return true;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const exported *)a)->name, ((const exported *)b)->name);
}

static sl_status check_room(const sl_elf *elf, const sl_static_runtime *runtime, sl_error *error)
{
    const sl_static_function *f = runtime->functions.items;
    size_t count = runtime->functions.count;
    for (size_t i = 0; i < count; i++) {
        size_t next = i + 1;
        while (next < count && f[next].addr == f[i].addr) /* several names of one function */
            next++;
        if (!is_executable(elf, f[i].addr, SL_STATIC_FUNCTION_BYTES) ||
            (next < count && f[next].addr - f[i].addr < SL_STATIC_FUNCTION_BYTES))
            return sl_fail(error, SL_UNSUPPORTED, "contains a CUDA runtime that has no room for a jump at %s",
                           f[i].name);
    }
    return SL_OK;
}

sl_status sl_static_runtime_match(const sl_elf *elf, sl_static_runtime *runtime, const sl_elf *target, uint32_t targets,
                                  sl_error *error)
{
    export_list exports = {0};
    size_t kept = 0;
    if (elf->machine != SL_ELF_MACHINE_X86_64)
        return sl_fail(
            error, SL_UNSUPPORTED,
            "contains a CUDA runtime, which can be redirected on x86-64 only; link with nvcc -cudart shared");
    if (!list_exports(target, targets, &exports)) {
        sl_array_free(&exports);
        return sl_fail_memory(error);
    }
    for (size_t i = 0; i < runtime->functions.count; i++) {
        sl_static_function f = runtime->functions.items[i];
        const exported key = {.name = f.name};
        const exported *found = exports.count ? bsearch(&key, exports.items, exports.count, sizeof key, by_name) : NULL;
        if (!found)
            continue;
        f.target = found->target;
        f.target_addr = found->addr;
        runtime->functions.items[kept++] = f;
    }
    runtime->functions.count = kept;
    sl_array_free(&exports);
    if (kept)
        qsort(runtime->functions.items, kept, sizeof *runtime->functions.items, by_address);
    return check_room(elf, runtime, error);
}
