#!/bin/sh
# SPDX-License-Identifier: MIT
# What holds for the tree as a whole.
. "${SLUICE_SOURCE:?}/tests/tap.sh"
library=${SLUICE_LIBRARY:?}

it 'is formatted by clang-format 14'
run sh "$source_root/tests/checks/format.sh" "$source_root" --check
if [ "$status" = 77 ]; then skip 'clang-format 14 is not installed'; else exits 0 && stdout_is ''; fi

it 'keeps no writable globals in the library'
run objdump -t "$library"
exits 0
globals=$(awk -F '\t' '
    { words = split($1, left, " "); split($2, right, " "); section = left[words] }
    left[3] != "d" && section ~ /^(\.t?data|\.t?bss|\.data\.rel|\.data\.rel\.local|\*COM\*)$/ { print right[length(right)] }
    ' "$scratch/stdout" | sort -u)
[ -z "$globals" ] || fail "writable: $globals"

it 'neither prints, nor exits, nor reads the environment in the library'
run nm -u "$library"
exits 0
calls=$(awk '{print $NF}' "$scratch/stdout" | sort -u |
    grep -xE '(v?printf|__v?printf_chk|puts|putchar|perror|stdout|stderr|exit|_exit|_Exit|quick_exit|abort|(secure_)?getenv|setenv|unsetenv|putenv|environ)' || true)
[ -z "$calls" ] || fail "the library uses: $calls"

it 'hardens what it builds as Debian does'
for file in "$sluice" "${SLUICE_BUILD:?}"/lib/sluice/cuda/*; do
    [ -f "$file" ] || continue
    run readelf -Wlhd "$file"
    exits 0
    stdout_has 'GNU_RELRO'
    stdout_has 'DYN (' # position-independent
    grep -qE 'BIND_NOW|Flags: .*NOW' "$scratch/stdout" || fail "$file resolves its symbols late"
    ! grep -E 'GNU_STACK.*E' "$scratch/stdout" | grep -q RWE || fail "$file has an executable stack"
    run readelf -W --dyn-syms "$file"
    stdout_has '__stack_chk_fail'
    case $file in */libcudart.so.* | */libcuda.so* | */libnvToolsExt.so*) ;; # thin: they call nothing that could be checked
    *) stdout_has '_chk@' ;;
    esac
done

it 'has manual pages that say what the program says'
mkdir pages
run sh "$source_root/man/make.sh" "$sluice" pages
exits 0
for page in pages/*.1 "$source_root"/man/*.1; do
    cmp -s "pages/${page##*/}" "$source_root/man/${page##*/}" || fail "man/${page##*/} is out of date; run ./dev man"
done

it 'has manual pages without complaints of mandoc'
if command -v mandoc >/dev/null; then
    run mandoc -Tlint -Werror pages/*.1
    exits 0
else
    skip 'mandoc is not installed'
fi

it 'describes the counters that there are'
run sh "$source_root/docs/make-counters.sh"
exits 0
cmp -s "$scratch/stdout" "$source_root/docs/counters.md" || fail 'docs/counters.md is out of date; run ./dev man'

it 'describes the cache controls that there are'
run sh "$source_root/docs/make-controls.sh"
exits 0
cmp -s "$scratch/stdout" "$source_root/docs/bypass.md" || fail 'docs/bypass.md is out of date; run ./dev man'

it 'describes the rules of findings that there are'
run sh "$source_root/docs/make-findings.sh" "$sluice"
exits 0
cmp -s "$scratch/stdout" "$source_root/docs/findings.md" || fail 'docs/findings.md is out of date; run ./dev man'

it 'has shell scripts without complaints of shellcheck'
if command -v shellcheck >/dev/null; then
    cd "$source_root" && run shellcheck -x -P SCRIPTDIR dev .ci/run man/make.sh docs/make-counters.sh docs/make-controls.sh docs/make-findings.sh docs/make-screenshot.sh workloads/generate-ptx examples/tutorial/run examples/ci/check-kernels examples/ci/action workloads/generate-ir tests/tap.sh tests/*/*.sh
    exits 0
else
    skip 'shellcheck is not installed'
fi

it 'has PTX of the workloads that is what their sources give'
run sh "$source_root/workloads/generate-ptx" --check
exits 0

it 'has documents whose links lead somewhere'
dead=$(cd "$source_root" && find . -name '*.md' -not -path './build/*' | while read -r page; do
    grep -oE '\]\([^)#]+' "$page" | sed 's/^](//' | grep -v '^[a-z]*:' | while read -r link; do
        [ -e "$(dirname "$page")/$link" ] || echo "$page: $link"
    done
done)
[ -z "$dead" ] || fail "$dead"

it 'has documents whose links to headings lead to one'
headings() { awk '/^```/ { code = !code } !code && sub(/^#+ */, "") { gsub(/[^A-Za-z0-9_ -]/, ""); gsub(/ /, "-"); print tolower($0) }' "$1"; }
dead=$(cd "$source_root" && find . -name '*.md' -not -path './build/*' | while read -r page; do
    grep -oE '\]\([^) ]*#[^) ]+' "$page" | sed 's/^](//' | grep -v '^[a-z]*:' | while read -r link; do
        target=${link%%#*}
        headings "${target:+$(dirname "$page")/}${target:-$page}" | grep -qxF -e "${link#*#}" || echo "$page: $link"
    done
done)
[ -z "$dead" ] || fail "$dead"

it 'has modules that include only those above them in docs/architecture.md'
# shellcheck disable=SC2016
order=$(sed -n 's/^| `\(src\/\)\{0,1\}\([a-z]*\)` |.*/\2/p' "$source_root/docs/architecture.md" | tr '\n' ' ')
upwards=$(cd "$source_root" && grep -rnE '^ *#include "[a-z]+/' src --include='*.[ch]' --include='*.def' |
    sed -E 's|^src/([a-z]+)/([^:]*):([0-9]+): *#include "([a-z]+)/.*|\1 \4 src/\1/\2:\3|' |
    awk -v order="$order" 'BEGIN { n = split(order, name, " "); for (i = 1; i <= n; i++) rank[name[i]] = i }
        $2 == "sluice" { next }
        !rank[$1] || !rank[$2] { print $3 ": " $1 " or " $2 " is not in the table"; next }
        rank[$2] > rank[$1] { print $3 ": " $1 " includes " $2 }')
[ -z "$upwards" ] || fail "$upwards"
[ "$(echo "$order" | wc -w)" -gt 15 ] || fail "only these modules were found: $order"

it 'has reports that show results and compute none'
# What reports read: results, and the descriptions that tables name things by; the timeline writes events of the simulator as they come.
others=$(grep -nE '^ *#include "' "$source_root"/src/report/*.[ch] |
    grep -vE '"(report|base|sluice|analysis|study|findings)/|"(machine/machine|model/hpca14|policy/states|trace/what_if|tune/(plan|tune))\.h"|timeline\.h:[0-9]*:#include "sim/sim\.h"') || true
[ -z "$others" ] || fail "$others"
computed=$(grep -nE '\b(sl_(counts_(merge|add)|profile_counts_merge|level_add|analyze|json_parse|trace_open)|sqrt)\(' "$source_root"/src/report/*.c) || true
[ -z "$computed" ] || fail "belongs to src/analysis or src/study: $computed"

it 'gives no type and no enumerator the name of another one'
names=$(cd "$source_root" && find include src -name '*.[ch]' | while read -r file; do awk '
    { gsub(/\/\*([^*]|\*[^\/])*\*\//, "") }
    match($0, /(struct|enum|union) sl_[a-z0-9_]+ \{/) { split(substr($0, RSTART), word, " "); print word[2] }
    match($0, /(^|[^a-z0-9_])enum[^;{()]*\{/) { inside = 1; $0 = substr($0, RSTART + RLENGTH) }
    inside {
        items = split($0, item, ",")
        for (i = 1; i <= items; i++)
            if (match(item[i], /^ *SL_[A-Za-z0-9_]+/)) { gsub(/ /, "", item[i]); sub(/[^A-Za-z0-9_].*/, "", item[i]); print item[i] }
        if (/\}/) inside = 0
    }' "$file" | sort -u; done | sort | uniq -d)
[ -z "$names" ] || fail "$names"

it 'has no source file of more than 800 lines'
long=$(cd "$source_root" && find include src tests bench workloads examples -name '*.[ch]' -exec wc -l {} + |
    awk '$1 > 800 && $2 != "total" {print $2, $1}')
[ -z "$long" ] || fail "$long"

done_testing
