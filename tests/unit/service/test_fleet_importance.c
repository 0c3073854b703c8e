/* test_fleet_importance.c - tests the order, search and filters of rows,
 * medians, and findings. */
#include "findings.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

static const struct fleet_importance_row five[] = {
	{ .op = "gemm",
		.importance = 0.4,
		.s = 0.5,
		.s_median = NAN,
		.dtype = "bf16",
		.phase = "decode" },
	{ .op = NULL, .importance = 0.3, .s = NAN, .s_median = NAN },
	{ .op = "copy",
		.importance = NAN,
		.s = NAN,
		.s_median = 0.7,
		.group = "memory" },
	{ .op = "cat", .importance = 0.3, .s = 0.9, .s_median = NAN },
	{ .op = "sort", .importance = 0.3, .s = 0.9, .s_median = NAN },
};

static const char *names(const struct fleet_importance *m)
{
	static char text[100];
	text[0] = '\0';
	for (uint32_t i = 0; i < m->n; i++) {
		strcat(text, i ? " " : "");
		strcat(text, m->rows[i].op ? m->rows[i].op : "-");
	}
	return text;
}

static void orders(void **state)
{
	static const struct {
		enum fleet_importance_order by;
		bool reverse;
		const char *names;
	} rows[] = {
		/* ties by name, unattributed after them; unknown values last */
		{ SORT_IMPORTANCE, false, "gemm cat sort - copy" },
		{ SORT_IMPORTANCE, true, "cat sort - gemm copy" },
		/* in a reference set the median is used for S */
		{ SORT_S, false, "cat sort copy gemm -" },
		{ SORT_NAME, false, "cat copy gemm sort -" },
		{ SORT_NAME, true, "sort gemm copy cat -" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct fleet_importance_row all[5];
		struct fleet_importance m = { .rows = all, .n = 5 };
		memcpy(all, five, sizeof all);
		fleet_importance_sort(&m, rows[i].by, rows[i].reverse);
		assert_string_equal(names(&m), rows[i].names);
	}
}

static void found(void **state)
{
	struct fleet_importance_row all[5];
	struct fleet_importance m = { .rows = all, .n = 5 };
	(void)state;
	memcpy(all, five, sizeof all);
	fleet_importance_search(&m, NULL);
	assert_int_equal(m.n, 5);
	fleet_importance_filter(&m, DTYPE_UNKNOWN, NULL);
	assert_int_equal(m.n, 5);
	fleet_importance_search(&m, "O");
	assert_string_equal(names(&m), "copy sort");
	memcpy(all, five, sizeof all);
	m.n = 5;
	fleet_importance_search(&m, "unatt");
	assert_string_equal(names(&m), "-");
	memcpy(all, five, sizeof all);
	m.n = 5;
	fleet_importance_filter(&m, DTYPE_BF16, "decode");
	assert_string_equal(names(&m), "gemm");
	fleet_importance_filter(&m, DTYPE_BF16, "prefill");
	assert_int_equal(m.n, 0);
}

static void medians(void **state)
{
	double four[] = { 4, NAN, 1, 3, 2 }, none[] = { NAN };
	(void)state;
	assert_true(fleet_importance_median(four, 5) == 3); /* the upper one */
	assert_true(isnan(fleet_importance_median(none, 1)));
	assert_true(isnan(fleet_importance_median(none, 0)));
}

/* Headroom of collectives has a finding, that of others has none. */
static void waiting(void **state)
{
	struct fleet_importance_row rows[] = {
		{ .op = "collective", .collective = 1, .headroom = 0.125 },
		{ .op = "gemm", .headroom = 0.5 },
		{ .op = "all", .collective = 1, .headroom = NAN },
	};
	struct fleet_importance m = { .runs = 1,
		.rows = rows,
		.n = 3,
		.attributed = 1,
		.specific = 1,
		.sized = 1,
		.bound = 1 };
	struct fleet f = { 0 };
	struct arena a = { 0 };
	struct finding_list found = findings_importance(&a, &m, &f, NULL);

	(void)state;
	assert_int_equal(found.n, 1);
	assert_string_equal(found.lines[0].text,
		"headroom of collectives includes waiting for other ranks: it "
		"is 12.5 % of GPU time; the page of a job separates waiting "
		"from transfer");
	rows[0].headroom = 0;
	found = findings_importance(&a, &m, &f, NULL);
	assert_int_equal(found.n, 0);
	arena_release(&a);
}

static void untold(void **state)
{
	struct fleet_importance_row rows[2] = { 0 };
	static const char *const text[] = { NULL,
		"mean call time is unavailable for 1 operator: some calls "
		"have no roofline bound, and runs of one workload have "
		"different GPU-hours",
		"mean call time is unavailable for 2 operators: some calls "
		"have no roofline bound, and runs of one workload have "
		"different GPU-hours" };
	(void)state;
	for (uint32_t n = 0; n <= 2; n++) {
		struct fleet_importance m = { .runs = 1,
			.rows = rows,
			.n = 2,
			.attributed = 1,
			.specific = 1,
			.sized = 1,
			.bound = 1,
			.untold = n };
		struct fleet f = { 0 };
		struct arena a = { 0 };
		const struct finding_list found =
			findings_importance(&a, &m, &f, NULL);
		assert_int_equal(found.n, n > 0);
		if (n)
			assert_string_equal(found.lines[0].text, text[n]);
		arena_release(&a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(orders),
		cmocka_unit_test(found),
		cmocka_unit_test(medians),
		cmocka_unit_test(waiting),
		cmocka_unit_test(untold),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
