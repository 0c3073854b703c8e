#!/bin/sh
# readme.sh - the requests that README.md shows are the ones its test makes.
#
# A line of README.md with curl and an address under /api/v1 is a request;
# tests/api/00-readme.http plays exactly these. -T, --data-binary and -F send a
# body and therefore mean POST, as -X says where it stands.
set -eu
. "$(dirname "$0")/lib.sh"
[ -f README.md ] || exit 0

awk '/curl .*\/api\/v1\// {
	method = "GET"
	if ($0 ~ / (-T|--data-binary|-F) /) method = "POST"
	if (match($0, / -X [A-Z]+/)) method = substr($0, RSTART + 4, RLENGTH - 4)
	match($0, /\/api\/v1\/[^" '\''|)]*/)
	print method, substr($0, RSTART, RLENGTH)
}' README.md | LC_ALL=C sort -u >"$breaches.shown"
sed -nE 's/^([A-Z]+ \/api\/v1\/[^ ]*).*/\1/p' tests/api/00-readme.http 2>/dev/null |
	LC_ALL=C sort -u >"$breaches.played"

LC_ALL=C comm -23 "$breaches.shown" "$breaches.played" | while IFS= read -r request; do
	breach "README.md: shows '$request', which tests/api/00-readme.http does not play"
done
LC_ALL=C comm -13 "$breaches.shown" "$breaches.played" | while IFS= read -r request; do
	breach "tests/api/00-readme.http: plays '$request', which README.md does not show"
done
[ -s "$breaches.shown" ] || breach "README.md: shows no request to the API"
rm -f "$breaches.shown" "$breaches.played"
verdict
