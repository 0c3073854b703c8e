/* module_visit.c - launches in the order of their host, cut where the layer or
 * its range changes. */
#include "module_visit.h"
#include "module_open.h"
#include <stdlib.h>

static int by_host(const void *left, const void *right)
{
	const struct module_open *a = left, *b = right;
	const int64_t x[] = { a->pass, a->thread, a->at_ns, a->mark, a->item };
	const int64_t y[] = { b->pass, b->thread, b->at_ns, b->mark, b->item };

	for (size_t i = 0; i < sizeof x / sizeof *x; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

static int by_start(const void *left, const void *right)
{
	const struct module_visit *a = left, *b = right;
	const int64_t x[] = { a->pass, a->first_ns, a->mark, a->last_ns };
	const int64_t y[] = { b->pass, b->first_ns, b->mark, b->last_ns };

	for (size_t i = 0; i < sizeof x / sizeof *x; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

static uint32_t collect(const struct layer_seq *s, const struct module_marks *m,
	const struct module_stacks *l, struct module_open *open)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->n; i++) {
		const struct layer_item *it = &s->items[i];
		uint32_t layer = l->layer_of[m->of_frame[it->frame]];
		if (!layer || it->pass == LAYER_NONE)
			continue;
		bool host = it->host_ns >= 0 && it->thread;
		open[n++] = (struct module_open){
			.at_ns = host ? it->host_ns : it->start_ns,
			.thread = host ? it->thread : 0,
			.pass = it->pass,
			.mark = layer,
			.item = i,
			.row = LAYER_NONE,
		};
	}
	return n;
}

/* Visits in the order of hosts, then by start; items follow. */
static bool cut(const struct layer_seq *s, const struct module_open *open,
	uint32_t n, struct arena *scratch, struct module_visits *out)
{
	uint32_t *to = arena_grow(scratch, NULL, ((size_t)n + 1) * sizeof *to);
	struct numbered {
		struct module_visit visit;
		uint32_t was;
	} * order;

	if (!to)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		const struct module_open *o = &open[i], *before = o - 1;
		bool same = i && o->pass == before->pass &&
			    o->thread == before->thread &&
			    o->mark == before->mark && o->row == before->row;
		out->n += !same;
		to[i] = out->n - 1;
	}
	out->visits =
		arena_array(s->arena, struct module_visit, (size_t)out->n + 1);
	order = arena_grow(scratch, NULL, ((size_t)out->n + 1) * sizeof *order);
	uint32_t *now =
		arena_grow(scratch, NULL, ((size_t)out->n + 1) * sizeof *now);
	if (!out->visits || !order || !now)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		int64_t at_ns = s->items[open[i].item].start_ns;
		struct module_visit *v = &order[to[i]].visit;
		if (!i || to[i] != to[i - 1])
			*v = (struct module_visit){ open[i].mark, open[i].pass,
				at_ns, at_ns };
		order[to[i]].was = to[i];
		v->first_ns = at_ns < v->first_ns ? at_ns : v->first_ns;
		v->last_ns = at_ns > v->last_ns ? at_ns : v->last_ns;
	}
	qsort(order, out->n, sizeof *order, by_start);
	for (uint32_t i = 0; i < out->n; i++) {
		out->visits[i] = order[i].visit;
		now[order[i].was] = i;
	}
	for (uint32_t i = 0; i < n; i++)
		out->of[open[i].item] = now[to[i]];
	return true;
}

bool module_visits_from(const struct layer_seq *s, const struct module_marks *m,
	const struct module_stacks *l, struct module_visits *out)
{
	struct arena scratch = arena_scratch(s->arena);
	struct module_open *open =
		arena_grow(&scratch, NULL, ((size_t)s->n + 1) * sizeof *open);

	*out = (struct module_visits){ .of = arena_array(s->arena, uint32_t,
					       (size_t)s->n + 1) };
	bool ok = open && out->of;
	for (uint32_t i = 0; ok && i < s->n; i++)
		out->of[i] = LAYER_NONE;
	uint32_t n = ok ? collect(s, m, l, open) : 0;
	ok = ok && module_open_find(s, m, l, open, n, &scratch);
	if (ok) {
		qsort(open, n, sizeof *open, by_host);
		ok = cut(s, open, n, &scratch, out);
	}
	arena_scratch_release(&scratch, s->arena);
	return ok;
}
