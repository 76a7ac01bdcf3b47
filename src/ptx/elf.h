/* SPDX-License-Identifier: MIT */
/* A bounds-checked reader of ELF64 files in memory: sections, symbols, needed libraries.
 *
 * Works on executables, objects, shared objects and cubins (which are ELF too). The image is borrowed and never
 * changed. Every offset of the file is checked before it is used, so a damaged file gives an error or an empty answer.
 * Only little-endian 64-bit files are read: CUDA knows no others. */
#ifndef SL_PTX_ELF_H
#define SL_PTX_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sluice/error.h"

enum { SL_ELF_RELOCATABLE = 1, SL_ELF_EXECUTABLE = 2, SL_ELF_SHARED = 3 };
enum { SL_ELF_MACHINE_X86_64 = 62, SL_ELF_MACHINE_CUDA = 190 };

typedef struct sl_elf {
    const uint8_t *data;
    size_t bytes;
    uint16_t type, machine;
    uint8_t abi_version;
    uint32_t flags;
    uint32_t sections;
    uint64_t section_table;
    uint16_t section_entry_bytes;
    uint32_t names; /* index of the section that holds section names */
    uint32_t segments;
    uint64_t segment_table;
    uint16_t segment_entry_bytes;
} sl_elf;

typedef struct sl_elf_section {
    const char *name; /* "" when it cannot be read */
    uint32_t index, type, link, info;
    uint64_t flags, addr, entry_bytes;
    const uint8_t *data; /* NULL for sections without bytes in the file */
    size_t bytes;        /* of data; for .bss-like sections the size in memory */
} sl_elf_section;

/* A part of the file that is mapped into memory. */
typedef struct sl_elf_segment {
    bool executable;
    uint64_t addr;       /* in memory, before relocation */
    const uint8_t *data; /* its bytes in the file */
    size_t bytes;
} sl_elf_segment;

typedef struct sl_elf_symbol {
    const char *name;
    uint8_t kind;     /* STT_* */
    uint8_t bind;     /* STB_* */
    uint16_t section; /* 0: undefined */
    uint64_t value, size;
} sl_elf_symbol;

/* True when the bytes start like an ELF file. */
bool sl_elf_is(const void *data, size_t bytes);
sl_status sl_elf_open(const void *data, size_t bytes, sl_elf *elf, sl_error *error);
/* False when there is no such section or its header lies outside the file. */
bool sl_elf_section_at(const sl_elf *elf, uint32_t index, sl_elf_section *section);
bool sl_elf_section_named(const sl_elf *elf, const char *name, sl_elf_section *section);
bool sl_elf_symbol_at(const sl_elf *elf, const sl_elf_section *table, size_t index, sl_elf_symbol *symbol);
/* The symbol table of the file: the complete one, else the dynamic one. */
bool sl_elf_symbol_table(const sl_elf *elf, sl_elf_section *table);
/* The dynamic one. */
bool sl_elf_dynamic_symbols(const sl_elf *elf, sl_elf_section *table);
/* Whether the dynamic symbol table names `symbol`, defined here or not. */
bool sl_elf_dynamic_symbol(const sl_elf *elf, const char *name, bool *defined);
/* The index-th library the file says it needs (DT_NEEDED), or NULL. */
const char *sl_elf_needed(const sl_elf *elf, size_t index);
/* Whether the file asks for a dynamic loader. */
bool sl_elf_is_dynamic(const sl_elf *elf);
/* The segment with this number; false when it is not mapped (or there is none), or lies outside the file. */
bool sl_elf_segment_at(const sl_elf *elf, uint32_t index, sl_elf_segment *segment);

#endif
