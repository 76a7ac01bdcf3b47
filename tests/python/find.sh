#!/bin/sh
# SPDX-License-Identifier: MIT
# Usage: find.sh MODULE...
# Prints the first python3 that has these modules and is new enough; fails where there is none.
for python in python3 /usr/bin/python3; do
    if "$python" -c 'import sys; assert sys.version_info >= (3, 9)
for name in sys.argv[1:]: __import__(name)' "$@" 2>/dev/null; then
        echo "$python"
        exit 0
    fi
done
exit 1
