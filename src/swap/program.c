/* SPDX-License-Identifier: MIT */
#include "swap/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "bypass/ptx_loads.h"
#include "ptx/fatbin.h"
#include "rewrite/fatbin.h"
#include "rewrite/ptx.h"

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

static const void *container_of(const void *image)
{
    const wrapper *w = image;
    if (magic_of(image) == WRAPPER_MAGIC)
        return w->version == LINKED ? NULL : w->container;
    return magic_of(image) == CONTAINER_MAGIC ? image : NULL;
}

/* PTX text, which ends with a zero: the first line that is no comment names a version. */
static bool is_text(const void *image)
{
    const unsigned char *p = image;
    for (int i = 0; i < 4; i++)
        if (p[i] != '\n' && p[i] != '\t' && p[i] != '\r' && (p[i] < ' ' || p[i] > '~'))
            return false;
    return true;
}

static void take_container(sl_program_image *made, const void *container, uint32_t sm)
{
    sl_fatbin fatbin = {0};
    if (!sl_fatbin_add(&fatbin, container, sl_fatbin_container_bytes(container), false, NULL)) {
        const sl_fatbin_entry *best = sl_fatbin_best_ptx(fatbin.entries.items, fatbin.entries.count, sm);
        if (best && !sl_fatbin_unpack(best, &made->ptx, &made->length, NULL))
            snprintf(made->name, sizeof made->name, "%s", *best->name ? best->name : "PTX");
    }
    sl_fatbin_fini(&fatbin);
}

const sl_program_image *sl_program_image_add(const void *image, uint32_t sm)
{
    sl_program_image *made = calloc(1, sizeof *made);
    const void *container = image ? container_of(image) : NULL;
    if (made && container) {
        take_container(made, container, sm);
    } else if (made && image && is_text(image)) {
        made->ptx = strdup(image);
        made->length = made->ptx ? strlen(made->ptx) : 0;
        snprintf(made->name, sizeof made->name, "PTX");
    }
    return made;
}

static uint64_t chosen(const sl_plan *plan)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < plan->loads; i++)
        count += plan->load[i].mode != 0;
    return count;
}

static const void *apply_to_container(const void *image, const void *container, const sl_plan *plan, uint32_t sm,
                                      uint32_t *texts, sl_error *error)
{
    void *edited = NULL;
    size_t bytes;
    if (sl_fatbin_apply(container, plan, sm, &edited, &bytes, texts, error) || !edited || container == image)
        return edited;
    wrapper *copy = malloc(sizeof *copy);
    if (!copy) {
        free(edited);
        return NULL;
    }
    *copy = *(const wrapper *)image;
    copy->container = edited;
    return copy;
}

static const void *apply_to_text(const char *text, const sl_plan *plan, uint32_t sm, sl_error *error)
{
    sl_ptx_module *module;
    uint64_t hash = 0;
    char *edited = NULL;
    size_t length;
    if (sl_ptx_parse(text, strlen(text), "PTX", &module, NULL))
        return NULL;
    bool belongs = !sl_ptx_code_hash(module, &hash, NULL) && hash == plan->code_hash;
    sl_ptx_free(module);
    if (belongs)
        sl_ptx_apply(text, strlen(text), "PTX", plan, sm, &edited, &length, error);
    return edited;
}

const void *sl_program_apply(const void *image, const sl_plan_list *plans, uint32_t sm, uint64_t *applied,
                             uint64_t *texts, sl_error *error)
{
    const void *container = image ? container_of(image) : NULL;
    bool text = image && !container && is_text(image);
    const void *edited = NULL;
    uint32_t seen = text;
    for (uint32_t i = 0; i < plans->count && !edited && (container || text); i++) {
        const sl_plan *plan = &plans->plan[i];
        seen = text;
        if (!chosen(plan))
            continue;
        edited = container ? apply_to_container(image, container, plan, sm, &seen, error)
                           : apply_to_text(image, plan, sm, error);
        if (edited)
            *applied += chosen(plan);
    }
    *texts += seen;
    return edited ? edited : image;
}

/* ---- handles ---- */

sl_program_handle *sl_program_handle_of(const void *handle)
{
    uint64_t key = (uint64_t)(uintptr_t)handle;
    return sl_map_get(&state.handles, (const char *)&key, sizeof key);
}

sl_program_handle *sl_program_handle_add(void *handle, const sl_program_image *image, void *module, bool library,
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
