/* run_operators.c - adds up bounds and shares over shapes and operators, and unites
 * unattributed kernels of all runs. */
#include "run_operators.h"
#include "catalog_cache.h"
#include "fleet_best.h"
#include "fleet_importance.h"
#include "names.h"
#include "project_scope.h"
#include "roofline.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void run_operators_projection_add(struct platform_projection *sum,
	const struct shape_stat *s, const struct platform *p)
{
	struct bound b;
	if (!s->costed)
		return;
	roofline(&s->cost, p, &b);
	if (isnan(b.sol_s))
		return;
	double sol_ns = 1e9 * b.sol_s * (double)s->call.instances;
	sum->sol_ns += sol_ns;
	sum->bound_ns += s->call.total_ns;
	if (b.leg == LEG_COMPUTE)
		sum->compute_ns += sol_ns;
	sum->link |= b.leg == LEG_LINK;
}

enum leg run_operators_projection_leg(const struct platform_projection *sum)
{
	if (!(sum->sol_ns > 0))
		return LEG_NONE;
	if (sum->link)
		return LEG_LINK;
	return 2 * sum->compute_ns > sum->sol_ns ? LEG_COMPUTE : LEG_MEMORY;
}

enum leg run_operators_leg(const struct operator_stat *o)
{
	if (!o->bound_ns)
		return LEG_NONE;
	if (o->collective)
		return LEG_LINK;
	return 2 * o->clock.compute_ns > o->bound_ns ? LEG_COMPUTE : LEG_MEMORY;
}

const struct measured_sum *run_operators_measured(
	const struct run_operators_table *m, const struct operator_stat *o)
{
	const struct measured_sum *sum =
		m->measured ? &m->measured[o - m->is->rows] : NULL;
	return sum && sum->bound_ns ? sum : NULL;
}

bool run_operators_has_clock(const struct run_operators_table *m)
{
	return m->is->sm_clock_mhz > 0;
}

const char *run_operators_peaks(const struct run_operators_table *m,
	struct arena *a)
{
	const struct platform *p =
		m->is->platform && run_operators_has_clock(m)
			? catalog_platform(m->catalog, m->is->platform)
			: NULL;
	return p ? roofline_clock_text(p, m->is->sm_clock_mhz, a) : NULL;
}

/* Share of the run's GPU time above the measured ceilings. */
static double run_operators_headroom_measured(
	const struct run_operators_table *m)
{
	double ns = NAN;
	for (uint32_t i = 0; i < m->is->n; i++) {
		const struct operator_stat *o = &m->is->rows[i];
		const struct measured_sum *sum = run_operators_measured(m, o);
		if (sum)
			ns = (isnan(ns) ? 0 : ns) + sum->headroom_ns;
	}
	return 100 * ns / (double)m->is->gpu_ns;
}

const struct fleet_best *run_operators_best(const struct run_operators_table *m,
	const struct operator_stat *o, enum leg leg, int size_class)
{
	const struct reachable_calls c = { .platform = m->is->platform,
		.op = o->name,
		.dtype = o->dtype,
		.leg = leg,
		.size_class = size_class };
	return m->bests ? reachable_best(m->bests, &c) : NULL;
}

int64_t run_operators_reachable_ns(int64_t total_ns, double s,
	const struct fleet_best *best)
{
	double share = reachable_share(s, best);
	return isnan(share) ? -1 : llround((double)total_ns * share);
}

bool run_operators_bests_read(struct service_call *c,
	struct run_operators_table *m, struct err *e)
{
	struct fleet_bests *bests = arena_new(&c->arena, struct fleet_bests);
	m->bests = bests;
	if (!m->is->platform)
		return true;
	if (!fleet_best_read(c->db, &c->arena, project_scope_name(c),
		    m->is->platform, bests, e))
		return false;
	reachable_sort(bests);
	return true;
}

bool run_operators_reachable_read(struct service_call *c, int64_t run,
	struct run_operators_table *m, struct err *e)
{
	struct bound_shape *rows = NULL;
	uint32_t n = 0;
	if (!run_operators_bests_read(c, m, e))
		return false;
	if (m->bests->n &&
		!query_bound_shapes(c->db, &c->arena, run, &rows, &n, e))
		return false;
	m->reachable = run_operators_reachable_from(m, rows, n, &c->arena);
	return true;
}

const struct reachable_sum *
run_operators_reachable_from(const struct run_operators_table *m,
	const struct bound_shape *shapes, uint32_t n, struct arena *a)
{
	struct reachable_sum *all =
		arena_array(a, struct reachable_sum, m->is->n + 1);
	for (uint32_t i = 0; i < n; i++) {
		const struct bound_shape *s = &shapes[i];
		const struct fleet_best *best = run_operators_best(m,
			&m->is->rows[s->operator_], s->leg, s->size_class);
		int64_t ns =
			run_operators_reachable_ns(s->total_ns, s->s, best);
		reachable_add(&all[s->operator_], (double)s->total_ns,
			ns < 0 ? (double)NAN : (double)ns, best);
	}
	return all;
}

static double run_operators_ratio(double part, int64_t all)
{
	return all > 0 ? part / (double)all : (double)NAN;
}

double run_operators_mfu(const struct utilization *u)
{
	return u->why ? (double)NAN
		      : run_operators_ratio(u->compute_ns - u->recomputed_ns,
				u->time_ns);
}

const char *run_operators_hfu_why(const struct utilization *u)
{
	if (u->why)
		return u->why;
	if (u->recompute_unstored)
		return "the run was analyzed before recomputed work was stored; "
		       "`kernsiftd rebuild` analyzes it again";
	return u->flops_ns > 0 && !u->recompute_known_ns
		       ? "nothing recorded shows which of its operations "
			 "repeat earlier ones"
		       : NULL;
}

double run_operators_hfu(const struct utilization *u)
{
	return run_operators_hfu_why(u)
		       ? (double)NAN
		       : run_operators_ratio(u->compute_ns, u->time_ns);
}

double run_operators_recompute_covered(const struct utilization *u)
{
	return u->recompute_unstored
		       ? (double)NAN
		       : run_operators_ratio((double)u->recompute_known_ns,
				 u->flops_ns);
}

double run_operators_mbu(const struct utilization *u)
{
	return u->why ? (double)NAN
		      : run_operators_ratio(u->memory_ns, u->time_ns);
}

double run_operators_covered(const struct utilization *u)
{
	return run_operators_ratio((double)u->known_ns, u->all_ns);
}

/* Calls whose work is known, and what is known of its repetition. */
struct run_operators_work {
	double compute_s, memory_s, recomputed_s; /* of all of them */
	int64_t calls, ns, recompute_known_ns; /* -1: it was not stored */
};

/* Without any call it adds nothing, because the time of a call that is not there
 * is not covered. */
static void run_operators_utilization_add(struct utilization *u,
	const struct run_operators_work *w)
{
	if (w->calls <= 0)
		return;
	u->compute_ns += 1e9 * w->compute_s;
	u->memory_ns += 1e9 * w->memory_s;
	u->known_ns += w->ns;
	if (!(w->compute_s > 0))
		return;
	u->flops_ns += w->ns;
	u->recompute_unstored |= w->recompute_known_ns < 0;
	if (w->recompute_known_ns < 0)
		return;
	u->recomputed_ns += 1e9 * w->recomputed_s;
	u->recompute_known_ns += w->recompute_known_ns;
}

/* The work of `calls` of one cost. */
static struct run_operators_work run_operators_work_of(const struct bound *b,
	int64_t calls, int64_t ns, const struct recomputed *again)
{
	return (struct run_operators_work){ b->compute_s * (double)calls,
		b->memory_s * (double)calls,
		b->compute_s * (double)again->calls, calls, ns,
		again->known_ns };
}

/* Why there is no utilization of the run or of a row; NULL if there is. */
static const char *run_operators_utilization_why(const struct utilization *u,
	const struct platform *p, bool collective)
{
	if (!p)
		return "the peaks of its platform are unknown";
	if (collective)
		return "a collective has neither operations nor memory traffic "
		       "of its own";
	if (u->all_ns < 0)
		return "the run was analyzed before the work of its iterations "
		       "was stored; `kernsiftd rebuild` analyzes it again";
	if (u->time_ns < 0)
		return "the trace has no time from its first launch to its "
		       "last";
	if (u->time_ns == 0)
		return "it took no time";
	return u->known_ns > 0 ? NULL
			       : "the work of none of its calls is known";
}

/* Sets the times of the whole run. */
static void run_operators_utilization_whole(struct run_utilization *use,
	const struct costed_shapes *shapes, int64_t gpu_ns)
{
	int64_t wall_ns = use->kept ? shapes->kept_ns : shapes->span_ns;

	use->whole.all_ns = use->kept ? shapes->kept_gpu_ns : gpu_ns;
	use->whole.time_ns = wall_ns < 0 ? -1 : wall_ns * shapes->devices;
}

const struct run_utilization *
run_operators_utilization_from(const struct run_operators_table *m,
	const struct costed_shapes *shapes, struct arena *a)
{
	const struct platform *p =
		m->is->platform ? catalog_platform(m->catalog, m->is->platform)
				: NULL;
	struct run_utilization *use = arena_new(a, struct run_utilization);
	struct utilization *rows =
		arena_array(a, struct utilization, m->is->n + 1);

	use->rows = rows;
	use->kept = shapes->kept_ns >= 0;
	for (uint32_t i = 0; p && i < shapes->n; i++) {
		const struct costed_shape *s = &shapes->rows[i];
		struct bound b;
		roofline(&s->cost, p, &b);
		if (isnan(b.sol_s))
			continue;
		struct run_operators_work all = run_operators_work_of(&b,
			s->calls, s->total_ns, &s->recomputed);
		struct run_operators_work kept = run_operators_work_of(&b,
			s->kept_calls, s->kept_ns, &s->kept_recomputed);
		run_operators_utilization_add(&rows[s->operator_], &all);
		run_operators_utilization_add(&use->whole,
			use->kept ? &kept : &all);
	}
	for (uint32_t i = 0; i < m->is->n; i++) {
		const struct operator_stat *o = &m->is->rows[i];
		rows[i].all_ns = rows[i].time_ns = o->total_ns;
		rows[i].why = run_operators_utilization_why(&rows[i], p,
			o->collective);
	}
	run_operators_utilization_whole(use, shapes, m->is->gpu_ns);
	use->whole.why = run_operators_utilization_why(&use->whole, p, false);
	return use;
}

/* The compute time of an iteration's operations, which are by dtype, then by
 * iteration. NaN if a peak is unknown. */
static double run_operators_compute_s(const struct platform *p,
	const struct iteration_works *all, uint32_t dtypes, const double *flops,
	int64_t iteration)
{
	double s = 0;

	flops += iteration;
	for (enum dtype d = 0; d < DTYPES; d++) {
		if (!(dtypes >> d & 1))
			continue;
		s += p->peak_flops[d] > 0 ? *flops / p->peak_flops[d]
					  : (double)NAN;
		flops += all->iterations_n;
	}
	return s;
}

/* Adds the calls of an iteration that have the same dtypes, unless a peak is
 * unknown that they require. */
static void run_operators_utilization_work(struct utilization *u,
	const struct platform *p, const struct iteration_works *all,
	const struct iteration_work *w, int64_t iteration)
{
	struct run_operators_work is = { .calls = 1,
		.ns = w->time_ns[iteration],
		.recompute_known_ns = -1 };

	is.compute_s =
		run_operators_compute_s(p, all, w->dtypes, w->flops, iteration);
	if (w->bytes[iteration] > 0)
		is.memory_s = w->bytes[iteration] / p->bytes_per_s;
	if (w->recompute_known_ns) {
		is.recompute_known_ns = w->recompute_known_ns[iteration];
		is.recomputed_s = run_operators_compute_s(p, all, w->dtypes,
			w->recomputed_flops, iteration);
	}
	if (isfinite(is.compute_s) && isfinite(is.memory_s))
		run_operators_utilization_add(u, &is);
}

const struct utilization *run_operators_utilization_iterations(
	const struct platform *p, const struct iteration_works *works,
	const struct iterations *page, int64_t from, struct arena *a)
{
	struct utilization *all =
		arena_array(a, struct utilization, (size_t)page->n + 1);

	for (uint32_t i = 0; i < page->n; i++) {
		struct utilization *u = &all[i];
		int64_t at = from + i, ns = page->iterations[i].dur_ns;
		bool stored = works && works->n && at < works->iterations_n;
		u->time_ns = ns < 0 || !works ? -1 : ns * works->devices;
		u->all_ns = stored ? 0 : -1;
		for (uint32_t w = 0; stored && w < works->n; w++) {
			u->all_ns += works->rows[w].time_ns[at];
			if (p && works->rows[w].known)
				run_operators_utilization_work(u, p, works,
					&works->rows[w], at);
		}
		u->why = works ? run_operators_utilization_why(u, p, false)
			       : "work is stored only for the iterations that "
				 "were found when the run was analyzed";
	}
	return all;
}

struct run_operators_share run_operators_share_from(
	const struct run_operators_table *m)
{
	int64_t attributed = 0, specific = 0, sized = 0, bound = 0;
	int64_t head = 0, sheet = 0;
	double known = 0, reachable = 0;
	for (uint32_t i = 0; i < m->is->n; i++) {
		const struct operator_stat *o = &m->is->rows[i];
		const struct operator_info *is =
			o->name ? catalog_operator(m->catalog, o->name) : NULL;
		attributed += o->name ? o->total_ns : 0;
		specific += o->name && (!is || is->specific) ? o->total_ns : 0;
		sized += o->sized_ns;
		bound += o->bound_ns;
		head += o->clock.headroom_ns;
		sheet += o->sheet.headroom_ns;
		known += m->reachable ? m->reachable[i].known : 0;
		reachable += m->reachable ? m->reachable[i].saved : 0;
	}
	return (struct run_operators_share){
		fleet_importance_pct(attributed, m->is->gpu_ns),
		fleet_importance_pct(specific, m->is->gpu_ns),
		fleet_importance_pct(sized, m->is->gpu_ns),
		fleet_importance_pct(bound, m->is->gpu_ns),
		bound ? fleet_importance_pct(head, m->is->gpu_ns) : (double)NAN,
		run_operators_headroom_measured(m),
		bound && run_operators_has_clock(m)
			? fleet_importance_pct(sheet, m->is->gpu_ns)
			: (double)NAN,
		fleet_importance_pct((int64_t)known, m->is->gpu_ns),
		known > 0 ? fleet_importance_pct((int64_t)reachable,
				    m->is->gpu_ns)
			  : (double)NAN,
	};
}

/* Rows of the store, the most time first; row i belongs to row `of[i]`. */
struct unattributed_united {
	struct unattributed_line *rows;
	uint32_t *of, n;
};

/* Adds each row to the first one of its stem. */
static void run_operators_unite(const struct catalog *k, struct arena *a,
	struct unattributed_united *u)
{
	struct names stems;
	uint32_t *first = arena_array(a, uint32_t, u->n + 2); /* by stem */

	names_init(&stems, a);
	u->of = arena_array(a, uint32_t, u->n + 1);
	for (uint32_t i = 0; i < u->n; i++) {
		struct unattributed_line *is = &u->rows[i];
		struct kernel_stem stem;
		uint32_t known = stems.n;
		u->of[i] = i;
		catalog_kernel_stem(k, is->name, a, &stem);
		if (!stem.text || stem.varies != NAME_NUMBER)
			continue;
		uint32_t id = names_put(&stems, stem.text, strlen(stem.text));
		if (id >= known) {
			first[id] = i;
			continue;
		}
		struct unattributed_line *to = &u->rows[first[id]];
		u->of[i] = first[id];
		to->launches += is->launches;
		to->total_ns += is->total_ns;
		to->names++;
	}
}

static int run_operators_by_time(const void *left, const void *right)
{
	const struct unattributed_line *a = left, *b = right;
	if (a->total_ns != b->total_ns)
		return a->total_ns > b->total_ns ? -1 : 1;
	return (a->kernel > b->kernel) - (a->kernel < b->kernel);
}

/* The number of runs of each united row. A run may have several of its kernels,
 * so that the numbers of its kernels cannot be added up. */
static bool run_operators_runs(struct service_call *c,
	const struct unattributed_united *u, struct err *e)
{
	int64_t *kernels = arena_array(&c->arena, int64_t, u->n + 1);
	int64_t *runs = arena_array(&c->arena, int64_t, u->n + 1);
	uint32_t *set = arena_array(&c->arena, uint32_t, u->n + 1), n = 0;

	for (uint32_t i = 0; i < u->n; i++)
		if (u->rows[u->of[i]].names > 1) {
			kernels[n] = u->rows[i].kernel;
			set[n++] = u->of[i];
		}
	if (n &&
		!query_unattributed_runs(c->db, kernels, set, n, runs, u->n, e))
		return false;
	for (uint32_t i = 0; i < u->n; i++)
		if (u->rows[i].names > 1)
			u->rows[i].runs = runs[i];
	return true;
}

bool run_operators_unattributed(struct service_call *c, int limit,
	struct unattributed_line **rows, uint32_t *n, struct err *e)
{
	const struct catalog *k = catalog_cache_take(c, e);
	struct unattributed_united u = { 0 };

	/* All rows, because many short kernels may be one long one. */
	if (!k || !service_db(c, e) ||
		!query_unattributed(c->db, &c->arena, 0, INT_MAX, &u.rows, &u.n,
			e))
		return false;
	run_operators_unite(k, &c->arena, &u);
	if (!run_operators_runs(c, &u, e))
		return false;
	*n = 0;
	for (uint32_t i = 0; i < u.n; i++)
		if (u.of[i] == i)
			u.rows[(*n)++] = u.rows[i];
	if (*n)
		qsort(u.rows, *n, sizeof *u.rows, run_operators_by_time);
	if (*n > (uint32_t)limit)
		*n = (uint32_t)limit;
	*rows = u.rows;
	return true;
}
