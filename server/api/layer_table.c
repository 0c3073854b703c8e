/* layer_table.c - line by line; what a launch group or an overlap tells is
 * decided here for one run and for several. */
#include "layer_table.h"
#include "breakdown_word.h"
#include "exact.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HEADS = 3 };

void layer_table_init(struct layer_table *t, struct arena *a,
	const char *const *heads, int runs)
{
	assert(runs >= 1 && runs <= LAYER_TABLE_RUNS);
	*t = (struct layer_table){ .arena = a, .runs = runs };
	t->columns = arena_array(a, struct column, HEADS + (size_t)runs);
	t->columns[0] = (struct column){ "Layer", false };
	t->columns[1] = (struct column){ "Module", false };
	t->columns[2] = (struct column){ "Kernel", false };
	for (int i = 0; i < runs; i++)
		t->columns[HEADS + i] = (struct column){ heads[i], true };
}

/* To three decimals of a unit of so many ns, without the zeros behind. Decided on
 * the tenths that means are in, half away from zero: as the page does. */
static const char *figure(struct arena *a, double ns, uint32_t unit_ns,
	const char *unit)
{
	if (!isfinite(ns))
		return "";
	wide_t step = unit_ns / 100, tenths = (wide_t)round(ns * 10);
	unsigned long long n = (unsigned long long)((tenths + step / 2) / step);
	char *s = arena_printf(a, "%llu.%03llu", n / 1000, n % 1000);
	size_t len = strlen(s);
	while (s[len - 1] == '0')
		len--;
	s[len - (s[len - 1] == '.')] = '\0';
	return *unit ? arena_printf(a, "%s%s", s, unit) : s;
}

static const char **row(struct layer_table *t)
{
	size_t width = HEADS + (size_t)t->runs;
	if (t->rows == t->room) {
		uint32_t room = t->room ? t->room * 2 : 64;
		const char **cells =
			arena_array(t->arena, const char *, width *room);
		if (t->rows)
			memcpy(cells, t->cells,
				width * t->rows * sizeof *cells);
		t->cells = cells;
		t->room = room;
	}
	return t->cells + width * t->rows++;
}

static void put(struct layer_table *t, const char *const *heads,
	const double *ns, uint32_t unit_ns, const char *unit)
{
	const char **at = row(t);
	for (int i = 0; i < HEADS; i++)
		*at++ = heads[i] ? heads[i] : "";
	for (int i = 0; i < t->runs; i++)
		*at++ = figure(t->arena, ns[i], unit_ns, unit);
}

void layer_table_total(struct layer_table *t, const char *what,
	const double *ns)
{
	const char *const heads[HEADS] = { what };
	put(t, heads, ns, 1000000, " ms");
}

void layer_table_line(struct layer_table *t, const char *layer,
	const char *module, const char *kernel, const double *ns)
{
	const char *const heads[HEADS] = { layer, module, kernel };
	put(t, heads, ns, 1000, "");
}

const struct table *layer_table_end(const struct layer_table *t)
{
	struct table *out = arena_new(t->arena, struct table);
	*out = (struct table){ t->columns, HEADS + t->runs, t->cells, t->rows };
	return out;
}

const char *layer_table_name(struct arena *a, const char *name, int64_t run)
{
	return *name ? name : arena_printf(a, "run %lld", (long long)run);
}

const char *layer_table_head(struct arena *a, const char *name,
	const struct breakdown *b, bool names_lag)
{
	if (b->realigned)
		return arena_printf(a, "%s (names put back)", name);
	if (names_lag)
		return arena_printf(a, "%s (names lag)", name);
	if (b->detector == LAYERS_NONE)
		return arena_printf(a, "%s (no layers%s%s)", name,
			b->why ? ": " : "", b->why ? b->why : "");
	return name;
}

const char *layer_table_count(struct arena *a, uint32_t layers)
{
	return arena_printf(a, "%u layer%s", layers, layers == 1 ? "" : "s");
}

const char *layer_table_section(struct arena *a, enum section_place place,
	const char *name, uint32_t layers)
{
	static const char *const told[] = {
		[SECTION_BEFORE] = "before the layers",
		[SECTION_BETWEEN] = "between layers",
		[SECTION_AFTER] = "after the layers",
		[SECTION_FLAT] = "all",
	};
	if (place != SECTION_LAYER)
		return told[place];
	return arena_printf(a, "%s%s%s", layer_table_count(a, layers),
		name ? ": " : "", name ? name : "");
}

const char *layer_table_roles(struct arena *a, layer_roles roles)
{
	const char *text = NULL;
	for (int i = 0; i < ROLES; i++)
		if (roles & (UINT64_C(1) << i))
			text = arena_printf(a, "%s%s%s", text ? text : "",
				text ? " + " : "", breakdown_word_role[i]);
	return text;
}

const char *layer_table_kernel(struct arena *a, const struct breakdown *b,
	uint32_t row, const char *name)
{
	const struct breakdown_row *r = &b->rows[row];
	return r->extra
		       ? arena_printf(a, "%s (%lld of %lld)", name,
				 (long long)r->instances,
				 (long long)b
					 ->sections[b->blocks[r->block].section]
					 .instances)
		       : name;
}

const char *layer_table_overlap(struct arena *a, enum layer_block_kind other,
	enum layer_block_kind block)
{
	return arena_printf(a, "%s/%s overlap", breakdown_word_block[other],
		breakdown_word_block[block]);
}

/* Of a total of rows like this one; in tenths, as all means are. */
static double per_instance(const struct breakdown *b, uint32_t row,
	double total_ns)
{
	int64_t n =
		b->sections[b->blocks[b->rows[row].block].section].instances;
	return n > 0 && isfinite(total_ns)
		       ? (double)exact_tenths((wide_t)total_ns, (wide_t)n) / 10
		       : (double)NAN;
}

/* A row that is of a launch group. */
struct member {
	uint32_t block, group, row;
};

static int by_group(const void *a, const void *b)
{
	const struct member *x = a, *y = b;
	if (x->block != y->block)
		return x->block < y->block ? -1 : 1;
	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

/* Of members of one group in one block. */
static void group_told(const struct member *m, uint32_t n, double *ns)
{
	uint32_t longest = m->row;
	double sum = 0;
	for (uint32_t i = 0; i < n; i++) {
		double is = ns[m[i].row];
		sum += is;
		if (is > ns[longest])
			longest = m[i].row;
	}
	for (uint32_t i = 0; i < n; i++)
		ns[m[i].row] = m[i].row == longest ? sum : (double)NAN;
}

const double *layer_table_cells(struct arena *a, const struct breakdown *b)
{
	double *ns = arena_array(a, double, b->rows_n);
	struct member *m = arena_array(a, struct member, b->rows_n);
	uint32_t n = 0;
	for (uint32_t i = 0; i < b->rows_n; i++) {
		const struct breakdown_row *r = &b->rows[i];
		ns[i] = (double)r->time.total_ns;
		if (r->group != ROW_NO_GROUP)
			m[n++] = (struct member){ r->block, r->group, i };
	}
	if (n)
		qsort(m, n, sizeof *m, by_group);
	for (uint32_t i = 0, k; i < n; i = k) {
		for (k = i + 1; k < n && m[k].block == m[i].block &&
				m[k].group == m[i].group;
			k++)
			;
		group_told(m + i, k - i, ns);
	}
	for (uint32_t i = 0; i < b->rows_n; i++)
		ns[i] = per_instance(b, i, ns[i]);
	return ns;
}

/* The first row of this block or a later one. */
static uint32_t first_row(const struct breakdown *b, uint32_t block)
{
	uint32_t from = 0, n = b->rows_n;
	while (n) {
		uint32_t half = n / 2;
		if (b->rows[from + half].block < block) {
			from += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return from;
}

void layer_table_rows(const struct breakdown *b, uint32_t block, uint32_t *from,
	uint32_t *to)
{
	*from = first_row(b, block);
	*to = first_row(b, block + 1);
}

static bool together(const struct breakdown_row *x,
	const struct breakdown_row *y)
{
	return x->lane != y->lane &&
	       x->offset_ns < y->offset_ns + y->time.avg_ns &&
	       y->offset_ns < x->offset_ns + x->time.avg_ns;
}

bool layer_table_beside(const struct breakdown *b, uint32_t row, uint32_t block)
{
	const struct breakdown_row *x = &b->rows[row];
	if (x->overlapped_ns <= 0 || x->block != b->blocks[block].beside)
		return false;
	uint32_t from, to;
	layer_table_rows(b, block, &from, &to);
	for (uint32_t i = from; i < to; i++)
		if (together(x, &b->rows[i]))
			return true;
	return false;
}
