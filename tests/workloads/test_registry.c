/* SPDX-License-Identifier: MIT */
/* What the tables say about workloads: registry.def and measured.def. */
#include "support.h"

#include <string.h>

#include "emu/emu.h"
#include "trace/recorder.h"
#include "workloads/workload.h"

static sl_error error;

/* Whether all of `words` are among those of `known`; words are separated by spaces. */
static bool are_known(const char *words, const char *known)
{
    while (*words) {
        size_t length = strcspn(words, " ");
        const char *at = known;
        while (*at && (strcspn(at, " ") != length || strncmp(at, words, length)))
            at += strcspn(at, " "), at += strspn(at, " ");
        if (!*at)
            return false;
        words += length;
        words += strspn(words, " ");
    }
    return true;
}

static void papers_classes_and_tags_are_words_that_have_a_meaning(void **state)
{
    (void)state;
    static const char papers[] = "decoupled-l1d pc-bypass frc mpache reuse-distance";
    static const char classes[] = "streaming dense stencil table sparse graph tree sort scan wavefront compute micro";
    static const char tags[] =
        "rodinia lonestar shoc amdapp polybench parboil cuda-sdk today micro cnf ci cf shared atomic double half "
        "irregular regular";
    for (size_t i = 0; i < sl_workload_count(); i++) {
        const sl_workload *w = sl_workload_at(i);
        if (!are_known(w->papers, papers))
            fail_msg("%s: there is a paper too many in '%s'", w->name, w->papers);
        if (!*w->class || strchr(w->class, ' ') || !are_known(w->class, classes))
            fail_msg("%s: '%s' is no class", w->name, w->class);
        if (!are_known(w->tags, tags))
            fail_msg("%s: '%s' has a tag that registry.def does not explain", w->name, w->tags);
        if (sl_workload_has_tag(w, "regular") && sl_workload_has_tag(w, "irregular"))
            fail_msg("%s is both regular and irregular", w->name);
    }
}

static void each_has_a_default_size_that_is_work_but_not_long_work(void **state)
{
    (void)state;
    for (size_t i = 0; i < sl_workload_count(); i++) {
        const sl_workload *w = sl_workload_at(i);
        const sl_workload_facts *facts = &w->facts[SL_SIZE_DEFAULT];
        if (!facts->launches) /* what was measured is checked, and need not have been */
            continue;
        bool enough = sl_workload_has_tag(w, "micro") || facts->warp_insts >= 300000;
        if (!enough || facts->warp_insts > 4500000 || facts->launches > 64)
            fail_msg("%s has %llu launches and %llu warp instructions at its default size", w->name,
                     (unsigned long long)facts->launches, (unsigned long long)facts->warp_insts);
    }
}

/* Adds up what measured.def holds. */
static sl_status add(void *context, const sl_launch_result *result, sl_error *e)
{
    (void)e;
    sl_workload_facts *facts = context;
    uint64_t touched = result->counts->total.value[SL_COUNTER_footprint_bytes];
    facts->launches++;
    facts->warp_insts += result->counts->total.value[SL_COUNTER_warp_insts];
    facts->thread_insts += result->counts->total.value[SL_COUNTER_thread_insts];
    facts->footprint_bytes = touched > facts->footprint_bytes ? touched : facts->footprint_bytes;
    return SL_OK;
}

static sl_workload_facts measure_small(const sl_workload *workload)
{
    sl_workload_facts facts = {0};
    sl_recorder *recorder;
    sl_device *device;
    sl_recorder_config recording = {
        .count = true, .count_options = {.footprint = true}, .launch_done = add, .context = &facts};
    sl_workload_options options = {.size = "small", .seed = 1, .skip_check = true};
    assert_int_equal(sl_recorder_create(&recording, &recorder, &error), SL_OK);
    sl_emu_config emulator = {.sink = sl_recorder_sink(recorder)};
    sl_device_config config = {.emu = &emulator};
    assert_int_equal(sl_device_open("emu", &config, &device, &error), SL_OK);
    assert_int_equal(sl_workload_run(workload, device, &options, NULL, &error), SL_OK);
    sl_device_close(device);
    assert_int_equal(sl_recorder_finish(recorder, &error), SL_OK);
    return facts;
}

static void what_was_measured_of_each_is_what_it_does(void **state)
{
    (void)state;
    for (size_t i = 0; i < sl_workload_count(); i++) {
        const sl_workload *w = sl_workload_at(i);
        const sl_workload_facts *said = &w->facts[SL_SIZE_SMALL];
        if (!said->launches)
            continue;
        const sl_workload_facts found = measure_small(w);
        if (memcmp(said, &found, sizeof found))
            fail_msg("%s at small: %llu launches, %llu warp and %llu thread instructions, %llu bytes touched, but "
                     "measured.def says otherwise: run workloads/measure %s",
                     w->name, (unsigned long long)found.launches, (unsigned long long)found.warp_insts,
                     (unsigned long long)found.thread_insts, (unsigned long long)found.footprint_bytes, w->name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(papers_classes_and_tags_are_words_that_have_a_meaning),
        cmocka_unit_test(each_has_a_default_size_that_is_work_but_not_long_work),
        cmocka_unit_test(what_was_measured_of_each_is_what_it_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
