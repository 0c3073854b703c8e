#!/bin/sh
# opening.sh - every source file starts with its purpose, every folder has a README.
#
# The first comment of a C, shell, JavaScript, Python, SQL or CSS file starts with the
# file's own name and states its purpose. Lists (.def), CMake files and conversations
# (.http) start with a comment. Folders of trace cases need no README, because their
# names say what is unusual about the traces.
set -eu
. "$(dirname "$0")/lib.sh"

files '*.c' '*.h' '*.js' '*.mjs' '*.py' '*.sql' '*.css' >"$breaches.in"
scripts >>"$breaches.in"
# shellcheck disable=SC2016 # awk's words, not the shell's
tr '\n' '\0' <"$breaches.in" | xargs -0r awk '
	FNR == 1 { n = split(FILENAME, part, "/"); mission[FILENAME] = 0 }
	FNR <= 3 && index($0, part[n] " - ") { mission[FILENAME] = 1 }
	FNR > 3 { nextfile }
	END { for (file in mission) if (!mission[file]) print file }' |
	sort | while IFS= read -r file; do
	breach "$file: does not open with '${file##*/} - ' and its mission"
done

files '*.def' 'CMakeLists.txt' '*.cmake' '*.http' >"$breaches.in"
while IFS= read -r file; do
	head -n 1 "$file" | grep -qE '^(#|/\*) .{10}' ||
		breach "$file: does not open with a comment that says what it is"
done <"$breaches.in"

files '*' | sed -n 's|/[^/]*$||p' | sort -u |
	grep -vE '^(\.ci|tests/traces/[^/]+.*|tests/fuzz/corpus.*)$' >"$breaches.in" || :
while IFS= read -r folder; do
	[ -s "$folder/README.md" ] || breach "$folder: has no README.md"
done <"$breaches.in"
rm -f "$breaches.in"
verdict
