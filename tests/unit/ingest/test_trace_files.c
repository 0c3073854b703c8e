/* test_trace_files.c - which file is the execution trace, and which captures a
 * process of a rank uses */
#include "trace_files.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A graph of three kernels. A capture gives their products `columns`
 * columns. */
#define CALL(name, ts, more)                                            \
	"{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"" name "\"," \
	"\"pid\":1,\"tid\":1,\"ts\":" ts                                \
	",\"dur\":1,\"args\":{\"correlation\":" ts more "}}"
#define CAPTURED(k, ts, columns)                                                  \
	"{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":1,"       \
	"\"tid\":1,\"ts\":" ts ",\"dur\":9,\"args\":{\"External id\":" ts         \
	",\"Input type\":[\"float\",\"float\"],\"Input Dims\":[[2,4],[4," columns \
	"]]}}," CALL("hipLaunchKernel", ts,                                       \
		",\"External id\":" ts ",\"kernel\":\"" k "\"")
#define CAPTURE(columns)                                           \
	CALL("hipStreamBeginCapture", "10", "")                    \
	"," CAPTURED("ka", "20", columns) "," CAPTURED("kb", "30", \
		columns) "," CAPTURED("kc", "40",                  \
		columns) "," CALL("hipStreamEndCapture", "60", "")
#define RAN(k, ts)                                                       \
	"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"" k "\",\"pid\":0," \
	"\"tid\":0,\"ts\":" ts ",\"dur\":2,\"args\":{\"device\":0,"      \
	"\"stream\":0,\"correlation\":100}}"
#define REPLAY                            \
	CALL("hipGraphLaunch", "100", "") \
	"," RAN("ka", "110") "," RAN("kb", "120") "," RAN("kc", "130")
#define RANK(n) "\"distributedInfo\":{\"rank\":" n ",\"world_size\":4},"
#define TRACE(rank, events) "{" rank "\"traceEvents\":[" events "]}"

struct given {
	const char *name, *text;
};

static const struct {
	struct given files[4];
	int32_t rank; /* of the execution trace */
	const char *learned; /* shapes of the first nodes, "" none */
	const char *error;
} rows[] = {
	{ { { "x", TRACE(RANK("1"), REPLAY) },
		  { "a", TRACE(RANK("0"), CAPTURE("8")) },
		  { "b", TRACE(RANK("1"), CAPTURE("16")) } },
		1, "m=2 n=16 k=4;", "" },
	/* no capture of its rank: all of them */
	{ { { "a", TRACE(RANK("0"), CAPTURE("8")) },
		  { "x", TRACE(RANK("3"), REPLAY) },
		  { "b", TRACE(RANK("1"), CAPTURE("16")) } },
		3, "m=2 n=16 k=4;m=2 n=8 k=4;", "" },
	/* the rank by the file's name */
	{ { { "f/rank_1/graph_rank_0.json", TRACE("", CAPTURE("8")) },
		  { "f/rank1.json", TRACE("", CAPTURE("16")) },
		  { "x", TRACE(RANK("0"), REPLAY) } },
		0, "m=2 n=8 k=4;", "" },
	/* a capture trace that also replayed its graph, before and after */
	{ { { "a", TRACE("", CAPTURE("8") "," REPLAY) },
		  { "x", TRACE("", REPLAY) } },
		-1, "m=2 n=8 k=4;", "" },
	{ { { "x", TRACE("", REPLAY) },
		  { "a", TRACE("", CAPTURE("8") "," REPLAY) } },
		-1, "m=2 n=8 k=4;", "" },
	{ { { "x", TRACE("", REPLAY) }, { ".x", "?" },
		  { "a/execution_details.json", "[{}]" } },
		-1, "", "" },
	{ { { "x", TRACE("", REPLAY) }, { "y", TRACE("", REPLAY) } }, -1, "",
		"'y': it can be the execution trace, but so can 'x'; send each "
		"in an upload of its own, with the capture traces of its "
		"rank" },
	{ { { "a", TRACE("", CAPTURE("8")) } }, -1, "",
		"all 1 traces of the upload are traces of stream captures; "
		"add the trace that replays the graphs" },
	{ { { ".x", "?" } }, -1, "",
		"the upload has no trace; add the trace that replays the "
		"graphs" },
};

/* The shape of the first node of each graph. */
static void shapes(const struct graph_known *g, uint32_t n, char *out,
	size_t size)
{
	size_t at = 0;
	out[0] = '\0';
	for (uint32_t i = 0; i < n; i++)
		at += (size_t)snprintf(out + at, size - at, "%s;",
			g[i].nodes[0].shape);
}

/* In the order of their texts: the order by content is that of hashes. */
static void assert_same_parts(const char *got, const char *want)
{
	size_t len = strlen(want), half = len / 2;
	assert_int_equal(strlen(got), len);
	if (!strcmp(got, want))
		return;
	const char *second = strchr(want, ';') + 1;
	assert_true(half && !strncmp(got, second, strlen(second)));
	assert_true(!strncmp(got + strlen(second), want, len - strlen(second)));
}

static void check(struct trace_files *f, int32_t rank, const char *learned)
{
	const struct graph_book none = { 0 };
	struct graph_book book;
	struct profile p = { .arena = f->arena };
	struct err e = { 0 };
	char text[200];

	assert_int_equal(f->trace->kernel.n, 3);
	assert_int_equal(f->trace->processes[0].rank, rank);
	assert_true(trace_files_book(f, rank, &none, f->arena, &book, &e));
	shapes(book.graphs, book.n, text, sizeof text);
	assert_same_parts(text, learned);
	/* graphs that are stored already are used only for other keys */
	struct graph_book all;
	assert_true(trace_files_book(f, rank, &book, f->arena, &all, &e));
	assert_int_equal(all.n, book.n);
	assert_true(trace_files_learn(f, rank, &p, &e));
	assert_int_equal(p.operators.learned_n, book.n);
}

static void play(size_t i, struct catalog *catalog)
{
	struct arena a = { .ceiling = 64 << 20 };
	struct trace t;
	struct err e = { 0 };
	struct trace_files f = { .catalog = catalog,
		.limits = { 1 << 20, 200 },
		.arena = &a,
		.trace = &t };
	bool ok = trace_init(&t, &a);

	for (int j = 0; ok && j < 4 && rows[i].files[j].name; j++) {
		const struct given *g = &rows[i].files[j];
		struct source_memory m;
		struct source s;
		source_memory_init(&m, &s, g->text, strlen(g->text));
		ok = trace_files_add(&f, g->name, &s, &e);
	}
	ok = ok && trace_files_end(&f, &e);
	assert_string_equal(e.text, rows[i].error);
	if (ok)
		check(&f, rows[i].rank, rows[i].learned);
	trace_files_release(&f);
	arena_release(&a);
}

static void test_files(void **state)
{
	struct err e = { 0 };
	struct catalog *catalog = catalog_new(NULL, &e);
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		play(i, catalog);
	catalog_free(catalog);
}

/* PyTorch calls the file of its observer an execution trace, too. */
#define OBSERVED                                                                   \
	"{\"schema\": \"1.1.1-chakra.0.0.4\", \"nodes\": [{\"id\": 2, "            \
	"\"name\": \"aten::mul\", \"inputs\": {\"values\": [[1,7,0,2,4,"           \
	"\"cuda:0\"]]}, \"outputs\": {\"values\": [[2,8,0,2,4,\"cuda:0\"]]}, "     \
	"\"attrs\": [{\"name\": \"rf_id\", \"type\": \"uint64\", \"value\": 5}]}]" \
	"}"
#define OPERATOR(pid)                                                          \
	"{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mul\",\"pid\":" pid \
	",\"tid\":1,\"ts\":100,\"dur\":9,\"args\":{\"External id\":3,"         \
	"\"Record function id\":5}}"

static const struct {
	struct given files[3];
	const char *error; /* NULL: the trace has the tensors */
} observed[] = {
	{ { { "a", TRACE("", OPERATOR("1") "," REPLAY) }, { "b", OBSERVED } },
		NULL },
	{ { { "b", OBSERVED }, { "a", TRACE("", OPERATOR("1")) } }, NULL },
	{ { { "a", TRACE("", OPERATOR("1")) }, { "b", OBSERVED },
		  { "c", OBSERVED } },
		"'c': it is an execution trace of PyTorch, but so is 'b'; an "
		"upload may have one" },
	{ { { "a", TRACE("", REPLAY) }, { "b", OBSERVED } },
		"the operators of the trace have no 'Record function id', by "
		"which an execution trace of PyTorch is joined with them; "
		"record both at the same time, or send the trace without it" },
	{ { { "a", TRACE("", OPERATOR("1") "," OPERATOR("2")) },
		  { "b", OBSERVED } },
		"an execution trace of PyTorch belongs to one process, but the "
		"trace has 2; send the trace without it" },
	{ { { "b", OBSERVED } },
		"the upload has no trace; add the trace that replays the "
		"graphs" },
};

static void test_tensors(void **state)
{
	struct err none = { 0 };
	struct catalog *catalog = catalog_new(NULL, &none);
	(void)state;
	for (size_t i = 0; i < sizeof observed / sizeof *observed; i++) {
		struct arena a = { .ceiling = 64 << 20 };
		struct trace t;
		struct err e = { 0 };
		struct trace_files f = { .catalog = catalog,
			.limits = { 1 << 20, 200 },
			.arena = &a,
			.trace = &t };
		bool ok = trace_init(&t, &a);
		for (int j = 0; ok && j < 3 && observed[i].files[j].name; j++) {
			const struct given *g = &observed[i].files[j];
			struct source_memory m;
			struct source s;
			source_memory_init(&m, &s, g->text, strlen(g->text));
			ok = trace_files_add(&f, g->name, &s, &e);
		}
		ok = ok && trace_files_end(&f, &e);
		assert_string_equal(e.text,
			observed[i].error ? observed[i].error : "");
		if (ok) {
			assert_int_equal(t.tensor_uses_n, 2);
			assert_int_equal(t.tensor_uses[1].storage, 8);
			assert_int_equal(t.op.n, 1);
		}
		trace_files_release(&f);
		arena_release(&a);
	}
	catalog_free(catalog);
}

/* The numbers of operators are dropped, in an archive and alone. */
static void test_no_tensors(void **state)
{
	const char *text = TRACE("", OPERATOR("1"));
	(void)state;
	for (int alone = 0; alone < 2; alone++) {
		struct err e = { 0 };
		struct arena a = { 0 };
		struct trace t;
		struct trace_files f = { .limits = { 1 << 20, 200 },
			.arena = &a,
			.trace = &t };
		struct source_memory m;
		struct source s;
		assert_true(trace_init(&t, &a));
		source_memory_init(&m, &s, text, strlen(text));
		assert_true(alone ? trace_files_read(&f, &s, NULL, &e)
				  : trace_files_add(&f, "a", &s, &e) &&
					    trace_files_end(&f, &e));
		assert_int_equal(t.op.n, 1);
		assert_int_equal(t.op_functions_n, 0);
		assert_null(t.op_functions);
		trace_files_release(&f);
		arena_release(&a);
	}
}

static void test_tensors_alone(void **state)
{
	struct err e = { 0 };
	struct arena a = { 0 };
	struct trace t;
	struct trace_files f = { .limits = { 1 << 20, 200 },
		.arena = &a,
		.trace = &t };
	struct source_memory m;
	struct source s;
	(void)state;
	assert_true(trace_init(&t, &a));
	source_memory_init(&m, &s, OBSERVED, strlen(OBSERVED));
	assert_false(trace_files_read(&f, &s, NULL, &e));
	assert_string_equal(e.text,
		"this is an execution trace of PyTorch, which has no times; "
		"send it together with the trace of torch.profiler that was "
		"recorded at the same time");
	trace_files_release(&f);
	arena_release(&a);
}

/* An upload of one file is that trace, also if it has stream captures. An arena that is too
 * small for all files is an error. */
static void test_one(void **state)
{
	struct err e = { 0 };
	struct catalog *catalog = catalog_new(NULL, &e);
	const char *text = TRACE("", CAPTURE("8"));
	(void)state;
	for (size_t kib = 100; kib <= 64000; kib += 63900) {
		struct arena a = { .ceiling = kib << 10 };
		struct trace_files f = { .catalog = catalog,
			.limits = { 1 << 20, 200 },
			.arena = &a };
		struct source_memory m;
		struct source s;
		struct trace t;
		f.trace = &t;
		e = (struct err){ 0 };
		source_memory_init(&m, &s, text, strlen(text));
		bool ok = trace_init(&t, &a) || arena_err(&a, &e);
		ok = ok && trace_files_read(&f, &s, NULL, &e);
		assert_int_equal(ok, kib > 100);
		assert_int_equal(e.code, ok ? ERR_NONE : ERR_TOO_LARGE);
		trace_files_release(&f);
		arena_release(&a);
	}
	catalog_free(catalog);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_tensors),
		cmocka_unit_test(test_no_tensors),
		cmocka_unit_test(test_tensors_alone),
		cmocka_unit_test(test_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
