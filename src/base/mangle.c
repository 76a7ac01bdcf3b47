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

static const char *skip_digits(const char *at)
{
    while (isdigit((unsigned char)*at))
        at++;
    return at;
}

/* St, S_, S1_, T_, T0_, behind the first letter. */
static const char *skip_substitution(const char *at)
{
    if (islower((unsigned char)*at))
        return at + 1;
    while (isdigit((unsigned char)*at) || isupper((unsigned char)*at))
        at++;
    return at + (*at == '_');
}

/* What follows the template arguments that begin at 'I', or NULL. Everything that is closed by 'E' nests; behind a
 * literal's type stands its value. */
static const char *skip_template(const char *at)
{
    enum { MAX_DEPTH = 256 };
    bool literal[MAX_DEPTH] = {false}; /* what is open there is the type of a literal */
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
            if (literal[depth]) {
                literal[depth] = false;
                at = skip_digits(at + (*at == 'n'));
            }
            depth--;
            break;
        case 'L':
            depth++;
            if (*at == 'N' && depth + 1 < MAX_DEPTH) {
                literal[depth + 1] = true;
                break;
            }
            if (*at == 'S')
                at = skip_substitution(at + 1);
            else
                while (*at && !isdigit((unsigned char)*at) && *at != 'E' && *at != '_')
                    at++;
            at = skip_digits(at + (*at == 'n'));
            break;
        case 'S':
        case 'T':
            at = skip_substitution(at);
            break;
        }
        if (depth >= MAX_DEPTH)
            return NULL;
    } while (depth);
    return at;
}

/* The innermost name of a mangled function and what follows it, its template arguments first; NULL: not understood. */
static const char *innermost(const char *symbol, const char **name, size_t *length)
{
    const char *at = symbol, *after = NULL;
    if (strncmp(at, "_Z", 2) != 0)
        return NULL;
    at += 2;
    bool nested = *at == 'N';
    at += nested;
    while (*at && strchr("LKVrRO", *at)) /* linkage and qualifiers */
        at++;
    while (at && *at) {
        if (isdigit((unsigned char)*at))
            at = after = source_name(at, name, length);
        else if (nested && *at == 'I')
            at = skip_template(at);
        else
            break;
        if (!nested)
            break;
    }
    return at ? after : NULL;
}

const char *sl_short_name(sl_arena *arena, const char *symbol)
{
    const char *name;
    size_t length;
    return innermost(symbol, &name, &length) ? sl_arena_strndup(arena, name, length) : symbol;
}

/* ---- template arguments ---- */

typedef struct written {
    char *buffer;
    size_t size, used;
} written;

static void write_text(written *w, const char *text, size_t length)
{
    for (; length && *text && w->used + 1 < w->size; length--)
        w->buffer[w->used++] = *text++;
    w->buffer[w->used] = 0;
}

/* One argument: a type, of which qualifiers are left out, or a literal. Returns what follows; NULL: not understood. */
static const char *write_argument(written *w, const char *at)
{
    static const char letters[] = "vbcahstijlmxyfd";
    static const char *const types[] = {"void", "bool", "char",  "char",      "unsigned char", "short", "ushort", "int",
                                        "uint", "long", "ulong", "long long", "ulonglong",     "float", "double"};
    const char *name, *letter, *behind = "";
    size_t length;
    for (; *at == 'P' || *at == 'R' || *at == 'O' || *at == 'K' || *at == 'V'; at++)
        behind = *at == 'P' ? "*" : behind;
    if (*at == 'L') { /* a type, a number with n for its sign, E; Lb1E is true */
        bool truth = at[1] == 'b';
        for (at++; *at && !isdigit((unsigned char)*at) && *at != 'n' && *at != 'E';)
            at++;
        size_t digits = strcspn(at, "E");
        if (truth && digits == 1)
            write_text(w, *at == '1' ? "true" : "false", 5);
        else
            write_text(w, *at == 'n' ? "-" : "", 1), write_text(w, at + (*at == 'n'), digits - (*at == 'n'));
        return at[digits] ? at + digits + 1 : NULL;
    }
    if (isdigit((unsigned char)*at)) {
        at = source_name(at, &name, &length);
        if (at)
            write_text(w, name, length);
        return at && *at == 'I' ? skip_template(at) : at;
    }
    letter = *at ? strchr(letters, *at) : NULL;
    if (!letter)
        return NULL;
    write_text(w, types[letter - letters], 16);
    write_text(w, behind, 1);
    return at + 1;
}

char *sl_template_arguments(const char *symbol, char *buffer, size_t size)
{
    const char *name, *at = innermost(symbol, &name, &(size_t){0});
    written w = {.buffer = buffer, .size = size};
    *buffer = 0;
    if (!at || *at != 'I')
        return buffer;
    write_text(&w, "<", 1);
    for (at++; at && *at != 'E'; at = write_argument(&w, at))
        write_text(&w, ", ", w.used > 1 ? 2 : 0);
    write_text(&w, at ? ">" : "…>", 4);
    return buffer;
}

char *sl_function_name(const char *symbol, char *buffer, size_t size)
{
    const char *name = symbol;
    size_t length = strlen(symbol);
    written w = {.buffer = buffer, .size = size};
    innermost(symbol, &name, &length);
    write_text(&w, name, length);
    sl_template_arguments(symbol, buffer + w.used, size - w.used);
    return buffer;
}
