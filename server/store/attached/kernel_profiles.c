/* kernel_profiles.c - files of a kernel profiler, and their rows */
#include "kernel_profiles.h"
#include "column.h"
#include "packed.h"
#include "sql.h"
#include <math.h>
#include <string.h>

#define FILES(id)                                                             \
	"SELECT f.run_id, f.seq, f.name, f.sha256, f.launches, f.bad_lines, " \
	"f.bad_values, f.cut, i.ordinal, f.created_at "                       \
	"FROM kernel_profile_file f JOIN run_identity i ON i.id = f.run_id "  \
	"WHERE " id " = $1 ORDER BY i.ordinal, f.seq"

static void kernel_profiles_file_read(struct result *r, struct arena *a,
	struct kernel_profile_file *f)
{
	size_t len;
	f->run = result_int8(r, 0);
	f->seq = result_int4(r, 0);
	f->name = result_text(r, a);
	const void *sha = result_bytes(r, &len);
	if (sha && len == SHA256_BYTES)
		memcpy(f->sha256, sha, SHA256_BYTES);
	f->launches = result_int8(r, 0);
	f->bad_lines = result_int8(r, 0);
	f->bad_values = result_int8(r, 0);
	f->cut = result_bool(r);
	f->ordinal = result_int4(r, -1);
	f->created = result_moment(r);
}

static bool kernel_profiles_select(struct db *db, struct arena *a,
	const char *sql, int64_t id, struct kernel_profile_file **files,
	uint32_t *n, struct err *e)
{
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, id);
	if (!sql_run(db, sql, &p, &r, e))
		return false;
	*n = 0;
	*files = arena_array(a, struct kernel_profile_file, (size_t)r.n + 1);
	bool ok = *files != NULL;
	while (ok && result_next(&r)) {
		struct kernel_profile_file *f = &(*files)[(*n)++];
		kernel_profiles_file_read(&r, a, f);
		ok = f->name;
	}
	result_release(&r);
	return ok || arena_err(a, e);
}

bool kernel_profiles_files(struct db *db, struct arena *a, int64_t run,
	struct kernel_profile_file **files, uint32_t *n, struct err *e)
{
	static const char sql[] = FILES("i.id");
	return kernel_profiles_select(db, a, sql, run, files, n, e);
}

bool kernel_profiles_of_upload(struct db *db, struct arena *a, int64_t upload,
	struct kernel_profile_file **files, uint32_t *n, struct err *e)
{
	static const char sql[] = FILES("i.upload_id");
	return kernel_profiles_select(db, a, sql, upload, files, n, e);
}

bool kernel_profiles_each(struct db *db,
	const struct kernel_profile_file *files, uint32_t n,
	kernel_profiles_fn *each, void *to, struct err *e)
{
	static const char sql[] = "SELECT content FROM kernel_profile_file "
				  "WHERE run_id = $1 AND seq = $2";
	bool ok = true;
	for (uint32_t i = 0; ok && i < n; i++) {
		struct sql_params p = { 0 };
		struct result r;
		struct kernel_profile_file f = files[i];
		sql_int8(&p, f.run);
		sql_int4(&p, f.seq);
		if (!sql_run(db, sql, &p, &r, e))
			return false;
		/* A file that is gone was deleted with its run. */
		if (result_next(&r)) {
			f.content = result_bytes(&r, &f.len);
			ok = each(to, &f, e);
		}
		result_release(&r);
	}
	return ok;
}

static bool kernel_profiles_file_add(struct db *db, int64_t run,
	const struct kernel_profile_file *f, struct err *e)
{
	static const char sql[] =
		"INSERT INTO kernel_profile_file (run_id, seq, name, sha256, "
		"content, launches, bad_lines, bad_values, cut) "
		"SELECT $1, coalesce(max(seq) + 1, 0), $2, $3, $4, $5, $6, $7, "
		"$8 FROM kernel_profile_file WHERE run_id = $1";
	struct sql_params p = { 0 };
	sql_int8(&p, run);
	sql_text(&p, f->name);
	sql_bytes(&p, f->sha256, SHA256_BYTES);
	sql_bytes(&p, f->content, f->len);
	sql_int8(&p, f->launches);
	sql_int8(&p, f->bad_lines);
	sql_int8(&p, f->bad_values);
	sql_bool(&p, f->cut);
	return sql_run(db, sql, &p, NULL, e);
}

struct kernel_profiles_attaching {
	int64_t upload;
	const struct derived_run *run;
	const struct kernel_profile_file *file;
	uint32_t files;
};

/* Locks the upload, so that no ingest can begin. */
static bool kernel_profiles_hold(struct db *db,
	const struct kernel_profiles_attaching *w, struct err *e)
{
	static const char sql[] =
		"SELECT u.state IN ('done', 'failed'), (SELECT count(*) "
		"FROM kernel_profile_file f WHERE f.run_id = $2) "
		"FROM upload u WHERE u.id = $1 "
		"AND EXISTS (SELECT FROM run r WHERE r.run_id = $2) "
		"FOR UPDATE OF u";
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, w->upload);
	sql_int8(&p, w->run->id);
	if (!sql_run(db, sql, &p, &r, e))
		return false;
	bool there = result_next(&r);
	bool idle = there && result_bool(&r);
	bool same = idle && result_int8(&r, 0) == w->files;
	result_release(&r);
	if (!there)
		return err_set(e, ERR_NOT_FOUND, "no run %lld",
			(long long)w->run->id);
	if (!idle)
		return err_set(e, ERR_CONFLICT,
			"run %lld is being analyzed; try again later",
			(long long)w->run->id);
	return same ||
	       err_set(e, ERR_CONFLICT,
		       "another file was attached to run %lld at the same "
		       "time; try again",
		       (long long)w->run->id);
}

static bool kernel_profiles_attach_work(struct db *db, void *arg, struct err *e)
{
	const struct kernel_profiles_attaching *w = arg;
	return kernel_profiles_hold(db, w, e) &&
	       kernel_profiles_file_add(db, w->run->id, w->file, e) &&
	       derived_replace_kernel_profiles(db, w->run, e);
}

bool kernel_profiles_attach(struct db *db, int64_t upload,
	const struct derived_run *run, const struct kernel_profile_file *f,
	uint32_t files, struct err *e)
{
	struct kernel_profiles_attaching w = { upload, run, f, files };
	return sql_transaction(db, kernel_profiles_attach_work, &w, e);
}

bool kernel_profiles_kernels(struct db *db, struct arena *a, int64_t run,
	struct profile *p, int64_t **ids, struct err *e)
{
	static const char sql[] =
		"SELECT id, name, mangled, short_name FROM kernel "
		"WHERE id IN (SELECT kernel_id FROM run_kernel "
		"WHERE run_id = $1 AND split = 0) ORDER BY id";
	struct sql_params q = { 0 };
	struct result r;
	sql_int8(&q, run);
	if (!sql_run(db, sql, &q, &r, e))
		return false;
	p->kernels_n = 0;
	p->kernels = arena_array(a, struct profile_kernel, (size_t)r.n + 1);
	*ids = arena_array(a, int64_t, (size_t)r.n + 1);
	bool ok = p->kernels && *ids;
	while (ok && result_next(&r)) {
		struct profile_kernel *k = &p->kernels[p->kernels_n];
		(*ids)[p->kernels_n++] = result_int8(&r, 0);
		k->name = result_text(&r, a);
		k->mangled = result_text(&r, a);
		k->short_name = result_text(&r, a);
		ok = k->name && k->short_name;
	}
	result_release(&r);
	return ok || arena_err(a, e);
}

static void kernel_profiles_read_stalls(struct result *r, struct arena *a,
	struct kernel_profile_line *l)
{
	size_t len;
	l->stalls = result_texts(r, a, &l->stalls_n);
	const void *bytes = result_bytes(r, &len);
	double *pct = arena_array(a, double, (size_t)l->stalls_n + 1);
	if (l->stalls_n && !packed_read(bytes, len, pct, l->stalls_n))
		l->stalls_n = 0;
	l->stall_pct = pct;
}

static void kernel_profiles_read(struct result *r, struct arena *a,
	struct kernel_profile_line *l)
{
	l->kernel = result_int8(r, -1);
	const char *by = result_text(r, a);
	l->match =
		by ? (enum kernel_profile_match)column_word_of(by,
			     kernel_profile_match_word, KERNEL_PROFILE_MATCHES)
		   : KERNEL_PROFILE_UNMATCHED;
	l->is.name = result_text(r, a);
	for (int i = 0; i < 3; i++)
		l->is.grid[i] = result_int4(r, -1);
	for (int i = 0; i < 3; i++)
		l->is.block[i] = result_int4(r, -1);
	l->is.launches = result_int8(r, 0);
	for (int f = 0; f < KERNEL_FIGURES; f++)
		l->is.figure[f] = result_float8(r, NAN);
	kernel_profiles_read_stalls(r, a, l);
	l->run_launches = result_int8(r, -1);
	l->operator_ = result_int4(r, -1);
	l->shape_rank = result_int4(r, -1);
	l->op = result_text(r, a);
	l->shape = result_text(r, a);
	l->several = result_bool(r);
	l->searched = result_bool(r);
}

bool kernel_profiles_list(struct db *db, struct arena *a, int64_t run,
	struct kernel_profile_line **rows, uint32_t *n, struct err *e)
{
#define KERNEL_FIGURE(name, heading, text) "p." #name ", "
	static const char sql[] =
		"SELECT p.kernel_id, p.matched_by, p.name, p.grid_x, p.grid_y, "
		"p.grid_z, p.block_x, p.block_y, p.block_z, p.launches, "
#include "kernel_figure.def"
		"p.stall, p.stall_pct, g.instances, g.shape_operator, "
		"g.shape_rank, o.operator, coalesce(d.text, s.grid), "
		"coalesce(g.shapes_several, false), "
		"g.shapes_several IS NOT NULL "
		"FROM run_kernel_profile p "
		"LEFT JOIN run_kernel g ON g.run_id = p.run_id "
		"AND g.split = 2 AND g.kernel_id = p.kernel_id "
		"AND g.grid_x = p.grid_x AND g.grid_y = p.grid_y "
		"AND g.grid_z = p.grid_z AND g.block_x = p.block_x "
		"AND g.block_y = p.block_y AND g.block_z = p.block_z "
		"LEFT JOIN run_operator o ON o.run_id = p.run_id "
		"AND o.rank = g.shape_operator "
		"LEFT JOIN run_shape s ON s.run_id = p.run_id "
		"AND s.operator = g.shape_operator AND s.rank = g.shape_rank "
		"LEFT JOIN shape d ON d.id = s.shape_id "
		"WHERE p.run_id = $1 ORDER BY p.rank";
#undef KERNEL_FIGURE
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, run);
	if (!sql_hot(db, sql, &p, &r, e))
		return false;
	*n = 0;
	*rows = arena_array(a, struct kernel_profile_line, (size_t)r.n + 1);
	bool ok = *rows != NULL;
	while (ok && result_next(&r)) {
		struct kernel_profile_line *l = &(*rows)[(*n)++];
		kernel_profiles_read(&r, a, l);
		ok = l->is.name && l->stall_pct && (l->stalls || !l->stalls_n);
	}
	result_release(&r);
	return ok || arena_err(a, e);
}
