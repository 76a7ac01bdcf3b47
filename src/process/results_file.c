/* SPDX-License-Identifier: MIT */
/* Results files: see results_file.h.
 *
 * File: the 8 bytes "SLRES\0" + format number, then records: u8 tag, u32 length, payload. Payloads are sequences of
 * variable-length integers (7 bits per byte, low first) and counted strings.
 *   'P' the process        'K' a kernel, numbered 0, 1, … in order        'L' a launch        'F' the end */
#include "process/results_file.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/file.h"
#include "base/new_file.h"

enum { MAGIC_BYTES = 8, RECORD_HEADER = 5, MAX_PROCESSES = 100000 };
static const char MAGIC[MAGIC_BYTES] = "SLRES\0\0\6";

char *sl_results_path(const char *folder, uint32_t number, char *buffer, size_t size)
{
    snprintf(buffer, size, "%s/process-%05u", folder, number);
    return buffer;
}

char *sl_results_trace_path(const char *trace, uint32_t number, char *buffer, size_t size)
{
    if (number)
        snprintf(buffer, size, "%s.%u", trace, number);
    else
        snprintf(buffer, size, "%s", trace);
    return buffer;
}

/* The numbers of a kernel, and of a launch and its statistics, in the order in which they are in the file. */
#define KERNEL_NUMBERS(X, k)                                                                                           \
    X(k->regs_per_thread)                                                                                              \
    X(k->regs_estimated)                                                                                               \
    X(k->static_shared_bytes)                                                                                          \
    X(k->local_bytes)                                                                                                  \
    X(k->insts)                                                                                                        \
    X(k->bbs)                                                                                                          \
    X(k->mem_slots)                                                                                                    \
    X(k->calls)                                                                                                        \
    X(k->strings_bytes)
#define LAUNCH_NUMBERS(X, l, s)                                                                                        \
    X(l->grid[0])                                                                                                      \
    X(l->grid[1])                                                                                                      \
    X(l->grid[2])                                                                                                      \
    X(l->block[0])                                                                                                     \
    X(l->block[1])                                                                                                     \
    X(l->block[2])                                                                                                     \
    X(l->cluster[0])                                                                                                   \
    X(l->cluster[1])                                                                                                   \
    X(l->cluster[2])                                                                                                   \
    X(l->dynamic_shared_bytes)                                                                                         \
    X(l->lanes)                                                                                                        \
    X(l->has_preferred_shared)                                                                                         \
    X(l->preferred_shared)                                                                                             \
    X(l->has_parent)                                                                                                   \
    X(l->parent)                                                                                                       \
    X(l->stream)                                                                                                       \
    X(l->shared_window)                                                                                                \
    X(l->local_window)                                                                                                 \
    X(l->window_bytes)                                                                                                 \
    X(l->blocks_recorded)                                                                                              \
    X(l->failed)                                                                                                       \
    X(l->repeats)                                                                                                      \
    X(l->original)                                                                                                     \
    X(s->warp_insts)                                                                                                   \
    X(s->thread_insts)                                                                                                 \
    X(s->blocks)                                                                                                       \
    X(s->parallel)                                                                                                     \
    X(s->repeated)

/* ---- writing ---- */

struct sl_results_writer {
    FILE *file;
    char path[1200];
    SL_ARRAY(uint8_t) record;
    bool out_of_memory;
    SL_ARRAY(const sl_trace_kernel *) kernels; /* those written since the last forgetting */
    uint64_t first_number;                     /* of kernels.items[0] */
};

static void write_bytes(sl_results_writer *w, const void *data, size_t bytes)
{
    if (!sl_array_reserve(&w->record, bytes)) {
        w->out_of_memory = true;
        return;
    }
    if (bytes)
        memcpy(w->record.items + w->record.count, data, bytes);
    w->record.count += bytes;
}

static void write_number(sl_results_writer *w, uint64_t value)
{
    uint8_t bytes[10];
    size_t count = 0;
    for (; value >= 0x80; value >>= 7)
        bytes[count++] = (uint8_t)(value | 0x80);
    bytes[count++] = (uint8_t)value;
    write_bytes(w, bytes, count);
}
#define PUT(number) write_number(w, number);

static void write_text(sl_results_writer *w, const char *text)
{
    size_t length = text ? strlen(text) : 0;
    write_number(w, length);
    write_bytes(w, text, length);
}

static void write_counts(sl_results_writer *w, const sl_counts *counts)
{
    for (int i = 0; i < SL_COUNTER_WORDS; i++)
        write_number(w, counts->known.word[i]);
    for (unsigned i = 0; i < SL_COUNTERS; i++)
        if (sl_counts_has(counts, (sl_counter)i))
            write_number(w, counts->value[i]);
}

static sl_status end_record(sl_results_writer *w, char tag, sl_error *error)
{
    uint8_t header[RECORD_HEADER] = {(uint8_t)tag};
    uint32_t length = (uint32_t)w->record.count;
    memcpy(header + 1, &length, sizeof length);
    bool written = !w->out_of_memory && fwrite(header, sizeof header, 1, w->file) == 1 &&
                   (!length || fwrite(w->record.items, length, 1, w->file) == 1) && fflush(w->file) == 0;
    w->record.count = 0;
    if (w->out_of_memory)
        return sl_fail_memory(error);
    return written ? SL_OK : sl_fail_io(error, "write", w->path);
}

sl_status sl_results_writer_create(const char *folder, sl_results_writer **writer, uint32_t *number, sl_error *error)
{
    sl_results_writer *w = calloc(1, sizeof *w);
    int descriptor = -1;
    if (!w)
        return sl_fail_memory(error);
    for (uint32_t i = 0; descriptor < 0 && i < MAX_PROCESSES; i++) {
        sl_results_path(folder, i, w->path, sizeof w->path);
        descriptor = sl_scratch_file(w->path, SL_SCRATCH_NEW);
        if (descriptor < 0 && errno != EEXIST)
            break;
        *number = i;
    }
    w->file = descriptor < 0 ? NULL : fdopen(descriptor, "wb");
    sl_status status = SL_OK;
    if (!w->file || fwrite(MAGIC, MAGIC_BYTES, 1, w->file) != 1) {
        status = sl_fail_io(error, "create", w->path);
    } else {
        write_number(w, (uint64_t)getpid());
        status = end_record(w, 'P', error);
    }
    if (status) {
        if (w->file)
            fclose(w->file);
        else if (descriptor >= 0)
            close(descriptor);
        sl_array_free(&w->record);
        free(w);
        return status;
    }
    *writer = w;
    return SL_OK;
}

static sl_status write_kernel(sl_results_writer *w, const sl_trace_kernel *k, sl_error *error)
{
    write_text(w, k->symbol);
    write_text(w, k->name);
    KERNEL_NUMBERS(PUT, k)
    write_bytes(w, k->inst, k->insts * sizeof *k->inst);
    write_bytes(w, k->bb, k->bbs * sizeof *k->bb);
    write_bytes(w, k->mem_inst, k->mem_slots * sizeof *k->mem_inst);
    write_bytes(w, k->call, k->calls * sizeof *k->call);
    write_bytes(w, k->strings, k->strings_bytes);
    return end_record(w, 'K', error);
}

static sl_status kernel_number(sl_results_writer *w, const sl_trace_kernel *kernel, uint64_t *number, sl_error *error)
{
    for (size_t i = w->kernels.count; i-- > 0;)
        if (w->kernels.items[i] == kernel) {
            *number = w->first_number + i;
            return SL_OK;
        }
    *number = w->first_number + w->kernels.count;
    if (!sl_array_push(&w->kernels, kernel))
        return sl_fail_memory(error);
    return write_kernel(w, kernel, error);
}

sl_status sl_results_write(sl_results_writer *w, const sl_launch_result *r, sl_error *error)
{
    uint64_t kernel;
    sl_status status = kernel_number(w, r->kernel, &kernel, error);
    if (status)
        return status;
    const sl_trace_launch *l = r->launch;
    write_number(w, r->index);
    write_number(w, kernel);
    LAUNCH_NUMBERS(PUT, l, r->stats)
    write_text(w, l->failure);
    for (int i = 0; i < SL_LABELS; i++)
        write_text(w, l->label[i]);
    write_number(w, r->trace_bytes);
    write_number(w, r->counts != NULL);
    if (r->counts) {
        write_counts(w, &r->counts->total);
        write_number(w, r->counts->blocks);
        write_number(w, r->counts->slots);
        for (uint32_t i = 0; i < r->counts->slots; i++)
            write_counts(w, &r->counts->slot[i]);
        write_number(w, r->counts->arrays);
        for (size_t i = 0; i < r->counts->arrays; i++) {
            write_text(w, r->counts->array[i].name);
            write_number(w, r->counts->array[i].bytes);
            write_text(w, r->counts->array[i].allocation);
            write_number(w, r->counts->array[i].allocation_bytes);
        }
    }
    return end_record(w, 'L', error);
}

void sl_results_times(sl_results_writer *w, const sl_cpu_times *spent)
{
    write_number(w, spent->calls_ns);
    write_number(w, spent->emulation_ns);
    write_number(w, spent->writing_ns);
    end_record(w, 'T', NULL);
}

void sl_results_forget_kernels(sl_results_writer *w)
{
    w->first_number += w->kernels.count;
    w->kernels.count = 0;
}

void sl_results_writer_close(sl_results_writer *w, bool finished)
{
    if (!w)
        return;
    if (finished)
        end_record(w, 'F', NULL); /* without it the reader says that the program broke off: true enough */
    fclose(w->file);
    sl_array_free(&w->record);
    sl_array_free(&w->kernels);
    free(w);
}

/* ---- reading ---- */

typedef struct reader {
    const uint8_t *at, *end; /* of the current record */
    bool broken, out_of_memory;
    SL_ARRAY(sl_trace_kernel) kernels; /* their parts are malloc'ed */
    sl_launch_result result;
    sl_trace_launch launch;
    sl_launch_stats stats;
    sl_launch_counts counts;
    SL_ARRAY(sl_counts) slots;
    SL_ARRAY(sl_array_footprint) arrays;
    char *failure, *label[SL_LABELS]; /* of the launch */
} reader;

static uint64_t get(reader *r)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (r->at == r->end)
            break;
        uint8_t byte = *r->at++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return value;
    }
    r->broken = true;
    return 0;
}

static uint64_t get_up_to(reader *r, uint64_t most)
{
    uint64_t value = get(r);
    r->broken = r->broken || value > most;
    return value;
}
#define GET(number) number = (__typeof(number))get_up_to(r, (__typeof(number))-1);

/* A copy of the next `count` items of `bytes` each, with a NUL behind; NULL when they are not there. */
static void *get_items(reader *r, uint64_t count, size_t bytes)
{
    if (r->broken || count > (size_t)(r->end - r->at) / bytes) {
        r->broken = true;
        return NULL;
    }
    char *copy = malloc(count * bytes + 1);
    if (!copy) {
        r->broken = r->out_of_memory = true;
        return NULL;
    }
    memcpy(copy, r->at, count * bytes);
    copy[count * bytes] = 0;
    r->at += count * bytes;
    return copy;
}

static char *get_text(reader *r)
{
    return get_items(r, get(r), 1);
}

static void get_counts(reader *r, sl_counts *counts)
{
    memset(counts, 0, sizeof *counts);
    for (int i = 0; i < SL_COUNTER_WORDS; i++)
        counts->known.word[i] = get(r);
    if (SL_COUNTERS % 64 && counts->known.word[SL_COUNTER_WORDS - 1] >> SL_COUNTERS % 64)
        r->broken = true;
    for (unsigned i = 0; i < SL_COUNTERS && !r->broken; i++)
        if (sl_counts_has(counts, (sl_counter)i))
            counts->value[i] = get(r);
}

static void free_kernel(sl_trace_kernel *k)
{
    free((void *)(uintptr_t)k->symbol);
    free((void *)(uintptr_t)k->name);
    free((void *)(uintptr_t)k->inst);
    free((void *)(uintptr_t)k->bb);
    free((void *)(uintptr_t)k->mem_inst);
    free((void *)(uintptr_t)k->strings);
    free((void *)(uintptr_t)k->call);
}

static void read_kernel(reader *r)
{
    sl_trace_kernel k = {0};
    k.symbol = get_text(r);
    k.name = get_text(r);
    KERNEL_NUMBERS(GET, (&k))
    k.inst = get_items(r, k.insts, sizeof *k.inst);
    k.bb = get_items(r, k.bbs, sizeof *k.bb);
    k.mem_inst = get_items(r, k.mem_slots, sizeof *k.mem_inst);
    k.call = get_items(r, k.calls, sizeof *k.call);
    k.strings = get_items(r, k.strings_bytes, 1);
    for (uint32_t i = 0; !r->broken && i < k.mem_slots; i++)
        r->broken = k.mem_inst[i] >= k.insts;
    for (uint32_t i = 0; !r->broken && i < k.insts; i++) {
        const sl_inst *inst = &k.inst[i];
        r->broken = inst->opcode > k.strings_bytes || inst->source_file > k.strings_bytes ||
                    inst->array > k.strings_bytes || inst->inlined > k.calls;
    }
    for (uint32_t i = 0; !r->broken && i < k.calls; i++)
        r->broken = k.call[i].source_file > k.strings_bytes || k.call[i].caller > i;
    if (r->broken || !sl_array_push(&r->kernels, k)) {
        r->out_of_memory |= !r->broken;
        r->broken = true;
        free_kernel(&k);
    }
}

static void free_arrays(reader *r)
{
    for (size_t i = 0; i < r->arrays.count; i++)
        free((void *)(uintptr_t)r->arrays.items[i].name), free((void *)(uintptr_t)r->arrays.items[i].allocation);
    r->arrays.count = 0;
}

static void read_launch_counts(reader *r)
{
    memset(&r->counts, 0, sizeof r->counts);
    get_counts(r, &r->counts.total);
    r->counts.blocks = get(r);
    uint64_t slots = get(r);
    r->slots.count = 0;
    for (uint64_t i = 0; i < slots && !r->broken; i++) {
        sl_counts slot;
        get_counts(r, &slot);
        if (!sl_array_push(&r->slots, slot))
            r->broken = r->out_of_memory = true;
    }
    uint64_t arrays = get(r);
    free_arrays(r);
    for (uint64_t i = 0; i < arrays && !r->broken; i++) {
        sl_array_footprint array = {.name = get_text(r)};
        array.bytes = get(r);
        array.allocation = get_text(r);
        array.allocation_bytes = get(r);
        if (!sl_array_push(&r->arrays, array)) {
            r->broken = r->out_of_memory = true;
            free((void *)(uintptr_t)array.name);
            free((void *)(uintptr_t)array.allocation);
        }
    }
    r->counts.slots = (uint32_t)r->slots.count;
    r->counts.slot = r->slots.items;
    r->counts.arrays = r->arrays.count;
    r->counts.array = r->arrays.items;
}

static void free_texts(reader *r)
{
    free(r->failure);
    for (int i = 0; i < SL_LABELS; i++)
        free(r->label[i]);
}

static void read_launch(reader *r)
{
    sl_trace_launch *l = &r->launch;
    memset(l, 0, sizeof *l);
    r->result = (sl_launch_result){.index = get(r), .launch = l, .stats = &r->stats};
    GET(l->kernel)
    LAUNCH_NUMBERS(GET, l, (&r->stats))
    free_texts(r);
    l->failure = r->failure = get_text(r);
    for (int i = 0; i < SL_LABELS; i++)
        l->label[i] = r->label[i] = get_text(r);
    r->result.trace_bytes = get(r);
    if (get(r)) {
        read_launch_counts(r);
        r->result.counts = &r->counts;
    }
    r->broken = r->broken || l->kernel >= r->kernels.count || (l->lanes != 32 && l->lanes != 64);
    if (!r->broken && r->result.counts)
        r->broken = r->counts.slots != r->kernels.items[l->kernel].mem_slots;
    if (!r->broken)
        r->result.kernel = &r->kernels.items[l->kernel];
}

sl_status sl_results_parse(const void *data, size_t bytes, sl_results_visit *visit, void *context,
                           sl_results_summary *summary, sl_error *error)
{
    const uint8_t *at = data, *end = at + bytes;
    reader r = {0};
    sl_status status = SL_OK;
    *summary = (sl_results_summary){0};
    if (!bytes)
        return sl_fail(error, SL_IO, "the results of the program could not be written");
    if (bytes < MAGIC_BYTES || memcmp(at, MAGIC, MAGIC_BYTES) != 0)
        return sl_fail(error, SL_CORRUPT, "not a results file of this version");
    for (at += MAGIC_BYTES; !status && !r.broken && (size_t)(end - at) >= RECORD_HEADER;) {
        uint32_t length;
        uint8_t tag = at[0];
        memcpy(&length, at + 1, sizeof length);
        at += RECORD_HEADER;
        if (length > (size_t)(end - at))
            break; /* the process died while it wrote this */
        r.at = at;
        r.end = at += length;
        if (tag == 'K') {
            read_kernel(&r);
        } else if (tag == 'L') {
            read_launch(&r);
            if (!r.broken)
                status = visit(context, &r.result, error);
        } else if (tag == 'T') {
            summary->spent.calls_ns = get(&r);
            summary->spent.emulation_ns = get(&r);
            summary->spent.writing_ns = get(&r);
        } else if (tag == 'F')
            summary->finished = true;
        else if (tag == 'P')
            summary->pid = (uint32_t)get_up_to(&r, UINT32_MAX);
        else
            r.broken = true;
    }
    if (!status && r.broken)
        status = r.out_of_memory ? sl_fail_memory(error) : sl_fail(error, SL_CORRUPT, "a results file is damaged");
    free_texts(&r);
    for (size_t i = 0; i < r.kernels.count; i++)
        free_kernel(&r.kernels.items[i]);
    free_arrays(&r);
    sl_array_free(&r.kernels);
    sl_array_free(&r.slots);
    sl_array_free(&r.arrays);
    return status;
}

sl_status sl_results_read(const char *folder, uint32_t number, sl_results_visit *visit, void *context,
                          sl_results_summary *summary, sl_error *error)
{
    char path[1200], *data = NULL;
    size_t bytes = 0;
    if (access(sl_results_path(folder, number, path, sizeof path), F_OK) && errno == ENOENT)
        return sl_fail(error, SL_NOT_FOUND, "%s does not exist", path);
    sl_status status = sl_file_read_max(path, SIZE_MAX, &data, &bytes, error); /* it grows with the launches */
    if (!status)
        status = sl_results_parse(data, bytes, visit, context, summary, error);
    free(data);
    return status;
}

/* ---- problems and notes: one line each, of all processes ---- */

static bool append_line(const char *folder, const char *name, const char *text)
{
    char path[1200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int to = *folder ? sl_scratch_file(path, SL_SCRATCH_APPEND) : -1;
    FILE *file = to < 0 ? NULL : fdopen(to, "a");
    if (!file) {
        if (to >= 0)
            close(to);
        return false;
    }
    fprintf(file, "%s\n", text);
    return fclose(file) == 0;
}

static char *read_lines(const char *folder, const char *name)
{
    char path[1200], *data = NULL;
    size_t bytes;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return sl_file_read(path, &data, &bytes, NULL) ? NULL : data;
}

void sl_results_problem(const char *folder, const char *text)
{
    append_line(folder, "problems", text);
}

uint64_t sl_results_problems(const char *folder)
{
    char *lines = read_lines(folder, "problems");
    uint64_t count = 0;
    for (const char *c = lines; c && *c; c++)
        count += *c == '\n';
    free(lines);
    return count;
}

bool sl_results_note(const char *folder, const char *text)
{
    return append_line(folder, "notes", text);
}

static void copy_lines(const char *folder, const char *name, char *text, size_t size)
{
    char *lines = read_lines(folder, name);
    size_t length = lines ? strlen(lines) : 0;
    if (length && lines[length - 1] == '\n')
        lines[length - 1] = 0;
    snprintf(text, size, "%s", lines ? lines : "");
    free(lines);
}

void sl_results_notes(const char *folder, char *text, size_t size)
{
    copy_lines(folder, "notes", text, size);
}

void sl_results_unmatched(const char *folder, const char *kernels)
{
    append_line(folder, "unmatched", kernels);
}

void sl_results_all_unmatched(const char *folder, char *text, size_t size)
{
    copy_lines(folder, "unmatched", text, size);
    for (char *c = text; (c = strchr(c, '\n'));)
        *c = ',';
}
