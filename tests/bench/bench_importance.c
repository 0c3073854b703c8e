/* bench_importance.c - measures updates of the sums over a fleet, and queries
 * of these sums.
 *
 *   bench_importance CONNINFO make RUNS WORKLOADS   saves runs as usual
 *   bench_importance CONNINFO fold LIMIT            folds until nothing is left
 *   bench_importance CONNINFO save ROUNDS NTH       saves one run per round
 *   bench_importance CONNINFO fleet ROUNDS DAY      query_fleet() by many filters
 *   bench_importance CONNINFO shapes ROUNDS DAY     query_fleet_shapes(), too
 *   bench_importance CONNINFO count 0               runs in the sums
 *
 * Each run has 20 operators in one or two phases and about 40 shapes. Its
 * workload is its number modulo WORKLOADS. DAY is the last day that has runs.
 * Prints one line per round: NAME CPU_NS WALL_NS. */
#include "measure.h"
#include "migrate.h"
#include "query_fleet.h"
#include "query_operator.h"
#include "rollup.h"
#include "save.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OPERATORS = 20, SHAPES = 2, DAYS = 90, WORKLOADS = 200 };

/* Reproducible: equal in each execution of the program. */
static int64_t noise(int64_t from, int64_t until)
{
	static uint64_t seed = 1;
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return from + (int64_t)((seed >> 33) % (uint64_t)(until - from));
}

static void make_shape(struct arena *a, struct shape_stat *s, uint32_t row,
	int64_t total)
{
	enum { BUCKETS = 12 };
	int16_t *bucket = arena_array(a, int16_t, BUCKETS);
	int64_t *calls = arena_array(a, int64_t, BUCKETS);
	int64_t m = INT64_C(1) << noise(0, 12);
	*s = (struct shape_stat){ .operator_ = row,
		.text = arena_printf(a, "m=%lld n=4096 k=4096", (long long)m),
		.known = KNOWN_OP_SIZES,
		.launches = 120,
		.call = { .instances = 120,
			.total_ns = total,
			.avg_ns = (double)total / 120,
			.med_ns = (double)total / 121,
			.min_ns = total / 200,
			.max_ns = total / 50,
			.stddev_ns = 3.5,
			.p90_ns = (double)total / 100,
			.p99_ns = (double)total / 60,
			.iqr_ns = NAN },
		.bucket = bucket,
		.bucket_calls = calls,
		.buckets_n = BUCKETS,
		.costed = true,
		.sol_ns = (double)total / 240,
		.leg = m > 128 ? LEG_COMPUTE : LEG_MEMORY };
	for (int i = 0; i < BUCKETS; i++) {
		bucket[i] = (int16_t)(440 + i);
		calls[i] = 10;
	}
	s->cost.flops[DTYPE_BF16] = (uint64_t)(2 * m * 4096 * 4096);
	s->cost.read_bytes = (uint64_t)(2 * (m * 4096 + 4096 * 4096));
	s->cost.write_bytes = (uint64_t)(2 * m * 4096);
}

static void make_operator(struct arena *a, struct operators *o, uint32_t i)
{
	struct operator_stat *r = &o->rows[i];
	int64_t total = 0;
	for (int k = 0; k < SHAPES; k++) {
		int64_t t = noise(100000, 100000000) / (1 + (int)i);
		make_shape(a, &o->shapes[o->shapes_n++], i, t);
		total += t;
	}
	const struct bound_sum sums = { .sol_ps = total * 500,
		.compute_ns = total / 3,
		.headroom_ns = total / 2 };
	*r = (struct operator_stat){ .name = arena_printf(a, "operator_%u",
					     i % OPERATORS),
		.dtype = DTYPE_BF16,
		.phase = i % 2 ? PHASE_DECODE : PHASE_PREFILL,
		.launches = 120 * SHAPES,
		.calls = 120 * SHAPES,
		.total_ns = total,
		.known_ns = { [KNOWN_OP_SIZES] = total },
		.sized_ns = total,
		.bound_calls = 120 * SHAPES,
		.bound_ns = total,
		.sheet = sums,
		.clock = sums,
		.shapes = SHAPES };
	o->gpu_ns += total;
}

static struct profile make_run(struct arena *a, int nth)
{
	struct profile p = { .arena = a,
		.format = "bench",
		.framework = nth % WORKLOADS % 3 ? "vllm" : "sglang",
		.pid = -1,
		.rank = -1,
		.world_size = -1,
		.started_utc_ns = -1 };
	struct operators *o = &p.operators;
	*o = (struct operators){ .platform =
					 nth % WORKLOADS % 2 ? "H20" : "H100",
		.catalog = "1",
		.n = OPERATORS };
	o->rows = arena_array(a, struct operator_stat, OPERATORS);
	o->shapes = arena_array(a, struct shape_stat, OPERATORS * SHAPES);
	for (uint32_t i = 0; i < OPERATORS; i++)
		make_operator(a, o, i);
	return p;
}

static bool store(struct db *db, int nth, int workloads, struct moment *begun,
	struct err *e)
{
	struct arena a = { 0 };
	int w = nth % workloads;
	struct upload_meta m = { arena_printf(&a, "project-%d", w % 10),
		arena_printf(&a, "workload-%d", w), arena_printf(&a, "%d", nth),
		"", "{\"branch\": \"main\"}", "", NAN };
	struct upload_outcome out;
	uint8_t digest[SHA256_BYTES];
	struct claim c;
	int64_t id;
	struct profile p = make_run(&a, nth);
	sha256_of(m.name, strlen(m.name), digest);
	*begun = measure_now();
	bool ok = upload_begin(db, &m, &id, e) &&
		  upload_chunk(db, id, 0, "1", 1, e) &&
		  upload_finish(db, id, digest, 1, NULL, &out, e) &&
		  upload_claim(db, "bench:1", 30, &c, e) &&
		  save(db, &c, &p, 1, NULL, e);
	arena_release(&a);
	return ok;
}

static bool make(struct db *db, int runs, int workloads, struct err *e)
{
	struct moment begun;
	int applied;
	bool ok = migrate(db, &applied, e);
	for (int i = 0; ok && i < runs; i++)
		ok = store(db, i, workloads, &begun, e);
	return ok;
}

static bool saves(struct db *db, int rounds, int nth, struct err *e)
{
	bool ok = true;
	/* One unmeasured round, in which the statements are planned. */
	for (int i = -10; ok && i < rounds; i++) {
		struct moment begun;
		ok = store(db, nth + 10 + i, WORKLOADS, &begun, e);
		if (ok && i >= 0)
			measure_tell("save", begun, measure_now());
	}
	return ok;
}

static bool fold(struct db *db, int limit, struct err *e)
{
	bool ok = true, left = true;
	while (ok && left) {
		int64_t n;
		struct moment begun = measure_now();
		ok = rollup_fold(db, limit, &n, &left, e);
		if (ok && n)
			measure_tell("fold", begun, measure_now());
	}
	return ok;
}

/* Typical filters: no filter; the last days; a project; a phase; a range
 * between any two days. */
static const char *filter(struct fleet_filter *f, int nth, int day)
{
	static const int64_t day_us = INT64_C(86400000000);
	*f = (struct fleet_filter){ .since = NO_MOMENT, .until = NO_MOMENT };
	switch (nth % 6) {
	case 0:
		return "all";
	case 1:
		f->since = (day - (int)noise(1, DAYS)) * day_us;
		return "since";
	case 2:
		f->project = "project-3";
		return "project";
	case 3:
		f->phase = PHASE_DECODE;
		f->platform = "H20";
		return "phase_platform";
	case 4:
		f->workload = "workload-7";
		f->since = (day - 30) * day_us;
		return "workload_since";
	default:
		f->until = (day - (int)noise(0, DAYS / 2)) * day_us;
		f->since = f->until - noise(1, DAYS / 2) * day_us;
		return "between";
	}
}

static bool ask(struct db *db, struct arena *a, const struct fleet_filter *f,
	bool shapes, struct err *e)
{
	struct fleet fleet;
	const struct fleet_shape_page page = { .limit = 100 };
	struct fleet_shape_list l;
	return shapes ? query_fleet_shapes(db, a, f, &page, &l, e)
		      : query_fleet(db, a, f, &fleet, e);
}

static bool asks(struct db *db, int rounds, int day, bool shapes, struct err *e)
{
	bool ok = true;
	for (int i = -60; ok && i < rounds; i++) {
		struct arena a = { 0 };
		struct fleet_filter f;
		const char *name = filter(&f, i + 60, day);
		f.op = shapes ? "operator_5" : NULL;
		struct moment begun = measure_now();
		ok = ask(db, &a, &f, shapes, e);
		arena_release(&a);
		if (ok && i >= 0)
			measure_tell(name, begun, measure_now());
	}
	return ok;
}

static bool count(struct db *db, struct err *e)
{
	struct arena a = { 0 };
	struct fleet f;
	struct fleet_filter all = { .since = NO_MOMENT, .until = NO_MOMENT };
	int64_t runs = 0;
	bool ok = query_fleet(db, &a, &all, &f, e);
	for (uint32_t i = 0; ok && i < f.cells_n; i++)
		runs += f.cells[i].runs;
	printf("count 0 %lld\n", (long long)runs);
	arena_release(&a);
	return ok;
}

static bool run(struct db *db, const char *what, int one, int two,
	struct err *e)
{
	if (!strcmp(what, "make"))
		return make(db, one, two, e);
	if (!strcmp(what, "count"))
		return count(db, e);
	if (!strcmp(what, "fold"))
		return fold(db, one, e);
	if (!strcmp(what, "save"))
		return saves(db, one, two, e);
	if (!strcmp(what, "fleet") || !strcmp(what, "shapes"))
		return asks(db, one, two, *what == 's', e);
	return err_set(e, ERR_INPUT,
		"there are make, fold, save, fleet, shapes, count");
}

int main(int argc, char **argv)
{
	struct err e = { 0 };
	if (argc < 4) {
		fprintf(stderr, "usage: bench_importance CONNINFO COMMAND …\n");
		return 2;
	}
	struct db *db = db_new(argv[1], &e);
	bool ok = db && run(db, argv[2], atoi(argv[3]),
				argc > 4 ? atoi(argv[4]) : 0, &e);
	if (!ok)
		fprintf(stderr, "bench_importance: %s\n", e.text);
	db_free(db);
	return !ok;
}
