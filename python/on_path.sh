#!/bin/sh
# SPDX-License-Identifier: MIT
# Usage: on_path.sh PREFIX
# Lets the python3 that searches below the prefix find the package that was installed there; says what to do where none does.
set -eu
packages=$1/lib/python3/dist-packages
searched=$(python3 -c 'import site, sys
print(next((p for p in site.getsitepackages() if p.startswith(sys.argv[1] + "/")), ""))' "$1" 2>/dev/null || true)
if [ -z "$searched" ]; then
    echo "for Python: export PYTHONPATH=$packages"
elif [ "$searched" != "$packages" ]; then
    mkdir -p "${DESTDIR:-}$searched"
    echo "$packages" >"${DESTDIR:-}$searched/sluice.pth"
fi
