/* SPDX-License-Identifier: MIT */
/* Instructions against references, over many operands, on every setup at once.
 *
 * An instruction is given as PTX with places for its operands: $d the result, $a $b $c $e the sources, and @ where a
 * guard may stand: "@add.s32 $d, $a, $b;". It runs for every vector of operands three times: unguarded with full warps,
 * guarded, and in a branch that part of the lanes take; lanes that do not run it must keep their register as it was. */
#ifndef SL_TESTS_EMU_VECTORS_H
#define SL_TESTS_EMU_VECTORS_H

#include "harness.h"

/* What an operand is: decides the size of its register and which values are tried. */
typedef enum operand_kind {
    NO_OPERAND,
    INT16,
    INT32,
    INT64,
    FLOAT32,
    FLOAT64,
    SMALL, /* 32 bits: shift amounts, positions, lengths */
    PREDICATE,
} operand_kind;

enum { MAX_SOURCES = 4, VECTORS = 1536 };

/* The result as bits, from operands as bits. */
typedef uint64_t (*reference)(const uint64_t *in, const void *context);

typedef enum closeness {
    SAME_BITS,
    SAME_F32, /* or both NaN */
    SAME_F64,
} closeness;

typedef struct instruction {
    const char *ptx;
    operand_kind result, source[MAX_SOURCES];
    reference expect;
    const void *context;
    closeness compare;
    /* May be set in place of `compare`: true when `got` is good enough. */
    bool (*accept)(uint64_t got, uint64_t expected, const uint64_t *in);
} instruction;

typedef struct bench bench; /* a rig per setup, and the vectors */

bench *bench_open(void);
void bench_close(bench *b);
/* Runs one instruction on every setup. */
void bench_check(bench *b, const instruction *i);
/* Setup and teardown of a test: *state is its bench. */
int bench_before(void **state);
int bench_after(void **state);
#define ARITHMETIC(name) cmocka_unit_test_setup_teardown(name, bench_before, bench_after)

/* For floats as bits. */
float f32_of(uint64_t bits);
double f64_of(uint64_t bits);
uint64_t bits_of_f32(float value);
uint64_t bits_of_f64(double value);

#endif
