/* test_collectives.c - what is saved if a collective of a run overlaps with
 * computing. */
#include "attribute_world.h"
#include <math.h>

#define REDUCE "ncclDevKernel_AllReduce_Sum_f16_RING_LL"
#define GATHER "ncclDevKernel_AllGather_RING_LL"
#define COMPUTE "compute"

/* A kernel; each name and device has a stream. */
struct planted {
	const char *name;
	int64_t start_ns, end_ns;
	int device;
};

static void plant(struct world *w, const struct planted *k)
{
	struct kernel_rows *rows = &w->t.kernel;

	/* The API call begins with the kernel, which no other one does. */
	rows_call(&w->t, "cudaLaunchKernel", "1", k->start_ns, 1,
		k->start_ns + 1);
	rows_launched(&w->t, k->name, k->start_ns, k->end_ns - k->start_ns,
		k->start_ns + 1);
	rows->stream[rows->n - 1] = k->name[0] + (int64_t)strlen(k->name);
	rows->device[rows->n - 1] = k->device;
}

static const struct collective *line(const struct world *w, const char *name,
	int device)
{
	const struct collectives *all = &w->p.collectives;

	for (uint32_t i = 0; i < all->n; i++)
		if (!strcmp(all->rows[i].name, name) &&
			all->rows[i].device == device)
			return &all->rows[i];
	return NULL;
}

/* The recording is one iteration. */
static void of_one_iteration(void **state)
{
	static const struct {
		const char *what;
		struct planted kernels[4];
		double reduce_ns, gather_ns; /* -1 unknown */
	} rows[] = {
		{ "nothing overlaps",
			{ { REDUCE, 0, 100, 0 }, { COMPUTE, 100, 400, 0 } },
			100, -1 },
		{ "little computing",
			{ { REDUCE, 0, 100, 0 }, { COMPUTE, 100, 140, 0 } }, 40,
			-1 },
		{ "a part overlaps",
			{ { REDUCE, 0, 100, 0 }, { COMPUTE, 60, 300, 0 } }, 60,
			-1 },
		{ "all of it overlaps",
			{ { COMPUTE, 0, 300, 0 }, { REDUCE, 10, 100, 0 } }, 0,
			-1 },
		{ "another device computes",
			{ { COMPUTE, 0, 30, 1 }, { REDUCE, 10, 100, 0 },
				{ COMPUTE, 100, 300, 0 } },
			70, -1 },
		{ "two collectives",
			{ { REDUCE, 0, 100, 0 }, { GATHER, 50, 150, 0 },
				{ COMPUTE, 150, 400, 0 } },
			50, 50 },
		{ "one collective within another",
			{ { REDUCE, 0, 200, 0 }, { GATHER, 50, 150, 0 },
				{ COMPUTE, 200, 900, 0 } },
			100, 0 },
		{ "one collective on two devices",
			{ { REDUCE, 0, 100, 0 }, { REDUCE, 20, 120, 1 },
				{ COMPUTE, 120, 400, 0 } },
			120, -1 },
		{ "nothing computes", { { REDUCE, 0, 100, 0 } }, 0, -1 },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct world *w;
		world_start((void **)&w);
		for (int k = 0; k < 4 && rows[i].kernels[k].name; k++)
			plant(w, &rows[i].kernels[k]);
		analyse(w);
		const struct collective *r = line(w, REDUCE, 0),
					*g = line(w, GATHER, 0),
					*other = line(w, REDUCE, 1);
		double reduce_ns = isnan(r->saved_ns) ? -1 : r->saved_ns,
		       gather_ns = g && !isnan(g->saved_ns) ? g->saved_ns : -1;
		if (reduce_ns != rows[i].reduce_ns ||
			gather_ns != rows[i].gather_ns)
			fail_msg("%s: %f, %f", rows[i].what, reduce_ns,
				gather_ns);
		assert_true(!other || isnan(other->saved_ns));
		assert_true(isnan(r->saved_error_ns));
		world_stop((void **)&w);
	}
	(void)state;
}

/* 100 ns, none and 100 ns: the collective of the second step overlaps. */
static void the_mean_over_iterations(void **state)
{
	static const char *const steps[] = { "ProfilerStep#1", "ProfilerStep#2",
		"ProfilerStep#3" };
	struct world *w = *state;

	for (int i = 0; i < 3; i++) {
		int64_t at = 1000 + i * 1000;
		const struct planted reduce = { REDUCE, at, at + 100, 0 },
				     first = { COMPUTE, at + 100, at + 800, 0 },
				     within = { REDUCE, at + 300, at + 400, 0 },
				     last = { COMPUTE, at + 800, at + 900, 0 };
		rows_range(&w->t, RANGE_ANNOTATION, steps[i], "1", at, 900);
		if (i != 1)
			plant(w, &reduce);
		plant(w, &first);
		if (i == 1)
			plant(w, &within);
		plant(w, &last);
	}
	analyse(w);
	const struct collective *r = line(w, REDUCE, 0);
	assert_int_equal(w->p.iterations.kept_n, 3);
	assert_true(fabs(r->saved_ns - 200 / 3.0) < 1e-9);
	assert_true(fabs(r->saved_error_ns - 100 / 3.0) < 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_one_iteration),
		WORLD_TEST(the_mean_over_iterations),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
