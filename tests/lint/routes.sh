#!/bin/sh
# routes.sh - every route of the API has a test, and declares its scope and its reach.
#
# A conversation under tests/api must use the route. SCOPE says which tokens may use
# it; REACH says which projects' data it returns. Both must be known words. Only the
# routes listed here may answer without a token. If a path contains an id, REACH is the
# word for that object. If REACH says that the handler checks the project itself, the
# handler's file must contain that check.
set -eu
. "$(dirname "$0")/lib.sh"
def=server/api/routing/routes.def
[ -f $def ] || exit 0

open_to_all=' /healthz /readyz /openapi.json /session '
only_asks=' /rules/test /session '
# the start of a path, and the word for its object
named='runs RUN
uploads UPLOADED
jobs JOB
gates GATE
tokens TOKEN
webhooks WEBHOOK'

# in_file HANDLER REGEX: whether the file that defines the handler matches REGEX
in_file() {
	file=$(grep -lE "^json_t \*$1\(" server/api/handlers/*.c 2>/dev/null | head -n 1)
	[ -n "$file" ] && grep -qE "$2" "$file"
}

cat tests/api/*.http >"$breaches.in" 2>/dev/null || :
sed -nE 's/^ROUTE\(([A-Z]+), *"([^"]+)", *([A-Z_]+), *([A-Z_]+), *([a-z_0-9]+),.*/\1 \2 \3 \4 \5/p' $def |
	while read -r method path scope reach handler; do
		at=${path#/api/v1}
		# healthz and similar routes also answer without the prefix
		regex=$(echo "$at" | sed 's/\./\\./g; s/{[a-z_]*}/[^\/? ]+/g')
		grep -qE "^$method (/api/v1)?$regex([? ]|\$)" "$breaches.in" ||
			breach "$def: no conversation in tests/api uses '$method $path'"

		case $scope in
		NONE)
			case $open_to_all in *" $at "*) ;; *)
				breach "$def: '$method $path' is open to all, and not on the list of those"
				;;
			esac
			;;
		READ | UPLOAD | ADMIN) ;;
		*) breach "$def: '$method $path' has the scope '$scope', which is unknown" ;;
		esac
		case $method:$scope in
		GET:* | *:UPLOAD | *:ADMIN) ;;
		*)
			case $only_asks in *" $at "*) ;; *)
				breach "$def: '$method $path' changes something for who may only read"
				;;
			esac
			;;
		esac

		wanted=$(echo "$named" | while read -r thing word; do
			case $at in "/$thing/{id}" | "/$thing/{id}/"*) echo "$word" ;; esac
		done)
		case $reach in
		RUN | UPLOADED | JOB | GATE | TOKEN | WEBHOOK)
			[ "$reach" = "$wanted" ] ||
				breach "$def: '$method $path' has the reach $reach, and names no such {id}"
			;;
		OPEN | PROJECT | RUNS | SAYS | WHOLE)
			[ -z "$wanted" ] || [ "$reach" = WHOLE ] ||
				breach "$def: '$method $path' names a thing of a project; its reach is $wanted"
			;;
		*) breach "$def: '$method $path' has the reach '$reach', which is unknown" ;;
		esac
		case $reach in
		PROJECT)
			grep -qE "^PARAM\($handler, *\"project\"" $def ||
				breach "$def: '$method $path' has the reach PROJECT, and no parameter project"
			;;
		RUNS)
			in_file "$handler" '(project_scope_run|run_selection_sides)\(' ||
				breach "$def: '$handler' has the reach RUNS, and looks for no run's project"
			;;
		SAYS)
			in_file "$handler" 'project_scope_allows\(' ||
				breach "$def: '$handler' has the reach SAYS, and checks no project that the request names"
			;;
		esac
	done
all=$(grep -c '^ROUTE(' $def || :)
read=$(grep -cE '^ROUTE\([A-Z]+, *"[^"]+", *[A-Z_]+, *[A-Z_]+, *[a-z_0-9]+,' $def || :)
if [ "$all" = 0 ] || [ "$all" != "$read" ]; then
	breach "$def: has a route, or none, that this lint can not read"
fi
rm -f "$breaches.in"
verdict
