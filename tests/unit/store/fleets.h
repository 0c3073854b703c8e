/* fleets.h - makes runs of several projects, platforms and days, and prints
 * their sums as text. */
#pragma once
#include "operator_fixture.h"
#include "query_fleet.h"
#include "query_operator.h"
#include "rollup.h"

static inline int64_t folded(struct db *db)
{
	int64_t all = 0, n;
	bool left = true;
	while (left) {
		works(rollup_fold(db, 3, &n, &left, &e));
		all += n;
	}
	return all;
}

/* cmocka's own macros have single precision. */
static inline void near(double got, double want, double by)
{
	if (!(fabs(got - want) <= by))
		fail_msg("%.17g is not %.17g", got, want);
}

static int fleets_uploads;

/* As after an analysis at an SM clock at which every bound is twice as long, so
 * that a sum over runs with one of them shows. */
static inline void fleets_at_clock(struct operators *o, double mhz)
{
	o->sm_clock_mhz = mhz;
	for (uint32_t i = 0; i < o->n; i++) {
		struct bound_sum *c = &o->rows[i].clock;
		*c = o->rows[i].sheet;
		c->sol_ps *= 2;
		c->headroom_ns /= 2;
		c->compute_ns = 0;
		c->over_ns += 7;
	}
	for (uint32_t i = 0; i < o->shapes_n; i++)
		o->shapes[i].clock_sol_ns *= 2;
}

/* A run of a project and workload that was created on a day. It has `times`
 * the GPU time of the fixture and represents two hours. */
static inline int64_t stored_at_clock(struct db *db, const char *project,
	const char *workload, const char *platform, int times, int day,
	double mhz)
{
	struct arena a = { 0 };
	struct upload_meta m = fixture_meta;
	struct profile p = operator_fixture_profile(&a);
	m.project = project;
	m.workload = workload;
	m.name = arena_printf(&a, "%d", fleets_uploads++);
	m.gpu_hours = 2;
	p.operators.platform = platform;
	if (mhz > 0)
		fleets_at_clock(&p.operators, mhz);
	p.operators.gpu_ns *= times;
	for (uint32_t i = 0; i < p.operators.n; i++)
		p.operators.rows[i].total_ns *= times;
	int64_t id = fixture_upload(db, &m, m.name).id;
	/* The day is stored with the identity of the run, which is made before
	 * the run is saved. */
	fixture_script(db,
		arena_printf(&a,
			"INSERT INTO run_identity (upload_id, ordinal, name, "
			"project, workload, labels, created_at) SELECT id, 0, "
			"name, project, workload, labels, "
			"to_timestamp(%d * 86400.0 + 3600) FROM upload "
			"WHERE id = %lld",
			day, (long long)id));
	struct claim c = fixture_claim(db, id);
	works(save(db, &c, &p, 1, NULL, &e));
	int64_t run = *fixture_runs(db, &a, id, 1);
	arena_release(&a);
	return run;
}

static inline int64_t stored(struct db *db, const char *project,
	const char *workload, const char *platform, int times, int day)
{
	return stored_at_clock(db, project, workload, platform, times, day,
		NAN);
}

static inline int by_row(const void *a, const void *b)
{
	const struct fleet_row *x = a, *y = b;
	int d = strcmp(x->op ? x->op : "", y->op ? y->op : "");
	return d ? d : (int)x->phase - (int)y->phase;
}

/* Everything as text, with cells and rows in one order. */
static inline const char *fleet_text(struct arena *a, const struct fleet *f)
{
	const char *lines[100];
	assert_true(f->cells_n < 100);
	for (uint32_t i = 0; i < f->cells_n; i++) {
		const struct fleet_cell *c = &f->cells[i];
		struct fleet_row rows[100];
		uint32_t n = 0;
		for (uint32_t k = 0; k < f->rows_n; k++)
			if (f->rows[k].cell == i)
				rows[n++] = f->rows[k];
		qsort(rows, n, sizeof *rows, by_row);
		lines[i] = arena_printf(a, "%s/%s/%s/%s %lld %g %.17g %.17g\n",
			c->project, c->workload, c->platform, c->framework,
			(long long)c->runs, c->weight, c->weighted_s,
			c->total_s);
		for (uint32_t k = 0; k < n; k++)
			lines[i] = arena_printf(a,
				"%s  %s %d %d: %lld %lld %lld %lld %.14g %.14g "
				"%.14g %.14g %.14g %.14g %.14g %.14g %.14g "
				"%.14g %.14g\n",
				lines[i], rows[k].op ? rows[k].op : "-",
				(int)rows[k].dtype, (int)rows[k].phase,
				(long long)rows[k].runs,
				(long long)rows[k].launches,
				(long long)rows[k].calls,
				(long long)rows[k].bound_calls, rows[k].total_s,
				rows[k].share, rows[k].weighted_s,
				rows[k].sized_s, rows[k].bound_s, rows[k].sol_s,
				rows[k].compute_s, rows[k].headroom_s,
				rows[k].over_s, rows[k].flops, rows[k].bytes);
	}
	const char *all = "";
	for (uint32_t i = 0; i < f->cells_n; i++)
		for (uint32_t k = i + 1; k < f->cells_n; k++)
			if (strcmp(lines[i], lines[k]) > 0) {
				const char *swap = lines[i];
				lines[i] = lines[k];
				lines[k] = swap;
			}
	for (uint32_t i = 0; i < f->cells_n; i++)
		all = arena_printf(a, "%s%s", all, lines[i]);
	return all;
}

static const struct fleet_filter any = { .since = NO_MOMENT,
	.until = NO_MOMENT };

static inline const char *fleet(struct db *db, struct arena *a,
	struct fleet_filter f)
{
	struct fleet out;
	works(query_fleet(db, a, &f, &out, &e));
	return fleet_text(a, &out);
}

/* From the rollups, and from the runs. */
static inline const char *same_fleet(struct db *db, struct arena *a,
	struct fleet_filter f)
{
	const char *sums = fleet(db, a, f);
	f.labels = "{}";
	assert_string_equal(sums, fleet(db, a, f));
	return sums;
}

/* Five runs of two projects, two platforms and none, and distant days. */
static inline void several(struct db *db)
{
	stored(db, "p", "w", "H20", 1, 20000);
	stored(db, "p", "w", "H20", 3, 20001);
	stored(db, "p", "v", NULL, 5, 20015);
	stored(db, "q", "w", "H100", 7, 20070);
	stored(db, "q", "w", "H20", 11, 20200);
}
