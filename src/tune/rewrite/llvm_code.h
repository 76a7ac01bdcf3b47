/* SPDX-License-Identifier: MIT */
/* What the files of llvm_*.c share. */
#ifndef SL_TUNE_REWRITE_LLVM_CODE_H
#define SL_TUNE_REWRITE_LLVM_CODE_H

#include "tune/rewrite/llvm.h"
#include "tune/rewrite/llvm_api.h"

/* Address spaces of amdgcn; those of nvptx are the same but for CONSTANT, which is a separate memory there. */
enum { SL_AS_FLAT = 0, SL_AS_GLOBAL = 1, SL_AS_SHARED = 3, SL_AS_CONSTANT = 4, SL_AS_PRIVATE = 5 };

struct sl_llvm {
    void *library;
    uint32_t version;
    sl_llvm_api api;
};

struct sl_llvm_code {
    const sl_llvm *llvm;
    llvm_context context;
    llvm_module module;
    sl_arena arena;
    const char *name, *triple;
    const char *cpu; /* for functions without one */
    sl_llvm_arch arch;
    uint64_t hash;
    uint32_t loads_before, loads_joined;
    sl_load_graph graph;
    llvm_value *value;    /* [graph.nodes] */
    uint8_t *mode;        /* [graph.loads], as annotated */
    char complaint[1024]; /* the last error that LLVM reported through the context */
};

/* llvm_loads.c: fills graph and value. */
sl_status sl_llvm_list_loads(sl_llvm_code *code, sl_error *error);
/* Notes the line of each load in the file, for sl_llvm_list_loads, and counts them. */
void sl_llvm_mark_lines(sl_llvm_code *code, const char *data, size_t bytes);
bool sl_llvm_is_global_load(const sl_llvm_code *code, llvm_value instruction);

/* llvm_emit.c. A machine for the triple; the caller disposes of it. */
sl_status sl_llvm_machine(const sl_llvm *llvm, const char *triple, const char *cpu, const char *features,
                          llvm_machine *machine, sl_error *error);

/* llvm_retarget.c: turns a module for amdgcn into one for nvptx64. May replace *module. */
sl_status sl_llvm_retarget(const sl_llvm_code *code, llvm_module *module, sl_error *error);

/* llvm_nvptx.c: the modes that an access can take, and why there are none; and one of them written, after which the
 * value of the node is gone. */
bool sl_llvm_is_kernel(const sl_llvm_code *code, llvm_value function);
uint32_t sl_llvm_nvptx_modes(const sl_llvm_code *code, llvm_value access, const char *cpu, const char **fixed);
void sl_llvm_nvptx_apply(const sl_llvm_code *code, uint32_t node, unsigned mode);

/* Whether the name of a value begins with `prefix`. */
bool sl_llvm_named(const sl_llvm *llvm, llvm_value value, const char *prefix);

#endif
