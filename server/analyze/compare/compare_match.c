/* compare_match.c - devices and ranks matched by what they do.
 *
 * The first unit of the base sets the places. A lane of another unit takes the
 * place of its name; devices change places only where the assignment that fits
 * best is clearly better than that: half the distance or less, by a twentieth of
 * the time. Collectives are left out, since who waits in them says nothing of
 * what a device does. A rank's host goes where its first device goes. */
#include "compare_assign.h"
#include "compare_state.h"
#include "names.h"
#include <assert.h>
#include <math.h>
#include <string.h>

struct lane {
	uint32_t run; /* of the unit */
	const char *device;
	bool host;
	uint32_t place;
	double *ns; /* by function: mean per cycle */
	uint32_t ns_n;
};
struct lanes {
	struct lane *rows;
	uint32_t n;
};
struct roles {
	struct compare *c;
	struct lanes places; /* the places, as those who set them have them */
	struct names functions;
	const char *moved; /* what is told of those that changed places */
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

static uint32_t function_of(struct roles *x, const struct pattern *p)
{
	const char *key = arena_printf(x->c->a, "%d %s", (int)p->type, p->name);
	return names_put(&x->functions, key, strlen(key));
}

static struct lane *lane_of(struct roles *x, struct lanes *l, uint32_t run,
	const struct pattern *p)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (l->rows[i].run == run &&
			!strcmp(l->rows[i].device, p->device))
			return &l->rows[i];
	l->rows = arena_grow(x->c->a, l->rows, (l->n + 1) * sizeof *l->rows);
	l->rows[l->n] = (struct lane){ .run = run,
		.device = p->device,
		.host = compare_on_host(p->type),
		.place = UINT32_MAX };
	return &l->rows[l->n++];
}

/* The first turn over the patterns made every lane and its room. */
static double *ns_of(const struct lane *l)
{
	assert(l->ns);
	return l->ns;
}

static double mean_ns(const struct compare_unit *u, uint32_t run,
	const struct pattern *p)
{
	double sum = 0;
	for (uint32_t k = 0; k < u->cycles_n; k++)
		sum += (double)p->dur_ns[u->at[run][k]];
	return u->cycles_n ? sum / u->cycles_n : 0;
}

/* The lanes of a unit, each with what it did. */
static struct lanes lanes_from(struct roles *x, const struct compare_unit *u)
{
	struct lanes l = { 0 };
	for (uint32_t r = 0; r < u->runs_n; r++)
		for (uint32_t i = 0; i < u->runs[r]->patterns.n; i++) {
			const struct pattern *p = &u->runs[r]->patterns.rows[i];
			lane_of(x, &l, r, p);
			function_of(x, p);
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
				ns_of(lane_of(x, &l, r,
					p))[function_of(x, p)] +=
					mean_ns(u, r, p);
		}
	return l;
}

static bool taken(const struct lanes *l, uint32_t place)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (l->rows[i].place == place)
			return true;
	return false;
}

/* A lane's place by name; by rank and order where none has the name. */
static void place_by_name(struct roles *x, struct lanes *l)
{
	for (int exact = 1; exact >= 0; exact--)
		for (uint32_t i = 0; i < l->n; i++)
			for (uint32_t j = 0; l->rows[i].place == UINT32_MAX &&
					     j < x->places.n;
				j++) {
				const struct lane *p = &x->places.rows[j];
				if (p->run == l->rows[i].run &&
					p->host == l->rows[i].host &&
					(!exact ||
						!strcmp(p->device,
							l->rows[i].device)) &&
					!taken(l, j))
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

static double ns_at(const struct lane *l, uint32_t f)
{
	return f < l->ns_n ? l->ns[f] : 0;
}

/* Distance of what two lanes did. */
static double distance(const struct roles *x, const struct lane *l,
	const struct lane *place)
{
	double sum = 0;
	for (uint32_t f = 0; f < x->functions.n; f++)
		sum += fabs(ns_at(l, f) - ns_at(place, f));
	return sum;
}

/* Hosts go where the first device of their rank went. */
static void hosts_follow(struct roles *x, struct lanes *l)
{
	for (uint32_t i = 0; i < l->n; i++) {
		struct lane *host = &l->rows[i];
		const struct lane *device = NULL;
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

static void moved_tell(struct roles *x, const struct compare_unit *u,
	const struct lane *l, uint32_t to)
{
	struct arena *a = x->c->a;
	x->moved = compare_text_join(a, x->moved,
		arena_printf(a, "%s of %s stands for %s", l->device,
			compare_text_run(a, u->runs[l->run]),
			x->places.rows[to].device));
}

/* Devices among the places that this unit's have. */
static void place_by_role(struct roles *x, const struct compare_unit *u,
	struct lanes *l)
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
		const struct lane *lane = &l->rows[of[i]];
		for (uint32_t j = 0; j < n; j++)
			cost[(size_t)i * n + j] = distance(x, lane,
				&x->places.rows[l->rows[of[j]].place]);
		by_name += cost[(size_t)i * n + i];
		for (uint32_t f = 0; f < lane->ns_n; f++)
			all += lane->ns[f];
	}
	compare_assign(cost, n, a, place);
	for (uint32_t i = 0; i < n; i++) {
		best += cost[(size_t)i * n + place[i]];
		to[i] = l->rows[of[place[i]]].place;
	}
	if (best > by_name / 2 || by_name - best < all / 20)
		return;
	for (uint32_t i = 0; i < n; i++) {
		if (l->rows[of[i]].place != to[i])
			moved_tell(x, u, &l->rows[of[i]], to[i]);
		l->rows[of[i]].place = to[i];
	}
	hosts_follow(x, l);
}

/* What a lane is called: a job's with its rank. */
static const char *called(struct arena *a, const struct compare_unit *u,
	const struct lane *l)
{
	int32_t rank = u->runs[l->run]->rank;
	if (u->runs_n == 1)
		return l->device;
	if (rank < 0)
		return arena_printf(a, "process %u, %s", l->run + 1, l->device);
	return arena_printf(a, "rank %d, %s", (int)rank, l->device);
}

static void unit_place(struct roles *x, struct compare_unit *u, int side)
{
	struct compare *c = x->c;
	struct lanes l = lanes_from(x, u);
	bool first = x->places.n == 0;
	place_by_name(x, &l);
	if (!first)
		place_by_role(x, u, &l);
	for (uint32_t r = 0; r < u->runs_n; r++) {
		const struct patterns *p = &u->runs[r]->patterns;
		u->place_of[r] = arena_array(c->a, uint32_t, p->n + 1);
		for (uint32_t i = 0; i < p->n; i++)
			u->place_of[r][i] =
				lane_of(x, &l, r, &p->rows[i])->place;
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
				called(c->a, u, &l.rows[i]);
}

void compare_roles_from(struct compare *c)
{
	struct roles x = { .c = c };
	names_init(&x.functions, c->a);
	for (int s = 0; s < 2; s++)
		for (uint32_t u = 0; u < c->side[s].units_n; u++)
			unit_place(&x, &c->side[s].units[u], s);
	if (x.moved)
		compare_finding_add(c, FINDING_device_swapped, x.moved, NULL);
}
