/* inspect_document.c - profiles go through the API's views without a database. */
#include "inspect_document.h"
#include "profile_word.h"
#include "stats.h"
#include "view.h"
#include "view_breakdown.h"
#include <stdlib.h>
#include <string.h>

/* ---- layers and launch groups, as if stored and read back */

static struct breakdown_kernel *
inspect_document_layers_kernels_of(const struct profile *p, struct arena *a)
{
	struct breakdown_kernel *k = arena_array(a, struct breakdown_kernel,
		(size_t)p->kernels_n + 1);

	for (uint32_t i = 0; i < p->kernels_n; i++)
		k[i] = (struct breakdown_kernel){ -1, p->kernels[i].name,
			p->kernels[i].short_name };
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
		view_whole(o->bound_ns), "sol_ps", view_whole(o->sol_ps),
		"compute_ns", view_whole(o->compute_ns), "headroom_ns",
		view_whole(o->headroom_ns), "above_bound_ns",
		view_whole(o->over_ns));
}

/* A figure beyond what JSON's readers can hold is no number there. */
static json_t *inspect_document_operators_figure(uint64_t v)
{
	return v <= (UINT64_C(1) << 53) ? json_integer((json_int_t)v)
					: json_null();
}

static json_t *inspect_document_operators_cost(const struct shape_stat *s)
{
	if (!s->costed)
		return json_null();
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
			      "s:o, s:o}",
		"operator", view_text(of->name), "shape", view_text(s->text),
		"grid", view_text(s->grid), "dtype",
		view_text(dtype_word(of->dtype)), "phase",
		view_text(profile_word_phase[of->phase]), "attribution_source",
		profile_word_how[s->known], "launches", view_whole(s->launches),
		"cost", inspect_document_operators_cost(s), "reason",
		view_text(s->why), "sol_ns", view_real(s->sol_ns), "regime",
		view_text(profile_word_leg[s->leg]));
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

	for (uint32_t i = 0; i < o->n; i++)
		view_append(rows, inspect_document_operators_row(&o->rows[i]));
	for (uint32_t i = 0; i < o->shapes_n; i++)
		view_append(shapes,
			inspect_document_operators_shape(o, &o->shapes[i]));
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "platform",
		view_text(o->platform), "gpu_ns", view_whole(o->gpu_ns),
		"replayed", view_whole(o->replayed), "replayed_known",
		view_whole(o->replayed_known), "rows", rows, "shapes", shapes,
		"unattributed", inspect_document_operators_unattributed(p));
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

struct inspect_document *inspect_document_new(const struct trace *t)
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
		.content = view_content(p->content),
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

static json_t *inspect_document_kernels(const struct profile *p,
	enum split split)
{
	json_t *v = json_array();
	for (uint32_t i = 0; i < p->stats_n; i++) {
		const struct kernel_stat *s = &p->stats[i];
		const struct profile_kernel *k = &p->kernels[s->kernel];
		if (s->split != split)
			continue;
		json_t *each = view_kernel(&(struct kernel_line){ .kernel = -1,
			.is = *k,
			.stat = *s });
		json_object_del(each, "id");
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

static json_t *inspect_document_launches(const struct profile *p)
{
	json_t *v = json_array();
	for (uint32_t i = 0; i < p->launch_stats_n; i++) {
		const struct launch_stat *s = &p->launch_stats[i];
		const struct profile_kernel *k = &p->kernels[s->kernel];
		json_t *each =
			view_launch(&(struct launch_line){ .name = k->name,
				.short_name = k->short_name,
				.stat = *s });
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

void inspect_document_add(struct inspect_document *d, const struct profile *p,
	const char *by)
{
	struct arena a = { 0 };
	json_t *run = json_pack("{s:o, s:o, s:o, s:o, s:o}", "totals",
		inspect_document_totals(&a, p), "devices",
		inspect_document_devices(p), "notes",
		inspect_document_notes(&a, &p->notes), "kernels",
		inspect_document_kernels(p, SPLIT_NONE), "copies",
		inspect_document_copies(p, SPLIT_NONE));
	if (by && !strcmp(by, "device")) {
		json_object_set_new(run, "kernels_by_device",
			inspect_document_kernels(p, SPLIT_DEVICE));
		json_object_set_new(run, "copies_by_device",
			inspect_document_copies(p, SPLIT_DEVICE));
	}
	if (by && !strcmp(by, "grid"))
		json_object_set_new(run, "kernels_by_grid",
			inspect_document_kernels(p, SPLIT_GRID));
	if (by && !strcmp(by, "layers"))
		inspect_document_layers(p, run);
	json_object_set_new(run, "facts", inspect_document_facts(&p->facts));
	json_object_set_new(run, "graphs", inspect_document_graphs(p));
	json_object_set_new(run, "launches", inspect_document_launches(p));
	json_object_set_new(run, "callers", inspect_document_callers(&a, p));
	json_object_set_new(run, "operators", inspect_document_operators(p));
	view_append(d->runs, run);
	arena_release(&a);
}

void inspect_document_print(const struct inspect_document *d, FILE *out)
{
	json_dumpf(d->file, out, JSON_INDENT(1) | JSON_REAL_PRECISION(15));
	putc('\n', out);
}

void inspect_document_free(struct inspect_document *d)
{
	if (!d)
		return;
	json_decref(d->file);
	free(d);
}
