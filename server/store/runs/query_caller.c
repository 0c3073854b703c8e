/* query_caller.c - who launched a kernel: its callers, with their paths. */
#include "query.h"
#include "read_kernel.h"
#include "column.h"
#include "sql.h"

static bool read_totals(struct db *db, struct arena *a, int64_t run,
	int64_t kernel, struct caller_table *t, struct err *e)
{
	static const char sql[] =
		"SELECT c.launches, c.total_ns, " READ_KERNEL_COLUMNS " "
		"FROM kernel "
		"CROSS JOIN LATERAL (SELECT "
		"coalesce(sum(launches), 0)::bigint AS launches, "
		"coalesce(sum(total_ns), 0)::bigint AS total_ns "
		"FROM run_caller "
		"WHERE run_id = $1 AND kernel_id = id) c "
		"WHERE id = $2 AND EXISTS (SELECT FROM run_kernel s "
		"WHERE s.run_id = $1 AND s.split = 0 AND s.kernel_id = id)";
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, run);
	sql_int8(&p, kernel);
	if (!sql_hot(db, sql, &p, &r, e))
		return false;
	bool there = result_next(&r);
	if (there) {
		t->launches = result_int8(&r, 0);
		t->total_ns = result_int8(&r, 0);
		read_kernel(&r, a, &t->kernel);
	}
	result_release(&r);
	return there || err_set(e, ERR_NOT_FOUND, "run %lld has no kernel %lld",
				(long long)run, (long long)kernel);
}

/* A frame by its number, which is looked up by key, always. `bytes` is what it
 * costs in an answer. */
#define FRAME(number)                                                     \
	"SELECT frame, parent, octet_length(name)::bigint + 32 AS bytes " \
	"FROM run_frame WHERE run_id = $1 AND frame = " number " OFFSET 0"
#define FIRST_FRAME FRAME("p.frame")
#define NEXT_FRAME FRAME("u.parent")

/* Each caller of the page walks up to the root, a look-up a frame, and stops
 * where its path is as long as one is shown; of the lines as many are kept as
 * their names have room. Names are read last, so that none is carried along.
 * The parent of the outermost frame is the least of a path's. */
static const char lines_sql[] =
	"WITH RECURSIVE page AS MATERIALIZED ("
	"SELECT rank, known, frame, launches, total_ns "
	"FROM run_caller "
	"WHERE run_id = $1 AND kernel_id = $2 "
	"ORDER BY rank OFFSET $3 LIMIT $4), "
	"up (rank, depth, frame, parent, bytes) AS ("
	"SELECT p.rank, 1, f.frame, f.parent, f.bytes "
	"FROM page p CROSS JOIN LATERAL (" FIRST_FRAME ") f "
	"UNION ALL "
	"SELECT u.rank, u.depth + 1, f.frame, f.parent, u.bytes + f.bytes "
	"FROM up u CROSS JOIN LATERAL (" NEXT_FRAME ") f "
	"WHERE u.depth < $5 AND u.bytes < $6), "
	"lines AS ("
	"SELECT p.rank, p.known, p.launches, p.total_ns, "
	"count(*) OVER () AS on_page, "
	"row_number() OVER along AS nth, "
	"sum(coalesce(b.bytes, 0)) OVER along AS text "
	"FROM page p "
	"LEFT JOIN (SELECT rank, max(bytes) AS bytes FROM up GROUP BY rank) b "
	"ON b.rank = p.rank "
	"WINDOW along AS (ORDER BY p.rank ROWS UNBOUNDED PRECEDING)) "
	"SELECT l.on_page, l.known, l.launches, l.total_ns, "
	"coalesce(min(u.parent) > 0, false), "
	"array_agg(f.kind ORDER BY u.depth DESC) FILTER (WHERE u.depth > 0), "
	"array_agg(f.name ORDER BY u.depth DESC) FILTER (WHERE u.depth > 0) "
	"FROM lines l "
	"LEFT JOIN up u ON u.rank = l.rank "
	"LEFT JOIN LATERAL (SELECT kind, name FROM run_frame "
	"WHERE run_id = $1 AND frame = u.frame OFFSET 0) f ON true "
	"WHERE l.text <= $7 OR l.nth = 1 "
	"GROUP BY l.rank, l.on_page, l.known, l.launches, l.total_ns "
	"ORDER BY l.rank";

static void read_line(struct result *r, struct arena *a, struct caller_line *l)
{
	l->known = (enum caller_known)read_word(r, a, profile_word_known,
		CALLER_KNOWNS);
	l->launches = result_int8(r, 0);
	l->total_ns = result_int8(r, 0);
	l->cut = result_bool(r);
	const char *const *kinds = result_texts(r, a, &l->path_n);
	const char *const *names = result_texts(r, a, &l->path_n);
	struct frame *f = arena_array(a, struct frame, l->path_n);
	l->path = f;
	for (uint32_t i = 0; i < l->path_n; i++) {
		f[i].kind = (enum frame_kind)read_word_of(kinds[i],
			profile_word_frame, FRAME_KINDS);
		f[i].name = names[i];
	}
}

bool query_callers(struct db *db, struct arena *a, int64_t run, int64_t kernel,
	int64_t offset, int limit, struct caller_table *t, struct err *e)
{
	struct sql_params p = { 0 };
	struct result r;
	if (!read_totals(db, a, run, kernel, t, e))
		return false;
	sql_int8(&p, run);
	sql_int8(&p, kernel);
	sql_int8(&p, offset);
	sql_int8(&p, limit + INT64_C(1));
	sql_int4(&p, QUERY_PATH);
	sql_int8(&p, QUERY_PATH_BYTES);
	sql_int8(&p, QUERY_PAGE_BYTES);
	if (!sql_hot(db, lines_sql, &p, &r, e))
		return false;
	int64_t on_page = 0;
	t->n = (uint32_t)(r.n > limit ? limit : r.n);
	t->lines = arena_array(a, struct caller_line, t->n);
	for (uint32_t i = 0; i < t->n && result_next(&r); i++) {
		on_page = result_int8(&r, 0);
		read_line(&r, a, &t->lines[i]);
	}
	t->more = on_page > t->n;
	result_release(&r);
	return true;
}
