/* SPDX-License-Identifier: MIT */
/* Text as people and other programs read it: UTF-8, numbers, CSV fields. */
#ifndef SL_BASE_TEXT_H
#define SL_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "sluice/error.h"

enum { SL_UTF8_BAD = 0xffffffff };

/* The code point at `text` (not at its end) and its length in bytes; SL_UTF8_BAD, length 1, for what is not UTF-8. */
uint32_t sl_utf8_next(const char *text, size_t *length);
/* Columns on a terminal. */
size_t sl_utf8_columns(const char *text);
/* Bytes of the longest start of `text` that takes at most `columns`. */
size_t sl_utf8_prefix(const char *text, size_t columns);

enum { SL_DOUBLE_BYTES = 32, SL_HUMAN_BYTES = 32 };

/* The shortest decimal that reads back as `value`, with a point in any locale; "nan", "inf", "-inf". Returns `buffer`.
 */
char *sl_double_text(double value, char buffer[SL_DOUBLE_BYTES]);
/* A count for people: exact to 99,999, then three digits and a unit: "123 K", "4.19 M". Returns `buffer`. */
char *sl_human_count(uint64_t value, char buffer[SL_HUMAN_BYTES]);
/* The same for bytes, in powers of 1024: "512 B", "1.50 MiB". */
char *sl_human_bytes(uint64_t value, char buffer[SL_HUMAN_BYTES]);
/* A ratio with `digits` after the point, with a point in any locale. */
/* "3.20 us", of nanoseconds. */
char *sl_human_time(double ns, char buffer[SL_HUMAN_BYTES]);
char *sl_human_ratio(double value, int digits, char buffer[SL_HUMAN_BYTES]);

/* Text for a terminal. What would control it is shown as '?': names in it may come from strangers. `ascii`: for
 * terminals that have nothing else, column by column: bars of '#', '~' for what was left out, '?' for characters that
 * have no likeness. */
void sl_text_append(FILE *file, const char *text, bool ascii, bool color);
/* The same for text of strangers, which may hold zeros and no styles. `more`: what could be the beginning of a
 * character at its end is left for the next call. Returns the bytes it took. */
size_t sl_text_append_bytes(FILE *file, const char *text, size_t length, bool ascii, bool more);
/* Styles within the text of a report; only sl_text_append knows them: colors, or nothing. They take no columns. */
#define SL_STYLE_GOOD "\x1c"
#define SL_STYLE_WARN "\x1d"
#define SL_STYLE_BAD  "\x1e"
#define SL_STYLE_END  "\x1f"

/* Words of `text`, broken before `width` columns; an empty line stays one. The first line continues at `column`, others
 * begin at `indent`. No newline at the end. */
void sl_text_wrap(FILE *file, const char *text, size_t column, size_t indent, size_t width);

/* A field of CSV, quoted where RFC 4180 asks for it. What a spreadsheet would take for a formula gets a ' in front. */
void sl_csv_field(FILE *file, const char *text);

/* The end of a report, "the CSV report": SL_IO when anything could not be written. */
sl_status sl_text_finish(FILE *file, const char *what, sl_error *error);

/* Counts and sizes as people type them. */

/* "12", "64K", "1.5G": suffixes K, M, G and T are powers of `unit`, 1000 or 1024. False when it is not a number or too
 * large. */
bool sl_parse_count(const char *text, uint64_t unit, uint64_t *value);

/* Words separated by spaces. Those in parentheses belong together: "all decoupled(threshold=2, ways=8)" are two. */

enum { SL_MAX_WORDS = 32 };

typedef struct sl_split {
    char *text; /* a copy, which the words are parts of */
    size_t count;
    const char *word[SL_MAX_WORDS];
} sl_split;

sl_status sl_split_words(const char *text, sl_split *words, sl_error *error);
void sl_split_free(sl_split *words);

#endif
