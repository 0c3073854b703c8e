/* view_verdict_text.c - a comparison as a table, and as what a person pastes
 * into a pull request. */
#include "cell.h"
#include "comparison_word.h"
#include "profile_word.h"
#include "view_compare.h"
#include <math.h>

static const struct column columns[] = { { "Verdict", false },
	{ "Evidence", false }, { "Function", false }, { "Type", false },
	{ "Device", false }, { "Head Device", false },
	{ "Base (ns/cycle)", true }, { "Head (ns/cycle)", true },
	{ "Delta (ns/cycle)", true }, { "Ratio", true },
	{ "Shift (ns/cycle)", true }, { "Low (ns/cycle)", true },
	{ "High (ns/cycle)", true }, { "p", true }, { "p Family", true },
	{ "q", true }, { "Base Launches/Cycle", true },
	{ "Head Launches/Cycle", true }, { "Base Mean (ns)", true },
	{ "Head Mean (ns)", true }, { "By Count (ns/cycle)", true },
	{ "By Duration (ns/cycle)", true }, { "Base Beta (%)", true },
	{ "Head Beta (%)", true }, { "Beyond Common (ns/cycle)", true },
	{ "Floor", true }, { "Floor From", false } };

static const char *or_empty(const char *s)
{
	return s ? s : "";
}

static const char *word_of(const struct comparison *c,
	const struct change *change)
{
	bool judged = c->comparable && change->evidence != EVIDENCE_NONE;
	return judged ? comparison_word_class[change->is] : "";
}

const struct table *view_verdict_table(struct arena *a,
	const struct comparison *c)
{
	const char **at;
	struct table *t = cell_table(a, CELL_COLUMNS(columns), c->rows_n, &at);
	for (uint32_t i = 0; i < c->rows_n; i++) {
		const struct changed_row *r = &c->rows[i];
		const struct change *x = &r->change;
		bool floored = c->comparable && x->evidence != EVIDENCE_NONE;
		*at++ = word_of(c, x);
		*at++ = comparison_word_evidence[x->evidence];
		*at++ = r->name;
		*at++ = profile_word_function[r->type];
		*at++ = or_empty(r->device);
		*at++ = or_empty(r->head_device);
		*at++ = cell_real(a, x->base_ns);
		*at++ = cell_real(a, x->head_ns);
		*at++ = cell_real(a, x->delta_ns);
		*at++ = cell_figure(a, x->ratio);
		*at++ = cell_real(a, x->shift_ns);
		*at++ = cell_real(a, x->low_ns);
		*at++ = cell_real(a, x->high_ns);
		*at++ = cell_figure(a, x->p);
		*at++ = cell_figure(a, x->p_family);
		*at++ = cell_figure(a, x->q);
		*at++ = cell_figure(a, r->base_launches);
		*at++ = cell_figure(a, r->head_launches);
		*at++ = cell_real(a, r->base_mean_ns);
		*at++ = cell_real(a, r->head_mean_ns);
		*at++ = cell_real(a, r->by_count_ns);
		*at++ = cell_real(a, r->by_duration_ns);
		*at++ = cell_figure(a, r->base_beta_pct);
		*at++ = cell_figure(a, r->head_beta_pct);
		*at++ = cell_real(a, r->beyond_common_ns);
		*at++ = floored ? cell_figure(a, x->floor) : "";
		*at++ = floored ? comparison_word_floor[x->floor_from] : "";
	}
	return t;
}

/* ---- the report */

static const char *us(struct arena *a, double ns)
{
	return isfinite(ns) ? arena_printf(a, "%.2f", ns / 1e3) : "";
}

/* "+12.3 (+4.5 %)" in microseconds. */
static const char *moved(struct arena *a, const struct change *x)
{
	if (!isfinite(x->delta_ns))
		return "";
	if (!(x->base_ns > 0))
		return arena_printf(a, "%+.2f", x->delta_ns / 1e3);
	return arena_printf(a, "%+.2f (%+.1f %%)", x->delta_ns / 1e3,
		100 * x->delta_ns / x->base_ns);
}

static const char *interval(struct arena *a, const struct change *x)
{
	if (!isfinite(x->low_ns) || !isfinite(x->high_ns))
		return "";
	return arena_printf(a, "%+.2f to %+.2f", x->low_ns / 1e3,
		x->high_ns / 1e3);
}

static void head(const struct comparison *c, struct buf *b)
{
	buf_puts(b, "## ");
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

static const char *run_names(struct arena *a, const struct compared_run *runs,
	uint32_t n)
{
	const char *list = "";
	for (uint32_t i = 0; i < n; i++)
		list = arena_printf(a, "%s%s%s (%lld)", list, i ? ", " : "",
			runs[i].name, (long long)runs[i].id);
	return list;
}

static void sides(struct arena *a, const struct comparison *c,
	const struct compared_sides *s, struct buf *b)
{
	static const struct column heads[] = { { "", false }, { "Base", false },
		{ "Head", false } };
	const struct comparison_side *both[] = { &c->base, &c->head };
	const char *cells[4][3] = { { "runs", run_names(a, s->base, s->base_n),
					    run_names(a, s->head, s->head_n) },
		{ "cycles from" }, { "cycles compared" },
		{ "mean cycle (µs)" } };
	for (int i = 0; i < 2; i++) {
		cells[1][i + 1] = profile_word_detector[both[i]->detector];
		cells[2][i + 1] = arena_printf(a, "%u of %u",
			both[i]->cycles_used, both[i]->cycles);
		cells[3][i + 1] = us(a, both[i]->cycle_ns);
	}
	const struct table t = { heads, 3, &cells[0][0], 4 };
	table_md(&t, b);
}

static const struct column split_columns[] = { { "Part", false },
	{ "Base (µs)", true }, { "Head (µs)", true }, { "Change (µs)", true },
	{ "Verdict", false } };

static void split(struct arena *a, const struct comparison *c, struct buf *b)
{
	const char **at;
	struct table *t =
		cell_table(a, CELL_COLUMNS(split_columns), c->split_n, &at);
	for (uint32_t i = 0; i < c->split_n; i++) {
		const struct change *x = &c->split[i].change;
		*at++ = comparison_word_part[c->split[i].part].what;
		*at++ = us(a, x->base_ns);
		*at++ = us(a, x->head_ns);
		*at++ = moved(a, x);
		*at++ = word_of(c, x);
	}
	if (!c->split_n)
		return;
	buf_puts(b, "\n### Where a cycle's time goes\n\n");
	table_md(t, b);
	if (c->common.there)
		buf_printf(b,
			"\nAll kernels alike: %.3f times as long (%.3f to "
			"%.3f), %+.2f µs of a cycle, over %u kernels.\n",
			c->common.ratio, c->common.low, c->common.high,
			c->common.ns / 1e3, c->common.kernels);
}

static const struct column row_columns[] = { { "Verdict", false },
	{ "Function", false }, { "Device", false }, { "Base (µs)", true },
	{ "Head (µs)", true }, { "Change (µs)", true }, { "95 % (µs)", true },
	{ "Launches", true }, { "p family", true }, { "Evidence", false } };

static const char *launches(struct arena *a, const struct changed_row *r)
{
	const char *base = cell_figure(a, r->base_launches);
	const char *after = cell_figure(a, r->head_launches);
	if (!*base || !*after)
		return "";
	return arena_printf(a, "%s → %s", base, after);
}

/* Rows stand by class, so those that somebody may want to act on come first. */
static uint32_t worth_showing(const struct comparison *c)
{
	uint32_t n = 0;
	while (n < c->rows_n && c->rows[n].change.is < CHANGE_UNDECIDED)
		n++;
	return n;
}

static void rows(struct arena *a, const struct comparison *c, struct buf *b)
{
	const char **at;
	uint32_t n = c->comparable ? worth_showing(c) : 0;
	struct table *t = cell_table(a, CELL_COLUMNS(row_columns), n, &at);
	for (uint32_t i = 0; i < n; i++) {
		const struct changed_row *r = &c->rows[i];
		const struct change *x = &r->change;
		*at++ = word_of(c, x);
		*at++ = view_function(a, r->type, r->name);
		*at++ = or_empty(r->device);
		*at++ = us(a, x->base_ns);
		*at++ = us(a, x->head_ns);
		*at++ = moved(a, x);
		*at++ = interval(a, x);
		*at++ = launches(a, r);
		*at++ = cell_figure(a, x->p_family);
		*at++ = comparison_word_evidence[x->evidence];
	}
	buf_puts(b, "\n### What changed, per cycle\n\n");
	if (n)
		table_md(t, b);
	else
		buf_puts(b, c->comparable ? "Nothing that can be shown.\n"
					  : "Nothing is judged.\n");
}

static void feet(const struct comparison *c, struct buf *b)
{
	bool any = false;
	buf_puts(b, "\n");
	for (int i = 0; c->comparable && i < CHANGE_CLASSES; i++)
		if (c->count[i]) {
			buf_printf(b, "%s%u %s", any ? ", " : "", c->count[i],
				comparison_word_class[i]);
			any = true;
		}
	buf_printf(b, "%sseed %llu, %u permutations", any ? "; " : "",
		(unsigned long long)c->seed, c->permutations);
	if (c->block)
		buf_printf(b, ", blocks of %u cycles", c->block);
	buf_printf(b, ", α %g, margin %g", c->alpha, c->margin);
	if (c->floor >= 0)
		buf_printf(b, ", floor %g", c->floor);
	buf_printf(b, ", %u repeats\n", c->repeats);
}

void view_verdict_report(struct arena *a, const struct comparison *c,
	const struct compared_sides *s, struct buf *b)
{
	head(c, b);
	sides(a, c, s, b);
	split(a, c, b);
	rows(a, c, b);
	feet(c, b);
}
