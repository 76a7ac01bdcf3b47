/* The emulator on one thread: how fast it runs the built-in workloads at their default sizes, alone, while recording,
 * and while writing a trace; against native scalar C for the naive matrix multiply; and how large the traces are. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "bench/native_matmul.h"
#include "trace/recorder.h"
#include "workloads/workload.h"

enum { TRIES = 3 };

typedef enum mode { ALONE, RECORDING, TRACING, MODES } mode;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
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

static double time_native(unsigned n)
{
    size_t count = (size_t)n * n;
    float *a = calloc(count, sizeof *a), *b = calloc(count, sizeof *b), *c = calloc(count, sizeof *c);
    double best = INFINITY;
    if (!a || !b || !c)
        exit(1);
    for (size_t i = 0; i < count; i++)
        a[i] = (float)(i % 7), b[i] = (float)(i % 5);
    for (int i = 0; i < TRIES; i++) {
        double start = seconds();
        native_matmul(a, b, c, n);
        __asm__ volatile("" ::"r"(c) : "memory");
        double took = seconds() - start;
        best = took < best ? took : best;
    }
    free(a), free(b), free(c);
    return best;
}

int main(void)
{
    char path[] = "/tmp/bench_emulator-XXXXXX";
    int file = mkstemp(path);
    if (file < 0)
        return 1;
    close(file);
    double log_sum[MODES] = {0}, matmul[MODES] = {0};
    int counted = 0;
    printf("One thread, default sizes; millions of thread instructions per second.\n\n");
    printf("%-14s %10s %10s %10s %10s %14s %16s\n", "workload", "M insts", "alone", "recording", "tracing",
           "trace bytes", "bytes per access");
    for (size_t i = 0; i < sl_workload_count(); i++) {
        const sl_workload *workload = sl_workload_at(i);
        double rate[MODES];
        stopwatch watch = {0};
        for (int how = 0; how < MODES; how++) {
            watch = fastest(workload, (mode)how, path);
            rate[how] = (double)watch.thread_insts / watch.total * 1e-6;
            if (!strcmp(workload->name, "matmul"))
                matmul[how] = watch.total;
        }
        struct stat info;
        if (stat(path, &info))
            return 1;
        uint64_t accesses = run_once(workload, true, true, NULL).accesses;
        printf("%-14s %10.1f %10.0f %10.0f %10.0f %14lld %16.3f\n", workload->name, (double)watch.thread_insts * 1e-6,
               rate[ALONE], rate[RECORDING], rate[TRACING], (long long)info.st_size,
               (double)info.st_size / (double)accesses);
        if (!strcmp(workload->name, "gather")) /* stands beside the starter programs as the worst case for a trace */
            continue;
        counted++;
        for (int how = 0; how < MODES; how++)
            log_sum[how] += log(rate[how]);
    }
    unlink(path);
    printf("%-14s %10s %10.0f %10.0f %10.0f  (without gather)\n", "geometric mean", "", exp(log_sum[ALONE] / counted),
           exp(log_sum[RECORDING] / counted), exp(log_sum[TRACING] / counted));
    double native = time_native(256);
    printf("\nmatmul 256 in native scalar C: %.1f ms; emulated alone %.1f ms (%.2f times), recording %.1f ms (%.2f), "
           "tracing %.1f ms (%.2f)\n",
           native * 1e3, matmul[ALONE] * 1e3, matmul[ALONE] / native, matmul[RECORDING] * 1e3,
           matmul[RECORDING] / native, matmul[TRACING] * 1e3, matmul[TRACING] / native);
    return 0;
}
