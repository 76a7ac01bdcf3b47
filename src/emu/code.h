/* SPDX-License-Identifier: MIT */
/* Decoded kernels: what the decoder makes of PTX and the interpreter runs.
 *
 * A kernel and every function it can reach become one flat list of basic blocks. Each PTX instruction becomes one or
 * a few ops; an op names a handler and the locations of its operands. Control flow is not an op: it is the block's
 * terminator, so that the straight-line part of a block runs without a test.
 *
 * Operand locations are 32-bit references into one of four areas (SL_AREA_*): two bits of area, thirty of byte offset.
 * Every value in an area is an array over the lanes of the warp: 2, 4 or 8 bytes per lane; predicates are 4-byte lanes
 * that are all zeros or all ones. */
#ifndef SL_EMU_CODE_H
#define SL_EMU_CODE_H

#include "base/array.h"
#include "base/multimap.h"
#include "emu/emu.h"
#include "ptx/cfg.h"

enum {
    SL_AREA_FRAME = 0,   /* registers of the running function */
    SL_AREA_CONST = 1,   /* immediates of the kernel, the same for every warp */
    SL_AREA_SPECIAL = 2, /* %tid and friends of the warp */
    SL_AREA_SHIFT = 30,
    SL_AREA_MASK = (1 << SL_AREA_SHIFT) - 1,
};
#define SL_REF_NONE UINT32_MAX

enum { SL_CLOCK_HIGH = 1, SL_CLOCK_NANOSECONDS = 2 }; /* sl_op.aux of clock ops */
/* sl_op.aux of memory ops: the address register has 32-bit lanes; from SL_SHAPE_SHIFT on, of loads and stores: which
 * shape is theirs. */
enum { SL_ADDRESS_32 = 1, SL_SHAPE_SHIFT = 1 };

typedef struct sl_warp sl_warp;
typedef struct sl_op sl_op;
typedef void (*sl_handler)(sl_warp *warp, const sl_op *op);

struct sl_op {
    sl_handler run; /* what the interpreter calls: `body`, or a guard around it */
    sl_handler body;
    uint32_t d, a, b, c; /* references */
    uint32_t guard;      /* predicate reference; SL_REF_NONE: always */
    bool guard_negated;
    uint8_t space; /* sl_ptx_space of a memory op */
    uint8_t size;  /* bytes of one element of a memory op */
    uint8_t count; /* elements of a memory op, items in `list` otherwise */
    uint32_t list; /* first entry in sl_code.list: further references (vector registers, mma fragments …) */
    uint32_t inst; /* kernel-wide instruction index */
    uint32_t slot; /* memory slot for the trace; UINT32_MAX: not recorded */
    uint32_t aux;  /* handler-specific small constant */
    int64_t imm;   /* handler-specific constant; address offset of a memory op */
};

typedef enum sl_term_kind {
    SL_TERM_FALL,   /* go to next */
    SL_TERM_JUMP,   /* bra without a guard: go to taken */
    SL_TERM_BRANCH, /* guarded bra: taken where the predicate holds, else next */
    SL_TERM_TABLE,  /* brx.idx: list[list + index]; `pred` is the index reference */
    SL_TERM_CALL,   /* callee in `call`; continues at next */
    SL_TERM_CALL_INDIRECT,
    SL_TERM_CALL_BUILTIN,
    SL_TERM_RETURN, /* where the guard holds (or always); others go to next */
    SL_TERM_EXIT,
    SL_TERM_BARRIER, /* bar.sync, bar.arrive, bar.red: then next */
    SL_TERM_TRAP,
} sl_term_kind;

typedef enum sl_builtin {
    SL_BUILTIN_VPRINTF,
    SL_BUILTIN_ASSERTFAIL,
    SL_BUILTIN_MALLOC,
    SL_BUILTIN_FREE,
    SL_BUILTIN_EXTERN, /* sl_emu_config.extern_call */
} sl_builtin;

/* How arguments move: caller's .param variables and the callee's formals are both ranges of local memory. */
typedef struct sl_call_arg {
    uint32_t caller_offset, callee_offset, bytes;
} sl_call_arg;

typedef struct sl_call {
    uint32_t function;   /* index into sl_code.function, direct calls */
    uint8_t builtin;     /* sl_builtin */
    uint32_t number;     /* SL_BUILTIN_EXTERN: which */
    uint32_t target;     /* reference of the 64-bit function handle, indirect calls */
    uint32_t args, rets; /* indirect calls: offsets of callee formals are taken from the callee at run time */
    sl_call_arg *arg;    /* [args] then [rets] */
} sl_call;

/* Of lanes that part only to compute (sl_code_bb.apart); each level of branches has two of them. */
enum { SL_MAX_APART = 64 };

/* Where lanes go from the end of a block on if they part only to compute: past blocks that do nothing but jump, which
 * are counted. */
typedef struct sl_arm {
    int32_t to;
    uint16_t insts, blocks;
} sl_arm;

typedef struct sl_code_bb {
    const sl_op *op;     /* [ops]: */
    uint32_t first, ops; /* ops [first, first + ops) */
    uint32_t insts;      /* PTX instructions, the terminator included */
    uint32_t first_inst; /* kernel-wide index of its first instruction */
    uint8_t term;        /* sl_term_kind */
    bool warp_sync;      /* starts with an instruction that needs all named lanes */
    uint8_t group_wait;  /* 1 + n: it starts with wgmma.wait_group n; 0: it does not */
    bool sync_uses_mask; /* …and names them in `sync_mask` */
    bool sync_guard_negated;
    uint32_t sync_guard; /* its predicate, or SL_REF_NONE: others pass */
    bool spins;          /* a back edge of a loop whose exit depends on memory that others write */
    bool times;          /* a back edge of a loop that only waits for a time to come */
    bool computes;       /* it does nothing but compute, and so do lanes that part at its end until they meet */
    bool meets;          /* lanes that parted only to compute meet here */
    bool guard_negated;
    uint8_t barrier_mode;              /* sl_barrier_mode */
    uint32_t guard;                    /* terminator's predicate, or SL_REF_NONE */
    uint32_t sync_mask;                /* reference, 32-bit lanes */
    uint32_t barrier, barrier_count;   /* references (32-bit); count SL_REF_NONE: the whole block */
    uint32_t barrier_dst, barrier_src; /* bar.red */
    bool barrier_src_negated;
    uint32_t pred;             /* table index */
    uint32_t list, list_count; /* brx targets in sl_code.list */
    int32_t taken, next;       /* kernel-wide block index; SL_BB_EXIT: return from the function */
    uint32_t joins, join;      /* where lanes that part meet again, the innermost first: list[join .. join + joins) */
    int32_t meet;              /* where lanes that part meet again if all do nothing but compute until then, or -1 */
    uint32_t apart;            /* …and the most instructions that takes all of them (sl_decode_arms) */
    sl_arm arm[2];             /* to next, and to taken */
    uint32_t leaves, leave;    /* list[leave .. leave + 2 * leaves): pairs of a target and a join that lanes which go
                                  there will not reach */
    sl_call *call;
    uint32_t function;
} sl_code_bb;

typedef enum sl_barrier_mode {
    SL_BARRIER_SYNC,
    SL_BARRIER_ARRIVE,
    SL_BARRIER_POPC,
    SL_BARRIER_AND,
    SL_BARRIER_OR,
    SL_BARRIER_CLUSTER_ARRIVE,
    SL_BARRIER_CLUSTER_WAIT,
} sl_barrier_mode;

typedef struct sl_code_function {
    const sl_ptx_func *func;
    const sl_ptx_module *module;
    uint32_t entry_bb;
    uint32_t first_inst;
    uint32_t frame_bytes; /* registers and temporaries */
    uint32_t local_bytes; /* .local variables, call parameters, formals */
    uint32_t params, rets;
    uint32_t *param_offset, *param_bytes; /* formals in the local frame; rets after params */
    uint32_t zeroed;                      /* registers that may be read before they are written */
    uint32_t *zero_ref, *zero_size;
} sl_code_function;

typedef struct sl_code {
    uint32_t lanes;
    uint32_t ops;
    sl_op *op;
    uint32_t bbs;
    sl_code_bb *bb;
    uint32_t lists;
    uint32_t *list;
    uint32_t functions;
    sl_code_function *function; /* [0] is the kernel */
    uint32_t shapes;            /* loads and stores that have one (sl_shape) */
    uint32_t insts;
    const sl_ptx_inst **inst; /* kernel-wide index -> PTX */
    const uint32_t *inst_function;
    uint8_t *consts;
    uint32_t const_bytes; /* 64-byte aligned */
    uint32_t static_shared_bytes, dynamic_shared_offset;
    uint64_t specials_used; /* bit per sl_special_slot */
    uint32_t special_bytes;
    const uint32_t *called_by_handle; /* with indirect calls: number of a function's handle -> index into `function` */
    bool has_indirect_calls, has_atomics, has_printf, has_calls, has_barriers, can_spin;
    bool sees_more;      /* than parameters and memory: clocks, textures, functions of the host, other multiprocessors'
                            memory */
    bool knows_clusters; /* it computes addresses in other blocks of its cluster, or may be given such */
} sl_code;

/* Where special registers live in the special area: slot * lanes * 8 bytes. */
typedef enum sl_special_slot {
    SL_SLOT_TID_X,
    SL_SLOT_TID_Y,
    SL_SLOT_TID_Z,
    SL_SLOT_NTID_X,
    SL_SLOT_NTID_Y,
    SL_SLOT_NTID_Z,
    SL_SLOT_CTAID_X,
    SL_SLOT_CTAID_Y,
    SL_SLOT_CTAID_Z,
    SL_SLOT_NCTAID_X,
    SL_SLOT_NCTAID_Y,
    SL_SLOT_NCTAID_Z,
    SL_SLOT_LANEID,
    SL_SLOT_WARPID,
    SL_SLOT_NWARPID,
    SL_SLOT_SMID,
    SL_SLOT_NSMID,
    SL_SLOT_GRIDID,
    SL_SLOT_LANEMASK_EQ,
    SL_SLOT_LANEMASK_LT,
    SL_SLOT_LANEMASK_LE,
    SL_SLOT_LANEMASK_GT,
    SL_SLOT_LANEMASK_GE,
    SL_SLOT_DYNAMIC_SMEM,
    SL_SLOT_TOTAL_SMEM,
    SL_SLOT_ENVREG1,
    SL_SLOT_ENVREG2,
    SL_SLOT_ZERO,
    SL_SLOT_CLUSTERID_X,
    SL_SLOT_CLUSTERID_Y,
    SL_SLOT_CLUSTERID_Z,
    SL_SLOT_NCLUSTERID_X,
    SL_SLOT_NCLUSTERID_Y,
    SL_SLOT_NCLUSTERID_Z,
    SL_SLOT_CLUSTER_CTAID_X,
    SL_SLOT_CLUSTER_CTAID_Y,
    SL_SLOT_CLUSTER_CTAID_Z,
    SL_SLOT_CLUSTER_NCTAID_X,
    SL_SLOT_CLUSTER_NCTAID_Y,
    SL_SLOT_CLUSTER_NCTAID_Z,
    SL_SLOT_CLUSTER_CTARANK,
    SL_SLOT_CLUSTER_NCTARANK,
    SL_SLOT_EXPLICIT_CLUSTER,
    SL_SLOT_SHARED_BASE, /* sl_block.shared_base */
    SL_SLOT_PARAM_BASE,  /* 64-bit: address of the kernel's parameter block */
    SL_SLOT_COUNT
} sl_special_slot;

static inline uint32_t sl_special_ref(sl_special_slot slot, uint32_t lanes)
{
    return (uint32_t)SL_AREA_SPECIAL << SL_AREA_SHIFT | (uint32_t)slot * lanes * 8;
}

struct sl_emu_kernel {
    sl_emu_program *program;
    const sl_ptx_func *func;
    sl_arena arena;
    sl_code code;
    sl_trace_kernel facts;
    const struct sl_base *bases; /* per instruction of the kernel itself: where its address comes from */
    uint32_t registers;
    bool registers_estimated;
};

/* What a handler accesses besides d (written) and a, b, c (read). */
typedef enum sl_form {
    SL_FORM_PLAIN,          /* nothing */
    SL_FORM_CARRY,          /* c is written, too */
    SL_FORM_VOTE,           /* b: the lanes that vote, or SL_REF_NONE */
    SL_FORM_READ_1,         /* list[0]: 4-byte lanes, read */
    SL_FORM_WRITE_1,        /* list[0]: a predicate, written */
    SL_FORM_WRITE_OPTIONAL, /* the same, or SL_REF_NONE */
    SL_FORM_NUMBERS_4,      /* list[0..3]: numbers */
    SL_FORM_LOAD,           /* a: the address. Writes d, or with count > 1 list[0..count) */
    SL_FORM_STORE,          /* a: the address. Reads what a load would write */
    SL_FORM_PARAM,          /* d of op->size bytes; reads that many bytes of the parameter block as `a` says, at imm */
    SL_FORM_LOCAL_ADDRESS,  /* d of op->size bytes */
    SL_FORM_ATOMIC,         /* a: the address */
    SL_FORM_ATOMIC_128,     /* the same; list: the upper halves of d, b and c */
    SL_FORM_PREFETCH,       /* a: the address */
    SL_FORM_CP_ASYNC,       /* a: the address; list[0]: 4-byte lanes or SL_REF_NONE; list[1..2]: numbers */
    SL_FORM_TEXTURE,        /* list: what sl_texture_operand says; the first SL_TEXTURE_RESULTS are written */
    SL_FORM_SURFACE,        /* list: what sl_surface_operand says; the first is written */
    SL_FORM_SURFACE_PACK,   /* the same without it, then list[0..count): values */
    SL_FORM_BULK,           /* list: references or SL_REF_NONE, see bulk.h */
    SL_FORM_MATRIX,         /* list: fragments of d (written), a, b, c, as shape and types say */
    SL_FORM_WGMMA,     /* a: a descriptor, or list: the fragment of a behind that of d, which is read and written */
    SL_FORM_WMMA_LOAD, /* a: the address; list[0..1]: numbers; list[2]: stride; list[3..]: the fragment */
    SL_FORM_WMMA_STORE,
    SL_FORM_LIST_LOAD,       /* a: the address; list[0..count) are written */
    SL_FORM_LIST_STORE,      /* the same, read */
    SL_FORM_REGISTERS_LOAD,  /* list[0..count): 4-byte lanes, written */
    SL_FORM_REGISTERS_STORE, /* the same, read */
    SL_FORM_TENSOR,          /* list: references or SL_REF_NONE, see tensor_memory.h */
} sl_form;

/* One compiled set of handlers. */
typedef struct sl_handler_set {
    const char *isa;
    uint32_t lanes;
    bool avx2;        /* they need it, and what came with it */
    sl_handler guard; /* runs op->body under op->guard */
    uint32_t count;
    const struct sl_named_handler {
        const char *name;
        sl_handler run;
        uint8_t lane_bytes[4]; /* of d, a, b, c; 0: it does not access that operand */
        uint8_t form;          /* sl_form */
        bool computes;         /* every lane by itself, from d, a, b, c alone */
    } * handler;               /* sorted by name */
} sl_handler_set;

/* NULL when this build or CPU has no such set; `isa` NULL: the best. */
const sl_handler_set *sl_handlers_choose(const char *isa, uint64_t lanes);

/* Where a function or a kernel lives: a handle is what taking its address gives. */
enum { SL_FUNCTION_HANDLE_BASE = 0x1000 };

struct sl_emu_program {
    sl_emu *emu;
    sl_arena arena;
    size_t modules;
    const sl_ptx_module *const *module;
    uint32_t variables;
    struct sl_linked_variable {
        const sl_ptx_var *var;
        const sl_ptx_module *module;
        uint64_t addr;
    } * variable;
    sl_multimap variable_names;
    SL_ARRAY(sl_emu_kernel *) kernels; /* prepared so far */
    sl_map kernel_names;               /* name -> sl_emu_kernel */
    SL_ARRAY(struct sl_linked_function {
        const sl_ptx_func *func;
        const sl_ptx_module *module;
        int64_t handle;
    })
    linked; /* every function and kernel with a body, in the order of the modules */
    sl_multimap linked_names;
    SL_ARRAY(const sl_ptx_var *) scoped; /* .shared and .local variables outside of functions, in their order */
    sl_index scoped_index;               /* by address of the variable */
    uint32_t functions;                  /* every .func with a body, for indirect calls: handle = BASE + 16 * index */
    const sl_ptx_func **function;
    const sl_ptx_module **function_module;
    uint32_t entries; /* every kernel, for launches by kernels: their handles come after those of functions */
    const sl_ptx_func **entry;
};

/* Definition of `name` visible from `module` (`var` itself, those of the module, then non-local ones elsewhere); NULL:
 * none. Those that functions declare are found as `var` alone, which may be NULL. */
const struct sl_linked_variable *sl_program_variable(const sl_emu_program *program, const sl_ptx_module *module,
                                                     const char *name, const sl_ptx_var *var);
const sl_ptx_func *sl_program_function(const sl_emu_program *program, const sl_ptx_module *module, const char *name,
                                       const sl_ptx_module **found_in);
int64_t sl_program_function_handle(const sl_emu_program *program, const sl_ptx_func *func);
/* Position in `scoped`, or UINT32_MAX. */
uint32_t sl_program_scoped(const sl_emu_program *program, const sl_ptx_var *var);
static inline uint64_t sl_address_key(const void *address)
{
    return (uint64_t)(uintptr_t)address >> 4;
}

sl_status sl_decode_kernel(sl_emu_kernel *kernel, const sl_handler_set *handlers, sl_error *error);
/* Fills kernel->facts from the decoded code (facts.c). */
sl_status sl_kernel_facts(sl_emu_kernel *kernel, sl_error *error);

#endif
