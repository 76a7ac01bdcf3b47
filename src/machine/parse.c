/* SPDX-License-Identifier: MIT */
/* YAML to a machine. libyaml reads the text; keys.def lists the keys; every error has a location.
 *
 * A description that is `based_on` another starts from that one: its keys change what they name, an entry of `levels`
 * changes the level of its name. What follows from the keys is derived afterwards, so that a variant that changes the
 * ways of a level need not say how many sets that makes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "base/yaml.h"
#include "machine/keys.h"
#include "machine/machine.h"
#include "machine/vary.h"

enum { MAX_BASES = 8 };
/* The locations of keys are kept for each owner: the machine, its core, its memory, each level. */
enum { FIRST_LEVEL = SL_SECTION_level, OWNERS = FIRST_LEVEL + SL_MAX_LEVELS };

typedef struct loader {
    sl_yaml yaml;
    uint32_t depth;              /* how many descriptions are based on this one */
    sl_machine *machine, before; /* before: the machine this one is based on */
    bool based;
    sl_yaml_mark base; /* the value of based_on */
    sl_yaml_mark owner[OWNERS], key[OWNERS][SL_KEYS];
    sl_error *error;
} loader;

static sl_status load_raw(const char *path, const char *text, size_t bytes, uint32_t depth, sl_machine *machine,
                          loader *l, sl_error *error);

#define FAIL(node, ...) sl_yaml_fail(&l->yaml, node, __VA_ARGS__)

/* ---- values ---- */

static sl_status parse_number(loader *l, const sl_key *key, const yaml_node_t *node, uint64_t *value)
{
    const char *text = sl_yaml_word(node);
    if (!text)
        return FAIL(node, "'%s' is a list of numbers", key->name);
    return sl_yaml_locate(&l->yaml, node, sl_key_number(key, text, value, l->error));
}

static sl_status parse_sizes(loader *l, const sl_key *key, const yaml_node_t *list)
{
    sl_core_limits *core = &l->machine->core;
    bool needs = key == &sl_keys[SL_AT_core_carve_out_needs];
    uint32_t *sizes = needs ? core->carve_out_need : core->carve_out;
    uint64_t value;
    if (sl_yaml_items(list) > SL_MAX_CARVE_OUTS)
        return FAIL(list, "'%s' has at most %d entries", key->name, SL_MAX_CARVE_OUTS);
    for (size_t i = 0; i < sl_yaml_items(list); i++) {
        sl_status status = parse_number(l, key, sl_yaml_item(&l->yaml, list, i), &value);
        if (status)
            return status;
        sizes[i] = (uint32_t)value;
    }
    *(needs ? &core->carve_out_needs : &core->carve_outs) = (uint32_t)sl_yaml_items(list);
    return SL_OK;
}

static sl_status parse_mask(loader *l, const sl_key *key, const yaml_node_t *list, uint64_t *mask)
{
    uint64_t bit;
    if (list->type != YAML_SEQUENCE_NODE)
        return FAIL(list, "'%s' is a list of lists of address bits, such as [[7, 13], [8, 14]]", key->name);
    *mask = 0;
    for (size_t i = 0; i < sl_yaml_items(list); i++) {
        sl_status status = parse_number(l, key, sl_yaml_item(&l->yaml, list, i), &bit);
        if (status)
            return status;
        if (*mask >> bit & 1)
            return FAIL(sl_yaml_item(&l->yaml, list, i), "address bit %d is given twice", (int)bit);
        *mask |= 1ull << bit;
    }
    return *mask ? SL_OK : FAIL(list, "a bit of the set needs at least one address bit");
}

static sl_status parse_bits(loader *l, const sl_key *key, const yaml_node_t *list, sl_level *level)
{
    if (sl_yaml_items(list) > SL_MAX_SET_BITS)
        return FAIL(list, "'%s' has at most %d entries", key->name, SL_MAX_SET_BITS);
    memset(level->set_bits, 0, sizeof level->set_bits);
    for (size_t i = 0; i < sl_yaml_items(list); i++) {
        sl_status status = parse_mask(l, key, sl_yaml_item(&l->yaml, list, i), &level->set_bits[i]);
        if (status)
            return status;
    }
    return SL_OK;
}

static sl_status parse_value(loader *l, const sl_key *key, const yaml_node_t *node, void *base)
{
    bool list = key->type == SL_KEY_SIZES || key->type == SL_KEY_BITS;
    if (list && node->type != YAML_SEQUENCE_NODE)
        return FAIL(node, "'%s' takes a list", key->name);
    if (key->type == SL_KEY_SIZES)
        return parse_sizes(l, key, node);
    if (key->type == SL_KEY_BITS)
        return parse_bits(l, key, node, base);
    const char *text = sl_yaml_word(node);
    if (!text)
        return FAIL(node, "'%s' takes a single value", key->name);
    return sl_yaml_locate(&l->yaml, node, sl_key_parse(key, text, base, l->error));
}

/* ---- sections ---- */

/* The parts of the top level that are not in keys.def. */
enum { PART_BASE, PART_CORE, PART_LEVELS, PART_MEMORY, PARTS };
static const char *const part_names[PARTS + 1] = {"based_on", "core", "levels", "memory", NULL};

static bool is_part(const char *text)
{
    for (int i = 0; i < PARTS; i++)
        if (!strcmp(text, part_names[i]))
            return true;
    return false;
}

static sl_status unknown_key(loader *l, sl_key_section section, const yaml_node_t *node, const char *text)
{
    static const char *const none[] = {NULL};
    return sl_yaml_locate(&l->yaml, node,
                          sl_key_unknown(section, text, section == SL_SECTION_machine ? part_names : none, l->error));
}

static sl_status parse_key(loader *l, sl_key_section section, uint32_t owner, const yaml_node_t *name,
                           const yaml_node_t *value, void *base)
{
    const char *text = sl_yaml_word(name);
    if (!text)
        return FAIL(name, "a key is a word");
    if (section == SL_SECTION_machine && is_part(text))
        return SL_OK;
    for (int i = 0; i < SL_KEYS; i++) {
        if (sl_keys[i].section != section || strcmp(sl_keys[i].name, text))
            continue;
        if (l->key[owner][i].line)
            return FAIL(name, "'%s' is given twice, first in line %u", text, l->key[owner][i].line);
        l->key[owner][i] = sl_yaml_mark_of(name);
        return parse_value(l, &sl_keys[i], value, base);
    }
    return unknown_key(l, section, name, text);
}

static sl_status need_keys(loader *l, sl_key_section section, uint32_t owner)
{
    for (int i = 0; i < SL_KEYS; i++) {
        const sl_key *key = &sl_keys[i];
        if (key->section != section || !key->required || l->key[owner][i].line || l->based)
            continue;
        return sl_yaml_locate_at(
            &l->yaml, l->owner[owner],
            sl_fail(l->error, SL_SYNTAX, "the %s lacks '%s': %s", sl_section_names[section], key->name, key->help));
    }
    return SL_OK;
}

static sl_status parse_section(loader *l, sl_key_section section, uint32_t owner, const yaml_node_t *node, void *base)
{
    l->owner[owner] = sl_yaml_mark_of(node);
    if (node->type != YAML_MAPPING_NODE)
        return FAIL(node, "a %s is described by keys and values", sl_section_names[section]);
    for (size_t i = 0; i < sl_yaml_items(node); i++) {
        sl_status status =
            parse_key(l, section, owner, sl_yaml_key(&l->yaml, node, i), sl_yaml_item(&l->yaml, node, i), base);
        if (status)
            return status;
    }
    return need_keys(l, section, owner);
}

/* ---- levels ---- */

/* The name of an entry, which decides what level of the base it changes; NULL: none. */
static const char *level_name(loader *l, const yaml_node_t *node)
{
    if (node->type != YAML_MAPPING_NODE)
        return NULL;
    for (size_t i = 0; i < sl_yaml_items(node); i++) {
        const char *key = sl_yaml_word(sl_yaml_key(&l->yaml, node, i));
        if (key && !strcmp(key, "name"))
            return sl_yaml_word(sl_yaml_item(&l->yaml, node, i));
    }
    return NULL;
}

static sl_status find_level(loader *l, const yaml_node_t *node, uint32_t *at)
{
    const char *name = level_name(l, node), *names[SL_MAX_LEVELS];
    if (!name)
        return FAIL(node, "an entry of 'levels' begins with its name");
    for (*at = 0; *at < l->machine->levels; ++*at) {
        names[*at] = l->machine->level[*at].name;
        if (!strcmp(name, names[*at]))
            return SL_OK;
    }
    const char *near = sl_suggest(name, names, l->machine->levels);
    return FAIL(node, "the machine this one is based on has no level '%s'%s%s%s", name, near ? "; did you mean '" : "",
                near ? near : "", near ? "'?" : "");
}

static sl_status parse_levels(loader *l, const yaml_node_t *list)
{
    sl_machine *m = l->machine;
    if (list->type != YAML_SEQUENCE_NODE || !sl_yaml_items(list))
        return FAIL(list, "'levels' is a list of cache levels, from the cores outwards");
    if (sl_yaml_items(list) > SL_MAX_LEVELS)
        return FAIL(list, "a machine has at most %d levels", SL_MAX_LEVELS);
    for (uint32_t i = 0; i < sl_yaml_items(list); i++) {
        const yaml_node_t *node = sl_yaml_item(&l->yaml, list, i);
        uint32_t at = i;
        sl_status status = l->based ? find_level(l, node, &at) : SL_OK;
        if (status)
            return status;
        if (l->owner[FIRST_LEVEL + at].line)
            return FAIL(node, "there are two levels '%s'", m->level[at].name);
        m->level[at].sets = 0;
        m->levels = l->based ? m->levels : i + 1;
        status = parse_section(l, SL_SECTION_level, FIRST_LEVEL + at, node, &m->level[at]);
        if (status)
            return status;
        sl_yaml_mark bits = l->key[FIRST_LEVEL + at][SL_AT_level_set_bits];
        if (bits.line && m->level[at].index != SL_INDEX_BITS)
            return sl_yaml_locate_at(&l->yaml, bits, sl_fail(l->error, SL_SYNTAX, "'set_bits' are for 'index: bits'"));
    }
    return SL_OK;
}

/* ---- a whole description ---- */

/* "mine.yaml" in the folder of the file that names it; names of built-in machines stay as they are. */
static char *sibling(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    char *joined;
    if (!slash || *name == '/' || !sl_machine_is_path(name))
        return strdup(name);
    return asprintf(&joined, "%.*s%s", (int)(slash - path) + 1, path, name) < 0 ? NULL : joined;
}

static sl_status parse_base(loader *l, const yaml_node_t *node)
{
    const char *name = sl_yaml_word(node);
    if (!name || !*name)
        return FAIL(node, "'based_on' takes the name of a machine, or a file");
    if (l->depth >= MAX_BASES)
        return FAIL(node, "machines are based on each other, or on more than %d others", MAX_BASES);
    char *path = sibling(l->yaml.path, name);
    if (!path)
        return sl_fail_memory(l->error);
    sl_machine_source source;
    sl_status status = sl_machine_source_open(path, &source, l->error);
    if (status) {
        free(path);
        return sl_yaml_locate(&l->yaml, node, status);
    }
    loader *base = malloc(sizeof *base);
    if (base)
        status = load_raw(source.path, source.text, source.bytes, l->depth + 1, l->machine, base, l->error);
    else
        status = sl_fail_memory(l->error);
    free(base);
    sl_machine_source_close(&source);
    free(path);
    l->machine->trust[0] = 0; /* a variant of what was measured was not */
    l->based = true;
    l->before = *l->machine;
    return status;
}

/* A variant is called as its file, unless it says otherwise. */
static void name_variant(loader *l)
{
    const char *path = l->yaml.path, *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t length = strlen(name);
    if (length > 5 && !strcmp(name + length - 5, ".yaml"))
        length -= 5;
    if (!l->key[SL_SECTION_machine][SL_AT_machine_name].line)
        snprintf(l->machine->name, sizeof l->machine->name, "%.*s", (int)length, name);
    if (!l->key[SL_SECTION_machine][SL_AT_machine_summary].line)
        snprintf(l->machine->summary, sizeof l->machine->summary, "variant of %s", l->before.name);
}

static sl_status find_parts(loader *l, const yaml_node_t *root, const yaml_node_t *parts[PARTS])
{
    for (size_t n = 0; n < sl_yaml_items(root); n++) {
        const yaml_node_t *key = sl_yaml_key(&l->yaml, root, n);
        const char *text = sl_yaml_word(key);
        for (int i = 0; text && i < PARTS; i++) {
            if (strcmp(text, part_names[i]))
                continue;
            if (parts[i])
                return FAIL(key, "'%s' is given twice", text);
            parts[i] = sl_yaml_item(&l->yaml, root, n);
        }
    }
    return SL_OK;
}

static sl_status parse_parts(loader *l, const yaml_node_t *parts[PARTS], const yaml_node_t *root)
{
    sl_machine *m = l->machine;
    sl_status status = SL_OK;
    for (int i = PART_CORE; i < PARTS && !l->based; i++)
        if (!parts[i])
            return FAIL(root, "the machine lacks '%s'", part_names[i]);
    if (parts[PART_CORE])
        status = parse_section(l, SL_SECTION_core, SL_SECTION_core, parts[PART_CORE], m);
    if (!status && parts[PART_MEMORY])
        status = parse_section(l, SL_SECTION_memory, SL_SECTION_memory, parts[PART_MEMORY], m);
    if (!status && parts[PART_LEVELS])
        status = parse_levels(l, parts[PART_LEVELS]);
    return status;
}

static sl_status parse_root(loader *l, const yaml_node_t *root)
{
    const yaml_node_t *parts[PARTS] = {NULL};
    if (root->type != YAML_MAPPING_NODE)
        return FAIL(root, "a machine is described by keys and values");
    sl_status status = find_parts(l, root, parts);
    if (!status && parts[PART_BASE]) {
        l->base = sl_yaml_mark_of(parts[PART_BASE]);
        status = parse_base(l, parts[PART_BASE]);
    }
    if (status)
        return status;
    status = parse_section(l, SL_SECTION_machine, SL_SECTION_machine, root, l->machine);
    if (!status)
        status = parse_parts(l, parts, root);
    if (!status && l->based) {
        name_variant(l);
        sl_machine_adapt(l->machine, &l->before);
    }
    return status;
}

/* The location of a fault: its key, or the nearest node of this file. */
static sl_yaml_mark fault_mark(const loader *l, const sl_machine_fault *fault)
{
    sl_key_section section = sl_keys[fault->key].section;
    uint32_t owner = section == SL_SECTION_level ? FIRST_LEVEL + fault->level : (uint32_t)section;
    if (l->key[owner][fault->key].line)
        return l->key[owner][fault->key];
    return l->owner[owner].line ? l->owner[owner] : l->base;
}

static sl_status parse_document(loader *l)
{
    const yaml_node_t *root = sl_yaml_root(&l->yaml);
    sl_machine_fault fault;
    if (!root)
        return FAIL(NULL, "the file is empty; a machine description is expected");
    sl_status status = parse_root(l, root);
    if (status)
        return status;
    sl_machine whole = *l->machine;
    status = sl_machine_check_at(&whole, &fault, l->error);
    return status ? sl_yaml_locate_at(&l->yaml, fault_mark(l, &fault), status) : SL_OK;
}

/* Without derived values: these follow after the changes of a variant or of settings. */
static sl_status load_raw(const char *path, const char *text, size_t bytes, uint32_t depth, sl_machine *machine,
                          loader *l, sl_error *error)
{
    memset(l, 0, sizeof *l);
    l->depth = depth;
    l->machine = machine;
    l->error = error;
    sl_status status = sl_yaml_open(&l->yaml, path, text, bytes, error);
    if (status)
        return status;
    status = parse_document(l);
    sl_yaml_close(&l->yaml);
    return status;
}

sl_status sl_machine_parse_raw(const char *path, const char *text, size_t bytes, const sl_policy_list *policies,
                               sl_machine *machine, sl_error *error)
{
    loader *l = malloc(sizeof *l);
    if (!l)
        return sl_fail_memory(error);
    memset(machine, 0, sizeof *machine);
    machine->policies = policies;
    sl_status status = load_raw(path, text, bytes, 0, machine, l, error);
    free(l);
    return status;
}

sl_status sl_machine_parse(const char *path, const char *text, size_t bytes, sl_machine *machine, sl_error *error)
{
    sl_status status = sl_machine_parse_raw(path, text, bytes, NULL, machine, error);
    return status ? status : sl_machine_check(machine, error);
}
