/* query_kernel.c - kernels of a run, their launches and graphs, their callers,
 * and all call paths. */
#include "query.h"
#include "column.h"
#include "page.h"
#include "profile_word.h"
#include "sql.h"

#define KERNEL_COLUMNS                                    \
	"name, mangled, short_name, family, defined_in, " \
	"launched_from, source, operator"

static void query_kernel_read(struct result *r, struct arena *a,
	struct profile_kernel *k)
{
	k->name = result_text(r, a);
	k->mangled = result_text(r, a);
	k->short_name = result_text(r, a);
	k->source.family = result_text(r, a);
	k->source.defined_in = result_text(r, a);
	k->source.launched_from = result_text(r, a);
	k->source.known_from = result_text(r, a);
	k->op = result_text(r, a);
}

#define KERNEL_TABLE_COLUMNS                                      \
	"kernel_id, " KERNEL_COLUMNS ", device, grid_x, grid_y, " \
	"grid_z, block_x, block_y, block_z, rank, " TIME_COLUMNS  \
	", time_pct, table_path, origins"

#define KERNEL_TABLE(order)                                               \
	PAGE_OF(KERNEL_TABLE_COLUMNS,                                     \
		"octet_length(name) + octet_length(short_name) + "        \
		"coalesce(octet_length(mangled), 0) + "                   \
		"coalesce(octet_length(table_path), 0) + "                \
		"coalesce(octet_length(origins::text), 0)",               \
		"FROM kernel_line WHERE run_id = $4 AND split = $5 "      \
		"AND ($6 IS NULL OR strpos(lower(name), lower($6)) > 0)", \
		order)

/* An order and its reverse. Equal rows stay in nsys' order, which is reversed
 * as well. Unknown values come last in both. */
#define KERNEL_TABLE_BY(column)                                       \
	{                                                             \
		KERNEL_TABLE(column " DESC NULLS LAST, rank"),        \
			KERNEL_TABLE(column " NULLS LAST, rank DESC") \
	}

static const char *const kernel_tables[][2] = {
	[KERNEL_TOTAL] = { KERNEL_TABLE("rank"), KERNEL_TABLE("rank DESC") },
	[KERNEL_INSTANCES] = KERNEL_TABLE_BY("instances"),
	[KERNEL_AVG] = KERNEL_TABLE_BY("mean_ns"),
	[KERNEL_MED] = KERNEL_TABLE_BY("median_ns"),
	[KERNEL_MIN] = KERNEL_TABLE_BY("min_ns"),
	[KERNEL_MAX] = KERNEL_TABLE_BY("max_ns"),
	[KERNEL_STDDEV] = KERNEL_TABLE_BY("stddev_ns"),
	[KERNEL_P90] = KERNEL_TABLE_BY("p90_ns"),
	[KERNEL_P99] = KERNEL_TABLE_BY("p99_ns"),
	[KERNEL_NAME] = { KERNEL_TABLE("name, rank"),
		KERNEL_TABLE("name DESC, rank DESC") },
};

static void query_kernel_read_row(struct result *r, struct arena *a,
	enum split split, struct kernel_line *k)
{
	k->kernel = result_int8(r, 0);
	query_kernel_read(r, a, &k->is);
	k->stat.split = split;
	k->stat.device = result_int4(r, -1);
	for (int i = 0; i < 3; i++)
		k->stat.grid[i] = result_int4(r, -1);
	for (int i = 0; i < 3; i++)
		k->stat.block[i] = result_int4(r, -1);
	k->rank = result_int4(r, 0);
	column_read_time(r, &k->stat.time);
	k->stat.time_pct = result_float8(r, NAN);
	k->stat.table_path = result_text(r, a);
	k->origins = result_texts(r, a, &k->origins_n);
}

bool query_kernels(struct db *db, struct arena *a,
	const struct kernel_filter *f, struct kernel_line **rows, uint32_t *n,
	bool *more, struct err *e)
{
	struct sql_params p = { 0 };
	struct result r;
	page_params(&p, f->offset, f->limit);
	sql_int8(&p, f->run);
	sql_int4(&p, (int32_t)f->split);
	sql_text(&p, f->q);
	if (!sql_run(db, kernel_tables[f->sort][f->reverse], &p, &r, e))
		return false;
	int64_t on_page = 0;
	*n = page_lines(&r, f->limit);
	*rows = arena_array(a, struct kernel_line, *n);
	for (uint32_t i = 0; i < *n && result_next(&r); i++) {
		query_kernel_read_row(&r, a, f->split, &(*rows)[i]);
		on_page = result_int8(&r, 0);
	}
	*more = on_page > *n;
	result_release(&r);
	return true;
}

bool query_shared_names(struct db *db, struct arena *a, int64_t run,
	const char ***names, uint32_t *n, struct err *e)
{
	static const char sql[] =
		"SELECT name "
		"FROM (SELECT name, rank, "
		"sum(octet_length(name)) OVER (ORDER BY rank) AS bytes "
		"FROM (SELECT k.name, s.rank, "
		"count(*) OVER (PARTITION BY k.short_name) AS kernels "
		"FROM run_kernel s "
		"JOIN kernel k ON k.id = s.kernel_id "
		"WHERE s.run_id = $1 AND s.split = $2) k "
		"WHERE kernels > 1) shared "
		"WHERE bytes <= $3 "
		"ORDER BY rank";
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, run);
	sql_int4(&p, SPLIT_NONE);
	sql_int8(&p, QUERY_PAGE_BYTES);
	if (!sql_hot(db, sql, &p, &r, e))
		return false;
	*n = (uint32_t)r.n;
	*names = arena_array(a, const char *, (size_t)*n + 1);
	for (uint32_t i = 0; i < *n && result_next(&r); i++)
		(*names)[i] = result_text(&r, a);
	result_release(&r);
	return true;
}

bool query_kernel(struct db *db, struct arena *a, int64_t kernel,
	struct profile_kernel *k, struct err *e)
{
	static const char sql[] =
		"SELECT " KERNEL_COLUMNS " FROM kernel WHERE id = $1";
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, kernel);
	if (!sql_hot(db, sql, &p, &r, e))
		return false;
	bool there = result_next(&r);
	if (there)
		query_kernel_read(&r, a, k);
	result_release(&r);
	return there ||
	       err_set(e, ERR_NOT_FOUND, "no kernel %lld", (long long)kernel);
}

static void query_launch_read_spread(struct result *r, struct spread *s)
{
	s->avg_ns = result_float8(r, NAN);
	s->med_ns = result_float8(r, NAN);
	s->min_ns = result_int8(r, -1);
	s->max_ns = result_int8(r, -1);
	s->stddev_ns = result_float8(r, NAN);
}

static void query_launch_read_launch(struct result *r, struct arena *a,
	struct launch_line *l)
{
	l->kernel = result_int8(r, 0);
	l->name = result_text(r, a);
	l->short_name = result_text(r, a);
	l->stat.thread = result_text(r, a);
	l->stat.device = result_int4(r, -1);
	l->stat.api = result_text(r, a);
	l->stat.instances = result_int8(r, 0);
	l->stat.queued = result_int8(r, 0);
	query_launch_read_spread(r, &l->stat.total);
	query_launch_read_spread(r, &l->stat.api_call);
	query_launch_read_spread(r, &l->stat.queue);
	query_launch_read_spread(r, &l->stat.kernel_run);
}

bool query_launches(struct db *db, struct arena *a,
	const struct launch_filter *f, struct launch_line **rows, uint32_t *n,
	bool *more, struct err *e)
{
	static const char sql[] = PAGE_OF(
		"rank, kernel_id, name, short_name, thread, device, api, "
		"instances, queued, " LAUNCH_SPREADS,
		"octet_length(name) + octet_length(short_name) + "
		"octet_length(thread) + octet_length(api)",
		"FROM launch_line "
		"WHERE run_id = $4 AND ($5 IS NULL "
		"OR strpos(lower(name), lower($5)) > 0 "
		"OR strpos(lower(api), lower($5)) > 0)",
		"rank");
	struct sql_params p = { 0 };
	struct result r;
	page_params(&p, f->offset, f->limit);
	sql_int8(&p, f->run);
	sql_text(&p, f->q);
	if (!sql_run(db, sql, &p, &r, e))
		return false;
	int64_t on_page = 0;
	*n = page_lines(&r, f->limit);
	*rows = arena_array(a, struct launch_line, *n);
	for (uint32_t i = 0; i < *n && result_next(&r); i++) {
		result_int4(&r, 0); /* rank, by which they are sorted */
		query_launch_read_launch(&r, a, &(*rows)[i]);
		on_page = result_int8(&r, 0);
	}
	*more = on_page > *n;
	result_release(&r);
	return true;
}

bool query_graphs(struct db *db, struct arena *a, int64_t run,
	struct graph_stat **rows, uint32_t *n, struct err *e)
{
	static const char sql[] =
		"SELECT graph_id, graph_exec, device, " TIME_COLUMNS " "
		"FROM run_graph "
		"WHERE run_id = $1 "
		"ORDER BY rank";
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, run);
	if (!sql_hot(db, sql, &p, &r, e))
		return false;
	*n = (uint32_t)r.n;
	*rows = arena_array(a, struct graph_stat, *n);
	for (struct graph_stat *g = *rows; result_next(&r); g++) {
		g->graph_id = result_int8(&r, -1);
		g->graph_exec = result_int8(&r, -1);
		g->device = result_int4(&r, -1);
		column_read_time(&r, &g->time);
	}
	result_release(&r);
	return true;
}

static bool query_caller_read_totals(struct db *db, struct arena *a,
	int64_t run, int64_t kernel, struct caller_table *t, struct err *e)
{
	static const char sql[] =
		"SELECT c.launches, c.total_ns, " KERNEL_COLUMNS " "
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
		query_kernel_read(&r, a, &t->kernel);
	}
	result_release(&r);
	return there || err_set(e, ERR_NOT_FOUND, "run %lld has no kernel %lld",
				(long long)run, (long long)kernel);
}

static bool query_caller_read_origin(struct db *db, struct arena *a,
	int64_t run, int64_t kernel, struct caller_table *t, struct err *e)
{
	static const char sql[] =
		"SELECT nodes, stacks, stacks_n FROM run_origin "
		"WHERE run_id = $1 AND kernel_id = $2";
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, run);
	sql_int8(&p, kernel);
	if (!sql_hot(db, sql, &p, &r, e))
		return false;
	if (result_next(&r)) {
		t->origin_nodes = result_texts(&r, a, &t->origin_nodes_n);
		t->origin_stacks = result_texts(&r, a, &t->origin_stacks_n);
		t->origin_stacks_all = (uint32_t)result_int4(&r, 0);
	}
	result_release(&r);
	return true;
}

/* A frame by its number; OFFSET 0 forces a look-up by key. `bytes` is the size
 * of the frame in a response. */
#define FRAME(number)                                                     \
	"SELECT frame, parent, octet_length(name)::bigint + 32 AS bytes " \
	"FROM run_frame WHERE run_id = $1 AND frame = " number " OFFSET 0"
#define FIRST_FRAME FRAME("p.frame")
#define NEXT_FRAME FRAME("u.parent")

/* Walks from each caller of the page towards the root, one look-up per frame,
 * until the path has its maximum length. Keeps as many lines as fit the bytes
 * of a page. Names are read last, so that the recursion does not carry them.
 * Parents have lower numbers, so min(u.parent) is the parent of the outermost
 * frame. */
static const char caller_lines_sql[] =
	"WITH RECURSIVE page AS MATERIALIZED ("
	"SELECT rank, found_by, frame, launches, total_ns "
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
	"SELECT p.rank, p.found_by, p.launches, p.total_ns, "
	"count(*) OVER () AS on_page, "
	"row_number() OVER along AS nth, "
	"sum(coalesce(b.bytes, 0)) OVER along AS text "
	"FROM page p "
	"LEFT JOIN (SELECT rank, max(bytes) AS bytes FROM up GROUP BY rank) b "
	"ON b.rank = p.rank "
	"WINDOW along AS (ORDER BY p.rank ROWS UNBOUNDED PRECEDING)) "
	"SELECT l.on_page, l.found_by, l.launches, l.total_ns, "
	"coalesce(min(u.parent) > 0, false), "
	"array_agg(f.kind ORDER BY u.depth DESC) FILTER (WHERE u.depth > 0), "
	"array_agg(f.name ORDER BY u.depth DESC) FILTER (WHERE u.depth > 0) "
	"FROM lines l "
	"LEFT JOIN up u ON u.rank = l.rank "
	"LEFT JOIN LATERAL (SELECT kind, name FROM run_frame "
	"WHERE run_id = $1 AND frame = u.frame OFFSET 0) f ON true "
	"WHERE l.text <= $7 OR l.nth = 1 "
	"GROUP BY l.rank, l.on_page, l.found_by, l.launches, l.total_ns "
	"ORDER BY l.rank";

static void query_caller_read_line(struct result *r, struct arena *a,
	struct caller_line *l)
{
	l->known = (enum caller_known)column_word(r, a, profile_word_known,
		CALLER_KNOWNS);
	l->paths = 1;
	l->launches = result_int8(r, 0);
	l->total_ns = result_int8(r, 0);
	l->cut = result_bool(r);
	const char *const *kinds = result_texts(r, a, &l->path_n);
	const char *const *names = result_texts(r, a, &l->path_n);
	struct frame *f = arena_array(a, struct frame, l->path_n);
	l->path = f;
	for (uint32_t i = 0; i < l->path_n; i++) {
		f[i].kind = (enum frame_kind)column_word_of(kinds[i],
			profile_word_frame, FRAME_KINDS);
		f[i].name = names[i];
	}
}

bool query_callers(struct db *db, struct arena *a, int64_t run, int64_t kernel,
	int64_t offset, int limit, struct caller_table *t, struct err *e)
{
	struct sql_params p = { 0 };
	struct result r;
	*t = (struct caller_table){ 0 };
	if (!query_caller_read_totals(db, a, run, kernel, t, e) ||
		!query_caller_read_origin(db, a, run, kernel, t, e))
		return false;
	if (limit == 0)
		return true;
	sql_int8(&p, run);
	sql_int8(&p, kernel);
	sql_int8(&p, offset);
	sql_int8(&p, limit + INT64_C(1));
	sql_int4(&p, QUERY_PATH);
	sql_int8(&p, QUERY_PATH_BYTES);
	sql_int8(&p, QUERY_PAGE_BYTES);
	if (!sql_hot(db, caller_lines_sql, &p, &r, e))
		return false;
	int64_t on_page = 0;
	t->n = (uint32_t)(r.n > limit ? limit : r.n);
	t->lines = arena_array(a, struct caller_line, t->n);
	for (uint32_t i = 0; i < t->n && result_next(&r); i++) {
		on_page = result_int8(&r, 0);
		query_caller_read_line(&r, a, &t->lines[i]);
	}
	t->more = on_page > t->n;
	result_release(&r);
	return true;
}

/* ---- the call paths of a run as a tree */

/* The frames above the callers of a kernel; UNION visits each frame once. $2
 * NULL: all frames, because the store has only those of callers. */
#define CALL_FRAMES                                                      \
	"FROM run_frame WHERE run_id = $1 AND ($2 IS NULL OR frame IN (" \
	"WITH RECURSIVE up (frame) AS ("                                 \
	"SELECT frame FROM run_caller "                                  \
	"WHERE run_id = $1 AND kernel_id = $2 "                          \
	"UNION SELECT f.parent FROM up u "                               \
	"JOIN run_frame f ON f.run_id = $1 AND f.frame = u.frame) "      \
	"SELECT frame FROM up))"

static bool query_call_bytes(struct db *db, int64_t run,
	const struct sql_params *p, struct err *e)
{
	static const char sql[] =
		"SELECT coalesce(sum(octet_length(name)), 0)::bigint " CALL_FRAMES;
	struct result r;
	if (!sql_hot(db, sql, p, &r, e))
		return false;
	int64_t bytes = result_next(&r) ? result_int8(&r, 0) : 0;
	result_release(&r);
	return bytes <= QUERY_FRAME_BYTES ||
	       err_set(e, ERR_TOO_LARGE,
		       "the names of the call paths of run %lld have %lld MiB; "
		       "the limit is %d",
		       (long long)run, (long long)(bytes >> 20),
		       QUERY_FRAME_BYTES >> 20);
}

/* The frames, without the gaps between their numbers: *index has the position
 * of each number, 0 for numbers without a frame. */
static bool query_call_frames(struct db *db, struct arena *a,
	const struct sql_params *params, struct call_paths *p, uint32_t **index,
	uint32_t *index_n, struct err *e)
{
	static const char sql[] =
		"SELECT max(frame) OVER (), frame, parent, kind, name " CALL_FRAMES
		" ORDER BY frame";
	struct result r;
	if (!sql_hot(db, sql, params, &r, e))
		return false;
	struct frame *f = arena_array(a, struct frame, (size_t)r.n + 1);
	*index_n = 0;
	for (uint32_t i = 1; result_next(&r); i++) {
		uint32_t most = (uint32_t)result_int4(&r, 0);
		if (i == 1) {
			*index_n = most + 1;
			*index = arena_array(a, uint32_t, *index_n);
		}
		(*index)[result_int4(&r, 0)] = i;
		/* Parents have lower numbers, so theirs are known. */
		f[i].parent = (*index)[result_int4(&r, 0)];
		f[i].kind = (enum frame_kind)column_word(&r, a,
			profile_word_frame, FRAME_KINDS);
		f[i].name = result_text(&r, a);
	}
	p->frames = f;
	p->frames_n = (uint32_t)r.n + 1;
	result_release(&r);
	return true;
}

static bool query_call_kernels(struct db *db, struct arena *a,
	const struct sql_params *params, struct call_paths *p, struct err *e)
{
	static const char sql[] =
		"SELECT id, " KERNEL_COLUMNS " FROM kernel WHERE id IN ("
		"SELECT kernel_id FROM run_caller "
		"WHERE run_id = $1 AND ($2 IS NULL OR kernel_id = $2)) "
		"ORDER BY id";
	struct result r;
	if (!sql_hot(db, sql, params, &r, e))
		return false;
	p->kernels_n = (uint32_t)r.n;
	struct profile_kernel *k =
		arena_array(a, struct profile_kernel, p->kernels_n);
	int64_t *id = arena_array(a, int64_t, p->kernels_n);
	for (uint32_t i = 0; i < p->kernels_n && result_next(&r); i++) {
		id[i] = result_int8(&r, 0);
		query_kernel_read(&r, a, &k[i]);
	}
	p->kernels = k;
	p->ids = id;
	result_release(&r);
	return true;
}

/* The statements of query_call_paths() see different rows if the run is
 * analyzed again between them. */
static bool query_call_changed(int64_t run, struct err *e)
{
	return err_set(e, ERR_CONFLICT,
		"run %lld was analyzed again during this request; repeat it",
		(long long)run);
}

static bool query_call_callers(struct db *db, struct arena *a, int64_t run,
	const struct sql_params *params, struct call_paths *p,
	const uint32_t *index, uint32_t index_n, struct err *e)
{
	static const char sql[] =
		"SELECT kernel_id, found_by, frame, launches, total_ns "
		"FROM run_caller "
		"WHERE run_id = $1 AND ($2 IS NULL OR kernel_id = $2) "
		"ORDER BY kernel_id, rank";
	struct result r;
	uint32_t kernel = 0;
	bool ok = true;
	if (!sql_hot(db, sql, params, &r, e))
		return false;
	struct caller_stat *c = arena_array(a, struct caller_stat, (size_t)r.n);
	p->callers_n = (uint32_t)r.n;
	p->callers = c;
	for (; ok && result_next(&r); c++) {
		int64_t id = result_int8(&r, 0);
		while (kernel < p->kernels_n && p->ids[kernel] < id)
			kernel++;
		c->kernel = kernel;
		c->known = (enum caller_known)column_word(&r, a,
			profile_word_known, CALLER_KNOWNS);
		uint32_t frame = (uint32_t)result_int4(&r, 0);
		c->frame = frame < index_n ? index[frame] : 0;
		c->launches = result_int8(&r, 0);
		c->total_ns = result_int8(&r, 0);
		ok = kernel < p->kernels_n && p->ids[kernel] == id &&
		     (c->known != CALLER_PATH || c->frame);
	}
	result_release(&r);
	return ok || query_call_changed(run, e);
}

bool query_call_paths(struct db *db, struct arena *a, int64_t run,
	int64_t kernel, struct call_paths *p, struct err *e)
{
	struct sql_params params = { 0 };
	uint32_t *index = NULL, index_n;
	sql_int8(&params, run);
	sql_int8_known(&params, kernel ? kernel : -1);
	*p = (struct call_paths){ 0 };
	return query_call_bytes(db, run, &params, e) &&
	       query_call_frames(db, a, &params, p, &index, &index_n, e) &&
	       query_call_kernels(db, a, &params, p, e) &&
	       query_call_callers(db, a, run, &params, p, index, index_n, e);
}
