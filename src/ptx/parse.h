/* SPDX-License-Identifier: MIT */
/* What the parts of the parser share: names.c (words and scopes), const_expr.c (numbers), parse_decl.c (variables,
 * functions), parse_inst.c (instructions), parse_call.c (calls with registers), parse_body.c (statements), parser.c
 * (the module). Nobody else includes this.
 *
 * Every failure, out of memory included, jumps to sl_ptx_parse, which frees what is not in the module's arena. */
#ifndef SL_PTX_PARSE_H
#define SL_PTX_PARSE_H

#include <locale.h>
#include <setjmp.h>

#include "base/array.h"
#include "base/map.h"
#include "ptx/lexer.h"
#include "ptx/module.h"

typedef struct sl_ptx_binding sl_ptx_binding;
typedef struct sl_ptx_reg_range sl_ptx_reg_range;

/* A name that occurs in the text, and everything it can mean. */
typedef struct sl_ptx_word {
    const char *text; /* interned: lives as long as the module */
    uint32_t length;
    uint16_t op;              /* sl_ptx_op, SL_OP_UNKNOWN: not an opcode */
    uint16_t mod;             /* sl_ptx_mod_id, SL_MOD_OTHER: not a known modifier */
    int32_t special;          /* sl_ptx_special, -1: not a special register */
    sl_ptx_func *func;        /* the function of this name, its definition if there is one */
    sl_ptx_binding *binding;  /* what it names here, innermost scope first */
    sl_ptx_reg_range *ranges; /* `.reg .b32 word<n>`, innermost scope first */
} sl_ptx_word;

typedef enum sl_ptx_binding_kind { SL_BIND_REG, SL_BIND_VAR, SL_BIND_LABEL } sl_ptx_binding_kind;

struct sl_ptx_binding {
    uint8_t kind;
    uint32_t depth, index; /* index of the register or label */
    sl_ptx_var *var;
    sl_ptx_word *word;
    sl_ptx_binding *outer, *next_in_scope;
};

struct sl_ptx_reg_range {
    sl_ptx_type type;
    uint8_t vector;
    uint32_t depth, count;
    sl_ptx_word *word;
    sl_ptx_reg_range *outer, *next_in_scope;
};

typedef struct sl_ptx_scope {
    sl_ptx_binding *bindings;
    sl_ptx_reg_range *ranges;
    uint32_t range_depth; /* depth of the innermost scope that declares a range of registers */
    size_t first_ref;
    uint32_t line, column; /* where it opened */
} sl_ptx_scope;

/* A name used as an operand or in a table whose meaning is known only when its scope, or the module, is complete. */
typedef struct sl_ptx_ref {
    sl_ptx_word *word;
    sl_ptx_operand *operand; /* NULL: entry `target` of the table `label` */
    uint32_t label, target;
    bool branch; /* must be a label */
    uint32_t line, column;
} sl_ptx_ref;

/* A source location that some .loc names. */
typedef struct sl_ptx_location {
    uint32_t file, line, column;
    uint32_t inlined; /* as the last .loc of it says */
    uint32_t call;    /* 1 + the inlined call at this location, by the same chain of callers; 0: there is none yet */
} sl_ptx_location;

enum { SL_PTX_CHECKED = 512 };

typedef struct sl_ptx_parser {
    sl_lexer lexer;
    sl_token token; /* the current one */
    sl_ptx_module *module;
    sl_arena *arena;  /* the module's */
    sl_arena scratch; /* words and bindings */
    sl_map words;
    sl_error *error;
    sl_status status;
    jmp_buf landing;
    locale_t c_locale; /* made when the first decimal fraction is read */
    uint32_t nesting;  /* of expressions, operands and initializers */

    SL_ARRAY(sl_ptx_item) items;
    SL_ARRAY(sl_ptx_func *) funcs;
    SL_ARRAY(sl_ptx_var *) vars;
    SL_ARRAY(sl_ptx_file) files;
    SL_ARRAY(sl_ptx_alias) aliases;
    SL_ARRAY(sl_ptx_ref) deferred_refs; /* left over by functions, for the end of the module */

    sl_ptx_func *func; /* whose body or parameter list is being read */
    SL_ARRAY(sl_ptx_reg) regs;
    SL_ARRAY(sl_ptx_inst) insts;
    SL_ARRAY(sl_ptx_label) labels;
    SL_ARRAY(sl_ptx_var *) locals;
    SL_ARRAY(sl_ptx_stmt) stmts;
    SL_ARRAY(sl_ptx_ref) refs;
    SL_ARRAY(sl_ptx_scope) scopes;                    /* [0] is the module's */
    uint32_t loc_file, loc_line, loc_column, inlined; /* as in sl_ptx_inst */
    SL_ARRAY(sl_ptx_inlined_call) inlined_calls;
    SL_ARRAY(sl_ptx_location) locations; /* of the function's .loc */
    sl_index location_index;

    /* Stacks for lists whose length is not known yet; each user takes off what it put on. */
    SL_ARRAY(sl_ptx_operand) operands;
    SL_ARRAY(sl_ptx_ref) symbols; /* those of the current instruction, in order */
    SL_ARRAY(sl_ptx_mod) mods;
    struct {
        const char *mnemonic;
        uint32_t mods;
        const sl_ptx_mod *mod;
    } checked[SL_PTX_CHECKED]; /* modifiers found right, by hash: instructions that have the same share them */
    SL_ARRAY(sl_ptx_init) inits;
    SL_ARRAY(const char *) strings;
    SL_ARRAY(char) text;
} sl_ptx_parser;

/* Grows an array of the parser or gives up. */
#define SL_PUSH(p, array, ...) (sl_array_push((array), __VA_ARGS__) ? (void)0 : sl_ptx_out_of_memory(p))
/* Copies elements [from, count) of a parser's array to the module and takes them off. NULL when there are none. */
#define SL_TAKE(p, array, from, length)                                                                                \
    sl_ptx_pop_items((p), (array)->items, sizeof *(array)->items, (from), &(array)->count, (length))

/* parser.c */
_Noreturn void sl_ptx_out_of_memory(sl_ptx_parser *p);
_Noreturn void sl_ptx_fail(sl_ptx_parser *p, uint32_t line, uint32_t column, const char *format, ...) SL_PRINTF(4, 5);
/* "expected WHAT, found …" at the current token */
_Noreturn void sl_ptx_fail_expected(sl_ptx_parser *p, const char *what);
void *sl_ptx_pop_items(sl_ptx_parser *p, const void *items, size_t item_bytes, size_t from, size_t *count,
                       uint32_t *length);
void sl_ptx_advance(sl_ptx_parser *p);
void sl_ptx_expect(sl_ptx_parser *p, char punct, const char *where);
bool sl_ptx_accept(sl_ptx_parser *p, char punct);
void sl_ptx_enter(sl_ptx_parser *p); /* one level deeper; fails when too deep */
void sl_ptx_leave(sl_ptx_parser *p);
/* The text from `start` up to `end` with comments left out and white space made regular: none, a blank, or, where a
 * line ended, `newline`. */
const char *sl_ptx_slice(sl_ptx_parser *p, const char *start, const char *end, char newline);
/* Reads a directive of which only the text matters, to its end: a semicolon, a closing brace, or the end of the line.
 */
const char *sl_ptx_directive(sl_ptx_parser *p);

static inline bool sl_ptx_at(const sl_ptx_parser *p, char punct)
{
    return p->token.punct == punct;
}

/* names.c */
void sl_ptx_names_init(sl_ptx_parser *p);
sl_ptx_word *sl_ptx_intern(sl_ptx_parser *p, const char *text, size_t length);
sl_ptx_word *sl_ptx_token_word(sl_ptx_parser *p);               /* the current token, without a leading dot */
bool sl_ptx_token_is(const sl_ptx_parser *p, const char *text); /* dots count */
void sl_ptx_scope_open(sl_ptx_parser *p);
void sl_ptx_scope_close(sl_ptx_parser *p);
/* Binds a word in the innermost scope; fails at the current token when it has a meaning there already. */
sl_ptx_binding *sl_ptx_bind(sl_ptx_parser *p, sl_ptx_word *word, sl_ptx_binding_kind kind, uint32_t index,
                            sl_ptx_var *var);
void sl_ptx_declare_range(sl_ptx_parser *p, sl_ptx_word *word, uint32_t count, sl_ptx_type type, uint8_t vector);
uint32_t sl_ptx_add_reg(sl_ptx_parser *p, sl_ptx_word *word, sl_ptx_type type, uint8_t vector);
/* What a word names here; NULL: nothing (yet). */
sl_ptx_binding *sl_ptx_lookup(sl_ptx_parser *p, sl_ptx_word *word);
_Noreturn void sl_ptx_fail_register(sl_ptx_parser *p, const sl_ptx_word *word, uint32_t line, uint32_t column);
/* At the end of a function: what is left must be a name of the module. */
void sl_ptx_defer_refs(sl_ptx_parser *p);
void sl_ptx_resolve_deferred_refs(sl_ptx_parser *p);

/* const_expr.c */
typedef enum sl_ptx_value_kind { SL_VALUE_INT, SL_VALUE_F32, SL_VALUE_F64 } sl_ptx_value_kind;
typedef struct sl_ptx_value {
    uint8_t kind;
    bool is_unsigned; /* INT: .u64 instead of .s64 */
    uint64_t bits;
} sl_ptx_value;
sl_ptx_value sl_ptx_constant(sl_ptx_parser *p, const char **text); /* text may be NULL */
uint64_t sl_ptx_integer(sl_ptx_parser *p, const char *what);       /* a constant that must be an integer */
uint64_t sl_ptx_value_as(sl_ptx_value value, sl_ptx_type type);    /* as bits of a variable of this type */

/* parse_decl.c */
/* A variable declaration from its space on, in `func` (NULL: module scope). Several names make several variables. */
void sl_ptx_parse_vars(sl_ptx_parser *p, sl_ptx_linkage linkage);
void sl_ptx_parse_func(sl_ptx_parser *p, sl_ptx_linkage linkage);
const sl_ptx_func *sl_ptx_parse_prototype(sl_ptx_parser *p); /* after .callprototype */
bool sl_ptx_space_of(const sl_ptx_word *word, sl_ptx_space *space);
void sl_ptx_parse_initializer(sl_ptx_parser *p, sl_ptx_var *var); /* parse_init.c */

void sl_ptx_push_var(sl_ptx_parser *p, sl_ptx_var *var); /* at the current place */

/* parse_call.c */
/* An instruction goes to the current place of the body; a call or return with the moves that it needs. */
void sl_ptx_push_inst(sl_ptx_parser *p, const sl_ptx_inst *inst, sl_ptx_operand *operands);
/* Before and after the statements of a body: moves of what is passed in registers. */
void sl_ptx_begin_body(sl_ptx_parser *p);
void sl_ptx_end_body(sl_ptx_parser *p);

/* parse_inst.c, parse_body.c */
void sl_ptx_parse_inst(sl_ptx_parser *p);
void sl_ptx_parse_body(sl_ptx_parser *p, sl_ptx_func *func);

#endif
