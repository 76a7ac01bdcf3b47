/* SPDX-License-Identifier: MIT */
#include "report/page_sections.h"

#include "base/incbin.h"
#include "report/html.h"

/* SL_PAGE_STYLE, SL_PAGE_SCRIPT and SL_PAGE_CHARTS are paths that come from the build. */
#define ASSET(name, path)                                                                                              \
    SL_INCBIN("sl_asset_text_" #name, path)                                                                            \
    extern const char sl_asset_text_##name[], sl_asset_text_##name##_end[];                                            \
    sl_asset sl_asset_##name(void)                                                                                     \
    {                                                                                                                  \
        return (sl_asset){sl_asset_text_##name, (size_t)(sl_asset_text_##name##_end - sl_asset_text_##name)};          \
    }

// clang-format off
ASSET(style, SL_PAGE_STYLE)
ASSET(script, SL_PAGE_SCRIPT)
#ifdef SL_PAGE_CHARTS
ASSET(charts, SL_PAGE_CHARTS)
#else
sl_asset sl_asset_charts(void)
{
    return (sl_asset){"", 0};
}
#endif
// clang-format on

/* Nothing may be fetched, whatever the page contains. */
#define POLICY "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"

static void write_asset(FILE *file, const char *tag, sl_asset asset)
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
          "<link rel=icon href=\"data:,\">\n",
          file);
    sl_htmlf(file, "<title>%s</title>\n", title);
    write_asset(file, "style", sl_asset_style());
    fputs("</head>\n", file);
}

void sl_page_frame_end(FILE *file)
{
    write_asset(file, "script", sl_asset_charts());
    write_asset(file, "script", sl_asset_script());
    fputs("</body>\n</html>\n", file);
}
