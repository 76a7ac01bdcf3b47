/* SPDX-License-Identifier: MIT */
/* A PTX module as data: what the parser builds, the printer prints, and everyone else reads.
 *
 * All of it lives in the module's arena and is immutable after parsing. Names are interned per module: equal names are
 * equal pointers. Numbers that must print as written keep their text. */
#ifndef SL_PTX_MODULE_H
#define SL_PTX_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "sluice/error.h"

/* Modifiers: everything that may follow a dot in an instruction, types and spaces included (see modifiers.def). */
typedef enum sl_ptx_mod_id {
    SL_MOD_OTHER = 0, /* not in the table; see sl_ptx_mod.text */
#define SL_PTX_MODIFIER(id, text) SL_MOD_##id,
#include "ptx/modifiers.def"
#undef SL_PTX_MODIFIER
    SL_MOD_COUNT
} sl_ptx_mod_id;

/* Opcodes: the word before the first dot (see opcodes.def). */
typedef enum sl_ptx_op {
    SL_OP_UNKNOWN = 0, /* not in the table; the instruction's text is kept */
#define SL_PTX_OPCODE(id, text, class, dsts, flags, summary) SL_OP_##id,
#include "ptx/opcodes.def"
#undef SL_PTX_OPCODE
    SL_OP_COUNT
} sl_ptx_op;

/* Special registers such as %tid.x (see specials.def). */
typedef enum sl_ptx_special {
#define SL_PTX_SPECIAL(id, text, type) SL_SREG_##id,
#include "ptx/specials.def"
#undef SL_PTX_SPECIAL
    SL_SREG_COUNT
} sl_ptx_special;

// clang-format off
typedef enum sl_ptx_type {
    SL_T_NONE,
    SL_T_B8, SL_T_B16, SL_T_B32, SL_T_B64, SL_T_B128,
    SL_T_U8, SL_T_U16, SL_T_U32, SL_T_U64,
    SL_T_S8, SL_T_S16, SL_T_S32, SL_T_S64,
    SL_T_F16, SL_T_F16X2, SL_T_BF16, SL_T_BF16X2, SL_T_TF32, SL_T_F32, SL_T_F64,
    SL_T_E4M3, SL_T_E5M2, SL_T_E4M3X2, SL_T_E5M2X2, SL_T_E2M1X2, SL_T_E2M3X2, SL_T_E3M2X2, SL_T_UE8M0X2, SL_T_F32X2, SL_T_U16X2, SL_T_S16X2, SL_T_B1, SL_T_U4, SL_T_S4,
    SL_T_PRED,
    SL_T_TEXREF, SL_T_SAMPLERREF, SL_T_SURFREF,
    SL_T_OTHER,
} sl_ptx_type;

typedef enum sl_ptx_space {
    SL_SPACE_NONE, /* generic where an address is meant */
    SL_SPACE_REG, SL_SPACE_GLOBAL, SL_SPACE_SHARED, SL_SPACE_LOCAL, SL_SPACE_CONST, SL_SPACE_PARAM, SL_SPACE_TEX,
} sl_ptx_space;

typedef enum sl_ptx_linkage {
    SL_LINK_LOCAL, SL_LINK_EXTERN, SL_LINK_VISIBLE, SL_LINK_WEAK, SL_LINK_COMMON
} sl_ptx_linkage;
// clang-format on

typedef struct sl_ptx_mod {
    uint16_t id;      /* sl_ptx_mod_id */
    const char *text; /* without the dot, e.g. "rn", "L1::no_allocate" */
} sl_ptx_mod;

typedef struct sl_ptx_var sl_ptx_var;
typedef struct sl_ptx_func sl_ptx_func;
typedef struct sl_ptx_operand sl_ptx_operand;

/* One element of an initializer: a number, or the address of a symbol plus an offset. */
typedef struct sl_ptx_init {
    uint64_t bits;      /* the value as bits of the variable's type; with a symbol: the byte offset added to it */
    const char *symbol; /* NULL: a number */
    const char *key;    /* for samplers and textures: `key = value`; NULL elsewhere */
    bool generic;       /* written as generic(symbol) */
    uint8_t mask_shift; /* for 0xFF(symbol)-style byte extraction: bytes to shift right; `masked` says it is used */
    bool masked;
    const char *text; /* the number as written */
} sl_ptx_init;

struct sl_ptx_var {
    const char *name;
    sl_ptx_space space;
    sl_ptx_linkage linkage;
    sl_ptx_type type;
    uint8_t vector;         /* 1, 2 or 4 */
    uint32_t align;         /* bytes; at least the natural one */
    bool align_written;     /* .align stood in the text */
    uint32_t dims;          /* number of [..] */
    uint64_t dim[4];        /* 0: [] */
    uint64_t bytes;         /* size; 0 for an extern array without a size */
    uint32_t inits;         /* elements given, row-major, nested braces flattened; the rest is zero */
    sl_ptx_init *init;      /* NULL: none */
    const char *attributes; /* anything else between space and name, e.g. ".attribute(.managed)"; NULL: none */
    const char *pointee;    /* of a pointer parameter: ".ptr .global .align 4"; NULL: none */
    bool managed;
    uint32_t index;   /* for kernel/function parameters: position */
    bool in_register; /* a parameter that was written as one in a register, which the body moves it from and to: */
    uint32_t reg;     /* … index into the function's regs */
    uint32_t offset;  /* for parameters: byte offset in the parameter block (natural alignment rules) */
    uint32_t line;
    const sl_ptx_func *owner; /* the function whose body or parameter list declares it; NULL: module scope */
};

typedef struct sl_ptx_reg {
    const char *name;
    sl_ptx_type type;
    uint8_t vector; /* 1, 2 or 4: `.reg .v4 .f32 %v` (elements %v.x …) */
} sl_ptx_reg;

typedef enum sl_ptx_operand_kind {
    SL_OPD_REG,     /* .reg, and .element for %v.x (0..3), -1: all of it. Video selectors: b0..b3 4..7, h0 8, h1 9 */
    SL_OPD_SPECIAL, /* .special */
    SL_OPD_INT,     /* .bits holds the 64-bit two's complement value */
    SL_OPD_F32,     /* .bits holds the 32-bit pattern (0f…) */
    SL_OPD_F64,     /* .bits holds the 64-bit pattern (0d… and decimal floats) */
    SL_OPD_SYMBOL,  /* a name plus .bits as byte offset: variable, label, function */
    SL_OPD_ADDRESS, /* [items[0] + .bits, items[1]…]; items[0] is REG, SYMBOL or INT. Textures: [handle, {coords}] */
    SL_OPD_VECTOR,  /* {items…} */
    SL_OPD_PAIR,    /* items[0] | items[1] */
    SL_OPD_LIST,    /* (items…), of a call */
    SL_OPD_DISCARD, /* _ */
} sl_ptx_operand_kind;

struct sl_ptx_operand {
    uint8_t kind; /* sl_ptx_operand_kind */
    bool negated; /* !p on predicates, -x on registers where PTX allows it */
    int8_t element;
    uint16_t special;
    uint32_t reg; /* index into the function's regs */
    uint64_t bits;
    const char *name;      /* SYMBOL: as written */
    const char *text;      /* INT, F32, F64: the literal as written; ADDRESS: the word in [a].word, NULL: none */
    const sl_ptx_var *var; /* SYMBOL: the variable, when it is one visible here */
    int32_t label;         /* SYMBOL: index into the function's labels, or -1 */
    uint32_t count;
    sl_ptx_operand *items;
};

typedef struct sl_ptx_inst {
    uint16_t op;  /* sl_ptx_op */
    bool guarded; /* @p / @!p in front */
    bool guard_negated;
    uint32_t guard;       /* register index of the predicate */
    const char *mnemonic; /* the word before the first dot */
    uint32_t mods;
    const sl_ptx_mod *mod;
    uint32_t operands;
    const sl_ptx_operand *operand;
    uint32_t line, column;                   /* in the PTX text */
    uint32_t loc_file, loc_line, loc_column; /* last .loc before it; 0: none */
} sl_ptx_inst;

/* Tables of targets and prototypes are labels with a list and no position. */
typedef enum sl_ptx_label_kind {
    SL_LABEL_CODE,
    SL_LABEL_BRANCH_TARGETS,
    SL_LABEL_CALL_TARGETS,
    SL_LABEL_CALL_PROTOTYPE
} sl_ptx_label_kind;

typedef struct sl_ptx_label {
    const char *name;
    uint8_t kind;  /* sl_ptx_label_kind */
    uint32_t inst; /* index of the first instruction after it (== insts when last) */
    uint32_t line;
    uint32_t targets;
    const char **target;          /* names, in order (branchtargets, calltargets) */
    int32_t *target_label;        /* branchtargets: what the names mean here, as indices into labels */
    const sl_ptx_func *prototype; /* callprototype: a function with parameters and no body */
} sl_ptx_label;

/* The body in the order it was written; what the printer walks. */
typedef enum sl_ptx_stmt_kind {
    SL_STMT_INST,  /* .index into insts */
    SL_STMT_LABEL, /* .index into labels */
    SL_STMT_REG,   /* a .reg declaration: .text */
    SL_STMT_VAR,   /* .index into vars */
    SL_STMT_LOC,   /* .text: the directive as written */
    SL_STMT_OPEN,
    SL_STMT_CLOSE,
    SL_STMT_DIRECTIVE, /* .pragma and any other: .text as written, without comments */
} sl_ptx_stmt_kind;

typedef struct sl_ptx_stmt {
    uint8_t kind;
    uint32_t index;
    const char *text;
} sl_ptx_stmt;

struct sl_ptx_func {
    const char *name;
    bool entry; /* .entry, else .func */
    bool has_body;
    bool noreturn;
    sl_ptx_linkage linkage;
    uint32_t line;
    uint32_t returns, params;
    sl_ptx_var **ret; /* .func (ret…) */
    sl_ptx_var **param;
    uint32_t param_bytes;   /* size of the parameter block */
    const char *attributes; /* .attribute(…) in front of the name; NULL: none */
    uint32_t directives;
    const char **directive;                                 /* .maxntid …, .minnctapersm …, .noreturn, as written */
    uint32_t maxntid[3], reqntid[3], minnctapersm, maxnreg; /* 0: not given */
    uint32_t reqnctapercluster[3], maxclusterrank;          /* the same */
    bool explicitcluster, blocksareclusters;
    uint32_t regs;
    sl_ptx_reg *reg; /* those the body names (of `.reg .b32 %r<100>` only the used ones), by first use */
    uint32_t insts;
    sl_ptx_inst *inst;
    uint32_t labels;
    sl_ptx_label *label;
    uint32_t vars;
    sl_ptx_var **var; /* declared in the body, any scope */
    uint32_t stmts;
    sl_ptx_stmt *stmt;
};

typedef enum sl_ptx_item_kind { SL_ITEM_VAR, SL_ITEM_FUNC, SL_ITEM_DIRECTIVE } sl_ptx_item_kind;

typedef struct sl_ptx_item {
    uint8_t kind;
    sl_ptx_var *var;
    sl_ptx_func *func;
    const char *text; /* DIRECTIVE: as written (.file, .section …, .alias, .pragma, unknown ones) */
} sl_ptx_item;

typedef struct sl_ptx_file {
    uint32_t number;
    const char *name;
} sl_ptx_file;

typedef struct sl_ptx_alias { /* .alias name, target; */
    const char *name, *target;
} sl_ptx_alias;

typedef struct sl_ptx_module {
    sl_arena arena;
    const char *name; /* the file it came from, for messages */
    uint32_t version_major, version_minor;
    const char *target; /* as written, e.g. "sm_75, texmode_independent" */
    uint32_t sm;        /* 75 */
    uint32_t address_size;
    uint32_t items;
    sl_ptx_item *item;
    uint32_t funcs;
    sl_ptx_func **func;
    uint32_t vars;
    sl_ptx_var **var;
    uint32_t files;
    sl_ptx_file *file;
    uint32_t aliases;
    sl_ptx_alias *alias;
} sl_ptx_module;

/* Facts of the tables. */
typedef enum sl_ptx_op_flags {
    SL_OPF_BRANCH = 1, /* bra, brx */
    SL_OPF_CALL = 2,
    SL_OPF_EXIT = 4,       /* ret, exit, trap */
    SL_OPF_BARRIER = 8,    /* bar, barrier: block-wide */
    SL_OPF_WARP_SYNC = 16, /* needs all named lanes of the warp: shfl.sync, vote.sync, bar.warp.sync … */
    SL_OPF_MEMORY = 32,    /* accesses memory: has a row in the memory stream of a trace */
    SL_OPF_FENCE = 64,
    SL_OPF_REFUSED = 128, /* parsed and printed, but the emulator refuses it before the launch */
} sl_ptx_op_flags;

typedef struct sl_ptx_op_info {
    const char *text;
    uint8_t op_class; /* sl_op_class of sluice/trace.h */
    uint8_t dsts;     /* how many leading operands are written */
    uint16_t flags;   /* sl_ptx_op_flags */
    const char *summary;
} sl_ptx_op_info;

const sl_ptx_op_info *sl_ptx_op_info_of(uint16_t op);
const char *sl_ptx_special_text(uint16_t special);
sl_ptx_type sl_ptx_special_type(uint16_t special);
const char *sl_ptx_mod_text(uint16_t mod);
sl_ptx_type sl_ptx_mod_type(uint16_t mod); /* SL_T_NONE: not a type; SL_T_OTHER: a type without a name here */
const char *sl_ptx_type_text(sl_ptx_type type);
uint32_t sl_ptx_type_bytes(sl_ptx_type type); /* PRED: 1 */

/* Questions about an instruction. The first three are the facts of the opcode table refined by type and modifiers. */
uint8_t sl_ptx_inst_class(const sl_ptx_inst *inst); /* sl_op_class: add.f32 is F32, div.f32 SFU, mul.lo.s32 INT_MUL */
uint32_t sl_ptx_inst_dsts(const sl_ptx_inst *inst); /* leading operands written: bar.red 1, call with results 1 */
bool sl_ptx_inst_updates(const sl_ptx_inst *inst);  /* what it writes it reads, too */
/* ld.param and st.param are moves, not memory; vote.sync waits for its lanes, vote does not; bar.warp is no block
 * barrier; only what an emulator of blocks cannot do is refused (cp.async is not, cp.async.bulk is). */
uint16_t sl_ptx_inst_flags(const sl_ptx_inst *inst);
bool sl_ptx_has(const sl_ptx_inst *inst, sl_ptx_mod_id mod);
sl_ptx_type sl_ptx_inst_type(const sl_ptx_inst *inst, uint32_t n); /* the n-th type modifier, SL_T_NONE if fewer */
sl_ptx_space sl_ptx_inst_space(const sl_ptx_inst *inst);           /* SL_SPACE_NONE: generic */
uint32_t sl_ptx_inst_vector(const sl_ptx_inst *inst);              /* 1, 2, 4, 8 */
/* Modules of a PTX version that the table of forms does not know yet are not checked by the parser, but when a kernel
 * is used. */
bool sl_ptx_is_newer(const sl_ptx_module *module);
/* Whether the opcode takes these modifiers and types (forms.def). If not, `message` says why and *at is the modifier
 * that is wrong; inst->mods: one is missing. Opcodes that are not in the table take any. */
bool sl_ptx_check_form(const sl_ptx_inst *inst, uint32_t *at, char *message, size_t size);
/* "ld.global.nc.f32" into `buffer`. */
char *sl_ptx_inst_text(const sl_ptx_inst *inst, char *buffer, size_t size);

/* Parses `length` bytes of PTX (a trailing NUL is not needed; one at the end is ignored). `name` is used in messages.
 * On success *module is owned by the caller. */
sl_status sl_ptx_parse(const char *text, size_t length, const char *name, sl_ptx_module **module, sl_error *error);
void sl_ptx_free(sl_ptx_module *module); /* NULL is fine */
const sl_ptx_func *sl_ptx_find(const sl_ptx_module *module, const char *function);
/* Threads that a block may have by .maxntid or .reqntid; 0: neither is given. */
uint64_t sl_ptx_max_threads(const sl_ptx_func *function);

/* Prints a module as PTX text that parses to an equal module. *text is malloc'ed. */
sl_status sl_ptx_print(const sl_ptx_module *module, char **text, size_t *length, sl_error *error);

#endif
