/* SPDX-License-Identifier: MIT */
/* --times: whose CPU time it was. Reports have it only with that option: all else is the same in every run. */
#include <sys/resource.h>

#include "cli/command.h"
#include "recording/recording.h"
#include "report/document.h"

static struct {
    uint64_t in_program_ns, elsewhere_ns; /* in calls of CUDA; on running other inputs */
    uint64_t emulation_ns, writing_ns;
} spent;

void sl_cli_times_note(const sl_run_end *end, bool in_program)
{
    *(in_program ? &spent.in_program_ns : &spent.elsewhere_ns) += end->calls_ns;
    spent.emulation_ns += end->emulation_ns;
    spent.writing_ns += end->writing_ns;
}

static double cpu_seconds(int who)
{
    struct rusage usage;
    if (getrusage(who, &usage))
        return 0;
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static double at_least_0(double seconds)
{
    return seconds > 0 ? seconds : 0;
}

typedef struct times {
    double program, calls, emulation, writing, analysis;
} times;

static times until_now(void)
{
    const double calls = 1e-9 * (double)spent.in_program_ns, emulation = 1e-9 * (double)spent.emulation_ns,
                 writing = 1e-9 * (double)spent.writing_ns;
    return (times){.program = at_least_0(cpu_seconds(RUSAGE_CHILDREN) - calls),
                   .calls = at_least_0(calls - emulation),
                   .emulation = at_least_0(emulation - writing),
                   .writing = writing,
                   .analysis = at_least_0(cpu_seconds(RUSAGE_SELF) - 1e-9 * (double)spent.elsewhere_ns)};
}

void sl_cli_times_show(const sl_invocation *inv)
{
    const times t = until_now();
    fprintf(stderr, "sluice %s: CPU time: ", inv->command->name);
    if (inv->args.program)
        fprintf(stderr, "%.2f s of the program, %.2f s of its other CUDA calls, ", t.program, t.calls);
    fprintf(stderr, "%.2f s of emulation, %.2f s of writing the trace, %.2f s of analysis\n", t.emulation, t.writing,
            t.analysis);
}

void sl_cli_times_add(const sl_invocation *inv, sl_document *document)
{
    const times t = until_now();
    sl_document_open(document, "times");
    if (inv->args.program) {
        sl_document_number(document, "program_s", t.program);
        sl_document_number(document, "calls_s", t.calls);
    }
    sl_document_number(document, "emulation_s", t.emulation);
    sl_document_number(document, "writing_s", t.writing);
    sl_document_number(document, "analysis_s", t.analysis);
    sl_document_close(document);
}
