#!/bin/sh
# shell.sh - shell scripts pass shellcheck.
set -eu
. "$(dirname "$0")/lib.sh"
command -v shellcheck >/dev/null || {
	echo "shellcheck is not installed"
	exit 1
}
scripts | while IFS= read -r file; do
	shellcheck -x -P SCRIPTDIR "$file" || breach "$file: shellcheck objects"
done
verdict
