/* keep.c - a plan is carried out, and counted. */
#include "keep.h"
#include "db_conn.h"
#include "keep_drop.h"
#include <stdlib.h>
#include <string.h>

struct counting {
	struct arena *arena;
	struct keep_report *report;
	size_t room;
};

static void count(struct counting *c, const struct keep_item *i)
{
	struct keep_report *r = c->report;
	struct keep_sum *s = r->sums, *end = s + r->sums_n;
	while (s < end && (s->kind != i->kind || s->why != i->why ||
				  strcmp(s->project, i->project) != 0))
		s++;
	if (s == end) {
		if (r->sums_n == c->room) {
			c->room = 2 * c->room + 16;
			r->sums = arena_grow(c->arena, r->sums,
				c->room * sizeof *r->sums);
		}
		s = &r->sums[r->sums_n++];
		*s = (struct keep_sum){ i->project, i->kind, i->why, 0, 0 };
	}
	s->n++;
	s->bytes += i->bytes;
}

static int by_place(const void *x, const void *y)
{
	const struct keep_sum *a = x, *b = y;
	int order = strcmp(a->project, b->project);
	if (!order)
		order = (int)a->kind - (int)b->kind;
	return order ? order : (int)a->why - (int)b->why;
}

bool keep_vacuum(struct db *db, struct arena *a, const struct keep_ask *ask,
	bool dry, bool (*go_on)(void *ctx), void *ctx,
	struct keep_report *report, struct err *e)
{
	struct counting c = { a, report, 0 };
	struct keep_item *items;
	uint32_t n;
	*report = (struct keep_report){ 0 };
	if (!keep_plan(db, a, ask, &items, &n, e))
		return false;
	for (uint32_t i = 0; i < n && (!go_on || go_on(ctx)); i++) {
		struct err why = { 0 };
		bool gone = dry;
		if (!dry && !keep_drop(db, &items[i], &gone, &why))
			err_set(&report->why, why.code, "%s", why.text);
		if (gone)
			count(&c, &items[i]);
		else
			report->left++;
		/* Not on another connection: this one may be one that can be
		 * cut, or have the turn. */
		if (why.code && !conn_alive(db))
			return err_set(e, why.code, "%s", why.text);
	}
	if (report->sums_n)
		qsort(report->sums, report->sums_n, sizeof *report->sums,
			by_place);
	return true;
}
