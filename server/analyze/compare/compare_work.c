/* compare_work.c - whether iterations of both sides worked on the same sizes, in
 * which sizes they differ, and which kernels were launched differently for the
 * same work. */
#include "compare_state.h"
#include "arena.h"
#include "iterations.h"
#include "names.h"
#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sizes: whether two strata worked on the same sizes.
 *
 * The agreement of one operator is the share of its calls whose sizes occur in
 * both strata. The agreement of two strata is the weighted mean over the
 * operators that both have. The weight of an operator is the root of its number
 * of calls, so that neither frequent small operators in loops nor single calls
 * decide. If operators are unknown on a side, kernels with their grids and blocks
 * are used instead; there, launches that can do the same work have the same size
 * (compare_launch.c). An operator that only one side has is a change of the code, and is
 * ignored here. */

static int compare_work_by_name(const void *left, const void *right)
{
	const struct compare_size *a = left, *b = right;
	if (a->name != b->name)
		return (a->name > b->name) - (a->name < b->name);
	return (a->size > b->size) - (a->size < b->size);
}

static uint32_t compare_work_name_end(const struct compare_size *r,
	uint32_t from, uint32_t n)
{
	uint32_t to = from;
	while (to < n && r[to].name == r[from].name)
		to++;
	return to;
}

/* The index of the first work of a stratum, or of the next stratum. */
static uint32_t compare_work_first(const struct iterations *c, uint32_t stratum)
{
	uint32_t low = 0, high = c->works_n;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (c->works[mid].stratum < stratum)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Adds up rows of one name and size, which are adjacent: kernels whose names
 * differ only in a number have one stem. Returns how many rows are left. */
static uint32_t compare_work_join_equal(struct compare_size *r, uint32_t n)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < n; i++)
		if (kept && !compare_work_by_name(&r[kept - 1], &r[i]))
			r[kept - 1].calls += r[i].calls;
		else
			r[kept++] = r[i];
	return kept;
}

/* Fills the shares of rows whose calls are still their own, and then the calls
 * of each name. */
static void compare_work_shares(struct compare_size *r, uint32_t n)
{
	for (uint32_t from = 0, to; from < n; from = to) {
		double sum = 0;
		to = compare_work_name_end(r, from, n);
		for (uint32_t i = from; i < to; i++)
			sum += r[i].calls;
		for (uint32_t i = from; i < to; i++) {
			r[i].share = r[i].calls / sum;
			r[i].calls = sum;
		}
	}
}

static bool compare_work_counts(const struct work *w,
	const struct compare_sizes *so_far)
{
	return strpbrk(w->size, "0123456789") &&
	       so_far->n[w->kind] < ITERATIONS_WORKS_MAX;
}

void compare_work_sizes_from(const struct iterations *c, uint32_t stratum,
	struct names *words, struct arena *a, struct compare_sizes *out)
{
	uint32_t from = compare_work_first(c, stratum), to = from;
	uint32_t n[2] = { 0 };
	*out = (struct compare_sizes){ 0 };
	while (to < c->works_n && c->works[to].stratum == stratum)
		n[c->works[to++].kind]++;
	for (int k = 0; k < 2; k++)
		out->rows[k] = arena_array(a, struct compare_size, n[k] + 1);
	for (uint32_t i = from; i < to; i++) {
		const struct work *w = &c->works[i];
		if (!compare_work_counts(w, out))
			continue;
		const char *stem = c->work_stems ? c->work_stems[i] : NULL;
		const char *name = stem ? stem : w->name;
		struct compare_size *row =
			&out->rows[w->kind][out->n[w->kind]++];
		*row = (struct compare_size){ .name = names_put(words, name,
						      strlen(name)),
			.size = names_put(words, w->size, strlen(w->size)),
			.calls = w->per_iteration };
		if (w->kind == WORK_GRID)
			compare_launch_read(w->size, &row->launch);
	}
	for (int k = 0; k < 2; k++) {
		struct compare_size *r = out->rows[k];
		qsort(r, out->n[k], sizeof *r, compare_work_by_name);
		out->n[k] = compare_work_join_equal(r, out->n[k]);
		compare_work_shares(r, out->n[k]);
	}
}

/* An iterator over the names that both lists contain. */
struct pairs {
	const struct compare_size *a, *b; /* the rows of the name */
	uint32_t a_n, b_n, a_at, b_at, kind;
	const struct compare_sizes *from, *to;
};

static bool compare_work_pairs_next(struct pairs *p)
{
	const struct compare_size *x = p->from->rows[p->kind],
				  *y = p->to->rows[p->kind];
	uint32_t n = p->from->n[p->kind], m = p->to->n[p->kind];
	while (p->a_at < n && p->b_at < m) {
		uint32_t i = p->a_at, j = p->b_at;
		if (x[i].name <= y[j].name)
			p->a_at = compare_work_name_end(x, i, n);
		if (y[j].name <= x[i].name)
			p->b_at = compare_work_name_end(y, j, m);
		if (x[i].name != y[j].name)
			continue;
		p->a = x + i;
		p->b = y + j;
		p->a_n = p->a_at - i;
		p->b_n = p->b_at - j;
		return true;
	}
	return false;
}

/* The shares of a name's sizes that no equal size of the other list has. */
struct size_rest {
	double a[ITERATIONS_WORKS_MAX], b[ITERATIONS_WORKS_MAX];
};

/* The share of calls with equal sizes. */
static double compare_work_equal(const struct pairs *p, struct size_rest *rest)
{
	double sum = 0;
	for (uint32_t i = 0; i < p->a_n; i++)
		rest->a[i] = p->a[i].share;
	for (uint32_t j = 0; j < p->b_n; j++)
		rest->b[j] = p->b[j].share;
	for (uint32_t i = 0, j = 0; i < p->a_n && j < p->b_n;)
		if (p->a[i].size == p->b[j].size) {
			double x = p->a[i].share, y = p->b[j].share,
			       both = x < y ? x : y;
			sum += both;
			rest->a[i++] -= both;
			rest->b[j++] -= both;
		} else if (p->a[i].size < p->b[j].size) {
			i++;
		} else {
			j++;
		}
	return sum;
}

static uint32_t compare_work_root(const uint32_t *parent, uint32_t i)
{
	while (parent[i] != i)
		i = parent[i];
	return i;
}

/* The share of calls whose launches differ but can do the same work. Launches
 * that are connected by this relation are one set; the share of a set is what
 * both lists have of it, so that the result is the same in both directions. */
static double compare_work_relaunched(const struct pairs *p,
	const struct size_rest *rest)
{
	enum { ROWS_MAX = 2 * ITERATIONS_WORKS_MAX };
	uint32_t parent[ROWS_MAX] = { 0 }, n = p->a_n + p->b_n;
	double of[2][ROWS_MAX] = { 0 }, sum = 0;
	assert(n <= ROWS_MAX);
	for (uint32_t i = 0; i < n; i++)
		parent[i] = i;
	for (uint32_t i = 0; i < p->a_n; i++)
		for (uint32_t j = 0; j < p->b_n && rest->a[i] > 0; j++) {
			if (!(rest->b[j] > 0) ||
				!compare_launch_same_work(&p->a[i].launch,
					&p->b[j].launch))
				continue;
			uint32_t x = compare_work_root(parent, i),
				 y = compare_work_root(parent, p->a_n + j);
			parent[x > y ? x : y] = x < y ? x : y;
		}
	for (uint32_t i = 0; i < p->a_n; i++)
		of[0][compare_work_root(parent, i)] += rest->a[i];
	for (uint32_t j = 0; j < p->b_n; j++)
		of[1][compare_work_root(parent, p->a_n + j)] += rest->b[j];
	for (uint32_t i = 0; i < n; i++)
		sum += of[0][i] < of[1][i] ? of[0][i] : of[1][i];
	return sum;
}

static double compare_work_overlap(const struct pairs *p)
{
	struct size_rest rest;
	double sum = compare_work_equal(p, &rest);
	return p->kind == WORK_GRID && sum < 1
		       ? sum + compare_work_relaunched(p, &rest)
		       : sum;
}

static double compare_work_weight(const struct pairs *p)
{
	double x = p->a->calls, y = p->b->calls;
	return sqrt(x < y ? x : y);
}

/* The agreement of one kind of sizes, 0 to 1; -1 if the lists have no name in
 * common. */
static double compare_work_kind_agreement(const struct compare_sizes *a,
	const struct compare_sizes *b, uint32_t kind)
{
	struct pairs p = { .from = a, .to = b, .kind = kind };
	double sum = 0, all = 0;
	while (compare_work_pairs_next(&p)) {
		sum += compare_work_weight(&p) * compare_work_overlap(&p);
		all += compare_work_weight(&p);
	}
	return all > 0 ? sum / all : -1;
}

double compare_work_agreement(const struct compare_sizes *a,
	const struct compare_sizes *b)
{
	double agree = compare_work_kind_agreement(a, b, WORK_OP);
	return agree >= 0 ? agree
			  : compare_work_kind_agreement(a, b, WORK_GRID);
}

/* Two sizes that differ in one number only. The number may occur several times
 * in the size. */
struct difference {
	long from, to;
	double weight; /* over names */
	uint32_t name, a, b; /* the example */
	bool product; /* it is a matrix product or a convolution */
};

static bool compare_work_same_form(const char *x, const char *y,
	struct difference *d)
{
	bool found = false;
	while (*x && *y) {
		if (isdigit((unsigned char)*x) && isdigit((unsigned char)*y)) {
			char *x_end, *y_end;
			long i = strtol(x, &x_end, 10),
			     j = strtol(y, &y_end, 10);
			if (i != j && found && (i != d->from || j != d->to))
				return false;
			if (i != j) {
				d->from = i;
				d->to = j;
				found = true;
			}
			x = x_end;
			y = y_end;
		} else if (*x++ != *y++) {
			return false;
		}
	}
	return found && !*x && !*y;
}

static bool compare_work_has(const struct compare_size *r, uint32_t n,
	uint32_t size)
{
	for (uint32_t i = 0; i < n; i++)
		if (r[i].size == size)
			return true;
	return false;
}

enum { DIFFERENCES_MAX = 256 };
struct differences {
	struct difference rows[DIFFERENCES_MAX];
	uint32_t n;
};

static struct difference *compare_work_difference_of(struct differences *l,
	const struct difference *d)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (l->rows[i].from == d->from && l->rows[i].to == d->to)
			return &l->rows[i];
	if (l->n == DIFFERENCES_MAX)
		return NULL;
	l->rows[l->n] = *d;
	return &l->rows[l->n++];
}

static bool compare_work_is_product(const char *name)
{
	return strstr(name, "mm") || strstr(name, "linear") ||
	       strstr(name, "conv") || strstr(name, "attention");
}

/* Each pair of numbers counts once per name, with the name's weight. */
static void compare_work_differences_of_name(const struct pairs *p,
	const struct names *words, struct differences *l)
{
	struct difference mine[8];
	uint32_t n = 0;
	for (uint32_t i = 0; i < p->a_n; i++)
		for (uint32_t j = 0; j < p->b_n && n < 8; j++) {
			struct difference d = { .name = p->a->name,
				.a = p->a[i].size,
				.b = p->b[j].size };
			bool known = compare_work_has(p->b, p->b_n, d.a) ||
				     compare_work_has(p->a, p->a_n, d.b) ||
				     (p->kind == WORK_GRID &&
					     compare_launch_same_work(
						     &p->a[i].launch,
						     &p->b[j].launch));
			if (known ||
				!compare_work_same_form(names_text(words, d.a),
					names_text(words, d.b), &d))
				continue;
			for (uint32_t k = 0; k < n; k++)
				known |= mine[k].from == d.from &&
					 mine[k].to == d.to;
			if (!known)
				mine[n++] = d;
		}
	for (uint32_t k = 0; k < n; k++) {
		bool product =
			compare_work_is_product(names_text(words, p->a->name));
		mine[k].product = product;
		struct difference *d = compare_work_difference_of(l, &mine[k]);
		if (!d)
			continue;
		if (product && !d->product) {
			d->name = mine[k].name;
			d->a = mine[k].a;
			d->b = mine[k].b;
			d->product = true;
		}
		d->weight += compare_work_weight(p);
	}
}

/* The most frequent sizes of a name that differ in more than one number. */
static bool compare_work_other_form(const struct compare_sizes *a,
	const struct compare_sizes *b, uint32_t kind, const struct names *words,
	struct arena *arena, const char *text[2])
{
	struct pairs p = { .from = a, .to = b, .kind = kind };
	double most = 0;
	while (compare_work_pairs_next(&p)) {
		const struct compare_size *x = p.a, *y = p.b;
		for (uint32_t i = 1; i < p.a_n; i++)
			x = p.a[i].share > x->share ? &p.a[i] : x;
		for (uint32_t i = 1; i < p.b_n; i++)
			y = p.b[i].share > y->share ? &p.b[i] : y;
		double lacks = compare_work_weight(&p) *
			       (1 - compare_work_overlap(&p));
		if (lacks <= most || x->size == y->size)
			continue;
		most = lacks;
		text[0] = arena_printf(arena, "%s %s",
			names_text(words, x->name), names_text(words, x->size));
		text[1] = arena_printf(arena, "%s %s",
			names_text(words, y->name), names_text(words, y->size));
	}
	return most > 0;
}

bool compare_work_difference(const struct compare_sizes *a,
	const struct compare_sizes *b, const struct names *words,
	struct arena *arena, const char *text[2])
{
	struct differences *l = arena_new(arena, struct differences);
	for (uint32_t kind = WORK_OP; kind <= WORK_GRID; kind++) {
		struct pairs p = { .from = a, .to = b, .kind = kind };
		const struct difference *best = NULL;
		l->n = 0;
		while (compare_work_pairs_next(&p))
			compare_work_differences_of_name(&p, words, l);
		for (uint32_t i = 0; i < l->n; i++)
			if (!best || l->rows[i].weight > best->weight)
				best = &l->rows[i];
		if (!best &&
			compare_work_other_form(a, b, kind, words, arena, text))
			return true;
		if (!best)
			continue;
		text[0] = arena_printf(arena, "%ld in sizes (%s %s)",
			best->from, names_text(words, best->name),
			names_text(words, best->a));
		text[1] = arena_printf(arena, "%ld (%s %s)", best->to,
			names_text(words, best->name),
			names_text(words, best->b));
		return true;
	}
	return false;
}

/* Reports kernels that were launched differently for the same work: at least
 * half of their calls, so that sizes that vary from run to run are no change of
 * the launch. If all operators agree, any other grid or block is for the same
 * work. */

static const double relaunched_min = 0.5;

struct relaunch {
	uint32_t name;
	const struct compare_size *a, *b; /* the most frequent sizes */
	double weight;
};
struct relaunches {
	struct relaunch rows[ITERATIONS_WORKS_MAX];
	uint32_t n;
};

/* Orders pairs of sizes without regard to the sides: by the smaller text, then
 * the larger one. */
static int compare_work_pair_order(const struct names *words,
	const struct relaunch *r, const struct compare_size *x,
	const struct compare_size *y)
{
	assert(r->a && r->b);
	const char *t[4] = { names_text(words, r->a->size),
		names_text(words, r->b->size), names_text(words, x->size),
		names_text(words, y->size) };
	for (int i = 0; i < 4; i += 2)
		if (strcmp(t[i], t[i + 1]) > 0) {
			const char *larger = t[i];
			t[i] = t[i + 1];
			t[i + 1] = larger;
		}
	int smaller = strcmp(t[2], t[0]);
	return smaller ? smaller : strcmp(t[3], t[1]);
}

/* The most frequent launch of each side that the other side lacks. */
static bool compare_work_relaunch_pair(const struct pairs *p,
	const struct names *words, const struct size_rest *rest, bool any,
	struct relaunch *out)
{
	double best = 0;
	out->name = p->a->name;
	for (uint32_t i = 0; i < p->a_n; i++)
		for (uint32_t j = 0; j < p->b_n; j++) {
			const struct compare_launch *x = &p->a[i].launch,
						    *y = &p->b[j].launch;
			double share = fmin(rest->a[i], rest->b[j]);
			if (share <= 0 || share < best ||
				!compare_launch_differs(x, y) ||
				(!any && !compare_launch_same_work(x, y)))
				continue;
			if (share == best && compare_work_pair_order(words, out,
						     &p->a[i], &p->b[j]) > 0)
				continue;
			best = share;
			out->a = &p->a[i];
			out->b = &p->b[j];
		}
	return best > 0;
}

static void compare_work_relaunches_of(const struct compare_sizes *a,
	const struct compare_sizes *b, const struct names *words,
	struct relaunches *l)
{
	bool any = compare_work_kind_agreement(a, b, WORK_OP) == 1;
	struct pairs p = { .from = a, .to = b, .kind = WORK_GRID };
	while (compare_work_pairs_next(&p)) {
		struct size_rest rest;
		struct relaunch r = { 0 };
		double equal = compare_work_equal(&p, &rest);
		double share =
			any ? 1 - equal : compare_work_relaunched(&p, &rest);
		bool known =
			share < relaunched_min ||
			l->n == ITERATIONS_WORKS_MAX ||
			!compare_work_relaunch_pair(&p, words, &rest, any, &r);
		for (uint32_t i = 0; i < l->n && !known; i++)
			known = l->rows[i].name == r.name;
		r.weight = compare_work_weight(&p) * share;
		if (!known)
			l->rows[l->n++] = r;
	}
}

static int compare_work_by_weight(const void *left, const void *right,
	void *words)
{
	const struct relaunch *a = left, *b = right;
	if (a->weight != b->weight)
		return a->weight < b->weight ? 1 : -1;
	return strcmp(names_text(words, a->name), names_text(words, b->name));
}

const char *compare_work_relaunches(const struct compare_sizes *const *base,
	const struct compare_sizes *const *head, uint32_t n,
	struct names *words, struct arena *a)
{
	enum { SHOWN = 3 };
	struct relaunches *l = arena_new(a, struct relaunches);
	const char *list = NULL;
	for (uint32_t i = 0; i < n; i++)
		compare_work_relaunches_of(base[i], head[i], words, l);
	qsort_r(l->rows, l->n, sizeof *l->rows, compare_work_by_weight, words);
	for (uint32_t i = 0; i < l->n && i < SHOWN; i++) {
		const struct relaunch *r = &l->rows[i];
		list = compare_text_join(a, list,
			arena_printf(a, "%s %s → %s",
				compare_text_name(a,
					names_text(words, r->name)),
				names_text(words, r->a->size),
				names_text(words, r->b->size)));
	}
	if (l->n > SHOWN)
		list = arena_printf(a, "%s and %u more", list, l->n - SHOWN);
	return list;
}
