# lib.sh - shared start of every lint: the tree to check, and the output of breaches.
#
# A lint is run as `tests/lint/NAME.sh [TREE]`; TREE is the repository by
# default (selftest.sh passes bad ones). It prints one line per breach, which starts
# with the file, and exits with 1 if there was any.
# shellcheck shell=sh
LINT=$(cd "$(dirname "$0")" && pwd)
cd "${1:-$LINT/../..}" || exit 2
breaches=$(mktemp)
trap 'rm -f "$breaches"' EXIT

# Files of the tree whose names match one of the patterns, except built and
# downloaded ones: files '*.c' '*.h'
files() {
	for pattern; do
		find . \( -path ./build -o -path ./.git -o -name node_modules \
			-o -name __pycache__ \) -prune \
			-o -type f -name "$pattern" -print
	done | sed 's|^\./||' | LC_ALL=C sort -u
}

# Shell scripts, with or without the ending .sh.
scripts() {
	{
		files '*.sh'
		files '*' | grep -vE '(^|/)[^/]*\.[^/]*$' | tr '\n' '\0' |
			xargs -0r awk '/^#!.*[\/ ](ba)?sh$/ { print FILENAME } { nextfile }'
	} | LC_ALL=C sort -u
}

breach() {
	echo "$*" | tee -a "$breaches"
}

verdict() {
	[ ! -s "$breaches" ] || exit 1
}
