/* cycle_groups.c - grouped, dealt out, thinned and weighed. */
#include "cycle_groups.h"
#include "cycle_name.h"
#include <string.h>

/* What ranges are grouped by; hashed as bytes, so it has no gaps. */
struct key {
	uint32_t name, thread, gpu;
};

static int64_t end_of(const struct range_rows *r, uint32_t row)
{
	return r->start_ns[row] + r->dur_ns[row];
}

/* A range's name without numbers, as an id in s->names + 1; 0 where full. */
static uint32_t name_of(struct cycle_groups *s, uint32_t text)
{
	const struct name *n = &s->g->t->names.list[text];
	size_t len;

	if (s->name_of[text])
		return s->name_of[text];
	const char *name = cycle_name(&s->scratch, n->text, n->len, &len);
	uint32_t id = name ? names_put(&s->names, name, len) : NAMES_NONE;
	s->name_of[text] = id + 1;
	return id + 1;
}

/* Which group each range is of. */
static bool assign(struct cycle_groups *s)
{
	const struct range_rows *r = &s->g->t->range;
	struct slice rows = s->g->proc->range;

	for (uint32_t i = rows.from; i < rows.to; i++) {
		enum range_kind kind = r->kind[i];
		bool gpu = kind == RANGE_GPU_ANNOTATION;
		bool loose = kind == RANGE_LOOSE;
		if ((!gpu && !loose && kind != RANGE_ANNOTATION) ||
			!r->dur_ns[i])
			continue;
		uint32_t name = name_of(s, r->name[i]);
		struct key k = { name - 1, loose ? 0 : r->thread[i], gpu };
		uint32_t id =
			name ? names_put(&s->keys, (const char *)&k, sizeof k)
			     : NAMES_NONE;
		if (id == NAMES_NONE)
			return false;
		s->group_of[i - rows.from] = id;
	}
	return true;
}

/* Rows group by group, in order within each. */
static bool deal(struct cycle_groups *s)
{
	struct slice rows = s->g->proc->range;
	uint32_t at = 0, n = rows.to - rows.from;
	struct key k;

	s->n = s->keys.n - 1;
	s->groups = arena_grow(&s->scratch, NULL,
		((size_t)s->n + 1) * sizeof *s->groups);
	s->rows = arena_grow(&s->scratch, NULL,
		((size_t)n + 1) * sizeof *s->rows);
	if (!s->groups || !s->rows)
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (s->group_of[i])
			s->groups[s->group_of[i] - 1].n++;
	for (uint32_t i = 0; i < s->n; i++) {
		struct cycle_group *w = &s->groups[i];
		memcpy(&k, names_text(&s->keys, i + 1), sizeof k);
		uint32_t own = w->n;
		*w = (struct cycle_group){ .name = k.name,
			.thread = k.thread,
			.gpu = k.gpu,
			.from = at };
		at += own;
	}
	for (uint32_t i = 0; i < n; i++) {
		if (!s->group_of[i])
			continue;
		struct cycle_group *w = &s->groups[s->group_of[i] - 1];
		s->rows[w->from + w->n++] = rows.from + i;
	}
	return true;
}

/* Leaves those that lie in no other of the group. */
static void thin(struct cycle_groups *s, struct cycle_group *w)
{
	const struct range_rows *r = &s->g->t->range;
	uint32_t *rows = s->rows + w->from, kept = 0;

	for (uint32_t i = 0; i < w->n; i++) {
		uint32_t row = rows[i], last = kept ? rows[kept - 1] : 0;
		if (kept && end_of(r, row) <= end_of(r, last))
			continue;
		if (kept && r->start_ns[row] == r->start_ns[last])
			kept--;
		else
			w->crossing +=
				kept && r->start_ns[row] < end_of(r, last);
		rows[kept++] = row;
	}
	w->n = kept;
}

int64_t cycle_groups_end(const struct range_rows *r, const uint32_t *row,
	uint32_t n, uint32_t i)
{
	int64_t end = end_of(r, row[i]);

	return i + 1 < n && r->start_ns[row[i + 1]] < end
		       ? r->start_ns[row[i + 1]]
		       : end;
}

static void weigh(struct cycle_groups *s, struct cycle_group *w)
{
	const struct range_rows *r = &s->g->t->range;
	const struct cycle_clock *clock = w->gpu ? &s->g->run : &s->g->called;
	const uint32_t *rows = s->rows + w->from;

	for (uint32_t i = 0; i < w->n; i++) {
		int64_t from = r->start_ns[rows[i]];
		int64_t to = cycle_groups_end(r, rows, w->n, i);
		w->dur_ns += to - from;
		w->held_ns += cycle_clock_ns(clock, from, to);
	}
}

static bool make(struct cycle_groups *s)
{
	struct slice rows = s->g->proc->range;
	struct arena *a = &s->scratch;

	s->name_of = arena_grow(a, NULL,
		(size_t)s->g->t->names.n * sizeof *s->name_of);
	s->group_of = arena_grow(a, NULL,
		((size_t)(rows.to - rows.from) + 1) * sizeof *s->group_of);
	return s->name_of && s->group_of && names_init(&s->names, a) &&
	       names_init(&s->keys, a) && assign(s) && deal(s);
}

bool cycle_groups_init(struct cycle_groups *s, const struct cycle_gpu *g,
	struct arena *a)
{
	*s = (struct cycle_groups){ .g = g,
		.arena = a,
		.scratch = arena_scratch(a) };
	if (!make(s))
		return false;
	for (uint32_t i = 0; i < s->n; i++) {
		thin(s, &s->groups[i]);
		weigh(s, &s->groups[i]);
	}
	return true;
}

void cycle_groups_release(struct cycle_groups *s)
{
	arena_scratch_release(&s->scratch, s->arena);
}

const char *cycle_groups_name(const struct cycle_groups *s,
	const struct cycle_group *w)
{
	return names_text(&s->names, w->name);
}
