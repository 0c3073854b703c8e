#!/bin/sh
# migrations.sh - a released migration never changes.
#
# migrations.txt contains the sha256 of each migration, in order. Append a new
# migration with `sha256sum sql/migrations/NNNN_what.sql >>tests/lint/migrations.txt`,
# and never change an existing line.
set -eu
. "$(dirname "$0")/lib.sh"
list=tests/lint/migrations.txt
[ -f $list ] || list=/dev/null

while read -r hash file; do
	if [ ! -f "$file" ]; then
		breach "$file: is recorded in migrations.txt and gone"
	elif ! echo "$hash  $file" | sha256sum -c --status; then
		breach "$file: has changed since it was recorded; append a new migration"
	fi
done <$list

n=0
for file in sql/migrations/*.sql; do
	[ -f "$file" ] || continue
	n=$((n + 1))
	case ${file##*/} in
	"$(printf %04d $n)"_*.sql) ;;
	*) breach "$file: is not number $(printf %04d $n)" ;;
	esac
	grep -qF "  $file" $list ||
		breach "$file: is not recorded in tests/lint/migrations.txt"
done
verdict
