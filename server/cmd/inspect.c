/* inspect.c - a file's way from bytes to printed statistics. */
#include "inspect.h"
#include "analyze.h"
#include "decode.h"
#include "inspect_document.h"
#include "inspect_asked.h"
#include "inspect_learn.h"
#include "inspect_print.h"
#include <stdio.h>
#include <string.h>

/* The words of --by, each ended in `text`. */
struct words {
	char text[400];
	const char *at[24];
	int n;
};

static bool words_from(const char *by, struct words *w, struct err *e)
{
	enum { MOST = sizeof w->at / sizeof *w->at };
	w->n = 0;
	snprintf(w->text, sizeof w->text, "%s", by ? by : "kernels");
	for (char *word = w->text, *rest; word; word = rest) {
		rest = strchr(word, ',');
		if (rest)
			*rest++ = '\0';
		if (w->n == MOST || !inspect_print_knows(word))
			return err_set(e, ERR_INPUT,
				"--by is '%.40s', and should be one or more of "
				"kernels, device, grid, source, launches, "
				"callers, cycles, patterns, facts, operators, "
				"shapes, unattributed and layers, with commas "
				"between them",
				w->n == MOST ? by : word);
		w->at[w->n++] = word;
	}
	return true;
}

static bool known(const char *by, const char *format, struct words *w,
	struct err *e)
{
	if (format && strcmp(format, "text") && strcmp(format, "json"))
		return err_set(e, ERR_INPUT,
			"--format is '%.40s', and should be text or json",
			format);
	if (!words_from(by, w, e))
		return false;
	return w->n == 1 || !format || strcmp(format, "json") ||
	       err_set(e, ERR_INPUT,
		       "--by is '%.40s', and a JSON document takes one word",
		       by);
}

bool inspect_read(const char *path, const struct inspect_limits *limits,
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

/* To `d`, or to stdout where it is NULL. */
static bool print_runs(const struct trace *t, const struct words *by,
	const struct profile_asked *asked, const struct catalog *f,
	const struct graph_book *book, size_t ceiling,
	struct inspect_document *d, struct err *e)
{
	bool ok = true;

	if (!d)
		inspect_print_file(stdout, t);
	for (uint32_t i = 0; ok && i < t->processes_n; i++) {
		struct arena a = { .ceiling = ceiling };
		struct profile p;
		ok = profile_asked(t, i, asked, f, book, &a, &p, e);
		if (ok && d)
			inspect_document_add(d, &p, by->at[0]);
		for (int w = 0; ok && !d && w < by->n; w++)
			inspect_print_run(stdout, &p, i + 1, by->at[w]);
		arena_release(&a);
	}
	return ok;
}

static bool print(const struct trace *t, const struct words *by,
	const char *format, const struct profile_asked *asked,
	const struct catalog *f, const struct graph_book *book, size_t ceiling,
	struct err *e)
{
	bool json = format && !strcmp(format, "json");
	struct inspect_document *d = json ? inspect_document_new(t) : NULL;
	bool ok = print_runs(t, by, asked, f, book, ceiling, d, e);

	if (ok && d)
		inspect_document_print(d, stdout);
	inspect_document_free(d);
	if (ok && fflush(stdout) != 0)
		ok = err_set(e, ERR_INTERNAL,
			"the output could not be written");
	return ok;
}

int inspect(const char *path, const struct inspect_asked *asked,
	const struct inspect_limits *limits)
{
	struct err e = { 0 };
	struct arena a = { .ceiling = (size_t)limits->arena_mib << 20 };
	struct catalog *f = NULL;
	struct trace t;
	struct words words = { 0 };
	struct inspect_learnt learnt = { 0 };
	struct profile_asked of = { .breakdown = BREAKDOWN_UNASKED };

	if (!known(asked->by, asked->format, &words, &e) ||
		!inspect_asked(asked, &of.breakdown, &e)) {
		fprintf(stderr, "kernsiftd: %s\n", e.text);
		return 2;
	}
	bool ok = (f = catalog_new(NULL, &e)) &&
		  (!asked->learn || inspect_learn(asked->learn, f, limits,
					    &learnt, &e)) &&
		  (trace_init(&t, &a) || arena_err(&a, &e)) &&
		  inspect_read(path, limits, &t, &e) &&
		  print(&t, &words, asked->format, &of, f, &learnt.book,
			  a.ceiling, &e);
	arena_release(&a);
	inspect_learnt_release(&learnt);
	catalog_free(f);
	if (!ok)
		fprintf(stderr, "kernsiftd: %s\n", e.text);
	return ok ? 0 : 1;
}
