/* spans.c - takes the earliest row of both, as long as it touches the last. */
#include "spans.h"

/* Whether the row it stands at is wanted. */
static bool spans_wanted(const struct span_rows *r)
{
	return !r->of || r->which[r->of[r->at - r->from]] == r->wanted;
}

static void spans_skip(struct span_rows *r)
{
	while (r->at < r->to && !spans_wanted(r))
		r->at++;
}

void spans_start(struct spans *s)
{
	for (int i = 0; i < 2; i++) {
		s->rows[i].at = s->rows[i].from;
		spans_skip(&s->rows[i]);
	}
	s->start_ns = s->end_ns = INT64_MIN;
}

/* The rows whose next begins first; NULL where both are through. */
static struct span_rows *spans_earliest(struct spans *s)
{
	struct span_rows *a = &s->rows[0], *b = &s->rows[1];
	if (a->at == a->to)
		return b->at == b->to ? NULL : b;
	if (b->at == b->to)
		return a;
	return b->start_ns[b->at] < a->start_ns[a->at] ? b : a;
}

bool spans_next(struct spans *s)
{
	struct span_rows *r = spans_earliest(s);
	if (!r) {
		s->start_ns = s->end_ns = INT64_MAX;
		return false;
	}
	s->start_ns = r->start_ns[r->at];
	s->end_ns = s->start_ns;
	for (; r && r->start_ns[r->at] <= s->end_ns; r = spans_earliest(s)) {
		int64_t end_ns = r->start_ns[r->at] + r->dur_ns[r->at];
		if (end_ns > s->end_ns)
			s->end_ns = end_ns;
		r->at++;
		spans_skip(r);
	}
	return true;
}
