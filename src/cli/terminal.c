/* SPDX-License-Identifier: MIT */
#include "cli/terminal.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

/* Work shorter than this shows nothing. */
static const uint64_t QUIET_NS = 500000000, REDRAW_NS = 100000000;

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Shorter estimates are unreliable and not shown. */
static const uint64_t TELL_LEFT_NS = 5000000000;

/* "", or ", about 3 min left". */
static const char *time_left(const sl_terminal *terminal, uint64_t now, uint64_t done, uint64_t total, char text[48])
{
    uint64_t spent = now - terminal->what_ns, steps = done - terminal->what_done;
    *text = 0;
    if (spent < TELL_LEFT_NS || !steps)
        return text;
    double left = (double)spent / (double)steps * (double)(total - done) / 1e9;
    if (left < 100)
        snprintf(text, 48, ", about %.0f s left", left);
    else if (left < 100 * 60)
        snprintf(text, 48, ", about %.0f min left", left / 60);
    else
        snprintf(text, 48, ", about %.1f h left", left / 3600);
    return text;
}

static void draw(void *context, const char *what, uint64_t done, uint64_t total)
{
    sl_terminal *terminal = context;
    if (!terminal->shown)
        return;
    if (total && done >= total) { /* what follows may be a report on the same terminal */
        sl_terminal_clear(terminal);
        return;
    }
    uint64_t now = now_ns();
    char left[48];
    if (terminal->what != what || done < terminal->what_done) {
        terminal->what = what;
        terminal->what_ns = now;
        terminal->what_done = done;
    }
    if (now - terminal->start_ns < QUIET_NS || now - terminal->last_ns < REDRAW_NS)
        return;
    terminal->last_ns = now;
    terminal->drawn = true;
    if (total)
        fprintf(stderr, "\r\033[K%s: %llu of %llu (%llu%%)%s", what, (unsigned long long)done,
                (unsigned long long)total, (unsigned long long)(done * 100 / total),
                time_left(terminal, now, done, total, left));
    else
        fprintf(stderr, "\r\033[K%s: %llu", what, (unsigned long long)done);
    fflush(stderr);
}

sl_progress sl_terminal_init(sl_terminal *terminal, bool quiet)
{
    *terminal = (sl_terminal){.shown = !quiet && isatty(STDERR_FILENO), .start_ns = now_ns()};
    return (sl_progress){.update = draw, .context = terminal};
}

void sl_terminal_clear(sl_terminal *terminal)
{
    if (terminal->drawn)
        fputs("\r\033[K", stderr);
    terminal->drawn = false;
}

size_t sl_terminal_width(FILE *file)
{
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    if (columns && *columns && !columns[strspn(columns, "0123456789")])
        return strtoul(columns, NULL, 10);
    int fd = fileno(file);
    if (fd < 0)
        fd = STDOUT_FILENO;
    return isatty(fd) && !ioctl(fd, TIOCGWINSZ, &size) && size.ws_col ? size.ws_col : 80;
}

/* The environment is where other programs look, too: https://no-color.org, and CLICOLOR_FORCE. */
void sl_terminal_choose_colours(int choice)
{
    if (choice == SL_COLOUR_NEVER)
        setenv("NO_COLOR", "1", true);
    if (choice == SL_COLOUR_ALWAYS) {
        unsetenv("NO_COLOR");
        setenv("CLICOLOR_FORCE", "1", true);
    }
}

static bool is_set(const char *name)
{
    const char *value = getenv(name);
    return value && *value;
}

bool sl_terminal_has_colours(FILE *file)
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
