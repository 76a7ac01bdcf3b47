/* SPDX-License-Identifier: MIT */
#include "base/progress.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"

/* Work shorter than this shows nothing. */
static const uint64_t QUIET_NS = 500000000, REDRAW_NS = 100000000;
/* Shorter estimates are unreliable and not shown. */
static const uint64_t TELL_LEFT_NS = 5000000000;

void sl_progress_phase(const sl_progress *progress, const char *format, ...)
{
    char text[160];
    va_list args;
    if (!progress)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    sl_progress_update(progress, text, 0, 0);
}

/* ---- the line ---- */

/* "", or ", about 3 min left". */
static const char *time_left(const sl_progress_line *line, uint64_t now, uint64_t done, uint64_t total, char text[48])
{
    uint64_t spent = now - line->what_ns, steps = done - line->what_done;
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

/* Names of kernels may be longer than the terminal is wide. */
static void write_line(const sl_progress_line *line, const char *counts)
{
    struct winsize size;
    char phase[sizeof line->phase];
    size_t width = !ioctl(fileno(line->file), TIOCGWINSZ, &size) && size.ws_col ? size.ws_col : 80;
    size_t taken = sl_utf8_columns(counts) + (*counts ? 2 : 0) + 1;
    size_t fits = sl_utf8_prefix(line->phase, width > taken ? width - taken : 0);
    snprintf(phase, sizeof phase, "%.*s", (int)fits, line->phase);
    fputs("\r\033[K", line->file);
    sl_text_append(line->file, phase, false, false);
    fprintf(line->file, "%s%s", *phase && *counts ? ": " : "", counts);
    fflush(line->file);
}

static void begin(sl_progress_line *line, const char *what, uint64_t now, uint64_t done)
{
    snprintf(line->what, sizeof line->what, "%s", what);
    line->what_ns = now;
    line->what_done = done;
}

static void draw(void *context, const char *what, uint64_t done, uint64_t total)
{
    sl_progress_line *line = context;
    char counts[192] = "", left[48];
    if (!line->file)
        return;
    if (total && done >= total) { /* what follows may be a report on the same terminal */
        sl_progress_line_clear(line);
        *line->phase = *line->what = 0;
        return;
    }
    uint64_t now = sl_now_ns();
    if (!total && !done) {
        snprintf(line->phase, sizeof line->phase, "%s", what);
        if (*line->what)
            line->last_total = 0;
    } else {
        if (strncmp(line->what, what, sizeof line->what - 1) != 0 || done < line->last_done ||
            total != line->last_total)
            begin(line, what, now, done);
        line->last_done = done;
        line->last_total = total;
    }
    if (now - line->start_ns < QUIET_NS || now - line->last_ns < REDRAW_NS)
        return;
    if (total && !*line->what)
        snprintf(counts, sizeof counts, "%.0f%%%s", floor(100.0 * (double)done / (double)total),
                 time_left(line, now, done, total, left));
    else if (total)
        snprintf(counts, sizeof counts, "%" PRIu64 "%% of %" PRIu64 " %s%s", done * 100 / total, total, line->what,
                 time_left(line, now, done, total, left));
    else if (done)
        snprintf(counts, sizeof counts, "%" PRIu64 " %s", done, line->what);
    line->last_ns = now;
    line->drawn = true;
    write_line(line, counts);
}

sl_progress sl_progress_line_init(sl_progress_line *line, FILE *file)
{
    *line = (sl_progress_line){.file = file && isatty(fileno(file)) ? file : NULL, .start_ns = sl_now_ns()};
    return (sl_progress){.update = draw, .context = line};
}

void sl_progress_line_clear(sl_progress_line *line)
{
    if (line->drawn)
        fputs("\r\033[K", line->file);
    line->drawn = false;
}
