/* view_set.c - a reference set as a row, as a document and as a report; also
 * the importance of a fleet as such a document. */
#include "view_set.h"
#include "query_fleet.h"
#include "reference_set.h"
#include "buf.h"
#include "names.h"
#include "profile_word.h"
#include "roofline.h"
#include "table.h"
#include "view_operators.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

json_t *view_set(const struct reference_set_row *r)
{
	json_t *v = json_object();
	view_set_text(v, "name", r->name);
	view_set_text(v, "source", r->source);
	view_set_text(v, "sha256", r->sha256);
	view_set_whole(v, "runs", r->runs);
	view_set_whole(v, "operators", r->operators);
	view_set_whole(v, "shapes", r->shapes);
	view_set_whole(v, "bytes", r->bytes);
	json_object_set_new(v, "created_at", view_moment(r->created));
	return v;
}

/* ---- as a document: the keys are those of Atrex-Bench (Apache-2.0), the
 * figures are ours */

/* The shapes of an operator that have one text and one dtype. */
struct view_set_group {
	const struct fleet_shape *first;
	json_t *production, *sol;
	int64_t calls;
	double total_s;
};

/* Whether all counts fit into a 64-bit integer. If one did not, the bound would
 * be computed from less work than the document shows. */
static bool view_set_document_countable(const struct fleet_shape *s)
{
	const struct cost *c = &s->cost;
	for (int d = 0; d < DTYPES; d++)
		if (c->flops[d] > INT64_MAX)
			return false;
	return s->costed && c->read_bytes <= INT64_MAX &&
	       c->write_bytes <= INT64_MAX;
}

static json_t *view_set_document_flops_json(const struct cost *cost)
{
	json_t *v = json_object();
	for (int d = 0; d < DTYPES; d++)
		if (cost->flops[d])
			json_object_set_new(v, dtype_word((enum dtype)d),
				json_integer((json_int_t)cost->flops[d]));
	return v;
}

static json_t *view_set_document_shape_json(struct view_set_group *g,
	int64_t id)
{
	const struct fleet_shape *s = g->first;
	json_t *v = json_object();
	view_set_whole(v, "id", id);
	view_set_text(v, "description", s->text);
	view_set_text(v, "shape", s->text);
	view_set_text(v, "dtype", dtype_word(s->dtype));
	view_set_text(v, "phase", profile_word_phase[s->phase]);
	view_set_whole(v, "call_count", g->calls);
	view_set_real(v, "total_duration_us", 1e6 * g->total_s);
	json_object_set_new(v, "input_kwargs", view_sizes(s->text));
	if (view_set_document_countable(s)) {
		json_object_set_new(v, "W_flops",
			view_set_document_flops_json(&s->cost));
		view_set_whole(v, "Q_read_bytes", (int64_t)s->cost.read_bytes);
		view_set_whole(v, "Q_write_bytes",
			(int64_t)s->cost.write_bytes);
	}
	json_object_set_new(v, "T_sol_ms", g->sol);
	json_object_set_new(v, "production_us", g->production);
	return v;
}

/* The roofline bound of the shape, on every platform of the fleet. */
static json_t *view_set_document_sol_of(const struct fleet_shape *s,
	const struct fleet_importance *m)
{
	json_t *v = json_object();
	struct bound b;
	for (uint32_t p = 0;
		view_set_document_countable(s) && p < m->platforms_n; p++) {
		roofline(&s->cost, m->platforms[p], &b);
		if (isfinite(b.sol_s))
			view_set_real(v, m->platforms[p]->name, 1e3 * b.sol_s);
	}
	return v;
}

static void view_set_document_group_add(struct view_set_group *g,
	const struct fleet_shape *s, const struct fleet_importance *m)
{
	if (!g->first)
		*g = (struct view_set_group){ .first = s,
			.production = json_object(),
			.sol = view_set_document_sol_of(s, m) };
	g->calls += s->calls;
	g->total_s += s->total_s;
	if (s->platform && *s->platform)
		view_set_real(g->production, s->platform, s->med_ns / 1e3);
}

/* The dtype with the largest share of the shapes' time. */
static enum dtype view_set_document_most(const struct view_set_group *all,
	uint32_t n)
{
	double of[DTYPES] = { 0 };
	enum dtype found = DTYPE_UNKNOWN;
	for (uint32_t i = 0; i < n; i++)
		of[all[i].first->dtype] += all[i].total_s;
	for (int d = 0; d < DTYPES; d++)
		if (d != DTYPE_UNKNOWN &&
			of[d] > (found == DTYPE_UNKNOWN ? 0 : of[found]))
			found = (enum dtype)d;
	return found;
}

static json_t *view_set_document_shapes_of(const struct fleet_importance *m,
	const char *op, const struct fleet_shape *rows, uint32_t n,
	struct arena *a, enum dtype *dtype)
{
	struct view_set_group *all =
		arena_array(a, struct view_set_group, (size_t)n + 1);
	json_t *list = json_array();
	struct names ns;
	names_init(&ns, a);
	for (uint32_t i = 0; i < n; i++) {
		const struct fleet_shape *s = &rows[i];
		if (!s->text || !s->op || strcmp(s->op, op) != 0)
			continue;
		const char *key = arena_printf(a, "%d %d %s", (int)s->dtype,
			(int)s->phase, s->text);
		view_set_document_group_add(&all[names_put(&ns, key,
							 strlen(key)) -
						    1],
			s, m);
	}
	for (uint32_t k = 0; k + 1 < ns.n; k++)
		view_append(list, view_set_document_shape_json(&all[k], k));
	*dtype = view_set_document_most(all, ns.n - 1);
	return list;
}

static json_t *view_set_document_operator_json(const struct fleet_importance *m,
	const struct fleet_importance_row *r, const struct fleet_shape *rows,
	uint32_t n, struct arena *a)
{
	enum dtype dtype;
	json_t *shapes =
		view_set_document_shapes_of(m, r->op, rows, n, a, &dtype);
	if (!json_array_size(shapes)) {
		json_decref(shapes);
		return NULL;
	}
	json_t *v = json_object();
	view_set_text(v, "name", r->op);
	view_set_text(v, "id", arena_printf(a, "kernsift_%s", r->op));
	view_set_text(v, "dtype", dtype_word(dtype));
	view_set_text(v, "phase",
		r->phase && strchr(r->phase, '/') ? "both" : r->phase);
	view_set_real(v, "importance_score", r->importance);
	view_set_whole(v, "num_profiles", r->runs);
	json_object_set_new(v, "shapes", shapes);
	return v;
}

static json_t *view_set_document_platforms_json(
	const struct fleet_importance *m)
{
	json_t *v = json_object();
	for (uint32_t i = 0; i < m->platforms_n; i++) {
		const struct platform *p = m->platforms[i];
		json_t *is = view_platform(p);
		json_t *one = json_pack("{s:O}", "p_peak_flops",
			json_object_get(is, "peak_flops"));
		view_set_real(one, "b_peak_bytes_per_s", p->bytes_per_s);
		json_object_set_new(v, p->name, one);
		json_decref(is);
	}
	return v;
}

static char *view_set_document_written(json_t *v)
{
	char *text = json_dumps(v, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
	json_decref(v);
	if (!text)
		abort();
	return text;
}

char *view_set_from_fleet(const struct fleet_importance *m,
	const struct fleet_shape *rows, uint32_t n, const struct catalog *c,
	struct arena *a)
{
	json_t *operators = json_array();
	for (uint32_t i = 0; i < m->n; i++) {
		json_t *one = m->rows[i].op ? view_set_document_operator_json(m,
						      &m->rows[i], rows, n, a)
					    : NULL;
		if (one)
			view_append(operators, one);
	}
	return view_set_document_written(json_pack("{s:s, s:o, s:o, s:o}",
		"source",
		arena_printf(a, "kernsift, catalog %s", catalog_version(c)),
		"num_profiles", view_whole(m->runs), "platforms",
		view_set_document_platforms_json(m), "operators", operators));
}

char *view_set_filtered(const char *json, size_t len,
	const struct fleet_importance *m)
{
	json_t *v = json_loadb(json, len, 0, NULL);
	json_t *all = json_object_get(v, "operators"), *kept = json_array();
	for (uint32_t i = 0; i < m->n; i++)
		for (size_t k = 0; k < json_array_size(all); k++) {
			json_t *one = json_array_get(all, k);
			const char *name =
				json_string_value(json_object_get(one, "name"));
			if (name && !strcmp(name, m->rows[i].op))
				json_array_append(kept, one);
		}
	json_object_set_new(v, "operators", kept);
	return view_set_document_written(v);
}

/* ---- as the publisher's page shows it: three tables, and the text between
 * them */

enum { REPORT_BYTES = 1 << 26 };

static const char *view_set_report_pct(struct arena *a, double share)
{
	return isfinite(share) ? arena_printf(a, "%.1f%%", 100 * share) : "";
}

const char *view_set_report_ai(struct arena *a, double ai)
{
	if (!isfinite(ai))
		return "";
	return ai >= 1000 ? arena_printf(a, "%.1fk", ai / 1000)
			  : arena_printf(a, "%.1f", ai);
}

const char *view_set_report_time(struct arena *a, double us, int decimals)
{
	if (!isfinite(us))
		return "";
	return us >= 1000 ? arena_printf(a, "%.*f ms", decimals, us / 1000)
			  : arena_printf(a, "%.*f us",
				    decimals == 1 ? 0 : decimals, us);
}

static const char *view_set_report_letter(const char *regime)
{
	if (!regime)
		return "";
	return !strcmp(regime, "compute")    ? "C"
	       : !strcmp(regime, "indexing") ? "I"
					     : "M";
}

static void view_set_report_importances(const struct fleet_importance *m,
	struct arena *a, struct buf *b)
{
	static const struct column columns[] = { { "Operator", false },
		{ "dtype", false }, { "Shapes", true },
		{ "Importance", true } };
	const char **at;
	struct table *t = table_new(a, TABLE_COLUMNS(columns), m->n, &at);
	for (uint32_t i = 0; i < m->n; i++) {
		const struct fleet_importance_row *r = &m->rows[i];
		*at++ = r->id ? arena_printf(a, "%s %s", r->op, r->id) : r->op;
		*at++ = r->dtype ? r->dtype : "";
		*at++ = table_whole(a, r->shapes);
		*at++ = view_set_report_pct(a, r->importance);
	}
	table_md(t, b);
}

/* Whether anything was measured there. */
static bool view_set_report_measured(const struct fleet_importance *m,
	uint32_t platform)
{
	for (uint32_t i = 0; i < m->n; i++)
		if (m->rows[i].places &&
			isfinite(m->rows[i].places[platform].prod_us))
			return true;
	return false;
}

static void view_set_report_rooflines(const struct fleet_importance *m,
	struct arena *a, struct buf *b)
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
		if (view_set_report_measured(m, p))
			columns[width++] =
				(struct column){ arena_printf(a, "TProd(%s)",
							 m->platforms[p]->name),
					true };
	struct table *t = table_new(a, columns, width, m->n, &at);
	for (uint32_t i = 0; i < m->n; i++) {
		const struct fleet_importance_row *r = &m->rows[i];
		const struct fleet_importance_place none = { NAN, NAN, NAN };
		*at++ = r->op;
		*at++ = view_set_report_letter(r->regime);
		*at++ = view_set_report_ai(a, r->ai);
		for (uint32_t p = 0; p < m->platforms_n; p++)
			*at++ = view_set_report_time(a,
				(r->places ? &r->places[p] : &none)->sol_us, 2);
		for (uint32_t p = 0; p < m->platforms_n; p++)
			if (view_set_report_measured(m, p))
				*at++ = view_set_report_time(a,
					(r->places ? &r->places[p] : &none)
						->prod_us,
					1);
	}
	table_md(t, b);
}

static int view_set_report_by_s(const void *x, const void *y)
{
	const struct reference_operator *const *a = x, *const *b = y;
	double s = (*a)->s_median, t = (*b)->s_median;
	if (isnan(s) || isnan(t))
		return (isnan(s) != 0) - (isnan(t) != 0);
	if (s != t)
		return s < t ? -1 : 1;
	return strcmp((*a)->name, (*b)->name);
}

static void view_set_report_shapes(const struct reference *r,
	const struct fleet_importance *m, struct arena *a, struct buf *b)
{
	static const struct column columns[] = { { "Operator", false },
		{ "Shapes", true }, { "S (median)", true } };
	const struct reference_operator **all =
		arena_array(a, const struct reference_operator *, m->n + 1);
	uint32_t n = 0, rows = 0;
	const char **at;
	for (uint32_t i = 0; i < m->n; i++)
		for (uint32_t k = 0; k < r->operators_n; k++)
			if (!strcmp(r->operators[k].name, m->rows[i].op)) {
				all[n++] = &r->operators[k];
				rows += 1 + r->operators[k].shapes_n;
			}
	if (n)
		qsort(all, n, sizeof *all, view_set_report_by_s);
	struct table *t = table_new(a, TABLE_COLUMNS(columns), rows, &at);
	for (uint32_t i = 0; i < n; i++) {
		*at++ = all[i]->name;
		*at++ = table_whole(a, all[i]->shapes_n);
		*at++ = view_set_report_pct(a, all[i]->s_median);
		for (uint32_t k = 0; k < all[i]->shapes_n; k++) {
			const struct reference_shape *s = &all[i]->shapes[k];
			*at++ = arena_printf(a, "#%lld %s", (long long)s->id,
				s->description ? s->description : "");
			*at++ = "";
			*at++ = view_set_report_pct(a, s->s);
		}
	}
	table_md(t, b);
}

char *view_set_report(const struct reference *r,
	const struct fleet_importance *m, struct arena *a)
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
	view_set_report_importances(m, a, &b);
	buf_puts(&b, "\n## Roofline\n\nThe median shape of each operator. C: "
		     "compute-bound (AI > 10 FLOP/byte); I: indexing; M: "
		     "memory-bound.\n\n");
	view_set_report_rooflines(m, a, &b);
	buf_puts(&b, "\n## Shapes\n\nS = TSOL / TProd; 100% is the hardware's "
		     "limit.\n\n");
	view_set_report_shapes(r, m, a, &b);
	return buf_take(&b, &len);
}
