/* SPDX-License-Identifier: MIT */
/* Runs an importer over an input, counting what it replays. */
#ifndef TESTS_FUZZ_IMPORT_INPUT_H
#define TESTS_FUZZ_IMPORT_INPUT_H

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trace/import.h"
#include "trace/recorder.h"

typedef sl_status (*importer)(const char *, const sl_launch_sink *, const sl_progress *, sl_error *);

static inline void import_input(importer import, const uint8_t *data, size_t bytes)
{
    int fd = memfd_create("import", MFD_CLOEXEC);
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    sl_recorder_config config = {.count = true, .count_options.footprint = true};
    sl_recorder *recorder;
    sl_error error;
    if (fd >= 0 && write(fd, data, bytes) == (ssize_t)bytes && !sl_recorder_create(&config, &recorder, &error)) {
        import(path, sl_recorder_sink(recorder), NULL, &error);
        sl_recorder_abandon(recorder);
    }
    if (fd >= 0)
        close(fd);
}

#endif
