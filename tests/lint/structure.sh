#!/bin/sh
# structure.sh - no figure of the tree's structure rises: files of a folder,
# struct tags with two meanings, headers and extern functions with one user,
# circles of files. structure.py counts them and has the ceilings.
#
# `structure.sh TREE --list FIGURE` names the places behind a figure.
set -eu
. "$(dirname "$0")/lib.sh"
[ $# -eq 0 ] || shift
python3 "$LINT/structure.py" "$@" || echo structure >>"$breaches"
verdict
