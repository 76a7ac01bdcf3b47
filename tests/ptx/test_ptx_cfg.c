/* SPDX-License-Identifier: MIT */
#include "ptx/cfg.h"

#include "ptx_test.h"

/* The graph of a kernel as text: "0>2,1!3,4-5/3" is block 0 with successors 2 and 1, whose lanes meet in block 3 or
 * else in 4, while those that go to 5 do not reach 3; X is the exit; a star marks the target of a back edge; blocks are
 * separated by blanks. */
static char *draw(const sl_cfg *cfg, char *text, size_t size)
{
    char *end = text, *limit = text + size;
    for (uint32_t i = 0; i < cfg->blocks; i++) {
        const sl_bb *b = &cfg->block[i];
        end += snprintf(end, (size_t)(limit - end), "%s%u%s>", i ? " " : "", i, b->back_edge_target ? "*" : "");
        for (uint32_t k = 0; k < b->succs; k++)
            end += b->succ[k] == SL_BB_EXIT ? snprintf(end, (size_t)(limit - end), "%sX", k ? "," : "")
                                            : snprintf(end, (size_t)(limit - end), "%s%d", k ? "," : "", b->succ[k]);
        for (uint32_t k = 0; k < b->joins; k++)
            end += snprintf(end, (size_t)(limit - end), "%c%d", k ? ',' : '!', b->join[k]);
        for (uint32_t k = 0; k < b->leaves; k++)
            end += snprintf(end, (size_t)(limit - end), "%c%d/%d", k ? ',' : '-', b->leave[k].to, b->leave[k].join);
    }
    return text;
}

static void expect_graph(const char *body, const char *expected)
{
    static const char head[] = PTX_HEAD ".func g();\n.entry k() {.reg .pred p; .reg .b32 r; .reg .b64 a;\n";
    char source[4096], text[1024] = "";
    snprintf(source, sizeof source, "%s%s\n}", head, body);
    sl_ptx_module *m = parse_text(source);
    sl_arena arena;
    sl_cfg cfg;
    sl_error error;
    sl_arena_init(&arena);
    assert_int_equal(sl_cfg_build(m, kernel_of(m), &arena, &cfg, &error), SL_OK);
    uint32_t next = 0;
    for (uint32_t i = 0; i < cfg.blocks; i++) {
        assert_int_equal(cfg.block[i].first, next);
        assert_true(cfg.block[i].count > 0);
        for (uint32_t k = 0; k < cfg.block[i].count; k++)
            assert_int_equal(cfg.block_of[next++], i);
    }
    assert_int_equal(next, kernel_of(m)->insts);
    assert_string_equal(draw(&cfg, text, sizeof text), expected);
    sl_arena_fini(&arena);
    sl_ptx_free(m);
}

static void straight_code_is_one_block(void **state)
{
    (void)state;
    expect_graph("mov.u32 r, 1; mov.u32 r, 2; ret;", "0>X");
    expect_graph("mov.u32 r, 1;", "0>X");
    expect_graph("", "");
}

static void an_if_meets_after_itself(void **state)
{
    (void)state;
    expect_graph("@p bra L; mov.u32 r, 1; L: ret;", "0>2,1!2 1>2 2>X");
}

static void both_sides_of_an_if_else_meet(void **state)
{
    (void)state;
    expect_graph("@p bra E; mov.u32 r, 1; bra M; E: mov.u32 r, 2; M: ret;", "0>2,1!3 1>3 2>3 3>X");
}

static void lanes_that_leave_a_loop_meet_behind_it(void **state)
{
    (void)state;
    expect_graph("L: mov.u32 r, 1; @p bra L; ret;", "0*>0,1!1 1>X");
    /* while: test at the top, a break in the middle */
    expect_graph("L: @p bra E; mov.u32 r, 1; @p bra E; bra L; E: ret;", "0*>3,1!3 1>3,2!3 2>0 3>X");
}

static void a_conditional_return_goes_to_the_exit_first_and_then_on(void **state)
{
    (void)state;
    expect_graph("@p ret; mov.u32 r, 1; @!p exit; ret;", "0>X,1 1>X,2 2>X");
    expect_graph("@p trap; ret;", "0>X,1 1>X");
}

static void lanes_meet_after_an_if_that_some_return_from(void **state)
{
    (void)state;
    /* if (p) { if (p) return; … } … */
    expect_graph("@p bra M; mov.u32 r, 1; @p ret; mov.u32 r, 2; M: mov.u32 r, 3; ret;", "0>3,1!3 1>X,2 2>3 3>X");
    /* the same with one return at the end, as compilers write it */
    expect_graph("@p bra M; mov.u32 r, 1; @p bra E; mov.u32 r, 2; M: mov.u32 r, 3; E: ret;",
                 "0>3,1!3,4 1>4,2!4-4/3 2>3 3>4 4>X");
    expect_graph("@p bra M; mov.u32 r, 1; @p trap; mov.u32 r, 2; M: ret;", "0>3,1!3 1>X,2 2>3 3>X");
}

static void lanes_meet_after_an_if_in_a_loop_that_some_break_out_of_or_continue(void **state)
{
    (void)state;
    /* do { if (p) { if (p) break; … } … } while (p); … */
    expect_graph("L: @p bra M; mov.u32 r, 1; @p bra E; mov.u32 r, 2; M: mov.u32 r, 3; @p bra L; E: ret;",
                 "0*>3,1!3,4 1>4,2!4-4/3 2>3 3>0,4!4 4>X");
    /* do { if (p) { if (p) continue; … } … next: … } while (p); */
    expect_graph("L: @p bra M; mov.u32 r, 1; @p bra N; mov.u32 r, 2; M: mov.u32 r, 3; N: @p bra L; ret;",
                 "0*>3,1!3,4,5 1>4,2!4,5-4/3 2>3 3>4 4>0,5!5 5>X");
}

static void both_ways_into_a_branch_of_an_or_meet(void **state)
{
    (void)state;
    /* if (p || p) S; else T; … */
    expect_graph("@p bra S; @p bra S; mov.u32 r, 2; bra M; S: mov.u32 r, 1; M: ret;",
                 "0>3,1!3,4 1>3,2!4-2/3 2>4 3>4 4>X");
}

static void a_table_branch_has_one_edge_per_entry(void **state)
{
    (void)state;
    expect_graph("t: .branchtargets A, B, A; brx.idx r, t; A: mov.u32 r, 1; bra M; B: mov.u32 r, 2; M: ret;",
                 "0>1,2,1!3 1>3 2>3 3>X");
    expect_graph("t: .branchtargets A, A; @p brx.idx r, t; mov.u32 r, 2; A: ret;", "0>2,2,1!2 1>2 2>X");
}

static void calls_and_barriers_end_blocks(void **state)
{
    (void)state;
    expect_graph("mov.u32 r, 1; call g; mov.u32 r, 2; bar.sync 0; mov.u32 r, 3; ret;", "0>1 1>2 2>X");
    expect_graph("bar.sync 0;", "0>X");
}

static void warp_wide_instructions_start_blocks(void **state)
{
    (void)state;
    expect_graph("mov.u32 r, 1; shfl.sync.up.b32 r, r, 1, 0, -1; mov.u32 r, 2; bar.warp.sync -1; ret;", "0>1 1>2 2>X");
    expect_graph("mov.u32 r, 1; vote.ballot.b32 r, p; ret;", "0>X");
}

static void labels_that_nothing_refers_to_do_not_split_blocks(void **state)
{
    (void)state;
    expect_graph("$tmp1: mov.u32 r, 1; $tmp2: mov.u32 r, 2; $tmp3: ret; $end:", "0>X");
}

static void a_branch_to_the_end_leaves_the_function(void **state)
{
    (void)state;
    expect_graph("@p bra E; mov.u32 r, 1; E:", "0>X,1 1>X");
}

static void branches_inside_an_endless_loop_still_meet(void **state)
{
    (void)state;
    expect_graph("L: @p bra E; mov.u32 r, 1; bra M; E: mov.u32 r, 2; M: bra L;", "0*>2,1!3 1>3 2>3 3>0");
    expect_graph("L: bra L;", "0*>0");
    /* one way leads into an endless loop, the other out */
    expect_graph("@p bra L; ret; L: mov.u32 r, 1; bra L;", "0>2,1 1>X 2*>2");
}

static void blocks_that_cannot_be_reached_have_no_joins(void **state)
{
    (void)state;
    expect_graph("bra E; L: mov.u32 r, 1; @p bra L; mov.u32 r, 2; E: ret;", "0>3 1*>1,2 2>3 3>X");
}

static void turns_of_a_loop_that_start_from_several_blocks_meet_at_its_start(void **state)
{
    (void)state;
    /* outer: A { B { C ; continue-outer ; D } E } F */
    expect_graph("A: mov.u32 r, 0;\nB: mov.u32 r, 1; @p bra A; mov.u32 r, 2; @p bra B; mov.u32 r, 3; @p bra A; ret;",
                 "0*>1 1*>0,2!0,4-0/3 2>1,3!3,0,4 3>0,4!4-4/0 4>X");
}

/* The definitions, slowly. */
static bool reaches(const sl_cfg *cfg, int32_t from, int32_t to, int32_t without, int32_t nor, bool *seen)
{
    if (from < 0 || from == without || from == nor || seen[from])
        return false;
    seen[from] = true;
    for (uint32_t k = 0; k < cfg->block[from].succs; k++)
        if (cfg->block[from].succ[k] == to || reaches(cfg, cfg->block[from].succ[k], to, without, nor, seen))
            return true;
    return false;
}

enum { NOWHERE = -2 };

static bool path(const sl_cfg *cfg, int32_t from, int32_t to, int32_t without, int32_t nor)
{
    bool seen[64] = {false};
    return reaches(cfg, from, to, without, nor, seen);
}

static bool reachable(const sl_cfg *cfg, int32_t b)
{
    return b == 0 || path(cfg, 0, b, NOWHERE, NOWHERE);
}

static bool dominates(const sl_cfg *cfg, int32_t a, int32_t b)
{
    return a == b || a == 0 || (b != 0 && !path(cfg, 0, b, a, NOWHERE));
}

static bool is_edge(const sl_cfg *cfg, int32_t from, int32_t to)
{
    for (uint32_t k = 0; k < cfg->block[from].succs; k++)
        if (cfg->block[from].succ[k] == to)
            return true;
    return false;
}

/* Whether `b` is in the loop of header `h`: it reaches a back edge to it without passing it. */
static bool in_loop(const sl_cfg *cfg, int32_t h, int32_t b)
{
    for (int32_t u = 0; u < (int32_t)cfg->blocks; u++)
        if (reachable(cfg, u) && is_edge(cfg, u, h) && dominates(cfg, h, u) &&
            (b == h || b == u || (u != h && path(cfg, b, u, h, NOWHERE))))
            return dominates(cfg, h, b);
    return false;
}

static int32_t immediate_dominator(const sl_cfg *cfg, int32_t b)
{
    for (int32_t d = 0; d < (int32_t)cfg->blocks; d++) {
        bool immediate = d != b && reachable(cfg, d) && dominates(cfg, d, b);
        for (int32_t e = 0; immediate && e < (int32_t)cfg->blocks; e++)
            if (e != b && e != d && reachable(cfg, e) && dominates(cfg, e, b) && !dominates(cfg, e, d))
                immediate = false;
        if (immediate)
            return d;
    }
    return NOWHERE;
}

static int32_t branch_above(const sl_cfg *cfg, int32_t join)
{
    int32_t above = immediate_dominator(cfg, join);
    for (int32_t h = (int32_t)cfg->blocks; h-- > 0 && above >= 0;) {
        if (!reachable(cfg, h) || !in_loop(cfg, h, above) || in_loop(cfg, h, join))
            continue;
        above = immediate_dominator(cfg, h);
        h = (int32_t)cfg->blocks;
    }
    return above;
}

static bool is_join(const sl_cfg *cfg, int32_t b, bool *from_within)
{
    int ahead = 0, back = 0;
    bool leaves = false;
    for (int32_t p = 0; p < (int32_t)cfg->blocks; p++) {
        if (!reachable(cfg, p) || !is_edge(cfg, p, b))
            continue;
        *(dominates(cfg, b, p) ? &back : &ahead) += 1;
        for (int32_t h = 0; h < (int32_t)cfg->blocks; h++)
            leaves |= reachable(cfg, h) && in_loop(cfg, h, p) && !in_loop(cfg, h, b);
    }
    *from_within = back > 1;
    return ahead > 1 || back > 1 || leaves;
}

static bool in_region(const sl_cfg *cfg, int32_t join, int32_t above, bool from_within, int32_t b)
{
    if (b == join || b == above || !reachable(cfg, b))
        return false;
    for (int32_t p = 0; p < (int32_t)cfg->blocks; p++)
        if (reachable(cfg, p) && is_edge(cfg, p, join) && (from_within || !dominates(cfg, join, p)) && p != above &&
            p != join && (p == b || path(cfg, b, p, above, join)))
            return true;
    return false;
}

static bool is_listed(const sl_bb *bb, int32_t join)
{
    for (uint32_t k = 0; k < bb->joins; k++)
        if (bb->join[k] == join)
            return true;
    return false;
}

static uint32_t draw_number(uint32_t *seed, uint32_t below)
{
    *seed = *seed * 1664525 + 1013904223;
    return (*seed >> 16) % below;
}

/* A random function; its last block returns. */
static char *random_body(char *text, uint32_t seed, uint32_t blocks)
{
    char *end = text;
    for (uint32_t i = 0; i < blocks; i++) {
        end += sprintf(end, "B%u: mov.u32 r, %u; @p bra B%u;", i, i, draw_number(&seed, blocks));
        if (draw_number(&seed, 4) == 0)
            end += sprintf(end, " bra B%u;", draw_number(&seed, blocks));
        *end++ = '\n';
    }
    strcpy(end, "ret;");
    return text;
}

static void joins_of_random_graphs_agree_with_the_definition(void **state)
{
    (void)state;
    uint32_t checked = 0;
    for (uint32_t seed = 0; seed < 100; seed++) {
        char body[4096], source[8192];
        snprintf(source, sizeof source, PTX_HEAD ".entry k() {.reg .pred p; .reg .b32 r;\n%s\n}",
                 random_body(body, seed, 5 + seed % 8));
        sl_ptx_module *m = parse_text(source);
        sl_arena arena;
        sl_cfg cfg;
        sl_error error;
        sl_arena_init(&arena);
        assert_int_equal(sl_cfg_build(m, kernel_of(m), &arena, &cfg, &error), SL_OK);
        assert_true(cfg.blocks < 64);
        for (int32_t j = 0; j < (int32_t)cfg.blocks; j++) {
            bool from_within = false, joins = reachable(&cfg, j) && is_join(&cfg, j, &from_within);
            int32_t above = joins ? branch_above(&cfg, j) : NOWHERE;
            for (int32_t b = 0; b < (int32_t)cfg.blocks; b++) {
                bool inside = joins && (b == above || in_region(&cfg, j, above, from_within, b));
                int32_t first = NOWHERE;
                bool parts = false;
                for (uint32_t k = 0; inside && k < cfg.block[b].succs; k++) {
                    int32_t to = cfg.block[b].succ[k];
                    if (to != j && !in_region(&cfg, j, above, from_within, to))
                        continue;
                    parts |= first != NOWHERE && to != first;
                    first = to;
                }
                if (is_listed(&cfg.block[b], j) != parts) {
                    char text[4096];
                    fail_msg("seed %u, block %d, join %d of %d: %d; %s", seed, b, j, above, parts,
                             draw(&cfg, text, sizeof text));
                }
                checked += parts;
            }
        }
        sl_arena_fini(&arena);
        sl_ptx_free(m);
    }
    assert_true(checked > 500);
}

static void branches_without_a_label_are_refused(void **state)
{
    (void)state;
    sl_ptx_module *m = parse_text(PTX_KERNEL("mov.u32 %r1, 0;\nbra %rd1;"));
    sl_arena arena;
    sl_cfg cfg;
    sl_error error;
    sl_arena_init(&arena);
    assert_int_equal(sl_cfg_build(m, kernel_of(m), &arena, &cfg, &error), SL_UNSUPPORTED);
    assert_int_equal(error.line, 11);
    sl_arena_fini(&arena);
    sl_ptx_free(m);
    m = parse_text(PTX_KERNEL("t: .branchtargets L;\nbra t;\nL: ret;"));
    sl_arena_init(&arena);
    assert_int_equal(sl_cfg_build(m, kernel_of(m), &arena, &cfg, &error), SL_SYNTAX);
    assert_string_equal(error.text, "bra goes to t, which is not a label of k");
    sl_arena_fini(&arena);
    sl_ptx_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(straight_code_is_one_block),
        cmocka_unit_test(an_if_meets_after_itself),
        cmocka_unit_test(both_sides_of_an_if_else_meet),
        cmocka_unit_test(lanes_that_leave_a_loop_meet_behind_it),
        cmocka_unit_test(a_conditional_return_goes_to_the_exit_first_and_then_on),
        cmocka_unit_test(lanes_meet_after_an_if_that_some_return_from),
        cmocka_unit_test(lanes_meet_after_an_if_in_a_loop_that_some_break_out_of_or_continue),
        cmocka_unit_test(both_ways_into_a_branch_of_an_or_meet),
        cmocka_unit_test(a_table_branch_has_one_edge_per_entry),
        cmocka_unit_test(calls_and_barriers_end_blocks),
        cmocka_unit_test(warp_wide_instructions_start_blocks),
        cmocka_unit_test(labels_that_nothing_refers_to_do_not_split_blocks),
        cmocka_unit_test(a_branch_to_the_end_leaves_the_function),
        cmocka_unit_test(branches_inside_an_endless_loop_still_meet),
        cmocka_unit_test(blocks_that_cannot_be_reached_have_no_joins),
        cmocka_unit_test(turns_of_a_loop_that_start_from_several_blocks_meet_at_its_start),
        cmocka_unit_test(joins_of_random_graphs_agree_with_the_definition),
        cmocka_unit_test(branches_without_a_label_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
