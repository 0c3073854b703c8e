/* kernels.c - lists the kernels, copies and notes of a run. */
#include "kernel_profiles.h"
#include "listing.h"
#include "view.h"

/* The order of PARAM(…, "by", …) in routes.def. */
static const enum split splits[] = { SPLIT_NONE, SPLIT_DEVICE, SPLIT_GRID };

static void kernels_sort_of(const struct call *c, struct kernel_filter *f)
{
	/* routes.def lists all sort keys, then all keys again for the
	 * reversed order. */
	int sort = (int)param(&c->params, "sort")->whole;
	f->reverse = sort > KERNEL_NAME;
	f->sort = (enum kernel_sort)(sort % (KERNEL_NAME + 1));
}

json_t *kernels_get(struct call *c, struct err *e)
{
	struct kernel_filter f = {
		.run = c->id,
		.split = splits[param(&c->params, "by")->whole],
		.q = param_text(&c->params, "q", NULL),
	};
	struct kernel_line *rows;
	struct kernel_profile_line *profiles;
	struct view_profiles profiled = { 0 };
	struct run_row run;
	uint32_t n;
	bool more;
	kernels_sort_of(c, &f);
	if (!listing_read(c, &f.offset, &f.limit, e) ||
		!listing_run(c, &run, e) ||
		!query_kernels(c->s.db, &c->s.arena, &f, &rows, &n, &more, e))
		return NULL;
	if (!listing_is_json(c))
		return listing_table(c,
			view_kernel_table(&c->s.arena, rows, n, f.split),
			"kernels");
	const char **names = arena_array(&c->s.arena, const char *, n);
	for (uint32_t i = 0; i < n; i++)
		names[i] = rows[i].is.name;
	const char **distinct = listing_distinct_names(c, c->id, names, n, e);
	if (!distinct || !kernel_profiles_list(c->s.db, &c->s.arena, c->id,
				 &profiles, &profiled.n, e))
		return NULL;
	profiled.rows = profiles;
	json_t *items = json_array();
	for (uint32_t i = 0; i < n; i++)
		view_append(items,
			view_kernel(&rows[i], distinct[i], &profiled));
	return listing_list(c, items, f.offset + n, more);
}

json_t *copies_get(struct call *c, struct err *e)
{
	enum split split = splits[param(&c->params, "by")->whole];
	struct copy_stat *rows;
	struct run_row run;
	uint32_t n;
	if (!listing_run(c, &run, e) ||
		!query_copies(c->s.db, &c->s.arena, c->id, split, &rows, &n, e))
		return NULL;
	if (!listing_is_json(c))
		return listing_table(c,
			view_copy_table(&c->s.arena, rows, n, split), "copies");
	json_t *items = json_array();
	for (uint32_t i = 0; i < n; i++)
		view_append(items, view_copy(&rows[i]));
	return view_list(items, NULL);
}

json_t *notes_get(struct call *c, struct err *e)
{
	struct note_row *rows;
	struct run_row run;
	uint32_t n;
	if (!listing_run(c, &run, e) ||
		!query_notes(c->s.db, &c->s.arena, c->id, &rows, &n, e))
		return NULL;
	json_t *items = json_array();
	for (uint32_t i = 0; i < n; i++)
		view_append(items, view_note(&rows[i]));
	return view_list(items, NULL);
}
