/* inspect_document.c - profiles go through the API's views without a database. */
#include "inspect_document.h"
#include "document_layers.h"
#include "document_operators.h"
#include "stats.h"
#include "view.h"
#include <stdlib.h>
#include <string.h>

struct document {
	json_t *file, *runs; /* `runs` belongs to `file` */
};

static json_t *rows_of(const struct trace *t)
{
	json_t *v = json_object();
#define KIND(kind, COLUMNS, what) \
	json_object_set_new(v, #kind, json_integer(t->kind.n));
	TRACE_KINDS(KIND)
	TRACE_TABLES(KIND)
#undef KIND
	return v;
}

struct document *document_new(const struct trace *t)
{
	struct document *d = calloc(1, sizeof *d);
	if (!d)
		abort();
	d->runs = json_array();
	d->file = json_pack("{s:s, s:o, s:o, s:o}", "format", t->format,
		"framework", view_text(t->framework), "rows", rows_of(t),
		"runs", d->runs);
	return d;
}

static json_t *totals(struct arena *a, const struct profile *p)
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
	return view_run_told(&(struct run_row){
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

static json_t *facts(const struct facts *f)
{
	json_t *v = json_object();
	for (uint32_t i = 0; i < f->n; i++)
		json_object_set_new(v, f->rows[i].name,
			json_string(f->rows[i].value));
	return v;
}

static json_t *devices(const struct profile *p)
{
	json_t *v = json_array();
	for (uint32_t i = 0; i < p->devices_n; i++)
		view_append(v, view_device(&p->devices[i]));
	return v;
}

static json_t *notes(struct arena *a, const struct notes *ns)
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

static json_t *kernels(const struct profile *p, enum split split)
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

static json_t *copies(const struct profile *p, enum split split)
{
	json_t *v = json_array();
	for (uint32_t i = 0; i < p->copy_stats_n; i++)
		if (p->copy_stats[i].split == split)
			view_append(v, view_copy(&p->copy_stats[i]));
	return v;
}

static json_t *graphs(const struct profile *p)
{
	json_t *v = json_array();
	for (uint32_t i = 0; i < p->graph_stats_n; i++)
		view_append(v, view_graph(&p->graph_stats[i]));
	return v;
}

static json_t *launches(const struct profile *p)
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
static struct frame *path_to(struct arena *a, const struct profile *p,
	uint32_t at, uint32_t *n)
{
	*n = 0;
	for (uint32_t f = at; f; f = p->frames[f].parent)
		++*n;
	struct frame *path = arena_array(a, struct frame, *n + 1);
	for (uint32_t f = at, i = *n; f; f = p->frames[f].parent)
		path[--i] = p->frames[f];
	return path;
}

static json_t *callers(struct arena *a, const struct profile *p)
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
			line.path = path_to(a, p, all[i].frame, &line.path_n);
			json_t *each = view_caller(&line,
				stats_pct(all[i].total_ns, total_ns));
			json_object_set_new(each, "kernel",
				json_string(p->kernels[all[i].kernel].name));
			view_append(v, each);
		}
	}
	return v;
}

void document_add(struct document *d, const struct profile *p, const char *by)
{
	struct arena a = { 0 };
	json_t *run = json_pack("{s:o, s:o, s:o, s:o, s:o}", "totals",
		totals(&a, p), "devices", devices(p), "notes",
		notes(&a, &p->notes), "kernels", kernels(p, SPLIT_NONE),
		"copies", copies(p, SPLIT_NONE));
	if (by && !strcmp(by, "device")) {
		json_object_set_new(run, "kernels_by_device",
			kernels(p, SPLIT_DEVICE));
		json_object_set_new(run, "copies_by_device",
			copies(p, SPLIT_DEVICE));
	}
	if (by && !strcmp(by, "grid"))
		json_object_set_new(run, "kernels_by_grid",
			kernels(p, SPLIT_GRID));
	if (by && !strcmp(by, "layers"))
		document_layers(p, run);
	json_object_set_new(run, "facts", facts(&p->facts));
	json_object_set_new(run, "graphs", graphs(p));
	json_object_set_new(run, "launches", launches(p));
	json_object_set_new(run, "callers", callers(&a, p));
	json_object_set_new(run, "operators", document_operators(p));
	view_append(d->runs, run);
	arena_release(&a);
}

void document_print(const struct document *d, FILE *out)
{
	json_dumpf(d->file, out, JSON_INDENT(1) | JSON_REAL_PRECISION(15));
	putc('\n', out);
}

void document_free(struct document *d)
{
	if (!d)
		return;
	json_decref(d->file);
	free(d);
}
