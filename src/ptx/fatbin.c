/* SPDX-License-Identifier: MIT */
/* Fat binaries: see fatbin.h. The layout was worked out from files of nvcc 11 to 13; fields not named here are not
 * used. */
#include "ptx/fatbin.h"

#include <lz4.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/unaligned.h"
#include "ptx/elf.h"

enum {
    CONTAINER_MAGIC = 0xBA55ED50,
    CONTAINER_HEADER = SL_FATBIN_HEADER, /* u32 magic, u16 version, u16 header bytes, u64 payload bytes */
    ENTRY_HEADER = 64,                   /* at least; the entry says how long it really is */
    FLAG_LZ4 = 0x2000,
    FLAG_ZSTD = 0x8000,
    FLAG_ARCH_SPECIFIC = 0x100000,   /* compute_90a */
    FLAG_FAMILY_SPECIFIC = 0x200000, /* compute_100f */
};
static const uint64_t MAX_PLAIN_BYTES = 1u << 30; /* no compiler output is near this: a damaged size */

void sl_fatbin_fini(sl_fatbin *fatbin)
{
    sl_array_free(&fatbin->entries);
    fatbin->containers = 0;
}

size_t sl_fatbin_container_bytes(const void *data)
{
    const uint8_t *p = data;
    if (sl_read32(p) != CONTAINER_MAGIC || sl_read16(p + 6) < CONTAINER_HEADER)
        return 0;
    return sl_read16(p + 6) + (size_t)sl_read64(p + 8);
}

/* The source file's name in the entry's header, when there is one. */
static const char *entry_name(const uint8_t *header, uint32_t header_bytes)
{
    uint32_t offset = sl_read32(header + 32), length = sl_read32(header + 36);
    if (offset < ENTRY_HEADER || offset >= header_bytes || length >= header_bytes - offset ||
        !memchr(header + offset, 0, header_bytes - offset))
        return "";
    return (const char *)header + offset;
}

/* Reads one entry at `p` with `left` bytes up to the container's end; *used says how many it took. */
static sl_status add_entry(sl_fatbin *fatbin, const uint8_t *p, size_t left, bool relocatable, size_t *used,
                           sl_error *error)
{
    if (left < ENTRY_HEADER)
        return sl_fail(error, SL_CORRUPT, "fat binary: an entry's header is cut off (%zu of %d bytes)", left,
                       ENTRY_HEADER);
    uint32_t header = sl_read32(p + 4), packed = sl_read32(p + 16);
    uint64_t payload = sl_read64(p + 8), flags = sl_read64(p + 40);
    if (header < ENTRY_HEADER || header > left || payload > left - header)
        return sl_fail(error, SL_CORRUPT, "fat binary: an entry of %u + %llu bytes lies outside its container", header,
                       (unsigned long long)payload);
    if (packed > payload)
        return sl_fail(error, SL_CORRUPT, "fat binary: an entry says it holds %u packed bytes, but has only %llu",
                       packed, (unsigned long long)payload);
    uint32_t version = sl_read32(p + 24); /* PTX 9.0: 0x00090000; cubins keep the two parts the same way */
    sl_fatbin_entry entry = {
        .kind = sl_read16(p),
        .packing = !packed             ? SL_FATBIN_RAW
                   : flags & FLAG_ZSTD ? SL_FATBIN_ZSTD
                                       : SL_FATBIN_LZ4,
        .relocatable = relocatable,
        .suffix = flags & FLAG_ARCH_SPECIFIC     ? 'a'
                  : flags & FLAG_FAMILY_SPECIFIC ? 'f'
                                                 : 0,
        .sm = sl_read32(p + 28),
        .version_major = (uint16_t)(version >> 16),
        .version_minor = (uint16_t)version,
        .container = fatbin->containers,
        .data = p + header,
        .bytes = packed ? packed : (size_t)payload,
        .plain_bytes = packed ? sl_read64(p + 56) : payload,
        .name = entry_name(p, header),
    };
    if (!sl_array_push(&fatbin->entries, entry))
        return sl_fail_memory(error);
    *used = header + (size_t)payload;
    return SL_OK;
}

sl_status sl_fatbin_add(sl_fatbin *fatbin, const void *data, size_t bytes, bool relocatable, sl_error *error)
{
    const uint8_t *p = data, *end = p + bytes;
    while (p < end) {
        if (*p == 0) { /* linkers align containers with zeros */
            p++;
            continue;
        }
        if ((size_t)(end - p) < CONTAINER_HEADER)
            return sl_fail(error, SL_CORRUPT, "fat binary: a container's header is cut off");
        if (sl_read32(p) != CONTAINER_MAGIC)
            return sl_fail(error, SL_CORRUPT, "fat binary: expected a container (0x%08X), found 0x%08X",
                           (unsigned)CONTAINER_MAGIC, sl_read32(p));
        uint16_t header = sl_read16(p + 6);
        uint64_t payload = sl_read64(p + 8);
        if (header < CONTAINER_HEADER || header > end - p || payload > (uint64_t)(end - p) - header)
            return sl_fail(error, SL_CORRUPT, "fat binary: a container of %u + %llu bytes is cut off", header,
                           (unsigned long long)payload);
        p += header;
        for (uint64_t left = payload; left;) {
            size_t used = 0;
            sl_status status = add_entry(fatbin, p, left, relocatable, &used, error);
            if (status)
                return status;
            p += used;
            left -= used;
        }
        fatbin->containers++;
    }
    return SL_OK;
}

sl_status sl_fatbin_add_elf(sl_fatbin *fatbin, const void *data, size_t bytes, sl_error *error)
{
    sl_elf elf;
    sl_status status = sl_elf_open(data, bytes, &elf, error);
    for (uint32_t i = 0; !status && i < elf.sections; i++) {
        sl_elf_section section;
        if (!sl_elf_section_at(&elf, i, &section) || !section.data)
            continue;
        bool relocatable = strcmp(section.name, "__nv_relfatbin") == 0;
        if (relocatable || strcmp(section.name, ".nv_fatbin") == 0)
            status = sl_fatbin_add(fatbin, section.data, section.bytes, relocatable, error);
    }
    return status;
}

/* Whether a driver of a machine of compute capability `sm` would take the entry. */
static bool fatbin_runs_on(const sl_fatbin_entry *entry, uint32_t sm)
{
    if (entry->suffix == 'a')
        return entry->sm == sm;
    if (entry->suffix == 'f')
        return entry->sm <= sm && entry->sm / 10 == sm / 10;
    return entry->sm <= sm;
}

/* How well an entry suits a machine `sm`; more is better. A driver takes the highest architecture that the machine has,
 * and of one architecture what was compiled for that chip or its family alone. */
static int64_t suitability(const sl_fatbin_entry *entry, uint32_t sm)
{
    int suffix = entry->suffix == 'a' ? 2 : entry->suffix == 'f' ? 1 : 0;
    if (fatbin_runs_on(entry, sm))
        return (int64_t)entry->sm * 4 + suffix;
    /* Nothing that a driver would take: the nearest, portable before specific. */
    int64_t distance = entry->sm > sm ? entry->sm - sm : (int64_t)UINT32_MAX + sm - entry->sm;
    return -1 - (distance * 4 + suffix);
}

static const sl_fatbin_entry *best_of(const sl_fatbin_entry *first, size_t count, uint16_t kind, uint32_t sm)
{
    const sl_fatbin_entry *best = NULL;
    for (size_t i = 0; i < count; i++)
        if (first[i].kind == kind && (!best || suitability(&first[i], sm) > suitability(best, sm)))
            best = &first[i];
    return best;
}

const sl_fatbin_entry *sl_fatbin_best_ptx(const sl_fatbin_entry *first, size_t count, uint32_t sm)
{
    return best_of(first, count, SL_FATBIN_PTX, sm);
}

const sl_fatbin_entry *sl_fatbin_next_ptx(const sl_fatbin *fatbin, size_t *at, uint32_t sm)
{
    const sl_fatbin_entry *all = fatbin->entries.items, *best = NULL;
    while (!best && *at < fatbin->entries.count) {
        size_t first = *at;
        while (*at < fatbin->entries.count && all[*at].container == all[first].container)
            ++*at;
        best = sl_fatbin_best_ptx(all + first, *at - first, sm);
    }
    return best;
}

const sl_fatbin_entry *sl_fatbin_best_cubin(const sl_fatbin_entry *first, size_t count, uint32_t sm)
{
    return best_of(first, count, SL_FATBIN_CUBIN, sm);
}

char *sl_fatbin_arch(const sl_fatbin_entry *entry, char *buffer, size_t size)
{
    const char suffix[2] = {entry->suffix, 0};
    snprintf(buffer, size, "%u%s", entry->sm, suffix);
    return buffer;
}

sl_status sl_fatbin_unpack(const sl_fatbin_entry *entry, char **plain, size_t *plain_bytes, sl_error *error)
{
    uint64_t size = entry->plain_bytes;
    /* An LZ4 block grows at most 255-fold. */
    if (size > MAX_PLAIN_BYTES || entry->bytes > MAX_PLAIN_BYTES ||
        (entry->packing == SL_FATBIN_LZ4 && size / 255 > entry->bytes))
        return sl_fail(error, SL_CORRUPT, "fat binary: an entry claims to unpack to %llu bytes",
                       (unsigned long long)size);
    char *text = malloc(size + 1);
    if (!text)
        return sl_fail_memory(error);
    bool whole = true;
    if (entry->packing == SL_FATBIN_ZSTD) {
        size_t got = ZSTD_decompress(text, size, entry->data, entry->bytes);
        whole = got == size;
        if (ZSTD_getErrorCode(got) == ZSTD_error_memory_allocation) {
            free(text);
            return sl_fail_memory(error);
        }
    } else if (entry->packing == SL_FATBIN_LZ4) {
        int got = LZ4_decompress_safe((const char *)entry->data, text, (int)entry->bytes, (int)size);
        whole = got >= 0 && (uint64_t)got == size;
    } else {
        memcpy(text, entry->data, size);
    }
    if (!whole) {
        free(text);
        return sl_fail(error, SL_CORRUPT, "fat binary: an entry for sm_%u does not unpack (%s)", entry->sm,
                       entry->packing == SL_FATBIN_ZSTD ? "zstd" : "LZ4");
    }
    if (entry->kind == SL_FATBIN_PTX)
        while (size && text[size - 1] == 0)
            size--;
    text[size] = 0;
    *plain = text;
    *plain_bytes = size;
    return SL_OK;
}

/* ---- writing ---- */

static void append_number(char **at, uint64_t value, size_t bytes)
{
    memcpy(*at, &value, bytes);
    *at += bytes;
}

/* Texts end with a zero and begin at a multiple of 8 bytes. */
static size_t padded(const sl_fatbin_entry *entry)
{
    return (entry->bytes + 8) / 8 * 8;
}

static char *append_entry(char *at, const sl_fatbin_entry *entry)
{
    char *text = at + ENTRY_HEADER;
    append_number(&at, entry->kind, 2);
    append_number(&at, 0x101, 2);
    append_number(&at, ENTRY_HEADER, 4);
    append_number(&at, padded(entry), 8);
    append_number(&at, 0, 8);
    append_number(&at, (uint32_t)entry->version_major << 16 | entry->version_minor, 4);
    append_number(&at, entry->sm, 4);
    append_number(&at, 0, 8);
    append_number(&at, entry->suffix == 'a' ? FLAG_ARCH_SPECIFIC : entry->suffix == 'f' ? FLAG_FAMILY_SPECIFIC : 0, 8);
    memcpy(text, entry->data, entry->bytes);
    return text + padded(entry);
}

sl_status sl_fatbin_make(const sl_fatbin_entry *entry, size_t count, uint16_t version, char **data, size_t *bytes,
                         sl_error *error)
{
    size_t payload = 0;
    for (size_t i = 0; i < count; i++)
        payload += ENTRY_HEADER + padded(&entry[i]);
    char *at = calloc(1, CONTAINER_HEADER + payload);
    if (!at)
        return sl_fail_memory(error);
    *data = at;
    *bytes = CONTAINER_HEADER + payload;
    append_number(&at, CONTAINER_MAGIC, 4);
    append_number(&at, version, 2);
    append_number(&at, CONTAINER_HEADER, 2);
    append_number(&at, payload, 8);
    for (size_t i = 0; i < count; i++)
        at = append_entry(at, &entry[i]);
    return SL_OK;
}
