#!/bin/sh
# shipped.sh - what the collector's library exports and needs.
#
# Four entries and nothing else; libc alone; it stays when it is closed; nothing
# of it is looked up later; and nobody finds zstd in it.
set -eu
lib=$1
failed=0

# same WHAT WANTED GOT
same() {
	[ "$2" = "$3" ] && return
	printf '%s:\nwanted: %s\ngot:    %s\n' "$1" "$2" "$3"
	failed=1
}

same "what it shows" "InitializeInjection
InitializeInjectionNvtx
InitializeInjectionNvtx2
InitializeInjectionNvtxExtension" \
	"$(nm -Dg --defined-only "$lib" | sed 's/.* //' | LC_ALL=C sort)"

same "what it needs apart from libc" "" \
	"$(readelf -dW "$lib" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
		grep -vxE 'lib(c|dl|pthread)\.so\.[0-9]+|ld-linux[-a-z0-9_]*\.so\.[0-9]+' || :)"

flags=$(readelf -dW "$lib" | grep -oE 'NODELETE|BIND_NOW|TEXTREL|RPATH|RUNPATH' |
	LC_ALL=C sort -u | paste -sd ' ')
same "its flags" "BIND_NOW NODELETE" "$flags"

same "an executable stack" "RW" \
	"$(readelf -lW "$lib" | sed -n 's/.*GNU_STACK.* \(RWE\|RW\) .*/\1/p')"

same "constructors of its own" "" "$(nm "$lib" |
	grep -E ' [tT] (_GLOBAL__|.*constructor)' || :)"

# As old a glibc as the newest symbol needs.
newest=$(nm -D --undefined-only "$lib" | grep -oE 'GLIBC_[0-9.]+' |
	sed 's/GLIBC_//' | sort -uV | tail -n 1)
echo "it needs glibc $newest"
exit $failed
