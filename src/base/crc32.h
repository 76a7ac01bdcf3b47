/* SPDX-License-Identifier: MIT */
/* The CRC of PNG, gzip and Ethernet, by zlib. */
#ifndef SL_BASE_CRC32_H
#define SL_BASE_CRC32_H

#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

static inline uint32_t sl_crc32(const uint8_t *bytes, size_t count)
{
    return (uint32_t)crc32_z(0, bytes, count);
}

#endif
