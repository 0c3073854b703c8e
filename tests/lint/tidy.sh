#!/bin/sh
# tidy.sh - clang-tidy 14 finds no bug in our C; .clang-tidy says what it looks for.
#
# A file found good is not looked at again while it, its headers and the flags
# stay: what is remembered is a hash of all that is read. KERNSIFT_TIDY_NODES
# ends the analyzer's walk through a function early; ./dev test does, ./dev lint
# goes to clang's own end.
set -eu
. "$(dirname "$0")/lib.sh"
command -v clang-tidy-14 >/dev/null || {
	echo "clang-tidy-14 is not installed"
	exit 1
}
good=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/kernsift-tidy
mkdir -p "$good"
find "$good" -type f -mtime +30 -delete
common='-std=gnu17 -D_GNU_SOURCE -DKERNSIFT_VERSION="0" -I include'
nodes=${KERNSIFT_TIDY_NODES:+-Xclang -analyzer-config -Xclang max-nodes=$KERNSIFT_TIDY_NODES}

# look FOLDER FLAGS
# shellcheck disable=SC2016 # a shell of its own
look() {
	files '*.c' | grep "^$1/" | tr '\n' '\0' |
		xargs -0r -n 1 -P "$(nproc)" sh -c '
		flags=$1 config=$2 good=$3/ nodes=$4
		key=$({ echo "$flags $nodes"; cat "$config"; clang-tidy-14 --version
			gcc -E -C $flags "$5"; } 2>/dev/null | sha256sum)
		key=${key%% *}
		[ ! -e "$good$key" ] || exit 0
		said=$(clang-tidy-14 --quiet --config-file="$config" "$5" -- $flags \
			$nodes 2>/dev/null | grep -E "(error|warning): ") || :
		if [ -n "$said" ]; then echo "$said"; else : >"$good$key"; fi
		' sh "$2" "$LINT/../../.clang-tidy" "$good" "$nodes" |
		sed "s|^$PWD/||" | tee -a "$breaches"
}

look include "$common"
# What CMake puts beside the client.
[ ! -f collector/options.def ] ||
	cp collector/options.def "$good/collector_options.def"
look server "$common -include $LINT/../../server/base/banned.h \
	-DKERNSIFT_LIBDIR=\"lib\" -I $good \
	$(pkg-config --cflags libpq) $(find server -type d | sed 's|^|-I |' | tr '\n' ' ')"
# Where CUPTI's headers are, as it is built.
cuda=${CUDA_HOME:-/usr/local/cuda}
[ ! -f "$cuda/include/cupti.h" ] ||
	look collector "$common -I collector -isystem $cuda/include"
verdict
