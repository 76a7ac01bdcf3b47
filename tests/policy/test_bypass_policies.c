/* SPDX-License-Identifier: MIT */
/* Bypass policies, step by step. Lines are letters, asked for by instruction 1 where they
 * are small and by 2 where they are capital; the ways of the only set are written as the letters in them. */
#include "base/random.h"
#include "policy/small_cache.h"

/* Warps that ccws holds back, of two that have issued so many instructions. */
static uint64_t held_back(small_cache *c, uint64_t first, uint64_t second, uint64_t now)
{
    sl_policy *policy = small_cache_asked(c);
    uint64_t wait = 0, instructions[64] = {first, second};
    return policy->ops->throttle_warps(policy->self, &(sl_core_work){3, instructions, now}, &wait);
}

/* The same of pcal, of `warps`. */
static uint64_t held_of(small_cache *c, uint64_t warps, uint64_t first, uint64_t second, uint64_t third)
{
    sl_policy *policy = small_cache_asked(c);
    uint64_t wait = 0, instructions[64] = {first, second, third};
    return policy->ops->throttle_warps(policy->self, &(sl_core_work){warps, instructions, 0}, &wait);
}

static void pcal_lets_warps_with_tokens_allocate_and_others_hit(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "pcal(tokens=1)+lru", 1, 2);
    assert_int_equal(held_of(&c, 3, 0, 0, 0), 0); /* all run */
    c.warp = 0, load(&c, "a");                    /* the first has the token */
    c.warp = 1, load(&c, "ab");                   /* the second hits a; b bypasses */
    assert_int_equal(c.misses, 2);
    assert_int_equal(c.bypasses, 1);
    assert_int_equal(reported(&c, "without_token"), 1);
    small_cache_fini(&c);
}

static void pcal_gives_the_token_of_a_warp_that_ended_to_the_oldest(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "pcal(tokens=1)+lru", 1, 2);
    held_of(&c, 5, 4, 0, 4); /* warps 0 and 2 */
    held_of(&c, 7, 5, 1, 5); /* warp 1 is younger than 2, which has no token either */
    held_of(&c, 6, 0, 2, 6); /* warp 0 has ended */
    c.warp = 1, load(&c, "a");
    assert_int_equal(c.bypasses, 1);
    c.warp = 2, load(&c, "a");
    assert_int_equal(c.bypasses, 1);
    held_of(&c, 6, 0, 3, 1); /* another warp is in the place of 2: it is younger than 1 */
    c.warp = 2, load(&c, "b");
    assert_int_equal(c.bypasses, 2);
    c.warp = 1, load(&c, "b");
    assert_int_equal(c.bypasses, 2);
    small_cache_fini(&c);
}

static void pcal_holds_back_all_but_the_oldest_warps(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "pcal(tokens=1, active=2)+lru", 1, 2);
    assert_int_equal(held_of(&c, 6, 0, 0, 0), 0);
    assert_int_equal(held_of(&c, 7, 0, 1, 1), 1); /* warp 0 began after 1 and 2 */
    small_cache_fini(&c);
}

static void cbwt_learns_the_distance_at_which_lines_are_reused(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "cbwt(sample=1, depth=8, interval=6)", 1, 2);
    check_after(&c, "abcab", "ba"); /* as LRU, which loses each line before its reuse */
    assert_int_equal(reported(&c, "distance"), 1);
    check_after(&c, "c", "bc"); /* three reuses, all at distance 3, in six accesses; c is filled with that */
    assert_int_equal(reported(&c, "distance"), 3);
    check_after(&c, "ab", "ac"); /* b, unprotected, leaves for a; for b there is no place */
    assert_int_equal(c.bypasses, 1);
    check_after(&c, "cab", "ac"); /* two hits, and b bypasses again */
    assert_int_equal(c.bypasses, 2);
    assert_int_equal(c.misses, 9);
    small_cache_fini(&c);
}

/* The same of four warps, at a cycle. */
static uint64_t held_of_four(small_cache *c, uint64_t now)
{
    sl_policy *policy = small_cache_asked(c);
    uint64_t wait = 0, instructions[64] = {0};
    return policy->ops->throttle_warps(policy->self, &(sl_core_work){15, instructions, now}, &wait);
}

static void cbwt_holds_warps_back_while_requests_wait_for_mshrs(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "cbwt(epoch=10, congestion=4)", 1, 2);
    assert_int_equal(held_of_four(&c, 0), 0);
    load(&c, "abab");
    small_cache_stall(&c, 2, SL_STALL_MSHR);
    small_cache_stall(&c, 2, SL_STALL_WAY);    /* no congestion */
    assert_int_equal(held_of_four(&c, 9), 0);  /* the epoch has not ended */
    assert_int_equal(held_of_four(&c, 10), 8); /* one of four loads waited: the youngest is held back */
    load(&c, "abab");
    assert_int_equal(held_of_four(&c, 20), 0);
    small_cache_fini(&c);
}

static void cbwt_reduces_warps_to_those_whose_lines_would_fit(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "cbwt(sample=1, depth=8, interval=6, epoch=10, contention=2)", 1, 2);
    held_of_four(&c, 0);
    load(&c, "abcabc"); /* three of six loads ask for a line that has just left */
    assert_int_equal(reported(&c, "lost_locality"), 3);
    assert_int_equal(held_of_four(&c, 10), 8); /* a distance of 3 with four warps: three would have about 2 */
    small_cache_fini(&c);
}

static void ccws_holds_warps_back_while_another_lost_its_lines(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "ccws+lru", 1, 1);
    assert_int_equal(held_back(&c, 3, 2, 0), 0);
    c.warp = 0, load(&c, "a");
    c.warp = 1, load(&c, "b"); /* a leaves: a victim tag of warp 0 */
    load(&c, "a");             /* of warp 1 it is none; b becomes one */
    assert_int_equal(reported(&c, "lost_locality"), 0);
    c.warp = 0, load(&c, "ba"); /* warp 0 has a, b is of warp 1: one loss, with a score of 1 * 8 * 200 / 5 = 320 */
    assert_int_equal(reported(&c, "lost_locality"), 1);
    assert_int_equal(held_back(&c, 6, 5, 0), 2);
    assert_int_equal(held_back(&c, 6, 5, 120), 2); /* 200, the base of two */
    assert_int_equal(held_back(&c, 6, 5, 121), 0); /* warp 1 is the one that reaches it */
    small_cache_fini(&c);
}

static void ccws_forgets_victim_tags_in_the_order_they_came(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "ccws(tags=2)+lru", 1, 1);
    load(&c, "abcab"); /* a and b are lost; tags: c a */
    assert_int_equal(reported(&c, "lost_locality"), 2);
    load(&c, "db"); /* a b, b is lost and stays: b d */
    assert_int_equal(reported(&c, "lost_locality"), 3);
    load(&c, "a");
    assert_int_equal(reported(&c, "lost_locality"), 3);
    small_cache_fini(&c);
}

static void ccws_counts_for_warps_that_have_not_ended(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "ccws+lru", 1, 1);
    assert_int_equal(held_back(&c, 3, 2, 0), 0);
    c.warp = 0, load(&c, "a");
    c.warp = 1, load(&c, "ba");
    c.warp = 0, load(&c, "ba"); /* warp 0 lost a */
    assert_int_equal(held_back(&c, 6, 5, 0), 2);
    assert_int_equal(held_back(&c, 1, 7, 0), 0); /* it has ended; another one is in its place */
    assert_int_equal(held_back(&c, 2, 8, 0), 0);
    c.warp = 1, load(&c, "b"); /* the only loss of 10 instructions: 1 * 8 * 200 / 10 = 160 */
    assert_int_equal(held_back(&c, 2, 8, 0), 0);
    load(&c, "a"); /* two: 320 */
    assert_int_equal(held_back(&c, 2, 8, 120), 1);
    assert_int_equal(held_back(&c, 2, 8, 121), 0);
    assert_int_equal(reported(&c, "lost_locality"), 3);
    small_cache_fini(&c);
}

static void ccws_takes_replaced_lines_as_victims_and_not_dropped_ones(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "ccws+lru", 1, 1);
    load(&c, "a");
    small_cache_drop(&c, 0);
    load(&c, "ba"); /* b is replaced */
    assert_int_equal(reported(&c, "lost_locality"), 0);
    load(&c, "b");
    assert_int_equal(reported(&c, "lost_locality"), 1);
    small_cache_fini(&c);
}

static void apcm_bypasses_what_streams_and_pins_what_a_warp_uses_again(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "apcm(window=6)", 1, 2);
    check_after(&c, "aBaCaD", "ad"); /* a, of instruction 1, was hit twice: intra-warp; instruction 2 streams */
    check_after(&c, "e", "ed");      /* pinned for two hits */
    check_after(&c, "F", "ed");
    assert_int_equal(reported(&c, "bypasses"), 1);
    check_after(&c, "g", "eg");   /* e, used longer ago, is pinned */
    check_after(&c, "eeh", "hg"); /* no longer */
    assert_int_equal(reported(&c, "pinned"), 3);
    small_cache_fini(&c);
    small_cache_init(&c, "apcm(window=2)", 1, 2);
    load(&c, "A");
    c.warp = 1, load(&c, "A"); /* of another warp */
    c.warp = 0, load(&c, "B");
    check_after(&c, "C", "cb");
    assert_int_equal(reported(&c, "bypasses") + reported(&c, "pinned"), 0);
    small_cache_fini(&c);
}

static void all_leaves_the_cache_empty(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "all", 1, 2);
    check_after(&c, "aabab", "..");
    assert_int_equal(c.bypasses, 5);
    small_cache_fini(&c);
}

/* ---- by instruction ---- */

static void pc_lets_loads_past_whose_lines_leave_unused(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "pc(threshold=2)", 1, 2);
    check_after(&c, "abc", "cb"); /* a was dead after instruction 1: its counter is 1 */
    check_after(&c, "d", "cd");   /* 2 */
    check_after(&c, "e", "cd");   /* bypasses */
    assert_int_equal(c.bypasses, 1);
    check_after(&c, "F", "fd"); /* instruction 2 does not; c was dead as well: 3 */
    assert_int_equal(reported(&c, "predictions"), 6);
    assert_int_equal(reported(&c, "predicted_dead"), 1);
    small_cache_fini(&c);
}

static void pc_learns_from_hits_for_the_load_that_accessed_the_line_last(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "pc(threshold=2)", 1, 2);
    load(&c, "abcd");           /* c d; instruction 1 has 2 */
    check_after(&c, "C", "cd"); /* c was alive after 1: 1. Its last load is 2 */
    check_after(&c, "e", "ce"); /* so this one is let in; d was dead: 2 */
    check_after(&c, "E", "ce"); /* 1 */
    check_after(&c, "f", "fe"); /* c leaves, which counts against 2: 1 */
    check_after(&c, "G", "fg"); /* e as well: 2 */
    check_after(&c, "H", "fg"); /* bypasses */
    small_cache_fini(&c);
}

static void pc_is_corrected_by_the_next_level(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "pc(threshold=2)", 1, 2);
    load(&c, "abcd");
    check_after(&c, "e", "cd");
    small_cache_hear(&c, 4, 1, 0); /* it has nothing to say */
    check_after(&c, "e", "cd");
    small_cache_hear(&c, 4, 1, SL_FEEDBACK_BYPASS); /* e was asked for before, past this cache: 1 */
    check_after(&c, "e", "ed");
    assert_int_equal(reported(&c, "wrong_bypasses"), 1);
    small_cache_fini(&c);
    small_cache_init(&c, "pc(threshold=2, correction=off)", 1, 2);
    load(&c, "abcd");
    small_cache_hear(&c, 4, 1, SL_FEEDBACK_BYPASS);
    check_after(&c, "e", "cd");
    assert_int_equal(reported(&c, "wrong_bypasses"), 1);
    small_cache_fini(&c);
}

static void pc_counts_as_far_as_its_bits(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "pc(threshold=3, bits=2, start=3, up=2, down=2)", 1, 2);
    check_after(&c, "a", ".."); /* it starts at the threshold */
    small_cache_hear(&c, 0, 1, SL_FEEDBACK_BYPASS);
    check_after(&c, "ab", "ab"); /* 1 */
    small_cache_hear(&c, 0, 1, SL_FEEDBACK_BYPASS);
    check_after(&c, "c", "cb"); /* 0, not -1; then 2 */
    check_after(&c, "d", "cd"); /* 3, not 4 */
    check_after(&c, "e", "cd");
    check_after(&c, "D", "cd"); /* 1 */
    check_after(&c, "e", "ed");
    small_cache_fini(&c);
}

static void pc_of_loads_that_share_a_counter_share_their_fate(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "pc(threshold=2, counters=4)", 1, 1);
    small_cache_load(&c, 0, 1);
    small_cache_load(&c, 1, 1);
    small_cache_load(&c, 2, 1);
    small_cache_load(&c, 3, 5); /* 5 = 1 + 1 * 4, folded 1 ^ 1 = 0 */
    assert_int_equal(c.bypasses, 0);
    small_cache_load(&c, 4, 16); /* folded 1: instruction 1 has 3 */
    assert_int_equal(c.bypasses, 1);
    small_cache_fini(&c);
}

static void pc_keeps_learning_in_sampled_sets(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "pc(threshold=0, sample=4, leaders=0)", 8, 1);
    for (uint64_t line = 0; line < 8; line++)
        small_cache_load(&c, line, 1);
    for (uint64_t line = 0; line < 8; line++)
        assert_int_equal(small_cache_find(&c, line) != SL_NO_WAY, line % 4 == 3);
    small_cache_fini(&c);
}

/* Eight sets: set 0 leads for bypassing, set 4 for letting all in; the last one is sampled. */
static void pc_follows_the_sets_that_miss_less(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "pc(threshold=0, sample=8, leaders=1, selector_bits=2, duel=misses)", 8, 1);
    small_cache_load(&c, 1, 1);
    assert_int_equal(c.bypasses, 1); /* a follower: bypassing leads at first */
    small_cache_load(&c, 4, 1);
    small_cache_load(&c, 7, 1);
    assert_int_equal(c.bypasses, 1); /* neither of these ever bypasses */
    small_cache_load(&c, 0, 1);      /* a miss for bypassing; 4 had one, too */
    assert_int_equal(reported(&c, "selector"), 1);
    small_cache_load(&c, 0, 1);
    assert_int_equal(c.bypasses, 3);
    assert_int_equal(reported(&c, "selector"), 2);
    small_cache_load(&c, 1, 1);
    assert_int_equal(c.bypasses, 3); /* bypassing misses more: followers let it in */
    small_cache_load(&c, 0, 1);
    assert_int_equal(c.bypasses, 4); /* set 0 continues */
    small_cache_fini(&c);
}

static void pc_is_not_vetoed_where_nothing_is_reused(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "pc(threshold=0, sample=8, leaders=1, selector_bits=2)", 8, 1);
    for (uint64_t line = 0; line < 80; line += 8)
        small_cache_load(&c, line, 1); /* ten lines of set 0, once each */
    small_cache_load(&c, 4, 1);
    assert_int_equal(reported(&c, "selector"), 1);
    small_cache_load(&c, 1, 1);
    assert_int_equal(c.bypasses, 11); /* a follower */
    small_cache_load(&c, 4, 1);       /* a hit of the set that keeps all */
    assert_int_equal(reported(&c, "selector"), 2);
    small_cache_load(&c, 1, 1);
    assert_int_equal(c.bypasses, 11);
    small_cache_fini(&c);
}

/* ---- counters of intervals ---- */

static void counter_lets_past_what_was_never_used_again(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "counter(relearn=0)", 1, 2);
    check_after(&c, "abc", "cb"); /* a left unused, as it came: 0 and 0 */
    check_after(&c, "a", "cb");
    check_after(&c, "A", "ca"); /* another instruction has another entry; b leaves */
    check_after(&c, "d", "da"); /* another line too; c leaves */
    check_after(&c, "bbc", "da");
    assert_int_equal(c.bypasses, 4);
    small_cache_fini(&c);
}

static void counter_lets_one_in_so_many_in_to_learn_anew(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "counter(relearn=2)", 1, 2);
    load(&c, "abc");
    check_after(&c, "a", "cb");
    check_after(&c, "a", "ca");  /* the second one */
    check_after(&c, "a", "ca");  /* a hit, after an interval of 1 */
    check_after(&c, "de", "de"); /* with which a leaves: it has changed, and is not sure */
    check_after(&c, "a", "ae");
    small_cache_fini(&c);
}

static void counter_evicts_what_is_unused_for_longer_than_before(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "counter", 1, 3);
    check_after(&c, "abacde", "edc"); /* a's longest interval was 2, after 0: not sure */
    check_after(&c, "afa", "efa");    /* 2 again */
    check_after(&c, "ghi", "ghi");    /* sure */
    check_after(&c, "a", "ahi");
    check_after(&c, "ii", "ahi");
    assert_int_equal(reported(&c, "expired_victims"), 0);
    check_after(&c, "i", "ahi"); /* 3 accesses without a, and a is not the last one used */
    check_after(&c, "j", "jhi"); /* h is older */
    assert_int_equal(reported(&c, "expired_victims"), 1);
    small_cache_fini(&c);
}

/* ---- sampled dead lines ---- */

static void sdbp_learns_from_its_sampler(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "sdbp(sampler_ways=1, tables=1, threshold=2)", 1, 2);
    check_after(&c, "a", "a."); /* the sampler has a, by instruction 1 */
    check_after(&c, "b", "ab"); /* a leaves the sampler, dead after 1: 1 */
    check_after(&c, "c", "ab"); /* b as well: 2, and 1 bypasses */
    assert_int_equal(c.bypasses, 1);
    check_after(&c, "A", "ab"); /* 3; the sampler has a, by 2 */
    check_after(&c, "a", "ab"); /* a was alive after 2; now it is dead, by the word of 1 */
    check_after(&c, "a", "ab"); /* alive after 1: 2 */
    check_after(&c, "C", "cb"); /* 2 is let in, and a leaves as it is dead, though b is older */
    assert_int_equal(reported(&c, "dead_victims"), 1);
    check_after(&c, "D", "cd"); /* c was dead after 2 in the sampler: 1 of 2. Here nothing is dead: the oldest leaves */
    assert_int_equal(reported(&c, "lru_victims"), 1);
    small_cache_fini(&c);
}

static void sdbp_samples_some_sets(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "sdbp(sampler_sets=2, sampler_ways=1, tables=1, threshold=2)", 8, 1);
    for (uint64_t i = 0; i < 10; i++) /* set 1 has no sampler */
        small_cache_load(&c, 8 * i + 1, 1);
    assert_int_equal(c.bypasses, 0);
    for (uint64_t i = 0; i < 3; i++) /* set 4 has */
        small_cache_load(&c, 8 * i + 4, 1);
    assert_int_equal(c.bypasses, 1);
    small_cache_load(&c, 1, 1); /* what it learned holds for all sets */
    assert_int_equal(c.bypasses, 2);
    small_cache_fini(&c);
}

/* ---- queues, and past where a request would wait ---- */

static void mrpb_lets_requests_past_that_would_wait(void **state)
{
    (void)state;
    const sl_stall reasons[] = {SL_STALL_WAY, SL_STALL_MSHR, SL_STALL_MERGE, SL_STALL_QUEUE};
    const struct {
        const char *policy;
        uint32_t queues, past; /* past: bit for each reason */
    } cases[] = {{"mrpb", 8, 0xf}, {"mrpb(bypass=way, queues=16)", 16, 0x1}, {"mrpb(queues=0, bypass=off)", 0, 0}};
    for (int i = 0; i < 3; i++) {
        small_cache c;
        small_cache_init(&c, cases[i].policy, 1, 2);
        assert_int_equal(sl_policy_queues(&c.bypass), cases[i].queues);
        for (uint32_t r = 0; r < 4; r++)
            assert_int_equal(small_cache_stall(&c, 0, reasons[r]), cases[i].past >> r & 1 ? SL_BYPASS : SL_ADMIT);
        assert_int_equal(reported(&c, "bypasses_for_mshrs"), cases[i].past == 0xf);
        check_after(&c, "abc", "cb"); /* what does not wait is let in */
        small_cache_fini(&c);
    }
}

static void mrpb_lets_stores_wait(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "mrpb", 1, 2);
    assert_int_equal(sl_policy_stall(&c.bypass, &(sl_cache_access){.kind = SL_ACCESS_STORE}, SL_STALL_QUEUE), SL_ADMIT);
    small_cache_fini(&c);
}

/* ---- protected lines ---- */

static void pdp_protects_lines_for_a_number_of_accesses(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "pdp(pd=3)", 1, 2);
    check_after(&c, "ab", "ab"); /* 2 3 */
    check_after(&c, "c", "ab");  /* 1 2: both are protected */
    check_after(&c, "d", "db");  /* 0 1: a is not any more; then 3 1 */
    check_after(&c, "b", "db");  /* a hit: 2 3 */
    check_after(&c, "e", "db");  /* 1 2 */
    check_after(&c, "f", "fb");  /* 0 1; then 3 1 */
    assert_int_equal(c.bypasses, 2);
    small_cache_drop(&c, 5);
    check_after(&c, "g", "gb"); /* a free way protects nothing */
    small_cache_fini(&c);
}

static void pdp_waits_for_lines_in_flight_of_which_one_is_unprotected(void **state)
{
    (void)state;
    small_cache c;
    uint64_t none = 0;
    sl_way_mask in_flight = {&none, 2};
    sl_cache_access other = {.line = 2, .kind = SL_ACCESS_LOAD};
    small_cache_init(&c, "pdp(pd=8)", 1, 2);
    load(&c, "ab");
    assert_int_equal(sl_policy_admit(&c.policy, &other, &in_flight), SL_BYPASS); /* both are protected */
    small_cache_fini(&c);
    small_cache_init(&c, "pdp(pd=1)", 1, 2);
    load(&c, "ab");
    assert_int_equal(sl_policy_admit(&c.policy, &other, &in_flight), SL_ADMIT); /* none is: the cache stalls */
    c.locked[0] = 0x1;
    check_after(&c, "c", "ac");
    c.locked[0] = 0;
    check_after(&c, "d", "dc"); /* of several unprotected ones the oldest leaves */
    small_cache_fini(&c);
}

static void pdp_that_is_not_asked_evicts_the_most_protected_unused_line(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "pdp(pd=3)+mrpb", 1, 2);
    check_after(&c, "ab", "ab"); /* 2 3 */
    check_after(&c, "c", "ac");  /* then 1 3 */
    check_after(&c, "ac", "ac"); /* 2 3, both hit */
    check_after(&c, "d", "ad");  /* then 1 3 */
    check_after(&c, "a", "ad");  /* 3 2 */
    check_after(&c, "e", "ae");  /* d was never hit */
    small_cache_fini(&c);
}

/* ---- after a first run ---- */

static void profiled_lets_in_what_a_first_run_saw_often(void **state)
{
    (void)state;
    const struct {
        const char *policy, *ways;
    } cases[] = {
        {"profiled(counts=local)", "a..."},
        {"profiled(counts=global)", "ab.."},
        {"profiled", "ab.."},
        {"profiled(threshold=3)", "ab.."},
        {"profiled(threshold=4)", "a..."},
        {"profiled(threshold=1)", "abc."},
        {"profiled(counts=local, threshold=1)", "ab.."},
        {"profiled(counts=global, threshold=3)", "...."},
    };
    sl_line_counts *counts = sl_line_counts_create(2);
    sl_line_counts_add(counts, 0, 0);
    sl_line_counts_add(counts, 0, 0); /* a twice by cache 0 */
    sl_line_counts_add(counts, 0, 1);
    sl_line_counts_add(counts, 1, 1); /* b once by each */
    sl_line_counts_add(counts, 1, 2); /* c once by cache 1 */
    assert_true(sl_line_counts_between(counts, true, false, 2, 3));
    assert_false(sl_line_counts_between(counts, true, false, 3, 9));
    assert_true(sl_line_counts_between(counts, false, true, 1, 2));
    assert_false(sl_line_counts_between(counts, false, true, 3, 9));
    assert_true(sl_line_counts_between(counts, true, true, 1, 2)); /* c, where cache 0 asks for it */
    assert_true(sl_line_counts_between(counts, true, true, 4, 5));
    assert_false(sl_line_counts_between(counts, true, true, 5, 9));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        small_cache c;
        small_cache_init_in(&c, cases[i].policy,
                            &(sl_cache_geometry){.sets = 1, .ways = 4, .instances = 2, .counts = counts});
        check_after(&c, "abcd", cases[i].ways);
        small_cache_fini(&c);
    }
    sl_line_counts_destroy(counts);
}

static uint64_t after_issuing(small_cache *c, uint64_t now, uint64_t instructions)
{
    sl_policy *policy = small_cache_asked(c);
    uint64_t wait = 0, issued[64] = {instructions};
    assert_int_equal(policy->ops->throttle_warps(policy->self, &(sl_core_work){1, issued, now}, &wait), 0);
    return wait;
}

/* Requests of a first run: 8 of a, one of b, 4 of c, d and e each. */
static sl_line_counts *profile_of_five_lines(void)
{
    static const int requests[] = {8, 1, 4, 4, 4};
    sl_line_counts *counts = sl_line_counts_create(1);
    for (uint64_t line = 0; line < 5; line++)
        for (int i = 0; i < requests[line]; i++)
            sl_line_counts_add(counts, 0, line);
    return counts;
}

static void coordinated_tells_loads_apart_by_the_profile(void **state)
{
    (void)state;
    small_cache c;
    sl_line_counts *counts = profile_of_five_lines();
    small_cache_init_in(&c, "coordinated(low=2, high=8)+lru",
                        &(sl_cache_geometry){.sets = 1, .ways = 4, .instances = 1, .counts = counts});
    check_after(&c, "a", "a..."); /* 8 requests */
    check_after(&c, "B", "a..."); /* one */
    assert_int_equal(reported(&c, "static_bypasses"), 1);
    check_after(&c, "c", "ac.."); /* (8 + 4) / 2: in between, and at first all warps cache */
    assert_int_equal(reported(&c, "dynamic_bypasses"), 0);
    small_cache_fini(&c);
    sl_line_counts_destroy(counts);
}

static void coordinated_adapts_the_share_of_warps_that_cache(void **state)
{
    (void)state;
    small_cache c;
    sl_line_counts *counts = profile_of_five_lines();
    small_cache_init_in(&c, "coordinated(low=2, high=8, epoch=10)+lru",
                        &(sl_cache_geometry){.sets = 1, .ways = 4, .instances = 1, .counts = counts});
    assert_int_equal(after_issuing(&c, 0, 0), 10);
    c.warp = 7, check_after(&c, "c", "c...");
    assert_int_equal(after_issuing(&c, 10, 100), 10); /* seven eighths */
    c.warp = 7, check_after(&c, "d", "c...");
    c.warp = 6, check_after(&c, "d", "cd..");
    assert_int_equal(after_issuing(&c, 20, 200), 10); /* as fast as before: six eighths */
    c.warp = 6, check_after(&c, "e", "cd..");
    assert_int_equal(after_issuing(&c, 30, 250), 10); /* slower: back to seven */
    c.warp = 6, check_after(&c, "e", "cde.");
    assert_int_equal(reported(&c, "dynamic_bypasses"), 2);
    small_cache_fini(&c);
    sl_line_counts_destroy(counts);
}

static void profiled_needs_that_run(void **state)
{
    (void)state;
    sl_policy_choice choice;
    sl_policy policy;
    sl_error error;
    assert_int_equal(sl_policy_parse("profiled", &choice, &error), SL_OK);
    assert_int_equal(sl_policy_init(&policy, &choice, &(sl_cache_geometry){.sets = 1, .ways = 1}, &error), SL_INVALID);
    assert_string_equal(error.text, "policy 'profiled' needs a profiling run, which counts lines, before this one");
}

static void lines_are_counted_for_each_cache_and_for_all(void **state)
{
    (void)state;
    enum { LINES = 5000, CACHES = 3 };
    static uint32_t expected[CACHES][LINES];
    sl_line_counts *counts = sl_line_counts_create(CACHES);
    sl_random random = sl_random_seed(5);
    for (int i = 0; i < 40000; i++) {
        uint32_t cache = (uint32_t)sl_random_below(&random, CACHES), line = (uint32_t)sl_random_below(&random, LINES);
        expected[cache][line]++;
        assert_true(sl_line_counts_add(counts, cache, (uint64_t)line << 33));
    }
    for (uint32_t line = 0; line < LINES; line++) {
        uint32_t all = 0;
        for (uint32_t cache = 0; cache < CACHES; cache++) {
            assert_int_equal(sl_line_counts_local(counts, cache, (uint64_t)line << 33), expected[cache][line]);
            all += expected[cache][line];
        }
        assert_int_equal(sl_line_counts_global(counts, (uint64_t)line << 33), all);
    }
    assert_int_equal(sl_line_counts_global(counts, 1), 0);
    sl_line_counts_destroy(counts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pcal_lets_warps_with_tokens_allocate_and_others_hit),
        cmocka_unit_test(pcal_gives_the_token_of_a_warp_that_ended_to_the_oldest),
        cmocka_unit_test(pcal_holds_back_all_but_the_oldest_warps),
        cmocka_unit_test(cbwt_learns_the_distance_at_which_lines_are_reused),
        cmocka_unit_test(cbwt_holds_warps_back_while_requests_wait_for_mshrs),
        cmocka_unit_test(cbwt_reduces_warps_to_those_whose_lines_would_fit),
        cmocka_unit_test(ccws_holds_warps_back_while_another_lost_its_lines),
        cmocka_unit_test(ccws_forgets_victim_tags_in_the_order_they_came),
        cmocka_unit_test(ccws_counts_for_warps_that_have_not_ended),
        cmocka_unit_test(ccws_takes_replaced_lines_as_victims_and_not_dropped_ones),
        cmocka_unit_test(apcm_bypasses_what_streams_and_pins_what_a_warp_uses_again),
        cmocka_unit_test(all_leaves_the_cache_empty),
        cmocka_unit_test(pc_lets_loads_past_whose_lines_leave_unused),
        cmocka_unit_test(pc_learns_from_hits_for_the_load_that_accessed_the_line_last),
        cmocka_unit_test(pc_is_corrected_by_the_next_level),
        cmocka_unit_test(pc_counts_as_far_as_its_bits),
        cmocka_unit_test(pc_of_loads_that_share_a_counter_share_their_fate),
        cmocka_unit_test(pc_keeps_learning_in_sampled_sets),
        cmocka_unit_test(pc_follows_the_sets_that_miss_less),
        cmocka_unit_test(pc_is_not_vetoed_where_nothing_is_reused),
        cmocka_unit_test(counter_lets_past_what_was_never_used_again),
        cmocka_unit_test(counter_lets_one_in_so_many_in_to_learn_anew),
        cmocka_unit_test(counter_evicts_what_is_unused_for_longer_than_before),
        cmocka_unit_test(sdbp_learns_from_its_sampler),
        cmocka_unit_test(sdbp_samples_some_sets),
        cmocka_unit_test(mrpb_lets_requests_past_that_would_wait),
        cmocka_unit_test(mrpb_lets_stores_wait),
        cmocka_unit_test(pdp_protects_lines_for_a_number_of_accesses),
        cmocka_unit_test(pdp_waits_for_lines_in_flight_of_which_one_is_unprotected),
        cmocka_unit_test(pdp_that_is_not_asked_evicts_the_most_protected_unused_line),
        cmocka_unit_test(profiled_lets_in_what_a_first_run_saw_often),
        cmocka_unit_test(coordinated_tells_loads_apart_by_the_profile),
        cmocka_unit_test(coordinated_adapts_the_share_of_warps_that_cache),
        cmocka_unit_test(profiled_needs_that_run),
        cmocka_unit_test(lines_are_counted_for_each_cache_and_for_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
