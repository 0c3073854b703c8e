/* facts.c - sorts the facts of a process by name and keeps the first of each
 * name. */
#include "facts.h"
#include <stdlib.h>
#include <string.h>

static bool facts_known(const struct facts *f, const char *name)
{
	for (uint32_t i = 0; i < f->n; i++)
		if (!strcmp(f->rows[i].name, name))
			return true;
	return false;
}

static int facts_by_name(const void *a, const void *b)
{
	return strcmp(((const struct fact *)a)->name,
		((const struct fact *)b)->name);
}

bool facts_from(const struct trace *t, const struct process *proc,
	struct profile *p)
{
	const struct fact_rows *r = &t->fact;
	struct facts *f = &p->facts;
	uint32_t n = proc->fact.to - proc->fact.from;
	n = n < FACTS_MOST ? n : FACTS_MOST;
	if (n == 0)
		return true;
	f->rows = arena_grow(p->arena, NULL, n * sizeof *f->rows);
	if (!f->rows)
		return false;
	for (uint32_t i = proc->fact.from; i < proc->fact.to && f->n < n; i++) {
		const char *name = names_text(&t->names, r->name[i]);
		if (!facts_known(f, name))
			f->rows[f->n++] = (struct fact){ name,
				names_text(&t->names, r->value[i]) };
	}
	qsort(f->rows, f->n, sizeof *f->rows, facts_by_name);
	return true;
}
