/* fleet_shape_sums.c - ledgers of shapes are added up by operator, type, phase and
 * platform. */
#include "fleet_shape_sums.h"
#include "fleet_select.h"
#include "fleet_runs.h"
#include "read_shape.h"
#include "rollup_shape.h"
#include <string.h>
#include <time.h>

/* $10: the keys; one statement, so that a folder cannot come between. */
static const char sums_sql[] =
	"SELECT p.sign, s.key_id, c.platform, s.shapes "
	"FROM unnest($10::bigint[]) k (id) CROSS JOIN " FLEET_PIECES
	" JOIN rollup_shape s ON s.key_id = k.id AND s.grain = p.grain "
	"AND s.first = p.first "
	"JOIN rollup_cell c ON c.grain = s.grain AND c.first = s.first "
	"AND c.cell = s.cell "
	"WHERE " FLEET_OF("c") "UNION ALL "
			       "SELECT 1::bigint, NULL, d.platform, d.shapes "
			       "FROM rollup_delta d WHERE " FLEET_OF("d")
				       FLEET_DAY("d");

static struct shape_group *group_of(struct shape_sums *g,
	const struct fleet_key *key, const char *platform)
{
	for (uint32_t i = 0; i < g->n; i++)
		if (g->groups[i].key == key &&
			!strcmp(g->groups[i].platform, platform))
			return &g->groups[i];
	if (g->n == g->room) {
		g->room = g->room ? g->room * 2 : 64;
		g->groups = arena_grow(&g->work, g->groups,
			g->room * sizeof *g->groups);
	}
	g->groups[g->n] = (struct shape_group){ .key = key,
		.platform = platform,
		.sums = { .arena = &g->work } };
	return &g->groups[g->n++];
}

static bool add(struct shape_sums *g, int64_t id, const char *platform,
	struct wide_bytes b, int sign)
{
	const struct fleet_key *key = fleet_key(g->keys, id);
	return !key || ledger_read(&group_of(g, key, platform)->sums, &b, sign);
}

/* Of all the operators of one run. */
static bool add_delta(struct shape_sums *g, const char *platform,
	struct wide_bytes b)
{
	bool ok = true;
	while (ok && b.at < b.end) {
		int64_t key = (int64_t)wide_next(&b);
		int128 len = wide_next(&b);
		if (b.bad || len < 0 || len > b.end - b.at)
			return false;
		struct wide_bytes one = { b.at, b.at + len, false };
		ok = add(g, key, platform, one, 1);
		b.at += len;
	}
	return ok;
}

static bool add_rows(struct shape_sums *g, struct result *r)
{
	bool ok = true;
	while (ok && result_next(r)) {
		size_t len;
		int sign = (int)result_int8(r, 1);
		int64_t key = result_int8(r, 0);
		const char *platform = result_text(r, g->arena);
		const uint8_t *at = result_bytes(r, &len);
		struct wide_bytes b = { at, at + len, false };
		ok = key ? add(g, key, platform, b, sign)
			 : add_delta(g, platform, b);
	}
	return ok;
}

static void add_keys(struct sql_params *p, struct sql_array *ids,
	const struct fleet_keys *keys)
{
	sql_array_init(ids, SQL_INT8);
	for (uint32_t i = 0; i < keys->n; i++)
		sql_array_int8(ids, keys->rows[i].id);
	sql_array(p, ids);
}

static bool read_rollups(struct db *db, struct shape_sums *g,
	const struct fleet_filter *f, struct result *r, struct err *e)
{
	struct sql_params p = { 0 };
	struct fleet_pieces pieces;
	struct sql_array ids;
	struct fleet_days d = fleet_days(f);
	fleet_pieces_init(&pieces, d, (int32_t)(time(NULL) / 86400));
	fleet_params(&p, &pieces, f, d);
	add_keys(&p, &ids, g->keys);
	bool ok = sql_hot(db, sums_sql, &p, r, e);
	sql_array_release(&ids);
	fleet_pieces_release(&pieces);
	return ok;
}

bool shape_sums_from_rollups(struct db *db, struct shape_sums *g,
	const struct fleet_filter *f, struct err *e)
{
	struct result r;
	if (!read_rollups(db, g, f, &r, e))
		return false;
	bool ok = add_rows(g, &r) ||
		  err_set(e, ERR_INTERNAL, "stored sums cannot be read");
	result_release(&r);
	return ok;
}

/* By shape, so that ledgers grow at their end. A run's lines of one shape are
 * counted once, as the rollups do. $8: the keys. */
static const char runs_sql[] = FLEET_CHOSEN
	", o AS (SELECT c.run_id, c.platform, c.g, o.rank, k.id AS key "
	"FROM chosen c JOIN run_operator o ON o.run_id = c.run_id "
	"JOIN operator_key k "
	"ON coalesce(k.operator, '') = coalesce(o.operator, '') "
	"AND coalesce(k.dtype, '') = coalesce(o.dtype, '') "
	"AND coalesce(k.phase, '') = coalesce(o.phase, '') "
	"WHERE k.id = ANY($8::bigint[])) "
	"SELECT key, platform, g::bigint, shape_id, nth = "
	"1, " READ_SHAPE_COLUMNS " "
	"FROM (SELECT s.*, NULL::text AS sizes, o.key, o.platform, o.g, "
	"row_number() OVER (PARTITION BY s.run_id, s.operator, s.shape_id "
	"ORDER BY s.rank) AS nth "
	"FROM o JOIN run_shape s ON s.run_id = o.run_id "
	"AND s.operator = o.rank) s "
	"ORDER BY key, platform, shape_id NULLS FIRST";

static bool add_run_shape(struct shape_sums *g, struct result *r)
{
	struct shape_stat s = { 0 };
	const struct fleet_key *key = fleet_key(g->keys, result_int8(r, 0));
	const char *platform = result_text(r, g->arena);
	int64_t weight_uh = result_int8(r, 0), id = result_int8(r, 0);
	bool first = result_bool(r), ok = read_shape(r, &g->work, &s);
	if (ok)
		rollup_shape_add(&group_of(g, key, platform)->sums, &s, id,
			weight_uh, first, 1);
	return ok;
}

bool shape_sums_from_runs(struct db *db, struct shape_sums *g,
	const struct fleet_filter *f, struct err *e)
{
	struct sql_params p = { 0 };
	struct sql_array ids;
	struct result r;
	fleet_run_params(&p, f);
	add_keys(&p, &ids, g->keys);
	bool ok = sql_run(db, runs_sql, &p, &r, e);
	sql_array_release(&ids);
	if (!ok)
		return false;
	while (ok && result_next(&r))
		ok = add_run_shape(g, &r) ||
		     err_set(e, ERR_INTERNAL,
			     "the shapes of a run cannot be read");
	result_release(&r);
	return ok;
}
