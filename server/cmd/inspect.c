/* inspect.c - the command `inspect`: reads a trace, analyzes each process
 * and prints it. */
#include "inspect.h"
#include "analyze.h"
#include "attribute.h"
#include "breakdown_params.h"
#include "command.h"
#include "decode.h"
#include "inspect_document.h"
#include "graph_capture.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What was given on the command line; a text that was not is NULL. */
struct inspect_args {
	const char *by; /* one or more of these words (one for JSON) */
	const char *format; /* "text" or "json" */
	const char
		*learn; /* "", or a trace whose stream captures teach the graphs
		replayed in the file */
	/* The parameters of breakdown_params.h, as text. */
	const char *layers; /* "modules", "period" or "" */
	const char *layer_range, *layer_start;
	int64_t layer_every, device, stratum; /* -1: not given */
	const char *realign; /* "yes" or "no" */
};

/* The first step alone: the file as a trace. */
struct trace;

struct inspect_graphs {
	struct arena arena;
	struct trace trace;
	struct graph_known *graphs;
	struct graph_book book;
};

static enum layer_detector inspect_args_detector(const char *text)
{
	return !*text			  ? LAYERS_NONE
	       : !strcmp(text, "modules") ? LAYERS_MODULES
					  : LAYERS_PERIOD;
}

static bool inspect_args_breakdown(const struct inspect_args *args,
	struct breakdown_params *out, struct err *e)
{
	out->by = inspect_args_detector(args->layers);
	out->realign = !strcmp(args->realign, "yes");
	if (args->stratum >= 0)
		out->stratum = args->stratum;
	if (args->device >= 0)
		out->device = (int32_t)args->device;
	out->layers = (struct layer_params){ args->layer_range,
		args->layer_start,
		args->layer_every > 0 ? (uint32_t)args->layer_every : 0 };
	return !args->layer_range || !args->layer_start ||
	       err_set(e, ERR_INPUT,
		       "--layer-range and --layer-start exclude each other "
		       "(give one of them)");
}

static int inspect_learn_by_key(const void *left, const void *right)
{
	return graph_capture_compare(left, right);
}

static bool inspect_learn_add(struct inspect_graphs *l,
	const struct operators *o)
{
	void *grown = arena_grow(&l->arena, l->graphs,
		((size_t)l->book.n + o->learned_n + 1) * sizeof *l->graphs);

	if (!grown)
		return false;
	l->graphs = grown;
	for (uint32_t i = 0; i < o->learned_n; i++)
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
			"'%s' describes no graphs: it has no stream capture "
			"with kernel names",
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
				"--by: '%.40s' has too many words", by);
		w->at[w->n++] = word;
	}
	return true;
}

static bool inspect_check_format(const char *by, const char *format,
	struct inspect_words *w, struct err *e)
{
	if (!inspect_words_from(by, w, e))
		return false;
	return w->n == 1 || strcmp(format, "json") ||
	       err_set(e, ERR_INPUT,
		       "--by: '%.40s' is more than one word, and --format json "
		       "takes one",
		       by);
}

bool inspect_read(const char *path, const struct inspect_limits *limits,
	struct trace *t, struct err *e)
{
	const struct decode_limits l = { limits->uncompressed_mib << 20,
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
	struct profile_params params;
	struct catalog *catalog;
	struct inspect_graphs learned;
	size_t ceiling; /* of each arena, bytes */
};

/* To `d`, or to stdout if it is NULL. */
static bool inspect_runs(const struct inspect_job *j,
	struct inspect_document *d, struct err *e)
{
	bool ok = true;

	if (!d)
		inspect_print_file(stdout, &j->trace);
	for (uint32_t i = 0; ok && i < j->trace.processes_n; i++) {
		struct arena a = { .ceiling = j->ceiling };
		struct profile p;
		ok = profile_from_params(&j->trace, i, &j->params, j->catalog,
			&j->learned.book, &a, &p, e);
		if (ok && d)
			inspect_document_add(d, &p, j->words.at[0]);
		for (int w = 0; ok && !d && w < j->words.n; w++)
			inspect_print_run(stdout, &p, i + 1, j->words.at[w]);
		arena_release(&a);
	}
	return ok;
}

static bool inspect_output(const struct inspect_job *j, const char *format,
	struct err *e)
{
	bool json = !strcmp(format, "json");
	struct inspect_document *d =
		json ? inspect_document_new(&j->trace) : NULL;
	bool ok = inspect_runs(j, d, e);

	if (ok && d)
		inspect_document_print(d, stdout);
	inspect_document_free(d);
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
	struct inspect_job j = { .params = { .breakdown = BREAKDOWN_DEFAULTS },
		.ceiling = (size_t)limits->arena_mib << 20 };
	struct arena a = { .ceiling = j.ceiling };

	if (!inspect_check_format(args->by, args->format, &j.words, &e) ||
		!inspect_args_breakdown(args, &j.params.breakdown, &e)) {
		fprintf(stderr, "kernsiftd: %s\n", e.text);
		return 2;
	}
	bool ok = (j.catalog = catalog_new(NULL, &e)) &&
		  (!*args->learn || inspect_learn(args->learn, j.catalog,
					    limits, &j.learned, &e)) &&
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

int command_inspect(const struct invocation *in)
{
	const struct config *c = in->config;
	const struct inspect_args args = { .by = c->by,
		.format = c->format,
		.learn = c->learn,
		.layers = c->layers,
		.layer_range = c->layer_range,
		.layer_start = c->layer_start,
		.layer_every = c->layer_every,
		.device = c->device,
		.stratum = c->stratum,
		.realign = c->realign };
	const struct inspect_limits limits = { c->ingest_mib,
		c->max_uncompressed_mib, c->max_compression_ratio };

	return inspect_file(in->operands[0], &args, &limits);
}
