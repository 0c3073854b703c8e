/* fixture.h - code that the store's test cases share: a migrated database,
 * small uploads, a profile with distinctive numbers, and processes that do one
 * thing at the same time. */
#pragma once
#include "migrate.h"
#include "query.h"
#include "save.h"
#include "sql.h"
#include "upload.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

/* Fails with the error message if a call that should work did not. */
#define works(call)                                        \
	do {                                               \
		struct err e = { 0 };                      \
		if (!(call))                               \
			fail_msg("%s: %s", #call, e.text); \
		assert_int_equal(e.code, ERR_NONE);        \
	} while (0)

#define refuses(call, want_code, sentence)             \
	do {                                           \
		struct err e = { 0 };                  \
		assert_false(call);                    \
		assert_string_equal(e.text, sentence); \
		assert_int_equal(e.code, want_code);   \
	} while (0)

static inline struct db *fixture_connect(const char *conninfo)
{
	struct err e = { 0 };
	struct db *db = db_new(conninfo, &e);
	if (!db)
		fail_msg("%s", e.text);
	return db;
}

static inline void fixture_script(struct db *db, const char *sql)
{
	works(sql_script(db, sql, &e));
}

/* Connected, migrated and empty. */
static inline struct db *fixture_db(void)
{
	struct db *db = fixture_connect("");
	int applied;
	works(migrate(db, &applied, &e));
	fixture_script(db,
		"TRUNCATE upload, upload_chunk, upload_object, object_to_delete, kernel_profile_file, measure, "
		"run_kernel_profile, run_identity, token, kernel, "
		"run, run_device, run_kernel, run_copy, run_note, "
		"run_capture, run_graph, run_launch, run_frame, run_caller, "
		"job, run_iteration, run_iteration_work, run_busy_class, run_wait, run_wait_name, run_energy, run_energy_operator, run_stratum, run_signature, run_axis, "
		"run_pattern, run_pattern_iteration, run_metric, run_collective, "
		"run_fact, run_operator, run_shape, run_fusion, run_device_shape, run_unattributed, "
		"run_replayed_graph, run_origin, "
		"run_breakdown, run_section, run_block, run_layer_row, run_group, "
		"rollup_delta, rollup_delta_kernel, rollup_cell, "
		"rollup_shape, rollup_seen, rollup_kernel, shape, "
		"operator_key, "
		"site_override, learned_graph, reference_set, "
		"retention, webhook, webhook_delivery, slow_gpu, slow_gpu_seen");
	return db;
}

static inline int64_t fixture_count(struct db *db, const char *sql)
{
	struct result r;
	works(sql_run(db, sql, NULL, &r, &e));
	assert_true(result_next(&r));
	int64_t n = result_int8(&r, -1);
	result_release(&r);
	return n;
}

static const struct upload_meta fixture_meta = { "mesa", "train", "nightly",
	"job7", "{\"branch\": \"main\", \"gpu\": \"h100\"}", "a.json.gz", NAN };

/* Received, with the bytes of `text`. */
static inline struct upload_outcome fixture_upload(struct db *db,
	const struct upload_meta *m, const char *text)
{
	struct upload_outcome out;
	uint8_t sha256[SHA256_BYTES];
	int64_t id;
	size_t len = strlen(text);
	sha256_of(text, len, sha256);
	works(upload_begin(db, m, &id, &e));
	works(upload_chunk(db, id, 0, text, len, &e));
	works(upload_finish(db, id, sha256, (int64_t)len, NULL, &out, &e));
	return out;
}

static inline struct claim fixture_claim(struct db *db, int64_t upload)
{
	struct claim c;
	works(upload_claim(db, "host:1", 30, &c, &e));
	assert_int_equal(c.upload, upload);
	return c;
}

static inline struct time_stats fixture_time(int64_t n, int64_t total)
{
	return (struct time_stats){ .instances = n,
		.total_ns = total,
		.min_ns = total / n - 1,
		.max_ns = total / n + 1,
		.avg_ns = (double)total / (double)n,
		.med_ns = 10.5,
		.stddev_ns = 0.3,
		.p90_ns = 11.4,
		.p99_ns = 11.9,
		.iqr_ns = 1.4 };
}

/* Two kernels on two devices, the second with grids; a copy; two notes. */
static inline struct profile fixture_profile(struct arena *a)
{
	static const int32_t none = -1;
	struct profile p = { .arena = a,
		.format = "kineto",
		.framework = "pytorch",
		.pid = 4711,
		.process_name = "python train.py",
		.host = "node3",
		.rank = 1,
		.world_size = 8,
		.started_utc_ns = 1755848102123456789,
		.span_ns = 1000,
		.busy_ns = 400,
		.kernel_ns = 450,
		.launches = 5,
		.copy_ns = 60,
		.copies = 2,
		.kernels_n = 2,
		.stats_n = 6,
		.copy_stats_n = 2,
		.devices_n = 2 };
	p.kernels = arena_array(a, struct profile_kernel, 2);
	p.kernels[0] = (struct profile_kernel){ "void gemm<float>(int)",
		"_Z4gemmIfEvi", "gemm",
		{ "gemm", "blas/gemm.cu", NULL, "the source tree" }, "gemm" };
	p.kernels[1] =
		(struct profile_kernel){ .name = "add", .short_name = "add" };
	p.stats = arena_array(a, struct kernel_stat, 6);
	p.stats[0] = (struct kernel_stat){ 0, SPLIT_NONE, -1, { -1, -1, -1 },
		{ -1, -1, -1 }, fixture_time(3, 300), 0, false, 66.7, NULL };
	p.stats[1] = (struct kernel_stat){ 1, SPLIT_NONE, -1, { -1, -1, -1 },
		{ -1, -1, -1 }, fixture_time(2, 150), 0, false, 33.3, NULL };
	p.stats[2] = p.stats[0];
	p.stats[2].split = SPLIT_DEVICE;
	p.stats[2].device = 0;
	p.stats[3] = p.stats[1];
	p.stats[3].split = SPLIT_DEVICE;
	p.stats[3].device = 1;
	p.stats[4] = (struct kernel_stat){ 0, SPLIT_GRID, -1, { 128, 2, 1 },
		{ 256, 1, 1 }, fixture_time(3, 300), 0, false, 66.7, NULL };
	p.stats[5] = p.stats[1];
	p.stats[5].split = SPLIT_GRID;
	p.copy_stats = arena_array(a, struct copy_stat, 2);
	p.copy_stats[0] = (struct copy_stat){ "[CUDA memcpy Host-to-Device]",
		SPLIT_NONE, none, fixture_time(2, 60), 100, 4096, 2 };
	p.copy_stats[1] = p.copy_stats[0];
	p.copy_stats[1].split = SPLIT_DEVICE;
	p.copy_stats[1].device = 1;
	p.devices = arena_array(a, struct profile_device, 2);
	p.devices[0] = (struct profile_device){ 0, "H100", 132, 9, 0,
		85520809984, 3, 250, 1790.5, 40, NULL, "6161e0f3",
		"0000:57:00.0", 12.5, 0 };
	p.devices[1] = (struct profile_device){ 1, NULL, -1, -1, -1, -1, 2, 150,
		NAN, 3, "too few samples", NULL, NULL, NAN, 0 };
	note_add(&p.notes, NOTE_bad_event, 3, "{\"ts\":", 6);
	note_add(&p.notes, NOTE_uncorrelated, 1, NULL, 0);
	return p;
}

/* Rows of all derived tables except the dictionary. */
static inline int64_t fixture_derived(struct db *db)
{
	static const char *const tables[] = { "run", "run_device", "run_kernel",
		"run_copy", "run_graph", "run_launch", "run_frame",
		"run_caller", "run_note", "run_capture", "run_iteration",
		"run_busy_class", "run_wait", "run_wait_name", "run_energy",
		"run_energy_operator", "run_stratum", "run_signature",
		"run_axis", "run_pattern", "run_pattern_iteration",
		"run_metric", "run_collective", "run_fact", "run_operator",
		"run_shape", "run_fusion", "run_device_shape",
		"run_iteration_work", "run_unattributed", "run_replayed_graph",
		"run_origin", "run_kernel_profile", "run_breakdown",
		"run_section", "run_block", "run_layer_row", "run_group" };
	int64_t n = 0;
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
		char sql[60];
		snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", tables[i]);
		n += fixture_count(db, sql);
	}
	return n;
}

/* The rows of fixture_profile(): 1 run, 2 devices, 6 kernel lines, 2 copies,
 * 2 notes, 1 breakdown. */
enum { FIXTURE_ROWS = 14 };

/* Uploads, claims and saves; the ids of the runs are in *runs. */
static inline int64_t fixture_save(struct db *db, const char *bytes,
	const struct profile *runs, uint32_t n)
{
	struct upload_outcome out = fixture_upload(db, &fixture_meta, bytes);
	struct claim c = fixture_claim(db, out.id);
	works(save(db, &c, runs, n, NULL, &e));
	return out.id;
}

/* The visible runs of an upload. */
static inline const int64_t *fixture_runs(struct db *db, struct arena *a,
	int64_t upload, uint32_t n)
{
	struct upload_row row;
	works(upload_row_get(db, a, upload, &row, &e));
	assert_int_equal(row.runs_n, n);
	return row.runs;
}

/* Runs f in n processes that start together, each with its own connection;
 * all must return true. */
static inline void fixture_together(int n, const char *conninfo,
	bool (*f)(struct db *db, int nth, struct err *e))
{
	int gate[2];
	assert_int_equal(pipe(gate), 0);
	for (int i = 0; i < n; i++) {
		if (fork())
			continue;
		struct err e = { 0 };
		char go;
		close(gate[1]);
		struct db *db = db_new(conninfo, &e);
		/* The gate opens when its other end is closed. */
		bool ok = db && read(gate[0], &go, 1) == 0 && f(db, i, &e);
		if (!ok)
			fprintf(stderr, "process %d: %s\n", i, e.text);
		db_free(db);
		_exit(!ok);
	}
	usleep(50000);
	close(gate[0]);
	close(gate[1]);
	int status, bad = 0;
	while (wait(&status) > 0)
		bad += status != 0;
	assert_int_equal(bad, 0);
}

/* Checks the state of an upload; `error` is NULL if there is none. */
static inline void fixture_expect(struct db *db, int64_t id, const char *state,
	int tries, const char *error)
{
	struct arena a = { 0 };
	struct upload_row row;
	works(upload_row_get(db, &a, id, &row, &e));
	assert_string_equal(row.state, state);
	assert_int_equal(row.tries, tries);
	if (error)
		assert_string_equal(row.error, error);
	else
		assert_null(row.error);
	arena_release(&a);
}

/* An upload that waits for a worker. */
static inline int64_t fixture_queued(struct db *db, const char *bytes)
{
	return fixture_upload(db, &fixture_meta, bytes).id;
}
