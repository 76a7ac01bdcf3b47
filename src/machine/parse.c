/* SPDX-License-Identifier: MIT */
/* YAML to a machine. libyaml reads the text; keys.def says what may be in it; every error has a place.
 *
 * A description that is `based_on` another starts from that one: its keys change what they name, an entry of `levels`
 * changes the level of its name. What follows from the keys is derived afterwards, so that a variant that changes the
 * ways of a level need not say how many sets that makes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/suggest.h"
#include "machine/builtin.h"
#include "machine/keys.h"

enum { MAX_BASES = 8 };
/* The places of keys are kept for each owner: the machine itself, its core, its memory, each level. */
enum { FIRST_LEVEL = SL_SECTION_level, OWNERS = FIRST_LEVEL + SL_MAX_LEVELS };

typedef struct place {
    uint32_t line, column; /* 0: it is not in this file */
} place;

typedef struct loader {
    const char *path, *text;
    size_t bytes;
    uint32_t depth; /* how many descriptions are based on this one */
    yaml_document_t document;
    sl_machine *machine;
    bool based;
    place base; /* the value of based_on */
    place owner[OWNERS], key[OWNERS][SL_KEYS];
    sl_error *error;
} loader;

static sl_status load_raw(const char *path, const char *text, size_t bytes, uint32_t depth, sl_machine *machine,
                          loader *l, sl_error *error);

static place place_of(yaml_mark_t mark)
{
    return (place){(uint32_t)mark.line + 1, (uint32_t)mark.column + 1};
}

/* Gives an error that has a reason its place. */
static sl_status locate(loader *l, sl_status status, place at)
{
    if (status && l->error && status != SL_NO_MEMORY) {
        snprintf(l->error->file, sizeof l->error->file, "%s", l->path);
        l->error->line = at.line;
        l->error->column = at.column;
    }
    return status;
}

#define FAIL(node, ...) locate(l, sl_fail(l->error, SL_SYNTAX, __VA_ARGS__), place_of((node)->start_mark))

static yaml_node_t *node_at(loader *l, int index)
{
    return yaml_document_get_node(&l->document, index);
}

/* The text of a scalar, or NULL: it is none, or has a zero in it. */
static const char *scalar(const yaml_node_t *node)
{
    const char *text = (const char *)node->data.scalar.value;
    return node->type == YAML_SCALAR_NODE && strlen(text) == node->data.scalar.length ? text : NULL;
}

/* ---- values ---- */

static size_t items(const yaml_node_t *list)
{
    return (size_t)(list->data.sequence.items.top - list->data.sequence.items.start);
}

static yaml_node_t *item(loader *l, const yaml_node_t *list, size_t index)
{
    return node_at(l, list->data.sequence.items.start[index]);
}

static sl_status take_number(loader *l, const sl_key *key, const yaml_node_t *node, uint64_t *value)
{
    const char *text = scalar(node);
    if (!text)
        return FAIL(node, "'%s' is a list of numbers", key->name);
    return locate(l, sl_key_number(key, text, value, l->error), place_of(node->start_mark));
}

static sl_status take_sizes(loader *l, const sl_key *key, const yaml_node_t *list)
{
    sl_core_limits *core = &l->machine->core;
    bool needs = key == &sl_keys[SL_AT_core_carve_out_needs];
    uint32_t *sizes = needs ? core->carve_out_need : core->carve_out;
    uint64_t value;
    if (items(list) > SL_MAX_CARVE_OUTS)
        return FAIL(list, "'%s' has at most %d entries", key->name, SL_MAX_CARVE_OUTS);
    for (size_t i = 0; i < items(list); i++) {
        sl_status status = take_number(l, key, item(l, list, i), &value);
        if (status)
            return status;
        sizes[i] = (uint32_t)value;
    }
    *(needs ? &core->carve_out_needs : &core->carve_outs) = (uint32_t)items(list);
    return SL_OK;
}

static sl_status take_mask(loader *l, const sl_key *key, const yaml_node_t *list, uint64_t *mask)
{
    uint64_t bit;
    if (list->type != YAML_SEQUENCE_NODE)
        return FAIL(list, "'%s' is a list of lists of address bits, such as [[7, 13], [8, 14]]", key->name);
    *mask = 0;
    for (size_t i = 0; i < items(list); i++) {
        sl_status status = take_number(l, key, item(l, list, i), &bit);
        if (status)
            return status;
        if (*mask >> bit & 1)
            return FAIL(item(l, list, i), "address bit %d is there twice", (int)bit);
        *mask |= 1ull << bit;
    }
    return *mask ? SL_OK : FAIL(list, "a bit of the set needs at least one address bit");
}

static sl_status take_bits(loader *l, const sl_key *key, const yaml_node_t *list, sl_level *level)
{
    if (items(list) > SL_MAX_SET_BITS)
        return FAIL(list, "'%s' has at most %d entries", key->name, SL_MAX_SET_BITS);
    memset(level->set_bits, 0, sizeof level->set_bits);
    for (size_t i = 0; i < items(list); i++) {
        sl_status status = take_mask(l, key, item(l, list, i), &level->set_bits[i]);
        if (status)
            return status;
    }
    return SL_OK;
}

static sl_status take_value(loader *l, const sl_key *key, const yaml_node_t *node, void *base)
{
    bool list = key->type == SL_KEY_SIZES || key->type == SL_KEY_BITS;
    if (list && node->type != YAML_SEQUENCE_NODE)
        return FAIL(node, "'%s' takes a list", key->name);
    if (key->type == SL_KEY_SIZES)
        return take_sizes(l, key, node);
    if (key->type == SL_KEY_BITS)
        return take_bits(l, key, node, base);
    const char *text = scalar(node);
    if (!text)
        return FAIL(node, "'%s' takes a single value", key->name);
    return locate(l, sl_key_put(key, text, base, l->error), place_of(node->start_mark));
}

/* ---- sections ---- */

/* The parts of the top beside the keys of keys.def. */
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
    return locate(l, sl_key_unknown(section, text, section == SL_SECTION_machine ? part_names : none, l->error),
                  place_of(node->start_mark));
}

static sl_status take_key(loader *l, sl_key_section section, uint32_t owner, const yaml_node_pair_t *pair, void *base)
{
    const yaml_node_t *name = node_at(l, pair->key);
    const char *text = scalar(name);
    if (!text)
        return FAIL(name, "a key is a word");
    if (section == SL_SECTION_machine && is_part(text))
        return SL_OK;
    for (int i = 0; i < SL_KEYS; i++) {
        if (sl_keys[i].section != section || strcmp(sl_keys[i].name, text))
            continue;
        if (l->key[owner][i].line)
            return FAIL(name, "'%s' is there twice, first in line %u", text, l->key[owner][i].line);
        l->key[owner][i] = place_of(name->start_mark);
        return take_value(l, &sl_keys[i], node_at(l, pair->value), base);
    }
    return unknown_key(l, section, name, text);
}

static sl_status need_keys(loader *l, sl_key_section section, uint32_t owner)
{
    for (int i = 0; i < SL_KEYS; i++) {
        const sl_key *key = &sl_keys[i];
        bool own = section == SL_SECTION_machine && key->type == SL_KEY_TEXT; /* a variant has a name of its own */
        if (key->section != section || !key->required || l->key[owner][i].line || (l->based && !own))
            continue;
        return locate(
            l, sl_fail(l->error, SL_SYNTAX, "the %s lacks '%s': %s", sl_section_names[section], key->name, key->help),
            l->owner[owner]);
    }
    return SL_OK;
}

static sl_status take_section(loader *l, sl_key_section section, uint32_t owner, const yaml_node_t *node, void *base)
{
    l->owner[owner] = place_of(node->start_mark);
    if (node->type != YAML_MAPPING_NODE)
        return FAIL(node, "a %s is described by keys and values", sl_section_names[section]);
    for (yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; pair++) {
        sl_status status = take_key(l, section, owner, pair, base);
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
    for (yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; pair++) {
        const char *key = scalar(node_at(l, pair->key));
        if (key && !strcmp(key, "name"))
            return scalar(node_at(l, pair->value));
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

static sl_status take_levels(loader *l, const yaml_node_t *list)
{
    sl_machine *m = l->machine;
    if (list->type != YAML_SEQUENCE_NODE || !items(list))
        return FAIL(list, "'levels' is a list of cache levels, from the cores outwards");
    if (items(list) > SL_MAX_LEVELS)
        return FAIL(list, "a machine has at most %d levels", SL_MAX_LEVELS);
    for (uint32_t i = 0; i < items(list); i++) {
        const yaml_node_t *node = item(l, list, i);
        uint32_t at = i;
        sl_status status = l->based ? find_level(l, node, &at) : SL_OK;
        if (status)
            return status;
        if (l->owner[FIRST_LEVEL + at].line)
            return FAIL(node, "there are two levels '%s'", m->level[at].name);
        m->level[at].sets = 0;
        m->levels = l->based ? m->levels : i + 1;
        status = take_section(l, SL_SECTION_level, FIRST_LEVEL + at, node, &m->level[at]);
        if (status)
            return status;
        place bits = l->key[FIRST_LEVEL + at][SL_AT_level_set_bits];
        if (bits.line && m->level[at].index != SL_INDEX_BITS)
            return locate(l, sl_fail(l->error, SL_SYNTAX, "'set_bits' are for 'index: bits'"), bits);
    }
    return SL_OK;
}

/* ---- a whole description ---- */

/* "mine.yaml" in the folder of the file that names it; names of built-in machines stay as they are. */
static char *beside(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    char *joined;
    if (!slash || *name == '/' || !sl_machine_is_path(name))
        return strdup(name);
    return asprintf(&joined, "%.*s%s", (int)(slash - path) + 1, path, name) < 0 ? NULL : joined;
}

static sl_status take_base(loader *l, const yaml_node_t *node)
{
    const char *name = scalar(node);
    if (!name || !*name)
        return FAIL(node, "'based_on' takes the name of a machine, or a file");
    if (l->depth >= MAX_BASES)
        return FAIL(node, "machines are based on each other, or on more than %d others", MAX_BASES);
    char *path = beside(l->path, name);
    if (!path)
        return sl_fail_memory(l->error);
    sl_machine_source source;
    sl_status status = sl_machine_source_open(path, &source, l->error);
    if (status) {
        free(path);
        return locate(l, status, place_of(node->start_mark));
    }
    loader *base = malloc(sizeof *base);
    if (base)
        status = load_raw(source.path, source.text, source.bytes, l->depth + 1, l->machine, base, l->error);
    else
        status = sl_fail_memory(l->error);
    free(base);
    sl_machine_source_close(&source);
    free(path);
    l->based = true;
    return status;
}

static sl_status find_parts(loader *l, const yaml_node_t *root, const yaml_node_t *parts[PARTS])
{
    for (yaml_node_pair_t *pair = root->data.mapping.pairs.start; pair < root->data.mapping.pairs.top; pair++) {
        const yaml_node_t *key = node_at(l, pair->key);
        const char *text = scalar(key);
        for (int i = 0; text && i < PARTS; i++) {
            if (strcmp(text, part_names[i]))
                continue;
            if (parts[i])
                return FAIL(key, "'%s' is there twice", text);
            parts[i] = node_at(l, pair->value);
        }
    }
    return SL_OK;
}

static sl_status take_parts(loader *l, const yaml_node_t *parts[PARTS], const yaml_node_t *root)
{
    sl_machine *m = l->machine;
    sl_status status = SL_OK;
    for (int i = PART_CORE; i < PARTS && !l->based; i++)
        if (!parts[i])
            return FAIL(root, "the machine lacks '%s'", part_names[i]);
    if (parts[PART_CORE])
        status = take_section(l, SL_SECTION_core, SL_SECTION_core, parts[PART_CORE], m);
    if (!status && parts[PART_MEMORY])
        status = take_section(l, SL_SECTION_memory, SL_SECTION_memory, parts[PART_MEMORY], m);
    if (!status && parts[PART_LEVELS])
        status = take_levels(l, parts[PART_LEVELS]);
    return status;
}

static sl_status take_root(loader *l, const yaml_node_t *root)
{
    const yaml_node_t *parts[PARTS] = {NULL};
    if (root->type != YAML_MAPPING_NODE)
        return FAIL(root, "a machine is described by keys and values");
    sl_status status = find_parts(l, root, parts);
    if (!status && parts[PART_BASE]) {
        l->base = place_of(parts[PART_BASE]->start_mark);
        status = take_base(l, parts[PART_BASE]);
    }
    if (status)
        return status;
    status = take_section(l, SL_SECTION_machine, SL_SECTION_machine, root, l->machine);
    return status ? status : take_parts(l, parts, root);
}

/* Where a fault is: its key, or what of this file is nearest to it. */
static place fault_place(const loader *l, const sl_machine_fault *fault)
{
    sl_key_section section = sl_keys[fault->key].section;
    uint32_t owner = section == SL_SECTION_level ? FIRST_LEVEL + fault->level : (uint32_t)section;
    if (l->key[owner][fault->key].line)
        return l->key[owner][fault->key];
    return l->owner[owner].line ? l->owner[owner] : l->base;
}

static sl_status take_document(loader *l)
{
    const yaml_node_t *root = yaml_document_get_root_node(&l->document);
    sl_machine_fault fault;
    if (!root)
        return locate(l, sl_fail(l->error, SL_SYNTAX, "there is no machine in it"), (place){1, 1});
    sl_status status = take_root(l, root);
    if (status)
        return status;
    sl_machine whole = *l->machine;
    status = sl_machine_check_at(&whole, &fault, l->error);
    return status ? locate(l, status, fault_place(l, &fault)) : SL_OK;
}

/* Bytes that are no text come with an offset alone. */
static place place_at(const loader *l, size_t offset)
{
    place at = {1, 1};
    for (size_t i = 0; i < offset && i < l->bytes; i++) {
        at.line += l->text[i] == '\n';
        at.column = l->text[i] == '\n' ? 1 : at.column + 1;
    }
    return at;
}

static sl_status syntax_error(loader *l, const yaml_parser_t *parser)
{
    if (parser->error == YAML_MEMORY_ERROR)
        return sl_fail_memory(l->error);
    place at =
        parser->error == YAML_READER_ERROR ? place_at(l, parser->problem_offset) : place_of(parser->problem_mark);
    return locate(
        l, sl_fail(l->error, SL_SYNTAX, "this is not YAML: %s", parser->problem ? parser->problem : "damaged"), at);
}

/* Nothing may follow the description. */
static sl_status take_end(loader *l, yaml_parser_t *parser)
{
    yaml_document_t next;
    if (!yaml_parser_load(parser, &next))
        return syntax_error(l, parser);
    const yaml_node_t *root = yaml_document_get_root_node(&next);
    sl_status status = root ? FAIL(root, "a file describes one machine, but here begins another document") : SL_OK;
    yaml_document_delete(&next);
    return status;
}

/* Without what the check derives: that is for the machine it is a base of, or that settings change. */
static sl_status load_raw(const char *path, const char *text, size_t bytes, uint32_t depth, sl_machine *machine,
                          loader *l, sl_error *error)
{
    memset(l, 0, sizeof *l);
    l->path = path;
    l->text = text;
    l->bytes = bytes;
    l->depth = depth;
    l->machine = machine;
    l->error = error;
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser))
        return sl_fail_memory(error);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, bytes);
    sl_status status;
    if (yaml_parser_load(&parser, &l->document)) {
        status = take_document(l);
        yaml_document_delete(&l->document);
        status = status ? status : take_end(l, &parser);
    } else {
        status = syntax_error(l, &parser);
    }
    yaml_parser_delete(&parser);
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
