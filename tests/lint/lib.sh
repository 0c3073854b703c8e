# lib.sh - the common start of every lint: which tree to check, and how to report.
#
# A lint is run as `tests/lint/NAME.sh [TREE]`. TREE is the repository by default;
# selftest.sh passes bad trees. A lint prints one line per breach. The line starts with
# the file. The lint exits with 1 if there was a breach.
# shellcheck shell=sh
LINT=$(cd "$(dirname "$0")" && pwd)
cd "${1:-$LINT/../..}" || exit 2
breaches=$(mktemp)
trap 'rm -f "$breaches"' EXIT

# files PATTERN...: files of the tree whose names match a pattern, such as '*.c' '*.h';
# without built and downloaded files.
files() {
	for pattern; do
		find . \( -path ./build -o -path ./.git -o -name node_modules \
			-o -name __pycache__ \) -prune \
			-o -type f -name "$pattern" -print
	done | sed 's|^\./||' | LC_ALL=C sort -u
}

# Prints the shell scripts, with or without the ending .sh.
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
