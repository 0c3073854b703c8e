/* compare_operators.c - groups the functions of a comparison by the operators
 * that they computed. */
#include "compare_state.h"
#include "names.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The operator of a function: the one with the most time. Each of its patterns has
 * one operator, and a list of all. */

struct compare_operators_tally {
	const char *name;
	double ns; /* per iteration, over both sides */
};
struct compare_operators_list {
	struct compare_operators_tally *rows;
	uint32_t n;
};

static void compare_operators_tally_add(struct arena *a,
	struct compare_operators_list *l, const char *name, double ns)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (!strcmp(l->rows[i].name, name)) {
			l->rows[i].ns += ns;
			return;
		}
	l->rows = arena_grow(a, l->rows, (l->n + 1) * sizeof *l->rows);
	l->rows[l->n++] = (struct compare_operators_tally){ name, ns };
}

/* The most time first; between equal ones, by name. */
static int compare_operators_by_time(const void *left, const void *right)
{
	const struct compare_operators_tally *a = left, *b = right;
	if (a->ns != b->ns)
		return a->ns < b->ns ? 1 : -1;
	return strcmp(a->name, b->name);
}

static double compare_operators_source_ns(const struct compare *c,
	const struct compare_source *x, const struct pattern *p)
{
	const struct compare_side *side = &c->side[x->side];
	const struct compare_unit *u = &side->units[x->unit];
	double sum = 0;
	for (uint32_t k = 0; k < u->iterations_n; k++)
		sum += (double)p->dur_ns[u->at[x->run][k]];
	return sum / side->iterations_n;
}

static const struct pattern *compare_operators_pattern(const struct compare *c,
	const struct compare_source *x)
{
	const struct compare_unit *u = &c->side[x->side].units[x->unit];
	return &u->runs[x->run]->patterns.rows[x->pattern];
}

/* The name in "gemm bf16 m=64 n=64 k=64". */
static const char *compare_operators_text_name(struct arena *a,
	const char *text)
{
	return arena_strndup(a, text, strcspn(text, " "));
}

/* All operators of a fold's patterns: those with the most time of a pattern have
 * its time, the others none. */
static struct compare_operators_list
compare_operators_of_fold(const struct compare *c, const struct compare_fold *f)
{
	struct compare_operators_list l = { 0 };
	for (uint32_t k = 0; k < f->rows_n; k++) {
		const struct compare_row *r = &c->rows[f->rows[k]];
		for (uint32_t i = 0; i < r->sources_n; i++) {
			const struct compare_source *x = &r->sources[i];
			const struct pattern *p =
				compare_operators_pattern(c, x);
			const struct pattern_texts *t = &p->launch.operators;
			if (!p->operator_)
				continue;
			compare_operators_tally_add(c->a, &l, p->operator_,
				compare_operators_source_ns(c, x, p));
			for (uint32_t j = 0; j < t->n; j++)
				compare_operators_tally_add(c->a, &l,
					compare_operators_text_name(c->a,
						t->list[j]),
					0);
		}
	}
	if (l.n)
		qsort(l.rows, l.n, sizeof *l.rows, compare_operators_by_time);
	return l;
}

/* The shape in "gemm bf16 m=64 n=64 k=64"; NULL: the text has none. */
static const char *compare_operators_text_shape(const char *text)
{
	const char *space = strchr(text, ' ');
	return space ? space + 1 : NULL;
}

/* Shapes. */

/* What is known of an operator, of one of its shapes, or of a group. */
struct compare_operators_facts {
	/* On each side: an operator took time; a shape was in functions with no
	 * other; a group has operators that the other side lacks. */
	bool there[2];
	bool unsized; /* of an operator: a function may have run any shape */
	bool joint; /* of a shape: in a function with others */
	const char *group; /* of an operator: the catalog's; NULL unknown */
};

struct compare_operators_maker {
	struct compare *c;
	struct names keys;
	struct compare_operators_facts *facts; /* by key */
	uint32_t facts_cap;
	struct names rows; /* id = index into compare.operators + 1 */
};

/* Valid until the next call. A key is an operator's name, which has no space, the
 * name and a shape, or a line feed and a group. */
static struct compare_operators_facts *
compare_operators_facts_of(struct compare_operators_maker *m, const char *key)
{
	uint32_t id = names_put(&m->keys, key, strlen(key));
	if (id >= m->facts_cap) {
		uint32_t cap = id * 2 + 64;
		m->facts =
			arena_grow(m->c->a, m->facts, cap * sizeof *m->facts);
		memset(m->facts + m->facts_cap, 0,
			(cap - m->facts_cap) * sizeof *m->facts);
		m->facts_cap = cap;
	}
	return &m->facts[id];
}

static const char *compare_operators_shape_key(struct arena *a,
	const char *name, const char *shape)
{
	return arena_printf(a, "%s %s", name, shape);
}

static const char *compare_operators_group_key(struct arena *a,
	const char *group)
{
	return arena_printf(a, "\n%s", group);
}

static struct compare_operators_facts *compare_operators_shape_of(
	struct compare_operators_maker *m, const char *name, const char *shape)
{
	return compare_operators_facts_of(m,
		compare_operators_shape_key(m->c->a, name, shape));
}

/* Adds the shapes of a pattern. Sets the fold's shape to the only one, or to NULL
 * if it has several, or if one is unknown. */
static void compare_operators_pattern_add(struct compare_operators_maker *m,
	struct compare_fold *f, const struct pattern *p, bool first)
{
	const struct pattern_texts *t = &p->launch.operators;
	const char *only =
		t->n == 1 ? compare_operators_text_shape(t->list[0]) : NULL;
	bool known = t->n > 0 && t->n < PATTERN_TEXTS_MAX;

	for (uint32_t i = 0; i < t->n; i++) {
		const char *shape = compare_operators_text_shape(t->list[i]);
		known &= shape != NULL;
		if (shape && t->n > 1)
			compare_operators_shape_of(m,
				compare_operators_text_name(m->c->a,
					t->list[i]),
				shape)
				->joint = true;
	}
	if (!known || f->also)
		compare_operators_facts_of(m, f->operator_name)->unsized = true;
	if (first)
		f->shape = only;
	else if (f->shape && (!only || strcmp(only, f->shape))) {
		compare_operators_shape_of(m, f->operator_name, f->shape)
			->joint = true;
		if (only)
			compare_operators_shape_of(m, f->operator_name, only)
				->joint = true;
		f->shape = NULL;
	}
}

static void compare_operators_shapes_add(struct compare_operators_maker *m,
	struct compare_fold *f)
{
	const struct compare *c = m->c;
	bool first = true, ran[2] = { false, false };

	for (uint32_t k = 0; k < f->rows_n; k++) {
		const struct compare_row *r = &c->rows[f->rows[k]];
		for (uint32_t i = 0; i < r->sources_n; i++) {
			const struct compare_source *x = &r->sources[i];
			compare_operators_pattern_add(m, f,
				compare_operators_pattern(c, x), first);
			first = false;
			ran[x->side] = true;
		}
	}
	for (int s = 0; s < 2 && f->shape; s++)
		compare_operators_shape_of(m, f->operator_name, f->shape)
			->there[s] |= ran[s];
}

/* Adds the operators of a pattern to those that took time of its side. */
static void compare_operators_there_add(struct compare_operators_maker *m,
	const struct compare_fold *f, const struct pattern *p, int side)
{
	const struct pattern_texts *t = &p->launch.operators;
	struct compare_operators_facts *is;
	for (uint32_t j = 0; j < t->n; j++)
		compare_operators_facts_of(m,
			compare_operators_text_name(m->c->a, t->list[j]))
			->there[side] = true;
	if (f->operator_name)
		compare_operators_facts_of(m, f->operator_name)->there[side] =
			true;
	if (!p->operator_)
		return;
	is = compare_operators_facts_of(m, p->operator_);
	is->there[side] = true;
	is->group = p->operator_group;
}

static void compare_operators_fold_there_add(struct compare_operators_maker *m,
	const struct compare_fold *f)
{
	const struct compare *c = m->c;
	for (uint32_t k = 0; k < f->rows_n; k++) {
		const struct compare_row *r = &c->rows[f->rows[k]];
		for (uint32_t i = 0; i < r->sources_n; i++) {
			const struct compare_source *x = &r->sources[i];
			const struct pattern *p =
				compare_operators_pattern(c, x);
			if (compare_operators_source_ns(c, x, p) > 0)
				compare_operators_there_add(m, f, p, x->side);
		}
	}
}

static void compare_operators_fold_add(struct compare_operators_maker *m,
	struct compare_fold *f)
{
	struct compare_operators_list l = compare_operators_of_fold(m->c, f);

	if (!l.n) {
		compare_operators_fold_there_add(m, f);
		return;
	}
	f->operator_name = l.rows[0].name;
	compare_operators_fold_there_add(m, f);
	/* In the order of names, whatever their times are. */
	for (uint32_t i = 1; i < l.n; i++)
		l.rows[i].ns = 0;
	qsort(l.rows + 1, l.n - 1, sizeof *l.rows, compare_operators_by_time);
	for (uint32_t i = 1; i < l.n; i++)
		f->also = compare_text_join(m->c->a, f->also, l.rows[i].name);
	compare_operators_shapes_add(m, f);
}

/* Whether the kernels of this shape are all kernels that ran it. */
static bool compare_operators_separable(struct compare_operators_maker *m,
	const struct compare_fold *f)
{
	if (!f->shape ||
		compare_operators_facts_of(m, f->operator_name)->unsized)
		return false;
	const struct compare_operators_facts *is =
		compare_operators_shape_of(m, f->operator_name, f->shape);
	return !is->joint && is->there[BASE] && is->there[HEAD];
}

/* Operators that replace each other. */

/* Groups of operators that have only a word in common: one of them does not replace
 * another. */
static const char *const mixed_groups[] = { "elementwise", "memory", "other",
	"random", "reduce", "scheduling" };

/* The group of an operator that only one side has; NULL: both have it, or the group
 * says nothing. A backward pass does not replace a forward pass. */
static const char *compare_operators_group_name(struct compare_operators_maker
							*m,
	const char *name)
{
	const struct compare_operators_facts *is =
		compare_operators_facts_of(m, name);
	if (!is->group || is->there[BASE] == is->there[HEAD])
		return NULL;
	for (size_t i = 0; i < sizeof mixed_groups / sizeof *mixed_groups; i++)
		if (!strcmp(is->group, mixed_groups[i]))
			return NULL;
	return strstr(name, "backward")
		       ? arena_printf(m->c->a, "%s backward", is->group)
		       : is->group;
}

static struct compare_operators_facts *
compare_operators_group_of(struct compare_operators_maker *m, const char *group)
{
	return compare_operators_facts_of(m,
		compare_operators_group_key(m->c->a, group));
}

static void compare_operators_group_add(struct compare_operators_maker *m,
	const struct compare_fold *f)
{
	const char *group = compare_operators_group_name(m, f->operator_name);
	if (!group)
		return;
	const struct compare_operators_facts is =
		*compare_operators_facts_of(m, f->operator_name);
	for (int s = 0; s < 2; s++)
		compare_operators_group_of(m, group)->there[s] |= is.there[s];
}

/* The group of a fold whose operator is one row with those of the other side; NULL:
 * the operator has rows of its own. */
static const char *compare_operators_joined(struct compare_operators_maker *m,
	const struct compare_fold *f)
{
	const char *group = compare_operators_group_name(m, f->operator_name);
	if (!group)
		return NULL;
	const struct compare_operators_facts *is =
		compare_operators_group_of(m, group);
	return is->there[BASE] && is->there[HEAD] ? group : NULL;
}

/* Rows. */

static void compare_operators_join(struct compare_operators_maker *m,
	uint32_t fold)
{
	struct compare *c = m->c;
	struct compare_fold *f = &c->folds[fold];
	struct compare_operator row = { .name = f->operator_name };
	const char *key = row.name, *group = compare_operators_joined(m, f);

	if (group) {
		row.name = group;
		row.joined = true;
		key = compare_operators_group_key(c->a, group);
	} else if (compare_operators_separable(m, f)) {
		row.shape = f->shape;
		key = compare_operators_shape_key(c->a, row.name, row.shape);
	}
	uint32_t id = names_put(&m->rows, key, strlen(key));
	if (id > c->operators_n)
		c->operators[c->operators_n++] = row;
	struct compare_operator *o = &c->operators[id - 1];
	f->operator_ = id - 1;
	o->folds =
		arena_grow(c->a, o->folds, (o->folds_n + 1) * sizeof *o->folds);
	o->folds[o->folds_n++] = fold;
}

static int compare_operators_by_text(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* The other operators of a row's functions, each once. */
static const char *compare_operators_also(struct compare *c,
	const struct compare_operator *o)
{
	const char **all = NULL, *list = NULL;
	uint32_t n = 0;
	for (uint32_t i = 0; i < o->folds_n; i++) {
		const char *at = c->folds[o->folds[i]].also;
		for (size_t len; at; at = at[len] ? at + len + 2 : NULL) {
			len = strcspn(at, ",");
			all = arena_grow(c->a, all, (n + 1) * sizeof *all);
			all[n++] = arena_strndup(c->a, at, len);
		}
	}
	if (n)
		qsort(all, n, sizeof *all, compare_operators_by_text);
	for (uint32_t i = 0; i < n; i++)
		if (!i || strcmp(all[i], all[i - 1]))
			list = compare_text_join(c->a, list, all[i]);
	return list;
}

void compare_operators_from(struct compare *c)
{
	struct compare_operators_maker m = { .c = c };

	names_init(&m.keys, c->a);
	names_init(&m.rows, c->a);
	for (uint32_t i = 0; i < c->folds_n; i++)
		if (!compare_on_host(c->rows[c->folds[i].rows[0]].type))
			compare_operators_fold_add(&m, &c->folds[i]);
	c->operators =
		arena_array(c->a, struct compare_operator, c->folds_n + 1);
	for (uint32_t i = 0; i < c->folds_n; i++)
		if (c->folds[i].operator_name)
			compare_operators_group_add(&m, &c->folds[i]);
	for (uint32_t i = 0; i < c->folds_n; i++)
		if (c->folds[i].operator_name)
			compare_operators_join(&m, i);
	for (uint32_t i = 0; i < c->operators_n; i++)
		c->operators[i].also =
			compare_operators_also(c, &c->operators[i]);
}

/* Lists the operators of a group on each side. */
static void compare_operators_list_joined(struct compare *c,
	struct compare_operator *o)
{
	for (int s = 0; s < 2; s++) {
		struct compare_operators_list l = { 0 };
		for (uint32_t k = 0; k < o->folds_n; k++) {
			const struct compare_fold *f = &c->folds[o->folds[k]];
			double ns = 0;
			for (uint32_t j = 0; j < c->side[s].iterations_n; j++)
				ns += f->ns[s][j];
			if (ns > 0)
				compare_operators_tally_add(c->a, &l,
					f->operator_name, ns);
		}
		if (l.n)
			qsort(l.rows, l.n, sizeof *l.rows,
				compare_operators_by_time);
		o->operators[s] = arena_array(c->a, const char *, l.n + 1);
		o->operators_n[s] = l.n;
		for (uint32_t i = 0; i < l.n; i++)
			o->operators[s][i] = l.rows[i].name;
	}
}

void compare_operators_sum(struct compare *c)
{
	for (uint32_t i = 0; i < c->operators_n; i++) {
		struct compare_operator *o = &c->operators[i];
		for (int s = 0; s < 2; s++) {
			uint32_t n = c->side[s].iterations_n;
			o->ns[s] = arena_array(c->a, double, n + 1);
			for (uint32_t k = 0; k < o->folds_n; k++) {
				const struct compare_fold *f =
					&c->folds[o->folds[k]];
				o->launches[s] += f->launches[s];
				for (uint32_t j = 0; j < n; j++)
					o->ns[s][j] += f->ns[s][j];
			}
		}
		if (o->joined)
			compare_operators_list_joined(c, o);
	}
}

/* How much of the kernels' time operators explain. */

static bool compare_operators_kernel(const struct compare_row *r)
{
	return r->type == FUNCTION_gpu_compute ||
	       r->type == FUNCTION_gpu_comm || r->type == FUNCTION_gpu_graph;
}

static double compare_operators_row_ns(const struct compare *c,
	const struct compare_row *r, int s)
{
	double sum = 0;
	for (uint32_t i = 0; i < c->side[s].iterations_n; i++)
		sum += r->ns[s][i];
	return sum;
}

struct compare_operators_there {
	bool side[2];
};

/* For each operator, on which sides it has kernels, whatever their shapes are. None of
 * a group that is inferred: no side has an operator of the other. */
static struct compare_operators_there *compare_operators_sides(
	const struct compare *c)
{
	struct compare_operators_there *l = arena_array(c->a,
					       struct compare_operators_there,
					       c->operators_n + 1),
				       *out = arena_array(c->a,
					       struct compare_operators_there,
					       c->operators_n + 1);
	for (uint32_t i = 0; i < c->folds_n; i++) {
		const struct compare_fold *f = &c->folds[i];
		for (uint32_t k = 0; f->operator_name && k < f->rows_n; k++) {
			const struct compare_row *r = &c->rows[f->rows[k]];
			for (int s = 0; s < 2; s++)
				l[f->operator_].side[s] |=
					compare_operators_kernel(r) &&
					r->launches[s] > 0;
		}
	}
	for (uint32_t i = 0; i < c->operators_n; i++)
		for (uint32_t j = 0; j < c->operators_n; j++)
			for (int s = 0; s < 2; s++)
				out[i].side[s] |= l[j].side[s] &&
						  !c->operators[i].joined &&
						  !c->operators[j].joined &&
						  !strcmp(c->operators[i].name,
							  c->operators[j].name);
	return out;
}

void compare_operators_shares(const struct compare *c, double known[2],
	double common[2])
{
	const struct compare_operators_there *there =
		compare_operators_sides(c);
	double all[2] = { 0, 0 };
	known[BASE] = known[HEAD] = common[BASE] = common[HEAD] = 0;
	for (uint32_t i = 0; i < c->folds_n; i++) {
		const struct compare_fold *f = &c->folds[i];
		bool both = f->operator_name &&
			    there[f->operator_].side[BASE] &&
			    there[f->operator_].side[HEAD];
		for (uint32_t k = 0; k < f->rows_n; k++) {
			const struct compare_row *r = &c->rows[f->rows[k]];
			for (int s = 0; s < 2; s++) {
				double ns =
					compare_operators_kernel(r)
						? compare_operators_row_ns(c, r,
							  s)
						: 0;
				all[s] += ns;
				known[s] += f->operator_name ? ns : 0;
				common[s] += both ? ns : 0;
			}
		}
	}
	for (int s = 0; s < 2; s++) {
		known[s] = all[s] > 0 ? known[s] / all[s] : (double)NAN;
		common[s] = all[s] > 0 ? common[s] / all[s] : (double)NAN;
	}
}
