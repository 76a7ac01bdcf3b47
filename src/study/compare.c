/* SPDX-License-Identifier: MIT */
/* Matches what is in two results, or in reports of them. */
#include "study/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"
#include "base/map.h"
#include "base/suggest.h"
#include "base/text.h"

/* ---- rows ---- */

/* What was added so far, to find it again. */
typedef struct known_rows {
    sl_map kernels; /* symbol -> position + 1 */
    sl_index loads;
} known_rows;

typedef struct reader {
    sl_comparison *c;
    known_rows *known; /* of both sides */
    int side;
    const char *name;
    const char *by; /* label that launches are grouped by; NULL: none */
    bool failed;    /* memory ran out */
} reader;

/* The kernel of that symbol, which is added where it is missing; SIZE_MAX when memory runs out. */
static size_t kernel_of(reader *r, const char *symbol, const char *name)
{
    size_t at = (size_t)(uintptr_t)sl_map_get(&r->known->kernels, symbol, strlen(symbol));
    if (at)
        return at - 1;
    sl_compared_kernel k = {.symbol = symbol, .name = name};
    if (sl_array_push(&r->c->kernels, k) &&
        sl_map_put(&r->known->kernels, symbol, strlen(symbol), (void *)(uintptr_t)r->c->kernels.count))
        return r->c->kernels.count - 1;
    r->failed = true;
    return SIZE_MAX;
}

static uint64_t load_key(const void *items, uint32_t item)
{
    const sl_compared_load *l = (const sl_compared_load *)items + item;
    uint64_t key = sl_hash_mix(l->kernel) ^ sl_hash64(l->source, strlen(l->source));
    key = sl_hash_mix(key) ^ sl_hash64(l->opcode, strlen(l->opcode));
    return sl_hash_mix(key) ^ sl_hash64(l->array, strlen(l->array));
}

/* The position of a load, which is added where it is missing; SIZE_MAX when memory runs out. */
static size_t load_at(reader *r, const sl_compared_load *load)
{
    uint64_t key = load_key(load, 0);
    sl_index_for(&r->known->loads, key, at)
    {
        const sl_compared_load *l = &r->c->loads.items[sl_index_item(&r->known->loads, at)];
        if (l->kernel == load->kernel && !strcmp(l->source, load->source) && !strcmp(l->opcode, load->opcode) &&
            !strcmp(l->array, load->array))
            return sl_index_item(&r->known->loads, at);
    }
    size_t count = r->c->loads.count;
    bool added = sl_array_push(&r->c->loads, *load) &&
                 sl_index_add(&r->known->loads, key, (uint32_t)count, load_key, r->c->loads.items);
    return added ? count : SIZE_MAX;
}

static void add_load(reader *r, sl_compared_load load, const sl_counts *counts)
{
    size_t at = load_at(r, &load);
    if (at == SIZE_MAX) {
        r->failed = true;
        return;
    }
    sl_compared_load *to = &r->c->loads.items[at];
    if (!to->array_text || (!*to->allocation && *load.allocation)) {
        to->allocation = load.allocation;
        to->array_text =
            *to->allocation ? sl_arena_printf(&r->c->arena, "%s (%s)", to->array, to->allocation) : to->array;
        r->failed |= !to->array_text;
    }
    to->of.there[r->side] = true;
    sl_counts_merge(&to->of.counts[r->side], counts);
}

/* Adds launches of a kernel; its position, or SIZE_MAX when memory runs out. */
static size_t add_launches(reader *r, const char *symbol, const char *name, uint64_t launches, const sl_counts *counts)
{
    size_t k = kernel_of(r, symbol, name);
    sl_compared_sides *of[] = {&r->c->total, k == SIZE_MAX ? NULL : &r->c->kernels.items[k].of};
    for (int i = 0; i < 2 && k != SIZE_MAX; i++) {
        of[i]->there[r->side] = true;
        of[i]->launches[r->side] += launches;
        sl_counts_merge(&of[i]->counts[r->side], counts);
    }
    return k;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* ---- results ---- */

static const char *location_named(reader *r, const sl_inst_name *inst)
{
    const char *text = inst->source_line && *inst->source_file
                           ? sl_arena_printf(&r->c->arena, "%s:%u", base_name(inst->source_file), inst->source_line)
                       : inst->ptx_line ? sl_arena_printf(&r->c->arena, "PTX line %u", inst->ptx_line)
                                        : sl_arena_printf(&r->c->arena, "pc %u", inst->pc);
    r->failed |= !text;
    return text ? text : "";
}

static sl_status add_joined(reader *r, const sl_joined *joined, sl_error *error)
{
    for (size_t i = 0; i < joined->kernels.count && !r->failed; i++) {
        const sl_joined_kernel *k = &joined->kernels.items[i];
        size_t at = add_launches(r, k->symbol, *k->name ? k->name : k->symbol, k->launches, &k->counts);
        for (uint32_t l = 0; l < k->loads && !r->failed; l++) {
            const sl_inst_name *inst = &k->load[l].inst;
            const sl_compared_load load = {.kernel = at,
                                           .source = location_named(r, inst),
                                           .opcode = inst->opcode,
                                           .array = inst->array,
                                           .allocation = inst->allocation ? inst->allocation : ""};
            add_load(r, load, &k->load[l].counts);
        }
    }
    return r->failed ? sl_fail_memory(error) : SL_OK;
}

/* ---- reports ---- */

static const char *text_of(const sl_json_value *object, const char *key)
{
    const sl_json_value *v = sl_json_member(object, key);
    return v && v->kind == SL_JSON_STRING ? v->text : "";
}

static sl_counts counts_of(const sl_json_value *object)
{
    const sl_json_value *counters = sl_json_member(object, "counters");
    sl_counts counts = {0};
    for (uint32_t i = 0; counters && counters->kind == SL_JSON_OBJECT && i < counters->count; i++) {
        sl_counter counter = sl_counter_find(counters->key[i]);
        double value = counters->value[i]->number;
        uint64_t word;
        if (counters->value[i]->kind == SL_JSON_STRING && sl_counter_of_word(counter, counters->value[i]->text, &word))
            sl_counts_add(&counts, counter, word);
        if (counter < SL_COUNTERS && counters->value[i]->kind == SL_JSON_NUMBER && value >= 0 && value < 0x1p63)
            sl_counts_add(&counts, counter, (uint64_t)value);
    }
    return counts;
}

static const char *location_of(reader *r, const sl_json_value *load)
{
    const sl_json_value *line = sl_json_member(load, "line"), *pc = sl_json_member(load, "pc");
    const char *source = text_of(load, "source"), *text = NULL;
    if (*source)
        return base_name(source);
    if (line && line->kind == SL_JSON_NUMBER)
        text = sl_arena_printf(&r->c->arena, "PTX line %.0f", line->number);
    else
        text = sl_arena_printf(&r->c->arena, "pc %.0f", pc && pc->kind == SL_JSON_NUMBER ? pc->number : 0);
    r->failed |= !text;
    return text ? text : "";
}

static void add_loads(reader *r, size_t kernel, const sl_json_value *object, const char *key)
{
    const sl_json_value *list = sl_json_member(object, key);
    for (uint32_t i = 0; list && list->kind == SL_JSON_ARRAY && i < list->count && !r->failed; i++) {
        const sl_json_value *of = list->value[i];
        const sl_counts counts = counts_of(of);
        const sl_compared_load load = {.kernel = kernel,
                                       .source = location_of(r, of),
                                       .opcode = text_of(of, "opcode"),
                                       .array = text_of(of, "array"),
                                       .allocation = text_of(of, "allocation")};
        add_load(r, load, &counts);
    }
}

/* An element of "launches", or of "kernels" of a page. */
static void add_object(reader *r, const sl_json_value *object)
{
    const char *symbol = text_of(object, "kernel"), *name = text_of(object, "name");
    const sl_json_value *many = sl_json_member(object, "launches");
    bool counted = many && many->kind == SL_JSON_NUMBER && many->number >= 0 && many->number < 0x1p63;
    const sl_counts counts = counts_of(object);
    const char *group = r->by ? text_of(object, r->by) : "";
    if (*group) {
        symbol = sl_arena_printf(&r->c->arena, "%s: %s", group, symbol);
        name = sl_arena_printf(&r->c->arena, "%s: %s", group, name);
        r->failed |= !symbol || !name;
        if (r->failed)
            return;
    }
    size_t k = add_launches(r, symbol, *name ? name : symbol, counted ? (uint64_t)many->number : 1, &counts);
    if (k == SIZE_MAX)
        return;
    add_loads(r, k, object, "loads");
    add_loads(r, k, object, "stores");
}

static sl_status read_side(reader *r, const char *text, size_t bytes, sl_error *error)
{
    sl_json_value *root;
    sl_status status = sl_json_parse(text, bytes, r->name, &r->c->arena, &root, error);
    if (status)
        return status;
    const sl_json_value *list = sl_json_member(root, "kernels"); /* of a page: they have loads */
    if (!list)
        list = sl_json_member(root, "launches");
    if (!list || list->kind != SL_JSON_ARRAY)
        return sl_fail(error, SL_INVALID, "%s is not a report of run, model, sim, info or report: it has no launches",
                       r->name);
    const char *command = text_of(root, "command"), *machine = text_of(root, "machine");
    if (*machine) {
        const char *label = sl_arena_printf(&r->c->arena, "%s (%s on %s)", r->name, command, machine);
        r->failed |= !label;
        r->c->label[r->side] = label ? label : r->name;
    }
    for (uint32_t i = 0; i < list->count && !r->failed; i++)
        add_object(r, list->value[i]);
    return r->failed ? sl_fail_memory(error) : SL_OK;
}

/* ---- matching ---- */

/* What must be the same of two instructions. Each is tried in turn, for what the one before has left. */
typedef enum likeness {
    BY_SOURCE, /* all: of kernels that were matched although their names differ */
    BY_OPCODE, /* opcode and array, in order */
    BY_ARRAY,  /* more loosely, that both are loads or both stores of the array */
} likeness;

static size_t opcode_length(const sl_compared_load *l, likeness by)
{
    return by == BY_ARRAY ? strcspn(l->opcode, ".") : strlen(l->opcode);
}

/* Whether two instructions may be the same. */
static bool alike(const sl_compared_load *a, const sl_compared_load *b, likeness by)
{
    size_t length = opcode_length(a, by);
    return a->kernel == b->kernel && !strcmp(a->array, b->array) && length == opcode_length(b, by) &&
           !memcmp(a->opcode, b->opcode, length) && (by != BY_SOURCE || !strcmp(a->source, b->source));
}

static uint64_t alike_key(const sl_compared_load *l, likeness by)
{
    uint64_t key = sl_hash_mix(l->kernel) ^ sl_hash64(l->array, strlen(l->array));
    key = by == BY_SOURCE ? sl_hash_mix(key) ^ sl_hash64(l->source, strlen(l->source)) : key;
    return sl_hash_mix(key) ^ sl_hash64(l->opcode, opcode_length(l, by));
}

/* Loads of the first side alone that are alike, in order. */
typedef struct queue {
    uint64_t key;
    uint32_t of, head, last; /* positions of loads; `of` is any of them */
} queue;

typedef struct matching {
    sl_comparison *c;
    likeness by;
    SL_ARRAY(queue) queues;
    sl_index index;
    uint32_t *next; /* [loads]: the next of its queue; UINT32_MAX: none */
} matching;

static uint64_t queue_key(const void *items, uint32_t item)
{
    return ((const queue *)items)[item].key;
}

static queue *find_queue(const matching *m, const sl_compared_load *load, uint64_t key)
{
    sl_index_for(&m->index, key, at)
    {
        queue *q = &m->queues.items[sl_index_item(&m->index, at)];
        if (q->key == key && alike(&m->c->loads.items[q->of], load, m->by))
            return q;
    }
    return NULL;
}

/* False when memory runs out. */
static bool enqueue(matching *m, uint32_t at)
{
    const sl_compared_load *load = &m->c->loads.items[at];
    uint64_t key = alike_key(load, m->by);
    queue *q = find_queue(m, load, key), added = {key, at, at, at};
    m->next[at] = UINT32_MAX;
    if (!q)
        return sl_array_push(&m->queues, added) &&
               sl_index_add(&m->index, key, (uint32_t)m->queues.count - 1, queue_key, m->queues.items);
    m->next[q->last] = at;
    q->last = at;
    return true;
}

/* Gives what a load has to the first of its queue, if there is one. */
static void match(matching *m, sl_compared_load *b)
{
    queue *q = find_queue(m, b, alike_key(b, m->by));
    if (!q || q->head == UINT32_MAX)
        return;
    sl_compared_load *a = &m->c->loads.items[q->head];
    q->head = m->next[q->head];
    a->of.there[1] = true;
    a->of.counts[1] = b->of.counts[1];
    a->moved = strcmp(a->source, b->source) ? b->source : NULL;
    b->of.there[1] = false; /* gone from here */
}

static bool on_side_alone(const sl_compared_load *l, int side)
{
    return l->of.there[side] && !l->of.there[!side];
}

/* Lines move when code changes: what is on one side alone is matched by opcode and array, in order. False when memory
 * runs out. */
static bool match_moved(sl_comparison *c, likeness by)
{
    matching m = {.c = c, .by = by, .next = calloc(c->loads.count + 1, sizeof *m.next)};
    size_t kept = 0;
    bool good = m.next;
    for (uint32_t i = 0; good && i < c->loads.count; i++)
        if (on_side_alone(&c->loads.items[i], 0) && (by != BY_ARRAY || *c->loads.items[i].array))
            good = enqueue(&m, i);
    for (size_t i = 0; good && i < c->loads.count; i++)
        if (on_side_alone(&c->loads.items[i], 1))
            match(&m, &c->loads.items[i]);
    for (size_t i = 0; i < c->loads.count; i++)
        if (c->loads.items[i].of.there[0] || c->loads.items[i].of.there[1])
            c->loads.items[kept++] = c->loads.items[i];
    c->loads.count = kept;
    sl_array_free(&m.queues);
    sl_index_fini(&m.index);
    free(m.next);
    return good;
}

/* ---- metrics ---- */

bool sl_compared_metric(const sl_compared_sides *of, sl_metric metric, double value[2])
{
    bool known = true;
    for (int side = 0; side < 2; side++)
        known &= sl_counts_metric(metric, &of->counts[side], &value[side]);
    return known;
}

double sl_compared_change(const sl_compared_sides *of, sl_metric metric)
{
    double value[2] = {0, 0};
    for (int side = 0; side < 2; side++)
        if (!of->there[side] || !sl_counts_metric(metric, &of->counts[side], &value[side]))
            value[side] = 0;
    return value[1] - value[0];
}

int sl_compared_better(const sl_compared_sides *of, sl_metric metric)
{
    double v[2];
    if (!of->there[0] || !of->there[1] || !sl_compared_metric(of, metric, v) || v[0] == v[1])
        return 0;
    return v[1] > v[0] ? sl_metric_better(metric) : -sl_metric_better(metric);
}

char *sl_change_text(const sl_compared_sides *of, sl_metric metric, char buffer[SL_METRIC_BYTES])
{
    double v[2];
    char text[SL_HUMAN_BYTES];
    *buffer = 0;
    if (of->there[0] != of->there[1])
        return strcpy(buffer, of->there[1] ? "new" : "gone");
    if (!sl_compared_metric(of, metric, v))
        return buffer;
    double by = sl_metric_is_share(metric) ? v[1] - v[0] : v[0] ? 100 * (v[1] - v[0]) / v[0] : 0;
    if (v[0] == v[1])
        return strcpy(buffer, "same");
    if (!sl_metric_is_share(metric) && v[0] == 0)
        return strcpy(buffer, "from 0");
    snprintf(buffer, SL_METRIC_BYTES, "%s%s%s", by > 0 ? "+" : "", sl_human_ratio(by, 1, text),
             sl_metric_is_share(metric) ? " points" : "%");
    return buffer;
}

/* ---- order ---- */

/* What matters most of what has changed. */
static sl_metric first_changed(const sl_compared_sides *of, const sl_metric *metric, size_t count)
{
    double value[2];
    for (size_t i = 0; i < count; i++)
        if (sl_compared_metric(of, metric[i], value) && value[0] != value[1])
            return metric[i];
    return metric[count - 1];
}

typedef struct weighed {
    double weight;
    size_t at;
} weighed;

static int by_weight(const void *left, const void *right)
{
    const weighed *a = left, *b = right;
    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    return (a->at > b->at) - (a->at < b->at);
}

static bool sort(sl_comparison *c)
{
    size_t most = c->kernels.count > c->loads.count ? c->kernels.count : c->loads.count;
    weighed *w = calloc(most + 1, sizeof *w);
    size_t *to = calloc(c->kernels.count + 1, sizeof *to); /* where a kernel went */
    sl_compared_kernel *kernels = sl_arena_array(&c->arena, sl_compared_kernel, c->kernels.count + 1);
    sl_compared_load *loads = sl_arena_array(&c->arena, sl_compared_load, c->loads.count + 1);
    bool good = w && to && kernels && loads;
    for (size_t i = 0; good && i < c->kernels.count; i++)
        w[i] = (weighed){fabs(sl_compared_change(&c->kernels.items[i].of, c->effect)), i};
    if (good)
        qsort(w, c->kernels.count, sizeof *w, by_weight);
    for (size_t i = 0; good && i < c->kernels.count; i++) {
        kernels[i] = c->kernels.items[w[i].at];
        to[w[i].at] = i;
    }
    for (size_t i = 0; good && i < c->loads.count; i++)
        w[i] = (weighed){fabs(sl_compared_change(&c->loads.items[i].of, c->load_effect)), i};
    if (good)
        qsort(w, c->loads.count, sizeof *w, by_weight);
    for (size_t i = 0; good && i < c->loads.count; i++) {
        loads[i] = c->loads.items[w[i].at];
        loads[i].kernel = to[loads[i].kernel];
    }
    if (good && c->kernels.count)
        memcpy(c->kernels.items, kernels, c->kernels.count * sizeof *kernels);
    if (good && c->loads.count)
        memcpy(c->loads.items, loads, c->loads.count * sizeof *loads);
    free(w);
    free(to);
    return good;
}

static const sl_metric effects[] = {SL_METRIC_cycles, SL_METRIC_time_ns, SL_METRIC_ld_sector_misses, SL_METRIC_sectors,
                                    SL_METRIC_warp_insts};

/* Loads have no cycles; where misses did not change, as with other stores, their sectors are compared. */
static sl_metric effect_of_loads(const sl_comparison *c)
{
    double changed = 0;
    for (size_t i = 0; i < c->loads.count; i++)
        changed += fabs(sl_compared_change(&c->loads.items[i].of, SL_METRIC_ld_sector_misses));
    return changed > 0 ? SL_METRIC_ld_sector_misses : SL_METRIC_sectors;
}

sl_status sl_compare(const sl_compared_side sides[2], const char *group_by, const char *const *match, size_t matches,
                     sl_comparison *c, sl_error *error)
{
    *c = (sl_comparison){0};
    sl_arena_init(&c->arena);
    known_rows rows = {0};
    sl_status status = SL_OK;
    for (int side = 0; side < 2 && !status; side++) {
        reader r = {.c = c, .known = &rows, .side = side, .name = sides[side].name, .by = group_by};
        c->label[side] = sides[side].name;
        status = sides[side].joined ? add_joined(&r, sides[side].joined, error)
                                    : read_side(&r, sides[side].text, sides[side].bytes, error);
    }
    sl_map_fini(&rows.kernels);
    sl_index_fini(&rows.loads);
    if (!status)
        status = sl_compare_match_kernels(c, match, matches, error);
    for (likeness by = BY_SOURCE; by <= BY_ARRAY && !status; by++)
        if (!match_moved(c, by))
            status = sl_fail_memory(error);
    if (status)
        return status;
    c->effect = first_changed(&c->total, effects, sizeof effects / sizeof *effects);
    c->load_effect = effect_of_loads(c);
    return sort(c) && sl_compare_conclude(c) ? SL_OK : sl_fail_memory(error);
}

void sl_comparison_fini(sl_comparison *c)
{
    sl_array_free(&c->kernels);
    sl_array_free(&c->loads);
    sl_arena_fini(&c->arena);
    *c = (sl_comparison){0};
}

/* ---- gates ---- */

static sl_status find_metric(const char *name, size_t length, sl_metric *metric, sl_error *error)
{
    const char *names[SL_METRICS];
    char wrong[64], hint[128];
    for (int i = 0; i < SL_METRICS_OF_REUSE; i++) {
        names[i] = sl_metric_infos[i].name;
        if (strlen(names[i]) == length && !memcmp(names[i], name, length)) {
            *metric = (sl_metric)i;
            return SL_OK;
        }
    }
    snprintf(wrong, sizeof wrong, "%.*s", (int)length, name);
    sl_did_you_mean(wrong, names, SL_METRICS_OF_REUSE, "", hint, sizeof hint);
    return sl_fail(error, SL_INVALID, "unknown counter '%s'%s", wrong, hint);
}

sl_status sl_gate_parse(const char *text, sl_gate *gate, sl_error *error)
{
    *gate = (sl_gate){.text = text};
    const char *at = text + strspn(text, " ");
    size_t length = strcspn(at, " <>=");
    const char *name = at;
    at += length;
    at += strspn(at, " ");
    if (!length || (*at != '<' && *at != '>'))
        return sl_fail(error, SL_INVALID, "'%s': write COUNTER > LIMIT or COUNTER < LIMIT, as 'cycles > +5%%'", text);
    gate->sign = *at++;
    gate->or_equal = *at == '=';
    at += gate->or_equal;
    at += strspn(at, " ");
    gate->change = *at == '+' || *at == '-';
    char *end;
    gate->limit = strtod(at, &end);
    if (end == at || !isfinite(gate->limit))
        return sl_fail(error, SL_INVALID, "'%s': '%s' is not a number", text, at);
    gate->percent = *end == '%';
    gate->change |= gate->percent;
    end += gate->percent;
    if (end[strspn(end, " ")])
        return sl_fail(error, SL_INVALID, "'%s': '%s' after the limit", text, end);
    return find_metric(name, length, &gate->metric, error);
}

sl_status sl_gate_check(const sl_gate *gate, const sl_comparison *c, sl_error *error)
{
    double v[2];
    const char *name = sl_metric_infos[gate->metric].name;
    if (!sl_compared_metric(&c->total, gate->metric, v))
        return sl_fail(error, SL_INVALID, "'%s': %s is not known of both sides", gate->text, name);
    double by = v[1] - v[0];
    if (gate->percent)
        by = v[0] ? 100 * by / v[0] : by > 0 ? INFINITY : 0;
    double value = gate->change ? by : v[1];
    bool fails = gate->sign == '>' ? value > gate->limit : value < gate->limit;
    if (!fails && !(gate->or_equal && value == gate->limit))
        return SL_OK;
    char from[SL_DOUBLE_BYTES], to[SL_DOUBLE_BYTES], changed[SL_METRIC_BYTES];
    return sl_fail(error, SL_FAULT, "%s is %s, and was %s (%s): it fails '%s'", name, sl_double_text(v[1], to),
                   sl_double_text(v[0], from), sl_change_text(&c->total, gate->metric, changed), gate->text);
}

bool sl_comparison_by_kernel(const sl_comparison *c, size_t **first, size_t **load)
{
    /* Two more than there are kernels: counts are shifted by one while loads are placed. */
    size_t *at = calloc(c->kernels.count + 2, sizeof *at), *number = calloc(c->loads.count + 1, sizeof *number);
    *first = at;
    *load = number;
    if (!at || !number) {
        free(at);
        free(number);
        *first = *load = NULL;
        return false;
    }
    for (size_t i = 0; i < c->loads.count; i++)
        at[c->loads.items[i].kernel + 2]++;
    for (size_t k = 2; k < c->kernels.count + 2; k++)
        at[k] += at[k - 1];
    for (size_t i = 0; i < c->loads.count; i++)
        number[at[c->loads.items[i].kernel + 1]++] = i;
    return true;
}

bool sl_compared_differs(const sl_compared_sides *of, sl_metric metric)
{
    double v[2];
    return of->there[0] != of->there[1] || (sl_compared_metric(of, metric, v) && v[0] != v[1]);
}
