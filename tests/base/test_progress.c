/* SPDX-License-Identifier: MIT */
#include "base/progress.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "support.h"

typedef struct screen {
    int reader;
    FILE *file;
    sl_progress_line line;
    sl_progress progress;
    char seen[512];
} screen;

/* A terminal of some columns, where work has gone on for a while. */
static void screen_open(screen *s, unsigned short columns)
{
    *s = (screen){.reader = posix_openpt(O_RDWR | O_NOCTTY)};
    assert_true(s->reader >= 0 && !grantpt(s->reader) && !unlockpt(s->reader));
    s->file = fopen(ptsname(s->reader), "w");
    assert_non_null(s->file);
    assert_int_equal(ioctl(fileno(s->file), TIOCSWINSZ, &(struct winsize){.ws_row = 24, .ws_col = columns}), 0);
    s->progress = sl_progress_line_init(&s->line, s->file);
    s->line.start_ns = 0;
}

static void screen_close(screen *s)
{
    fclose(s->file);
    close(s->reader);
}

/* What an update shows, however soon it comes after the one before; "": nothing. */
static const char *shown(screen *s, const char *what, uint64_t done, uint64_t total)
{
    s->line.last_ns = 0;
    sl_progress_update(&s->progress, what, done, total);
    fputs("|", s->file);
    fflush(s->file);
    size_t length = 0;
    while (!length || s->seen[length - 1] != '|') {
        ssize_t got = read(s->reader, s->seen + length, sizeof s->seen - length);
        assert_true(got > 0);
        length += (size_t)got;
    }
    s->seen[length - 1] = 0;
    return s->seen;
}

#define LINE "\r\033[K"

static void a_phase_is_shown_with_the_share_that_is_done(void **state)
{
    (void)state;
    screen s;
    screen_open(&s, 80);
    assert_string_equal(shown(&s, "kernel spmv", 0, 0), LINE "kernel spmv");
    assert_string_equal(shown(&s, "blocks", 1516, 4096), LINE "kernel spmv: 37% of 4096 blocks");
    assert_string_equal(shown(&s, "blocks", 4096, 4096), LINE); /* cleared */
    assert_string_equal(shown(&s, "accesses", 12, 0), LINE "12 accesses");
    sl_progress_phase(&s.progress, "simulating launch %d of %d", 3, 12);
    assert_string_equal(shown(&s, "blocks", 1, 2), LINE "simulating launch 3 of 12: 50% of 2 blocks");
    screen_close(&s);
}

static void a_share_goes_on_through_phases(void **state)
{
    (void)state;
    screen s;
    screen_open(&s, 80);
    s.progress = sl_progress_line_init(&s.line, s.file);
    s.line.start_ns = 0;
    shown(&s, "", 100, 1000);
    s.line.what_ns -= 10000000000; /* it took ten seconds to the next */
    assert_string_equal(shown(&s, "launch 2", 0, 0), LINE "launch 2");
    assert_string_equal(shown(&s, "", 600, 1000), LINE "launch 2: 60%, about 8 s left");
    assert_string_equal(shown(&s, "blocks", 1, 2), LINE "launch 2: 50% of 2 blocks");
    screen_close(&s);
}

static void a_line_stays_one_line_and_controls_no_terminal(void **state)
{
    (void)state;
    screen s;
    screen_open(&s, 40);
    shown(&s, "kernel \033[2Ja_name_that_is_longer_than_the_terminal_is_wide", 0, 0);
    assert_string_equal(shown(&s, "blocks", 1, 2), LINE "kernel ?[2Ja_name_that_: 50% of 2 blocks");
    screen_close(&s);
}

static void short_work_and_what_is_no_terminal_show_nothing(void **state)
{
    (void)state;
    screen s;
    screen_open(&s, 80);
    s.progress = sl_progress_line_init(&s.line, s.file); /* begins now */
    assert_string_equal(shown(&s, "blocks", 1, 2), "");
    screen_close(&s);
    char *text = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&text, &length);
    sl_progress_line line;
    sl_progress progress = sl_progress_line_init(&line, memory);
    line.start_ns = 0;
    sl_progress_update(&progress, "blocks", 1, 2);
    assert_int_equal(fclose(memory), 0);
    assert_int_equal(length, 0);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_phase_is_shown_with_the_share_that_is_done),
        cmocka_unit_test(a_share_goes_on_through_phases),
        cmocka_unit_test(a_line_stays_one_line_and_controls_no_terminal),
        cmocka_unit_test(short_work_and_what_is_no_terminal_show_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
