/* SPDX-License-Identifier: MIT */
/* LLVM IR as code that a plan can be applied to, through LLVM's C interface, which is loaded when it is wanted: neither
 * building nor starting Sluice needs LLVM, and one binary works with LLVM 14 to 19.
 *
 *   volatile        the first levels miss and evict (L1)         gfx10: glc dlc
 *   !nontemporal    the last level streams (L2)                  gfx10: slc
 *
 * For NVIDIA GPUs there are no such marks: an access with a mode becomes inline assembly with its operators.
 *
 * Both together are what volatile alone is, before gfx12. Loads are listed and annotated after load-store vectorization
 * (and after -O2 where that is asked for), because merging loads later would lose the marks or spread them; so what is
 * written is the prepared module with marks on the chosen loads and nothing else.
 *
 * LLVM's back ends end the process on code that they cannot compile. Whoever must survive that calls the functions
 * marked "may end the process" in a child. */
#ifndef SL_TUNE_REWRITE_LLVM_H
#define SL_TUNE_REWRITE_LLVM_H

#include "tune/loads.h"

enum { SL_LLVM_OLDEST = 14, SL_LLVM_NEWEST = 19 };

typedef struct sl_llvm sl_llvm;           /* the library, loaded */
typedef struct sl_llvm_code sl_llvm_code; /* a module */

/* `wanted`: NULL for the newest that is installed, a version ("14"), or the file of a library. */
sl_status sl_llvm_open(const char *wanted, sl_llvm **llvm, sl_error *error);
void sl_llvm_close(sl_llvm *llvm); /* NULL is fine; code has been freed before */
uint32_t sl_llvm_version(const sl_llvm *llvm);

typedef struct sl_llvm_options {
    const char *cpu; /* for functions without a "target-cpu"; NULL: gfx1030 or sm_80 */
    bool optimize;   /* run -O2 first */
} sl_llvm_options;

/* Reads text or bitcode, prepares it and lists its loads. `name` is its file, for messages. SL_SYNTAX: LLVM's message
 * and location. Text with opaque pointers ("ptr") needs LLVM 15; later versions read that of earlier ones. */
sl_status sl_llvm_read(sl_llvm *llvm, const char *data, size_t bytes, const char *name, const sl_llvm_options *options,
                       sl_llvm_code **code, sl_error *error);
void sl_llvm_free(sl_llvm_code *code); /* NULL is fine */

typedef enum sl_llvm_arch { SL_LLVM_AMDGCN, SL_LLVM_NVPTX } sl_llvm_arch;

typedef struct sl_llvm_facts {
    sl_llvm_arch arch;
    const char *triple;
    uint64_t hash;                       /* of the prepared module */
    uint32_t loads_before, loads_joined; /* global loads of the file, and how many fewer preparing left */
} sl_llvm_facts;
sl_llvm_facts sl_llvm_facts_of(const sl_llvm_code *code);
/* The loads from global memory of all functions, with groups. Belongs to the code. */
const sl_load_graph *sl_llvm_graph(const sl_llvm_code *code);
/* Which CPU the function of a load is compiled for: its "target-cpu", or that of the options. */
const char *sl_llvm_cpu(const sl_llvm_code *code, uint32_t load);

/* Marks loads: mode[i] is the mode of load i of the graph. SL_UNSUPPORTED: one that the load cannot take. Marks of an
 * earlier call are taken back first; for NVIDIA GPUs there is one call, after which the code is only written. */
sl_status sl_llvm_annotate(sl_llvm_code *code, const uint8_t *mode, sl_error *error);
/* Gives a store a mode that it can take; `node` is its number in the graph. */
void sl_llvm_annotate_store(const sl_llvm_code *code, uint32_t node, unsigned mode);
/* The module as text (terminated) or as bitcode; *data is malloc'ed. */
sl_status sl_llvm_write(const sl_llvm_code *code, bool bitcode, char **data, size_t *bytes, sl_error *error);

/* ---- assembly ---- */

/* Line numbers of the assembly and of the PTX below: load i has line i + SL_LLVM_FIRST_LINE, the rest line 1. */
enum { SL_LLVM_FIRST_LINE = 2 };

/* Compiles a copy of the module in which each load has a distinct line; *text is malloc'ed. May end the process. */
sl_status sl_llvm_emit(const sl_llvm_code *code, char **text, size_t *length, sl_error *error);
/* The same for amdgcn and nvptx alike as PTX that the emulator runs (llvm_retarget.c says how). `numbered`: lines are
 * numbers of loads; else those of the source. May end the process. */
sl_status sl_llvm_emit_ptx(const sl_llvm_code *code, bool numbered, char **text, size_t *length, sl_error *error);

/* The load that an instruction of this line came from. */
#define SL_LLVM_NO_LOAD UINT32_MAX
uint32_t sl_llvm_load_of(const sl_llvm_code *code, uint32_t line);

/* The outcome for one load in the assembly. */
typedef enum sl_llvm_fate {
    SL_FATE_AS_ASKED, /* carries the bits of its mode, or of no mode those it had */
    SL_FATE_HIDDEN,   /* both were asked for, and volatile hides nontemporal */
    SL_FATE_SCALAR,   /* a scalar load (s_load): it goes through the scalar cache and takes no such bits */
    SL_FATE_MERGED,   /* merged with others, or removed */
    SL_FATE_BITS,     /* other bits than asked for */
    SL_FATE_CHANGED,  /* no mode was asked for, but its bits changed */
    SL_FATES
} sl_llvm_fate;
const char *sl_llvm_fate_text(sl_llvm_fate fate); /* a clause: "is a scalar load, on which …" */

typedef struct sl_llvm_check {
    sl_llvm_fate fate;
    bool scalar;              /* a scalar load: s_load */
    uint32_t instructions;    /* in the assembly that belong to it alone */
    char instruction[48];     /* the first: "global_load_dword" */
    char wanted[32], got[32]; /* cache bits: "glc dlc"; empty: none */
} sl_llvm_check;

/* Compiles the code as it is and as it would be without marks, and compares the assembly with the modes that are set,
 * load by load: check[i] is that of load i. For amdgcn. May end the process. */
sl_status sl_llvm_check_code(sl_llvm_code *code, sl_llvm_check *check, sl_error *error);

#endif
