/* inspect.c - the command `inspect`: reads a trace, analyzes each process and
 * prints the results. */
#include "inspect.h"
#include "analyze.h"
#include "attribute.h"
#include "breakdown_params.h"
#include "collective.h"
#include "command.h"
#include "decode.h"
#include "graph_capture.h"
#include "distinct_name.h"
#include "nsys_report.h"
#include "profile_word.h"
#include "roofline.h"
#include "stats.h"
#include "trace_files.h"
#include "view.h"
#include "view_breakdown.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- The output of `--format json`: one JSON document that contains a trace
 * and all its runs. It has the fields of the API, made by the API's views, but
 * needs no database.
 *
 *   format, framework   of the file; framework is null if the file does not
 *                       name it
 *   rows                the number of rows in the trace, by kind and table
 *   runs[]              one per process, in order:
 *     totals            what GET /runs/{id} returns about the trace
 *     devices[], notes[]
 *     kernels[], copies[], graphs[], launches[]   as in the API's lists, but
 *                       without database ids; kernels also have `mangled`
 *     callers[]         the callers of all kernels; each names its kernel
 *     operators         platform, sm_clock_mhz, sm_clock_reason, peaks, gpu_ns,
 *                       replayed, replayed_known, rows[], shapes[] (each names
 *                       its operator), unattributed[]
 *
 * `by` "device" or "grid" adds kernels_by_device, copies_by_device or
 * kernels_by_grid. `by` "collectives" adds collectives[] with their single
 * launches. `by` "layers" adds `breakdown` and groups[]. `breakdown`
 * contains what GET /runs/{id}/breakdown returns, and also windows[] (of the
 * passes) and instances[] (of the sections), with times relative to the run's
 * first record. groups[] contains the items of GET /runs/{id}/groups. Rows are
 * in the order of the profile; tenths of a nanosecond are not rounded. */

/* ---- layers and launch groups, with the values that they would have if read
 * from the database */

static struct breakdown_kernel *
inspect_document_layers_kernels_of(const struct profile *p, struct arena *a)
{
	struct breakdown_kernel *k = arena_array(a, struct breakdown_kernel,
		(size_t)p->kernels_n + 1);
	const char **distinct = distinct_names_of_run(a, p);

	for (uint32_t i = 0; i < p->kernels_n; i++)
		k[i] = (struct breakdown_kernel){ -1, p->kernels[i].name,
			p->kernels[i].short_name, distinct[i] };
	return k;
}

static json_t *inspect_document_layers_instances(const struct breakdown *b)
{
	json_t *v = json_array();

	for (uint32_t i = 0; i < b->instances_n; i++) {
		const struct breakdown_instance *in = &b->instances[i];
		view_append(v, json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}",
				       "section", view_whole(in->section),
				       "pass", view_whole(in->pass), "number",
				       view_whole(in->number), "start_ns",
				       view_whole(in->start_ns), "end_ns",
				       view_whole(in->end_ns), "launches",
				       view_whole(in->launches)));
	}
	return v;
}

static json_t *inspect_document_layers_windows(const struct breakdown *b)
{
	json_t *v = json_array();

	for (uint32_t i = 0; i < b->passes; i++)
		view_append(v,
			json_pack("{s:o, s:o}", "start_ns",
				view_whole(b->windows[i].start_ns), "end_ns",
				view_whole(b->windows[i].end_ns)));
	return v;
}

static void inspect_document_layers(const struct profile *p, json_t *run)
{
	struct arena a = { 0 };
	struct breakdown_kernel *kernels =
		inspect_document_layers_kernels_of(p, &a);
	struct breakdown_stored layers = { p->breakdown, kernels,
		p->kernels_n };
	struct groups_stored groups = { p->groups, kernels, p->kernels_n };
	json_t *breakdown = view_breakdown(-1, &layers), *items = json_array();

	json_object_set_new(breakdown, "windows",
		inspect_document_layers_windows(&p->breakdown));
	json_object_set_new(breakdown, "instances",
		inspect_document_layers_instances(&p->breakdown));
	for (uint32_t i = 0; i < p->groups.n; i++)
		view_append(items, view_group(&groups, i));
	json_object_set_new(run, "breakdown", breakdown);
	json_object_set_new(run, "groups", items);
	arena_release(&a);
}

/* ---- operators, shapes and unattributed kernels, in the order of the profile */

static json_t *inspect_document_operators_known(const int64_t known_ns[KNOWNS])
{
	json_t *v = json_object();

	for (int k = 0; k < KNOWNS; k++)
		json_object_set_new(v, profile_word_how[k],
			view_whole(known_ns[k]));
	return v;
}

static json_t *inspect_document_operators_row(const struct operator_stat *o)
{
	return json_pack("{s:o, s:o, s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o, "
			 "s:o, s:o, s:o, s:o, s:o}",
		"operator", view_text(o->name), "dtype",
		view_text(dtype_word(o->dtype)), "phase",
		view_text(profile_word_phase[o->phase]), "collective",
		o->collective, "launches", view_whole(o->launches), "calls",
		view_whole(o->calls), "total_ns", view_whole(o->total_ns),
		"attribution_source_ns",
		inspect_document_operators_known(o->known_ns), "shape_known_ns",
		view_whole(o->sized_ns), "bound_calls",
		view_whole(o->bound_calls), "roofline_known_ns",
		view_whole(o->bound_ns), "sol_ps", view_whole(o->clock.sol_ps),
		"compute_ns", view_whole(o->clock.compute_ns), "headroom_ns",
		view_whole(o->clock.headroom_ns), "above_bound_ns",
		view_whole(o->clock.over_ns));
}

/* A figure of more than 2^53 is null, because many JSON readers cannot
 * represent it. */
static json_t *inspect_document_operators_figure(uint64_t v)
{
	return v <= (UINT64_C(1) << 53) ? json_integer((json_int_t)v)
					: json_null();
}

static json_t *inspect_document_operators_cost(const struct shape_stat *s)
{
	if (!s->costed)
		return json_null();
	if (s->cost.link.kind)
		return json_pack("{s:o, s:s, s:I, s:I}", "bus_bytes",
			view_real(link_bus_bytes(&s->cost.link)), "kind",
			collective_word(s->cost.link.kind), "ranks",
			(json_int_t)s->cost.link.ranks, "nodes",
			(json_int_t)s->cost.link.nodes);
	json_t *flops = json_object();
	for (int d = 0; d < DTYPES; d++)
		if (s->cost.flops[d])
			json_object_set_new(flops, dtype_word((enum dtype)d),
				inspect_document_operators_figure(
					s->cost.flops[d]));
	return json_pack("{s:o, s:o, s:o}", "flops", flops, "read_bytes",
		inspect_document_operators_figure(s->cost.read_bytes),
		"write_bytes",
		inspect_document_operators_figure(s->cost.write_bytes));
}

static json_t *inspect_document_operators_shape(const struct operators *o,
	const struct shape_stat *s)
{
	const struct operator_stat *of = &o->rows[s->operator_];
	json_t *v = json_pack("{s:o, s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:o, "
			      "s:o, s:o, s:o}",
		"operator", view_text(of->name), "shape", view_text(s->text),
		"grid", view_text(s->grid), "dtype",
		view_text(dtype_word(of->dtype)), "phase",
		view_text(profile_word_phase[of->phase]), "attribution_source",
		profile_word_how[s->known], "launches", view_whole(s->launches),
		"cost", inspect_document_operators_cost(s), "reason",
		view_text(s->why), "sol_ns", view_real(s->clock_sol_ns),
		"sol_data_sheet_ns",
		view_real(o->sheet ? s->sol_ns : (double)NAN), "regime",
		view_text(profile_word_leg[s->clock_leg]));
	json_t *times = view_times(&s->call);
	json_object_set(v, "calls", json_object_get(times, "instances"));
	json_object_del(times, "instances");
	json_object_update_new(v, times);
	return v;
}

static json_t *inspect_document_operators_unattributed(const struct profile *p)
{
	json_t *v = json_array();

	for (uint32_t i = 0; i < p->operators.unattributed_n; i++) {
		const struct unattributed *u = &p->operators.unattributed[i];
		view_append(v, json_pack("{s:s, s:o, s:o}", "name",
				       p->kernels[u->kernel].name, "launches",
				       view_whole(u->launches), "total_ns",
				       view_whole(u->total_ns)));
	}
	return v;
}

static json_t *inspect_document_operators(const struct profile *p)
{
	const struct operators *o = &p->operators;
	json_t *rows = json_array(), *shapes = json_array();
	struct arena a = { 0 };
	json_t *peaks = view_text(
		o->sheet ? roofline_clock_text(o->sheet, o->sm_clock_mhz, &a)
			 : NULL);

	arena_release(&a);
	for (uint32_t i = 0; i < o->n; i++)
		view_append(rows, inspect_document_operators_row(&o->rows[i]));
	for (uint32_t i = 0; i < o->shapes_n; i++)
		view_append(shapes,
			inspect_document_operators_shape(o, &o->shapes[i]));
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
		"platform", view_text(o->platform), "sm_clock_mhz",
		view_real(o->sm_clock_mhz), "sm_clock_reason",
		view_text(o->sm_clock_why), "peaks", peaks, "gpu_ns",
		view_whole(o->gpu_ns), "replayed", view_whole(o->replayed),
		"replayed_known", view_whole(o->replayed_known), "rows", rows,
		"shapes", shapes, "unattributed",
		inspect_document_operators_unattributed(p));
}

/* ---- collectives, with their single launches */

static json_t *inspect_document_collectives_launches(const struct collective *c)
{
	json_t *v = json_array();

	for (uint32_t i = 0; i < c->n; i++)
		view_append(v,
			json_pack("{s:o, s:o, s:o}", "start_ns",
				view_whole(c->start_ns[i]), "dur_ns",
				view_whole(c->dur_ns[i]), "sequence",
				view_whole(c->sequence ? c->sequence[i] : -1)));
	return v;
}

static json_t *inspect_document_collective(const struct collective *c)
{
	const struct collective_call *is = &c->call;
	int64_t total_ns = 0;

	for (uint32_t i = 0; i < c->n; i++)
		total_ns += c->dur_ns[i];
	return json_pack("{s:s, s:i, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
			 "s:o, s:o, s:o}",
		"name", c->name, "device", c->device, "stream",
		(json_int_t)c->stream, "kind",
		view_text(collective_word(is->kind)), "dtype",
		view_text(dtype_word(is->dtype)), "elements",
		view_whole(is->elements), "bytes", view_whole(is->bytes),
		"reason", view_text(collective_bytes_reason(is)), "group",
		view_text(is->group), "group_size", view_whole(is->group_size),
		"group_ranks", view_text(is->ranks), "busbw_gb_s",
		view_real(collective_busbw_gb_s(is, c->n, total_ns)),
		"launches", inspect_document_collectives_launches(c));
}

static json_t *inspect_document_collectives(const struct collectives *c)
{
	json_t *v = json_array();

	for (uint32_t i = 0; i < c->n; i++)
		view_append(v, inspect_document_collective(&c->rows[i]));
	return v;
}

struct inspect_document {
	json_t *file, *runs; /* `runs` belongs to `file` */
};

static json_t *inspect_document_rows_of(const struct trace *t)
{
	json_t *v = json_object();
#define KIND(kind, COLUMNS, what) \
	json_object_set_new(v, #kind, json_integer(t->kind.n));
	TRACE_KINDS(KIND)
	TRACE_TABLES(KIND)
#undef KIND
	return v;
}

static struct inspect_document *inspect_document_new(const struct trace *t)
{
	struct inspect_document *d = calloc(1, sizeof *d);
	if (!d)
		abort();
	d->runs = json_array();
	d->file = json_pack("{s:s, s:o, s:o, s:o}", "format", t->format,
		"framework", view_text(t->framework), "rows",
		inspect_document_rows_of(t), "runs", d->runs);
	return d;
}

static json_t *inspect_document_totals(struct arena *a, const struct profile *p)
{
	const char **names = arena_array(a, const char *, p->devices_n + 1);
	uint32_t n = 0;
	for (uint32_t i = 0; i < p->devices_n; i++) {
		const char *name = p->devices[i].name;
		uint32_t k = 0;
		while (name && k < n && strcmp(names[k], name))
			k++;
		if (name && k == n)
			names[n++] = name;
	}
	return view_run_trace(&(struct run_row){
		.content = profile_word_content[p->content],
		.format = p->format,
		.framework = p->framework,
		.process_name = p->process_name,
		.host = p->host,
		.pid = p->pid,
		.started_utc_ns = p->started_utc_ns,
		.rank = p->rank,
		.world_size = p->world_size,
		.device_names = names,
		.device_names_n = n,
		.span_ns = p->span_ns,
		.busy_ns = p->busy_ns,
		.kernel_ns = p->kernel_ns,
		.launches = p->launches,
		.kernels = p->kernels_n,
		.copy_ns = p->copy_ns,
		.copies = p->copies,
		.graph_ns = p->graph_ns,
		.graphs = p->graphs,
		.analysis_version = ANALYSIS_VERSION,
	});
}

static json_t *inspect_document_facts(const struct facts *f)
{
	json_t *v = json_object();
	for (uint32_t i = 0; i < f->n; i++)
		json_object_set_new(v, f->rows[i].name,
			json_string(f->rows[i].value));
	return v;
}

static json_t *inspect_document_devices(const struct profile *p)
{
	json_t *v = json_array();
	for (uint32_t i = 0; i < p->devices_n; i++)
		view_append(v, view_device(&p->devices[i]));
	return v;
}

static json_t *inspect_document_notes(struct arena *a, const struct notes *ns)
{
	json_t *v = json_array();
	for (enum note_code c = 0; c < NOTE_CODES; c++)
		if (ns->count[c])
			view_append(v,
				view_note(&(
					struct note_row){ .code = note_name(c),
					.severity = note_severity_name(
						note_severity(c)),
					.message = note_sentence(a, c,
						ns->count[c], ns->detail[c]),
					.count = ns->count[c] }));
	return v;
}

static json_t *inspect_document_kernels(struct arena *a,
	const struct profile *p, enum split split)
{
	const char **distinct = distinct_names_of_run(a, p);
	json_t *v = json_array();
	for (uint32_t i = 0; i < p->stats_n; i++) {
		const struct kernel_stat *s = &p->stats[i];
		const struct profile_kernel *k = &p->kernels[s->kernel];
		if (s->split != split)
			continue;
		json_t *each = view_kernel(&(struct kernel_line){ .kernel = -1,
						   .is = *k,
						   .stat = *s },
			distinct[s->kernel], NULL);
		json_object_del(each, "id");
		json_object_del(each, "kernel_profiles");
		json_object_set_new(each, "mangled", view_text(k->mangled));
		view_append(v, each);
	}
	return v;
}

static json_t *inspect_document_copies(const struct profile *p,
	enum split split)
{
	json_t *v = json_array();
	for (uint32_t i = 0; i < p->copy_stats_n; i++)
		if (p->copy_stats[i].split == split)
			view_append(v, view_copy(&p->copy_stats[i]));
	return v;
}

static json_t *inspect_document_graphs(const struct profile *p)
{
	json_t *v = json_array();
	for (uint32_t i = 0; i < p->graph_stats_n; i++)
		view_append(v, view_graph(&p->graph_stats[i]));
	return v;
}

static json_t *inspect_document_launches(struct arena *a,
	const struct profile *p)
{
	json_t *v = json_array();
	const char **distinct = distinct_names_of_run(a, p);
	for (uint32_t i = 0; i < p->launch_stats_n; i++) {
		const struct launch_stat *s = &p->launch_stats[i];
		const struct profile_kernel *k = &p->kernels[s->kernel];
		json_t *each =
			view_launch(&(struct launch_line){ .name = k->name,
					    .short_name = k->short_name,
					    .stat = *s },
				distinct[s->kernel]);
		json_object_del(each, "kernel");
		view_append(v, each);
	}
	return v;
}

/* The frames from the outermost to `at`, in the arena. */
static struct frame *inspect_document_path_to(struct arena *a,
	const struct profile *p, uint32_t at, uint32_t *n)
{
	*n = 0;
	for (uint32_t f = at; f; f = p->frames[f].parent)
		++*n;
	struct frame *path = arena_array(a, struct frame, *n + 1);
	for (uint32_t f = at, i = *n; f; f = p->frames[f].parent)
		path[--i] = p->frames[f];
	return path;
}

static json_t *inspect_document_callers(struct arena *a,
	const struct profile *p)
{
	json_t *v = json_array();
	for (uint32_t from = 0, to; from < p->callers_n; from = to) {
		const struct caller_stat *all = p->callers;
		int64_t total_ns = 0;
		for (to = from;
			to < p->callers_n && all[to].kernel == all[from].kernel;
			to++)
			total_ns += all[to].total_ns;
		for (uint32_t i = from; i < to; i++) {
			struct caller_line line = { .known = all[i].known,
				.paths = 1,
				.launches = all[i].launches,
				.total_ns = all[i].total_ns };
			line.path = inspect_document_path_to(a, p, all[i].frame,
				&line.path_n);
			json_t *each = view_caller(&line,
				stats_pct(all[i].total_ns, total_ns));
			json_object_set_new(each, "kernel",
				json_string(p->kernels[all[i].kernel].name));
			view_append(v, each);
		}
	}
	return v;
}

/* Adds a run to the document; copies all that it needs. `by` NULL: no split. */
static void inspect_document_add(struct inspect_document *d,
	const struct profile *p, const char *by)
{
	struct arena a = { 0 };
	json_t *run = json_pack("{s:o, s:o, s:o, s:o, s:o}", "totals",
		inspect_document_totals(&a, p), "devices",
		inspect_document_devices(p), "notes",
		inspect_document_notes(&a, &p->notes), "kernels",
		inspect_document_kernels(&a, p, SPLIT_NONE), "copies",
		inspect_document_copies(p, SPLIT_NONE));
	if (by && !strcmp(by, "device")) {
		json_object_set_new(run, "kernels_by_device",
			inspect_document_kernels(&a, p, SPLIT_DEVICE));
		json_object_set_new(run, "copies_by_device",
			inspect_document_copies(p, SPLIT_DEVICE));
	}
	if (by && !strcmp(by, "grid"))
		json_object_set_new(run, "kernels_by_grid",
			inspect_document_kernels(&a, p, SPLIT_GRID));
	if (by && !strcmp(by, "layers"))
		inspect_document_layers(p, run);
	if (by && !strcmp(by, "collectives"))
		json_object_set_new(run, "collectives",
			inspect_document_collectives(&p->collectives));
	json_object_set_new(run, "facts", inspect_document_facts(&p->facts));
	json_object_set_new(run, "graphs", inspect_document_graphs(p));
	json_object_set_new(run, "launches", inspect_document_launches(&a, p));
	json_object_set_new(run, "callers", inspect_document_callers(&a, p));
	json_object_set_new(run, "operators", inspect_document_operators(p));
	view_append(d->runs, run);
	arena_release(&a);
}

static void inspect_document_print(const struct inspect_document *d, FILE *out)
{
	json_dumpf(d->file, out, JSON_INDENT(1) | JSON_REAL_PRECISION(15));
	putc('\n', out);
}

static void inspect_document_free(struct inspect_document *d)
{
	if (!d)
		return;
	json_decref(d->file);
	free(d);
}

/* ---- the command */

/* The arguments of the command; a text that was not given is NULL. */
struct inspect_args {
	const char *by; /* one or more of these words (one for JSON) */
	const char *format; /* a word of the option */
	/* a trace whose stream captures describe the graphs that are replayed
	 * in the file; "": none */
	const char *learn;
	/* The parameters of breakdown_params.h, as text. */
	const char *layers; /* "modules", "period" or "" */
	const char *layer_range, *layer_start;
	int64_t layer_every, device, stratum; /* -1: not given */
	const char *realign; /* "yes" or "no" */
};

/* Only the first step: reads the file as a trace. */
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
		l->graphs[l->book.n++] = o->learned[i];
	return true;
}

/* Reads the graphs of another trace. Returns false with a sentence if that file
 * cannot be read or contains no usable stream capture. The caller must release
 * `out` in any case. */
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

/* The words of --by; each one ends in a NUL in `text`. */
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

/* Opens a trace; a report of Nsight Systems is converted first. */
static struct source_file *inspect_open(const char *path, struct source *s,
	struct err *e)
{
	if (!nsys_report_convertible(path))
		return source_file_new(path, s, e);
	int fd = nsys_report_convert(path, e);
	return fd < 0 ? NULL : source_file_new_open(fd, path, s, e);
}

bool inspect_read(const char *path, const struct inspect_limits *limits,
	struct trace *t, struct err *e)
{
	const struct decode_limits l = { limits->uncompressed_mib << 20,
		limits->ratio };
	struct source s;
	struct source_file *f = inspect_open(path, &s, e);

	if (!f)
		return false;
	bool ok = decode(&s, &l, NULL, t, e);
	source_file_free(f);
	return ok &&
	       (t->processes_n ||
		       err_set(e, ERR_TRACE,
			       "'%.200s' is an execution trace of PyTorch, "
			       "which has no runs",
			       path));
}

/* The state of one run of the command. */
struct inspect_job {
	struct trace trace;
	struct inspect_words words;
	struct profile_params params;
	struct catalog *catalog;
	struct inspect_graphs learned;
	struct trace_files files;
	size_t ceiling; /* of each arena, in bytes */
};

/* Analyzes all runs and adds them to `d`, or prints them if `d` is NULL. */
static bool inspect_runs(const struct inspect_job *j,
	struct inspect_document *d, FILE *out, struct err *e)
{
	bool ok = true;

	if (!d)
		inspect_print_file(out, &j->trace);
	for (uint32_t i = 0; ok && i < j->trace.processes_n; i++) {
		struct arena a = { .ceiling = j->ceiling };
		struct graph_book book;
		struct profile p;
		ok = trace_files_book(&j->files, j->trace.processes[i].rank,
			     &j->learned.book, &a, &book, e) &&
		     profile_from_params(&j->trace, i, &j->params, j->catalog,
			     &book, &a, &p, e);
		if (ok && d)
			inspect_document_add(d, &p, j->words.at[0]);
		for (int w = 0; ok && !d && w < j->words.n; w++)
			inspect_print_run(out, &p, i + 1, j->words.at[w]);
		arena_release(&a);
	}
	return ok;
}

/* Prints all runs for a person. */
static bool inspect_tables(const struct inspect_job *j, struct err *e)
{
	struct arena a = { .ceiling = j->ceiling };
	struct terminal t;
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		abort();
	bool ok = inspect_runs(j, NULL, out, e);
	bool whole = !fclose(out);
	terminal_init(&t, "auto");
	if (ok && !whole)
		ok = err_set(e, ERR_TOO_LARGE,
			"the output does not fit in memory; use --format csv");
	if (ok && !inspect_table_print(&t, text, &a))
		ok = arena_err(&a, e);
	arena_release(&a);
	free(text);
	return ok;
}

static bool inspect_output(const struct inspect_job *j, const char *format,
	struct err *e)
{
	bool json = !strcmp(format, "json");
	bool table = !strcmp(format, "table") ||
		     (!strcmp(format, "text") && isatty(STDOUT_FILENO));
	struct inspect_document *d =
		json ? inspect_document_new(&j->trace) : NULL;
	bool ok = table ? inspect_tables(j, e) : inspect_runs(j, d, stdout, e);

	if (ok && d)
		inspect_document_print(d, stdout);
	inspect_document_free(d);
	if (ok && fflush(stdout) != 0)
		ok = err_set(e, ERR_INTERNAL,
			"the output could not be written");
	return ok;
}

/* Reads one file; `several`: as one of several. */
static bool inspect_files_open(const char *path, bool several,
	struct trace_files *f, struct err *e)
{
	struct source s;
	struct source_file *file = inspect_open(path, &s, e);

	if (!file)
		return false;
	bool ok = several ? trace_files_add(f, path, &s, e)
			  : trace_files_read(f, &s, NULL, e);
	source_file_free(file);
	return ok;
}

/* Reads the files of `paths`, which ends in NULL, as those of one upload. */
static bool inspect_files(const char *const *paths, struct inspect_job *j,
	const struct inspect_limits *limits, struct arena *a, struct err *e)
{
	bool ok = true;

	j->files = (struct trace_files){ .catalog = j->catalog,
		.limits = { limits->uncompressed_mib << 20, limits->ratio },
		.arena = a,
		.trace = &j->trace };
	bool several = paths[1] != NULL;

	for (; ok && *paths; paths++)
		ok = inspect_files_open(*paths, several, &j->files, e);
	return ok && (!several || trace_files_end(&j->files, e));
}

/* Returns the program's exit status: 0, 1 after printing one sentence on
 * stderr, or 2 if an option is wrong. */
static int inspect_run(const char *const *paths,
	const struct inspect_args *args, const struct inspect_limits *limits)
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
		  inspect_files(paths, &j, limits, &a, &e) &&
		  inspect_output(&j, args->format, &e);
	trace_files_release(&j.files);
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

	return inspect_run(in->operands, &args, &limits);
}
