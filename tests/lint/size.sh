#!/bin/sh
# size.sh - no C, JavaScript, Python, shell or SQL file is longer than 300 lines.
set -eu
. "$(dirname "$0")/lib.sh"
{
	files '*.c' '*.h' '*.js' '*.mjs' '*.py' '*.sql' '*.css'
	scripts
} | sort -u | tr '\n' '\0' | xargs -0r wc -l | while read -r lines file; do
	[ "$lines" -le 300 ] || [ "$file" = total ] ||
		breach "$file: has $lines lines; split it, 300 is the most"
done
verdict
