#!/bin/sh
# SPDX-License-Identifier: MIT
# What grows with the input grows with it, not with its square; and large results stay readable.
. "${SLUICE_SOURCE:?}/tests/tap.sh"

# cost COMMAND...: runs it; its processor time, in milliseconds, is $ms.
cost()
{
    times >"$scratch/before"
    run "$@"
    times >"$scratch/after"
    exits 0
    ms=$(awk 'FNR == 2 { split($1, t, "[ms]"); n[FILENAME] = 1000 * (60 * t[1] + t[2]) }
        END { printf "%d", n[ARGV[2]] - n[ARGV[1]] }' "$scratch/before" "$scratch/after")
}

# linear SMALL LARGE: four times the input may take eight times as long, and what a busy machine adds to a short run. Its
# square would take 16 times, which was seconds.
linear() { [ "$2" -le $((8 * $1 + 150)) ] || fail "4 times the input takes $2 ms in place of $1 ms"; }

head='.version 7.0
.target sm_70
.address_size 64'
entry='.visible .entry k(.param .u64 p)
{
.reg .u64 %rd<4>;
.reg .u32 %r<4>;
ld.param.u64 %rd1,[p];
cvta.to.global.u64 %rd2,%rd1;
mov.u32 %r1,0;'
launch='--grid 1 --block 1 --arg u32[1K]:zero'

# instructions N [TYPE]: N loads and stores.
instructions()
{
    awk -v head="$head" -v entry="$entry" -v n="$1" -v type="${2:-u32}" 'BEGIN {
        print head; print entry
        for (i = 0; i < n / 2; i++)
            printf "ld.global.%s %%r1,[%%rd2+%d];\nst.global.%s [%%rd2+%d],%%r1;\n", type, 4 * (i % 1000), type, 4 * (i % 1000)
        print "ret;\n}" }'
}

# functions N: a kernel that calls N functions, each of which calls the next.
functions()
{
    awk -v head="$head" -v entry="$entry" -v n="$1" 'function call(f) {
            printf "{\n.param .u32 x;\n.param .u32 y;\nst.param.u32 [x],%%r1;\ncall (y),f%d,(x);\nld.param.u32 %%r1,[y];\n}\n", f
        } BEGIN {
        print head
        for (i = n - 1; i >= 0; i--) {
            printf ".func (.param .u32 o) f%d(.param .u32 a)\n{\n.reg .u32 %%r<4>;\nld.param.u32 %%r1,[a];\nadd.u32 %%r1,%%r1,1;\n", i
            if (i % 100 != 99 && i < n - 1) call(i + 1)
            print "st.param.u32 [o],%r1;\nret;\n}"
        }
        print entry
        for (i = 0; i < n; i += 1) if (i % 100 == 0 || i % 2) call(i)
        print "st.global.u32 [%rd2],%r1;\nret;\n}" }'
}

# variables N: a kernel that stores to N variables.
variables()
{
    awk -v head="$head" -v entry="$entry" -v n="$1" 'BEGIN {
        print head
        for (i = 0; i < n; i++) printf ".visible .global .u32 g%d;\n", i
        print entry
        for (i = 0; i < n; i++) printf "mov.u64 %%rd1,g%d;\nst.global.u32 [%%rd1],%d;\n", i, i
        print "ret;\n}" }'
}

# kernels N
kernels()
{
    awk -v head="$head" -v entry="$entry" -v n="$1" 'BEGIN {
        print head
        for (i = 0; i < n; i++) {
            one = entry; sub(/ k\(/, " k" i "(", one)
            print one "\nld.global.u32 %r1,[%rd2];\nst.global.u32 [%rd2+4],%r1;\nret;\n}"
        } }'
}

it 'reports on many instructions in linear time'
instructions 6000 >small.ptx
instructions 24000 >large.ptx
# shellcheck disable=SC2086
cost "$sluice" run small.ptx $launch && small=$ms
# shellcheck disable=SC2086
cost "$sluice" run large.ptx $launch
linear "$small" "$ms"

it 'writes pages and call profiles about them in linear time'
# shellcheck disable=SC2086
cost "$sluice" run -q small.ptx $launch --html small.html --callgrind small.callgrind && small=$ms
# shellcheck disable=SC2086
cost "$sluice" run -q large.ptx $launch --html large.html --callgrind large.callgrind
linear "$small" "$ms"

it 'compares them in linear time'
for n in 6000 24000; do
    instructions $n s32 >moved.ptx
    instructions $n >here.ptx
    for file in moved here; do
        # shellcheck disable=SC2086
        "$sluice" run -q $file.ptx $launch --json $file-$n.json
    done
done
cost "$sluice" compare here-6000.json moved-6000.json --json compared.json && small=$ms
cost "$sluice" compare here-24000.json moved-24000.json --json compared.json
linear "$small" "$ms"

it 'links many functions in linear time'
functions 2500 >small.ptx
functions 10000 >large.ptx
# shellcheck disable=SC2086
cost "$sluice" run -q small.ptx $launch && small=$ms
# shellcheck disable=SC2086
cost "$sluice" run -q large.ptx $launch
linear "$small" "$ms"

it 'links many variables in linear time'
variables 5000 >small.ptx
variables 20000 >large.ptx
# shellcheck disable=SC2086
cost "$sluice" run -q small.ptx $launch && small=$ms
# shellcheck disable=SC2086
cost "$sluice" run -q large.ptx $launch
linear "$small" "$ms"

# ---- many launches ----

# host PTX LAUNCHES KERNELS SHAPES: launches k0, k1, … with grids of 1 to SHAPES blocks.
cat >host.c <<'END'
#include <stdio.h>
#include <stdlib.h>
int cuInit(unsigned), cuDeviceGet(int *, int), cuCtxCreate_v2(void **, unsigned, int), cuModuleLoad(void **, const char *);
int cuModuleGetFunction(void **, void *, const char *), cuMemAlloc_v2(unsigned long long *, size_t), cuCtxSynchronize(void);
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
int main(int count, char **argument)
{
    int device, bad = count != 5;
    void *context, *module, *kernel;
    unsigned long long buffer;
    bad = bad || cuInit(0) || cuDeviceGet(&device, 0) || cuCtxCreate_v2(&context, 0, device) ||
          cuModuleLoad(&module, argument[1]) || cuMemAlloc_v2(&buffer, 4096);
    void *parameters[] = {&buffer};
    for (int i = 0; !bad && i < atoi(argument[2]); i++) {
        char name[32];
        snprintf(name, sizeof name, "k%d", i % atoi(argument[3]));
        bad = cuModuleGetFunction(&kernel, module, name) ||
              cuLaunchKernel(kernel, 1 + (unsigned)(i % atoi(argument[4])), 1, 1, 1, 1, 1, 0, 0, parameters, 0);
    }
    return bad || cuCtxSynchronize();
}
END
libraries=${SLUICE_BUILD:-}/lib/sluice/cuda
built=
"${CC:-cc}" -o host host.c -L"$libraries" -l:libcuda.so.1 2>host.errors && built=yes

it 'finds many kernels of an image in linear time'
if [ -n "$built" ]; then
    kernels 400 >small.ptx
    kernels 1600 >large.ptx
    cost "$sluice_with_programs" run -q -- ./host small.ptx 400 400 1 && small=$ms
    cost "$sluice_with_programs" run -q -- ./host large.ptx 1600 1600 1
    linear "$small" "$ms"
else
    skip "$(head -1 host.errors)"
fi

it 'writes a small page about many launches: those of one kernel and shape are one row'
if [ -n "$built" ]; then
    kernels 4 >four.ptx
    run "$sluice_with_programs" trace -q -o many.slt -- ./host four.ptx 3000 4 3
    exits 0
    run "$sluice" model -q many.slt --html many.html --json many.json --csv many.csv
    exits 0
    [ "$(wc -c <many.html)" -lt 1000000 ] || fail "the page has $(wc -c <many.html) bytes"
    file_has many.html '3000 launches: those of one kernel, grid and block are one row'
    [ "$(grep -c '<td class=n data-v="250">×250</td>' many.html)" = 12 ] || fail 'there are not 12 rows of 250 launches'
else
    skip "$(head -1 host.errors)"
fi

it 'keeps a row for each launch in JSON and CSV'
if [ -n "$built" ]; then
    [ "$(wc -l <many.csv)" = 3001 ] || fail "$(wc -l <many.csv) lines of CSV"
    [ "$(grep -c '"grid": ' many.json)" = 3000 ] || fail "$(grep -c '"grid": ' many.json) launches in JSON"
else
    skip "$(head -1 host.errors)"
fi

it 'lists the first of many shapes, a page at a time'
browser=
for candidate in chromium chromium-browser google-chrome; do
    if [ -z "$browser" ] && command -v "$candidate" >/dev/null; then browser=$candidate; fi
done
if [ -n "$built" ]; then
    run "$sluice_with_programs" trace -q -o shapes.slt -- ./host four.ptx 1200 1 1200
    exits 0
    run "$sluice" model -q shapes.slt --html shapes.html
    exits 0
    [ "$(wc -c <shapes.html)" -lt 4000000 ] || fail "the page has $(wc -c <shapes.html) bytes"
    file_has shapes.html 'the first rows are shown'
else
    skip "$(head -1 host.errors)"
fi
if [ -n "$built" ] && [ -n "$browser" ]; then
    cat >check.js <<'END'
const table = document.querySelector("#launches table"), said = [];
const rows = () => Array.from(table.tBodies[0].rows).filter((row) => !row.hidden);
const say = () => said.push(rows().length + " from " + (rows().length ? rows()[0].cells[0].textContent : "none"));
say();
document.querySelectorAll("#launches .pages button")[1].click();
say();
const box = document.querySelector("#launches input.filter");
box.value = "no such kernel";
box.dispatchEvent(new Event("input"));
say();
box.value = "";
box.dispatchEvent(new Event("input"));
table.tHead.rows[0].cells[0].querySelector("button").click();
say();
document.body.append(Object.assign(document.createElement("pre"), { id: "said", textContent: said.join(", ") }));
END
    { sed '/^<\/body>$/,$d' shapes.html; printf '<script>\n'; cat check.js; printf '</script></body></html>\n'; } >tested.html
    set --
    [ "$(id -u)" -ne 0 ] || set -- --no-sandbox
    timeout 120 "$browser" --headless=new --disable-gpu --user-data-dir="$scratch/browser" --virtual-time-budget=20000 \
        "$@" --dump-dom "file://$PWD/tested.html" >dom.html 2>complaints
    grep -q '<pre id="said">100 from 0, 100 from 100, 0 from none, 100 from 999</pre>' dom.html ||
        fail "$(grep -o '<pre id="said">.*' dom.html || tail -5 complaints)"
fi

done_testing
