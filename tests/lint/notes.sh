#!/bin/sh
# notes.sh - every note that a trace can get is seen in some test.
set -eu
. "$(dirname "$0")/lib.sh"
[ -f server/model/note.def ] || exit 0

codes=$(sed -nE 's/^NOTE\(([a-z0-9_]+),.*/\1/p' server/model/note.def)
[ -n "$codes" ] || breach "server/model/note.def: has no note that this lint can read"
for code in $codes; do
	files '*' | grep '^tests/' | grep -v '^tests/lint/' | tr '\n' '\0' |
		xargs -0r grep -lIiwE -- "(NOTE_)?$code" >/dev/null ||
		breach "server/model/note.def: no test sees the note '$code'"
done
verdict
