/* SPDX-License-Identifier: MIT */
/* Cubin facts: see cubin.h. Section `.nv.info` is a sequence of records: u8 format, u8 attribute, and then for format 4
 * a u16 size and so many bytes, for all others two bytes of value. */
#include "ptx/cubin.h"

#include <string.h>

#include "ptx/elf.h"

enum {
    ABI_OF_CUDA_13 = 8, /* the machine's number has another place in the flags of the file since then */
    FORMAT_SIZED = 4,
    ATTRIBUTE_FRAME_SIZE = 0x11, /* u32 symbol, u32 bytes */
    ATTRIBUTE_REGISTERS = 0x2f,  /* u32 symbol, u32 registers */
};

void sl_cubin_fini(sl_cubin *cubin)
{
    sl_array_free(&cubin->kernels);
}

static sl_cubin_kernel *find(const sl_cubin *cubin, const char *name)
{
    for (size_t i = 0; i < cubin->kernels.count; i++)
        if (strcmp(cubin->kernels.items[i].name, name) == 0)
            return &cubin->kernels.items[i];
    return NULL;
}

const sl_cubin_kernel *sl_cubin_find(const sl_cubin *cubin, const char *name)
{
    return find(cubin, name);
}

/* Every function with code has a section .text.NAME; older tools keep the register count in the top of its info. */
static sl_status read_sections(const sl_elf *elf, sl_cubin *cubin, sl_error *error)
{
    sl_elf_section section;
    for (uint32_t i = 0; i < elf->sections; i++)
        if (sl_elf_section_at(elf, i, &section) && strncmp(section.name, ".text.", 6) == 0 &&
            !sl_array_push(&cubin->kernels, (sl_cubin_kernel){.name = section.name + 6,
                                                              .registers = section.info >> 24,
                                                              .code = section.data,
                                                              .code_bytes = section.data ? section.bytes : 0}))
            return sl_fail_memory(error);
    for (uint32_t i = 0; i < elf->sections; i++) {
        if (!sl_elf_section_at(elf, i, &section) || strncmp(section.name, ".nv.shared.", 11) != 0)
            continue;
        sl_cubin_kernel *kernel = find(cubin, section.name + 11);
        if (kernel && section.bytes <= UINT32_MAX)
            kernel->static_shared_bytes = (uint32_t)section.bytes;
    }
    return SL_OK;
}

static void read_record(const sl_elf *elf, const sl_elf_section *symbols, const uint8_t *record, uint8_t attribute,
                        sl_cubin *cubin)
{
    uint32_t index, value;
    sl_elf_symbol symbol;
    memcpy(&index, record, 4);
    memcpy(&value, record + 4, 4);
    if (!sl_elf_symbol_at(elf, symbols, index, &symbol))
        return;
    sl_cubin_kernel *kernel = find(cubin, symbol.name);
    if (kernel && attribute == ATTRIBUTE_REGISTERS)
        kernel->registers = value;
    else if (kernel && attribute == ATTRIBUTE_FRAME_SIZE)
        kernel->stack_bytes = value;
}

sl_status sl_cubin_read(const void *data, size_t bytes, sl_cubin *cubin, sl_error *error)
{
    sl_elf elf;
    sl_elf_section info, symbols;
    sl_status status = sl_elf_open(data, bytes, &elf, error);
    if (status)
        return status;
    if (elf.machine != SL_ELF_MACHINE_CUDA)
        return sl_fail(error, SL_INVALID, "not a cubin: an ELF file for machine %u", elf.machine);
    cubin->sm = elf.abi_version < ABI_OF_CUDA_13 ? elf.flags & 0xff : elf.flags >> 8 & 0xff;
    status = read_sections(&elf, cubin, error);
    if (status || !sl_elf_section_named(&elf, ".nv.info", &info) || !info.data ||
        !sl_elf_section_at(&elf, info.link, &symbols))
        return status;
    for (size_t at = 0; at + 4 <= info.bytes;) {
        const uint8_t *record = info.data + at;
        if (record[0] != FORMAT_SIZED) {
            at += 4;
            continue;
        }
        uint16_t size;
        memcpy(&size, record + 2, 2);
        if (size > info.bytes - at - 4)
            return sl_fail(error, SL_CORRUPT, "cubin: a record of .nv.info is cut off");
        if (size == 8)
            read_record(&elf, &symbols, record + 4, record[1], cubin);
        at += 4 + (size_t)size;
    }
    return SL_OK;
}
