/* SPDX-License-Identifier: MIT */
/* Whether two variants have the same results: what programs print, and what kernels leave in buffers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study/ranking.h"

static bool near(double a, double b, double tolerance)
{
    double most = fabs(a) > fabs(b) ? fabs(a) : fabs(b);
    return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= tolerance * most;
}

/* ---- text ---- */

typedef struct text_span {
    const char *text;
    size_t length;
} text_span;

/* Takes the next line off a text; false: there is none. */
static bool next_line(const char **at, text_span *line)
{
    if (!**at)
        return false;
    *line = (text_span){*at, strcspn(*at, "\n")};
    *at += line->length + ((*at)[line->length] == '\n');
    return true;
}

static bool next_word(text_span *line, text_span *word)
{
    while (line->length && strchr(" \t\r", *line->text)) {
        line->text++;
        line->length--;
    }
    word->text = line->text;
    for (word->length = 0; word->length < line->length && !strchr(" \t\r", line->text[word->length]); word->length++)
        ;
    line->text += word->length;
    line->length -= word->length;
    return word->length > 0;
}

/* A number of a text, which is all of the word. */
static bool number_of(text_span word, double *value)
{
    char text[64], *end;
    if (word.length >= sizeof text)
        return false;
    memcpy(text, word.text, word.length);
    text[word.length] = 0;
    *value = strtod(text, &end);
    return end != text && !*end;
}

static bool same_words(text_span a, text_span b, double tolerance)
{
    text_span word[2];
    for (;;) {
        double value[2];
        bool more[2] = {next_word(&a, &word[0]), next_word(&b, &word[1])};
        if (!more[0] || !more[1])
            return more[0] == more[1];
        if (word[0].length == word[1].length && !memcmp(word[0].text, word[1].text, word[0].length))
            continue;
        if (!(tolerance > 0) || !number_of(word[0], &value[0]) || !number_of(word[1], &value[1]) ||
            !near(value[0], value[1], tolerance))
            return false;
    }
}

static bool is_ignored(text_span line, const regex_t *ignore)
{
    regmatch_t whole = {0, (regoff_t)line.length};
    return ignore && !regexec(ignore, line.text, 1, &whole, REG_STARTEND);
}

/* The next line that counts. */
static bool next_compared(const char **at, const regex_t *ignore, text_span *line)
{
    while (next_line(at, line))
        if (!is_ignored(*line, ignore))
            return true;
    return false;
}

bool sl_outputs_differ(const char *wanted, const char *found, const sl_result_rules *rules, char *why, size_t size)
{
    text_span line[2];
    *why = 0;
    for (;;) {
        bool more[2] = {next_compared(&wanted, rules->ignore, &line[0]),
                        next_compared(&found, rules->ignore, &line[1])};
        if (!more[0] && !more[1])
            return false;
        if (more[0] != more[1]) {
            snprintf(why, size, "%s '%.*s'", more[0] ? "its output ends before" : "its output has more:",
                     (int)(line[!more[0]].length < 80 ? line[!more[0]].length : 80), line[!more[0]].text);
            return true;
        }
        if (!same_words(line[0], line[1], rules->tolerance)) {
            int shown[2];
            for (int i = 0; i < 2; i++)
                shown[i] = (int)(line[i].length < 80 ? line[i].length : 80);
            snprintf(why, size, "it prints '%.*s', not '%.*s'", shown[1], line[1].text, shown[0], line[0].text);
            return true;
        }
    }
}

/* ---- buffers ---- */

sl_status sl_buffers_fetch(void *context, const sl_kernel_arg *arg, size_t args, sl_device *device, sl_error *error)
{
    sl_buffers *to = context;
    sl_status status = SL_OK;
    sl_buffers_fini(to);
    to->buffer = calloc(args + 1, sizeof *to->buffer);
    if (!to->buffer)
        return sl_fail_memory(error);
    for (size_t i = 0; i < args && !status; i++) {
        if (!arg[i].buffer)
            continue;
        struct sl_left_buffer *b = &to->buffer[to->count++];
        *b = (struct sl_left_buffer){.kind = arg[i].kind, .bytes = arg[i].bytes, .elements = arg[i].count};
        status = sl_kernel_arg_fetch(&arg[i], device, &b->data, error);
    }
    return status;
}

void sl_buffers_fini(sl_buffers *buffers)
{
    for (size_t i = 0; i < buffers->count; i++)
        free(buffers->buffer[i].data);
    free(buffers->buffer);
    *buffers = (sl_buffers){0};
}

static double element(const struct sl_left_buffer *b, uint64_t at)
{
    float narrow;
    double wide;
    if (b->bytes == sizeof narrow) {
        memcpy(&narrow, (const char *)b->data + at * b->bytes, sizeof narrow);
        return narrow;
    }
    memcpy(&wide, (const char *)b->data + at * b->bytes, sizeof wide);
    return wide;
}

/* The first element that differs; their number: none does. */
static uint64_t first_difference(const struct sl_left_buffer *a, const struct sl_left_buffer *b, double tolerance)
{
    for (uint64_t i = 0; i < a->elements; i++) {
        size_t at = i * a->bytes;
        if (!memcmp((const char *)a->data + at, (const char *)b->data + at, a->bytes))
            continue;
        if (a->kind != 'f' || !near(element(a, i), element(b, i), tolerance))
            return i;
    }
    return a->elements;
}

bool sl_buffers_differ(const sl_buffers *wanted, const sl_buffers *found, const sl_result_rules *rules, char *why,
                       size_t size)
{
    *why = 0;
    if (wanted->count != found->count) {
        snprintf(why, size, "it has %zu buffers, not %zu", found->count, wanted->count);
        return true;
    }
    for (size_t i = 0; i < wanted->count; i++) {
        const struct sl_left_buffer *a = &wanted->buffer[i], *b = &found->buffer[i];
        uint64_t at = first_difference(a, b, rules->tolerance);
        if (at == a->elements)
            continue;
        snprintf(why, size, "element %llu of buffer %zu differs", (unsigned long long)at, i);
        if (a->kind == 'f')
            snprintf(why, size, "element %llu of buffer %zu is %g, not %g", (unsigned long long)at, i, element(b, at),
                     element(a, at));
        return true;
    }
    return false;
}
