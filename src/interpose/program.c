/* SPDX-License-Identifier: MIT */
#include "interpose/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "tune/rewrite/ptx.h"

/* What a runtime hands over of a fat binary. */
typedef struct wrapper {
    uint32_t magic, version;
    const void *container;
    const void *rest; /* version 2: containers to be linked */
} wrapper;
enum { WRAPPER_MAGIC = 0x466243b1, CONTAINER_MAGIC = 0xba55ed50, LINKED = 2 };

static struct {
    sl_map handles;
    SL_ARRAY(sl_device_range) ranges;
} state;

/* ---- code ---- */

static uint32_t magic_of(const void *image)
{
    uint32_t magic;
    memcpy(&magic, image, sizeof magic);
    return magic;
}

/* PTX text, which ends with a zero. */
static bool is_text(const void *image)
{
    const unsigned char *p = image;
    for (int i = 0; i < 4; i++)
        if (p[i] != '\n' && p[i] != '\t' && p[i] != '\r' && (p[i] < ' ' || p[i] > '~'))
            return false;
    return true;
}

/* The PTX of a container that the GPU would compile; none where it cannot be read. */
static void add_container(sl_ptx_sources *made, const void *container, uint32_t sm)
{
    sl_fatbin fatbin = {0};
    if (!sl_fatbin_add(&fatbin, container, sl_fatbin_container_bytes(container), false, NULL))
        sl_ptx_sources_add_fatbin(made, &fatbin, sm, NULL);
    sl_fatbin_fini(&fatbin);
}

const sl_ptx_sources *sl_program_image_add(const void *image, uint32_t sm)
{
    sl_ptx_sources *made = calloc(1, sizeof *made);
    if (!made || !image)
        return made;
    const wrapper *w = image;
    uint32_t magic = magic_of(image);
    if (magic == WRAPPER_MAGIC && w->version == LINKED)
        for (const void *const *c = w->rest; c && *c; c++)
            add_container(made, *c, sm);
    else if (magic == WRAPPER_MAGIC && w->container)
        add_container(made, w->container, sm);
    else if (magic == CONTAINER_MAGIC)
        add_container(made, image, sm);
    else if (magic != WRAPPER_MAGIC && is_text(image))
        sl_ptx_sources_add(made, strdup(image), strlen(image), "", NULL);
    return made;
}

const void *sl_program_apply(const sl_ptx_sources *known, const sl_plan_list *plans, uint32_t sm, sl_program_link *link,
                             uint64_t *applied, sl_error *error)
{
    size_t count = known ? known->count : 0, edits = 0;
    char **text = calloc(count + 1, sizeof *text);
    size_t *length = calloc(count + 1, sizeof *length);
    const void *image = NULL;
    for (size_t i = 0; text && length && i < count; i++) {
        const sl_ptx_source *from = &known->items[i];
        sl_ptx_apply_plans(from->ptx, from->length, from->name, plans, sm, &text[i], &length[i], applied, error);
        edits += text[i] != NULL;
        if (!text[i]) {
            text[i] = strdup(from->ptx);
            length[i] = from->length;
        }
    }
    if (edits && count == 1) { /* the driver compiles it */
        image = text[0];
        text[0] = NULL;
    } else if (edits) {
        image = link((const char *const *)text, length, count, error);
    }
    for (size_t i = 0; text && i < count; i++)
        free(text[i]);
    free(text);
    free(length);
    return image;
}

/* ---- handles ---- */

sl_program_handle *sl_program_handle_of(const void *handle)
{
    uint64_t key = (uint64_t)(uintptr_t)handle;
    return sl_map_get(&state.handles, (const char *)&key, sizeof key);
}

sl_program_handle *sl_program_handle_add(void *handle, const sl_ptx_sources *image, void *module, bool library,
                                         const char *kernel)
{
    sl_program_handle *entry = sl_program_handle_of(handle);
    bool known = entry != NULL;
    if (known && entry->image == image && entry->kernel && kernel && !strcmp(entry->kernel, kernel))
        return entry; /* asked for again */
    if (!known)
        entry = calloc(1, sizeof *entry);
    char *name = kernel ? strdup(kernel) : NULL;
    if (!entry || (kernel && !name)) {
        free(name);
        return NULL;
    }
    free(entry->kernel);
    *entry = (sl_program_handle){(uint64_t)(uintptr_t)handle, image, module, library, name, 0};
    if (!known && !sl_map_put(&state.handles, (const char *)&entry->handle, sizeof entry->handle, entry))
        return NULL;
    return entry;
}

/* ---- memory ---- */

void sl_program_allocated(uint64_t addr, uint64_t bytes)
{
    if (addr && bytes)
        sl_array_push(&state.ranges, (sl_device_range){addr, bytes});
}

void sl_program_freed(uint64_t addr)
{
    for (size_t i = state.ranges.count; i-- > 0;)
        if (state.ranges.items[i].addr == addr) {
            state.ranges.items[i] = state.ranges.items[--state.ranges.count];
            return;
        }
}

size_t sl_program_ranges(const sl_device_range **range)
{
    *range = state.ranges.items;
    return state.ranges.count;
}

const sl_device_range *sl_program_range_at(uint64_t addr)
{
    for (size_t i = 0; i < state.ranges.count; i++)
        if (addr - state.ranges.items[i].addr < state.ranges.items[i].bytes)
            return &state.ranges.items[i];
    return NULL;
}
