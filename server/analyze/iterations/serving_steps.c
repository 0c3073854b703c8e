/* serving_steps.c - read once per name, looked up by bisection. */
#include "serving_steps.h"

/* No engine's steps lie so deep within one another; where a trace's do, those
 * further out are not looked at. */
enum { DEEPEST = 256 };

/* 1 a step, 2 not, by name; and of steps what they tell. */
struct reader {
	uint8_t *asked;
	struct serving_steps *out;
	uint32_t cap;
};

static bool add(struct reader *r, const struct range_rows *rows, uint32_t i,
	const struct serving *work, struct arena *a)
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
		around, rows->thread[i], *work };
	return true;
}

bool serving_steps_find(const struct trace *t, const struct process *proc,
	struct arena *a, struct serving_steps *out)
{
	const struct range_rows *rows = &t->range;
	struct reader r = { .out = out };
	struct serving work;
	bool ok = true;

	*out = (struct serving_steps){ 0 };
	if (proc->range.from == proc->range.to)
		return true;
	r.asked = arena_grow(a, NULL, t->names.n);
	if (!r.asked)
		return false;
	for (uint32_t i = proc->range.from; ok && i < proc->range.to; i++) {
		uint32_t name = rows->name[i];
		if (rows->kind[i] != RANGE_ANNOTATION || r.asked[name] == 2)
			continue;
		bool is = serving_read(names_text(&t->names, name), &work);
		r.asked[name] = is ? 1 : 2;
		ok = !is || add(&r, rows, i, &work, a);
	}
	arena_drop(a, r.asked);
	return ok;
}

/* How many begin by then. */
static uint32_t begun(const struct serving_steps *s, int64_t at_ns)
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

/* One that tells keys tells more than the one within it that does not. */
static bool better(const struct serving *than, const struct serving *s)
{
	return !than || (than->kv_tokens < 0 && s->kv_tokens >= 0);
}

const struct serving *serving_steps_at(const struct serving_steps *s,
	uint32_t thread, int64_t at_ns)
{
	const struct serving *here = NULL, *any = NULL;
	uint32_t i = begun(s, at_ns);

	for (int looked = 0; i && looked < DEEPEST; looked++) {
		const struct serving_step *at = &s->list[i - 1];
		/* Those between it and the one around it are over too. */
		i = at->end_ns <= at_ns ? at->around : i - 1;
		if (at->end_ns <= at_ns)
			continue;
		if (at->thread == thread && better(here, &at->work))
			here = &at->work;
		if (here && here->kv_tokens >= 0)
			break;
		if (better(any, &at->work))
			any = &at->work;
	}
	return here ? here : any;
}
