/* keep_plan.c - one statement, whose parts are named and follow each other. */
#include "keep_plan.h"
#include "sql.h"
#include <assert.h>

const char *keep_kind_word(enum keep_kind k)
{
	static const char *const words[] = {
#define X(name, word) word,
		KEEP_KINDS(X)
#undef X
	};
	return words[k];
}

const char *keep_why_word(enum keep_why w)
{
	static const char *const words[] = {
#define X(name, word) word,
		KEEP_WHYS(X)
#undef X
	};
	return words[w];
}

/* $1 project, $2 raw_days, $3 run_days, $4 quota_mib. A hundred years are for
 * ever: what lies further back is no moment. */
#define POLICY                                                            \
	"policy AS MATERIALIZED ("                                        \
	"SELECT p.project, least(coalesce($2, t.raw_days), 36500) "       \
	"AS raw_days, least(coalesce($3, t.run_days), 36500) "            \
	"AS run_days, coalesce($4, t.quota_mib) AS quota_mib "            \
	"FROM (SELECT project FROM upload UNION SELECT project FROM run " \
	"UNION SELECT project FROM gate) p "                              \
	"LEFT JOIN LATERAL (SELECT * FROM retention r "                   \
	"WHERE r.project = p.project OR r.project IS NULL "               \
	"ORDER BY r.project NULLS LAST LIMIT 1) t ON true "               \
	"WHERE $1 IS NULL OR p.project = $1), "

#define RUNS                                                           \
	"lives AS MATERIALIZED ("                                      \
	"SELECT r.run_id, r.upload_id, r.project, r.created_at, "      \
	"r.labels @> '{\"keep\": \"true\"}' AS kept, "                 \
	"u.state IN ('done', 'failed') AS idle, "                      \
	"coalesce(c.bytes, 0) AS bytes, "                              \
	"u.state IN ('done', 'failed') "                               \
	"AND NOT r.labels @> '{\"keep\": \"true\"}' AND coalesce("     \
	"r.created_at <= now() - make_interval(days => p.run_days), "  \
	"false) AS aged "                                              \
	"FROM run r JOIN upload u ON u.id = r.upload_id "              \
	"LEFT JOIN policy p ON p.project = r.project "                 \
	"LEFT JOIN (SELECT run_id, sum(octet_length(bytes)) AS bytes " \
	"FROM run_capture GROUP BY run_id) c ON c.run_id = r.run_id), "

/* `why` NULL: age takes none of it. */
#define UPLOADS                                                            \
	"raws AS ("                                                        \
	"SELECT u.id, u.project, u.received_at, u.bytes, u.identity, "     \
	"count(l.run_id) AS runs, CASE WHEN count(l.run_id) > 0 "          \
	"THEN bool_or(l.kept) ELSE u.identity IS NOT NULL "                \
	"AND u.labels @> '{\"keep\": \"true\"}' END AS kept, "             \
	"coalesce(bool_and(l.aged), false) AS emptied "                    \
	"FROM upload u LEFT JOIN lives l ON l.upload_id = u.id "           \
	"WHERE u.state IN ('done', 'failed') AND u.dropped_at IS NULL "    \
	"GROUP BY u.id), "                                                 \
	"judged AS MATERIALIZED ("                                         \
	"SELECT r.*, CASE WHEN r.kept THEN NULL "                          \
	"WHEN r.runs = 0 AND r.identity IS NULL THEN 'deleted' "           \
	"WHEN r.received_at <= now() - make_interval(days => p.raw_days) " \
	"THEN 'age' WHEN r.emptied THEN 'runs' END AS why "                \
	"FROM raws r JOIN policy p USING (project)), "

#define BEFORE(order)                                                   \
	"sum(x.bytes) OVER (PARTITION BY x.project ORDER BY " order ")" \
	" - x.bytes AS before "

#define QUOTA                                                                  \
	"used AS ("                                                            \
	"SELECT b.project, sum(b.bytes) AS bytes FROM ("                       \
	"SELECT project, bytes FROM upload u WHERE dropped_at IS NULL "        \
	"AND NOT EXISTS (SELECT FROM judged j "                                \
	"WHERE j.id = u.id AND j.why IS NOT NULL) "                            \
	"UNION ALL SELECT project, bytes FROM lives WHERE NOT aged) b "        \
	"GROUP BY b.project), "                                                \
	"excess AS ("                                                          \
	"SELECT project, u.bytes - p.quota_mib::numeric * 1048576 "            \
	"AS bytes FROM used u JOIN policy p USING (project)), "                \
	"raw_over AS MATERIALIZED ("                                           \
	"SELECT o.id, o.project, o.bytes FROM ("                               \
	"SELECT x.id, x.project, x.bytes, " BEFORE(                            \
		"x.received_at, x.id") "FROM judged x WHERE x.why IS NULL "    \
				       "AND NOT x.kept "                       \
				       "AND x.bytes > 0) o JOIN excess e "     \
				       "USING (project) "                      \
				       "WHERE o.before < e.bytes), "           \
				       "run_over AS MATERIALIZED ("            \
				       "SELECT o.run_id, o.project, o.bytes "  \
				       "FROM ("                                \
				       "SELECT x.run_id, x.project, "          \
				       "x.bytes, " BEFORE("x.created_at, "     \
							  "x.run_id") "FROM "  \
								      "lives " \
								      "x "     \
								      "WHERE " \
								      "x."     \
								      "idle "  \
								      "AND "   \
								      "NOT "   \
								      "x."     \
								      "kept "  \
								      "AND "   \
								      "NOT "   \
								      "x."     \
								      "aged "  \
								      "AND "   \
								      "x."     \
								      "bytes " \
								      "> 0) "  \
								      "o "     \
								      "JOIN "  \
								      "excess" \
								      " e "    \
								      "USING " \
								      "(proje" \
								      "ct) "   \
								      "WHERE " \
								      "o."     \
								      "before" \
								      " < "    \
								      "e."     \
								      "bytes " \
								      "- "     \
								      "(SELEC" \
								      "T "     \
								      "coales" \
								      "ce("    \
								      "sum(w." \
								      "bytes)" \
								      ", 0) "  \
								      "FROM "  \
								      "raw_"   \
								      "over "  \
								      "w "     \
								      "WHERE " \
								      "w."     \
								      "projec" \
								      "t = "   \
								      "o."     \
								      "projec" \
								      "t)), "

/* Uploads that are emptied by both together. */
#define THEN                                                            \
	"raw_then AS ("                                                 \
	"SELECT j.id, j.project, j.bytes FROM judged j "                \
	"WHERE j.why IS NULL AND NOT j.kept AND j.runs > 0 "            \
	"AND NOT EXISTS (SELECT FROM raw_over o WHERE o.id = j.id) "    \
	"AND NOT EXISTS (SELECT FROM lives l WHERE l.upload_id = j.id " \
	"AND NOT l.aged AND NOT EXISTS (SELECT FROM run_over o "        \
	"WHERE o.run_id = l.run_id))), "                                \
	"begun AS ("                                                    \
	"SELECT u.id, u.project, sum(octet_length(c.bytes)) AS bytes "  \
	"FROM upload u JOIN upload_chunk c ON c.upload_id = u.id "      \
	"JOIN policy p USING (project) "                                \
	"WHERE u.dropped_at IS NOT NULL GROUP BY u.id) "

static const char plan_sql[] =
	"WITH " POLICY RUNS UPLOADS QUOTA THEN
	"SELECT kind, why, id, project, bytes::bigint FROM ("
	"SELECT 0, 'age', run_id, project, bytes FROM lives WHERE aged "
	"UNION ALL SELECT 0, 'quota', run_id, project, bytes FROM run_over "
	"UNION ALL SELECT 1, why, id, project, bytes FROM judged "
	"WHERE why IS NOT NULL "
	"UNION ALL SELECT 1, 'quota', id, project, bytes FROM raw_over "
	"UNION ALL SELECT 1, 'runs', id, project, bytes FROM raw_then "
	"UNION ALL SELECT 1, 'begun', id, project, bytes FROM begun "
	"UNION ALL SELECT 2, 'age', g.id, g.project, 0 FROM gate g "
	"JOIN policy p USING (project) WHERE g.created_at <= now() - "
	"make_interval(days => p.run_days)"
	") i (kind, why, id, project, bytes) "
	"ORDER BY kind, id";

static enum keep_why why_from(const char *word)
{
	enum keep_why w = 0;
	while (w < KEEP_WHYS_N && strcmp(keep_why_word(w), word) != 0)
		w++;
	assert(w < KEEP_WHYS_N);
	return w;
}

struct planning {
	struct arena *arena;
	const struct keep_ask *ask;
	struct keep_item *items;
	uint32_t n;
};

/* A large fleet may take longer than what answers requests may. */
static bool plan(struct db *db, void *arg, struct err *e)
{
	struct planning *w = arg;
	struct sql_params p = { 0 };
	struct result r;
	sql_text(&p, w->ask->project);
	sql_int4_known(&p, w->ask->raw_days);
	sql_int4_known(&p, w->ask->run_days);
	sql_int8_known(&p, w->ask->quota_mib);
	if (!sql_run(db, "SET LOCAL statement_timeout = 0", NULL, NULL, e) ||
		!sql_run(db, plan_sql, &p, &r, e))
		return false;
	w->n = (uint32_t)r.n;
	w->items = arena_array(w->arena, struct keep_item, w->n);
	for (struct keep_item *i = w->items; result_next(&r); i++) {
		i->kind = (enum keep_kind)result_int4(&r, 0);
		i->why = why_from(result_text(&r, w->arena));
		i->id = result_int8(&r, 0);
		i->project = result_text(&r, w->arena);
		i->bytes = result_int8(&r, 0);
	}
	result_release(&r);
	return true;
}

bool keep_plan(struct db *db, struct arena *a, const struct keep_ask *ask,
	struct keep_item **items, uint32_t *n, struct err *e)
{
	struct planning w = { .arena = a, .ask = ask };
	if (!sql_transaction(db, plan, &w, e))
		return false;
	*items = w.items;
	*n = w.n;
	return true;
}
