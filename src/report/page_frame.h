/* SPDX-License-Identifier: MIT */
/* What all pages begin and end with: the head with their style, and their script. */
#ifndef SL_REPORT_PAGE_FRAME_H
#define SL_REPORT_PAGE_FRAME_H

#include <stdio.h>

/* The files of assets/, and Chart.js, as they are taken into the program. */
typedef struct sl_asset {
    const char *text;
    size_t bytes; /* 0: it was not installed when the program was built */
} sl_asset;
sl_asset sl_asset_style(void);
sl_asset sl_asset_script(void);
sl_asset sl_asset_charts(void);

/* From the doctype to </head>; the title is escaped. */
void sl_page_frame_head(FILE *file, const char *title);
/* The script of tables and charts, and the end of the page. The page has its data before it, in an element of the id
 * "data". */
void sl_page_frame_end(FILE *file);

#endif
