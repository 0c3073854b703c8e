/* query_wait.c - reads what the time of a run's iterations was used for, the work
 * in it, and why the GPU was idle. */
#include "column.h"
#include "packed.h"
#include "profile_word.h"
#include "query.h"
#include "sql.h"
#include <math.h>
#include <string.h>

struct query_waits_request {
	struct arena *arena;
	int64_t run;
	struct iteration_sums *sums;
	struct wait_times *out;
	struct kept_iterations *kept;
};

static bool query_waits_fail(int64_t run, const char *what, struct err *e)
{
	return err_set(e, ERR_INTERNAL,
		"%s of run %lld do not fit its iterations; 'kernsiftd "
		"rebuild' makes them again",
		what, (long long)run);
}

static bool query_waits_sums(struct db *db, const struct query_waits_request *q,
	struct err *e)
{
	static const char sql[] =
		"SELECT count(*), sum(compute_ns)::bigint, "
		"sum(comm_ns)::bigint, sum(copy_ns)::bigint, "
		"sum(idle_ns)::bigint, count(*) = count(idle_ns) "
		"FROM run_iteration "
		"WHERE run_id = $1 AND use = 'kept'";
	struct iteration_sums *s = q->sums;
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, q->run);
	if (!sql_hot(db, sql, &p, &r, e))
		return false;
	result_next(&r);
	s->iterations = result_int8(&r, 0);
	s->compute_ns = result_int8(&r, -1);
	s->comm_ns = result_int8(&r, -1);
	s->copy_ns = result_int8(&r, -1);
	s->idle_ns = result_int8(&r, -1);
	if (!result_bool(&r))
		s->compute_ns = s->comm_ns = s->copy_ns = s->idle_ns = -1;
	result_release(&r);
	return true;
}

/* Classes that do not add up to the times of the iterations are damaged. */
static bool query_waits_classes_fit(const struct iteration_sums *s)
{
	const int64_t *ns = s->class_ns;
	int64_t compute_ns = ns[BUSY_COMPUTE_BOUND] + ns[BUSY_MEMORY_BOUND] +
			     ns[BUSY_NO_BOUND] + ns[BUSY_LAUNCH_FLOOR];

	return s->idle_ns < 0 || (compute_ns == s->compute_ns &&
					 ns[BUSY_EXPOSED_COMM] == s->comm_ns &&
					 ns[BUSY_COPY] == s->copy_ns);
}

static bool query_waits_classes(struct db *db,
	const struct query_waits_request *q, struct err *e)
{
	static const char sql[] = "SELECT class, time_ns "
				  "FROM run_busy_class "
				  "WHERE run_id = $1";
	struct iteration_sums *s = q->sums;
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, q->run);
	if (!sql_hot(db, sql, &p, &r, e))
		return false;
	int rows = r.n;
	while (result_next(&r)) {
		int class = column_word(&r, q->arena, profile_word_busy,
			BUSY_CLASSES);
		s->class_ns[class] = result_int8(&r, 0);
	}
	result_release(&r);
	s->classes_known = rows > 0;
	return !rows || (rows == BUSY_CLASSES && query_waits_classes_fit(s)) ||
	       query_waits_fail(q->run, "the classes of busy time", e);
}

static bool query_waits_causes(struct db *db,
	const struct query_waits_request *q, struct err *e)
{
	static const char sql[] = "SELECT cause, time_ns, parts "
				  "FROM run_wait "
				  "WHERE run_id = $1";
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, q->run);
	if (!sql_hot(db, sql, &p, &r, e))
		return false;
	int rows = r.n;
	int64_t sum_ns = 0;
	while (result_next(&r)) {
		int cause = column_word(&r, q->arena, profile_word_wait,
			WAIT_CAUSES);
		q->out->time_ns[cause] = result_int8(&r, 0);
		q->out->parts[cause] = result_int8(&r, 0);
		sum_ns += q->out->time_ns[cause];
	}
	result_release(&r);
	q->sums->causes_known = rows > 0;
	if (!rows)
		return true;
	/* Without a kept iteration, causes have nothing to add up to. */
	bool fits = q->sums->idle_ns < 0 || sum_ns == q->sums->idle_ns;
	return (rows == WAIT_CAUSES && fits) ||
	       query_waits_fail(q->run, "the causes of idle time", e);
}

static bool query_waits_names(struct db *db,
	const struct query_waits_request *q, struct err *e)
{
	static const char sql[] = "SELECT cause, kind, name, time_ns "
				  "FROM run_wait_name "
				  "WHERE run_id = $1 "
				  "ORDER BY rank";
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, q->run);
	if (!sql_hot(db, sql, &p, &r, e))
		return false;
	struct wait_times *w = q->out;
	w->names = arena_array(q->arena, struct wait_name, (size_t)r.n);
	while (result_next(&r)) {
		struct wait_name *n = &w->names[w->names_n++];
		n->cause = (enum wait_cause)column_word(&r, q->arena,
			profile_word_wait, WAIT_CAUSES);
		n->kind = (enum wait_kind)column_word(&r, q->arena,
			profile_word_wait_kind, WAIT_KINDS);
		n->name = result_text(&r, q->arena);
		n->time_ns = result_int8(&r, 0);
	}
	result_release(&r);
	return true;
}

/* ---- work of single iterations */

struct query_works_request {
	struct arena *arena;
	int64_t run;
	struct iteration_works *out;
};

static bool query_works_size(struct db *db, const struct query_works_request *q,
	struct err *e)
{
	static const char sql[] =
		"SELECT (SELECT count(*)::integer FROM run_iteration i "
		"WHERE i.run_id = r.run_id), "
		"(SELECT count(*) FROM run_device d "
		"WHERE d.run_id = r.run_id "
		"AND (d.launches > 0 OR d.busy_ns > 0)) "
		"FROM run r "
		"WHERE r.run_id = $1";
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, q->run);
	if (!sql_hot(db, sql, &p, &r, e))
		return false;
	bool there = result_next(&r);
	if (there) {
		q->out->iterations_n = (uint32_t)result_int4(&r, 0);
		q->out->devices = result_int8(&r, 0);
	}
	result_release(&r);
	return there ||
	       err_set(e, ERR_NOT_FOUND, "no run %lld", (long long)q->run);
}

/* Reads the next column, n numbers. NULL if it is damaged or the arena is full. */
static void *query_works_numbers(struct result *r, struct arena *a, uint32_t n)
{
	size_t len;
	const void *bytes = result_bytes(r, &len);
	int64_t *to = arena_array(a, int64_t, (size_t)n + 1);
	return bytes && to && packed_read(bytes, len, to, n) ? to : NULL;
}

/* False if the row does not fit the iterations. */
static bool query_works_row(struct result *r,
	const struct query_works_request *q, struct iteration_work *w)
{
	struct arena *a = q->arena;
	uint32_t n = q->out->iterations_n, dtypes_n;

	w->time_ns = query_works_numbers(r, a, n);
	w->known = result_bool(r);
	if (!w->known)
		return w->time_ns;
	const char *const *dtypes = result_texts(r, a, &dtypes_n);
	for (uint32_t i = 0; i < dtypes_n; i++)
		w->dtypes |= UINT32_C(1)
			     << dtype_from(dtypes[i], strlen(dtypes[i]));
	w->flops = query_works_numbers(r, a, n * dtypes_n);
	w->bytes = query_works_numbers(r, a, n);
	if (!w->time_ns || !w->flops || !w->bytes)
		return false;
	if (!result_bool(r))
		return true;
	w->recomputed_flops = query_works_numbers(r, a, n * dtypes_n);
	w->recompute_known_ns = query_works_numbers(r, a, n);
	return w->recomputed_flops && w->recompute_known_ns;
}

static bool query_works_read(struct db *db, void *arg, struct err *e)
{
	static const char sql[] =
		"SELECT time_ns, dtypes IS NOT NULL, dtypes, flops, bytes, "
		"recomputed_flops IS NOT NULL, recomputed_flops, "
		"recompute_known_ns "
		"FROM run_iteration_work "
		"WHERE run_id = $1 "
		"ORDER BY rank";
	const struct query_works_request *q = arg;
	struct sql_params p = { 0 };
	struct result r;
	bool ok = true;
	*q->out = (struct iteration_works){ 0 };
	sql_int8(&p, q->run);
	if (!sql_snapshot(db, e) || !query_works_size(db, q, e) ||
		!sql_hot(db, sql, &p, &r, e))
		return false;
	q->out->rows =
		arena_array(q->arena, struct iteration_work, (size_t)r.n);
	while (ok && result_next(&r))
		ok = query_works_row(&r, q, &q->out->rows[q->out->n++]);
	result_release(&r);
	return ok || query_waits_fail(q->run, "the sums of work", e);
}

bool query_iteration_works(struct db *db, struct arena *a, int64_t run,
	struct iteration_works *out, struct err *e)
{
	struct query_works_request q = { a, run, out };

	return sql_transaction(db, query_works_read, &q, e);
}

/* ---- single iterations */

struct query_kept_request {
	struct arena *arena;
	int64_t run;
	uint32_t all_n; /* of all iterations */
	struct kept_iteration
		*rows; /* of all iterations, then of the kept ones */
	bool *kept; /* of all iterations */
};

static bool query_kept_rows(struct db *db, struct query_kept_request *q,
	struct err *e)
{
	static const char sql[] =
		"SELECT use = 'kept', stratum, launches, dur_ns, compute_ns, "
		"comm_ns, copy_ns, comm_overlapped_ns "
		"FROM run_iteration "
		"WHERE run_id = $1 "
		"ORDER BY iteration";
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, q->run);
	if (!sql_run(db, sql, &p, &r, e))
		return false;
	q->rows = arena_array(q->arena, struct kept_iteration, (size_t)r.n + 1);
	q->kept = arena_array(q->arena, bool, (size_t)r.n + 1);
	while (q->rows && q->kept && result_next(&r)) {
		struct kept_iteration *is = &q->rows[q->all_n];
		q->kept[q->all_n++] = result_bool(&r);
		is->stratum = (uint32_t)result_int4(&r, 0);
		is->launches = result_int8(&r, 0);
		is->dur_ns = result_int8(&r, -1);
		is->compute_ns = result_int8(&r, -1);
		is->comm_ns = result_int8(&r, -1);
		is->copy_ns = result_int8(&r, -1);
		is->comm_overlapped_ns = result_int8(&r, -1);
		is->launch_ns = is->host_gap_ns = -1;
	}
	result_release(&r);
	return (q->rows && q->kept) || arena_err(q->arena, e);
}

/* The two causes that single iterations have. */
static bool query_kept_causes(struct db *db, struct query_kept_request *q,
	struct err *e)
{
	static const char sql[] = "SELECT cause, iteration_ns "
				  "FROM run_wait "
				  "WHERE run_id = $1 "
				  "AND cause IN ('launch_bound', 'host_gap')";
	struct sql_params p = { 0 };
	struct result r;
	bool ok = true;
	int64_t *ns = arena_array(q->arena, int64_t, q->all_n + 1);
	sql_int8(&p, q->run);
	if (!ns)
		return arena_err(q->arena, e);
	if (!sql_run(db, sql, &p, &r, e))
		return false;
	while (ok && result_next(&r)) {
		int cause = column_word(&r, q->arena, profile_word_wait,
			WAIT_CAUSES);
		size_t len;
		const void *bytes = result_bytes(&r, &len);
		ok = bytes && packed_read(bytes, len, ns, q->all_n);
		for (uint32_t i = 0; ok && i < q->all_n; i++)
			*(cause == WAIT_LAUNCH ? &q->rows[i].launch_ns
					       : &q->rows[i].host_gap_ns) =
				ns[i];
	}
	result_release(&r);
	return ok || query_waits_fail(q->run, "the causes of idle time", e);
}

static void query_kept_fusion(struct result *r, struct arena *a,
	struct saved_fusion *f)
{
	f->first = result_text(r, a);
	f->first_dtype = column_dtype(r, a);
	f->first_shape = result_text(r, a);
	f->second = result_text(r, a);
	f->second_dtype = column_dtype(r, a);
	f->second_shape = result_text(r, a);
	f->consumers = (enum fusion_consumers)column_word(r, a,
		profile_word_consumers, FUSION_CONSUMERS);
	f->must_write = result_bool(r);
	f->bytes = result_int8(r, -1);
	f->saved_ns = result_float8(r, (double)NAN);
	f->saved_error_ns = result_float8(r, (double)NAN);
}

/* The pairs that save most, of those with known consumers and of the others. */
static bool query_kept_fusions(struct db *db,
	const struct query_waits_request *of, struct err *e)
{
	static const char sql[] =
		"SELECT o1.operator, o1.dtype, x1.text, "
		"o2.operator, o2.dtype, x2.text, "
		"f.consumers, f.must_write, f.bytes, f.saved_ns, "
		"f.saved_error_ns "
		"FROM (SELECT run_id, first_operator, first_rank, "
		"second_operator, second_rank, consumers, must_write, bytes, "
		"saved_ns, saved_error_ns, row_number() OVER "
		"(PARTITION BY consumers = 'unknown' "
		"ORDER BY saved_ns DESC, rank) AS place "
		"FROM run_fusion WHERE run_id = $1 AND saved_ns > 0) f "
		"JOIN run_operator o1 ON o1.run_id = f.run_id "
		"AND o1.rank = f.first_operator "
		"JOIN run_shape s1 ON s1.run_id = f.run_id "
		"AND s1.operator = f.first_operator AND s1.rank = f.first_rank "
		"JOIN run_operator o2 ON o2.run_id = f.run_id "
		"AND o2.rank = f.second_operator "
		"JOIN run_shape s2 ON s2.run_id = f.run_id "
		"AND s2.operator = f.second_operator "
		"AND s2.rank = f.second_rank "
		"LEFT JOIN shape x1 ON x1.id = s1.shape_id "
		"LEFT JOIN shape x2 ON x2.id = s2.shape_id "
		"WHERE f.place <= $2 "
		"ORDER BY f.consumers = 'unknown', f.place";
	struct kept_iterations *out = of->kept;
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, of->run);
	sql_int8(&p, SAVED_FUSIONS);
	if (!sql_run(db, sql, &p, &r, e))
		return false;
	out->fusions =
		arena_array(of->arena, struct saved_fusion, (size_t)r.n + 1);
	while (out->fusions && result_next(&r))
		query_kept_fusion(&r, of->arena,
			&out->fusions[out->fusions_n++]);
	result_release(&r);
	return out->fusions || arena_err(of->arena, e);
}

static void query_kept_collective_row(struct result *r, struct arena *a,
	struct saved_collective *c)
{
	const char *kind = result_text(r, a);

	if (kind)
		c->kind = (enum collective_kind)column_word_of(kind,
			profile_word_collective, COLLECTIVE_KINDS);
	c->dtype = column_dtype(r, a);
	c->bytes = result_int8(r, -1);
	c->group = result_text(r, a);
	c->group_size = result_int8(r, -1);
	c->saved_ns = result_float8(r, (double)NAN);
	c->saved_error_ns = result_float8(r, (double)NAN);
}

/* The collective that saves most; none if it is unknown. */
static bool query_kept_collective(struct db *db,
	const struct query_waits_request *of, struct err *e)
{
	static const char sql[] =
		"SELECT kind, dtype, bytes, coalesce(group_ranks, group_name), "
		"group_size, saved_ns, saved_error_ns "
		"FROM run_collective "
		"WHERE run_id = $1 AND saved_ns > 0 "
		"ORDER BY saved_ns DESC, rank "
		"LIMIT 1";
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, of->run);
	if (!sql_run(db, sql, &p, &r, e))
		return false;
	bool any = result_next(&r);
	if (any)
		of->kept->collective =
			arena_new(of->arena, struct saved_collective);
	if (of->kept->collective)
		query_kept_collective_row(&r, of->arena, of->kept->collective);
	result_release(&r);
	return !any || of->kept->collective || arena_err(of->arena, e);
}

static bool query_kept(struct db *db, const struct query_waits_request *of,
	struct err *e)
{
	struct query_kept_request q = { .arena = of->arena, .run = of->run };
	struct kept_iterations *out = of->kept;

	if (!query_kept_rows(db, &q, e) || !query_kept_causes(db, &q, e))
		return false;
	*out = (struct kept_iterations){ .rows = q.rows };
	for (uint32_t i = 0; i < q.all_n; i++)
		if (q.kept[i])
			out->rows[out->n++] = q.rows[i];
	return query_kept_fusions(db, of, e) &&
	       query_kept_collective(db, of, e);
}

static bool query_waits_read(struct db *db, void *arg, struct err *e)
{
	const struct query_waits_request *q = arg;

	*q->out = (struct wait_times){ .late_launch_ns = -1, .short_ns = -1 };
	*q->sums = (struct iteration_sums){ 0 };
	return sql_snapshot(db, e) && query_waits_sums(db, q, e) &&
	       query_waits_classes(db, q, e) && query_waits_causes(db, q, e) &&
	       query_waits_names(db, q, e) && query_kept(db, q, e);
}

bool query_waits(struct db *db, struct arena *a, int64_t run,
	struct iteration_sums *sums, struct wait_times *out,
	struct kept_iterations *kept, struct err *e)
{
	struct query_waits_request q = { a, run, sums, out, kept };

	return sql_transaction(db, query_waits_read, &q, e);
}
