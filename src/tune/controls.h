/* SPDX-License-Identifier: MIT */
/* Cache controls, from the table in controls.def. */
#ifndef SL_TUNE_CONTROLS_H
#define SL_TUNE_CONTROLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sluice/error.h"
#include "sluice/trace.h"

/* A mode: the control of a node. The first four are masks of the levels that a load bypasses: with two levels the first
 * is L1 and the last is L2; with three (RDNA) L0 and L1 together are the first, and L2 is the last. */
typedef enum sl_bypass {
#define SL_CONTROL(mode, ...) SL_BYPASS_##mode,
#include "tune/controls.def"
#undef SL_CONTROL
    SL_BYPASS_MODES
} sl_bypass;
enum { SL_BYPASS_BY_LEVEL = 4 };                                             /* modes that are masks of levels */
_Static_assert(SL_BYPASS_MODES <= 32, "sets of modes are masks of 32 bits"); /* bit m: mode m */

/* What takes modes. */
typedef enum sl_node { SL_NODE_LOAD, SL_NODE_STORE, SL_NODE_KERNEL, SL_NODE_ANY } sl_node;

/* Settings of a kernel, as nodes: what stands for their instruction. SL_SETTING_WINDOW + p: of parameter p. */
enum {
#define SL_SETTING(setting, ...) SL_SETTING_INDEX_##setting,
#include "tune/controls.def"
#undef SL_SETTING
};
enum {
    SL_SETTINGS = 0x80000000, /* instructions have lower numbers */
#define SL_SETTING(setting, ...) SL_SETTING_##setting = SL_SETTINGS + SL_SETTING_INDEX_##setting,
#include "tune/controls.def"
#undef SL_SETTING
};

/* Prerequisites of controls. */
typedef enum sl_need {
#define SL_NEED(need, ...) SL_NEEDS_##need,
#include "tune/controls.def"
#undef SL_NEED
} sl_need;

/* Marks of LLVM IR for AMD GPUs. */
enum { SL_AMDGCN_VOLATILE = 1, SL_AMDGCN_NONTEMPORAL = 2 };

/* Levels of any machine: the first; all before the one that the whole GPU shares; that one, or else the last. */
enum { SL_LEVEL_FIRST = 1, SL_LEVELS_PRIVATE = 2, SL_LEVEL_SHARED = 4 };

/* What the simulator does with an access. The fields are those of sl_sim_hint, in levels of any machine. */
typedef struct sl_control_effect {
    uint8_t bypass, first, last;
    bool half;
} sl_control_effect;

typedef struct sl_control {
    const char *name;
    sl_node node;
    const char *summary;
    sl_need needs;
    uint8_t neutral; /* The mode with the same change of the code and no effect on caches, which separates gains by
                        caches from those by other code; its own, where it is such a mode. SL_BYPASS_NONE: the control
                        changes no more than bits of an instruction, or a launch. */

    /* loads and stores in PTX, and as inline assembly in LLVM IR for NVIDIA GPUs */
    uint32_t ptx, sm;       /* needed: the version of PTX times ten, the target */
    const char *operators;  /* modifiers before the prefetch size, the vector and the type; NULL: none */
    const char *policy;     /* the last operand; NULL: none */
    uint32_t prefetch_size; /* prefetch size of the operators; 0: none */
    sl_cache_op op;         /* the operator that traces of the rewritten code have; 0: as before */
    bool prefetch;          /* a prefetch in front of the load ... */
    int prefetch_distance;  /* ... of what it reads so many iterations later */
    uint8_t amdgcn;         /* SL_AMDGCN_*: marks in LLVM IR for AMD GPUs; 0: none */

    /* kernels */
    uint32_t setting;          /* SL_SETTING_*: what it sets */
    uint8_t shared_percent;    /* preferred carve-out */
    uint8_t log2_fewer_blocks; /* resident blocks are divided by 2 to the power of this */
    const char *host_call;     /* what the host does, with the kernel and the parameter as %s and %u */

    /* the simulator */
    sl_control_effect effect;
    const char *simulated;     /* what it does in the simulator; NULL: the simulator does not offer it, because ... */
    const char *not_simulated; /* ... of this */
} sl_control;

extern const sl_control sl_controls[SL_BYPASS_MODES];

/* The name of a mode, as plans and options write it. */
const char *sl_bypass_name(unsigned mode);
/* The mode of a name; SL_NOT_FOUND with the nearest name. */
sl_status sl_bypass_parse(const char *name, unsigned *mode, sl_error *error);
/* The modes of a list of names, separated by commas; "all": every one. */
sl_status sl_bypass_parse_list(const char *list, uint32_t *modes, sl_error *error);
/* Sets of modes: of a kind of node, of a setting (or a window), with a prerequisite, and neutral ones. */
uint32_t sl_bypass_modes_of(sl_node node);
uint32_t sl_bypass_modes_of_setting(uint32_t setting);
uint32_t sl_bypass_modes_needing(sl_need need);
uint32_t sl_bypass_neutrals(void);
/* Why a node without the prerequisite of a mode cannot take it; NULL: others say why. */
const char *sl_bypass_why_not(unsigned mode);

/* The name of a setting: "carve-out", "blocks", "window 3" (over the array that parameter 3 points to). */
char *sl_setting_text(uint32_t setting, char *buffer, size_t size);
bool sl_setting_parse(const char *text, uint32_t *setting);
const char *sl_setting_description(uint32_t setting);

#endif
