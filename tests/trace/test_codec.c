/* SPDX-License-Identifier: MIT */
/* The warp codec: what goes in comes out, in how many bytes, and damage is noticed. */
#include "trace_maker.h"

#include "trace/codec.h"

/* One remembered step or access. */
typedef struct event {
    bool step;
    uint32_t bb_or_slot;
    uint64_t mask;
    uint64_t addr[SL_MAX_LANES];
} event;

typedef struct recording {
    maker_kernel maker;
    uint32_t lanes;
    sl_warp_stream stream;
    event *events;
    size_t count, capacity;
} recording;

static void start(recording *r, uint32_t lanes)
{
    memset(r, 0, sizeof *r);
    make_kernel(&r->maker);
    r->lanes = lanes;
    assert_true(sl_warp_stream_init(&r->stream, r->maker.kernel.mem_slots, lanes));
}

static event *remember(recording *r)
{
    if (r->count == r->capacity) {
        r->capacity = r->capacity ? r->capacity * 2 : 64;
        r->events = realloc(r->events, r->capacity * sizeof *r->events);
        assert_non_null(r->events);
    }
    return &r->events[r->count++];
}

static void step(recording *r, uint32_t bb, uint64_t mask)
{
    event *e = remember(r);
    *e = (event){.step = true, .bb_or_slot = bb, .mask = mask};
    sl_warp_stream_step(&r->stream, bb, mask);
}

static void record(recording *r, uint32_t slot, uint64_t mask, const uint64_t *addr)
{
    event *e = remember(r);
    *e = (event){.bb_or_slot = slot, .mask = mask};
    memcpy(e->addr, addr, r->lanes * sizeof *addr);
    sl_warp_stream_access(&r->stream, slot, mask, addr);
}

static sl_warp_view view_of(const recording *r)
{
    return (sl_warp_view){.control = r->stream.control.data,
                          .control_bytes = r->stream.control.count,
                          .memory = r->stream.memory.data,
                          .memory_bytes = r->stream.memory.count};
}

/* The same as rows of a table, `ROWS` at a time; those of slot 1 are not wanted. */
static void check_rows(recording *r, const sl_warp_view *view, sl_predictor *scratch)
{
    enum { ROWS = 3, END = 0x5a };
    uint32_t slot[ROWS], width[ROWS];
    uint64_t mask[ROWS], addr[ROWS * 64 + 1];
    sl_slot_use use[MAKER_SLOTS];
    for (uint32_t i = 0; i < MAKER_SLOTS; i++)
        use[i] = (sl_slot_use){.wanted = i != 1, .width = 100 + i};
    sl_warp_cursor c;
    sl_warp_cursor_init(&c, &r->maker.kernel, r->lanes, view, scratch);
    size_t at = 0;
    for (bool more = true; more;) {
        sl_access_rows rows = {.capacity = ROWS, .slot = slot, .width = width, .mask = mask, .addr = addr};
        sl_error error;
        const uint64_t *next = addr;
        addr[ROWS * r->lanes] = END;
        assert_int_equal(sl_warp_cursor_fill(&c, use, &rows, &more, &error), SL_OK);
        assert_int_equal(addr[ROWS * r->lanes], END);
        assert_true(!more || rows.count == ROWS);
        for (size_t i = 0; i < rows.count; i++) {
            while (at < r->count && (r->events[at].step || !r->events[at].mask || r->events[at].bb_or_slot == 1))
                at++;
            assert_true(at < r->count);
            const event *e = &r->events[at++];
            assert_int_equal(slot[i], e->bb_or_slot);
            assert_int_equal(width[i], 100 + e->bb_or_slot);
            assert_true(mask[i] == e->mask);
            for (uint64_t left = e->mask; left; left &= left - 1)
                assert_true(*next++ == e->addr[__builtin_ctzll(left)]);
        }
        assert_int_equal(next - addr, rows.addresses);
    }
    while (at < r->count && (r->events[at].step || !r->events[at].mask || r->events[at].bb_or_slot == 1))
        at++;
    assert_int_equal(at, r->count);
}

/* Decodes and compares with what was remembered. */
static void check(recording *r)
{
    sl_warp_stream_flush(&r->stream);
    assert_false(r->stream.failed);
    sl_warp_view view = view_of(r);
    sl_predictor *scratch = malloc(r->maker.kernel.mem_slots * sizeof *scratch);
    memset(scratch, 0xa5, r->maker.kernel.mem_slots * sizeof *scratch);
    sl_warp_cursor c;
    sl_warp_cursor_init(&c, &r->maker.kernel, r->lanes, &view, scratch);
    sl_error error;
    size_t i = 0;
    bool more;
    for (;;) {
        assert_int_equal(sl_warp_cursor_step(&c, &more, &error), SL_OK);
        if (!more)
            break;
        assert_true(i < r->count && r->events[i].step);
        assert_int_equal(c.bb, r->events[i].bb_or_slot);
        assert_true(c.mask == r->events[i].mask);
        i++;
        for (;;) {
            assert_int_equal(sl_warp_cursor_access(&c, &more, &error), SL_OK);
            if (!more)
                break;
            const event *e = &r->events[i++];
            assert_true(i <= r->count && !e->step);
            assert_int_equal(c.access.slot, e->bb_or_slot);
            assert_int_equal(c.access.inst, r->maker.mem_inst[e->bb_or_slot]);
            assert_true(c.access.mask == e->mask);
            sl_access_expand(&c.access, r->lanes);
            for (uint32_t lane = 0; lane < r->lanes; lane++)
                if (e->mask >> lane & 1)
                    assert_true(c.access.addr[lane] == e->addr[lane]);
        }
    }
    assert_int_equal(i, r->count);
    check_rows(r, &view, scratch);
    free(scratch);
}

static void finish(recording *r)
{
    sl_warp_stream_fini(&r->stream);
    free(r->events);
}

static void line_of_addresses(uint64_t *addr, uint32_t lanes, uint64_t base, int64_t stride)
{
    for (uint32_t i = 0; i < lanes; i++)
        addr[i] = base + i * (uint64_t)stride;
}

static void a_loop_of_predicted_accesses_costs_no_bytes_per_iteration(void **state)
{
    (void)state;
    recording r;
    start(&r, 32);
    uint64_t addr[SL_MAX_LANES];
    for (int i = 0; i < 10000; i++) {
        step(&r, 0, UINT32_MAX);
        for (uint32_t slot = 0; slot < 3; slot++) {
            line_of_addresses(addr, 32, 0x700000000000 + slot * 0x100000 + (uint64_t)i * 128 * slot, slot == 1 ? 0 : 4);
            record(&r, slot, UINT32_MAX, addr);
        }
    }
    check(&r);
    assert_in_range(r.stream.control.count, 1, 8);
    assert_in_range(r.stream.memory.count, 1, 3 * (SL_ANCHOR_BYTES + 8) + 8);
    finish(&r);
}

/* Addresses and widths of all pieces of an access to rows. */
static uint32_t pieces_of(sl_access *a, uint64_t *addr, uint32_t *width)
{
    uint32_t count = 0;
    do
        for (uint64_t left = a->mask; left; left &= left - 1, count++) {
            addr[count] = a->addr[__builtin_ctzll(left)];
            width[count] = a->width;
        }
    while (sl_access_more(a));
    return count;
}

static void rows_are_cut_where_they_cross_lines_of_shared_memory(void **state)
{
    (void)state;
    maker_kernel maker;
    make_kernel(&maker);
    sl_inst *inst = &maker.inst[maker.mem_inst[3]];
    inst->access = SL_ACCESS_BULK_LOAD;
    sl_warp_stream stream;
    assert_true(sl_warp_stream_init(&stream, maker.kernel.mem_slots, 32));
    static const sl_row rows[] = {
        {.addr = 0x1000, .other = 0x70, .bytes = 300, .count = 1},
        {.addr = 0x90000, .other = 0x400, .bytes = 64, .count = 40, .step = -1024, .other_step = 64},
    };
    sl_warp_stream_step(&stream, 2, UINT32_MAX);
    sl_warp_stream_rows(&stream, 3, 5, rows, 2, 2);
    sl_warp_stream_flush(&stream);
    sl_warp_view view = {0, stream.control.data, stream.memory.data, stream.control.count, stream.memory.count};
    sl_predictor scratch[MAKER_SLOTS];
    sl_warp_cursor c;
    bool more;
    uint64_t addr[128];
    uint32_t width[128];
    sl_warp_cursor_init(&c, &maker.kernel, 32, &view, scratch);
    assert_int_equal(sl_warp_cursor_step(&c, &more, NULL), SL_OK);
    assert_int_equal(sl_warp_cursor_access(&c, &more, NULL), SL_OK);
    assert_true(more && c.access.bulk && c.access.first);
    assert_int_equal(c.access.blocks, 2);
    assert_true(c.access.issuers == 5);
    sl_access copy = c.access;
    assert_int_equal(pieces_of(&copy, addr, width), 4 + 40);
    static const uint32_t widths[] = {16, 128, 128, 28, 64};
    static const uint64_t at[] = {0x1000, 0x1010, 0x1090, 0x1110, 0x90000};
    for (int i = 0; i < 5; i++) {
        assert_int_equal(width[i], widths[i]);
        assert_true(addr[i] == at[i]);
    }
    assert_true(addr[43] == 0x90000 - 39 * 1024u);
    assert_true(c.access.first && !copy.first);
    /* one group of pieces of the same width after the other: 1, 2, 1, 32 and 8 */
    static const uint64_t masks[] = {1, 3, 1, UINT32_MAX, 0xff};
    const sl_slot_use use[MAKER_SLOTS] = {[3] = {.wanted = true}};
    sl_warp_cursor_init(&c, &maker.kernel, 32, &view, scratch);
    for (int i = 0, n = 0; i < 5; n += __builtin_popcountll(masks[i++])) {
        uint64_t mask, pieces[32];
        sl_access_rows row = {.capacity = 1, .mask = &mask, .addr = pieces};
        assert_int_equal(sl_warp_cursor_fill(&c, use, &row, &more, NULL), SL_OK);
        assert_int_equal(row.count, 1);
        assert_true(mask == masks[i]);
        assert_memory_equal(pieces, addr + n, row.addresses * sizeof *addr);
    }
    assert_int_equal(sl_warp_cursor_fill(&c, use, &(sl_access_rows){.capacity = 1}, &more, NULL), SL_OK);
    assert_false(more);
    /* the same bytes for an instruction that has lanes are damage */
    inst->access = SL_ACCESS_LOAD;
    sl_warp_cursor_init(&c, &maker.kernel, 32, &view, scratch);
    assert_int_equal(sl_warp_cursor_step(&c, &more, NULL), SL_OK);
    assert_int_equal(sl_warp_cursor_access(&c, &more, NULL), SL_CORRUPT);
    inst->access = SL_ACCESS_BULK_LOAD;
    for (size_t cut = 1; cut < stream.memory.count; cut++) { /* so is anything that is cut short */
        sl_warp_view part = view;
        part.memory_bytes = cut;
        sl_warp_cursor_init(&c, &maker.kernel, 32, &part, scratch);
        sl_status status = sl_warp_cursor_step(&c, &more, NULL);
        if (!status)
            status = sl_warp_cursor_access(&c, &more, NULL);
        assert_int_equal(status, SL_CORRUPT);
    }
    sl_warp_stream_fini(&stream);
}

static void two_dimensional_accesses_are_recognised(void **state)
{
    (void)state;
    static const struct {
        unsigned lanes, row_lanes, phase;
        int64_t stride, row;
    } cases[] = {{32, 16, 0, 4, 1024}, {32, 16, 0, 0, 4096}, {32, 8, 0, 8, -512},  {32, 2, 0, 4, 64},
                 {32, 24, 0, 4, 200},  {32, 24, 16, 4, 200}, {32, 10, 7, 4, 4000}, {64, 16, 0, 4, 128},
                 {64, 48, 32, -4, 77}, {64, 20, 3, 16, 9}};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        recording r;
        start(&r, cases[n].lanes);
        uint64_t addr[SL_MAX_LANES], full = sl_full_mask(cases[n].lanes);
        for (int round = 0; round < 4; round++) {
            for (unsigned i = 0; i < cases[n].lanes; i++) {
                unsigned at = i + cases[n].phase;
                addr[i] = 0x10000000u + (unsigned)round * 64 + at % cases[n].row_lanes * (uint64_t)cases[n].stride +
                          at / cases[n].row_lanes * (uint64_t)cases[n].row;
            }
            step(&r, 2, full);
            record(&r, 3, full, addr);
        }
        check(&r);
        sl_predictor scratch[MAKER_SLOTS];
        sl_warp_view view = view_of(&r);
        sl_warp_cursor c;
        bool more;
        sl_warp_cursor_init(&c, &r.maker.kernel, cases[n].lanes, &view, scratch);
        assert_int_equal(sl_warp_cursor_step(&c, &more, NULL), SL_OK);
        assert_int_equal(sl_warp_cursor_access(&c, &more, NULL), SL_OK);
        assert_true(more && c.access.affine);
        assert_int_equal(c.access.stride, cases[n].stride);
        assert_int_equal(c.access.row, cases[n].row);
        finish(&r);
    }
}

static void threads_that_each_walk_their_own_row_cost_nothing_after_the_first_access(void **state)
{
    (void)state;
    recording r;
    start(&r, 32);
    uint64_t seed = 1, addr[SL_MAX_LANES], mask = UINT32_MAX;
    for (int i = 0; i < 32; i++)
        addr[i] = 0x40000000 + next_random(&seed) % (1 << 24) * 4;
    for (int k = 0; k < 31; k++) { /* and their rows end one by one */
        step(&r, 2, mask);
        record(&r, 3, mask, addr);
        mask &= mask - 1;
        for (int i = 0; i < 32; i++)
            addr[i] += 4;
    }
    check(&r);
    assert_in_range(r.stream.memory.count, 90, 1 + 2 + 96 + SL_ANCHOR_BYTES + 4 + 4);
    finish(&r);
}

static void a_random_gather_costs_its_entropy(void **state)
{
    (void)state;
    recording r;
    start(&r, 32);
    uint64_t seed = 2, addr[SL_MAX_LANES];
    enum { ROUNDS = 1000, BITS = 20 };
    for (int k = 0; k < ROUNDS; k++) {
        for (int i = 0; i < 32; i++)
            addr[i] = 0x7f0000000000 + (next_random(&seed) >> (64 - BITS)) * 4;
        step(&r, 2, UINT32_MAX);
        record(&r, 3, UINT32_MAX, addr);
    }
    check(&r);
    assert_in_range(r.stream.memory.count, ROUNDS * 70, ROUNDS * (32 * BITS / 8 + 7));
    finish(&r);
}

static void an_inner_loop_that_starts_over_is_one_surprise_only(void **state)
{
    (void)state;
    recording r;
    start(&r, 32);
    uint64_t addr[SL_MAX_LANES];
    for (int outer = 0; outer < 100; outer++)
        for (int inner = 0; inner < 50; inner++) {
            line_of_addresses(addr, 32, 0x1000000 + (uint64_t)inner * 512, 4);
            step(&r, 2, UINT32_MAX);
            record(&r, 3, UINT32_MAX, addr);
        }
    check(&r);
    /* per round: one move (4 bytes) and one run (2 bytes) */
    assert_in_range(r.stream.memory.count, 100, 100 * 6 + SL_ANCHOR_BYTES + 16);
    finish(&r);
}

static void both_sides_of_a_branch_cost_one_mask(void **state)
{
    (void)state;
    recording r;
    start(&r, 32);
    uint64_t seed = 3;
    for (int k = 0; k < 1000; k++) {
        uint64_t taken = (uint32_t)next_random(&seed);
        step(&r, 1, UINT32_MAX);
        step(&r, 1, taken);
        step(&r, 1, UINT32_MAX & ~taken);
    }
    check(&r);
    assert_in_range(r.stream.control.count, 8000, 1000 * (2 + 6 + 2) + 8);
    finish(&r);
}

/* Random programs of all kinds of access, masks and orders. */
static void random_access(recording *r, uint64_t *seed, uint32_t slot, uint64_t step_mask)
{
    uint64_t addr[SL_MAX_LANES], mask = step_mask, choice = next_random(seed), base = choice >> 20;
    uint32_t lanes = r->lanes;
    if (choice % 5 == 0)
        mask &= next_random(seed);
    if (choice % 31 == 0)
        mask = 0;
    static uint64_t kept[MAKER_SLOTS][SL_MAX_LANES];
    switch (choice >> 8 & 7) {
    case 0:
        for (uint32_t i = 0; i < lanes; i++)
            addr[i] = next_random(seed);
        break;
    case 1:
        for (uint32_t i = 0; i < lanes; i++)
            addr[i] = base + (next_random(seed) & 0xffff) * 8;
        break;
    case 2:
        line_of_addresses(addr, lanes, base, (int64_t)(choice >> 12 & 0xff) - 128);
        break;
    case 3:
        line_of_addresses(addr, lanes, base, (int64_t)next_random(seed));
        break;
    case 4: {
        uint32_t row_lanes = 1 + choice / 7 % lanes, phase = choice / 11 % row_lanes;
        for (uint32_t i = 0; i < lanes; i++)
            addr[i] = base + (i + phase) % row_lanes * 4 + (i + phase) / row_lanes * (choice >> 50);
        break;
    }
    case 5:
        for (uint32_t i = 0; i < lanes; i++) /* near neighbours: differences are short */
            addr[i] = (i ? addr[i - 1] : base) + (next_random(seed) & 31) * 4;
        break;
    default: /* continue where the slot was */
        for (uint32_t i = 0; i < lanes; i++)
            addr[i] = kept[slot][i] + 4;
    }
    memcpy(kept[slot], addr, sizeof *addr * lanes);
    record(r, slot, mask, addr);
}

static void whatever_a_warp_does_comes_back_unchanged(void **state)
{
    (void)state;
    for (uint64_t n = 0; n < 400; n++) {
        recording r;
        uint64_t seed = n * 77 + 5;
        start(&r, n & 1 ? 64 : 32);
        uint64_t full = sl_full_mask(r.lanes), mask = full;
        unsigned steps = (unsigned)(next_random(&seed) % 200);
        uint32_t bb = 0;
        for (unsigned k = 0; k < steps; k++) {
            uint64_t choice = next_random(&seed);
            if (choice % 4 == 0)
                mask = choice & 16 ? full : next_random(&seed) & full;
            if (choice % 3 == 0)
                bb = (uint32_t)(choice >> 32) % MAKER_BBS;
            step(&r, bb, mask);
            const sl_trace_bb *block = &r.maker.bb[bb];
            for (uint32_t i = block->first; i < block->first + block->count; i++)
                if (r.maker.inst[i].mem_slot != UINT32_MAX)
                    random_access(&r, &seed, r.maker.inst[i].mem_slot, mask);
        }
        check(&r);
        /* the same again on the used stream gives the same bytes */
        sl_bytes control = r.stream.control, memory = r.stream.memory;
        r.stream.control = r.stream.memory = (sl_bytes){0};
        assert_true(sl_warp_stream_reset(&r.stream, MAKER_SLOTS, r.lanes));
        for (size_t i = 0; i < r.count; i++) {
            if (r.events[i].step)
                sl_warp_stream_step(&r.stream, r.events[i].bb_or_slot, r.events[i].mask);
            else
                sl_warp_stream_access(&r.stream, r.events[i].bb_or_slot, r.events[i].mask, r.events[i].addr);
        }
        sl_warp_stream_flush(&r.stream);
        assert_int_equal(r.stream.control.count, control.count);
        assert_int_equal(r.stream.memory.count, memory.count);
        assert_true(!control.count || !memcmp(r.stream.control.data, control.data, control.count));
        assert_memory_equal(r.stream.memory.data, memory.data, memory.count);
        free(control.data);
        free(memory.data);
        finish(&r);
    }
}

static void accesses_that_are_not_asked_for_are_skipped(void **state)
{
    (void)state;
    recording r;
    start(&r, 32);
    uint64_t seed = 9, addr[SL_MAX_LANES];
    for (int k = 0; k < 50; k++) {
        step(&r, 3, UINT32_MAX);
        for (uint32_t slot = 4; slot < 8; slot++) {
            for (int i = 0; i < 32; i++)
                addr[i] = next_random(&seed) >> (k & 1 ? 30 : 40);
            record(&r, slot, UINT32_MAX, addr);
        }
    }
    sl_warp_stream_flush(&r.stream);
    sl_predictor scratch[MAKER_SLOTS];
    sl_warp_view view = view_of(&r);
    sl_warp_cursor c;
    bool more = true;
    sl_warp_cursor_init(&c, &r.maker.kernel, 32, &view, scratch);
    int steps = -1;
    for (; more; steps++) {
        assert_int_equal(sl_warp_cursor_step(&c, &more, NULL), SL_OK);
        if (more && steps % 3 == 0) {
            assert_int_equal(sl_warp_cursor_access(&c, &more, NULL), SL_OK);
            assert_true(more);
            sl_access_expand(&c.access, 32);
            assert_true(c.access.addr[5] == r.events[(size_t)(steps + 1) * 5 + 1].addr[5]);
        }
    }
    assert_int_equal(steps, 50);
    finish(&r);
}

static void damage_is_noticed_or_harmless(void **state)
{
    (void)state;
    recording r;
    start(&r, 32);
    uint64_t seed = 4;
    for (int k = 0; k < 30; k++) {
        uint64_t mask = next_random(&seed) & UINT32_MAX;
        step(&r, 3, mask);
        for (uint32_t slot = 4; slot < 8; slot++)
            random_access(&r, &seed, slot, mask);
    }
    sl_warp_stream_flush(&r.stream);
    sl_predictor scratch[MAKER_SLOTS];
    unsigned noticed = 0, tries = 0;
    for (size_t cut = 0; cut < r.stream.memory.count; cut++, tries++) {
        uint8_t *copy = malloc(cut ? cut : 1);
        memcpy(copy, r.stream.memory.data, cut);
        sl_warp_view view = view_of(&r);
        view.memory = copy;
        view.memory_bytes = cut;
        sl_warp_cursor c;
        sl_warp_cursor_init(&c, &r.maker.kernel, 32, &view, scratch);
        bool more = true;
        sl_error error = {0};
        while (more && !sl_warp_cursor_step(&c, &more, &error))
            ;
        noticed += error.status == SL_CORRUPT;
        free(copy);
    }
    assert_int_equal(noticed, tries);
    finish(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_of_predicted_accesses_costs_no_bytes_per_iteration),
        cmocka_unit_test(rows_are_cut_where_they_cross_lines_of_shared_memory),
        cmocka_unit_test(two_dimensional_accesses_are_recognised),
        cmocka_unit_test(threads_that_each_walk_their_own_row_cost_nothing_after_the_first_access),
        cmocka_unit_test(a_random_gather_costs_its_entropy),
        cmocka_unit_test(an_inner_loop_that_starts_over_is_one_surprise_only),
        cmocka_unit_test(both_sides_of_a_branch_cost_one_mask),
        cmocka_unit_test(whatever_a_warp_does_comes_back_unchanged),
        cmocka_unit_test(accesses_that_are_not_asked_for_are_skipped),
        cmocka_unit_test(damage_is_noticed_or_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
