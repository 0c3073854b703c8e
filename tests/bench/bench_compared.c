/* bench_compared.c - measures only the reading of runs for a comparison.
 *
 *   bench_compared CONNINFO make FUNCTIONS ITERATIONS RUNS   stores noisy runs
 *   bench_compared CONNINFO read ROUNDS ID...            query_compared()
 *   bench_compared CONNINFO repeats ROUNDS MOST ID...    query_repeats()
 *
 * `make` migrates the database, stores runs and prints their ids. The other
 * commands run one query without timing and then print for bench/db_compared
 * one line per round: NAME CPU_NS WALL_NS. */
#include "measure.h"
#include "migrate.h"
#include "query_compared.h"
#include "save.h"
#include "upload.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Reproducible: equal in each execution of the program. */
static int64_t noise(int64_t from, int64_t until)
{
	static uint64_t seed = 1;
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return from + (int64_t)((seed >> 33) % (uint64_t)(until - from));
}

static void make_iterations(struct arena *a, struct profile *p, uint32_t n)
{
	struct iterations *cs = &p->iterations;
	cs->detector = ITERATIONS_ANNOTATION;
	cs->range = "step ";
	cs->confidence = 1;
	cs->n = cs->kept_n = p->patterns.iterations_n = n;
	cs->iterations = arena_array(a, struct iteration, n);
	p->patterns.iteration = arena_array(a, uint32_t, n);
	for (uint32_t i = 0; i < n; i++) {
		p->patterns.iteration[i] = i;
		cs->iterations[i] = (struct iteration){ .number = i,
			.label = arena_printf(a, "step %u", i),
			.start_ns = INT64_C(50000000) * i,
			.dur_ns = 50000000,
			.compute_ns = 40000000,
			.idle_ns = 10000000,
			.launches = 1200 };
	}
	cs->strata_n = 1;
	cs->strata = arena_new(a, struct stratum);
	cs->strata[0] = (struct stratum){ "64 sequences", PHASE_UNKNOWN, 64, -1,
		-1, n };
}

static void make_function(struct arena *a, struct profile *p, uint32_t f)
{
	uint32_t n = p->patterns.iterations_n;
	struct profile_kernel *k = &p->kernels[f];
	k->name = arena_printf(a,
		"void at::native::vectorized_elementwise_kernel<4, "
		"at::native::CUDAFunctor_add<float>, at::detail::Array<char*, "
		"3>>(int, at::native::CUDAFunctor_add<float>, %u)",
		f);
	k->short_name = "vectorized_elementwise_kernel";
	struct pattern *r = &p->patterns.rows[f];
	*r = (struct pattern){ .name = k->name,
		.type = FUNCTION_gpu_compute,
		.device = "GPU 0",
		.dur_ns = arena_array(a, int64_t, n),
		.launches = arena_array(a, int64_t, n),
		.min_ns = arena_array(a, int64_t, n),
		.max_ns = arena_array(a, int64_t, n) };
	for (uint32_t i = 0; i < n; i++) {
		r->dur_ns[i] = noise(100000, 5000000);
		r->launches[i] = noise(3, 6);
		r->min_ns[i] = noise(1000, 30000);
		r->max_ns[i] = noise(30000, 500000);
	}
}

static struct profile make_run(struct arena *a, uint32_t functions,
	uint32_t iterations)
{
	struct profile p = { .arena = a,
		.format = "bench",
		.pid = -1,
		.rank = -1,
		.world_size = -1,
		.started_utc_ns = -1 };
	make_iterations(a, &p, iterations);
	p.kernels_n = p.patterns.n = functions;
	p.kernels = arena_array(a, struct profile_kernel, functions);
	p.patterns.rows = arena_array(a, struct pattern, functions);
	for (uint32_t f = 0; f < functions; f++)
		make_function(a, &p, f);
	return p;
}

static bool upload(struct db *db, uint32_t nth, struct claim *c, struct err *e)
{
	struct upload_meta m = { "bench", "compared", "", "", "{}", "", NAN };
	struct upload_outcome out;
	uint8_t digest[SHA256_BYTES] = { (uint8_t)nth };
	int64_t id;
	return upload_begin(db, &m, &id, e) &&
	       upload_chunk(db, id, 0, "1", 1, e) &&
	       upload_finish(db, id, digest, 1, NULL, &out, e) &&
	       upload_claim(db, "bench:1", 30, c, e);
}

static bool make(struct db *db, char **argv, struct err *e)
{
	uint32_t functions = (uint32_t)atoi(argv[0]);
	uint32_t iterations = (uint32_t)atoi(argv[1]);
	uint32_t runs = (uint32_t)atoi(argv[2]);
	int applied;
	bool ok = migrate(db, &applied, e);
	for (uint32_t i = 0; ok && i < runs; i++) {
		struct arena a = { 0 };
		struct claim c;
		struct upload_row row;
		struct profile p = make_run(&a, functions, iterations);
		ok = upload(db, i, &c, e) && save(db, &c, &p, 1, NULL, e) &&
		     upload_row_get(db, &a, c.upload, &row, e);
		if (ok)
			printf("%lld\n", (long long)row.runs[0]);
		arena_release(&a);
	}
	return ok;
}

struct question {
	int64_t *runs;
	uint32_t n;
	int rounds, most; /* 0: read the runs to compare, not their repeats */
};

static bool ask(struct db *db, const struct question *q, struct arena *a,
	struct err *e)
{
	struct repeat_row *rows;
	uint32_t n;
	if (q->most)
		return query_repeats(db, a, q->runs, q->n, q->most, "commit",
			&rows, &n, e);
	return query_compared(db, a, q->runs, q->n, true,
		arena_array(a, struct compared_run, q->n), e);
}

static bool rounds(struct db *db, const struct question *q, struct err *e)
{
	bool ok = true;
	for (int i = -1; ok && i < q->rounds; i++) {
		struct arena a = { 0 };
		struct moment begun = measure_now();
		ok = ask(db, q, &a, e);
		arena_release(&a);
		if (ok && i >= 0)
			measure_tell(q->most ? "repeats" : "compared", begun,
				measure_now());
	}
	return ok;
}

static bool run(struct db *db, int argc, char **argv, struct err *e)
{
	struct arena a = { 0 };
	struct question q = { 0 };
	if (!strcmp(argv[0], "make") && argc == 4)
		return make(db, argv + 1, e);
	int at = !strcmp(argv[0], "repeats") ? 3 : 2;
	if (argc < at)
		return err_set(e, ERR_INPUT, "there are make, read, repeats");
	q.rounds = atoi(argv[1]);
	q.most = at == 3 ? atoi(argv[2]) : 0;
	q.runs = arena_array(&a, int64_t, (size_t)argc);
	for (; at < argc; at++)
		q.runs[q.n++] = atoll(argv[at]);
	bool ok = rounds(db, &q, e);
	arena_release(&a);
	return ok;
}

int main(int argc, char **argv)
{
	struct err e = { 0 };
	if (argc < 3) {
		fprintf(stderr, "usage: bench_compared CONNINFO COMMAND …\n");
		return 2;
	}
	struct db *db = db_new(argv[1], &e);
	bool ok = db && run(db, argc - 2, argv + 2, &e);
	if (!ok)
		fprintf(stderr, "bench_compared: %s\n", e.text);
	db_free(db);
	return !ok;
}
