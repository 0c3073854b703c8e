/* compare_match.c - matches the units, iterations, devices and ranks of both
 * sides. */
#include "compare_state.h"
#include "names.h"
#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Units: the runs of one job are one unit. A run without a job is one unit. */

static int compare_match_by_rank(const void *left, const void *right)
{
	const struct compared_run
		*a = *(const struct compared_run *const *)left,
		*b = *(const struct compared_run *const *)right;
	if (a->rank != b->rank)
		return (a->rank > b->rank) - (a->rank < b->rank);
	return (a->id > b->id) - (a->id < b->id);
}

static struct compare_unit *compare_match_unit_of(struct compare_side *s,
	int64_t job)
{
	for (uint32_t u = 0; job && u < s->units_n; u++)
		if (s->units[u].runs[0]->job == job)
			return &s->units[u];
	return &s->units[s->units_n++];
}

void compare_match_units(const struct compared_run *runs, uint32_t n,
	struct arena *a, struct compare_side *out)
{
	*out = (struct compare_side){ .runs = runs,
		.runs_n = n,
		.per_launch = 1 };
	out->units = arena_array(a, struct compare_unit, n);
	out->unit_iterations = arena_array(a, uint32_t, n);
	for (uint32_t i = 0; i < n; i++) {
		struct compare_unit *u =
			compare_match_unit_of(out, runs[i].job);
		if (!u->runs)
			u->runs =
				arena_array(a, const struct compared_run *, n);
		u->runs[u->runs_n++] = &runs[i];
	}
	for (uint32_t i = 0; i < out->units_n; i++) {
		struct compare_unit *u = &out->units[i];
		qsort(u->runs, u->runs_n, sizeof *u->runs,
			compare_match_by_rank);
		u->at = arena_array(a, uint32_t *, u->runs_n);
		u->place_of = arena_array(a, uint32_t *, u->runs_n);
	}
}

static bool compare_match_start_known(const struct compare_side *s)
{
	for (uint32_t u = 0; u < s->units_n; u++)
		if (s->units[u].runs[0]->started_utc_ns <= 0)
			return false;
	return true;
}

/* Sorts by start time if all units have one, otherwise by id. The sort is
 * stable, so that runs without both keep the caller's order. */
static void compare_match_units_by_time(struct compare_side *s, struct arena *a)
{
	bool moments = compare_match_start_known(s);
	s->by_time = arena_array(a, uint32_t, s->units_n + 1);
	for (uint32_t u = 0; u < s->units_n; u++) {
		const struct compared_run *r = s->units[u].runs[0];
		uint32_t at = u;
		for (; at; at--) {
			const struct compared_run *b =
				s->units[s->by_time[at - 1]].runs[0];
			if (moments && b->started_utc_ns != r->started_utc_ns
					? b->started_utc_ns < r->started_utc_ns
					: b->id <= r->id)
				break;
			s->by_time[at] = s->by_time[at - 1];
		}
		s->by_time[at] = u;
	}
}

/* Iterations: the kept iterations of matching work are compared. If a stratum
 * has more iterations than its share of the mix, an evenly spaced selection is
 * used. The ranks of a job iterate together: the k-th iteration of one rank
 * corresponds to the k-th iteration of every other rank. */

/* Whether the i-th of `have` elements is in an evenly spaced selection of
 * `want` elements. */
static bool compare_match_chosen(uint64_t i, uint64_t have, uint64_t want)
{
	return (i + 1) * want / have != i * want / have;
}

static uint32_t compare_match_run_iterations(const struct compared_run *r,
	const uint32_t *wanted, uint32_t *at, struct arena *a)
{
	const struct iterations *c = &r->iterations;
	uint32_t *have = arena_array(a, uint32_t, c->strata_n + 1);
	uint32_t *seen = arena_array(a, uint32_t, c->strata_n + 1);
	uint32_t n = 0;

	for (int fill = 0; fill < 2; fill++)
		for (uint32_t i = 0; i < r->patterns.iterations_n; i++) {
			const struct iteration *y =
				&c->iterations[r->patterns.iteration[i]];
			if (y->use != ITERATION_KEPT)
				continue;
			uint32_t s = y->stratum < c->strata_n ? y->stratum
							      : c->strata_n;
			if (!fill)
				have[s]++;
			else if (!wanted || wanted[s] >= have[s] ||
				 compare_match_chosen(seen[s]++, have[s],
					 wanted[s]))
				at[n++] = i;
		}
	return n;
}

static double compare_match_iteration_ns(const struct compare_unit *u,
	uint32_t k)
{
	double sum = 0;
	for (uint32_t r = 0; r < u->runs_n; r++) {
		const struct compared_run *run = u->runs[r];
		uint32_t i = run->patterns.iteration[u->at[r][k]];
		sum += (double)run->iterations.iterations[i].dur_ns;
	}
	return sum / u->runs_n;
}

static void compare_match_side_iterations(struct compare_side *s,
	uint32_t *const *wanted, struct arena *a)
{
	uint32_t used = 0;
	s->iterations_n = 0;
	for (uint32_t i = 0; i < s->units_n; i++) {
		struct compare_unit *u = &s->units[i];
		u->iterations_n = UINT32_MAX;
		for (uint32_t r = 0; r < u->runs_n; r++) {
			const struct compared_run *run = u->runs[r];
			u->at[r] = arena_array(a, uint32_t,
				run->patterns.iterations_n + 1);
			uint32_t n = compare_match_run_iterations(run,
				wanted ? wanted[run - s->runs] : NULL, u->at[r],
				a);
			u->iterations_n =
				n < u->iterations_n ? n : u->iterations_n;
		}
		if (u->iterations_n == 0)
			continue;
		u->first = s->iterations_n;
		s->iterations_n += u->iterations_n;
		s->unit_iterations[used] = u->iterations_n;
		s->units[used++] = *u;
	}
	s->units_n = used;
	compare_match_units_by_time(s, a);
	s->iteration_ns = arena_array(a, double, s->iterations_n + 1);
	for (uint32_t i = 0; i < s->units_n; i++)
		for (uint32_t k = 0; k < s->units[i].iterations_n; k++)
			s->iteration_ns[s->units[i].first + k] =
				compare_match_iteration_ns(&s->units[i], k);
}

/* Assignment: the Hungarian method with potentials. Lanes are assigned one
 * after the other, each by the shortest path of exchanges. Index 0 means no
 * lane. */

struct paths {
	const double *cost;
	uint32_t n;
	double *lane_price, *place_price, *slack;
	uint32_t *holder,
		*from; /* by place: the lane that has it, and the place before it on the path */
	bool *done;
};

/* The place to reach next. Moves prices so that reaching it is free. */
static uint32_t compare_match_assign_step(struct paths *p, uint32_t at)
{
	uint32_t lane = p->holder[at], next = 0;
	double min = INFINITY;
	for (uint32_t j = 1; j <= p->n; j++) {
		if (p->done[j])
			continue;
		double way = p->cost[(size_t)(lane - 1) * p->n + j - 1] -
			     p->lane_price[lane] - p->place_price[j];
		if (way < p->slack[j]) {
			p->slack[j] = way;
			p->from[j] = at;
		}
		if (p->slack[j] < min) {
			min = p->slack[j];
			next = j;
		}
	}
	for (uint32_t j = 0; j <= p->n; j++)
		if (p->done[j]) {
			p->lane_price[p->holder[j]] += min;
			p->place_price[j] -= min;
		} else {
			p->slack[j] -= min;
		}
	return next;
}

static void compare_match_assign_join(struct paths *p, uint32_t lane)
{
	uint32_t at = 0;
	p->holder[0] = lane;
	for (uint32_t j = 0; j <= p->n; j++) {
		p->slack[j] = INFINITY;
		p->done[j] = false;
	}
	do {
		p->done[at] = true;
		at = compare_match_assign_step(p, at);
	} while (p->holder[at]);
	for (; at; at = p->from[at])
		p->holder[at] = p->holder[p->from[at]];
}

void compare_match_assign(const double *cost, uint32_t n, struct arena *a,
	uint32_t *place)
{
	struct paths p = { .cost = cost,
		.n = n,
		.lane_price = arena_array(a, double, n + 1),
		.place_price = arena_array(a, double, n + 1),
		.slack = arena_array(a, double, n + 1),
		.holder = arena_array(a, uint32_t, n + 1),
		.from = arena_array(a, uint32_t, n + 1),
		.done = arena_array(a, bool, n + 1) };
	for (uint32_t i = 1; i <= n; i++)
		compare_match_assign_join(&p, i);
	for (uint32_t j = 1; j <= n; j++)
		place[p.holder[j] - 1] = j - 1;
}

/* Places: devices and ranks are matched by their work.
 *
 * The lanes of the base's first unit define the places. A lane of another unit
 * is first assigned to the place with its name. Devices change places only if
 * the best assignment is clearly better: its distance is at most half, and
 * smaller by at least a twentieth of the time. Collectives are excluded from
 * the distance, because the time of waiting in them is independent of a
 * device's work. The host of a rank is assigned like the rank's first
 * device. */

struct compare_match_lane {
	uint32_t run; /* index in the unit */
	const char *device;
	bool host;
	uint32_t place;
	double *ns; /* by function: mean per iteration */
	uint32_t ns_n;
};
struct compare_match_lanes {
	struct compare_match_lane *rows;
	uint32_t n;
};
struct compare_match_roles {
	struct compare *c;
	struct compare_match_lanes
		places; /* the places, as the lanes that defined them */
	struct names functions;
	const char *
		moved; /* the text of the finding on lanes that changed places */
};

bool compare_on_host(enum function_type t)
{
	static const bool host[] = {
#define HOST true
#define DEVICE false
#define FUNCTION_TYPE(code, word, where, what) [FUNCTION_##code] = (where),
#include "function_type.def"
#undef FUNCTION_TYPE
#undef HOST
#undef DEVICE
	};
	return host[t];
}

static uint32_t compare_match_function_of(struct compare_match_roles *x,
	const struct pattern *p)
{
	const char *key = arena_printf(x->c->a, "%d %s", (int)p->type, p->name);
	return names_put(&x->functions, key, strlen(key));
}

static struct compare_match_lane *
compare_match_lane_of(struct compare_match_roles *x,
	struct compare_match_lanes *l, uint32_t run, const struct pattern *p)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (l->rows[i].run == run &&
			!strcmp(l->rows[i].device, p->device))
			return &l->rows[i];
	l->rows = arena_grow(x->c->a, l->rows, (l->n + 1) * sizeof *l->rows);
	l->rows[l->n] = (struct compare_match_lane){ .run = run,
		.device = p->device,
		.host = compare_on_host(p->type),
		.place = UINT32_MAX };
	return &l->rows[l->n++];
}

/* The first pass over the patterns made every lane and its array. */
static double *compare_match_ns_of(const struct compare_match_lane *l)
{
	assert(l->ns);
	return l->ns;
}

static double compare_match_mean_ns(const struct compare_unit *u, uint32_t run,
	const struct pattern *p)
{
	double sum = 0;
	for (uint32_t k = 0; k < u->iterations_n; k++)
		sum += (double)p->dur_ns[u->at[run][k]];
	return u->iterations_n ? sum / u->iterations_n : 0;
}

/* The lanes of a unit, each with its time per function. */
static struct compare_match_lanes compare_match_lanes_from(
	struct compare_match_roles *x, const struct compare_unit *u)
{
	struct compare_match_lanes l = { 0 };
	for (uint32_t r = 0; r < u->runs_n; r++)
		for (uint32_t i = 0; i < u->runs[r]->patterns.n; i++) {
			const struct pattern *p = &u->runs[r]->patterns.rows[i];
			compare_match_lane_of(x, &l, r, p);
			compare_match_function_of(x, p);
		}
	for (uint32_t i = 0; i < l.n; i++) {
		l.rows[i].ns_n = x->functions.n;
		l.rows[i].ns = arena_array(x->c->a, double, x->functions.n);
	}
	for (uint32_t r = 0; r < u->runs_n; r++)
		for (uint32_t i = 0; i < u->runs[r]->patterns.n; i++) {
			const struct pattern *p = &u->runs[r]->patterns.rows[i];
			if (p->type != FUNCTION_gpu_comm &&
				!compare_on_host(p->type))
				compare_match_ns_of(compare_match_lane_of(x, &l,
					r,
					p))[compare_match_function_of(x, p)] +=
					compare_match_mean_ns(u, r, p);
		}
	return l;
}

static bool compare_match_taken(const struct compare_match_lanes *l,
	uint32_t place)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (l->rows[i].place == place)
			return true;
	return false;
}

/* A lane's place by name, or by rank and order if no place has the name. */
static void compare_match_place_by_name(struct compare_match_roles *x,
	struct compare_match_lanes *l)
{
	for (int exact = 1; exact >= 0; exact--)
		for (uint32_t i = 0; i < l->n; i++)
			for (uint32_t j = 0; l->rows[i].place == UINT32_MAX &&
					     j < x->places.n;
				j++) {
				const struct compare_match_lane *p =
					&x->places.rows[j];
				if (p->run == l->rows[i].run &&
					p->host == l->rows[i].host &&
					(!exact ||
						!strcmp(p->device,
							l->rows[i].device)) &&
					!compare_match_taken(l, j))
					l->rows[i].place = j;
			}
	for (uint32_t i = 0; i < l->n; i++)
		if (l->rows[i].place == UINT32_MAX) {
			l->rows[i].place = x->places.n;
			x->places.rows = arena_grow(x->c->a, x->places.rows,
				(x->places.n + 1) * sizeof *x->places.rows);
			x->places.rows[x->places.n++] = l->rows[i];
		}
}

static double compare_match_ns_at(const struct compare_match_lane *l,
	uint32_t f)
{
	return f < l->ns_n ? l->ns[f] : 0;
}

/* The distance between the work of two lanes. */
static double compare_match_distance(const struct compare_match_roles *x,
	const struct compare_match_lane *l,
	const struct compare_match_lane *place)
{
	double sum = 0;
	for (uint32_t f = 0; f < x->functions.n; f++)
		sum += fabs(compare_match_ns_at(l, f) -
			    compare_match_ns_at(place, f));
	return sum;
}

/* Assigns each host to the place of the first device of its rank. */
static void compare_match_hosts_follow(struct compare_match_roles *x,
	struct compare_match_lanes *l)
{
	for (uint32_t i = 0; i < l->n; i++) {
		struct compare_match_lane *host = &l->rows[i];
		const struct compare_match_lane *device = NULL;
		for (uint32_t j = 0; host->host && !device && j < l->n; j++)
			if (!l->rows[j].host && l->rows[j].run == host->run)
				device = &l->rows[j];
		if (!device)
			continue;
		uint32_t run = x->places.rows[device->place].run;
		for (uint32_t j = 0; j < x->places.n; j++)
			if (x->places.rows[j].host &&
				x->places.rows[j].run == run &&
				!strcmp(x->places.rows[j].device, host->device))
				host->place = j;
	}
}

static void compare_match_moved_tell(struct compare_match_roles *x,
	const struct compare_unit *u, const struct compare_match_lane *l,
	uint32_t to)
{
	struct arena *a = x->c->a;
	x->moved = compare_text_join(a, x->moved,
		arena_printf(a, "%s of %s is matched as %s", l->device,
			compare_text_run(a, u->runs[l->run]),
			x->places.rows[to].device));
}

/* Assigns the unit's devices to its places. */
static void compare_match_place_by_role(struct compare_match_roles *x,
	const struct compare_unit *u, struct compare_match_lanes *l)
{
	struct arena *a = x->c->a;
	uint32_t *of = arena_array(a, uint32_t, l->n + 1), n = 0;
	for (uint32_t i = 0; i < l->n; i++)
		if (!l->rows[i].host)
			of[n++] = i;
	double *cost = arena_array(a, double, (size_t)n *n + 1);
	uint32_t *place = arena_array(a, uint32_t, n + 1);
	uint32_t *to = arena_array(a, uint32_t, n + 1);
	double by_name = 0, best = 0, all = 0;
	for (uint32_t i = 0; i < n; i++) {
		const struct compare_match_lane *lane = &l->rows[of[i]];
		for (uint32_t j = 0; j < n; j++)
			cost[(size_t)i * n + j] = compare_match_distance(x,
				lane, &x->places.rows[l->rows[of[j]].place]);
		by_name += cost[(size_t)i * n + i];
		for (uint32_t f = 0; f < lane->ns_n; f++)
			all += lane->ns[f];
	}
	compare_match_assign(cost, n, a, place);
	for (uint32_t i = 0; i < n; i++) {
		best += cost[(size_t)i * n + place[i]];
		to[i] = l->rows[of[place[i]]].place;
	}
	if (best > by_name / 2 || by_name - best < all / 20)
		return;
	for (uint32_t i = 0; i < n; i++) {
		if (l->rows[of[i]].place != to[i])
			compare_match_moved_tell(x, u, &l->rows[of[i]], to[i]);
		l->rows[of[i]].place = to[i];
	}
	compare_match_hosts_follow(x, l);
}

/* The name of a lane, with the rank if the unit is a job. */
static const char *compare_match_called(struct arena *a,
	const struct compare_unit *u, const struct compare_match_lane *l)
{
	int32_t rank = u->runs[l->run]->rank;
	if (u->runs_n == 1)
		return l->device;
	if (rank < 0)
		return arena_printf(a, "process %u, %s", l->run + 1, l->device);
	return arena_printf(a, "rank %d, %s", (int)rank, l->device);
}

static void compare_match_unit_place(struct compare_match_roles *x,
	struct compare_unit *u, int side)
{
	struct compare *c = x->c;
	struct compare_match_lanes l = compare_match_lanes_from(x, u);
	bool first = x->places.n == 0;
	compare_match_place_by_name(x, &l);
	if (!first)
		compare_match_place_by_role(x, u, &l);
	for (uint32_t r = 0; r < u->runs_n; r++) {
		const struct patterns *p = &u->runs[r]->patterns;
		u->place_of[r] = arena_array(c->a, uint32_t, p->n + 1);
		for (uint32_t i = 0; i < p->n; i++)
			u->place_of[r][i] =
				compare_match_lane_of(x, &l, r, &p->rows[i])
					->place;
	}
	for (int s = 0; s < 2; s++)
		c->place[s] = arena_grow(c->a, c->place[s],
			(x->places.n + 1) * sizeof *c->place[s]);
	for (; c->places_n < x->places.n; c->places_n++)
		c->place[BASE][c->places_n] = c->place[HEAD][c->places_n] =
			NULL;
	for (uint32_t i = 0; i < l.n; i++)
		if (!c->place[side][l.rows[i].place])
			c->place[side][l.rows[i].place] =
				compare_match_called(c->a, u, &l.rows[i]);
}

void compare_match_iterations(struct compare *c, uint32_t **const wanted[2])
{
	struct compare_match_roles x = { .c = c };
	for (int s = 0; s < 2; s++)
		compare_match_side_iterations(&c->side[s], wanted[s], c->a);
	names_init(&x.functions, c->a);
	for (int s = 0; s < 2; s++)
		for (uint32_t u = 0; u < c->side[s].units_n; u++)
			compare_match_unit_place(&x, &c->side[s].units[u], s);
	if (x.moved)
		compare_finding_add(c, FINDING_device_swapped, x.moved, NULL);
}
