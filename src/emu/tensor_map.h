/* SPDX-License-Identifier: MIT */
/* Tensor maps: what a tensor copy (cp.async.bulk.tensor) reads of a tensor in global memory. To programs they are 128
 * opaque bytes, which they may copy, edit or overwrite, or make from zeros by editing every field (tensormap.replace):
 * a map is checked whenever it is used. What no field covers is zero. */
#ifndef SL_EMU_TENSOR_MAP_H
#define SL_EMU_TENSOR_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "sluice/error.h"

enum { SL_TENSOR_DIMS = 5, SL_TENSOR_MAP_BYTES = 128 };

/* Numbered as in CUDA's header. */
typedef enum sl_tensor_type {
    SL_TENSOR_U8,
    SL_TENSOR_U16,
    SL_TENSOR_U32,
    SL_TENSOR_S32,
    SL_TENSOR_U64,
    SL_TENSOR_S64,
    SL_TENSOR_F16,
    SL_TENSOR_F32,
    SL_TENSOR_F64,
    SL_TENSOR_BF16,
    SL_TENSOR_F32_FTZ,
    SL_TENSOR_TF32,
    SL_TENSOR_TF32_FTZ,
    SL_TENSOR_B4,        /* .b4x16: four bits, without gaps */
    SL_TENSOR_B4_PADDED, /* .b4x16_p64: in shared memory, 16 of them in 8 of 16 bytes */
    SL_TENSOR_B6_PADDED, /* .b6x16_p32: six bits; in shared memory, 16 of them in 12 of 16 bytes */
    SL_TENSOR_TYPES
} sl_tensor_type;

typedef struct sl_tensor_map {
    uint8_t type, rank;
    uint8_t im2col, interleave;
    uint8_t swizzle; /* 0 none, 1 to 3: 16-byte chunks within 32, 64, 128 bytes; 4: 32-byte chunks within 128 */
    uint8_t fill;    /* 0 zeros, 1 NaN */
    uint8_t promotion;
    uint8_t element_stride[SL_TENSOR_DIMS], reserved[4];
    uint64_t address;
    uint64_t stride[SL_TENSOR_DIMS - 1]; /* bytes, from the second dimension on */
    uint32_t last[SL_TENSOR_DIMS];       /* size less one */
    uint16_t box[SL_TENSOR_DIMS];        /* im2col: channels, then pixels */
    int16_t lower[3], upper[3];          /* im2col: W, H, D */
    uint8_t rest[30];
} sl_tensor_map;

/* What tensormap.replace edits. */
enum {
    SL_TENSOR_FIELD_ADDRESS,
    SL_TENSOR_FIELD_RANK,
    SL_TENSOR_FIELD_BOX,
    SL_TENSOR_FIELD_SIZE,
    SL_TENSOR_FIELD_STRIDE,
    SL_TENSOR_FIELD_ELEMENT_STRIDE,
    SL_TENSOR_FIELD_TYPE,
    SL_TENSOR_FIELD_INTERLEAVE,
    SL_TENSOR_FIELD_SWIZZLE,
    SL_TENSOR_FIELD_ATOMICITY,
    SL_TENSOR_FIELD_FILL,
};
/* Sets a field, of dimension `ordinal`, to what the instruction gives. It may become one that cannot be used. */
void sl_tensor_map_replace(sl_tensor_map *map, uint32_t field, uint32_t ordinal, uint64_t value);

uint32_t sl_tensor_bytes(uint8_t type);            /* of an element; 1 where it has less */
uint32_t sl_tensor_bits(uint8_t type);             /* of an element in global memory */
uint32_t sl_tensor_shared_bits(uint8_t type);      /* and in shared memory, with what lies between them */
uint32_t sl_tensor_span(const sl_tensor_map *map); /* bytes that are swizzled together; 0: none are */
/* Why the map cannot be used; NULL: it can. */
const char *sl_tensor_map_wrong(const sl_tensor_map *map);

#endif
