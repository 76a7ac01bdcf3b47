#!/bin/sh
# SPDX-License-Identifier: MIT
# What ./dev says and makes for those who do not build here: packages of other systems, wheels, archives.
. "${SLUICE_SOURCE:?}/tests/tap.sh"

# ---- systems without apt ----

# A folder with what every system has, and with programs of these names.
programs()
{
    rm -rf bin && mkdir bin
    for name in sh dirname nproc cat printf grep sed awk mkdir tr; do
        path=$(command -v "$name") && ln -s "$path" "bin/$name"
    done
    for name; do ln -s "$(command -v cat)" "bin/$name"; done
}
without_apt() { run env -i PATH="$scratch/work/bin" HOME="$scratch" "$source_root/dev" build; }
# shellcheck disable=SC2016
printf '#!/bin/sh\n[ "$2" != liblz4 ]\n' >no_lz4 && chmod +x no_lz4

it 'says which packages of Fedora are missing'
programs cc cmake dnf
without_apt
exits 1
stderr_is 'dev: missing; install with: sudo dnf install ninja-build pkgconf-pkg-config libzstd-devel zlib-devel lz4-devel xz-devel libyaml-devel sqlite-devel'

it 'says which packages of Arch are missing'
programs cc ninja pacman
ln -s "$PWD/no_lz4" bin/pkg-config
without_apt
exits 1
stderr_is 'dev: missing; install with: sudo pacman -S --needed cmake lz4'

it 'names both where it knows neither'
programs cc ninja cmake
ln -s "$PWD/no_lz4" bin/pkg-config
without_apt
exits 1
stderr_is 'dev: missing, and there is no apt here; their packages are, on Fedora: lz4-devel; on Arch: lz4'

# ---- the archive of the sources ----

it 'archives the sources, with the same bytes in another folder'
sed -n '/^source_archive()/,/^}/p' "$source_root/dev" >archive.sh
mkdir -p a/src b
echo one >a/src/x.c && echo two >a/README.md && ln -s README.md a/link
cp -a a/. b && touch b/src/x.c && chmod g+w b/README.md
mkdir b/build && echo no >b/build/x
for folder in a b; do
    # shellcheck disable=SC1091 # made above
    (cd "$folder" && export SOURCE_DATE_EPOCH=1700000000 GIT_DIR=/nowhere && . ../archive.sh && source_archive sluice-1.0 >"../$folder.tar.gz")
done
cmp -s a.tar.gz b.tar.gz || fail 'other bytes in another folder'
[ "$(tar -tzf a.tar.gz | tr '\n' ' ')" = 'sluice-1.0/README.md sluice-1.0/link sluice-1.0/src/x.c ' ] || fail "it has $(tar -tzf a.tar.gz)"

it 'leaves no path of the build in what is installed'
if [ -z "${SLUICE_SANITIZERS:-}" ] && grep -q '^CMAKE_BUILD_TYPE:.*=Release' "${SLUICE_BUILD:?}/CMakeCache.txt"; then
    for file in "$sluice" "$SLUICE_BUILD"/lib/*.so "$SLUICE_BUILD"/lib/sluice/cuda/*.so*; do
        ! grep -qaF "$source_root/" "$file" || fail "$file has it"
    done
else
    skip 'this is no release build'
fi

# ---- wheels ----

if ! python=$(sh "$source_root/tests/python/find.sh") || ! command -v readelf >/dev/null; then
    it 'makes wheels'
    skip 'python3 (3.9 or later) or readelf is not installed'
    done_testing
fi
export PYTHONDONTWRITEBYTECODE=1
mkdir -p root/bin root/lib/sluice/cuda root/share/man/man1
echo 'int main(int argc, char **argv) { return argc > 1 && argv[0][6] == 45 ? 7 : 0; }' >main.c # sluice-ptxas
echo 'int sl_number(void); int sl_number(void) { return 3; }' >part.c
"${CC:-cc}" -o root/bin/sluice main.c
"${CC:-cc}" -shared -fPIC -Wl,-soname,libsluice.so.0.2 -o root/lib/libsluice.so.0.2.0 part.c
ln -s libsluice.so.0.2.0 root/lib/libsluice.so.0.2
"${CC:-cc}" -shared -fPIC -o root/lib/sluice/cuda/libcuda.so.1 part.c root/lib/libsluice.so.0.2.0
echo '.TH' >root/share/man/man1/sluice.1
make_wheel() { run env SOURCE_DATE_EPOCH="${2:-1700000000}" "$python" "$source_root/python/wheel_maker.py" root "$1"; }

it 'makes a wheel that carries the program, with the same bytes each time'
mkdir one two other
make_wheel one
exits 0
stdout_has 'sluice-0.2.0-py3-none-manylinux_2_'
touch root/bin/sluice root/share/man/man1/sluice.1
make_wheel two
cmp -s one/*.whl two/*.whl || fail 'other bytes the second time'
make_wheel other 1600000000
! cmp -s one/*.whl other/*.whl || fail 'the time does not matter'

it 'can be installed by pip, and starts the program under both names'
if "$python" -m venv venv >/dev/null 2>&1; then
    run venv/bin/pip install -q --no-index --no-deps --disable-pip-version-check one/*.whl
    exits 0
    run venv/bin/sluice x
    exits 0
    run venv/bin/sluice-ptxas x
    exits 7
    exists venv/lib/libsluice.so.0.2
    exists venv/lib/sluice/cuda/libcuda.so.1
    exists venv/share/man/man1/sluice.1
    run env -i PATH=/nowhere venv/bin/python -c 'import sluice._find as f; print(f.program()); print(f.library("0.2.0"))'
    stdout_has 'venv/bin/sluice'
    stdout_has 'venv/lib/libsluice.so.0.2'
else
    skip 'python3-venv is not installed'
fi

it 'refuses what needs libraries that are not everywhere'
echo 'const char *zlibVersion(void); int main(void) { return !zlibVersion(); }' >main.c
if "${CC:-cc}" -o root/bin/sluice main.c -lz 2>/dev/null; then
    make_wheel one
    exits 1
    stderr_has 'sluice needs libz.so.1'
else
    skip 'zlib is not installed'
fi

it 'makes the wheel of pip the same each time'
for place in one two; do
    (cd "$source_root/python" && SOURCE_DATE_EPOCH=1700000000 "$python" -c 'import sys, wheel_maker; wheel_maker.build_wheel(sys.argv[1])' \
        "$scratch/work/$place")
done
cmp -s one/sluice-0.2.0-py3-none-any.whl two/sluice-0.2.0-py3-none-any.whl || fail 'other bytes the second time'

done_testing
