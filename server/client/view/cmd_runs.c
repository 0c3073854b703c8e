/* cmd_runs.c - `kernsift runs`: lists stored runs, newest first. */
#include "address.h"
#include "commands.h"
#include "duration_text.h"
#include "fetch.h"
#include "json_get.h"
#include "terminal.h"
#include <inttypes.h>
#include <math.h>

enum {
	RUNS_PAGE = 500, /* the server's largest page */
	RUNS_COLUMNS = 10,
	RUNS_CELL_MIN = 8, /* columns to which names may be cut */
};

/* For programs, the heads are the API's names of the figures. */
static const struct {
	const char *csv;
	struct terminal_column shown;
} runs_columns[RUNS_COLUMNS] = {
	{ "id", { "run", true, 0, 0 } },
	{ "name", { "name", false, RUNS_CELL_MIN, 0 } },
	{ "project", { "project", false, RUNS_CELL_MIN, 0 } },
	{ "workload", { "workload", false, RUNS_CELL_MIN, 0 } },
	{ "device_names", { "device", false, RUNS_CELL_MIN, 0 } },
	{ "median_ns", { "iteration", true, 0, 0 } },
	{ "kernel_ns", { "GPU time", true, 0, 1 } },
	{ "launches", { "launches", true, 0, 2 } },
	{ "notes", { "notes", true, 0, 3 } },
	{ "created_at", { "stored", false, 0, 0 } },
};

/* --- cells ------------------------------------------------------------- */

/* A number for programs; "" if it is unknown. */
static const char *runs_whole(struct arena *a, double x)
{
	return isfinite(x) ? arena_printf(a, "%.0f", x) : "";
}

static const char *runs_time(struct arena *a, double ns)
{
	return isfinite(ns) ? duration_text(a, ns) : "-";
}

/* "2026-11-28 17:10" of a moment of the API. */
static const char *runs_minute(struct arena *a, const char *moment)
{
	char *s = arena_strndup(a, moment, strnlen(moment, 16));

	for (char *t = s; *t; t++)
		*t = *t == 'T' ? ' ' : *t;
	return s;
}

static void runs_cells(struct arena *a, const json_t *v, bool person,
	const char **cells)
{
	double iteration = json_get_real(json_object_get(v, "iterations"),
		       "median_ns"),
	       kernels = json_get_real(v, "kernel_ns"),
	       launches = json_get_real(v, "launches");
	const char *created = json_get_text(a, v, "created_at");

	*cells++ = arena_printf(a, "%" PRId64, json_get_whole(v, "id"));
	*cells++ = json_get_text(a, v, "name");
	*cells++ = json_get_text(a, v, "project");
	*cells++ = json_get_text(a, v, "workload");
	*cells++ = json_get_joined(a, v, "device_names", ", ");
	*cells++ = person ? runs_time(a, iteration) : runs_whole(a, iteration);
	*cells++ = person ? runs_time(a, kernels) : runs_whole(a, kernels);
	*cells++ =
		person && !isfinite(launches) ? "-" : runs_whole(a, launches);
	*cells++ = arena_printf(a, "%" PRId64, json_get_whole(v, "notes"));
	*cells++ = person ? runs_minute(a, created) : created;
}

static const char **runs_all_cells(struct arena *a, const json_t *items,
	bool person)
{
	size_t n = json_array_size(items);
	const char **cells = arena_array(a, const char *, n *RUNS_COLUMNS + 1);

	for (size_t i = 0; i < n; i++)
		runs_cells(a, json_array_get(items, i), person,
			cells + i * RUNS_COLUMNS);
	return cells;
}

/* --- formats ----------------------------------------------------------- */

/* Quoted as RFC 4180 requires. */
static void runs_put_csv(const char *s)
{
	if (!s[strcspn(s, ",\"\r\n")]) {
		fputs(s, stdout);
		return;
	}
	putchar('"');
	for (; *s; s++)
		printf(*s == '"' ? "\"\"" : "%c", *s);
	putchar('"');
}

static void runs_print_csv(struct arena *a, const json_t *items)
{
	size_t n = json_array_size(items);
	const char *const *cells = runs_all_cells(a, items, false);

	for (size_t c = 0; c < RUNS_COLUMNS; c++)
		printf("%s%s", c ? "," : "", runs_columns[c].csv);
	putchar('\n');
	for (size_t i = 0; i < n * RUNS_COLUMNS; i++) {
		runs_put_csv(cells[i]);
		putchar((i + 1) % RUNS_COLUMNS ? ',' : '\n');
	}
}

/* Characters that would be markup are escaped. */
static void runs_put_md(const char *s)
{
	for (; *s; s++) {
		if (strchr("\\|`*_<[]#@~&", *s))
			putchar('\\');
		putchar(*s);
	}
}

/* The number of each run is a link to its page. */
static void runs_print_md(const struct options *o, struct arena *a,
	const json_t *items)
{
	size_t n = json_array_size(items);
	const char *const *cells = runs_all_cells(a, items, true);

	for (size_t c = 0; c < RUNS_COLUMNS; c++)
		printf("| %s ", runs_columns[c].shown.head);
	puts("|");
	for (size_t c = 0; c < RUNS_COLUMNS; c++)
		fputs(runs_columns[c].shown.number ? "|---:" : "|:---", stdout);
	puts("|");
	for (size_t i = 0; i < n * RUNS_COLUMNS; i++) {
		fputs("| ", stdout);
		if (i % RUNS_COLUMNS == 0) {
			struct buf url;
			buf_init(&url, ADDRESS_MAX);
			address_run(&url, o->server,
				json_get_whole(json_array_get(items,
						       i / RUNS_COLUMNS),
					"id"));
			printf("[%s](%s)", cells[i], url.at);
			buf_release(&url);
		} else {
			runs_put_md(cells[i]);
		}
		fputs((i + 1) % RUNS_COLUMNS ? " " : " |\n", stdout);
	}
}

static void runs_print_text(const struct options *o, struct arena *a,
	const json_t *items, bool more)
{
	struct terminal_column columns[RUNS_COLUMNS];
	struct terminal t;
	size_t n = json_array_size(items);

	for (size_t c = 0; c < RUNS_COLUMNS; c++)
		columns[c] = runs_columns[c].shown;
	terminal_init(&t, o->color);
	const struct terminal_table v = { columns, RUNS_COLUMNS,
		runs_all_cells(a, items, true), n };
	if (n)
		terminal_table_print(&t, &v);
	else
		puts("no runs");
	if (more)
		printf("%solder runs are not listed (--limit)%s\n",
			terminal_on(&t, TERMINAL_FAINT), terminal_off(&t));
}

static void runs_print(const struct options *o, json_t *items, bool more)
{
	struct arena a = { 0 };

	if (!strcmp(o->format, "json"))
		json_dumpf(items, stdout, JSON_INDENT(1));
	else if (!strcmp(o->format, "csv"))
		runs_print_csv(&a, items);
	else if (!strcmp(o->format, "md"))
		runs_print_md(o, &a, items);
	else
		runs_print_text(o, &a, items, more);
	if (!strcmp(o->format, "json"))
		putchar('\n');
	arena_release(&a);
}

/* --- pages ------------------------------------------------------------- */

/* Reads the page after *next, which is "" for the first, and updates *next. */
static bool runs_read_page(struct fetch *f, json_t *items, int left,
	struct arena *a, const char **next, struct err *e)
{
	struct buf url;

	buf_init(&url, ADDRESS_MAX);
	address_runs(&url, f->o, left < RUNS_PAGE ? left : RUNS_PAGE, *next);
	json_t *v = fetch_json(f, url.at, "items", e);
	buf_release(&url);
	if (!v)
		return false;
	json_array_extend(items, json_object_get(v, "items"));
	*next = json_get_text(a, v, "next");
	json_decref(v);
	return true;
}

static bool runs_run(struct fetch *f, struct err *e)
{
	struct arena a = { 0 };
	json_t *items = json_array();
	const char *next = "";
	int left = f->o->limit;
	bool ok = true;

	do {
		ok = runs_read_page(f, items, left, &a, &next, e);
		left = f->o->limit - (int)json_array_size(items);
	} while (ok && *next && left > 0);
	if (ok)
		runs_print(f->o, items, *next);
	json_decref(items);
	arena_release(&a);
	return ok;
}

int cmd_runs(const struct options *o)
{
	return fetch_run(o, "runs", runs_run);
}
