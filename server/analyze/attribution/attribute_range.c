/* attribute_range.c - ranges opened in order, each thread with a stack of those
 * that tell something; then every launch asks what was open at its call. */
#include "attribute_range.h"
#include "attribute_op.h"
#include "correlation.h"
#include "range_operator.h"
#include <string.h>

struct ranges {
	struct attribution *x;
	struct range_reader reader;
	const struct range_rows *rows;
	uint32_t *top; /* by thread; row + 1 */
	uint32_t *below; /* by row of the slice; row + 1 of what it lies in */
	uint32_t *open; /* by call: row + 1 of what was open */
	uint32_t *call; /* by row of the slice: number + 1 of its call */
	bool any;
};

static int64_t end_of(const struct ranges *s, uint32_t row)
{
	return s->rows->start_ns[row] + s->rows->dur_ns[row];
}

static void close(struct ranges *s, uint32_t thread, int64_t at_ns)
{
	uint32_t *top = &s->top[thread];

	while (*top && end_of(s, *top - 1) <= at_ns)
		*top = s->below[*top - 1 - s->x->proc->range.from];
}

static bool open(struct ranges *s, uint32_t row)
{
	uint32_t thread = s->rows->thread[row];
	const struct range_told *told = range_told(&s->reader, row);

	if (!told || told->tells == RANGE_TELLS_NOTHING || !thread)
		return told;
	close(s, thread, s->rows->start_ns[row]);
	s->below[row - s->x->proc->range.from] = s->top[thread];
	s->top[thread] = row + 1;
	s->any = true;
	return true;
}

static bool sweep(struct ranges *s)
{
	const struct process *proc = s->x->proc;
	const struct call_rows *c = &s->x->trace->call;
	uint32_t row = proc->range.from;

	for (uint32_t i = proc->call.from; i < proc->call.to; i++) {
		while (row < proc->range.to &&
			s->rows->start_ns[row] <= c->start_ns[i])
			if (!open(s, row++))
				return false;
		close(s, c->thread[i], c->start_ns[i]);
		s->open[i - proc->call.from] =
			c->thread[i] ? s->top[c->thread[i]] : 0;
	}
	return true;
}

/* Sizes of the same operator told by a range further out. */
static const struct shape *sizes_around(struct ranges *s, uint32_t row,
	const struct operator_info *is, int64_t at_ns)
{
	for (uint32_t at = s->below[row - s->x->proc->range.from]; at;
		at = s->below[at - 1 - s->x->proc->range.from]) {
		const struct range_told *told = range_told(&s->reader, at - 1);
		if (!told || told->operator!= is)
			return NULL;
		if (told->sizes && end_of(s, at - 1) > at_ns)
			return told->sizes;
	}
	return NULL;
}

/* What the innermost range that tells anything says; *row is it. */
static bool ask(struct ranges *s, uint32_t call,
	const struct operator_info *by_rule, struct range_told *out,
	uint32_t *row)
{
	int64_t at_ns = s->x->trace->call.start_ns[call];
	uint32_t at = s->open[call - s->x->proc->call.from];

	*out = (struct range_told){ 0 };
	while (at && end_of(s, at - 1) <= at_ns)
		at = s->below[at - 1 - s->x->proc->range.from];
	if (!at)
		return true;
	const struct range_told *told = range_told(&s->reader, *row = at - 1);
	if (!told)
		return false;
	if (told->tells == RANGE_TELLS_LAYER)
		return range_layer(&s->reader, s->rows->name[*row], by_rule,
			out);
	if (range_contradicted(told->operator, by_rule))
		return true;
	/* A module may do more than what it is called after. */
	if (told->tells == RANGE_TELLS_MODULE && by_rule && by_rule->specific &&
		strcmp(by_rule->group, told->operator->group) != 0)
		return true;
	*out = *told;
	if (!out->sizes && out->tells == RANGE_TELLS_OPERATOR)
		out->sizes = sizes_around(s, *row, out->operator, at_ns);
	return true;
}

/* `sized`: only what tells sizes as a host operator's range does. */
static bool take(struct ranges *s, uint32_t call,
	const struct operator_info *by_rule, bool sized, struct attributed *to)
{
	struct range_told is;
	uint32_t row = 0; /* told where `is` tells anything */

	if (to->operator|| call == CORRELATION_NONE)
		return true;
	if (!ask(s, call, by_rule, &is, &row))
		return false;
	if (!is.operator||(
		    sized && (is.tells != RANGE_TELLS_OPERATOR || !is.sizes)))
		return true;
	uint32_t *number = &s->call[row - s->x->proc->range.from];
	if (!*number)
		*number = ++s->x->calls;
	to->operator= is.operator;
	to->sizes = is.sizes;
	to->known = is.sizes ? KNOWN_SIZES : KNOWN_RANGE;
	to->call = *number - 1;
	return true;
}

static bool init(struct ranges *s, struct arena *a)
{
	const struct process *proc = s->x->proc;
	size_t ranges = (size_t)(proc->range.to - proc->range.from) + 1;
	size_t calls = (size_t)(proc->call.to - proc->call.from) + 1;

	s->top = arena_grow(a, NULL, s->x->trace->names.n * sizeof *s->top);
	s->below = arena_grow(a, NULL, ranges * sizeof *s->below);
	s->call = arena_grow(a, NULL, ranges * sizeof *s->call);
	s->open = arena_grow(a, NULL, calls * sizeof *s->open);
	return s->top && s->below && s->call && s->open &&
	       range_reader_init(&s->reader, s->x, a);
}

static bool launches(struct ranges *s, bool sized)
{
	struct attribution *x = s->x;
	const struct call_rows *c = &x->trace->call;

	for (uint32_t i = 0; i < x->proc->kernel.to - x->proc->kernel.from; i++)
		if (!attribute_replayed(x, i) &&
			!take(s, x->call_of[i], x->by_rule[x->kernel_of[i]],
				sized, &x->of[i]))
			return false;
	for (uint32_t i = 0; i < x->captured_n; i++) {
		uint32_t call = x->captured[i];
		const struct name *kernel =
			&x->trace->names.list[c->kernel[call]];
		if (!take(s, call,
			    catalog_kernel_operator(x->catalog, kernel->text,
				    kernel->len),
			    sized, &x->of_captured[i]))
			return false;
	}
	return true;
}

static bool attribute(struct attribution *x, bool sized)
{
	struct arena scratch = arena_scratch(x->arena);
	struct ranges s = { .x = x, .rows = &x->trace->range };
	bool ok = true;

	if (x->proc->range.from < x->proc->range.to) {
		ok = init(&s, &scratch);
		s.reader.noting = sized; /* once of the two times */
		ok = ok && sweep(&s) && (!s.any || launches(&s, sized));
	}
	arena_scratch_release(&scratch, x->arena);
	return ok;
}

bool attribute_ranges(struct attribution *x)
{
	return attribute(x, true);
}

bool attribute_modules(struct attribution *x)
{
	return attribute(x, false);
}
