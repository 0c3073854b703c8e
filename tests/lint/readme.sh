#!/bin/sh
# readme.sh - requests, files and headings that the users' READMEs mention exist; the
# README of a room lists the files of the room.
#
# A line with curl and an address under /api/v1 is a request. tests/api/00-readme.http
# plays exactly these requests. -T, --data-binary and -F send a body and therefore mean
# POST, unless -X specifies another method. A relative link must lead to a file of the
# tree, and its #anchor to a heading of that file. A picture must have less than
# 150,000 bytes.
#
# In the README of a folder of server/, each .c, .h and .def file of the folder is named;
# x.c and x.h count as one. A file that the first column of a table names must exist.
set -eu
. "$(dirname "$0")/lib.sh"
readmes=""
for file in README.md server/README.md server/client/README.md docker/README.md \
	collector/README.md; do
	[ ! -f $file ] || readmes="$readmes $file"
done

for file in $(files README.md | grep '^server/.'); do
	folder=$(dirname "$file")
	find "$folder" -maxdepth 1 -type f -printf '%f\n' | LC_ALL=C sort |
		awk -v readme="$file" '
	function stem(name) { sub(/\.[ch]$/, "", name); return name }
	NR == FNR {
		exists[$0]
		if (/\.(c|h|def)$/) sources[++n] = $0
		next
	}
	{
		row = /^\|/
		column = split($0, cells, "|") ? cells[2] : ""
		line = $0
		while (match(line, /`[A-Za-z0-9_]+\.(c|h|def)`/)) {
			name = substr(line, RSTART + 1, RLENGTH - 2)
			named[stem(name)]
			if (row && index(column, "`" name "`") && !(name in exists))
				print readme ": lists \047" name "\047, which is not in its folder"
			line = substr(line, RSTART + RLENGTH)
		}
	}
	END {
		for (i = 1; i <= n; i++)
			if (!(stem(sources[i]) in named))
				print readme ": does not list \047" sources[i] "\047"
	}' - "$file" | tee -a "$breaches"
done
[ -n "$readmes" ] || {
	verdict
	exit 0
}

# shellcheck disable=SC2086 # a list of files
awk '/curl .*\/api\/v1\// {
	method = "GET"
	if ($0 ~ / (-T|--data-binary|-F) /) method = "POST"
	if (match($0, / -X [A-Z]+/)) method = substr($0, RSTART + 4, RLENGTH - 4)
	match($0, /\/api\/v1\/[^" '\''|)]*/)
	print method " " substr($0, RSTART, RLENGTH) "\t" FILENAME
}' $readmes | LC_ALL=C sort -u >"$breaches.where"
cut -f 1 "$breaches.where" | LC_ALL=C sort -u >"$breaches.shown"
sed -nE 's/^([A-Z]+ \/api\/v1\/[^ ]*).*/\1/p' tests/api/00-readme.http 2>/dev/null |
	LC_ALL=C sort -u >"$breaches.played"

LC_ALL=C comm -23 "$breaches.shown" "$breaches.played" | while IFS= read -r request; do
	at=$(awk -F '\t' -v request="$request" '$1 == request { print $2; exit }' "$breaches.where")
	breach "$at: shows '$request', which tests/api/00-readme.http does not play"
done
LC_ALL=C comm -13 "$breaches.shown" "$breaches.played" | while IFS= read -r request; do
	breach "tests/api/00-readme.http: plays '$request', which no README shows"
done
[ -s "$breaches.shown" ] || breach "README.md: shows no request to the API, nor does another README"

# anchors FILE: the anchors of its headings, as GitHub computes them.
anchors() {
	sed -nE 's/^#+ +//p' "$1" | tr '[:upper:]' '[:lower:]' |
		sed -E 's/[^a-z0-9 _-]//g; s/ /-/g'
}

for file in $readmes; do
	grep -oE '\]\([^)]+\)' "$file" | sed -E 's/^\]\(|\)$//g' | grep -vE '^[a-z]+:' |
		LC_ALL=C sort -u | while IFS= read -r link; do
		path=${link%%#*}
		to=$(realpath -m --relative-to=. "$(dirname "$file")/${path:-$(basename "$file")}")
		if [ ! -e "$to" ]; then
			breach "$file: links to '$link', which does not exist"
		elif [ "$link" != "${link%%#*}" ] && ! anchors "$to" | grep -qxF -- "${link#*#}"; then
			breach "$file: links to '$link', which is no heading of $to"
		elif [ "${to%.png}" != "$to" ] && [ "$(wc -c <"$to")" -ge 150000 ]; then
			breach "$file: shows '$link', which has 150,000 bytes or more"
		fi
	done || :
done
rm -f "$breaches.where" "$breaches.shown" "$breaches.played"
verdict
