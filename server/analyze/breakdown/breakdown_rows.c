/* breakdown_rows.c - computes the rows, blocks and sections of a breakdown and
 * their times. */
#include "breakdown_rows.h"
#include "attribute.h"
#include "breakdown_work.h"
#include "exact.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* End-to-end times of passes, layers and sections. */

/* Measures each instance from its first start to its last end. */
static void breakdown_rows_sections_measure(struct breakdown_work *w)
{
	const struct layering *l = w->l;

	for (uint32_t i = 0; i < w->s->n; i++) {
		const struct layer_item *item = &w->s->items[i];
		if (l->instance[i] == LAYER_NONE)
			continue;
		struct breakdown_span *s = &w->spans[l->instance[i]];
		int64_t end_ns = item->start_ns + item->dur_ns;
		if (!s->launches || item->start_ns < s->start_ns)
			s->start_ns = item->start_ns;
		if (!s->launches || end_ns > s->end_ns)
			s->end_ns = end_ns;
		s->launches++;
	}
}

/* Computes statistics of the n times in w->ns. Spans of instances may overlap,
 * so their sum may exceed the longest time of a trace. Then there are no
 * statistics. */
static struct time_stats breakdown_rows_sections_stats_of(struct breakdown_work
								  *w,
	uint32_t n)
{
	const int64_t most = INT64_C(1) << 60;
	int64_t total = 0;

	for (uint32_t i = 0; i < n && total < most; i++)
		total += w->ns[i];
	if (n && total < most)
		return stats_from(w->ns, w->scratch, n);
	struct time_stats unknown = TIME_STATS_UNKNOWN;
	unknown.instances = n;
	unknown.total_ns = n ? -1 : 0;
	return unknown;
}

static bool breakdown_rows_sections_is_layer(const struct breakdown_work *w,
	uint32_t instance)
{
	uint32_t section = w->l->instances[instance].section;

	return w->l->sections[section].place == SECTION_LAYER;
}

/* Returns the most frequent of the n counts in w->ns; of equally frequent ones
 * the smallest. */
static uint32_t breakdown_rows_sections_most_frequent(struct breakdown_work *w,
	uint32_t n)
{
	uint32_t best = 0, best_n = 0;

	if (n)
		stats_from(w->ns, w->scratch, n); /* sorts */
	for (uint32_t i = 0, from = 0; i < n; i++) {
		if (w->ns[i] != w->ns[from])
			from = i;
		if (i - from + 1 > best_n) {
			best_n = i - from + 1;
			best = (uint32_t)w->ns[i];
		}
	}
	return best;
}

static bool breakdown_rows_sections_passes(struct breakdown_work *w)
{
	const struct layer_seq *s = w->s;
	struct breakdown *out = w->out;
	int64_t first_ns = trace_first_ns(s->trace, s->proc);

	out->windows = arena_array(w->keep, struct breakdown_window,
		(size_t)s->passes_n + 1);
	if (!out->windows)
		return false;

	out->device = s->device;
	out->passes = s->passes_n;
	for (uint32_t p = 0; p < s->passes_n; p++) {
		const struct layer_pass *pass = &s->passes[p];
		w->ns[p] = pass->end_ns - pass->start_ns;
		out->windows[p] =
			(struct breakdown_window){ pass->start_ns - first_ns,
				pass->end_ns - first_ns };
	}
	out->pass = breakdown_rows_sections_stats_of(w, s->passes_n);
	if (s->stratum != LAYER_NONE && s->profile->iterations.strata_n > 1)
		out->stratum = s->profile->iterations.strata[s->stratum].text;
	return true;
}

/* Fills in the times of the layered part of each pass. Instances are ordered by
 * pass. Passes without layers are counted but have no time. */
static void breakdown_rows_sections_layered(struct breakdown_work *w)
{
	uint32_t n = 0, pass = LAYER_NONE;
	int64_t start_ns = 0, end_ns = 0;

	for (uint32_t i = 0; i < w->l->instances_n; i++) {
		const struct breakdown_span *s = &w->spans[i];
		if (!breakdown_rows_sections_is_layer(w, i) || !s->launches)
			continue;
		if (w->l->instances[i].pass != pass) {
			pass = w->l->instances[i].pass;
			start_ns = s->start_ns;
			end_ns = s->end_ns;
			n++;
		}
		start_ns = s->start_ns < start_ns ? s->start_ns : start_ns;
		end_ns = s->end_ns > end_ns ? s->end_ns : end_ns;
		w->ns[n - 1] = end_ns - start_ns;
	}
	w->out->layered = breakdown_rows_sections_stats_of(w, n);
}

static void breakdown_rows_sections_count_layers(struct breakdown_work *w)
{
	uint32_t n = w->s->passes_n;

	for (uint32_t p = 0; p < n; p++)
		w->ns[p] = 0;
	for (uint32_t i = 0; i < w->l->instances_n; i++)
		w->ns[w->l->instances[i].pass] +=
			breakdown_rows_sections_is_layer(w, i) &&
			w->spans[i].launches;
	w->out->layers = breakdown_rows_sections_most_frequent(w, n);
}

/* Returns the most frequent number of a section's n instances in a pass, over
 * the passes that have at least one. */
static uint32_t breakdown_rows_sections_per_pass(struct breakdown_work *w,
	const uint32_t *own, uint32_t n)
{
	uint32_t passes_n = 0, pass = LAYER_NONE;

	for (uint32_t i = 0; i < n; i++) {
		const struct layer_instance *in = &w->l->instances[own[i]];
		if (in->pass != pass)
			w->ns[passes_n++] = 0;
		pass = in->pass;
		w->ns[passes_n - 1]++;
	}
	return breakdown_rows_sections_most_frequent(w, passes_n);
}

/* Fills in a section. `own` lists its instances with launches, by pass. */
static void breakdown_rows_sections_section(struct breakdown_work *w,
	uint32_t at, const uint32_t *own, uint32_t n)
{
	const struct layer_section *from = &w->l->sections[at];
	struct breakdown_section *to = &w->out->sections[at];
	bool layers = from->place == SECTION_LAYER;
	uint32_t first = n ? UINT32_MAX : 0;
	const char *name = from->name;

	if (!name)
		name = layer_section_name(w->l, w->named, at, w->a);
	*to = (struct breakdown_section){ .place = from->place,
		.name = name,
		.instances = n,
		.per_pass = layers ? breakdown_rows_sections_per_pass(w, own, n)
				   : 1 };
	for (uint32_t i = 0; i < n; i++) {
		const struct breakdown_span *s = &w->spans[own[i]];
		uint32_t number = w->l->instances[own[i]].number;
		first = number < first ? number : first;
		w->ns[i] = s->end_ns - s->start_ns;
	}
	to->first = layers ? first : 0;
	to->time = breakdown_rows_sections_stats_of(w, n);
}

/* Sorts instances by section with a counting sort. Counts are stored two
 * indices higher, and entries are placed by the index one higher. After that,
 * from[i] is where section i begins. */
static bool breakdown_rows_sections_sections(struct breakdown_work *w)
{
	const struct layering *l = w->l;
	uint32_t *from = arena_grow(w->a, NULL,
		((size_t)l->sections_n + 2) * sizeof *from);
	uint32_t *order = arena_grow(w->a, NULL,
		((size_t)l->instances_n + 1) * sizeof *order);

	if (!from || !order)
		return false;
	for (uint32_t i = 0; i < l->instances_n; i++)
		from[l->instances[i].section + 2] += w->spans[i].launches > 0;
	for (uint32_t i = 2; i < l->sections_n + 2; i++)
		from[i] += from[i - 1];
	for (uint32_t i = 0; i < l->instances_n; i++)
		if (w->spans[i].launches)
			order[from[l->instances[i].section + 1]++] = i;
	for (uint32_t i = 0; i < l->sections_n; i++)
		breakdown_rows_sections_section(w, i, order + from[i],
			from[i + 1] - from[i]);
	w->out->sections_n = l->sections_n;
	arena_drop(w->a, from);
	arena_drop(w->a, order);
	return true;
}

/* Lists the instances that have launches. */
static bool breakdown_rows_sections_instances(struct breakdown_work *w)
{
	const struct layering *l = w->l;
	struct breakdown *out = w->out;
	int64_t first_ns = trace_first_ns(w->s->trace, w->s->proc);

	out->instances = arena_array(w->keep, struct breakdown_instance,
		(size_t)l->instances_n + 1);
	for (uint32_t i = 0; out->instances && i < l->instances_n; i++) {
		const struct layer_instance *in = &l->instances[i];
		const struct breakdown_span *s = &w->spans[i];
		if (s->launches)
			out->instances[out->instances_n++] =
				(struct breakdown_instance){ in->section,
					in->pass, in->number, s->launches,
					s->start_ns - first_ns,
					s->end_ns - first_ns };
	}
	return out->instances;
}

static bool breakdown_rows_sections(struct breakdown_work *w)
{
	breakdown_rows_sections_measure(w);
	if (!breakdown_rows_sections_passes(w))
		return false;
	breakdown_rows_sections_layered(w);
	breakdown_rows_sections_count_layers(w);
	return breakdown_rows_sections_instances(w) &&
	       breakdown_rows_sections_sections(w);
}

/* Times: statistics of each row's launches, offsets and numbers of instances,
 * and the sums of blocks and sections. */

/* Intermediate values of a row. */
struct breakdown_times_tally {
	uint32_t from; /* first of its launches in w->ns; one more at the end */
	uint32_t last; /* last instance, plus 1 */
	double offset_ns; /* sum of whole numbers, so exact below 2^53 */
};

/* Returns the mean of n > 0, rounded to tenths. */
static double breakdown_rows_times_mean(int64_t total, int64_t n)
{
	return (double)exact_tenths((wide_t)total, (wide_t)n) / 10;
}

static void breakdown_rows_times_add(struct breakdown_work *w,
	struct breakdown_times_tally *tally, uint32_t item)
{
	const struct layer_item *is = &w->s->items[item];
	uint32_t row = breakdown_row_of(w, item),
		 instance = w->l->instance[item];

	w->ns[tally[row + 1].from++] = is->dur_ns;
	tally[row].offset_ns +=
		(double)(is->start_ns - w->spans[instance].start_ns);
	w->out->rows[row].instances += tally[row].last != instance + 1;
	tally[row].last = instance + 1;
}

/* Sorts launches by row with a counting sort (counts two indices higher). */
static void breakdown_rows_times_deal(struct breakdown_work *w,
	struct breakdown_times_tally *tally)
{
	for (uint32_t i = 0; i < w->order_n; i++)
		tally[breakdown_row_of(w, w->order[i]) + 2].from++;
	for (uint32_t r = 2; r < w->out->rows_n + 2; r++)
		tally[r].from += tally[r - 1].from;
	for (uint32_t i = 0; i < w->order_n; i++)
		breakdown_rows_times_add(w, tally, w->order[i]);
}

static void breakdown_rows_times_finish(struct breakdown_work *w,
	const struct breakdown_times_tally *tally, uint32_t row, int64_t *total,
	int64_t *common)
{
	struct breakdown_row *r = &w->out->rows[row];
	struct breakdown_block *b = &w->out->blocks[r->block];
	const struct breakdown_section *s = &w->out->sections[b->section];
	uint32_t from = tally[row].from, n = tally[row + 1].from - from;

	r->time = stats_from(w->ns + from, w->scratch, n);
	r->offset_ns = round(tally[row].offset_ns / n * 10) / 10;
	r->extra = r->instances * 2 < s->instances;
	total[r->block] += r->time.total_ns;
	common[b->section] += r->extra ? 0 : n;
}

/* Computes the sums of blocks and sections from their rows. */
static void breakdown_rows_times_sums(struct breakdown_work *w,
	const int64_t *total, const int64_t *common)
{
	struct breakdown *out = w->out;
	int64_t n = 0;

	for (uint32_t i = 0; i < out->blocks_n; i++) {
		n = out->sections[out->blocks[i].section].instances;
		out->blocks[i].sum_ns =
			n ? breakdown_rows_times_mean(total[i], n) : 0;
	}
	for (uint32_t i = 0; i < out->sections_n; i++)
		out->sections[i].similarity = 0;
	for (uint32_t r = 0; r < out->rows_n; r++)
		out->sections[out->blocks[out->rows[r].block].section]
			.similarity += (double)out->rows[r].time.instances;
	for (uint32_t i = 0; i < out->sections_n; i++) {
		double *similarity = &out->sections[i].similarity;
		*similarity = *similarity > 0 ? (double)common[i] / *similarity
					      : (double)NAN;
	}
}

static bool breakdown_rows_times(struct breakdown_work *w)
{
	struct breakdown *out = w->out;
	struct breakdown_times_tally *tally = arena_grow(w->a, NULL,
		((size_t)out->rows_n + 2) * sizeof *tally);
	int64_t *total = arena_grow(w->a, NULL,
		((size_t)out->blocks_n + 1) * sizeof *total);
	int64_t *common = arena_grow(w->a, NULL,
		((size_t)out->sections_n + 1) * sizeof *common);
	bool ok = tally && total && common;

	if (ok) {
		breakdown_rows_times_deal(w, tally);
		for (uint32_t r = 0; r < out->rows_n; r++)
			breakdown_rows_times_finish(w, tally, r, total, common);
		breakdown_rows_times_sums(w, total, common);
	}
	arena_drop(w->a, tally);
	arena_drop(w->a, total);
	arena_drop(w->a, common);
	return ok;
}

/* Bounds: the roofline bound of an operator call is divided among its launches
 * in proportion to their durations. As in attribute_rows.c, the first launch
 * gives the operator of a call. */

/* An operator call; a launch without a call number is a call of its own. */
struct breakdown_bound_call {
	const struct attributed *is; /* of its first launch */
	int64_t ns;
};

/* Roofline bounds of shapes, each computed once. */
struct breakdown_shape_bounds {
	const struct attribution *at;
	struct names met; /* struct shape_key; the id indexes `ps` */
	struct breakdown_shape_ps {
		int64_t sheet, clock; /* -1 unknown */
		double compute_ns, memory_ns; /* at the data sheet's peaks; NaN:
			unknown, or a collective, which has neither */
	} * ps;
	uint32_t cap;
};
/* It is hashed as bytes, so it has no padding. */
struct breakdown_bound_shape_key {
	const struct operator_info *op;
	const struct shape *sizes;
};

/* Sets *ps to the roofline bounds of a shape. Returns false if the arena is
 * full. */
static bool breakdown_rows_shape_bound(struct breakdown_shape_bounds *l,
	const struct attributed *is, struct breakdown_shape_ps *ps)
{
	struct breakdown_bound_shape_key key = { is->op, is->sizes };
	uint32_t known = l->met.n,
		 id = names_put(&l->met, (const char *)&key, sizeof key);

	if (id == NAMES_NONE)
		return false;
	if (id >= l->cap) {
		uint32_t cap = id * 2 + 64;
		void *grown =
			arena_grow(l->at->arena, l->ps, cap * sizeof *l->ps);
		if (!grown)
			return false;
		l->ps = grown;
		l->cap = cap;
	}
	if (id == known) {
		struct bound sheet, clock;
		struct breakdown_shape_ps *to = &l->ps[id];
		to->sheet = attribute_bound_ps(l->at, l->at->platform, is->op,
			is->sizes, &sheet);
		to->clock = attribute_bound_ps(l->at, l->at->at_clock, is->op,
			is->sizes, &clock);
		bool work = !isnan(sheet.sol_s) && !is->op->collective;
		to->compute_ns = work ? sheet.compute_s * 1e9 : (double)NAN;
		to->memory_ns = work ? sheet.memory_s * 1e9 : (double)NAN;
	}
	*ps = l->ps[id];
	return true;
}

static struct breakdown_bound_call *breakdown_rows_bound_calls_of(
	const struct breakdown_work *w)
{
	const struct layer_seq *s = w->s;
	struct breakdown_bound_call *calls = arena_grow(w->a, NULL,
		((size_t)w->at->calls + 1) * sizeof *calls);

	for (uint32_t i = 0; calls && i < s->n; i++) {
		const struct attributed *is = s->items[i].is;
		if (!is || is->call == LAUNCH_NO_CALL)
			continue;
		if (!calls[is->call].is)
			calls[is->call].is = is;
		calls[is->call].ns += s->items[i].dur_ns;
	}
	return calls;
}

__extension__ typedef __int128 wide;

/* Adds the launch's share in the work of its call. */
static void breakdown_rows_work_add(struct section_work *work,
	const struct breakdown_shape_ps *ps,
	const struct breakdown_bound_call *call, int64_t dur_ns)
{
	double share = (double)dur_ns / (double)call->ns;
	double compute_ns = ps->compute_ns * share;
	enum recompute recompute = call->is->recompute;

	if (isnan(compute_ns))
		return;
	work->compute_ns += compute_ns;
	work->memory_ns += ps->memory_ns * share;
	work->known_ns += dur_ns;
	if (!(ps->compute_ns > 0))
		return;
	work->flops_ns += dur_ns;
	if (recompute == RECOMPUTE_YES)
		work->recomputed_ns += compute_ns;
	if (recompute != RECOMPUTE_UNKNOWN)
		work->recompute_known_ns += dur_ns;
}

/* Adds to *sum_ps the launch's share in the bound of its call; false if it does
 * not fit. */
static bool breakdown_rows_bound_share(int64_t ps, int64_t dur_ns,
	int64_t call_ns, int64_t *sum_ps)
{
	return ps >= 0 &&
	       !__builtin_add_overflow(*sum_ps,
		       (int64_t)((wide)ps * dur_ns / call_ns), sum_ps);
}

static bool breakdown_rows_bound_add(struct breakdown_work *w,
	struct breakdown_shape_bounds *l,
	const struct breakdown_bound_call *calls, uint32_t item)
{
	const struct layer_item *i = &w->s->items[item];
	struct breakdown_row *r = &w->out->rows[breakdown_row_of(w, item)];
	uint32_t section = w->out->blocks[r->block].section;
	struct breakdown_bound_call call = { i->is, i->dur_ns };
	struct breakdown_shape_ps ps,
		sum = { .sheet = r->sol_ps, .clock = r->clock_sol_ps };

	if (i->is && i->is->call != LAUNCH_NO_CALL)
		call = calls[i->is->call];
	if (!call.is || !call.is->op || !call.is->sizes || !call.ns)
		return true;
	if (!breakdown_rows_shape_bound(l, call.is, &ps))
		return false;
	breakdown_rows_work_add(&w->out->sections[section].work, &ps, &call,
		i->dur_ns);
	if (!breakdown_rows_bound_share(ps.sheet, i->dur_ns, call.ns,
		    &sum.sheet) ||
		!breakdown_rows_bound_share(ps.clock, i->dur_ns, call.ns,
			&sum.clock))
		return true;
	r->sol_ps = sum.sheet;
	r->clock_sol_ps = sum.clock;
	r->bound_ns += i->dur_ns;
	r->bound_launches++;
	return true;
}

static bool breakdown_rows_bound(struct breakdown_work *w)
{
	struct breakdown_shape_bounds l = { .at = w->at };
	struct breakdown_bound_call *calls;

	if (!w->at->platform)
		return true;
	calls = breakdown_rows_bound_calls_of(w);
	bool ok = calls && names_init(&l.met, w->a);
	for (uint32_t i = 0; ok && i < w->order_n; i++)
		ok = breakdown_rows_bound_add(w, &l, calls, w->order[i]);
	arena_drop(w->a, calls);
	arena_drop(w->a, l.ps);
	return ok;
}

/* Rows launched together: rows that nearly always follow each other within an
 * operator call or a kernel group. */

/* The row that may always follow a row. A majority vote gives the candidate,
 * then a second walk counts how often the candidate follows. */
struct breakdown_together_follower {
	uint32_t row, votes;
	uint32_t n; /* votes of the candidate, then how often it follows */
};

struct breakdown_together_maker {
	struct breakdown_work *w;
	struct breakdown_together_follower *of;
	uint32_t *by_call; /* by call: its last item + 1 */
	uint32_t *by_lane; /* by lane: its last item + 1 */
	bool counting; /* second walk: candidates are known */
};

/* Returns the index of a kernel in a group. */
static uint32_t breakdown_rows_together_place_in(const struct kernel_group *g,
	uint32_t kernel)
{
	uint32_t i = 0;

	while (i < g->kernels_n && g->kernels[i] != kernel)
		i++;
	return i;
}

static bool breakdown_rows_together_same_instance(
	const struct breakdown_together_maker *m, uint32_t a, uint32_t b)
{
	const uint32_t *instance = m->w->l->instance;

	return instance[a] == instance[b];
}

/* Returns whether launch b continues the same occurrence of a kernel group as
 * launch a. */
static bool breakdown_rows_together_goes_on(
	const struct breakdown_together_maker *m, uint32_t a, uint32_t b)
{
	const struct layer_item *x = &m->w->s->items[a],
				*y = &m->w->s->items[b];

	if (x->kind != LAYER_KERNEL || y->kind != LAYER_KERNEL)
		return false;
	uint32_t group = m->w->group_of[x->row];
	if (group == UINT32_MAX || m->w->group_of[y->row] != group)
		return false;
	const struct kernel_group *g = &m->w->s->profile->groups.groups[group];
	uint32_t from = breakdown_rows_together_place_in(g, x->symbol),
		 to = breakdown_rows_together_place_in(g, y->symbol);
	return from < to && to < g->kernels_n;
}

static void breakdown_rows_together_follow(struct breakdown_together_maker *m,
	uint32_t a, uint32_t b)
{
	uint32_t row = breakdown_row_of(m->w, a),
		 next = breakdown_row_of(m->w, b);
	const struct breakdown_row *rows = m->w->out->rows;
	struct breakdown_together_follower *f = &m->of[row];

	if (row == next || rows[row].block != rows[next].block)
		return;
	if (m->counting) {
		f->n += f->row == next;
		return;
	}
	if (!f->votes)
		f->row = next;
	f->votes += f->row == next ? 1 : UINT32_MAX;
}

static void breakdown_rows_together_visit(struct breakdown_together_maker *m,
	uint32_t item)
{
	const struct layer_item *i = &m->w->s->items[item];
	uint32_t *lane = &m->by_lane[i->lane], *call = NULL;

	if (i->is && i->is->call != LAUNCH_NO_CALL)
		call = &m->by_call[i->is->call];
	if (call && *call &&
		breakdown_rows_together_same_instance(m, *call - 1, item))
		breakdown_rows_together_follow(m, *call - 1, item);
	else if (*lane &&
		 breakdown_rows_together_same_instance(m, *lane - 1, item) &&
		 breakdown_rows_together_goes_on(m, *lane - 1, item))
		breakdown_rows_together_follow(m, *lane - 1, item);
	*lane = item + 1;
	if (call)
		*call = item + 1;
}

static void breakdown_rows_together_walk(struct breakdown_together_maker *m,
	bool counting)
{
	const struct breakdown_work *w = m->w;

	m->counting = counting;
	for (uint32_t i = 0; i < w->s->lanes; i++)
		m->by_lane[i] = 0;
	for (uint32_t i = 0; i < w->at->calls; i++)
		m->by_call[i] = 0;
	for (uint32_t i = 0; i < w->order_n; i++)
		breakdown_rows_together_visit(m, w->order[i]);
}

/* Returns whether two rows follow each other in at least 90 % of the launches
 * of both. */
static bool breakdown_rows_together_always(const struct breakdown_together_maker
						   *m,
	uint32_t row)
{
	const struct breakdown_row *rows = m->w->out->rows;
	const struct breakdown_together_follower *f = &m->of[row];

	return (int64_t)f->n * 10 >= rows[row].time.instances * 9 && f->n &&
	       (int64_t)f->n * 10 >= rows[f->row].time.instances * 9;
}

static uint32_t breakdown_rows_together_first_of(const uint32_t *up,
	uint32_t row)
{
	while (up[row] != row)
		row = up[row];
	return row;
}

/* Joins rows that follow each other into groups, then numbers the groups with
 * more than one row. */
static void breakdown_rows_together_number(struct breakdown_together_maker *m,
	uint32_t *up)
{
	struct breakdown *out = m->w->out;
	uint32_t groups = 0;

	for (uint32_t r = 0; r < out->rows_n; r++)
		up[r] = r;
	for (uint32_t r = 0; r < out->rows_n; r++) {
		if (!breakdown_rows_together_always(m, r))
			continue;
		uint32_t a = breakdown_rows_together_first_of(up, r),
			 b = breakdown_rows_together_first_of(up, m->of[r].row);
		up[a > b ? a : b] = a > b ? b : a;
	}
	for (uint32_t r = 0; r < out->rows_n; r++) {
		uint32_t first = breakdown_rows_together_first_of(up, r);
		up[r] = first;
		if (first == r)
			continue;
		if (out->rows[first].group == ROW_NO_GROUP)
			out->rows[first].group = groups++;
		out->rows[r].group = out->rows[first].group;
	}
}

static bool breakdown_rows_together(struct breakdown_work *w)
{
	struct arena *a = w->a;
	size_t rows = (size_t)w->out->rows_n + 1;
	struct breakdown_together_maker m = { .w = w };

	m.of = arena_grow(a, NULL, rows * sizeof *m.of);
	m.by_call = arena_grow(a, NULL,
		((size_t)w->at->calls + 1) * sizeof *m.by_call);
	m.by_lane = arena_grow(a, NULL,
		((size_t)w->s->lanes + 1) * sizeof *m.by_lane);
	uint32_t *up = arena_grow(a, NULL, rows * sizeof *up);
	bool ok = m.of && m.by_call && m.by_lane && up;
	if (ok) {
		breakdown_rows_together_walk(&m, false);
		breakdown_rows_together_walk(&m, true);
		breakdown_rows_together_number(&m, up);
	}
	arena_drop(a, m.of);
	arena_drop(a, m.by_call);
	arena_drop(a, m.by_lane);
	arena_drop(a, up);
	return ok;
}

/* Bars: the time that each layer of a pass spends in each block. */

/* Counts, by layer number, the passes that have such a layer; 0 beyond the
 * layers that are shown. */
static uint32_t *breakdown_rows_bars_passes_with(const struct breakdown_work *w)
{
	uint32_t *n = arena_grow(w->a, NULL,
		((size_t)BREAKDOWN_BAR_LAYERS + 1) * sizeof *n);

	for (uint32_t i = 0; n && i < w->l->instances_n; i++) {
		const struct layer_instance *in = &w->l->instances[i];
		if (w->l->sections[in->section].place == SECTION_LAYER &&
			in->number < BREAKDOWN_BAR_LAYERS)
			n[in->number]++;
	}
	return n;
}

/* Adds up durations by layer number and block. */
static void breakdown_rows_bars_add_up(const struct breakdown_work *w,
	int64_t *sums)
{
	const struct breakdown *out = w->out;

	for (uint32_t i = 0; i < w->order_n; i++) {
		uint32_t item = w->order[i];
		const struct layer_instance *in =
			&w->l->instances[w->l->instance[item]];
		if (w->l->sections[in->section].place != SECTION_LAYER ||
			in->number >= BREAKDOWN_BAR_LAYERS)
			continue;
		uint32_t block = out->rows[breakdown_row_of(w, item)].block;
		sums[(size_t)in->number * out->blocks_n + block] +=
			w->s->items[item].dur_ns;
	}
}

/* Returns the number of cells of the layers that are shown completely. */
static size_t breakdown_rows_bars_within(const int64_t *sums, uint32_t blocks)
{
	size_t n = 0, layer = 0;

	for (; layer < BREAKDOWN_BAR_LAYERS; layer++) {
		for (uint32_t b = 0; b < blocks; b++)
			n += sums[layer * blocks + b] > 0;
		if (n > BREAKDOWN_BARS_MOST)
			break;
	}
	return layer * blocks;
}

static bool breakdown_rows_bars(struct breakdown_work *w)
{
	struct breakdown *out = w->out;
	size_t cells = (size_t)BREAKDOWN_BAR_LAYERS * out->blocks_n, n = 0;
	uint32_t *with = breakdown_rows_bars_passes_with(w);
	int64_t *sums = arena_grow(w->a, NULL, (cells + 1) * sizeof *sums);

	if (!with || !sums)
		return false;
	breakdown_rows_bars_add_up(w, sums);
	for (size_t i = 0; i < cells; i++)
		n += sums[i] > 0;
	out->bars = arena_array(w->keep, struct breakdown_bar, n + 1);
	if (!out->bars)
		return false;
	if (n > BREAKDOWN_BARS_MOST)
		cells = breakdown_rows_bars_within(sums, out->blocks_n);
	for (size_t i = 0; i < cells; i++) {
		uint32_t layer = (uint32_t)(i / out->blocks_n);
		if (sums[i] > 0)
			out->bars[out->bars_n++] =
				(struct breakdown_bar){ layer,
					(uint32_t)(i % out->blocks_n),
					(double)exact_tenths((wide_t)sums[i],
						(wide_t)with[layer]) /
						10 };
	}
	arena_drop(w->a, with);
	arena_drop(w->a, sums);
	return true;
}

/* Makes rows and blocks from positions, then fills in the figures. */

/* A position of a section. */
struct breakdown_rows_place {
	uint32_t n;
	int64_t ns;
	bool rest; /* has no row of its own */
};

static int breakdown_rows_longest_first(const void *left, const void *right)
{
	const struct breakdown_rows_place *const *a = left, *const *b = right;

	if ((*a)->ns != (*b)->ns)
		return (*a)->ns > (*b)->ns ? -1 : 1;
	return *a < *b ? -1 : *a > *b;
}

/* Marks the positions that get no row of their own because there are too
 * many. */
static bool breakdown_rows_mark_rest(const struct breakdown_work *w,
	struct breakdown_rows_place *places)
{
	uint32_t n = 0;
	struct breakdown_rows_place **order = arena_grow(w->a, NULL,
		((size_t)w->l->places_n + 1) *
			sizeof(struct breakdown_rows_place *));

	if (!order)
		return false;
	for (uint32_t p = 0; p < w->l->places_n; p++)
		if (places[p].n)
			order[n++] = &places[p];
	if (n > BREAKDOWN_ROWS_MOST)
		qsort(order, n, sizeof *order, breakdown_rows_longest_first);
	for (uint32_t i = BREAKDOWN_ROWS_MOST; i < n; i++)
		order[i]->rest = true;
	arena_drop(w->a, order);
	return true;
}

/* Returns all positions; NULL if the arena is full. */
static struct breakdown_rows_place *breakdown_rows_places_of(
	const struct breakdown_work *w)
{
	const struct layering *l = w->l;
	struct breakdown_rows_place *places = arena_grow(w->a, NULL,
		((size_t)l->places_n + 1) * sizeof *places);

	for (uint32_t i = 0; places && i < w->s->n; i++) {
		if (l->place[i] == LAYER_NONE)
			continue;
		places[l->place[i]].n++;
		places[l->place[i]].ns += w->s->items[i].dur_ns;
	}
	return places && breakdown_rows_mark_rest(w, places) ? places : NULL;
}

static struct breakdown_row breakdown_rows_row_new(const struct breakdown_work
							   *w,
	uint32_t place, uint32_t block)
{
	const struct layer_place *p = &w->l->places[place];
	const struct layer_named *n = &w->named[place];
	uint32_t kernels = w->s->profile->kernels_n;
	bool kernel = p->symbol < kernels;

	return (struct breakdown_row){ .block = block,
		.kernel = kernel ? p->symbol : ROW_NO_KERNEL,
		.operation =
			kernel ? NULL : w->s->operations[p->symbol - kernels],
		.operator_ = n->op ? n->op->name : NULL,
		.module = p->module,
		.roles = n->roles,
		.role_by_module = n->by_module,
		.lane = p->lane,
		.group = ROW_NO_GROUP };
}

static struct breakdown_row breakdown_rows_rest_new(const struct breakdown_work
							    *w,
	uint32_t place, uint32_t block)
{
	return (struct breakdown_row){ .block = block,
		.kernel = ROW_NO_KERNEL,
		.operation = BREAKDOWN_ROW_REST,
		.lane = w->l->places[place].lane,
		.group = ROW_NO_GROUP };
}

/* Makes the rows of a block from the positions of a section that have its
 * kind. */
static void breakdown_rows_rows_of(struct breakdown_work *w, uint32_t section,
	enum layer_block_kind kind, const struct breakdown_rows_place *places)
{
	const struct layer_section *s = &w->l->sections[section];
	struct breakdown *out = w->out;
	uint32_t block = out->blocks_n++, rest = LAYER_NONE;

	out->blocks[block] = (struct breakdown_block){ .section = section,
		.kind = kind,
		.parallel_to = UINT32_MAX };
	for (uint32_t p = s->places_from; p < s->places_from + s->places_n;
		p++) {
		if (!places[p].n || w->named[p].block != kind)
			continue;
		if (places[p].rest) {
			rest = rest == LAYER_NONE ? p : rest;
			continue;
		}
		w->row_of_place[p] = out->rows_n;
		out->rows[out->rows_n++] = breakdown_rows_row_new(w, p, block);
	}
	if (rest == LAYER_NONE)
		return;
	for (uint32_t p = rest; p < s->places_from + s->places_n; p++)
		if (places[p].rest && w->named[p].block == kind)
			w->row_of_place[p] = out->rows_n;
	out->rows[out->rows_n++] = breakdown_rows_rest_new(w, rest, block);
}

/* Makes the blocks of a section, in the order of their first positions. */
static void breakdown_rows_blocks_of(struct breakdown_work *w, uint32_t section,
	const struct breakdown_rows_place *places)
{
	const struct layer_section *s = &w->l->sections[section];
	bool met[BLOCKS] = { false };

	for (uint32_t p = s->places_from; p < s->places_from + s->places_n;
		p++) {
		enum layer_block_kind kind = w->named[p].block;
		assert(kind < BLOCKS);
		if (!places[p].n || met[kind])
			continue;
		met[kind] = true;
		breakdown_rows_rows_of(w, section, kind, places);
	}
}

static bool breakdown_rows_room(struct breakdown_work *w)
{
	const struct layering *l = w->l;
	struct breakdown *out = w->out;
	size_t places = (size_t)l->places_n + 1;
	size_t most = w->s->n > l->instances_n ? w->s->n : l->instances_n;

	if (w->s->passes_n > most)
		most = w->s->passes_n;
	w->spans = arena_grow(w->a, NULL,
		((size_t)l->instances_n + 1) * sizeof *w->spans);
	w->row_of_place = arena_grow(w->a, NULL, places * sizeof(uint32_t));
	w->order = arena_grow(w->a, NULL,
		((size_t)w->s->n + 1) * sizeof *w->order);
	w->ns = arena_grow(w->a, NULL, (most + 1) * sizeof *w->ns);
	w->scratch = arena_grow(w->a, NULL, (most + 1) * sizeof *w->scratch);
	out->sections = arena_array(w->keep, struct breakdown_section,
		(size_t)l->sections_n + 1);
	out->rows = arena_array(w->keep, struct breakdown_row, places);
	out->blocks = arena_array(w->keep, struct breakdown_block,
		(size_t)l->sections_n * BLOCKS + 1);
	return w->spans && w->row_of_place && w->order && w->ns && w->scratch &&
	       out->sections && out->rows && out->blocks;
}

/* Sorts items by instance with a counting sort (counts two indices higher). */
static bool breakdown_rows_by_instance(struct breakdown_work *w)
{
	const uint32_t *instance = w->l->instance;
	uint32_t n = w->l->instances_n;
	uint32_t *from = arena_grow(w->a, NULL, ((size_t)n + 2) * sizeof *from);

	if (!from)
		return false;
	for (uint32_t i = 0; i < w->s->n; i++)
		if (instance[i] != LAYER_NONE)
			from[instance[i] + 2]++;
	for (uint32_t i = 2; i < n + 2; i++)
		from[i] += from[i - 1];
	for (uint32_t i = 0; i < w->s->n; i++)
		if (instance[i] != LAYER_NONE)
			w->order[from[instance[i] + 1]++] = i;
	w->order_n = from[n];
	arena_drop(w->a, from);
	return true;
}

static bool breakdown_rows_rows(struct breakdown_work *w)
{
	struct breakdown_rows_place *places = breakdown_rows_places_of(w);

	if (!places || !breakdown_rows_room(w))
		return false;
	memset(w->row_of_place, 0xFF,
		(size_t)w->l->places_n * sizeof *w->row_of_place);
	for (uint32_t s = 0; s < w->l->sections_n; s++)
		breakdown_rows_blocks_of(w, s, places);
	arena_drop(w->a, places);
	return breakdown_rows_by_instance(w);
}

/* Releases memory that the sweep does not need, because the sweep needs most
 * memory of all steps. */
static bool breakdown_rows_thin(struct breakdown_work *w)
{
	arena_drop(w->a, w->order);
	arena_drop(w->a, w->ns);
	arena_drop(w->a, w->scratch);
	w->order = NULL;
	w->ns = w->scratch = NULL;
	return true;
}

/* Copies a text to the arena of the result. */
static bool breakdown_rows_keep_text(struct breakdown_work *w,
	const char **text)
{
	if (*text)
		*text = arena_strdup(w->keep, *text);
	return *text || !w->keep->full;
}

static bool breakdown_rows_keep_texts(struct breakdown_work *w)
{
	struct breakdown *out = w->out;
	bool ok = breakdown_rows_keep_text(w, &out->anchor) &&
		  breakdown_rows_keep_text(w, &out->why);

	for (uint32_t i = 0; ok && i < out->sections_n; i++)
		ok = breakdown_rows_keep_text(w, &out->sections[i].name);
	for (uint32_t i = 0; ok && i < out->rows_n; i++)
		ok = breakdown_rows_keep_text(w, &out->rows[i].module) &&
		     breakdown_rows_keep_text(w, &out->rows[i].operation);
	return ok;
}

bool breakdown_rows(const struct attribution *at, const struct layer_seq *s,
	const struct layering *l, const struct layer_named *named,
	const uint32_t *group_of, struct arena *keep, struct breakdown *out)
{
	struct breakdown_work w = { .at = at,
		.s = s,
		.l = l,
		.named = named,
		.group_of = group_of,
		.keep = keep,
		.a = at->arena,
		.out = out };

	out->detector = l->detector;
	out->confidence = l->confidence;
	out->anchor = l->anchor;
	out->why = l->why;
	return breakdown_rows_rows(&w) && breakdown_rows_sections(&w) &&
	       breakdown_rows_times(&w) && breakdown_rows_bound(&w) &&
	       breakdown_rows_together(&w) && breakdown_rows_bars(&w) &&
	       breakdown_rows_thin(&w) && breakdown_overlap_fill(&w) &&
	       breakdown_rows_keep_texts(&w);
}
