#!/bin/sh
# routes.sh - every route of the API is asked for in a conversation under tests/api.
set -eu
. "$(dirname "$0")/lib.sh"
[ -f server/api/routes.def ] || exit 0

cat tests/api/*.http >"$breaches.in" 2>/dev/null || :
sed -nE 's/^ROUTE\(([A-Z]+), *"([^"]+)".*/\1 \2/p' server/api/routes.def |
	while read -r method path; do
		# healthz and its like answer without the prefix too
		regex=$(echo "${path#/api/v1}" | sed 's/\./\\./g; s/{[a-z_]*}/[^\/? ]+/g')
		grep -qE "^$method (/api/v1)?$regex([? ]|\$)" "$breaches.in" ||
			breach "server/api/routes.def: no conversation in tests/api asks '$method $path'"
	done
grep -q '^ROUTE(' server/api/routes.def ||
	breach "server/api/routes.def: has no route that this lint can read"
rm -f "$breaches.in"
verdict
