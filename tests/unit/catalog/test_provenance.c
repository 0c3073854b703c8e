/* test_provenance.c - tests which files of TorchInductor are read, the message for
 * every file that is not, and which kernels of runs are found in them. */
#include "provenance.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *list(struct arena *a, const struct pattern_texts *t)
{
	const char *text = "";
	for (uint32_t i = 0; i < t->n; i++)
		text = arena_printf(a, "%s%s%s", text, i ? "," : "",
			t->list[i]);
	return text;
}

/* "name nodes operators stacks", by kernel; or the message. */
static const char *read_text(struct arena *a, const char *bytes, size_t len)
{
	struct provenance p;
	static struct err e;
	const char *text = "";
	e = (struct err){ 0 };
	if (!provenance_read("f", bytes, len, a, &p, &e))
		return e.text;
	for (uint32_t i = 0; i < p.n; i++) {
		const struct provenance_kernel *k = &p.kernels[i];
		text = arena_printf(a, "%s%s%s %s %s %s %u", text,
			i ? "; " : "", k->name, list(a, &k->nodes),
			list(a, &k->operators), list(a, &k->stacks),
			k->stacks_n);
	}
	return text;
}

static const struct {
	const char *json, *text;
} rows[] = {
	/* numbers of calls are removed, and calls of a kernel are joined */
	{ "{\"cppCodeToPost\": {\"b_0:1\": [\"mul_3\", \"add\"], \"a_1:2\": "
	  "[\"erf\"], \"b_0:12\": [\"mul_10\", \"add\"]}, \"preToPost\": "
	  "{\"x\": []}, \"version\": 2.0}",
		"a_1 erf erf  0; b_0 add,mul_10,mul_3 add,mul  0" },
	{ "{\"a_1:2\": [\"l1\", \"l2\"], \"a_1:3\": [\"l1\"]}",
		"a_1   l1,l2 2" },
	{ "{\"a_1\": {\"post_grad_nodes\": [\"sum_1\"], \"pre_grad_nodes\": "
	  "[\"x\"], \"stack_traces\": [\"l\"]}}",
		"a_1 sum_1 sum l 1" },
	/* several files */
	{ "[{\"cppCodeToPost\": {\"a\": [\"mul\"]}}, {\"a:1\": [\"l\"]}]",
		"a mul mul l 1" },
	/* only a number after ":" or "_" is one */
	{ "{\"cppCodeToPost\": {\"a::b\": [\"_1\", \"12\", \"x_\", \"\"], \":1\""
	  ": [\"y\"]}}",
		":1 y y  0; a::b 12,_1,x_ 12,_1,x_  0" },
	{ "", "f: it is not JSON: line 1: '[' or '{' expected near end of "
	      "file" },
	{ "{\"a\": [\"\\u0000\"]}",
		"f: it is not JSON: line 1: \\u0000 is not allowed without "
		"JSON_ALLOW_NUL near '\"\\u0000\"'" },
	{ "{\"a\": [],\n\n\"a\": []}", "f: line 3: a key is given twice" },
	{ "{}", "f: it names no kernel" },
	{ "[]", "f: it names no kernel" },
	{ "[1]", "f: this is not a provenance file of TorchInductor: it is not "
		 "an object" },
	{ "{\"cppCodeToPost\": 1}",
		"f: this is not a provenance file of TorchInductor: "
		"'cppCodeToPost' is not an object" },
	{ "{\"cppCodeToPost\": {\"a\": 1}}", "f: 'a' has no list of texts" },
	{ "{\"cppCodeToPost\": {\"a\": [1]}}",
		"f: 'a' has a list with something that is no text" },
	{ "{\"traceEvents\": [{}]}",
		"f: 'traceEvents' has a list with something that is no text" },
	{ "{\"a\": {}}", "f: 'a' has no post_grad_nodes" },
	{ "{\"a\": {\"post_grad_nodes\": [], \"stack_traces\": 1}}",
		"f: 'a' has no list of texts" },
	{ "{\"a\": 1}", "f: 'a' is neither a list nor an object (this is not a "
			"provenance file of TorchInductor)" },
};

static void test_files(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct arena a = { .ceiling = 1 << 20 };
		assert_string_equal(read_text(&a, rows[i].json,
					    strlen(rows[i].json)),
			rows[i].text);
		arena_release(&a);
	}
}

/* Every beginning of a file is rejected, and never read beyond its end. */
static void test_cut(void **state)
{
	(void)state;
	for (size_t len = 0; len < strlen(rows[0].json); len++) {
		struct arena a = { .ceiling = 1 << 20 };
		char *bytes = malloc(len + 1);
		assert_non_null(bytes);
		memcpy(bytes, rows[0].json, len);
		assert_memory_equal(read_text(&a, bytes, len),
			"f: it is not JSON: ", 18);
		free(bytes);
		arena_release(&a);
	}
}

static void test_limits(void **state)
{
	(void)state;
	struct arena a = { .ceiling = 1 << 20 };
	size_t len = PROVENANCE_BYTES_MAX + 1;
	char *bytes = malloc(len);
	assert_non_null(bytes);
	memset(bytes, '[', len);
	assert_string_equal(read_text(&a, bytes, len),
		"f: it is larger than 16 MiB, the maximum");
	assert_string_equal(read_text(&a, bytes, 100000),
		"f: line 1: it is nested too deep");
	/* 17 stack traces: 16 are kept */
	len = (size_t)snprintf(bytes, len, "{\"a\": [");
	for (int i = 0; i < 17; i++)
		len += (size_t)snprintf(bytes + len, 10, "%s\"%d\"",
			i ? "," : "", i);
	len += (size_t)snprintf(bytes + len, 10, "]}");
	assert_string_equal(read_text(&a, bytes, len),
		"a   0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15 17");
	/* a full arena */
	struct arena small = { .ceiling = 1 };
	assert_non_null(strstr(read_text(&small, bytes, len), "memory"));
	arena_release(&small);
	free(bytes);
	arena_release(&a);
}

/* Matches the kernels of two runs with a file that names a_0, a_1 and so on.
 * Returns the names that have origins, or the message. */
static const char *match_text(struct arena *a, const char *json,
	const char *const *first, const char *const *second)
{
	static struct err e;
	const char *const *lists[] = { first, second };
	struct profile runs[2] = { 0 };
	struct provenance p;
	const char *text = "";
	e = (struct err){ 0 };
	struct catalog *c = catalog_new(NULL, &e);
	assert_non_null(c);
	for (int r = 0; r < 2; r++) {
		runs[r].kernels = arena_array(a, struct profile_kernel, 9);
		for (int i = 0; lists[r][i]; i++)
			runs[r].kernels[runs[r].kernels_n++].name = lists[r][i];
	}
	e = (struct err){ 0 };
	assert_true(provenance_read("f", json, strlen(json), a, &p, &e));
	bool ok = provenance_match(&p, c, runs, 2, a, &e);
	for (int r = 0; ok && r < 2; r++)
		for (uint32_t i = 0; i < runs[r].origins_n; i++)
			text = arena_printf(a, "%s%s=%s ", text,
				runs[r].kernels[runs[r].origins[i].kernel].name,
				runs[r].origins[i].of->nodes.list[0]);
	catalog_free(c);
	return ok ? text : e.text;
}

#define FUSED "triton_poi_fused_"

static void test_match(void **state)
{
	(void)state;
	static const char json[] =
		"{\"cppCodeToPost\": {\"" FUSED "a_0:1\": [\"a\"], \"" FUSED
		"b_1:2\": [\"b\"], \"extern_kernels.mm:3\": [\"mm\"]}}";
	static const char *const none[] = { "gemm", NULL };
	static const char *const one[] = { FUSED "a_0", "gemm", NULL };
	static const char *const half[] = { "gemm", FUSED "a_0.kd",
		FUSED "c_2.kd", NULL };
	static const char *const third[] = { FUSED "a_0", FUSED "c_2",
		FUSED "d_3", NULL };
	static const char *const rest[] = { FUSED "b_1", FUSED "d_3", NULL };
	struct arena a = { .ceiling = 1 << 20 };
	assert_string_equal(match_text(&a, json, one, none), FUSED "a_0=a ");
	assert_string_equal(match_text(&a, json, half, none),
		FUSED "a_0.kd=a ");
	assert_string_equal(match_text(&a, json, third, none),
		"the provenance file is of another compilation: it names 1 of "
		"the 3 kernels that TorchInductor generated for this trace, "
		"and at least half are needed; send the file of this "
		"compilation");
	/* the runs of an upload count together, each name once */
	assert_string_equal(match_text(&a, json, third, rest),
		FUSED "a_0=a " FUSED "b_1=b ");
	assert_string_equal(match_text(&a, json, none, none),
		"a provenance file was sent, but TorchInductor generated no "
		"kernel of this trace; send the trace without it");
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_match),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_limits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
