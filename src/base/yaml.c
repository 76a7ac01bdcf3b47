/* SPDX-License-Identifier: MIT */
#include "base/yaml.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"

/* Bytes that are no text come with an offset alone. */
static sl_yaml_mark mark_of_offset(const char *text, size_t bytes, size_t offset)
{
    sl_yaml_mark at = {1, 1};
    for (size_t i = 0; i < offset && i < bytes; i++) {
        at.line += text[i] == '\n';
        at.column = text[i] == '\n' ? 1 : at.column + 1;
    }
    return at;
}

static sl_yaml_mark mark_of(yaml_mark_t mark)
{
    return (sl_yaml_mark){(uint32_t)mark.line + 1, (uint32_t)mark.column + 1};
}

static sl_status syntax_error(sl_yaml *yaml, const yaml_parser_t *parser, const char *text, size_t bytes)
{
    if (parser->error == YAML_MEMORY_ERROR || !parser->problem) /* libyaml does not say it everywhere */
        return sl_fail_memory(yaml->error);
    sl_yaml_mark at = parser->error == YAML_READER_ERROR ? mark_of_offset(text, bytes, parser->problem_offset)
                                                         : mark_of(parser->problem_mark);
    return sl_yaml_locate_at(yaml, at, sl_fail(yaml->error, SL_SYNTAX, "this is not YAML: %s", parser->problem));
}

/* Lists and maps in brackets may nest this deep. libyaml's time grows with the square of the depth. */
enum { MAX_NESTING = 64 };

/* Looks for brackets that nest too deeply, outside of quotes and comments. */
static sl_status check_nesting(sl_yaml *yaml, const char *text, size_t bytes)
{
    uint32_t depth = 0;
    char quote = 0, before = '\n';
    for (size_t i = 0; i < bytes; before = text[i++]) {
        bool starts = strchr(" \t\r\n[{,:-", before) && before; /* where a value may begin */
        char c = text[i];
        if (quote) {
            quote = c == quote && !(quote == '"' && before == '\\') ? 0 : quote;
        } else if ((c == '"' || c == '\'') && starts) {
            quote = c;
        } else if (c == '#' && strchr(" \t\r\n", before)) {
            while (i + 1 < bytes && text[i + 1] != '\n')
                i++;
        } else if ((c == '[' || c == '{') && starts) {
            if (++depth > MAX_NESTING)
                return sl_yaml_locate_at(
                    yaml, mark_of_offset(text, bytes, i),
                    sl_fail(yaml->error, SL_SYNTAX, "this is nested more than %d levels deep", MAX_NESTING));
        } else if ((c == ']' || c == '}') && depth) {
            depth--;
        }
    }
    return SL_OK;
}

static sl_status load(sl_yaml *yaml, yaml_parser_t *parser, const char *text, size_t bytes)
{
    yaml_document_t next;
    if (!yaml_parser_load(parser, &yaml->document))
        return syntax_error(yaml, parser, text, bytes);
    sl_status status = SL_OK;
    if (yaml_parser_load(parser, &next)) {
        const yaml_node_t *root = yaml_document_get_root_node(&next);
        if (root)
            status = sl_yaml_fail(yaml, root, "a file holds one document, but here begins another");
        yaml_document_delete(&next);
    } else {
        status = syntax_error(yaml, parser, text, bytes);
    }
    if (status)
        yaml_document_delete(&yaml->document);
    return status;
}

sl_status sl_yaml_open(sl_yaml *yaml, const char *path, const char *text, size_t bytes, sl_error *error)
{
    yaml_parser_t parser;
    *yaml = (sl_yaml){.path = path, .error = error};
    sl_status status = check_nesting(yaml, text, bytes);
    if (status)
        return status;
    if (!yaml_parser_initialize(&parser))
        return sl_fail_memory(error);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, bytes);
    status = load(yaml, &parser, text, bytes);
    yaml_parser_delete(&parser);
    return status;
}

void sl_yaml_close(sl_yaml *yaml)
{
    yaml_document_delete(&yaml->document);
}

const yaml_node_t *sl_yaml_root(sl_yaml *yaml)
{
    return yaml_document_get_root_node(&yaml->document);
}

sl_yaml_mark sl_yaml_mark_of(const yaml_node_t *node)
{
    return node ? mark_of(node->start_mark) : (sl_yaml_mark){1, 1};
}

sl_status sl_yaml_locate_at(sl_yaml *yaml, sl_yaml_mark mark, sl_status status)
{
    if (status && yaml->error && status != SL_NO_MEMORY) {
        snprintf(yaml->error->file, sizeof yaml->error->file, "%s", yaml->path);
        yaml->error->line = mark.line;
        yaml->error->column = mark.column;
    }
    return status;
}

sl_status sl_yaml_locate(sl_yaml *yaml, const yaml_node_t *node, sl_status status)
{
    return sl_yaml_locate_at(yaml, sl_yaml_mark_of(node), status);
}

sl_status sl_yaml_fail(sl_yaml *yaml, const yaml_node_t *node, const char *format, ...)
{
    char text[768];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return sl_yaml_locate(yaml, node, sl_fail(yaml->error, SL_SYNTAX, "%s", text));
}

const char *sl_yaml_word(const yaml_node_t *node)
{
    if (node->type != YAML_SCALAR_NODE)
        return NULL;
    const char *text = (const char *)node->data.scalar.value;
    return strlen(text) == node->data.scalar.length ? text : NULL;
}

size_t sl_yaml_items(const yaml_node_t *node)
{
    if (node->type == YAML_SEQUENCE_NODE)
        return (size_t)(node->data.sequence.items.top - node->data.sequence.items.start);
    if (node->type == YAML_MAPPING_NODE)
        return (size_t)(node->data.mapping.pairs.top - node->data.mapping.pairs.start);
    return 1;
}

const yaml_node_t *sl_yaml_item(sl_yaml *yaml, const yaml_node_t *node, size_t index)
{
    if (node->type == YAML_SEQUENCE_NODE)
        return yaml_document_get_node(&yaml->document, node->data.sequence.items.start[index]);
    if (node->type == YAML_MAPPING_NODE)
        return yaml_document_get_node(&yaml->document, node->data.mapping.pairs.start[index].value);
    return node;
}

const yaml_node_t *sl_yaml_key(sl_yaml *yaml, const yaml_node_t *map, size_t index)
{
    return yaml_document_get_node(&yaml->document, map->data.mapping.pairs.start[index].key);
}

/* "; the nearest is 'x'" or "": for messages about a word that should be one of the names. */
static const char *yaml_nearest(const char *word, const char *const *names, size_t count, char *buffer, size_t size)
{
    const char *near = sl_suggest(word, names, count);
    snprintf(buffer, size, "%s%s%s", near ? "; the nearest is '" : "", near ? near : "", near ? "'" : "");
    return buffer;
}

static size_t count_names(const char *const *names)
{
    size_t count = 0;
    while (names[count])
        count++;
    return count;
}

enum { MAX_FIELDS = 64 };

/* The value of each field; NULL: the map does not have it. */
static sl_status find_fields(sl_yaml *yaml, const yaml_node_t *map, const char *what, const sl_yaml_field *fields,
                             const yaml_node_t *value[MAX_FIELDS])
{
    const char *names[MAX_FIELDS];
    char near[96];
    size_t count = 0;
    while (fields[count].name) {
        names[count] = fields[count].name;
        value[count++] = NULL;
    }
    if (map->type != YAML_MAPPING_NODE)
        return sl_yaml_fail(yaml, map, "%s is described by keys and values", what);
    for (size_t i = 0; i < sl_yaml_items(map); i++) {
        const yaml_node_t *key = sl_yaml_key(yaml, map, i);
        const char *word = sl_yaml_word(key);
        size_t n = 0;
        while (word && n < count && strcmp(word, names[n]))
            n++;
        if (!word || n == count)
            return sl_yaml_fail(yaml, key, "%s has no key '%s'%s", what, word ? word : "?",
                                yaml_nearest(word ? word : "", names, count, near, sizeof near));
        if (value[n])
            return sl_yaml_fail(yaml, key, "'%s' is there twice", word);
        value[n] = sl_yaml_item(yaml, map, i);
    }
    return SL_OK;
}

sl_status sl_yaml_read_fields(sl_yaml *yaml, const yaml_node_t *map, const char *what, const sl_yaml_field *fields,
                              void *to)
{
    const yaml_node_t *value[MAX_FIELDS];
    sl_status status = find_fields(yaml, map, what, fields, value);
    for (size_t i = 0; fields[i].name && !status; i++)
        if (!value[i] && fields[i].required)
            status = sl_yaml_fail(yaml, map, "%s needs a '%s'", what, fields[i].name);
    for (size_t i = 0; fields[i].name && !status; i++)
        if (value[i] && fields[i].read)
            status = fields[i].read(yaml, value[i], fields[i].name, (char *)to + fields[i].offset);
    return status;
}

sl_status sl_yaml_read_word(sl_yaml *yaml, const yaml_node_t *node, const char *name, void *to)
{
    const char *word = sl_yaml_word(node);
    if (!word)
        return sl_yaml_fail(yaml, node, "'%s' takes a single value", name);
    *(const char **)to = word;
    return SL_OK;
}

sl_status sl_yaml_read_number(sl_yaml *yaml, const yaml_node_t *node, const char *name, void *to)
{
    const char *word = NULL;
    char *end = NULL;
    double *number = to;
    sl_status status = sl_yaml_read_word(yaml, node, name, &word);
    if (status)
        return status;
    *number = strtod(word, &end);
    return end == word || *end || !isfinite(*number)
               ? sl_yaml_fail(yaml, node, "'%s' takes a number, not '%s'", name, word)
               : SL_OK;
}

sl_status sl_yaml_read_count(sl_yaml *yaml, const yaml_node_t *node, const char *name, void *to)
{
    const char *word = NULL;
    char *end = NULL;
    sl_status status = sl_yaml_read_word(yaml, node, name, &word);
    if (status)
        return status;
    errno = 0;
    *(uint64_t *)to = strtoull(word, &end, 10);
    return *word < '0' || *word > '9' || *end || errno
               ? sl_yaml_fail(yaml, node, "'%s' takes a whole number, not '%s'", name, word)
               : SL_OK;
}

sl_status sl_yaml_read_flag(sl_yaml *yaml, const yaml_node_t *node, const char *name, void *to)
{
    const char *word = NULL;
    bool *flag = to;
    sl_status status = sl_yaml_read_word(yaml, node, name, &word);
    if (status)
        return status;
    *flag = !strcmp(word, "yes") || !strcmp(word, "true");
    return *flag || !strcmp(word, "no") || !strcmp(word, "false")
               ? SL_OK
               : sl_yaml_fail(yaml, node, "'%s' is yes or no, not '%s'", name, word);
}

sl_status sl_yaml_read_choice(sl_yaml *yaml, const yaml_node_t *node, const char *what, const char *const *names,
                              int *index)
{
    const char *word = NULL;
    char near[96];
    sl_status status = sl_yaml_read_word(yaml, node, what, &word);
    if (status)
        return status;
    for (*index = 0; names[*index]; ++*index)
        if (!strcmp(word, names[*index]))
            return SL_OK;
    return sl_yaml_fail(yaml, node, "'%s' cannot be '%s'%s", what, word,
                        yaml_nearest(word, names, count_names(names), near, sizeof near));
}
