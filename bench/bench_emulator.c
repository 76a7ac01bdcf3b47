/* SPDX-License-Identifier: MIT */
/* The emulator on one thread: how fast it runs the built-in workloads, alone, while counting, while recording, and
 * while writing a trace, and how large the traces are. First some workloads at chosen sizes, which goals are about,
 * with the naive matrix multiply against native scalar C; then tensor cores against plain multiply-adds; then all
 * workloads at their default sizes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench.h"
#include "emu/emu.h"
#include "native_matmul.h"
#include "trace/codec.h"
#include "trace/recorder.h"
#include "workloads/workload.h"

enum { TRIES = 5, TRIES_OF_ALL = 2 };

typedef enum mode { ALONE, COUNTING, RECORDING, TRACING, MODES } mode;

/* Processor time: everything here runs on one thread, and other work on the machine shall not count. */
static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Forwards launches to another sink, if it has one, and times them. */
typedef struct stopwatch {
    const sl_launch_sink *next; /* NULL: what is recorded is discarded */
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

static sl_status end(void *context, const sl_launch_stats *stats, const char *failure, sl_error *error)
{
    stopwatch *watch = context;
    sl_status status = watch->next ? watch->next->end(watch->next->context, stats, failure, error) : SL_OK;
    watch->total += seconds() - watch->started;
    watch->thread_insts += stats->thread_insts;
    watch->warp_insts += stats->warp_insts;
    return status;
}

static sl_launch_counter *counter(void *context)
{
    const stopwatch *watch = context;
    return watch->next && watch->next->counter ? watch->next->counter(watch->next->context) : NULL;
}

static void stop(const sl_error *error)
{
    fprintf(stderr, "bench_emulator: %s\n", error->text);
    exit(1);
}

/* What is measured: a workload, with parameters that differ from its default size. */
typedef struct subject {
    const sl_workload *workload;
    const char *set[3];
    int tries;
} subject;

/* Runs the workload once. `accesses`: they are counted, but not timed. The trace's file name is `path`. */
static stopwatch run_once(const subject *what, mode how, bool accesses, const char *path)
{
    stopwatch watch = {.wanted = how != ALONE, .count = accesses};
    sl_launch_sink sink = {.context = &watch, .begin = begin, .block = block, .end = end, .counter = counter};
    sl_emu_config emu = {.settings.threads = 1, .sink = &sink};
    sl_device_config config = {.emu = &emu};
    sl_workload_options options = {.set = what->set, .seed = 1, .skip_check = true};
    sl_recorder_config recording = {.count = how == COUNTING,
                                    .count_options = {.footprint = true},
                                    .trace_path = how == TRACING ? path : NULL,
                                    .producer = "bench_emulator"};
    sl_recorder *recorder = NULL;
    sl_device *device = NULL;
    sl_error error = {0};
    while (options.sets < 3 && what->set[options.sets])
        options.sets++;
    if ((how == COUNTING || how == TRACING) && sl_recorder_create(&recording, &recorder, &error))
        stop(&error);
    watch.next = recorder ? sl_recorder_sink(recorder) : NULL;
    if (sl_device_open("emu", &config, &device, &error) ||
        sl_workload_run(what->workload, device, &options, NULL, &error))
        stop(&error);
    double start = seconds();
    if (recorder && sl_recorder_finish(recorder, &error))
        stop(&error);
    watch.total += seconds() - start;
    sl_device_close(device);
    return watch;
}

static stopwatch fastest(const subject *what, mode how, const char *path)
{
    stopwatch best = {.total = INFINITY};
    for (int i = 0; i < what->tries; i++) {
        stopwatch watch = run_once(what, how, false, path);
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

/* What was measured of one. */
typedef struct measured {
    double million_insts, warp_insts, seconds[MODES], trace_bytes;
} measured;

/* Measures, and prints a line of the table. */
static measured measure(const subject *what, const char *path)
{
    measured m = {0};
    struct stat info;
    for (int how = 0; how < MODES; how++) {
        stopwatch watch = fastest(what, (mode)how, path);
        m.seconds[how] = watch.total;
        m.million_insts = (double)watch.thread_insts * 1e-6;
        m.warp_insts = (double)watch.warp_insts;
    }
    if (stat(path, &info))
        exit(1);
    m.trace_bytes = (double)info.st_size;
    printf("%-22s %10.1f", what->workload->name, m.million_insts);
    for (int how = 0; how < MODES; how++)
        printf(" %10.0f", m.million_insts / m.seconds[how]);
    printf(" %14.0f\n", m.trace_bytes);
    fflush(stdout);
    return m;
}

static void print_heading(const char *what)
{
    printf("\n%s\n\n%-22s %10s %10s %10s %10s %10s %14s\n", what, "workload", "M insts", "alone", "counting",
           "recording", "tracing", "trace bytes");
}

static double geometric_mean(const measured *all, size_t count, mode how)
{
    double log_sum = 0;
    for (size_t i = 0; i < count; i++)
        log_sum += log(all[i].million_insts / all[i].seconds[how]);
    return exp(log_sum / (double)count);
}

/* ---- the workloads that goals are about ---- */

/* The last two are there for the traces alone, and for warps with few active lanes (4.7 of 32). */
enum { MATMUL = 1, MEAN_OF = 6, GATHER = 6, SSSP = 7, CHOSEN = 8 };

static const struct {
    const char *name, *set[3];
} chosen[CHOSEN] = {
    {"vecadd", {0}},
    {"matmul", {"n=256"}},
    {"matmul_tiled", {0}},
    {"spmv", {"rows=65536"}},
    {"stencil2d", {"height=1024"}},
    {"histogram", {0}},
    {"gather", {0}},
    {"sssp", {0}},
};

static int report_sizes(const subject *what, const measured *all)
{
    int missed = 0;
    char text[80];
    printf("\nTrace size:\n");
    for (size_t i = 0; i < CHOSEN; i++) {
        double bytes = all[i].trace_bytes / (double)run_once(&what[i], RECORDING, true, NULL).accesses;
        snprintf(text, sizeof text, "%s, per memory instruction of a warp", what[i].workload->name);
        if (sl_workload_has_tag(what[i].workload, "regular"))
            missed += bench_goal(text, bytes, "bytes", false, 0.5);
        else if (i == GATHER)
            missed += bench_goal(text, bytes, "bytes", false, 35);
        else
            bench_value(text, bytes, "bytes");
    }
    return missed;
}

static int report_speed(const measured *all)
{
    double native = time_native(256);
    const measured *matmul = &all[MATMUL];
    int missed = 0;
    printf("\nSpeed:\n");
    bench_value("geometric mean of the first six, alone", geometric_mean(all, MEAN_OF, ALONE), "M/s");
    bench_value("geometric mean of the first six, counting", geometric_mean(all, MEAN_OF, COUNTING), "M/s");
    missed += bench_goal("geometric mean of the first six, recording", geometric_mean(all, MEAN_OF, RECORDING), "M/s",
                         true, 400);
    bench_value("geometric mean of the first six, writing a trace", geometric_mean(all, MEAN_OF, TRACING), "M/s");
    missed += bench_goal("matmul, recording", matmul->million_insts / matmul->seconds[RECORDING], "M/s", true, 1000);
    bench_value("matmul in native scalar C", native * 1e3, "ms");
    bench_value("matmul emulated alone, against native", matmul->seconds[ALONE] / native, "times");
    missed += bench_goal("matmul recording, against native", matmul->seconds[RECORDING] / native, "times", false, 6);
    double few = all[SSSP].seconds[COUNTING] / all[SSSP].warp_insts;
    double most = matmul->seconds[COUNTING] / matmul->warp_insts;
    bench_value("warp instruction of sssp, counting", few * 1e9, "ns");
    missed += bench_goal("the same, against one of matmul", few / most, "times", false, 3);
    bench_value("matmul writing a trace, against native", matmul->seconds[TRACING] / native, "times");
    return missed;
}

static int bench_chosen(const char *path)
{
    subject what[CHOSEN];
    measured all[CHOSEN];
    sl_error error;
    print_heading("On one thread, at chosen sizes; millions of thread instructions per second:");
    for (size_t i = 0; i < CHOSEN; i++) {
        what[i] = (subject){.tries = TRIES};
        memcpy(what[i].set, chosen[i].set, sizeof what[i].set);
        if (sl_workload_find(chosen[i].name, &what[i].workload, &error))
            stop(&error);
        all[i] = measure(&what[i], path);
    }
    int missed = report_speed(all);
    return missed + report_sizes(what, all);
}

/* ---- tensor cores ---- */

typedef struct product {
    const char *what, *code; /* the code of an instruction whose sums are %s0 to %s3 */
    double operations;       /* of a warp */
    double goal;             /* against plain multiply-adds; 0: none */
} product;

#define MMA(form) "mma.sync.aligned." form " {%s0,%s1,%s2,%s3},{%a,%a,%a,%a},{%a,%a},{%s0,%s1,%s2,%s3};\n"
#define FMA(d)    "fma.rn.f32 %f" d ",%fa,%fa,%f" d ";\n"
static const product products[] = {
    {"fma.f32", FMA("0") FMA("1") FMA("2") FMA("3"), 4 * 64, 0},
    {"mma of f16", MMA("m16n8k16.row.col.f32.f16.f16.f32"), 4096, 1.3},
    {"mma of f16, other factors", "xor.b32 %a,%a,1;\n" MMA("m16n8k16.row.col.f32.f16.f16.f32"), 4096, 0},
    {"mma of bf16", MMA("m16n8k16.row.col.f32.bf16.bf16.f32"), 4096, 1.3},
    {"mma of tf32", MMA("m16n8k8.row.col.f32.tf32.tf32.f32"), 2048, 0.65},
    {"mma of e4m3", MMA("m16n8k32.row.col.f32.e4m3.e4m3.f32"), 8192, 0.65},
    {"mma of s8", MMA("m16n8k32.row.col.s32.s8.s8.s32"), 8192, 2.6},
    {"mma of s4", MMA("m16n8k64.row.col.s32.s4.s4.s32"), 16384, 2.6},
    {"mma of b1", MMA("m16n8k256.row.col.s32.b1.b1.s32.and.popc"), 65536, 2.6},
    {"mma of f64",
     "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%g0,%g1,%g2,%g3},"
     "{%ga,%ga,%ga,%ga,%ga,%ga,%ga,%ga},{%ga,%ga,%ga,%ga},{%g0,%g1,%g2,%g3};\n",
     4096, 0},
    {"wgmma of f16",
     "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%w0,%w1,%w2,%w3,%w4,%w5,%w6,%w7,%w8,%w9,"
     "%w10,%w11,%w12,%w13,%w14,%w15,%w16,%w17,%w18,%w19,%w20,%w21,%w22,%w23,%w24,%w25,%w26,%w27,%w28,"
     "%w29,%w30,%w31},%d,%d,%p,1,1,0,0;\n",
     16 * 64 * 16 * 2, 1.3},
};

enum { PRODUCT_STEPS = 500, PRODUCT_WARPS = 4, PRODUCT_UNROLLED = 16 };

static sl_launch_stats run_product(sl_emu *emu, const char *text)
{
    sl_ptx_module *module;
    sl_emu_program *program = NULL;
    sl_emu_kernel *kernel;
    sl_launch_stats stats = {0};
    sl_error error = {0};
    const sl_emu_launch launch = {.grid = {1, 1, 1}, .block = {32 * PRODUCT_WARPS, 1, 1}};
    if (sl_ptx_parse(text, strlen(text), "product.ptx", &module, &error) ||
        sl_emu_load(emu, (const sl_ptx_module *const *)&module, 1, &program, &error) ||
        sl_emu_kernel_get(program, "k", &kernel, &error) || sl_emu_run(emu, kernel, &launch, &stats, &error))
        stop(&error);
    sl_emu_unload(emu, program);
    sl_ptx_free(module);
    return stats;
}

/* Operations per second, of a loop that has the instruction some times. */
static double product_rate(sl_emu *emu, const product *what)
{
    char text[32768];
    size_t used = (size_t)snprintf(
        text, sizeof text,
        ".version 8.6\n.target sm_90a\n.address_size 64\n.shared .align 1024 .b8 room[16384];\n"
        ".visible .entry k()\n{\n.reg .b32 %%s<4>,%%a,%%i,%%r; .reg .f32 %%f<4>,%%fa,%%w<32>; .reg .f64 %%g<4>,%%ga;\n"
        ".reg .b64 %%d; .reg .pred %%p;\nmov.u32 %%r,room; shr.u32 %%r,%%r,4; cvt.u64.u32 %%d,%%r;\n"
        "or.b64 %%d,%%d,0x4000004000010000;\nmov.u32 %%a,0x3c003c00; mov.f32 %%fa,0f3f7fffff; mov.f64 %%ga,%s;\n"
        "mov.u32 %%i,%d; setp.eq.u32 %%p,%%i,%%i;\n",
        "0d3fefffffffffffff", PRODUCT_STEPS);
    for (int i = 0; i < 4; i++)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "mov.u32 %%s%d,%d; mov.f32 %%f%d,0f3f800000; mov.f64 %%g%d,0d3ff0000000000000;\n", i,
                                 i, i, i);
    used += (size_t)snprintf(text + used, sizeof text - used, "LOOP:\n");
    for (int i = 0; i < PRODUCT_UNROLLED; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s", what->code);
    snprintf(text + used, sizeof text - used,
             "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"
             "sub.u32 %%i,%%i,1; setp.ne.u32 %%p,%%i,0; @%%p bra LOOP;\nret;\n}\n");
    double best = INFINITY;
    for (int i = 0; i < TRIES; i++) {
        double start = seconds();
        run_product(emu, text);
        double took = seconds() - start;
        best = took < best ? took : best;
    }
    return what->operations * PRODUCT_STEPS * PRODUCT_WARPS * PRODUCT_UNROLLED / best;
}

static int bench_products(void)
{
    sl_emu *emu;
    sl_error error;
    int missed = 0;
    double plain = 0;
    const sl_emu_config config = {.settings.threads = 1};
    if (sl_emu_create(&config, &emu, &error))
        stop(&error);
    printf("\nTensor cores, billions of operations per second, and against fma.f32:\n");
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        double rate = product_rate(emu, &products[i]);
        char text[80];
        plain = i ? plain : rate;
        bench_value(products[i].what, rate * 1e-9, "G/s");
        snprintf(text, sizeof text, "%s, against fma.f32", products[i].what);
        if (products[i].goal > 0)
            missed += bench_goal(text, rate / plain, "times", true, products[i].goal);
        else if (i)
            bench_value(text, rate / plain, "times");
    }
    sl_emu_destroy(emu);
    return missed;
}

/* ---- all ---- */

static int bench_all(const char *path)
{
    size_t count = sl_workload_count();
    measured *all = calloc(count, sizeof *all);
    double seconds_traced = 0, bytes = 0;
    if (!all)
        exit(1);
    print_heading("All workloads at their default sizes:");
    for (size_t i = 0; i < count; i++) {
        all[i] = measure(&(subject){.workload = sl_workload_at(i), .tries = TRIES_OF_ALL}, path);
        seconds_traced += all[i].seconds[TRACING];
        bytes += all[i].trace_bytes;
    }
    printf("\nAll together:\n");
    bench_value("geometric mean, alone", geometric_mean(all, count, ALONE), "M/s");
    bench_value("geometric mean, counting", geometric_mean(all, count, COUNTING), "M/s");
    int missed = bench_goal("geometric mean, recording", geometric_mean(all, count, RECORDING), "M/s", true, 300);
    bench_value("geometric mean, writing a trace", geometric_mean(all, count, TRACING), "M/s");
    missed += bench_goal("time to trace each once", seconds_traced, "s", false, 120);
    bench_value("bytes of these traces", bytes * 1e-6, "MB");
    free(all);
    return missed;
}

int main(void)
{
    char path[] = "/tmp/bench_emulator-XXXXXX";
    int file = mkstemp(path);
    if (file < 0)
        return 1;
    close(file);
    int missed = bench_products();
    missed += bench_chosen(path);
    missed += bench_all(path);
    unlink(path);
    return missed != 0;
}
