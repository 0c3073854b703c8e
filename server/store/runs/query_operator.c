/* query_operator.c - what one run's GPU time was spent on. */
#include "query_operator.h"
#include "page.h"
#include "read_shape.h"

#define KNOWN(code, word, what) "o.known_" #word "_ns, "
static const char operators_sql[] =
	"SELECT r.platform, r.catalog, r.gpu_ns, r.replayed, "
	"r.replayed_known, o.rank, o.operator, o.dtype, o.phase, "
	"o.collective, o.launches, o.calls, o.total_ns, "
#include "known.def"
	"o.sized_ns, o.bound_calls, o.bound_ns, o.sol_ps, o.compute_ns, "
	"o.headroom_ns, o.over_ns, o.shapes "
	"FROM run r "
	"LEFT JOIN run_operator o ON o.run_id = r.run_id "
	"WHERE r.run_id = $1 "
	"ORDER BY o.rank";
#undef KNOWN

static enum dtype read_dtype(struct result *r, struct arena *a)
{
	const char *word = result_text(r, a);
	return word ? dtype_from(word, strlen(word)) : DTYPE_UNKNOWN;
}

static enum phase read_phase(struct result *r, struct arena *a)
{
	const char *word = result_text(r, a);
	return word ? (enum phase)read_word_of(word, profile_word_phase, PHASES)
		    : PHASE_UNKNOWN;
}

static void read_run(struct result *r, struct arena *a,
	struct run_operators *out)
{
	out->platform = result_text(r, a);
	out->catalog = result_text(r, a);
	out->gpu_ns = result_int8(r, -1);
	out->replayed = result_int8(r, 0);
	out->replayed_known = result_int8(r, 0);
}

static void read_operator(struct result *r, struct arena *a,
	struct operator_stat *o)
{
	o->name = result_text(r, a);
	o->dtype = read_dtype(r, a);
	o->phase = read_phase(r, a);
	o->collective = result_bool(r);
	o->launches = result_int8(r, 0);
	o->calls = result_int8(r, 0);
	o->total_ns = result_int8(r, 0);
	for (int k = 0; k < KNOWNS; k++)
		o->known_ns[k] = result_int8(r, 0);
	o->sized_ns = result_int8(r, 0);
	o->bound_calls = result_int8(r, 0);
	o->bound_ns = result_int8(r, 0);
	o->sol_ps = result_int8(r, 0);
	o->compute_ns = result_int8(r, 0);
	o->headroom_ns = result_int8(r, 0);
	o->over_ns = result_int8(r, 0);
	o->shapes = (uint32_t)result_int4(r, 0);
}

bool query_operators(struct db *db, struct arena *a, int64_t run,
	struct run_operators *out, struct err *e)
{
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, run);
	if (!sql_hot(db, operators_sql, &p, &r, e))
		return false;
	*out = (struct run_operators){ 0 };
	out->rows = arena_array(a, struct operator_stat, (size_t)r.n);
	bool there = r.n > 0;
	while (result_next(&r)) {
		read_run(&r, a, out);
		if (result_int4(&r, -1) >= 0)
			read_operator(&r, a, &out->rows[out->n++]);
	}
	result_release(&r);
	return there ||
	       err_set(e, ERR_NOT_FOUND, "no run %lld", (long long)run);
}

bool query_shapes(struct db *db, struct arena *a, const struct shape_filter *f,
	struct shape_stat **rows, uint32_t *n, bool *more, struct err *e)
{
	static const char sql[] = PAGE_OF(READ_SHAPE_COLUMNS ", rank",
		"coalesce(octet_length(sizes), 0) + "
		"coalesce(octet_length(grid), 0) + "
		"coalesce(octet_length(why), 0)",
		"FROM (SELECT s.*, d.text AS sizes FROM run_operator o "
		"JOIN run_shape s ON s.run_id = o.run_id "
		"AND s.operator = o.rank "
		"LEFT JOIN shape d ON d.id = s.shape_id "
		"WHERE o.run_id = $4 "
		"AND o.operator IS NOT DISTINCT FROM $5) t",
		"total_ns DESC, operator, rank");
	struct sql_params p = { 0 };
	struct result r;
	page_params(&p, f->offset, f->limit);
	sql_int8(&p, f->run);
	sql_text(&p, f->operator);
	if (!sql_run(db, sql, &p, &r, e))
		return false;
	bool ok = true;
	int64_t on_page = 0;
	*n = page_lines(&r, f->limit);
	*rows = arena_array(a, struct shape_stat, *n);
	for (uint32_t i = 0; i < *n && result_next(&r); i++) {
		ok &= read_shape(&r, a, &(*rows)[i]);
		result_int4(&r, 0);
		on_page = result_int8(&r, 0);
	}
	*more = on_page > *n;
	result_release(&r);
	return ok ||
	       err_set(e, ERR_INTERNAL, "the shapes of run %lld cannot be read",
		       (long long)f->run);
}

/* An index tells a few versions apart, and counts those that are not this one. */
bool query_outdated(struct db *db, const char *catalog, int64_t *runs,
	struct err *e)
{
	static const char sql[] = "SELECT count(*) FROM run "
				  "WHERE catalog IS NOT NULL "
				  "AND (catalog < $1 OR catalog > $1)";
	struct sql_params p = { 0 };
	struct result r;
	sql_text(&p, catalog);
	if (!sql_run(db, sql, &p, &r, e))
		return false;
	*runs = result_next(&r) ? result_int8(&r, 0) : 0;
	result_release(&r);
	return true;
}
