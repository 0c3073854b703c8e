#!/bin/sh
# dialect.sh - words that the project does not use must not occur in prose and names.
#
# dialect.txt lists the words. dialect.py counts them and has the ceilings.
#
# `dialect.sh TREE --list PATH` lists their occurrences below PATH, with what to write.
set -eu
. "$(dirname "$0")/lib.sh"
[ $# -eq 0 ] || shift
python3 "$LINT/dialect.py" "$@" || echo dialect >>"$breaches"
verdict
