/* launches.c - graph replays and launch latencies. */
#include "listing.h"
#include "view.h"

json_t *graphs_get(struct call *c, struct err *e)
{
	struct graph_stat *rows;
	struct run_row run;
	uint32_t n;
	if (!listing_run(c, &run, e) ||
		!query_graphs(c->s.db, &c->s.arena, c->id, &rows, &n, e))
		return NULL;
	json_t *items = json_array();
	for (uint32_t i = 0; i < n; i++)
		view_append(items, view_graph(&rows[i]));
	return view_list(items, NULL);
}

json_t *launches_get(struct call *c, struct err *e)
{
	struct launch_filter f = {
		.run = c->id,
		.q = param_text(&c->params, "q", NULL),
	};
	struct launch_line *rows;
	struct run_row run;
	uint32_t n;
	bool more;
	if (!listing_read(c, &f.offset, &f.limit, e) ||
		!listing_run(c, &run, e) ||
		!query_launches(c->s.db, &c->s.arena, &f, &rows, &n, &more, e))
		return NULL;
	if (!listing_is_json(c))
		return listing_table(c,
			view_launch_table(&c->s.arena, run.pid, rows, n),
			"launches");
	const char **names = arena_array(&c->s.arena, const char *, n);
	for (uint32_t i = 0; i < n; i++)
		names[i] = rows[i].name;
	const char **distinct = listing_distinct_names(c, c->id, names, n, e);
	if (!distinct)
		return NULL;
	json_t *items = json_array();
	for (uint32_t i = 0; i < n; i++)
		view_append(items, view_launch(&rows[i], distinct[i]));
	return listing_list(c, items, f.offset + n, more);
}
