/* breakdown_together.c - rows whose launches come together: which row each is
 * followed by within a call or a mined group, if nearly always by one. */
#include "breakdown_work.h"

/* By row: the row that may always follow it. The candidate is the one that a
 * majority, if there is any, follows; then it is counted. */
struct follower {
	uint32_t row, votes;
	uint32_t n; /* how often it did */
};

struct maker {
	struct breakdown_work *w;
	struct follower *of;
	uint32_t *by_call; /* its last item, and 1 */
	uint32_t *by_lane; /* likewise */
	bool counting; /* candidates are known */
};

/* Where a kernel stands in a group. */
static uint32_t place_in(const struct kernel_group *g, uint32_t kernel)
{
	uint32_t i = 0;

	while (i < g->kernels_n && g->kernels[i] != kernel)
		i++;
	return i;
}

static bool same_instance(const struct maker *m, uint32_t a, uint32_t b)
{
	const uint32_t *instance = m->w->l->instance;

	return instance[a] == instance[b];
}

/* Whether b goes on with what a is of a mined group. */
static bool goes_on(const struct maker *m, uint32_t a, uint32_t b)
{
	const struct layer_item *x = &m->w->s->items[a],
				*y = &m->w->s->items[b];

	if (x->kind != LAYER_KERNEL || y->kind != LAYER_KERNEL)
		return false;
	uint32_t group = m->w->group_of[x->row];
	if (group == UINT32_MAX || m->w->group_of[y->row] != group)
		return false;
	const struct kernel_group *g = &m->w->s->profile->groups.groups[group];
	uint32_t from = place_in(g, x->symbol), to = place_in(g, y->symbol);
	return from < to && to < g->kernels_n;
}

static void follow(struct maker *m, uint32_t a, uint32_t b)
{
	uint32_t row = breakdown_row_of(m->w, a),
		 next = breakdown_row_of(m->w, b);
	const struct breakdown_row *rows = m->w->out->rows;
	struct follower *f = &m->of[row];

	if (row == next || rows[row].block != rows[next].block)
		return;
	if (m->counting) {
		f->n += f->row == next;
		return;
	}
	if (!f->votes)
		f->row = next;
	f->votes += f->row == next ? 1 : UINT32_MAX;
}

static void visit(struct maker *m, uint32_t item)
{
	const struct layer_item *i = &m->w->s->items[item];
	uint32_t *lane = &m->by_lane[i->lane], *call = NULL;

	if (i->is && i->is->call != LAUNCH_NO_CALL)
		call = &m->by_call[i->is->call];
	if (call && *call && same_instance(m, *call - 1, item))
		follow(m, *call - 1, item);
	else if (*lane && same_instance(m, *lane - 1, item) &&
		 goes_on(m, *lane - 1, item))
		follow(m, *lane - 1, item);
	*lane = item + 1;
	if (call)
		*call = item + 1;
}

static void walk(struct maker *m, bool counting)
{
	const struct breakdown_work *w = m->w;

	m->counting = counting;
	for (uint32_t i = 0; i < w->s->lanes; i++)
		m->by_lane[i] = 0;
	for (uint32_t i = 0; i < w->at->calls; i++)
		m->by_call[i] = 0;
	for (uint32_t i = 0; i < w->order_n; i++)
		visit(m, w->order[i]);
}

/* Nine of ten of the launches of both. */
static bool always(const struct maker *m, uint32_t row)
{
	const struct breakdown_row *rows = m->w->out->rows;
	const struct follower *f = &m->of[row];

	return (int64_t)f->n * 10 >= rows[row].time.instances * 9 && f->n &&
	       (int64_t)f->n * 10 >= rows[f->row].time.instances * 9;
}

static uint32_t first_of(const uint32_t *up, uint32_t row)
{
	while (up[row] != row)
		row = up[row];
	return row;
}

/* Joins rows that follow each other under the first of them, then numbers those
 * that have others. */
static void number(struct maker *m, uint32_t *up)
{
	struct breakdown *out = m->w->out;
	uint32_t groups = 0;

	for (uint32_t r = 0; r < out->rows_n; r++)
		up[r] = r;
	for (uint32_t r = 0; r < out->rows_n; r++) {
		if (!always(m, r))
			continue;
		uint32_t a = first_of(up, r), b = first_of(up, m->of[r].row);
		up[a > b ? a : b] = a > b ? b : a;
	}
	for (uint32_t r = 0; r < out->rows_n; r++) {
		uint32_t first = first_of(up, r);
		up[r] = first;
		if (first == r)
			continue;
		if (out->rows[first].group == ROW_NO_GROUP)
			out->rows[first].group = groups++;
		out->rows[r].group = out->rows[first].group;
	}
}

bool breakdown_together(struct breakdown_work *w)
{
	struct arena *a = w->a;
	size_t rows = (size_t)w->out->rows_n + 1;
	struct maker m = { .w = w };

	m.of = arena_grow(a, NULL, rows * sizeof *m.of);
	m.by_call = arena_grow(a, NULL,
		((size_t)w->at->calls + 1) * sizeof *m.by_call);
	m.by_lane = arena_grow(a, NULL,
		((size_t)w->s->lanes + 1) * sizeof *m.by_lane);
	uint32_t *up = arena_grow(a, NULL, rows * sizeof *up);
	bool ok = m.of && m.by_call && m.by_lane && up;
	if (ok) {
		walk(&m, false);
		walk(&m, true);
		number(&m, up);
	}
	arena_drop(a, m.of);
	arena_drop(a, m.by_call);
	arena_drop(a, m.by_lane);
	arena_drop(a, up);
	return ok;
}
