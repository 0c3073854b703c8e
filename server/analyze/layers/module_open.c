/* module_open.c - layers' ranges opened in order, each thread with a stack. */
#include "module_open.h"
#include "frame_name.h"
#include <stdlib.h>
#include <string.h>

enum { CLIMB_MOST = 512 };

/* What a layer's range is called: hashed as bytes, so it has no gaps. */
struct label {
	int64_t number;
	uint32_t word, class_name;
};

struct opener {
	const struct layer_seq *s;
	const struct module_marks *m;
	struct names labels; /* struct label of layers */
	uint32_t *label_of; /* by name of the trace: id + 1; 1: no layer's */
	uint32_t *top; /* by thread; row + 1 */
	uint32_t *below; /* by row of the slice; row + 1 */
	struct arena *arena;
};

static int by_moment(const void *left, const void *right)
{
	const struct module_open *a = left, *b = right;

	if (a->at_ns != b->at_ns)
		return a->at_ns < b->at_ns ? -1 : 1;
	return a->item < b->item ? -1 : a->item > b->item;
}

/* Id of a mark's label, 0 where no layer is called so. */
static uint32_t find(const struct opener *o, uint32_t word, bool class_name,
	int64_t number)
{
	struct label l = { number, word, class_name };
	uint32_t id = names_find(&o->labels, (const char *)&l, sizeof l);
	return id == NAMES_NONE ? 0 : id;
}

static bool put_layers(struct opener *o, const struct module_stacks *l)
{
	for (uint32_t i = 1; i < o->m->n; i++) {
		const struct module_mark *x = &o->m->marks[i];
		struct label k = { x->number, x->word, x->class_name };
		if (l->layer_of[i] == i &&
			names_put(&o->labels, (const char *)&k, sizeof k) ==
				NAMES_NONE)
			return false;
	}
	return true;
}

/* The label of a range's name by its last part. */
static bool label(struct opener *o, uint32_t row, uint32_t *id)
{
	const struct range_rows *r = &o->s->trace->range;
	uint32_t name = r->name[row];
	const struct name *raw = &o->s->trace->names.list[name];
	enum frame_kind kind =
		r->kind[row] == RANGE_MODULE ? FRAME_MODULE : FRAME_ANNOTATION;
	struct module_name parts;
	const char *text;
	size_t len;

	if (!o->label_of[name]) {
		if (!frame_name_from(o->arena, &kind, raw->text, raw->len,
			    &text, &len))
			return false;
		char *own = arena_grow(o->arena, NULL, len + 1);
		if (!own)
			return false;
		memcpy(own, text, len);
		module_name_read(own, kind == FRAME_MODULE, &parts);
		o->label_of[name] = 1;
		if (parts.n) {
			const struct module_name_part *p =
				&parts.parts[parts.n - 1];
			uint32_t word =
				names_find(&o->m->words, p->text, p->len);
			uint32_t found =
				word == NAMES_NONE
					? 0
					: find(o, word, parts.class_name,
						  p->number);
			if (!found && word != NAMES_NONE)
				found = find(o, word, parts.class_name, -1);
			o->label_of[name] = found + 1;
		}
		arena_drop(o->arena, own);
	}
	*id = o->label_of[name] - 1;
	return true;
}

static int64_t end_of(const struct opener *o, uint32_t row)
{
	const struct range_rows *r = &o->s->trace->range;
	return r->start_ns[row] + r->dur_ns[row];
}

static void close(struct opener *o, uint32_t thread, int64_t at_ns)
{
	uint32_t *top = &o->top[thread];

	while (*top && end_of(o, *top - 1) <= at_ns)
		*top = o->below[*top - 1 - o->s->proc->range.from];
}

static bool open_row(struct opener *o, uint32_t row)
{
	const struct range_rows *r = &o->s->trace->range;
	uint32_t thread = r->thread[row], id;

	if (!thread || (r->kind[row] != RANGE_MODULE &&
			       r->kind[row] != RANGE_ANNOTATION))
		return true;
	if (!label(o, row, &id))
		return false;
	if (!id)
		return true;
	close(o, thread, r->start_ns[row]);
	o->below[row - o->s->proc->range.from] = o->top[thread];
	o->top[thread] = row + 1;
	return true;
}

/* The outermost open range that is called as the layer is. */
static uint32_t row_of(struct opener *o, const struct module_open *at)
{
	const struct module_mark *x = &o->m->marks[at->mark];
	const struct range_rows *r = &o->s->trace->range;
	uint32_t label = find(o, x->word, x->class_name, x->number);
	uint32_t found = LAYER_NONE, up = o->top[at->thread];

	for (int i = 0; up && i < CLIMB_MOST; i++) {
		uint32_t row = up - 1;
		if (o->label_of[r->name[row]] == label + 1 &&
			end_of(o, row) > at->at_ns)
			found = row;
		up = o->below[row - o->s->proc->range.from];
	}
	return found;
}

static bool init(struct opener *o)
{
	const struct slice *of = &o->s->proc->range;
	size_t names = o->s->trace->names.n;
	size_t rows = (size_t)(of->to - of->from) + 1;

	o->label_of = arena_grow(o->arena, NULL, names * sizeof *o->label_of);
	o->top = arena_grow(o->arena, NULL, names * sizeof *o->top);
	o->below = arena_grow(o->arena, NULL, rows * sizeof *o->below);
	return o->label_of && o->top && o->below &&
	       names_init(&o->labels, o->arena);
}

bool module_open_find(const struct layer_seq *s, const struct module_marks *m,
	const struct module_stacks *l, struct module_open *open, uint32_t n,
	struct arena *scratch)
{
	struct opener o = { .s = s, .m = m, .arena = scratch };
	uint32_t row = s->proc->range.from;

	qsort(open, n, sizeof *open, by_moment);
	if (!init(&o) || !put_layers(&o, l))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		if (!open[i].thread)
			continue;
		while (row < s->proc->range.to &&
			s->trace->range.start_ns[row] <= open[i].at_ns)
			if (!open_row(&o, row++))
				return false;
		close(&o, open[i].thread, open[i].at_ns);
		open[i].row = row_of(&o, &open[i]);
	}
	return true;
}
