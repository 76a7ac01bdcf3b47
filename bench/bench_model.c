/* SPDX-License-Identifier: MIT */
/* The reuse-distance model: thread loads per second of five access patterns on one core of a Fermi with all extensions
 * and exact classes, reading the trace included, in one thread; next to a plain LRU stack of all lines (searched from
 * its top and shifted at every load) on the first loads of the same trace. Then its cost over three decades of loads,
 * which `--plot FILE` draws, and the authors' program, whose totals on five of these traces are known. */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "bench.h"
#include "growth_plot.h"
#include "model/hpca14.h"
#include "model/model.h"
#include "thread_patterns.h"
#include "trace/import.h"
#include "trace/recorder.h"

static void check(sl_status status, const sl_error *error)
{
    if (!status)
        return;
    fprintf(stderr, "%s\n", error->text);
    exit(1);
}

/* ---- traces ---- */

static char folder[] = "/tmp/sluice-bench-XXXXXX";

static void write_text(const thread_pattern *p, const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file)
        exit(1);
    pattern_write(p, file);
    if (fclose(file))
        exit(1);
}

/* In a separate process: its memory does not count as the model's. */
static void make_trace(const thread_pattern *p, const char *path)
{
    fflush(stdout);
    pid_t child = fork();
    int code = 1;
    if (!child) {
        char text[sizeof folder + 16];
        sl_recorder *recorder;
        sl_error error;
        snprintf(text, sizeof text, "%s/trc", folder);
        write_text(p, text);
        sl_recorder_config config = {.trace_path = path, .producer = "bench", .zstd_level = 1};
        check(sl_recorder_create(&config, &recorder, &error), &error);
        check(sl_import_threads(text, sl_recorder_sink(recorder), NULL, &error), &error);
        check(sl_recorder_finish(recorder, &error), &error);
        unlink(text);
        _exit(0);
    }
    if (child < 0 || waitpid(child, &code, 0) != child || code)
        exit(1);
}

/* ---- the model ---- */

typedef struct modeled {
    const sl_machine *machine;
    const char *path;
    uint64_t misses, loads; /* of lines */
    uint64_t lines;         /* that are different */
} modeled;

static void model(modeled *m)
{
    sl_trace *trace;
    sl_loaded *loaded;
    sl_pool *pool;
    sl_model_result result;
    sl_error error;
    check(sl_pool_create(1, &pool, &error), &error);
    check(sl_trace_open(m->path, &trace, NULL, &error), &error);
    check(sl_loaded_create(trace, 0, pool, &loaded, &error), &error);
    check(sl_model_loaded(m->machine, loaded, &(sl_model_options){.seed = 1}, NULL, pool, NULL, &result, &error),
          &error);
    m->misses = result.counts.total.value[SL_COUNTER_ld_sector_misses];
    m->loads = result.counts.total.value[SL_COUNTER_ld_sectors];
    m->lines = result.counts.total.value[SL_COUNTER_compulsory_sectors];
    sl_model_result_fini(&result);
    sl_loaded_destroy(loaded);
    sl_trace_close(trace);
    sl_pool_destroy(pool);
}

static double megabytes_used(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

/* ---- the baseline: a plain LRU stack ---- */

enum { PREFIX = 300000 }; /* thread loads */

typedef struct plain {
    const thread_pattern *pattern;
    SL_ARRAY(uint64_t) stack; /* lines, latest last */
    uint64_t loads, sum;
} plain;

static void access_line(plain *s, uint64_t line)
{
    size_t at = s->stack.count;
    while (at && s->stack.items[at - 1] != line)
        at--;
    if (!at) {
        if (!sl_array_push(&s->stack, line))
            exit(1);
        return;
    }
    s->sum += s->stack.count - at;
    memmove(&s->stack.items[at - 1], &s->stack.items[at], (s->stack.count - at) * sizeof *s->stack.items);
    s->stack.items[s->stack.count - 1] = line;
}

/* One line of a warp after the other, warps of the first 1536 threads taking turns. */
static void run_plain(plain *s)
{
    const thread_pattern *p = s->pattern;
    s->stack.count = 0;
    s->loads = s->sum = 0;
    for (uint32_t k = 0; k < p->accesses && s->loads < PREFIX; k++)
        for (uint32_t warp = 0; warp < 1536 && warp < p->threads && s->loads < PREFIX; warp += 32) {
            uint64_t last = UINT64_MAX;
            for (uint32_t t = warp; t < warp + 32 && t < p->threads; t++) {
                pattern_access a = p->access(p, t, k);
                if (a.store)
                    continue;
                s->loads++;
                if (a.addr / 128 != last)
                    access_line(s, last = a.addr / 128);
            }
        }
}

/* ---- what is measured ---- */

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* The minimum CPU time: one thread that never waits. */
static double best_model(modeled *m, double budget)
{
    double best = 1e300, start = cpu_seconds();
    for (int i = 0; i < 3 || cpu_seconds() - start < budget; i++) {
        double before = cpu_seconds();
        model(m);
        double took = cpu_seconds() - before;
        best = took < best ? took : best;
    }
    return best;
}

static int measure_pattern(const sl_machine *machine, const thread_pattern *p, double goal)
{
    char path[sizeof folder + 16], what[96];
    snprintf(path, sizeof path, "%s/slt", folder);
    make_trace(p, path);
    modeled m = {.machine = machine, .path = path};
    plain s = {.pattern = p};
    double rate = (double)pattern_loads(p) / best_model(&m, 1);
    snprintf(what, sizeof what, "%s: %.3g M loads, %.4g %% of %.3g K lines missed", p->name,
             (double)pattern_loads(p) * 1e-6, 100 * (double)m.misses / (double)m.loads, (double)m.loads * 1e-3);
    int missed = bench_goal(what, rate * 1e-6, "M loads/s", true, goal);
    double before = cpu_seconds();
    run_plain(&s);
    double plain_rate = (double)s.loads / (cpu_seconds() - before);
    snprintf(what, sizeof what, "%s: faster than a plain stack, which does less, by", p->name);
    bench_value(what, rate / plain_rate, "times");
    sl_array_free(&s.stack);
    unlink(path);
    return missed;
}

static int measure_patterns(const sl_machine *machine)
{
    const struct {
        thread_pattern pattern;
        double goal; /* M loads/s */
    } each[] = {{pattern_mm_naive(), 10},
                {pattern_mm_tiled(), 10},
                {pattern_stencil(), 10},
                {pattern_stream(), 10},
                {pattern_spmv(8192), 5}};
    int missed = 0;
    puts("reuse-distance model, one core of a GTX 470, one thread, trace read each time");
    for (size_t i = 0; i < sizeof each / sizeof *each; i++)
        missed += measure_pattern(machine, &each[i].pattern, each[i].goal);
    return missed + bench_goal("memory, the largest of these", megabytes_used(), "MB", false, 100);
}

enum { MIN_ROWS = 64, SIZES = 11 }; /* each twice the one before */

/* Rows that differ in their columns: lines grow with the loads. All sizes take turns, so that what disturbs the machine
 * for a while does not hit one of them alone. */
static void measure_sizes(const sl_machine *machine, growth_point point[SIZES])
{
    char path[SIZES][sizeof folder + 16];
    for (uint32_t i = 0; i < SIZES; i++) {
        thread_pattern p = pattern_spmv(MIN_ROWS << i);
        snprintf(path[i], sizeof path[i], "%s/slt%u", folder, i);
        make_trace(&p, path[i]);
        point[i] = (growth_point){(double)pattern_loads(&p), 0, 1e300};
    }
    for (int round = 0; round < 5; round++)
        for (uint32_t i = 0; i < SIZES; i++) {
            modeled m = {.machine = machine, .path = path[i]};
            double took = best_model(&m, 0.1) * 1e9 / point[i].loads;
            point[i].nanoseconds = took < point[i].nanoseconds ? took : point[i].nanoseconds;
            point[i].lines = (double)m.lines;
        }
    for (uint32_t i = 0; i < SIZES; i++)
        unlink(path[i]);
}

static int measure_growth(const sl_machine *machine, const char *plot)
{
    growth_point point[SIZES];
    double constant, slope;
    puts("cost as the trace grows, with N loads of M lines");
    measure_sizes(machine, point);
    for (uint32_t i = 0; i < SIZES; i++) {
        char what[80];
        snprintf(what, sizeof what, "spmvU of %u rows: N %.3g M, M %.3g K", MIN_ROWS << i, point[i].loads * 1e-6,
                 point[i].lines * 1e-3);
        bench_value(what, point[i].nanoseconds, "ns/load");
    }
    growth_fit(point, SIZES, &constant, &slope);
    printf("  the best line through these: %.4g + %.3g log2 M ns/load\n", constant, slope);
    int missed = plot && !growth_plot(plot, point, SIZES);
    return missed + bench_goal("a thousand times the loads, per load",
                               point[SIZES - 1].nanoseconds / point[0].nanoseconds, "times", false, 4);
}

/* Totals of the authors' program, as it prints them. */
static int measure_hpca14(void)
{
    const struct {
        thread_pattern pattern;
        const char *total;
    } each[] = {{pattern_mm_naive(), "35.42"},
                {pattern_mm_tiled(), "74.83"},
                {pattern_stencil(), "42.29"},
                {pattern_rowcopy(128), "3.125"},
                {pattern_rowcopy(256), "3.995"}};
    char path[sizeof folder + 16];
    int missed = 0;
    puts("as the authors' program counts");
    snprintf(path, sizeof path, "%s/trc", folder);
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        sl_hpca14_result result;
        sl_error error;
        char total[32];
        write_text(&each[i].pattern, path);
        double before = cpu_seconds();
        check(sl_hpca14_run(path, &result, &error), &error);
        double took = cpu_seconds() - before;
        snprintf(total, sizeof total, "%.4g", 100 * result.miss_rate);
        bool same = !strcmp(total, each[i].total);
        printf("  %s of %u threads: %s %% missed, theirs %s: %s; %.2f s with the text\n", each[i].pattern.name,
               each[i].pattern.threads, total, each[i].total, same ? "met" : "MISSED", took);
        missed += !same;
        unlink(path);
    }
    return missed;
}

int main(int argc, char **argv)
{
    const char *plot = argc == 3 && !strcmp(argv[1], "--plot") ? argv[2] : NULL;
    static const char *const settings[] = {"cores=1"};
    sl_machine machine;
    sl_error error;
    if (argc > 1 && !plot) {
        fputs("usage: bench_model [--plot FILE.svg]\n", stderr);
        return 2;
    }
    if (!mkdtemp(folder))
        return 1;
    check(sl_machine_load_with("fermi-gtx470", settings, 1, &machine, &error), &error);
    int missed = measure_patterns(&machine);
    missed += measure_growth(&machine, plot);
    missed += measure_hpca14();
    rmdir(folder);
    return missed ? 1 : 0;
}
