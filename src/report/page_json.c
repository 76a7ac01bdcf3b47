/* SPDX-License-Identifier: MIT */
/* The data of a page, as JSON and as CSV: every value exact. */
#include <inttypes.h>
#include <math.h>

#include "base/text.h"
#include "report/findings.h"
#include "report/page_data.h"
#include "report/parts.h"

static void put_reuse(sl_json *j, const sl_profile_counts *reuse, const sl_profile_options *options)
{
    if (!reuse)
        return;
    sl_json_object_member(j, "reuse", false);
    sl_profile_counts_json(j, reuse, options);
    sl_json_close(j, '}');
}

/* Kernel time saved when this load alone bypasses a cache, in percent, by mode, and its mode in the plan. */
static void put_planned(sl_json *j, const sl_plan_load *planned)
{
    if (!planned)
        return;
    sl_json_object_member(j, "affinity", false);
    for (unsigned mode = 1; mode < SL_BYPASS_MODES; mode++)
        if (!isnan(planned->affinity[mode])) {
            sl_json_double_member(j, sl_bypass_name(mode), planned->affinity[mode]);
        }
    sl_json_close(j, '}');
    sl_json_string_member(j, "plan", sl_bypass_name(planned->mode));
}

static void put_loads(sl_json *j, const sl_page_kernel *k, const sl_profile_options *options)
{
    sl_json_array_member(j, "loads", true);
    for (uint32_t i = 0; i < k->loads; i++) {
        sl_json_object(j, false);
        sl_inst_json(j, &k->load[i].inst);
        sl_json_counts(j, "counters", &k->load[i].counts);
        put_reuse(j, k->load[i].reuse, options);
        put_planned(j, k->load[i].planned);
        sl_json_close(j, '}');
    }
    sl_json_close(j, ']');
}

static void put_kernel(sl_json *j, const sl_page_kernel *k, const sl_profile_options *options)
{
    sl_json_object(j, true);
    sl_json_string_member(j, "kernel", k->symbol);
    sl_json_string_member(j, "name", k->name);
    sl_json_u64_member(j, "launches", k->launches);
    sl_json_counts(j, "counters", &k->counts);
    if (k->reuse && k->reuse->longest) {
        put_reuse(j, &k->reuse->total, options);
        sl_profile_footprint_json(j, k->reuse->longest, options);
    }
    put_loads(j, k, options);
    sl_json_close(j, '}');
}

static void put_launch(sl_json *j, const sl_page *page, const sl_page_launch *l)
{
    const sl_page_kernel *k = &page->kernels.items[l->kernel];
    sl_json_object(j, false);
    sl_json_launch(j, l->index, k->symbol, k->name, l->grid, l->block);
    sl_json_failed(j, l->failed, l->failure);
    sl_json_counts(j, "counters", &l->counts);
    sl_json_close(j, '}');
}

/* By kernel, not by launch as --json of a sweep: programs of many launches make large pages. Sizes are the largest that
 * a launch has. */
static void put_sweep(sl_json *j, const char *key, const sl_page_sweep *sum)
{
    if (!sum->sweep)
        return;
    sl_json_object_member(j, key, true);
    sl_json_array_member(j, "kernels", true);
    for (size_t k = 0; k < sum->kernels; k++) {
        sl_json_object(j, true);
        sl_json_string_member(j, "kernel", sum->first[k]->symbol);
        sl_json_string_member(j, "name", sum->first[k]->name);
        sl_json_array_member(j, "points", true);
        for (size_t p = 0; p < sum->sweep->points; p++)
            sl_sweep_point_json(j, &sum->sweep->point[p], sum->size[k * sum->sweep->points + p].max,
                                &sum->counts[k * sum->sweep->points + p]);
        sl_json_close(j, ']');
        sl_json_close(j, '}');
    }
    sl_json_close(j, ']');
    sl_json_close(j, '}');
}

static void put_profile_options(sl_json *j, const sl_profile_options *o)
{
    sl_json_object_member(j, "profiled_with", false);
    const struct {
        const char *key;
        uint64_t value;
    } members[] = {{"line", o->line_bytes},
                   {"sector", o->sector_bytes},
                   {"cores", o->cores},
                   {"blocks_per_core", o->blocks_per_core},
                   {"cache", o->cache_bytes}};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        sl_json_u64_member(j, members[i].key, members[i].value);
    }
    sl_json_close(j, '}');
}

sl_status sl_page_data_json(FILE *file, const sl_page *page, bool launches, sl_error *error)
{
    const sl_page_input *in = &page->input;
    const sl_profile_options *options = in->profile ? &in->profile->profiled_as : NULL;
    sl_json j;
    sl_json_start(&j, file);
    sl_json_object(&j, true);
    sl_report_head_json(&j, &in->info);
    if (in->info.findings)
        sl_findings_json(&j, in->info.findings);
    if (options)
        put_profile_options(&j, options);
    sl_json_counts(&j, "counters", &page->counts);
    sl_json_array_member(&j, "kernels", true);
    for (size_t i = 0; i < page->kernels.count; i++)
        put_kernel(&j, &page->kernels.items[i], options);
    sl_json_close(&j, ']');
    if (launches) {
        sl_json_array_member(&j, "launches", true);
        for (size_t i = 0; i < page->launches.count; i++)
            put_launch(&j, page, &page->launches.items[i]);
        sl_json_close(&j, ']');
    }
    put_sweep(&j, "sizes", &page->sizes);
    put_sweep(&j, "policies", &page->policies);
    put_sweep(&j, "simulated", &page->simulated);
    if (in->validation) {
        sl_json_object_member(&j, "validation", true);
        sl_validation_members_json(&j, in->validation);
        sl_json_close(&j, '}');
    }
    sl_json_close(&j, '}');
    return sl_json_finish(&j, error);
}

sl_status sl_page_json(FILE *file, const sl_page *page, sl_error *error)
{
    return sl_page_data_json(file, page, true, error);
}

/* ---- CSV ---- */

static void csv_kernel(FILE *file, const sl_page_kernel *k)
{
    sl_csv_field(file, k->symbol);
    fputc(',', file);
    sl_csv_field(file, k->name);
    fprintf(file, ",%" PRIu64, k->launches);
}

sl_status sl_page_csv(FILE *file, const sl_page *page, sl_error *error)
{
    const sl_counter_set *shown = &page->counts.known;
    fputs("kernel,name,launches", file);
    sl_csv_counters(file, shown);
    fputc('\n', file);
    for (size_t i = 0; i < page->kernels.count; i++) {
        csv_kernel(file, &page->kernels.items[i]);
        sl_csv_counts(file, shown, &page->kernels.items[i].counts);
        fputc('\n', file);
    }
    return sl_text_finish(file, "the CSV report", error);
}

sl_status sl_page_loads(FILE *file, const sl_page *page, sl_error *error)
{
    const sl_counter_set *shown = &page->counts.known;
    fputs("kernel,name,launches," SL_INST_CSV, file);
    sl_csv_counters(file, shown);
    fputc('\n', file);
    for (size_t i = 0; i < page->kernels.count; i++) {
        const sl_page_kernel *k = &page->kernels.items[i];
        for (uint32_t l = 0; l < k->loads; l++) {
            csv_kernel(file, k);
            fputc(',', file);
            sl_inst_csv(file, &k->load[l].inst);
            sl_csv_counts(file, shown, &k->load[l].counts);
            fputc('\n', file);
        }
    }
    return sl_text_finish(file, "the CSV of memory instructions", error);
}
