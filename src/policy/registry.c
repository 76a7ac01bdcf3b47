/* SPDX-License-Identifier: MIT */
/* Policies by name, "name(parameter=value, …)", and pairs of them. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/suggest.h"
#include "policy/policy.h"

#define SL_POLICY(name) extern const sl_policy_ops sl_policy_##name;
#include "policy/registry.def"
#undef SL_POLICY

static const sl_policy_ops *const policies[] = {
#define SL_POLICY(name) &sl_policy_##name,
#include "policy/registry.def"
#undef SL_POLICY
};
enum { POLICIES = sizeof policies / sizeof policies[0] };

size_t sl_policy_count(void)
{
    return POLICIES;
}

const sl_policy_ops *sl_policy_at(size_t index)
{
    return policies[index];
}

sl_status sl_policy_find(const sl_policy_list *custom, const char *name, const sl_policy_ops **ops, sl_error *error)
{
    const char *names[POLICIES + SL_MAX_CUSTOM_POLICIES];
    size_t customs = custom ? custom->count : 0;
    for (size_t i = 0; i < customs + POLICIES; i++) {
        const sl_policy_ops *at = i < customs ? custom->ops[i] : policies[i - customs];
        names[i] = at->name;
        if (!strcmp(names[i], name)) {
            *ops = at;
            return SL_OK;
        }
    }
    const char *near = sl_suggest(name, names, customs + POLICIES);
    if (near)
        return sl_fail(error, SL_NOT_FOUND, "no policy is called '%s'; the nearest is '%s'", name, near);
    return sl_fail(error, SL_NOT_FOUND, "no policy is called '%s'; 'sluice policies' lists them", name);
}

/* ---- parameters ---- */

/* A part of a text, without space around it. */
typedef struct word {
    char text[64];
} word;

/* False: too long to be anything known. */
static bool cut(const char *from, const char *end, word *w)
{
    while (from < end && isspace((unsigned char)*from))
        from++;
    while (from < end && isspace((unsigned char)end[-1]))
        end--;
    size_t length = (size_t)(end - from);
    if (length >= sizeof w->text)
        return false;
    memcpy(w->text, from, length);
    w->text[length] = 0;
    return true;
}

static sl_status find_param(const sl_policy_ops *ops, const char *name, size_t *at, sl_error *error)
{
    const char *names[SL_MAX_POLICY_PARAMS];
    size_t count = 0;
    for (const sl_param *p = ops->params; p && p->name; p++, count++) {
        names[count] = p->name;
        if (!strcmp(p->name, name)) {
            *at = count;
            return SL_OK;
        }
    }
    if (!count)
        return sl_fail(error, SL_NOT_FOUND, "policy '%s' has no parameters, so not '%s' either", ops->name, name);
    const char *near = sl_suggest(name, names, count);
    return sl_fail(error, SL_NOT_FOUND, "policy '%s' has no parameter '%s'%s%s%s", ops->name, name,
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static sl_status parse_number(const sl_policy_ops *ops, const sl_param *p, const char *text, uint64_t *value,
                              sl_error *error)
{
    uint64_t number = 0;
    const char *at = text;
    for (; isdigit((unsigned char)*at) && number <= UINT32_MAX; at++)
        number = number * 10 + (uint64_t)(*at - '0');
    if (!*text || (*at && !isdigit((unsigned char)*at)))
        return sl_fail(error, SL_INVALID, "policy '%s': '%s' takes a number, not '%s'", ops->name, p->name, text);
    if (number < p->min || number > p->max)
        return sl_fail(error, SL_INVALID, "policy '%s': '%s' is from %" PRIu64 " to %" PRIu64 ", not %s", ops->name,
                       p->name, p->min, p->max, text);
    *value = number;
    return SL_OK;
}

static sl_status parse_word(const sl_policy_ops *ops, const sl_param *p, const char *text, uint64_t *value,
                            sl_error *error)
{
    size_t count = 0;
    for (; p->words[count]; count++)
        if (!strcmp(p->words[count], text)) {
            *value = count;
            return SL_OK;
        }
    const char *near = sl_suggest(text, p->words, count);
    return sl_fail(error, SL_INVALID, "policy '%s': '%s' cannot be '%s'; %s '%s'", ops->name, p->name, text,
                   near ? "the nearest is" : "it can be", near ? near : p->words[0]);
}

static sl_status search_param(sl_policy_choice *choice, size_t at, sl_error *error)
{
    const sl_policy_ops *ops = choice->ops;
    const sl_param *p = &ops->params[at];
    if (!p->search_values) {
        const sl_param *other = ops->params;
        while (other->name && !other->search_values)
            other++;
        return sl_fail(error, SL_INVALID, "policy '%s': '%s' cannot be 'best'%s%s%s", ops->name, p->name,
                       other->name ? "; '" : ": no value of it is searched for", other->name ? other->name : "",
                       other->name ? "' can" : "");
    }
    choice->value[at] = p->search_values[0];
    choice->best |= 1u << at;
    return SL_OK;
}

/* "bits=3" */
static sl_status parse_param(sl_policy_choice *choice, uint64_t *given, const char *from, const char *end,
                             sl_error *error)
{
    const sl_policy_ops *ops = choice->ops;
    const char *equals = memchr(from, '=', (size_t)(end - from));
    word name, text;
    if (!equals || !cut(from, equals, &name) || !cut(equals + 1, end, &text))
        return sl_fail(error, SL_SYNTAX, "policy '%s': '%.*s' is not a parameter; write name=value, as bits=3",
                       ops->name, (int)(end - from < 80 ? end - from : 80), from);
    size_t at = 0;
    sl_status status = find_param(ops, name.text, &at, error);
    if (status)
        return status;
    if (*given >> at & 1)
        return sl_fail(error, SL_INVALID, "policy '%s': '%s' is given twice", ops->name, name.text);
    *given |= UINT64_C(1) << at;
    if (!strcmp(text.text, "best"))
        return search_param(choice, at, error);
    const sl_param *p = &ops->params[at];
    return (p->type == SL_PARAM_WORD ? parse_word : parse_number)(ops, p, text.text, &choice->value[at], error);
}

sl_status sl_policy_parse_among(const sl_policy_list *custom, const char *text, sl_policy_choice *choice,
                                sl_error *error)
{
    const char *open = strchr(text, '('), *end = text + strlen(text);
    word name, after;
    *choice = (sl_policy_choice){0};
    if (!cut(text, open ? open : end, &name))
        return sl_fail(error, SL_NOT_FOUND, "no policy is called '%.80s'; 'sluice policies' lists them", text);
    sl_status status = sl_policy_find(custom, name.text, &choice->ops, error);
    if (status)
        return status;
    size_t at = 0;
    for (const sl_param *p = choice->ops->params; p && p->name; p++)
        choice->value[at++] = p->default_value;
    if (!open)
        return SL_OK;
    const char *close = strchr(open, ')');
    if (!close || !cut(close + 1, end, &after) || *after.text)
        return sl_fail(error, SL_SYNTAX, "policy '%s': the parameters must end with a single ')' at the end",
                       name.text);
    uint64_t given = 0;
    for (const char *from = open + 1, *comma; from < close && !status; from = comma + 1) {
        comma = memchr(from, ',', (size_t)(close - from));
        comma = comma ? comma : close;
        status = parse_param(choice, &given, from, comma, error);
    }
    return status;
}

sl_status sl_policy_parse(const char *text, sl_policy_choice *choice, sl_error *error)
{
    return sl_policy_parse_among(NULL, text, choice, error);
}

sl_status sl_policy_text(const sl_policy_choice *choice, uint32_t named, char *text, size_t size, sl_error *error)
{
    int used = snprintf(text, size, "%s", choice->ops->name);
    const char *before = "(";
    for (uint32_t i = 0; choice->ops->params && choice->ops->params[i].name && (size_t)used < size; i++) {
        const sl_param *p = &choice->ops->params[i];
        uint64_t value = choice->value[i];
        if (value == p->default_value && !(named >> i & 1))
            continue;
        if (p->type == SL_PARAM_WORD)
            used += snprintf(text + used, size - (size_t)used, "%s%s=%s", before, p->name, p->words[value]);
        else
            used += snprintf(text + used, size - (size_t)used, "%s%s=%" PRIu64, before, p->name, value);
        before = ",";
    }
    if (*before == ',' && (size_t)used < size)
        used += snprintf(text + used, size - (size_t)used, ")");
    if ((size_t)used >= size)
        return sl_fail(error, SL_LIMIT, "policy '%s': the parameters are longer than %zu characters", choice->ops->name,
                       size - 1);
    return SL_OK;
}

/* ---- pairs ---- */

/* One policy of a text. */
static sl_status parse_part(const sl_policy_list *custom, const char *from, const char *end, sl_policy_choice *choice,
                            sl_error *error)
{
    char text[256];
    size_t length = (size_t)(end - from);
    if (length >= sizeof text)
        return sl_fail(error, SL_SYNTAX, "'%.60s…' is too long for a policy and its parameters", from);
    memcpy(text, from, length);
    text[length] = 0;
    return sl_policy_parse_among(custom, text, choice, error);
}

sl_status sl_policies_parse(const sl_policy_list *custom, const char *text, sl_policy_pair *pair, sl_error *error)
{
    const char *plus = strchr(text, '+'), *end = text + strlen(text);
    sl_policy_choice first, second;
    *pair = (sl_policy_pair){0};
    if (plus && strchr(plus + 1, '+'))
        return sl_fail(error, SL_SYNTAX,
                       "'%.80s': a cache has at most two policies, one for replacement and one for bypassing", text);
    sl_status status = parse_part(custom, text, plus ? plus : end, &first, error);
    if (status)
        return status;
    if (!plus) {
        *(sl_policy_replaces(first.ops) ? &pair->replacement : &pair->bypass) = first;
        return SL_OK;
    }
    status = parse_part(custom, plus + 1, end, &second, error);
    if (status)
        return status;
    bool as_written = sl_policy_replaces(first.ops) && sl_policy_bypasses(second.ops);
    bool turned = sl_policy_replaces(second.ops) && sl_policy_bypasses(first.ops);
    if (as_written == turned)
        return sl_fail(error, SL_INVALID,
                       "'%s' and '%s' both %s: a cache has one policy for replacement and one for bypassing",
                       first.ops->name, second.ops->name,
                       as_written                      ? "do both"
                       : sl_policy_replaces(first.ops) ? "replace"
                                                       : "bypass");
    pair->replacement = as_written ? first : second;
    pair->bypass = as_written ? second : first;
    return SL_OK;
}
