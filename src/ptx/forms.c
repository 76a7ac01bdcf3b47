/* SPDX-License-Identifier: MIT */
/* Whether an opcode takes the modifiers and types that stand behind it, and what to say if not. Forms are read as text:
 * the parser asks once for each combination that a file contains. */
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/suggest.h"
#include "ptx/module.h"

enum { ITEMS = 16, SHOWN_TYPES = 12 };

static const struct {
    const char *name, *words;
} groups[] = {
#define SL_PTX_GROUP(name, words) {#name, words},
#define SL_PTX_FORM(op, form)
#include "ptx/forms.def"
#undef SL_PTX_GROUP
#undef SL_PTX_FORM
};

static const struct {
    uint16_t op;
    const char *text;
} forms[] = {
#define SL_PTX_GROUP(name, words)
#define SL_PTX_FORM(op, form) {SL_OP_##op, form},
#include "ptx/forms.def"
#undef SL_PTX_GROUP
#undef SL_PTX_FORM
};
#define FORMS (sizeof forms / sizeof forms[0])

typedef struct form_item {
    const char *text;
    size_t length;
    bool optional, used;
} form_item;

static uint32_t read_form(const char *form, form_item items[ITEMS])
{
    uint32_t count = 0;
    while (*form && count < ITEMS) {
        size_t length = strcspn(form, " ");
        if (!length) { /* two blanks */
            form++;
            continue;
        }
        bool optional = form[length - 1] == '?';
        items[count++] = (form_item){.text = form, .length = length - optional, .optional = optional};
        form += length + (form[length] == ' ');
    }
    return count;
}

/* The next of the words with | between them, groups replaced by their words; NULL: no more. `rest` is where the text
 * continues, [1] behind the group that is being read. */
typedef struct word_list {
    const char *at, *end, *outer, *outer_end;
} word_list;

static const char *next_word(word_list *list, size_t *length)
{
    while (list->at == list->end) {
        if (!list->outer)
            return NULL;
        list->at = list->outer, list->end = list->outer_end, list->outer = NULL;
    }
    const char *word = list->at;
    const char *bar = memchr(word, '|', (size_t)(list->end - word));
    *length = (size_t)((bar ? bar : list->end) - word);
    list->at = bar ? bar + 1 : list->end;
    if (word[0] >= 'A' && word[0] <= 'Z' && !list->outer)
        for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++)
            if (strlen(groups[i].name) == *length && !memcmp(groups[i].name, word, *length)) {
                *list = (word_list){groups[i].words, groups[i].words + strlen(groups[i].words), list->at, list->end};
                return next_word(list, length);
            }
    return word;
}

static word_list words_of(const form_item *item)
{
    return (word_list){.at = item->text, .end = item->text + item->length};
}

static bool item_has(const form_item *item, const char *text, size_t length)
{
    word_list list = words_of(item);
    size_t n;
    for (const char *word; (word = next_word(&list, &n));)
        if (n == length && !memcmp(word, text, n))
            return true;
    return false;
}

/* Letters of a type's kind with a size behind them: u32, bf16x2, e4m3 (but not f4e); and pred. */
static bool is_type(const char *text)
{
    size_t letters = strspn(text, "busfte"), digits = strspn(text + letters, "0123456789");
    return (letters > 0 && letters <= 2 && digits > 0 && text[letters + digits] != 'e') || !strncmp(text, "pred", 4);
}

static const char *first_word(const form_item *item)
{
    word_list list = words_of(item);
    size_t n;
    return next_word(&list, &n);
}

static bool is_type_item(const form_item *item)
{
    return is_type(first_word(item));
}

/* Types, spaces and layouts keep their order among themselves; other modifiers have none. */
enum { FREE, TYPE, SPACE, LAYOUT, ORDERS };

static int order_of(const char *text)
{
    static const char *const spaces[] = {"global", "shared", "local", "const", "param"};
    if (is_type(text))
        return TYPE;
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++)
        if (!strncmp(text, spaces[i], strlen(spaces[i])) && text[strlen(spaces[i])] != '_')
            return SPACE;
    return !strncmp(text, "row", 3) || !strncmp(text, "col", 3) ? LAYOUT : FREE;
}

/* How many modifiers, from the first on, a form takes; its items that took them are marked. What keeps its order takes
 * the next such item of the form: those that may be left out are passed over. */
static uint32_t match(const sl_ptx_inst *inst, form_item *items, uint32_t count)
{
    uint32_t next[ORDERS] = {0};
    for (uint32_t m = 0; m < inst->mods; m++) {
        const char *text = inst->mod[m].text;
        bool found = false;
        int order = order_of(text);
        for (uint32_t i = next[order]; i < count && !found; i++) {
            if (items[i].used || order_of(first_word(&items[i])) != order)
                continue;
            if (item_has(&items[i], text, strlen(text))) {
                items[i].used = found = true;
                next[order] = order == FREE ? 0 : i + 1;
            } else if (order != FREE && !items[i].optional) {
                break;
            }
        }
        if (!found)
            return m;
    }
    return inst->mods;
}

static uint32_t missing(const form_item *items, uint32_t count, const form_item **first)
{
    uint32_t n = 0;
    for (uint32_t i = count; i-- > 0;)
        if (!items[i].used && !items[i].optional) {
            *first = &items[i];
            n++;
        }
    return n;
}

/* ---- what to say ---- */

typedef struct names {
    char text[4096];
    size_t used;
    const char *name[256];
    size_t count;
} names;

static void add_word(names *list, const char *word, size_t length)
{
    for (size_t i = 0; i < list->count; i++)
        if (strlen(list->name[i]) == length && !memcmp(list->name[i], word, length))
            return;
    if (list->count == 256 || list->used + length + 1 > sizeof list->text)
        return;
    char *copy = list->text + list->used;
    memcpy(copy, word, length);
    copy[length] = 0;
    list->used += length + 1;
    list->name[list->count++] = copy;
}

static void add_words(names *list, const form_item *item)
{
    word_list words = words_of(item);
    size_t n;
    for (const char *word; (word = next_word(&words, &n));)
        add_word(list, word, n);
}

/* ", it takes .a, .b or .c" of the words that are types, or that are not. */
static void append_names(const names *list, const char *lead, char *buffer, size_t size)
{
    size_t used = 0;
    buffer[0] = 0;
    for (size_t i = 0; i < list->count && used < size; i++) {
        bool last = i + 1 == list->count || i == SHOWN_TYPES;
        const char *before = i == 0 ? lead : last ? " or " : ", ";
        used += (size_t)snprintf(buffer + used, size - used, "%s%s%s", before, i == SHOWN_TYPES ? "others" : ".",
                                 i == SHOWN_TYPES ? "" : list->name[i]);
        if (i == SHOWN_TYPES)
            break;
    }
}

/* A word that stands in no form of the opcode. */
static bool say_unknown(const sl_ptx_inst *inst, uint32_t *at, char *message, size_t size)
{
    names modifiers = {.used = 0}, types = {.used = 0};
    form_item items[ITEMS];
    char more[256];
    for (size_t f = 0; f < FORMS; f++)
        if (forms[f].op == inst->op)
            for (uint32_t i = 0, count = read_form(forms[f].text, items); i < count; i++)
                add_words(is_type_item(&items[i]) ? &types : &modifiers, &items[i]);
    for (uint32_t m = 0; m < inst->mods; m++) {
        const char *text = inst->mod[m].text;
        const names *list = is_type(text) ? &types : &modifiers;
        bool known = false;
        for (size_t i = 0; i < list->count && !known; i++)
            known = !strcmp(list->name[i], text);
        if (known)
            continue;
        *at = m;
        if (list == &types)
            append_names(&types, "; it takes ", more, sizeof more);
        else
            sl_did_you_mean(text, modifiers.name, modifiers.count, ".", more, sizeof more);
        snprintf(message, size, "%s has no %s .%s%s", inst->mnemonic, list == &types ? "type" : "modifier", text, more);
        return true;
    }
    return false;
}

/* All words are known, but not together: of the forms that take most of them, what they take instead. */
static void say_combination(const sl_ptx_inst *inst, uint32_t best, uint32_t *at, char *message, size_t size)
{
    names instead = {.used = 0};
    char more[256], before[256];
    bool type = is_type(inst->mod[best].text);
    sl_ptx_inst start = *inst;
    start.mods = best;
    for (size_t f = 0; f < FORMS; f++) {
        form_item items[ITEMS];
        uint32_t count = read_form(forms[f].text, items);
        if (forms[f].op != inst->op || match(&start, items, count) != best)
            continue;
        for (uint32_t i = 0; i < count && type; i++)
            if (!items[i].used && is_type_item(&items[i])) {
                add_words(&instead, &items[i]);
                break;
            }
    }
    *at = best;
    append_names(&instead, "; it takes ", more, sizeof more);
    snprintf(message, size, "%s takes no .%s here%s", sl_ptx_inst_text(&start, before, sizeof before),
             inst->mod[best].text, more);
}

bool sl_ptx_is_newer(const sl_ptx_module *module)
{
    return module->version_major > 9 || (module->version_major == 9 && module->version_minor > 0);
}

bool sl_ptx_check_form(const sl_ptx_inst *inst, uint32_t *at, char *message, size_t size)
{
    uint32_t best = 0, least = UINT32_MAX;
    form_item items[ITEMS], wanted = {0};
    if (inst->op == SL_OP_UNKNOWN)
        return true;
    for (size_t f = 0; f < FORMS; f++) {
        if (forms[f].op != inst->op)
            continue;
        uint32_t count = read_form(forms[f].text, items), taken = match(inst, items, count);
        const form_item *first = NULL;
        uint32_t lacks = missing(items, count, &first);
        if (taken == inst->mods && !lacks)
            return true;
        best = taken > best ? taken : best;
        if (taken == inst->mods && lacks < least) {
            least = lacks;
            wanted = *first;
        }
    }
    if (say_unknown(inst, at, message, size))
        return false;
    if (best < inst->mods) {
        say_combination(inst, best, at, message, size);
        return false;
    }
    names words = {.used = 0};
    char text[256], more[256];
    add_words(&words, &wanted);
    append_names(&words, " needs ", more, sizeof more);
    *at = inst->mods;
    snprintf(message, size, "%s%s", sl_ptx_inst_text(inst, text, sizeof text), more);
    return false;
}
