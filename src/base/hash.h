/* SPDX-License-Identifier: MIT */
/* Hashes, the same on every machine: FNV-1a of bytes, in 64 bits for tables and fingerprints of code, in 128 bits for
 * keys of stored results; and a mixer that spreads integers over a table. */
#ifndef SL_BASE_HASH_H
#define SL_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static inline uint64_t sl_hash64(const void *data, size_t bytes)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (const uint8_t *at = data, *end = at + bytes; at < end; at++)
        hash = (hash ^ *at) * 0x100000001b3u;
    return hash;
}

/* For large buffers, in four lanes of words: fast rather than strong. What it must notice is a changed byte. */
static inline uint64_t sl_hash64_bulk(const uint8_t *data, size_t bytes)
{
    uint64_t lane[4] = {1, 2, 3, 4}, word;
    size_t at = 0;
    for (; at + 32 <= bytes; at += 32)
        for (int k = 0; k < 4; k++) {
            memcpy(&word, data + at + 8 * k, 8);
            lane[k] = (lane[k] ^ word) * 0x9e3779b97f4a7c15u;
            lane[k] ^= lane[k] >> 29;
        }
    lane[0] ^= sl_hash64(data + at, bytes - at);
    for (int k = 1; k < 4; k++)
        lane[0] = (lane[0] ^ lane[k]) * 0xbf58476d1ce4e5b9u + bytes;
    return lane[0] ^ lane[0] >> 31;
}

/* Of an integer, such as a line number: every bit of the result depends on every bit of it. */
static inline uint64_t sl_hash_mix(uint64_t n)
{
    n *= 0x9e3779b97f4a7c15u;
    n ^= n >> 32;
    n *= 0xd6e8feb86659fd93u;
    return n ^ n >> 32;
}

/* The same as an index into 1 << log2_slots slots (log2_slots > 0), cheaper. */
static inline size_t sl_hash_slot(uint64_t n, unsigned log2_slots)
{
    return (size_t)((n ^ n >> 32) * 0x9e3779b97f4a7c15u >> (64 - log2_slots));
}

/* ---- 128 bits ---- */

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

/* As 32 hexadecimal digits. */
enum { SL_KEY_BYTES = 33 };
static inline void sl_hash_write(sl_hash hash, char text[SL_KEY_BYTES])
{
    snprintf(text, SL_KEY_BYTES, "%016llx%016llx", (unsigned long long)(hash >> 64), (unsigned long long)hash);
}

#endif
