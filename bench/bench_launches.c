/* SPDX-License-Identifier: MIT */
/* Short launches, one after the other: what a launch of 16 blocks costs the model and the simulator beyond its
 * accesses. The baseline has no launch before it: its structures are allocated and cleared. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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

static sl_trace *record(void)
{
    char path[] = "/tmp/sluice-bench-XXXXXX";
    const char *const set[] = {"n=4096"};
    sl_recorder *recorder;
    sl_device *device;
    const sl_workload *workload;
    sl_trace *trace;
    sl_error error;
    int file = mkstemp(path);
    if (file < 0)
        exit(1);
    close(file);
    sl_recorder_config config = {.trace_path = path, .producer = "bench", .zstd_level = 1};
    check(sl_recorder_create(&config, &recorder, &error), &error);
    sl_emu_config emu = {.settings = {.threads = 1}, .sink = sl_recorder_sink(recorder)};
    sl_workload_options options = {.size = "small", .sets = 1, .set = set, .seed = 1, .skip_check = true};
    check(sl_workload_find("vecadd", &workload, &error), &error);
    check(sl_device_open("emu", &(sl_device_config){.emu = &emu}, &device, &error), &error);
    check(sl_workload_run(workload, device, &options, NULL, &error), &error);
    sl_device_close(device);
    check(sl_recorder_finish(recorder, &error), &error);
    check(sl_trace_open(path, &trace, NULL, &error), &error);
    unlink(path);
    return trace;
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

int main(void)
{
    sl_machine machine;
    sl_model_caches spare = {0};
    sl_sim *sim;
    sl_error error;
    check(sl_machine_load("h200", &machine, &error), &error);
    sl_trace *trace = record();
    if (sl_launch_blocks(sl_trace_launch_at(trace, 0)) != BLOCKS)
        return 1;
    check(sl_sim_create_with(&machine, &(sl_sim_options){.seed = 1}, &sim, &error), &error);
    puts("launches of 16 blocks on h200, one thread");
    work none = {.machine = &machine, .trace = trace}, kept = {&machine, trace, &spare, sim};
    int missed = compare("model", model, none, kept, 3) + compare("simulator", simulate, none, kept, 5);
    sl_sim_destroy(sim);
    sl_model_caches_fini(&spare);
    sl_trace_close(trace);
    return missed != 0;
}
