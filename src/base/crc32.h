/* SPDX-License-Identifier: MIT */
/* The CRC of PNG, gzip and Ethernet, four bits at a time: it guards little, or what is compressed anyway. */
#ifndef SL_BASE_CRC32_H
#define SL_BASE_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* Of bytes that follow others, whose CRC is `before`; 0: none. */
static inline uint32_t sl_crc32_more(uint32_t before, const uint8_t *bytes, size_t count)
{
    static const uint32_t table[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
                                       0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                       0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
    uint32_t crc = ~before;
    for (size_t i = 0; i < count; i++) {
        crc ^= bytes[i];
        crc = crc >> 4 ^ table[crc & 15];
        crc = crc >> 4 ^ table[crc & 15];
    }
    return ~crc;
}

static inline uint32_t sl_crc32(const uint8_t *bytes, size_t count)
{
    return sl_crc32_more(0, bytes, count);
}

#endif
