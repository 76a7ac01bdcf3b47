#!/bin/sh
# SPDX-License-Identifier: MIT
# The documents as a site (./dev docs).
. "${SLUICE_SOURCE:?}/tests/tap.sh"

it 'is made of all documents, and all of its links lead somewhere'
if ! python=$(sh "$source_root/tests/python/find.sh") || ! command -v cmark-gfm >/dev/null || ! command -v mandoc >/dev/null; then
    skip 'python3, cmark-gfm or mandoc is not installed'
    done_testing
fi
run "$python" "$source_root/docs/site/build.py" "$source_root" site
exits 0
stdout_has ' pages, '
for page in "$source_root"/docs/*.md "$source_root"/man/*.1 "$source_root"/include/sluice/*.h; do
    place=${page#"$source_root"/}
    case $place in
    *.md) place=${place%.md}.html ;;
    *.1) place=${place%.1}.html ;;
    *.h) place=$place.html ;;
    esac
    exists "site/$place"
    file_has site/index.js "[\"$place"
done
file_has site/index.html '<a href="docs/tutorial.html">'
file_has site/docs/rank.html 'href="agents.html#is-it-right"'

it 'is the same each time'
run "$python" "$source_root/docs/site/build.py" "$source_root" again
diff -r site again >/dev/null || fail 'it differs'

it 'fails where a link leads nowhere'
mkdir -p tree/docs
printf '# Name\n\n[one](docs/one.md#here) [two](docs/two.md)\n\n## Documents\n\n| learn | |\n|---|---|\n| [one](docs/one.md) | |\n' >tree/README.md
printf '# One\n\n## Here\n\n[up](../README.md#name)\n' >tree/docs/one.md
run "$python" "$source_root/docs/site/build.py" tree out
exits 1
stderr_has 'README.md: docs/two.md'
sed -i 's/ \[two\].*/ [two](docs\/one.md#there)/' tree/README.md
run "$python" "$source_root/docs/site/build.py" tree out
exits 1
stderr_has 'index.html: docs/one.html#there'
sed -i 's/#there/#one/' tree/README.md
run "$python" "$source_root/docs/site/build.py" tree out
exits 0

it 'finds a page by its words, in a browser'
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || browser=
if [ -z "$browser" ] || [ -n "${SLUICE_SANITIZERS:-}" ]; then
    skip 'no Chromium is installed, or this build has sanitizers'
else
    run timeout 100 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$scratch/profile" --dump-dom "file://$PWD/site/docs/time.html?q=roofline+schedulers"
    stdout_has '<a href="../docs/time.html#roofline"'
    run timeout 100 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$scratch/profile" --dump-dom "file://$PWD/site/index.html?q=nosuchwordatall"
    stdout_has 'Nothing has all of these words.'
fi

done_testing
