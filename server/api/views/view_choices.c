/* view_choices.c - what filters can name: what there is, most time first. */
#include "profile_word.h"
#include "view_importance.h"
#include <stdlib.h>
#include <string.h>

enum { CHOICES_MAX = 200 };

struct choice {
	const char *word;
	double time;
};

struct choices {
	struct arena a;
	struct choice *list;
	uint32_t n;
};

static void add(struct choices *c, const char *word, double time)
{
	if (!word || !*word)
		return;
	for (uint32_t i = 0; i < c->n; i++)
		if (!strcmp(c->list[i].word, word)) {
			c->list[i].time += time;
			return;
		}
	c->list = arena_grow(&c->a, c->list, (c->n + 1) * sizeof *c->list);
	c->list[c->n++] = (struct choice){ word, time };
}

static int by_time(const void *x, const void *y)
{
	const struct choice *a = x, *b = y;
	if (a->time != b->time)
		return a->time < b->time ? 1 : -1;
	return strcmp(a->word, b->word);
}

static json_t *listed(struct choices *c)
{
	json_t *v = json_array();
	if (c->n)
		qsort(c->list, c->n, sizeof *c->list, by_time);
	for (uint32_t i = 0; i < c->n && i < CHOICES_MAX; i++)
		view_append(v, json_string(c->list[i].word));
	arena_release(&c->a);
	return v;
}

json_t *view_choices(const struct fleet *f)
{
	struct choices projects = { 0 }, workloads = { 0 }, frameworks = { 0 },
		       platforms = { 0 }, dtypes = { 0 }, phases = { 0 };
	for (uint32_t i = 0; i < f->cells_n; i++) {
		const struct fleet_cell *c = &f->cells[i];
		add(&projects, c->project, c->total_s);
		add(&workloads, c->workload, c->total_s);
		add(&frameworks, c->framework, c->total_s);
		add(&platforms, c->platform, c->total_s);
	}
	for (uint32_t i = 0; i < f->rows_n; i++) {
		const struct fleet_row *r = &f->rows[i];
		add(&dtypes, dtype_word(r->dtype), r->total_s);
		add(&phases, profile_word_phase[r->phase], r->total_s);
	}
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "projects",
		listed(&projects), "workloads", listed(&workloads),
		"frameworks", listed(&frameworks), "platforms",
		listed(&platforms), "dtypes", listed(&dtypes), "phases",
		listed(&phases));
}

json_t *view_set_choices(const struct reference *r)
{
	struct choices platforms = { 0 }, dtypes = { 0 }, phases = { 0 };
	for (uint32_t i = 0; i < r->platforms_n; i++)
		add(&platforms, r->platforms[i].name, 0);
	for (uint32_t i = 0; i < r->operators_n; i++) {
		const struct reference_operator *o = &r->operators[i];
		add(&dtypes, o->dtype, o->importance);
		add(&phases, o->phase, o->importance);
	}
	return json_pack("{s:[], s:[], s:[], s:o, s:o, s:o}", "projects",
		"workloads", "frameworks", "platforms", listed(&platforms),
		"dtypes", listed(&dtypes), "phases", listed(&phases));
}
