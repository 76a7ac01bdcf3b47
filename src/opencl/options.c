/* SPDX-License-Identifier: MIT */
/* Build options: OpenCL's, and what the compilers of others take and programs therefore give. */
#include "opencl/opencl.h"

#include <stdlib.h>
#include <string.h>

typedef enum option_kind {
    PASS,          /* as it is */
    PASS_VALUE,    /* with its value, here or in the next word */
    IGNORE,        /* means nothing here */
    IGNORE_VALUE,  /* neither does its value, in the next word */
    IGNORE_PREFIX, /* whatever stands behind it */
    PASS_PREFIX,
    UNOPTIMIZED,
    LIBRARY,
    CPLUSPLUS, /* a language that is not supported */
    LANGUAGE,  /* may be that one */
} option_kind;

static const struct {
    const char *name;
    option_kind kind;
} OPTIONS[] = {
    {"-D", PASS_VALUE},
    {"-U", PASS_VALUE},
    {"-I", PASS_VALUE},
    {"-w", PASS},
    {"-Werror", PASS},
    {"-Wall", PASS},
    {"-cl-single-precision-constant", PASS},
    {"-cl-denorms-are-zero", PASS},
    {"-cl-fp32-correctly-rounded-divide-sqrt", PASS},
    {"-cl-opt-disable", UNOPTIMIZED},
    {"-cl-mad-enable", PASS},
    {"-cl-no-signed-zeros", PASS},
    {"-cl-unsafe-math-optimizations", PASS},
    {"-cl-finite-math-only", PASS},
    {"-cl-fast-relaxed-math", PASS},
    {"-cl-uniform-work-group-size", PASS},
    {"-cl-no-subgroup-ifp", IGNORE},
    {"-cl-strict-aliasing", IGNORE},
    {"-cl-kernel-arg-info", IGNORE}, /* it is always there */
    {"-cl-std=", PASS_PREFIX},
    {"-cl-std=CLC++", CPLUSPLUS},
    {"-cl-std=clc++", CPLUSPLUS},
    {"-g", IGNORE}, /* so are lines */
    {"-s", IGNORE_VALUE},
    {"-O0", UNOPTIMIZED},
    {"-O1", IGNORE},
    {"-O2", IGNORE},
    {"-O3", IGNORE},
    {"-O5", IGNORE},
    {"-create-library", LIBRARY},
    {"-enable-link-options", IGNORE},
    {"-cl-nv-verbose", IGNORE},
    {"-cl-nv-maxrregcount", IGNORE_PREFIX},
    {"-cl-nv-opt-level", IGNORE_PREFIX},
    {"-cl-nv-arch", IGNORE_PREFIX},
    {"-cl-amd-media-ops", IGNORE},
    {"-fno-bin-", IGNORE_PREFIX},
    {"-fbin-", IGNORE_PREFIX},
    {"-save-temps", IGNORE_PREFIX},
    {"-x", LANGUAGE},
};

static bool no_memory(sl_buffer *log)
{
    sl_buffer_format(log, "out of memory\n");
    return false;
}

/* The next word: quotes of both kinds and backslashes are taken away. NULL: there is none, or no memory for it. */
static char *next_word(const char **at)
{
    const char *s = *at + strspn(*at, " \t\r\n");
    char quote = 0, *word = malloc(strlen(s) + 1), *end = word;
    if (!word || !*s) {
        free(word);
        return NULL;
    }
    for (; *s && (quote || !strchr(" \t\r\n", *s)); s++) {
        if (quote ? *s == quote : *s == '"' || *s == '\'')
            quote = quote ? 0 : *s;
        else if (*s == '\\' && (s[1] == '"' || s[1] == '\\' || s[1] == ' '))
            *end++ = *++s;
        else
            *end++ = *s;
    }
    *end = 0;
    *at = s;
    return word;
}

static bool add(sl_cl_options *options, char *word)
{
    if (word && sl_array_push(&options->clang, word))
        return true;
    free(word);
    return false;
}

/* The entry of a word: an exact name before the longest prefix. */
static int find(const char *word)
{
    int found = -1;
    for (size_t i = 0; i < sizeof OPTIONS / sizeof *OPTIONS; i++) {
        size_t length = strlen(OPTIONS[i].name);
        option_kind k = OPTIONS[i].kind;
        bool prefix = k == PASS_VALUE || k == PASS_PREFIX || k == IGNORE_PREFIX || k == CPLUSPLUS;
        if (!strcmp(word, OPTIONS[i].name))
            return (int)i;
        if (prefix && !strncmp(word, OPTIONS[i].name, length) && (found < 0 || length > strlen(OPTIONS[found].name)))
            found = (int)i;
    }
    return found;
}

static bool refuse_cplusplus(char *word, char *value, sl_buffer *log)
{
    sl_buffer_format(log, "build option %s%s%s: C++ for OpenCL is not supported\n", word, value ? " " : "",
                     value ? value : "");
    free(value);
    free(word);
    return false;
}

static bool take(sl_cl_options *options, char *word, const char **rest, sl_buffer *log)
{
    int entry = find(word);
    if (entry < 0) {
        sl_buffer_format(log, "unknown build option: %s\n", word);
        free(word);
        return false;
    }
    bool alone = !strcmp(word, OPTIONS[entry].name);
    switch (OPTIONS[entry].kind) {
    case PASS_VALUE: {
        if (!alone)
            return add(options, word) || no_memory(log);
        char *value = next_word(rest);
        if (!value) {
            sl_buffer_format(log, "build option %s lacks its value\n", word);
            free(word);
            return false;
        }
        bool added = add(options, word);
        if (!added)
            free(value);
        return (added && add(options, value)) || no_memory(log);
    }
    case PASS:
    case PASS_PREFIX:
        return add(options, word) || no_memory(log);
    case IGNORE_VALUE:
        free(next_word(rest));
        break;
    case CPLUSPLUS:
        return refuse_cplusplus(word, NULL, log);
    case LANGUAGE: {
        char *language = next_word(rest);
        if (language && (!strcmp(language, "clc++") || !strcmp(language, "CLC++")))
            return refuse_cplusplus(word, language, log);
        free(language);
        break;
    }
    case UNOPTIMIZED:
        options->unoptimized = true;
        break;
    case LIBRARY:
        options->library = true;
        break;
    case IGNORE:
    case IGNORE_PREFIX:
        break;
    }
    free(word);
    return true;
}

bool sl_cl_options_parse(const char *text, sl_cl_options *options, sl_buffer *log)
{
    *options = (sl_cl_options){0};
    const char *rest = text ? text : "";
    for (char *word; (word = next_word(&rest));)
        if (!take(options, word, &rest, log))
            return false;
    return true;
}

void sl_cl_options_fini(sl_cl_options *options)
{
    for (size_t i = 0; i < options->clang.count; i++)
        free(options->clang.items[i]);
    sl_array_free(&options->clang);
}
