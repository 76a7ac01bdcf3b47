/* SPDX-License-Identifier: MIT */
#include "base/mangle.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* A length and that many characters. Returns what follows, or NULL. */
static const char *source_name(const char *at, const char **name, size_t *length)
{
    size_t size = 0;
    while (isdigit((unsigned char)*at) && size < 1 << 20)
        size = size * 10 + (size_t)(*at++ - '0');
    if (!size || strnlen(at, size) < size)
        return NULL;
    *name = at;
    *length = size;
    return at + size;
}

/* What follows the template arguments that begin at 'I', or NULL. Everything that is closed by 'E' nests. */
static const char *skip_template(const char *at)
{
    unsigned depth = 0;
    do {
        const char *name;
        size_t length;
        if (isdigit((unsigned char)*at)) {
            at = source_name(at, &name, &length);
            if (!at)
                return NULL;
            continue;
        }
        switch (*at++) {
        case '\0':
            return NULL;
        case 'I':
        case 'N':
        case 'X':
        case 'J':
        case 'F':
            depth++;
            break;
        case 'E':
            depth--;
            break;
        case 'L': /* a literal: a type, digits, 'E' */
            depth++;
            while (*at && !isdigit((unsigned char)*at) && *at != 'E' && *at != '_')
                at++;
            while (isdigit((unsigned char)*at))
                at++;
            break;
        case 'S':
        case 'T': /* substitutions and parameters: St, S_, S1_, T_, T0_ */
            if (islower((unsigned char)*at)) {
                at++;
                break;
            }
            while (isdigit((unsigned char)*at) || isupper((unsigned char)*at))
                at++;
            at += *at == '_';
            break;
        }
    } while (depth);
    return at;
}

const char *sl_short_name(sl_arena *arena, const char *symbol)
{
    const char *at = symbol, *name = NULL;
    size_t length = 0;
    if (strncmp(at, "_Z", 2) != 0)
        return symbol;
    at += 2;
    bool nested = *at == 'N';
    at += nested;
    while (*at && strchr("LKVrRO", *at)) /* linkage and qualifiers */
        at++;
    while (at && *at) {
        if (isdigit((unsigned char)*at))
            at = source_name(at, &name, &length);
        else if (nested && *at == 'I')
            at = skip_template(at);
        else
            break;
        if (!nested)
            break;
    }
    return at && name ? sl_arena_strndup(arena, name, length) : symbol;
}
