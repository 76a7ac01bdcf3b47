/* SPDX-License-Identifier: MIT */
/* What headings of tables mean, where they are no metrics. */
#include <string.h>

#include "report/table.h"

const char *sl_heading_description(const char *title)
{
    static const struct {
        const char *title, *description;
    } headings[] = {
#define SL_HEADING(title, description) {title, description},
#include "report/headings.def"
    };
    for (size_t i = 0; i < sizeof headings / sizeof *headings; i++)
        if (!strcmp(headings[i].title, title))
            return headings[i].description;
    return NULL;
}
