/* Texture objects: a table of descriptions, looked up by handle. */
#include <stdlib.h>

#include "base/array.h"
#include "emu/warp.h"

struct sl_textures {
    SL_ARRAY(sl_texture) items;
    SL_ARRAY(bool) live;
};

enum { FIRST_OBJECT = 1 };

sl_status sl_emu_texture_create(sl_emu *emu, const sl_texture *texture, uint64_t *object, sl_error *error)
{
    if (!emu->textures && !(emu->textures = calloc(1, sizeof *emu->textures)))
        return sl_fail_memory(error);
    struct sl_textures *t = emu->textures;
    if (texture->dims < 1 || texture->dims > 3 || !texture->size[0])
        return sl_fail(error, SL_INVALID, "a texture of %u dimensions", texture->dims);
    if (!sl_array_reserve(&t->live, 1) || !sl_array_push(&t->items, *texture) || !sl_array_push(&t->live, true))
        return sl_fail_memory(error);
    *object = FIRST_OBJECT + t->items.count - 1;
    return SL_OK;
}

const sl_texture *sl_emu_texture(const sl_emu *emu, uint64_t object)
{
    const struct sl_textures *t = emu->textures;
    uint64_t index = object - FIRST_OBJECT;
    return t && index < t->items.count && t->live.items[index] ? &t->items.items[index] : NULL;
}

sl_status sl_emu_texture_destroy(sl_emu *emu, uint64_t object, sl_error *error)
{
    if (!sl_emu_texture(emu, object))
        return sl_fail(error, SL_NOT_FOUND, "no texture object %llu", (unsigned long long)object);
    emu->textures->live.items[object - FIRST_OBJECT] = false;
    return SL_OK;
}

void sl_textures_destroy(struct sl_textures *textures)
{
    if (!textures)
        return;
    sl_array_free(&textures->items);
    sl_array_free(&textures->live);
    free(textures);
}

const sl_texture *sl_warp_texture(sl_warp *warp, const sl_op *op, int lane, uint64_t object)
{
    const sl_texture *texture = sl_emu_texture(warp->worker->run->emu, object);
    if (!texture)
        sl_fault_raise(warp, op->inst, lane, SL_FAULT_ILLEGAL_ADDRESS, "0x%llx is not a texture object",
                       (unsigned long long)object);
    return texture;
}
