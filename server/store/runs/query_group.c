/* query_group.c - which kernels of a run are launched together. */
#include "compared_read.h"
#include "read_breakdown.h"

struct wanted {
	struct arena *arena;
	int64_t run;
	struct groups_stored *out;
};

static void read_group(struct result *r, const struct wanted *w,
	struct kernel_group *g)
{
	g->evidence = (enum group_evidence)read_word(r, w->arena,
		breakdown_word_evidence, GROUP_EVIDENCES);
	const int64_t *ids = result_int8s(r, w->arena, &g->kernels_n);
	uint32_t *kernels = arena_array(w->arena, uint32_t, g->kernels_n);
	for (uint32_t i = 0; i < g->kernels_n; i++)
		kernels[i] = read_kernel_index(w->out->kernels,
			w->out->kernels_n, ids[i]);
	g->kernels = kernels;
	g->support = result_int8(r, 0);
	g->confidence = result_float8(r, 0);
	g->operator_ = result_text(r, w->arena);
	g->total_ns = result_int8(r, 0);
	g->alone = result_int8(r, 0);
}

static bool groups(struct db *db, const struct wanted *w, struct err *e)
{
	static const char sql[] =
		"SELECT evidence, kernels, support, confidence, operator, "
		"total_ns, alone "
		"FROM run_group "
		"WHERE run_id = $1 "
		"ORDER BY rank";
	struct kernel_groups *gs = &w->out->groups;
	struct result r;
	if (!read_of_run(db, sql, w->run, &r, e))
		return false;
	gs->groups = arena_array(w->arena, struct kernel_group, (size_t)r.n);
	while (result_next(&r))
		read_group(&r, w, &gs->groups[gs->n++]);
	result_release(&r);
	return true;
}

static bool read_all(struct db *db, void *arg, struct err *e)
{
	const struct wanted *w = arg;
	static const char kernels[] =
		"SELECT id, name, short_name "
		"FROM kernel "
		"WHERE id IN (SELECT unnest(kernels) FROM run_group "
		"WHERE run_id = $1) "
		"ORDER BY id";
	*w->out = (struct groups_stored){ 0 };
	return compared_snapshot(db, e) &&
	       read_looked(db, w->arena, w->run, "groups", e) &&
	       read_kernels(db, w->arena, kernels, w->run, &w->out->kernels,
		       &w->out->kernels_n, e) &&
	       groups(db, w, e);
}

bool query_groups(struct db *db, struct arena *a, int64_t run,
	struct groups_stored *out, struct err *e)
{
	struct wanted w = { a, run, out };
	return sql_transaction(db, read_all, &w, e);
}
