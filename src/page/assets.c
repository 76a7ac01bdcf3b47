/* SPDX-License-Identifier: MIT */
#include "page/assets.h"

#include "base/incbin.h"

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
