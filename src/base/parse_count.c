/* SPDX-License-Identifier: MIT */
#include "base/parse_count.h"

#include <string.h>

bool sl_parse_count(const char *text, uint64_t unit, uint64_t *value)
{
    static const char suffixes[] = "KMGT";
    if (*text < '0' || *text > '9')
        return false;
    uint64_t whole = 0, fraction = 0, fraction_unit = 1;
    for (; *text >= '0' && *text <= '9'; text++)
        if (__builtin_mul_overflow(whole, 10, &whole) || __builtin_add_overflow(whole, (uint64_t)(*text - '0'), &whole))
            return false;
    if (*text == '.') {
        for (text++; *text >= '0' && *text <= '9'; text++) {
            if (fraction_unit == 1000000)
                return false;
            fraction = fraction * 10 + (uint64_t)(*text - '0');
            fraction_unit *= 10;
        }
        if (fraction_unit == 1)
            return false;
    }
    uint64_t scale = 1;
    if (*text) {
        char upper = *text >= 'a' ? (char)(*text - 'a' + 'A') : *text;
        const char *suffix = strchr(suffixes, upper);
        if (!suffix)
            return false;
        for (const char *s = suffixes; s <= suffix; s++)
            scale *= unit;
        text++;
        if (unit == 1024 && !strcmp(text, "iB"))
            text += 2;
    }
    if (*text || (uint64_t)((unsigned __int128)fraction * scale % fraction_unit))
        return false;
    unsigned __int128 total = (unsigned __int128)whole * scale + (unsigned __int128)fraction * scale / fraction_unit;
    *value = (uint64_t)total;
    return total == *value;
}
