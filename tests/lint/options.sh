#!/bin/sh
# options.sh - the option tables in READMEs list every option, and nothing else.
#
# server/README.md lists the options of server/config/config.def.
# server/client/README.md lists those of server/client/options.def. A row starts with
# the option, and has its environment variable and its default. server/client/README.md
# also lists the options of `kernsift gate` from server/model/gate_policy.def. The
# options of the collector (collector/base/options.def) have no flag: their rows start
# with the variable.
set -eu
. "$(dirname "$0")/lib.sh"

# Prints the options of `kernsift gate` that come from gate rules, as "NAME||".
rules() {
	[ -f server/model/gate_policy.def ] || return 0
	sed -nE 's/^POLICY\((LIMIT|REAL|COUNT|CLASSES|FINDINGS), *([a-z_]+),.*/\2||/p
		s/^POLICY\(OPERATORS,.*/operator_pct||/p
		s/^POLICY\(MEASURES,.*/measure_pct||/p' server/model/gate_policy.def
}

# listed LIST README [RULES]: RULES is a command that prints further options
listed() {
	[ -f "$1" ] || return 0
	[ -f "$2" ] || { breach "$2: is missing, '$1' is listed there"; return 0; }
	{ sed -nE 's/^OPTION\(([a-z0-9_]+), *[A-Z]+, *"([^"]*)", *"([^"]*)".*/\1|\3|\2/p' "$1"; ${3:-:}; } |
		while IFS='|' read -r name variable default; do
			flag=$(echo "$name" | tr _ -)
			row=$(grep -E "^\| *\`--($name|$flag)\b" "$2") || {
				breach "$2: does not list '--$name' of '$1'"
				continue
			}
			case $row in
			*"$variable"*"$default"* | *"$default"*"$variable"*) ;;
			*) breach "$2: '--$name' is listed without '$variable' or '$default'" ;;
			esac
		done
	sed -nE 's/^\| *`--([a-z0-9_-]+).*/\1/p' "$2" | tr - _ |
		while IFS= read -r name; do
			grep -q "^OPTION($name," "$1" || ${3:-:} | grep -q "^$name|" ||
				breach "$2: lists '--$name', which '$1' does not know"
		done
}

# listed_by_variable LIST README
listed_by_variable() {
	[ -f "$1" ] || return 0
	[ -f "$2" ] || { breach "$2: is missing, '$1' is listed there"; return 0; }
	sed -nE 's/^OPTION\([a-z_]+, *[A-Z]+, *"([^"]*)", *"([^"]*)", *"(.*)"\)$/\2|\1|\3/p' "$1" |
		while IFS='|' read -r variable default what; do
			cell=${default:+"\`$default\` "}
			grep -qxF "| \`$variable\` | $cell| $what |" "$2" ||
				breach "$2: does not list '$variable' of '$1' as it is there"
		done
	# shellcheck disable=SC2016 # the table's backquotes
	sed -nE 's/^\| *`(KERNSIFT_TRACE[A-Z_]*)` *\|.*/\1/p' "$2" | while IFS= read -r name; do
		grep -q "\"$name\"" "$1" ||
			breach "$2: lists '$name', which '$1' does not know"
	done
}

listed server/config/config.def server/README.md
listed server/client/options.def server/client/README.md rules
listed_by_variable collector/base/options.def collector/README.md
verdict
