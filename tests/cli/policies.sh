#!/bin/sh
# SPDX-License-Identifier: MIT
# Policies, as a person looks them up and gives them to a cache.
. "${SLUICE_SOURCE:?}/tests/tap.sh"

it 'lists the policies with their parameters'
run "$sluice" policies
exits 0
stderr_is ''
stdout_has '  role      description; parameters'
stdout_has 'least recently used'
stdout_has 'bits=2, hit=priority, every=32, leaders=32'

it 'has every policy of the registry'
run "$sluice" policies --csv
exits 0
sed -n 's/^SL_POLICY(\(.*\))$/\1/p' "$source_root/src/policy/registry.def" >names
while read -r name; do
    stdout_has "$name,"
done <names

it 'tells those that replace from those that bypass'
run "$sluice" policies --csv
exits 0
stdout_has 'lru,replaces,'
stdout_has 'decoupled,bypasses,'
grep -E '^[a-z]+,(replaces|both),' "$scratch/stdout" | cut -d, -f1 | sort -u >replacing
[ "$(grep -c . replacing)" -ge 9 ] || fail 'too few policies replace'

it 'says what the parameters of one mean'
run "$sluice" policies drrip
exits 0
stdout_has 'source: Jaleel et al., ISCA 2010'
stdout_has 'leaders        32        1 to 65536'
stdout_has 'priority, frequency'
run "$sluice" policies lru
exits 0
stdout_has 'lru: least recently used'
run "$sluice" policies decoupled
exits 0
stdout_has 'role: bypasses'
stdout_has 'cost, as published: 0.002 nJ per read and 1.7 mW of leakage for 15 caches'
stdout_has 'threshold  2         0 to 65535, best'

it 'lists them for programs'
run "$sluice" policies --json
exits 0
stdout_has '"command": "policies"'
stdout_has '{"name": "bits", "default": 2, "min": 1, "max": 8, "meaning": "bits of the re-reference prediction value"}'
stdout_has '"words": ["priority", "frequency"]'
stdout_has '"role": "bypasses"'
stdout_has '"access_nj": 0.002'
run "$sluice" policies lfu --json
exits 0
stdout_has '"name": "lfu"'
stdout_lacks '"name": "lru"'
run "$sluice" policies lfu --csv
exits 0
stdout_has 'lfu,replaces,"least frequently used, with aging",bits,8,1 to 31,'
stdout_lacks 'lru'

it 'suggests the nearest policy for a wrong one'
run "$sluice" policies srip
exits 2
stderr_has "no policy is called 'srip'; the nearest is 'srrip'"

it 'models each that replaces in every level, the same for any number of threads'
"$sluice" trace --quiet -o mm.slt matmul n=96
while read -r name; do
    run "$sluice" model -j 1 --gpu fermi-gtx470 --set "L1.replacement=$name" --set "L2.replacement=$name" --csv one.csv -q mm.slt
    exits 0
    run "$sluice" model -j 2 --gpu fermi-gtx470 --set "L1.replacement=$name" --set "L2.replacement=$name" --csv two.csv -q mm.slt
    exits 0
    cmp -s one.csv two.csv || fail "$name: results differ"
    cp one.csv "$name.csv"
done <replacing
! cmp -s lru.csv fifo.csv || fail 'fifo does as lru does'

it 'takes parameters from a machine description'
printf 'based_on: fermi-gtx470\nname: mine\nsummary: with another policy\nlevels:\n  - name: L1\n    replacement: srrip(bits=3, hit=frequency)\n' >mine.yaml
run "$sluice" machines mine.yaml --json
exits 0
stdout_has '"replacement": "srrip(bits=3, hit=frequency)"'
run "$sluice" model --gpu mine.yaml mm.slt
exits 0

it 'says where a description has a policy that is none'
sed 's/srrip(.*/srip/' mine.yaml >wrong.yaml
run "$sluice" model --gpu wrong.yaml mm.slt
exits 1
stderr_has "wrong.yaml:6:5: no policy is called 'srip'; the nearest is 'srrip'"
sed 's/bits=3/bits=9/' mine.yaml >wrong.yaml
run "$sluice" model --gpu wrong.yaml mm.slt
exits 1
stderr_has "wrong.yaml:6:5: policy 'srrip': 'bits' is from 1 to 8, not 9"
run "$sluice" model --gpu fermi-gtx470 --set 'L1.replacement=srrip(bit=3)' mm.slt
stderr_has "policy 'srrip' has no parameter 'bit'; did you mean 'bits'?"

it 'says what a policy cannot do'
run "$sluice" model --gpu fermi-gtx470 --set 'L1.replacement=decoupled' mm.slt
stderr_has "policy 'decoupled' chooses no victims: it can be 'bypass'"
run "$sluice" model --gpu fermi-gtx470 --set 'L1.bypass=lru' mm.slt
stderr_has "policy 'lru' does not bypass: it can be 'replacement'"
run "$sluice" model --gpu fermi-gtx470 --set 'L1.bypass=decoupled(epoch=best)' mm.slt
stderr_has "policy 'decoupled': 'epoch' cannot be 'best'; 'threshold' can"
run "$sluice" model --gpu fermi-gtx470 --set 'L2.bypass=mrpb' mm.slt
stderr_has "policy 'mrpb' is for the first level only"
run "$sluice" model --gpu fermi-gtx470 --set 'L1.replacement=pdp(pd=best)' mm.slt
exits 1
stderr_has "policy 'pdp': this command does not search for 'pd=best'; give a value"

# ---- plug-ins ----
if ! command -v "${CC:-cc}" >/dev/null; then
    it 'takes policies from plug-ins'
    skip 'there is no C compiler'
    done_testing
fi
build() { "${CC:-cc}" -shared -fPIC -Wall -Wextra -Werror -I"$source_root/include" "$@"; }

it 'takes the policy of a plug-in wherever it takes a policy'
run build "$source_root/examples/policy_plugin.c" -o mru.so
exits 0
run "$sluice" model mm.slt --gpu fermi-gtx470 --set L1.size=2K --json lru.json -q
exits 0
run "$sluice" model mm.slt --gpu fermi-gtx470 --set L1.size=2K --policy-plugin mru.so --set L1.replacement=mru --json mru.json -q
exits 0
hits() { sed -n 's/.*"ld_sector_hits": \([0-9]*\).*/\1/p' "$1" | head -n 1; }
[ "$(hits mru.json)" != "$(hits lru.json)" ] || fail "both hit $(hits lru.json) times"
run "$sluice" sim mm.slt --gpu fermi-gtx480 --policy-plugin ./mru.so --l1 'mru(spare=1)+decoupled'
exits 0
stdout_has 'mru(spare=1) + decoupled'
run "$sluice" compare mm.slt --gpu fermi-gtx470 --policy-plugin mru.so --l1 lru --l1 mru
exits 0
stdout_has 'L1 mru'
run "$sluice" tune vecadd n=2048 --policy-plugin mru.so --set L1.replacement=mru
exits 0
run "$sluice" report mm.slt --gpu fermi-gtx470 --policy-plugin mru.so -o mru.html -q
exits 0
file_has mru.html 'mru'
printf 'workloads: "gather n=4096"\nmachines: fermi-gtx470\nl1: [lru, mru]\n' >mru.yaml
run "$sluice" sweep mru.yaml --policy-plugin mru.so --cache cache --csv mru.csv
exits 0
[ "$(grep -c '^sim,gather,.*,mru,' mru.csv)" = 1 ] || fail 'the sweep has no point with mru'
run "$sluice" sweep mru.yaml --cache cache
exits 1
stderr_has "mru.yaml:3:11: no policy is called 'mru'"
cat >own.yaml <<'END'
name: own
title: of their own
source: none
programs: {G: gather n=4096}
groups: {all: [G]}
configs:
  c_$p: {each: {p: policies}, machine: fermi-gtx470, l1: $p}
figures:
  - {id: f, title: f, where: f, rows: [all], columns: [{each: {p: policies}, name: $p, value: c_$p.cycles}]}
END
run "$sluice" reproduce own.yaml --policy-plugin mru.so --cache cache
exits 0
stdout_has '  mru'
run "$sluice" reproduce own.yaml --cache cache
exits 0
stdout_lacks '  mru'
run "$sluice" policies --policy-plugin mru.so
stdout_has 'evicts the line that was used last'
run "$sluice" policies --policy-plugin mru.so mru
stdout_has 'spare'
run "$sluice" sim mm.slt --policy-plugin mru.so --l1 mruu
exits 1
stderr_has "no policy is called 'mruu'; the nearest is 'mru'"

it 'keeps results of policies apart by their code'
sed 's/m->spare = value\[SPARE\]/m->spare = value[SPARE] + 3/' "$source_root/examples/policy_plugin.c" >other.c
mkdir other
build other.c -o other/mru.so
printf 'workloads: "spmv rows=500"\nmachines: fermi-gtx480\nset: {L1.size: 8K}\nl1: [lru, mru]\n' >code.yaml
run "$sluice" sweep code.yaml --policy-plugin mru.so --cache cache --csv one.csv -q
run "$sluice" sweep code.yaml --policy-plugin other/mru.so --cache cache --csv two.csv -q
exits 0
grep ',lru,' one.csv >lru.one
grep ',lru,' two.csv >lru.two
run cmp lru.one lru.two
exits 0
run cmp one.csv two.csv
exits 1

it 'says why a library is not a plug-in'
run "$sluice" model mm.slt --policy-plugin absent.so
exits 1
stderr_has 'absent.so'
echo 'int x;' >x.c
build x.c -o x.so
run "$sluice" model mm.slt --policy-plugin x.so
exits 1
stderr_has 'x.so does not say SL_POLICY_PLUGIN(...)'
sed 's/"mru"/"lru"/' "$source_root/examples/policy_plugin.c" >lru.c
build lru.c -o lru.so
run "$sluice" model mm.slt --policy-plugin lru.so
exits 1
stderr_has "lru.so: two policies are called 'lru'"
sed 's/\.init = mru_init,/.init = 0,/' "$source_root/examples/policy_plugin.c" >none.c
"${CC:-cc}" -shared -fPIC -w -I"$source_root/include" none.c -o none.so
run "$sluice" model mm.slt --policy-plugin none.so
exits 1
stderr_has 'none.so: '
sed 's/SL_POLICY_PLUGIN(&mru_policy)/const sl_policy_plugin sluice_policy_plugin = {7, 0, {0, 0}};/' "$source_root/examples/policy_plugin.c" >old.c
"${CC:-cc}" -shared -fPIC -w -I"$source_root/include" old.c -o old.so
run "$sluice" model mm.slt --policy-plugin old.so
exits 1
stderr_has 'old.so was built for another version of Sluice'

done_testing
