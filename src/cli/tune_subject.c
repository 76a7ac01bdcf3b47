#include "cli/tune_subject.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/ptx_launch.h"

const char *const sl_subject_sizes[] = {"small", "default", "large", NULL};

static bool is_ptx(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && !strcmp(dot, ".ptx");
}

static void add(char *text, size_t size, const char *part)
{
    size_t used = strlen(text);
    if (used + 1 < size)
        snprintf(text + used, size - used, " %s", part);
}

static void describe(sl_subject *s)
{
    const sl_run_options *o = s->options;
    char part[160];
    snprintf(s->input, sizeof s->input, "%s seed %" PRIu64, s->name, o->seed);
    if (s->workload) {
        add(s->input, sizeof s->input, sl_size_names[o->size]);
        for (size_t i = 0; i < s->wishes.sets; i++)
            add(s->input, sizeof s->input, s->wishes.set[i]);
        return;
    }
    snprintf(part, sizeof part, "%u,%u,%u %u,%u,%u %" PRIu64, o->grid[0], o->grid[1], o->grid[2], o->block[0],
             o->block[1], o->block[2], o->shared_bytes);
    add(s->input, sizeof s->input, part);
    for (size_t i = 0; i < o->arg.count; i++)
        add(s->input, sizeof s->input, o->arg.item[i]);
}

static int open_file(sl_subject *s, const sl_invocation *inv)
{
    sl_error error = {0};
    if (inv->args.operands > 1)
        return sl_cli_usage(inv, "'%s' is one argument too many; arguments of the kernel are given by --arg",
                            inv->args.operand[1]);
    if (!s->options->grid[0] || !s->options->block[0])
        return sl_cli_usage(inv, "--%s is missing: how many %s", s->options->grid[0] ? "block" : "grid",
                            s->options->grid[0] ? "threads a block has" : "blocks to launch");
    if (sl_file_read(s->name, &s->owned, &s->ptx_length, &error))
        return sl_cli_fail(inv, &error);
    s->ptx = s->owned;
    return SL_EXIT_OK;
}

int sl_subject_open(sl_subject *s, const sl_invocation *inv, const sl_run_options *options)
{
    sl_error error = {0};
    *s = (sl_subject){.options = options, .name = inv->args.operand[0]};
    int code = SL_EXIT_OK;
    if (is_ptx(s->name)) {
        code = open_file(s, inv);
    } else {
        if (sl_workload_find(s->name, &s->workload, &error))
            return sl_cli_usage(inv, "%s", error.text);
        s->ptx = s->workload->ptx;
        s->ptx_length = (size_t)(s->workload->ptx_end - s->workload->ptx);
        s->wishes = (sl_workload_options){.size = sl_size_names[options->size],
                                          .sets = inv->args.operands - 1,
                                          .set = inv->args.operand + 1,
                                          .seed = options->seed};
    }
    if (!code)
        describe(s);
    return code;
}

void sl_subject_close(sl_subject *subject)
{
    free(subject->owned);
}

sl_status sl_subject_run(const sl_subject *s, sl_device *device, bool check, sl_error *error)
{
    if (s->workload) {
        sl_workload_options wishes = s->wishes;
        wishes.skip_check = !check;
        return sl_workload_run(s->workload, device, &wishes, NULL, error);
    }
    sl_device_module *module = NULL;
    sl_status status = sl_device_load(device, s->ptx, s->ptx_length, s->name, &module, error);
    return status ? status : sl_ptx_launch(module, s->options, device, error);
}
