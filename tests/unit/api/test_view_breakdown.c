/* test_view_breakdown.c - tests layers and groups in responses: null if they
 * are unknown, one line per row, and the hand-made table layout for one run. */
#include "run_breakdown.h"
#include "view_breakdown.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "layers_made.h"
#include "table.h"
#include <string.h>

static void same(const json_t *v, const char *want)
{
	char *text = json_dumps(v,
		JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
	assert_string_equal(text, want);
	free(text);
}

static const json_t *at(const json_t *v, const char *list, size_t i)
{
	return json_array_get(json_object_get(v, list), i);
}

static void test_json(void **state)
{
	(void)state;
	struct breakdown_row rows[MADE_ROWS];
	struct breakdown_stored is = made_layers(rows);
	rows[0].exclusive_ns = 1870000;
	rows[0].bound_launches = 4;
	rows[0].bound_ns = 400;
	rows[0].sol_ps = 100000;
	rows[0].clock_sol_ps = 200000; /* at half the clock of the data sheet */
	rows[3].exclusive_ns = 1;
	json_t *v = view_breakdown(7, &is);
	/* 1.4 ms of operations, 0.35 of them again, and 0.7 ms of traffic in 7 ms,
	 * by launches of 4 ms; 3 ms have operations, and 1.5 are known to repeat */
	const json_t *layers = at(v, "sections", 0);
	same(json_object_get(layers, "mfu"), "0.15");
	same(json_object_get(layers, "hfu"), "0.2");
	same(json_object_get(layers, "mbu"), "0.1");
	same(json_object_get(layers, "recompute_covered"), "0.5");
	same(json_object_get(layers, "utilization_reason"), "null");
	same(json_object_get(layers, "hfu_reason"), "null");
	same(at(v, "sections", 1),
		"{\"position\":\"after\",\"name\":null,\"instances\":10,"
		"\"per_iteration\":0,\"first\":0,\"time\":{\"instances\":0,"
		"\"mean_ns\":0.0,\"median_ns\":0.0,\"stddev_ns\":0.0,\"min_ns\":0,"
		"\"max_ns\":0},\"sum_ns\":2000.0,\"similarity\":null,"
		"\"mfu\":null,\"hfu\":null,\"mbu\":null,"
		"\"utilization_covered\":0.0,\"recompute_covered\":null,"
		"\"utilization_reason\":\"it took no time\","
		"\"hfu_reason\":\"it took no time\"}");
	same(at(v, "blocks", 1),
		"{\"section\":0,\"block\":\"shared\",\"parallel_to\":0,"
		"\"sum_ns\":20062.0,\"exclusive_ns\":0,\"overlapped_ns\":0}");
	same(at(v, "items", 0),
		"{\"block\":0,\"kernel\":{\"id\":1,\"name\":\"void "
		"deep_ep::dispatch<int>(int)\",\"short_name\":\"dispatch\","
		"\"distinct_name\":\"dispatch\"},"
		"\"operation\":null,\"operator\":null,\"module\":null,"
		"\"roles\":[\"dispatch\"],\"role_source\":\"sequence\",\"stream\":0,"
		"\"group\":null,\"launches\":10,\"instances\":10,"
		"\"extra\":false,\"mean_ns\":187000.0,\"median_ns\":187000.0,"
		"\"stddev_ns\":0.0,\"min_ns\":187000,\"max_ns\":187000,"
		"\"offset_ns\":0.0,\"exclusive_ns\":1870000,"
		"\"overlapped_ns\":0,\"sol_ns\":50.0,\"s\":0.5,"
		"\"sol_data_sheet_ns\":25.0,\"s_data_sheet\":0.25}");
	same(json_object_get(at(v, "items", 3), "kernel"), "null");
	same(json_object_get(at(v, "items", 3), "operation"),
		"\"[CUDA memset]\"");
	same(json_object_get(at(v, "items", 3), "role_source"), "null");
	same(json_object_get(at(v, "items", 3), "s"), "null");
	same(json_object_get(at(v, "items", 5), "roles"),
		"[\"gate_up\",\"quantize\"]");
	same(json_object_get(at(v, "items", 5), "kernel"),
		"{\"id\":null,\"name\":\"quant|8\",\"short_name\":\"quant|"
		"8\",\"distinct_name\":\"quant|8\"}");
	same(json_object_get(v, "bars"),
		"[{\"layer\":3,\"block\":0,\"mean_ns\":670500.0}]");
	json_object_del(v, "sections");
	json_object_del(v, "blocks");
	json_object_del(v, "items");
	json_object_del(v, "bars");
	same(v, "{\"run\":7,\"detector\":\"period\",\"confidence\":1.0,"
		"\"anchor\":\"dispatch\",\"reason\":null,\"device\":0,"
		"\"realigned\":false,\"iterations\":1,\"stratum\":null,"
		"\"end_to_end\":{\"instances\":1,\"mean_ns\":96000000.0,"
		"\"median_ns\":96000000.0,\"stddev_ns\":0.0,\"min_ns\":96000000,"
		"\"max_ns\":96000000},\"layers\":{\"count\":61,\"time\":{"
		"\"instances\":1,\"mean_ns\":87320000.0,\"median_ns\":87320000.0,"
		"\"stddev_ns\":0.0,\"min_ns\":87320000,\"max_ns\":87320000}},"
		"\"wall_ns\":96000000,\"exclusive_ns\":1870001,"
		"\"overlap_ns\":500000,\"idle_ns\":95500000,\"other_ns\":0,"
		"\"exposed_comm_ns\":0}");
	json_decref(v);
}

/* Nothing is known: a run without launches. */
static void test_nothing(void **state)
{
	(void)state;
	static const struct time_stats none = { .instances = 0,
		.total_ns = 0,
		.avg_ns = NAN,
		.med_ns = NAN,
		.min_ns = -1,
		.max_ns = -1,
		.stddev_ns = NAN,
		.p90_ns = NAN,
		.p99_ns = NAN,
		.iqr_ns = NAN };
	struct breakdown_stored is = { .breakdown = { .device = -1,
					       .why = "no launches",
					       .pass = none,
					       .layered = none } };
	struct run_row run = { .id = 12, .name = "" };
	struct arena a = { 0 };
	struct buf b;
	json_t *v = view_breakdown(-1, &is);
	same(json_object_get(v, "run"), "null");
	same(json_object_get(v, "device"), "null");
	same(json_object_get(v, "end_to_end"),
		"{\"instances\":0,\"mean_ns\":null,\"median_ns\":null,"
		"\"stddev_ns\":null,\"min_ns\":null,\"max_ns\":null}");
	same(json_object_get(v, "items"), "[]");
	json_decref(v);
	buf_init(&b, 500);
	table_md(view_breakdown_table(&a, &run, false, &is), &b);
	assert_string_equal(b.at,
		"| Layer | Module | Kernel | run 12 (no layers: no launches) "
		"|\n"
		"|:---|:---|:---|---:|\n"
		"| end to end |  |  |  |\n");
	buf_release(&b);
	arena_release(&a);
}

static void test_layout(void **state)
{
	(void)state;
	struct run_row run = { .id = 7, .name = "h800" };
	struct breakdown_row rows[MADE_ROWS];
	struct breakdown_stored is = made_layers(rows);
	struct arena a = { 0 };
	struct buf b;
	buf_init(&b, 2000);
	table_csv(view_breakdown_table(&a, &run, false, &is), &b);
	assert_string_equal(b.at,
		"Layer,Module,Kernel,h800\n"
		"end to end,,,96 ms\n"
		"61 layers,,,87.32 ms\n"
		"58 layers: attention + moe,,,690.562\n"
		"moe,dispatch,dispatch,187\n"
		"moe,mlp.experts,gemm,81\n"
		"moe,,splitKreduce_kernel,\n"
		"moe,,[CUDA memset] (4 of 10),8.5\n"
		"moe,combine,combine,394\n"
		"moe,sum,,670.5\n"
		"moe/shared overlap,combine,combine,\n"
		"moe/shared overlap,gate_up + quantize,quant|8,3\n"
		"moe/shared overlap,,gemm,17.062\n"
		"moe/shared overlap,sum,,20.062\n"
		"after the layers,,,2\n"
		"sampling,,splitKreduce_kernel,2\n"
		"sampling,sum,,2\n");
	buf_release(&b);
	arena_release(&a);
}

static void test_rows(void **state)
{
	(void)state;
	struct breakdown_row rows[MADE_ROWS];
	struct breakdown_stored is = made_layers(rows);
	struct arena a = { 0 };
	struct buf b;
	is.breakdown.rows += 5;
	is.breakdown.rows_n = 2;
	buf_init(&b, 2000);
	table_csv(view_breakdown_rows(&a, &is), &b);
	assert_string_equal(b.at,
		"Section,Layers,Block,Parallel To,Module,Roles,Operator,Stream,Group,"
		"Instances,Launches,Avg (ns),Med (ns),Min (ns),Max (ns),"
		"StdDev (ns),Offset (ns),Exclusive (ns),Overlapped (ns),"
		"T_SOL (ns),S,Kernel\n"
		"attention + moe,58,shared,moe,,gate_up + quantize,,1,,10,10,"
		"3000.0,3000.0,3000,3000,0.0,310000.0,0,30000,,,quant|8\n"
		"attention + moe,58,shared,moe,,,,1,,10,10,"
		"17062.0,17062.0,17062,17062,0.0,320000.0,0,20000,,,gemm\n");
	buf_release(&b);
	arena_release(&a);
}

static void test_groups(void **state)
{
	(void)state;
	static const uint32_t members[] = { 1, 2 };
	struct kernel_group group = { GROUP_CATALOG, members, 2, 50, 0.75,
		"gemm", 4050, 3 };
	const struct groups_stored is = { { &group, 1 },
		(struct breakdown_kernel *)made_kernels, 5 };
	struct arena a = { 0 };
	struct buf b;
	json_t *v = view_group(&is, 0);
	same(v, "{\"kernels\":[{\"id\":2,\"name\":\"gemm\",\"short_name\":"
		"\"gemm\",\"distinct_name\":\"gemm\"},{\"id\":3,\"name\":\"void splitKreduce_kernel<int>()"
		"\",\"short_name\":\"splitKreduce_kernel\",\"distinct_name\":"
		"\"splitKreduce_kernel\"}],\"operator\":"
		"\"gemm\",\"evidence\":\"catalog\",\"support\":50,"
		"\"confidence\":0.75,\"total_ns\":4050,\"alone\":3}");
	json_decref(v);
	buf_init(&b, 500);
	table_csv(view_groups_table(&a, &is), &b);
	assert_string_equal(b.at,
		"Total Time (ns),Support,Confidence,Alone,Evidence,Operator,"
		"Kernels\n"
		"4050,50,0.75,3,catalog,gemm,gemm; void "
		"splitKreduce_kernel<int>()\n");
	buf_release(&b);
	arena_release(&a);
}

/* One long name at 129 places, of which a response holds 128. */
static void test_names_are_bounded(void **state)
{
	(void)state;
	static char name[64 * 1024];
	static struct breakdown_row rows[129];
	struct breakdown_kernel kernel = { 1, name, "", "" };
	struct breakdown_stored is = { { .rows = rows, .rows_n = 128 }, &kernel,
		1 };
	struct err e = { 0 };
	memset(name, 'k', sizeof name - 1);
	assert_true(run_breakdown_fits(7, &is, &e));
	is.breakdown.rows_n = 129;
	assert_false(run_breakdown_fits(7, &is, &e));
	assert_int_equal(e.code, ERR_TOO_LARGE);
	assert_string_equal(e.text,
		"the names in the layers of run 7 come to 9 MiB, and an answer "
		"holds 8; /runs/7/kernels lists its kernels page by page");
	rows[128].kernel = ROW_NO_KERNEL;
	assert_true(run_breakdown_fits(7, &is, &e));
	rows[128].module = name;
	assert_false(run_breakdown_fits(7, &is, &e));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_layout),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_names_are_bounded),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
