/* db_capture.c - a worker stores a capture file, which is then uploaded. Tests
 * that this upload becomes an equal run, row by row in every table. */
#include "fixture.h"
#include "query.h"
#include <stdlib.h>

/* The trace has an annotation around two operators: one launches a kernel
 * twice and the other copies. It has a Python function, a module, and a third
 * launch without a caller. There are two threads of one process and two
 * devices. */
static const char trace[] =
	"{\"schemaVersion\": 1, \"deviceProperties\": [{\"id\": 0, \"name\": "
	"\"G0\", \"numSms\": 8}, {\"id\": 1, \"name\": \"G1\"}], "
	"\"distributedInfo\": {\"rank\": 1, \"world_size\": 2}, "
	"\"traceEvents\": [\n"
#define HOST(cat, name, ts, dur, args)                                   \
	"{\"ph\": \"X\", \"cat\": \"" cat "\", \"name\": \"" name "\", " \
	"\"pid\": 77, \"tid\": 78, \"ts\": " ts ", \"dur\": " dur ", "   \
	"\"args\": {" args "}},\n"
#define GPU(cat, name, device, ts, dur, args)                            \
	"{\"ph\": \"X\", \"cat\": \"" cat "\", \"name\": \"" name "\", " \
	"\"pid\": " device ", \"tid\": 7, \"ts\": " ts ", \"dur\": " dur \
	", \"args\": {\"device\": " device ", \"stream\": 7, " args "}},\n"
	HOST("user_annotation", "step 1", "10.000", "90.000",
		"") HOST("python_function", "train.py(7): loop", "11.000",
		"80.000", "\"Python id\": 1") HOST("python_function",
		"nn.Module: Mlp_0", "12.000", "70.000",
		"\"Python id\": 2, \"Python parent id\": 1") HOST("cpu_op",
		"aten::mm", "20.000", "30.000",
		"\"External id\": 5, \"Input Dims\": [[2, 3]]") HOST("cuda_"
								     "runtime",
		"cudaLaunchKernel", "21.000", "2.500",
		"\"correlation\": 1, \"External id\": 5") HOST("cuda_runtime",
		"cudaLaunchKernel", "25.000", "2.125",
		"\"correlation\": 2, \"External id\": 5") HOST("cpu_op",
		"aten::copy_", "60.000", "10.000",
		"\"External id\": 6") HOST("cuda_runtime", "cudaMemcpyAsync",
		"61.000", "3.000",
		"\"correlation\": 3, \"External id\": 6") GPU("kernel",
		"_Z4gemmIfEvi", "0", "30.001", "4.500",
		"\"correlation\": 1, \"grid\": [4, 2, 1], \"block\": "
		"[128, 1, 1], \"registers per thread\": 40") GPU("kernel",
		"_Z4gemmIfEvi", "0", "36.000", "5.250",
		"\"correlation\": 2, \"grid\": [4, 2, 1], \"block\": "
		"[128, 1, 1]") GPU("kernel", "add", "1", "40.000", "1.007",
		"\"correlation\": 9, \"grid\": [1, 1, 1], \"block\": "
		"[32, 1, 1]") GPU("gpu_memcpy",
		"Memcpy HtoD (Pageable -> Device)", "0", "65.000", "3.000",
		"\"correlation\": 3, \"bytes\": 4096") "{\"ph\": \"X\", "
						       "\"cat\": \"kernel\", "
						       "\"name\": \"late\"}\n"
						       "]}\n";

struct world {
	struct db *db;
	struct catalog *families;
};

static int setup(void **state)
{
	static struct world w;
	struct err e = { 0 };
	w = (struct world){ fixture_db(), catalog_new(NULL, &e) };
	assert_non_null(w.families);
	*state = &w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;
	db_free(w->db);
	catalog_free(w->families);
	return 0;
}

/* Ingests the upload; returns the id of its only run. */
static int64_t run_of(struct world *w, int64_t upload)
{
	struct claim c = { 0 };
	struct arena a = { 0 };
	struct upload_row row;
	bool saving;
	works(upload_claim(w->db, "here:1", 30, &c, &err));
	assert_int_equal(c.upload, upload);
	works(ingest(w->db, &c, w->families, NULL, &fixture_limits, &saving,
		&err));
	works(upload_row_get(w->db, &a, upload, &row, &err));
	if (row.error)
		fail_msg("%s", row.error);
	assert_int_equal(row.runs_n, 1);
	int64_t run = *row.runs;
	arena_release(&a);
	return run;
}

/* The first chunk is the whole file. */
static size_t capture_of(struct world *w, int64_t run, char *to)
{
	int64_t edition = 0;
	size_t len, more;
	works(query_capture(w->db, run, 0, &edition, to, &len, &err));
	works(query_capture(w->db, run, 1, &edition, to + len, &more, &err));
	assert_int_equal(more, 0);
	return len;
}

/* Counts the rows that only one of two runs has, except for columns of the
 * upload they came from. */
static int64_t differing(struct world *w, const char *table, int64_t a,
	int64_t b)
{
	static const char rows[] =
		"SELECT to_jsonb(t) - '{run_id,upload_id,name,created_at,"
		"format,labels,job,project,workload}'::text[] FROM %s t "
		"WHERE run_id = %lld";
	char one[300], other[300], sql[1400];
	struct result r;
	snprintf(one, sizeof one, rows, table, (long long)a);
	snprintf(other, sizeof other, rows, table, (long long)b);
	snprintf(sql, sizeof sql,
		"SELECT count(*) FROM ((%s EXCEPT ALL %s) UNION ALL "
		"(%s EXCEPT ALL %s)) d",
		one, other, other, one);
	works(sql_run(w->db, sql, NULL, &r, &err));
	result_next(&r);
	int64_t n = result_int8(&r, -1);
	result_release(&r);
	return n;
}

static int64_t count(struct world *w, const char *table, int64_t run)
{
	char sql[100];
	struct result r;
	snprintf(sql, sizeof sql, "SELECT count(*) FROM %s WHERE run_id = %lld",
		table, (long long)run);
	works(sql_run(w->db, sql, NULL, &r, &err));
	result_next(&r);
	int64_t n = result_int8(&r, -1);
	result_release(&r);
	return n;
}

static void capture_becomes_the_same_run(void **state)
{
	struct world *w = *state;
	char *capture = malloc(2 * CAPTURE_PIECE);
	int64_t id = fixture_upload(w->db, "whole", trace, UPLOAD_CHUNK);
	int64_t first = run_of(w, id);
	size_t len = capture_of(w, first, capture);
	id = fixture_upload_bytes(w->db, "again", capture, len, UPLOAD_CHUNK);
	int64_t second = run_of(w, id);

	/* The expected rows. Kernels: gemm twice and add once, as a total, by
	 * device and by grid. Frames: step, loop, Mlp and mm, but not the
	 * copy's operator, because it launches no kernel. Callers: gemm's
	 * caller, and add without a caller. */
	static const struct {
		const char *table;
		int64_t rows;
	} tables[] = { { "run", 1 }, { "run_device", 2 }, { "run_kernel", 6 },
		{ "run_copy", 2 }, { "run_graph", 0 }, { "run_launch", 1 },
		{ "run_frame", 4 }, { "run_caller", 2 }, { "run_note", -1 } };
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
		const char *table = tables[i].table;
		int64_t rows = count(w, table, first);
		if (rows != tables[i].rows && tables[i].rows >= 0)
			fail_msg("%lld rows in %s", (long long)rows, table);
		assert_true(rows > 0 || tables[i].rows == 0);
		if (differing(w, table, first, second))
			fail_msg("%s differs", table);
	}
	free(capture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(capture_becomes_the_same_run),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
