/* matters_order.c - rows found, left out and sorted. */
#include "fleet_importance.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool holds(const char *text, const char *q)
{
	return text && strcasestr(text, q);
}

void matters_search(struct matters *m, const char *q)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < m->n; i++) {
		const struct matter *r = &m->rows[i];
		if (!q || holds(r->operator? r->operator: "unattributed", q) ||
			holds(r->what, q) || holds(r->group, q) ||
			holds(r->id, q))
			m->rows[n++] = *r;
	}
	m->n = n;
}

void matters_narrow(struct matters *m, enum dtype dtype, const char *phase)
{
	const char *type = dtype_word(dtype);
	uint32_t n = 0;
	for (uint32_t i = 0; i < m->n; i++) {
		const struct matter *r = &m->rows[i];
		if ((!type || (r->dtype && !strcmp(r->dtype, type))) &&
			(!phase || (r->phase && !strcmp(r->phase, phase))))
			m->rows[n++] = *r;
	}
	m->n = n;
}

static double figure(const struct matter *r, enum matters_sort by)
{
	switch (by) {
	case MATTERS_TIME:
		return r->total_s;
	case MATTERS_RUNS:
		return r->runs < 0 ? (double)NAN : (double)r->runs;
	case MATTERS_SHAPES:
		return r->shapes < 0 ? (double)NAN : (double)r->shapes;
	case MATTERS_AI:
		return r->ai;
	case MATTERS_S:
		return isnan(r->s) ? r->s_median : r->s;
	case MATTERS_HEADROOM:
		return r->headroom;
	case MATTERS_IMPORTANCE:
	case MATTERS_NAME:
		break;
	}
	return r->importance;
}

struct order {
	enum matters_sort by;
	bool reverse;
};

static int by_name(const struct matter *a, const struct matter *b)
{
	if (!a->operator|| !b->operator)
		return !a->operator- !b->operator;
	return strcmp(a->operator, b->operator);
}

static int compare(const void *x, const void *y, void *arg)
{
	const struct order *o = arg;
	const struct matter *a = x, *b = y;
	double s = figure(a, o->by), t = figure(b, o->by);
	if (o->by == MATTERS_NAME)
		return o->reverse && a->operator&& b->operator? -by_name(a, b)
							      : by_name(a, b);
	if (isnan(s) || isnan(t))
		return isnan(s) && isnan(t) ? by_name(a, b) : isnan(s) ? 1 : -1;
	if (s != t)
		return (s < t) == !o->reverse ? 1 : -1;
	return by_name(a, b);
}

void matters_sort(struct matters *m, enum matters_sort by, bool reverse)
{
	struct order o = { by, reverse };
	if (m->n)
		qsort_r(m->rows, m->n, sizeof *m->rows, compare, &o);
}
