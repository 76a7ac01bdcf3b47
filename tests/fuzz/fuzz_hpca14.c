/* SPDX-License-Identifier: MIT */
/* Thread traces as the authors' program takes them: any text is refused or modelled to its end, and counts add up. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "model/hpca14.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    int fd = memfd_create("hpca14", MFD_CLOEXEC);
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    sl_hpca14_result r;
    sl_error error;
    if (fd >= 0 && write(fd, data, bytes) == (ssize_t)bytes && !sl_hpca14_run(path, &r, &error))
        if (!r.accesses || r.accesses > r.thread_loads || r.hits + r.misses != r.accesses || r.compulsory > r.accesses)
            abort();
    if (fd >= 0)
        close(fd);
    return 0;
}
