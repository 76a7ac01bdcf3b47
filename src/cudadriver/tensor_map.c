/* SPDX-License-Identifier: MIT */
/* Tensor maps. What a map holds is the emulator's (emu/tensor_map.h). */
#include "cudadriver/driver.h"

#include <string.h>

#include "emu/tensor_map.h"

/* What tiled and im2col maps have in common. */
typedef struct tensor {
    int type;
    uint32_t rank;
    void *address;
    const uint64_t *size, *stride;
    const uint32_t *element_stride;
    int interleave, swizzle, promotion, fill;
} tensor;

static bool in_range(int value, int count)
{
    return value >= 0 && value < count;
}

static bool start(sl_tensor_map *map, const tensor *t)
{
    if (!in_range(t->type, SL_TENSOR_TYPES) || !t->rank || t->rank > SL_TENSOR_DIMS || !t->size ||
        (!t->stride && t->rank > 1) || !t->element_stride || !in_range(t->interleave, 3) || !in_range(t->swizzle, 5) ||
        !in_range(t->promotion, 4) || !in_range(t->fill, 2))
        return false;
    *map = (sl_tensor_map){.type = (uint8_t)t->type,
                           .rank = (uint8_t)t->rank,
                           .interleave = (uint8_t)t->interleave,
                           .swizzle = (uint8_t)t->swizzle,
                           .promotion = (uint8_t)t->promotion,
                           .fill = (uint8_t)t->fill,
                           .address = (uintptr_t)t->address};
    for (uint32_t i = 0; i < t->rank; i++) {
        if (!t->size[i] || t->size[i] > UINT64_C(1) << 32 || !t->element_stride[i] || t->element_stride[i] > 8)
            return false;
        map->last[i] = (uint32_t)(t->size[i] - 1);
        map->element_stride[i] = (uint8_t)t->element_stride[i];
        if (i)
            map->stride[i - 1] = t->stride[i - 1];
    }
    return true;
}

/* A map is stored only if it can be used. */
static cudaError_t finish(void *to, const sl_tensor_map *map)
{
    static bool said;
    const char *wrong = sl_proc_tensor_map_wrong(map);
    if (wrong || !to || (uintptr_t)to % 64)
        return map->interleave ? sl_proc_missing("a tensor map of an interleaved layout", &said)
                               : cudaErrorInvalidValue;
    memcpy(to, map, sizeof *map);
    return cudaSuccess;
}

static cudaError_t encode_tiled(void *to, const tensor *t, const uint32_t *box)
{
    sl_tensor_map map;
    if (!box || !start(&map, t))
        return cudaErrorInvalidValue;
    for (uint32_t i = 0; i < t->rank; i++) {
        if (box[i] > 256)
            return cudaErrorInvalidValue;
        map.box[i] = (uint16_t)box[i];
    }
    return finish(to, &map);
}

static cudaError_t encode_im2col(void *to, const tensor *t, const int *lower, const int *upper, uint32_t channels,
                                 uint32_t pixels)
{
    sl_tensor_map map;
    if (!lower || !upper || !channels || channels > 256 || !pixels || pixels > 1024 || t->rank < 3 || !start(&map, t))
        return cudaErrorInvalidValue;
    map.im2col = 1;
    map.box[0] = (uint16_t)channels;
    map.box[1] = (uint16_t)pixels;
    for (uint32_t i = 0; i + 2 < t->rank; i++) {
        if (lower[i] != (int16_t)lower[i] || upper[i] != (int16_t)upper[i])
            return cudaErrorInvalidValue;
        map.lower[i] = (int16_t)lower[i];
        map.upper[i] = (int16_t)upper[i];
    }
    return finish(to, &map);
}

static cudaError_t replace_address(void *map, void *address)
{
    sl_tensor_map edited;
    if (!map || (uintptr_t)map % 64)
        return cudaErrorInvalidValue;
    memcpy(&edited, map, sizeof edited);
    edited.address = (uintptr_t)address;
    return finish(map, &edited);
}

SL_API CUresult cuTensorMapEncodeTiled(void *map, int type, uint32_t rank, void *address, const uint64_t *size,
                                       const uint64_t *stride, const uint32_t *box, const uint32_t *element_stride,
                                       int interleave, int swizzle, int promotion, int fill)
{
    const tensor t = {type, rank, address, size, stride, element_stride, interleave, swizzle, promotion, fill};
    SL_CALL_FREE(encode_tiled(map, &t, box));
}

SL_API CUresult cuTensorMapEncodeIm2col(void *map, int type, uint32_t rank, void *address, const uint64_t *size,
                                        const uint64_t *stride, const int *lower, const int *upper, uint32_t channels,
                                        uint32_t pixels, const uint32_t *element_stride, int interleave, int swizzle,
                                        int promotion, int fill)
{
    const tensor t = {type, rank, address, size, stride, element_stride, interleave, swizzle, promotion, fill};
    SL_CALL_FREE(encode_im2col(map, &t, lower, upper, channels, pixels));
}

SL_API CUresult cuTensorMapReplaceAddress(void *map, void *address)
{
    SL_CALL_FREE(replace_address(map, address));
}
