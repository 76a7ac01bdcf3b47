/* SPDX-License-Identifier: MIT */
/* Fat binaries and the ELF files around and inside them: any bytes give an answer or an error. */
#include <stdint.h>
#include <stdlib.h>

#include "ptx/cubin.h"
#include "ptx/elf.h"
#include "ptx/fatbin.h"
#include "ptx/sass.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void read_cubin(const void *data, size_t bytes)
{
    sl_cubin cubin = {0};
    sl_error error;
    sl_cubin_read(data, bytes, &cubin, &error);
    for (size_t i = 0; i < cubin.kernels.count && i < 16; i++) {
        const sl_cubin_kernel *kernel = &cubin.kernels.items[i];
        sl_sass_inst *inst = calloc(kernel->code_bytes / SL_SASS_BYTES + 1, sizeof *inst);
        if (inst)
            sl_sass_decode(cubin.sm, kernel->code, kernel->code_bytes, inst, &error);
        free(inst);
    }
    sl_cubin_fini(&cubin);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    sl_fatbin fatbin = {0};
    sl_error error;
    if (sl_elf_is(data, bytes))
        sl_fatbin_add_elf(&fatbin, data, bytes, &error);
    else
        sl_fatbin_add(&fatbin, data, bytes, false, &error);
    read_cubin(data, bytes);
    for (size_t i = 0; i < fatbin.entries.count; i++) {
        const sl_fatbin_entry *entry = &fatbin.entries.items[i];
        char *plain;
        size_t plain_bytes;
        /* Sizes that only eat memory teach nothing. */
        if (entry->plain_bytes > 1 << 20 || sl_fatbin_unpack(entry, &plain, &plain_bytes, &error))
            continue;
        read_cubin(plain, plain_bytes);
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
