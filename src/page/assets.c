#include "page/assets.h"

/* SL_PAGE_STYLE, SL_PAGE_SCRIPT and SL_PAGE_CHARTS are paths that come from the build. The section directives are those
 * of ELF assemblers. */
#define ASSET(name, path)                                                                                              \
    __asm__(".pushsection .rodata\n"                                                                                   \
            ".global sl_asset_text_" #name "\n"                                                                        \
            ".hidden sl_asset_text_" #name "\n"                                                                        \
            "sl_asset_text_" #name ":\n"                                                                               \
            ".incbin \"" path "\"\n"                                                                                   \
            ".global sl_asset_end_" #name "\n"                                                                         \
            ".hidden sl_asset_end_" #name "\n"                                                                         \
            "sl_asset_end_" #name ":\n"                                                                                \
            ".byte 0\n"                                                                                                \
            ".popsection\n");                                                                                          \
    extern const char sl_asset_text_##name[], sl_asset_end_##name[];                                                   \
    sl_asset sl_asset_##name(void)                                                                                     \
    {                                                                                                                  \
        return (sl_asset){sl_asset_text_##name, (size_t)(sl_asset_end_##name - sl_asset_text_##name)};                 \
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
