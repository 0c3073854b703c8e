#!/bin/sh
# dialect.sh - words that the project does not use stay out of prose and names.
# dialect.txt lists them, dialect.py counts them and has the ceilings.
#
# `dialect.sh TREE --list PATH` lists the places below PATH, with what to write.
set -eu
. "$(dirname "$0")/lib.sh"
[ $# -eq 0 ] || shift
python3 "$LINT/dialect.py" "$@" || echo dialect >>"$breaches"
verdict
