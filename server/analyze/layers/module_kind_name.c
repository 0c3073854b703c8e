/* module_kind_name.c - names compared with each other, stacks from the inside
 * out. */
#include "module_kind_name.h"
#include <string.h>

enum { CLIMB_MOST = 8, NAMED_MOST = 64 };

static bool named_alike(const struct module_kind *a,
	const struct module_kind *b)
{
	return a != b && a->name && b->name && !strcmp(a->name, b->name);
}

static uint32_t climb(const struct module_marks *m, uint32_t mark, int steps)
{
	while (steps-- > 0)
		mark = m->marks[mark].parent;
	return mark;
}

/* Whether no stack of a kind of the same name has such a module so far out. */
static bool alone(const struct module_marks *m, const struct module_kinds *k,
	const struct module_kind *a, int steps, bool numbers)
{
	const struct module_mark *x = &m->marks[climb(m, a->stack, steps)];

	for (uint32_t i = 0; i < k->n; i++) {
		const struct module_kind *b = &k->kinds[i];
		if (!named_alike(a, b) || b->stack == a->stack)
			continue;
		const struct module_mark *y =
			&m->marks[climb(m, b->stack, steps)];
		if (x->word == y->word && (!numbers || x->number == y->number))
			return false;
	}
	return true;
}

static const char *around(const struct layer_seq *s,
	const struct module_marks *m, const struct module_kinds *k,
	const struct module_kind *a)
{
	for (int steps = 0; steps < 2 * CLIMB_MOST; steps++) {
		bool numbers = steps >= CLIMB_MOST;
		uint32_t at = climb(m, a->stack, steps % CLIMB_MOST);
		if (!at || !alone(m, k, a, steps % CLIMB_MOST, numbers))
			continue;
		const struct module_mark *x = &m->marks[at];
		const char *word = module_mark_word(m, at);
		return numbers && x->number >= 0
			       ? arena_printf(s->arena, "%s[%lld]", word,
					 (long long)x->number)
			       : word;
	}
	return NULL;
}

static const char *name(const struct layer_seq *s, const struct module_marks *m,
	const struct module_kinds *k, const struct module_kind *a)
{
	const char *name = a->name, *where = NULL;
	bool within = false, elsewhere = false;

	for (uint32_t i = 0; i < k->n; i++) {
		const struct module_kind *b = &k->kinds[i];
		within |= named_alike(a, b) && b->stack == a->stack;
		elsewhere |= named_alike(a, b) && b->stack != a->stack;
	}
	if (elsewhere)
		where = around(s, m, k, a);
	if (where)
		name = arena_printf(s->arena, "%s %s", where, name);
	if (within && a->differs && name)
		name = arena_printf(s->arena, "%s (%s)", name, a->differs);
	return name;
}

bool module_kind_names(const struct layer_seq *s, const struct module_marks *m,
	struct module_kinds *k)
{
	const char *names[NAMED_MOST];

	if (k->n > NAMED_MOST)
		return true;
	for (uint32_t i = 0; i < k->n; i++)
		names[i] = name(s, m, k, &k->kinds[i]);
	for (uint32_t i = 0; i < k->n; i++)
		k->kinds[i].name = names[i];
	return !s->arena->full;
}
