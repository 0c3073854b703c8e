#!/bin/sh
# clang.sh - clang has no warning for the C files of the tests, which gcc compiles.
#
# clang-tidy (tidy.sh) checks the product's files and also shows clang's warnings. The
# flags of a file come from the build 'dev', which is configured if it does not exist.
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
# Without this header tidy.sh skips files, but CMake may have found it elsewhere.
[ -f "${CUDA_HOME:-/usr/local/cuda}/include/cupti.h" ] || set -- tests collector
[ ! -f $commands ] ||
	python3 "$LINT/tidy.py" clang $commands "$@" || echo "$*" >>"$breaches"
verdict
