/* SPDX-License-Identifier: MIT */
#include "model/core.h"

#include "base/hash.h"

static void add(sl_hot_words *hot, uint64_t word, uint64_t lanes)
{
    uint32_t at = (uint32_t)(sl_hash_mix(word) % SL_HOT_WORDS);
    if (hot->entry[at].word == word) {
        hot->entry[at].lanes += lanes;
    } else if (hot->entry[at].lanes < lanes) {
        hot->entry[at].lanes = lanes - hot->entry[at].lanes;
        hot->entry[at].word = word;
    } else {
        hot->entry[at].lanes -= lanes;
    }
}

void sl_hot_words_add(sl_hot_words *hot, const sl_inst *inst, sl_access *access, uint32_t lanes)
{
    uint32_t width = sl_access_width(access, inst);
    sl_access_expand(access, lanes);
    for (uint64_t left = access->mask; left; left &= left - 1)
        add(hot, access->addr[__builtin_ctzll(left)] / (width ? width : 1), 1);
}

void sl_hot_words_merge(sl_hot_words *into, const sl_hot_words *from)
{
    for (uint32_t i = 0; i < SL_HOT_WORDS; i++)
        if (from->entry[i].lanes)
            add(into, from->entry[i].word, from->entry[i].lanes);
}

uint64_t sl_hot_words_max(const sl_hot_words *hot)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < SL_HOT_WORDS; i++)
        most = hot->entry[i].lanes > most ? hot->entry[i].lanes : most;
    return most;
}
