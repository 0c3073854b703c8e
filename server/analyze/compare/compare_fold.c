/* compare_fold.c - folds the rows of each function over devices and ranks. */
#include "compare_state.h"
#include "names.h"
#include <math.h>
#include <string.h>

/* Rows with the same names on both sides are one function, wherever it runs. */
static const char *compare_fold_key(struct arena *a,
	const struct compare_row *r)
{
	const struct compare_identity *is = r->identity;
	const char *base = is ? is->name[BASE] : r->name,
		   *head = is ? is->name[HEAD] : r->name;
	return arena_printf(a, "%d %s\n%s", (int)r->type, base ? base : "",
		head ? head : "");
}

void compare_fold_from(struct compare *c)
{
	struct names keys;

	names_init(&keys, c->a);
	c->folds = arena_array(c->a, struct compare_fold, c->rows_n + 1);
	for (uint32_t i = 0; i < c->rows_n; i++) {
		const char *key = compare_fold_key(c->a, &c->rows[i]);
		uint32_t id = names_put(&keys, key, strlen(key));
		if (id > c->folds_n)
			c->folds[c->folds_n++] =
				(struct compare_fold){ .operator_ =
							       OPERATOR_NONE };
		struct compare_fold *f = &c->folds[id - 1];
		f->rows = arena_grow(c->a, f->rows,
			(f->rows_n + 1) * sizeof *f->rows);
		f->rows[f->rows_n++] = i;
	}
}

/* The number of ranks of every unit of a side; 0 if units differ. */
static uint32_t compare_fold_ranks(const struct compare_side *s)
{
	uint32_t n = s->units_n ? s->units[0].runs_n : 0;
	for (uint32_t u = 1; u < s->units_n; u++)
		if (s->units[u].runs_n != n)
			return 0;
	return n;
}

static void compare_fold_row_add(const struct compare *c,
	struct compare_fold *f, const struct compare_row *r, int s)
{
	const struct compare_side *side = &c->side[s];
	bool one = r->place == COMPARE_PLACE_ALL;
	uint32_t ranks = compare_fold_ranks(side);

	for (uint32_t u = 0; u < side->units_n; u++) {
		const struct compare_unit *unit = &side->units[u];
		for (uint32_t k = 0; k < unit->iterations_n; k++)
			f->ns[s][unit->first + k] += r->ns[s][unit->first + k] /
						     (one ? 1 : unit->runs_n);
	}
	if (one)
		f->launches[s] += r->launches[s];
	else
		f->launches[s] += ranks ? r->launches[s] / ranks : (double)NAN;
}

void compare_fold_sum(struct compare *c)
{
	bool jobs = compare_fold_ranks(&c->side[BASE]) != 1 ||
		    compare_fold_ranks(&c->side[HEAD]) != 1;
	for (uint32_t i = 0; i < c->folds_n; i++) {
		struct compare_fold *f = &c->folds[i];
		const struct compare_row *first = &c->rows[f->rows[0]];
		f->same = f->rows_n == 1 &&
			  (!jobs || first->place == COMPARE_PLACE_ALL);
		for (int s = 0; s < 2; s++) {
			f->ns[s] = first->ns[s];
			f->launches[s] = first->launches[s];
			if (f->same)
				continue;
			f->ns[s] = arena_array(c->a, double,
				c->side[s].iterations_n + 1);
			f->launches[s] = 0;
			for (uint32_t k = 0; k < f->rows_n; k++)
				compare_fold_row_add(c, f, &c->rows[f->rows[k]],
					s);
		}
	}
}
