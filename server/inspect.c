/* inspect.c - a file's way from bytes to printed statistics. */
#include "inspect.h"
#include "analyze.h"
#include "decode.h"
#include "inspect_print.h"
#include <stdio.h>
#include <string.h>

static bool known(const char *by, struct err *e)
{
	if (!by || !strcmp(by, "device") || !strcmp(by, "grid") ||
		!strcmp(by, "source"))
		return true;
	return err_set(e, ERR_INPUT,
		"--by is '%.40s', and should be device, grid or source", by);
}

static bool read_trace(const char *path, const struct inspect_limits *limits,
	struct trace *t, struct err *e)
{
	const struct decode_limits l = { limits->plain_mib << 20,
		limits->ratio };
	struct source s;
	struct source_file *f = source_file_new(path, &s, e);

	if (!f)
		return false;
	bool ok = decode(&s, &l, NULL, t, e);
	source_file_free(f);
	return ok;
}

static bool print_runs(const struct trace *t, const char *by,
	const struct families *f, size_t ceiling, struct err *e)
{
	bool ok = true;

	inspect_print_file(stdout, t);
	for (uint32_t i = 0; ok && i < t->processes_n; i++) {
		struct arena a = { .ceiling = ceiling };
		struct profile p;
		ok = profile_from(t, i, f, &a, &p, e);
		if (ok)
			inspect_print_run(stdout, &p, i + 1, by);
		arena_release(&a);
	}
	return ok;
}

int inspect(const char *path, const char *by,
	const struct inspect_limits *limits)
{
	struct err e = { 0 };
	struct arena a = { .ceiling = (size_t)limits->arena_mib << 20 };
	struct families *f = NULL;
	struct trace t;

	bool ok = known(by, &e) && (f = families_new(&e)) &&
		  (trace_init(&t, &a) || arena_err(&a, &e)) &&
		  read_trace(path, limits, &t, &e) &&
		  print_runs(&t, by, f, a.ceiling, &e);
	if (ok && fflush(stdout) != 0)
		ok = err_set(&e, ERR_INTERNAL,
			"the output could not be written");
	arena_release(&a);
	families_free(f);
	if (ok)
		return 0;
	fprintf(stderr, "kernsiftd: %s\n", e.text);
	return e.code == ERR_INPUT && !known(by, &(struct err){ 0 }) ? 2 : 1;
}
