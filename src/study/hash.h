/* SPDX-License-Identifier: MIT */
/* A 128-bit FNV-1a hash, written as 32 hexadecimal digits: keys of points and traces. */
#ifndef SL_EXPERIMENT_HASH_H
#define SL_EXPERIMENT_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

__extension__ typedef unsigned __int128 sl_hash;

static inline sl_hash sl_hash_start(void)
{
    return (sl_hash)0x6c62272e07bb0142u << 64 | 0x62b821756295c58du;
}

static inline void sl_hash_bytes(sl_hash *hash, const void *data, size_t bytes)
{
    const sl_hash prime = (sl_hash)1 << 88 | 0x13b;
    const unsigned char *at = data;
    for (size_t i = 0; i < bytes; i++)
        *hash = (*hash ^ at[i]) * prime;
}

/* With the zero at its end: "ab", "c" is not "a", "bc". */
static inline void sl_hash_text(sl_hash *hash, const char *text)
{
    sl_hash_bytes(hash, text, strlen(text) + 1);
}

static inline void sl_hash_number(sl_hash *hash, uint64_t number)
{
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(number >> 8 * i);
    sl_hash_bytes(hash, bytes, sizeof bytes);
}

static inline void sl_hash_write(sl_hash hash, char text[33])
{
    snprintf(text, 33, "%016llx%016llx", (unsigned long long)(hash >> 64), (unsigned long long)hash);
}

#endif
