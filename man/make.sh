#!/bin/sh
# Usage: make.sh PROGRAM
# Prints sluice(1): what is written by hand, and what follows from the program's table of commands.
set -eu
program=$1
here=$(dirname "$0")
version=$("$program" --version)
printf '.TH SLUICE 1 "" "%s" "User Commands"\n' "$version"
cat "$here/head.roff"
"$program" --man
cat "$here/tail.roff"
