/* SPDX-License-Identifier: MIT */
#include "tune/memory_image.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"

typedef SL_ARRAY(sl_image_part) part_list;

static bool is_variable(const sl_ptx_var *var)
{
    return var->linkage != SL_LINK_EXTERN && (var->space == SL_SPACE_GLOBAL || var->space == SL_SPACE_CONST) &&
           var->bytes;
}

/* Variables that the device does not name are not saved: only kernels of the module can reach them. */
static sl_status list_variables(sl_device_module *module, part_list *parts, sl_error *error)
{
    const sl_ptx_module *ptx = sl_device_module_ptx(module);
    for (uint32_t i = 0; i < ptx->vars; i++) {
        sl_image_part part = {.variable = ptx->var[i]->name};
        if (!is_variable(ptx->var[i]) || sl_device_symbol(module, part.variable, &part.addr, &part.bytes, NULL))
            continue;
        if (!sl_array_push(parts, part))
            return sl_fail_memory(error);
    }
    return SL_OK;
}

sl_status sl_image_capture(sl_image *image, sl_device *device, sl_device_module *module, sl_error *error)
{
    const sl_device_range *range;
    size_t ranges = sl_device_ranges(device, &range);
    part_list parts = {0};
    *image = (sl_image){.device = device};
    sl_status status = SL_OK;
    for (size_t i = 0; i < ranges && !status; i++)
        if (range[i].bytes && !sl_array_push(&parts, (sl_image_part){.addr = range[i].addr, .bytes = range[i].bytes}))
            status = sl_fail_memory(error);
    if (!status && module)
        status = list_variables(module, &parts, error);
    image->part = parts.items;
    for (size_t i = 0; i < parts.count && !status; i++) {
        status = sl_device_alloc(device, image->part[i].bytes, "kept copy", &image->part[i].copy, error);
        if (!status) {
            image->parts++;
            status =
                sl_device_copy_within(device, image->part[i].copy, image->part[i].addr, image->part[i].bytes, error);
        }
    }
    if (status)
        sl_image_free(image);
    return status;
}

void sl_image_free(sl_image *image)
{
    for (size_t i = 0; i < image->parts; i++)
        sl_device_free(image->device, image->part[i].copy, NULL);
    free(image->part);
    *image = (sl_image){0};
}

void sl_image_addresses(const sl_image *image, sl_device_module *module, uint64_t *addr)
{
    for (size_t i = 0; i < image->parts; i++) {
        uint64_t bytes;
        addr[i] = image->part[i].addr;
        if (image->part[i].variable && sl_device_symbol(module, image->part[i].variable, &addr[i], &bytes, NULL))
            addr[i] = 0;
    }
}

sl_status sl_image_restore(const sl_image *image, const uint64_t *addr, bool all, sl_error *error)
{
    sl_status status = SL_OK;
    for (size_t i = 0; i < image->parts && !status; i++) {
        const sl_image_part *part = &image->part[i];
        if ((all || part->changes) && (!addr || addr[i]))
            status = sl_device_copy_within(image->device, addr ? addr[i] : part->addr, part->copy, part->bytes, error);
    }
    return status;
}

sl_status sl_image_hash(const sl_image *image, const uint64_t *addr, bool all, uint64_t *hash, sl_error *error)
{
    uint64_t max = 0;
    for (size_t i = 0; i < image->parts; i++)
        if (image->part[i].bytes > max)
            max = image->part[i].bytes;
    uint8_t *data = malloc(max + 1);
    sl_status status = data ? SL_OK : sl_fail_memory(error);
    for (size_t i = 0; i < image->parts && !status; i++) {
        const sl_image_part *part = &image->part[i];
        if ((!all && !part->changes) || (addr && !addr[i]))
            continue;
        status = sl_device_copy_out(image->device, data, addr ? addr[i] : part->addr, part->bytes, error);
        if (!status)
            hash[i] = sl_hash64_bulk(data, part->bytes);
    }
    free(data);
    return status;
}
