/* test_view_set.c - tests a fleet as a document: the dtypes with the most
 * time, and numbers that are too large for the document. */
#include "view_set.h"
#include "query_fleet.h"
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

static struct fleet_shape shape(enum dtype dtype, double total_s,
	uint64_t flops)
{
	return (struct fleet_shape){ .op = "gemm",
		.text = "m=2 n=2 k=2",
		.dtype = dtype,
		.calls = 1,
		.total_s = total_s,
		.costed = true,
		.cost = { .flops = { [DTYPE_BF16] = flops },
			.read_bytes = 8,
			.write_bytes = 8 } };
}

/* The only operator of the document. */
static json_t *made(const struct fleet_shape *rows, uint32_t n)
{
	struct arena a = { 0 };
	struct err e = { 0 };
	struct catalog *c = catalog_new(NULL, &e);
	const struct platform *h20 = catalog_platform(c, "H20");
	struct fleet_importance_row row = { .op = "gemm",
		.dtype = "fp32/bf16",
		.importance = 1,
		.runs = 1 };
	struct fleet_importance m = { .rows = &row,
		.n = 1,
		.runs = 1,
		.platforms = &h20,
		.platforms_n = 1 };
	char *text = view_set_from_fleet(&m, rows, n, c, &a);
	json_t *doc = json_loads(text, 0, NULL);
	json_t *op = json_incref(
		json_array_get(json_object_get(doc, "operators"), 0));
	json_decref(doc);
	free(text);
	catalog_free(c);
	arena_release(&a);
	return op;
}

static void type_of_most_time(void **state)
{
	const struct fleet_shape rows[] = { shape(DTYPE_FP32, 1, 8),
		shape(DTYPE_BF16, 2, 8) };
	json_t *op = made(rows, 2);
	(void)state;
	assert_string_equal(json_string_value(json_object_get(op, "dtype")),
		"bf16");
	json_decref(op);
}

/* The work of half its dtypes with the bound of all would be another shape. */
static void too_large_to_tell(void **state)
{
	static const struct {
		uint64_t flops;
		bool reported;
	} rows[] = { { INT64_MAX, true }, { (uint64_t)INT64_MAX + 1, false } };
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct fleet_shape one =
			shape(DTYPE_BF16, 1, rows[i].flops);
		json_t *op = made(&one, 1);
		json_t *is = json_array_get(json_object_get(op, "shapes"), 0);
		json_t *work = json_object_get(is, "W_flops"),
		       *sol = json_object_get(is, "T_sol_ms");
		assert_int_equal(json_object_size(work), rows[i].reported);
		assert_int_equal(json_object_size(sol), rows[i].reported);
		assert_int_equal(json_object_get(is, "Q_read_bytes") != NULL,
			rows[i].reported);
		json_decref(op);
	}
}

/* As in seed 004. */
static void cells(void **state)
{
	struct arena a = { 0 };
	(void)state;
	assert_string_equal(view_set_report_time(&a, 3426.8172, 2), "3.43 ms");
	assert_string_equal(view_set_report_time(&a, 27.17778, 2), "27.18 us");
	assert_string_equal(view_set_report_time(&a, 948.55, 2), "948.55 us");
	assert_string_equal(view_set_report_time(&a, 29361.38, 1), "29.4 ms");
	assert_string_equal(view_set_report_time(&a, 118.28, 1), "118 us");
	assert_string_equal(view_set_report_time(&a, NAN, 1), "");
	assert_string_equal(view_set_report_ai(&a, 15432.1), "15.4k");
	assert_string_equal(view_set_report_ai(&a, 102.797), "102.8");
	assert_string_equal(view_set_report_ai(&a, 0), "0.0");
	assert_string_equal(view_set_report_ai(&a, NAN), "");
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(type_of_most_time),
		cmocka_unit_test(too_large_to_tell),
		cmocka_unit_test(cells),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
