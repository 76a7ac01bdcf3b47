/* SPDX-License-Identifier: MIT */
#include "cli/terminal.h"

#include <inttypes.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/text.h"

size_t sl_terminal_width(FILE *file)
{
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    if (columns && *columns && !columns[strspn(columns, "0123456789")])
        return strtoul(columns, NULL, 10);
    int fd = fileno(file);
    if (fd < 0)
        fd = STDOUT_FILENO;
    if (!isatty(fd))
        return 0;
    return !ioctl(fd, TIOCGWINSZ, &size) && size.ws_col ? size.ws_col : 80;
}

void sl_terminal_choose_width(uint64_t columns)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, columns);
    setenv("COLUMNS", text, true);
}

/* The environment is where other programs look, too: https://no-color.org, and CLICOLOR_FORCE. */
void sl_terminal_choose_colors(int choice)
{
    if (choice == SL_COLOR_NEVER)
        setenv("NO_COLOR", "1", true);
    if (choice == SL_COLOR_ALWAYS) {
        unsetenv("NO_COLOR");
        setenv("CLICOLOR_FORCE", "1", true);
    }
}

static bool is_set(const char *name)
{
    const char *value = getenv(name);
    return value && *value;
}

bool sl_terminal_has_colors(FILE *file)
{
    const char *kind = getenv("TERM");
    if (is_set("NO_COLOR"))
        return false;
    return is_set("CLICOLOR_FORCE") || (isatty(fileno(file)) && kind && strcmp(kind, "dumb") != 0);
}

bool sl_terminal_is_plain(FILE *file)
{
    int fd = fileno(file);
    if (fd < 0 || !isatty(fd))
        return false;
    locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
    bool plain = !locale || strcmp(nl_langinfo_l(CODESET, locale), "UTF-8") != 0;
    if (locale)
        freelocale(locale);
    return plain;
}

/* ---- text of strangers ---- */

typedef struct filter {
    FILE *terminal;
    bool plain;
    size_t count; /* bytes of a character that was cut between two writes */
    char cut[4];
} filter;

static ssize_t filter_write(void *cookie, const char *text, size_t length)
{
    filter *f = cookie;
    size_t at = 0;
    while (f->count && at < length) {
        f->cut[f->count++] = text[at++];
        size_t used = sl_text_append_bytes(f->terminal, f->cut, f->count, f->plain, true);
        f->count -= used;
        memmove(f->cut, f->cut + used, f->count);
    }
    at += sl_text_append_bytes(f->terminal, text + at, length - at, f->plain, true);
    if (at < length) {
        f->count = length - at; /* fewer than a character has */
        memcpy(f->cut, text + at, f->count);
    }
    return ferror(f->terminal) ? 0 : (ssize_t)length;
}

static int filter_close(void *cookie)
{
    filter *f = cookie;
    sl_text_append_bytes(f->terminal, f->cut, f->count, f->plain, false);
    int failed = fflush(f->terminal);
    free(f);
    return failed;
}

FILE *sl_terminal_filter(FILE *terminal)
{
    filter *f = calloc(1, sizeof *f);
    FILE *stream = NULL;
    if (f) {
        *f = (filter){.terminal = terminal, .plain = sl_terminal_is_plain(terminal)};
        stream = fopencookie(f, "w", (cookie_io_functions_t){.write = filter_write, .close = filter_close});
    }
    if (!stream)
        free(f);
    return stream;
}

void sl_terminal_write(FILE *file, const char *text, size_t length)
{
    if (isatty(fileno(file)))
        sl_text_append_bytes(file, text, length, sl_terminal_is_plain(file), false);
    else
        fwrite(text, 1, length, file);
}
