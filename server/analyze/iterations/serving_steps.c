/* serving_steps.c - finds the steps that serving engines marked, and the step
 * that contains a moment. The catalog reads their labels. */
#include "serving_steps.h"
#include <string.h>

/* No engine nests steps so deeply. If a trace does, the outer steps are
 * ignored. */
enum { DEEPEST = 256 };

struct serving_steps_reader {
	bool *no_label; /* by name of the trace: it was read and is no label */
	struct serving_steps *out;
	uint32_t cap;
};

static bool serving_steps_add(struct serving_steps_reader *r,
	const struct range_rows *rows, uint32_t i,
	const struct step_label *label, struct arena *a)
{
	struct serving_steps *to = r->out;

	if (to->n == r->cap) {
		uint32_t cap = r->cap * 2 + 64;
		void *grown =
			arena_grow(a, to->list, (size_t)cap * sizeof *to->list);
		if (!grown)
			return false;
		to->list = grown;
		r->cap = cap;
	}
	int64_t end_ns = rows->start_ns[i] + rows->dur_ns[i];
	uint32_t around = to->n;
	while (around && to->list[around - 1].end_ns <= end_ns)
		around = to->list[around - 1].around;
	to->list[to->n++] = (struct serving_step){ rows->start_ns[i], end_ns,
		around, rows->thread[i], *label };
	return true;
}

/* Counts a label that cannot be used, and keeps the first one's name. */
static void serving_steps_count_odd(struct serving_steps *s, const char *name)
{
	if (!s->odd++)
		s->first_odd = name;
}

/* Reads a range's name. False if the arena is full. */
static bool serving_steps_read_row(struct serving_steps_reader *r,
	const struct catalog *c, const struct trace *t, uint32_t row,
	struct arena *a)
{
	uint32_t name = t->range.name[row];
	const char *text = names_text(&t->names, name);
	struct step_label label;
	enum step_label_found found =
		catalog_step_label(c, text, strlen(text), &label);

	r->no_label[name] = found == STEP_LABEL_NONE;
	if (found == STEP_LABEL_BROKEN ||
		(found == STEP_LABEL_READ && label.contradictory))
		serving_steps_count_odd(r->out, text);
	return found != STEP_LABEL_READ ||
	       serving_steps_add(r, &t->range, row, &label, a);
}

bool serving_steps_find(const struct catalog *c, const struct trace *t,
	const struct process *proc, struct arena *a, struct serving_steps *out)
{
	const struct range_rows *rows = &t->range;
	struct serving_steps_reader r = { .out = out };
	bool ok = true;

	*out = (struct serving_steps){ 0 };
	if (proc->range.from == proc->range.to)
		return true;
	r.no_label = arena_grow(a, NULL, t->names.n);
	if (!r.no_label)
		return false;
	for (uint32_t i = proc->range.from; ok && i < proc->range.to; i++)
		if (rows->kind[i] == RANGE_ANNOTATION &&
			!r.no_label[rows->name[i]])
			ok = serving_steps_read_row(&r, c, t, i, a);
	arena_drop(a, r.no_label);
	return ok;
}

/* How many steps begin at or before this moment. */
static uint32_t serving_steps_begun(const struct serving_steps *s,
	int64_t at_ns)
{
	uint32_t from = 0, to = s->n;

	while (from < to) {
		uint32_t middle = from + (to - from) / 2;
		if (s->list[middle].start_ns <= at_ns)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/* A step with a number of keys is better than an inner step without it. */
static bool serving_steps_is_better(const struct step_label *than,
	const struct step_label *s)
{
	return !than || (than->all.k < 0 && s->all.k >= 0);
}

const struct step_label *serving_steps_at(const struct serving_steps *s,
	uint32_t thread, int64_t at_ns)
{
	const struct step_label *here = NULL, *any = NULL;
	uint32_t i = serving_steps_begun(s, at_ns);

	for (int looked = 0; i && looked < DEEPEST; looked++) {
		const struct serving_step *at = &s->list[i - 1];
		/* The steps between this one and the one around it have ended,
		 * too. */
		i = at->end_ns <= at_ns ? at->around : i - 1;
		if (at->end_ns <= at_ns)
			continue;
		if (at->thread == thread &&
			serving_steps_is_better(here, &at->label))
			here = &at->label;
		if (here && here->all.k >= 0)
			break;
		if (serving_steps_is_better(any, &at->label))
			any = &at->label;
	}
	return here ? here : any;
}
