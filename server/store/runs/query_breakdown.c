/* query_breakdown.c - layers of a run, and kernels launched together, as
 * stored. */
#include "query_breakdown.h"
#include "breakdown_word.h"
#include "column.h"
#include "packed.h"
#include "profile_word.h"
#include "sql.h"
#include <assert.h>
#include <math.h>

/* Selects the rows of one run, $1. */
static bool query_breakdown_rows(struct db *db, const char *sql, int64_t run,
	struct result *r, struct err *e)
{
	struct sql_params p = { 0 };
	sql_int8(&p, run);
	return sql_hot(db, sql, &p, r, e);
}

/* The kernels of a run that `sql` selects, by id. */
static bool query_breakdown_kernels(struct db *db, struct arena *a,
	const char *sql, int64_t run, struct breakdown_kernel **kernels,
	uint32_t *n, struct err *e)
{
	struct result r;
	if (!query_breakdown_rows(db, sql, run, &r, e))
		return false;
	*n = 0;
	*kernels = arena_array(a, struct breakdown_kernel, (size_t)r.n);
	while (result_next(&r)) {
		struct breakdown_kernel *k = &(*kernels)[(*n)++];
		k->id = result_int8(&r, 0);
		k->name = result_text(&r, a);
		k->short_name = result_text(&r, a);
	}
	result_release(&r);
	return true;
}

/* The index of a kernel, by binary search; ROW_NO_KERNEL of -1. */
static uint32_t query_breakdown_kernel_index(const struct breakdown_kernel
						     *kernels,
	uint32_t n, int64_t id)
{
	uint32_t from = 0;
	if (id < 0)
		return ROW_NO_KERNEL;
	while (n > 1) {
		uint32_t half = n / 2;
		from += kernels[from + half].id <= id ? half : 0;
		n -= half;
	}
	assert(n && kernels[from].id == id);
	return from;
}

static layer_roles query_breakdown_roles(struct result *r, struct arena *a)
{
	layer_roles roles = 0;
	uint32_t n;
	const char *const *words = result_texts(r, a, &n);
	for (uint32_t i = 0; i < n; i++)
		roles |= UINT64_C(1) << column_word_of(words[i],
				 breakdown_word_role, ROLES);
	return roles;
}

struct query_breakdown_request {
	struct arena *arena;
	int64_t run;
	struct breakdown_stored *out;
};

/* ERR_NOT_FOUND with a sentence if the run does not exist, or if layers and
 * groups were never searched for in it. `what`: "layers" or "groups". */
static bool query_breakdown_check(struct db *db, struct arena *a, int64_t run,
	const char *what, struct err *e)
{
	static const char sql[] =
		"SELECT r.content, b.run_id IS NOT NULL "
		"FROM run r LEFT JOIN run_breakdown b ON b.run_id = r.run_id "
		"WHERE r.run_id = $1";
	struct result r;
	if (!query_breakdown_rows(db, sql, run, &r, e))
		return false;
	if (!result_next(&r)) {
		result_release(&r);
		return err_set(e, ERR_NOT_FOUND, "no run %lld", (long long)run);
	}
	const char *content = result_text(&r, a);
	bool has = result_bool(&r);
	result_release(&r);
	if (strcmp(content, profile_word_content[CONTENT_LAUNCHES]) != 0)
		return err_set(e, ERR_NOT_FOUND,
			"run %lld has no %s: its upload contains only %s",
			(long long)run, what, content);
	return has || err_set(e, ERR_NOT_FOUND,
			      "run %lld was read before %s were looked for; "
			      "kernsiftd rebuild does it",
			      (long long)run, what);
}

static bool query_breakdown_read_bars(struct result *r, struct arena *a,
	struct breakdown *d)
{
	size_t len;
	uint32_t n = d->bars_n = (uint32_t)result_int4(r, 0);
	int64_t *layer = arena_array(a, int64_t, n);
	int64_t *block = arena_array(a, int64_t, n);
	double *mean = arena_array(a, double, n);
	const void *bytes = result_bytes(r, &len);
	bool ok = packed_read(bytes, len, layer, n);
	bytes = result_bytes(r, &len);
	ok = ok && packed_read(bytes, len, block, n);
	bytes = result_bytes(r, &len);
	ok = ok && packed_read(bytes, len, mean, n);
	d->bars = arena_array(a, struct breakdown_bar, n);
	for (uint32_t i = 0; ok && i < n; i++)
		d->bars[i] = (struct breakdown_bar){ (uint32_t)layer[i],
			(uint32_t)block[i], mean[i] };
	return ok;
}

static bool query_breakdown_read_header(struct result *r, struct arena *a,
	struct breakdown *d)
{
	d->detector = (enum layer_detector)column_word(r, a,
		breakdown_word_layers, LAYER_DETECTORS);
	d->confidence = result_float8(r, 0);
	d->anchor = result_text(r, a);
	d->why = result_text(r, a);
	d->device = result_int4(r, -1);
	d->realigned = result_bool(r);
	d->passes = (uint32_t)result_int4(r, 0);
	d->stratum = result_text(r, a);
	column_read_time(r, &d->pass);
	d->layers = (uint32_t)result_int4(r, 0);
	column_read_time(r, &d->layered);
	d->wall_ns = result_int8(r, 0);
	d->overlap_ns = result_int8(r, 0);
	d->idle_ns = result_int8(r, 0);
	d->other_ns = result_int8(r, 0);
	d->exposed_comm_ns = result_int8(r, 0);
	return query_breakdown_read_bars(r, a, d);
}

#define ITERATION_TIME TIME_COLUMNS_OF("iteration")
#define LAYERED_TIME TIME_COLUMNS_OF("layered")

static bool query_breakdown_header(struct db *db,
	const struct query_breakdown_request *w, struct err *e)
{
	static const char sql[] =
		"SELECT detector, confidence, anchor, reason, device, realigned, "
		"iterations, stratum, " ITERATION_TIME ", layers, " LAYERED_TIME
		", "
		"wall_ns, overlap_ns, idle_ns, other_ns, exposed_comm_ns, "
		"bars, bar_layer, bar_block, bar_mean_ns "
		"FROM run_breakdown "
		"WHERE run_id = $1";
	struct result r;
	if (!query_breakdown_rows(db, sql, w->run, &r, e))
		return false;
	bool ok = result_next(&r) &&
		  query_breakdown_read_header(&r, w->arena, &w->out->breakdown);
	result_release(&r);
	return ok ||
	       err_set(e, ERR_INTERNAL, "the layers of run %lld cannot be read",
		       (long long)w->run);
}

static bool query_breakdown_sections(struct db *db,
	const struct query_breakdown_request *w, struct err *e)
{
	static const char sql[] =
		"SELECT position, name, per_iteration, first, similarity, "
		"occurrences, compute_ns, memory_ns, recomputed_ns, "
		"work_known_ns, flops_ns, recompute_known_ns, " TIME_COLUMNS " "
		"FROM run_section "
		"WHERE run_id = $1 "
		"ORDER BY section";
	struct breakdown *d = &w->out->breakdown;
	struct result r;
	if (!query_breakdown_rows(db, sql, w->run, &r, e))
		return false;
	d->sections =
		arena_array(w->arena, struct breakdown_section, (size_t)r.n);
	while (result_next(&r)) {
		struct breakdown_section *s = &d->sections[d->sections_n++];
		s->place = (enum section_place)column_word(&r, w->arena,
			breakdown_word_place, SECTION_PLACES);
		s->name = result_text(&r, w->arena);
		s->per_pass = (uint32_t)result_int4(&r, 0);
		s->first = (uint32_t)result_int4(&r, 0);
		s->similarity = result_float8(&r, NAN);
		s->instances = result_int8(&r, 0);
		s->work.compute_ns = result_float8(&r, NAN);
		s->work.memory_ns = result_float8(&r, NAN);
		s->work.recomputed_ns = result_float8(&r, NAN);
		s->work.known_ns = result_int8(&r, -1);
		s->work.flops_ns = result_int8(&r, 0);
		s->work.recompute_known_ns = result_int8(&r, 0);
		column_read_time(&r, &s->time);
	}
	result_release(&r);
	return true;
}

static bool query_breakdown_blocks(struct db *db,
	const struct query_breakdown_request *w, struct err *e)
{
	static const char sql[] =
		"SELECT section, kind, parallel_to, sum_ns, exclusive_ns, "
		"overlapped_ns "
		"FROM run_block "
		"WHERE run_id = $1 "
		"ORDER BY block";
	struct breakdown *d = &w->out->breakdown;
	struct result r;
	if (!query_breakdown_rows(db, sql, w->run, &r, e))
		return false;
	d->blocks = arena_array(w->arena, struct breakdown_block, (size_t)r.n);
	while (result_next(&r)) {
		struct breakdown_block *s = &d->blocks[d->blocks_n++];
		s->section = (uint32_t)result_int4(&r, 0);
		s->kind = (enum layer_block_kind)column_word(&r, w->arena,
			breakdown_word_block, BLOCKS);
		s->parallel_to = (uint32_t)result_int4(&r, -1);
		s->sum_ns = result_float8(&r, NAN);
		s->exclusive_ns = result_int8(&r, 0);
		s->overlapped_ns = result_int8(&r, 0);
	}
	result_release(&r);
	return true;
}

static void query_breakdown_read_place(struct result *r,
	const struct query_breakdown_request *w, struct breakdown_row *s)
{
	struct arena *a = w->arena;
	s->block = (uint32_t)result_int4(r, 0);
	s->kernel = query_breakdown_kernel_index(w->out->kernels,
		w->out->kernels_n, result_int8(r, -1));
	s->operation = result_text(r, a);
	s->operator_ = result_text(r, a);
	s->module = result_text(r, a);
	s->roles = query_breakdown_roles(r, a);
	s->role_by_module = result_bool(r);
	s->lane = (uint32_t)result_int4(r, 0);
	s->group = (uint32_t)result_int4(r, -1);
	s->instances = result_int8(r, 0);
	s->extra = result_bool(r);
	s->offset_ns = result_float8(r, NAN);
	s->exclusive_ns = result_int8(r, 0);
	s->overlapped_ns = result_int8(r, 0);
	s->bound_launches = result_int8(r, 0);
	s->bound_ns = result_int8(r, 0);
	s->sol_ps = result_int8(r, 0);
	s->clock_sol_ps = result_int8(r, s->sol_ps);
	column_read_time(r, &s->time);
}

static bool query_breakdown_places(struct db *db,
	const struct query_breakdown_request *w, struct err *e)
{
	static const char sql[] =
		"SELECT block, kernel_id, operation, operator, module, roles, "
		"role_by_module, stream, launch_group, occurrences, extra, "
		"offset_ns, exclusive_ns, overlapped_ns, roofline_known_launches, "
		"roofline_known_ns, sol_ps, clock_sol_ps, " TIME_COLUMNS " "
		"FROM run_layer_row "
		"WHERE run_id = $1 "
		"ORDER BY rank";
	struct breakdown *d = &w->out->breakdown;
	struct result r;
	if (!query_breakdown_rows(db, sql, w->run, &r, e))
		return false;
	d->rows = arena_array(w->arena, struct breakdown_row, (size_t)r.n);
	while (result_next(&r))
		query_breakdown_read_place(&r, w, &d->rows[d->rows_n++]);
	result_release(&r);
	return true;
}

static bool query_breakdown_read_all(struct db *db, void *arg, struct err *e)
{
	const struct query_breakdown_request *w = arg;
	static const char kernels[] =
		"SELECT id, name, short_name "
		"FROM kernel "
		"WHERE id IN (SELECT kernel_id FROM run_layer_row "
		"WHERE run_id = $1) "
		"ORDER BY id";
	*w->out = (struct breakdown_stored){ 0 };
	return sql_snapshot(db, e) &&
	       query_breakdown_check(db, w->arena, w->run, "layers", e) &&
	       query_breakdown_header(db, w, e) &&
	       query_breakdown_sections(db, w, e) &&
	       query_breakdown_blocks(db, w, e) &&
	       query_breakdown_kernels(db, w->arena, kernels, w->run,
		       &w->out->kernels, &w->out->kernels_n, e) &&
	       query_breakdown_places(db, w, e);
}

bool query_breakdown(struct db *db, struct arena *a, int64_t run,
	struct breakdown_stored *out, struct err *e)
{
	struct query_breakdown_request w = { a, run, out };
	return sql_transaction(db, query_breakdown_read_all, &w, e);
}

bool query_layers_short(struct db *db, struct arena *a, int64_t run,
	struct layers_short *out, bool *there, struct err *e)
{
	static const char sql[] = "SELECT detector, confidence, layers "
				  "FROM run_breakdown "
				  "WHERE run_id = $1";
	struct result r;
	if (!query_breakdown_rows(db, sql, run, &r, e))
		return false;
	*there = result_next(&r);
	if (*there) {
		out->detector = (enum layer_detector)column_word(&r, a,
			breakdown_word_layers, LAYER_DETECTORS);
		out->confidence = result_float8(&r, 0);
		out->layers = (uint32_t)result_int4(&r, 0);
	}
	result_release(&r);
	return true;
}

bool query_kernel_ids(struct db *db, struct breakdown_kernel *kernels,
	uint32_t n, struct err *e)
{
	static const char sql[] =
		"SELECT coalesce(k.id, -1) "
		"FROM unnest($1::text[]) WITH ORDINALITY AS n (name, i) "
		"LEFT JOIN kernel k "
		"ON k.sha256 = sha256(convert_to(n.name, 'UTF8')) "
		"ORDER BY n.i";
	struct sql_array names;
	struct sql_params p = { 0 };
	struct result r;
	sql_array_init(&names, SQL_TEXT);
	for (uint32_t i = 0; i < n; i++)
		sql_array_text(&names, kernels[i].name);
	sql_array(&p, &names);
	bool ok = sql_hot(db, sql, &p, &r, e);
	sql_array_release(&names);
	if (!ok)
		return false;
	for (uint32_t i = 0; result_next(&r); i++)
		kernels[i].id = result_int8(&r, -1);
	result_release(&r);
	return true;
}

struct query_groups_request {
	struct arena *arena;
	int64_t run;
	struct groups_stored *out;
};

static void query_groups_read_group(struct result *r,
	const struct query_groups_request *w, struct kernel_group *g)
{
	g->evidence = (enum group_evidence)column_word(r, w->arena,
		breakdown_word_evidence, GROUP_EVIDENCES);
	const int64_t *ids = result_int8s(r, w->arena, &g->kernels_n);
	uint32_t *kernels = arena_array(w->arena, uint32_t, g->kernels_n);
	for (uint32_t i = 0; i < g->kernels_n; i++)
		kernels[i] = query_breakdown_kernel_index(w->out->kernels,
			w->out->kernels_n, ids[i]);
	g->kernels = kernels;
	g->support = result_int8(r, 0);
	g->confidence = result_float8(r, 0);
	g->operator_ = result_text(r, w->arena);
	g->total_ns = result_int8(r, 0);
	g->alone = result_int8(r, 0);
}

static bool query_groups_rows(struct db *db,
	const struct query_groups_request *w, struct err *e)
{
	static const char sql[] =
		"SELECT evidence, kernels, support, confidence, operator, "
		"total_ns, alone "
		"FROM run_group "
		"WHERE run_id = $1 "
		"ORDER BY rank";
	struct kernel_groups *gs = &w->out->groups;
	struct result r;
	if (!query_breakdown_rows(db, sql, w->run, &r, e))
		return false;
	gs->groups = arena_array(w->arena, struct kernel_group, (size_t)r.n);
	while (result_next(&r))
		query_groups_read_group(&r, w, &gs->groups[gs->n++]);
	result_release(&r);
	return true;
}

static bool query_groups_read_all(struct db *db, void *arg, struct err *e)
{
	const struct query_groups_request *w = arg;
	static const char kernels[] =
		"SELECT id, name, short_name "
		"FROM kernel "
		"WHERE id IN (SELECT unnest(kernels) FROM run_group "
		"WHERE run_id = $1) "
		"ORDER BY id";
	*w->out = (struct groups_stored){ 0 };
	return sql_snapshot(db, e) &&
	       query_breakdown_check(db, w->arena, w->run, "groups", e) &&
	       query_breakdown_kernels(db, w->arena, kernels, w->run,
		       &w->out->kernels, &w->out->kernels_n, e) &&
	       query_groups_rows(db, w, e);
}

bool query_groups(struct db *db, struct arena *a, int64_t run,
	struct groups_stored *out, struct err *e)
{
	struct query_groups_request w = { a, run, out };
	return sql_transaction(db, query_groups_read_all, &w, e);
}
