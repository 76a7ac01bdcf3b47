/* SPDX-License-Identifier: MIT */
/* The ELF64 reader: see elf.h. Needs section headers (nothing CUDA-made comes without them). */
#include "ptx/elf.h"

#include <string.h>

#include "base/unaligned.h"

enum {
    HEADER_BYTES = 64,
    SECTION_BYTES = 64,
    SEGMENT_BYTES = 56,
    SYMBOL_BYTES = 24,
    DYNAMIC_BYTES = 16,
    TYPE_SYMTAB = 2,
    TYPE_STRTAB = 3,
    TYPE_DYNAMIC = 6,
    TYPE_NOBITS = 8,
    TYPE_DYNSYM = 11,
    SEGMENT_LOAD = 1,
    SEGMENT_INTERP = 3,
    SEGMENT_EXECUTABLE = 1,
    TAG_NEEDED = 1,
};

static bool inside(const sl_elf *elf, uint64_t offset, uint64_t bytes)
{
    return offset <= elf->bytes && bytes <= elf->bytes - offset;
}

bool sl_elf_is(const void *data, size_t bytes)
{
    return bytes >= 4 && memcmp(data,
                                "\x7f"
                                "ELF",
                                4) == 0;
}

sl_status sl_elf_open(const void *data, size_t bytes, sl_elf *elf, sl_error *error)
{
    const uint8_t *p = data;
    if (!sl_elf_is(data, bytes))
        return sl_fail(error, SL_INVALID, "not an ELF file");
    if (bytes < HEADER_BYTES)
        return sl_fail(error, SL_CORRUPT, "the ELF header is cut off after %zu bytes", bytes);
    if (p[4] != 2 || p[5] != 1)
        return sl_fail(error, SL_UNSUPPORTED, "only 64-bit little-endian ELF files are read");
    *elf = (sl_elf){.data = p,
                    .bytes = bytes,
                    .type = sl_read16(p + 16),
                    .machine = sl_read16(p + 18),
                    .abi_version = p[8],
                    .flags = sl_read32(p + 48),
                    .segment_table = sl_read64(p + 32),
                    .section_table = sl_read64(p + 40),
                    .segment_entry_bytes = sl_read16(p + 54),
                    .segments = sl_read16(p + 56),
                    .section_entry_bytes = sl_read16(p + 58),
                    .sections = sl_read16(p + 60),
                    .names = sl_read16(p + 62)};
    if (elf->segment_entry_bytes < SEGMENT_BYTES ||
        !inside(elf, elf->segment_table, (uint64_t)elf->segments * elf->segment_entry_bytes))
        elf->segments = 0;
    if (!elf->section_table)
        elf->sections = 0;
    if (elf->section_table && elf->section_entry_bytes < SECTION_BYTES)
        return sl_fail(error, SL_CORRUPT, "ELF section headers of %u bytes are too small", elf->section_entry_bytes);
    /* More than 65,279 sections: the true numbers are in section 0. */
    if (elf->section_table && (elf->sections == 0 || elf->names == 0xffff)) {
        if (!inside(elf, elf->section_table, SECTION_BYTES))
            return sl_fail(error, SL_CORRUPT, "the ELF section headers lie outside the file");
        const uint8_t *first = p + elf->section_table;
        if (elf->sections == 0) {
            uint64_t count = sl_read64(first + 32);
            elf->sections = count > UINT32_MAX ? 0 : (uint32_t)count;
        }
        if (elf->names == 0xffff)
            elf->names = sl_read32(first + 40);
    }
    if (!inside(elf, elf->section_table, (uint64_t)elf->sections * elf->section_entry_bytes))
        return sl_fail(error, SL_CORRUPT, "the ELF section headers lie outside the file");
    return SL_OK;
}

/* A NUL-terminated string at `offset` of a string table, or "". */
static const char *string_at(const uint8_t *table, size_t bytes, uint64_t offset)
{
    if (!table || offset >= bytes || !memchr(table + offset, 0, bytes - offset))
        return "";
    return (const char *)table + offset;
}

static bool section_raw(const sl_elf *elf, uint32_t index, sl_elf_section *section)
{
    if (index >= elf->sections)
        return false;
    const uint8_t *h = elf->data + elf->section_table + (uint64_t)index * elf->section_entry_bytes;
    uint64_t offset = sl_read64(h + 24), bytes = sl_read64(h + 32);
    *section = (sl_elf_section){.name = "",
                                .index = index,
                                .type = sl_read32(h + 4),
                                .flags = sl_read64(h + 8),
                                .addr = sl_read64(h + 16),
                                .link = sl_read32(h + 40),
                                .info = sl_read32(h + 44),
                                .entry_bytes = sl_read64(h + 56),
                                .bytes = bytes};
    if (section->type == TYPE_NOBITS)
        return true;
    if (!inside(elf, offset, bytes))
        section->bytes = 0;
    else if (bytes)
        section->data = elf->data + offset;
    return true;
}

bool sl_elf_section_at(const sl_elf *elf, uint32_t index, sl_elf_section *section)
{
    sl_elf_section names;
    if (!section_raw(elf, index, section))
        return false;
    if (section_raw(elf, elf->names, &names) && names.type == TYPE_STRTAB)
        section->name =
            string_at(names.data, names.bytes,
                      sl_read32(elf->data + elf->section_table + (uint64_t)index * elf->section_entry_bytes));
    return true;
}

bool sl_elf_section_named(const sl_elf *elf, const char *name, sl_elf_section *section)
{
    for (uint32_t i = 0; i < elf->sections; i++)
        if (sl_elf_section_at(elf, i, section) && strcmp(section->name, name) == 0)
            return true;
    return false;
}

static size_t elf_symbol_count(const sl_elf_section *table)
{
    return table->data ? table->bytes / SYMBOL_BYTES : 0;
}

bool sl_elf_symbol_at(const sl_elf *elf, const sl_elf_section *table, size_t index, sl_elf_symbol *symbol)
{
    sl_elf_section names;
    if (index >= elf_symbol_count(table))
        return false;
    const uint8_t *s = table->data + index * SYMBOL_BYTES;
    *symbol = (sl_elf_symbol){.name = "",
                              .kind = s[4] & 15,
                              .bind = s[4] >> 4,
                              .section = sl_read16(s + 6),
                              .value = sl_read64(s + 8),
                              .size = sl_read64(s + 16)};
    if (section_raw(elf, table->link, &names) && names.type == TYPE_STRTAB)
        symbol->name = string_at(names.data, names.bytes, sl_read32(s));
    return true;
}

static bool section_of_type(const sl_elf *elf, uint32_t type, sl_elf_section *section)
{
    for (uint32_t i = 0; i < elf->sections; i++)
        if (section_raw(elf, i, section) && section->type == type)
            return true;
    return false;
}

bool sl_elf_dynamic_symbols(const sl_elf *elf, sl_elf_section *table)
{
    return section_of_type(elf, TYPE_DYNSYM, table);
}

bool sl_elf_symbol_table(const sl_elf *elf, sl_elf_section *table)
{
    return section_of_type(elf, TYPE_SYMTAB, table) || sl_elf_dynamic_symbols(elf, table);
}

bool sl_elf_dynamic_symbol(const sl_elf *elf, const char *name, bool *defined)
{
    sl_elf_section table;
    sl_elf_symbol symbol;
    if (!sl_elf_dynamic_symbols(elf, &table))
        return false;
    for (size_t s = 0; sl_elf_symbol_at(elf, &table, s, &symbol); s++)
        if (strcmp(symbol.name, name) == 0) {
            *defined = symbol.section != 0;
            return true;
        }
    return false;
}

const char *sl_elf_needed(const sl_elf *elf, size_t index)
{
    for (uint32_t i = 0; i < elf->sections; i++) {
        sl_elf_section dynamic, names;
        if (!section_raw(elf, i, &dynamic) || dynamic.type != TYPE_DYNAMIC || !dynamic.data ||
            !section_raw(elf, dynamic.link, &names) || names.type != TYPE_STRTAB)
            continue;
        for (size_t e = 0; e + DYNAMIC_BYTES <= dynamic.bytes; e += DYNAMIC_BYTES)
            if (sl_read64(dynamic.data + e) == TAG_NEEDED && index-- == 0)
                return string_at(names.data, names.bytes, sl_read64(dynamic.data + e + 8));
    }
    return NULL;
}

static const uint8_t *segment_header(const sl_elf *elf, uint32_t index)
{
    return elf->data + elf->segment_table + (uint64_t)index * elf->segment_entry_bytes;
}

bool sl_elf_is_dynamic(const sl_elf *elf)
{
    for (uint32_t i = 0; i < elf->segments; i++)
        if (sl_read32(segment_header(elf, i)) == SEGMENT_INTERP)
            return true;
    return false;
}

bool sl_elf_segment_at(const sl_elf *elf, uint32_t index, sl_elf_segment *segment)
{
    if (index >= elf->segments)
        return false;
    const uint8_t *h = segment_header(elf, index);
    uint64_t offset = sl_read64(h + 8), bytes = sl_read64(h + 32);
    if (sl_read32(h) != SEGMENT_LOAD || !inside(elf, offset, bytes))
        return false;
    *segment = (sl_elf_segment){.executable = (sl_read32(h + 4) & SEGMENT_EXECUTABLE) != 0,
                                .addr = sl_read64(h + 16),
                                .data = elf->data + offset,
                                .bytes = bytes};
    return true;
}
