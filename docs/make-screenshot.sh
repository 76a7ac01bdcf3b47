#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes docs/page.png, the picture of a report in the README: docs/make-screenshot.sh [SLUICE] [OUTPUT]
# Needs chromium, and pngquant or optipng where the picture would exceed 200 KB.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
sluice=${1:-$root/build/release/bin/sluice}
output=${2:-$root/docs/page.png}
limit=204800

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$sluice" report spmv --gpu fermi-gtx470 --source "$root/workloads" --quiet -o "$scratch/page.html"
HOME=$scratch chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
    --disable-component-update --disable-sync --hide-scrollbars --force-device-scale-factor=1 --virtual-time-budget=5000 \
    --user-data-dir="$scratch/profile" --window-size=1280,880 --screenshot="$scratch/page.png" "file://$scratch/page.html" 2>"$scratch/log" || {
    cat "$scratch/log" >&2
    exit 1
}
size() { wc -c <"$scratch/page.png"; }
if [ "$(size)" -gt $limit ]; then
    pngquant --force --output "$scratch/page.png" 64 "$scratch/page.png"
fi
if [ "$(size)" -gt $limit ]; then
    optipng -quiet -o5 "$scratch/page.png"
fi
[ "$(size)" -le $limit ] || {
    echo "make-screenshot.sh: the picture has $(size) bytes, more than $limit" >&2
    exit 1
}
cp "$scratch/page.png" "$output"
