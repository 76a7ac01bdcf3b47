/* SPDX-License-Identifier: MIT */
#include "base/text.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- UTF-8 ---- */

uint32_t sl_utf8_next(const char *text, size_t *length)
{
    const unsigned char *s = (const unsigned char *)text;
    static const uint32_t min[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t bytes = s[0] < 0x80 ? 1 : s[0] >> 5 == 6 ? 2 : s[0] >> 4 == 14 ? 3 : s[0] >> 3 == 30 ? 4 : 0;
    *length = 1;
    if (!bytes)
        return SL_UTF8_BAD;
    uint32_t c = bytes == 1 ? s[0] : s[0] & (0x7fu >> bytes);
    for (size_t i = 1; i < bytes; i++) {
        if (s[i] >> 6 != 2)
            return SL_UTF8_BAD;
        c = c << 6 | (s[i] & 0x3f);
    }
    if (c < min[bytes] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        return SL_UTF8_BAD;
    *length = bytes;
    return c;
}

/* Combining marks take no column, East Asian wide characters two. */
static size_t columns_of(uint32_t c)
{
    if (c == SL_UTF8_BAD)
        return 1;
    if (c < 0x20 || (c >= 0x300 && c < 0x370) || (c >= 0x200b && c < 0x2010) || (c >= 0xfe00 && c < 0xfe10))
        return 0;
    bool wide = (c >= 0x1100 && c < 0x1160) || (c >= 0x2e80 && c < 0xa4d0) || (c >= 0xac00 && c < 0xd7a4) ||
                (c >= 0xf900 && c < 0xfb00) || (c >= 0xfe30 && c < 0xfe70) || (c >= 0xff00 && c < 0xff61) ||
                (c >= 0xffe0 && c < 0xffe7) || (c >= 0x1f300 && c < 0x1f650) || (c >= 0x20000 && c < 0x3fffe);
    return wide ? 2 : 1;
}

size_t sl_utf8_columns(const char *text)
{
    size_t columns = 0, length;
    for (; *text; text += length)
        columns += columns_of(sl_utf8_next(text, &length));
    return columns;
}

size_t sl_utf8_prefix(const char *text, size_t columns)
{
    size_t bytes = 0, length;
    while (text[bytes]) {
        size_t wide = columns_of(sl_utf8_next(text + bytes, &length));
        if (wide > columns)
            break;
        columns -= wide;
        bytes += length;
    }
    return bytes;
}

/* ---- numbers ---- */

/* printf writes the locale's decimal point; reports do not. */
static void use_point(char *text)
{
    for (; *text; text++)
        if (!strchr("0123456789+-einfa", *text))
            *text = '.';
}

char *sl_double_text(double value, char buffer[SL_DOUBLE_BYTES])
{
    if (value == trunc(value) && fabs(value) < 1e15) { /* 655360, not 6.5536e+05 */
        snprintf(buffer, SL_DOUBLE_BYTES, "%.0f", value);
        return buffer;
    }
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(buffer, SL_DOUBLE_BYTES, "%.*g", digits, value);
        if (!isfinite(value) || strtod(buffer, NULL) == value)
            break;
    }
    use_point(buffer);
    return buffer;
}

char *sl_human_ratio(double value, int digits, char buffer[SL_HUMAN_BYTES])
{
    snprintf(buffer, SL_HUMAN_BYTES, "%.*f", digits, value);
    use_point(buffer);
    return buffer;
}

static uint64_t divide_round(uint64_t value, unsigned factor, unsigned __int128 scale)
{
    return (uint64_t)(((unsigned __int128)value * factor + scale / 2) / scale);
}

/* Three digits and a unit. Rounded in integers, so that no platform differs. */
static char *scaled(uint64_t value, uint64_t unit, const char *const *names, char buffer[SL_HUMAN_BYTES])
{
    unsigned power = 0;
    unsigned __int128 scale = 1;
    for (; divide_round(value, 1, scale) >= unit;
         power++) /* a value that is rounded up to a whole unit is shown in the next one */
        scale *= unit;
    unsigned ones = (unsigned)divide_round(value, 1, scale), tenths = (unsigned)divide_round(value, 10, scale);
    unsigned hundredths = (unsigned)divide_round(value, 100, scale);
    if (hundredths < 1000)
        snprintf(buffer, SL_HUMAN_BYTES, "%u.%02u %s", hundredths / 100, hundredths % 100, names[power]);
    else if (tenths < 1000)
        snprintf(buffer, SL_HUMAN_BYTES, "%u.%u %s", tenths / 10, tenths % 10, names[power]);
    else
        snprintf(buffer, SL_HUMAN_BYTES, "%u %s", ones, names[power]);
    return buffer;
}

char *sl_human_count(uint64_t value, char buffer[SL_HUMAN_BYTES])
{
    static const char *const names[] = {"", "K", "M", "G", "T", "P", "E"};
    if (value >= 100000)
        return scaled(value, 1000, names, buffer);
    if (value >= 1000)
        snprintf(buffer, SL_HUMAN_BYTES, "%u,%03u", (unsigned)(value / 1000), (unsigned)(value % 1000));
    else
        snprintf(buffer, SL_HUMAN_BYTES, "%u", (unsigned)value);
    return buffer;
}

char *sl_human_bytes(uint64_t value, char buffer[SL_HUMAN_BYTES])
{
    static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    if (value >= 1024)
        return scaled(value, 1024, names, buffer);
    snprintf(buffer, SL_HUMAN_BYTES, "%u B", (unsigned)value);
    return buffer;
}

char *sl_human_time(double time, char buffer[SL_HUMAN_BYTES])
{
    static const char *const units[] = {" ns", " us", " ms", " s"};
    int unit = 0;
    for (; time >= 1000 && unit < 3; unit++)
        time /= 1000;
    return strcat(sl_human_ratio(time, unit ? 2 : 0, buffer), units[unit]);
}

/* ---- CSV ---- */

static bool is_formula(const char *text)
{
    char *end;
    if (!*text || !strchr("=+-@\t\r", *text))
        return false;
    strtod(text, &end);
    return end == text || *end;
}

void sl_text_wrap(FILE *file, const char *text, size_t column, size_t indent, size_t width)
{
    bool first = column <= indent; /* of its line: no space before it */
    for (const char *word = text; *word;) {
        if (word[0] == '\n' && word[1] == '\n') {
            fprintf(file, "\n\n%*s", (int)indent, "");
            column = indent;
            first = true;
            word += 2;
            continue;
        }
        if (*word == ' ' || *word == '\n') {
            word++;
            continue;
        }
        size_t length = strcspn(word, " \n");
        if (!first && column + 1 + length > width) {
            fprintf(file, "\n%*s", (int)indent, "");
            column = indent;
            first = true;
        }
        fprintf(file, "%s%.*s", first ? "" : " ", (int)length, word);
        column += length + !first;
        first = false;
        word += length;
    }
}

void sl_csv_field(FILE *file, const char *text)
{
    const char *guard = is_formula(text) ? "'" : "";
    if (!text[strcspn(text, "\",\r\n")]) {
        fprintf(file, "%s%s", guard, text);
        return;
    }
    fprintf(file, "\"%s", guard);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', file);
        fputc(*text, file);
    }
    fputc('"', file);
}

/* ---- ASCII ---- */

static char plain(uint32_t c)
{
    static const char blocks[] = ".:-=+*%####==--"; /* U+2581 to U+258F: heights, the whole, then widths */
    if (c < 0x80)
        return (char)c;
    if (c >= 0x2581 && c <= 0x258f)
        return blocks[c - 0x2581];
    return c == 0x2026 ? '~' : c == 0xd7 ? 'x' : c == 0x2013 || c == 0xb7 ? '-' : '?';
}

/* Control characters, what is not UTF-8 (some terminals take it for them), and what turns the direction of writing. */
static bool is_control(uint32_t c)
{
    return (c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7f && c < 0xa0) || (c >= 0x202a && c <= 0x202e) ||
           (c >= 0x2066 && c <= 0x2069) || c == SL_UTF8_BAD;
}

void sl_text_append(FILE *file, const char *text, bool ascii, bool color)
{
    static const char *const styles[] = {"\033[32m", "\033[33m", "\033[31m", "\033[0m"};
    size_t length;
    for (; *text; text += length) {
        uint32_t c = sl_utf8_next(text, &length);
        if (c >= 0x1c && c <= 0x1f)
            fputs(color ? styles[c - 0x1c] : "", file);
        else if (is_control(c))
            fputc('?', file);
        else if (ascii)
            fputc(plain(c), file);
        else
            fwrite(text, 1, length, file);
    }
}

/* Whether more bytes could make a character of these `length` ones. */
static bool is_cut(const char *text, size_t length)
{
    unsigned char first = (unsigned char)*text;
    size_t wanted = first >> 5 == 6 ? 2 : first >> 4 == 14 ? 3 : first >> 3 == 30 ? 4 : 1;
    for (size_t i = 1; i < length; i++)
        if ((unsigned char)text[i] >> 6 != 2)
            return false;
    return length < wanted;
}

size_t sl_text_append_bytes(FILE *file, const char *text, size_t length, bool ascii, bool more)
{
    size_t used = 0, bytes;
    for (; used < length; used += bytes) {
        char at[5] = {0};
        size_t left = length - used < 4 ? length - used : 4;
        memcpy(at, text + used, left);
        if (more && is_cut(at, left))
            break;
        uint32_t c = sl_utf8_next(at, &bytes);
        if (is_control(c))
            fputc('?', file);
        else if (ascii)
            fputc(plain(c), file);
        else
            fwrite(at, 1, bytes, file);
    }
    return used;
}

sl_status sl_text_finish(FILE *file, const char *what, sl_error *error)
{
    errno = 0;
    if (!fflush(file) && !ferror(file))
        return SL_OK;
    if (!errno)
        errno = EIO; /* which an earlier write met */
    return sl_fail_io(error, "write", what);
}

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

sl_status sl_split_words(const char *text, sl_split *words, sl_error *error)
{
    *words = (sl_split){.text = strdup(text)};
    if (!words->text)
        return sl_fail_memory(error);
    for (char *at = words->text; *at;) {
        int depth = 0;
        while (*at == ' ')
            *at++ = 0;
        if (!*at)
            break;
        if (words->count == SL_MAX_WORDS) {
            sl_split_free(words);
            return sl_fail(error, SL_LIMIT, "'%.60s...' are more than %d words", text, SL_MAX_WORDS);
        }
        words->word[words->count++] = at;
        for (; *at && (*at != ' ' || depth > 0); at++)
            depth += (*at == '(') - (*at == ')');
    }
    return SL_OK;
}

void sl_split_free(sl_split *words)
{
    free(words->text);
    *words = (sl_split){0};
}
