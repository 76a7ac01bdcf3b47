#!/bin/sh
# SPDX-License-Identifier: MIT
# Files, kernels and programs of strangers, and files that an accident damaged: docs/security.md.
. "${SLUICE_SOURCE:?}/tests/tap.sh"
export HOME="$PWD/home"
damage='some stored results or recordings were damaged; they were computed again'

# ---- recordings ----

printf 'workloads: [vecadd, gather]\nsize: small\nkind: model\nmachines: fermi-gtx480\n' >spec.yaml
run "$sluice" sweep spec.yaml --cache cache -d whole.sqlite -q --csv whole.csv
[ "$status" = 0 ] || fail "$(saw 'the sweep fails')"
recording=$(find cache/traces -name '*.slt' | sort | head -n 1)
bytes=$(wc -c <"$recording")
cp "$recording" whole.slt

for how in empty short cut zeroed garbage version late; do
    it "records again what is damaged in the cache: $how"
    case $how in
    empty) : >"$recording" ;;
    short) printf 'SL' >"$recording" ;;
    cut) head -c $((bytes / 2)) whole.slt >"$recording" ;;
    zeroed) head -c "$bytes" /dev/zero >"$recording" ;;
    garbage) yes garbage | head -c "$bytes" >"$recording" ;;
    version) { head -c 8 whole.slt && printf '\377\377' && tail -c +11 whole.slt; } >"$recording" ;;
    late) { head -c $((bytes - 60)) whole.slt && head -c 60 /dev/zero; } >"$recording" ;;
    esac
    rm -f again.sqlite
    run "$sluice" sweep spec.yaml --cache cache -d again.sqlite --csv again.csv
    exits 0
    stderr_has "$damage"
    cmp -s whole.csv again.csv || fail "$(diff whole.csv again.csv)"
    cmp -s whole.slt "$recording" || fail 'the recording is still damaged'
done

# ---- databases ----

for how in magic header zeros stub; do
    it "sets a database with damaged first bytes aside: $how"
    rm -f d.sqlite*
    cp whole.sqlite d.sqlite
    case $how in
    magic) printf 'damaged bytes!!!' | dd of=d.sqlite conv=notrunc status=none ;;
    header) yes x | head -c 100 | dd of=d.sqlite conv=notrunc status=none ;;
    zeros) dd if=/dev/zero of=d.sqlite bs=4096 count=1 conv=notrunc status=none ;;
    stub) printf 'SQLite f' >d.sqlite ;;
    esac
    cp d.sqlite damaged
    run "$sluice" sweep spec.yaml --cache cache -d d.sqlite --csv again.csv
    exits 0
    stderr_has "$damage"
    cmp -s whole.csv again.csv || fail "$(diff whole.csv again.csv)"
    cmp -s damaged d.sqlite.damaged || fail 'the damaged one is not beside it'
done

it 'sets anything aside that has the name of the database in the cache folder'
cat >paper.yaml <<'END'
name: test
title: A paper
source: nobody
programs: {A: gather n=2048 table=16384}
groups: {ALL: [A]}
configs: {BL: {l1: lru}}
figures: [{id: one, title: Cycles, where: figure 1, rows: [ALL], columns: [{name: cycles, value: BL.cycles}]}]
END
yes garbage | head -c 20000 >cache/points.sqlite
run "$sluice" reproduce paper.yaml --cache cache
exits 0
stderr_has "$damage"
exists cache/points.sqlite.damaged

it 'refuses a file that was named by mistake, and leaves it'
echo 'my notes' >notes.txt
run "$sluice" sweep spec.yaml --cache cache -d notes.txt
exits 1
stderr_has 'notes.txt is not a database of results'
file_is notes.txt 'my notes'
absent notes.txt.damaged

endless='WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)'
it 'does not evaluate views and triggers of a database'
if command -v sqlite3 >/dev/null; then
    cp whole.sqlite view.sqlite
    sqlite3 view.sqlite "DROP TABLE counters; CREATE VIEW counters AS $endless SELECT 'k' AS key, i AS name, i AS value FROM n" >/dev/null
    cp view.sqlite part.sqlite
    run timeout 60 "$sluice" sweep spec.yaml --cache cache -d view.sqlite --csv again.csv
    exits 0
    stderr_has "$damage"
    cmp -s whole.csv again.csv || fail "$(diff whole.csv again.csv)"
    run timeout 60 "$sluice" sweep spec.yaml --cache cache -d merged.sqlite --merge part.sqlite
    exits 1
    stderr_has 'cannot merge part.sqlite: it is not a database of results'
    cp whole.sqlite trigger.sqlite
    sqlite3 trigger.sqlite "DELETE FROM counters; CREATE TRIGGER t AFTER INSERT ON counters BEGIN SELECT count(*) FROM ($endless SELECT i FROM n); END" >/dev/null 2>&1 ||
        sqlite3 trigger.sqlite "CREATE TABLE more(i); CREATE TRIGGER t AFTER INSERT ON counters BEGIN INSERT INTO more SELECT a.value FROM counters a, counters b, counters c, counters d, counters e, counters f; END"
    run timeout 60 "$sluice" sweep spec.yaml --cache cache -d trigger.sqlite --csv again.csv
    exits 0
    cmp -s whole.csv again.csv || fail "$(diff whole.csv again.csv)"
else
    skip 'sqlite3 is not installed'
fi

# ---- terminals ----

# A kernel that prints ESC ] 0 ; x BEL, U+009B, a bare byte of C1, and a letter that is none.
cat >prints.ptx <<'END'
.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);
.global .align 8 .b8 text[17] = {111, 107, 27, 93, 48, 59, 120, 7, 194, 155, 155, 195, 164, 13, 9, 10, 0};
.visible .entry k()
{
    .reg .b64 %rd<4>;
    .reg .b32 %r<4>;
    mov.u64 %rd1, text;
    cvta.global.u64 %rd1, %rd1;
    mov.u64 %rd2, 0;
    {
        .param .b64 p0;
        .param .b64 p1;
        .param .b32 ret;
        st.param.b64 [p0], %rd1;
        st.param.b64 [p1], %rd2;
        call.uni (ret), vprintf, (p0, p1);
    }
    ret;
}
END
# Runs a command on a terminal; what it shows goes to the file `shown`, without the terminal's own carriage returns.
on_terminal() { LC_ALL=C.UTF-8 TERM=dumb script -qec "$1" /dev/null </dev/null 2>&1 | tr -d '\r' >shown; }
controls() { LC_ALL=C grep -c "$(printf '[\001-\010\013-\037\177]\|\302[\200-\237]\|[^\302\303\342][\200-\237]$')" "$1"; }

it 'shows no control characters on a terminal: output of kernels'
run "$sluice" run -q prints.ptx --grid 1 --block 1
exits 0
printf 'ok\033]0;x\007\302\233\233\303\244\015\011\n' >expected
cmp -s expected "$scratch/stdout" || fail "$(saw 'a pipe does not get it as it is')"
if command -v script >/dev/null; then
    on_terminal "'$sluice' run -q prints.ptx --grid 1 --block 1"
    printf 'ok?]0;x???\303\244?\011\n' >expected
    cmp -s expected shown || fail "the terminal got $(od -c shown | head -n 4)"
else
    skip 'script is not installed'
fi

it 'shows no control characters on a terminal: CSV, JSON, a file that is one'
# The name of the file is in the command line that a trace keeps.
name=$(printf 'k\033]0;x\007\302\2331m')
cp prints.ptx "$name.ptx"
run "$sluice" trace -q -o esc.slt "$name.ptx" --grid 1 --block 1
exits 0
if command -v script >/dev/null; then
    for form in --json --csv '--json /dev/tty' '-o /dev/tty' '--csv /dev/stdout'; do
        on_terminal "'$sluice' info esc.slt $form"
        [ -s shown ] || fail "$form shows nothing"
        [ "$(controls shown)" = 0 ] || fail "info $form: $(grep -n k shown | cat -v | head -n 5)"
        on_terminal "'$sluice' run -q '$name.ptx' --grid 1 --block 1 $form"
        [ "$(controls shown)" = 0 ] || fail "run $form: $(cat -v shown | head -n 5)"
    done
    on_terminal "'$sluice' validate --command esc.slt; '$sluice' info '$name'"
    [ "$(controls shown)" = 0 ] || fail "validate --command: $(cat -v shown | head -n 5)"
else
    skip 'script is not installed'
fi

# ---- inputs without an end, or without a beginning ----

it 'has a limit for inputs without an end'
ln -s /dev/zero zero.ptx
ln -s /dev/zero zero.json
run timeout 100 "$sluice" run zero.ptx --grid 1 --block 32
exits 1
stderr_has 'zero.ptx: the file is larger than 536870912 bytes, the limit'
run timeout 100 "$sluice" apply zero.json prints.ptx
exits 1
stderr_has 'zero.json: the file is larger than 67108864 bytes, the limit'

it 'does not wait for FIFOs and devices in a folder of sources'
mkdir sources
mkfifo sources/vecadd.cu sources/program
run "$sluice" trace -q -o vecadd.slt vecadd --size small
run timeout 60 "$sluice" report vecadd.slt --source sources -o page.html
exits 0
run timeout 60 "$sluice" report vecadd.slt --source sources/program -o page.html
exits 1
stderr_has 'sources/program: this is neither a folder, nor PTX, nor a program'

# ---- batch scripts ----

it 'submits a sweep whose name begins with a hyphen'
mkdir bin
# shellcheck disable=SC2016
printf '#!/bin/sh\nfor last; do :; done\necho "$last" >>scripts\necho 7\n' >bin/sbatch
chmod +x bin/sbatch
cp spec.yaml ./-spec.yaml
PATH="$PWD/bin:$PATH" run "$sluice" sweep ./-spec.yaml --cache cache --slurm 1
exits 0
file_is scripts './-spec.sqlite.sbatch
./-spec.sqlite-merge.sbatch'
SLURM_ARRAY_TASK_ID=0 run sh ./-spec.sqlite.sbatch
exits 0
run sh ./-spec.sqlite-merge.sbatch
exits 0
stdout_is ''
cmp -s whole.csv ./-spec.sqlite.csv || fail "$(ls -l)"

# ---- what a killed run leaves ----

ended() # pid: whether it ends soon
{
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        if ! kill -0 "$1" 2>/dev/null || grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null; then return 0; fi
        sleep 0.1
    done
    kill -KILL "$1"
    return 1
}

for signal in KILL TERM HUP; do
    for how in 'sleep 1000 &' 'setsid sleep 1000 &' '(sleep 1000 & echo $! >pid; exec sleep 1000) &'; do
        it "ends what a program started when SIG$signal ends the run: $how"
        rm -f pid
        start "$sluice_with_programs" run -- sh -c "$how"' [ -s pid ] || echo $! >pid; wait'
        while [ ! -s pid ] && kill -0 "$started" 2>/dev/null; do sleep 0.05; done
        sleep 0.2
        kill -"$signal" "$started"
        wait "$started" 2>/dev/null
        ended "$(cat pid)" || fail 'it still runs'
    done
done

it 'ends what a program started when the program is killed'
rm -f pid
run "$sluice_with_programs" run -q -- sh -c 'sleep 1000 & echo $! >pid; kill -9 $$'
exits 137
ended "$(cat pid)" || fail 'it still runs'

it 'leaves what a program started and did not wait for, as a shell does'
rm -f pid
run "$sluice_with_programs" run -q -- sh -c 'sleep 1000 >/dev/null 2>&1 & echo $! >pid; exit 5'
exits 5
kill "$(cat pid)" || fail 'it is gone'

it 'says why a program cannot be started'
printf '#!/nowhere/sh\n' >script
chmod +x script
run "$sluice_with_programs" run -- ./script
exits 1
stderr_has 'cannot run ./script: No such file or directory'

done_testing
