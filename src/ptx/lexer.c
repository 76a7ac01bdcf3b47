/* SPDX-License-Identifier: MIT */
#include "ptx/lexer.h"

#include <string.h>

enum { START = 1, REST = 2, DIGIT = 4, SPACE = 8 };

static const uint8_t char_class[256] = {
    [' '] = SPACE,
    ['\t'] = SPACE,
    ['\r'] = SPACE,
    ['\n'] = SPACE,
    ['\f'] = SPACE,
    ['\v'] = SPACE,
    ['_'] = START | REST,
    ['$'] = START | REST,
    ['%'] = START,
    ['0' ... '9'] = DIGIT | REST,
    ['a' ... 'z'] = START | REST,
    ['A' ... 'Z'] = START | REST,
};

static bool is(char c, uint8_t mask)
{
    return char_class[(unsigned char)c] & mask;
}

void sl_lexer_init(sl_lexer *lexer, const char *text, size_t length)
{
    *lexer = (sl_lexer){.next = text, .end = text + length, .line_start = text, .line = 1};
}

static void new_line(sl_lexer *lexer, const char *after)
{
    lexer->line++;
    lexer->line_start = after;
}

static void skip_line(sl_lexer *lexer)
{
    const char *newline = memchr(lexer->next, '\n', (size_t)(lexer->end - lexer->next));
    lexer->next = newline ? newline : lexer->end;
}

/* False: the comment has no end. */
static bool skip_block_comment(sl_lexer *lexer)
{
    for (const char *c = lexer->next + 2; c < lexer->end; c++) {
        if (*c == '\n')
            new_line(lexer, c + 1);
        if (*c == '*' && c + 1 < lexer->end && c[1] == '/') {
            lexer->next = c + 2;
            return true;
        }
    }
    lexer->next = lexer->end;
    return false;
}

/* False: an unterminated comment. */
static bool skip_space(sl_lexer *lexer)
{
    while (lexer->next < lexer->end) {
        const char *c = lexer->next;
        if (is(*c, SPACE)) {
            lexer->next++;
            if (*c == '\n')
                new_line(lexer, c + 1);
        } else if (*c == '/' && c + 1 < lexer->end && c[1] == '/') {
            skip_line(lexer);
        } else if (*c == '/' && c + 1 < lexer->end && c[1] == '*') {
            if (!skip_block_comment(lexer))
                return false;
        } else if (*c == '#' && c == lexer->line_start) {
            skip_line(lexer);
        } else {
            break;
        }
    }
    return true;
}

static const char *skip_class(const char *c, const char *end, uint8_t mask)
{
    while (c < end && is(*c, mask))
        c++;
    return c;
}

static const char *dot_word_end(const char *c, const char *end)
{
    c = skip_class(c + 1, end, REST);
    while (end - c > 2 && c[0] == ':' && c[1] == ':' && is(c[2], REST))
        c = skip_class(c + 2, end, REST);
    return c;
}

static const char *number_end(const char *start, const char *end)
{
    const char *c = skip_class(start, end, REST);
    bool prefixed = c - start > 1 && *start == '0' && strchr("xXfFdDbB", start[1]);
    if (prefixed)
        return c;
    if (c < end && *c == '.')
        c = skip_class(c + 1, end, REST);
    if (c < end && (*c == '+' || *c == '-') && (c[-1] == 'e' || c[-1] == 'E'))
        c = skip_class(c + 1, end, REST);
    return c;
}

/* There are no escapes: a backslash is a backslash. A NUL would cut the text short when it is printed. */
static const char *string_end(const char *start, const char *end)
{
    for (const char *c = start + 1; c < end && *c && *c != '\n'; c++)
        if (*c == '"')
            return c + 1;
    return NULL;
}

static const char *scan(sl_token *token, const char *c, const char *end)
{
    if (is(*c, START) && (*c != '%' || (c + 1 < end && is(c[1], REST)))) {
        token->kind = SL_TOK_WORD;
        return skip_class(c + 1, end, REST);
    }
    if (*c == '.' && c + 1 < end && is(c[1], REST)) {
        token->kind = SL_TOK_DOT;
        return dot_word_end(c, end);
    }
    if (is(*c, DIGIT)) {
        token->kind = SL_TOK_NUMBER;
        return number_end(c, end);
    }
    if (*c == '"') {
        const char *after = string_end(c, end);
        token->kind = after ? SL_TOK_STRING : SL_TOK_BAD;
        token->problem = "this string has no closing quote on its line";
        return after ? after : end;
    }
    if (*c && strchr(";,:@!()[]{}+-*/%&|^~<>=?.", *c)) {
        token->kind = SL_TOK_PUNCT;
        token->punct = *c;
    } else {
        token->kind = SL_TOK_BAD;
        token->problem = "this character does not occur in PTX";
    }
    return c + 1;
}

void sl_lexer_next(sl_lexer *lexer, sl_token *token)
{
    const char *before = lexer->next;
    uint32_t line_before = lexer->line;
    *token = (sl_token){.kind = SL_TOK_END, .line = line_before, .column = (uint32_t)(before - lexer->line_start) + 1};
    bool closed = skip_space(lexer);
    if (!closed) {
        token->kind = SL_TOK_BAD;
        token->start = before;
        token->problem = "a comment starts after here and never ends";
        return;
    }
    token->space_before = lexer->next != before;
    token->newline_before = lexer->line != line_before;
    token->start = lexer->next;
    token->line = lexer->line;
    token->column = (uint32_t)(lexer->next - lexer->line_start) + 1;
    if (lexer->next == lexer->end)
        return;
    lexer->next = scan(token, lexer->next, lexer->end);
    token->length = (uint32_t)(lexer->next - token->start);
}

char sl_lexer_peek(const sl_lexer *lexer)
{
    if (lexer->next < lexer->end && !is(*lexer->next, SPACE) && *lexer->next != '/')
        return *lexer->next;
    sl_lexer copy = *lexer;
    skip_space(&copy);
    return copy.next < copy.end ? *copy.next : 0;
}
