/* SPDX-License-Identifier: MIT */
#include "cli/model_options.h"

#include <stdlib.h>
#include <string.h>

#include "cli/output.h"
#include "report/results.h"

enum { MAX_VALUES = 256 };

bool sl_sweep_wanted(const sl_sweep_settings *w)
{
    return w->l1_size || w->l1_ways || w->line || w->mshrs || w->figure12 || w->seeds;
}

/* ---- lists ---- */

typedef struct values {
    size_t count; /* 0: the option was not given */
    uint64_t value[MAX_VALUES];
} values;

/* "4K,8K": numbers in [min, max]. */
static sl_status parse_list(const char *option, const char *text, uint64_t unit, uint64_t min, uint64_t max,
                            values *list, sl_error *error)
{
    *list = (values){0};
    if (!text)
        return SL_OK;
    for (;; text++) {
        char word[32];
        size_t length = strcspn(text, ",");
        snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1), text);
        if (list->count == MAX_VALUES)
            return sl_fail(error, SL_INVALID, "--%s: more than %d values", option, MAX_VALUES);
        uint64_t *value = &list->value[list->count++];
        if (length >= sizeof word || !sl_parse_count(word, unit, value))
            return sl_fail(error, SL_INVALID, "--%s: '%s' is not a number%s", option, word,
                           unit == 1024 ? " of bytes" : "");
        if (*value < min || *value > max)
            return sl_fail(error, SL_INVALID, "--%s: %s is not between %llu and %llu", option, word,
                           (unsigned long long)min, (unsigned long long)max);
        text += length;
        if (!*text)
            return SL_OK;
    }
}

enum { SIZE, WAYS, LINE, MSHRS, LISTS };

static sl_status parse_lists(const sl_sweep_settings *w, values list[LISTS], sl_error *error)
{
    sl_status status = parse_list("l1-size", w->l1_size, 1024, 1, UINT64_C(1) << 40, &list[SIZE], error);
    if (!status)
        status = parse_list("l1-ways", w->l1_ways, 1000, 1, 1 << 20, &list[WAYS], error);
    if (!status)
        status = parse_list("line", w->line, 1024, 4, 65536, &list[LINE], error);
    if (!status)
        status = parse_list("mshrs", w->mshrs, 1000, 0, 1 << 20, &list[MSHRS], error);
    return status;
}

static sl_status add_points(const sl_sweep_settings *settings, sl_sweep *sweep, sl_error *error)
{
    sl_sweep_list list[LISTS];
    values *parsed = calloc(LISTS, sizeof *parsed);
    sl_status status = parsed ? parse_lists(settings, parsed, error) : sl_fail_memory(error);
    for (int i = 0; i < LISTS && !status; i++)
        list[i] = (sl_sweep_list){parsed[i].count, parsed[i].value};
    if (!status)
        status = settings->seeds      ? sl_sweep_seeds(sweep, settings->seeds, error)
                 : settings->figure12 ? sl_sweep_figure12(sweep, error)
                                      : sl_sweep_product(sweep, list, error);
    free(parsed);
    return status;
}

/* ---- the report ---- */

static int report(const sl_invocation *inv, const sl_sweep_settings *settings, const sl_sweep *sweep,
                  const sl_cli_input *input)
{
    sl_error error;
    sl_arena arena;
    sl_report_info info = {
        .command = "model", .machine = sweep->like.resolved->name, .seed = &sweep->like.seed, .trace = input->trace};
    sl_arena_init(&arena);
    sl_status status =
        sl_given_options(inv, &input->fact, !input->trace, input->subject, info.machine, &arena, &info, &error);
    int code = status ? sl_cli_fail(inv, &error) : SL_EXIT_OK;
    if (!status) {
        const sl_page_input page = {.subject = input->subject, .info = info, .sizes = sweep};
        sl_document *d = sl_document_create(&info, sl_forms_wanted(inv->common));
        (settings->seeds ? sl_document_seeds : sl_document_sweep)(d, sweep);
        code = sl_document_show(inv, d, settings->seeds ? NULL : &page, sl_cli_input_stream(input));
    }
    sl_arena_fini(&arena);
    return code;
}

sl_status sl_sweep_check(const sl_sweep_settings *w, sl_error *error)
{
    bool listed = w->l1_size || w->l1_ways || w->line || w->mshrs;
    values *list = calloc(LISTS, sizeof *list);
    sl_status status = list ? SL_OK : sl_fail_memory(error);
    if (!status && w->figure12 + listed + (w->seeds != 0) > 1)
        status = sl_fail(error, SL_INVALID, "lists of L1 parameters, --figure12 and --seeds exclude each other");
    if (!status)
        status = parse_lists(w, list, error);
    free(list);
    return status;
}

int sl_run_sweep(const sl_invocation *inv, const sl_sweep_settings *settings, const sl_point *like,
                 const sl_cli_input *input)
{
    if (inv->common->callgrind || inv->common->annotate || inv->common->roofline || inv->common->loads ||
        (settings->seeds && inv->common->html))
        return sl_cli_usage(inv, "--%s cannot be combined with %s",
                            inv->common->callgrind  ? "callgrind"
                            : inv->common->annotate ? "annotate"
                            : inv->common->roofline ? "roofline"
                            : inv->common->loads    ? "loads"
                                                    : "html",
                            settings->seeds ? "--seeds" : "lists of L1 parameters or --figure12");
    sl_sweep sweep;
    sl_error error;
    sl_status status = sl_sweep_init(&sweep, like, !settings->seeds, &error);
    if (!status)
        status = add_points(settings, &sweep, &error);
    if (!status)
        status = sl_sweep_run(&sweep, &input->recording, input->pool, inv->progress, &error);
    int code = status ? sl_cli_fail(inv, &error) : report(inv, settings, &sweep, input);
    sl_sweep_fini(&sweep);
    return code;
}
