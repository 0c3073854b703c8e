#!/bin/sh
# format.sh - clang-format 14 formats the C files; `./dev fmt` runs it.
#
# This exact version is required, because others format some lines differently.
set -eu
. "$(dirname "$0")/lib.sh"
command -v clang-format-14 >/dev/null || {
	echo "clang-format-14 is not installed"
	exit 1
}
files '*.c' '*.h' | tr '\n' '\0' |
	xargs -0r clang-format-14 --style="file:$LINT/../../.clang-format" \
		--dry-run 2>&1 | sed -nE 's/^([^:]+):[0-9]+:[0-9]+: .*/\1/p' |
	sort -u | while IFS= read -r file; do
	breach "$file: is not laid out as clang-format does; see './dev fmt'"
done
verdict
