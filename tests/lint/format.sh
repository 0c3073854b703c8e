#!/bin/sh
# format.sh - C is laid out as clang-format 14 lays it out; `./dev fmt` does it.
#
# Another version decides some lines differently, so exactly this one counts.
set -eu
. "$(dirname "$0")/lib.sh"
command -v clang-format-14 >/dev/null || {
	echo "clang-format-14 is not installed"
	exit 1
}
files '*.c' '*.h' | while IFS= read -r file; do
	clang-format-14 --style="file:$LINT/../../.clang-format" \
		--dry-run -Werror "$file" >/dev/null 2>&1 ||
		breach "$file: is not laid out as clang-format does; see './dev fmt'"
done
verdict
