/* SPDX-License-Identifier: MIT */
/* The search for a CUDA runtime in ELF files: by symbols, by an archive (the same bytes), and where it is sent. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interpose/static_runtime.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    sl_elf elf;
    sl_static_runtime runtime = {0};
    if (sl_elf_open(data, bytes, &elf, NULL))
        return 0;
    if (!sl_static_runtime_by_symbols(&elf, &runtime, NULL))
        sl_static_runtime_match(&elf, &runtime, &elf, 1, NULL);
    sl_static_runtime_fini(&runtime);
    sl_static_runtime_find(&elf, "", &runtime, NULL);
    sl_static_runtime_fini(&runtime);
    /* An archive with one member, which is the file itself. */
    char *archive = malloc(bytes + 68);
    if (!archive)
        return 0;
    snprintf(archive, 69, "!<arch>\n%-48s%-10zu`\n", "member/", bytes);
    memcpy(archive + 68, data, bytes);
    if (!sl_static_runtime_by_archive(&elf, archive, bytes + 68, &runtime, NULL))
        sl_static_runtime_match(&elf, &runtime, &elf, 1, NULL);
    sl_static_runtime_fini(&runtime);
    free(archive);
    return 0;
}
