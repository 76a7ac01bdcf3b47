/* SPDX-License-Identifier: MIT */
/* The simulator: warp instructions per second of synthetic traces (1.01 M warp instructions of 4096 warps, made here in
 * Accel-Sim's format and imported once) on a 132-core Hopper, an 80-core Volta and a 15-core Fermi, in one
 * thread, reading the trace included, and its memory; next to decoding and coalescing the same trace alone, which every
 * simulator of it has to do. On the larger ones also how much faster two threads are, in turns with one, and that they
 * are not much slower where both have one core.
 *
 * stride: two coalesced loads per turn of a loop. mix: every other turn one of them is a gather of 32 random words.
 * columns (Hopper only): one of them is of 32 rows of a matrix, whose next column the next turn reads. */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "access/request.h"
#include "base/random.h"
#include "bench.h"
#include "sim/sim.h"
#include "trace/codec.h"
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

enum { BLOCKS = 512, WARPS = 8, TURNS = 27, INSTS = BLOCKS * WARPS * (2 + 9 * TURNS + 2), ROW_BYTES = 8192 };

typedef enum form { STRIDE, MIX, COLUMNS, FORMS } form;

static char folder[] = "/tmp/sluice-bench-XXXXXX";

static void write_turn(FILE *f, form made, uint64_t warp, uint32_t turn, sl_random *random)
{
    const uint64_t a = UINT64_C(0x7f0000000000), b = UINT64_C(0x7f1000000000);
    fprintf(f, "0020 ffffffff 1 R4 IMAD.WIDE 2 R2 R3 0 0\n");
    fprintf(f, "0030 ffffffff 1 R6 LDG.E.SYS 1 R4 4 1 0x%llx 4 0\n",
            (unsigned long long)(a + (warp * TURNS + turn) * 128));
    fprintf(f, "0040 ffffffff 1 R7 LDG.E.SYS 1 R4 4 ");
    if (made == MIX && turn & 1) {
        fputc('0', f);
        for (int lane = 0; lane < 32; lane++)
            fprintf(f, " 0x%llx", (unsigned long long)(b + (sl_random_below(random, 4u << 20) & ~UINT64_C(3))));
    } else if (made == COLUMNS) {
        fprintf(f, "1 0x%llx %d", (unsigned long long)(b + warp * 32 * ROW_BYTES + turn * 4), ROW_BYTES);
    } else {
        fprintf(f, "1 0x%llx 4", (unsigned long long)(b + warp % 64 * 4096 + turn % 32 * 128));
    }
    fputs(" 0\n0050 ffffffff 1 R8 FFMA 3 R6 R7 R8 0 0\n0060 ffffffff 1 R9 FFMA 3 R6 R7 R9 0 0\n"
          "0070 ffffffff 1 R10 FADD 2 R8 R9 0 0\n0080 ffffffff 1 R2 IADD3 1 R2 0 0\n"
          "0090 ffffffff 0 ISETP.GE.AND 1 R2 0 0\n00a0 ffffffff 0 BRA 0 0 0\n",
          f);
}

static void write_text(const char *path, form made)
{
    FILE *f = fopen(path, "w");
    sl_random random = sl_random_seed(1);
    if (!f)
        exit(1);
    fprintf(
        f,
        "-kernel name = synth\n-kernel id = 1\n-grid dim = (%d,1,1)\n-block dim = (%d,1,1)\n-shmem = 0\n-nregs = 32\n"
        "-binary version = 70\n-cuda stream id = 0\n-shmem base_addr = 0x00007f4000000000\n"
        "-local mem base_addr = 0x00007f4200000000\n-nvbit version = 1.5.5\n-accelsim tracer version = 4\n"
        "-enable lineinfo = 0\n\n",
        BLOCKS, WARPS * 32);
    for (uint32_t block = 0; block < BLOCKS; block++) {
        fprintf(f, "#BEGIN_TB\n\nthread block = %u,0,0\n", block);
        for (uint32_t w = 0; w < WARPS; w++) {
            uint64_t warp = (uint64_t)block * WARPS + w;
            fprintf(f,
                    "\nwarp = %u\ninsts = %d\n0000 ffffffff 1 R1 IMAD.MOV.U32 1 R255 0 0\n"
                    "0010 ffffffff 1 R2 S2R 0 0 0\n",
                    w, INSTS / (BLOCKS * WARPS));
            for (uint32_t turn = 0; turn < TURNS; turn++)
                write_turn(f, made, warp, turn, &random);
            fprintf(f, "00b0 ffffffff 0 STG.E.SYS 2 R4 R10 4 1 0x%llx 4 0\n00c0 ffffffff 0 EXIT 0 0 0\n",
                    (unsigned long long)(UINT64_C(0x7f2000000000) + warp * 128));
        }
        fprintf(f, "\n#END_TB\n\n");
    }
    if (fclose(f))
        exit(1);
}

static void make_trace(const char *path, form made)
{
    char text[sizeof folder + 32];
    sl_recorder *recorder;
    sl_error error;
    snprintf(text, sizeof text, "%s/kernel-1.traceg", folder);
    write_text(text, made);
    sl_recorder_config config = {.trace_path = path, .producer = "bench", .zstd_level = 1};
    check(sl_recorder_create(&config, &recorder, &error), &error);
    check(sl_import_accelsim(text, sl_recorder_sink(recorder), NULL, &error), &error);
    check(sl_recorder_finish(recorder, &error), &error);
    unlink(text);
}

/* ---- what is measured ---- */

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

typedef struct measured {
    double seconds, plain_seconds, megabytes;
    double wall_seconds[2]; /* with one thread and with two */
    double core_seconds[2]; /* processor time, where they have one core */
    uint64_t cycles, insts;
} measured;

static sl_loaded *load(const char *path, sl_pool *pool, sl_trace **trace)
{
    sl_loaded *loaded;
    sl_error error;
    check(sl_trace_open(path, trace, NULL, &error), &error);
    check(sl_loaded_create(*trace, 0, pool, &loaded, &error), &error);
    return loaded;
}

static void simulate(const sl_machine *machine, const char *path, sl_pool *pool, measured *m)
{
    sl_trace *trace;
    sl_sim *sim;
    sl_sim_result result;
    sl_error error;
    sl_loaded *loaded = load(path, pool, &trace);
    check(sl_sim_create_with(machine, &(sl_sim_options){.seed = 1, .pool = pool}, &sim, &error), &error);
    check(sl_sim_launch(sim, loaded, NULL, &result, &error), &error);
    m->cycles = result.cycles;
    m->insts = result.warp_insts;
    sl_sim_result_fini(&result);
    sl_sim_destroy(sim);
    sl_loaded_destroy(loaded);
    sl_trace_close(trace);
}

/* Every access of every warp, as requests for lines. */
static uint64_t walk(const sl_machine *machine, const char *path, sl_pool *pool)
{
    sl_trace *trace;
    sl_error error;
    sl_loaded *loaded = load(path, pool, &trace);
    const sl_trace_kernel *kernel = sl_loaded_kernel(loaded);
    sl_predictor *predictor = malloc(kernel->mem_slots * sizeof *predictor);
    sl_access_shape shape = sl_access_shape_of(machine, sl_loaded_launch(loaded), machine->level[0].line_bytes,
                                               machine->level[0].sector_bytes);
    sl_line_request piece[SL_MAX_LINE_REQUESTS];
    uint64_t pieces = 0;
    for (uint64_t block = 0; block < sl_loaded_blocks(loaded); block++)
        for (uint32_t w = 0; w < WARPS; w++) {
            sl_warp_reader reader;
            bool more;
            sl_warp_reader_init(&reader, loaded, block, w, predictor);
            for (;;) {
                check(sl_warp_reader_step(&reader, &more, &error), &error);
                if (!more)
                    break;
                for (;;) {
                    check(sl_warp_cursor_access(&reader.cursor, &more, &error), &error);
                    if (!more)
                        break;
                    pieces += sl_line_requests(&shape, &kernel->inst[reader.cursor.access.inst], &reader.cursor.access,
                                               piece);
                }
            }
        }
    free(predictor);
    sl_loaded_destroy(loaded);
    sl_trace_close(trace);
    return pieces;
}

/* Threads that are made from now on have the core that this one is on. */
static void give_one_core(void)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((unsigned)sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
}

static void measure_threads(const sl_machine *machine, const char *path, measured *m)
{
    sl_pool *pool[2];
    sl_error error;
    m->wall_seconds[0] = m->wall_seconds[1] = 1e300;
    for (unsigned i = 0; i < 2; i++)
        check(sl_pool_create(i + 1, &pool[i], &error), &error);
    for (int i = 0; i < 6; i++) {
        double start = bench_seconds(), *best = &m->wall_seconds[i % 2];
        simulate(machine, path, pool[i % 2], m);
        double took = bench_seconds() - start;
        *best = took < *best ? took : *best;
    }
    sl_pool_destroy(pool[1]);
    sl_pool_destroy(pool[0]);
    give_one_core();
    m->core_seconds[0] = m->core_seconds[1] = 1e300;
    for (unsigned i = 0; i < 2; i++)
        check(sl_pool_create(i + 1, &pool[i], &error), &error);
    for (int i = 0; i < 4; i++) {
        double start = cpu_seconds(), *best = &m->core_seconds[i % 2];
        simulate(machine, path, pool[i % 2], m);
        double took = cpu_seconds() - start;
        *best = took < *best ? took : *best;
    }
    sl_pool_destroy(pool[0]);
    sl_pool_destroy(pool[1]);
}

/* In a separate process, so that only the simulator's memory is measured. */
static measured measure(const char *gpu, const char *path)
{
    int ends[2];
    measured m = {0};
    fflush(stdout);
    if (pipe(ends))
        exit(1);
    pid_t child = fork();
    if (!child) {
        sl_machine machine;
        sl_pool *pool;
        sl_error error;
        struct rusage usage;
        check(sl_machine_load(gpu, &machine, &error), &error);
        check(sl_pool_create(1, &pool, &error), &error);
        m.seconds = m.plain_seconds = 1e300;
        for (int i = 0; i < 3; i++) {
            double start = cpu_seconds();
            simulate(&machine, path, pool, &m);
            double between = cpu_seconds();
            walk(&machine, path, pool);
            double end = cpu_seconds();
            m.seconds = between - start < m.seconds ? between - start : m.seconds;
            m.plain_seconds = end - between < m.plain_seconds ? end - between : m.plain_seconds;
        }
        getrusage(RUSAGE_SELF, &usage);
        m.megabytes = (double)usage.ru_maxrss / 1024;
        if (machine.cores > 64)
            measure_threads(&machine, path, &m);
        _exit(write(ends[1], &m, sizeof m) != sizeof m);
    }
    int code = 1;
    bool ok = child > 0 && read(ends[0], &m, sizeof m) == sizeof m && waitpid(child, &code, 0) == child && !code;
    close(ends[0]);
    close(ends[1]);
    if (!ok)
        exit(1);
    return m;
}

static int report(const char *pattern, const char *gpu, const char *path, bool many_cores, double goal)
{
    char what[96];
    measured m = measure(gpu, path);
    if (m.insts != INSTS)
        exit(1);
    snprintf(what, sizeof what, "%s on %s: %.4g K cycles", pattern, gpu, (double)m.cycles * 1e-3);
    int missed = bench_goal(what, (double)m.insts / m.seconds * 1e-3, "K warp instructions/s", true, goal);
    snprintf(what, sizeof what, "%s on %s: memory", pattern, gpu);
    missed += bench_goal(what, m.megabytes, "MB", false, 100);
    snprintf(what, sizeof what, "%s on %s: decoding and coalescing alone takes less time by", pattern, gpu);
    bench_value(what, m.seconds / m.plain_seconds, "times");
    if (many_cores) {
        snprintf(what, sizeof what, "%s on %s: two threads are faster by", pattern, gpu);
        missed += bench_goal(what, m.wall_seconds[0] / m.wall_seconds[1], "times", true, 1.6);
        snprintf(what, sizeof what, "%s on %s: two threads on one core have the speed of one by", pattern, gpu);
        missed += bench_goal(what, m.core_seconds[0] / m.core_seconds[1], "times", true, 0.7);
    }
    return missed;
}

int main(void)
{
    if (!mkdtemp(folder))
        return 1;
    char path[sizeof folder + 16];
    int missed = 0;
    snprintf(path, sizeof path, "%s/slt", folder);
    puts("simulator, one thread unless said otherwise, trace read each time");
    for (form p = STRIDE; p < FORMS; p++) {
        static const char *const names[FORMS] = {"stride", "mix", "columns"};
        make_trace(path, p);
        missed += report(names[p], "h200", path, p != COLUMNS, p == COLUMNS ? 400 : 500);
        if (p != COLUMNS) {
            missed += report(names[p], "v100", path, true, 1000);
            missed += report(names[p], "fermi-gtx480", path, false, 1000);
        }
        unlink(path);
    }
    rmdir(folder);
    return missed != 0;
}
