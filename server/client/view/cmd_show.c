/* cmd_show.c - `kernsift show`: the overview of a run: facts, why it is slow, and the
 * kernels with the most time. */
#include "address.h"
#include "commands.h"
#include "duration_text.h"
#include "fetch.h"
#include "json_get.h"
#include "terminal.h"
#include <inttypes.h>
#include <math.h>

enum {
	SHOW_KERNELS = 10,
	SHOW_COLUMNS = 5,
	SHOW_NAME_MIN = 20, /* columns to which a kernel's name may be cut */
	SHOW_SENTENCES = 3,
};

struct show {
	struct terminal terminal;
	const struct options *o;
	struct arena arena;
	json_t *run, *diagnosis, *kernels;
};

static const char *show_time(struct arena *a, double ns)
{
	return isfinite(ns) ? duration_text(a, ns) : "-";
}

/* One line of facts; nothing if the text is empty. */
static void show_fact(const struct show *s, const char *name, const char *text)
{
	const struct terminal *t = &s->terminal;

	if (*text)
		printf("%s%-11s%s %s\n", terminal_on(t, TERMINAL_FAINT), name,
			terminal_off(t), text);
}

static void show_heading(const struct show *s, const char *text)
{
	printf("\n%s%s%s\n", terminal_on(&s->terminal, TERMINAL_STRONG), text,
		terminal_off(&s->terminal));
}

static const char *show_labels(struct arena *a, const json_t *run)
{
	const char *key, *text = "";
	json_t *labels = json_object_get(run, "labels"), *value;

	json_object_foreach(labels, key, value) text =
		arena_printf(a, "%s%s%s=%s", text, *text ? " " : "", key,
			json_get_text(a, labels, key));
	return text;
}

/* "8 kept of 10, median 21.40 ms" */
static const char *show_iterations(struct arena *a, const json_t *run)
{
	const json_t *v = json_object_get(run, "iterations");
	double median = json_get_real(v, "median_ns");

	return arena_printf(a, "%" PRId64 " kept of %" PRId64 "%s%s",
		json_get_whole(v, "kept"), json_get_whole(v, "count"),
		isfinite(median) ? ", median " : "",
		isfinite(median) ? duration_text(a, median) : "");
}

/* Of the kept iterations: "busy 81.2 %, idle 18.8 %", or why that is unknown. */
static const char *show_utilization(struct arena *a, const json_t *diagnosis)
{
	double busy = json_get_real(diagnosis, "busy_ns"),
	       idle = json_get_real(diagnosis, "idle_ns"), wall = busy + idle;

	if (!isfinite(wall) || wall <= 0)
		return json_get_text(a, diagnosis, "reason");
	return arena_printf(a, "busy %.1f %%, idle %.1f %% of the iterations",
		100 * busy / wall, 100 * idle / wall);
}

static const char *show_work(struct arena *a, const json_t *run)
{
	double launches = json_get_real(run, "launches"),
	       copies = json_get_real(run, "copies");
	int64_t kernels = json_get_whole(run, "kernels");
	const char *text = arena_printf(a, "%" PRId64 " kernel%s, %s", kernels,
		kernels == 1 ? "" : "s",
		show_time(a, json_get_real(run, "kernel_ns")));

	if (isfinite(launches))
		text = arena_printf(a, "%s in %.0f launch%s", text, launches,
			launches > 1 || launches < 1 ? "es" : "");
	if (copies > 0)
		text = arena_printf(a, "%s; %.0f cop%s, %s", text, copies,
			copies > 1 ? "ies" : "y",
			show_time(a, json_get_real(run, "copy_ns")));
	return text;
}

static const char *show_notes(struct arena *a, const json_t *run)
{
	int64_t n = json_get_whole(run, "notes");
	const char *worst = json_get_text(a, run, "worst_note");

	return n ? arena_printf(a, "%" PRId64 "%s%s", n,
			   *worst ? ", worst: " : "", worst)
		 : "";
}

static void show_print_facts(struct show *s)
{
	struct arena *a = &s->arena;
	const char *name = json_get_text(a, s->run, "name");
	struct buf url;

	printf("%srun %" PRId64 "%s%s%s\n",
		terminal_on(&s->terminal, TERMINAL_STRONG),
		json_get_whole(s->run, "id"), *name ? ": " : "", name,
		terminal_off(&s->terminal));
	buf_init(&url, ADDRESS_MAX);
	address_run(&url, s->o->server, json_get_whole(s->run, "id"));
	printf("%s\n\n", url.at);
	buf_release(&url);
	show_fact(s, "project", json_get_text(a, s->run, "project"));
	show_fact(s, "workload", json_get_text(a, s->run, "workload"));
	show_fact(s, "labels", show_labels(a, s->run));
	show_fact(s, "device",
		json_get_joined(a, s->run, "device_names", ", "));
	show_fact(s, "framework", json_get_text(a, s->run, "framework"));
	show_fact(s, "iterations", show_iterations(a, s->run));
	show_fact(s, "GPU", show_utilization(a, s->diagnosis));
	show_fact(s, "work", show_work(a, s->run));
	show_fact(s, "notes", show_notes(a, s->run));
	show_fact(s, "stored", json_get_text(a, s->run, "created_at"));
}

static void show_print_sentences(struct show *s)
{
	const json_t *list = json_object_get(s->diagnosis, "sentences");
	size_t n = json_array_size(list);

	if (n)
		show_heading(s, "why it is slow");
	for (size_t i = 0; i < n && i < SHOW_SENTENCES; i++)
		printf("%zu. %s\n", i + 1,
			json_get_text(&s->arena, json_array_get(list, i),
				"text"));
	if (n > SHOW_SENTENCES)
		printf("   %zu more: kernsift diagnose %" PRId64 "\n",
			n - SHOW_SENTENCES, json_get_whole(s->run, "id"));
}

static void show_kernel_cells(struct arena *a, const json_t *v,
	const char **cells)
{
	double pct = json_get_real(v, "time_pct");
	const char *distinct = json_get_text(a, v, "distinct_name");

	*cells++ = isfinite(pct) ? arena_printf(a, "%.1f %%", pct) : "-";
	*cells++ = show_time(a, json_get_real(v, "total_ns"));
	*cells++ = arena_printf(a, "%" PRId64, json_get_whole(v, "instances"));
	*cells++ = show_time(a, json_get_real(v, "mean_ns"));
	*cells++ = *distinct ? distinct : json_get_text(a, v, "short_name");
}

static void show_print_kernels(struct show *s)
{
	static const struct terminal_column columns[SHOW_COLUMNS] = {
		{ "share", true, 0, 0 },
		{ "time", true, 0, 0 },
		{ "launches", true, 0, 0 },
		{ "mean", true, 0, 0 },
		{ "kernel", false, SHOW_NAME_MIN, 0 },
	};
	const json_t *list = json_object_get(s->kernels, "items");
	size_t n = json_array_size(list);
	const char **cells =
		arena_array(&s->arena, const char *, n *SHOW_COLUMNS + 1);
	const struct terminal_table v = { columns, SHOW_COLUMNS, cells, n };

	for (size_t i = 0; i < n; i++)
		show_kernel_cells(&s->arena, json_array_get(list, i),
			cells + i * SHOW_COLUMNS);
	if (!n)
		return;
	show_heading(s, "kernels with the most time");
	terminal_table_print(&s->terminal, &v);
}

/* GET /runs/{id} and what follows it. */
static json_t *show_read(struct fetch *f, int64_t id, const char *what,
	const char *needs, struct err *e)
{
	struct buf url;

	buf_init(&url, ADDRESS_MAX);
	address_path(&url, f->o->server, "/api/v1/runs/");
	buf_printf(&url, "%" PRId64 "%s", id, what);
	json_t *v = fetch_json(f, url.at, needs, e);
	buf_release(&url);
	return v;
}

static bool show_run(struct fetch *f, struct err *e)
{
	struct show s = { .o = f->o };
	int64_t id = options_run_id(f->o->files.at[0]);
	char kernels[64];

	if (!id)
		return err_set(e, ERR_INPUT,
			"show: '%.60s' is not the id of a run ('kernsift runs' "
			"lists them)",
			f->o->files.at[0]);
	snprintf(kernels, sizeof kernels, "/kernels?limit=%d", SHOW_KERNELS);
	bool ok = (s.run = show_read(f, id, "", "id", e)) &&
		  (s.diagnosis = show_read(f, id, "/diagnosis", "causes", e)) &&
		  (s.kernels = show_read(f, id, kernels, "items", e));
	if (ok) {
		terminal_init(&s.terminal, f->o->color);
		show_print_facts(&s);
		show_print_sentences(&s);
		show_print_kernels(&s);
	}
	json_decref(s.run);
	json_decref(s.diagnosis);
	json_decref(s.kernels);
	arena_release(&s.arena);
	return ok;
}

int cmd_show(const struct options *o)
{
	return fetch_run(o, "show", show_run);
}
