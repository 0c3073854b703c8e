#!/bin/sh
# notes.sh - every note that a trace can get occurs in a test.
set -eu
. "$(dirname "$0")/lib.sh"
[ -f server/model/note.def ] || exit 0

codes=$(sed -nE 's/^NOTE\(([a-z0-9_]+),.*/\1/p' server/model/note.def)
[ -n "$codes" ] || breach "server/model/note.def: has no note that this lint can read"
# All codes are searched at once, because one search per code took seconds.
files '*' | grep '^tests/' | grep -v '^tests/lint/' | tr '\n' '\0' |
	xargs -0r grep -ohIiwE -- "(NOTE_)?($(echo "$codes" | paste -sd '|'))" |
	tr '[:upper:]' '[:lower:]' | sed 's/^note_\(.*\)/&\n\1/' | sort -u >"$breaches.seen" || :
for code in $codes; do
	grep -qx -- "$code" "$breaches.seen" ||
		breach "server/model/note.def: no test sees the note '$code'"
done
rm -f "$breaches.seen"
verdict
