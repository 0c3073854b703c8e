#!/bin/sh
# structure.sh - the figures of the tree's structure must not rise.
#
# The figures count files per folder, struct tags with two meanings, headers and extern
# functions with one user, and circles of files. structure.py counts them and has the
# ceilings.
#
# `structure.sh TREE --list FIGURE` lists the places that a figure counts.
set -eu
. "$(dirname "$0")/lib.sh"
[ $# -eq 0 ] || shift
python3 "$LINT/structure.py" "$@" || echo structure >>"$breaches"
verdict
