/* layer_table.c - builds the layer table line by line. */
#include "layer_table.h"
#include "breakdown_word.h"
#include "exact.h"
#include <assert.h>
#include <math.h>
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

/* A time in units of unit_ns, with up to three decimals and without zeros at
 * the end. The time is first rounded to tenths of a nanosecond, the precision
 * of means. Halves are rounded away from zero, as in the dashboard. */
static const char *layer_table_figure(struct arena *a, double ns,
	uint32_t unit_ns, const char *unit)
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

static const char **layer_table_row(struct layer_table *t)
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

static void layer_table_put(struct layer_table *t, const char *const *heads,
	const double *ns, uint32_t unit_ns, const char *unit)
{
	const char **at = layer_table_row(t);
	for (int i = 0; i < HEADS; i++)
		*at++ = heads[i] ? heads[i] : "";
	for (int i = 0; i < t->runs; i++)
		*at++ = layer_table_figure(t->arena, ns[i], unit_ns, unit);
}

void layer_table_total(struct layer_table *t, const char *what,
	const double *ns)
{
	const char *const heads[HEADS] = { what };
	layer_table_put(t, heads, ns, 1000000, " ms");
}

void layer_table_line(struct layer_table *t, const char *layer,
	const char *module, const char *kernel, const double *ns)
{
	const char *const heads[HEADS] = { layer, module, kernel };
	layer_table_put(t, heads, ns, 1000, "");
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
	static const char *const names[] = {
		[SECTION_BEFORE] = "before the layers",
		[SECTION_BETWEEN] = "between layers",
		[SECTION_AFTER] = "after the layers",
		[SECTION_FLAT] = "all",
	};
	if (place != SECTION_LAYER)
		return names[place];
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
