/* pg_tools.c - candidates for a folder of programs, each asked its version. */
#include "pg_tools.h"
#include "spawn.h"
#include <glob.h>
#include <limits.h>
#include <unistd.h>

struct search {
	struct arena *arena;
	const char *first, *second; /* programs that the folder must have */
	int least, most; /* majors that will do */
	bool oldest; /* of these, not the newest */
	int major; /* found; 0 none yet */
	int newest; /* seen at all */
	const char *path[2];
};

/* Takes the folder's programs if they are better than what was found. */
static void try_folder(struct search *s, const char *bin)
{
	char text[128];
	const char *at;
	const char *first = arena_printf(s->arena, "%s/%s", bin, s->first);
	const char *second = arena_printf(s->arena, "%s/%s", bin, s->second);
	const char *ask[] = { first, "--version", NULL };

	if (access(first, X_OK) != 0 || access(second, X_OK) != 0 ||
		!spawn_ask(ask, text, sizeof text) ||
		!(at = strstr(text, "PostgreSQL) ")))
		return;
	int major = (int)strtol(at + strlen("PostgreSQL) "), NULL, 10);
	if (major > s->newest)
		s->newest = major;
	bool better =
		!s->major || (s->oldest ? major < s->major : major > s->major);
	if (major >= s->least && major <= s->most && better) {
		s->major = major;
		s->path[0] = first;
		s->path[1] = second;
	}
}

static void try_packages(struct search *s)
{
	static const char *const where[] = { "/usr/lib/postgresql/*/bin",
		"/usr/pgsql-*/bin", "/usr/local/pgsql/bin" };
	for (size_t i = 0; i < sizeof where / sizeof *where; i++) {
		glob_t found;
		if (glob(where[i], 0, NULL, &found) == 0)
			for (size_t k = 0; k < found.gl_pathc; k++)
				try_folder(s, found.gl_pathv[k]);
		globfree(&found);
	}
}

static void try_path(struct search *s)
{
	char text[1024];
	const char *at = getenv("PATH");
	while (at && *at) {
		size_t n = strcspn(at, ":");
		const char *dir = arena_strndup(s->arena, at, n);
		const char *config =
			arena_printf(s->arena, "%s/pg_config", dir);
		const char *ask[] = { config, "--bindir", NULL };
		if (*dir == '/')
			try_folder(s, dir);
		if (*dir == '/' && access(config, X_OK) == 0 &&
			spawn_ask(ask, text, sizeof text)) {
			text[strcspn(text, "\n")] = '\0';
			try_folder(s, text);
		}
		at += n + (at[n] == ':');
	}
}

bool postgres_find(struct postgres *p, int major, struct arena *a,
	struct err *e)
{
	struct search s = { .arena = a,
		.first = "postgres",
		.second = "initdb",
		.least = major ? major : POSTGRES_OLDEST,
		.most = major ? major : INT_MAX };
	try_packages(&s);
	if (!s.major)
		try_path(&s);
	*p = (struct postgres){ s.major, s.path[1], s.path[0] };
	if (p->major)
		return true;
	if (!s.newest)
		return err_set(e, ERR_INTERNAL,
			"no PostgreSQL server is installed here; install one "
			"(apt-get install postgresql), or give --db");
	if (!major)
		return err_set(e, ERR_INTERNAL,
			"PostgreSQL %d is installed, and %d or newer is "
			"needed; install one, or give --db",
			s.newest, POSTGRES_OLDEST);
	return err_set(e, ERR_INTERNAL,
		"the data folder holds a cluster of PostgreSQL %d, and only %d "
		"is installed; install postgresql-%d beside it, then see "
		"'Running it' in README.md",
		major, s.newest, major);
}

bool postgres_tools_find(struct postgres_tools *t, int least, struct arena *a,
	struct err *e)
{
	struct search s = { .arena = a,
		.first = "pg_dump",
		.second = "pg_restore",
		.least = least,
		.most = INT_MAX,
		.oldest = true };
	try_packages(&s);
	if (!s.major)
		try_path(&s);
	*t = (struct postgres_tools){ s.path[0], s.path[1] };
	return s.major ||
	       err_set(e, ERR_INTERNAL,
		       "pg_dump and pg_restore of PostgreSQL %d or newer are "
		       "needed and not installed here; install "
		       "postgresql-client-%d",
		       least, least);
}

int postgres_cluster_major(const char *pg, struct arena *a)
{
	char text[16] = { 0 };
	FILE *f = fopen(arena_printf(a, "%s/PG_VERSION", pg), "re");
	if (!f)
		return 0;
	char *line = fgets(text, sizeof text, f);
	fclose(f);
	return line ? (int)strtol(line, NULL, 10) : 0;
}
