/* SPDX-License-Identifier: MIT */
/* Little-endian numbers at any address. */
#ifndef SL_BASE_UNALIGNED_H
#define SL_BASE_UNALIGNED_H

#include <stdint.h>
#include <string.h>

static inline uint16_t sl_read16(const uint8_t *p)
{
    uint16_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline uint32_t sl_read32(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline uint64_t sl_read64(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

#endif
