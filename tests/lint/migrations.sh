#!/bin/sh
# migrations.sh - a migration, once it is out, never changes.
#
# migrations.txt holds each one's sha256, in order. A new migration is appended
# to it with `sha256sum sql/migrations/NNNN_what.sql >>tests/lint/migrations.txt`;
# a line that is there stays as it is.
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
