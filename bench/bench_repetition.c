/* SPDX-License-Identifier: MIT */
/* What the emulator does once instead of many times: launches that change nothing, or change data that is cleared in
 * between, and looking up the elements of a matrix. The baselines run every launch, and look at every element, as they
 * do with --no-reuse and --check=uninit. */
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "emu/emu.h"

enum { BYTES = 1 << 16, LAUNCHES = 50 };

/* Each thread adds up 64 words; each warp moves a 16 x 16 matrix of halves 256 times. */
static const char text[] =
    ".version 8.6\n.target sm_90\n.address_size 64\n"
    ".visible .entry sums(.param .u64 out, .param .u64 in)\n{\n"
    ".reg .b32 %r<9>; .reg .b64 %q<9>; .reg .pred %p;\n"
    "ld.param.u64 %q0, [out]; ld.param.u64 %q1, [in]; mov.u32 %r0, %tid.x;\n"
    "mul.wide.u32 %q2, %r0, 4; add.u64 %q2, %q2, %q0; mov.u32 %r1, 0; mov.u32 %r2, 0;\n"
    "$loop: ld.global.u32 %r3, [%q1]; add.u32 %r1, %r1, %r3; add.u64 %q1, %q1, 4;\n"
    "add.u32 %r2, %r2, 1; setp.lt.u32 %p, %r2, 64; @%p bra $loop;\n"
    "st.global.u32 [%q2], %r1;\nret;\n}\n"
    ".visible .entry matrices(.param .u64 out, .param .u64 in)\n{\n"
    ".reg .b32 %r<9>, %f<8>; .reg .b64 %q<9>; .reg .pred %p;\n"
    "ld.param.u64 %q1, [in]; mov.u32 %r1, 64; mov.u32 %r2, 0;\n"
    "$loop: wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7}, [%q1], %r1;\n"
    "add.u32 %r2, %r2, 1; setp.lt.u32 %p, %r2, 256; @%p bra $loop;\nret;\n}\n";

typedef struct work {
    sl_emu *emu;
    sl_emu_program *program;
    sl_emu_kernel *kernel;
    uint64_t params[2];
    uint32_t launches, grid;
    bool clears; /* what the kernel writes, before each launch */
} work;

static void check(sl_status status, const sl_error *error)
{
    if (!status)
        return;
    fprintf(stderr, "%s\n", error->text);
    exit(1);
}

static void start(work *w, const sl_ptx_module *module, const char *kernel, const sl_run_settings *settings)
{
    const sl_emu_config config = {.settings = *settings, .host_addresses = true};
    sl_error error;
    check(sl_emu_create(&config, &w->emu, &error), &error);
    check(sl_emu_load(w->emu, &module, 1, &w->program, &error), &error);
    check(sl_emu_kernel_get(w->program, kernel, &w->kernel, &error), &error);
    for (int i = 0; i < 2; i++) {
        check(sl_heap_alloc(sl_emu_heap(w->emu), BYTES, SL_ALLOC_DEVICE, NULL, &w->params[i], &error), &error);
        sl_heap_mark_written(sl_emu_heap(w->emu), w->params[i], BYTES);
    }
}

static void run(void *context)
{
    const work *w = context;
    const sl_emu_launch launch = {
        .grid = {w->grid, 1, 1}, .block = {1024, 1, 1}, .params = w->params, .param_bytes = sizeof w->params};
    sl_heap *heap = sl_emu_heap(w->emu);
    sl_error error;
    for (uint32_t i = 0; i < w->launches; i++) {
        if (w->clears) {
            memset(sl_heap_host(heap, w->params[0]), 0, BYTES);
            sl_heap_mark_written(heap, w->params[0], BYTES);
        }
        check(sl_emu_run(w->emu, w->kernel, &launch, NULL, &error), &error);
    }
}

static double measure(const sl_ptx_module *module, const char *kernel, uint32_t launches, uint32_t grid, bool clears,
                      const sl_run_settings *settings)
{
    work w = {.launches = launches, .grid = grid, .clears = clears};
    start(&w, module, kernel, settings);
    double best = bench_best(run, &w, 0.5);
    sl_emu_unload(w.emu, w.program);
    sl_emu_destroy(w.emu);
    return best;
}

int main(void)
{
    sl_ptx_module *module;
    sl_error error;
    check(sl_ptx_parse(text, strlen(text), "bench.ptx", &module, &error), &error);
    puts("emulator, one thread");
    const sl_run_settings once = {.threads = 1}, all = {.threads = 1, .no_reuse = true};
    double repeated = measure(module, "sums", LAUNCHES, 8, false, &once),
           run_again = measure(module, "sums", LAUNCHES, 8, false, &all);
    int missed = bench_goal("a launch that changes nothing is faster than running it by", run_again / repeated, "times",
                            true, 5);
    double cleared = measure(module, "sums", LAUNCHES, 8, true, &once),
           run_cleared = measure(module, "sums", LAUNCHES, 8, true, &all);
    missed += bench_goal("…one whose results are cleared before it, by", run_cleared / cleared, "times", true, 5);
    const sl_run_settings each = {.threads = 1, .no_reuse = true, .check = SL_CHECK_UNINIT};
    double whole = measure(module, "matrices", 1, 1, false, &all),
           elements = measure(module, "matrices", 1, 1, false, &each);
    missed += bench_goal("a matrix is faster than its elements, each checked, by", elements / whole, "times", true, 4);
    bench_value("wmma.load of 16 x 16 halves", whole / (256 * 32) * 1e6, "us");
    sl_ptx_free(module);
    return missed != 0;
}
