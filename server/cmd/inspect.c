/* inspect.c - the command `inspect`: reads options and a trace, analyzes each process
 * and prints it. */
#include "inspect.h"
#include "analyze.h"
#include "attribute.h"
#include "breakdown_asked.h"
#include "command.h"
#include "decode.h"
#include "document.h"
#include "graph_key.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What was given on the command line; NULL: not. */
struct inspect_args {
	const char *by; /* one or more of these words (one for JSON) */
	const char *format; /* "text" or "json" */
	const char *learn; /* a trace whose stream captures teach the graphs
		replayed in the file */
	/* The fields of breakdown_asked.h, as text. */
	const char *layers; /* "modules" or "period" */
	const char *layer_range, *layer_start, *layer_every, *realign, *device,
		*stratum;
};

/* The first step alone: the file as a trace. */
struct trace;

struct inspect_graphs {
	struct arena arena;
	struct trace trace;
	struct graph_known *graphs;
	struct graph_book book;
};

/* A whole number of at most `most`; *out stays where `text` is NULL. */
static bool inspect_args_number(const char *text, const char *option,
	int64_t most, int64_t *out, struct err *e)
{
	char *end;

	if (!text)
		return true;
	errno = 0;
	*out = strtoll(text, &end, 10);
	if (errno || end == text || *end || *out < 0 || *out > most)
		return err_set(e, ERR_INPUT,
			"--%s is '%.40s', and should be a whole number", option,
			text);
	return true;
}

static bool inspect_args_detector(const char *text, enum layer_detector *out,
	struct err *e)
{
	if (!text)
		return true;
	if (!strcmp(text, "modules"))
		*out = LAYERS_MODULES;
	else if (!strcmp(text, "period"))
		*out = LAYERS_PERIOD;
	else
		return err_set(e, ERR_INPUT,
			"--layers is '%.40s', and should be modules or period",
			text);
	return true;
}

static bool inspect_args_flag(const char *text, bool *out, struct err *e)
{
	if (text && strcmp(text, "yes") != 0 && strcmp(text, "no") != 0)
		return err_set(e, ERR_INPUT,
			"--realign is '%.40s', and should be yes or no", text);
	*out = text && !strcmp(text, "yes");
	return true;
}

/* False with a sentence (ERR_INPUT) that names the option. */
static bool inspect_args_breakdown(const struct inspect_args *asked,
	struct breakdown_asked *out, struct err *e)
{
	int64_t every = 0, device = out->device;

	bool ok = inspect_args_detector(asked->layers, &out->by, e) &&
		  inspect_args_number(asked->layer_every, "layer_every",
			  UINT32_MAX, &every, e) &&
		  inspect_args_number(asked->device, "device", INT32_MAX,
			  &device, e) &&
		  inspect_args_number(asked->stratum, "stratum", INT64_MAX,
			  &out->stratum, e) &&
		  inspect_args_flag(asked->realign, &out->realign, e);
	if (ok && asked->layer_range && asked->layer_start)
		return err_set(e, ERR_INPUT,
			"--layer_range and --layer_start both tell where "
			"layers are; give one of them");
	out->layers = (struct layer_asked){ asked->layer_range,
		asked->layer_start, (uint32_t)every };
	out->device = (int32_t)device;
	return ok;
}

static int inspect_learn_by_key(const void *left, const void *right)
{
	return graph_compare(left, right);
}

static bool inspect_learn_add(struct inspect_graphs *l,
	const struct operators *o)
{
	void *grown = arena_grow(&l->arena, l->graphs,
		((size_t)l->book.n + o->learnt_n + 1) * sizeof *l->graphs);

	if (!grown)
		return false;
	l->graphs = grown;
	for (uint32_t i = 0; i < o->learnt_n; i++)
		l->graphs[l->book.n++] = o->learnt[i];
	return true;
}

/* False with a sentence if the file cannot be read, or teaches nothing. Release
 * in any case. */
static bool inspect_learn(const char *path, const struct catalog *f,
	const struct inspect_limits *limits, struct inspect_graphs *out,
	struct err *e)
{
	struct arena *a = &out->arena;

	*out = (struct inspect_graphs){
		.arena = { .ceiling = (size_t)limits->arena_mib << 20 }
	};
	if (!trace_init(&out->trace, a))
		return arena_err(a, e);
	if (!inspect_read(path, limits, &out->trace, e))
		return false;
	for (uint32_t i = 0; i < out->trace.processes_n; i++) {
		struct profile *p = arena_new(a, struct profile);
		if (!p)
			return arena_err(a, e);
		if (!profile_from(&out->trace, i, f, NULL, a, p, e))
			return false;
		if (!inspect_learn_add(out, &p->operators))
			return arena_err(a, e);
	}
	if (!out->book.n)
		return err_set(e, ERR_INPUT,
			"'%s' teaches no graphs: no stream capture in it names "
			"its kernels",
			path);
	qsort(out->graphs, out->book.n, sizeof *out->graphs,
		inspect_learn_by_key);
	out->book.graphs = out->graphs;
	return true;
}

static void inspect_learn_release(struct inspect_graphs *l)
{
	arena_release(&l->arena);
}

/* The words of --by, each ended in `text`. */
struct inspect_words {
	char text[400];
	const char *at[24];
	int n;
};

static bool inspect_words_from(const char *by, struct inspect_words *w,
	struct err *e)
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

static bool inspect_check_format(const char *by, const char *format,
	struct inspect_words *w, struct err *e)
{
	if (format && strcmp(format, "text") && strcmp(format, "json"))
		return err_set(e, ERR_INPUT,
			"--format is '%.40s', and should be text or json",
			format);
	if (!inspect_words_from(by, w, e))
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

/* One call of the command. */
struct inspect_job {
	struct trace trace;
	struct inspect_words words;
	struct profile_asked asked;
	struct catalog *catalog;
	struct inspect_graphs learned;
	size_t ceiling; /* of each arena, bytes */
};

/* To `d`, or to stdout if it is NULL. */
static bool inspect_runs(const struct inspect_job *j, struct document *d,
	struct err *e)
{
	bool ok = true;

	if (!d)
		inspect_print_file(stdout, &j->trace);
	for (uint32_t i = 0; ok && i < j->trace.processes_n; i++) {
		struct arena a = { .ceiling = j->ceiling };
		struct profile p;
		ok = profile_asked(&j->trace, i, &j->asked, j->catalog,
			&j->learned.book, &a, &p, e);
		if (ok && d)
			document_add(d, &p, j->words.at[0]);
		for (int w = 0; ok && !d && w < j->words.n; w++)
			inspect_print_run(stdout, &p, i + 1, j->words.at[w]);
		arena_release(&a);
	}
	return ok;
}

static bool inspect_output(const struct inspect_job *j, const char *format,
	struct err *e)
{
	bool json = format && !strcmp(format, "json");
	struct document *d = json ? document_new(&j->trace) : NULL;
	bool ok = inspect_runs(j, d, e);

	if (ok && d)
		document_print(d, stdout);
	document_free(d);
	if (ok && fflush(stdout) != 0)
		ok = err_set(e, ERR_INTERNAL,
			"the output could not be written");
	return ok;
}

/* The program's exit status: 0, 1 with one sentence on stderr, or 2 if an
 * option is wrong. */
static int inspect_file(const char *path, const struct inspect_args *args,
	const struct inspect_limits *limits)
{
	struct err e = { 0 };
	struct inspect_job j = { .asked = { .breakdown = BREAKDOWN_UNASKED },
		.ceiling = (size_t)limits->arena_mib << 20 };
	struct arena a = { .ceiling = j.ceiling };

	if (!inspect_check_format(args->by, args->format, &j.words, &e) ||
		!inspect_args_breakdown(args, &j.asked.breakdown, &e)) {
		fprintf(stderr, "kernsiftd: %s\n", e.text);
		return 2;
	}
	bool ok = (j.catalog = catalog_new(NULL, &e)) &&
		  (!args->learn || inspect_learn(args->learn, j.catalog, limits,
					   &j.learned, &e)) &&
		  (trace_init(&j.trace, &a) || arena_err(&a, &e)) &&
		  inspect_read(path, limits, &j.trace, &e) &&
		  inspect_output(&j, args->format, &e);
	arena_release(&a);
	inspect_learn_release(&j.learned);
	catalog_free(j.catalog);
	if (!ok)
		fprintf(stderr, "kernsiftd: %s\n", e.text);
	return ok ? 0 : 1;
}

int command_inspect(int argc, char **argv)
{
	struct err e = { 0 };
	struct config c;
	const char *file = NULL;
	struct inspect_args asked = { 0 };
	const struct config_extra extra[] = { { "", &file },
		{ "by", &asked.by }, { "format", &asked.format },
		{ "learn", &asked.learn }, { "layers", &asked.layers },
		{ "layer_range", &asked.layer_range },
		{ "layer_start", &asked.layer_start },
		{ "layer_every", &asked.layer_every },
		{ "realign", &asked.realign }, { "device", &asked.device },
		{ "stratum", &asked.stratum }, { 0 } };
	if (!command_config(&c, extra, argc, argv, &e))
		return command_fail(&e);
	if (!file) {
		err_set(&e, ERR_INPUT, "inspect needs the name of a file");
		return command_fail(&e);
	}
	struct inspect_limits limits = { c.ingest_mib, c.plain_mib, c.ratio };
	return inspect_file(file, &asked, &limits);
}
