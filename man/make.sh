#!/bin/sh
# SPDX-License-Identifier: MIT
# Usage: make.sh PROGRAM FOLDER
# Writes sluice(1) and a page for each command into FOLDER: what is written by hand, and what follows from the program's
# table of commands.
set -eu
# Lists of commands are read below: no line may be broken.
export COLUMNS=0
program=$1 folder=$2
here=$(dirname "$0")
version=$("$program" --version)

page() # NAME, in capitals as titles are
{
    printf '.TH %s 1 "" "%s" "User Commands"\n' "$(echo "$1" | tr '[:lower:]' '[:upper:]')" "$version"
}

{
    page sluice
    cat "$here/head.roff"
    "$program" --man
    cat "$here/tail.roff"
} >"$folder/sluice.1"
"$program" help | sed -n 's/^  \([a-z-]*\)  .*/\1/p' | while read -r command; do
    {
        page "sluice-$command"
        "$program" --man "$command"
    } >"$folder/sluice-$command.1"
done
