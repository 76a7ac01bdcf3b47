/* SPDX-License-Identifier: MIT */
/* A sweep: all combinations of inputs, machines, policies and parameters of a YAML file.
 *
 *   kind: sim                          # or model, or profile
 *   workloads: [spmv, "bfs vertices=500"]
 *   traces: [app.slt]                  # in addition to the workloads; relative to the folder of the file
 *   inputs:                            # PTX and LLVM IR with a launch; IR also with a 'host' and its 'params'
 *     - {file: k.ptx, grid: 8, block: 256, args: ["f32[1K]:random", "u32:1024"]}
 *   size: small                        # of workloads; also a list
 *   machines: [fermi-gtx480, mine.yaml]
 *   l1: [lru, decoupled]               # also l2, scheduler, without, seed
 *   plan: ["", spmv.json]              # of 'sluice tune': loads that bypass
 *   set: {L1.size: [16K, 32K]}         # all combinations of these, too
 *   cold: yes
 *   parts: 8                           # each point is eight, which are parts of the launches; their sums are the whole
 *   stream: yes                        # also the reuse of lines in the requests of L1
 */
#ifndef SL_STUDY_SWEEP_FILE_H
#define SL_STUDY_SWEEP_FILE_H

#include "base/arena.h"
#include "study/runner.h"

typedef struct sl_sweep_file {
    sl_arena arena;
    size_t points;
    sl_point *point; /* the first key of the file varies slowest */
} sl_sweep_file;

/* The caller frees it by sl_sweep_file_fini, also after a failure. `custom`: policies that it may name, which must
 * outlive it; NULL: none. */
sl_status sl_sweep_file_parse(const char *path, const char *text, size_t bytes, const sl_custom_policies *custom,
                              sl_sweep_file *spec, sl_error *error);
sl_status sl_sweep_file_load(const char *path, const sl_custom_policies *custom, sl_sweep_file *spec, sl_error *error);
void sl_sweep_file_fini(sl_sweep_file *spec);

#endif
