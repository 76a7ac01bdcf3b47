/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "policy/policy.h"
#include "support.h"

static void check_error(const char *text, sl_status status, const char *message)
{
    sl_policy_choice choice;
    sl_error error;
    assert_int_equal(sl_policy_parse(text, &choice, &error), status);
    assert_string_equal(error.text, message);
}

static sl_policy_choice parsed(const char *text)
{
    sl_policy_choice choice;
    sl_error error;
    assert_int_equal(sl_policy_parse(text, &choice, &error), SL_OK);
    return choice;
}

static void a_name_alone_has_what_is_usual(void **state)
{
    (void)state;
    sl_policy_choice c = parsed("srrip");
    assert_string_equal(c.ops->name, "srrip");
    assert_int_equal(c.value[0], 2);
    assert_int_equal(c.value[1], 0);
    assert_string_equal(parsed("lru").ops->name, "lru");
    assert_string_equal(parsed("lru()").ops->name, "lru");
}

static void parameters_are_given_in_any_order(void **state)
{
    (void)state;
    sl_policy_choice c = parsed(" drrip ( leaders = 8,hit=frequency ) ");
    assert_string_equal(c.ops->name, "drrip");
    const uint64_t expected[] = {2, 1, 32, 8, 10};
    for (int i = 0; i < 5; i++)
        assert_int_equal(c.value[i], expected[i]);
}

static void a_wrong_name_gets_the_nearest(void **state)
{
    (void)state;
    check_error("srip", SL_NOT_FOUND, "no policy is called 'srip'; the nearest is 'srrip'");
    check_error("clairvoyant", SL_NOT_FOUND, "no policy is called 'clairvoyant'; 'sluice policies' lists them");
    check_error("", SL_NOT_FOUND, "no policy is called ''; 'sluice policies' lists them");
    char longer[200];
    memset(longer, 'x', sizeof longer);
    longer[sizeof longer - 1] = 0;
    sl_policy_choice choice;
    sl_error error;
    assert_int_equal(sl_policy_parse(longer, &choice, &error), SL_NOT_FOUND);
}

static void bad_parameters_are_named_with_their_policy(void **state)
{
    (void)state;
    check_error("srrip(bits=9)", SL_INVALID, "policy 'srrip': 'bits' is from 1 to 8, not 9");
    check_error("srrip(bits=0)", SL_INVALID, "policy 'srrip': 'bits' is from 1 to 8, not 0");
    check_error("srrip(bits=99999999999999999999999)", SL_INVALID,
                "policy 'srrip': 'bits' is from 1 to 8, not 99999999999999999999999");
    check_error("lfu(age_every=4294967296)", SL_INVALID,
                "policy 'lfu': 'age_every' is from 0 to 4294967295, not 4294967296");
    check_error("srrip(bits=two)", SL_INVALID, "policy 'srrip': 'bits' takes a number, not 'two'");
    check_error("srrip(bits=-1)", SL_INVALID, "policy 'srrip': 'bits' takes a number, not '-1'");
    check_error("srrip(bits=)", SL_INVALID, "policy 'srrip': 'bits' takes a number, not ''");
    check_error("srrip(hit=frequncy)", SL_INVALID,
                "policy 'srrip': 'hit' cannot be 'frequncy'; the nearest is 'frequency'");
    check_error("srrip(hit=7)", SL_INVALID, "policy 'srrip': 'hit' cannot be '7'; it can be 'priority'");
    check_error("brrip(evry=3)", SL_NOT_FOUND, "policy 'brrip' has no parameter 'evry'; did you mean 'every'?");
    check_error("brrip(unheard_of=3)", SL_NOT_FOUND, "policy 'brrip' has no parameter 'unheard_of'");
    check_error("lru(bits=3)", SL_NOT_FOUND, "policy 'lru' has no parameters, so not 'bits' either");
    check_error("srrip(bits=2,bits=3)", SL_INVALID, "policy 'srrip': 'bits' is given twice");
}

static void text_that_is_none_is_refused(void **state)
{
    (void)state;
    check_error("srrip(3)", SL_SYNTAX, "policy 'srrip': '3' is not a parameter; write name=value, as bits=3");
    check_error("srrip(bits=3,,)", SL_SYNTAX, "policy 'srrip': '' is not a parameter; write name=value, as bits=3");
    const char *ending = "policy 'srrip': the parameters must end with a single ')' at the end";
    check_error("srrip(bits=3", SL_SYNTAX, ending);
    check_error("srrip(bits=3) x", SL_SYNTAX, ending);
    check_error("srrip(bits=3))", SL_SYNTAX, ending);
}

/* What lists, parsing and the interface rely on. */
static void every_policy_is_complete(void **state)
{
    (void)state;
    for (size_t i = 0; i < sl_policy_count(); i++) {
        const sl_policy_ops *ops = sl_policy_at(i), *found;
        sl_error error;
        assert_int_equal(sl_policy_find(NULL, ops->name, &found, &error), SL_OK);
        assert_ptr_equal(found, ops);
        assert_true(ops->summary && *ops->summary && ops->source && *ops->source);
        assert_true(ops->init && (sl_policy_replaces(ops) || sl_policy_bypasses(ops)));
        size_t count = 0;
        for (const sl_param *p = ops->params; p && p->name; p++, count++) {
            assert_true(p->help && *p->help);
            if (p->type == SL_PARAM_COUNT)
                assert_in_range(p->default_value, p->min, p->max);
            else
                assert_non_null(p->words[p->default_value]);
        }
        assert_true(count <= SL_MAX_POLICY_PARAMS);
    }
}

/* ---- the best value ---- */

static void best_stands_for_values_to_be_tried(void **state)
{
    (void)state;
    sl_policy_choice c = parsed("decoupled(threshold=best, rc_bits=4)");
    assert_int_equal(c.best, 1u << 1);
    assert_int_equal(c.value[1], 1);
    assert_int_equal(c.value[2], 4);
    assert_int_equal(parsed("decoupled(threshold=3)").best, 0);
    check_error("decoupled(epoch=best)", SL_INVALID, "policy 'decoupled': 'epoch' cannot be 'best'; 'threshold' can");
    check_error("srrip(bits=best)", SL_INVALID,
                "policy 'srrip': 'bits' cannot be 'best': no value of it is searched for");
}

static void a_cache_refuses_what_is_still_to_be_searched_for(void **state)
{
    (void)state;
    sl_policy_choice c = parsed("pc(threshold=best)");
    sl_policy policy;
    sl_error error;
    assert_int_equal(sl_policy_init(&policy, &c, &(sl_cache_geometry){.sets = 1, .ways = 1}, &error), SL_INVALID);
    assert_string_equal(error.text, "policy 'pc': this command does not search for 'threshold=best'; give a value");
}

/* ---- two policies ---- */

static void check_pair(const char *text, const char *replacement, const char *bypass)
{
    sl_policy_pair pair;
    sl_error error = {0};
    assert_int_equal(sl_policies_parse(NULL, text, &pair, &error), SL_OK);
    assert_string_equal(pair.replacement.ops ? pair.replacement.ops->name : "", replacement);
    assert_string_equal(pair.bypass.ops ? pair.bypass.ops->name : "", bypass);
}

static void one_policy_replaces_and_another_bypasses_in_any_order(void **state)
{
    (void)state;
    sl_policy_pair pair;
    sl_error error;
    check_pair("lru", "lru", "");
    check_pair("decoupled", "", "decoupled");
    check_pair("decoupled+srrip", "srrip", "decoupled");
    check_pair("pdp(pd=best)", "pdp", "");
    check_pair("pdp+lru", "lru", "pdp");
    check_pair("lru+sdbp", "lru", "sdbp");
    check_pair("decoupled+counter", "counter", "decoupled");
    check_pair("srrip(bits=3) + decoupled(threshold=4)", "srrip", "decoupled");
    assert_int_equal(sl_policies_parse(NULL, "srrip(bits=3)+decoupled(threshold=4)", &pair, &error), SL_OK);
    assert_int_equal(pair.replacement.value[0], 3);
    assert_int_equal(pair.bypass.value[1], 4);
}

static void check_pair_error(const char *text, const char *message)
{
    sl_policy_pair pair;
    sl_error error;
    assert_int_not_equal(sl_policies_parse(NULL, text, &pair, &error), SL_OK);
    assert_string_equal(error.text, message);
}

static void two_policies_of_one_role_are_refused(void **state)
{
    (void)state;
    const char *takes = "a cache has one policy for replacement and one for bypassing";
    char expected[200];
    snprintf(expected, sizeof expected, "'lru' and 'srrip' both replace: %s", takes);
    check_pair_error("lru+srrip", expected);
    snprintf(expected, sizeof expected, "'pc' and 'decoupled' both bypass: %s", takes);
    check_pair_error("pc+decoupled", expected);
    snprintf(expected, sizeof expected, "'pdp' and 'sdbp' both do both: %s", takes);
    check_pair_error("pdp+sdbp", expected);
    check_pair_error("lru+pc+all", "'lru+pc+all': a cache has at most two policies, one for replacement and one "
                                   "for bypassing");
    check_pair_error("lru+decopled", "no policy is called 'decopled'; the nearest is 'decoupled'");
    check_pair_error("lru+", "no policy is called ''; 'sluice policies' lists them");
}

static sl_status no_init(void *self, const sl_cache_geometry *geometry, const uint64_t *value, sl_arena *arena,
                         sl_error *error)
{
    (void)self, (void)geometry, (void)value, (void)arena, (void)error;
    return SL_OK;
}

static uint32_t way_nine(void *self, const sl_cache_access *access, const sl_way_mask *evictable)
{
    (void)self, (void)access, (void)evictable;
    return 9;
}

static void a_way_that_was_not_offered_is_caught_by_name(void **state)
{
    (void)state;
    static const sl_policy_ops bad = {.name = "bad", .init = no_init, .victim = way_nine};
    sl_policy policy;
    sl_error error;
    uint64_t mask = 0xe;
    assert_int_equal(
        sl_policy_init(&policy, &(sl_policy_choice){.ops = &bad}, &(sl_cache_geometry){.sets = 1, .ways = 4}, &error),
        SL_OK);
    assert_int_equal(sl_policy_check(&policy, &error), SL_OK);
    assert_int_equal(sl_policy_victim(&policy, &(sl_cache_access){0}, &(sl_way_mask){&mask, 4}), 1);
    assert_int_equal(sl_policy_check(&policy, &error), SL_INVALID);
    assert_string_equal(error.text, "policy 'bad' chose way 9, which is not evictable: this is a bug of the policy");
    sl_policy_fini(&policy);
}

static void a_way_given_up_that_was_not_offered_is_caught_too(void **state)
{
    (void)state;
    static const sl_policy_ops bad = {.name = "bad", .init = no_init, .evict_on_bypass = way_nine};
    sl_policy policy;
    sl_error error;
    uint64_t mask = 0xe;
    assert_int_equal(
        sl_policy_init(&policy, &(sl_policy_choice){.ops = &bad}, &(sl_cache_geometry){.sets = 1, .ways = 4}, &error),
        SL_OK);
    assert_int_equal(sl_policy_evict_on_bypass(&policy, &(sl_cache_access){0}, &(sl_way_mask){&mask, 4}), SL_NO_WAY);
    assert_int_equal(sl_policy_check(&policy, &error), SL_INVALID);
    assert_string_equal(error.text, "policy 'bad' chose way 9, which is not evictable: this is a bug of the policy");
    sl_policy_fini(&policy);
}

static void masks_of_ways_have_any_length(void **state)
{
    (void)state;
    const uint64_t bits[] = {UINT64_C(1) << 63, 0, 0x5};
    sl_way_mask mask = {bits, 131};
    assert_int_equal(sl_way_from(&mask, 0), 63);
    assert_int_equal(sl_way_from(&mask, 64), 128);
    assert_int_equal(sl_way_from(&mask, 129), 130);
    assert_int_equal(sl_way_from(&mask, 131), SL_NO_WAY);
    assert_true(sl_way_in(&mask, 130));
    assert_false(sl_way_in(&mask, 129));
    assert_false(sl_way_in(&mask, SL_NO_WAY));
}

static void a_choice_can_be_written_and_read_again(void **state)
{
    (void)state;
    sl_policy_choice choice, again;
    sl_error error;
    char text[64];
    assert_int_equal(sl_policy_parse("profiled(threshold=7, counts=local)", &choice, &error), SL_OK);
    assert_int_equal(sl_policy_text(&choice, 0, text, sizeof text, &error), SL_OK);
    assert_string_equal(text, "profiled(counts=local,threshold=7)");
    assert_int_equal(sl_policy_parse(text, &again, &error), SL_OK);
    assert_memory_equal(choice.value, again.value, sizeof choice.value);
    assert_int_equal(sl_policy_parse("profiled", &choice, &error), SL_OK);
    assert_int_equal(sl_policy_text(&choice, 0, text, sizeof text, &error), SL_OK);
    assert_string_equal(text, "profiled");
    assert_int_equal(sl_policy_text(&choice, 1 << 1, text, sizeof text, &error), SL_OK);
    assert_string_equal(text, "profiled(threshold=2)");
    assert_int_equal(sl_policy_text(&choice, 1 << 1, text, 12, &error), SL_LIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_alone_has_what_is_usual),
        cmocka_unit_test(parameters_are_given_in_any_order),
        cmocka_unit_test(a_wrong_name_gets_the_nearest),
        cmocka_unit_test(bad_parameters_are_named_with_their_policy),
        cmocka_unit_test(text_that_is_none_is_refused),
        cmocka_unit_test(every_policy_is_complete),
        cmocka_unit_test(best_stands_for_values_to_be_tried),
        cmocka_unit_test(a_cache_refuses_what_is_still_to_be_searched_for),
        cmocka_unit_test(one_policy_replaces_and_another_bypasses_in_any_order),
        cmocka_unit_test(two_policies_of_one_role_are_refused),
        cmocka_unit_test(a_way_that_was_not_offered_is_caught_by_name),
        cmocka_unit_test(a_way_given_up_that_was_not_offered_is_caught_too),
        cmocka_unit_test(a_choice_can_be_written_and_read_again),
        cmocka_unit_test(masks_of_ways_have_any_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
