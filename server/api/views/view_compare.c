/* view_compare.c - a comparison as JSON, as a table, and as the report that
 * people paste into a pull request. */
#include "view_compare.h"
#include "comparison_word.h"
#include "findings.h"
#include "distinct_name.h"
#include "kernel_name.h"
#include "names.h"
#include "profile_word.h"
#include "table.h"
#include <math.h>
#include <string.h>

/* ---- as JSON */

static json_t *view_compare_names(const struct compared_run *r)
{
	json_t *names = json_array();
	for (uint32_t i = 0; i < r->device_names_n; i++)
		view_append(names, json_string(r->device_names[i]));
	return names;
}

static json_t *view_compare_resources(const struct changed_row *r);

/* How the functions of a comparison are named: the distinct names of its kernels, by
 * full name, or their short names. */
struct view_compare_names {
	struct arena *a;
	struct names full;
	const char **distinct; /* by id in `full`; NULL: short names */
};

static void view_compare_names_add(struct view_compare_names *names,
	enum function_type type, const char *const *list, uint32_t n)
{
	if (!view_function_is_kernel(type))
		return;
	for (uint32_t i = 0; i < n; i++)
		names_put(&names->full, list[i], strlen(list[i]));
}

static struct view_compare_names view_compare_names_from(struct arena *a,
	const struct comparison *c)
{
	struct view_compare_names names = { .a = a };

	names_init(&names.full, a);
	for (uint32_t i = 0; i < c->rows_n; i++) {
		const struct changed_row *r = &c->rows[i];
		if (!r->base_names_n)
			view_compare_names_add(&names, r->type, &r->name, 1);
		view_compare_names_add(&names, r->type, r->base_names,
			r->base_names_n);
		view_compare_names_add(&names, r->type, r->head_names,
			r->head_names_n);
	}
	const char **list = arena_array(a, const char *, names.full.n);
	for (uint32_t id = 0; id < names.full.n; id++)
		list[id] = names_text(&names.full, id);
	names.distinct = distinct_names(a, list, names.full.n);
	return names;
}

static const char *view_compare_name(const struct view_compare_names *names,
	enum function_type type, const char *name)
{
	uint32_t id = names->distinct
			      ? names_find(&names->full, name, strlen(name))
			      : NAMES_NONE;
	return id == NAMES_NONE ? view_function(names->a, type, name)
				: names->distinct[id];
}

/* The functions of a row on one side, at most three. */
static const char *view_compare_side_name(const struct view_compare_names
						  *names,
	enum function_type type, const char *const *list, uint32_t n)
{
	enum { SHOWN = 3 };
	const char *text = view_compare_name(names, type, list[0]);
	for (uint32_t i = 1; i < n && i < SHOWN; i++)
		text = arena_printf(names->a, "%s + %s", text,
			view_compare_name(names, type, list[i]));
	return n > SHOWN
		       ? arena_printf(names->a, "%s + %u more", text, n - SHOWN)
		       : text;
}

static const char *view_compare_distinct_name(const struct view_compare_names
						      *names,
	const struct changed_row *r)
{
	if (r->base_names_n)
		return view_compare_side_name(names, r->type, r->base_names,
			r->base_names_n);
	return view_compare_name(names, r->type, r->name);
}

static const char *view_compare_head_distinct_name(
	const struct view_compare_names *names, const struct changed_row *r)
{
	return r->head_name ? view_compare_side_name(names, r->type,
				      r->head_names, r->head_names_n)
			    : NULL;
}

static const char *view_compare_short_name(struct arena *a,
	const struct changed_row *r)
{
	return view_compare_distinct_name(
		&(struct view_compare_names){ .a = a }, r);
}

static const char *view_compare_head_short_name(struct arena *a,
	const struct changed_row *r)
{
	return view_compare_head_distinct_name(
		&(struct view_compare_names){ .a = a }, r);
}

static json_t *view_compare_reals(const double *x, uint32_t n)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < n; i++)
		view_append(list, view_real(x[i]));
	return list;
}

static json_t *view_compare_indices(const uint32_t *list, uint32_t n)
{
	json_t *all = json_array();
	for (uint32_t i = 0; i < n; i++)
		view_append(all, json_integer(list[i]));
	return all;
}

static json_t *view_compared_group_side(const struct compared_group_side *s);
static json_t *view_compare_terms(const struct decomposition *d);

#define ROWS "compare.def"
#include "row_functions.h"

json_t *view_compared_runs(const struct compared_run *runs, uint32_t n)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < n; i++)
		view_append(list, row_compared_run(&runs[i]));
	return list;
}

static json_t *view_compared_group_side(const struct compared_group_side *s)
{
	return s->text ? row_compared_group_side(s) : json_null();
}

json_t *view_noise_prior(const struct noise_prior *n)
{
	return row_noise_prior(n);
}

static json_t *view_compare_resources(const struct changed_row *r)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < r->resources_n; i++)
		view_append(list, row_changed_resource(r, i));
	return list;
}

/* Without evidence there is no verdict. */
static bool view_compare_judged(const struct comparison *c,
	const struct change *change)
{
	return c->comparable && change->evidence != EVIDENCE_NONE;
}

static json_t *view_compare_split(const struct comparison *c)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < c->split_n; i++) {
		const struct change *x = &c->split[i].change;
		view_append(list, row_split_row(&c->split[i], x,
					  view_compare_judged(c, x)));
	}
	return list;
}

/* null: the causes are not known. */
static json_t *view_compare_causes(const struct comparison *c)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < c->causes_n; i++) {
		const struct change *x = &c->causes[i].change;
		view_append(list, row_idle_cause_row(&c->causes[i], x,
					  view_compare_judged(c, x)));
	}
	if (c->causes_known)
		return list;
	json_decref(list);
	return json_null();
}

static json_t *view_compare_terms(const struct decomposition *d)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < d->terms_n; i++)
		view_append(list, row_change_term(&d->terms[i]));
	return list;
}

static json_t *view_compare_decompositions(const struct comparison *c)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < c->decompositions_n; i++)
		view_append(list, row_decomposition(&c->decompositions[i]));
	return list;
}

static json_t *view_compare_functions(const struct view_compare_names *names,
	const struct comparison *c)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < c->functions_n; i++) {
		const struct changed_function *f = &c->functions[i];
		view_append(list, row_verdict_function(names->a, names, f,
					  &c->rows[f->rows[0]], &f->change,
					  view_compare_judged(c, &f->change)));
	}
	return list;
}

static json_t *view_compare_operators(const struct comparison *c)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < c->operators_n; i++) {
		const struct changed_operator *o = &c->operators[i];
		view_append(list, row_verdict_operator(o, &o->change,
					  view_compare_judged(c, &o->change)));
	}
	return list;
}

static json_t *view_compare_groups(const struct comparison *c)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < c->groups_n; i++) {
		const struct compared_group *g = &c->groups[i];
		view_append(list,
			row_compared_group(g, &g->iteration,
				view_compare_judged(c, &g->iteration)));
	}
	return list;
}

json_t *view_findings(const struct comparison *c)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < c->findings_n; i++) {
		const struct finding *f = &c->findings[i];
		view_append(list,
			view_finding(finding_name(f->code),
				comparison_word_severity[finding_severity(
					f->code)],
				f->text));
	}
	return list;
}

static json_t *view_compare_counts(const struct comparison *c)
{
	json_t *v = json_object();
	for (int i = 0; i < CHANGE_CLASSES; i++)
		view_set_whole(v, comparison_word_class[i],
			c->comparable ? c->count[i] : 0);
	return v;
}

json_t *view_compare(struct arena *a, const struct comparison *c,
	const struct compare_sides *s)
{
	const struct view_compare_names names = view_compare_names_from(a, c);
	json_t *items = json_array();
	for (uint32_t i = 0; i < c->rows_n; i++)
		view_append(items,
			row_verdict_row(a, &names, &c->rows[i],
				&c->rows[i].change,
				view_compare_judged(c, &c->rows[i].change)));
	json_t *v = json_pack("{s:s, s:s, s:b, s:o, s:o, s:o, s:o, s:o}",
		"score", "verdict", "headline", c->headline, "comparable",
		c->comparable, "findings", view_findings(c), "base",
		row_comparison_side(&c->base, s->base, s->base_n), "head",
		row_comparison_side(&c->head, s->head, s->head_n), "split",
		view_compare_split(c), "common",
		c->common.there ? row_common_factor(&c->common) : json_null());
	json_object_set_new(v, "idle_causes", view_compare_causes(c));
	json_object_set_new(v, "decompositions",
		view_compare_decompositions(c));
	view_set_text(v, "tokens_reason", c->tokens_reason);
	json_object_set_new(v, "groups", view_compare_groups(c));
	view_set_whole(v, "group",
		c->group < c->groups_n ? (int64_t)c->group : -1);
	json_object_set_new(v, "by_operator", json_boolean(c->by_operator));
	json_object_set_new(v, "operators", view_compare_operators(c));
	json_object_set_new(v, "functions", view_compare_functions(&names, c));
	json_object_set_new(v, "items", items);
	json_object_set_new(v, "counts", view_compare_counts(c));
	view_set_text(v, "range", s->range);
	view_set_whole(v, "seed", (int64_t)c->seed);
	view_set_whole(v, "permutations", c->permutations);
	view_set_whole(v, "block", c->block);
	view_set_real(v, "alpha", c->alpha);
	view_set_real(v, "margin", c->margin);
	view_set_real(v, "noise_floor", c->floor >= 0 ? c->floor : (double)NAN);
	view_set_whole(v, "repeats", c->repeats);
	json_object_set_new(v, "noise_prior", view_noise_prior(&c->noise));
	return v;
}

json_t *view_compare_series(struct arena *a, const char *function,
	const char *device, const struct compare_series sides[2])
{
	return row_series(a, function, device, sides);
}

/* ---- as a table, and as a report */

static const char *view_compare_text_or_empty(const char *s)
{
	return s ? s : "";
}

static const char *view_compare_text_class(struct arena *a,
	enum change_class is)
{
	char *text = arena_strdup(a, comparison_word_class[is]);
	for (char *p = text; *p; p++)
		*p = *p == '_' ? ' ' : *p;
	return text;
}

static const char *view_compare_text_word_of(struct arena *a,
	const struct comparison *c, const struct change *change)
{
	if (view_compare_judged(c, change))
		return view_compare_text_class(a, change->is);
	return c->comparable ? "not judged" : "";
}

const struct table *view_compare_table(struct arena *a,
	const struct comparison *c)
{
	struct row_table *t = row_table_begin(a, "verdict_row", NULL);
	row_table_rows(t, c->rows_n);
	for (uint32_t i = 0; i < c->rows_n; i++) {
		const struct change *x = &c->rows[i].change;
		row_verdict_row_cells(t, a, NULL, &c->rows[i], x,
			view_compare_judged(c, x));
		row_table_next(t);
	}
	return &t->table;
}

/* ---- the report */

static const char *view_compare_text_us(struct arena *a, double ns)
{
	return isfinite(ns) ? arena_printf(a, "%.2f", ns / 1e3) : "";
}

/* For example "+12.3 (+4.5 %)", in microseconds. */
static const char *view_compare_text_moved(struct arena *a,
	const struct change *x)
{
	if (!isfinite(x->delta_ns))
		return "";
	if (!(x->base_ns > 0))
		return arena_printf(a, "%+.2f", x->delta_ns / 1e3);
	return arena_printf(a, "%+.2f (%+.1f %%)", x->delta_ns / 1e3,
		100 * x->delta_ns / x->base_ns);
}

static const char *view_compare_text_interval(struct arena *a,
	const struct change *x)
{
	if (!isfinite(x->low_ns) || !isfinite(x->high_ns))
		return "";
	return arena_printf(a, "%+.2f to %+.2f", x->low_ns / 1e3,
		x->high_ns / 1e3);
}

static const struct change *view_compare_part(const struct comparison *c,
	enum split_part part)
{
	for (uint32_t i = 0; i < c->split_n; i++)
		if (c->split[i].part == part)
			return &c->split[i].change;
	return NULL;
}

/* The change that the headline begins with: of the iteration, or of windows, whose
 * length is random, of the kernels that compute. NULL: unknown. */
static const struct change *view_compare_whole(const struct comparison *c)
{
	const struct change *whole = view_compare_part(c, SPLIT_PART_iteration);
	if (!whole || (c->base.detector == ITERATIONS_WINDOW &&
			      c->head.detector == ITERATIONS_WINDOW))
		whole = view_compare_part(c, SPLIT_PART_compute);
	return whole;
}

/* Shapes that also differ without color. They state what the headline states: whether
 * the whole changed, or that its change is not proven. If the whole did not change,
 * or if it is unknown, the functions that the headline names decide. */
static const char *view_compare_mark(const struct comparison *c)
{
	const struct change *whole = view_compare_whole(c);
	bool slower = c->count[CHANGE_REGRESSED] || c->count[CHANGE_APPEARED];
	bool faster = c->count[CHANGE_IMPROVED] || c->count[CHANGE_VANISHED];
	if (!c->comparable)
		return "⚠️";
	if (whole && whole->is <= CHANGE_VANISHED)
		return whole->is <= CHANGE_APPEARED ? "❌" : "✅";
	if (whole &&
		(whole->is == CHANGE_LIKELY ||
			(whole->is == CHANGE_UNDECIDED && (slower || faster))))
		return "❔";
	return slower ? "❌" : faster ? "✅" : "➖";
}

static void view_compare_text_head(const struct comparison *c, const char *site,
	const char *path, struct buf *b)
{
	table_md_heading(b, view_compare_mark(c), "Comparison", site, path);
	buf_puts(b, ": ");
	table_md_text(b, c->headline);
	buf_puts(b, "\n\n");
	for (uint32_t i = 0; i < c->findings_n; i++) {
		const struct finding *f = &c->findings[i];
		buf_printf(b, "- **%s**: ",
			comparison_word_severity[finding_severity(f->code)]);
		table_md_text(b, f->text);
		buf_puts(b, "\n");
	}
	buf_puts(b, c->findings_n ? "\n" : "");
}

static const char *view_compare_text_run_names(struct arena *a,
	const struct compared_run *runs, uint32_t n)
{
	const char *list = "";
	for (uint32_t i = 0; i < n; i++)
		list = arena_printf(a, "%s%s%s (%lld)", list, i ? ", " : "",
			runs[i].name, (long long)runs[i].id);
	return list;
}

/* The value of the label if all runs have the same one; "" otherwise. */
static const char *view_compare_text_label(struct arena *a,
	const struct compared_run *runs, uint32_t n, const char *label)
{
	const char *shared = NULL;
	for (uint32_t i = 0; i < n; i++) {
		json_t *own = view_labels(runs[i].labels);
		const char *value =
			json_string_value(json_object_get(own, label));
		bool same = value && (!shared || !strcmp(value, shared));
		shared = same ? arena_strdup(a, value) : "";
		json_decref(own);
		if (!same)
			break;
	}
	return shared ? shared : "";
}

static void view_compare_text_sides(struct arena *a, const struct comparison *c,
	const struct compare_sides *s, struct buf *b)
{
	static const struct column heads[] = { { "", false }, { "Base", false },
		{ "Head", false } };
	const struct comparison_side *both[] = { &c->base, &c->head };
	static const char *const labels[] = { "commit", "branch" };
	const char *cells[6][3] = {
		{ "runs", view_compare_text_run_names(a, s->base, s->base_n),
			view_compare_text_run_names(a, s->head, s->head_n) },
	};
	uint32_t n = 1;
	for (int i = 0; i < 2; i++) {
		cells[n][0] = labels[i];
		cells[n][1] = view_compare_text_label(a, s->base, s->base_n,
			labels[i]);
		cells[n][2] = view_compare_text_label(a, s->head, s->head_n,
			labels[i]);
		if (*cells[n][1] || *cells[n][2])
			n++;
	}
	cells[n][0] = "iterations from";
	cells[n + 1][0] = "iterations compared";
	cells[n + 2][0] = "mean iteration (µs)";
	for (int i = 0; i < 2; i++) {
		cells[n][i + 1] = profile_word_detector[both[i]->detector];
		cells[n + 1][i + 1] = arena_printf(a, "%u of %u",
			both[i]->iterations_used, both[i]->iterations);
		cells[n + 2][i + 1] =
			view_compare_text_us(a, both[i]->iteration_ns);
	}
	const struct table t = { heads, 3, &cells[0][0], n + 3 };
	table_md(&t, b);
}

static const struct column split_columns[] = { { "Part", false },
	{ "Base (µs)", true }, { "Head (µs)", true }, { "Change (µs)", true },
	{ "Verdict", false } };

static void view_compare_text_part(struct arena *a, const struct comparison *c,
	const char *what, const struct change *x, const char ***at)
{
	*(*at)++ = what;
	*(*at)++ = view_compare_text_us(a, x->base_ns);
	*(*at)++ = view_compare_text_us(a, x->head_ns);
	*(*at)++ = view_compare_text_moved(a, x);
	*(*at)++ = view_compare_text_word_of(a, c, x);
}

/* The decomposition that is printed: of the output token, or of the iteration if it
 * has none; NULL: neither. */
static const struct decomposition *view_compare_decomposed(
	const struct comparison *c)
{
	return c->decompositions_n ? &c->decompositions[c->decompositions_n - 1]
				   : NULL;
}

/* Whether the part or cause of this name is among the printed terms of the
 * iteration, and need not be printed again. */
static bool view_compare_is_term(const struct comparison *c, const char *word)
{
	const struct decomposition *d = view_compare_decomposed(c);
	if (!d || d->of != DECOMPOSED_ITERATION)
		return false;
	for (uint32_t i = 0; i < d->terms_n; i++)
		if (!strcmp(d->terms[i].term, word))
			return true;
	return !strcmp(word, comparison_word_part[SPLIT_PART_iteration].word);
}

/* The parts of the iteration, except those that are printed as terms. */
static void view_compare_text_split(struct arena *a, const struct comparison *c,
	struct buf *b)
{
	const struct decomposition *d = view_compare_decomposed(c);
	const char **at;
	struct table *t = table_new(a, TABLE_COLUMNS(split_columns),
		c->split_n + c->causes_n, &at);
	uint32_t n = 0;
	for (uint32_t i = 0; i < c->split_n; i++) {
		const struct split_row *s = &c->split[i];
		if (!view_compare_is_term(c,
			    comparison_word_part[s->part].word)) {
			view_compare_text_part(a, c,
				comparison_word_part[s->part].what, &s->change,
				&at);
			n++;
		}
		if (s->part != SPLIT_PART_idle)
			continue;
		for (uint32_t k = 0; k < c->causes_n; k++) {
			const struct changed_cause *x = &c->causes[k];
			if (view_compare_is_term(c,
				    profile_word_wait[x->cause]))
				continue;
			view_compare_text_part(a, c,
				arena_printf(a, "of idle: %s",
					profile_word_wait_text[x->cause]),
				&x->change, &at);
			n++;
		}
	}
	t->rows = n;
	if (n) {
		buf_puts(b,
			d && d->of == DECOMPOSED_ITERATION
				? "\n### Other times of the iteration\n\n"
				: "\n### Breakdown of the iteration time\n\n");
		table_md(t, b);
	}
	if (c->common.there)
		buf_printf(b,
			"\nCommon factor of most kernels: %.3f (%.3f to %.3f), "
			"%+.2f µs per iteration, over %u kernels.\n",
			c->common.ratio, c->common.low, c->common.high,
			c->common.ns / 1e3, c->common.kernels);
}

/* Whole nanoseconds as microseconds: "+12.345". So printed terms add up. */
static const char *view_compare_text_whole_us(struct arena *a, const char *sign,
	int64_t ns)
{
	uint64_t size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
	return arena_printf(a, "%s%llu.%03llu", ns < 0 ? "-" : sign,
		(unsigned long long)(size / 1000),
		(unsigned long long)(size % 1000));
}

/* The change of the iteration, or of the part or cause that a term of it is; NULL:
 * none. */
static const struct change *view_compare_term_change(const struct comparison *c,
	const struct change_term *t)
{
	for (uint32_t i = 0; t->term && i < c->causes_n; i++)
		if (!strcmp(t->term, profile_word_wait[c->causes[i].cause]))
			return &c->causes[i].change;
	for (int part = 0; t->term && part < SPLIT_PARTS; part++)
		if (!strcmp(t->term, comparison_word_part[part].word))
			return view_compare_part(c, (enum split_part)part);
	return t->term ? NULL : view_compare_part(c, SPLIT_PART_iteration);
}

static const char *view_compare_text_percent(struct arena *a,
	const struct change *x)
{
	return x && x->base_ns > 0 && isfinite(x->delta_ns)
		       ? arena_printf(a, "%+.1f",
				 100 * x->delta_ns / x->base_ns)
		       : "";
}

static void view_compare_text_term(struct arena *a, const struct comparison *c,
	bool judged, const char *what, const struct change_term *t,
	const char ***at)
{
	const struct change *x = judged ? view_compare_term_change(c, t) : NULL;
	*(*at)++ = what;
	*(*at)++ = view_compare_text_whole_us(a, "", t->base_ns);
	*(*at)++ = view_compare_text_whole_us(a, "", t->head_ns);
	*(*at)++ = view_compare_text_whole_us(a, "+", t->head_ns - t->base_ns);
	*(*at)++ = isfinite(t->low_ns) && isfinite(t->high_ns)
			   ? arena_printf(a, "%+.3f to %+.3f", t->low_ns / 1e3,
				     t->high_ns / 1e3)
			   : "";
	if (!judged)
		return;
	*(*at)++ = view_compare_text_percent(a, x);
	*(*at)++ = x ? view_compare_text_word_of(a, c, x) : "";
}

static const struct column term_columns[] = { { "Term", false },
	{ "Base (µs)", true }, { "Head (µs)", true }, { "Change (µs)", true },
	{ "95 % (µs)", true }, { "Change (%)", true }, { "Verdict", false } };
enum { TOKEN_COLUMNS = 5 }; /* the terms of a token are not judged */

static void view_compare_text_terms(struct arena *a, const struct comparison *c,
	struct buf *b)
{
	const struct decomposition *d = view_compare_decomposed(c);
	const char **at;
	if (!d)
		return;
	bool judged = d->of == DECOMPOSED_ITERATION;
	const char *of = d->of == DECOMPOSED_TOKEN ? "time per output token"
						   : "iteration";
	struct table *t = table_new(a, term_columns,
		judged ? sizeof term_columns / sizeof *term_columns
		       : TOKEN_COLUMNS,
		d->terms_n + 1, &at);
	view_compare_text_term(a, c, judged, arena_printf(a, "mean %s", of),
		&d->total, &at);
	for (uint32_t i = 0; i < d->terms_n; i++)
		view_compare_text_term(a, c, judged, d->terms[i].description,
			&d->terms[i], &at);
	buf_printf(b, "\n### Terms of the mean %s\n\n", of);
	table_md(t, b);
	buf_printf(b, "\nMedian: %s µs in the base, %s in the head.\n",
		view_compare_text_us(a, d->base_median_ns),
		view_compare_text_us(a, d->head_median_ns));
	if (d->base_tokens != d->head_tokens)
		buf_printf(b,
			"Accepted tokens per step: %.4g in the base, %.4g in "
			"the head; their change makes %s µs of the change.\n",
			d->base_tokens, d->head_tokens,
			view_compare_text_whole_us(a, "+", d->by_tokens_ns));
	if (c->tokens_reason) {
		buf_puts(b,
			"This is the time per step, not per output token: ");
		table_md_text(b, c->tokens_reason);
		buf_puts(b, ".\n");
	}
}

static const struct column row_columns[] = { { "Verdict", false },
	{ "Function", false }, { "Device", false }, { "Base (µs)", true },
	{ "Head (µs)", true }, { "Change (µs)", true }, { "95 % (µs)", true },
	{ "Launches", true }, { "p family", true }, { "Evidence", false } };

static const char *view_compare_text_launches(struct arena *a,
	double base_launches, double head_launches)
{
	const char *base = table_figure(a, base_launches);
	const char *after = table_figure(a, head_launches);
	if (!*base || !*after)
		return "";
	return arena_printf(a, "%s → %s", base, after);
}

/* The name of the head first, because readers look for it there. */
static const char *view_compare_text_function(const struct view_compare_names
						      *names,
	const struct changed_row *r)
{
	const char *name = view_compare_distinct_name(names, r),
		   *head = view_compare_head_distinct_name(names, r);
	return head ? arena_printf(names->a, "%s (in the base %s)", head, name)
		    : name;
}

static const struct column operator_columns[] = { { "Verdict", false },
	{ "Operator", false }, { "Kernels", false }, { "Base (µs)", true },
	{ "Head (µs)", true }, { "Change (µs)", true }, { "95 % (µs)", true },
	{ "p family", true }, { "Evidence", false } };

static const char *view_compare_text_names(struct arena *a,
	const char *const *names, uint32_t n)
{
	const char *list = n ? names[0] : "";
	for (uint32_t i = 1; i < n; i++)
		list = arena_printf(a, "%s + %s", list, names[i]);
	return list;
}

static const char *view_compare_text_operator(struct arena *a,
	const struct changed_operator *o)
{
	if (o->inferred)
		return arena_printf(a, "%s (inferred: %s → %s)", o->name,
			view_compare_text_names(a, o->base_operators,
				o->base_operators_n),
			view_compare_text_names(a, o->head_operators,
				o->head_operators_n));
	return o->shape ? arena_printf(a, "%s %s", o->name, o->shape) : o->name;
}

static const char *view_compare_text_kernels(struct arena *a,
	const struct changed_operator *o)
{
	if (!o->base_kernels && !o->head_kernels)
		return "";
	return arena_printf(a, "%s → %s",
		o->base_kernels ? o->base_kernels : "none",
		o->head_kernels ? o->head_kernels : "none");
}

/* All operators: there are few, and together they are nearly all of the time. */
static void view_compare_text_operators(struct arena *a,
	const struct comparison *c, struct buf *b)
{
	const char **at;
	struct table *t = table_new(a, TABLE_COLUMNS(operator_columns),
		c->operators_n, &at);
	if (!c->by_operator)
		return;
	for (uint32_t i = 0; i < c->operators_n; i++) {
		const struct changed_operator *o = &c->operators[i];
		const struct change *x = &o->change;
		*at++ = view_compare_text_word_of(a, c, x);
		*at++ = view_compare_text_operator(a, o);
		*at++ = view_compare_text_kernels(a, o);
		*at++ = view_compare_text_us(a, x->base_ns);
		*at++ = view_compare_text_us(a, x->head_ns);
		*at++ = view_compare_text_moved(a, x);
		*at++ = view_compare_text_interval(a, x);
		*at++ = table_figure(a, x->p_family);
		*at++ = comparison_word_evidence[x->evidence];
	}
	buf_puts(b, "\n### Operators, per iteration\n\n");
	table_md(t, b);
}

/* A function that is worth showing, or a row of it. */
struct view_compare_line {
	const struct changed_row *row;
	const struct changed_function *folded; /* NULL: one row */
};

/* Functions are sorted by class, so those that may need action come first. If ranks
 * changed and the function did not as a whole, they are shown. */
static struct view_compare_line *view_compare_lines(struct arena *a,
	const struct comparison *c, uint32_t *n)
{
	struct view_compare_line *list =
		arena_array(a, struct view_compare_line, c->rows_n + 1);
	*n = 0;
	for (uint32_t i = 0; c->comparable && i < c->functions_n; i++) {
		const struct changed_function *f = &c->functions[i];
		if (f->rows_n > 1 && f->change.is < CHANGE_UNDECIDED) {
			list[(*n)++] = (struct view_compare_line){
				&c->rows[f->rows[0]], f
			};
			continue;
		}
		for (uint32_t k = 0; k < f->rows_n; k++)
			if (c->rows[f->rows[k]].change.is < CHANGE_UNDECIDED)
				list[(*n)++].row = &c->rows[f->rows[k]];
	}
	return list;
}

static void view_compare_text_rows(struct arena *a, const struct comparison *c,
	struct buf *b)
{
	const char **at;
	uint32_t n;
	const struct view_compare_names names = view_compare_names_from(a, c);
	const struct view_compare_line *lines = view_compare_lines(a, c, &n);
	struct table *t = table_new(a, TABLE_COLUMNS(row_columns), n, &at);
	for (uint32_t i = 0; i < n; i++) {
		const struct changed_row *r = lines[i].row;
		const struct changed_function *f = lines[i].folded;
		const struct change *x = f ? &f->change : &r->change;
		*at++ = view_compare_text_word_of(a, c, x);
		*at++ = view_compare_text_function(&names, r);
		*at++ = view_compare_text_or_empty(f ? f->device : r->device);
		*at++ = view_compare_text_us(a, x->base_ns);
		*at++ = view_compare_text_us(a, x->head_ns);
		*at++ = view_compare_text_moved(a, x);
		*at++ = view_compare_text_interval(a, x);
		*at++ = view_compare_text_launches(a,
			f ? f->base_launches : r->base_launches,
			f ? f->head_launches : r->head_launches);
		*at++ = table_figure(a, x->p_family);
		*at++ = comparison_word_evidence[x->evidence];
	}
	buf_puts(b, "\n### What changed, per iteration\n\n");
	if (n)
		table_md(t, b);
	else
		buf_puts(b, c->comparable ? "Nothing that can be shown.\n"
					  : "Nothing is judged.\n");
}

static void view_compare_text_feet(struct arena *a, const struct comparison *c,
	struct buf *b)
{
	bool any = false;
	buf_puts(b, "\n");
	for (int i = 0; c->comparable && i < CHANGE_CLASSES; i++)
		if (c->count[i]) {
			buf_printf(b, "%s%u %s", any ? ", " : "", c->count[i],
				view_compare_text_class(a,
					(enum change_class)i));
			any = true;
		}
	buf_printf(b, "%sseed %llu, %u permutations", any ? "; " : "",
		(unsigned long long)c->seed, c->permutations);
	if (c->block)
		buf_printf(b, ", blocks of %u iterations", c->block);
	buf_printf(b, ", α %g, margin %g", c->alpha, c->margin);
	buf_printf(b, ", floor %.3g (%s", c->floor,
		comparison_word_floor[c->noise.from]);
	if (c->noise.before)
		buf_printf(b, ", %u stored runs before run %lld",
			c->noise.runs_n, (long long)c->noise.before);
	buf_printf(b, "), %u repeats\n", c->repeats);
}

void view_compare_report(struct arena *a, const struct comparison *c,
	const struct compare_sides *s, const char *site, const char *path,
	struct buf *b)
{
	const struct decomposition *d = view_compare_decomposed(c);
	view_compare_text_head(c, site, path, b);
	view_compare_text_sides(a, c, s, b);
	bool iteration = d && d->of == DECOMPOSED_ITERATION;
	if (!iteration)
		view_compare_text_split(a, c, b);
	view_compare_text_terms(a, c, b);
	if (iteration)
		view_compare_text_split(a, c, b);
	view_compare_text_operators(a, c, b);
	view_compare_text_rows(a, c, b);
	view_compare_text_feet(a, c, b);
}
