/* SPDX-License-Identifier: MIT */
#include "study/words.h"

#include <stdlib.h>
#include <string.h>

sl_status sl_words_split(const char *text, sl_words *words, sl_error *error)
{
    *words = (sl_words){.text = strdup(text)};
    if (!words->text)
        return sl_fail_memory(error);
    for (char *at = words->text; *at;) {
        int depth = 0;
        while (*at == ' ')
            *at++ = 0;
        if (!*at)
            break;
        if (words->count == SL_MAX_WORDS) {
            sl_words_free(words);
            return sl_fail(error, SL_LIMIT, "'%.60s...' are more than %d words", text, SL_MAX_WORDS);
        }
        words->word[words->count++] = at;
        for (; *at && (*at != ' ' || depth > 0); at++)
            depth += (*at == '(') - (*at == ')');
    }
    return SL_OK;
}

void sl_words_free(sl_words *words)
{
    free(words->text);
    *words = (sl_words){0};
}
