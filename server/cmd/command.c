/* command.c - functions that several commands use: the database, the audit
 * record of a change, and the command line of workers. */
#include "command.h"
#include "audit.h"
#include "err.h"
#include "log.h"
#include "migrate.h"
#include <sched.h>
#include <time.h>

int command_fail(const struct err *e)
{
	fprintf(stderr, "kernsiftd: %s\n", e->text);
	/* ERR_FILE: a file that an option names */
	return e->code == ERR_INPUT || e->code == ERR_FILE ? 2 : 1;
}

/* The memory that a worker needs in addition to the trace, for libraries,
 * stacks and decompression windows. */
static const int64_t OVERHEAD_BYTES = INT64_C(1) << 30;

static int command_cores(void)
{
	cpu_set_t set;
	return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set)
							   : 1;
}

struct worker_options command_workers(const struct config *c,
	const char *conninfo)
{
	return (struct worker_options){
		.conninfo = conninfo,
		.workers = c->workers ? c->workers : command_cores(),
		.nice = c->worker_nice,
		.lease_s = c->lease_s,
		.cpu_s = c->ingest_cpu_s,
		.memory_bytes = ((int64_t)c->ingest_mib << 20) + OVERHEAD_BYTES,
		.limits = {
			.decode = {
				.plain_bytes = (int64_t)c->max_uncompressed_mib << 20,
				.ratio = c->max_compression_ratio,
			},
			.arena_bytes = (size_t)c->ingest_mib << 20,
		},
		.objects = config_objects(c),
	};
}

char **command_worker_argv(struct arena *a, const struct invocation *in,
	const struct store *s)
{
	char **to = arena_array(a, char *, (size_t)in->argc + 4);
	int n = 0;
	to[n++] = arena_strdup(a, "kernsiftd");
	to[n++] = arena_strdup(a, "worker");
	for (int i = 0; i < in->argc; i++)
		to[n++] = in->argv[i];
	/* If --db is given more than once, the last one counts. The database
	 * that the user gave is not repeated here, because it may contain a
	 * password, which other users could read. */
	if (s->cluster)
		to[n++] = arena_printf(a, "--db=%s", s->conninfo);
	return to;
}

enum { WAIT_S = 30, SPARE = 16 };

/* A database in another container may start later than this process. */
static struct db *command_db_wait(const char *conninfo, struct err *e)
{
	for (int s = 0;; s++) {
		struct err why = { 0 };
		struct db *db = db_new(conninfo, &why);
		if (db)
			return db;
		if (s == 0)
			log_warn("waiting for the database: %s", why.text);
		if (s == WAIT_S) {
			err_set(e, why.code, "%s", why.text);
			return NULL;
		}
		nanosleep(&(struct timespec){ 1, 0 }, NULL);
	}
}

bool command_store(struct store *s, const struct config *c,
	enum cluster_role role, struct err *e)
{
	struct worker_options o = command_workers(c, NULL);
	*s = (struct store){ .conninfo = c->db };
	if (!*c->db) {
		s->cluster = cluster_new(c->data, role,
			c->db_connections + o.workers + SPARE, e);
		if (!s->cluster)
			return false;
		s->conninfo = cluster_conninfo(s->cluster);
	}
	s->db = command_db_wait(s->conninfo, e);
	if (!s->db)
		command_store_release(s, false);
	return s->db != NULL;
}

void command_store_release(struct store *s, bool discard)
{
	db_free(s->db);
	cluster_free(s->cluster, discard);
	*s = (struct store){ 0 };
}

bool command_audit(struct db *db, const char *command, const char *detail,
	bool (*work)(struct db *db, void *arg, struct err *e), void *arg,
	struct err *e)
{
	struct err unheard = { 0 };
	int64_t row;
	if (!audit_command(db, command, detail, &row, e))
		return false;
	bool ok = work(db, arg, e);
	if (!audit_end(db, row, ok ? AUDIT_DONE : AUDIT_FAILED, NULL, NULL,
		    &unheard))
		log_warn("audit row=%lld text=\"%s\"", (long long)row,
			unheard.text);
	return ok;
}

static bool command_no_work(struct db *db, void *arg, struct err *e)
{
	(void)db, (void)arg, (void)e;
	return true;
}

/* The audit log is itself a table. So the migration that created it is recorded
 * afterwards. */
bool command_migrated(struct db *db, int *applied, struct err *e)
{
	char detail[40];
	if (!migrate(db, applied, e))
		return false;
	snprintf(detail, sizeof detail, "applied=%d", *applied);
	return !*applied ||
	       command_audit(db, "migrate", detail, command_no_work, NULL, e);
}
