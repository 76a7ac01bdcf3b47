#!/bin/sh
# SPDX-License-Identifier: MIT
# Where results go: every option that writes, of every command, to every kind of node. A node stays what it was.
. "${SLUICE_SOURCE:?}/tests/tap.sh"
export HOME="$PWD/home"

# ---- inputs ----

"$sluice" trace -q -o mm.slt matmul n=32
l1=l1tex__t_sectors_pipe_lsu_mem_global_op_ld
{
    echo "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"$l1.sum\",\"${l1}_lookup_hit.sum\""
    echo '"","","","","sector","sector"'
    echo '"0","matmul","(16, 16, 1)","(2, 2, 1)","4,096","3,072"'
} >counters.csv
printf 'blocksize: 32 1 1\n0 0 4096 4\n1 0 4100 4\n0 1 8192 4\n' >mm.trc
vecadd=$source_root/workloads/vecadd/vecadd.ptx
gather=$source_root/workloads/gather/gather.ptx
"$sluice" tune -q --no-cache gather --size small --set cores=4 -o plan.json
printf 'workloads: vecadd\nsize: small\nmachines: fermi-gtx480\nkind: model\n' >spec.yaml
cat >paper.yaml <<'END'
name: test
title: A paper
source: nobody
programs: {A: gather n=2048 table=16384}
groups: {ALL: [A]}
configs: {BL: {l1: lru}, BALL: {l1: all}}
figures:
  - id: one
    title: Cycles
    where: figure 1
    rows: [ALL]
    columns:
      - {name: BALL / BL, value: BL.cycles / BALL.cycles, paper: {A: 3}}
END

# ---- every command with every option that writes; @ is an output ----

cat >commands <<END
run matmul --size small --output @ --json @ --csv @ --markdown @ --loads @ --notes @ --sarif @ --html @ --callgrind @ --annotate @
run $vecadd --grid 1 --block 32 --arg f32[32]:iota --arg f32[32]:iota --arg f32[32]:0 --arg u32:32 --dump 2:@
trace vecadd --size small --output @ --json @ --csv @ --markdown @ --loads @
info mm.slt --output @ --json @ --csv @ --markdown @ --loads @
profile mm.slt --output @ --json @ --csv @ --markdown @ --loads @ --html @ --callgrind @ --annotate @ --plot @
model mm.slt --output @ --json @ --csv @ --markdown @ --loads @ --notes @ --sarif @ --html @ --callgrind @ --annotate @ --roofline @
sim mm.slt --gpu fermi-gtx480 --output @ --json @ --csv @ --markdown @ --loads @ --notes @ --sarif @ --html @ --callgrind @ --annotate @ --timeline @ --roofline @
validate mm.slt -c counters.csv --output @ --json @ --csv @ --markdown @ --html @ --plot @
report mm.slt --gpu fermi-gtx480 --output @ --json @ --csv @ --loads @ --notes @ --sarif @ --callgrind @ --roofline @
compare mm.slt mm.slt --output @ --json @ --csv @ --markdown @ --loads @ --html @
rank vecadd mm.slt --output @ --json @ --csv @ --markdown @
explain --output @ --json @ --csv @ --markdown @
tune --no-cache gather --size small --set cores=4 --output @ --graph @ --json @ --csv @
apply plan.json $gather --output @ --json @ --csv @
ptx $source_root/tests/data/fatbin/bfs.fatbin --json @ --csv @
ptx $source_root/tests/data/fatbin/bfs.fatbin --output @
sweep spec.yaml --cache cache --database results.sqlite --output @ --json @ --csv @ --markdown @ --plot @
reproduce paper.yaml --cache cache --output @ --json @ --csv @ --markdown @
import mm.trc --output @ --json @ --csv @ --markdown @ --loads @
workloads --output @ --json @ --csv @ --markdown @
machines --output @ --json @ --csv @ --markdown @
policies --output @ --json @ --csv @ --markdown @
help run --json @
END

it 'knows every option that writes'
# Options of files and folders that are only read, and those that later tests try. 'measure' needs a GPU.
others='plan cubin cudart-static source policy-plugin counters code merge cache pages figures path'
for command in $("$sluice" --help | awk '/^  [a-z]+ /{print $1}'); do
    [ "$command" != measure ] || continue
    for option in $("$sluice" "$command" --help=all |
        sed -nE 's/^ +(-[a-z], )?--([a-z-]+) \[?(FILE|PATH|FOLDER|ARG\[:FILE).*/\2/p'); do
        case " $others " in *" $option "*) continue ;; esac
        grep -qE "^$command .*--$option " commands || fail "nothing tries 'sluice $command --$option'"
    done
done

# ---- nodes ----

mkdir nodes
device() { mknod "$1" c 1 "$2" 2>/dev/null && : >"$1" 2>/dev/null; } # where root may, and the file system has devices
can_make=no
if device nodes/try 3; then can_make=yes; fi
rm -f nodes/try

# What a node is; a file may be another one of the same name.
what_is() { if [ -L "$1" ]; then stat -c '%F %i %N' "$1"; elif [ -f "$1" ]; then echo file; else stat -c '%F %i %t:%T' "$1"; fi; }

make_node() # kind path
{
    case $1 in
    null) if [ $can_make = yes ]; then device "$2" 3; else ln -s /dev/null "$2"; fi ;;
    full) if [ $can_make = yes ]; then device "$2" 7; else ln -s /dev/full "$2"; fi ;;
    fifo)
        mkfifo "$2"
        timeout 20 cat "$2" >"$2.got" &
        ;;
    link) echo old >"$2.target" && ln -s "${2##*/}.target" "$2" ;;
    dangling) ln -s "${2##*/}.target" "$2" ;;
    linked_null) if [ $can_make = yes ]; then device "$2.target" 3; else ln -s /dev/null "$2.target"; fi && ln -s "${2##*/}.target" "$2" ;;
    socket) cp -a nodes/a_socket "$2" 2>/dev/null || ln -s a_socket "$2" ;;
    missing) ;; # a folder that is not there
    esac
}

# Runs every command with new nodes of a kind; what is expected of each output is checked by `look PATH`.
try() # kind exit-code
{
    kind=$1 count=0
    while read -r line; do
        set -f
        list='' words=''
        for word in $line; do
            case $word in
            *@)
                count=$((count + 1))
                path=nodes/$kind.$count
                [ "$kind" != missing ] || path=nodes/none/$count
                make_node "$kind" "$path"
                list="$list $path"
                word=${word%@}$path
                ;;
            esac
            words="$words $word"
        done
        before=$(for path in $list; do what_is "$path" 2>&1; done)
        rm -f results.sqlite*
        # shellcheck disable=SC2086
        run timeout 120 "$sluice" $words
        set +f
        [ "$status" = "$2" ] || fail "$(saw "sluice $words: exit code $status, expected $2")"
        [ "$kind" != fifo ] || wait
        after=$(for path in $list; do what_is "$path" 2>&1; done)
        [ "$before" = "$after" ] || fail "$(printf 'sluice %s\nbefore:\n%s\nafter:\n%s' "$words" "$before" "$after")"
        for path in $list; do look "$path"; done
        [ -z "$(find nodes -name '*.tmp-*')" ] || fail "sluice $words left $(find nodes -name '*.tmp-*')"
    done <commands
}

it 'writes to a device and leaves it one'
look() { :; }
try null 0

it 'writes through a link to a device'
try linked_null 0

it 'says that a device is full'
look() { stderr_has 'No space left on device'; }
if [ $can_make = yes ] || [ -e /dev/full ]; then try full 1; else skip 'there is no /dev/full'; fi

it 'writes to a FIFO what goes to a file'
look() { [ -s "$1.got" ] || fail "nothing came through $1"; }
try fifo 0
# The first of them is that of vecadd.
# shellcheck disable=SC2046
trace=$(grep -lam1 SLT $(printf '%s\n' nodes/fifo.*.got | sort -V) | head -1)
run "$sluice" info "$trace"
exits 0
stdout_has 'vecadd'

it 'writes through a link to a file, and does not replace it'
look() { if [ ! -s "$1.target" ] || [ "$(head -c 3 "$1.target")" = old ]; then fail "$1.target was not written"; fi; }
try link 0

it 'writes through a link to a file that is not there yet'
try dangling 0

it 'refuses a socket'
look() { stderr_has 'it is a socket'; }
if python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("nodes/a_socket")' 2>/dev/null; then
    try socket 1
else
    skip 'nothing makes a socket here'
fi

it 'names a folder that is not there'
look() { stderr_has 'No such file or directory'; }
try missing 1

it 'says that a folder cannot be written, and leaves it as it was'
mkdir read-only
echo old >read-only/there
chmod 555 read-only
as_user='' # root may write everywhere
if [ "$(id -u)" = 0 ]; then
    chmod 755 "$scratch" "$scratch/work"
    as_user='setpriv --reuid=65534 --regid=65534 --clear-groups'
fi
if ! $as_user "$sluice" --version >/dev/null 2>&1; then
    skip 'root may write everywhere, and nobody else can run it'
else
    for name in there new; do
        # shellcheck disable=SC2086
        run $as_user "$sluice" run -q vecadd --json "read-only/$name"
        exits 1
        stderr_has "cannot write read-only/$name: Permission denied"
        # shellcheck disable=SC2086
        run $as_user "$sluice" trace -q -o "read-only/$name" vecadd
        exits 1
        stderr_has "cannot write read-only/$name: Permission denied"
    done
    [ "$(ls read-only)" = there ] || fail "it holds: $(ls read-only)"
    file_is read-only/there old
fi

it 'appends to an open file that is named as one'
run sh -c 'echo first >log && exec "$0" trace -q -o /dev/fd/3 vecadd 3>>log' "$sluice"
exits 0
[ "$(head -n 1 log)" = first ] || fail "the log was replaced: $(head -c 100 log)"
[ "$(wc -c <log)" -gt 500 ] || fail 'nothing was appended'

# ---- databases, scripts, folders ----

it 'refuses a database that is no regular file'
mkfifo nodes/database
for node in nodes/database /dev/null; do
    before=$(what_is "$node")
    run timeout 20 "$sluice" sweep spec.yaml --cache cache -d "$node"
    exits 1
    stderr_has 'and a database needs a regular file'
    [ "$(what_is "$node")" = "$before" ] || fail "$node is now $(what_is "$node")"
done
mkdir -p other
mkfifo other/points.sqlite
run timeout 20 "$sluice" reproduce paper.yaml --cache other
exits 1
stderr_has 'and a database needs a regular file'
[ -p other/points.sqlite ] || fail 'the FIFO is gone'

it 'writes a database through a link'
ln -s real.sqlite linked.sqlite
run "$sluice" sweep spec.yaml --cache cache -d linked.sqlite
exits 0
{ [ -L linked.sqlite ] && [ -s real.sqlite ]; } || fail "$(ls -l)"

it 'writes the scripts of a batch job through links'
mkdir bin
printf '#!/bin/sh\necho 7\n' >bin/sbatch
chmod +x bin/sbatch
for name in job.sqlite.sbatch job.sqlite-merge.sbatch; do ln -s "real-$name" "$name"; done
PATH="$PWD/bin:$PATH" run "$sluice" sweep spec.yaml --cache cache -d job.sqlite --slurm 2
exits 0
{ [ -L job.sqlite.sbatch ] && [ -L job.sqlite-merge.sbatch ] && [ -s real-job.sqlite.sbatch ] &&
    [ -s real-job.sqlite-merge.sbatch ]; } || fail "$(ls -l)"

it 'writes pages of papers through links'
mkdir pages
ln -s ../real.html pages/test.html
run "$sluice" reproduce paper.yaml --cache cache --pages pages
exits 0
{ [ -L pages/test.html ] && [ -s real.html ]; } || fail "$(ls -l . pages)"

it 'records programs to devices, pipes and through links'
if [ -x "${SLUICE_PROGRAMS:-}/reduce" ]; then
    make_node null nodes/program_null
    before=$(what_is nodes/program_null)
    run "$sluice_with_programs" trace -q -o nodes/program_null -- "$SLUICE_PROGRAMS/reduce"
    exits 0
    [ "$(what_is nodes/program_null)" = "$before" ] || fail "it is now $(what_is nodes/program_null)"
    make_node fifo nodes/program_fifo
    run "$sluice_with_programs" trace -q -o nodes/program_fifo -- "$SLUICE_PROGRAMS/reduce"
    exits 0
    wait
    [ -p nodes/program_fifo ] || fail 'the FIFO is gone'
    run "$sluice" info nodes/program_fifo.got
    exits 0
    make_node link nodes/program_link
    run "$sluice_with_programs" trace -q -o nodes/program_link -- "$SLUICE_PROGRAMS/reduce"
    exits 0
    run "$sluice" info nodes/program_link.target
    exits 0
    [ -L nodes/program_link ] || fail 'the link is gone'
else
    skip 'there is no CUDA program'
fi

done_testing
