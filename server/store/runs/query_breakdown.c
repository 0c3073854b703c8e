/* query_breakdown.c - rows become the layers of a run. */
#include "query_breakdown.h"
#include "breakdown_word.h"
#include "compared_read.h"
#include "packed.h"
#include "read_breakdown.h"

struct wanted {
	struct arena *arena;
	int64_t run;
	struct breakdown_stored *out;
};

bool read_looked(struct db *db, struct arena *a, int64_t run, const char *what,
	struct err *e)
{
	static const char sql[] =
		"SELECT r.content, b.run_id IS NOT NULL "
		"FROM run r LEFT JOIN run_breakdown b ON b.run_id = r.run_id "
		"WHERE r.run_id = $1";
	struct result r;
	if (!read_of_run(db, sql, run, &r, e))
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
			"run %lld has no %s: somebody's %s are all that is "
			"known of it",
			(long long)run, what, content);
	return has || err_set(e, ERR_NOT_FOUND,
			      "run %lld was read before %s were looked for; "
			      "kernsiftd rebuild does it",
			      (long long)run, what);
}

static bool read_bars(struct result *r, struct arena *a, struct breakdown *d)
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

static bool read_header(struct result *r, struct arena *a, struct breakdown *d)
{
	d->detector = (enum layer_detector)read_word(r, a,
		breakdown_word_layers, LAYER_DETECTORS);
	d->confidence = result_float8(r, 0);
	d->anchor = result_text(r, a);
	d->why = result_text(r, a);
	d->device = result_int4(r, -1);
	d->realigned = result_bool(r);
	d->passes = (uint32_t)result_int4(r, 0);
	d->stratum = result_text(r, a);
	read_time(r, &d->pass);
	d->layers = (uint32_t)result_int4(r, 0);
	read_time(r, &d->layered);
	d->wall_ns = result_int8(r, 0);
	d->overlap_ns = result_int8(r, 0);
	d->idle_ns = result_int8(r, 0);
	d->other_ns = result_int8(r, 0);
	d->exposed_comm_ns = result_int8(r, 0);
	return read_bars(r, a, d);
}

#define PASS_TIME READ_TIME_OF("pass")
#define LAYERED_TIME READ_TIME_OF("layered")

static bool header(struct db *db, const struct wanted *w, struct err *e)
{
	static const char sql[] =
		"SELECT detector, confidence, anchor, why, device, realigned, "
		"passes, stratum, " PASS_TIME ", layers, " LAYERED_TIME ", "
		"wall_ns, overlap_ns, idle_ns, other_ns, exposed_comm_ns, "
		"bars, bar_layer, bar_block, bar_mean_ns "
		"FROM run_breakdown "
		"WHERE run_id = $1";
	struct result r;
	if (!read_of_run(db, sql, w->run, &r, e))
		return false;
	bool ok = result_next(&r) &&
		  read_header(&r, w->arena, &w->out->breakdown);
	result_release(&r);
	return ok ||
	       err_set(e, ERR_INTERNAL, "the layers of run %lld cannot be read",
		       (long long)w->run);
}

static bool sections(struct db *db, const struct wanted *w, struct err *e)
{
	static const char sql[] = "SELECT place, name, per_pass, first, alike, "
				  "occurs, " READ_TIME_COLUMNS " "
				  "FROM run_section "
				  "WHERE run_id = $1 "
				  "ORDER BY section";
	struct breakdown *d = &w->out->breakdown;
	struct result r;
	if (!read_of_run(db, sql, w->run, &r, e))
		return false;
	d->sections =
		arena_array(w->arena, struct breakdown_section, (size_t)r.n);
	while (result_next(&r)) {
		struct breakdown_section *s = &d->sections[d->sections_n++];
		s->place = (enum section_place)read_word(&r, w->arena,
			breakdown_word_place, SECTION_PLACES);
		s->name = result_text(&r, w->arena);
		s->per_pass = (uint32_t)result_int4(&r, 0);
		s->first = (uint32_t)result_int4(&r, 0);
		s->alike = result_float8(&r, NAN);
		s->instances = result_int8(&r, 0);
		read_time(&r, &s->time);
	}
	result_release(&r);
	return true;
}

static bool blocks(struct db *db, const struct wanted *w, struct err *e)
{
	static const char sql[] =
		"SELECT section, kind, beside, sum_ns, exclusive_ns, "
		"overlapped_ns "
		"FROM run_block "
		"WHERE run_id = $1 "
		"ORDER BY block";
	struct breakdown *d = &w->out->breakdown;
	struct result r;
	if (!read_of_run(db, sql, w->run, &r, e))
		return false;
	d->blocks = arena_array(w->arena, struct breakdown_block, (size_t)r.n);
	while (result_next(&r)) {
		struct breakdown_block *s = &d->blocks[d->blocks_n++];
		s->section = (uint32_t)result_int4(&r, 0);
		s->kind = (enum layer_block_kind)read_word(&r, w->arena,
			breakdown_word_block, BLOCKS);
		s->beside = (uint32_t)result_int4(&r, -1);
		s->sum_ns = result_float8(&r, NAN);
		s->exclusive_ns = result_int8(&r, 0);
		s->overlapped_ns = result_int8(&r, 0);
	}
	result_release(&r);
	return true;
}

static void read_place(struct result *r, const struct wanted *w,
	struct breakdown_row *s)
{
	struct arena *a = w->arena;
	s->block = (uint32_t)result_int4(r, 0);
	s->kernel = read_kernel_index(w->out->kernels, w->out->kernels_n,
		result_int8(r, -1));
	s->operation = result_text(r, a);
	s->operator_ = result_text(r, a);
	s->module = result_text(r, a);
	s->roles = read_roles(r, a);
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
	read_time(r, &s->time);
}

static bool places(struct db *db, const struct wanted *w, struct err *e)
{
	static const char sql[] =
		"SELECT block, kernel_id, operation, operator, module, roles, "
		"role_by_module, lane, launch_group, occurs, extra, "
		"offset_ns, exclusive_ns, overlapped_ns, bound_launches, "
		"bound_ns, sol_ps, " READ_TIME_COLUMNS " "
		"FROM run_place "
		"WHERE run_id = $1 "
		"ORDER BY place";
	struct breakdown *d = &w->out->breakdown;
	struct result r;
	if (!read_of_run(db, sql, w->run, &r, e))
		return false;
	d->rows = arena_array(w->arena, struct breakdown_row, (size_t)r.n);
	while (result_next(&r))
		read_place(&r, w, &d->rows[d->rows_n++]);
	result_release(&r);
	return true;
}

static bool read_all(struct db *db, void *arg, struct err *e)
{
	const struct wanted *w = arg;
	static const char kernels[] =
		"SELECT id, name, short_name "
		"FROM kernel "
		"WHERE id IN (SELECT kernel_id FROM run_place "
		"WHERE run_id = $1) "
		"ORDER BY id";
	*w->out = (struct breakdown_stored){ 0 };
	return compared_snapshot(db, e) &&
	       read_looked(db, w->arena, w->run, "layers", e) &&
	       header(db, w, e) && sections(db, w, e) && blocks(db, w, e) &&
	       read_kernels(db, w->arena, kernels, w->run, &w->out->kernels,
		       &w->out->kernels_n, e) &&
	       places(db, w, e);
}

bool query_breakdown(struct db *db, struct arena *a, int64_t run,
	struct breakdown_stored *out, struct err *e)
{
	struct wanted w = { a, run, out };
	return sql_transaction(db, read_all, &w, e);
}
