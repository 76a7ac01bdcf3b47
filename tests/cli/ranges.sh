#!/bin/sh
# SPDX-License-Identifier: MIT
# What launches belong to: NVTX's ranges, domains and marks, and the functions that led to a launch.
. "${SLUICE_SOURCE:?}/tests/tap.sh"
. "$source_root/tests/nvcc.sh"
if [ -n "${SLUICE_SANITIZERS:-}" ] || { [ ! -x "$nvcc" ] && ! command -v nvcc >/dev/null; }; then
    it 'groups launches by what they belong to'
    skip 'nvcc is not installed, or the build has sanitizers, in which static runtimes are not redirected'
    done_testing
fi
if ! python=$(sh "$source_root/tests/python/find.sh"); then
    it 'groups launches by what they belong to'
    skip 'python3 (3.9 or later) is not installed'
    done_testing
fi
compile "$source_root/tests/programs/ranges.cu" ranges -arch=sm_80 -lineinfo

cat >labels.py <<'END2'
import json, sys
for launch in json.load(open(sys.argv[1]))["launches"]:
    print(launch["name"], *(launch.get(key, "-") for key in sys.argv[2:]), sep=" | ")
END2

it 'records the ranges that are open where a kernel is launched'
run "$sluice_with_programs" run -q --json run.json -- ./ranges
exits 0
run "$python" labels.py run.json range
stdout_is 'attention | -
attention | decode/layer 0/attention
matmul<float> | decode/layer 0/feed forward →
matmul<float> | decode/layer 0/feed forward →
attention | decode/layer 1/attention
matmul<float> | decode/layer 1/feed forward →
matmul<double> | decode/layer 1/feed forward →
attention | lib:sort/lib:pass/1 of 2
attention | -
attention | phase/of a thread
attention | of main
attention | captured
attention | replayed'

it 'records the functions that led to a launch, without what compilers and libraries add'
"$python" labels.py run.json caller >callers
for caller in main/attend main/run_layer/attend main/run_layer/multiply main/domains/attend main/graph; do
    grep -q "| $caller\$" callers || fail "no launch of $caller: $(cat callers)"
done
grep -E 'stub|_start|libc|NSt|ZSt' callers && fail 'stubs and glue are callers'

it 'records the last mark'
run "$python" labels.py run.json mark
stdout_has 'attention | -
attention | decoding'

it 'keeps labels in traces'
run "$sluice_with_programs" trace -q -o ranges.slt -- ./ranges
exits 0
run "$sluice" info ranges.slt --json info.json -q
for label in range caller mark; do
    "$python" labels.py run.json "$label" >run.labels
    "$python" labels.py info.json "$label" >info.labels
    cmp -s run.labels info.labels || fail "$label: $(diff run.labels info.labels)"
done

it 'keeps them in a trace without its end'
head -c "$(($(wc -c <ranges.slt) - 60))" ranges.slt >cut.slt
run "$sluice" info cut.slt --json cut.json -q
exits 1
"$python" labels.py cut.json range caller mark >cut.labels
"$python" labels.py info.json range caller mark >info.labels
cmp -s cut.labels info.labels || fail "$(diff cut.labels info.labels)"

it 'sums launches by range, nested as in the program, with the kernels of each'
run "$sluice" model ranges.slt --by range --csv model.csv
exits 0
stdout_has 'NVTX range              launches'
stdout_has '
decode                         6 '
stdout_has '
  layer 1                      3 '
stdout_has '
    attention                  1 '
stdout_has '
      - matmul<double>         1 '
stdout_has '
all launches                  13 '
stdout_has 'decode/layer 0/feed forward →: matmul<float>: loads with the most misses'

it 'has sums by group in JSON that are those of their launches'
run "$sluice" model ranges.slt --by range --json model.json -q
cat >sums.py <<'END2'
import json
report = json.load(open("model.json"))
for group in report["groups"]:
    within = [l for l in report["launches"]
              if (l.get("range", "(no range)") + "/").startswith(group["group"] + "/")]
    assert len(within) == group["launches"], group["group"]
    for counter in "ld_sectors", "ld_sector_misses", "dram_read_sectors", "est_cycles":
        total = sum(l["counters"].get(counter, 0) for l in within)
        assert total == group["counters"].get(counter, 0), (group["group"], counter)
print(len(report["groups"]), "groups")
END2
run "$python" sums.py
stdout_is '15 groups'

it 'finds by range: the kernel of a finding is that of its range'
run "$sluice" model ranges.slt --by range
stdout_has 'low-occupancy: decode/layer 0/feed forward →: matmul<float>'
run "$sluice" model ranges.slt
stdout_has 'low-occupancy: matmul<float>'

it 'writes a page by range'
run "$sluice" report ranges.slt --by range --brief -o ranges.html -q
exits 0
file_has ranges.html '<caption>Launches by group, with what each group encloses</caption>'
file_has ranges.html 'decode/layer 1/feed forward →: matmul&lt;double&gt;'

it 'compares by range: traces, and reports that were made without it'
run "$sluice" compare ranges.slt --change L1.ways=1 --by range
exits 0
run "$sluice" model ranges.slt -q --json a.json
run "$sluice" model ranges.slt -q --json b.json --gpu v100
run "$sluice" compare a.json b.json --by range --json
exits 0
stdout_has '"name": "decode/layer 0/attention: attention"'
run "$sluice" compare a.json b.json --by mark --json
stdout_has '"name": "decoding: attention"'

it 'says where launches have no such label'
run "$sluice" run --by range --size small spmv
exits 0
stderr_has 'no launch lies in an NVTX range; --by caller groups by functions of the program'
stdout_has '(no range)'

it 'is also libnvToolsExt.so.1, which older programs are linked with'
run "$sluice_with_programs" run -q --json old.json -- ./ranges old
exits 0
stdout_is '0 1 1 0 -2'
run "$python" labels.py old.json range mark
stdout_is 'attention | outer/inner | begin'

it 'leaves ranges to another tool that the user names'
NVTX_INJECTION64_PATH=/nonexistent.so run "$sluice_with_programs" run -q --json other.json -- ./ranges
exits 0
run "$python" labels.py other.json range
stdout_has 'attention | -
attention | -'

done_testing
