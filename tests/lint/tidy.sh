#!/bin/sh
# tidy.sh - clang-tidy 14 finds no bug in our C; .clang-tidy says what it looks for.
set -eu
. "$(dirname "$0")/lib.sh"
command -v clang-tidy-14 >/dev/null || {
	echo "clang-tidy-14 is not installed"
	exit 1
}
includes=$(find server -type d | sed 's|^|-I |' | tr '\n' ' ')
# shellcheck disable=SC2016,SC2046,SC2086 # words, and a shell of its own
files '*.c' | grep '^server/' | tr '\n' '\0' |
	xargs -0r -n 4 -P "$(nproc)" sh -c '
		flags=$1 config=$2
		shift 2
		clang-tidy-14 --quiet --config-file="$config" "$@" -- $flags \
			2>/dev/null | grep -E "(error|warning): "
		:' sh "-std=gnu17 -D_GNU_SOURCE -DKERNSIFT_VERSION=\"0\" \
			-include $LINT/../../server/base/banned.h -I include $(pkg-config --cflags libpq) $includes" \
		"$LINT/../../.clang-tidy" |
	sed "s|^$PWD/||" | tee -a "$breaches"
verdict
