#!/bin/sh
# SPDX-License-Identifier: MIT
# The steps of examples/ci/Dockerfile, without Docker: on request, as root, in copies of a bare Debian.
#
#   debootstrap --variant=minbase --include=ca-certificates bookworm /var/tmp/bare
#   SLUICE_BARE_ROOT=/var/tmp/bare ctest --test-dir build/release -R checks_dockerfile -V
#
# With SLUICE_PACKAGES, a folder with packages that ./dev package made, that step takes these instead.
. "${SLUICE_SOURCE:?}/tests/tap.sh"

it 'has a Dockerfile whose steps make an image that works'
bare=${SLUICE_BARE_ROOT:-}
if [ -z "$bare" ] || [ "$(id -u)" != 0 ]; then
    skip 'SLUICE_BARE_ROOT names no bare Debian, or this is not root'
    done_testing
fi

stages=$(mktemp -d) # next to other large things: not in the memory that may hold the scratch folder
# shellcheck disable=SC2317 # the trap calls them
inside() { awk -v d="$stages/" 'index($2, d) == 1 { print $2 }' /proc/mounts | sort -r; }
# shellcheck disable=SC2317
leave() { inside | while read -r place; do umount -l "$place"; done; }
trap 'leave; [ -n "$(inside)" ] || rm -rf --one-file-system "$stages"; rm -rf "$scratch"' EXIT

# A step in the stage, as the Dockerfile has it.
step()
{
    proxy=$(env | grep -E '^(https?|no)_proxy=' | tr '\n' ' ')
    # shellcheck disable=SC2086
    env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb DEBIAN_FRONTEND=noninteractive $proxy \
        chroot "$stages/$stage" sh -c "cd $folder && $1" >>"$stages/log" 2>&1
}

stage='' number=0 steps=0
while IFS= read -r line; do
    case $line in
    '#'* | '') continue ;;
    'FROM debian:12'*)
        stage=$((number += 1)) folder=/
        case $line in *' AS '*) stage=${line##* } ;; esac
        cp -a "$bare" "$stages/$stage"
        for place in proc sys dev dev/pts; do mount --bind "/$place" "$stages/$stage/$place"; done
        done=0
        ;;
    'COPY . '*) mkdir -p "$stages/$stage${line##* }" && (cd "$source_root" && git ls-files -z | xargs -0 cp -a --parents -t "$stages/$stage${line##* }") && done=0 || done=1 ;;
    'COPY --from='*)
        from=${line#COPY --from=} from=${from%% *} to=${line##* } done=0
        for file in $(echo "$line" | cut -d' ' -f3- | sed 's/ [^ ]*$//'); do
            # A pattern stands for files of the stage.
            # shellcheck disable=SC2086
            cp -a "$stages/$from"$file "$stages/$stage$to" || done=1
        done
        ;;
    'WORKDIR '*) folder=${line#* } done=0 ;;
    'RUN ./dev package')
        if [ -n "${SLUICE_PACKAGES:-}" ]; then
            mkdir -p "$stages/$stage$folder/build" && cp "$SLUICE_PACKAGES"/*.deb "$stages/$stage$folder/build"
        else
            step "${line#RUN }"
        fi && done=0 || done=1
        ;;
    'RUN '*) step "${line#RUN }" && done=0 || done=1 ;;
    *) done=1 ;;
    esac
    steps=$((steps + 1))
    [ "$done" = 0 ] || { fail "$line: $(tail -5 "$stages/log" 2>/dev/null)" && break; }
done <"$source_root/examples/ci/Dockerfile"
[ "$steps" -gt 8 ] || fail "only $steps steps"
[ -n "$trouble" ] || step 'check-kernels 2>&1 | grep -q BASELINE' || fail 'check-kernels is not on the path'

done_testing
