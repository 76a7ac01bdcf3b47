/* SPDX-License-Identifier: MIT */
/* PTX text to tokens. The text is borrowed and need not end with a NUL. Comments and preprocessor line markers count
 * as white space; a token remembers whether any stood in front of it, so that text can be put together again. */
#ifndef SL_PTX_LEXER_H
#define SL_PTX_LEXER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum sl_token_kind {
    SL_TOK_END,
    SL_TOK_WORD,   /* add, %r1, $L__BB0_1, _ */
    SL_TOK_DOT,    /* .global, .2d, .L1::no_allocate: the dot is part of the text */
    SL_TOK_NUMBER, /* 12, 0x1F, 0f3F800000, 1.5e-3, 7U */
    SL_TOK_STRING, /* with its quotes */
    SL_TOK_PUNCT,  /* one character, in `punct` */
    SL_TOK_BAD,    /* `problem` says what is wrong */
} sl_token_kind;

typedef struct sl_token {
    uint8_t kind;
    char punct;                        /* PUNCT: the character; else 0 */
    bool space_before, newline_before; /* newline implies space */
    uint32_t length;
    const char *start;
    uint32_t line, column; /* from 1, in bytes */
    const char *problem;
} sl_token;

typedef struct sl_lexer {
    const char *next, *end, *line_start;
    uint32_t line;
} sl_lexer;

void sl_lexer_init(sl_lexer *lexer, const char *text, size_t length);
void sl_lexer_next(sl_lexer *lexer, sl_token *token);
/* The first character of the token that comes next, 0 at the end. */
char sl_lexer_peek(const sl_lexer *lexer);

#endif
