/* view_matters_table.c - operators and shapes over many runs as tables. */
#include "cell.h"
#include "view_importance.h"
#include <math.h>

/* Columns that are always there, around those of each platform. */
static const struct column first[] = { { "Operator", false }, { "Id", false },
	{ "dtype", false }, { "Phase", false }, { "Shapes", true },
	{ "Importance (%)", true }, { "Low (%)", true }, { "High (%)", true },
	{ "w_time (%)", true }, { "w_mean (%)", true },
	{ "w_present (%)", true }, { "Runs", true }, { "Prevalence (%)", true },
	{ "Time (s)", true }, { "Regime", false }, { "AI", true },
	{ "S", true }, { "S (median)", true }, { "Headroom (%)", true },
	{ "Sized (%)", true }, { "Bound (%)", true }, { "S > 1 (%)", true } };
static const struct column shape_first[] = { { "Id", true }, { "Shape", false },
	{ "Description", false }, { "dtype", false }, { "Phase", false },
	{ "Platform", false }, { "Calls", true }, { "Runs", true },
	{ "Time (s)", true }, { "Share (%)", true }, { "S", true },
	{ "AI", true }, { "Regime", false }, { "FLOP", true },
	{ "Read (bytes)", true }, { "Written (bytes)", true },
	{ "Why", false } };

/* Two more a platform: "T_SOL H20 (us)", "T_prod H20 (us)". */
static struct column *columns(struct arena *a, const struct column *fixed,
	int n, const struct platform *const *platforms, uint32_t platforms_n)
{
	struct column *all = arena_array(a, struct column,
		(size_t)n + 2 * (size_t)platforms_n);
	for (int i = 0; i < n; i++)
		all[i] = fixed[i];
	for (uint32_t i = 0; i < platforms_n; i++) {
		all[n++] = (struct column){ arena_printf(a, "T_SOL %s (us)",
						    platforms[i]->name),
			true };
		all[n++] = (struct column){ arena_printf(a, "T_prod %s (us)",
						    platforms[i]->name),
			true };
	}
	return all;
}

static const char **places(struct arena *a, const char **at,
	const struct matter_place *p, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		*at++ = p ? cell_figure(a, p[i].sol_us) : "";
		*at++ = p ? cell_figure(a, p[i].prod_us) : "";
	}
	return at;
}

static const char *text(const char *s)
{
	return s ? s : "";
}

const struct table *view_matters_table(struct arena *a, const struct matters *m)
{
	enum { FIRST = sizeof first / sizeof *first };
	const char **at;
	struct table *t = cell_table(a,
		columns(a, first, FIRST, m->platforms, m->platforms_n),
		FIRST + 2 * (int)m->platforms_n, m->n, &at);
	for (uint32_t i = 0; i < m->n; i++) {
		const struct matter *r = &m->rows[i];
		*at++ = r->operator? r->operator: "unattributed";
		*at++ = text(r->id);
		*at++ = text(r->dtype);
		*at++ = text(r->phase);
		*at++ = cell_whole(a, r->shapes);
		*at++ = cell_figure(a, 100 * r->importance);
		*at++ = cell_figure(a, 100 * r->low);
		*at++ = cell_figure(a, 100 * r->high);
		*at++ = cell_figure(a, 100 * r->w_time);
		*at++ = cell_figure(a, 100 * r->w_mean);
		*at++ = cell_figure(a, 100 * r->w_present);
		*at++ = cell_whole(a, r->runs);
		*at++ = cell_figure(a, 100 * r->prevalence);
		*at++ = cell_figure(a, r->total_s);
		*at++ = text(r->regime);
		*at++ = cell_figure(a, r->ai);
		*at++ = cell_figure(a, r->s);
		*at++ = cell_figure(a, r->s_median);
		*at++ = cell_figure(a, 100 * r->headroom);
		*at++ = cell_figure(a, 100 * r->sized);
		*at++ = cell_figure(a, 100 * r->bound);
		*at++ = cell_figure(a, 100 * r->over);
		at = places(a, at, r->places, m->platforms_n);
	}
	return t;
}

const struct table *view_matter_shapes_table(struct arena *a,
	const struct matter_shapes *s)
{
	enum { FIRST = sizeof shape_first / sizeof *shape_first };
	const char **at;
	struct table *t = cell_table(a,
		columns(a, shape_first, FIRST, s->platforms, s->platforms_n),
		FIRST + 2 * (int)s->platforms_n, s->n, &at);
	for (uint32_t i = 0; i < s->n; i++) {
		const struct matter_shape *r = &s->rows[i];
		const struct cost *c = r->costed ? &r->cost : NULL;
		*at++ = cell_whole(a, r->id);
		*at++ = text(r->text);
		*at++ = text(r->description);
		*at++ = text(r->dtype);
		*at++ = text(r->phase);
		*at++ = text(r->platform);
		*at++ = cell_whole(a, r->calls);
		*at++ = cell_whole(a, r->runs);
		*at++ = cell_figure(a, r->total_s);
		*at++ = cell_figure(a, 100 * r->share);
		*at++ = cell_figure(a, r->s);
		*at++ = cell_figure(a, r->ai);
		*at++ = text(r->regime);
		*at++ = c ? cell_figure(a, matter_flops(c)) : "";
		*at++ = c ? cell_whole(a, (int64_t)c->read_bytes) : "";
		*at++ = c ? cell_whole(a, (int64_t)c->write_bytes) : "";
		*at++ = text(r->why);
		at = places(a, at, r->places, s->platforms_n);
	}
	return t;
}
