/* SPDX-License-Identifier: MIT */
/* Clusters: blocks that run together, meet at a barrier and access each other's shared memory. */
#include "harness.h"

#define CLUSTERS(blocks, threads, size)                                                                                \
    (rig_shape)                                                                                                        \
    {                                                                                                                  \
        .grid = {blocks, 1, 1}, .block = {threads, 1, 1}, .cluster = { size, 1, 1 }                                    \
    }
#define CLUSTER_SYNC "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"

BEHAVIOUR(special_registers_say_where_a_block_is_in_its_cluster)
{
    rig_load(r, PTX("mov.u32 %r10, %clusterid.x;\nmov.u32 %r11, %clusterid.y;\nmov.u32 %r12, %nclusterid.x;\n"
                    "mov.u32 %r13, %nclusterid.y;\nmov.u32 %r14, %cluster_ctaid.x;\nmov.u32 %r15, %cluster_ctaid.y;\n"
                    "mov.u32 %r16, %cluster_nctaid.x;\nmov.u32 %r17, %cluster_nctaid.y;\n"
                    "mov.u32 %r18, %cluster_ctarank;\nmov.u32 %r19, %cluster_nctarank;\n"
                    "mov.pred %p1, %is_explicit_cluster;\nselp.u32 %r20, 1, 0, %p1;\n"
                    "mov.u32 %r21, %ctaid.y;\nmov.u32 %r22, %nctaid.x;\nmad.lo.u32 %r23, %r21, %r22, %r4;\n"
                    "mul.wide.u32 %d3, %r23, 64;\nadd.u64 %d3, %d0, %d3;\n"
                    "st.global.v4.u32 [%d3], {%r10, %r11, %r12, %r13};\n"
                    "st.global.v4.u32 [%d3+16], {%r14, %r15, %r16, %r17};\n"
                    "st.global.v4.u32 [%d3+32], {%r18, %r19, %r20, %r20};\nret;\n"));
    uint32_t *out = rig_buffer(r, 24 * 64);
    rig_shape shape = {.grid = {6, 4, 1}, .block = {1, 1, 1}, .cluster = {3, 2, 1}};
    rig_run(r, "k", shape, RIG_ARGS(P(out), 0, 0));
    for (uint32_t y = 0; y < 4; y++)
        for (uint32_t x = 0; x < 6; x++) {
            const uint32_t expected[11] = {x / 3, y / 2, 2, 2, x % 3, y % 2, 3, 2, x % 3 + 3 * (y % 2), 6, 1};
            rig_expect_u32(out + 16 * (x + 6 * y), expected, 11);
        }
    shape = (rig_shape){.grid = {6, 4, 1}, .block = {1, 1, 1}};
    rig_run(r, "k", shape, RIG_ARGS(P(out), 0, 0));
    const uint32_t plain[11] = {5, 3, 6, 4, 0, 0, 1, 1, 0, 1, 0};
    rig_expect_u32(out + 16 * 23, plain, 11);
}

BEHAVIOUR(a_block_reads_what_the_next_of_its_cluster_has_written)
{
    rig_load(r, PTX(".shared .align 8 .b8 pad[64];\n.shared .align 4 .u32 s[64];\n"
                    "mov.u32 %r10, s;\nshl.b32 %r11, %r0, 2;\nadd.u32 %r12, %r10, %r11;\n"
                    "st.shared.u32 [%r12], %r1;\n" CLUSTER_SYNC "mov.u32 %r13, %cluster_ctarank;\n"
                    "mov.u32 %r14, %cluster_nctarank;\nadd.u32 %r15, %r13, 1;\nrem.u32 %r15, %r15, %r14;\n"
                    "mapa.shared::cluster.u32 %r16, %r12, %r15;\n"
                    "ld.shared::cluster.u32 %r17, [%r16];\n"
                    "cvt.u64.u32 %d6, %r12;\ncvta.shared.u64 %d6, %d6;\nmapa.u64 %d7, %d6, %r15;\n"
                    "ld.u32 %r18, [%d7];\nadd.u32 %r17, %r17, %r18;\n"
                    "getctarank.shared::cluster.u32 %r19, %r16;\ngetctarank.u64 %r20, %d7;\n"
                    "getctarank.u64 %r21, %d6;\n"
                    "sub.u32 %r19, %r19, %r15;\nsub.u32 %r20, %r20, %r15;\nsub.u32 %r21, %r21, %r13;\n"
                    "or.b32 %r19, %r19, %r20;\nor.b32 %r19, %r19, %r21;\n"
                    "isspacep.shared::cta %p1, %d7;\nisspacep.shared::cluster %p2, %d7;\nisspacep.shared %p3, %d6;\n"
                    "selp.u32 %r22, 1, 0, %p1;\nselp.u32 %r23, 0, 1, %p2;\nselp.u32 %r24, 0, 1, %p3;\n"
                    "or.b32 %r22, %r22, %r23;\nor.b32 %r22, %r22, %r24;\nor.b32 %r19, %r19, %r22;\n"
                    "mad.lo.u32 %r17, %r19, 1000000, %r17;\n"
                    "st.global.u32 [%d2], %r17;\n" CLUSTER_SYNC "ret;\n"));
    uint32_t *out = rig_buffer(r, 12 * 64 * 4);
    rig_run(r, "k", CLUSTERS(12, 64, 4), RIG_ARGS(P(out), 0, 0));
    for (uint32_t i = 0; i < 12 * 64; i++) {
        uint32_t block = i / 64, next = block / 4 * 4 + (block + 1) % 4;
        assert_int_equal(out[i], 2 * (next * 64 + i % 64));
    }
}

BEHAVIOUR(addresses_of_shared_memory_can_be_handed_to_other_blocks)
{
    /* Block 1 stores the generic address of its variable in block 0, which reads through it. */
    rig_load(r, PTX(".shared .align 8 .u64 where;\n.shared .align 4 .u32 mine;\n"
                    "mov.u32 %r10, %cluster_ctarank;\nadd.u32 %r11, %r10, 70;\nst.shared.u32 [mine], %r11;\n"
                    "mov.u64 %d4, mine;\ncvta.shared.u64 %d4, %d4;\n"
                    "setp.ne.u32 %p1, %r10, 1;\n@%p1 bra MEET;\n"
                    "mov.u32 %r12, where;\nmapa.shared::cluster.u32 %r12, %r12, 0;\n"
                    "st.shared::cluster.u64 [%r12], %d4;\n"
                    "MEET:\n" CLUSTER_SYNC "@%p1 bra READ;\nbra END;\n"
                    "READ:\nld.shared.u64 %d5, [where];\nld.u32 %r13, [%d5];\nst.global.u32 [%d0], %r13;\n"
                    "END:\n" CLUSTER_SYNC "ret;\n"));
    uint32_t *out = rig_buffer(r, 64);
    rig_run(r, "k", CLUSTERS(2, 1, 2), RIG_ARGS(P(out), 0, 0));
    assert_int_equal(out[0], 71);
}

BEHAVIOUR(blocks_of_a_cluster_count_in_the_shared_memory_of_one)
{
    rig_load(r, PTX(".shared .align 4 .u32 s;\n"
                    "mov.u32 %r10, s;\nmapa.shared::cluster.u32 %r11, %r10, 0;\n"
                    "red.relaxed.cluster.shared::cluster.add.u32 [%r11], 1;\n"
                    "atom.shared::cluster.max.u32 %r12, [%r11], 0;\n" CLUSTER_SYNC
                    "ld.shared.u32 %r13, [s];\nst.global.u32 [%d2], %r13;\nret;\n"));
    uint32_t *out = rig_buffer(r, 16 * 40 * 4);
    rig_run(r, "k", CLUSTERS(16, 40, 8), RIG_ARGS(P(out), 0, 0));
    for (uint32_t i = 0; i < 16 * 40; i++)
        assert_int_equal(out[i], i / 40 % 8 ? 0 : 8 * 40);
}

BEHAVIOUR(a_barrier_in_another_block_is_arrived_at_and_told_of_bytes)
{
    /* Block 0 waits for one arrival of every block, and for 16 bytes that block 1 stores. */
    rig_load(r, PTX(".shared .align 8 .u64 bar;\n.shared .align 16 .b8 data[16];\n"
                    "mov.u32 %r10, %cluster_ctarank;\nmov.u32 %r11, bar;\nmov.u32 %r12, data;\n"
                    "setp.ne.u32 %p1, %r10, 0;\n@%p1 bra READY;\n"
                    "mbarrier.init.shared::cta.b64 [bar], 4;\nfence.mbarrier_init.release.cluster;\n"
                    "READY:\n" CLUSTER_SYNC "mapa.shared::cluster.u32 %r13, %r11, 0;\n"
                    "mapa.shared::cluster.u32 %r14, %r12, 0;\n"
                    "setp.ne.u32 %p2, %r10, 1;\n@%p2 bra ARRIVE;\n"
                    "mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%r13], 16;\n"
                    "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%r14], {1, 2, 3, 4}, [%r13];\n"
                    "bra WAIT;\n"
                    "ARRIVE:\nmbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r13];\n"
                    "WAIT:\n@%p1 bra END;\n"
                    "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p3, [bar], 0;\n@!%p3 bra WAIT;\n"
                    "ld.shared.u32 %r15, [data+12];\nst.global.u32 [%d0], %r15;\n"
                    "END:\n" CLUSTER_SYNC "ret;\n"));
    uint32_t *out = rig_buffer(r, 64);
    rig_run(r, "k", CLUSTERS(4, 1, 4), RIG_ARGS(P(out), 0, 0));
    assert_int_equal(out[0], 4);
}

BEHAVIOUR(threads_that_exited_count_as_arrived_at_the_barrier_of_the_cluster)
{
    rig_load(r, PTX(".shared .align 4 .u32 s;\n"
                    "setp.ge.u32 %p1, %r0, 40;\n@%p1 exit;\n"
                    "mov.u32 %r10, %cluster_ctarank;\nadd.u32 %r11, %r10, 5;\nst.shared.u32 [s], %r11;\n"
                    "barrier.cluster.arrive.release;\nsetp.ge.u32 %p2, %r0, 33;\n@%p2 bra LATE;\n"
                    "barrier.cluster.wait.acquire;\nxor.b32 %r12, %r10, 1;\nmov.u32 %r13, s;\n"
                    "mapa.shared::cluster.u32 %r13, %r13, %r12;\nld.shared::cluster.u32 %r14, [%r13];\n"
                    "st.global.u32 [%d2], %r14;\n" CLUSTER_SYNC "ret;\n"
                    "LATE:\nbarrier.cluster.wait;\nret;\n"));
    uint32_t *out = rig_buffer(r, 4 * 64 * 4);
    rig_run(r, "k", CLUSTERS(4, 64, 2), RIG_ARGS(P(out), 0, 0));
    for (uint32_t i = 0; i < 4 * 64; i++)
        assert_int_equal(out[i], i % 64 < 33 ? 6 - i / 64 % 2 : 0);
}

BEHAVIOUR(clusters_are_what_the_kernel_requires)
{
    rig_load(r, PTX_HEAD ".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)\n"
                         ".explicitcluster\n.reqnctapercluster 2, 1, 1\n.maxclusterrank 8\n{\n" PTX_REGS PTX_START
                         "mov.u32 %r10, %cluster_nctarank;\nst.global.u32 [%d2], %r10;\nret;\n}\n");
    uint32_t *out = rig_buffer(r, 64);
    RUN(r, 4, 1, P(out), 0, 0);
    assert_int_equal(out[3], 2);
    assert_int_equal(TRY(r, 3, 1, P(out), 0, 0), SL_LIMIT);
    rig_expect_text(r, "3 blocks in x are no whole clusters of 2");
    assert_int_equal(rig_try(r, "k", CLUSTERS(4, 1, 4), RIG_ARGS(P(out), 0, 0)), SL_LIMIT);
    rig_expect_text(r, "it requires 2");
}

BEHAVIOUR(clusters_run_in_parallel_where_they_cannot_see_each_other)
{
    /* Each thread takes the number of its neighbour in the next block of a 2 x 2 cluster. */
    rig_load(r, PTX(".shared .align 4 .u32 s[32];\n"
                    "mov.u32 %r20, %ctaid.y;\nmov.u32 %r21, %nctaid.x;\nmad.lo.u32 %r22, %r20, %r21, %r4;\n"
                    "mad.lo.u32 %r23, %r22, 32, %r0;\nmul.wide.u32 %d3, %r23, 4;\nadd.u64 %d4, %d0, %d3;\n"
                    "mov.u32 %r9, s;\nmad.lo.u32 %r10, %r0, 4, %r9;\nst.shared.u32 [%r10], %r23;\n" CLUSTER_SYNC
                    "mov.u32 %r11, %cluster_ctarank;\nxor.b32 %r14, %r11, 3;\n"
                    "mapa.shared::cluster.u32 %r13, %r10, %r14;\nld.shared::cluster.u32 %r12, [%r13];\n"
                    "st.global.u32 [%d4], %r12;\n" CLUSTER_SYNC "ret;\n"));
    uint32_t *out = rig_buffer(r, 16 * 8 * 32 * 4);
    rig_shape shape = {.grid = {16, 8, 1}, .block = {32, 1, 1}, .cluster = {2, 2, 1}};
    rig_run(r, "k", shape, RIG_ARGS(P(out), 0, 0));
    assert_int_equal(r->stats.parallel, r->config.threads != 1);
    for (uint32_t y = 0; y < 8; y++)
        for (uint32_t x = 0; x < 16; x++)
            for (uint32_t i = 0; i < 32; i++)
                assert_int_equal(out[(y * 16 + x) * 32 + i], ((y ^ 1) * 16 + (x ^ 1)) * 32 + i);
    uint32_t steps;
    assert_non_null(rig_steps(r, 127, 0, &steps)); /* every block is recorded */
    assert_true(steps > 1);
}

BEHAVIOUR(a_cluster_of_more_blocks_than_the_machine_allows_is_refused)
{
    rig_load(r, PTX("ret;\n"));
    assert_int_equal(rig_try(r, "k", CLUSTERS(64, 1, 32), RIG_ARGS(0, 0, 0)), SL_LIMIT);
    rig_expect_text(r, "clusters of 32 x 1 x 1 blocks, the machine allows 16 blocks");
    rig_run(r, "k", CLUSTERS(64, 1, 16), RIG_ARGS(0, 0, 0));
}

BEHAVIOUR(shared_memory_of_a_block_that_has_exited_or_is_not_there_is_illegal)
{
    rig_load(r, PTX(".shared .align 4 .u32 s;\n"
                    "mov.u32 %r10, %cluster_ctarank;\nmov.u32 %r11, s;\nsetp.eq.u32 %p1, %r10, 1;\n"
                    "st.shared.u32 [s], 1;\n@%p1 exit;\n"
                    "mov.u32 %r12, 0;\nWORK:\nadd.u32 %r12, %r12, 1;\nsetp.lt.u32 %p2, %r12, 10000;\n@%p2 bra WORK;\n"
                    "bar.sync 0;\nmapa.shared::cluster.u32 %r11, %r11, %r2;\nld.shared::cluster.u32 %r13, [%r11];\n"
                    "st.global.u32 [%d0], %r13;\nret;\n"));
    uint32_t *out = rig_buffer(r, 64);
    assert_int_equal(rig_try(r, "k", CLUSTERS(2, 1, 2), RIG_ARGS(P(out), 0, 1)), SL_FAULT);
    rig_expect_fault(r, SL_FAULT_ILLEGAL_ADDRESS, "of block 1 of the cluster, which has exited");
    assert_int_equal(rig_try(r, "k", CLUSTERS(2, 1, 2), RIG_ARGS(P(out), 0, 2)), SL_FAULT);
    rig_expect_fault(r, SL_FAULT_ILLEGAL_ADDRESS, "of block 2 of a cluster of 2");
}

BEHAVIOUR(a_cluster_whose_barrier_cannot_complete_ends_the_launch)
{
    rig_load(r, PTX("mov.u32 %r10, %cluster_ctarank;\nsetp.eq.u32 %p1, %r10, 1;\n@%p1 bra OTHER;\n" CLUSTER_SYNC
                    "ret;\nOTHER:\nbar.sync 1, 64;\nret;\n"));
    assert_int_equal(rig_try(r, "k", CLUSTERS(2, 32, 2), RIG_ARGS(0, 0, 0)), SL_FAULT);
    rig_expect_fault(r, SL_FAULT_BARRIER, "wait at the barrier of the cluster");
    rig_load(r, PTX("barrier.cluster.arrive;\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\nret;\n"));
    assert_int_equal(rig_try(r, "k", CLUSTERS(2, 32, 2), RIG_ARGS(0, 0, 0)), SL_FAULT);
    rig_expect_fault(r, SL_FAULT_BARRIER, "has arrived at the barrier of the cluster, but has not waited");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IT(special_registers_say_where_a_block_is_in_its_cluster),
        IT(a_block_reads_what_the_next_of_its_cluster_has_written),
        IT(addresses_of_shared_memory_can_be_handed_to_other_blocks),
        IT(blocks_of_a_cluster_count_in_the_shared_memory_of_one),
        IT(a_barrier_in_another_block_is_arrived_at_and_told_of_bytes),
        IT(threads_that_exited_count_as_arrived_at_the_barrier_of_the_cluster),
        IT(clusters_are_what_the_kernel_requires),
        IT(clusters_run_in_parallel_where_they_cannot_see_each_other),
        IT(a_cluster_of_more_blocks_than_the_machine_allows_is_refused),
        IT(shared_memory_of_a_block_that_has_exited_or_is_not_there_is_illegal),
        IT(a_cluster_whose_barrier_cannot_complete_ends_the_launch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
