/* SPDX-License-Identifier: MIT */
/* Short launches, one after the other: what a launch of 16 blocks costs the model and the simulator beyond its
 * accesses. The baseline has no launch before it: its structures are allocated and cleared. Then the launches of a
 * program, all modeled against a sample of them. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "analysis/analysis.h"
#include "bench.h"
#include "device/device.h"
#include "emu/emu.h"
#include "model/model.h"
#include "sim/sim.h"
#include "trace/recorder.h"
#include "workloads/workload.h"

enum { BLOCKS = 16 };

static void check(sl_status status, const sl_error *error)
{
    if (!status)
        return;
    fprintf(stderr, "%s\n", error->text);
    exit(1);
}

static void record(const char *name, const char *const *set, size_t sets, sl_recording *recording)
{
    char path[] = "/tmp/sluice-bench-XXXXXX";
    sl_recorder *recorder;
    sl_device *device;
    const sl_workload *workload;
    sl_error error;
    int file = mkstemp(path);
    if (file < 0)
        exit(1);
    close(file);
    sl_recorder_config config = {.trace_path = path, .producer = "bench", .zstd_level = 1};
    check(sl_recorder_create(&config, &recorder, &error), &error);
    sl_emu_config emu = {.settings = {.threads = 1}, .sink = sl_recorder_sink(recorder)};
    sl_workload_options options = {.size = "small", .sets = sets, .set = set, .seed = 1, .skip_check = true};
    check(sl_workload_find(name, &workload, &error), &error);
    check(sl_device_open("emu", &(sl_device_config){.emu = &emu}, &device, &error), &error);
    check(sl_workload_run(workload, device, &options, NULL, &error), &error);
    sl_device_close(device);
    check(sl_recorder_finish(recorder, &error), &error);
    check(sl_recording_open(path, NULL, NULL, recording, &error), &error);
    unlink(path);
}

typedef struct work {
    const sl_machine *machine;
    const sl_trace *trace;
    sl_model_caches *spare; /* NULL: nothing is kept */
    sl_sim *sim;            /* the same */
} work;

static sl_loaded *load(const work *w)
{
    sl_loaded *loaded;
    sl_error error;
    check(sl_loaded_create(w->trace, 0, NULL, &loaded, &error), &error);
    return loaded;
}

static void model(void *context)
{
    const work *w = context;
    sl_loaded *loaded = load(w);
    sl_model_result result;
    sl_error error;
    check(sl_model_loaded(w->machine, loaded, &(sl_model_options){.seed = 1}, w->spare, NULL, NULL, &result, &error),
          &error);
    sl_model_result_fini(&result);
    sl_loaded_destroy(loaded);
}

static void simulate(void *context)
{
    const work *w = context;
    sl_loaded *loaded = load(w);
    sl_sim_result result;
    sl_sim *sim = w->sim;
    sl_error error;
    if (!sim)
        check(sl_sim_create_with(w->machine, &(sl_sim_options){.seed = 1}, &sim, &error), &error);
    check(sl_sim_launch(sim, loaded, NULL, &result, &error), &error);
    sl_sim_result_fini(&result);
    if (!w->sim)
        sl_sim_destroy(sim);
    sl_loaded_destroy(loaded);
}

static int compare(const char *what, void (*run)(void *), work first, work next, double goal)
{
    char text[64];
    double alone = bench_best(run, &first, 0.5);
    run(&next);
    double following = bench_best(run, &next, 0.5);
    snprintf(text, sizeof text, "%s: a launch", what);
    bench_value(text, following * 1e3, "ms");
    snprintf(text, sizeof text, "%s: the first takes", what);
    return bench_goal(text, alone / following, "times as long", true, goal);
}

/* ---- samples ---- */

typedef struct sampled {
    const sl_machine *machine;
    const sl_recording *recording;
    sl_sample_when when;
    uint64_t cycles;
    uint32_t analyzed;
} sampled;

static void analyze(void *context)
{
    sampled *s = context;
    const sl_analysis analysis = {
        .kind = SL_ANALYSIS_MODEL, .machine = s->machine, .seed = 1, .sampling.when = s->when};
    sl_result result;
    sl_error error;
    check(sl_analyze(s->recording, &analysis, NULL, NULL, &result, &error), &error);
    s->cycles = sl_result_cycles(&result);
    s->analyzed = 0;
    for (uint32_t n = 0; n < s->recording->launches; n++)
        s->analyzed += result.launch[n].analyzed;
    sl_result_fini(&result);
}

static int compare_samples(const sl_machine *machine)
{
    static const char *const set[] = {"n=256", "pivots=255"};
    sl_recording recording;
    record("gaussian", set, 2, &recording);
    sampled all = {.machine = machine, .recording = &recording, .when = SL_SAMPLE_NEVER}, some = all;
    some.when = SL_SAMPLE_ALWAYS;
    double full = bench_best(analyze, &all, 0.5), part = bench_best(analyze, &some, 0.5);
    double error = (double)some.cycles / (double)all.cycles - 1;
    printf("%u launches of gaussian on h200, %u of them modeled\n", recording.launches, some.analyzed);
    int missed = bench_goal("a sample is faster by", full / part, "times", true, 1.5);
    missed += bench_goal("its cycles are wrong by", 100 * (error < 0 ? -error : error), "%", false, 1);
    sl_recording_close(&recording);
    return missed;
}

int main(void)
{
    static const char *const set[] = {"n=4096"};
    sl_machine machine;
    sl_model_caches spare = {0};
    sl_sim *sim;
    sl_error error;
    check(sl_machine_load("h200", &machine, &error), &error);
    sl_recording recording;
    record("vecadd", set, 1, &recording);
    const sl_trace *trace = recording.trace;
    if (sl_launch_blocks(sl_trace_launch_at(trace, 0)) != BLOCKS)
        return 1;
    check(sl_sim_create_with(&machine, &(sl_sim_options){.seed = 1}, &sim, &error), &error);
    puts("launches of 16 blocks on h200, one thread");
    work none = {.machine = &machine, .trace = trace}, kept = {&machine, trace, &spare, sim};
    int missed = compare("model", model, none, kept, 3) + compare("simulator", simulate, none, kept, 5);
    sl_sim_destroy(sim);
    sl_model_caches_fini(&spare);
    sl_recording_close(&recording);
    missed += compare_samples(&machine);
    return missed != 0;
}
