/* SPDX-License-Identifier: MIT */
/* Random numbers that are the same everywhere for the same seed: xoshiro256**, seeded through splitmix64 (both by
 * Blackman and Vigna, public domain algorithms). Not for secrets. */
#ifndef SL_BASE_RANDOM_H
#define SL_BASE_RANDOM_H

#include <stdint.h>

typedef struct sl_random {
    uint64_t state[4];
} sl_random;

/* The next number of a sequence that any `state` may start. */
static inline uint64_t sl_splitmix64(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static inline sl_random sl_random_seed(uint64_t seed)
{
    sl_random random;
    for (int i = 0; i < 4; i++)
        random.state[i] = sl_splitmix64(&seed);
    return random;
}

static inline uint64_t sl_random_u64(sl_random *random)
{
    uint64_t *s = random->state, scaled = s[1] * 5;
    uint64_t result = (scaled << 7 | scaled >> 57) * 9, shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = s[3] << 45 | s[3] >> 19;
    return result;
}

/* Uniform in [0, bound), every value equally likely; bound must not be 0. */
static inline uint64_t sl_random_below(sl_random *random, uint64_t bound)
{
    unsigned __int128 product = (unsigned __int128)sl_random_u64(random) * bound;
    if ((uint64_t)product < bound)
        for (uint64_t min = -bound % bound; (uint64_t)product < min;)
            product = (unsigned __int128)sl_random_u64(random) * bound;
    return (uint64_t)(product >> 64);
}

/* Uniform in [0, 1), with 24 and 53 random bits. */
static inline float sl_random_f32(sl_random *random)
{
    return (float)(sl_random_u64(random) >> 40) * 0x1p-24f;
}
static inline double sl_random_f64(sl_random *random)
{
    return (double)(sl_random_u64(random) >> 11) * 0x1p-53;
}

#endif
