/* SPDX-License-Identifier: MIT */
/* Inside the decoder: PTX instructions to ops. decode.c walks functions and blocks, decode_control.c knows how
 * blocks end, decode_alu.c and decode_memory.c the instructions, decode_half.c those on half precision, matrices and
 * textures. Errors end in a longjmp. */
#ifndef SL_EMU_DECODE_H
#define SL_EMU_DECODE_H

#include <setjmp.h>

#include "base/array.h"
#include "base/map.h"
#include "base/multimap.h"
#include "emu/code.h"
#include "ptx/cfg.h"

/* Which registers hold values that are still needed: to zero those that may be read before they are written, and to
 * estimate how many physical registers a kernel needs. */

typedef struct sl_liveness {
    uint32_t at_entry;  /* registers live where the function starts */
    uint32_t *entry;    /* their indices, ascending */
    uint32_t max_words; /* maximum of 32-bit registers live at any instruction; predicates are free */
    uint64_t *in;       /* per block `set_words` words: a bit per register that is live where it starts */
    uint32_t set_words;
} sl_liveness;

static inline bool sl_live_at(const sl_liveness *live, uint32_t block, uint32_t reg)
{
    return live->in[(size_t)block * live->set_words + reg / 64] >> reg % 64 & 1;
}

sl_status sl_liveness_find(const sl_ptx_func *func, const sl_cfg *cfg, sl_arena *arena, sl_liveness *result,
                           sl_error *error);

/* Products and sums that become one fma, as ptxas makes them, or one mad. */

typedef struct sl_contraction {
    const sl_ptx_inst **as; /* per instruction of the function: what it is executed as; NULL: as it is written */
    bool *dropped;          /* nobody needs the product any more */
} sl_contraction;

/* Allocates in `arena`. `off`: finds no fma. */
sl_status sl_contract_find(const sl_ptx_func *func, const sl_cfg *cfg, const sl_liveness *live, bool off,
                           sl_arena *arena, sl_contraction *result, sl_error *error);

typedef struct sl_decoder {
    sl_emu_kernel *kernel;
    const sl_emu_program *program;
    const sl_handler_set *handlers;
    sl_map handler; /* name -> sl_named_handler */
    sl_arena *arena;
    sl_error *error;
    jmp_buf fail;
    uint32_t lanes;
    bool check_uninit, check_race;
    bool unguarded;          /* emitted ops ignore the instruction's guard */
    uint32_t max_live_words; /* 32-bit registers live at once, over all functions */

    SL_ARRAY(sl_op) ops;
    SL_ARRAY(uint16_t) handler_of; /* of each op: index into handlers->handler */
    SL_ARRAY(sl_code_bb) bbs;
    SL_ARRAY(uint32_t) lists;
    SL_ARRAY(sl_code_function) functions;
    SL_ARRAY(const sl_ptx_inst *) insts;
    SL_ARRAY(uint32_t) inst_function;
    SL_ARRAY(uint8_t) consts;
    SL_ARRAY(uint32_t) const_starts; /* ascending */
    struct {
        struct sl_frame_layout {
            const uint32_t *reg_ref;     /* [regs], ascending */
            uint32_t regs, carry, temps; /* behind the registers: the carry flag, then temporaries */
        } * items;
        size_t count, capacity;
    } frames;          /* of each function */
    sl_map const_refs; /* value and size -> reference + 1 */
    SL_ARRAY(struct sl_shared_var {
        const sl_ptx_var *var;
        uint32_t offset;
    })
    shared;
    sl_multimap shared_names;
    sl_index function_index;   /* of `functions`, by address */
    SL_ARRAY(uint32_t) scoped; /* see find_scoped in decode_variables.c */

    /* The function being decoded. */
    uint32_t function;
    const sl_ptx_module *module;
    const sl_ptx_func *func;
    uint32_t *reg_ref;
    uint32_t frame, temp, temp_top; /* bytes: registers; next temporary; their highest end so far */
    uint32_t carry;                 /* reference of the carry flag */
    struct sl_local_var {
        const sl_ptx_var *var;
        uint32_t offset;
    } * local;
    uint32_t local_vars, local_bytes;
    uint32_t *module_local_plus; /* of the program's scoped variables: 1 + the place of a module's local variable; 0 */
    uint32_t module_local_bytes;
    sl_index local_index; /* of `local`, by address of the variable */
    sl_contraction contraction;

    /* The instruction being decoded. */
    const sl_ptx_inst *inst;
    uint32_t index; /* kernel-wide */
    uint32_t slots; /* memory slots given out */
    uint32_t slot;  /* of this instruction; UINT32_MAX: none */
} sl_decoder;

/* "file:line:column: the emulator does not execute TEXT: reason". */
_Noreturn void sl_decode_refuse(sl_decoder *d, const char *format, ...) SL_PRINTF(2, 3);
_Noreturn void sl_decode_memory_out(sl_decoder *d);

uint32_t sl_type_bits(sl_ptx_type type);  /* 8, 16, 32, 64; PRED: 1 */
uint32_t sl_lane_bytes(sl_ptx_type type); /* what a register of this type takes per lane: 2, 4 or 8 */
bool sl_type_is_float(sl_ptx_type type);  /* f32, f64 */
bool sl_type_is_half(sl_ptx_type type);   /* f16, bf16 and their pairs */
bool sl_type_is_signed(sl_ptx_type type);

/* References. `bytes` is the lane size wanted: 2, 4 or 8. */
uint32_t sl_decode_temp(sl_decoder *d, uint32_t bytes);
uint32_t sl_decode_const(sl_decoder *d, uint64_t bits, uint32_t bytes);
uint32_t sl_decode_src(sl_decoder *d, const sl_ptx_operand *operand, sl_ptx_type type);
uint32_t sl_decode_pred(sl_decoder *d, const sl_ptx_operand *operand); /* negation applied */
uint32_t sl_decode_dst(sl_decoder *d, const sl_ptx_operand *operand, uint32_t bytes);
/* Lane size of the register an operand names; `otherwise` for anything else. */
uint32_t sl_decode_operand_bytes(const sl_decoder *d, const sl_ptx_operand *operand, uint32_t otherwise);
uint32_t sl_decode_list(sl_decoder *d, const uint32_t *refs, uint32_t count);
const sl_ptx_operand *sl_decode_operand(sl_decoder *d, uint32_t index); /* refuses when there are too few */

/* Appends an op for the handler of that name. The pointer is valid until the next one. */
sl_op *sl_emit(sl_decoder *d, uint32_t dst, uint32_t a, uint32_t b, uint32_t c, const char *format, ...)
    SL_PRINTF(6, 7);

void *sl_decode_need(sl_decoder *d, void *memory);                    /* out of memory when NULL */
uint32_t sl_decode_reg(sl_decoder *d, const sl_ptx_operand *operand); /* a register as it is */
/* A 128-bit register: its lower halves, and in *high the upper ones. */
uint32_t sl_decode_wide(sl_decoder *d, const sl_ptx_operand *operand, uint32_t *high);

/* decode_control.c */
uint32_t sl_decode_function_index(sl_decoder *d, const sl_ptx_func *func, const sl_ptx_module *module);
/* Adds the functions that `func` may call, so that all are known before shared variables are placed. */
void sl_decode_reach(sl_decoder *d, const sl_ptx_func *func, const sl_ptx_module *module);
/* The last instruction of a block; `base` is the kernel-wide number of the function's first block. */
void sl_decode_terminator(sl_decoder *d, sl_code_bb *bb, const sl_bb *from, int32_t base);
/* Where the lanes that part there meet again. */
void sl_decode_joins(sl_decoder *d, sl_code_bb *bb, const sl_bb *from, int32_t base);

bool sl_is_clock(uint16_t special);
bool sl_reads_clock(const sl_ptx_inst *inst);
/* decode_spins.c: marks the back edges of loops whose exit depends on memory that other threads write. */
void sl_decode_spins(sl_decoder *d, const sl_cfg *cfg, int32_t base);

/* decode_async.c: tells a barrier in shared memory that bytes have arrived, or that this thread's copies have. */
void sl_decode_complete_bytes(sl_decoder *d, const sl_ptx_operand *barrier, uint32_t bytes);
void sl_decode_copies_arrive(sl_decoder *d);

/* Numbers the shapes of loads and stores: each has its own. */
void sl_decode_shapes(sl_decoder *d);
/* verify.c: refuses code that could access anything but its operands. */
void sl_decode_verify(sl_decoder *d);
/* Finds where lanes part only to compute: sl_code_bb.meet. */
void sl_decode_arms(sl_decoder *d);

/* True when the instruction was theirs. */
bool sl_decode_alu(sl_decoder *d);
bool sl_decode_memory(sl_decoder *d);
bool sl_decode_async(sl_decoder *d);
bool sl_decode_bulk(sl_decoder *d);
bool sl_decode_tcgen05(sl_decoder *d);
bool sl_decode_half(sl_decoder *d);
bool sl_decode_video(sl_decoder *d);   /* asked by sl_decode_alu */
bool sl_decode_texture(sl_decoder *d); /* asked last, and asks those below */
bool sl_decode_matrix(sl_decoder *d);

/* Shared by decode_alu.c, decode_convert.c and decode_half.c. */
uint32_t sl_decode_float_src(sl_decoder *d, uint32_t operand, sl_ptx_type type); /* flushed where .ftz says so */
const char *sl_sized(sl_ptx_type type, bool sign_matters); /* "s32", or "b32" where the sign does not matter */
int sl_decode_rounding(const sl_decoder *d);               /* a C rounding mode */
bool sl_type_is_int(sl_ptx_type type);
bool sl_decode_cvt(sl_decoder *d);
/* Converts f32 lanes to the type and the destination that the instruction names. */
void sl_decode_cvt_f32(sl_decoder *d, sl_ptx_type to, uint32_t value);
/* The value of an integer operand of `type` (which may sit in a wider register) in a lane of `bytes`. */
uint32_t sl_decode_int_value(sl_decoder *d, const sl_ptx_operand *operand, sl_ptx_type type, uint32_t bytes);
/* 1 + n of wgmma.wait_group n. */
uint8_t sl_decode_group_wait(sl_decoder *d);
bool sl_decode_mov(sl_decoder *d, sl_ptx_type type);

/* Where an access goes: a reference with the address, an offset, and the space as the handlers see it. */
typedef struct sl_memory_operand {
    uint32_t ref;
    int64_t offset;
    uint8_t space;
    bool narrow;   /* 32-bit address lanes */
    bool is_param; /* a kernel parameter, at `offset` of it; there is no reference */
    const sl_ptx_var *param;
    bool surface;    /* only lanes where `inside` holds access it */
    uint32_t inside; /* reference of a predicate */
} sl_memory_operand;

/* decode_memory.c, for everything that takes an address. */
sl_memory_operand sl_decode_locate(sl_decoder *d, const sl_ptx_operand *operand, sl_ptx_space space);
/* decode_texture.c: the same for [surface, {coordinates}] and an access of so many bytes. */
sl_memory_operand sl_decode_surface(sl_decoder *d, const sl_ptx_operand *operand);
/* A store that converts; false: it is none. */
bool sl_decode_surface_pack(sl_decoder *d);
/* decode_memory.c: for --check=race, groups are committed or waited for (sl_race_agent, sl_race_wait). */
void sl_decode_groups(sl_decoder *d, uint32_t agent, uint32_t kind, uint64_t left);
/* decode_bulk.c: the address itself, in 64 bits. */
uint32_t sl_decode_address(sl_decoder *d, const sl_ptx_operand *operand, sl_ptx_space space);
/* Tells an op about its access; sets aux to SL_ADDRESS_32 or 0. */
void sl_decode_fill(sl_decoder *d, sl_op *op, const sl_memory_operand *at, uint32_t size, uint32_t count,
                    uint32_t list);

/* decode_variables.c: shared variables of every function that the kernel reaches; the local frame of one. */
void sl_decode_allocate_shared(sl_decoder *d);
void sl_decode_allocate_locals(sl_decoder *d, sl_code_function *function);
/* The offset of a variable in shared or local memory. */
uint32_t sl_decode_shared_offset(sl_decoder *d, const sl_ptx_var *var);
uint32_t sl_decode_local_offset(sl_decoder *d, const sl_ptx_var *var);
void sl_decode_allocate_module_locals(sl_decoder *d);
uint32_t sl_decode_module_local(sl_decoder *d, const sl_ptx_var *var);

#endif
