/* query_fleet_fusion.c - adds up pairs of operator calls over many runs that one
 * kernel could execute. Rollups do not have them, so the rows of the runs are
 * read. */
#include "query_fleet.h"
#include "column.h"
#include "fleet_select.h"
#include "profile_word.h"
#include "sql.h"
#include <math.h>

/* What the pairs of a row have in common. */
#define FUSION_KEY                                                         \
	"kind, consumers, must_write, bytes, platform, phase, operator1, " \
	"dtype1, shape1, flops1, read1, write1, leg1, operator2, dtype2, " \
	"shape2, flops2, read2, write2, leg2"

/* Hours are added up as exact numbers, so that their sum is the same in any
 * order. */
static const char fleet_fusions_sql[] = FLEET_CHOSEN
	", used AS (SELECT d.run_id, count(*) AS devices "
	"FROM chosen c JOIN run_device d ON d.run_id = c.run_id "
	"WHERE d.launches > 0 GROUP BY d.run_id)"
	", pair AS (SELECT f.*, c.platform, "
	"c.g / 1000000 / (r.span_ns::numeric * u.devices) AS per_ns, "
	"o1.operator AS operator1, o1.dtype AS dtype1, o1.phase, "
	"s1.shape_id AS shape1, s1.flops AS flops1, s1.read_bytes AS read1, "
	"s1.write_bytes AS write1, s1.leg AS leg1, "
	"o2.operator AS operator2, o2.dtype AS dtype2, "
	"s2.shape_id AS shape2, s2.flops AS flops2, s2.read_bytes AS read2, "
	"s2.write_bytes AS write2, s2.leg AS leg2 "
	"FROM chosen c JOIN run r ON r.run_id = c.run_id AND r.span_ns > 0 "
	"JOIN used u ON u.run_id = c.run_id "
	"JOIN run_fusion f ON f.run_id = c.run_id "
	"JOIN run_operator o1 ON o1.run_id = f.run_id "
	"AND o1.rank = f.first_operator "
	"JOIN run_shape s1 ON s1.run_id = f.run_id "
	"AND s1.operator = f.first_operator AND s1.rank = f.first_rank "
	"JOIN run_operator o2 ON o2.run_id = f.run_id "
	"AND o2.rank = f.second_operator "
	"JOIN run_shape s2 ON s2.run_id = f.run_id "
	"AND s2.operator = f.second_operator AND s2.rank = f.second_rank "
	"WHERE ($9 IS NULL OR o1.dtype = $9) "
	"AND ($10 IS NULL OR o1.phase = $10))"
	", of_run AS (SELECT run_id, " FUSION_KEY ", sum(pairs) AS pairs, "
	"coalesce(sum(pairs) FILTER (WHERE replayed), 0) AS replayed, "
	"sum(first_ns) AS first_ns, sum(second_ns) AS second_ns, "
	"sum(gap_ns) AS gap_ns, per_ns "
	"FROM pair GROUP BY run_id, per_ns, " FUSION_KEY ") "
	"SELECT " FUSION_KEY ", x1.text, x2.text, sum(pairs)::bigint, "
	"sum(replayed)::bigint, sum(first_ns)::double precision, "
	"sum(second_ns)::double precision, sum(gap_ns)::double precision, "
	"sum(per_ns * first_ns)::double precision, "
	"sum(per_ns * second_ns)::double precision, "
	"sum(per_ns * gap_ns)::double precision, "
	"array_agg(run_id ORDER BY first_ns + second_ns DESC, run_id) "
	"FROM of_run LEFT JOIN shape x1 ON x1.id = shape1 "
	"LEFT JOIN shape x2 ON x2.id = shape2 "
	"GROUP BY " FUSION_KEY ", x1.text, x2.text "
	"ORDER BY sum(first_ns + second_ns) DESC, " FUSION_KEY;

static void fleet_fusions_read_side(struct result *r, struct arena *a,
	struct fleet_fusion_side *s)
{
	s->op = result_text(r, a);
	s->dtype = column_dtype(r, a);
	s->shape = result_int8(r, 0);
	const char *flops = result_text(r, a);
	s->costed = flops;
	if (flops)
		column_read_flops(flops, &s->cost);
	s->cost.read_bytes = (uint64_t)result_int8(r, 0);
	s->cost.write_bytes = (uint64_t)result_int8(r, 0);
	const char *leg = result_text(r, a);
	s->leg = leg ? (enum leg)column_word_of(leg, profile_word_leg, LEGS)
		     : LEG_NONE;
}

static void fleet_fusions_read_row(struct result *r, struct arena *a,
	struct fleet_fusion *f)
{
	f->kind = result_text(r, a);
	f->consumers = (enum fusion_consumers)column_word(r, a,
		profile_word_consumers, FUSION_CONSUMERS);
	f->must_write = result_bool(r);
	f->bytes = result_int8(r, -1);
	f->platform = result_text(r, a);
	f->phase = column_phase(r, a);
	fleet_fusions_read_side(r, a, &f->first);
	fleet_fusions_read_side(r, a, &f->second);
	f->first.text = result_text(r, a);
	f->second.text = result_text(r, a);
	f->pairs = result_int8(r, 0);
	f->replayed = result_int8(r, 0);
	f->first.total_s = result_float8(r, 0) / 1e9;
	f->second.total_s = result_float8(r, 0) / 1e9;
	f->gap_s = result_float8(r, 0) / 1e9;
	f->first.hours = result_float8(r, 0);
	f->second.hours = result_float8(r, 0);
	f->gap_hours = result_float8(r, 0);
	f->runs = result_int8s(r, a, &f->runs_n);
}

static bool fleet_fusions_runs(struct db *db, const struct fleet_filter *f,
	struct fleet_fusions *out, struct err *e)
{
	static const char sql[] = FLEET_CHOSEN
		"SELECT count(*), count(*) FILTER (WHERE r.fusions IS NULL), "
		"coalesce(sum(c.g), 0)::double precision "
		"FROM chosen c JOIN run r ON r.run_id = c.run_id";
	struct sql_params p = { 0 };
	struct result r;
	fleet_run_params(&p, f);
	if (!sql_run(db, sql, &p, &r, e))
		return false;
	result_next(&r);
	out->runs = result_int8(&r, 0);
	out->unknown = result_int8(&r, 0);
	out->hours = result_float8(&r, 0) / 1e6;
	result_release(&r);
	return true;
}

static bool fleet_fusions_rows(struct db *db, struct arena *a,
	const struct fleet_filter *f, struct fleet_fusions *out, struct err *e)
{
	struct sql_params p = { 0 };
	struct result r;
	fleet_run_params(&p, f);
	sql_text(&p, dtype_word(f->dtype));
	sql_text(&p, profile_word_phase[f->phase]);
	if (!sql_run(db, fleet_fusions_sql, &p, &r, e))
		return false;
	out->rows = arena_array(a, struct fleet_fusion, (size_t)r.n);
	while (result_next(&r))
		fleet_fusions_read_row(&r, a, &out->rows[out->n++]);
	result_release(&r);
	return true;
}

struct fleet_fusions_request {
	struct arena *arena;
	const struct fleet_filter *f;
	struct fleet_fusions *out;
};

/* One snapshot, so that runs and rows fit each other. */
static bool fleet_fusions_read(struct db *db, void *arg, struct err *e)
{
	struct fleet_fusions_request *q = arg;
	*q->out = (struct fleet_fusions){ 0 };
	return sql_script(db,
		       "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ "
		       "READ ONLY",
		       e) &&
	       fleet_fusions_runs(db, q->f, q->out, e) &&
	       fleet_fusions_rows(db, q->arena, q->f, q->out, e);
}

bool query_fleet_fusions(struct db *db, struct arena *a,
	const struct fleet_filter *f, struct fleet_fusions *out, struct err *e)
{
	struct fleet_fusions_request q = { a, f, out };
	return sql_transaction(db, fleet_fusions_read, &q, e);
}
