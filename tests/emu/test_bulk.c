/* SPDX-License-Identifier: MIT */
/* Bulk copies, tensor maps and products of warp groups: what they do with memory, and what they refuse. */
#include "emu/tensor_map.h"
#include "harness.h"

#define BARRIER                                                                                                        \
    ".shared .align 1024 .b8 s[4096];\n.shared .align 8 .b8 bar[8];\nmov.u32 %r10, s;\nmov.u32 %r11, bar;\n"           \
    "setp.ne.u32 %p1, %r0, 0;\n@%p1 bra DONE;\nmbarrier.init.shared.b64 [%r11], 1;\n"
#define WAIT                                                                                                           \
    "AGAIN:\nmbarrier.try_wait.parity.shared.b64 %p2, [%r11], 0;\n@!%p2 bra AGAIN;\nld.shared.u32 %r20, [%r10+16];\n"  \
    "st.global.u32 [%d0], %r20;\nDONE:\nret;\n"
#define LOAD "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r10], [%d1], %r2, [%r11]; // @copy\n"

BEHAVIOUR(a_bulk_copy_tells_its_barrier_and_is_recorded_as_pieces)
{
    rig_load(r, PTX(BARRIER "mbarrier.arrive.expect_tx.shared.b64 _, [%r11], %r2;\n" LOAD WAIT));
    uint32_t *out = rig_buffer(r, 64), *in = rig_buffer(r, 4096);
    for (uint32_t i = 0; i < 1024; i++)
        in[i] = i * 3;
    RUN(r, 1, 32, P(out), P(in), 512);
    assert_int_equal(out[0], 12);
    const rig_access *access[4];
    assert_int_equal(rig_accesses(r, "copy", access, 4), 1);
    assert_true(access[0]->mask == 15); /* four pieces of 128 bytes */
    for (uint32_t i = 0; i < 4; i++)
        assert_true(access[0]->addr[i] == P(in) + 128 * i);
}

BEHAVIOUR(a_bulk_copy_must_be_aligned_and_lie_in_memory)
{
    rig_load(r, PTX(BARRIER LOAD WAIT));
    uint32_t *out = rig_buffer(r, 64), *in = rig_buffer(r, 4096);
    assert_int_not_equal(TRY(r, 1, 32, P(out), P(in) + 4, 64), SL_OK);
    rig_expect_fault(r, SL_FAULT_MISALIGNED, "is not a multiple of 16");
    assert_int_not_equal(TRY(r, 1, 32, P(out), P(in), 24), SL_OK);
    rig_expect_fault(r, SL_FAULT_MISALIGNED, "the size");
    assert_int_not_equal(TRY(r, 1, 32, P(out), P(in) + 4096 - 64, 128), SL_OK);
    rig_expect_fault(r, SL_FAULT_ILLEGAL_ADDRESS, "after the end of");
    assert_int_not_equal(TRY(r, 1, 32, P(out), P(in), 8192), SL_OK);
    rig_expect_fault(r, SL_FAULT_ILLEGAL_ADDRESS, "shared offset");
    assert_int_not_equal(TRY(r, 1, 32, P(out), P(in), 0xfffffff0u), SL_OK);
    rig_expect_fault(r, SL_FAULT_ILLEGAL_ADDRESS, "shared offset");
}

/* On a GPU a prefetch of what is not there does nothing; here it would also be work for models and simulators. */
BEHAVIOUR(a_bulk_prefetch_ends_where_its_memory_ends)
{
    rig_load(r, PTX("setp.ne.u32 %p1, %r0, 0;\n@%p1 bra DONE;\n"
                    "cp.async.bulk.prefetch.L2.global [%d1], %r2; // @prefetch\nDONE:\nret;\n"));
    char *in = rig_buffer(r, 256);
    const rig_access *access[4];
    RUN(r, 1, 32, 0, P(in), 0xfffffff0u);
    assert_int_equal(rig_accesses(r, "prefetch", access, 4), 1);
    assert_true(access[0]->mask == 3); /* two pieces of 128 bytes */
    rig_load(r, PTX("cp.async.bulk.prefetch.L2.global [%d1], %r2; // @prefetch\nret;\n"));
    RUN(r, 1, 1, 0, 0x1000, 0xfffffff0u);
    assert_true(rig_accesses(r, "prefetch", access, 4) == 0 || access[0]->mask == 0);
}

static void a_launch_prefetches_only_so_much(void **state)
{
    (void)state;
    rig *r = rig_open(&(rig_config){.lanes = 32, .threads = 1});
    rig_load(r, PTX("cp.async.bulk.prefetch.L2.global [%d1], %r2;\nret;\n"));
    char *in = rig_raw(r, (size_t)1 << 32);
    assert_int_equal(TRY(r, 1, 32, 0, P(in), 0xfffffff0u), SL_LIMIT);
    rig_expect_fault(r, SL_FAULT_LIMIT, "the launch prefetches more than 1 GiB");
    rig_close(r);
}

BEHAVIOUR(a_multicast_goes_to_the_blocks_that_it_names)
{
    rig_load(r, PTX(BARRIER "mbarrier.arrive.expect_tx.shared.b64 _, [%r11], 512;\ncvt.u16.u32 %h1, %r2;\n"
                            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                            "[%r10], [%d1], 512, [%r11], %h1;\n" WAIT));
    uint32_t *out = rig_buffer(r, 64), *in = rig_buffer(r, 4096);
    in[4] = 9;
    RUN(r, 1, 32, P(out), P(in), 1);
    assert_int_equal(out[0], 9);
    assert_int_not_equal(TRY(r, 1, 32, P(out), P(in), 3), SL_OK);
    rig_expect_fault(r, SL_FAULT_ILLEGAL_ADDRESS, "block 1, which the cluster does not have");
}

#define TENSOR TENSOR_OF("1024")
#define TENSOR_OF(bytes)                                                                                               \
    "mbarrier.arrive.expect_tx.shared.b64 _, [%r11], " bytes ";\n"                                                     \
    "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r10], [%d1, {%r2, %r2}], [%r11];\n"

static sl_tensor_map plane(const void *address)
{
    return (sl_tensor_map){.type = SL_TENSOR_U32,
                           .rank = 2,
                           .element_stride = {1, 1},
                           .address = P(address),
                           .stride = {256},
                           .last = {63, 15},
                           .box = {16, 16}};
}

BEHAVIOUR(a_tensor_map_that_was_overwritten_is_refused)
{
    rig_load(r, PTX(BARRIER TENSOR WAIT));
    uint32_t *out = rig_buffer(r, 64), *in = rig_buffer(r, 4096);
    sl_tensor_map *map = rig_buffer(r, sizeof *map);
    in[4] = 77;
    *map = plane(in);
    RUN(r, 1, 32, P(out), P(map), 0);
    assert_int_equal(out[0], 77);
    memset(map, 0xff, sizeof *map);
    assert_int_not_equal(TRY(r, 1, 32, P(out), P(map), 0), SL_OK);
    rig_expect_fault(r, SL_FAULT_ILLEGAL_ADDRESS, "the tensor map");
    static const struct {
        size_t at;
        uint8_t value;
        const char *why;
    } edits[] = {{offsetof(sl_tensor_map, type), 99, "type"},
                 {offsetof(sl_tensor_map, rank), 9, "five dimensions"},
                 {offsetof(sl_tensor_map, rank), 1, "other dimensions"},
                 {offsetof(sl_tensor_map, swizzle), 9, "swizzle"},
                 {offsetof(sl_tensor_map, rest), 1, "neither cuTensorMapEncode nor tensormap.replace"},
                 {offsetof(sl_tensor_map, interleave), 1, "interleaved"},
                 {offsetof(sl_tensor_map, element_stride) + 1, 0, "element stride"},
                 {offsetof(sl_tensor_map, box) + 1, 2, "box"},
                 {offsetof(sl_tensor_map, stride), 8, "stride"},
                 {offsetof(sl_tensor_map, address), 8, "address"}};
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        *map = plane(in);
        ((uint8_t *)map)[edits[i].at] = edits[i].value;
        assert_int_not_equal(TRY(r, 1, 32, P(out), P(map), 0), SL_OK);
        rig_expect_fault(r, SL_FAULT_ILLEGAL_ADDRESS, edits[i].why);
    }
    *map = plane(in);
    map->address = 0x10; /* a tensor that lies nowhere */
    assert_int_not_equal(TRY(r, 1, 32, P(out), P(map), 0), SL_OK);
    rig_expect_fault(r, SL_FAULT_ILLEGAL_ADDRESS, "illegal");
    *map = plane(in);
    map->last[0] = map->last[1] = UINT32_MAX; /* or is larger than its memory */
    assert_int_not_equal(TRY(r, 1, 32, P(out), P(map), 4096), SL_OK);
    rig_expect_fault(r, SL_FAULT_ILLEGAL_ADDRESS, "illegal");
}

BEHAVIOUR(what_lies_outside_of_a_tensor_is_zero)
{
    rig_load(r, PTX(BARRIER TENSOR WAIT));
    uint32_t *out = rig_buffer(r, 64), *in = rig_buffer(r, 4096);
    sl_tensor_map *map = rig_buffer(r, sizeof *map);
    for (uint32_t i = 0; i < 1024; i++)
        in[i] = i + 1;
    *map = plane(in);
    out[0] = 5;
    RUN(r, 1, 32, P(out), P(map), 60); /* row 60 of 16 */
    assert_int_equal(out[0], 0);
    RUN(r, 1, 32, P(out), P(map), 8);
    assert_int_equal(out[0], 8 * 64 + 8 + 4 + 1);
}

/* 16 rows of 128 elements; `out` gets the second 16 bytes of the first row in shared memory. */
BEHAVIOUR(elements_of_four_and_six_bits_are_copied_with_and_without_gaps)
{
    static const struct {
        sl_tensor_type type;
        uint32_t row_bytes, word;
    } forms[] = {{SL_TENSOR_B4, 64, 4}, {SL_TENSOR_B4_PADDED, 64, 2}, {SL_TENSOR_B6_PADDED, 96, 3}};
    for (size_t i = 0; i < 3; i++) {
        rig_load(r, forms[i].row_bytes == 64 ? PTX(BARRIER TENSOR WAIT) : PTX(BARRIER TENSOR_OF("1536") WAIT));
        uint32_t *out = rig_buffer(r, 64), *in = rig_buffer(r, 4096);
        sl_tensor_map *map = rig_buffer(r, sizeof *map);
        for (uint32_t k = 0; k < 1024; k++)
            in[k] = k + 1;
        *map = plane(in);
        map->type = (uint8_t)forms[i].type;
        map->stride[0] = forms[i].row_bytes;
        map->last[0] = 127;
        map->box[0] = 128;
        RUN(r, 1, 32, P(out), P(map), 0);
        assert_int_equal(out[0], forms[i].word + 1);
        map->box[0] = 64;
        if (forms[i].type != SL_TENSOR_B4) {
            assert_int_not_equal(TRY(r, 1, 32, P(out), P(map), 0), SL_OK);
            rig_expect_fault(r, SL_FAULT_ILLEGAL_ADDRESS, "padded elements");
        }
    }
}

BEHAVIOUR(a_row_of_a_box_starts_at_a_multiple_of_16_bytes)
{
    rig_load(r, PTX(BARRIER TENSOR WAIT));
    uint32_t *out = rig_buffer(r, 64), *in = rig_buffer(r, 4096);
    sl_tensor_map *map = rig_buffer(r, sizeof *map);
    *map = plane(in);
    static const uint32_t wrong[] = {1, 5, 30, (uint32_t)-5, 99};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_not_equal(TRY(r, 1, 32, P(out), P(map), wrong[i]), SL_OK);
        rig_expect_fault(r, SL_FAULT_ILLEGAL_INSTRUCTION, "multiple of 16 bytes");
    }
    RUN(r, 1, 32, P(out), P(map), (uint32_t)-4);
}

BEHAVIOUR(floats_are_filled_with_the_nan_of_an_h200_and_rounded_to_tf32)
{
    rig_load(r, PTX(BARRIER TENSOR WAIT));
    uint32_t *out = rig_buffer(r, 64), *in = rig_buffer(r, 4096);
    sl_tensor_map *map = rig_buffer(r, sizeof *map);
    *map = plane(in);
    map->fill = 1;
    in[4] = 0x3f801001;
    static const struct {
        uint8_t type;
        uint32_t loaded;
    } types[] = {{SL_TENSOR_F32, 0x3f801001}, {SL_TENSOR_F32_FTZ, 0x3f801001}, {SL_TENSOR_TF32, 0x3f802000}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        map->type = types[i].type;
        RUN(r, 1, 32, P(out), P(map), 0);
        assert_int_equal(out[0], types[i].loaded);
        RUN(r, 1, 32, P(out), P(map), 60);
        assert_int_equal(out[0], 0x7ff77ff7);
    }
}

/* Thread 0 goes over the words of s, at %r31; the word's place in `out` is %d20. */
#define WORDS(loop, body)                                                                                              \
    "mov.u32 %r30, 0;\n" loop ":\nadd.u32 %r31, %r10, %r30;\ncvt.u64.u32 %d20, %r30;\nadd.u64 %d20, %d0, %d20;\n" body \
    "add.u32 %r30, %r30, 4;\nsetp.lt.u32 %p1, %r30, 4096;\n@%p1 bra " loop ";\n"
#define NUMBERS WORDS("NUMBER", "shr.u32 %r20, %r30, 2;\nadd.u32 %r20, %r20, 1;\nst.shared.u32 [%r31], %r20;\n")
#define LOADED                                                                                                         \
    "AGAIN:\nmbarrier.try_wait.parity.shared.b64 %p2, [%r11], 0;\n@!%p2 bra AGAIN;\n" WORDS(                           \
        "COPY", "ld.shared.u32 %r20, [%r31];\nst.global.u32 [%d20], %r20;\n") "DONE:\nret;\n"
#define INTO ".shared::cluster.global.mbarrier::complete_tx::bytes"

static const struct {
    uint8_t swizzle, width;
} SWIZZLES[] = {{0, 16}, {1, 8}, {1, 4}, {2, 16}, {2, 4}, {3, 32}, {3, 16}, {4, 32}, {4, 8}};
enum { SWIZZLE_COUNT = sizeof SWIZZLES / sizeof *SWIZZLES };

/* Which word of s element x of row y is. */
static uint32_t place(size_t how, uint32_t x, uint32_t y)
{
    static const uint32_t bits[] = {0, 0x10, 0x30, 0x70, 0x60}, spans[] = {0, 32, 64, 128, 128};
    uint32_t swizzle = SWIZZLES[how].swizzle, pitch = swizzle ? spans[swizzle] : SWIZZLES[how].width * 4u;
    uint32_t byte = y * pitch + x * 4;
    return (byte ^ (byte >> (swizzle == 4 ? 2 : 3) & bits[swizzle])) / 4;
}

BEHAVIOUR(a_row_has_the_whole_span_of_its_swizzle_mode)
{
    rig_load(r, PTX(BARRIER NUMBERS "mbarrier.arrive.expect_tx.shared.b64 _, [%r11], %r2;\nmov.u32 %r12, 8;\n"
                                    "cp.async.bulk.tensor.2d" INTO " [%r10], [%d1, {%r12, %r12}], [%r11];\n" LOADED));
    uint32_t *out = rig_buffer(r, 4096), *in = rig_buffer(r, 4096);
    sl_tensor_map *map = rig_buffer(r, sizeof *map);
    for (uint32_t i = 0; i < 1024; i++)
        in[i] = 5000 + i;
    for (size_t how = 0; how < SWIZZLE_COUNT; how++) {
        uint32_t expected[1024], width = SWIZZLES[how].width;
        *map = plane(in);
        map->swizzle = SWIZZLES[how].swizzle;
        map->box[0] = (uint16_t)width;
        RUN(r, 1, 32, P(out), P(map), width * 4 * 16);
        for (uint32_t i = 0; i < 1024; i++)
            expected[i] = i + 1; /* between narrow rows nothing changes */
        for (uint32_t y = 0; y < 16; y++)
            for (uint32_t x = 0; x < width; x++)
                expected[place(how, x, y)] = y + 8 < 16 ? 5000 + (y + 8) * 64 + x + 8 : 0;
        rig_expect_u32(out, expected, 1024);
    }
}

#define STORE(instruction)                                                                                             \
    BARRIER NUMBERS instruction " [%d1, {%r2, %r2}], [%r10];\ncp.async.bulk.commit_group;\n"                           \
                                "cp.async.bulk.wait_group 0;\nDONE:\nret;\n"

BEHAVIOUR(boxes_are_stored_and_added_within_the_tensor)
{
    for (uint32_t adds = 0; adds < 2; adds++) {
        rig_load(r, adds ? PTX(STORE("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group"))
                         : PTX(STORE("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group")));
        uint32_t *tensor = rig_buffer(r, 4096);
        sl_tensor_map *map = rig_buffer(r, sizeof *map);
        for (size_t how = 0; how < SWIZZLE_COUNT; how++) {
            uint32_t expected[1024];
            *map = plane(tensor);
            map->last[0] = 49;
            map->swizzle = SWIZZLES[how].swizzle;
            map->box[0] = SWIZZLES[how].width;
            for (uint32_t i = 0; i < 1024; i++) {
                uint32_t x = i % 64, y = i / 64;
                bool inside = x >= 12 && x < 50 && x < 12u + SWIZZLES[how].width && y >= 12;
                tensor[i] = 100000;
                expected[i] = !inside ? 100000 : place(how, x - 12, y - 12) + 1 + (adds ? 100000 : 0);
            }
            RUN(r, 1, 32, 0, P(map), 12);
            rig_expect_u32(tensor, expected, 1024);
        }
    }
}

BEHAVIOUR(pixels_are_taken_in_order_within_their_box)
{
    rig_load(r, PTX(BARRIER "mbarrier.arrive.expect_tx.shared.b64 _, [%r11], 1280;\nmov.u32 %r12, -1;\n"
                            "mov.u32 %r13, 8;\nmov.u16 %h1, 2;\nmov.u16 %h2, 1;\n"
                            "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
                            "[%r10], [%d1, {%r13, %r12, %r12, %r2}], [%r11], {%h1, %h2};\n" LOADED));
    uint32_t *out = rig_buffer(r, 4096), *in = rig_buffer(r, 3 * 4480);
    sl_tensor_map *map = rig_buffer(r, sizeof *map);
    for (uint32_t i = 0; i < 3 * 1120; i++)
        in[i] = i + 1;
    /* three images of 10 x 7 with 16 channels, a filter of 3 x 3 */
    *map = (sl_tensor_map){.type = SL_TENSOR_U32,
                           .rank = 4,
                           .im2col = 1,
                           .element_stride = {1, 1, 1, 1},
                           .address = P(in),
                           .stride = {64, 640, 4480},
                           .last = {15, 9, 6, 2},
                           .box = {8, 40},
                           .lower = {-1, -1},
                           .upper = {-1, -1}};
    RUN(r, 1, 32, P(out), P(map), 1);
    for (int i = 0; i < 40 * 8; i++) {
        int w = i / 8 % 10 - 1 + 2, h = i / 8 / 10 - 1 + 1;
        assert_int_equal(out[i], w < 10 && h < 7 ? 1120 + h * 160 + w * 16 + 8 + i % 8 + 1 : 0);
    }
}

BEHAVIOUR(a_map_can_be_edited_on_the_device)
{
    rig_load(r, PTX(BARRIER "add.u64 %d3, %d0, 4096;\nmov.u64 %d4, 128;\nmov.u32 %r12, 3;\n"
                            "tensormap.replace.tile.global_address.global.b1024.b64 [%d1], %d3;\n"
                            "tensormap.replace.tile.global_dim.global.b1024.b32 [%d1], 1, %r12;\n"
                            "tensormap.replace.tile.global_stride.global.b1024.b64 [%d1], 0, %d4;\n"
                            "fence.proxy.tensormap::generic.acquire.gpu [%d1], 128;\n"
                            "mbarrier.arrive.expect_tx.shared.b64 _, [%r11], 1024;\n"
                            "cp.async.bulk.tensor.2d" INTO " [%r10], [%d1, {%r2, %r2}], [%r11];\n" LOADED));
    uint32_t *out = rig_buffer(r, 8192);
    sl_tensor_map *map = rig_buffer(r, sizeof *map);
    for (uint32_t i = 0; i < 1024; i++)
        out[1024 + i] = i + 1;
    *map = plane(out);
    RUN(r, 1, 32, P(out), P(map), 0);
    for (uint32_t i = 0; i < 256; i++)
        assert_int_equal(out[i], i / 16 < 3 ? i / 16 * 32 + i % 16 + 1 : 0);
}

#define REPLACE(field, type, value) "tensormap.replace.tile." field ".shared::cta.b1024." type " [%d3], " value ";\n"

BEHAVIOUR(a_map_can_be_made_of_zeros_by_replacing_every_field)
{
    rig_load(
        r,
        PTX(BARRIER
            ".shared .align 128 .b8 m[128];\nmov.u32 %r12, m;\ncvt.u64.u32 %d3, %r12;\n"
            "mov.u32 %r13, 0;\nmov.u64 %d4, 0;\nZERO:\nst.shared.v2.b64 [%r12], {%d4, %d4};\n"
            "add.u32 %r12, %r12, 16;\nadd.u32 %r13, %r13, 1;\nsetp.lt.u32 %p1, %r13, 8;\n"
            "@%p1 bra ZERO;\nmov.u32 %r14, 16;\nmov.u32 %r15, 64;\nmov.u32 %r16, 1;\n"
            "mov.u64 %d4, 256;\nadd.u64 %d5, %d0, 4096;\n" REPLACE("global_address", "b64", "%d5") REPLACE(
                "rank", "b32", "1") REPLACE("box_dim", "b32", "0, %r14") REPLACE("box_dim", "b32", "1, %r14")
                REPLACE("global_dim", "b32", "0, %r15") REPLACE("global_dim", "b32", "1, %r14") REPLACE(
                    "global_stride", "b64", "0, %d4") REPLACE("element_stride", "b32", "0, %r16")
                    REPLACE("element_stride", "b32", "1, %r16") REPLACE("elemtype", "b32", "2")
                        REPLACE("interleave_layout", "b32", "0") REPLACE("swizzle_mode", "b32", "0") REPLACE(
                            "fill_mode",
                            "b32",
                            "0") "bar.warp.sync "
                                 "-1;\ntensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync."
                                 "aligned [%d1], [%d3], 128;\nfence.proxy.tensormap::generic.acquire.gpu [%d1], 128;\n"
                                 "mbarrier.arrive.expect_tx.shared.b64 _, [%r11], 1024;\n"
                                 "cp.async.bulk.tensor.2d" INTO " [%r10], [%d1, {%r2, %r2}], [%r11];\n" LOADED));
    uint32_t *out = rig_buffer(r, 8192);
    sl_tensor_map *map = rig_buffer(r, sizeof *map);
    for (uint32_t i = 0; i < 1024; i++)
        out[1024 + i] = i + 1;
    RUN(r, 1, 32, P(out), P(map), 8);
    for (uint32_t i = 0; i < 256; i++)
        assert_int_equal(out[i], i / 16 + 8 < 16 ? (i / 16 + 8) * 64 + i % 16 + 8 + 1 : 0);
}

/* One row of ones times one column of ones, without swizzles. */
#define GROUP                                                                                                          \
    ".shared .align 1024 .b8 s[4096];\nmov.u32 %r10, s;\nmov.u32 %r11, 0x3c003c00;\n"                                  \
    "mul.lo.u32 %r12, %r0, 4;\nadd.u32 %r12, %r12, %r10;\nmov.u32 %r13, 0;\n"                                          \
    "FILL:\nst.shared.u32 [%r12], %r11;\nadd.u32 %r12, %r12, 512;\nadd.u32 %r13, %r13, 1;\n"                           \
    "setp.lt.u32 %p1, %r13, 8;\n@%p1 bra FILL;\nbar.sync 0;\n"
#define PRODUCT                                                                                                        \
    "cvt.u64.u32 %d10, %r10;\nshr.u64 %d10, %d10, 4;\nor.b64 %d10, %d10, %d1;\n"                                       \
    "mov.f32 %f0, 0f3f800000;\nmov.f32 %f1, %f0;\nmov.f32 %f2, %f0;\nmov.f32 %f3, %f0;\nsetp.ne.u32 %p2, %r2, 0;\n"    \
    "wgmma.fence.sync.aligned;\n"                                                                                      \
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d10, %d10, %p2, 1, -1, 0, 0; // @mma\n"  \
    "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\nst.global.f32 [%d2], %f3;\nret;\n"

BEHAVIOUR(a_warp_group_multiplies_matrices_in_shared_memory)
{
    rig_load(r, PTX(GROUP PRODUCT));
    float *out = rig_buffer(r, 512);
    uint64_t form = (uint64_t)(256 >> 4) << 32 | (uint64_t)(128 >> 4) << 16;
    RUN(r, 1, 128, P(out), form, 1);
    for (int i = 0; i < 128; i++)
        assert_true(out[i] == -15);
    RUN(r, 1, 128, P(out), form, 0);
    assert_true(out[77] == -16);
    const rig_access *access[2];
    assert_int_equal(rig_accesses(r, "mma", access, 2), 1);
    assert_true(access[0]->mask);
}

/* Thread 0 refills the operands as soon as it has waited for a product: turn t multiplies 16 of t + 1 by t + 1. */
#define TURNS                                                                                                          \
    ".shared .align 1024 .b8 s[4096];\n.shared .align 8 .b8 bar[8];\nmov.u32 %r10, s;\nmov.u32 %r11, bar;\n"           \
    "setp.ne.u32 %p1, %r0, 0;\n@!%p1 mbarrier.init.shared.b64 [%r11], 1;\nbar.sync 0;\ncvt.u64.u32 %d10, %r10;\n"      \
    "shr.u64 %d10, %d10, 4;\nor.b64 %d10, %d10, 0x1000080000;\nmov.f32 %f0, 0f00000000;\nmov.f32 %f1, %f0;\n"          \
    "mov.f32 %f2, %f0;\nmov.f32 %f3, %f0;\nmov.u32 %r12, 0;\nsetp.eq.u32 %p2, %r0, %r0;\nTURN:\n@%p1 bra COPIED;\n"    \
    "mbarrier.arrive.expect_tx.shared.b64 _, [%r11], 4096;\n"                                                          \
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r10], [%d1], 4096, [%r11];\n"                 \
    "COPIED:\nadd.u64 %d1, %d1, 4096;\nand.b32 %r13, %r12, 1;\nWAIT:\n"                                                \
    "mbarrier.try_wait.parity.shared.b64 %p3, [%r11], %r13;\n@!%p3 bra WAIT;\nwgmma.fence.sync.aligned;\n"             \
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d10, %d10, %p2, 1, 1, 0, 0;\n"           \
    "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\nadd.u32 %r12, %r12, 1;\n"                     \
    "setp.lt.u32 %p3, %r12, %r2;\n@%p3 bra TURN;\nst.global.f32 [%d2], %f3;\nret;\n"

BEHAVIOUR(a_product_is_complete_when_all_warps_of_the_group_have_issued_it)
{
    enum { TURN_COUNT = 8 };
    static const uint16_t HALF[TURN_COUNT] = {0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700, 0x4800};
    rig_load(r, PTX(TURNS));
    float *out = rig_buffer(r, 512), sum = 0;
    uint16_t *in = rig_buffer(r, TURN_COUNT * 4096);
    for (uint32_t turn = 0; turn < TURN_COUNT; turn++) {
        for (uint32_t i = 0; i < 2048; i++)
            in[turn * 2048 + i] = HALF[turn];
        sum += 16.0F * (float)((turn + 1) * (turn + 1));
    }
    RUN(r, 1, 128, P(out), P(in), TURN_COUNT);
    for (int i = 0; i < 128; i++)
        assert_true(out[i] == sum);
}

BEHAVIOUR(a_product_that_a_warp_of_the_group_never_issues_is_an_error)
{
    rig_load(r, PTX(GROUP "setp.lt.u32 %p3, %r0, 96;\n@!%p3 bra OTHER;\n" PRODUCT "OTHER:\nbar.sync 1;\nret;\n"));
    uint64_t form = (uint64_t)(256 >> 4) << 32 | (uint64_t)(128 >> 4) << 16;
    assert_int_not_equal(TRY(r, 1, 128, P(rig_buffer(r, 512)), form, 1), SL_OK);
    rig_expect_fault(r, SL_FAULT_BARRIER, "of warp 0 wait at products of their warp group");
}

BEHAVIOUR(a_matrix_descriptor_that_points_outside_is_an_error)
{
    rig_load(r, PTX(GROUP PRODUCT));
    float *out = rig_buffer(r, 512);
    assert_int_not_equal(TRY(r, 1, 128, P(out), (uint64_t)0x3fff << 32, 1), SL_OK);
    rig_expect_fault(r, SL_FAULT_ILLEGAL_ADDRESS, "shared offset");
    assert_int_not_equal(TRY(r, 1, 128, P(out), (uint64_t)1 << 49, 1), SL_OK);
    rig_expect_fault(r, SL_FAULT_ILLEGAL_ADDRESS, "base offset");
}

BEHAVIOUR(products_that_a_group_updates_are_not_fused_with_sums)
{
    /* f0 = f1 * f2 goes into the product, so that the sum behind it is no fma */
    rig_load(r, PTX(GROUP "cvt.u64.u32 %d10, %r10;\nshr.u64 %d10, %d10, 4;\nor.b64 %d10, %d10, %d1;\n"
                          "mov.f32 %f4, 0f40000000;\nmul.f32 %f0, %f4, %f4;\nmov.f32 %f1, %f0;\nmov.f32 %f2, %f0;\n"
                          "mov.f32 %f3, %f0;\nsetp.ne.u32 %p2, %r2, 0;\n"
                          "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d10, %d10, %p2, 1, "
                          "1, 0, 0;\nadd.f32 %f5, %f0, %f4;\nst.global.f32 [%d2], %f5;\nret;\n"));
    float *out = rig_buffer(r, 512);
    RUN(r, 1, 128, P(out), (uint64_t)(256 >> 4) << 32 | (uint64_t)(128 >> 4) << 16, 1);
    assert_true(out[0] == 4 + 16 + 2);
}

BEHAVIOUR(forms_that_are_not_there_are_refused_by_name)
{
    rig_load(r, PTX(BARRIER "cp.async.bulk.tensor.3d.shared::cluster.global.im2col::w.mbarrier::complete_tx::bytes "
                            "[%r10], [%d1, {%r2, %r2, %r2}], [%r11], {%h1, %h1};\nDONE:\nret;\n"));
    assert_int_not_equal(TRY(r, 1, 32, 0, 0, 0), SL_OK);
    rig_expect_text(r, "im2col::w");
    rig_load(r, PTX("tcgen05.ld.red.sync.aligned.32x32b.x2.min.u32 {%r3, %r4}, %r5, [%r2];\nret;\n"));
    assert_int_not_equal(TRY(r, 1, 128, 0, 0, 0), SL_OK);
    rig_expect_text(r, "tcgen05.ld.red");
}

/* One mma, executed with A of ones, twos, and ones again, and B of ones, then of twos. */
BEHAVIOUR(a_product_sees_what_its_registers_hold_now)
{
    rig_load(r, PTX("mov.f32 %f0, 0f00000000;\nmov.f32 %f1, %f0;\nmov.f32 %f2, %f0;\nmov.f32 %f3, %f0;\n"
                    "mov.u32 %r10, 0;\nmov.u32 %r20, 0x3c003c00;\nmov.u32 %r21, 0x3c003c00;\n"
                    "AGAIN:\nmma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, "
                    "{%r20, %r20, %r20, %r20}, {%r21, %r21}, {%f0, %f1, %f2, %f3};\n"
                    "xor.b32 %r20, %r20, 0x7c007c00;\nadd.u32 %r10, %r10, 1;\nsetp.eq.u32 %p2, %r10, 2;\n"
                    "@%p2 mov.u32 %r21, 0x40004000;\nsetp.lt.u32 %p1, %r10, 3;\n@%p1 bra AGAIN;\n"
                    "add.f32 %f0, %f0, %f3;\nst.global.f32 [%d2], %f0;\nret;\n"));
    float *out = rig_buffer(r, 64 * 4);
    RUN(r, 1, 64, P(out), 0, 0);
    for (int i = 0; i < 64; i++)
        assert_true(out[i] == 2 * (16 * 1 * 1 + 16 * 2 * 1 + 16 * 1 * 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IT(a_bulk_copy_tells_its_barrier_and_is_recorded_as_pieces),
        IT(a_bulk_copy_must_be_aligned_and_lie_in_memory),
        IT(a_bulk_prefetch_ends_where_its_memory_ends),
        IT(a_launch_prefetches_only_so_much),
        IT(a_multicast_goes_to_the_blocks_that_it_names),
        IT(a_tensor_map_that_was_overwritten_is_refused),
        IT(what_lies_outside_of_a_tensor_is_zero),
        IT(elements_of_four_and_six_bits_are_copied_with_and_without_gaps),
        IT(a_row_of_a_box_starts_at_a_multiple_of_16_bytes),
        IT(floats_are_filled_with_the_nan_of_an_h200_and_rounded_to_tf32),
        IT(a_row_has_the_whole_span_of_its_swizzle_mode),
        IT(boxes_are_stored_and_added_within_the_tensor),
        IT(pixels_are_taken_in_order_within_their_box),
        IT(a_map_can_be_edited_on_the_device),
        IT(a_map_can_be_made_of_zeros_by_replacing_every_field),
        IT(a_warp_group_multiplies_matrices_in_shared_memory),
        IT(a_product_is_complete_when_all_warps_of_the_group_have_issued_it),
        IT(a_product_that_a_warp_of_the_group_never_issues_is_an_error),
        IT(a_matrix_descriptor_that_points_outside_is_an_error),
        IT(products_that_a_group_updates_are_not_fused_with_sums),
        IT(forms_that_are_not_there_are_refused_by_name),
        IT(a_product_sees_what_its_registers_hold_now),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
