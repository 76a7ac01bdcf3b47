/* SPDX-License-Identifier: MIT */
/* --times: whose CPU time it was. Not a part of reports, which are the same in every run. */
#include <sys/resource.h>

#include "cli/command.h"
#include "recording/recording.h"

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

void sl_cli_times_show(const sl_invocation *inv)
{
    const double calls = 1e-9 * (double)spent.in_program_ns, emulation = 1e-9 * (double)spent.emulation_ns,
                 writing = 1e-9 * (double)spent.writing_ns;
    fprintf(stderr, "sluice %s: CPU time: ", inv->command->name);
    if (inv->args.program)
        fprintf(stderr, "%.2f s of the program, %.2f s of its other CUDA calls, ",
                at_least_0(cpu_seconds(RUSAGE_CHILDREN) - calls), at_least_0(calls - emulation));
    fprintf(stderr, "%.2f s of emulation, %.2f s of writing the trace, %.2f s of analysis\n",
            at_least_0(emulation - writing), writing,
            at_least_0(cpu_seconds(RUSAGE_SELF) - 1e-9 * (double)spent.elsewhere_ns));
}
