/* SPDX-License-Identifier: MIT */
/* Validations as JSON and as CSV: every value exact. */
#include <inttypes.h>

#include "base/text.h"
#include "report/parts.h"
#include "report/validate.h"

/* A member that is left out where it is not known. */
static void put_double(sl_json *j, const char *key, bool known, double value)
{
    if (!known)
        return;
    sl_json_double_member(j, key, value);
}

static void put_quantities(sl_json *j, const sl_validated *l)
{
    sl_json_object_member(j, "quantities", false);
    for (sl_quantity q = 0; q < SL_QUANTITIES; q++) {
        double value = 0;
        sl_json_object_member(j, sl_quantity_infos[q].name, false);
        bool known = sl_quantity_value(q, &l->measured, &value);
        put_double(j, "measured", known, value);
        known = sl_quantity_value(q, &l->model[0], &value);
        put_double(j, "model", known, value);
        known = sl_quantity_error(q, &l->measured, &l->model[0], &value);
        put_double(j, "error", known, value);
        sl_json_close(j, '}');
    }
    sl_json_close(j, '}');
}

static void put_launch(sl_json *j, const sl_validation *v, const sl_validated *l)
{
    sl_json_object(j, true);
    if (*l->workload) {
        sl_json_string_member(j, "workload", l->workload);
    }
    sl_json_launch(j, l->index, l->symbol, l->name, l->grid, l->block);
    sl_json_key(j, "counts_in_means");
    sl_json_bool(j, sl_validation_counts(v, l));
    put_quantities(j, l);
    sl_json_counts(j, "measured", &l->measured);
    sl_json_counts(j, "model", &l->model[0]);
    sl_json_close(j, '}');
}

static void put_means(sl_json *j, const sl_validation *v)
{
    sl_json_array_member(j, "mean_absolute_errors", true);
    for (size_t i = 0; i < v->variants; i++) {
        sl_json_object(j, false);
        sl_json_string_member(j, "variant", v->variant[i]);
        for (sl_quantity q = 0; q < SL_QUANTITIES; q++) {
            sl_mean_error mean = sl_validation_mean(v, i, q);
            put_double(j, sl_quantity_infos[q].name, mean.launches, mean.mean);
        }
        sl_json_close(j, '}');
    }
    sl_json_close(j, ']');
}

static void put_counters(sl_json *j, const sl_validation *v)
{
    sl_json_object_member(j, "counters", true);
    for (int c = 0; c < SL_COUNTERS; c++) {
        sl_mean_error mean = sl_validation_counter_mean(v, (sl_counter)c);
        if (!mean.launches)
            continue;
        sl_json_object_member(j, sl_counter_infos[c].name, false);
        sl_json_u64_member(j, "launches", mean.launches);
        sl_json_double_member(j, "mean_absolute_error", mean.mean);
        sl_json_close(j, '}');
    }
    sl_json_close(j, '}');
}

void sl_validation_members_json(sl_json *j, const sl_validation *v)
{
    uint64_t counted = 0;
    for (size_t i = 0; i < v->launches; i++)
        counted += sl_validation_counts(v, &v->launch[i]);
    sl_json_u64_member(j, "min_sectors", v->min_sectors);
    sl_json_u64_member(j, "launches_counted", counted);
    sl_json_u64_member(j, "launches_without_counters", v->unmeasured);
    put_means(j, v);
    put_counters(j, v);
    sl_json_array_member(j, "launches", true);
    for (size_t i = 0; i < v->launches; i++)
        put_launch(j, v, &v->launch[i]);
    sl_json_close(j, ']');
}

sl_status sl_validation_json(FILE *file, const sl_validation *v, sl_error *error)
{
    sl_json j;
    sl_json_start(&j, file);
    sl_json_object(&j, true);
    sl_report_head_json(&j, &v->info);
    sl_validation_members_json(&j, v);
    sl_json_close(&j, '}');
    return sl_json_finish(&j, error);
}

/* ---- CSV ---- */

static void csv_start(FILE *file, const sl_validation *v, const sl_validated *l, size_t variant)
{
    sl_csv_field(file, l->workload);
    fputc(',', file);
    sl_csv_launch(file, l->index, l->symbol, l->name);
    fprintf(file, "%d,", sl_validation_counts(v, l));
    sl_csv_field(file, v->variant[variant]);
}

static void csv_number(FILE *file, bool known, double value)
{
    char text[SL_DOUBLE_BYTES];
    fprintf(file, ",%s", known ? sl_double_text(value, text) : "");
}

static void csv_quantities(FILE *file, const sl_validation *v, const sl_validated *l, size_t variant)
{
    for (sl_quantity q = 0; q < SL_QUANTITIES; q++) {
        double value = 0;
        csv_start(file, v, l, variant);
        fprintf(file, ",%s", sl_quantity_infos[q].name);
        bool known = sl_quantity_value(q, &l->measured, &value);
        csv_number(file, known, value);
        known = sl_quantity_value(q, &l->model[variant], &value);
        csv_number(file, known, value);
        known = sl_quantity_error(q, &l->measured, &l->model[variant], &value);
        csv_number(file, known, value);
        fputc('\n', file);
    }
}

static void csv_counters(FILE *file, const sl_validation *v, const sl_validated *l, size_t variant)
{
    for (int i = 0; i < SL_COUNTERS; i++) {
        double difference = 0;
        if (!sl_counts_has(&l->measured, (sl_counter)i) || !sl_counts_has(&l->model[variant], (sl_counter)i))
            continue;
        csv_start(file, v, l, variant);
        fprintf(file, ",%s,%" PRIu64 ",%" PRIu64, sl_counter_infos[i].name, l->measured.value[i],
                l->model[variant].value[i]);
        bool known = sl_counter_error((sl_counter)i, &l->measured, &l->model[variant], &difference);
        csv_number(file, known, difference);
        fputc('\n', file);
    }
}

sl_status sl_validation_csv(FILE *file, const sl_validation *v, sl_error *error)
{
    fputs("workload,launch,kernel,name,counts,variant,what,measured,model,error\n", file);
    for (size_t i = 0; i < v->launches; i++)
        for (size_t variant = 0; variant < v->variants; variant++) {
            csv_quantities(file, v, &v->launch[i], variant);
            csv_counters(file, v, &v->launch[i], variant);
        }
    return sl_text_finish(file, "the CSV report", error);
}
