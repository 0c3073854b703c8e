/* test_view.c - tests values in responses: null for unknown values, tables as
 * in nsys. */
#include "view.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

static void same(json_t *v, const char *want)
{
	char *text = json_dumps(v,
		JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
	assert_string_equal(text, want);
	free(text);
	json_decref(v);
}

static void test_values(void **state)
{
	(void)state;
	same(view_whole(0), "0");
	same(view_whole(-1), "null");
	same(view_whole((INT64_C(1) << 53) - 1), "9007199254740991");
	same(view_whole(INT64_C(1) << 53), "null");
	same(view_real(31.4), "31.4");
	same(view_real(123), "123.0");
	same(view_real(167993715.5), "167993715.5");
	same(view_real(NAN), "null");
	same(view_real(INFINITY), "null");
	same(view_moment(NO_MOMENT), "null");
	same(view_text(NULL), "null");
	same(view_labels("{\"a\":\"b\"}"), "{\"a\":\"b\"}");
	same(view_labels(NULL), "{}");
}

static void test_error_mends_text(void **state)
{
	(void)state;
	struct err e = { .code = ERR_INPUT, .text = "a\xff" };
	same(view_error(&e), "{\"error\":{\"code\":\"bad_request\",\"message\":"
			     "\"a\xef\xbf\xbd\"}}");
}

/* Two launches of 2,971,823 and 333,015,608 ns. They come from the report with
 * which nsys' definitions were verified: sd 233,376,198.5, median
 * 167,993,715.5. */
static const struct kernel_line kernels[] = {
	{ .kernel = 3,
		.is = { .name = "void f<int, 2>(T1 *)",
			.short_name = "f",
			.source = { .family = "gemm" } },
		.stat = { .device = 1,
			.grid = { 8, 1024, 1 },
			.block = { 128, 1, 1 },
			.time = { .instances = 2,
				.total_ns = 335987431,
				.avg_ns = 167993715.5,
				.med_ns = 167993715.5,
				.min_ns = 2971823,
				.max_ns = 333015608,
				.stddev_ns = 233376198.5,
				.p90_ns = 300011229.5,
				.p99_ns = 329715170.2,
				.iqr_ns = 165021892.5 },
			.time_pct = 100 } },
};

static void csv(const struct table *t, const char *want)
{
	struct buf b;
	buf_init(&b, 4096);
	table_csv(t, &b);
	assert_string_equal(b.at, want);
	buf_release(&b);
}

static void test_kernel_tables(void **state)
{
	(void)state;
	struct arena a = { 0 };
	csv(view_kernel_table(&a, kernels, 1, SPLIT_NONE),
		"Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),"
		"Max (ns),StdDev (ns),Name\n"
		"100.0,335987431,2,167993715.5,167993715.5,2971823,333015608,"
		"233376198.5,\"void f<int, 2>(T1 *)\"\n");
	csv(view_kernel_table(&a, kernels, 1, SPLIT_GRID),
		"Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),"
		"Max (ns),StdDev (ns),GridXYZ,BlockXYZ,Name\n"
		"100.0,335987431,2,167993715.5,167993715.5,2971823,333015608,"
		"233376198.5,   8 1024    1, 128    1    1,"
		"\"void f<int, 2>(T1 *)\"\n");
	csv(view_kernel_table(&a, kernels, 1, SPLIT_DEVICE),
		"Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),"
		"Max (ns),StdDev (ns),Device,Name\n"
		"100.0,335987431,2,167993715.5,167993715.5,2971823,333015608,"
		"233376198.5,1,\"void f<int, 2>(T1 *)\"\n");
	arena_release(&a);
}

static void test_copy_table(void **state)
{
	(void)state;
	struct arena a = { 0 };
	const struct copy_stat copy = { .operation =
						"[CUDA memcpy Host-to-Device]",
		.device = 0,
		.time = { .instances = 1,
			.total_ns = 5,
			.avg_ns = 5,
			.med_ns = 5,
			.min_ns = 5,
			.max_ns = 5 },
		.time_pct = 100 };
	csv(view_copy_table(&a, &copy, 1, SPLIT_NONE),
		"Time (%),Total Time (ns),Count,Avg (ns),Med (ns),Min (ns),"
		"Max (ns),StdDev (ns),Operation\n"
		"100.0,5,1,5.0,5.0,5,5,0.0,[CUDA memcpy Host-to-Device]\n");
	arena_release(&a);
}

static void test_kernel_json(void **state)
{
	(void)state;
	same(view_kernel(&kernels[0], "f [2]", NULL),
		"{\"id\":3,\"name\":\"void f<int, 2>(T1 *)\",\"short_name\":"
		"\"f\",\"distinct_name\":\"f [2]\",\"family\":\"gemm\",\"operator\":null,\"device\":1,"
		"\"grid\":[8,1024,1],\"block\":[128,1,1],"
		"\"time_pct\":100.0,\"instances\":2,\"total_ns\":335987431,"
		"\"mean_ns\":167993715.5,\"median_ns\":167993715.5,"
		"\"min_ns\":2971823,\"max_ns\":333015608,"
		"\"stddev_ns\":233376198.5,\"p90_ns\":300011229.5,"
		"\"p99_ns\":329715170.2,\"iqr_ns\":165021892.5,"
		"\"source\":null,\"origins\":[],\"kernel_profiles\":[]}");
}

static void test_kernel_from_a_table(void **state)
{
	(void)state;
	const struct kernel_line line = {
		.kernel = 4,
		.is = { .name = "f", .short_name = "f" },
		.stat = { .device = -1,
			.grid = { -1, -1, -1 },
			.block = { -1, -1, -1 },
			.time = { .instances = 7,
				.total_ns = 70,
				.avg_ns = 10,
				.med_ns = (double)NAN,
				.min_ns = -1,
				.max_ns = -1,
				.stddev_ns = (double)NAN,
				.p90_ns = (double)NAN,
				.p99_ns = (double)NAN,
				.iqr_ns = NAN },
			.time_pct = 31.4,
			.table_path = "vllm/csrc/f.cu" },
	};
	same(view_kernel(&line, "f", NULL),
		"{\"id\":4,\"name\":\"f\",\"short_name\":\"f\","
		"\"distinct_name\":\"f\",\"family\":null,\"operator\":null,\"device\":null,\"grid\":null,"
		"\"block\":null,\"time_pct\":31.4,\"instances\":7,"
		"\"total_ns\":70,\"mean_ns\":10.0,\"median_ns\":null,"
		"\"min_ns\":null,\"max_ns\":null,\"stddev_ns\":null,"
		"\"p90_ns\":null,\"p99_ns\":null,\"iqr_ns\":null,\"source\":{"
		"\"defined_in\":null,\"launched_from\":null,"
		"\"known_from\":null,\"table_path\":\"vllm/csrc/f.cu\"},"
		"\"origins\":[],\"kernel_profiles\":[]}");
}

/* A kernel that began before its call returned, so it did not wait. */
static void test_launches(void **state)
{
	(void)state;
	struct arena a = { 0 };
	const struct launch_line line = {
		.kernel = 3,
		.name = "f<int>(int *)",
		.short_name = "f",
		.stat = { .thread = "",
			.device = 0,
			.api = "cudaLaunchKernel",
			.instances = 1,
			.queued = 0,
			.total = { 20, 20, 0, 20, 20 },
			.api_call = { 8.5, 8.5, 0.7, 8, 9 },
			.queue = { (double)NAN, (double)NAN, (double)NAN, -1,
				-1 },
			.kernel_run = { 15, 15, 0, 15, 15 } },
	};
	same(view_launch(&line, "f"),
		"{\"kernel\":3,\"name\":\"f<int>(int *)\",\"short_name\":"
		"\"f\",\"distinct_name\":\"f\",\"thread\":null,\"device\":0,\"api\":"
		"\"cudaLaunchKernel\",\"instances\":1,\"queued\":0,"
		"\"total_mean_ns\":20.0,\"total_median_ns\":20.0,"
		"\"total_min_ns\":20,\"total_max_ns\":20,"
		"\"total_stddev_ns\":0.0,"
		"\"api_mean_ns\":8.5,\"api_median_ns\":8.5,\"api_min_ns\":8,"
		"\"api_max_ns\":9,\"api_stddev_ns\":0.7,"
		"\"queue_mean_ns\":null,\"queue_median_ns\":null,"
		"\"queue_min_ns\":null,\"queue_max_ns\":null,"
		"\"queue_stddev_ns\":null,"
		"\"kernel_mean_ns\":15.0,\"kernel_median_ns\":15.0,"
		"\"kernel_min_ns\":15,\"kernel_max_ns\":15,"
		"\"kernel_stddev_ns\":0.0}");
	csv(view_launch_table(&a, 4711, &line, 1),
		"PID,TID,DevId,Count,QCount,"
		"TAvg (ns),TMed (ns),TMin (ns),TMax (ns),TStdDev (ns),"
		"AAvg (ns),AMed (ns),AMin (ns),AMax (ns),AStdDev (ns),"
		"QAvg (ns),QMed (ns),QMin (ns),QMax (ns),QStdDev (ns),"
		"KAvg (ns),KMed (ns),KMin (ns),KMax (ns),KStdDev (ns),"
		"API Name,Kernel Name\n"
		"4711,,0,1,0,20.0,20.0,20,20,0.0,8.5,8.5,8,9,0.7,,,,,,"
		"15.0,15.0,15,15,0.0,cudaLaunchKernel,f<int>(int *)\n");
	arena_release(&a);
}

static void test_caller_json(void **state)
{
	(void)state;
	const struct frame path[] = { { 0, FRAME_ANNOTATION, "step 3" },
		{ 0, FRAME_MODULE, "Linear_0" },
		{ 0, FRAME_PYTHON, "a.py(3): f" },
		{ 0, FRAME_OP, "aten::mm" } };
	same(view_caller(&(struct caller_line){ CALLER_PATH, path, 4, true, 5,
				 2, 30 },
		     42.9),
		"{\"found_by\":\"path\",\"path\":[{\"kind\":\"annotation\","
		"\"name\":\"step 3\"},{\"kind\":\"module\",\"name\":"
		"\"Linear_0\"},{\"kind\":\"python\",\"name\":\"a.py(3): f\"},"
		"{\"kind\":\"op\",\"name\":\"aten::mm\"}],\"path_cut\":true,"
		"\"paths\":5,\"user_frame\":2,\"launches\":2,\"total_ns\":30,\"share_pct\":42.9}");
	same(view_caller(&(struct caller_line){ .known = CALLER_NO_RANGE }, 0),
		"{\"found_by\":\"no_range\",\"path\":[],\"path_cut\":false,"
		"\"paths\":0,\"user_frame\":null,\"launches\":0,"
		"\"total_ns\":0,\"share_pct\":0.0}");
	same(view_caller(&(struct caller_line){ .known = CALLER_NO_CALL }, 0),
		"{\"found_by\":\"no_call\",\"path\":[],\"path_cut\":false,"
		"\"paths\":0,\"user_frame\":null,\"launches\":0,"
		"\"total_ns\":0,\"share_pct\":0.0}");
}

static void test_graph_json(void **state)
{
	(void)state;
	const struct graph_stat g = { .graph_id = 4,
		.graph_exec = -1,
		.device = 1,
		.time = { .instances = 1,
			.total_ns = 5,
			.avg_ns = 5,
			.med_ns = 5,
			.min_ns = 5,
			.max_ns = 5,
			.stddev_ns = 0,
			.p90_ns = 5,
			.p99_ns = 5,
			.iqr_ns = 0 } };
	same(view_graph(&g), "{\"graph_id\":4,\"graph_exec\":null,\"device\":1,"
			     "\"instances\":1,\"total_ns\":5,\"mean_ns\":5.0,"
			     "\"median_ns\":5.0,\"min_ns\":5,\"max_ns\":5,"
			     "\"stddev_ns\":0.0,\"p90_ns\":5.0,\"p99_ns\":5.0,"
			     "\"iqr_ns\":0.0}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_error_mends_text),
		cmocka_unit_test(test_kernel_tables),
		cmocka_unit_test(test_copy_table),
		cmocka_unit_test(test_kernel_json),
		cmocka_unit_test(test_kernel_from_a_table),
		cmocka_unit_test(test_launches),
		cmocka_unit_test(test_caller_json),
		cmocka_unit_test(test_graph_json),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
