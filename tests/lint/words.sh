#!/bin/sh
# words.sh - words that may not stand in this tree, and why.
#
# This folder names them and is left out.
set -eu
. "$(dirname "$0")/lib.sh"

# forbid REASON REGEX PATTERN...: the regex may not match in files so named.
forbid() {
	reason=$1 regex=$2
	shift 2
	files "$@" | grep -v '^tests/lint/' | tr '\n' '\0' |
		xargs -0r grep -InHE -- "$regex" | cut -d: -f1,2 |
		while IFS= read -r place; do
			breach "$place: $reason"
		done
}

forbid "unfinished work is an issue, not a comment" \
	'\b(TODO|FIXME|XXX|HACK)\b' \
	'*.c' '*.h' '*.def' '*.sh' '*.js' '*.mjs' '*.py' '*.sql' '*.css' '*.md' \
	'*.txt' '*.cmake' '*.html' '*.http' '*.json' '*.yml' dev run
forbid "pages are built from nodes, not from text" \
	'\b(innerHTML|outerHTML|insertAdjacentHTML|document\.write)\b|\beval *\(|new Function\b' \
	'*.js' '*.mjs' '*.html'
forbid "scripts and styles come from files, for the page's policy" \
	'<script>|<style|[[:space:]]on(click|load|change|input|submit)=|[[:space:]]style="' \
	'*.html'
forbid "package registries are reached by package name" \
	'registry\.npmjs|registry\.yarnpkg|deb\.debian\.org|snapshot\.debian|pypi\.org|"resolved": *"http|artifact-?registry' \
	'*'
forbid "a path of one machine means nothing on another" \
	'/work/|/root/[a-z.]|/home/[a-z]' \
	'*.c' '*.h' '*.def' '*.sh' '*.js' '*.mjs' '*.py' '*.sql' '*.css' '*.md' \
	'*.txt' '*.cmake' '*.html' '*.http' '*.json' '*.yml' dev run
verdict
