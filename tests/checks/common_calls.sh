#!/bin/sh
# SPDX-License-Identifier: MIT
# What only some files may call themselves, because everybody else uses the function that was made for it.
. "${SLUICE_SOURCE:?}/tests/tap.sh"

# Calls in C files under src and workloads that match a regular expression, next to those of the allowed files.
# Comments and strings of whole lines do not count.
only_in() # regular-expression allowed-file...
{
    expression=$1
    shift
    found=$(cd "$source_root" && grep -rnE "$expression" src workloads --include='*.[ch]' | grep -vE '^[^:]*:[0-9]+: *(/\*|\* |//)')
    for file; do
        [ -e "$source_root/$file" ] || fail "$file is allowed to call it, but does not exist"
        printf '%s\n' "$found" | grep -q "^$file:" || fail "$file is allowed to call it, but does not"
        found=$(printf '%s\n' "$found" | grep -v "^$file:")
    done
    [ -z "$found" ] || fail "$found"
}

it 'makes output files and temporary files in src/base/new_file.c only'
only_in '\b(open|openat|open64)\([^;]*O_(CREAT|TMPFILE|TRUNC)' src/base/new_file.c
only_in '\bmemfd_create\(' src/base/new_file.c
only_in '\b(mkostemps?|mkstemps?|mkdtemp|mktemp|tmpfile|tmpnam|tempnam|creat|creat64|shm_open|freopen|freopen64)\('
only_in '\bfopen(64)?\([^;]*, *"[^"]*[wa+]'
# The name of a file is exchanged there, too; a damaged database is renamed next to it, and traces of processes are
# renumbered where some launched nothing.
only_in '\brename(at2?)?\(' src/base/new_file.c src/study/store.c src/exec/start_program.c

it 'appends and prints only to descriptors that come from there'
only_in '\bfdopen\([^;]*, *"[^"]*[wa+]' src/base/new_file.c src/process/image.c src/process/results_file.c src/tune/rewrite/isolate.c

it 'opens databases only where it was checked that they are files'
only_in '\bsqlite3_open(16|_v2)?\(' src/study/store.c

# Results are documents of tables, which have one writer for each form. Beside them: timelines and SARIF, in the formats
# of their readers, and plans, which are files of their own.
it 'writes reports by src/report/document.c'
only_in '\bsl_json_start\(' src/base/json_write.h src/base/json_write.c src/report/document.c src/report/sarif.c \
    src/report/timeline.c src/tune/plan_file.c
only_in '\bsl_csv_field\(' src/base/text.h src/base/text.c src/report/table_data.c

# Arrays and texts that grow one by one use base/array.h and base/buffer.h. These resize several arrays together, or an
# array to a size that is known.
it 'grows arrays and texts by src/base/array.h'
only_in '\b(realloc|reallocarray)\(' src/base/array.h src/base/file.c src/tune/plan.c src/reuse/reuse.c src/cli/options.c \
    src/emu/launch.c src/emu/warp.c src/profile/profile.c src/sim/coalescer.c src/sim/evict.c src/sim/lsu.c \
    src/lower/program.c src/sim/l1_requests.c

it 'finds such calls'
mkdir -p tree/src tree/workloads
real_root=$source_root
source_root=$PWD/tree
for line in 'FILE *f = fopen(path, "wb");' 'int fd = open(path, O_WRONLY | O_CREAT, 0600);' 'FILE *f = tmpfile();' 'p = realloc(p, n);'; do
    echo "$line" >tree/src/bad.c
    trouble_before=$trouble trouble=''
    only_in '\brealloc\('
    only_in '\b(open)\([^;]*O_CREAT'
    only_in '\btmpfile\('
    only_in '\bfopen(64)?\([^;]*, *"[^"]*[wa+]'
    [ -n "$trouble" ] && trouble=$trouble_before || trouble="$line was not found"
done
source_root=$real_root

done_testing
