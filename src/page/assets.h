/* SPDX-License-Identifier: MIT */
/* The files of assets/, and the library that draws charts, as they are taken into the program. */
#ifndef SL_PAGE_ASSETS_H
#define SL_PAGE_ASSETS_H

#include <stddef.h>

typedef struct sl_asset {
    const char *text;
    size_t bytes;
} sl_asset;

sl_asset sl_asset_style(void);
sl_asset sl_asset_script(void);
/* Chart.js; empty where it was not installed when the program was built. */
sl_asset sl_asset_charts(void);

#endif
