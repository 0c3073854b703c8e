/* kernels.c - lists the kernels, copies and notes of a run. */
#include "distinct_name.h"
#include "kernel_profiles.h"
#include "listing.h"
#include "view.h"
#include <string.h>

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

/* The distinct names of the rows, which are the same on every page and in every split. */
static const char **kernels_distinct(struct call *c,
	const struct kernel_line *rows, uint32_t n, struct err *e)
{
	const char **shared, **names;
	uint32_t shared_n;
	if (!query_shared_names(c->s.db, &c->s.arena, c->id, &shared, &shared_n,
		    e))
		return NULL;
	names = arena_array(&c->s.arena, const char *,
		(size_t)n + shared_n + 1);
	for (uint32_t i = 0; i < n; i++)
		names[i] = rows[i].is.name;
	memcpy(names + n, shared, shared_n * sizeof *names);
	return distinct_names(&c->s.arena, names, n + shared_n);
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
	const char **distinct = kernels_distinct(c, rows, n, e);
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
