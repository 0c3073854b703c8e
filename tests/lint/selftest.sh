#!/bin/sh
# selftest.sh - every lint fails on a bad tree, with the right message.
#
# put() makes a tree in an empty folder. expect() runs a lint on the tree; the lint
# must fail and print the given message. At the end every lint gets a good tree,
# because a lint that always fails is useless.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
cd "$tree"
failed=0 seen=' '

put() {
	mkdir -p "$(dirname "$1")"
	cat >"$1"
}

# expect LINT MESSAGE: the lint fails and prints it; the tree is emptied.
expect() {
	seen="$seen$1 "
	if "$here/$1.sh" "$tree" >"$tree.out" 2>&1; then
		echo "$1.sh: passes what it must refuse with '$2'"
		failed=1
	elif ! grep -qF -- "$2" "$tree.out"; then
		echo "$1.sh: does not say '$2', but: $(cat "$tree.out")"
		failed=1
	fi
	rm -rf "$tree" "$tree.out"
	mkdir "$tree"
	cd "$tree"
}

put server/store/a.c <<'END'
#include <jansson.h>
END
expect fences "server/store/a.c: only server/api server/catalog server/client server/measures server/service may include 'jansson\.h'"

put server/http/a.c <<'END'
# include "../store/db.h"
END
expect fences "server/http/a.c: an include may not climb out of its folder"

put server/http/db.h </dev/null
put server/store/db.h </dev/null
expect fences "db.h: two headers have this name"

put server/README.md <<'END'
| `--idle_s` | 60 | `KERNSIFT_IDLE_S` |
END
put server/config/config.def <<'END'
OPTION(idle_s, NUM, "60", "KERNSIFT_IDLE_S", "seconds")
OPTION(ratio,  NUM, "200", "KERNSIFT_RATIO", "bytes")
END
expect options "server/README.md: does not list '--ratio'"

put server/README.md <<'END'
| `--idle_s` | 30 | `KERNSIFT_IDLE_S` |
END
put server/config/config.def <<'END'
OPTION(idle_s, NUM, "60", "KERNSIFT_IDLE_S", "seconds")
END
expect options "'--idle_s' is listed without 'KERNSIFT_IDLE_S' or '60'"

put server/client/README.md <<'END'
| `--wait` | | |
END
put server/client/options.def </dev/null
expect options "lists '--wait', which 'server/client/options.def' does not know"

put collector/base/options.def <<'END'
OPTION(dir, TEXT, "", "KERNSIFT_TRACE_DIR", "spool folder")
OPTION(hz,  NUM, "10", "KERNSIFT_TRACE_HZ", "a second")
END
put collector/README.md <<'END'
| `KERNSIFT_TRACE_DIR` | | spool folder |
| `KERNSIFT_TRACE_HZ` | `20` | a second |
END
expect options "does not list 'KERNSIFT_TRACE_HZ' of 'collector/base/options.def'"

put collector/base/options.def </dev/null
put collector/README.md <<'END'
| `KERNSIFT_TRACE_DIR` | | spool folder |
END
expect options "lists 'KERNSIFT_TRACE_DIR', which 'collector/base/options.def' does not"

put server/api/routing/routes.def <<'END'
ROUTE(GET, "/runs/{id}", READ, RUN, api_run, "200", "one run")
ROUTE(GET, "/runs/{id}/notes", READ, RUN, api_notes, "200", "its notes")
END
put tests/api/10-runs.http <<'END'
GET /api/v1/runs/7/notes
END
expect routes "no conversation in tests/api uses 'GET /runs/{id}'"

. "$here/routes.cases"

put server/model/note.def <<'END'
NOTE(bad_event, LOSS, "%lld")
NOTE(bad_name,  LOSS, "%lld")
END
put tests/traces/01-odd/out.txt <<'END'
note bad_event 1
END
expect notes "no test sees the note 'bad_name'"

put server/base/a.c <<'END'
#include "a.h"
END
expect opening "server/base/a.c: does not open with 'a.c - ' and its mission"

put server/base/a.c <<'END'
/* a.c - what it is for. */
END
expect opening "server/base: has no README.md"

put server/base/a.def <<'END'
A(1)
END
expect opening "server/base/a.def: does not open with a comment"

put server/base/a.c <<'END'
int  a;
END
expect format "server/base/a.c: is not laid out as clang-format does"

put server/base/a.c <<'END'
/* TODO */
END
expect words "server/base/a.c:1: unfinished work"

put web/a.js <<'END'
x.innerHTML = y;
END
expect words "web/a.js:1: pages are built from nodes"

put web/index.html <<'END'
<p onclick="x()">
END
expect words "web/index.html:1: scripts and styles come from files"

put web/pages/run.js <<'END'
await fetch('/api/v1/runs');
END
expect words "web/pages/run.js:1: only api.js talks to the server"

put tests/web/package-lock.json <<'END'
"resolved": "https://example.org/x.tgz"
END
expect words "tests/web/package-lock.json:1: a package registry"

put tests/a.py <<'END'
open("/home/me/trace.json")
END
expect words "tests/a.py:1: a path of one machine"

put sql/migrations/0001_a.sql </dev/null
expect migrations "sql/migrations/0001_a.sql: is not recorded"

put sql/migrations/0002_a.sql </dev/null
expect migrations "sql/migrations/0002_a.sql: is not number 0001"

put sql/migrations/0001_a.sql </dev/null
put tests/lint/migrations.txt <<'END'
0000000000000000000000000000000000000000000000000000000000000000  sql/migrations/0001_a.sql
END
expect migrations "sql/migrations/0001_a.sql: has changed since it was recorded"

put tests/lint/migrations.txt <<'END'
0000000000000000000000000000000000000000000000000000000000000000  sql/migrations/0001_a.sql
END
expect migrations "sql/migrations/0001_a.sql: is recorded in migrations.txt and gone"

put README.md <<'END'
    curl -T trace.json "$server/api/v1/uploads?project=demo"
END
expect readme "README.md: shows 'POST /api/v1/uploads?project=demo'"

put README.md <<'END'
    curl "$server/api/v1/runs"
END
put tests/api/00-readme.http <<'END'
GET /api/v1/runs
GET /api/v1/notes
END
expect readme "plays 'GET /api/v1/notes', which no README shows"

put README.md <<'END'
See [the server](server/README.md).
END
expect readme "README.md: links to 'server/README.md', which does not exist"

put README.md <<'END'
See [backups](server/README.md#backups).
END
put server/README.md <<'END'
## Backup and restore
    curl "$server/api/v1/runs"
END
expect readme "README.md: links to 'server/README.md#backups', which is no heading of server/README.md"

put server/README.md <<'END'
    curl "$server/api/v1/runs"
END
expect readme "server/README.md: shows 'GET /api/v1/runs', which tests/api/00-readme.http does not play"

put README.md <<'END'
![a run](run.png)
END
head -c 150000 /dev/zero | put run.png
expect readme "README.md: shows 'run.png', which has 150,000 bytes or more"

put server/base/README.md <<'END'
| `arena.h` | memory |
END
put server/base/arena.c </dev/null
put server/base/arena.h </dev/null
put server/base/buf.c </dev/null
expect readme "server/base/README.md: does not list 'buf.c'"

put server/base/README.md <<'END'
| `buf.h` | bytes; see `../model/note.def` |
END
expect readme "server/base/README.md: lists 'buf.h', which is not in its folder"

put a.sh <<'END'
#!/bin/sh
echo $1
END
expect shell "a.sh: shellcheck objects"

put server/base/a.c <<'END'
int a(void);
int a(void) { int x[2]; x[2] = 1; return x[2]; }
END
expect cppcheck "server/base/a.c:2: Array 'x[2]' accessed at index 2"

put server/base/a.c <<'END'
#include <string.h>
int a(const char *s);
int a(const char *s) { return strcmp(s, "a") && strcmp(s, "a"); }
END
expect tidy "server/base/a.c:3"

put CMakeLists.txt <<'END'
add_compile_options(-Wconversion -Werror)
END
put server/base/a.c <<'END'
int a(long b);
int a(long b) { return b; }
END
expect tidy "server/base/a.c:2:24: error: implicit conversion loses integer precision"

put tests/unit/base/test_a.c <<'END'
int main(void) { int unused; return 0; }
END
put build/dev/compile_commands.json <<'END'
[{"directory": ".", "command": "ccache /usr/bin/gcc -Wall -Iserver -o a.o -c tests/unit/base/test_a.c",
	"file": "tests/unit/base/test_a.c"}]
END
expect clang "tests/unit/base/test_a.c:1:22: warning: unused variable 'unused'"

put dev <<'END'
BUILD="gcc cmake
	python3"
END
put docker/Dockerfile <<'END'
RUN apt-get install \
	gcc && rm
USER x
END
expect docker "the build stage lacks 'cmake'"

put dev <<'END'
BUILD="gcc"
END
put docker/Dockerfile <<'END'
RUN apt-get install gcc
END
expect docker "docker/Dockerfile: runs as root"

. "$here/structure.cases"
. "$here/dialect.cases"

put README.md <<'END'
See [operation](server/README.md#backup-and-restore).
END
put tests/api/00-readme.http <<'END'
# what the READMEs show
GET /api/v1/runs
END
for folder in server server/base server/api server/api/routing server/config server/model sql sql/migrations \
	tests tests/api tests/lint web; do
	put $folder/README.md <<'END'
what is here: `a.c`, `config.def`, `note.def`, `routes.def`
END
done
put server/base/a.c <<'END'
/* a.c - a thing of its own. */
static const int a = 1;
END
put server/api/routing/routes.def <<'END'
/* Every route, once. */
ROUTE(GET, "/runs", READ, OPEN, api_runs, "200", "runs")
END
put server/model/note.def <<'END'
/* Every note, once. */
NOTE(runs, LOSS, "%lld")
END
put sql/migrations/0001_a.sql <<'END'
-- 0001_a.sql - a table.
END
sha256sum sql/migrations/0001_a.sql >tests/lint/migrations.txt
put server/config/config.def <<'END'
/* Every option, once. */
OPTION(idle_s, NUM, "60", "KERNSIFT_IDLE_S", "seconds")
END
put server/README.md <<'END'
| `--idle_s` | 60 | `KERNSIFT_IDLE_S` |

## Backup and restore
    curl "$server/api/v1/runs"
END
for lint in "$here"/*.sh; do
	name=$(basename "$lint" .sh)
	case $name in lib | selftest) continue ;; esac
	case $seen in *" $name "*) ;; *)
		echo "$name.sh: nothing here proves that it can fail"
		failed=1
		;;
	esac
	"$lint" "$tree" || {
		echo "$name.sh: refuses a good tree"
		failed=1
	}
done
exit $failed
