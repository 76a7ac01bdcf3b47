/* SPDX-License-Identifier: MIT */
/* The loads of PTX code and of recorded kernels. */
#ifndef SL_TUNE_PTX_LOADS_H
#define SL_TUNE_PTX_LOADS_H

#include "ptx/module.h"
#include "sluice/trace.h"
#include "tune/loads.h"

/* Targets that know L1::no_allocate and L2::cache_hint. */
enum { SL_PTX_L1_SM = 70, SL_PTX_L2_SM = 80 };

/* Lists the loads and stores of global memory of `func` (NULL: of all functions with a body) and its settings, with
 * their groups. `sm`: the
 * target the code will be compiled for, where that is higher than its .target; 0: its .target. Allocates in `arena`;
 * strings are the module's or the arena's. */
sl_status sl_ptx_loads(const sl_ptx_module *module, const sl_ptx_func *func, uint32_t sm, sl_arena *arena,
                       sl_load_graph *graph, sl_error *error);

/* The same for a recorded kernel whose code is not at hand. Strings are the kernel's or the arena's. */
sl_status sl_trace_loads(const sl_trace_kernel *kernel, sl_arena *arena, sl_load_graph *graph, sl_error *error);

/* Which load or store of one kernel's graph a recorded instruction is; UINT32_MAX: none. */
uint32_t sl_ptx_load_of(const sl_load_graph *graph, const sl_inst *inst);

/* Whether a modifier is a prefetch size: ".L2::64B". */
bool sl_ptx_is_prefetch_size(uint16_t mod);

/* That of a text; 0: it does not parse. */
uint64_t sl_ptx_text_hash(const char *text, size_t length);
/* The hash by which plans identify the code; white space and comments do not change it. */
sl_status sl_ptx_code_hash(const sl_ptx_module *module, uint64_t *hash, sl_error *error);

#endif
