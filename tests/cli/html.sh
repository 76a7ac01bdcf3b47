#!/bin/sh
# SPDX-License-Identifier: MIT
# Pages for a browser, as a person asks for them; with a browser, as a person uses them.
. "${SLUICE_SOURCE:?}/tests/tap.sh"

# A trace whose names are hostile: of the kernel, and of the file itself.
evil='<img src=x onerror=hacked=1>'
file="\"><script>hacked=2<"
mkdir accel
{
    printf -- '-kernel name = %s\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-nregs = 18\n' "$evil"
    printf -- '-accelsim tracer version = 4\n\n#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 2\n'
    printf '0000 ffffffff 1 R1 LDG.E 1 R2 4 1 0x1000 4 0\n0010 ffffffff 0 EXIT 0 0 0\n#END_TB\n'
} >accel/kernel-1.traceg
printf 'MemcpyHtoD,0x10000,8192\nkernel-1.traceg\n' >accel/kernelslist.g
mkdir "$file"
cp accel/* "$file"

it 'gathers counts, profile, model, sizes and policies of a workload in one page'
run "$sluice" report srad_v2 --size small --gpu fermi-gtx470 -o page.html
exits 0
stderr_is ''
stdout_has 'page.html: '
for id in findings overview kernels worst kernel-0 kernel-1 sizes policies launches counters; do
    grep -qE "<section[^>]* id=\"?${id}[ >]" page.html || fail "there is no section $id"
done

it 'shows the source and the PTX with what their lines do'
file_has page.html '<summary>workloads/srad_v2/srad_v2.cu</summary>'
file_has page.html '<summary>srad_v2.ptx</summary>'
grep -qE '<tr id=k0-s0-l[0-9]+ class=busy><th scope=row>[0-9]+</th><td class="n heat all" style="--share:[0-9.]+%" data-v="[0-9]+"' page.html ||
    fail 'no line has numbers'

it 'begins with findings, and shows stores next to loads'
awk '/<section/ { print; exit }' page.html | grep -q 'id=findings' || fail 'findings are not the first section'
file_has page.html '<h2>Loads with the most misses</h2>'
file_has page.html '<h2>Stores and atomics with the most traffic</h2>'
file_has page.html '<table class="heatmap">'

it 'fetches nothing'
# Addresses in the text of the chart library are fine; in attributes and style sheets they are not.
! grep -qE '(src|href)="?(https?:|//)|@import|url\(' page.html || fail "$(grep -nE '(src|href)="?(https?:|//)|@import|url\(' page.html | cut -c1-200)"
file_has page.html "default-src 'none'"

it 'shows in the page the data that it writes as JSON'
run "$sluice" report srad_v2 --size small --gpu fermi-gtx470 --json page.json -q
exits 0
sed -n '/^<script type="application\/json" id=data>$/,/^<\/script>$/p' page.html | sed '1d;$d' >data.json
run cmp page.json data.json
exits 0

it 'gives the same page for any number of threads'
run "$sluice" report srad_v2 --size small --gpu fermi-gtx470 -q -j 1 -o one.html
exits 0
run "$sluice" report srad_v2 --size small --gpu fermi-gtx470 -q -j 3 -o three.html
exits 0
stdout_is ''
run cmp one.html three.html
exits 0

it 'draws kernels under the roofs of the GPU'
run "$sluice" sim gather --size small --gpu h200 --html roofs.html --roofline roofs.svg --json roofs.json -q
exits 0
value() { sed -n "s/.*\"$1\": \([0-9]*\).*/\1/p" roofs.json | head -n 1; }
# An H200 has 132 SMs with four schedulers and 128 bytes per cycle, 96 banks of L2 and 2290 bytes per cycle of DRAM.
percent() { awk "BEGIN { printf \"%.1f%%\", 100 * $1 / $(value cycles) }"; }
file_has roofs.html '<section id=roofline>'
for share in "$(percent "$(value warp_insts) / 528")" \
    "$(percent "($(value ld_sectors) + $(value st_sectors)) * 32 / 16896")" \
    "$(percent "($(value l2_read_sectors) + $(value l2_write_sectors)) * 32 / 3072")" \
    "$(percent "($(value dram_read_sectors) + $(value dram_write_sectors)) * 32 / 2290")"; do
    file_has roofs.html ">$share<span class=light>"
done
file_has roofs.svg 'issue: 528 warp instructions per cycle'
file_has roofs.svg '1 gather'
run "$sluice" run gather --size small --html counted.html -q
exits 0
! grep -q 'id=roofline' counted.html || fail 'there is a roofline without cycles'

it 'omits comparisons with --brief'
run "$sluice" report srad_v2 --size small --brief -o brief.html
exits 0
! grep -q 'id=sizes' brief.html || fail 'there are sizes'

it 'simulates the policies of L1 when asked to, and says what sluice sim says'
run "$sluice" report gather --size small --gpu fermi-gtx480 --brief --sim -o simulated.html --json simulated.json
exits 0
file_has simulated.html 'data-chart=simulated'
file_has simulated.html '<section id=time>'
grep -qE '<i class=y-data style="width:[0-9.]+%">' simulated.html || fail 'no cycles by cause'
grep -qE '<td class=n data-v="[0-9.]+">[0-9.]+%<span class=light>' simulated.html || fail 'no shares of what the GPU can do'
for policy in lru decoupled mrpb profiled; do
    file_has simulated.html "<td>$policy</td>"
    "$sluice" sim gather --size small --gpu fermi-gtx480 --l1 $policy --json |
        sed -n 's/.*"cycles": \([0-9]*\).*/\1/p' | head -n 1 >cycles
    grep -q "\"replacement\": \"$policy\".*\"cycles\": $(cat cycles)[,}]" simulated.json || fail "$policy: not $(cat cycles) cycles"
done
run "$sluice" report gather --size small --gpu fermi-gtx480 --brief --sim -q -j 3 --json again.json
exits 0
run cmp simulated.json again.json
exits 0

it 'shows what loads gain by bypassing caches, as in the plan'
"$sluice" tune gather --size small --on sim --gpu fermi-gtx480 -q -o plan.json >/dev/null 2>&1 || fail 'tune failed'
sed 's/"mode": "none"/"mode": "both"/' plan.json >both.json
run "$sluice" report gather --size small --gpu fermi-gtx480 --brief --plan both.json -o planned.html --json planned.json
exits 0
file_has planned.html 'Plan timed on <b>sim fermi-gtx480</b>, selection strategy <b>ours</b>'
gain=$(sed -n 's/.*"instruction": [0-9]*,.*"affinity": {"L1": \(-*[0-9.]*\).*/\1/p' plan.json | head -n 1)
file_has planned.json "\"affinity\": {\"L1\": $gain"
file_has planned.json '"plan": "both"'
grep -qE '<tr id=k0-s0-l[0-9]+ .*title="[12] loads?; bypass L1 [-+0-9.]+( to [-+0-9.]+)? %;.*<b class=plan>both</b>' planned.html ||
    fail "$(grep 'id=k0-s0-l' planned.html)"
run "$sluice" report bfs --size small --brief --plan plan.json -o other.html
exits 1
stderr_has 'belongs to other code'
absent other.html
"$sluice" trace -q -o gather.slt gather --size small
run "$sluice" report gather.slt --brief --plan plan.json -o other.html
exits 1
stderr_has 'recorded from with --code FILE'
run "$sluice" report gather.slt --gpu fermi-gtx480 --brief --plan both.json --code "$source_root/workloads/gather/gather.ptx" -o traced.html
exits 0
file_has traced.html '<b class=plan>both</b>'
run "$sluice" report gather.slt --code x.ptx -o other.html
exits 2

it 'puts hardware next to the model'
run "$sluice" report vecadd --brief -o h200.html --counters "$source_root/papers/h200-counters.csv"
exits 0
file_has h200.html 'data-chart=scatter-l1_hit_rate'
file_has h200.html 'Mean absolute errors'

it 'makes pages of runs, profiles, models, simulations, sweeps and validations'
run "$sluice" run vecadd --size small --html run.html
exits 0
stdout_has 'warp insts'
file_has run.html 'Loads with the most traffic'
run "$sluice" profile vecadd --size small -q --html profile.html
exits 0
file_has profile.html 'data-chart=distance'
run "$sluice" model vecadd --size small -q --html model.html
exits 0
file_has model.html 'Loads with the most misses'
run "$sluice" sim vecadd --size small -q --gpu fermi-gtx480 --html sim.html
exits 0
file_has sim.html '>IPC</th>'
run "$sluice" model vecadd --size small -q --gpu fermi-gtx470 --l1-size 8K,16K --html sweep.html
exits 0
file_has sweep.html '<section id=sizes>'
run "$sluice" validate vecadd -q --counters "$source_root/papers/h200-counters.csv" --html validate.html
exits 0
file_has validate.html '<section id=hardware>'

it 'finds sources where --source says, and nowhere else'
mkdir -p src/deep secret
cp "$source_root/workloads/vecadd/vecadd.cu" src/vecadd.cu
cp "$source_root/workloads/vecadd/vecadd.ptx" v.ptx
"$sluice" trace -q -o v.slt vecadd --size small
run "$sluice" model -q v.slt --html without.html
! grep -q '<h3>Source' without.html || fail 'there is a source'
run "$sluice" model -q v.slt --html with.html --source src --source v.ptx
exits 0
file_has with.html '<summary>workloads/vecadd/vecadd.cu</summary>'
file_has with.html '<summary>v.ptx</summary>'
run "$sluice" model -q v.slt --html with.html --source absent.ptx
exits 1
stderr_has 'cannot read absent.ptx'

it 'takes PTX out of programs'
program=${SLUICE_PROGRAMS:-}/bfs
if [ -x "$program" ]; then
    run "$sluice_with_programs" run -q --html program.html -- "$program"
    exits 0
    file_has program.html ".ptx</summary>"
    "$sluice_with_programs" trace -q -o bfs.slt -- "$program" >/dev/null
    run "$sluice" model -q bfs.slt --html program.html --source "$program"
    exits 0
    file_has program.html ".ptx</summary>"
else
    skip 'the CUDA programs were not built'
fi
run "$sluice" model -q v.slt --html with.html --source page.json
exits 1
stderr_has '--source page.json: this is neither a folder, nor PTX, nor a program'

it 'does not read what a trace names outside of these folders'
sed 's|"workloads/vecadd/vecadd.cu"|"../secret/vecadd.cu"|' v.ptx >evil.ptx
cp src/vecadd.cu secret/vecadd.cu
run "$sluice" run evil.ptx --grid 4 --block 64 --arg 'f32[256]:1' --arg 'f32[256]:1' --arg 'f32[256]:0' --arg u32:256 \
    -q --html evil.html --source src
exits 0
file_has evil.html 'evil.ptx</summary>'
! grep -q 'vecadd.cu</summary>' evil.html || fail 'the file was read'

sed 's|"workloads/vecadd/vecadd.cu"|"secret/vecadd.cu"|' v.ptx >evil.ptx
run "$sluice" run evil.ptx --grid 4 --block 64 --arg 'f32[256]:1' --arg 'f32[256]:1' --arg 'f32[256]:0' --arg u32:256 \
    -q --html evil.html
exits 0
! grep -q 'vecadd.cu</summary>' evil.html || fail 'a file of the current folder was read'
mkdir linked
ln -s "$PWD/secret" linked/secret
run "$sluice" run evil.ptx --grid 4 --block 64 --arg 'f32[256]:1' --arg 'f32[256]:1' --arg 'f32[256]:0' --arg u32:256 \
    -q --html evil.html --source linked
exits 0
! grep -q 'vecadd.cu</summary>' evil.html || fail 'a link out of the folder was followed'
run "$sluice" run evil.ptx --grid 4 --block 64 --arg 'f32[256]:1' --arg 'f32[256]:1' --arg 'f32[256]:0' --arg u32:256 \
    -q --html evil.html --source .
exits 0
file_has evil.html 'vecadd.cu</summary>'

it 'escapes the names of kernels and files'
run "$sluice" report "$file" --gpu fermi-gtx470 -o hostile.html
exits 0
file_has hostile.html '&lt;img src=x onerror=hacked=1&gt;'
! grep -qF -e "$evil" hostile.html || fail 'the name of the kernel is markup'
! grep -qF '<script>hacked' hostile.html || fail 'the file name is markup'

it 'wants to know where to write to'
run "$sluice" report vecadd
exits 2
stderr_has '-o FILE is missing'
run "$sluice" report vecadd -o no/such/page.html
exits 1
stderr_is 'sluice report: cannot write no/such/page.html: No such file or directory'
run "$sluice" run vecadd --html no/such/page.html
exits 1
stderr_has 'cannot write no/such/page.html'

it 'has no page of seeds, and says so'
run "$sluice" model vecadd --seeds 2 --html x.html
exits 2
stderr_has '--html cannot be combined with --seeds'
absent x.html

it 'writes profiles that callgrind_annotate reads'
run "$sluice" model srad_v2 --size small --gpu fermi-gtx470 -q --callgrind model.callgrind
exits 0
run "$sluice" run srad_v2 --size small -q --callgrind run.callgrind
exits 0
run "$sluice" profile srad_v2 --size small -q --callgrind profile.callgrind
exits 0
if command -v callgrind_annotate >/dev/null; then
    for form in model run profile; do
        run callgrind_annotate --auto=no "$form.callgrind"
        exits 0
        stdout_has 'srad_v2.cu:srad1'
        stderr_is ''
    done
    # What the lines and the rest add up to is what the command counts.
    insts=$("$sluice" run srad_v2 --size small --csv | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "warp_insts") c = i } NR > 1 { n += $c } END { print n }')
    callgrind_annotate --auto=no --show=warp_insts run.callgrind | tr -d , | grep -qE "^ *$insts .*PROGRAM TOTALS" ||
        fail "the sum is not $insts: $(callgrind_annotate --auto=no --show=warp_insts run.callgrind | grep TOTALS)"
else
    skip 'callgrind_annotate is not installed'
fi

# ---- in a browser ----

browser=
for candidate in chromium chromium-browser google-chrome; do
    if [ -z "$browser" ] && command -v "$candidate" >/dev/null; then browser=$candidate; fi
done

# dom PAGE [OPTION...]: what the browser makes of it is in dom.html, what it complains of in complaints.
dom()
{
    page=$1
    shift
    [ "$(id -u)" -ne 0 ] || set -- --no-sandbox "$@"
    timeout 120 "$browser" --headless=new --disable-gpu --hide-scrollbars --user-data-dir="$scratch/browser" \
        --enable-logging=stderr --virtual-time-budget=20000 "$@" --dump-dom "file://$PWD/$page" >dom.html 2>complaints
}

# with_test PAGE: the same page with tests/report/browser.js at its end, as tested.html.
with_test()
{
    {
        sed '/^<body>$/q' "$1"
        echo '<script>window.errors = []; addEventListener("error", (e) => errors.push("error: " + e.message));'
        echo 'addEventListener("securitypolicyviolation", (e) => errors.push("blocked: " + e.blockedURI));</script>'
        sed '1,/^<body>$/d; /^<\/body>$/,$d' "$1"
        echo '<script>'
        cat "$source_root/tests/report/browser.js"
        echo '</script></body></html>'
    } >tested.html
}

no_browser='no Chromium is installed'
charts=$(grep -c 'Chart.js v' page.html)
if [ "$charts" -eq 0 ]; then browser='' no_browser='the program was built without libjs-chart.js'; fi
# Pages are the same bytes with the sanitizers: one build has them looked at.
if [ -n "${SLUICE_SANITIZERS:-}" ]; then browser='' no_browser='the tests without sanitizers do that'; fi

it 'works in a browser: a kernel is chosen, a line followed, a table sorted, charts drawn, without complaints'
if [ -n "$browser" ]; then
    with_test page.html
    dom tested.html --window-size=1200,900
    grep -q '<pre id="result">ok</pre>' dom.html || fail "$(grep -o '<pre id="result">.*' dom.html || tail -5 complaints)"
    ! grep -q 'CONSOLE' complaints || fail "$(grep CONSOLE complaints)"
else
    skip "$no_browser"
fi

it 'works on a phone, and in the dark'
if [ -n "$browser" ]; then
    with_test page.html
    dom tested.html --window-size=500,900 --blink-settings=preferredColorScheme=0
    grep -q '<pre id="result">ok</pre>' dom.html || fail "$(grep -o '<pre id="result">.*' dom.html || tail -5 complaints)"
    ! grep -q 'CONSOLE' complaints || fail "$(grep CONSOLE complaints)"
else
    skip "$no_browser"
fi

it 'runs no code of hostile names'
if [ -n "$browser" ]; then
    sed 's|^</body>$|<script>document.body.append(Object.assign(document.createElement("pre"), {id: "hostile", textContent: String(window.hacked)}));</script></body>|' \
        hostile.html >hostile-tested.html
    dom hostile-tested.html
    grep -q '<pre id="hostile">undefined</pre>' dom.html || fail "$(grep -o '<pre id="hostile">.*' dom.html)"
    grep -q 'canvas role="img"' dom.html || fail 'its charts are not drawn'
    ! grep -q 'CONSOLE' complaints || fail "$(grep CONSOLE complaints)"
else
    skip "$no_browser"
fi

it 'draws pages of single commands too'
if [ -n "$browser" ]; then
    # All in one window: each page, in a separate frame, says whether its script ran and how many charts it has.
    {
        echo '<!DOCTYPE html><html><body><pre id=messages></pre>'
        echo '<script>addEventListener("message", (e) => document.getElementById("messages").append(e.data + ". "));</script>'
        for page in run profile model sim sweep validate simulated planned; do
            sed "s|^</body>\$|<script>addEventListener(\"load\", () => parent.postMessage(\"$page \" + document.documentElement.className + \" \" + document.querySelectorAll(\"canvas[role=img]\").length, \"*\"));</script></body>|" \
                "$page.html" >"framed-$page.html"
            echo "<iframe src=framed-$page.html width=1200 height=900></iframe>"
        done
        echo '</body></html>'
    } >frames.html
    dom frames.html
    for page in run profile model sim sweep validate simulated planned; do
        grep -q "$page js [0-9]" dom.html || fail "$page.html: no script ran"
    done
    grep -qE 'validate js [1-9]' dom.html || fail 'there is no scatter plot'
    grep -qE 'simulated js [1-9]' dom.html || fail 'policies are not drawn'
    ! grep -q 'CONSOLE' complaints || fail "$(grep CONSOLE complaints)"
else
    skip "$no_browser"
fi

# The page without its scripts, and one that looks whether all of it is seen.
it 'keeps its tables without JavaScript'
if [ -n "$browser" ]; then
    {
        sed '/^<script type="application\/json" id=data>$/,$d' page.html
        echo '<script>const hidden = Array.from(document.querySelectorAll("section, table.sortable")).filter((e) => !e.offsetHeight);'
        echo 'document.body.append(Object.assign(document.createElement("pre"), {id: "plain", textContent:'
        echo 'hidden.length + " of " + document.querySelectorAll("section.kernel, table.sortable").length}));</script></body></html>'
    } >plain.html
    dom plain.html
    grep -qE '<pre id="plain">0 of ([89]|[1-9][0-9])</pre>' dom.html || fail "hidden: $(grep -o '<pre id="plain">.*' dom.html)"
else
    skip "$no_browser"
fi

done_testing
