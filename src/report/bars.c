/* SPDX-License-Identifier: MIT */
#include "report/bars.h"

#include <string.h>

char *sl_bar(double share, unsigned columns, char buffer[SL_BAR_BYTES])
{
    static const char *const parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    columns = columns < SL_BAR_COLUMNS ? columns : SL_BAR_COLUMNS;
    share = share > 1 ? 1 : share;
    unsigned eighths = share > 0 ? (unsigned)(share * columns * 8 + 0.5) : 0;
    eighths = share > 0 && !eighths ? 1 : eighths;
    char *at = buffer;
    *at = 0;
    for (unsigned i = 0; i < eighths / 8; i++)
        at = stpcpy(at, "█");
    strcpy(at, parts[eighths % 8]);
    return buffer;
}

const char *sl_spark(uint64_t value, uint64_t max)
{
    static const char *const heights[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    return heights[max && value ? 1 + (unsigned)((unsigned __int128)(value < max ? value : max) * 7 / max) : 0];
}
