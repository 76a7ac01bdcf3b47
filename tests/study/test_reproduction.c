/* SPDX-License-Identifier: MIT */
/* What a quick run of the built-in papers judges is what the full run judges: the same points of the same programs. */
#include <string.h>

#include "study/reproduction.h"
#include "support.h"

static const sl_paper_programs NO_PROGRAMS = {0};

/* The pairs of a program and a configuration that an expression needs, in order. */
typedef struct uses {
    size_t count;
    int pair[4096][2];
} uses;

static void note(void *context, int program, int config)
{
    uses *u = context;
    assert_true(u->count < 4096);
    u->pair[u->count][0] = program;
    u->pair[u->count++][1] = config;
}

static size_t members_of(const void *context, int group, const int **program)
{
    const sl_reproduction *r = context;
    *program = r->group[group].program;
    return r->group[group].count;
}

static uses uses_of(const sl_reproduction *r, const sl_expression *e, int program)
{
    const sl_expression_source source = {.members = members_of, .context = r};
    uses u = {0};
    sl_expression_uses(e, &source, program, note, &u);
    return u;
}

static void same_points(const sl_reproduction *full, const sl_reproduction *quick, const sl_expression *e, int program)
{
    uses all = uses_of(full, e, program), some = uses_of(quick, e, program);
    assert_int_equal(all.count, some.count);
    for (size_t i = 0; i < all.count; i++) {
        assert_memory_equal(all.pair[i], some.pair[i], sizeof all.pair[i]);
        const sl_paper_config *config = &full->paper->config[all.pair[i][1]];
        size_t at = (size_t)all.pair[i][0] * full->paper->configs + (size_t)all.pair[i][1];
        for (size_t v = 0; v < config->variants && !config->known; v++) {
            assert_true(full->first[at] >= 0 && quick->first[at] >= 0);
            const sl_point *a = &full->point[(size_t)full->first[at] + v];
            const sl_point *b = &quick->point[(size_t)quick->first[at] + v];
            char text[2][1024];
            assert_string_equal(sl_point_text(a, text[0], 1024), sl_point_text(b, text[1], 1024));
            assert_string_equal(a->input.size, b->input.size);
        }
    }
}

/* Returns how many statements the quick run judges. */
static size_t check_paper(const sl_reproduction *full, const sl_reproduction *quick)
{
    const sl_paper *paper = full->paper;
    size_t judged = 0;
    for (size_t f = 0; f < paper->figures; f++) {
        const sl_paper_figure *figure = &paper->figure[f];
        for (size_t c = 0; c < figure->claims && quick->wanted[f]; c++) {
            const sl_paper_claim *claim = &figure->claim[c];
            if (sl_compare_claim(quick, claim).verdict == SL_VERDICT_NONE)
                continue;
            same_points(full, quick, claim->value, -1);
            same_points(full, quick, claim->holds, -1);
            same_points(full, quick, claim->direction, -1);
            judged++;
        }
        for (size_t c = 0; c < figure->columns && quick->wanted[f]; c++)
            for (int p = 0; p < (int)paper->programs; p++)
                if (sl_compare_program(quick, &figure->column[c], p).verdict != SL_VERDICT_NONE) {
                    same_points(full, quick, figure->column[c].value, p);
                    judged++;
                }
        for (size_t c = 0; c < figure->columns && quick->wanted[f]; c++)
            for (size_t g = 0; g < figure->groups; g++) {
                int group = figure->group[g];
                if (sl_compare_group(quick, &figure->column[c], group).verdict == SL_VERDICT_NONE)
                    continue;
                assert_int_equal(quick->group[group].count, full->group[group].count);
                judged++;
            }
    }
    return judged;
}

static void a_quick_run_judges_what_the_full_run_judges(void **state)
{
    (void)state;
    size_t judged = 0;
    for (size_t i = 0; i < sl_paper_count(); i++) {
        sl_paper paper;
        sl_reproduction full, quick;
        sl_error error;
        if (sl_paper_load(sl_paper_name_at(i), NULL, &paper, &error) ||
            sl_reproduction_plan(&paper, NULL, false, &NO_PROGRAMS, &full, &error) ||
            sl_reproduction_plan(&paper, NULL, true, &NO_PROGRAMS, &quick, &error))
            fail_msg("%s", error.text);
        judged += check_paper(&full, &quick);
        sl_reproduction_free(&full);
        sl_reproduction_free(&quick);
        sl_paper_free(&paper);
    }
    assert_true(judged > 10);
}

/* Numbers measured elsewhere, so that nothing is run. */
static const char judged_paper[] =
    "name: judged\ntitle: verdicts\nsource: none\n"
    "programs: {A: vecadd, B: vecadd}\n"
    "groups: {all: [A, B]}\n"
    "configs:\n"
    "  M: {values: {A: {gain: 0.9, noise: 1.7}, B: {gain: 24, noise: 1.7}}}\n"
    "figures:\n"
    "  - id: gains\n"
    "    title: gains\n"
    "    rows: [all]\n"
    "    columns:\n"
    "      - {name: gain, value: M.gain, neutral: 0, noise: M.noise, within: 5, paper: {A: 25.94, B: 25.94}}\n"
    "      - {name: nothing, value: M.gain, neutral: 0, noise: M.noise, within: 0.1, paper: {A: 0}}\n"
    "      - {name: given, value: M.gain, input: yes, paper: {A: 3}}\n"
    "      - {name: without noise, value: M.gain, neutral: 0, still: 0.1, within: 5, paper: {A: 25.94}}\n"
    "    claims:\n"
    "      - {says: A gains, value: 'at(A, M.gain)', holds: value > 0, neutral: 0, noise: 'at(A, M.noise)'}\n"
    "      - {says: B gains, value: 'at(B, M.gain)', holds: value > 0, neutral: 0, noise: 'at(B, M.noise)'}\n"
    "      - {says: given, value: 'at(A, M.gain)', holds: value > 0, input: yes}\n";

static void numbers_within_their_noise_are_not_resolved_and_inputs_not_judged(void **state)
{
    (void)state;
    sl_paper paper;
    sl_reproduction r;
    sl_error error;
    if (sl_paper_parse("judged.yaml", judged_paper, sizeof judged_paper - 1, NULL, &paper, &error) ||
        sl_reproduction_plan(&paper, NULL, false, &NO_PROGRAMS, &r, &error))
        fail_msg("%s", error.text);
    const sl_paper_figure *figure = &paper.figure[0];
    static const sl_verdict of_a[] = {SL_VERDICT_UNRESOLVED, SL_VERDICT_AGREES, SL_VERDICT_INPUT, SL_VERDICT_DIRECTION};
    for (size_t c = 0; c < figure->columns; c++)
        assert_int_equal(sl_compare_program(&r, &figure->column[c], 0).verdict, of_a[c]);
    assert_int_equal(sl_compare_program(&r, &figure->column[0], 1).verdict, SL_VERDICT_AGREES);
    static const sl_verdict of_claims[] = {SL_VERDICT_UNRESOLVED, SL_VERDICT_AGREES, SL_VERDICT_INPUT};
    for (size_t c = 0; c < figure->claims; c++)
        assert_int_equal(sl_compare_claim(&r, &figure->claim[c]).verdict, of_claims[c]);
    sl_reproduction_free(&r);
    sl_paper_free(&paper);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_within_their_noise_are_not_resolved_and_inputs_not_judged),
        cmocka_unit_test(a_quick_run_judges_what_the_full_run_judges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
