/* compare_size.c - sizes side by side, name by name. */
#include "compare_size.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_name(const void *left, const void *right)
{
	const struct size_row *a = left, *b = right;
	if (a->name != b->name)
		return (a->name > b->name) - (a->name < b->name);
	return (a->size > b->size) - (a->size < b->size);
}

static uint32_t name_end(const struct size_row *r, uint32_t from, uint32_t n)
{
	uint32_t to = from;
	while (to < n && r[to].name == r[from].name)
		to++;
	return to;
}

/* The first work of a stratum, or one behind. */
static uint32_t first_of(const struct cycles *c, uint32_t stratum)
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

void size_list_from(const struct cycles *c, uint32_t stratum,
	struct names *words, struct arena *a, struct size_list *out)
{
	*out = (struct size_list){ 0 };
	for (int k = 0; k < 2; k++)
		out->rows[k] =
			arena_array(a, struct size_row, CYCLES_WORKS_MAX + 1);
	for (uint32_t i = first_of(c, stratum);
		i < c->works_n && c->works[i].stratum == stratum; i++) {
		const struct work *w = &c->works[i];
		if (!strpbrk(w->size, "0123456789") ||
			out->n[w->kind] == CYCLES_WORKS_MAX)
			continue;
		out->rows[w->kind][out->n[w->kind]++] = (struct size_row){
			.name = names_put(words, w->name, strlen(w->name)),
			.size = names_put(words, w->size, strlen(w->size)),
			.calls = w->per_cycle
		};
	}
	for (int k = 0; k < 2; k++) {
		struct size_row *r = out->rows[k];
		qsort(r, out->n[k], sizeof *r, by_name);
		for (uint32_t from = 0, to; from < out->n[k]; from = to) {
			double sum = 0;
			to = name_end(r, from, out->n[k]);
			for (uint32_t i = from; i < to; i++)
				sum += r[i].calls;
			for (uint32_t i = from; i < to; i++) {
				r[i].share = r[i].calls / sum;
				r[i].calls = sum;
			}
		}
	}
}

/* Names that both have, one after the other. */
struct pairs {
	const struct size_row *a, *b; /* the rows of the name */
	uint32_t a_n, b_n, a_at, b_at, kind;
	const struct size_list *from, *to;
};

static bool pairs_next(struct pairs *p)
{
	const struct size_row *x = p->from->rows[p->kind],
			      *y = p->to->rows[p->kind];
	uint32_t n = p->from->n[p->kind], m = p->to->n[p->kind];
	while (p->a_at < n && p->b_at < m) {
		uint32_t i = p->a_at, j = p->b_at;
		if (x[i].name <= y[j].name)
			p->a_at = name_end(x, i, n);
		if (y[j].name <= x[i].name)
			p->b_at = name_end(y, j, m);
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

static double overlap(const struct pairs *p)
{
	double sum = 0;
	for (uint32_t i = 0, j = 0; i < p->a_n && j < p->b_n;)
		if (p->a[i].size == p->b[j].size) {
			double x = p->a[i++].share, y = p->b[j++].share;
			sum += x < y ? x : y;
		} else if (p->a[i].size < p->b[j].size) {
			i++;
		} else {
			j++;
		}
	return sum;
}

static double weight(const struct pairs *p)
{
	double x = p->a->calls, y = p->b->calls;
	return sqrt(x < y ? x : y);
}

double size_agreement(const struct size_list *a, const struct size_list *b)
{
	for (uint32_t kind = WORK_OP; kind <= WORK_GRID; kind++) {
		struct pairs p = { .from = a, .to = b, .kind = kind };
		double sum = 0, all = 0;
		while (pairs_next(&p)) {
			sum += weight(&p) * overlap(&p);
			all += weight(&p);
		}
		if (all > 0)
			return sum / all;
	}
	return -1;
}

/* Two sizes of one form that differ in one number, however often it comes. */
struct difference {
	long from, to;
	double weight; /* over names */
	uint32_t name, a, b; /* the example */
	bool product; /* it is a matrix product or a convolution */
};

static bool same_form(const char *x, const char *y, struct difference *d)
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

static bool has(const struct size_row *r, uint32_t n, uint32_t size)
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

static struct difference *difference_of(struct differences *l,
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

static bool is_product(const char *name)
{
	return strstr(name, "mm") || strstr(name, "linear") ||
	       strstr(name, "conv") || strstr(name, "attention");
}

/* Each pair of numbers counts once a name, by the name's weight. */
static void differences_of_name(const struct pairs *p,
	const struct names *words, struct differences *l)
{
	struct difference mine[8];
	uint32_t n = 0;
	for (uint32_t i = 0; i < p->a_n; i++)
		for (uint32_t j = 0; j < p->b_n && n < 8; j++) {
			struct difference d = { .name = p->a->name,
				.a = p->a[i].size,
				.b = p->b[j].size };
			bool known = has(p->b, p->b_n, d.a) ||
				     has(p->a, p->a_n, d.b);
			if (known || !same_form(names_text(words, d.a),
					     names_text(words, d.b), &d))
				continue;
			for (uint32_t k = 0; k < n; k++)
				known |= mine[k].from == d.from &&
					 mine[k].to == d.to;
			if (!known)
				mine[n++] = d;
		}
	for (uint32_t k = 0; k < n; k++) {
		bool product = is_product(names_text(words, p->a->name));
		mine[k].product = product;
		struct difference *d = difference_of(l, &mine[k]);
		if (!d)
			continue;
		if (product && !d->product) {
			d->name = mine[k].name;
			d->a = mine[k].a;
			d->b = mine[k].b;
			d->product = true;
		}
		d->weight += weight(p);
	}
}

/* The most frequent sizes of a name that differ in no simple way. */
static bool other_form(const struct size_list *a, const struct size_list *b,
	uint32_t kind, const struct names *words, struct arena *arena,
	const char *text[2])
{
	struct pairs p = { .from = a, .to = b, .kind = kind };
	double most = 0;
	while (pairs_next(&p)) {
		const struct size_row *x = p.a, *y = p.b;
		for (uint32_t i = 1; i < p.a_n; i++)
			x = p.a[i].share > x->share ? &p.a[i] : x;
		for (uint32_t i = 1; i < p.b_n; i++)
			y = p.b[i].share > y->share ? &p.b[i] : y;
		double lacks = weight(&p) * (1 - overlap(&p));
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

bool size_difference(const struct size_list *a, const struct size_list *b,
	const struct names *words, struct arena *arena, const char *text[2])
{
	struct differences *l = arena_new(arena, struct differences);
	for (uint32_t kind = WORK_OP; kind <= WORK_GRID; kind++) {
		struct pairs p = { .from = a, .to = b, .kind = kind };
		const struct difference *best = NULL;
		l->n = 0;
		while (pairs_next(&p))
			differences_of_name(&p, words, l);
		for (uint32_t i = 0; i < l->n; i++)
			if (!best || l->rows[i].weight > best->weight)
				best = &l->rows[i];
		if (!best && other_form(a, b, kind, words, arena, text))
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
