/* test_options.c - how environments and config files are read. */
#include "options.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

enum { VARIABLES = 8, SENTENCES = 8 };

struct variable {
	const char *name, *value;
};
struct world {
	const struct variable *variables;
	char errors[SENTENCES][512];
	int n_errors;
};

static const char *env(void *ctx, const char *name)
{
	const struct world *w = ctx;

	for (const struct variable *v = w->variables; v && v->name; v++)
		if (!strcmp(v->name, name))
			return v->value;
	return NULL;
}

static void collect(void *ctx, const char *sentence)
{
	struct world *w = ctx;

	assert_true(w->n_errors < SENTENCES);
	snprintf(w->errors[w->n_errors++], sizeof w->errors[0], "%s", sentence);
}

static void test_defaults(void **state)
{
	(void)state;
	struct world w = { 0 };
	struct collector_options o;

	options_init(&o, env, collect, &w);
	assert_int_equal(w.n_errors, 0);
	assert_true(o.trace);
	assert_false(o.capture);
	assert_string_equal(o.window, "");
	assert_string_equal(o.graph, "node");
	assert_int_equal(o.memory_mib, 64);
	assert_int_equal(o.kernels, 2000000);
	assert_false(o.exclude.given);
	assert_false(pattern_matches(&o.exclude, "/usr/bin/python3"));
	assert_true(options_kind(&o, "nvtx"));
	options_release(&o);
}

static void test_refused(void **state)
{
	(void)state;
	static const struct {
		struct variable v;
		const char *sentence;
	} rows[] = {
		{ { "KERNSIFT_TRACE", "yes" }, "'yes' is neither 1 nor 0, as "
					       "KERNSIFT_TRACE must be; 1 "
					       "is used" },
		{ { "KERNSIFT_TRACE_MEMORY_MIB", "64M" },
			"'64M' is not a number that KERNSIFT_TRACE_MEMORY_MIB "
			"could be; 64 is used" },
		{ { "KERNSIFT_TRACE_MEMORY_MIB", "0" },
			"'0' is not a number that KERNSIFT_TRACE_MEMORY_MIB "
			"could be; 64 is used" },
		{ { "KERNSIFT_TRACE_NVML_HZ", "-1" },
			"'-1' is not a number that KERNSIFT_TRACE_NVML_HZ "
			"could "
			"be; 10 is used" },
		{ { "KERNSIFT_TRACE_KERNELS", "99999999999" },
			"'99999999999' is not a number that "
			"KERNSIFT_TRACE_KERNELS could be; 2000000 is used" },
		{ { "KERNSIFT_TRACE_EXCLUDE", "(" },
			"'(' is not a pattern that KERNSIFT_TRACE_EXCLUDE "
			"could "
			"be (Unmatched ( or \\(); none is used" },
		{ { "KERNSIFT_TRACE_DROP", "a(" },
			"'a(' is not a pattern that KERNSIFT_TRACE_DROP could "
			"be (Unmatched ( or \\(); every text is written as a "
			"hash" },
		{ { "KERNSIFT_TRACE_KINDS", "kernel,nvxt,copies" },
			"'nvxt,copies' of KERNSIFT_TRACE_KINDS is not a kind; "
			"there are kernel, copy, launch, nvtx, overhead and "
			"counter; all of them are recorded" },
		{ { "KERNSIFT_TRACE_GRAPH", "nodes" },
			"'nodes' is not what KERNSIFT_TRACE_GRAPH could be; "
			"there are node and graph; node is used" },
		{ { "KERNSIFT_TRACE_WINDOW", "30s" },
			"'30s' is not a time that KERNSIFT_TRACE_WINDOW could "
			"be, such as 30s+5s; none is used" },
		{ { "KERNSIFT_TRACE_EVERY", "2s:10m" },
			"'2s:10m' is not a time that KERNSIFT_TRACE_EVERY "
			"could "
			"be, such as 10m:2s with a period longer than its "
			"window; none is used" },
		{ { "KERNSIFT_TRACE_LENGTH", "5" },
			"'5' is not a time that KERNSIFT_TRACE_LENGTH could "
			"be, "
			"such as 5s; 5s is used" },
		{ { "KERNSIFT_TRACE_TRIGGER", "signal:TERM" },
			"'signal:TERM' is not what KERNSIFT_TRACE_TRIGGER "
			"could "
			"be; there are signal:USR1, signal:USR2 and "
			"file:/path; "
			"none is used" },
		{ { "KERNSIFT_TRACE_CONFIG", "/nowhere/at/all" },
			"'/nowhere/at/all', named by KERNSIFT_TRACE_CONFIG, "
			"cannot be read (No such file or directory); the "
			"environment alone is used" },
		{ { "KERNSIFT_TRACE_CONFIG", "/" },
			"'/', named by KERNSIFT_TRACE_CONFIG, cannot be read "
			"(Is "
			"a directory); the environment alone is used" },
	};
	struct collector_options defaults, o;
	struct world none = { 0 };

	options_init(&defaults, env, collect, &none);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct variable variables[] = { rows[i].v,
			{ NULL, NULL } };
		struct world w = { .variables = variables };
		options_init(&o, env, collect, &w);
		assert_string_equal(w.errors[0], rows[i].sentence);
		assert_int_equal(w.n_errors, 1);
		assert_int_equal(o.trace, defaults.trace);
		assert_int_equal(o.memory_mib, defaults.memory_mib);
		assert_int_equal(o.nvml_hz, defaults.nvml_hz);
		assert_int_equal(o.kernels, defaults.kernels);
		assert_string_equal(o.kinds, defaults.kinds);
		assert_string_equal(o.graph, defaults.graph);
		assert_string_equal(o.window, defaults.window);
		assert_string_equal(o.every, defaults.every);
		assert_string_equal(o.length, defaults.length);
		assert_string_equal(o.trigger, defaults.trigger);
		assert_false(o.exclude.given);
		assert_false(o.drop.given);
		options_release(&o);
	}
	options_release(&defaults);
}

/* A value below the minimum becomes the minimum, not the default. */
static void test_minimum_memory(void **state)
{
	(void)state;
	const struct variable variables[] = {
		{ "KERNSIFT_TRACE_MEMORY_MIB", "1" }, { NULL, NULL }
	};
	struct world w = { .variables = variables };
	struct collector_options o;

	options_init(&o, env, collect, &w);
	assert_int_equal(w.n_errors, 1);
	assert_string_equal(w.errors[0],
		"'1' is less than KERNSIFT_TRACE_MEMORY_MIB must be; 8 is "
		"used");
	assert_int_equal(o.memory_mib, 8);
	options_release(&o);
}

/* Texts that the pattern matches stay hidden, even if others are hashed. */
static void test_redaction_fails_closed(void **state)
{
	(void)state;
	const struct variable variables[] = { { "KERNSIFT_TRACE_HASH",
						      "^secret" },
		{ "KERNSIFT_TRACE_DROP", "*(" }, { NULL, NULL } };
	struct world w = { .variables = variables };
	struct collector_options o;

	options_init(&o, env, collect, &w);
	assert_int_equal(w.n_errors, 1);
	assert_true(pattern_matches(&o.hash, "anything"));
	assert_true(pattern_matches(&o.hash, ""));
	options_release(&o);
}

static void test_environment(void **state)
{
	(void)state;
	char window[] = "30s+5s";
	const struct variable variables[] = { { "KERNSIFT_TRACE_WINDOW",
						      window },
		{ "KERNSIFT_TRACE_KINDS", "kernel,launch" },
		{ "KERNSIFT_TRACE_EXCLUDE", "/(ba|da)?sh$" },
		{ "KERNSIFT_TRACE_NVML_HZ", "0" },
		{ "KERNSIFT_TRACE_GRAPH", "" }, { NULL, NULL } };
	struct world w = { .variables = variables };
	struct collector_options o;

	options_init(&o, env, collect, &w);
	memset(window, 'x',
		sizeof window - 1); /* the host changes the variable */
	assert_int_equal(w.n_errors, 0);
	assert_string_equal(o.window, "30s+5s");
	assert_int_equal(o.nvml_hz, 0);
	assert_string_equal(o.graph, "node"); /* empty: the same as unset */
	assert_true(options_kind(&o, "kernel"));
	assert_true(options_kind(&o, "launch"));
	assert_false(options_kind(&o, "copy"));
	assert_false(options_kind(&o, "kern"));
	assert_true(pattern_matches(&o.exclude, "/bin/bash"));
	assert_false(pattern_matches(&o.exclude, "/usr/bin/python3"));
	options_release(&o);
}

static void test_config(void **state)
{
	(void)state;
	static const char text[] = "# comments and blanks are nothing\n"
				   "\n"
				   "  KERNSIFT_TRACE_WINDOW=1s+2s  \r\n"
				   "KERNSIFT_TRACE_DIR=/with space/and=sign\n"
				   "KERNSIFT_TRACE_EVREY=10m:2s\n"
				   "no option at all\n"
				   "KERNSIFT_TRACE_LENGTH=1s\n"
				   "KERNSIFT_TRACE_LENGTH=3s\n"
				   "KERNSIFT_TRACE_GRAPH=\n"
				   "KERNSIFT_TRACE_HOST_HZ=7";
	char path[] = "/tmp/kernsift-options-XXXXXX";
	int fd = mkstemp(path);
	const struct variable variables[] = { { "KERNSIFT_TRACE_CONFIG", path },
		{ "KERNSIFT_TRACE_WINDOW", "9s+9s" },
		{ "KERNSIFT_TRACE_GRAPH", "graph" },
		{ "KERNSIFT_TRACE_NVML_HZ", "3" }, { NULL, NULL } };
	struct world w = { .variables = variables };
	struct collector_options o;

	assert_true(fd >= 0 && write(fd, text, sizeof text - 1) > 0);
	close(fd);
	options_init(&o, env, collect, &w);
	unlink(path);
	assert_string_equal(o.window, "1s+2s");
	assert_string_equal(o.dir, "/with space/and=sign");
	assert_string_equal(o.length, "3s"); /* the last one wins */
	assert_string_equal(o.graph, "node"); /* back to the default */
	assert_int_equal(o.host_hz, 7);
	assert_int_equal(o.nvml_hz, 3);
	assert_int_equal(w.n_errors, 2);
	assert_string_equal(w.errors[0],
		"'KERNSIFT_TRACE_EVREY=10m:2s' in the file of "
		"KERNSIFT_TRACE_CONFIG sets no option; it is passed over");
	assert_string_equal(w.errors[1],
		"'no option at all' in the file of KERNSIFT_TRACE_CONFIG sets "
		"no option; it is passed over");
	options_release(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_minimum_memory),
		cmocka_unit_test(test_redaction_fails_closed),
		cmocka_unit_test(test_environment),
		cmocka_unit_test(test_config) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
