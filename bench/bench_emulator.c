/* The emulator on one thread: how fast it runs the built-in workloads at their default sizes, alone, while recording,
 * and while writing a trace; against native scalar C for the naive matrix multiply; and how large the traces are. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench.h"
#include "native_matmul.h"
#include "trace/recorder.h"
#include "workloads/workload.h"

enum { TRIES = 5 };

typedef enum mode { ALONE, RECORDING, TRACING, MODES } mode;

/* Processor time: everything here runs on one thread, and other work on the machine shall not count. */
static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Passes launches on to a listener of its own, if it has one, and takes their time. */
typedef struct stopwatch {
    const sl_launch_sink *next; /* NULL: what is recorded is dropped */
    bool wanted, count;
    double started, total;
    uint64_t thread_insts, warp_insts, accesses;
    const sl_trace_kernel *kernel;
    uint32_t lanes;
} stopwatch;

static sl_status begin(void *context, const sl_trace_kernel *kernel, const sl_trace_launch *launch,
                       const sl_trace_range *range, size_t ranges, bool *wanted, uint64_t *block_limit, sl_error *error)
{
    stopwatch *watch = context;
    watch->kernel = kernel;
    watch->lanes = launch->lanes;
    watch->started = seconds();
    *wanted = watch->wanted;
    if (watch->next)
        return watch->next->begin(watch->next->context, kernel, launch, range, ranges, wanted, block_limit, error);
    return SL_OK;
}

/* Memory instructions that at least one lane took part in. */
static sl_status count_accesses(stopwatch *watch, const sl_block_view *view, sl_error *error)
{
    sl_predictor *scratch = calloc(watch->kernel->mem_slots + 1, sizeof *scratch);
    sl_status status = scratch ? SL_OK : sl_fail_memory(error);
    for (uint32_t w = 0; w < view->warps && !status; w++) {
        sl_warp_cursor cursor;
        bool step = true, access = true;
        sl_warp_cursor_init(&cursor, watch->kernel, watch->lanes, &view->warp[w], scratch);
        while (!status && !(status = sl_warp_cursor_step(&cursor, &step, error)) && step)
            while (!(status = sl_warp_cursor_access(&cursor, &access, error)) && access)
                watch->accesses += cursor.access.mask != 0;
    }
    free(scratch);
    return status;
}

static sl_status block(void *context, const sl_block_view *view, sl_error *error)
{
    stopwatch *watch = context;
    if (watch->count)
        return count_accesses(watch, view, error);
    return watch->next ? watch->next->block(watch->next->context, view, error) : SL_OK;
}

static sl_status end(void *context, const sl_launch_stats *stats, bool failed, sl_error *error)
{
    stopwatch *watch = context;
    sl_status status = watch->next ? watch->next->end(watch->next->context, stats, failed, error) : SL_OK;
    watch->total += seconds() - watch->started;
    watch->thread_insts += stats->thread_insts;
    watch->warp_insts += stats->warp_insts;
    return status;
}

static void stop(const sl_error *error)
{
    fprintf(stderr, "bench_emulator: %s\n", error->text);
    exit(1);
}

/* Runs the workload once. The trace's file name is `path`; NULL: none is written. */
static stopwatch run_once(const sl_workload *workload, bool wanted, bool count, const char *path)
{
    stopwatch watch = {.wanted = wanted, .count = count};
    sl_launch_sink sink = {&watch, begin, block, end};
    sl_emu_config emu = {.threads = 1, .sink = &sink};
    sl_device_config config = {.emu = &emu};
    sl_workload_options options = {.seed = 1, .skip_check = true};
    sl_recorder_config recording = {.trace_path = path, .producer = "bench_emulator"};
    sl_recorder *recorder = NULL;
    sl_device *device = NULL;
    sl_error error = {0};
    if (path && sl_recorder_create(&recording, &recorder, &error))
        stop(&error);
    watch.next = recorder ? sl_recorder_sink(recorder) : NULL;
    if (sl_device_open("emu", &config, &device, &error) || sl_workload_run(workload, device, &options, NULL, &error))
        stop(&error);
    double start = seconds();
    if (recorder && sl_recorder_finish(recorder, &error))
        stop(&error);
    watch.total += seconds() - start;
    sl_device_close(device);
    return watch;
}

static stopwatch fastest(const sl_workload *workload, mode how, const char *path)
{
    stopwatch best = {.total = INFINITY};
    for (int i = 0; i < TRIES; i++) {
        stopwatch watch = run_once(workload, how != ALONE, false, how == TRACING ? path : NULL);
        if (watch.total < best.total)
            best = watch;
    }
    return best;
}

typedef struct matrices {
    float *a, *b, *c;
    unsigned n;
} matrices;

static double time_native(unsigned n)
{
    size_t count = (size_t)n * n;
    matrices m = {calloc(count, sizeof(float)), calloc(count, sizeof(float)), calloc(count, sizeof(float)), n};
    if (!m.a || !m.b || !m.c)
        exit(1);
    for (size_t i = 0; i < count; i++)
        m.a[i] = (float)(i % 7), m.b[i] = (float)(i % 5);
    double best = INFINITY;
    for (int i = 0; i < 2 * TRIES; i++) {
        double start = seconds();
        native_matmul(m.a, m.b, m.c, m.n);
        __asm__ volatile("" ::"r"(m.c) : "memory");
        double took = seconds() - start;
        best = took < best ? took : best;
    }
    free(m.a), free(m.b), free(m.c);
    return best;
}

/* What was measured of one workload. */
typedef struct measured {
    double million_insts, seconds[MODES], trace_bytes, bytes_per_access;
} measured;

static measured measure(const sl_workload *workload, const char *path)
{
    measured m = {0};
    struct stat info;
    for (int how = 0; how < MODES; how++) {
        stopwatch watch = fastest(workload, (mode)how, path);
        m.seconds[how] = watch.total;
        m.million_insts = (double)watch.thread_insts * 1e-6;
    }
    if (stat(path, &info))
        exit(1);
    m.trace_bytes = (double)info.st_size;
    m.bytes_per_access = m.trace_bytes / (double)run_once(workload, true, true, NULL).accesses;
    return m;
}

static int report_sizes(const measured *all)
{
    int missed = 0;
    char what[80];
    printf("\nTrace size:\n");
    for (size_t i = 0; i < sl_workload_count(); i++) {
        const sl_workload *workload = sl_workload_at(i);
        snprintf(what, sizeof what, "%s, per memory instruction of a warp", workload->name);
        if (sl_workload_has_tag(workload, "regular"))
            missed += bench_goal(what, all[i].bytes_per_access, "bytes", false, 0.5);
        else if (!strcmp(workload->name, "gather"))
            missed += bench_goal(what, all[i].bytes_per_access, "bytes", false, 35);
        else
            bench_value(what, all[i].bytes_per_access, "bytes");
    }
    return missed;
}

static int report_speed(const measured *all)
{
    double log_sum[MODES] = {0}, native = time_native(256);
    int counted = 0, missed = 0;
    const measured *matmul = NULL;
    for (size_t i = 0; i < sl_workload_count(); i++) {
        if (!strcmp(sl_workload_at(i)->name, "matmul"))
            matmul = &all[i];
        if (!strcmp(sl_workload_at(i)->name, "gather")) /* there for the traces; the goal is about the other six */
            continue;
        counted++;
        for (int how = 0; how < MODES; how++)
            log_sum[how] += log(all[i].million_insts / all[i].seconds[how]);
    }
    printf("\nSpeed:\n");
    bench_value("geometric mean, alone", exp(log_sum[ALONE] / counted), "M/s");
    missed += bench_goal("geometric mean, recording", exp(log_sum[RECORDING] / counted), "M/s", true, 400);
    bench_value("geometric mean, writing a trace", exp(log_sum[TRACING] / counted), "M/s");
    missed += bench_goal("matmul, recording", matmul->million_insts / matmul->seconds[RECORDING], "M/s", true, 1000);
    bench_value("matmul in native scalar C", native * 1e3, "ms");
    bench_value("matmul emulated alone, against native", matmul->seconds[ALONE] / native, "times");
    missed += bench_goal("matmul recording, against native", matmul->seconds[RECORDING] / native, "times", false, 6);
    bench_value("matmul writing a trace, against native", matmul->seconds[TRACING] / native, "times");
    return missed;
}

int main(void)
{
    char path[] = "/tmp/bench_emulator-XXXXXX";
    int file = mkstemp(path);
    measured *all = calloc(sl_workload_count(), sizeof *all);
    if (file < 0 || !all)
        return 1;
    close(file);
    printf("The emulator on one thread at default sizes; millions of thread instructions per second.\n\n");
    printf("%-14s %10s %10s %10s %10s %14s\n", "workload", "M insts", "alone", "recording", "tracing", "trace bytes");
    for (size_t i = 0; i < sl_workload_count(); i++) {
        all[i] = measure(sl_workload_at(i), path);
        printf("%-14s %10.1f", sl_workload_at(i)->name, all[i].million_insts);
        for (int how = 0; how < MODES; how++)
            printf(" %10.0f", all[i].million_insts / all[i].seconds[how]);
        printf(" %14.0f\n", all[i].trace_bytes);
        fflush(stdout);
    }
    unlink(path);
    int missed = report_speed(all) + report_sizes(all);
    free(all);
    return missed != 0;
}
