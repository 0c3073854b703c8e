/* query_repeat.c - finds runs of the same work, which differ only by noise. */
#include "gate.h"
#include "query_compared.h"
#include "sql.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The branch of a run. */
#define BRANCH "coalesce(labels->>'branch', '')"

/* The newest $2 runs of a kind or project `k`. SEARCH begins a query that reads at
 * most $3 of them before FILTER, and NEWEST ends the query. The filters are no
 * joins, which would lose the order of the index and read all $3. */
#define SEARCH                                                         \
	"CROSS JOIN LATERAL (SELECT * FROM (SELECT run_id, workload, " \
	"repeat_key, labels, device_names[1] AS device "               \
	"FROM run n "                                                  \
	"WHERE n.project = k.project AND n.workload <> '' "            \
	"AND n.repeat_key IS NOT NULL AND n.counted "                  \
	"AND n.run_id < (SELECT min(run_id) FROM compared) "
#define FILTER                                     \
	"ORDER BY run_id DESC LIMIT $3) searched " \
	"WHERE " BRANCH " = ANY (ARRAY (SELECT branch FROM compared)) "
#define NEWEST                              \
	"ORDER BY run_id DESC LIMIT $2) r " \
	"ORDER BY run_id DESC LIMIT $2), "

/* One look-up in the index run_repeat per kind of compared run, and one in the
 * index run_noise per project. derived.c defines repeat_key. `same`: the labels
 * that runs which repeat each other have in common. */
static const char repeat_sql[] =
	"WITH compared AS MATERIALIZED ("
	"SELECT run_id, project, workload, repeat_key, " BRANCH " AS branch "
	"FROM run "
	"WHERE run_id = ANY ($1)), "
	"kind AS MATERIALIZED ("
	"SELECT DISTINCT project, workload, repeat_key "
	"FROM compared "
	"WHERE workload <> '' AND repeat_key IS NOT NULL), "
	"own AS MATERIALIZED ("
	"SELECT k.project, r.*, false AS other "
	"FROM kind k " SEARCH
	"AND n.workload = k.workload AND n.repeat_key = k.repeat_key " FILTER
		NEWEST "others AS MATERIALIZED ("
	"SELECT k.project, r.*, true AS other "
	"FROM (SELECT DISTINCT project FROM kind) k " SEARCH FILTER
	"AND (workload, repeat_key) NOT IN (SELECT i.workload, i.repeat_key "
	"FROM kind i WHERE i.project = k.project) " NEWEST "found AS ("
	"SELECT *, labels - '{" GATE_COMMIT_LABELS "}'::text[] - "
	"coalesce($4, '') AS same "
	"FROM (SELECT * FROM own UNION ALL SELECT * FROM others) u), "
	"counted AS ("
	"SELECT *, count(*) OVER (PARTITION BY project, workload, repeat_key, "
	"same) AS runs "
	"FROM found), "
	"grouped AS MATERIALIZED ("
	"SELECT run_id, device, labels ->> $4 AS unit, other, "
	"(dense_rank() OVER (ORDER BY other, "
	"project, workload, repeat_key, same) - 1)::int AS number, "
	"(dense_rank() OVER (ORDER BY project, workload, same) - 1)::int "
	"AS cluster "
	"FROM counted "
	"WHERE runs > 1) "
	"SELECT g.run_id, g.number, g.cluster, g.other, g.device, g.unit, "
	"p.kernel_id, p.function, p.mean_ns "
	"FROM grouped g "
	"JOIN run_pattern p ON p.run_id = g.run_id "
	"WHERE p.mean_ns IS NOT NULL";

/* Each name is read once, not with each row of its kernel. */
static const char repeat_names_sql[] =
	"SELECT id, name, (row_number() OVER (ORDER BY name))::int "
	"FROM kernel "
	"WHERE id = ANY ($1) "
	"ORDER BY id";

struct query_repeat_row {
	struct repeat_row row;
	int64_t kernel; /* 0: not a kernel, the row has a name */
	int32_t nth; /* index among the kernels by name */
};

struct query_repeat_kernel {
	int64_t kernel;
	const char *name;
	int32_t nth;
};

static int query_repeat_by_kernel(const void *a, const void *b)
{
	const struct query_repeat_kernel *x = a, *y = b;
	return (x->kernel > y->kernel) - (x->kernel < y->kernel);
}

static int query_repeat_by_name(const struct query_repeat_row *x,
	const struct query_repeat_row *y)
{
	return x->kernel && y->kernel ? x->nth - y->nth
				      : strcmp(x->row.name, y->row.name);
}

static int query_repeat_by_group(const void *a, const void *b)
{
	const struct query_repeat_row *x = a, *y = b;
	if (x->row.group != y->row.group)
		return x->row.group - y->row.group;
	if (x->row.run != y->row.run)
		return x->row.run < y->row.run ? -1 : 1;
	return query_repeat_by_name(x, y);
}

static void query_repeat_read_rows(struct result *r, struct arena *a,
	struct query_repeat_row *t)
{
	for (; result_next(r); t++) {
		t->row.run = result_int8(r, 0);
		t->row.group = result_int4(r, 0);
		t->row.cluster = result_int4(r, 0);
		t->row.other = result_bool(r);
		t->row.device_name = result_text(r, a);
		const char *unit = result_text(r, a);
		t->row.commit = unit && *unit ? unit : NULL;
		t->kernel = result_int8(r, 0);
		t->row.name = result_text(r, a);
		t->row.mean_ns = result_float8(r, NAN);
	}
}

/* The kernels of the rows, without duplicates. */
static uint32_t query_repeat_kernels(struct arena *a,
	const struct query_repeat_row *found, uint32_t n,
	struct query_repeat_kernel **names)
{
	uint32_t all = 0, each = 0;
	struct query_repeat_kernel *list =
		arena_array(a, struct query_repeat_kernel, n);
	for (uint32_t i = 0; i < n; i++)
		if (found[i].kernel)
			list[all++].kernel = found[i].kernel;
	qsort(list, all, sizeof *list, query_repeat_by_kernel);
	for (uint32_t i = 0; i < all; i++)
		if (!each || list[each - 1].kernel != list[i].kernel)
			list[each++] = list[i];
	*names = list;
	return each;
}

static bool query_repeat_name(struct db *db, struct arena *a,
	struct query_repeat_row *found, uint32_t n, struct err *e)
{
	struct sql_params p = { 0 };
	struct sql_array ids;
	struct result r;
	struct query_repeat_kernel *names;
	uint32_t names_n = query_repeat_kernels(a, found, n, &names);
	sql_array_init(&ids, SQL_INT8);
	for (uint32_t i = 0; i < names_n; i++)
		sql_array_int8(&ids, names[i].kernel);
	sql_array(&p, &ids);
	bool ok = sql_run(db, repeat_names_sql, &p, &r, e);
	sql_array_release(&ids);
	if (!ok)
		return false;
	assert((uint32_t)r.n == names_n);
	for (struct query_repeat_kernel *k = names; result_next(&r); k++) {
		k->kernel = result_int8(&r, 0);
		k->name = result_text(&r, a);
		k->nth = result_int4(&r, 0);
	}
	result_release(&r);
	for (uint32_t i = 0; i < n; i++) {
		const struct query_repeat_kernel want = {
			.kernel = found[i].kernel
		};
		if (!want.kernel)
			continue;
		const struct query_repeat_kernel *is = bsearch(&want, names,
			names_n, sizeof want, query_repeat_by_kernel);
		found[i].row.name = is->name;
		found[i].nth = is->nth;
	}
	return true;
}

/* Sorts the rows, and adds up rows with the same name on several devices. */
static uint32_t query_repeat_merge(struct query_repeat_row *found, uint32_t n,
	struct repeat_row *rows)
{
	uint32_t all = 0;
	qsort(found, n, sizeof *found, query_repeat_by_group);
	for (uint32_t i = 0; i < n; i++)
		if (i && !query_repeat_by_group(&found[i - 1], &found[i]))
			rows[all - 1].mean_ns += found[i].row.mean_ns;
		else
			rows[all++] = found[i].row;
	return all;
}

bool query_repeats(struct db *db, struct arena *a, const int64_t *like,
	uint32_t n, int most, const char *unit, struct repeat_row **rows,
	uint32_t *rows_n, struct err *e)
{
	struct sql_params p = { 0 };
	struct sql_array ids;
	struct result r;
	assert(most > 0 && most <= QUERY_REPEATS);
	sql_int8s(&p, &ids, like, n);
	sql_int4(&p, most);
	sql_int4(&p, QUERY_REPEATS_SEARCHED);
	sql_text(&p, unit);
	bool ok = sql_run(db, repeat_sql, &p, &r, e);
	sql_array_release(&ids);
	if (!ok)
		return false;
	uint32_t all = (uint32_t)r.n;
	struct query_repeat_row *found =
		arena_array(a, struct query_repeat_row, all);
	query_repeat_read_rows(&r, a, found);
	result_release(&r);
	*rows = arena_array(a, struct repeat_row, all);
	*rows_n = 0;
	if (all && !query_repeat_name(db, a, found, all, e))
		return false;
	*rows_n = all ? query_repeat_merge(found, all, *rows) : 0;
	return true;
}
