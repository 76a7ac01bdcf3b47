/* SPDX-License-Identifier: MIT */
/* What all pages begin and end with: the head with their style, and their script. */
#ifndef SL_PAGE_FRAME_H
#define SL_PAGE_FRAME_H

#include <stdio.h>

/* From the doctype to </head>; the title is escaped. */
void sl_page_frame_head(FILE *file, const char *title);
/* The script of tables and charts, and the end of the page. The page has its data before it, in an element of the id
 * "data". */
void sl_page_frame_end(FILE *file);

#endif
