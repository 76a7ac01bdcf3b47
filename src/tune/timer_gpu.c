/* SPDX-License-Identifier: MIT */
#include "tune/timer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/base_array.h"
#include "tune/effects.h"
#include "tune/memory_image.h"
#include "tune/ptx_loads.h"
#include "tune/rewrite/ptx.h"

enum {
    ROUNDS = 11,
    MIN_ROUNDS = 5,
    MAX_REPEATS = 32,
    MAX_MODULES = 16,
    BASE_EVERY = 4,          /* choices between two samples of the original */
    SAMPLE_NS = 100 * 1000,  /* a sample is made at least this long */
    SHORT_NS = 4 * 1000,     /* events resolve about half a microsecond */
    FLUSH_BYTES = 256 << 20, /* more than any L2 */
};
static const double BATCH_NS = 3e9; /* rounds are given up when a batch takes longer */

struct sl_gpu_timer {
    sl_timer interface;
    sl_device *device;
    sl_device_kernel *kernel;
    const sl_device_launch *launch;
    const sl_load_graph *graph;
    sl_gpu_timer_options options;
    sl_image image;
    uint64_t *expected; /* [image.parts] hashes of memory after the original */
    bool repeats;       /* the result is the same each time */
    bool restores;      /* memory must be restored: a second run would see the results of the first */
    uint32_t runs;      /* launches per sample */
    sl_residency residency;
    double base_ns;
    uint64_t flush; /* buffer whose filling empties the L2; 0: none */
    sl_device_event *begin, *end;
    sl_pool *pool; /* compiles */
    char name[160];
};

/* Code to run: the original, or a variant in another module. */
typedef struct target {
    sl_device_kernel *kernel;
    const uint64_t *addr; /* of the parts of the image; NULL: the original's */
    sl_device_launch launch;
} target;

static target original_of(const sl_gpu_timer *c)
{
    return (target){.kernel = c->kernel, .launch = *c->launch};
}

/* ---- one sample ---- */

static sl_status run_once(sl_gpu_timer *c, const target *t, sl_error *error)
{
    sl_status status = c->restores ? sl_image_restore(&c->image, t->addr, false, error) : SL_OK;
    return status ? status : sl_device_launch_now(t->kernel, &t->launch, error);
}

/* Nanoseconds of one run. */
static sl_status sample(sl_gpu_timer *c, const target *t, double *ns, sl_error *error)
{
    double total = 0;
    sl_status status = run_once(c, t, error);
    if (!status && c->restores)
        status = sl_image_restore(&c->image, t->addr, false, error);
    if (!status && c->flush)
        status = sl_device_fill(c->device, c->flush, 0, FLUSH_BYTES, error);
    if (!status)
        status = sl_device_event_record(c->device, c->begin, error);
    for (uint32_t i = 0; i < c->runs && !status; i++)
        status = sl_device_launch_now(t->kernel, &t->launch, error);
    if (!status)
        status = sl_device_event_record(c->device, c->end, error);
    if (!status)
        status = sl_device_event_elapsed(c->device, c->begin, c->end, &total, error);
    *ns = total / c->runs;
    return status;
}

/* ---- what the launch does to memory ---- */

static sl_status run_and_hash(sl_gpu_timer *c, const target *t, bool restore, bool all, uint64_t *hash, sl_error *error)
{
    sl_status status = restore ? sl_image_restore(&c->image, t->addr, all, error) : SL_OK;
    if (!status)
        status = sl_device_launch_now(t->kernel, &t->launch, error);
    if (!status)
        status = sl_device_synchronize(c->device, error);
    return status ? status : sl_image_hash(&c->image, t->addr, all, hash, error);
}

/* The part that an address lies in; NULL: none. */
static const sl_image_part *part_at(const sl_gpu_timer *c, uint64_t addr)
{
    for (size_t i = 0; i < c->image.parts; i++)
        if (addr >= c->image.part[i].addr && addr - c->image.part[i].addr < c->image.part[i].bytes)
            return &c->image.part[i];
    return NULL;
}

/* Where a base points in this launch; NULL: not known. */
static const sl_image_part *part_of(const sl_gpu_timer *c, const sl_base *base)
{
    uint64_t addr;
    if (base->kind == SL_BASE_SYMBOL)
        for (size_t i = 0; i < c->image.parts; i++)
            if (c->image.part[i].variable && !strcmp(c->image.part[i].variable, base->name))
                return &c->image.part[i];
    if (base->kind != SL_BASE_PARAM || base->index >= c->launch->args)
        return NULL;
    const sl_device_arg *arg = &c->launch->arg[base->index];
    if (base->offset + sizeof addr > arg->bytes)
        return NULL;
    memcpy(&addr, (const char *)arg->data + base->offset, sizeof addr);
    return part_at(c, addr);
}

/* Whether the instruction reads only memory that the launch does not change. */
static bool reads_unchanged(const sl_gpu_timer *c, const sl_ptx_inst *inst, const sl_base_set *bases)
{
    sl_ptx_space space = sl_ptx_inst_space(inst);
    if (sl_ptx_inst_flags(inst) & SL_OPF_CALL)
        return false;
    if (!(sl_ptx_inst_flags(inst) & SL_OPF_MEMORY) || inst->op == SL_OP_ST || space == SL_SPACE_SHARED ||
        space == SL_SPACE_LOCAL || space == SL_SPACE_CONST)
        return true;
    if (!bases->count || bases->more)
        return false;
    for (uint32_t i = 0; i < bases->count; i++) {
        const sl_image_part *part = part_of(c, &bases->item[i]);
        if (!part || part->changes)
            return false;
    }
    return true;
}

/* A kernel that reads nothing it changes can be repeated without restoring memory. Derived from the code: trying it
 * could fault. */
static sl_status find_restores(sl_gpu_timer *c, sl_error *error)
{
    const sl_ptx_func *func = sl_device_kernel_func(c->kernel);
    sl_base_set *bases;
    sl_arena arena;
    sl_arena_init(&arena);
    sl_status status = sl_base_sets(func, &arena, &bases, error);
    for (uint32_t i = 0; i < func->insts && !status && !c->restores; i++)
        c->restores = !reads_unchanged(c, &func->inst[i], &bases[i]);
    sl_arena_fini(&arena);
    return status;
}

/* ---- settings of the launch ---- */

/* What a parameter points to, as far as it is allocated; nothing where that is not known. */
static sl_device_range range_of(const sl_gpu_timer *c, uint32_t param)
{
    const sl_base base = {.kind = SL_BASE_PARAM, .index = param};
    const sl_image_part *part = part_of(c, &base);
    sl_device_range range = {0};
    if (!part)
        return range;
    memcpy(&range.addr, c->launch->arg[param].data, sizeof range.addr);
    range.bytes = part->addr + part->bytes - range.addr;
    return range;
}

/* The launch with the settings of a choice. */
static sl_device_launch set_launch(const sl_gpu_timer *c, const uint8_t *choice)
{
    sl_device_launch launch = *c->launch;
    for (uint32_t i = c->graph->loads; i < c->graph->nodes; i++) {
        const sl_load *node = &c->graph->load[i];
        if (node->node != SL_NODE_KERNEL || !choice[i])
            continue;
        const sl_device_range window = sl_controls[choice[i]].setting == SL_SETTING_WINDOW
                                           ? range_of(c, node->inst - SL_SETTING_WINDOW)
                                           : (sl_device_range){0};
        sl_launch_set(&launch, choice[i], &sl_device_info_of(c->device)->limits, &c->residency, &window);
    }
    return launch;
}

/* What can be timed here. */
static sl_status find_modes(sl_gpu_timer *c, sl_error *error)
{
    uint32_t sm = sl_device_info_of(c->device)->sm;
    const sl_gpu_limits *limits = &sl_device_info_of(c->device)->limits;
    sl_status status =
        sl_device_residency(c->kernel, c->launch, &c->residency.blocks, &c->residency.static_shared_bytes, error);
    for (unsigned m = 0; m < SL_BYPASS_MODES; m++) {
        const sl_control *control = &sl_controls[m];
        bool blocks =
            !control->log2_fewer_blocks || (c->residency.blocks >> control->log2_fewer_blocks && limits->shared_per_sm);
        if ((!sm || sm >= control->sm) && blocks)
            c->interface.modes |= 1u << m;
    }
    return status;
}

/* Runs it twice from the same state: what changes, and whether it repeats. */
static sl_status find_changes(sl_gpu_timer *c, sl_error *error)
{
    size_t parts = c->image.parts;
    uint64_t *before = calloc(2 * (parts + 1), sizeof *before), *again = before + parts + 1;
    const target original = original_of(c);
    c->expected = calloc(parts + 1, sizeof *c->expected);
    sl_status status = before && c->expected ? SL_OK : sl_fail_memory(error);
    if (!status)
        status = sl_image_hash(&c->image, NULL, true, before, error);
    if (!status)
        status = run_and_hash(c, &original, false, true, c->expected, error);
    if (!status)
        status = run_and_hash(c, &original, true, true, again, error);
    c->repeats = true;
    for (size_t i = 0; i < parts && !status; i++) {
        c->image.part[i].changes = c->expected[i] != before[i] || again[i] != before[i];
        c->repeats &= again[i] == c->expected[i];
    }
    free(before);
    return status ? status : find_restores(c, error);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts. */
static double median(double *value, size_t count)
{
    qsort(value, count, sizeof *value, by_value);
    return count % 2 ? value[count / 2] : (value[count / 2 - 1] + value[count / 2]) / 2;
}

/* How long it takes, and how many runs make a sample. */
static sl_status choose_runs(sl_gpu_timer *c, sl_error *error)
{
    double ns[5];
    const target original = original_of(c);
    sl_status status = SL_OK;
    for (int pass = 0; pass < 2 && !status; pass++) {
        for (int i = 0; i < 5 && !status; i++)
            status = sample(c, &original, &ns[i], error);
        if (status)
            return status;
        c->base_ns = median(ns, 5);
        if (!c->restores && !c->options.cold && c->base_ns * c->runs < SAMPLE_NS)
            c->runs = (uint32_t)fmin(MAX_REPEATS, ceil(SAMPLE_NS / fmax(c->base_ns, 1)));
    }
    return status;
}

/* ---- many choices ---- */

/* Variants of the kernel, loaded: a few to a module, so that they are compiled side by side. */
typedef struct batch {
    size_t count, modules;
    target *target;
    sl_device_module *module[MAX_MODULES];
    uint64_t *addr; /* [modules][parts] */
} batch;

static void unload(batch *b)
{
    for (size_t i = 0; i < b->modules; i++)
        sl_device_unload(b->module[i]);
    free(b->target);
    free(b->addr);
}

/* The text of `count` variants. */
static sl_status write_variants(sl_gpu_timer *c, const uint8_t *const *choice, size_t count, char **text,
                                size_t *length, sl_error *error)
{
    const sl_ptx_func *func = sl_device_kernel_func(c->kernel);
    const sl_ptx_module *ptx = sl_device_module_ptx(c->kernel->module);
    uint8_t *memory = calloc(count + 1, func->insts + 1);
    const uint8_t **modes = calloc(count + 1, sizeof *modes);
    uint32_t raised = c->interface.modes >> SL_BYPASS_L2 & 1 ? SL_PTX_L2_SM : 0;
    sl_status status = memory && modes ? SL_OK : sl_fail_memory(error);
    for (size_t i = 0; i < count && !status; i++) {
        uint8_t *by_inst = memory + i * (func->insts + 1);
        for (uint32_t k = 0; k < c->graph->nodes; k++)
            if (c->graph->load[k].node != SL_NODE_KERNEL)
                by_inst[c->graph->load[k].inst] = choice[i][k];
        modes[i] = by_inst;
    }
    if (!status)
        status = sl_ptx_variants(c->options.ptx, c->options.ptx_length, ptx, func, modes, count, raised, text, length,
                                 error);
    free(memory);
    free(modes);
    return status;
}

/* First choice of module m, of `modules` that share `count` evenly. */
static size_t first_of(size_t m, size_t modules, size_t count)
{
    return m * count / modules;
}

static sl_status compile(sl_gpu_timer *c, const uint8_t *const *choice, batch *b, sl_error *error)
{
    char *text[MAX_MODULES] = {0};
    size_t length[MAX_MODULES], modules = b->count < MAX_MODULES ? b->count : MAX_MODULES;
    sl_status status = SL_OK;
    for (size_t m = 0; m < modules && !status; m++) {
        size_t first = first_of(m, modules, b->count), end = first_of(m + 1, modules, b->count);
        status = write_variants(c, choice + first, end - first, &text[m], &length[m], error);
    }
    if (!status)
        status = sl_device_load_many(c->device, (const char *const *)text, length, modules,
                                     sl_device_module_ptx(c->kernel->module)->name, c->pool, b->module, error);
    if (!status)
        b->modules = modules;
    for (size_t m = 0; m < modules; m++)
        free(text[m]);
    return status;
}

/* Kernels and addresses of module m; its variables get what the original's hold. */
static sl_status prepare(sl_gpu_timer *c, const uint8_t *const *choice, batch *b, size_t m, sl_error *error)
{
    char name[512];
    const sl_ptx_func *func = sl_device_kernel_func(c->kernel);
    uint64_t *addr = b->addr + m * c->image.parts;
    size_t first = first_of(m, b->modules, b->count), end = first_of(m + 1, b->modules, b->count);
    sl_image_addresses(&c->image, b->module[m], addr);
    sl_status status = sl_image_restore(&c->image, addr, true, error);
    for (size_t i = first; i < end && !status; i++) {
        b->target[i].addr = addr;
        b->target[i].launch = set_launch(c, choice[i]);
        status = sl_device_kernel_get(b->module[m], sl_ptx_variant_name(func, i - first, name, sizeof name),
                                      &b->target[i].kernel, error);
    }
    return status;
}

static sl_status load_batch(sl_gpu_timer *c, const uint8_t *const *choice, size_t count, batch *b, sl_error *error)
{
    *b = (batch){.count = count};
    b->target = calloc(count + 1, sizeof *b->target);
    b->addr = calloc(MAX_MODULES * (c->image.parts + 1), sizeof *b->addr);
    sl_status status = b->target && b->addr ? compile(c, choice, b, error) : sl_fail_memory(error);
    for (size_t m = 0; m < b->modules && !status; m++)
        status = prepare(c, choice, b, m, error);
    if (status)
        unload(b);
    return status;
}

/* Samples of a batch: ns[round * (count + 1)], the original's first. */
static sl_status sample_rounds(sl_gpu_timer *c, const batch *b, uint32_t *rounds, double *ns, sl_error *error)
{
    const target original = original_of(c);
    double spent = 0;
    sl_status status = SL_OK;
    for (uint32_t r = 0; r < *rounds && !status; r++) {
        double *row = ns + r * (b->count + 1), base = 0, one = 0;
        uint32_t bases = 0;
        for (size_t k = 0; k < b->count && !status; k++) {
            size_t i = (k + r * 7) % b->count; /* no choice always follows the same one */
            if (k % BASE_EVERY == 0 && !(status = sample(c, &original, &one, error))) {
                base += one;
                bases++;
            }
            if (!status)
                status = sample(c, &b->target[i], &row[1 + i], error);
            spent += (row[1 + i] + one) * c->runs;
        }
        row[0] = base / (bases ? bases : 1);
        if (spent > BATCH_NS && r + 1 >= MIN_ROUNDS && r + 1 < *rounds)
            *rounds = r + 1;
    }
    return status;
}

/* Median and standard error of the gains of column `i`. */
static void summarize(const double *ns, size_t columns, size_t i, uint32_t rounds, double *scratch, sl_timing *t)
{
    double *a = scratch;
    for (uint32_t r = 0; r < rounds; r++)
        a[r] = ns[r * columns];
    t->base = median(a, rounds);
    for (uint32_t r = 0; r < rounds; r++)
        a[r] = ns[r * columns + i];
    t->time = median(a, rounds);
    for (uint32_t r = 0; r < rounds; r++)
        a[r] = 100 * (1 - ns[r * columns + i] / ns[r * columns]);
    t->gain = median(a, rounds);
    for (uint32_t r = 0; r < rounds; r++)
        a[r] = fabs(100 * (1 - ns[r * columns + i] / ns[r * columns]) - t->gain);
    /* Of a normal distribution the deviation is 1.48 times the median distance, and the median is 1.25 times as
     * uncertain as the mean. */
    t->spread = 1.4826 * 1.2533 * median(a, rounds) / sqrt(rounds);
    t->runs = rounds;
}

static sl_status verify_batch(sl_gpu_timer *c, const batch *b, sl_error *error)
{
    uint64_t *hash = calloc(c->image.parts + 1, sizeof *hash);
    sl_status status = hash ? SL_OK : sl_fail_memory(error);
    for (size_t i = 0; i < b->count && !status && c->repeats; i++) {
        status = run_and_hash(c, &b->target[i], true, false, hash, error);
        for (size_t p = 0; p < c->image.parts && !status; p++)
            if (c->image.part[p].changes && hash[p] != c->expected[p])
                status = sl_fail(error, SL_MISMATCH,
                                 "%s computes different results with the plan: it has a data race, or the rewriting "
                                 "is wrong; the original is kept",
                                 sl_device_kernel_func(c->kernel)->name);
    }
    free(hash);
    return status;
}

static sl_status time_choices(void *context, const uint8_t *const *choice, size_t count, uint32_t rounds, bool verify,
                              sl_timing *timing, sl_error *error)
{
    sl_gpu_timer *c = context;
    batch b;
    rounds = rounds ? rounds : c->options.rounds ? c->options.rounds : ROUNDS;
    sl_status status = load_batch(c, choice, count, &b, error);
    if (status)
        return status;
    double *ns = calloc((size_t)rounds * (count + 2), sizeof *ns);
    status = ns ? sample_rounds(c, &b, &rounds, ns, error) : sl_fail_memory(error);
    for (size_t i = 0; i < count && !status; i++)
        summarize(ns, count + 1, i + 1, rounds, ns + (size_t)rounds * (count + 1), &timing[i]);
    if (!status && verify)
        status = verify_batch(c, &b, error);
    free(ns);
    unload(&b);
    return status;
}

/* ---- life ---- */

sl_status sl_gpu_timer_create(sl_device_kernel *kernel, const sl_device_launch *launch, const sl_load_graph *graph,
                              const sl_gpu_timer_options *options, sl_gpu_timer **out, sl_error *error)
{
    sl_gpu_timer *c = calloc(1, sizeof *c);
    if (!c)
        return sl_fail_memory(error);
    c->device = kernel->module->device;
    c->kernel = kernel;
    c->launch = launch;
    c->graph = graph;
    c->options = *options;
    c->runs = 1;
    const sl_device_info *info = sl_device_info_of(c->device);
    snprintf(c->name, sizeof c->name, "gpu %s%s", info->name, options->cold ? ", cold" : "");
    c->interface =
        (sl_timer){.name = c->name, .unit = "ns", .input = options->input, .context = c, .time = time_choices};
    sl_status status = find_modes(c, error);
    if (!status)
        status = sl_pool_create(0, &c->pool, error);
    if (!status)
        status = sl_device_event_create(c->device, &c->begin, error);
    if (!status)
        status = sl_device_event_create(c->device, &c->end, error);
    if (!status)
        status = sl_image_capture(&c->image, c->device, kernel->module, error);
    if (!status && options->cold)
        status = sl_device_alloc(c->device, FLUSH_BYTES, "flush", &c->flush, error);
    if (!status)
        status = find_changes(c, error);
    if (!status)
        status = choose_runs(c, error);
    if (status)
        sl_gpu_timer_destroy(c, NULL);
    else
        *out = c;
    return status;
}

const sl_timer *sl_gpu_timer_interface(const sl_gpu_timer *timer)
{
    return &timer->interface;
}

double sl_gpu_timer_base(const sl_gpu_timer *timer, bool *too_short)
{
    if (too_short)
        *too_short = timer->base_ns * timer->runs < SHORT_NS;
    return timer->base_ns;
}

bool sl_gpu_timer_repeats(const sl_gpu_timer *timer)
{
    return timer->repeats;
}

sl_status sl_gpu_timer_destroy(sl_gpu_timer *c, sl_error *error)
{
    if (!c)
        return SL_OK;
    sl_status status = sl_image_restore(&c->image, NULL, true, error);
    if (!status)
        status = sl_device_synchronize(c->device, error);
    sl_image_free(&c->image);
    if (c->flush)
        sl_device_free(c->device, c->flush, NULL);
    sl_device_event_destroy(c->device, c->begin);
    sl_device_event_destroy(c->device, c->end);
    sl_pool_destroy(c->pool);
    free(c->expected);
    free(c);
    return status;
}
