#!/bin/sh
# words.sh - lists words that must not occur in this tree, with the reason.
#
# It does not check this folder, which contains them.
set -eu
. "$(dirname "$0")/lib.sh"

# files | forbid REASON REGEX: reports lines of those files that match the regex.
forbid() {
	grep -v '^tests/lint/' | tr '\n' '\0' |
		xargs -0r grep -InHE -- "$2" | cut -d: -f1,2 |
		while IFS= read -r place; do
			breach "$place: $1"
		done
}

files '*' | forbid "unfinished work is an issue, not a comment" \
	'\b(TODO|FIXME|XXX|HACK)\b'
files '*' | forbid "a package registry is reached by package name" \
	'registry\.(npmjs|yarnpkg)|(deb|snapshot)\.debian|pypi\.org|"resolved": *"http'
files '*' | forbid "a path of one machine means nothing on another" \
	'/work/|/root/[a-z.]|/home/[a-z]'
files '*.js' '*.mjs' '*.html' | forbid "pages are built from nodes, not from text" \
	'\b(inner|outer)HTML\b|insertAdjacentHTML|document\.write\b|\beval *\(|new Function\b'
files '*.html' | forbid "scripts and styles come from files, as the page's policy says" \
	'<script>|<style|[[:space:]]on[a-z]+="|[[:space:]]style="'
files '*.js' | grep '^web/' | grep -vx 'web/lib/api\.js' |
	forbid "only api.js talks to the server" '\bfetch *\(|\bXMLHttpRequest\b'
verdict
