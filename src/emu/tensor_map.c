/* SPDX-License-Identifier: MIT */
#include "emu/tensor_map.h"

#include <stddef.h>
#include <string.h>

_Static_assert(sizeof(sl_tensor_map) == SL_TENSOR_MAP_BYTES, "a tensor map has 128 bytes");

uint32_t sl_tensor_bytes(uint8_t type)
{
    static const uint8_t bytes[SL_TENSOR_TYPES] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4, 1, 1, 1};
    return type < SL_TENSOR_TYPES ? bytes[type] : 0;
}

uint32_t sl_tensor_bits(uint8_t type)
{
    return type == SL_TENSOR_B6_PADDED                           ? 6
           : type == SL_TENSOR_B4 || type == SL_TENSOR_B4_PADDED ? 4
                                                                 : 8 * sl_tensor_bytes(type);
}

uint32_t sl_tensor_shared_bits(uint8_t type)
{
    return type == SL_TENSOR_B4 ? 4 : 8 * sl_tensor_bytes(type);
}

/* of an element */
static bool tensor_is_float(uint8_t type)
{
    return type >= SL_TENSOR_F16 && type < SL_TENSOR_B4;
}

static const char *im2col_wrong(const sl_tensor_map *m)
{
    static const int range[3] = {32768, 128, 16};
    if (m->rank < 3)
        return "an im2col map of less than three dimensions";
    uint64_t area = 1;
    for (unsigned i = 0; i + 2 < m->rank; i++) {
        int limit = range[m->rank - 3];
        if (m->lower[i] < -limit || m->lower[i] >= limit || m->upper[i] < -limit || m->upper[i] >= limit)
            return "a corner of the box of pixels that is out of range";
        int64_t length = (int64_t)m->last[1 + i] + 1 + m->upper[i] - m->lower[i];
        area = length <= 0 ? 0 : area;
    }
    if (!area)
        return "an empty box of pixels";
    return m->box[1] > 1024 ? "more than 1024 pixels" : NULL;
}

uint32_t sl_tensor_span(const sl_tensor_map *map)
{
    static const uint8_t span[] = {0, 32, 64, 128, 128};
    return span[map->swizzle];
}

const char *sl_tensor_map_wrong(const sl_tensor_map *m)
{
    static const uint8_t zeros[sizeof m->rest];
    if (memcmp(m->reserved, zeros, sizeof m->reserved) || memcmp(m->rest, zeros, sizeof m->rest) || m->promotion > 3)
        return "bytes that neither cuTensorMapEncode nor tensormap.replace writes";
    if (m->type >= SL_TENSOR_TYPES)
        return "an unknown type of elements";
    if (!m->rank || m->rank > SL_TENSOR_DIMS)
        return "more than five dimensions, or none";
    if (m->interleave)
        return "an interleaved layout, which is not emulated";
    if (m->swizzle > 4)
        return "a swizzle mode that is not emulated (chunks of 32 bytes with halves exchanged, or of 64)";
    if (m->im2col > 1 || m->fill > 1 || (m->fill && !tensor_is_float(m->type)))
        return "a way to fill what is outside that does not go with the type";
    if (m->address % 16)
        return "an address that is not a multiple of 16";
    for (unsigned i = 0; i < m->rank; i++) {
        if (i && (m->stride[i - 1] % 16 || m->stride[i - 1] >> 40))
            return "a stride that is not a multiple of 16 below 2^40";
        if (i && (!m->element_stride[i] || m->element_stride[i] > 8))
            return "an element stride outside of 1 to 8";
        if ((i < 2 || !m->im2col) && (!m->box[i] || (m->box[i] > 256 && !(m->im2col && i == 1))))
            return "a box outside of 1 to 256 elements";
    }
    const bool padded = m->type == SL_TENSOR_B4_PADDED || m->type == SL_TENSOR_B6_PADDED;
    if (padded && (m->box[0] != 128 || m->im2col || (m->last[0] + UINT64_C(1)) % 128))
        return "padded elements in rows or boxes that are not 128 wide, or in im2col mode";
    uint32_t inner = m->box[0] * sl_tensor_shared_bits(m->type) / 8;
    if (inner % 16)
        return "a box whose rows are not a multiple of 16 bytes";
    if (m->swizzle && inner > sl_tensor_span(m))
        return "a box whose rows are longer than the swizzle mode's span";
    return m->im2col ? im2col_wrong(m) : NULL;
}

void sl_tensor_map_replace(sl_tensor_map *m, uint32_t field, uint32_t ordinal, uint64_t value)
{
    /* PTX numbers the types in another order */
    static const uint8_t type[] = {SL_TENSOR_U8,       SL_TENSOR_U16, SL_TENSOR_U32,       SL_TENSOR_S32,
                                   SL_TENSOR_U64,      SL_TENSOR_S64, SL_TENSOR_F16,       SL_TENSOR_F32,
                                   SL_TENSOR_F32_FTZ,  SL_TENSOR_F64, SL_TENSOR_BF16,      SL_TENSOR_TF32,
                                   SL_TENSOR_TF32_FTZ, SL_TENSOR_B4,  SL_TENSOR_B4_PADDED, SL_TENSOR_B6_PADDED};
    uint8_t small = value < UINT8_MAX ? (uint8_t)value : UINT8_MAX;
    switch (field) {
    case SL_TENSOR_FIELD_ADDRESS:
        m->address = value;
        break;
    case SL_TENSOR_FIELD_RANK: /* less one */
        m->rank = small < SL_TENSOR_DIMS ? (uint8_t)(small + 1) : UINT8_MAX;
        break;
    case SL_TENSOR_FIELD_BOX:
        m->box[ordinal] = value <= UINT16_MAX ? (uint16_t)value : 0;
        break;
    case SL_TENSOR_FIELD_SIZE:
        m->last[ordinal] = (uint32_t)value - 1; /* 0 stands for 2^32 */
        break;
    case SL_TENSOR_FIELD_STRIDE:
        if (ordinal < SL_TENSOR_DIMS - 1)
            m->stride[ordinal] = value;
        break;
    case SL_TENSOR_FIELD_ELEMENT_STRIDE:
        m->element_stride[ordinal] = small;
        break;
    case SL_TENSOR_FIELD_TYPE:
        m->type = small < sizeof type ? type[small] : SL_TENSOR_TYPES;
        break;
    case SL_TENSOR_FIELD_INTERLEAVE:
        m->interleave = small;
        break;
    case SL_TENSOR_FIELD_SWIZZLE:
        m->swizzle = small;
        break;
    case SL_TENSOR_FIELD_ATOMICITY:
        if (small)
            m->swizzle = small == 1 && m->swizzle == 3 ? 4 : UINT8_MAX;
        break;
    case SL_TENSOR_FIELD_FILL:
        m->fill = small;
        break;
    }
}
