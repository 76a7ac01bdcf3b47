/* SPDX-License-Identifier: MIT */
#include "trace/ncu.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "trace/lines.h"

/* What a column holds; counters follow. */
enum { IGNORED, WORKLOAD, LAUNCH, ID, PROCESS, KERNEL, BLOCK, GRID, METRIC_NAME, METRIC_UNIT, METRIC_VALUE, ROLES };

static const char *const role_names[ROLES] = {
    [WORKLOAD] = "workload",
    [LAUNCH] = "launch",
    [ID] = "ID",
    [PROCESS] = "Process ID",
    [KERNEL] = "Kernel Name",
    [BLOCK] = "Block Size",
    [GRID] = "Grid Size",
    [METRIC_NAME] = "Metric Name",
    [METRIC_UNIT] = "Metric Unit",
    [METRIC_VALUE] = "Metric Value",
};

/* Events of nvprof on GPUs up to Kepler, which count the lines of L1: those that hit and those that miss are all of
 * them. Each adds to up to two counters. */
typedef struct event {
    const char *name;
    size_t counters;
    sl_counter counter[2];
} event;

static const char nvprof_kernel[] = "Kernel";
static const event events[] = {
    {"l1_global_load_hit", 2, {SL_COUNTER_ld_sectors, SL_COUNTER_ld_sector_hits}},
    {"l1_global_load_miss", 2, {SL_COUNTER_ld_sectors, SL_COUNTER_ld_sector_misses}},
    {"gld_request", 1, {SL_COUNTER_ld_requests}},
    {"gst_request", 1, {SL_COUNTER_st_requests}},
};

typedef struct column {
    int role; /* ROLES: a counter */
    sl_counter counter;
    const event *event; /* NULL: none */
    const char *unit;   /* of the row of units; "" where there is none */
} column;

typedef struct reader {
    sl_ncu *ncu;
    sl_lines *lines;
    SL_ARRAY(char *) fields; /* of the current line */
    SL_ARRAY(column) columns;
    int at[ROLES];            /* column of each role; -1: none */
    bool quoted;              /* every row of ncu's begins with a quote; other lines are talk */
    bool units_next;          /* the row that comes may be that of units */
    const char *id, *process; /* of the launch that rows add to; NULL: none */
    SL_ARRAY(sl_ncu_launch) launches;
    bool known; /* some counter has a value */
    sl_error *error;
} reader;

static sl_status bad(const reader *r, const char *format, ...) SL_PRINTF(2, 3);
static sl_status bad(const reader *r, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return sl_fail_at(r->error, SL_SYNTAX, r->ncu->path, sl_lines_number(r->lines), 0, "%s", text);
}

/* ---- lines of CSV ---- */

/* Takes the quotes off a field that begins with one; *end is where it ends. False: it does not. */
static bool unquote(char *field, char **end)
{
    char *to = field, *from = field + 1;
    for (; *from; from++) {
        if (*from == '"' && from[1] != '"')
            break;
        from += *from == '"';
        *to++ = *from;
    }
    if (*from != '"')
        return false;
    *end = from + 1;
    *to = '\0';
    return **end == ',' || !**end;
}

/* Splits a line in place. */
static sl_status split(reader *r, char *line)
{
    r->fields.count = 0;
    for (char *at = line, *end;; at = end + 1) {
        if (*at != '"')
            end = at + strcspn(at, ",");
        else if (!unquote(at, &end))
            return bad(r, "a field begins with a quote that does not end it");
        bool last = !*end;
        *end = '\0';
        if (!sl_array_push(&r->fields, at))
            return sl_fail_memory(r->error);
        if (last)
            return SL_OK;
    }
}

/* ---- values ---- */

/* Digits, with a comma before every three of them or none at all, a fraction, an exponent. */
static bool parse_number(const char *text, double *value)
{
    double number = 0, scale = 1;
    size_t digits = 0, group = 0;
    bool grouped = false;
    for (; isdigit((unsigned char)*text) || (*text == ',' && digits); text++) {
        if (*text == ',') {
            if (grouped ? group != 3 : group > 3)
                return false;
            grouped = true;
            group = 0;
            continue;
        }
        number = number * 10 + (*text - '0');
        digits++;
        group++;
    }
    if (!digits || (grouped && group != 3))
        return false;
    if (*text == '.')
        for (text++; isdigit((unsigned char)*text); text++)
            number += (*text - '0') * (scale /= 10);
    if ((*text == 'e' || *text == 'E') && (text[1] == '+' || text[1] == '-' || isdigit((unsigned char)text[1]))) {
        int sign = *++text == '-' ? -1 : 1, exponent = 0;
        for (text += !isdigit((unsigned char)*text); isdigit((unsigned char)*text) && exponent < 1000; text++)
            exponent = exponent * 10 + (*text - '0');
        number *= pow(10, sign * exponent);
    }
    *value = number;
    return !*text;
}

static bool is_unknown(const char *text)
{
    static const char *const words[] = {"", "n/a", "N/A", "nan", "-nan", "inf", "-"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(text, words[i]))
            return true;
    return false;
}

/* How many units of the counter one `unit` is; 0: not convertible. */
static double unit_scale(sl_counter counter, const char *unit)
{
    static const struct {
        const char *name;
        double ns;
    } times[] = {{"nsecond", 1},   {"ns", 1},   {"usecond", 1e3}, {"us", 1e3},
                 {"msecond", 1e6}, {"ms", 1e6}, {"second", 1e9},  {"s", 1e9}};
    if (!*unit)
        return 1;
    if (counter == SL_COUNTER_time_ns) {
        for (size_t i = 0; i < sizeof times / sizeof *times; i++)
            if (!strcmp(unit, times[i].name))
                return times[i].ns;
        return 0;
    }
    if (strchr(unit, '/') || strchr(unit, '%'))
        return 0;
    bool prefixed = islower((unsigned char)unit[1]);
    return !prefixed ? 1 : *unit == 'K' ? 1e3 : *unit == 'M' ? 1e6 : *unit == 'G' ? 1e9 : 1;
}

static sl_status set_value(reader *r, sl_counts *counts, sl_counter counter, const char *unit, const char *text)
{
    double value, scale = unit_scale(counter, unit);
    const char *metric = sl_counter_infos[counter].metric;
    if (is_unknown(text))
        return SL_OK;
    if (!parse_number(text, &value))
        return bad(r, "'%s' is not a number, as the value of %s", text, metric);
    if (!scale)
        return bad(r, "'%s' is not a unit of %s", unit, metric);
    value = round(value * scale);
    if (value >= 0x1p63)
        return bad(r, "%s is too large, as the value of %s", text, metric);
    sl_counter_set_add(&counts->known, counter);
    counts->value[counter] = (uint64_t)value;
    r->known = true;
    return SL_OK;
}

static sl_status add_event(reader *r, sl_counts *counts, const event *e, const char *text)
{
    double value;
    if (is_unknown(text))
        return SL_OK;
    if (!parse_number(text, &value) || value >= 0x1p53)
        return bad(r, "'%s' is not a number, as the value of %s", text, e->name);
    for (size_t i = 0; i < e->counters; i++) {
        sl_counter_set_add(&counts->known, e->counter[i]);
        counts->value[e->counter[i]] += (uint64_t)round(value);
    }
    r->known = true;
    return SL_OK;
}

/* "(256, 1, 1)" or "(256 1 1)". */
static bool parse_dims(const char *text, uint32_t dims[3])
{
    for (int d = 0; d < 3; d++) {
        text += strspn(text, " (,");
        uint64_t value = 0;
        const char *first = text;
        for (; isdigit((unsigned char)*text) && value <= UINT32_MAX; text++)
            value = value * 10 + (uint64_t)(*text - '0');
        if (text == first || !value || value > UINT32_MAX)
            return false;
        dims[d] = (uint32_t)value;
    }
    text += strspn(text, " )");
    return !*text;
}

/* ---- names ---- */

/* The innermost name in "void ns::name<int, (bool)1>(const float *, int)": what stands before the parameters, without
 * scopes and template arguments. */
static const char *bare_name(const char *shown, size_t *length)
{
    static const char anonymous[] = "(anonymous namespace)", unnamed[] = "<unnamed>";
    const char *name = shown, *end = NULL, *at = shown;
    for (int depth = 0; *at; at++) {
        if (!depth && !strncmp(at, anonymous, sizeof anonymous - 1)) {
            at += sizeof anonymous - 2;
        } else if (!depth && !strncmp(at, unnamed, sizeof unnamed - 1)) {
            at += sizeof unnamed - 2;
        } else if (*at == '<' || *at == '>') {
            if (*at == '<' && !depth && !end)
                end = at;
            depth += *at == '<' ? 1 : depth ? -1 : 0;
        } else if (!depth && *at == '(') {
            break;
        } else if (!depth && (*at == ' ' || *at == ':')) {
            name = at + 1;
            end = NULL;
        }
    }
    *length = (size_t)((end ? end : at) - name);
    return name;
}

/* ---- the heading ---- */

static sl_counter counter_of(const char *metric)
{
    for (int i = 0; i < SL_COUNTERS; i++)
        if (*sl_counter_infos[i].metric && !strcmp(metric, sl_counter_infos[i].metric))
            return (sl_counter)i;
    return SL_COUNTERS;
}

static bool is_heading(const reader *r)
{
    for (size_t i = 0; i < r->fields.count; i++)
        if (!strcmp(r->fields.items[i], role_names[KERNEL]) || !strcmp(r->fields.items[i], nvprof_kernel))
            return true;
    return false;
}

static column column_of(const char *name)
{
    column c = {.counter = counter_of(name), .unit = ""};
    if (c.counter != SL_COUNTERS)
        c.role = ROLES;
    for (int role = IGNORED + 1; role < ROLES; role++)
        if (!strcmp(name, role_names[role]))
            c.role = role;
    if (!strcmp(name, nvprof_kernel))
        c.role = KERNEL;
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        if (!strcmp(name, events[i].name)) {
            c.role = ROLES;
            c.event = &events[i];
        }
    return c;
}

static sl_status check_columns(const reader *r, bool counters)
{
    bool of_metrics = r->at[METRIC_NAME] >= 0;
    if (of_metrics && r->at[METRIC_VALUE] < 0)
        return bad(r, "there is a column 'Metric Name' but no 'Metric Value'");
    if (of_metrics && r->at[ID] < 0)
        return bad(r, "there is no column 'ID', which identifies the launch of a row");
    if ((r->at[WORKLOAD] >= 0) != (r->at[LAUNCH] >= 0))
        return bad(r, "only one of the columns 'workload' and 'launch' is there");
    if (!of_metrics && !counters)
        return bad(r, "no column is a metric that Sluice knows, such as %s",
                   sl_counter_infos[SL_COUNTER_ld_sectors].metric);
    return SL_OK;
}

static sl_status parse_heading(reader *r, bool quoted)
{
    bool counters = false;
    r->columns.count = 0;
    r->quoted = quoted;
    r->units_next = true;
    r->id = r->process = NULL;
    for (int role = 0; role < ROLES; role++)
        r->at[role] = -1;
    for (size_t i = 0; i < r->fields.count; i++) {
        column c = column_of(r->fields.items[i]);
        if (c.role != ROLES && c.role != IGNORED) {
            if (r->at[c.role] >= 0)
                return bad(r, "there are two columns '%s'", r->fields.items[i]);
            r->at[c.role] = (int)i;
        }
        counters |= c.role == ROLES;
        if (!sl_array_push(&r->columns, c))
            return sl_fail_memory(r->error);
    }
    r->ncu->by_workload = r->at[WORKLOAD] >= 0;
    return check_columns(r, counters);
}

/* ---- rows ---- */

static const char *field_of(const reader *r, int role)
{
    return r->at[role] < 0 || (size_t)r->at[role] >= r->fields.count ? "" : r->fields.items[r->at[role]];
}

static const char *keep(reader *r, const char *text)
{
    return sl_arena_strdup(&r->ncu->arena, text);
}

static sl_status begin_launch(reader *r)
{
    sl_ncu_launch launch = {.number = r->launches.count, .line = sl_lines_number(r->lines)};
    const char *grid = field_of(r, GRID), *block = field_of(r, BLOCK);
    if (*grid && !parse_dims(grid, launch.grid))
        return bad(r, "'%s' is not a grid size", grid);
    if (*block && !parse_dims(block, launch.block))
        return bad(r, "'%s' is not a block size", block);
    if (r->at[LAUNCH] >= 0) {
        double number;
        if (!parse_number(field_of(r, LAUNCH), &number) || number != floor(number) || number >= 0x1p53)
            return bad(r, "'%s' is not a launch number", field_of(r, LAUNCH));
        launch.number = (uint64_t)number;
    }
    size_t length;
    const char *name = bare_name(field_of(r, KERNEL), &length);
    launch.kernel = keep(r, field_of(r, KERNEL));
    launch.name = sl_arena_strndup(&r->ncu->arena, name, length);
    launch.workload = keep(r, field_of(r, WORKLOAD));
    r->id = keep(r, field_of(r, ID));
    r->process = keep(r, field_of(r, PROCESS));
    if (!launch.kernel || !launch.name || !launch.workload || !r->id || !r->process ||
        !sl_array_push(&r->launches, launch))
        return sl_fail_memory(r->error);
    return SL_OK;
}

static sl_status parse_units(reader *r)
{
    for (size_t i = 0; i < r->columns.count; i++)
        if (r->columns.items[i].role == ROLES && !(r->columns.items[i].unit = keep(r, r->fields.items[i])))
            return sl_fail_memory(r->error);
    return SL_OK;
}

static sl_status parse_wide(reader *r)
{
    sl_status status = begin_launch(r);
    for (size_t i = 0; i < r->columns.count && !status; i++) {
        const column *c = &r->columns.items[i];
        sl_counts *counts = &r->launches.items[r->launches.count - 1].counts;
        if (c->event)
            status = add_event(r, counts, c->event, r->fields.items[i]);
        else if (c->role == ROLES)
            status = set_value(r, counts, c->counter, c->unit, r->fields.items[i]);
    }
    return status;
}

static sl_status parse_metric(reader *r)
{
    bool same = r->id && !strcmp(r->id, field_of(r, ID)) && !strcmp(r->process, field_of(r, PROCESS));
    sl_status status = same ? SL_OK : begin_launch(r);
    sl_counter counter = counter_of(field_of(r, METRIC_NAME));
    if (status || counter == SL_COUNTERS)
        return status;
    return set_value(r, &r->launches.items[r->launches.count - 1].counts, counter, field_of(r, METRIC_UNIT),
                     field_of(r, METRIC_VALUE));
}

static sl_status parse_row(reader *r)
{
    bool units = r->units_next && !*field_of(r, KERNEL);
    r->units_next = false;
    /* Rows of metrics end before the columns of rules, which ncu has since 2025. */
    bool enough = r->at[METRIC_NAME] >= 0 && (int)r->fields.count > r->at[METRIC_VALUE];
    if (r->fields.count > r->columns.count || (r->fields.count < r->columns.count && !enough))
        return bad(r, "%zu fields, but the heading has %zu", r->fields.count, r->columns.count);
    if (units)
        return parse_units(r);
    if (!*field_of(r, KERNEL))
        return bad(r, "the name of the kernel is empty");
    return r->at[METRIC_NAME] >= 0 ? parse_metric(r) : parse_wide(r);
}

static sl_status parse_line(reader *r, char *line)
{
    bool quoted = *line == '"';
    bool may_be_heading = strstr(line, role_names[KERNEL]) || strstr(line, "\"Kernel\"");
    if (!*line || !strncmp(line, "==", 2) || (!may_be_heading && (!r->columns.count || (r->quoted && !quoted))))
        return SL_OK;
    sl_status status = split(r, line);
    if (status)
        return status == SL_SYNTAX && !r->columns.count ? SL_OK : status;
    if (may_be_heading && is_heading(r))
        return parse_heading(r, quoted);
    return r->columns.count ? parse_row(r) : SL_OK;
}

/* ---- the file ---- */

static sl_status read_lines(reader *r)
{
    char *line;
    sl_status status = sl_lines_next(r->lines, &line, r->error);
    while (!status && line) {
        status = parse_line(r, line);
        if (!status)
            status = sl_lines_next(r->lines, &line, r->error);
    }
    if (status)
        return status;
    const char *lack = !r->columns.count ? "there is no heading with a column 'Kernel Name', as 'ncu --csv' writes it"
                       : !r->launches.count ? "there is no launch below the heading"
                       : !r->known
                           ? "no metric has a value that Sluice knows; 'sluice validate --command' prints how to "
                             "collect them"
                           : NULL;
    return lack ? sl_fail_at(r->error, SL_SYNTAX, r->ncu->path, 0, 0, "%s", lack) : SL_OK;
}

/* Reports of Nsight Compute itself are protocol buffers of a format that is not published. */
static sl_status refuse_report(const char *path, sl_error *error)
{
    char head[4] = "";
    size_t length = strlen(path);
    FILE *file = fopen(path, "rb");
    bool report = length > 8 && !strcmp(path + length - 8, ".ncu-rep");
    report |= file && fread(head, 1, sizeof head, file) == sizeof head && !memcmp(head, "NVR", 4);
    if (file)
        fclose(file);
    return file && report ? sl_fail_at(error, SL_SYNTAX, path, 0, 0,
                                       "this is a report of Nsight Compute; convert it with 'ncu --import %s --csv "
                                       "--page raw --print-units base >%s.csv' and give %s.csv",
                                       path, path, path)
                          : SL_OK;
}

sl_status sl_ncu_read(const char *path, sl_ncu *ncu, sl_error *error)
{
    if (refuse_report(path, error))
        return SL_SYNTAX;
    *ncu = (sl_ncu){0};
    sl_arena_init(&ncu->arena);
    reader r = {.ncu = ncu, .error = error};
    ncu->path = sl_arena_strdup(&ncu->arena, path);
    sl_status status = ncu->path ? sl_lines_open(path, &r.lines, error) : sl_fail_memory(error);
    if (!status)
        status = read_lines(&r);
    if (!status) {
        ncu->launch = sl_arena_array(&ncu->arena, sl_ncu_launch, r.launches.count);
        ncu->launches = r.launches.count;
        if (ncu->launch)
            memcpy(ncu->launch, r.launches.items, r.launches.count * sizeof *ncu->launch);
        else
            status = sl_fail_memory(error);
    }
    sl_lines_close(r.lines);
    sl_array_free(&r.fields);
    sl_array_free(&r.columns);
    sl_array_free(&r.launches);
    if (status)
        sl_ncu_fini(ncu);
    return status;
}

sl_status sl_ncu_workloads(const sl_ncu *ncu, const char ***names, size_t *count, sl_error *error)
{
    *count = 0;
    *names = malloc(ncu->launches * sizeof **names);
    if (!*names)
        return sl_fail_memory(error);
    for (size_t i = 0; i < ncu->launches; i++) {
        bool known = false;
        for (size_t k = *count; k-- > 0 && !known;)
            known = !strcmp((*names)[k], ncu->launch[i].workload);
        if (!known)
            (*names)[(*count)++] = ncu->launch[i].workload;
    }
    return SL_OK;
}

void sl_ncu_fini(sl_ncu *ncu)
{
    sl_arena_fini(&ncu->arena);
    *ncu = (sl_ncu){0};
}

/* ---- whose counters they are ---- */

static bool names_kernel(const sl_ncu_launch *measured, const sl_trace_kernel *kernel)
{
    return !strcmp(measured->kernel, kernel->symbol) || !strcmp(measured->name, kernel->name);
}

static bool same_dims(const uint32_t measured[3], const uint32_t launched[3])
{
    return !measured[0] || !memcmp(measured, launched, 3 * sizeof *launched);
}

sl_status sl_ncu_belongs(const sl_ncu *ncu, const sl_ncu_launch *measured, const sl_trace_kernel *kernel,
                         const sl_trace_launch *launch, const char *owner, sl_error *error)
{
    const uint32_t *g = measured->grid, *b = measured->block, *grid = launch->grid, *block = launch->block;
    if (!names_kernel(measured, kernel))
        return sl_fail_at(error, SL_MISMATCH, ncu->path, measured->line, 0,
                          "these are counters of the kernel '%s', but launch %" PRIu64 " of %s is of '%s'",
                          measured->kernel, launch->index, owner, kernel->name);
    if (!same_dims(g, grid))
        return sl_fail_at(error, SL_MISMATCH, ncu->path, measured->line, 0,
                          "these are counters of %s with a grid of %ux%ux%u, but launch %" PRIu64
                          " of %s has one of %ux%ux%u",
                          kernel->name, g[0], g[1], g[2], launch->index, owner, grid[0], grid[1], grid[2]);
    if (!same_dims(b, block))
        return sl_fail_at(error, SL_MISMATCH, ncu->path, measured->line, 0,
                          "these are counters of %s with blocks of %ux%ux%u, but launch %" PRIu64
                          " of %s has blocks of %ux%ux%u",
                          kernel->name, b[0], b[1], b[2], launch->index, owner, block[0], block[1], block[2]);
    return SL_OK;
}
