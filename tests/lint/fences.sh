#!/bin/sh
# fences.sh - only one module includes each external library.
#
# fences.txt lists these modules. The compiler enforces the dependencies between
# folders of the tree (server/CMakeLists.txt). That works only if no include begins
# with "..", and if each header name is unique.
set -eu
. "$(dirname "$0")/lib.sh"

files '*.c' '*.h' | grep -E '^(server|collector|include)/' >"$breaches.in" || :
while read -r header rooms; do
	case $header in '' | '#'*) continue ;; esac
	xargs -r grep -lE "^#[[:space:]]*include[[:space:]]*[<\"]${header}[>\"]" \
		<"$breaches.in" | while IFS= read -r file; do
		for room in $rooms; do
			case $file in "$room"/*) continue 2 ;; esac
		done
		breach "$file: only $rooms may include '$header'"
	done
done <"$LINT/fences.txt"

xargs -r grep -HnE '^#[[:space:]]*include[[:space:]]*"\.\.' <"$breaches.in" |
	while IFS= read -r line; do
		breach "${line%%:*}: an include may not climb out of its folder"
	done

# The server and the collector never include each other's headers.
for world in server collector; do
	grep -E "^($world|include)/.*\.h$" "$breaches.in" | sed 's|.*/||' | sort |
		uniq -d | while IFS= read -r name; do
		breach "$name: two headers have this name"
	done
done
rm -f "$breaches.in"
verdict
