/* SPDX-License-Identifier: MIT */
/* Each policy step by step, on sets so small that the steps can be followed by hand. Lines are letters; a set of four
 * ways is written as the letters in its ways. */
#include <stdio.h>

#include "base/random.h"
#include "policy/small_cache.h"
#include "reuse/belady.h"

static void lru_evicts_what_was_used_longest_ago(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "lru", 1, 4);
    check_after(&c, "ab", "ab..");
    check_after(&c, "cd", "abcd");
    check_after(&c, "a", "abcd"); /* a hit: b is the oldest now */
    check_after(&c, "e", "aecd");
    check_after(&c, "cf", "aecf"); /* d */
    check_after(&c, "g", "gecf");
    small_cache_fini(&c);
}

static void fifo_evicts_what_came_first_used_or_not(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "fifo", 1, 4);
    check_after(&c, "abcda", "abcd");
    check_after(&c, "e", "ebcd");
    check_after(&c, "bbf", "efcd");
    small_cache_fini(&c);
}

static void plru_follows_its_tree(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "plru", 1, 4);
    load(&c, "abcd");             /* root points left; left node left (b was last), right node left (d was last) */
    check_after(&c, "e", "ebcd"); /* a: the root now points right, the left node right */
    check_after(&c, "f", "ebfd"); /* c: root left, right node right */
    check_after(&c, "e", "ebfd"); /* a hit: root right */
    check_after(&c, "g", "ebfg"); /* d, where LRU would take b */
    small_cache_fini(&c);
}

static void plru_with_three_ways_never_leads_to_the_fourth(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "plru", 1, 3);
    load(&c, "abc");             /* root left, left node left, right node right: to a way that is not there */
    check_after(&c, "d", "dbc"); /* a: root right */
    check_after(&c, "e", "dbe"); /* c: the right node has but one way */
    check_after(&c, "f", "dfe"); /* root left, left node right */
    small_cache_fini(&c);
}

static void nru_takes_any_way_that_was_not_used(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "nru", 1, 4);
    load(&c, "abcd");             /* all were used: only d still counts as such */
    load(&c, "ab");               /* and now a and b */
    check_after(&c, "e", "abed"); /* c is the only one that was not; again all were used, and e alone counts */
    load(&c, "ab");
    check_after(&c, "f", "abef"); /* d */
    small_cache_fini(&c);
}

static void plru_goes_round_ways_that_may_not_leave(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "plru", 1, 4);
    load(&c, "abcd");
    c.locked[0] = 0x3; /* the half that the root points to */
    check_after(&c, "e", "abed");
    c.locked[0] = 0xe;
    check_after(&c, "f", "fbed");
    small_cache_fini(&c);
}

static void srrip_keeps_what_was_used_again_through_a_scan(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "srrip", 1, 4); /* two bits: new lines get 2 of 3 */
    check_after(&c, "aab", "ab..");      /* 0 2 */
    check_after(&c, "cd", "abcd");       /* 0 2 2 2 */
    check_after(&c, "e", "aecd");        /* all age by one, b leaves: 1 2 3 3 */
    check_after(&c, "f", "aefd");        /* c: 1 2 2 3 */
    check_after(&c, "g", "aefg");        /* d: 1 2 2 2 */
    check_after(&c, "h", "ahfg");        /* all age: 2 2 3 3 */
    check_after(&c, "ij", "ahij");       /* 2 2 2 2 */
    check_after(&c, "k", "khij");        /* all age: a has had its time */
    small_cache_fini(&c);
}

static void srrip_can_count_uses_instead(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "srrip(hit=frequency)", 1, 2);
    load(&c, "aabbb");           /* 1 0 */
    check_after(&c, "c", "cb");  /* age by 2, a leaves: 2 2 */
    check_after(&c, "bb", "cb"); /* 2 0 */
    check_after(&c, "d", "db");  /* age by 1, c leaves: 2 1 */
    small_cache_fini(&c);
}

static void srrip_of_one_bit_is_not_recently_used(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "srrip(bits=1)", 1, 3);
    load(&c, "abc");             /* 0 0 0 */
    check_after(&c, "d", "dbc"); /* all age: 0 1 1 */
    check_after(&c, "b", "dbc"); /* 0 0 1 */
    check_after(&c, "e", "dbe"); /* c */
    small_cache_fini(&c);
}

static void rrip_ages_ways_that_may_not_leave_no_further_than_it_can(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "srrip", 1, 3);
    load(&c, "abcbb"); /* 2 0 2 */
    c.locked[0] = 0x5;
    check_after(&c, "d", "adc"); /* b leaves after aging by 3: 3 2 3 */
    c.locked[0] = 0;
    check_after(&c, "e", "edc");
    check_after(&c, "f", "edf");
    small_cache_fini(&c);
}

static void sieve_sifts_new_lines_behind_what_was_used(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "sieve", 1, 3);
    load(&c, "abcab");            /* a and b are marked */
    check_after(&c, "d", "abd");  /* the hand clears a and b, and takes c, the newest: it begins again */
    check_after(&c, "e", "ebd");  /* a, not d */
    check_after(&c, "bf", "ebf"); /* b is marked, and cleared: d */
    check_after(&c, "g", "gbf");  /* it continues behind d: e */
    check_after(&c, "fh", "hbf"); /* f is marked, and cleared: g, the newest */
    check_after(&c, "i", "hif");  /* b, the oldest */
    c.locked[0] = 0x4;            /* f, which is next */
    check_after(&c, "j", "jif");  /* h */
    small_cache_fini(&c);
}

static void s3fifo_takes_to_the_main_queue_what_was_hit_twice_or_came_back(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "s3fifo(small=25)", 1, 4); /* one way small, three main, three ghosts */
    check_after(&c, "abcde", "ebcd");               /* all in the small queue; a is a ghost */
    check_after(&c, "a", "eacd");                   /* b leaves; a goes to the main queue */
    check_after(&c, "ccf", "eacf");                 /* c was hit twice: to the main queue; d is a ghost */
    check_after(&c, "g", "gacf");                   /* e: ghosts are b, d, e */
    check_after(&c, "d", "gacd");                   /* f; d goes to the main queue, which is full now */
    check_after(&c, "aah", "hacd");                 /* g; a has two hits */
    check_after(&c, "hhi", "haid");                 /* h moves to the main queue: a goes round, c leaves */
    small_cache_fini(&c);
    small_cache_init(&c, "s3fifo(small=50)", 1, 4); /* two ways small, two main */
    check_after(&c, "abcdaabbe", "abed");           /* a and b move to the main queue, c leaves */
    check_after(&c, "ddf", "abfd");                 /* d moves, e leaves, and the main queue is too long */
    check_after(&c, "g", "gbfd");                   /* so it gives a */
    small_cache_fini(&c);
}

static void arc_moves_its_target_to_the_list_whose_ghosts_come_back(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "arc", 1, 2);
    load(&c, "aba");            /* T1: b, T2: a */
    check_after(&c, "c", "ac"); /* target 0, so T1 gives: b, to B1 */
    check_after(&c, "b", "bc"); /* of B1: target 1, so T2 gives: a, to B2; b in T2 */
    check_after(&c, "a", "ba"); /* of B2: target 0, so T1 gives: c, to B1; a in T2 */
    check_after(&c, "d", "da"); /* T1 is empty: b, to B2 */
    check_after(&c, "e", "ea"); /* T1 and B1 are full: c is forgotten, d to B1 */
    check_after(&c, "d", "ed"); /* of B1: target 1, so T2 gives: a, to B2 */
    check_after(&c, "f", "ef"); /* four lines are known: b is forgotten, d to B2 */
    check_after(&c, "g", "gf"); /* T1 is as long as the set: e, without a ghost */
    check_after(&c, "e", "ge"); /* so it is new, as is f, which leaves */
    check_after(&c, "d", "de"); /* of B2: target 0, so T1 gives: g */
    small_cache_fini(&c);
}

static void hawkeye_learns_what_opt_would_have_kept(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "hawkeye", 1, 1);
    load(&c, "abab"); /* OPT keeps a from the first to the second, so not b */
    assert_int_equal(reported(&c, "opt_hits"), 1);
    assert_int_equal(reported(&c, "opt_misses"), 1);
    small_cache_fini(&c);
    small_cache_init(&c, "hawkeye", 1, 2);
    load(&c, "ab");             /* friendly: 1 0 */
    check_after(&c, "c", "cb"); /* a, the older: its instruction is averse now, and so is c */
    check_after(&c, "d", "db"); /* c, which is averse */
    load(&c, "B");              /* OPT has b since instruction 1 loaded it: friendly again */
    check_after(&c, "e", "eb"); /* d; 0 1 */
    check_after(&c, "f", "ef"); /* b, the older: instruction 2 is averse now */
    check_after(&c, "G", "gf"); /* e, the older */
    check_after(&c, "H", "hf"); /* g, which is averse */
    small_cache_fini(&c);
}

static void hawkeye_keeps_the_order_of_friendly_lines(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "hawkeye(bits=8)", 1, 8);
    check_after(&c, "aaaaaaaaaaaaaaaaaaaa", "a.......");
    check_after(&c, "bcdefgh", "abcdefgh"); /* 6 5 4 3 2 1 0 0: at h nothing ages, as a is as old as lines get */
    check_after(&c, "ijklmno", "ijklmnoh"); /* 5 4 3 2 1 0 0 6 */
    check_after(&c, "p", "ijklmnop");
    small_cache_fini(&c);
}

static void hawkeye_detrains_only_in_sampled_sets(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "hawkeye(sampled_sets=1)", 2, 2);
    for (uint64_t line = 1; line <= 7; line += 2) /* of the second set: 1 leaves, and 5 is friendly still */
        small_cache_load(&c, line, 1);
    assert_int_equal(small_cache_find(&c, 3), SL_NO_WAY);
    assert_int_not_equal(small_cache_find(&c, 5), SL_NO_WAY);
    small_cache_fini(&c);
}

static void mockingjay_evicts_what_comes_last_and_bypasses_what_comes_later(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "mockingjay(granularity=1)", 1, 2);
    load(&c, "ab");             /* nothing is known: -1 0 */
    check_after(&c, "c", "cb"); /* a, longest overdue: 0 -1 */
    check_after(&c, "d", "cd"); /* b: -1 0 */
    load(&c, "c");              /* instruction 1 has a distance of 2: 0 -1 */
    check_after(&c, "e", "cd"); /* 2 is farther than 1; -1 -2 */
    assert_int_equal(reported(&c, "bypasses"), 1);
    check_after(&c, "e", "ce"); /* 2 is not farther than 2; -2 2 */
    load(&c, "C");              /* 0 1 */
    check_after(&c, "F", "cf"); /* of instruction 2 nothing is known */
    small_cache_fini(&c);
}

static void mockingjay_bypasses_what_does_not_come_again(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "mockingjay(granularity=1)", 1, 2);
    load(&c, "Abbbbbbbbbbbbbbb");
    assert_int_equal(reported(&c, "bypasses"), 0);
    load(&c, "b");              /* 16 accesses later A is taken for lost: instruction 2 has a distance of 15 */
    check_after(&c, "C", "ab"); /* though A is overdue by 15 */
    assert_int_equal(reported(&c, "bypasses"), 1);
    small_cache_fini(&c);
}

static void brrip_gives_way_to_one_new_line_in_so_many(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "brrip(every=3)", 1, 3);
    load(&c, "abc");             /* 3 3 2: the third is predicted nearer */
    check_after(&c, "d", "dbc"); /* 3 3 2 */
    check_after(&c, "e", "ebc"); /* the fifth: 3 3 2 */
    check_after(&c, "f", "fbc"); /* the sixth: 2 3 2 */
    check_after(&c, "g", "fgc");
    check_after(&c, "h", "fhc");
    small_cache_fini(&c);
}

static void brrip_with_every_line_near_is_srrip(void **state)
{
    (void)state;
    small_cache a, b;
    sl_random random = sl_random_seed(3);
    small_cache_init(&a, "brrip(every=1)", 4, 4);
    small_cache_init(&b, "srrip", 4, 4);
    for (int i = 0; i < 5000; i++) {
        uint64_t line = sl_random_below(&random, 40);
        assert_int_equal(small_cache_load(&a, line, 0), small_cache_load(&b, line, 0));
    }
    small_cache_fini(&a);
    small_cache_fini(&b);
}

/* Eight sets in two groups of four. Group 0: set 0 leads for SRRIP, set 2 for BRRIP; group 1: sets 5 and 7. */
static void drrip_follows_the_leaders_that_miss_less(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "drrip(leaders=2,selector_bits=3,every=1000)", 8, 1);
    assert_int_equal(reported(&c, "selector"), 3);
    small_cache_load(&c, 0, 0); /* a miss of SRRIP */
    assert_int_equal(reported(&c, "selector"), 4);
    small_cache_load(&c, 0, 0); /* a hit says nothing */
    small_cache_load(&c, 1, 0); /* nor do sets that follow */
    small_cache_load(&c, 3, 0);
    small_cache_load(&c, 4, 0);
    small_cache_load(&c, 6, 0);
    assert_int_equal(reported(&c, "selector"), 4);
    small_cache_load(&c, 5, 0);
    assert_int_equal(reported(&c, "selector"), 5);
    small_cache_load(&c, 2, 0); /* misses of BRRIP */
    small_cache_load(&c, 7, 0);
    assert_int_equal(reported(&c, "selector"), 3);
    for (uint64_t i = 1; i < 20; i++)
        small_cache_load(&c, 8 * i, 0);
    assert_int_equal(reported(&c, "selector"), 7); /* it stays within its bits */
    for (uint64_t i = 1; i < 20; i++)
        small_cache_load(&c, 8 * i + 2, 0);
    assert_int_equal(reported(&c, "selector"), 0);
    assert_int_equal(reported(&c, "static_leader_misses"), 21);
    assert_int_equal(reported(&c, "bimodal_leader_misses"), 21);
    small_cache_fini(&c);
}

/* Two sets of two ways: set 0 leads for SRRIP, set 1 for BRRIP; four sets have followers, sets 1 and 3. */
static void drrip_fills_followers_as_the_winner_does(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "drrip(leaders=1,every=1000)", 4, 2);
    const uint64_t a = 1, b = 5, d = 9, e = 13; /* all of set 1 */
    small_cache_load(&c, a, 0);                 /* SRRIP leads: 2 */
    small_cache_load(&c, b, 0);                 /* 2 2 */
    small_cache_load(&c, 0, 0);                 /* SRRIP misses: BRRIP leads */
    small_cache_load(&c, d, 0);                 /* all age, a leaves: 3 3 */
    small_cache_load(&c, e, 0);                 /* d leaves, under SRRIP b would */
    assert_int_equal(small_cache_find(&c, d), SL_NO_WAY);
    assert_int_not_equal(small_cache_find(&c, b), SL_NO_WAY);
    small_cache_fini(&c);
}

static void drrip_of_one_set_is_srrip(void **state)
{
    (void)state;
    small_cache a, b;
    sl_random random = sl_random_seed(4);
    small_cache_init(&a, "drrip", 1, 16);
    small_cache_init(&b, "srrip", 1, 16);
    for (int i = 0; i < 5000; i++) {
        uint64_t line = sl_random_below(&random, 40);
        assert_int_equal(small_cache_load(&a, line, 0), small_cache_load(&b, line, 0));
    }
    small_cache_fini(&a);
    small_cache_fini(&b);
}

static void ship_learns_whose_lines_are_not_used_again(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "ship", 1, 2); /* counters start with 1 */
    load(&c, "aab");                    /* by instruction 1, whose counter a raises to 2: 0 2 */
    check_after(&c, "C", "ac");         /* by 2: all age, b leaves, 1 again: 1 2 */
    check_after(&c, "D", "ad");         /* all age, c leaves unused and 2 has 0: D is distant, 2 3 */
    assert_int_equal(reported(&c, "distant_fills"), 1);
    assert_int_equal(reported(&c, "nearer_fills"), 3);
    check_after(&c, "E", "ae"); /* d leaves: 2 3 */
    check_after(&c, "F", "af");
    assert_int_equal(reported(&c, "distant_fills"), 3);
    check_after(&c, "f", "af"); /* a hit raises the counter of the instruction that brought the line: 2 has 1; 2 0 */
    check_after(&c, "G", "gf"); /* all age, a leaves */
    assert_int_equal(reported(&c, "distant_fills"), 3);
    small_cache_fini(&c);
}

static void lfu_evicts_what_was_used_least(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "lfu(age_every=0)", 1, 3);
    load(&c, "aaabbc");           /* 3 2 1 */
    check_after(&c, "d", "abd");  /* 3 2 1 */
    check_after(&c, "dd", "abd"); /* 3 2 3 */
    check_after(&c, "e", "aed");  /* 3 1 3 */
    check_after(&c, "ee", "aed"); /* 3 3 3: the oldest use decides */
    check_after(&c, "f", "fed");
    small_cache_fini(&c);
}

static void lfu_forgets_with_time(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "lfu(age_every=8)", 1, 2);
    load(&c, "aaaaab");          /* 5 1, 6 accesses */
    check_after(&c, "cd", "ad"); /* 5 1; the eighth halves them: 2 0 */
    check_after(&c, "dd", "ad"); /* 2 2 */
    check_after(&c, "d", "ad");  /* 2 3 */
    check_after(&c, "e", "ed");
    small_cache_fini(&c);
}

static void lfu_counts_as_far_as_its_bits(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "lfu(bits=1,age_every=0)", 1, 2);
    load(&c, "aaab");
    check_after(&c, "c", "cb"); /* both have 1, and a is older */
    small_cache_fini(&c);
}

/* ---- properties ---- */

/* Low lines more often than high ones. */
static uint64_t skewed_line(sl_random *random, uint64_t lines)
{
    uint64_t a = sl_random_below(random, lines), b = sl_random_below(random, lines);
    return a < b ? a : b;
}

/* small_cache_load asserts it; locked ways change all the time. Policies that only bypass have LRU next to them. 130
 * ways take more than two words of a mask. */
static void victims_are_always_among_those_that_may_leave(void **state)
{
    (void)state;
    const uint32_t ways[] = {1, 2, 3, 7, 64, 65, 130};
    for (size_t p = 0; p < sl_policy_count(); p++)
        for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
            small_cache c;
            sl_random random = sl_random_seed(p * 100 + i);
            small_cache_init(&c, sl_policy_at(p)->name, 4, ways[i]);
            for (int k = 0; k < 4000; k++) {
                memset(c.locked, 0, sizeof c.locked);
                uint32_t stays_free = (uint32_t)sl_random_below(&random, ways[i]);
                for (uint32_t w = 0; w < ways[i]; w++)
                    c.locked[w / 64] |= (uint64_t)(w != stays_free && sl_random_below(&random, 4)) << (w % 64);
                small_cache_load(&c, skewed_line(&random, 600), (uint32_t)sl_random_below(&random, 5));
            }
            small_cache_fini(&c);
        }
}

/* Every bypass with every replacement; none does better than the bound, and those that bypass nothing do as their
 * replacement does. */
static void any_two_policies_go_together(void **state)
{
    (void)state;
    enum { ACCESSES = 3000 };
    static uint64_t line[ACCESSES];
    uint64_t bound, alone = 0;
    sl_error error;
    sl_random random = sl_random_seed(8);
    for (int i = 0; i < ACCESSES; i++)
        line[i] = skewed_line(&random, 200);
    assert_int_equal(sl_belady_misses(line, NULL, ACCESSES, 4, 4, &bound, &error), SL_OK);
    for (size_t r = 0; r < sl_policy_count(); r++)
        for (size_t b = 0; b <= sl_policy_count(); b++) { /* the first one for the replacement alone */
            const sl_policy_ops *replacement = sl_policy_at(r), *bypass = b ? sl_policy_at(b - 1) : NULL;
            char text[64];
            small_cache c;
            if (!sl_policy_replaces(replacement) || sl_policy_bypasses(replacement) ||
                (bypass && !sl_policy_bypasses(bypass)))
                continue;
            snprintf(text, sizeof text, "%s%s%s", replacement->name, bypass ? "+" : "", bypass ? bypass->name : "");
            small_cache_init(&c, text, 4, 4);
            for (int i = 0; i < ACCESSES; i++)
                small_cache_load(&c, line[i], (uint32_t)line[i] % 7);
            assert_in_range(c.misses, bound, ACCESSES);
            alone = bypass ? alone : c.misses;
            if (!c.bypasses)
                assert_int_equal(c.misses, alone);
            small_cache_fini(&c);
        }
}

static void random_takes_each_way_about_as_often(void **state)
{
    (void)state;
    small_cache c;
    uint64_t mask = 0x2d, taken[6] = {0}; /* ways 0, 2, 3, 5 */
    small_cache_init(&c, "random", 1, 6);
    for (int i = 0; i < 40000; i++)
        taken[c.policy.ops->victim(c.policy.self, &(sl_cache_access){0}, &(sl_way_mask){&mask, 6})]++;
    for (uint32_t w = 0; w < 6; w++)
        if (mask >> w & 1)
            assert_in_range(taken[w], 9700, 10300);
        else
            assert_int_equal(taken[w], 0);
    small_cache_fini(&c);
}

static void misses_of_a_fixed_trace_are_what_they_were(void **state)
{
    (void)state;
    int wrong = 0;
    const struct {
        const char *policy;
        uint64_t misses;
    } golden[] = {
        {"lru", 15083},
        {"fifo", 15961},
        {"random", 15967},
        {"plru", 15076},
        {"nru", 15389},
        {"srrip", 13589},
        {"srrip(bits=3, hit=frequency)", 14019},
        {"brrip", 11589},
        {"drrip", 12630},
        {"drrip(leaders=2)", 11953},
        {"ship", 12005},
        {"lfu", 11363},
        {"lfu(age_every=16)", 13881},
        {"all", 25000},
        {"decoupled", 13032},
        {"decoupled(rc_init=0, victims=candidates)", 10933},
        {"decoupled(rc_init=0)+srrip", 13701},
        {"pc", 12193},
        {"pc(duel=misses)", 12166},
        {"counter", 11854},
        {"sdbp", 11753},
        {"sdbp+lfu", 10725},
        {"mrpb", 15083},
        {"pdp", 14364},
        {"pdp(pd=64)+drrip", 11893},
        {"profiled", 25000},
    };
    for (size_t p = 0; p < sizeof golden / sizeof golden[0]; p++) {
        small_cache c;
        sl_random random = sl_random_seed(2010);
        small_cache_init(&c, golden[p].policy, 16, 8);
        for (uint64_t i = 0; i < 20000; i++) { /* lines of which some are used often, and a scan by an instruction */
            uint32_t instruction = (uint32_t)sl_random_below(&random, 3); /* drawn first, whatever the compiler */
            small_cache_load(&c, skewed_line(&random, 240), instruction);
            if (i % 4 == 0)
                small_cache_load(&c, 1000 + i / 4, 9);
        }
        if (c.misses != golden[p].misses)
            print_error("%s: %llu misses\n", golden[p].policy, (unsigned long long)c.misses);
        wrong += c.misses != golden[p].misses;
        small_cache_fini(&c);
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lru_evicts_what_was_used_longest_ago),
        cmocka_unit_test(fifo_evicts_what_came_first_used_or_not),
        cmocka_unit_test(plru_follows_its_tree),
        cmocka_unit_test(plru_with_three_ways_never_leads_to_the_fourth),
        cmocka_unit_test(nru_takes_any_way_that_was_not_used),
        cmocka_unit_test(plru_goes_round_ways_that_may_not_leave),
        cmocka_unit_test(srrip_keeps_what_was_used_again_through_a_scan),
        cmocka_unit_test(srrip_can_count_uses_instead),
        cmocka_unit_test(srrip_of_one_bit_is_not_recently_used),
        cmocka_unit_test(rrip_ages_ways_that_may_not_leave_no_further_than_it_can),
        cmocka_unit_test(sieve_sifts_new_lines_behind_what_was_used),
        cmocka_unit_test(s3fifo_takes_to_the_main_queue_what_was_hit_twice_or_came_back),
        cmocka_unit_test(arc_moves_its_target_to_the_list_whose_ghosts_come_back),
        cmocka_unit_test(hawkeye_learns_what_opt_would_have_kept),
        cmocka_unit_test(hawkeye_keeps_the_order_of_friendly_lines),
        cmocka_unit_test(hawkeye_detrains_only_in_sampled_sets),
        cmocka_unit_test(mockingjay_evicts_what_comes_last_and_bypasses_what_comes_later),
        cmocka_unit_test(mockingjay_bypasses_what_does_not_come_again),
        cmocka_unit_test(brrip_gives_way_to_one_new_line_in_so_many),
        cmocka_unit_test(brrip_with_every_line_near_is_srrip),
        cmocka_unit_test(drrip_follows_the_leaders_that_miss_less),
        cmocka_unit_test(drrip_fills_followers_as_the_winner_does),
        cmocka_unit_test(drrip_of_one_set_is_srrip),
        cmocka_unit_test(ship_learns_whose_lines_are_not_used_again),
        cmocka_unit_test(lfu_evicts_what_was_used_least),
        cmocka_unit_test(lfu_forgets_with_time),
        cmocka_unit_test(lfu_counts_as_far_as_its_bits),
        cmocka_unit_test(victims_are_always_among_those_that_may_leave),
        cmocka_unit_test(any_two_policies_go_together),
        cmocka_unit_test(random_takes_each_way_about_as_often),
        cmocka_unit_test(misses_of_a_fixed_trace_are_what_they_were),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
