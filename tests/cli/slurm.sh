#!/bin/sh
# SPDX-License-Identifier: MIT
# Sweeps on a Slurm that this test starts: munged, slurmctld and slurmd of Debian, on this machine, in a separate folder.
# Wanted with SLUICE_TEST_SLURM=1, by root (slurmd starts jobs as their owners), with the packages slurmctld, slurmd and
# munge. What is called by name through others looks unreachable to shellcheck.
# shellcheck disable=SC2317
. "${SLUICE_SOURCE:?}/tests/tap.sh"

lacking()
{
    [ "${SLUICE_TEST_SLURM:-}" = 1 ] || { echo 'SLUICE_TEST_SLURM is not 1'; return; }
    [ "$(id -u)" = 0 ] || { echo 'only root can start slurmd'; return; }
    for program in munged slurmctld slurmd sbatch squeue scontrol; do
        command -v "$program" >/dev/null || { echo "$program is not installed (packages slurmctld, slurmd, munge)"; return; }
    done
}

PATH=$PATH:/usr/sbin:/sbin
missing=$(lacking)
if [ -n "$missing" ]; then
    it 'runs sweeps on a cluster'
    skip "$missing"
    done_testing
fi

# ---- a cluster of this machine ----

cluster=$scratch/cluster
mkdir "$cluster" "$cluster/state" "$cluster/spool"
chmod 755 "$scratch" "$cluster" # munged wants to know who may change its folders
port=$((20000 + $$ % 20000))
host=$(uname -n | cut -d. -f1)
head -c 1024 /dev/urandom >"$cluster/key"
chmod 400 "$cluster/key"
cat >"$cluster/slurm.conf" <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthType=auth/munge
AuthInfo=socket=$cluster/munge.socket
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$cluster/state
SlurmdSpoolDir=$cluster/spool
SlurmctldPidFile=$cluster/slurmctld.pid
SlurmdPidFile=$cluster/slurmd.pid
SlurmctldLogFile=$cluster/slurmctld.log
SlurmdLogFile=$cluster/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
SchedulerParameters=batch_sched_delay=0,sched_min_interval=100000
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
END
SLURM_CONF=$cluster/slurm.conf
export SLURM_CONF

daemons=
stop_cluster()
{
    # shellcheck disable=SC2086
    [ -z "$daemons" ] || kill $daemons 2>/dev/null
    wait
    rm -rf "$scratch"
}
trap stop_cluster EXIT

daemon() # NAME COMMAND...
{
    name=$1
    shift
    "$@" >"$cluster/$name.out" 2>&1 &
    daemons="$daemons $!"
}

# until_true SECONDS COMMAND...
until_true()
{
    left=$(($1 * 5))
    shift
    until "$@" >/dev/null 2>&1; do
        left=$((left - 1))
        [ $left -gt 0 ] || return 1
        sleep 0.2
    done
}

it 'starts a cluster of this machine'
daemon munged munged -F --socket="$cluster/munge.socket" --key-file="$cluster/key" --log-file="$cluster/munged.log" \
    --pid-file="$cluster/munged.pid" --seed-file="$cluster/munged.seed"
until_true 10 test -S "$cluster/munge.socket" || fail "munged: $(cat "$cluster/munged.out" "$cluster/munged.log")"
daemon slurmctld slurmctld -D
daemon slurmd slurmd -D
idle() { scontrol show node "$host" | grep -q 'State=IDLE'; }
if ! until_true 30 idle; then
    fail "$(scontrol show node "$host" 2>&1; tail -n 20 "$cluster"/*.out "$cluster"/*.log)"
    done_testing
fi

# ---- sweeps on it ----

over() { [ -z "$(squeue -h 2>&1)" ]; }
logs() { tail -n 20 ./*.log "$cluster"/*.log; }

cat >sizes.yaml <<'END'
workloads: [spmv, "gather n=2048"]
size: small
l1: [lru, decoupled]
set: {L1.size: [16K, 32K]}
END
run "$sluice" sweep sizes.yaml -d here.sqlite --cache here --csv here.csv -q

it 'runs a sweep as a job array and puts the results together'
run "$sluice" sweep sizes.yaml --cache there --slurm 3
exits 0
stdout_has '8 points as job '
stdout_has ' of 3 tasks; results will be in sizes.sqlite and sizes.sqlite.csv'
until_true 60 over || fail "$(squeue; logs)"
for part in 0 1 2; do exists sizes.sqlite.part-$part; done
run cmp here.csv sizes.sqlite.csv
exits 0
[ "$status" = 0 ] || fail "$(logs)"

it 'takes the points from the database then'
mkdir empty
run "$sluice" sweep sizes.yaml --cache empty -q --csv again.csv
exits 0
run cmp here.csv again.csv
exits 0
[ -z "$(ls empty/traces)" ] || fail 'it ran points that the jobs had run'

it 'runs from another folder, with paths that have spaces and signs'
mkdir 'a folder' elsewhere
cp sizes.yaml 'a folder/my sizes.yaml'
cd elsewhere || exit 1
name="100 % \"it's\" \$HOME.sqlite"
run "$sluice" sweep '../a folder/my sizes.yaml' --cache '../the cache' --slurm 2 -d "../a folder/$name"
exits 0
until_true 60 over || fail "$(squeue; logs)"
cd .. || exit 1
run cmp here.csv "a folder/$name.csv"
exits 0
[ "$status" = 0 ] || fail "$(cat 'a folder'/*.log; tail -n 20 "$cluster"/*.log)"

it 'keeps the points that worked, and the errors of those that did not'
"$sluice" trace --quiet --size small -o whole.slt gather
printf 'traces: [whole.slt, none.slt]\n' >broken.yaml
run "$sluice" sweep broken.yaml --cache there --slurm 2
exits 0
until_true 60 over || fail "$(squeue; logs)"
[ "$(sed -n 2p broken.sqlite.csv | cut -d, -f2,12)" = 'whole.slt,' ] || fail "$(cat broken.sqlite.csv; logs)"
file_has broken.sqlite.csv 'cannot read none.slt'

it 'finishes at the merge what a task that was killed left'
run "$sluice" sweep sizes.yaml --cache there --slurm 4 -d killed.sqlite
exits 0
job=$(sed -n 's/.* as job \([0-9]*\) .*/\1/p' "$scratch/stdout")
scancel "${job}_3" || fail 'scancel failed'
until_true 60 over || fail "$(squeue; logs)"
run cmp here.csv killed.sqlite.csv
exits 0
[ "$status" = 0 ] || fail "$(logs)"

it 'says what Slurm says when it refuses'
run env SBATCH_PARTITION=nowhere "$sluice" sweep sizes.yaml --cache there --slurm 2 -d refused.sqlite
exits 1
stderr_has 'sbatch rejected the job'
stderr_has 'partition'

done_testing
