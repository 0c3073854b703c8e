#!/bin/sh
# docker.sh - the images install the packages that ./dev lists, and do not run as root.
set -eu
. "$(dirname "$0")/lib.sh"
file=docker/Dockerfile
[ -f $file ] || exit 0

# Prints the packages of the Nth install command.
installs() {
	sed -e ':a' -e '/\\$/{N;s/\\\n//;ba' -e '}' "$file" |
		sed -n 's/^RUN .* install \([^&]*\).*/\1/p' | sed -n "$1p" |
		tr -s ' \t' '\n' | grep . | sort
}

{
	sed -n '/^BUILD="/,/"$/p' dev | tr -d '"' | sed 's/^BUILD=//'
	sed -n 's/^\tcommand -v npm .* || echo //p' dev
} |
	tr -s ' \t' '\n' | sed 's/|.*//' | grep . |
	grep -vxE 'postgresql-15|python3' | sort >"$breaches.dev"
installs 1 >"$breaches.image"
for package in $(comm -23 "$breaches.dev" "$breaches.image"); do
	breach "$file: the build stage lacks '$package', which ./dev builds with"
done
for package in $(comm -13 "$breaches.dev" "$breaches.image"); do
	breach "$file: the build stage has '$package', which ./dev does without"
done
rm -f "$breaches.dev"

# The collector's image is built like the server's, without the dashboard.
other=docker/collector.Dockerfile
grep -vxE 'npm|ca-certificates' "$breaches.image" >"$breaches.server" || :
if [ -f $other ]; then
	file=$other installs 1 >"$breaches.image"
	for package in $(comm -3 "$breaches.server" "$breaches.image"); do
		breach "$other: has '$package' in its build stage, or lacks it, unlike $file"
	done
	grep -q '^USER ' $other || breach "$other: runs as root"
fi
rm -f "$breaches.image" "$breaches.server"

grep -q '^USER ' $file || breach "$file: runs as root"
! grep -rnE ':latest\b' docker || breach "docker: an image without a version"
cat docker/*ockerfile | sed -nE 's/^COPY ([a-z]+) \1$/\1/p' | sort -u | while IFS= read -r folder; do
	[ -d "$folder" ] || breach "docker: an image copies '$folder', which is not there"
done
verdict
