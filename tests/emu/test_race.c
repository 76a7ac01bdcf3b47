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
    expect_race(r, PTX(".local .align 4 .b8 l[64];\nst.local.u32 [l], %r0;\nret;\n"), 32, 0, NULL);
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

/* Thread 0 copies 512 bytes to `s`, and signals `bar`. %r11: the thread's word of s. */
#define BULK_HEAD                                                                                                      \
    ".shared .align 1024 .b8 s[4096];\n.shared .align 8 .b8 bar[8];\nmov.u32 %r10, s;\nmov.u32 %r13, bar;\n"           \
    "mad.lo.u32 %r11, %r0, 4, %r10;\nsetp.eq.u32 %p1, %r0, 0;\nsetp.lt.u32 %p4, %r0, 32;\n"                            \
    "@%p1 mbarrier.init.shared.b64 [%r13], 1;\nbar.sync 0;\n"
#define BULK_LOAD                                                                                                      \
    "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r13], 512;\n"                                                      \
    "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r10], [%d1], 512, [%r13];\n"
#define BULK_WAIT(label, parity)                                                                                       \
    label ":\nmbarrier.try_wait.parity.shared.b64 %p2, [%r13], " parity ";\n@!%p2 bra " label ";\n"
#define BULK_READ        "ld.shared.u32 %r14, [%r11];\nst.global.u32 [%d2], %r14;\n"
#define NOT_WAITED(what) "a " what " by thread (0,0,0) in cp.async.bulk.shared::cluster.global"

BEHAVIOUR(a_bulk_copy_is_there_for_those_who_waited_for_its_barrier)
{
    expect_race(r, PTX(BULK_HEAD BULK_LOAD BULK_READ "ret;\n"), 32, 0, "which was not waited for, in ld.shared.u32");
    expect_race(r, PTX(BULK_HEAD BULK_LOAD "bar.sync 0;\n" BULK_READ "ret;\n"), 128, 0,
                NOT_WAITED("read after a copy"));
    expect_race(r, PTX(BULK_HEAD BULK_LOAD BULK_WAIT("W", "0") BULK_READ "ret;\n"), 128, 0, NULL);
    /* for the phase before */
    expect_race(r, PTX(BULK_HEAD BULK_WAIT("W", "1") BULK_LOAD BULK_READ "ret;\n"), 32, 0, "which was not waited for");
    /* the first warp alone: the others must meet it afterwards */
    expect_race(
        r, PTX(BULK_HEAD BULK_LOAD "bar.sync 0;\n@!%p4 bra READ;\n" BULK_WAIT("W", "0") "READ:\n" BULK_READ "ret;\n"),
        128, 0, "a read after a copy by thread (0,0,0)");
    expect_race(
        r, PTX(BULK_HEAD BULK_LOAD "@!%p4 bra READ;\n" BULK_WAIT("W", "0") "READ:\nbar.sync 0;\n" BULK_READ "ret;\n"),
        128, 0, NULL);
    /* matrix loads are reads, too */
    expect_race(r,
                PTX(BULK_HEAD BULK_LOAD "bar.sync 0;\nshl.b32 %r15, %r3, 4;\nadd.u32 %r15, %r15, %r10;\n"
                                        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r16, %r17, %r18, %r19}, [%r15];\n"
                                        "ret;\n"),
                128, 0, "which was not waited for, in ldmatrix");
}

BEHAVIOUR(a_bulk_copy_overwrites_only_what_all_have_read)
{
#define TWICE(between)                                                                                                 \
    PTX(BULK_HEAD BULK_LOAD BULK_WAIT("W", "0") BULK_READ between BULK_LOAD BULK_WAIT("V", "1") "ret;\n")
    expect_race(r, TWICE("bar.sync 0;\n"), 128, 0, NULL);
    expect_race(r,
                PTX(BULK_HEAD BULK_LOAD BULK_WAIT("W", "0") "bar.sync 0;\n" BULK_READ "@!%p1 bra END;\n" BULK_LOAD
                                                            "END:\nret;\n"),
                128, 0, "race on shared memory at 0x");
    expect_race(r, PTX(BULK_HEAD BULK_LOAD BULK_LOAD "ret;\n"), 128, 0, NOT_WAITED("write after a copy"));
}

/* Every thread writes a word, and thread 0 copies all of them to global memory. */
#define BULK_STORE(fence, wait, after)                                                                                 \
    PTX(BULK_HEAD                                                                                                      \
        "st.shared.u32 [%r11], %r0;\n" fence "bar.sync 0;\n@!%p1 bra WAITED;\n"                                        \
        "cp.async.bulk.global.shared::cta.bulk_group [%d0], [%r10], 512;\ncp.async.bulk.commit_group;\n" wait          \
        "WAITED:\nbar.sync 0;\n" after "ret;\n")
#define FENCE "fence.proxy.async.shared::cta;\n"
#define AGAIN "add.u32 %r15, %r0, 1;\nst.shared.u32 [%r11], %r15;\n"

BEHAVIOUR(what_a_bulk_copy_reads_is_fenced_before_and_kept_until_it_was_waited_for)
{
    expect_race(r, BULK_STORE(FENCE, "cp.async.bulk.wait_group.read 0;\n", AGAIN), 128, 0, NULL);
    expect_race(r, BULK_STORE("", "cp.async.bulk.wait_group.read 0;\n", AGAIN), 128, 0,
                "a read after a write by thread (0,0,0) in st.shared.u32 (line 31), with no fence.proxy.async in "
                "between, in cp.async.bulk.global");
    expect_race(r, BULK_STORE(FENCE, "", AGAIN), 128, 0,
                "a write after a read by thread (0,0,0) in cp.async.bulk.global.shared::cta");
    expect_race(r, BULK_STORE(FENCE, "", AGAIN), 128, 0, "which was not waited for");
    expect_race(r, BULK_STORE(FENCE, "cp.async.bulk.wait_group.read 0;\n", "ld.global.u32 %r15, [%d2];\n"), 128, 0,
                "race on global memory");
    expect_race(r, BULK_STORE(FENCE, "cp.async.bulk.wait_group 0;\n", "ld.global.u32 %r15, [%d2];\n"), 128, 0, NULL);
}

/* A product of a warp group with both factors in the first 1024 bytes of s. */
#define PRODUCT                                                                                                        \
    "mov.u64 %d10, 0x0000001000080000;\nshr.u32 %r20, %r10, 4;\ncvt.u64.u32 %d11, %r20;\nor.b64 %d10, %d10, %d11;\n"   \
    "wgmma.fence.sync.aligned;\nsetp.eq.u32 %p3, 0, 1;\n"                                                              \
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d10, %d10, %p3, 1, 1, 0, 0;\n"           \
    "wgmma.commit_group.sync.aligned;\n"

BEHAVIOUR(products_of_a_warp_group_read_until_they_were_waited_for)
{
    const char *waited = PTX(BULK_HEAD BULK_LOAD BULK_WAIT("W", "0") PRODUCT
                             "wgmma.wait_group.sync.aligned 0;\nbar.sync 0;\n" BULK_LOAD BULK_WAIT("V", "1") "ret;\n");
    const char *early = PTX(BULK_HEAD BULK_LOAD BULK_WAIT("W", "0") PRODUCT
                            "bar.sync 0;\n" BULK_LOAD BULK_WAIT("V", "1") "wgmma.wait_group.sync.aligned 0;\nret;\n");
    expect_race(r, waited, 128, 0, NULL);
    expect_race(r, early, 128, 0, "a write after a read by thread (");
    expect_race(r, early, 128, 0, "in wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 (line 4");
    expect_race(r, PTX(BULK_HEAD BULK_LOAD "bar.sync 0;\n" PRODUCT "wgmma.wait_group.sync.aligned 0;\nret;\n"), 128, 0,
                "which was not waited for, in wgmma.mma_async");
    expect_race(
        r,
        PTX(BULK_HEAD "st.shared.u32 [%r11], %r0;\nbar.sync 0;\n" PRODUCT "wgmma.wait_group.sync.aligned 0;\nret;\n"),
        128, 0, "with no fence.proxy.async in between, in wgmma.mma_async");
    expect_race(r,
                PTX(BULK_HEAD "st.shared.u32 [%r11], %r0;\nbar.sync 0;\n" FENCE PRODUCT
                              "wgmma.wait_group.sync.aligned 0;\nbar.sync 0;\n" AGAIN "ret;\n"),
                128, 0, NULL);
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
        IT(a_bulk_copy_is_there_for_those_who_waited_for_its_barrier),
        IT(a_bulk_copy_overwrites_only_what_all_have_read),
        IT(what_a_bulk_copy_reads_is_fenced_before_and_kept_until_it_was_waited_for),
        IT(products_of_a_warp_group_read_until_they_were_waited_for),
        IT(blocks_of_a_cluster_race_in_shared_memory),
        IT(a_shuffle_from_a_lane_that_does_not_take_part_is_reported),
        IT(warps_keep_step_behind_a_barrier),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
