#!/bin/sh
# tidy.sh - clang-tidy 14 and clang's own warnings find nothing in the product's C
# files.
#
# .clang-tidy lists the checks, CMakeLists.txt the warnings. A file without findings is
# checked again only if something that it reads changes (see tidy.py).
# KERNSIFT_TIDY_NODES limits the analysis of a function; ./dev test sets it, ./dev lint
# does not.
set -eu
. "$(dirname "$0")/lib.sh"
command -v clang-tidy-14 >/dev/null || {
	echo "clang-tidy-14 is not installed"
	exit 1
}
GOOD=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/kernsift-tidy
CONFIG=$LINT/../../.clang-tidy
export GOOD CONFIG
mkdir -p "$GOOD"
find "$GOOD" -type f -mtime +30 -delete
# Files that CMake generates for the client.
[ ! -f collector/base/options.def ] ||
	cmp -s collector/base/options.def "$GOOD/collector_options.def" ||
	cp collector/base/options.def "$GOOD/collector_options.def"

# look FOLDER FLAGS...
look() {
	folder=$1
	shift
	[ -d "$folder" ] || return 0
	# shellcheck disable=SC2046 # the warnings are words
	python3 "$LINT/tidy.py" tidy "$folder" -std=gnu17 -D_GNU_SOURCE \
		'-DKERNSIFT_VERSION="0"' -I include \
		$(grep -hoE -- '-W[a-z-]+' CMakeLists.txt 2>/dev/null | grep -vx -e -Werror) \
		"$@" ${KERNSIFT_TIDY_NODES:+-Xclang -analyzer-config -Xclang "max-nodes=$KERNSIFT_TIDY_NODES"} ||
		echo "$folder" >>"$breaches"
}

# shellcheck disable=SC2046 # the folders are words
[ ! -d server ] ||
	look server $([ ! -f server/base/banned.h ] || echo -include server/base/banned.h) \
		'-DKERNSIFT_LIBDIR="lib"' -I "$GOOD" \
		$(pkg-config --cflags libpq) $(find server -type d | sed 's|^|-I |')
# First the folders that need no CUPTI header; then the others, if it is installed.
cuda=${CUDA_HOME:-/usr/local/cuda}
rooms='base capture counters'
[ ! -f "$cuda/include/cupti.h" ] || rooms="$rooms nvtx session inject"
for room in $rooms; do
	# shellcheck disable=SC2046 # the folders are words
	[ ! -d "collector/$room" ] ||
		look "collector/$room" $(find collector -type d | sed 's|^|-I |') \
			-isystem "$cuda/include"
done
verdict
