/* view_operator_table.c - a run's operators, their shapes and what nobody knows
 * as tables. */
#include "cell.h"
#include "profile_word.h"
#include "roofline.h"
#include "view_importance.h"
#include <math.h>
#include <string.h>

static const struct column operators[] = { { "Time (%)", true },
	{ "Total Time (ns)", true }, { "Calls", true }, { "Launches", true },
	{ "Avg (ns)", true }, { "Shapes", true }, { "S", true },
	{ "Regime", false }, { "Headroom (ns)", true }, { "Sized (ns)", true },
	{ "Bound (ns)", true }, { "dtype", false }, { "Phase", false },
	{ "Operator", false } };

static const struct column shapes[] = { { "Time (%)", true },
	{ "Total Time (ns)", true }, { "Calls", true }, { "Launches", true },
	{ "Avg (ns)", true }, { "Med (ns)", true }, { "Min (ns)", true },
	{ "Max (ns)", true }, { "T_SOL (ns)", true }, { "S", true },
	{ "Regime", false }, { "Known", false }, { "dtype", false },
	{ "Phase", false }, { "Shape", false } };

static const struct column unattributed[] = { { "Total Time (ns)", true },
	{ "Launches", true }, { "Runs", true }, { "Family", false },
	{ "Name", false } };

static const char *text(const char *s)
{
	return s ? s : "";
}

/* Of what ends in the type, the phase and a name: these three last. */
enum { ENDS = 3, AGAINST = 3, COLUMNS = 20 };

/* The columns, and before their ends those of a platform that was asked for. */
static struct table *table_against(struct arena *a, const struct platform *to,
	const struct column *is, int width, uint32_t rows, const char ***cells)
{
	struct column *all = arena_array(a, struct column, COLUMNS);
	const int head = width - ENDS;
	if (!to)
		return cell_table(a, is, width, rows, cells);
	memcpy(all, is, (size_t)head * sizeof *is);
	all[head] =
		(struct column){ arena_printf(a, "T_SOL on %s (ns)", to->name),
			true };
	all[head + 1] =
		(struct column){ arena_printf(a, "S on %s", to->name), true };
	all[head + 2] =
		(struct column){ arena_printf(a, "Regime on %s", to->name),
			false };
	memcpy(all + head + AGAINST, is + head, ENDS * sizeof *is);
	return cell_table(a, all, width + AGAINST, rows, cells);
}

static const char **put_cells(struct arena *a, double sol_ns, double of_ns,
	enum leg leg, const char **at)
{
	*at++ = cell_figure(a, sol_ns);
	*at++ = cell_figure(a, of_ns > 0 ? sol_ns / of_ns : (double)NAN);
	*at++ = text(matter_regime(leg));
	return at;
}

static const char **operator_put(struct arena *a, const struct against *to,
	const char **at)
{
	return put_cells(a, to->bound_ns ? to->sol_ns : (double)NAN,
		(double)to->bound_ns, against_leg(to), at);
}

static const char **shape_put(struct arena *a, const struct shape_stat *r,
	const struct platform *to, const char **at)
{
	struct bound b = { .sol_s = NAN };
	if (r->costed)
		roofline(&r->cost, to, &b);
	return put_cells(a, 1e9 * b.sol_s, r->call.avg_ns, b.leg, at);
}

const struct table *view_run_operators_table(struct arena *a,
	const struct run_matters *m)
{
	const char **at;
	struct table *t = table_against(a, m->against, CELL_COLUMNS(operators),
		m->is->n, &at);
	for (uint32_t i = 0; i < m->is->n; i++) {
		const struct operator_stat *o = &m->is->rows[i];
		bool bound = o->bound_ns > 0;
		*at++ = cell_real(a, matter_pct(o->total_ns, m->is->gpu_ns));
		*at++ = cell_whole(a, o->total_ns);
		*at++ = cell_whole(a, o->calls);
		*at++ = cell_whole(a, o->launches);
		*at++ = cell_real(a,
			o->calls ? (double)o->total_ns / (double)o->calls
				 : (double)NAN);
		*at++ = cell_whole(a, o->shapes);
		*at++ = cell_figure(a,
			bound ? (double)o->sol_ps / 1e3 / (double)o->bound_ns
			      : (double)NAN);
		*at++ = text(matter_regime(operator_leg(o)));
		*at++ = cell_whole(a,
			bound && !o->collective ? o->headroom_ns : -1);
		*at++ = cell_whole(a, o->sized_ns);
		*at++ = cell_whole(a, o->bound_ns);
		if (m->put)
			at = operator_put(a, &m->put[i], at);
		*at++ = text(dtype_word(o->dtype));
		*at++ = text(profile_word_phase[o->phase]);
		*at++ = o->name ? o->name : "unattributed";
	}
	return t;
}

const struct table *view_run_shapes_table(struct arena *a,
	const struct run_shapes *s)
{
	const char **at;
	const struct platform *to = s->of->against;
	struct table *t = table_against(a, to, CELL_COLUMNS(shapes), s->n, &at);
	for (uint32_t i = 0; i < s->n; i++) {
		const struct shape_stat *r = &s->rows[i];
		const struct operator_stat *o = &s->of->is->rows[r->operator_];
		*at++ = cell_real(a,
			matter_pct(r->call.total_ns, s->of->is->gpu_ns));
		*at++ = cell_whole(a, r->call.total_ns);
		*at++ = cell_whole(a, r->call.instances);
		*at++ = cell_whole(a, r->launches);
		*at++ = cell_real(a, r->call.avg_ns);
		*at++ = cell_real(a, r->call.med_ns);
		*at++ = cell_whole(a, r->call.min_ns);
		*at++ = cell_whole(a, r->call.max_ns);
		*at++ = cell_figure(a, r->sol_ns);
		*at++ = cell_figure(a, r->sol_ns / r->call.avg_ns);
		*at++ = text(matter_regime(r->leg));
		*at++ = profile_word_how[r->known];
		if (to)
			at = shape_put(a, r, to, at);
		*at++ = text(dtype_word(o->dtype));
		*at++ = text(profile_word_phase[o->phase]);
		*at++ = r->text ? r->text : r->grid ? r->grid : "";
	}
	return t;
}

json_t *view_unattributed(const struct unattributed_line *u)
{
	json_t *v = json_object();
	view_set_whole(v, "id", u->kernel);
	view_set_text(v, "name", u->name);
	view_set_text(v, "short_name", u->short_name);
	view_set_text(v, "family", u->family);
	view_set_whole(v, "launches", u->launches);
	view_set_whole(v, "total_ns", u->total_ns);
	view_set_real(v, "total_s", (double)u->total_ns / 1e9);
	view_set_whole(v, "runs", u->runs);
	return v;
}

const struct table *view_unattributed_table(struct arena *a,
	const struct unattributed_line *rows, uint32_t n)
{
	const char **at;
	struct table *t = cell_table(a, CELL_COLUMNS(unattributed), n, &at);
	for (uint32_t i = 0; i < n; i++) {
		*at++ = cell_whole(a, rows[i].total_ns);
		*at++ = cell_whole(a, rows[i].launches);
		*at++ = cell_whole(a, rows[i].runs);
		*at++ = text(rows[i].family);
		*at++ = rows[i].name;
	}
	return t;
}
