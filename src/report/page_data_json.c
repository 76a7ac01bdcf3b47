/* SPDX-License-Identifier: MIT */
/* The data of a page, for programs: every value exact. */
#include <math.h>

#include "report/findings.h"
#include "report/page_data.h"
#include "report/results.h"

/* Kernel time saved when this load alone bypasses a cache, in percent, by mode. */
static void write_affinity(sl_json *j, const void *of)
{
    const sl_plan_load *planned = of;
    sl_json_object(j, false);
    for (unsigned mode = 1; mode < SL_BYPASS_MODES; mode++)
        if (!isnan(planned->affinity[mode]))
            sl_json_double_member(j, sl_bypass_name(mode), planned->affinity[mode]);
    sl_json_close(j, '}');
}

/* A value of JSON that a profile gives; none where there is no profile. */
static void profile_cell(sl_document *d, sl_table *t, sl_json_writer *write, sl_profile_value of)
{
    sl_profile_value *value = of.counts || of.footprint ? sl_document_alloc(d, sizeof *value) : NULL;
    if (value) {
        *value = of;
        sl_table_json_value(t, write, value);
    } else {
        sl_table_none(t);
    }
}

static void load_cells(sl_document *d, sl_table *t, const sl_joined_load *load, const sl_profile_options *options)
{
    sl_inst_id_cells(t, &load->inst);
    sl_table_all_counts(t, &load->counts);
    profile_cell(d, t, sl_profile_counts_json, (sl_profile_value){.counts = load->reuse, .options = options});
    if (load->planned) {
        sl_table_json_value(t, write_affinity, load->planned);
        sl_table_cell(t, sl_bypass_name(load->planned->mode));
    } else {
        sl_table_none(t);
        sl_table_none(t);
    }
}

static void add_kernels(sl_document *d, const sl_page *page, const sl_profile_options *options)
{
    static const sl_column columns[] = {SL_DATA_IN("kernel", SL_FORM_DATA | SL_FORM_LOADS),
                                        SL_DATA_IN("name", SL_FORM_DATA | SL_FORM_LOADS),
                                        SL_DATA_IN("launches", SL_FORM_DATA | SL_FORM_LOADS),
                                        SL_DATA_IN("counters", SL_FORM_DATA),
                                        SL_DATA_IN("reuse", SL_FORM_JSON),
                                        SL_DATA_IN("footprint", SL_FORM_JSON)};
    static const sl_column loads[] = {SL_INST_ID, SL_DATA("counters"), SL_DATA_IN("reuse", SL_FORM_JSON),
                                      SL_DATA_IN("affinity", SL_FORM_JSON), SL_DATA_IN("plan", SL_FORM_JSON)};
    sl_table *t =
        sl_document_table(d, "kernels", NULL, SL_FORM_DATA | SL_FORM_LOADS, columns, sizeof columns / sizeof *columns);
    sl_table *of =
        sl_table_child(t, "loads", SL_FORM_JSON | SL_FORM_LOADS | SL_FORM_EMPTY, loads, sizeof loads / sizeof *loads);
    for (size_t i = 0; i < page->joined.kernels.count; i++) {
        const sl_joined_kernel *k = &page->joined.kernels.items[i];
        bool profiled = k->reuse && k->reuse->longest;
        sl_table_cell(t, k->symbol);
        sl_table_cell(t, k->name);
        sl_table_exact(t, k->launches);
        sl_table_all_counts(t, &k->counts);
        profile_cell(d, t, sl_profile_counts_json,
                     (sl_profile_value){.counts = profiled ? &k->reuse->total : NULL, .options = options});
        profile_cell(d, t, sl_profile_footprint_json,
                     (sl_profile_value){.footprint = profiled ? k->reuse->longest : NULL, .options = options});
        for (uint32_t l = 0; l < k->loads; l++)
            load_cells(d, of, &k->load[l], options);
    }
}

static void add_launches(sl_document *d, const sl_page *page)
{
    static const sl_column columns[] = {SL_LAUNCH_SHAPE, SL_DATA("failed"), SL_DATA("failure"), SL_DATA("counters")};
    sl_table *t = sl_document_table(d, "launches", NULL, SL_FORM_JSON, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < page->joined.launches.count; i++) {
        const sl_joined_launch *l = &page->joined.launches.items[i];
        const sl_joined_kernel *k = &page->joined.kernels.items[l->kernel];
        sl_launch_id_cells(t, l->index, k->symbol, k->name);
        sl_table_dims(t, l->grid);
        sl_table_dims(t, l->block);
        if (l->failed)
            sl_table_bool(t, true);
        else
            sl_table_none(t);
        sl_table_known(t, l->failed ? l->failure : NULL);
        sl_table_all_counts(t, &l->counts);
    }
}

/* By kernel, not by launch as --json of a sweep: programs of many launches make large pages. Sizes are the largest that
 * a launch has. */
static void add_sweep(sl_document *d, const char *key, const sl_sweep *s)
{
    static const sl_column kernels[] = {SL_DATA("kernel"), SL_DATA("name")}, points[] = {SL_SWEPT_COLUMNS};
    if (!s)
        return;
    sl_document_open(d, key);
    sl_table *t = sl_document_table(d, "kernels", NULL, SL_FORM_JSON, kernels, 2);
    sl_table *of = sl_table_child(t, "points", SL_FORM_JSON | SL_FORM_EMPTY, points, SL_SWEPT_COLUMN_COUNT);
    for (size_t k = 0; k < s->kernels; k++) {
        sl_table_cell(t, s->kernel[k].symbol);
        sl_table_cell(t, s->kernel[k].name);
        for (size_t p = 0; p < s->points.count; p++) {
            const sl_swept *swept = &s->kernel[k].swept[p];
            sl_swept_cells(of, &s->points.items[p], swept->max_l1_bytes, &swept->counts);
        }
    }
    sl_document_close(d);
}

static void add_profile_options(sl_document *d, const sl_profile_options *o)
{
    sl_document_open(d, "profiled_with");
    sl_document_count(d, "line", o->line_bytes);
    sl_document_count(d, "sector", o->sector_bytes);
    sl_document_count(d, "cores", o->cores);
    sl_document_count(d, "blocks_per_core", o->blocks_per_core);
    sl_document_count(d, "cache", o->cache_bytes);
    sl_document_close(d);
}

void sl_document_page(sl_document *d, const sl_page *page, bool launches)
{
    const sl_page_input *in = &page->input;
    const sl_profile_options *options = in->results.profile ? &in->results.profile->profiled_as : NULL;
    sl_document_findings(d);
    if (options)
        add_profile_options(d, options);
    sl_document_counts(d, "counters", &page->joined.counts);
    add_kernels(d, page, options);
    if (launches)
        add_launches(d, page);
    add_sweep(d, "sizes", in->sizes);
    add_sweep(d, "policies", in->policies);
    add_sweep(d, "simulated", in->simulated);
    if (in->validation) {
        sl_document_open(d, "validation");
        sl_document_validation_data(d, in->validation);
        sl_document_close(d);
    }
}
