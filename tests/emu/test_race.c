/* SPDX-License-Identifier: MIT */
/* Races between the warps of a block, and that they do not decide results where a GPU would get away with them. */
#include "harness.h"

/* Each thread stores its number in shared memory, and reads that of the thread `n` further on. */
#define EXCHANGE(before, between)                                                                                      \
    PTX(".shared .align 4 .b8 s[1024];\n"                                                                              \
        "mov.u32 %r10, s;\n"                                                                                           \
        "mad.lo.u32 %r11, %r0, 4, %r10;\n"                                                                             \
        "add.u32 %r12, %r0, %r2;\n"                                                                                    \
        "rem.u32 %r12, %r12, %r5;\n"                                                                                   \
        "mad.lo.u32 %r12, %r12, 4, %r10;\n" before "add.u32 %r14, %r0, 7;\n"                                           \
        "st.shared.u32 [%r11], %r14; // @write\n" between "ld.shared.u32 %r13, [%r12];\n"                              \
        "st.global.u32 [%d2], %r13;\n"                                                                                 \
        "ret;\n")

static rig *open_checked(const rig *like)
{
    return rig_open(&(rig_config){
        .lanes = like->config.lanes, .isa = like->config.isa, .threads = like->config.threads, .check_race = true});
}

static void expect_race(const rig *like, const char *ptx, uint32_t threads, uint32_t n, const char *text)
{
    rig *r = open_checked(like);
    rig_load(r, ptx);
    uint32_t *out = rig_buffer(r, 1024 * 4), *in = rig_buffer(r, 1024 * 4);
    sl_status status = TRY(r, 1, threads, P(out), P(in), n);
    if (text) {
        assert_int_equal(status, SL_FAULT);
        rig_expect_fault(r, SL_FAULT_RACE, text);
    } else if (status) {
        fail_msg("%s", r->message);
    }
    rig_close(r);
}

BEHAVIOUR(a_missing_barrier_is_a_race_with_both_locations)
{
    expect_race(
        r, EXCHANGE("", ""), 256, 128,
        "race on shared memory at 0x200: a write after a read by thread (0,0,0) in ld.shared.u32 (line 30), with "
        "no barrier in between, in st.shared.u32; kernel k, block (0,0,0), thread (128,0,0)");
}

BEHAVIOUR(a_barrier_in_between_is_none)
{
    expect_race(r, EXCHANGE("", "bar.sync 0;\n"), 256, 128, NULL);
    expect_race(r, EXCHANGE("", ""), 256, 0, NULL); /* everybody reads what it wrote */
    expect_race(r, EXCHANGE("", ""), 32, 5, NULL);  /* one warp */
}

BEHAVIOUR(what_is_read_before_the_barrier_must_not_be_written_before_it)
{
    expect_race(r, EXCHANGE("ld.shared.u32 %r13, [%r12];\n", "bar.sync 0;\n"), 256, 128,
                "a read after a write by thread (0,0,0) in st.shared.u32");
    expect_race(r, EXCHANGE("ld.shared.u32 %r13, [%r12];\nbar.sync 0;\n", "bar.sync 0;\n"), 256, 128, NULL);
}

BEHAVIOUR(barriers_of_some_warps_order_those)
{
    /* the first 128 threads exchange behind a barrier of their own */
    expect_race(r,
                PTX(".shared .align 4 .b8 s[1024];\n"
                    "setp.ge.u32 %p1, %r0, 128;\n@%p1 bra END;\n"
                    "mov.u32 %r10, s;\nmad.lo.u32 %r11, %r0, 4, %r10;\nxor.b32 %r12, %r0, 64;\n"
                    "mad.lo.u32 %r12, %r12, 4, %r10;\nst.shared.u32 [%r11], %r0;\nbar.sync 1, 128;\n"
                    "ld.shared.u32 %r13, [%r12];\nEND:\nret;\n"),
                256, 0, NULL);
}

BEHAVIOUR(races_on_global_memory_are_found_within_a_block)
{
#define GLOBAL(between)                                                                                                \
    PTX("add.u32 %r14, %r0, 7;\nst.global.u32 [%d2], %r14;\n" between                                                  \
        "xor.b32 %r10, %r0, 64;\nmul.wide.u32 %d3, %r10, 4;\nadd.s64 %d3, %d0, %d3;\nld.global.u32 %r11, "             \
        "[%d3];\nret;\n")
    expect_race(r, GLOBAL(""), 128, 0, "race on global memory at 0x");
    expect_race(r, GLOBAL("bar.sync 0;\n"), 128, 0, NULL);
}

BEHAVIOUR(flags_that_all_set_and_counters_are_no_races)
{
    expect_race(r, PTX("mov.u32 %r10, 1;\nst.global.u32 [%d0], %r10;\nret;\n"), 256, 0, NULL);
    expect_race(r, PTX("st.global.u32 [%d0], %r0;\nret;\n"), 256, 0, "race on global memory at");
    expect_race(r, PTX("atom.global.add.u32 %r10, [%d0], 1;\nred.global.add.u32 [%d0], 1;\nret;\n"), 256, 0, NULL);
}

BEHAVIOUR(a_lock_orders_what_it_protects)
{
    expect_race(r,
                PTX("setp.ne.u32 %p2, %r3, 0;\n@%p2 bra END;\n"
                    "LOCK:\natom.global.cas.b32 %r10, [%d0], 0, 1;\nsetp.ne.u32 %p1, %r10, 0;\n@%p1 bra LOCK;\n"
                    "membar.gl;\nld.global.u32 %r11, [%d0+8];\nadd.u32 %r11, %r11, 1;\nst.global.u32 [%d0+8], %r11;\n"
                    "membar.gl;\natom.global.exch.b32 %r12, [%d0], 0;\nEND:\nret;\n"),
                256, 0, NULL);
}

BEHAVIOUR(lanes_that_store_different_values_to_one_address_race)
{
#define ONE_ADDRESS(value)                                                                                             \
    PTX(".shared .align 4 .b8 s[64];\nand.b32 %r10, %r0, 15;\nshl.b32 %r11, %r10, 2;\nmov.u32 %r12, s;\n"              \
        "add.u32 %r12, %r12, %r11;\nst.shared.u32 [%r12], " value ";\nret;\n")
    expect_race(r, ONE_ADDRESS("%r0"), 32, 0,
                "race on shared memory at 0x0: lanes 0 and 16 store different values in one instruction");
    expect_race(r, ONE_ADDRESS("%r10"), 32, 0, NULL);
    expect_race(r, ONE_ADDRESS("%r0"), 16, 0, NULL);
}

/* Every thread copies a word, and reads that of the thread n further on. */
#define COPY(between)                                                                                                  \
    PTX(".shared .align 4 .b8 s[1024];\nmov.u32 %r10, s;\nmad.lo.u32 %r11, %r0, 4, %r10;\n"                            \
        "add.u32 %r12, %r0, %r2;\nrem.u32 %r12, %r12, %r5;\nmad.lo.u32 %r12, %r12, 4, %r10;\n"                         \
        "mul.wide.u32 %d3, %r0, 4;\nadd.u64 %d3, %d1, %d3;\n"                                                          \
        "cp.async.ca.shared.global [%r11], [%d3], 4;\ncp.async.commit_group;\n" between                                \
        "ld.shared.u32 %r13, [%r12];\nst.global.u32 [%d2], %r13;\nret;\n")

BEHAVIOUR(a_copy_is_there_only_when_it_was_waited_for)
{
    expect_race(
        r, COPY(""), 128, 0,
        "a read after a copy by thread (0,0,0) in cp.async.ca.shared.global (line 30), which was not waited for");
    expect_race(r, COPY("bar.sync 0;\n"), 128, 64, "which was not waited for");
    expect_race(r, COPY("cp.async.wait_group 1;\nbar.sync 0;\n"), 128, 64, "which was not waited for");
    expect_race(r, COPY("cp.async.wait_group 0;\n"), 128, 0, NULL); /* its own */
    expect_race(r, COPY("cp.async.wait_group 0;\nbar.sync 0;\n"), 128, 64, NULL);
    expect_race(r, COPY("cp.async.wait_all;\nbar.sync 0;\n"), 128, 64, NULL);
    /* The barrier must come after the wait. */
    expect_race(r, COPY("bar.sync 0;\ncp.async.wait_all;\n"), 128, 64, "a read after a copy by thread (");
    expect_race(r,
                COPY("bar.sync 0;\ncp.async.wait_all;\nmov.u32 %r20, 0;\nWORK:\nadd.u32 %r20, %r20, 1;\n"
                     "setp.lt.u32 %p1, %r20, 400;\n@%p1 bra WORK;\n"),
                128, 64, "in cp.async.ca.shared.global (line 30), with no barrier in between, in ld.shared.u32");
}

BEHAVIOUR(barriers_in_shared_memory_order)
{
    expect_race(r,
                EXCHANGE(".shared .align 8 .u64 bar;\nsetp.eq.u32 %p1, %r0, 0;\n@%p1 mbarrier.init.shared.b64 [bar], "
                         "256;\nbar.sync 0;\n",
                         "mbarrier.arrive.shared.b64 _, [bar];\nWAIT:\nmbarrier.try_wait.parity.shared.b64 %p2, [bar], "
                         "0;\n@!%p2 bra WAIT;\n"),
                256, 128, NULL);
}

/* Each of two blocks writes a word, and reads that of the other. */
#define ACROSS_BLOCKS(between)                                                                                         \
    PTX(".shared .align 4 .u32 s;\nmov.u32 %r10, %cluster_ctarank;\nst.shared.u32 [s], %r10;\n" between                \
        "xor.b32 %r11, %r10, 1;\nmov.u32 %r12, s;\nmapa.shared::cluster.u32 %r12, %r12, %r11;\n"                       \
        "ld.shared::cluster.u32 %r13, [%r12];\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\nret;\n")

static void expect_cluster_race(const rig *like, const char *ptx, const char *text)
{
    rig *r = open_checked(like);
    rig_load(r, ptx);
    rig_shape shape = {.grid = {4, 1, 1}, .block = {1, 1, 1}, .cluster = {2, 1, 1}};
    sl_status status = rig_try(r, "k", shape, RIG_ARGS(0, 0, 0));
    if (text)
        rig_expect_fault(r, SL_FAULT_RACE, text);
    else if (status)
        fail_msg("%s", r->message);
    rig_close(r);
}

BEHAVIOUR(blocks_of_a_cluster_race_in_shared_memory)
{
    expect_cluster_race(
        r, ACROSS_BLOCKS(""),
        "race on shared memory at 0x1000000: a write after a read by thread (0,0,0) of block (0,0,0) in "
        "ld.shared::cluster.u32");
    expect_cluster_race(r, ACROSS_BLOCKS("bar.sync 0;\n"), "race on shared memory");
    expect_cluster_race(r, ACROSS_BLOCKS("barrier.cluster.arrive;\nbarrier.cluster.wait;\n"), NULL);
}

BEHAVIOUR(a_shuffle_from_a_lane_that_does_not_take_part_is_reported)
{
#define SHUFFLE(members)                                                                                               \
    PTX("setp.ge.u32 %p1, %r3, 16;\n@%p1 bra END;\n"                                                                   \
        "shfl.sync.down.b32 %r10, %r0, " members "\nst.global.u32 [%d2], %r10;\nEND:\nret;\n")
    expect_race(r, SHUFFLE("8, 31, 0xffff;"), 32, 0, "a shuffle reads lane ");
    expect_race(r, SHUFFLE("8, 0x100f, 0xffff;"), 32, 0, NULL); /* the bound ends with the lanes that take part */
}

/* One barrier per turn where two are needed: a warp may write its sum of the next turn before the others have read that
 * of this one. The warps of a GPU keep step, and get away with it. */
BEHAVIOUR(warps_keep_step_behind_a_barrier)
{
    enum { THREADS = 256, TURNS = 6 };
    rig_load(r, PTX(".shared .align 4 .b8 s[128];\n"
                    "mov.u32 %r10, s;\n"
                    "shr.u32 %r11, %r0, 5;\n"
                    "mad.lo.u32 %r11, %r11, 4, %r10;\n"
                    "mad.lo.u32 %r12, %r3, 4, %r10;\n"
                    "mov.u32 %r20, 0;\n"
                    "mov.u32 %r21, 0;\n"
                    "TURN:\n"
                    "add.u32 %r13, %r20, %r0;\n"
                    "redux.sync.add.u32 %r13, %r13, -1;\n"
                    "st.shared.u32 [%r11], %r13;\n"
                    "bar.sync 0;\n"
                    "ld.shared.u32 %r14, [%r12];\n"
                    "mov.u32 %r15, 0;\n"
                    "WORK:\n"
                    "add.u32 %r15, %r15, 1;\n"
                    "setp.lt.u32 %p1, %r15, 10;\n"
                    "@%p1 bra WORK;\n"
                    "redux.sync.add.u32 %r14, %r14, -1;\n"
                    "mad.lo.u32 %r21, %r21, 31, %r14;\n"
                    "add.u32 %r20, %r20, 1;\n"
                    "setp.lt.u32 %p2, %r20, 6;\n"
                    "@%p2 bra TURN;\n"
                    "st.global.u32 [%d2], %r21;\n"
                    "ret;\n"));
    uint32_t *out = rig_buffer(r, THREADS * 4), expected = 0;
    RUN(r, 1, THREADS, P(out), 0, 0);
    for (uint32_t turn = 0; turn < TURNS; turn++)
        expected = expected * 31 + turn * THREADS + THREADS * (THREADS - 1) / 2;
    for (uint32_t i = 0; i < THREADS; i++)
        assert_int_equal(out[i], expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IT(a_missing_barrier_is_a_race_with_both_locations),
        IT(a_barrier_in_between_is_none),
        IT(what_is_read_before_the_barrier_must_not_be_written_before_it),
        IT(barriers_of_some_warps_order_those),
        IT(races_on_global_memory_are_found_within_a_block),
        IT(flags_that_all_set_and_counters_are_no_races),
        IT(a_lock_orders_what_it_protects),
        IT(lanes_that_store_different_values_to_one_address_race),
        IT(a_copy_is_there_only_when_it_was_waited_for),
        IT(barriers_in_shared_memory_order),
        IT(blocks_of_a_cluster_race_in_shared_memory),
        IT(a_shuffle_from_a_lane_that_does_not_take_part_is_reported),
        IT(warps_keep_step_behind_a_barrier),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
