/* SPDX-License-Identifier: MIT */
#include "report/document.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/table_cells.h"

/* A part of a document: lines of text, a member of JSON, or a table. */
typedef struct part {
    const char *name; /* of a member */
    const char *text; /* of lines, or the title of a table */
    size_t bytes;
    sl_table *table; /* NULL: none */
    sl_prose *write; /* NULL: none */
    const void *of;  /* of `write` */
    sl_cell value;   /* of a member that is no table */
    unsigned forms;
    bool opens, closes; /* an object of JSON */
} part;

struct sl_document {
    sl_arena arena;
    sl_report_info info;
    SL_ARRAY(part) parts;
    unsigned forms; /* that are wanted */
    bool verbatim, failed;
};

sl_document *sl_document_create(const sl_report_info *info, unsigned forms)
{
    sl_document *d = calloc(1, sizeof *d);
    if (!d)
        return NULL;
    sl_arena_init(&d->arena);
    d->info = *info;
    d->forms = forms;
    return d;
}

void sl_document_destroy(sl_document *d)
{
    if (!d)
        return;
    for (size_t i = 0; i < d->parts.count; i++)
        sl_table_destroy(d->parts.items[i].table);
    sl_array_free(&d->parts);
    sl_arena_fini(&d->arena);
    free(d);
}

void sl_document_is_verbatim(sl_document *d)
{
    if (d)
        d->verbatim = true;
}

bool sl_document_verbatim(const sl_document *d)
{
    return d && d->verbatim;
}

/* ---- parts ---- */

static bool add(sl_document *d, part p)
{
    if (d && (p.forms & d->forms) && !sl_array_push(&d->parts, p))
        d->failed = true;
    return d && !d->failed;
}

void sl_document_text(sl_document *d, const char *text, size_t bytes)
{
    char *copy = d ? sl_arena_array(&d->arena, char, bytes + 1) : NULL;
    if (copy)
        memcpy(copy, text, bytes);
    else if (d)
        d->failed = true;
    if (copy)
        add(d, (part){.text = copy, .bytes = bytes, .forms = SL_FORM_TEXT});
}

void sl_document_line(sl_document *d, const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    int bytes = vasprintf(&text, format, args);
    va_end(args);
    if (bytes >= 0)
        sl_document_text(d, text, (size_t)bytes);
    else if (d)
        d->failed = true;
    free(bytes >= 0 ? text : NULL);
}

void sl_document_prose(sl_document *d, sl_prose *write, const void *of)
{
    add(d, (part){.write = write, .of = of, .forms = SL_FORM_TEXT});
}

static void add_value(sl_document *d, const char *key, sl_cell value)
{
    add(d, (part){.name = key, .value = value, .forms = SL_FORM_JSON});
}

void sl_document_count(sl_document *d, const char *key, uint64_t value)
{
    add_value(d, key, (sl_cell){.kind = SL_CELL_COUNT, .count = value});
}

void sl_document_number(sl_document *d, const char *key, double value)
{
    add_value(d, key, (sl_cell){.kind = SL_CELL_NUMBER, .number = value});
}

void sl_document_string(sl_document *d, const char *key, const char *value)
{
    const char *copy = d && value ? sl_arena_strdup(&d->arena, value) : NULL;
    if (d && value && !copy)
        d->failed = true;
    add_value(d, key, (sl_cell){.kind = copy ? SL_CELL_TEXT : SL_CELL_NONE, .text = copy});
}

void sl_document_counts(sl_document *d, const char *key, const struct sl_counts *counts)
{
    add_value(d, key, (sl_cell){.kind = SL_CELL_COUNTS, .of = counts});
}

void sl_document_json(sl_document *d, const char *key, sl_json_writer *write, const void *of)
{
    add_value(d, key, (sl_cell){.kind = SL_CELL_JSON, .of = of, .write = write});
}

void sl_document_open(sl_document *d, const char *key)
{
    add(d, (part){.name = key, .opens = true, .forms = SL_FORM_JSON});
}

void sl_document_close(sl_document *d)
{
    add(d, (part){.closes = true, .forms = SL_FORM_JSON});
}

sl_table *sl_document_add(sl_document *d, const char *name, const char *title, unsigned forms, sl_table *table)
{
    if (d && !(forms & d->forms)) {
        sl_table_destroy(table);
        return NULL;
    }
    const char *copy = d && title ? sl_arena_strdup(&d->arena, title) : NULL;
    if (d && (!table || (title && !copy)))
        d->failed = true;
    if (table)
        table->forms = forms;
    if (!d || d->failed || !add(d, (part){.name = name, .text = copy, .table = table, .forms = forms})) {
        sl_table_destroy(table);
        return NULL;
    }
    return table;
}

sl_table *sl_document_table(sl_document *d, const char *name, const char *title, unsigned forms,
                            const sl_column *columns, size_t count)
{
    return d && (forms & d->forms) ? sl_document_add(d, name, title, forms, sl_table_create(columns, count)) : NULL;
}

const sl_report_info *sl_document_info(const sl_document *d)
{
    return &d->info;
}

void *sl_document_alloc(sl_document *d, size_t bytes)
{
    void *memory = d ? sl_arena_array(&d->arena, char, bytes) : NULL;
    if (!memory)
        sl_document_fail(d);
    return memory;
}

void sl_document_fail(sl_document *d)
{
    if (d)
        d->failed = true;
}

/* ---- the head ---- */

static void json_trace(sl_json *j, const sl_report_trace *trace)
{
    sl_json_object_member(j, "trace", false);
    sl_json_string_member(j, "file", trace->path);
    sl_json_string_member(j, "format", trace->format);
    if (trace->bytes)
        sl_json_u64_member(j, "bytes", trace->bytes);
    if (trace->producer)
        sl_json_string_member(j, "producer", trace->producer);
    if (trace->damage)
        sl_json_string_member(j, "damage", trace->damage);
    sl_json_close(j, '}');
}

/* Members of the outermost object: tool, schema, version, command, machine, options, seed, trace. */
static void report_head_json(sl_json *j, const sl_report_info *info)
{
    sl_json_string_member(j, "tool", "sluice");
    sl_json_u64_member(j, "schema", SL_JSON_SCHEMA);
    sl_json_string_member(j, "version", SLUICE_VERSION);
    sl_json_string_member(j, "command", info->command);
    if (info->machine)
        sl_json_string_member(j, "machine", info->machine);
    sl_json_object_member(j, "options", false);
    for (size_t i = 0; i < info->options; i++)
        sl_json_string_member(j, info->option[i].name, info->option[i].value);
    sl_json_close(j, '}');
    if (info->seed)
        sl_json_u64_member(j, "seed", *info->seed);
    if (info->trace)
        json_trace(j, info->trace);
}

/* ---- writers ---- */

bool sl_document_has(const sl_document *d, unsigned form)
{
    bool any = form == SL_FORM_JSON;
    form = form == SL_FORM_MARKDOWN ? SL_FORM_TEXT : form;
    for (size_t i = 0; d && i < d->parts.count; i++)
        any |= (d->parts.items[i].forms & form) != 0;
    return any;
}

static bool has_failed(const sl_document *d)
{
    bool failed = !d || d->failed;
    for (size_t i = 0; !failed && i < d->parts.count; i++)
        failed = d->parts.items[i].table && sl_table_failed(d->parts.items[i].table);
    return failed;
}

static sl_status write_text(const sl_document *d, FILE *file, size_t width, sl_error *error)
{
    sl_status status = SL_OK;
    if (d->info.heading) {
        sl_text_wrap(file, d->info.heading, 0, 2, width ? width : SIZE_MAX);
        fputs("\n\n", file);
    }
    for (size_t i = 0; i < d->parts.count && !status; i++) {
        const part *p = &d->parts.items[i];
        if (!(p->forms & SL_FORM_TEXT))
            continue;
        if (p->write) {
            p->write(file, p->of, width);
            continue;
        }
        if (!p->table) {
            fwrite(p->text, 1, p->bytes, file);
            continue;
        }
        if (!sl_table_rows(p->table))
            continue;
        if (p->text)
            fprintf(file, "\n%s%s", p->text, *p->text ? "\n" : "");
        status = sl_table_print(p->table, file, width, error);
    }
    return status;
}

/* Prose is laid out for a terminal first. */
static sl_status markdown_prose(const part *p, FILE *file, sl_error *error)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *memory = open_memstream(&text, &bytes);
    if (memory)
        p->write(memory, p->of, SIZE_MAX);
    if (!memory || fclose(memory) || !text) {
        free(text);
        return sl_fail_memory(error);
    }
    sl_markdown(file, text, bytes);
    free(text);
    return SL_OK;
}

static sl_status write_markdown(const sl_document *d, FILE *file, sl_error *error)
{
    sl_status status = SL_OK;
    if (d->info.heading) {
        sl_markdown(file, d->info.heading, strlen(d->info.heading));
        fputs("\n\n", file);
    }
    for (size_t i = 0; i < d->parts.count && !status; i++) {
        const part *p = &d->parts.items[i];
        if (!(p->forms & SL_FORM_TEXT) || (p->table && !sl_table_rows(p->table)))
            continue;
        if (p->write) {
            status = markdown_prose(p, file, error);
        } else if (!p->table) {
            sl_markdown(file, p->text, p->bytes);
        } else {
            fputs("\n", file);
            if (p->text && *p->text) {
                fputs("**", file);
                sl_markdown(file, p->text, strlen(p->text));
                fputs("**\n\n", file);
            }
            status = sl_table_markdown(p->table, file, error);
            fputs("\n", file);
        }
    }
    return status ? status : sl_text_finish(file, "the Markdown", error);
}

static sl_status write_json(const sl_document *d, FILE *file, sl_error *error)
{
    sl_json j;
    sl_json_start(&j, file);
    sl_json_object(&j, true);
    report_head_json(&j, &d->info);
    for (size_t i = 0; i < d->parts.count; i++) {
        const part *p = &d->parts.items[i];
        if (p->closes)
            sl_json_close(&j, '}');
        if (!(p->forms & SL_FORM_JSON) || !p->name)
            continue;
        sl_json_key(&j, p->name);
        if (p->opens)
            sl_json_object(&j, true);
        else if (p->table)
            (p->forms & SL_FORM_OBJECT ? sl_table_json_object : sl_table_json)(p->table, &j);
        else
            sl_cell_json(&p->value, &j);
    }
    sl_json_close(&j, '}');
    return sl_json_finish(&j, error);
}

static sl_status write_csv(const sl_document *d, unsigned form, FILE *file, sl_error *error)
{
    sl_status status = SL_OK;
    for (size_t i = 0; i < d->parts.count && !status; i++)
        if (d->parts.items[i].table && (d->parts.items[i].forms & form))
            status = sl_table_csv(d->parts.items[i].table, form, file, error);
    return status ? status : sl_text_finish(file, "the CSV", error);
}

sl_status sl_document_write(const sl_document *d, unsigned form, FILE *file, size_t width, sl_error *error)
{
    if (has_failed(d))
        return sl_fail_memory(error);
    if (form == SL_FORM_TEXT)
        return write_text(d, file, width, error);
    if (form == SL_FORM_MARKDOWN)
        return write_markdown(d, file, error);
    return form == SL_FORM_JSON ? write_json(d, file, error) : write_csv(d, form, file, error);
}
