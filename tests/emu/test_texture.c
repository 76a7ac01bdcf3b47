/* SPDX-License-Identifier: MIT */
/* Textures and surfaces. Expected values follow from what an H200 was seen to do (tests/programs/sampling.cu). */
#include <stdio.h>

#include "harness.h"

/* k(out, object, n): runs `code` with %f0 to %f3 from in[thread], and stores %f10 to %f13. */
#define FETCH(code)                                                                                                    \
    PTX_HEAD ".visible .entry k(.param .u64 out, .param .u64 object, .param .u64 in)\n{\n" PTX_REGS                    \
             "mov.u32 %r0, %tid.x;\nld.param.u64 %d0, [out];\nld.param.u64 %d1, [object];\nld.param.u64 %d3, [in];\n"  \
             "mad.wide.u32 %d2, %r0, 16, %d0;\nmad.wide.u32 %d4, %r0, 16, %d3;\n"                                      \
             "ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%d4];\nld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%d4];\n" code \
             "\nst.global.v4.f32 [%d2], {%f10, %f11, %f12, %f13};\nret;\n}\n"

static sl_texture plane(void *data, uint32_t width, uint32_t height)
{
    sl_texture t = {.dims = height > 1 ? 2 : 1, .levels = 1, .channels = 1, .channel_bits = 32, .channel_kind = 'f'};
    t.level[0] = (sl_texture_level){
        .data = P(data), .size = {width, height, 1}, .pitch = width * 4, .slice = (uint64_t)width * height * 4};
    memset(t.address, SL_TEX_CLAMP, sizeof t.address);
    t.max_level = 100;
    return t;
}

static uint64_t object_of(rig *r, const sl_texture *t)
{
    uint64_t object;
    assert_int_equal(sl_emu_texture_create(r->emu, t, &object, &r->error), SL_OK);
    return object;
}

/* Runs `code` for `count` coordinates; results go to `out`. */
static void fetch(rig *r, const char *code, const sl_texture *t, const float (*in)[4], uint32_t count, float (*out)[4])
{
    rig_load(r, code);
    float(*coordinates)[4] = rig_buffer(r, count * sizeof *in);
    float(*result)[4] = rig_buffer(r, count * sizeof *in);
    memcpy(coordinates, in, count * sizeof *in);
    RUN(r, 1, count, P(result), object_of(r, t), P(coordinates));
    memcpy(out, result, count * sizeof *in);
}

static float as_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* ---- filtering ---- */

BEHAVIOUR(weights_have_eight_bits_and_sum_to_one)
{
    float *texel = rig_buffer(r, 16);
    memcpy(texel, (const float[4]){1000, 2000, 4000, 8000}, 16);
    sl_texture t = plane(texel, 2, 2);
    t.linear_filter = true;
    /* x 100/256 between, y 60/256: shares 119, 77, 37, 23. In the second, y divides 128 * 1 / 256: a half goes down for
     * the lower x and up for the upper one. */
    const float in[2][4] = {{0.5f + 100 / 256.0f, 0.5f + 60 / 256.0f}, {1.0f, 0.5f + 1 / 256.0f}};
    float out[2][4];
    fetch(r, FETCH("tex.2d.v4.f32.f32 {%f10, %f11, %f12, %f13}, [%d1, {%f0, %f1}];"), &t, in, 2, out);
    assert_float_equal(out[0][0], (119 * 1000 + 77 * 2000 + 37 * 4000 + 23 * 8000) / 256.0f, 0);
    assert_float_equal(out[1][0], (128 * 1000 + 127 * 2000 + 0 * 4000 + 1 * 8000) / 256.0f, 0);
    assert_float_equal(out[0][1], 0, 0); /* absent channels */
    assert_float_equal(out[0][3], 0, 0);
}

BEHAVIOUR(texels_are_cut_to_the_largest_and_halves_round_away)
{
    float *texel = rig_buffer(r, 8);
    texel[0] = 16777216;
    sl_texture t = plane(texel, 2, 1);
    t.linear_filter = true;
    const float half[1][4] = {{1.0f}}, more[1][4] = {{0.5f + 120 / 256.0f}};
    const char *code = FETCH("tex.1d.v4.f32.f32 {%f10, %f11, %f12, %f13}, [%d1, {%f0}];");
    float out[1][4];
    texel[1] = 1;
    fetch(r, code, &t, half, 1, out);
    assert_float_equal(out[0][0], 8388609, 0);
    texel[1] = 1.1f; /* 1.0 next to 2^24 */
    fetch(r, code, &t, more, 1, out);
    assert_float_equal(out[0][0], 8912896, 0);
}

BEHAVIOUR(fractions_are_mixed_with_sixteen_bits)
{
    uint8_t *texel = rig_buffer(r, 8);
    memcpy(texel, (const uint8_t[8]){10, 255, 0, 7, 201, 3, 0, 9}, 8); /* two texels of four channels */
    sl_texture t = plane(texel, 2, 1);
    t.channels = 4;
    t.channel_bits = 8;
    t.channel_kind = 'u';
    t.normalized_float = t.linear_filter = true;
    const float in[1][4] = {{0.5f + 77 / 256.0f}};
    float out[1][4];
    fetch(r, FETCH("tex.1d.v4.f32.f32 {%f10, %f11, %f12, %f13}, [%d1, {%f0}];"), &t, in, 1, out);
    for (int c = 0; c < 4; c++) {
        uint32_t sum = (179u * texel[c] + 77u * texel[4 + c]) * 257;
        assert_float_equal(out[0][c], (float)((double)((sum + 128) >> 8) / 65535), 0);
    }
}

BEHAVIOUR(normalised_coordinates_have_21_bits)
{
    float *texel = rig_buffer(r, 12);
    memcpy(texel, (const float[3]){1, 2, 3}, 12);
    sl_texture t = plane(texel, 3, 1);
    t.normalized_coords = true;
    /* A third rounded up is still texel 0; the first float that has enough bits is texel 1. */
    const float in[4][4] = {
        {as_float(0x3eaaaaab)}, {as_float(0x3eaaaaaf)}, {as_float(0x3eaaaab0)}, {as_float(0x7fc00000)}};
    float out[4][4];
    fetch(r, FETCH("tex.1d.v4.f32.f32 {%f10, %f11, %f12, %f13}, [%d1, {%f0}];"), &t, in, 4, out);
    const float expected[4] = {1, 1, 2, 1};
    for (int i = 0; i < 4; i++)
        assert_float_equal(out[i][0], expected[i], 0);
}

BEHAVIOUR(addresses_wrap_mirror_clamp_or_read_the_border)
{
    static const float EXPECTED[4][6] = {
        [SL_TEX_WRAP] = {3, 1, 3, 1, 2, 1}, /* at -1/3, 0, 2/3, 1, 4/3, infinity */
        [SL_TEX_CLAMP] = {1, 1, 3, 3, 3, 3},
        [SL_TEX_MIRROR] = {1, 1, 3, 3, 2, 1},
        [SL_TEX_BORDER] = {9, 1, 3, 9, 9, 9},
    };
    float *texel = rig_buffer(r, 12);
    memcpy(texel, (const float[3]){1, 2, 3}, 12);
    sl_texture t = plane(texel, 3, 1);
    t.normalized_coords = true;
    t.border[0] = 9;
    const float in[6][4] = {{-0.2f}, {0}, {0.7f}, {1}, {1.5f}, {as_float(0x7f800000)}};
    for (uint8_t mode = SL_TEX_WRAP; mode <= SL_TEX_BORDER; mode++) {
        float out[6][4];
        t.address[0] = mode;
        fetch(r, FETCH("tex.1d.v4.f32.f32 {%f10, %f11, %f12, %f13}, [%d1, {%f0}];"), &t, in, 6, out);
        for (int i = 0; i < 6; i++)
            if (out[i][0] != EXPECTED[mode][i])
                fail_msg("mode %u, coordinate %d: %f", mode, i, (double)out[i][0]);
    }
}

BEHAVIOUR(a_gather_goes_counter_clockwise)
{
    float *texel = rig_buffer(r, 16);
    memcpy(texel, (const float[4]){1, 2, 3, 4}, 16);
    sl_texture t = plane(texel, 2, 2);
    const float in[1][4] = {{1, 1}};
    float out[1][4];
    fetch(
        r,
        FETCH("tld4.r.2d.v4.f32.f32 {%f10, %f11, %f12, %f13}|%p1, [%d1, {%f0, %f1}];\n@!%p1 mov.f32 %f10, 0f00000000;"),
        &t, in, 1, out);
    const float expected[4] = {3, 4, 2, 1};
    assert_memory_equal(out[0], expected, sizeof expected);
}

/* ---- layers, faces, levels ---- */

BEHAVIOUR(layers_beyond_the_last_and_before_the_first_are_the_last)
{
    float *texel = rig_buffer(r, 24);
    for (int i = 0; i < 6; i++)
        texel[i] = (float)i;
    sl_texture t = plane(texel, 2, 1);
    t.layers = 3;
    t.level[0].slice = 8;
    const int32_t layer[4] = {0, 2, 7, -1};
    float in[4][4] = {{1.5f}, {1.5f}, {1.5f}, {1.5f}}, out[4][4];
    for (int i = 0; i < 4; i++)
        memcpy(&in[i][1], &layer[i], 4);
    fetch(r, FETCH("tex.a1d.v4.f32.f32 {%f10, %f11, %f12, %f13}, [%d1, {%r11, %f0}];"), &t, in, 4, out);
    const float expected[4] = {1, 5, 5, 5};
    for (int i = 0; i < 4; i++)
        assert_float_equal(out[i][0], expected[i], 0);
}

BEHAVIOUR(a_direction_hits_the_face_of_its_largest_part)
{
    float *texel = rig_buffer(r, 6 * 16);
    for (int i = 0; i < 24; i++)
        texel[i] = (float)(i / 4 * 10 + i % 4);
    sl_texture t = plane(texel, 2, 2);
    t.layers = 6;
    t.cube = true;
    const float in[8][4] = {{2, 1, -1}, {-2, 1, -1}, {1, 2, 1},    {1, -2, 1},
                            {1, 1, 2},  {1, 1, -2},  {1, 1, 1.0f}, {0, 0, 0}};
    const float expected[8] = {1, 10, 23, 31, 41, 50, 41, 43}; /* equal parts: z before y before x */
    float out[8][4];
    fetch(r, FETCH("tex.cube.v4.f32.f32 {%f10, %f11, %f12, %f13}, [%d1, {%f0, %f1, %f2, %f2}];"), &t, in, 8, out);
    for (int i = 0; i < 8; i++)
        if (out[i][0] != expected[i])
            fail_msg("direction %d: %f", i, (double)out[i][0]);
}

static sl_texture mipmap(rig *r)
{
    float *texel = rig_buffer(r, 7 * 4);
    for (int i = 0; i < 7; i++)
        texel[i] = i < 4 ? 0.0f : i < 6 ? 1.0f : 2.0f;
    sl_texture t = plane(texel, 4, 1);
    t.normalized_coords = true;
    t.levels = 3;
    t.level[1] = (sl_texture_level){.data = P(texel + 4), .size = {2, 1, 1}, .pitch = 8, .slice = 8};
    t.level[2] = (sl_texture_level){.data = P(texel + 6), .size = {1, 1, 1}, .pitch = 4, .slice = 4};
    return t;
}

BEHAVIOUR(levels_are_chosen_or_mixed)
{
    sl_texture t = mipmap(r);
    const char *code = FETCH("tex.level.1d.v4.f32.f32 {%f10, %f11, %f12, %f13}, [%d1, {%f0}], %f1;");
    const float in[5][4] = {{0.3f, -1}, {0.3f, 0.49f}, {0.3f, 0.5f}, {0.3f, 1 + 3.9f / 256}, {0.3f, 9}};
    const float nearest[5] = {0, 0, 1, 1, 2}, mixed[5] = {0, 125 / 256.0f, 0.5f, 1 + 3 / 256.0f, 2};
    float out[5][4];
    fetch(r, code, &t, in, 5, out);
    for (int i = 0; i < 5; i++)
        assert_float_equal(out[i][0], nearest[i], 0);
    t.linear_levels = true;
    fetch(r, code, &t, in, 5, out);
    for (int i = 0; i < 5; i++)
        assert_float_equal(out[i][0], mixed[i], 0);
    t.level_bias = 1;
    t.min_level = 0.25f;
    fetch(r, code, &t, in, 3, out);
    assert_float_equal(out[0][0], 0.25f, 0);
    assert_float_equal(out[2][0], 1.5f, 0);
    /* No level is asked for: there is no bias. */
    fetch(r, FETCH("tex.1d.v4.f32.f32 {%f10, %f11, %f12, %f13}, [%d1, {%f0}];"), &t, in, 1, out);
    assert_float_equal(out[0][0], 0.25f, 0);
}

BEHAVIOUR(gradients_choose_the_level)
{
    sl_texture t = mipmap(r);
    const float in[3][4] = {{0.3f, 0.25f, 0}, {0.3f, 0, 0.5f}, {0.3f, 1, 0}};
    float out[3][4];
    fetch(r, FETCH("tex.grad.1d.v4.f32.f32 {%f10, %f11, %f12, %f13}, [%d1, {%f0}], {%f1}, {%f2};"), &t, in, 3, out);
    for (int i = 0; i < 3; i++)
        assert_float_equal(out[i][0], (float)i, 0);
}

/* ---- other fetches ---- */

BEHAVIOUR(integers_come_as_they_are)
{
    int16_t *texel = rig_buffer(r, 16);
    memcpy(texel, (const int16_t[8]){-5, 6, 7, -32768, 1, 2, 3, 4}, 16);
    sl_texture t = plane(texel, 4, 1);
    t.channels = 2;
    t.channel_bits = 16;
    t.channel_kind = 's';
    const int32_t index[4] = {0, 1, -1, 4};
    float in[4][4] = {{0}}, out[4][4];
    for (int i = 0; i < 4; i++)
        memcpy(&in[i][0], &index[i], 4);
    fetch(r,
          FETCH("tex.1d.v4.s32.s32 {%r20, %r21, %r22, %r23}, [%d1, {%r10}];\nmov.b32 %f10, %r20;\nmov.b32 %f11, %r21;\n"
                "mov.b32 %f12, %r22;\nmov.b32 %f13, %r23;"),
          &t, in, 4, out);
    const int32_t expected[4][4] = {{-5, 6, 0, 0}, {7, -32768, 0, 0}, {0}, {0}};
    assert_memory_equal(out, expected, sizeof expected);
}

BEHAVIOUR(lanes_may_fetch_from_different_textures)
{
    float *texel = rig_buffer(r, 8);
    texel[0] = 1;
    texel[1] = 2;
    sl_texture first = plane(texel, 1, 1), second = plane(texel + 1, 1, 1);
    uint64_t a = object_of(r, &first), b = object_of(r, &second);
    rig_load(r, FETCH("and.b32 %r20, %r0, 1;\nsetp.eq.u32 %p1, %r20, 1;\n@%p1 add.u64 %d1, %d1, 1;\n"
                      "tex.1d.v4.f32.f32 {%f10, %f11, %f12, %f13}, [%d1, {%f0}]; // @fetch"));
    assert_int_equal(b, a + 1);
    float(*out)[4] = rig_buffer(r, 32 * 16), *in = rig_buffer(r, 32 * 16);
    RUN(r, 1, 32, P(out), a, P(in));
    const rig_access *access;
    assert_int_equal(rig_accesses(r, "fetch", &access, 1), 1);
    for (uint32_t i = 0; i < 32; i++) {
        assert_float_equal(out[i][0], (float)(1 + i % 2), 0);
        assert_int_equal(access->addr[i], P(texel + i % 2)); /* what is in the trace */
    }
}

BEHAVIOUR(blocks_that_only_fetch_from_a_texture_are_independent)
{
    float *texel = rig_buffer(r, 8);
    sl_texture t = plane(texel, 2, 1);
    rig_load(r, PTX("cvt.rn.f32.u32 %f0, %r1;\ntex.1d.v4.f32.f32 {%f10, %f11, %f12, %f13}, [%d1, {%f0}];\n"
                    "mul.wide.u32 %d5, %r1, 4;\nadd.s64 %d6, %d0, %d5;\nst.global.f32 [%d6], %f10;\nret;\n"));
    float *out = rig_buffer(r, 256 * 4);
    RUN(r, 4, 64, P(out), object_of(r, &t), 0);
    assert_int_equal(r->stats.parallel, r->config.threads > 1);
    /* …but not where others store to it. */
    t = plane(out, 2, 1);
    RUN(r, 4, 64, P(out), object_of(r, &t), 0);
    assert_false(r->stats.parallel);
}

BEHAVIOUR(fetches_from_freed_memory_and_unknown_objects_are_faults)
{
    uint64_t address;
    assert_int_equal(sl_heap_alloc(sl_emu_heap(r->emu), 64, SL_ALLOC_DEVICE, NULL, &address, &r->error), SL_OK);
    sl_texture t = plane((void *)(uintptr_t)address, 16, 1);
    uint64_t object = object_of(r, &t);
    rig_load(r, FETCH("tex.1d.v4.f32.f32 {%f10, %f11, %f12, %f13}, [%d1, {%f0}];"));
    void *out = rig_buffer(r, 512), *in = rig_buffer(r, 512);
    RUN(r, 1, 1, P(out), object, P(in));
    assert_int_equal(TRY(r, 1, 1, P(out), object + 77, P(in)), SL_FAULT);
    rig_expect_fault(r, SL_FAULT_ILLEGAL_ADDRESS, "is not a texture object");
    assert_int_equal(sl_heap_free(sl_emu_heap(r->emu), address, &r->error), SL_OK);
    assert_int_equal(TRY(r, 1, 1, P(out), object, P(in)), SL_FAULT);
    rig_expect_fault(r, SL_FAULT_ILLEGAL_ADDRESS, "was freed");
}

BEHAVIOUR(queries_answer)
{
    sl_texture t = mipmap(r);
    rig_load(r, PTX("txq.width.b32 %r10, [%d1];\ntxq.level.width.b32 %r11, [%d1], 1;\ntxq.height.b32 %r12, [%d1];\n"
                    "txq.num_mipmap_levels.b32 %r13, [%d1];\nst.global.v4.u32 [%d0], {%r10, %r11, %r12, %r13};\n"
                    "txq.normalized_coords.b32 %r10, [%d1];\ntxq.array_size.b32 %r11, [%d1];\n"
                    "txq.channel_order.b32 %r12, [%d1];\ntxq.channel_data_type.b32 %r13, [%d1];\n"
                    "st.global.v4.u32 [%d0+16], {%r10, %r11, %r12, %r13};\nret;\n"));
    uint32_t *out = rig_buffer(r, 32);
    RUN(r, 1, 1, P(out), object_of(r, &t), 0);
    rig_expect_u32(out, (const uint32_t[8]){4, 2, 0, 3, 1, 0, 0x10b0, 0x10de}, 8);
}

/* ---- surfaces ---- */

/* A surface of 3 x 2 words that hold their number plus one. */
static sl_texture words(rig *r, uint32_t **data)
{
    *data = rig_buffer(r, 24);
    for (uint32_t i = 0; i < 6; i++)
        (*data)[i] = i + 1;
    sl_texture t = plane(*data, 3, 2);
    t.channel_kind = 'u';
    t.surface = true;
    return t;
}

/* %r10 = 4 * (lane - 1): from one word before the row to some behind it. */
#define ROW "sub.s32 %r10, %r0, 1;\nshl.b32 %r10, %r10, 2;\nmov.u32 %r11, 1;\n"

BEHAVIOUR(surfaces_read_zero_outside_or_clamp_or_trap)
{
    uint32_t *data, *out = rig_buffer(r, 6 * 4);
    sl_texture t = words(r, &data);
    uint64_t object = object_of(r, &t);
    rig_load(r, PTX(ROW "mov.u32 %r12, 77;\nsuld.b.2d.b32.zero {%r12}, [%d1, {%r10, %r11}]; // @load\n"
                        "st.global.u32 [%d2], %r12;\nret;\n"));
    RUN(r, 1, 6, P(out), object, 0);
    rig_expect_u32(out, (const uint32_t[6]){0, 4, 5, 6, 0, 0}, 6);
    const rig_access *access;
    assert_int_equal(rig_accesses(r, "load", &access, 1), 1);
    assert_int_equal(access->mask, 0xe); /* only what is inside is accessed */
    assert_int_equal(access->addr[1], P(data + 3));
    rig_load(r, PTX(ROW "suld.b.2d.b32.clamp {%r12}, [%d1, {%r10, %r11}];\nst.global.u32 [%d2], %r12;\nret;\n"));
    RUN(r, 1, 6, P(out), object, 0);
    rig_expect_u32(out, (const uint32_t[6]){4, 4, 5, 6, 6, 6}, 6);
    rig_load(r, PTX(ROW "suld.b.2d.b32.trap {%r12}, [%d1, {%r10, %r11}];\nst.global.u32 [%d2], %r12;\nret;\n"));
    assert_int_equal(TRY(r, 1, 6, P(out), object, 0), SL_FAULT);
    rig_expect_fault(r, SL_FAULT_ILLEGAL_ADDRESS, "x is -4, outside of a surface of 12 bytes");
}

BEHAVIOUR(surfaces_are_written_and_reduced)
{
    uint32_t *data;
    sl_texture t = words(r, &data);
    uint64_t object = object_of(r, &t);
    rig_load(r, PTX(ROW "setp.ne.u32 %p1, %r0, 2;\nadd.u32 %r12, %r0, 100;\n"
                        "@%p1 sust.b.2d.b32.zero [%d1, {%r10, %r11}], {%r12};\n"
                        "mov.u32 %r11, 0;\nsured.b.add.2d.u32.zero [%d1, {%r10, %r11}], %r0;\nret;\n"));
    RUN(r, 1, 32, 0, object, 0);
    rig_expect_u32(data, (const uint32_t[6]){2, 4, 6, 101, 5, 103}, 6);
}

BEHAVIOUR(surfaces_take_narrow_elements_and_layers)
{
    uint8_t *data = rig_buffer(r, 2 * 2 * 4);
    sl_texture t = {.dims = 2, .layers = 2, .levels = 1, .surface = true, .channels = 4, .channel_bits = 8};
    t.channel_kind = 'u';
    t.level[0] = (sl_texture_level){.data = P(data), .size = {2, 1, 1}, .pitch = 8, .slice = 8};
    rig_load(r, PTX("mov.u32 %r10, 1;\nmov.u32 %r11, 4;\nmov.u32 %r12, 0;\nmov.u16 %h1, 17;\nmov.u16 %h2, 18;\n"
                    "mov.u16 %h3, 19;\nmov.u16 %h4, 20;\n"
                    "sust.b.a2d.v4.b8.trap [%d1, {%r10, %r11, %r12, %r12}], {%h1, %h2, %h3, %h4};\n"
                    "suld.b.a2d.v2.b16.trap {%h5, %h6}, [%d1, {%r10, %r11, %r12, %r12}];\nmov.b32 %r13, {%h5, %h6};\n"
                    "mov.u32 %r14, 300;\nmov.u32 %r10, 0;\nmov.u32 %r11, 1;\n"
                    "sust.p.a2d.v4.b32.zero [%d1, {%r10, %r11, %r12, %r12}], {%r14, %r10, %r11, %r14};\n"
                    "st.global.u32 [%d0], %r13;\nret;\n"));
    uint32_t *out = rig_buffer(r, 4);
    RUN(r, 1, 1, P(out), object_of(r, &t), 0);
    assert_int_equal(*out, 0x14131211);
    const uint8_t expected[16] = {0, 0, 0, 0, 255, 0, 1, 255, 0, 0, 0, 0, 17, 18, 19, 20};
    assert_memory_equal(data, expected, sizeof expected);
}

BEHAVIOUR(a_fetch_is_recorded_as_a_word_of_its_texel)
{
    uint8_t *texel = rig_buffer(r, 64);
    sl_texture t = plane(texel, 64, 1);
    t.channel_bits = 8;
    t.channel_kind = 'u';
    const float in[4][4] = {{as_float(0)}, {as_float(3)}, {as_float(4)}, {as_float(31)}};
    float out[4][4];
    fetch(r, FETCH("tex.1d.v4.u32.s32 {%r20, %r21, %r22, %r23}, [%d1, {%r10}]; // @fetch\nmov.b32 %f10, %r20;"), &t, in,
          4, out);
    uint32_t count, found = 0;
    const rig_step *step = rig_steps(r, 0, 0, &count);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < step[i].accesses; k++) {
            const rig_access *a = &step[i].access[k];
            if (a->line != rig_line(r, "fetch"))
                continue;
            found++;
            assert_true(a->addr[0] == P(texel) && a->addr[1] == P(texel)); /* bytes 0 and 3 */
            assert_true(a->addr[2] == P(texel) + 4 && a->addr[3] == P(texel) + 28);
            assert_int_equal(sl_emu_kernel_static(r->kernel)->inst[a->inst].width, 4); /* not its four results */
        }
    assert_int_equal(found, 1);
}

BEHAVIOUR(a_surface_is_no_texture)
{
    uint32_t *data;
    sl_texture t = words(r, &data);
    uint64_t object = object_of(r, &t);
    rig_load(r, FETCH("tex.2d.v4.f32.f32 {%f10, %f11, %f12, %f13}, [%d1, {%f0, %f1}];"));
    void *out = rig_buffer(r, 512);
    assert_int_equal(TRY(r, 1, 1, P(out), object, P(out)), SL_FAULT);
    rig_expect_fault(r, SL_FAULT_ILLEGAL_ADDRESS, "is not a texture object");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IT(weights_have_eight_bits_and_sum_to_one),
        IT(texels_are_cut_to_the_largest_and_halves_round_away),
        IT(fractions_are_mixed_with_sixteen_bits),
        IT(normalised_coordinates_have_21_bits),
        IT(addresses_wrap_mirror_clamp_or_read_the_border),
        IT(a_gather_goes_counter_clockwise),
        IT(layers_beyond_the_last_and_before_the_first_are_the_last),
        IT(a_direction_hits_the_face_of_its_largest_part),
        IT(levels_are_chosen_or_mixed),
        IT(gradients_choose_the_level),
        IT(integers_come_as_they_are),
        IT(lanes_may_fetch_from_different_textures),
        IT(blocks_that_only_fetch_from_a_texture_are_independent),
        IT(fetches_from_freed_memory_and_unknown_objects_are_faults),
        IT(queries_answer),
        IT(surfaces_read_zero_outside_or_clamp_or_trap),
        IT(surfaces_are_written_and_reduced),
        IT(surfaces_take_narrow_elements_and_layers),
        IT(a_fetch_is_recorded_as_a_word_of_its_texel),
        IT(a_surface_is_no_texture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
