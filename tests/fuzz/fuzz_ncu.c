/* SPDX-License-Identifier: MIT */
/* Counters of Nsight Compute: any text gives launches that can be looked at, or an error. */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trace/ncu.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void look(const char *path)
{
    static const sl_trace_kernel kernel = {.symbol = "_Z5scalePfi", .name = "scale"};
    static const sl_trace_launch launch = {.grid = {32, 1, 1}, .block = {256, 1, 1}};
    sl_ncu ncu;
    sl_error error;
    if (sl_ncu_read(path, &ncu, &error))
        return;
    for (size_t i = 0; i < ncu.launches; i++)
        sl_ncu_belongs(&ncu, &ncu.launch[i], &kernel, &launch, ncu.launch[i].workload, &error);
    sl_ncu_fini(&ncu);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    int fd = memfd_create("ncu", MFD_CLOEXEC);
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (fd >= 0 && write(fd, data, bytes) == (ssize_t)bytes)
        look(path);
    if (fd >= 0)
        close(fd);
    return 0;
}
