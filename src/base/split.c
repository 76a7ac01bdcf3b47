/* SPDX-License-Identifier: MIT */
#include "base/split.h"

#include <stdlib.h>
#include <string.h>

sl_status sl_split_words(const char *text, sl_split *words, sl_error *error)
{
    *words = (sl_split){.text = strdup(text)};
    if (!words->text)
        return sl_fail_memory(error);
    for (char *at = words->text; *at;) {
        int depth = 0;
        while (*at == ' ')
            *at++ = 0;
        if (!*at)
            break;
        if (words->count == SL_MAX_WORDS) {
            sl_split_free(words);
            return sl_fail(error, SL_LIMIT, "'%.60s...' are more than %d words", text, SL_MAX_WORDS);
        }
        words->word[words->count++] = at;
        for (; *at && (*at != ' ' || depth > 0); at++)
            depth += (*at == '(') - (*at == ')');
    }
    return SL_OK;
}

void sl_split_free(sl_split *words)
{
    free(words->text);
    *words = (sl_split){0};
}
