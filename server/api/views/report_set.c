/* report_set.c - three tables, and the words between them. */
#include "report_set.h"
#include "buf.h"
#include "cell.h"
#include "table.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REPORT_BYTES = 1 << 26 };

static const char *pct(struct arena *a, double share)
{
	return isfinite(share) ? arena_printf(a, "%.1f%%", 100 * share) : "";
}

const char *report_ai(struct arena *a, double ai)
{
	if (!isfinite(ai))
		return "";
	return ai >= 1000 ? arena_printf(a, "%.1fk", ai / 1000)
			  : arena_printf(a, "%.1f", ai);
}

const char *report_time(struct arena *a, double us, int decimals)
{
	if (!isfinite(us))
		return "";
	return us >= 1000 ? arena_printf(a, "%.*f ms", decimals, us / 1000)
			  : arena_printf(a, "%.*f us",
				    decimals == 1 ? 0 : decimals, us);
}

static const char *letter(const char *regime)
{
	if (!regime)
		return "";
	return !strcmp(regime, "compute")    ? "C"
	       : !strcmp(regime, "indexing") ? "I"
					     : "M";
}

static void importances(const struct matters *m, struct arena *a, struct buf *b)
{
	static const struct column columns[] = { { "Operator", false },
		{ "dtype", false }, { "Shapes", true },
		{ "Importance", true } };
	const char **at;
	struct table *t = cell_table(a, CELL_COLUMNS(columns), m->n, &at);
	for (uint32_t i = 0; i < m->n; i++) {
		const struct matter *r = &m->rows[i];
		*at++ = r->id ? arena_printf(a, "%s %s", r->operator, r->id)
			      : r->operator;
		*at++ = r->dtype ? r->dtype : "";
		*at++ = cell_whole(a, r->shapes);
		*at++ = pct(a, r->importance);
	}
	table_md(t, b);
}

/* Whether anything was measured there. */
static bool measured(const struct matters *m, uint32_t platform)
{
	for (uint32_t i = 0; i < m->n; i++)
		if (m->rows[i].places &&
			isfinite(m->rows[i].places[platform].prod_us))
			return true;
	return false;
}

static void rooflines(const struct matters *m, struct arena *a, struct buf *b)
{
	struct column *columns =
		arena_array(a, struct column, 3 + 2 * (size_t)m->platforms_n);
	const char **at;
	int width = 3;
	columns[0] = (struct column){ "Operator", false };
	columns[1] = (struct column){ "Regime", false };
	columns[2] = (struct column){ "AI", true };
	for (uint32_t p = 0; p < m->platforms_n; p++)
		columns[width++] = (struct column){
			arena_printf(a, "TSOL(%s)", m->platforms[p]->name), true
		};
	for (uint32_t p = 0; p < m->platforms_n; p++)
		if (measured(m, p))
			columns[width++] =
				(struct column){ arena_printf(a, "TProd(%s)",
							 m->platforms[p]->name),
					true };
	struct table *t = cell_table(a, columns, width, m->n, &at);
	for (uint32_t i = 0; i < m->n; i++) {
		const struct matter *r = &m->rows[i];
		const struct matter_place none = { NAN, NAN, NAN };
		*at++ = r->operator;
		*at++ = letter(r->regime);
		*at++ = report_ai(a, r->ai);
		for (uint32_t p = 0; p < m->platforms_n; p++)
			*at++ = report_time(a,
				(r->places ? &r->places[p] : &none)->sol_us, 2);
		for (uint32_t p = 0; p < m->platforms_n; p++)
			if (measured(m, p))
				*at++ = report_time(a,
					(r->places ? &r->places[p] : &none)
						->prod_us,
					1);
	}
	table_md(t, b);
}

static int by_s(const void *x, const void *y)
{
	const struct reference_operator *const *a = x, *const *b = y;
	double s = (*a)->s_median, t = (*b)->s_median;
	if (isnan(s) || isnan(t))
		return (isnan(s) != 0) - (isnan(t) != 0);
	if (s != t)
		return s < t ? -1 : 1;
	return strcmp((*a)->name, (*b)->name);
}

static void shapes(const struct reference *r, const struct matters *m,
	struct arena *a, struct buf *b)
{
	static const struct column columns[] = { { "Operator", false },
		{ "Shapes", true }, { "S (median)", true } };
	const struct reference_operator **all =
		arena_array(a, const struct reference_operator *, m->n + 1);
	uint32_t n = 0, rows = 0;
	const char **at;
	for (uint32_t i = 0; i < m->n; i++)
		for (uint32_t k = 0; k < r->operators_n; k++)
			if (!strcmp(r->operators[k].name,
				    m->rows[i].operator)) {
				all[n++] = &r->operators[k];
				rows += 1 + r->operators[k].shapes_n;
			}
	if (n)
		qsort(all, n, sizeof *all, by_s);
	struct table *t = cell_table(a, CELL_COLUMNS(columns), rows, &at);
	for (uint32_t i = 0; i < n; i++) {
		*at++ = all[i]->name;
		*at++ = cell_whole(a, all[i]->shapes_n);
		*at++ = pct(a, all[i]->s_median);
		for (uint32_t k = 0; k < all[i]->shapes_n; k++) {
			const struct reference_shape *s = &all[i]->shapes[k];
			*at++ = arena_printf(a, "#%lld %s", (long long)s->id,
				s->description ? s->description : "");
			*at++ = "";
			*at++ = pct(a, s->s);
		}
	}
	table_md(t, b);
}

char *report_set(const struct reference *r, const struct matters *m,
	struct arena *a)
{
	struct buf b;
	size_t len;
	buf_init(&b, REPORT_BYTES);
	buf_puts(&b, "# ");
	table_md_text(&b, m->set);
	buf_puts(&b, "\n\n");
	if (r->source) {
		table_md_text(&b, r->source);
		buf_puts(&b, "\n\n");
	}
	buf_printf(&b,
		"## Importance\n\n%u operator%s; weights from %lld "
		"profile%s, as published.\n\n",
		m->n, m->n == 1 ? "" : "s", (long long)r->runs,
		r->runs == 1 ? "" : "s");
	importances(m, a, &b);
	buf_puts(&b, "\n## Roofline\n\nThe median shape of each operator. C: "
		     "compute-bound (AI > 10 FLOP/byte); I: indexing; M: "
		     "memory-bound.\n\n");
	rooflines(m, a, &b);
	buf_puts(&b, "\n## Shapes\n\nS = TSOL / TProd; 100% is the hardware's "
		     "limit.\n\n");
	shapes(r, m, a, &b);
	return buf_take(&b, &len);
}
