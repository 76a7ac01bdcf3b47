/* SPDX-License-Identifier: MIT */
#include "ptx/cfg.h"

#include "ptx_test.h"

/* The graph of a kernel as text: "0>2,1!3" is block 0 with successors 2 and 1 and post-dominator 3; X is the exit; a
 * star marks the target of a back edge; blocks are separated by blanks. */
static char *draw(const sl_cfg *cfg, char *text, size_t size)
{
    char *end = text;
    for (uint32_t i = 0; i < cfg->blocks; i++) {
        const sl_bb *b = &cfg->block[i];
        end += snprintf(end, size - (size_t)(end - text), "%s%u%s>", i ? " " : "", i, b->back_edge_target ? "*" : "");
        for (uint32_t k = 0; k < b->succs; k++)
            end += b->succ[k] == SL_BB_EXIT
                       ? snprintf(end, size - (size_t)(end - text), "%sX", k ? "," : "")
                       : snprintf(end, size - (size_t)(end - text), "%s%d", k ? "," : "", b->succ[k]);
        end += b->ipdom == SL_BB_EXIT ? snprintf(end, size - (size_t)(end - text), "!X")
                                      : snprintf(end, size - (size_t)(end - text), "!%d", b->ipdom);
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
    expect_graph("mov.u32 r, 1; mov.u32 r, 2; ret;", "0>X!X");
    expect_graph("mov.u32 r, 1;", "0>X!X");
    expect_graph("", "");
}

static void an_if_meets_after_itself(void **state)
{
    (void)state;
    expect_graph("@p bra L; mov.u32 r, 1; L: ret;", "0>2,1!2 1>2!2 2>X!X");
}

static void both_sides_of_an_if_else_meet(void **state)
{
    (void)state;
    expect_graph("@p bra E; mov.u32 r, 1; bra M; E: mov.u32 r, 2; M: ret;", "0>2,1!3 1>3!3 2>3!3 3>X!X");
}

static void a_loop_is_left_at_its_post_dominator(void **state)
{
    (void)state;
    expect_graph("L: mov.u32 r, 1; @p bra L; ret;", "0*>0,1!1 1>X!X");
    /* while: test at the top, a break in the middle */
    expect_graph("L: @p bra E; mov.u32 r, 1; @p bra E; bra L; E: ret;", "0*>3,1!3 1>3,2!3 2>0!0 3>X!X");
}

static void a_conditional_return_goes_to_the_exit_first_and_then_on(void **state)
{
    (void)state;
    expect_graph("@p ret; mov.u32 r, 1; @!p exit; ret;", "0>X,1!X 1>X,2!X 2>X!X");
    expect_graph("@p trap; ret;", "0>X,1!X 1>X!X");
}

static void a_table_branch_has_one_edge_per_entry(void **state)
{
    (void)state;
    expect_graph("t: .branchtargets A, B, A; brx.idx r, t; A: mov.u32 r, 1; bra M; B: mov.u32 r, 2; M: ret;",
                 "0>1,2,1!3 1>3!3 2>3!3 3>X!X");
    expect_graph("t: .branchtargets A, A; @p brx.idx r, t; mov.u32 r, 2; A: ret;", "0>2,2,1!2 1>2!2 2>X!X");
}

static void calls_and_barriers_end_blocks(void **state)
{
    (void)state;
    expect_graph("mov.u32 r, 1; call g; mov.u32 r, 2; bar.sync 0; mov.u32 r, 3; ret;", "0>1!1 1>2!2 2>X!X");
    expect_graph("bar.sync 0;", "0>X!X");
}

static void warp_wide_instructions_start_blocks(void **state)
{
    (void)state;
    expect_graph("mov.u32 r, 1; shfl.sync.up.b32 r, r, 1, 0, -1; mov.u32 r, 2; bar.warp.sync -1; ret;",
                 "0>1!1 1>2!2 2>X!X");
    expect_graph("mov.u32 r, 1; vote.ballot.b32 r, p; ret;", "0>X!X");
}

static void labels_that_nothing_refers_to_do_not_split_blocks(void **state)
{
    (void)state;
    expect_graph("$tmp1: mov.u32 r, 1; $tmp2: mov.u32 r, 2; $tmp3: ret; $end:", "0>X!X");
}

static void a_branch_to_the_end_leaves_the_function(void **state)
{
    (void)state;
    expect_graph("@p bra E; mov.u32 r, 1; E:", "0>X,1!X 1>X!X");
}

static void branches_inside_an_endless_loop_still_meet(void **state)
{
    (void)state;
    expect_graph("L: @p bra E; mov.u32 r, 1; bra M; E: mov.u32 r, 2; M: bra L;", "0*>2,1!3 1>3!3 2>3!3 3>0!X");
    expect_graph("L: bra L;", "0*>0!X");
    /* one way leads into an endless loop, the other out */
    expect_graph("@p bra L; ret; L: mov.u32 r, 1; bra L;", "0>2,1!X 1>X!X 2*>2!X");
}

static void blocks_that_cannot_be_reached_have_a_post_dominator_too(void **state)
{
    (void)state;
    expect_graph("bra E; L: mov.u32 r, 1; @p bra L; mov.u32 r, 2; E: ret;", "0>3!3 1*>1,2!2 2>3!3 3>X!X");
}

static void nested_loops_and_jumps_between_them_follow_the_definition(void **state)
{
    (void)state;
    /* outer: A { B { C ; continue-outer ; D } E } F */
    expect_graph("A: mov.u32 r, 0;\nB: mov.u32 r, 1; @p bra A; mov.u32 r, 2; @p bra B; mov.u32 r, 3; @p bra A; ret;",
                 "0*>1!1 1*>0,2!2 2>1,3!3 3>0,4!4 4>X!X");
}

/* The definition, slowly: d post-dominates n when n cannot reach the exit without d. */
static bool reaches_exit_without(const sl_cfg *cfg, uint32_t from, int32_t without, bool *seen)
{
    if ((int32_t)from == without || seen[from])
        return false;
    seen[from] = true;
    for (uint32_t k = 0; k < cfg->block[from].succs; k++) {
        int32_t to = cfg->block[from].succ[k];
        if (to == SL_BB_EXIT || reaches_exit_without(cfg, (uint32_t)to, without, seen))
            return true;
    }
    return false;
}

enum { NOWHERE = -2 }; /* no block: what it seems to post-dominate cannot reach the exit */

static bool post_dominates(const sl_cfg *cfg, int32_t d, uint32_t n)
{
    bool seen[64] = {false};
    return d == SL_BB_EXIT || !reaches_exit_without(cfg, n, d, seen);
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

static void post_dominators_of_random_graphs_agree_with_the_definition(void **state)
{
    (void)state;
    uint32_t checked = 0;
    for (uint32_t seed = 0; seed < 200; seed++) {
        char body[4096], source[8192];
        snprintf(source, sizeof source, PTX_HEAD ".entry k() {.reg .pred p; .reg .b32 r;\n%s\n}",
                 random_body(body, seed, 5 + seed % 12));
        sl_ptx_module *m = parse_text(source);
        sl_arena arena;
        sl_cfg cfg;
        sl_error error;
        sl_arena_init(&arena);
        assert_int_equal(sl_cfg_build(m, kernel_of(m), &arena, &cfg, &error), SL_OK);
        assert_true(cfg.blocks < 64);
        /* with an endless loop somewhere the definition says nothing about what leads there */
        bool endless = false;
        for (uint32_t n = 0; n < cfg.blocks; n++)
            endless |= post_dominates(&cfg, NOWHERE, n);
        for (uint32_t n = 0; n < cfg.blocks && !endless; n++) {
            int32_t ipdom = cfg.block[n].ipdom;
            assert_true(ipdom != (int32_t)n && post_dominates(&cfg, ipdom, n));
            /* immediate: every other post-dominator of n post-dominates it */
            for (uint32_t d = 0; d < cfg.blocks; d++)
                if (d != n && (int32_t)d != ipdom && post_dominates(&cfg, (int32_t)d, n))
                    assert_true(ipdom != SL_BB_EXIT && post_dominates(&cfg, (int32_t)d, (uint32_t)ipdom));
            checked++;
        }
        sl_arena_fini(&arena);
        sl_ptx_free(m);
    }
    assert_true(checked > 1000);
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
        cmocka_unit_test(a_loop_is_left_at_its_post_dominator),
        cmocka_unit_test(a_conditional_return_goes_to_the_exit_first_and_then_on),
        cmocka_unit_test(a_table_branch_has_one_edge_per_entry),
        cmocka_unit_test(calls_and_barriers_end_blocks),
        cmocka_unit_test(warp_wide_instructions_start_blocks),
        cmocka_unit_test(labels_that_nothing_refers_to_do_not_split_blocks),
        cmocka_unit_test(a_branch_to_the_end_leaves_the_function),
        cmocka_unit_test(branches_inside_an_endless_loop_still_meet),
        cmocka_unit_test(blocks_that_cannot_be_reached_have_a_post_dominator_too),
        cmocka_unit_test(nested_loops_and_jumps_between_them_follow_the_definition),
        cmocka_unit_test(post_dominators_of_random_graphs_agree_with_the_definition),
        cmocka_unit_test(branches_without_a_label_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
