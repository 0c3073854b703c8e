#!/bin/sh
# clang.sh - clang has no warning for the tests' C, beside gcc, which compiles it.
#
# The product's is clang-tidy's (tidy.sh), which knows clang's warnings. How a file
# is compiled is taken from the build 'dev'; if there is none, it is configured.
set -eu
. "$(dirname "$0")/lib.sh"
GOOD=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/kernsift-tidy
export GOOD
mkdir -p "$GOOD"
commands=build/dev/compile_commands.json
[ -f $commands ] || [ ! -f CMakePresets.json ] ||
	cmake --preset dev >"$breaches.log" 2>&1 || cat "$breaches.log"
rm -f "$breaches.log"
set -- tests
# Where tidy.sh does not find CUPTI's headers and CMake does.
[ -f "${CUDA_HOME:-/usr/local/cuda}/include/cupti.h" ] || set -- tests collector
[ ! -f $commands ] ||
	python3 "$LINT/tidy.py" clang $commands "$@" || echo "$*" >>"$breaches"
verdict
