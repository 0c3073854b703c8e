#!/bin/sh
# size.sh - no C, JavaScript, Python, shell or SQL file is longer than 300 lines.
set -eu
. "$(dirname "$0")/lib.sh"
{
	files '*.c' '*.h' '*.js' '*.mjs' '*.py' '*.sql' '*.css'
	scripts
} | sort -u | while IFS= read -r file; do
	lines=$(wc -l <"$file")
	[ "$lines" -le 300 ] || breach "$file: has $lines lines; split it, 300 is the most"
done
verdict
