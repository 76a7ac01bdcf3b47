/* SPDX-License-Identifier: MIT */
/* Traces of workloads, for tests that run whole programs through the model or the simulator. */
#ifndef TESTS_RECORDED_H
#define TESTS_RECORDED_H

#include <stdlib.h>
#include <unistd.h>

#include "device/device.h"
#include "emu/emu.h"
#include "support.h"
#include "trace/recorder.h"
#include "workloads/workload.h"

/* A small run with some parameters set, each as "name=value". */
static inline sl_trace *record(const char *name, uint32_t lanes, const char *const *set, size_t sets)
{
    char path[] = "/tmp/sluice-test-XXXXXX";
    sl_recorder *recorder;
    sl_device *device;
    const sl_workload *workload;
    sl_trace *trace;
    sl_error error;
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    sl_recorder_config config = {.trace_path = path, .producer = "test", .zstd_level = 1};
    assert_int_equal(sl_recorder_create(&config, &recorder, &error), SL_OK);
    sl_emu_config emu = {.settings = {.lanes = lanes, .threads = 1}, .sink = sl_recorder_sink(recorder)};
    sl_workload_options options = {.size = "small", .sets = sets, .set = set, .seed = 1, .skip_check = true};
    assert_int_equal(sl_workload_find(name, &workload, &error), SL_OK);
    assert_int_equal(sl_device_open("emu", &(sl_device_config){.emu = &emu}, &device, &error), SL_OK);
    if (sl_workload_run(workload, device, &options, NULL, &error) != SL_OK)
        fail_msg("%s", error.text);
    sl_device_close(device);
    assert_int_equal(sl_recorder_finish(recorder, &error), SL_OK);
    assert_int_equal(sl_trace_open(path, &trace, NULL, &error), SL_OK);
    unlink(path);
    return trace;
}

#endif
