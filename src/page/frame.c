/* SPDX-License-Identifier: MIT */
#include "page/frame.h"

#include "page/assets.h"
#include "page/html.h"

/* Nothing may be fetched, whatever stands in the page. */
#define POLICY "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"

static void put_asset(FILE *file, const char *tag, sl_asset asset)
{
    if (!asset.bytes)
        return;
    fprintf(file, "<%s>\n", tag);
    fwrite(asset.text, 1, asset.bytes, file);
    fprintf(file, "\n</%s>\n", tag);
}

void sl_page_frame_head(FILE *file, const char *title)
{
    fputs("<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
          "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=color-scheme content=\"light dark\">\n"
          "<meta http-equiv=Content-Security-Policy content=\"" POLICY "\">\n"
          "<meta name=generator content=\"sluice " SLUICE_VERSION "\">\n"
          "<link rel=icon href=\"data:,\">\n<title>",
          file);
    sl_html_text(file, title);
    fputs("</title>\n", file);
    put_asset(file, "style", sl_asset_style());
    fputs("</head>\n", file);
}

void sl_page_frame_end(FILE *file)
{
    put_asset(file, "script", sl_asset_charts());
    put_asset(file, "script", sl_asset_script());
    fputs("</body>\n</html>\n", file);
}
