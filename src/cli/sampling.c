/* SPDX-License-Identifier: MIT */
#include "cli/sampling.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

sl_status sl_sampling_of(const char *text, sl_sampling *sampling, sl_error *error)
{
    char *end;
    *sampling = (sl_sampling){.when = SL_SAMPLE_AUTO};
    if (!text || !strcmp(text, "auto"))
        return SL_OK;
    sampling->when = !strcmp(text, "off") ? SL_SAMPLE_NEVER : SL_SAMPLE_ALWAYS;
    if (sampling->when == SL_SAMPLE_NEVER)
        return SL_OK;
    double percent = strtod(text, &end);
    if (end == text || strcmp(end, "%") != 0 || !(percent > 0 && percent <= 100))
        return sl_fail(error, SL_INVALID, "--sample: '%s' is not auto, off, or a percentage such as 1%%", text);
    sampling->target = percent / 100;
    return SL_OK;
}

/* ---- Ctrl-C ---- */

static volatile bool stopped;
static struct sigaction before;
static bool caught;

/* Only what a signal handler may call. */
static void stop(int number)
{
    static const char text[] = "\nsluice: ending after this launch; Ctrl-C again ends at once\n";
    stopped = true;
    sigaction(number, &before, NULL);
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
}

const volatile bool *sl_stop_catch(void)
{
    struct sigaction action = {.sa_handler = stop, .sa_flags = SA_RESTART};
    stopped = false;
    caught = !sigaction(SIGINT, NULL, &before) && before.sa_handler != SIG_IGN && !sigaction(SIGINT, &action, NULL);
    return &stopped;
}

bool sl_stop_release(void)
{
    if (caught)
        sigaction(SIGINT, &before, NULL);
    caught = false;
    return stopped;
}
