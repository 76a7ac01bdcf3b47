/* SPDX-License-Identifier: MIT */
#include "machine/keys.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/suggest.h"

/* Keys of levels lie in sl_level, all others in sl_machine. */
typedef sl_machine owner_machine, owner_core, owner_memory;
typedef sl_level owner_level;

enum { OPTIONAL = false, REQUIRED = true };

const sl_key sl_keys[SL_KEYS] = {
#define SL_KEY(section, name, type, field, need, min, max, help)                                                       \
    {SL_SECTION_##section,                                                                                             \
     #name,                                                                                                            \
     SL_KEY_##type,                                                                                                    \
     offsetof(owner_##section, field),                                                                                 \
     sizeof(((owner_##section *)0)->field),                                                                            \
     need,                                                                                                             \
     min,                                                                                                              \
     max,                                                                                                              \
     help},
#include "machine/keys.def"
#undef SL_KEY
};

const char *const sl_section_names[SL_KEY_SECTIONS] = {"machine", "core", "memory", "level"};

static const char *const index_words[] = {
    [SL_INDEX_MODULO] = "modulo", [SL_INDEX_BITS] = "bits", [SL_INDEX_MIX] = "mix", [SL_INDEX_ROTATE] = "rotate"};
static const char *const write_words[] = {[SL_WRITE_ALLOCATE] = "allocate",
                                          [SL_WRITE_THROUGH] = "through",
                                          [SL_WRITE_EVICT] = "evict",
                                          [SL_WRITE_BACK] = "back"};
static const char *const miss_words[] = {
    [SL_MISS_OVERLAPPED] = "overlapped", [SL_MISS_SERIALIZED] = "serialized", [SL_MISS_FRC] = "frc"};
static const char *const hint_words[] = {[SL_HINT_BYPASS] = "bypass",
                                         [SL_HINT_EVICT_FIRST] = "evict_first",
                                         [SL_HINT_MISS_EVICT] = "miss_evict",
                                         [SL_HINT_STREAM] = "stream"};
static const char *const scheduling_words[] = {[SL_SCHEDULE_LRR] = "lrr",
                                               [SL_SCHEDULE_GTO] = "gto",
                                               [SL_SCHEDULE_TWO_LEVEL] = "two-level",
                                               [SL_SCHEDULE_GTY] = "gty"};

typedef struct word_list {
    const char *const *word;
    size_t count;
} word_list;

#define WORDS(list)                                                                                                    \
    {                                                                                                                  \
        list, sizeof(list) / sizeof *(list)                                                                            \
    }
static const word_list words_of[] = {
    [SL_KEY_INDEX] = WORDS(index_words),
    [SL_KEY_WRITE] = WORDS(write_words),
    [SL_KEY_MISS] = WORDS(miss_words),
    [SL_KEY_HINT] = WORDS(hint_words),
    [SL_KEY_SCHEDULING] = WORDS(scheduling_words),
};
#undef WORDS

bool sl_key_has_words(sl_key_type type)
{
    return (size_t)type < sizeof words_of / sizeof *words_of && words_of[type].count;
}

static sl_status parse_text(const sl_key *key, const char *text, char *field, sl_error *error)
{
    if (!*text)
        return sl_fail(error, SL_INVALID, "'%s' is empty", key->name);
    if (strlen(text) >= key->bytes)
        return sl_fail(error, SL_INVALID, "'%s' takes at most %zu characters", key->name, key->bytes - 1);
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < ' ')
            return sl_fail(error, SL_INVALID, "'%s' takes one line of text", key->name);
    strncpy(field, text, key->bytes); /* clears the rest of a longer text of the base, too */
    return SL_OK;
}

static sl_status parse_word(const sl_key *key, const char *text, void *field, sl_error *error)
{
    const char *const *words = words_of[key->type].word;
    size_t count = words_of[key->type].count;
    for (int i = 0; i < (int)count; i++)
        if (!strcmp(text, words[i])) {
            memcpy(field, &i, sizeof i);
            return SL_OK;
        }
    char choices[64] = "";
    for (size_t i = 0, at = 0; i < count; i++)
        at += (size_t)snprintf(choices + at, sizeof choices - at, "%s%s",
                               !i              ? ""
                               : i + 1 < count ? ", "
                                               : " or ",
                               words[i]);
    const char *near = sl_suggest(text, words, count);
    return sl_fail(error, SL_INVALID, "'%s' is %s, not '%s'%s%s%s", key->name, choices, text,
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}
_Static_assert(sizeof(sl_set_index) == sizeof(int) && sizeof(sl_write_policy) == sizeof(int) &&
                   sizeof(sl_miss_handling) == sizeof(int) && sizeof(sl_scheduling) == sizeof(int) &&
                   sizeof(sl_hint) == sizeof(int),
               "enums are ints");

/* "16K": the number, and 0 where the text is no number at all or too large for 64 bits. */
static bool read_number(const char *text, bool size, uint64_t *value)
{
    uint64_t number = 0;
    const char *c = text;
    for (; *c >= '0' && *c <= '9'; c++)
        if (__builtin_mul_overflow(number, 10, &number) || __builtin_add_overflow(number, *c - '0', &number))
            return false;
    if (c == text)
        return false;
    static const char units[] = "KMG";
    const char *unit = size && *c ? strchr(units, *c) : NULL;
    for (int i = 0; unit && i <= unit - units; i++)
        if (__builtin_mul_overflow(number, 1024, &number))
            return false;
    *value = number;
    return !c[unit != NULL];
}

sl_status sl_key_number(const sl_key *key, const char *text, uint64_t *value, sl_error *error)
{
    bool size = key->type == SL_KEY_SIZE || key->type == SL_KEY_SIZES;
    if (!read_number(text, size, value))
        return sl_fail(error, SL_INVALID, "'%s' takes %s, not '%s'", key->name,
                       size                        ? "a number of bytes such as 128, 16K or 1M"
                       : key->type == SL_KEY_CORES ? "a number or 'all'"
                                                   : "a number",
                       text);
    if (*value < key->min || *value > key->max)
        return sl_fail(error, SL_INVALID, "'%s' is from %" PRIu64 " to %" PRIu64 ", not %s", key->name, key->min,
                       key->max, text);
    return SL_OK;
}

static sl_status parse_number(const sl_key *key, const char *text, void *field, sl_error *error)
{
    uint64_t value = SL_ALL_CORES;
    if (key->type != SL_KEY_CORES || strcmp(text, "all")) {
        sl_status status = sl_key_number(key, text, &value, error);
        if (status)
            return status;
    }
    uint32_t narrow = (uint32_t)value;
    memcpy(field, key->bytes == sizeof value ? (void *)&value : (void *)&narrow, key->bytes);
    return SL_OK;
}

sl_status sl_key_parse(const sl_key *key, const char *text, void *base, sl_error *error)
{
    void *field = (char *)base + key->offset;
    switch (key->type) {
    case SL_KEY_TEXT:
        return parse_text(key, text, field, error);
    case SL_KEY_INDEX:
    case SL_KEY_WRITE:
    case SL_KEY_MISS:
    case SL_KEY_HINT:
    case SL_KEY_SCHEDULING:
        return parse_word(key, text, field, error);
    case SL_KEY_COUNT:
    case SL_KEY_SIZE:
    case SL_KEY_CORES:
        return parse_number(key, text, field, error);
    default:
        return sl_fail(error, SL_INVALID, "'%s' takes a list", key->name);
    }
}

const sl_key *sl_key_find(sl_key_section section, const char *name)
{
    for (int i = 0; i < SL_KEYS; i++)
        if (sl_keys[i].section == section && !strcmp(sl_keys[i].name, name))
            return &sl_keys[i];
    return NULL;
}

sl_status sl_key_unknown(sl_key_section section, const char *name, const char *const *others, sl_error *error)
{
    enum { MAX_OTHERS = 8 };
    const char *names[SL_KEYS + MAX_OTHERS], *of = sl_section_names[section], *elsewhere = NULL;
    size_t count = 0;
    for (int i = 0; i < SL_KEYS; i++) {
        if (sl_keys[i].section == section)
            names[count++] = sl_keys[i].name;
        else if (!strcmp(sl_keys[i].name, name))
            elsewhere = sl_section_names[sl_keys[i].section];
    }
    for (; *others; others++)
        names[count++] = *others;
    const char *near = sl_suggest(name, names, count);
    if (elsewhere)
        return sl_fail(error, SL_SYNTAX, "a %s has no key '%s'; it is one of a %s", of, name, elsewhere);
    if (near)
        return sl_fail(error, SL_SYNTAX, "a %s has no key '%s'; did you mean '%s'?", of, name, near);
    return sl_fail(error, SL_SYNTAX, "a %s has no key '%s'", of, name);
}

uint64_t sl_key_get(const sl_key *key, const void *base)
{
    uint64_t wide;
    uint32_t narrow;
    const char *field = (const char *)base + key->offset;
    if (key->bytes == sizeof wide)
        return memcpy(&wide, field, sizeof wide), wide;
    return memcpy(&narrow, field, sizeof narrow), narrow;
}

const char *sl_key_word(const sl_key *key, const void *base)
{
    const char *field = (const char *)base + key->offset;
    int word;
    if (key->type == SL_KEY_TEXT)
        return field;
    memcpy(&word, field, sizeof word);
    return words_of[key->type].word[word];
}

/* ---- a hash ---- */

static void hash_key(sl_hash *hash, const sl_key *key, const void *base)
{
    if (key->type == SL_KEY_SIZES || key->type == SL_KEY_BITS)
        return; /* hash_lists */
    sl_hash_text(hash, key->name);
    if (key->type == SL_KEY_TEXT || sl_key_has_words(key->type))
        sl_hash_text(hash, sl_key_word(key, base));
    else
        sl_hash_number(hash, sl_key_get(key, base));
}

static void hash_lists(sl_hash *hash, const sl_machine *m)
{
    for (uint32_t i = 0; i < m->core.carve_outs; i++)
        sl_hash_number(hash, m->core.carve_out[i]);
    for (uint32_t i = 0; i < m->core.carve_out_needs; i++)
        sl_hash_number(hash, m->core.carve_out_need[i]);
    for (uint32_t l = 0; l < m->levels; l++)
        for (uint32_t i = 0; m->level[l].index == SL_INDEX_BITS && i < SL_MAX_SET_BITS; i++)
            sl_hash_number(hash, m->level[l].set_bits[i]);
}

void sl_machine_hash(sl_hash *hash, const sl_machine *m)
{
    for (int k = 0; k < SL_KEYS; k++) {
        if (sl_keys[k].section != SL_SECTION_level)
            hash_key(hash, &sl_keys[k], m);
        for (uint32_t l = 0; sl_keys[k].section == SL_SECTION_level && l < m->levels; l++)
            hash_key(hash, &sl_keys[k], &m->level[l]);
    }
    hash_lists(hash, m);
}
