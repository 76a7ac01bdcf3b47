/* SPDX-License-Identifier: MIT */
#include "findings/kernel_facts.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Behind "name(" of the definition that begins at `at`; NULL: it is another one. */
static const char *parameters_at(const char *at, const char *name, size_t length)
{
    const char *end = strpbrk(at, ";{");
    for (const char *p = at; (p = strstr(p, name)) && (!end || p < end); p++)
        if (!in_name(p[-1]) && !in_name(p[length])) {
            p += length;
            p += strspn(p, " \t\n");
            if (*p == '(')
                return p + 1;
        }
    return NULL;
}

/* The same of the definition that has the line. */
static const char *find_parameters(const char *text, uint32_t line, const char *name, size_t length)
{
    const char *found = NULL, *first = NULL, *counted = text;
    uint32_t here = 1, all = 0;
    for (const char *at = strstr(text, "__global__"); at; at = strstr(at + 1, "__global__")) {
        const char *parameters = parameters_at(at, name, length);
        for (; counted < at; counted++)
            here += *counted == '\n';
        if (!parameters)
            continue;
        first = all++ ? first : parameters;
        found = here <= line ? parameters : found;
    }
    return found || all != 1 ? found : first;
}

/* The last word of a parameter before its end, a default or an array's bounds. */
static void last_word(const char *from, const char *to, char *buffer, size_t size)
{
    while (from < to && isspace((unsigned char)*from))
        from++;
    const char *cut = memchr(from, '=', (size_t)(to - from));
    to = cut ? cut : to;
    cut = memchr(from, '[', (size_t)(to - from));
    to = cut ? cut : to;
    while (to > from && !in_name(to[-1]))
        to--;
    const char *start = to;
    while (start > from && in_name(start[-1]))
        start--;
    if (start > from && !isdigit((unsigned char)*start)) /* a type alone has no name */
        snprintf(buffer, size, "%.*s", (int)(to - start), start);
}

const char *sl_parameter_name(const char *text, uint32_t line, const char *kernel, uint32_t number, char *buffer,
                              size_t size)
{
    char name[256];
    size_t length = strcspn(kernel, "<( ");
    *buffer = 0;
    if (!length || length >= sizeof name)
        return buffer;
    memcpy(name, kernel, length);
    name[length] = 0;
    const char *from = find_parameters(text, line, name, length);
    int depth = 0;
    for (const char *at = from; at && *at; at++) {
        bool ends = !depth && (*at == ',' || *at == ')');
        if (ends && !number--) {
            last_word(from, at, buffer, size);
            return buffer;
        }
        if (ends && *at == ')')
            return buffer;
        if (ends)
            from = at + 1;
        depth += (*at == '(' || *at == '<') - (*at == ')' || *at == '>');
    }
    return buffer;
}
