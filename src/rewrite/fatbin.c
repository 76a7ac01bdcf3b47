/* SPDX-License-Identifier: MIT */
#include "rewrite/fatbin.h"

#include <stdlib.h>
#include <string.h>

#include "bypass/ptx_loads.h"
#include "ptx/fatbin.h"
#include "rewrite/ptx.h"

/* Fields of the two headers that differ from those of the original; see ptx/fatbin.c for all of them. */
enum {
    CONTAINER_HEADER = 16,
    CONTAINER_PAYLOAD = 8,  /* u64 */
    ENTRY_HEADER_BYTES = 4, /* u32 */
    ENTRY_PAYLOAD = 8,      /* u64 */
    ENTRY_PACKED = 16,      /* u32 */
    ENTRY_VERSION = 24,     /* u32: major << 16 | minor */
    ENTRY_SM = 28,          /* u32 */
    ENTRY_FLAGS = 40,       /* u64 */
    ENTRY_PLAIN = 56,       /* u64 */
    PACKED_FLAGS = 0x2000 | 0x8000,
};

static void put32(uint8_t *p, uint32_t value)
{
    memcpy(p, &value, sizeof value);
}

static void put64(uint8_t *p, uint64_t value)
{
    memcpy(p, &value, sizeof value);
}

/* The header of the entry whose data starts at `data`: it lies in front, as long as it says. */
static const uint8_t *header_of(const uint8_t *container, const uint8_t *data)
{
    const uint8_t *p = container + CONTAINER_HEADER;
    for (;;) {
        uint32_t header;
        uint64_t payload;
        memcpy(&header, p + ENTRY_HEADER_BYTES, sizeof header);
        memcpy(&payload, p + ENTRY_PAYLOAD, sizeof payload);
        if (p + header == data)
            return p;
        p += header + payload;
    }
}

/* A container of one entry: that of the original with another text, not packed. */
static sl_status build(const uint8_t *container, const sl_fatbin_entry *entry, const char *text, size_t length,
                       uint32_t sm, void **out, size_t *out_bytes, sl_error *error)
{
    const uint8_t *old = header_of(container, entry->data);
    uint64_t payload = (length + 1 + 7) / 8 * 8, flags;
    uint32_t header, version;
    memcpy(&header, old + ENTRY_HEADER_BYTES, sizeof header);
    memcpy(&flags, old + ENTRY_FLAGS, sizeof flags);
    memcpy(&version, old + ENTRY_VERSION, sizeof version);
    uint8_t *made = calloc(1, CONTAINER_HEADER + header + payload), *p = made + CONTAINER_HEADER;
    if (!made)
        return sl_fail_memory(error);
    memcpy(made, container, CONTAINER_HEADER);
    put64(made + CONTAINER_PAYLOAD, header + payload);
    memcpy(p, old, header);
    put64(p + ENTRY_PAYLOAD, payload);
    put32(p + ENTRY_PACKED, 0);
    put64(p + ENTRY_FLAGS, flags & ~(uint64_t)PACKED_FLAGS);
    put64(p + ENTRY_PLAIN, 0);
    uint32_t min = SL_PTX_HINT_MAJOR << 16 | SL_PTX_HINT_MINOR;
    put32(p + ENTRY_VERSION, version > min ? version : min);
    put32(p + ENTRY_SM, entry->sm > sm ? entry->sm : sm);
    memcpy(p + header, text, length);
    *out = made;
    *out_bytes = CONTAINER_HEADER + header + payload;
    return SL_OK;
}

/* Whether the plan was made for this text. One that does not parse is not it. */
static bool belongs(const sl_plan *plan, const char *text, size_t length)
{
    sl_ptx_module *module;
    uint64_t hash = 0;
    if (sl_ptx_parse(text, length, "PTX", &module, NULL))
        return false;
    bool same = !sl_ptx_code_hash(module, &hash, NULL) && hash == plan->code_hash;
    sl_ptx_free(module);
    return same;
}

static sl_status try_entry(const void *container, const sl_fatbin_entry *entry, const sl_plan *plan, uint32_t sm,
                           void **out, size_t *out_bytes, sl_error *error)
{
    char *text = NULL, *edited = NULL;
    size_t length = 0, edited_length = 0;
    sl_status status = sl_fatbin_unpack(entry, &text, &length, error);
    if (!status && belongs(plan, text, length)) {
        status =
            sl_ptx_apply(text, length, *entry->name ? entry->name : "PTX", plan, sm, &edited, &edited_length, error);
        if (!status)
            status = build(container, entry, edited, edited_length, sm, out, out_bytes, error);
    }
    free(text);
    free(edited);
    return status;
}

sl_status sl_fatbin_apply(const void *container, const sl_plan *plan, uint32_t sm, void **out, size_t *out_bytes,
                          uint32_t *texts, sl_error *error)
{
    sl_fatbin fatbin = {0};
    *out = NULL;
    sl_status status = sl_fatbin_add(&fatbin, container, sl_fatbin_container_bytes(container), false, error);
    for (size_t i = 0; i < fatbin.entries.count && !status && !*out; i++) {
        const sl_fatbin_entry *entry = &fatbin.entries.items[i];
        if (entry->kind != SL_FATBIN_PTX)
            continue;
        if (texts)
            ++*texts;
        status = try_entry(container, entry, plan, sm, out, out_bytes, error);
    }
    sl_fatbin_fini(&fatbin);
    return status;
}
