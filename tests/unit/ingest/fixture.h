/* fixture.h - code that the test cases of ingest share: makes a database with
 * one upload. */
#pragma once
#include "migrate.h"
#include "sql.h"
#include "worker.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

/* Fails with the error message if a call that should work did not. */
#define works(call)                                          \
	do {                                                 \
		struct err err = { 0 };                      \
		if (!(call))                                 \
			fail_msg("%s: %s", #call, err.text); \
	} while (0)

/* Two launches of one kernel, 100 and 300 ns, and a copy of 50 ns. */
static const char fixture_trace[] =
	"{\"schemaVersion\": 1, \"traceEvents\": [\n"
	"{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"f\", \"pid\": 0, "
	"\"tid\": 7, \"ts\": 10.000, \"dur\": 0.100, \"args\": {\"device\": 0, "
	"\"stream\": 7, \"correlation\": 1, \"grid\": [1, 1, 1], "
	"\"block\": [32, 1, 1]}},\n"
	"{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"f\", \"pid\": 0, "
	"\"tid\": 7, \"ts\": 11.000, \"dur\": 0.300, \"args\": {\"device\": 0, "
	"\"stream\": 7, \"correlation\": 2, \"grid\": [1, 1, 1], "
	"\"block\": [32, 1, 1]}},\n"
	"{\"ph\": \"X\", \"cat\": \"gpu_memcpy\", \"name\": \"Memcpy HtoD\", "
	"\"pid\": 0, \"tid\": 7, \"ts\": 12.000, \"dur\": 0.050, "
	"\"args\": {\"device\": 0, \"stream\": 7, \"correlation\": 3, "
	"\"bytes\": 64}}\n"
	"]}\n";

/* Migrated; the uploads of other cases stay, and are not queued. */
static inline struct db *fixture_db(void)
{
	struct db *db = NULL;
	int applied;
	works((db = db_new("", &err)));
	works(migrate(db, &applied, &err));
	return db;
}

/* Received in chunks of at most `piece` bytes, and queued. */
static inline int64_t fixture_upload_bytes(struct db *db, const char *name,
	const char *bytes, size_t len, size_t piece)
{
	const struct upload_meta meta = { "", "", name, "", "{}", "", NAN };
	struct upload_outcome out = { 0 };
	uint8_t sha256[SHA256_BYTES];
	int64_t id = 0;
	works(upload_begin(db, &meta, &id, &err));
	for (size_t at = 0; at < len; at += piece) {
		size_t n = len - at < piece ? len - at : piece;
		works(upload_chunk(db, id, (int32_t)(at / piece), bytes + at, n,
			&err));
	}
	sha256_of(bytes, len, sha256);
	works(upload_finish(db, id, sha256, (int64_t)len, NULL, &out, &err));
	assert_int_equal(out.id, id);
	return id;
}

static inline int64_t fixture_upload(struct db *db, const char *name,
	const char *text, size_t piece)
{
	return fixture_upload_bytes(db, name, text, strlen(text), piece);
}

/* The state of an upload and of all its runs. */
struct fixture_row {
	char state[12], error[300];
	int tries;
	int64_t runs, launches, kernels, kernel_ns, busy_ns, span_ns;
	int64_t copies, copy_ns; /* of all its runs */
};

static inline struct fixture_row fixture_row(struct db *db, int64_t upload)
{
	static const char sql[] =
		"SELECT u.state, coalesce(u.error, ''), u.attempts, "
		"count(r.run_id), coalesce(sum(launches), 0)::bigint, "
		"coalesce(sum(kernels), 0)::bigint, "
		"coalesce(sum(kernel_ns), 0)::bigint, "
		"coalesce(sum(busy_ns), 0)::bigint, "
		"coalesce(sum(span_ns), 0)::bigint, "
		"coalesce(sum(copies), 0)::bigint, "
		"coalesce(sum(copy_ns), 0)::bigint "
		"FROM upload u LEFT JOIN run r ON r.upload_id = u.id "
		"WHERE u.id = $1 GROUP BY u.id";
	struct sql_params p = { 0 };
	struct arena a = { 0 };
	struct result r;
	struct fixture_row row = { 0 };
	sql_int8(&p, upload);
	works(sql_run(db, sql, &p, &r, &err));
	assert_true(result_next(&r));
	snprintf(row.state, sizeof row.state, "%s", result_text(&r, &a));
	snprintf(row.error, sizeof row.error, "%s", result_text(&r, &a));
	row.tries = result_int4(&r, -1);
	row.runs = result_int8(&r, -1);
	row.launches = result_int8(&r, -1);
	row.kernels = result_int8(&r, -1);
	row.kernel_ns = result_int8(&r, -1);
	row.busy_ns = result_int8(&r, -1);
	row.span_ns = result_int8(&r, -1);
	row.copies = result_int8(&r, -1);
	row.copy_ns = result_int8(&r, -1);
	result_release(&r);
	arena_release(&a);
	return row;
}

static const struct ingest_limits fixture_limits = {
	.decode = { .plain_bytes = 1 << 30, .ratio = 200 },
	.arena_bytes = 64 << 20,
};
