/* SPDX-License-Identifier: MIT */
/* Fat binaries and the ELF files around and inside them: any bytes give an answer or an error. */
#include <stdint.h>
#include <stdlib.h>

#include "ptx/cubin.h"
#include "ptx/elf.h"
#include "ptx/fatbin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    sl_fatbin fatbin = {0};
    sl_error error;
    if (sl_elf_is(data, bytes))
        sl_fatbin_add_elf(&fatbin, data, bytes, &error);
    else
        sl_fatbin_add(&fatbin, data, bytes, false, &error);
    sl_cubin whole = {0};
    sl_cubin_read(data, bytes, &whole, &error);
    sl_cubin_fini(&whole);
    for (size_t i = 0; i < fatbin.entries.count; i++) {
        const sl_fatbin_entry *entry = &fatbin.entries.items[i];
        char *plain;
        size_t plain_bytes;
        /* Sizes that only eat memory teach nothing. */
        if (entry->plain_bytes > 1 << 20 || sl_fatbin_unpack(entry, &plain, &plain_bytes, &error))
            continue;
        sl_cubin cubin = {0};
        sl_cubin_read(plain, plain_bytes, &cubin, &error);
        sl_cubin_fini(&cubin);
        free(plain);
    }
    sl_fatbin_best_ptx(fatbin.entries.items, fatbin.entries.count, 90);
    sl_fatbin_fini(&fatbin);

    sl_elf elf;
    bool defined;
    if (!sl_elf_open(data, bytes, &elf, &error)) {
        for (size_t i = 0; i < 16 && sl_elf_needed(&elf, i); i++)
            continue;
        sl_elf_dynamic_symbol(&elf, "__cudaRegisterFatBinary", &defined);
        sl_elf_is_dynamic(&elf);
    }
    return 0;
}
