/* api_kernels.c - a run's tables: kernels and copies. */
#include "cursor.h"
#include "view.h"
#include <string.h>

/* The order of PARAM(…, "by", …) in routes.def. */
static const enum split splits[] = { SPLIT_NONE, SPLIT_DEVICE, SPLIT_GRID };

/* csv and md name the file a browser would save. */
static void table_answer(struct call *c, const struct table *t,
	const char *what)
{
	static const char *const kinds[] = { "json", "csv", "md" };
	c->table = t;
	c->format = (enum table_format)param(&c->params, "format")->whole;
	snprintf(c->disposition, sizeof c->disposition,
		"inline; filename=\"run-%lld-%s.%s\"", (long long)c->id, what,
		kinds[c->format]);
}

static void sort_of(const struct call *c, struct kernel_filter *f)
{
	/* The list in routes.def: every sort, then every sort reversed. */
	int sort = (int)param(&c->params, "sort")->whole;
	f->reverse = sort > KERNEL_NAME;
	f->sort = (enum kernel_sort)(sort % (KERNEL_NAME + 1));
}

static bool paging(struct call *c, struct kernel_filter *f, struct err *e)
{
	int64_t unused;
	bool json = param(&c->params, "format")->whole == TABLE_JSON;
	if (!json && (param(&c->params, "limit")->given ||
			     param(&c->params, "cursor")->given))
		return err_set(e, ERR_INPUT,
			"csv and md are never paged: leave limit and cursor "
			"out");
	f->limit = json ? (int)param(&c->params, "limit")->whole : 0;
	return cursor_read(c, &f->offset, &unused, e);
}

/* A run without kernels has an empty table; an unknown run is an error. */
static bool run_known(struct call *c, struct err *e)
{
	struct run_row run;
	return call_db(c, e) && query_run(c->db, &c->arena, c->id, &run, e);
}

json_t *kernels_get(struct call *c, struct err *e)
{
	struct kernel_filter f = {
		.run = c->id,
		.split = splits[param(&c->params, "by")->whole],
		.q = param_text(&c->params, "q", NULL),
	};
	struct kernel_row *rows;
	char next[CURSOR_TEXT];
	uint32_t n;
	bool more;
	sort_of(c, &f);
	if (!paging(c, &f, e) || !run_known(c, e) ||
		!query_kernels(c->db, &c->arena, &f, &rows, &n, &more, e))
		return NULL;
	if (!f.limit) {
		table_answer(c, view_kernel_table(&c->arena, rows, n, f.split),
			"kernels");
		return NULL;
	}
	json_t *items = json_array();
	for (uint32_t i = 0; i < n; i++)
		json_array_append_new(items, view_kernel(&rows[i]));
	if (more)
		cursor_write(c, f.offset + n, 0, next);
	return view_list(items, more ? next : NULL);
}

json_t *copies_get(struct call *c, struct err *e)
{
	enum split split = splits[param(&c->params, "by")->whole];
	struct copy_stat *rows;
	uint32_t n;
	if (!run_known(c, e) ||
		!query_copies(c->db, &c->arena, c->id, split, &rows, &n, e))
		return NULL;
	if (param(&c->params, "format")->whole != TABLE_JSON) {
		table_answer(c, view_copy_table(&c->arena, rows, n, split),
			"copies");
		return NULL;
	}
	json_t *items = json_array();
	for (uint32_t i = 0; i < n; i++)
		json_array_append_new(items, view_copy(&rows[i]));
	return view_list(items, NULL);
}

json_t *notes_get(struct call *c, struct err *e)
{
	struct note_row *rows;
	uint32_t n;
	if (!run_known(c, e) ||
		!query_notes(c->db, &c->arena, c->id, &rows, &n, e))
		return NULL;
	json_t *items = json_array();
	for (uint32_t i = 0; i < n; i++)
		json_array_append_new(items, view_note(&rows[i]));
	return view_list(items, NULL);
}
