/* SPDX-License-Identifier: MIT */
/* The table of keys.def, and values in text form. */
#ifndef SL_MACHINE_KEYS_H
#define SL_MACHINE_KEYS_H

#include "base/hash.h"
#include "machine/machine.h"

typedef enum sl_key_section {
    SL_SECTION_machine,
    SL_SECTION_core,
    SL_SECTION_memory,
    SL_SECTION_level,
    SL_KEY_SECTIONS
} sl_key_section;

typedef enum sl_key_type {
    SL_KEY_COUNT,
    SL_KEY_SIZE,
    SL_KEY_CORES,
    SL_KEY_TEXT,
    SL_KEY_INDEX,
    SL_KEY_WRITE,
    SL_KEY_MISS,
    SL_KEY_HINT,
    SL_KEY_SCHEDULING,
    SL_KEY_SIZES,
    SL_KEY_BITS,
} sl_key_type;

/* SL_AT_core_threads and so on: positions in the table. */
typedef enum sl_key_at {
#define SL_KEY(section, name, ...) SL_AT_##section##_##name,
#include "machine/keys.def"
#undef SL_KEY
    SL_KEYS
} sl_key_at;

typedef struct sl_key {
    sl_key_section section;
    const char *name;
    sl_key_type type;
    size_t offset, bytes; /* of the field: in sl_machine, or in sl_level for keys of levels */
    bool required;
    uint64_t min, max;
    const char *help;
} sl_key;

extern const sl_key sl_keys[SL_KEYS];
extern const char *const sl_section_names[SL_KEY_SECTIONS];

/* Puts a scalar's text into its field; `base` is the sl_machine or the sl_level. Errors have no location. */
sl_status sl_key_parse(const sl_key *key, const char *text, void *base, sl_error *error);
/* A number as keys take it: decimal digits, for sizes with K, M or G. */
sl_status sl_key_number(const sl_key *key, const char *text, uint64_t *value, sl_error *error);
/* The key of that name in a section, or NULL. */
const sl_key *sl_key_find(sl_key_section section, const char *name);
/* The error for an unknown key of a section, with a suggestion; `others`: further valid names, ended by NULL. */
sl_status sl_key_unknown(sl_key_section section, const char *name, const char *const *others, sl_error *error);
/* The value of a key of type COUNT, SIZE or CORES. */
uint64_t sl_key_get(const sl_key *key, const void *base);
/* Whether values of the type are words of a fixed set. */
bool sl_key_has_words(sl_key_type type);
/* The word of a key of type TEXT, or of one with words. */
const char *sl_key_word(const sl_key *key, const void *base);

/* The key that makes a machine invalid. */
typedef struct sl_machine_fault {
    sl_key_at key;
    uint32_t level; /* for keys of levels */
} sl_machine_fault;

/* sl_machine_parse without derived values; the machine has been checked. */
sl_status sl_machine_parse_raw(const char *path, const char *text, size_t bytes, const sl_policy_list *policies,
                               sl_machine *machine, sl_error *error);
/* Applies a setting ("L1.ways=8") to a machine without derived values. */
sl_status sl_machine_set(sl_machine *raw, const char *setting, sl_error *error);
/* sl_machine_check with the fault's key, which the error's text does not name. */
sl_status sl_machine_check_at(sl_machine *machine, sl_machine_fault *fault, sl_error *error);

/* Every key with its final value: comments and the order of keys in its file do not matter. */
void sl_machine_hash(sl_hash *hash, const sl_machine *machine);

#endif
