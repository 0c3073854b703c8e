/* exchange_map.c - makes the maps of a job from the exchanges of its runs and
 * from its matched collectives. */
#include "exchange_map.h"
#include "collective.h"
#include "exchange.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of so many maps, those with the most calls, the imbalance is computed: four
 * times as many as are shown, because the most uneven are shown. Each reads all
 * lines of all runs. */
enum { CONSIDERED = 64 };

struct exchange_maps_maker {
	const struct ranks *ranks;
	struct arena *a;
	struct exchange_map *maps; /* by group, then by kind */
	uint32_t *of; /* [group * COLLECTIVE_KINDS + kind]: index + 1 */
	uint32_t n;
};

/* What a rank of the group is known to exchange, or how long it waits. */
struct exchange_rank {
	uint32_t run; /* index into ranks.runs */
	const struct peer_exchange *is; /* NULL unknown */
	int64_t position; /* in the group; -1 unknown */
	double value; /* by which the rows are selected */
};

static bool exchange_map_has(enum collective_kind kind)
{
	return kind == COLLECTIVE_ALL_TO_ALL || kind == COLLECTIVE_DISPATCH ||
	       kind == COLLECTIVE_COMBINE;
}

/* Adds the maps to which lines of the runs belong, with the calls of all
 * ranks. */
static void exchange_maps_find(struct exchange_maps_maker *m)
{
	const struct ranks *ranks = m->ranks;
	const struct collective_pairs *pairs = &ranks->pairs;
	uint32_t lines = 0;

	for (uint32_t r = 0; r < ranks->ranks_n; r++)
		lines += ranks->runs[r]->collectives.n;
	m->maps = arena_array(m->a, struct exchange_map, (size_t)lines + 1);
	m->of = arena_array(m->a, uint32_t,
		(size_t)pairs->groups_n * COLLECTIVE_KINDS + 1);
	for (uint32_t r = 0; r < ranks->ranks_n; r++) {
		const struct collectives *cs = &ranks->runs[r]->collectives;
		for (uint32_t i = 0; i < cs->n; i++) {
			const struct collective *c = &cs->rows[i];
			uint32_t group = pairs->group_of[r][i];
			uint32_t *at = &m->of[(size_t)group * COLLECTIVE_KINDS +
					      c->call.kind];
			if (!exchange_map_has(c->call.kind))
				continue;
			if (!*at) {
				m->maps[m->n] = (struct exchange_map){
					.name = c->name,
					.group = &pairs->groups[group],
					.kind = c->call.kind,
					.imbalance = NAN,
				};
				*at = ++m->n;
			}
			m->maps[*at - 1].calls += c->n;
		}
	}
}

/* Ranks of a map. */

/* Reads the ranks of a group, "[0, 4, 8]". Returns how many there are; 0 if the
 * list is not complete. */
static uint32_t exchange_map_list(const char *text, int64_t *ranks, uint32_t n)
{
	uint32_t read = 0;
	char *end;

	if (!text || *text != '[')
		return 0;
	for (text++; *text != ']' && read < n; text = end) {
		text += strspn(text, " ,");
		if (*text < '0' || *text > '9')
			return 0;
		ranks[read++] = strtoll(text, &end, 10);
	}
	return *text == ']' && read == n ? n : 0;
}

/* The ranks of a group by position: as its records list them or, if it has all
 * ranks of the job, in order. NULL unknown. */
static int64_t *exchange_map_ranks(const struct exchange_maps_maker *m,
	const struct exchange_map *map, uint32_t peers)
{
	int64_t *ranks = arena_array(m->a, int64_t, (size_t)peers + 1);
	bool world = peers > 0;

	if (exchange_map_list(map->group->ranks, ranks, peers))
		return ranks;
	for (uint32_t r = 0; r < m->ranks->ranks_n; r++)
		world = world &&
			m->ranks->runs[r]->world_size == (int64_t)peers;
	for (uint32_t i = 0; i < peers; i++)
		ranks[i] = i;
	return world ? ranks : NULL;
}

static int64_t exchange_map_position(const int64_t *ranks, uint32_t n,
	int32_t rank)
{
	for (uint32_t i = 0; ranks && rank >= 0 && i < n; i++)
		if (ranks[i] == rank)
			return i;
	return -1;
}

static bool exchange_map_in(const struct exchange_maps_maker *m,
	const struct exchange_map *map, uint32_t r, uint32_t line)
{
	const struct collective *c = &m->ranks->runs[r]->collectives.rows[line];
	uint32_t group = m->ranks->pairs.group_of[r][line];

	return &m->ranks->pairs.groups[group] == map->group &&
	       c->call.kind == map->kind;
}

/* The exchange of a run in the map's group; NULL if it is unknown. *calls: the
 * run's calls, with and without. */
static const struct peer_exchange *
exchange_map_of_run(const struct exchange_maps_maker *m,
	const struct exchange_map *map, uint32_t r, int64_t *calls)
{
	const struct compared_run *run = m->ranks->runs[r];
	const struct peer_exchange *found = NULL;

	*calls = 0;
	for (uint32_t i = 0; i < run->collectives.n; i++)
		if (exchange_map_in(m, map, r, i))
			*calls += run->collectives.rows[i].n;
	for (uint32_t i = 0; i < run->exchanges.n; i++)
		if (exchange_map_in(m, map, r, run->exchanges.rows[i].line))
			found = &run->exchanges.rows[i];
	return found;
}

/* The runs that are in the map's group. Sets what the map knows about calls. */
static struct exchange_rank *
exchange_map_members(const struct exchange_maps_maker *m,
	struct exchange_map *map, uint32_t *n)
{
	struct exchange_rank *list = arena_array(m->a, struct exchange_rank,
		(size_t)m->ranks->ranks_n + 1);
	enum exchange_fault fault = EXCHANGE_FINE;

	*n = 0;
	map->calls = 0;
	for (uint32_t r = 0; r < m->ranks->ranks_n; r++) {
		int64_t calls;
		const struct peer_exchange *x =
			exchange_map_of_run(m, map, r, &calls);
		if (!calls)
			continue;
		map->calls = calls > map->calls ? calls : map->calls;
		if (!fault)
			fault = x ? x->fault : EXCHANGE_NOT_RECORDED;
		if (x && x->known > map->known)
			map->known = x->known;
		list[(*n)++] = (struct exchange_rank){ .run = r,
			.is = x && x->known ? x : NULL,
			.position = -1 };
	}
	map->reason = exchange_fault_text(fault);
	return list;
}

/* Selection of rows and columns. */

struct exchange_pick {
	uint32_t index;
	double deviation;
};

static int exchange_map_by_deviation(const void *left, const void *right)
{
	const struct exchange_pick *a = left, *b = right;

	if (a->deviation != b->deviation)
		return a->deviation > b->deviation ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

static int exchange_map_by_index(const void *left, const void *right)
{
	const struct exchange_pick *a = left, *b = right;

	return a->index < b->index ? -1 : a->index > b->index;
}

/* The indexes of at most EXCHANGE_MAP_CELLS values, in order: the largest, and
 * those that deviate most from the mean. */
static struct exchange_pick *exchange_map_pick(struct arena *a,
	const double *value, uint32_t n, uint32_t *picked)
{
	struct exchange_pick *list =
		arena_array(a, struct exchange_pick, (size_t)n + 1);
	double sum = 0, known = 0, most = -1;

	for (uint32_t i = 0; i < n; i++)
		if (!isnan(value[i])) {
			sum += value[i];
			known++;
			most = fmax(most, value[i]);
		}
	for (uint32_t i = 0; i < n; i++) {
		double far = value[i] == most ? (double)INFINITY
					      : fabs(value[i] - sum / known);
		list[i] = (struct exchange_pick){ i, isnan(far) ? -1 : far };
	}
	*picked = n < EXCHANGE_MAP_CELLS ? n : EXCHANGE_MAP_CELLS;
	if (n > *picked)
		qsort(list, n, sizeof *list, exchange_map_by_deviation);
	if (*picked)
		qsort(list, *picked, sizeof *list, exchange_map_by_index);
	return list;
}

/* Allocates the rows: the ranks whose values deviate most. Returns their
 * indexes. */
static const struct exchange_pick *
exchange_map_rows(const struct exchange_maps_maker *m, struct exchange_map *map,
	const struct exchange_rank *list, uint32_t n)
{
	double *value = arena_array(m->a, double, (size_t)n + 1);

	for (uint32_t i = 0; i < n; i++)
		value[i] = list[i].value;
	const struct exchange_pick *rows =
		exchange_map_pick(m->a, value, n, &map->rows_n);
	size_t size = (size_t)map->rows_n + 1;
	map->rows_left_out = n - map->rows_n;
	map->rows = arena_array(m->a, uint32_t, size);
	map->sent = arena_array(m->a, double, size);
	map->received = arena_array(m->a, double, size);
	map->waited_ns = arena_array(m->a, double, size);
	for (uint32_t i = 0; i < map->rows_n; i++) {
		map->rows[i] = list[rows[i].index].run;
		map->sent[i] = map->received[i] = map->waited_ns[i] = NAN;
	}
	return rows;
}

static void exchange_map_cells(const struct exchange_maps_maker *m,
	struct exchange_map *map)
{
	map->columns = arena_array(m->a, struct exchange_column,
		(size_t)map->columns_n + 1);
	map->cells = arena_array(m->a, double,
		(size_t)map->rows_n * map->columns_n + 1);
}

/* Maps of bytes. */

static double exchange_map_sum(const int64_t *bytes, uint32_t n)
{
	double sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += (double)bytes[i];
	return sum;
}

/* Counts pairs of ranks that state different bytes. */
static uint32_t exchange_map_contradictions(const struct exchange_rank *list,
	uint32_t n)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < n; k++) {
			const struct exchange_rank *x = &list[i], *y = &list[k];
			if (!x->is || !y->is || x->position < 0 ||
				y->position < 0 || x->is->known != y->is->known)
				continue;
			count += x->is->sent[y->position] !=
				 y->is->received[x->position];
		}
	return count;
}

static void exchange_map_imbalance(struct exchange_map *map,
	const struct exchange_rank *list, uint32_t n)
{
	double most = 0, sum = 0;
	uint32_t known = 0;
	bool uneven = false;

	for (uint32_t i = 0; i < n; i++) {
		if (!list[i].is)
			continue;
		uneven |= list[i].is->known != map->known;
		most = fmax(most, list[i].value);
		sum += list[i].value;
		known++;
	}
	map->imbalance_ranks = known;
	if (known < 2)
		map->imbalance_reason =
			"the bytes of at least two ranks are required";
	else if (uneven)
		map->imbalance_reason =
			"the ranks have known bytes of different numbers of "
			"calls";
	else if (!(sum > 0))
		map->imbalance_reason = "no bytes are received";
	else
		map->imbalance = most / (sum / known);
}

/* The columns: the ranks of the group that receive most unlike the others. */
static void exchange_map_peers(const struct exchange_maps_maker *m,
	struct exchange_map *map, const struct exchange_rank *list, uint32_t n,
	uint32_t peers)
{
	const int64_t *ranks = exchange_map_ranks(m, map, peers);
	double *sums = arena_array(m->a, double, (size_t)peers + 1);

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; list[i].is && k < peers; k++)
			sums[k] += (double)list[i].is->sent[k];
	const struct exchange_pick *picked =
		exchange_map_pick(m->a, sums, peers, &map->columns_n);
	map->columns_left_out = peers - map->columns_n;
	exchange_map_cells(m, map);
	for (uint32_t k = 0; k < map->columns_n; k++) {
		uint32_t at = picked[k].index;
		map->columns[k] = (struct exchange_column){ .from = at,
			.n = 1,
			.rank = ranks ? ranks[at] : -1 };
	}
}

static void exchange_map_bytes(const struct exchange_maps_maker *m,
	struct exchange_map *map, struct exchange_rank *list, uint32_t n)
{
	uint32_t peers = 0;

	map->bytes = true;
	for (uint32_t i = 0; i < n && !peers; i++)
		peers = list[i].is ? list[i].is->peers : 0;
	const int64_t *ranks = exchange_map_ranks(m, map, peers);
	for (uint32_t i = 0; i < n; i++) {
		struct exchange_rank *r = &list[i];
		/* cannot be, as the size is part of the group */
		if (r->is && r->is->peers != peers)
			r->is = NULL;
		r->value = r->is ? exchange_map_sum(r->is->received, peers)
				 : (double)NAN;
		r->position = exchange_map_position(ranks, peers,
			m->ranks->runs[r->run]->rank);
	}
	exchange_map_imbalance(map, list, n);
	map->contradictions = exchange_map_contradictions(list, n);
	const struct exchange_pick *rows = exchange_map_rows(m, map, list, n);
	exchange_map_peers(m, map, list, n, peers);
	for (uint32_t i = 0; i < map->rows_n; i++) {
		const struct peer_exchange *x = list[rows[i].index].is;
		double *cells = &map->cells[(size_t)i * map->columns_n];
		for (uint32_t k = 0; k < map->columns_n; k++)
			cells[k] = x ? (double)x->sent[map->columns[k].from]
				     : (double)NAN;
		map->sent[i] =
			x ? exchange_map_sum(x->sent, peers) : (double)NAN;
		map->received[i] = list[rows[i].index].value;
	}
}

/* Maps of waiting. */

static int64_t exchange_map_shortest(const struct exchange_maps_maker *m,
	const struct collective_pair *p)
{
	int64_t shortest = INT64_MAX;

	for (uint32_t i = 0; i < p->n; i++) {
		const struct pair_member *at =
			&m->ranks->pairs.members[p->first + i];
		int64_t dur = pair_line(m->ranks->runs, at)->dur_ns[at->call];
		shortest = dur < shortest ? dur : shortest;
	}
	return shortest;
}

/* The matched collectives of a map: their indexes in pairs.list. */
static uint32_t *exchange_map_pairs(const struct exchange_maps_maker *m,
	const struct exchange_map *map, uint32_t *n)
{
	const struct collective_pairs *ps = &m->ranks->pairs;
	uint32_t *list = arena_array(m->a, uint32_t, (size_t)ps->n + 1);

	*n = 0;
	for (uint32_t i = 0; i < ps->n; i++) {
		const struct pair_member *at = &ps->members[ps->list[i].first];
		if (exchange_map_in(m, map, at->run, at->line))
			list[(*n)++] = i;
	}
	return list;
}

/* Adds the waiting of each rank in a collective to its row and cell. `row` is by
 * run, from 1; 0: not shown. */
static void exchange_map_wait(const struct exchange_maps_maker *m,
	struct exchange_map *map, const struct collective_pair *p,
	const uint32_t *row, uint32_t column)
{
	int64_t shortest = exchange_map_shortest(m, p);

	for (uint32_t i = 0; i < p->n; i++) {
		const struct pair_member *at =
			&m->ranks->pairs.members[p->first + i];
		int64_t dur = pair_line(m->ranks->runs, at)->dur_ns[at->call];
		if (!row[at->run])
			continue;
		uint32_t r = row[at->run] - 1;
		map->cells[(size_t)r * map->columns_n + column] +=
			(double)(dur - shortest);
		map->waited_ns[r] += (double)(dur - shortest);
	}
}

/* The total waiting of each rank, by which rows are selected. */
static void exchange_map_waits(const struct exchange_maps_maker *m,
	const uint32_t *pairs, uint32_t n, struct exchange_rank *list,
	uint32_t list_n)
{
	double *waits =
		arena_array(m->a, double, (size_t)m->ranks->ranks_n + 1);

	for (uint32_t i = 0; i < n; i++) {
		const struct collective_pair *p =
			&m->ranks->pairs.list[pairs[i]];
		int64_t shortest = exchange_map_shortest(m, p);
		for (uint32_t k = 0; k < p->n; k++) {
			const struct pair_member *at =
				&m->ranks->pairs.members[p->first + k];
			waits[at->run] += (double)(pair_line(m->ranks->runs, at)
							   ->dur_ns[at->call] -
						   shortest);
		}
	}
	for (uint32_t i = 0; i < list_n; i++)
		list[i].value = waits[list[i].run];
}

static void exchange_map_waiting(const struct exchange_maps_maker *m,
	struct exchange_map *map, struct exchange_rank *list, uint32_t list_n)
{
	uint32_t n, *pairs = exchange_map_pairs(m, map, &n);
	uint32_t *row = arena_array(m->a, uint32_t, m->ranks->ranks_n + 1);

	map->imbalance_reason = map->reason;
	if (!n || m->ranks->ranks_n < 2)
		return;
	exchange_map_waits(m, pairs, n, list, list_n);
	exchange_map_rows(m, map, list, list_n);
	map->columns_n = n < EXCHANGE_MAP_CELLS ? n : EXCHANGE_MAP_CELLS;
	exchange_map_cells(m, map);
	for (uint32_t i = 0; i < map->rows_n; i++) {
		row[map->rows[i]] = i + 1;
		map->waited_ns[i] = 0;
	}
	for (uint32_t k = 0; k < map->columns_n; k++) {
		uint32_t from = (uint32_t)((uint64_t)n * k / map->columns_n);
		uint32_t to =
			(uint32_t)((uint64_t)n * (k + 1) / map->columns_n);
		map->columns[k] = (struct exchange_column){ .from = from,
			.n = to - from,
			.rank = -1 };
		for (uint32_t i = from; i < to; i++)
			exchange_map_wait(m, map,
				&m->ranks->pairs.list[pairs[i]], row, k);
		for (uint32_t i = 0; i < map->rows_n; i++)
			map->cells[(size_t)i * map->columns_n + k] /= to - from;
	}
	for (uint32_t i = 0; i < map->rows_n; i++)
		map->waited_ns[i] /= n;
}

/* Why the ranks of a group are not known; NULL if they are. */
static const char *exchange_map_group_fault(const struct pair_group *g)
{
	if (g->fault == PAIR_AMBIGUOUS)
		return "the ranks of its process group are unknown";
	return g->fault == PAIR_RANK_TWICE
		       ? "a rank of its process group is present twice"
		       : NULL;
}

static void exchange_map_fill(const struct exchange_maps_maker *m,
	struct exchange_map *map)
{
	const char *fault = exchange_map_group_fault(map->group);
	uint32_t n;
	struct exchange_rank *list = exchange_map_members(m, map, &n);

	if (fault)
		map->reason = map->imbalance_reason = fault;
	else if (map->known)
		exchange_map_bytes(m, map, list, n);
	else
		exchange_map_waiting(m, map, list, n);
}

static int exchange_map_by_imbalance(const void *left, const void *right)
{
	const struct exchange_map *a = left, *b = right;
	double x = isnan(a->imbalance) ? 0 : a->imbalance,
	       y = isnan(b->imbalance) ? 0 : b->imbalance;

	if (a->bytes != b->bytes)
		return a->bytes ? -1 : 1;
	if (x != y)
		return x > y ? -1 : 1;
	if (a->calls != b->calls)
		return a->calls > b->calls ? -1 : 1;
	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	return a->kind < b->kind ? -1 : a->kind > b->kind;
}

static int exchange_map_by_calls(const void *left, const void *right)
{
	const struct exchange_map *a = left, *b = right;

	if (a->calls != b->calls)
		return a->calls > b->calls ? -1 : 1;
	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	return a->kind < b->kind ? -1 : a->kind > b->kind;
}

void exchange_maps_from(const struct ranks *ranks, struct arena *a,
	struct exchange_maps *out)
{
	struct exchange_maps_maker m = { .ranks = ranks, .a = a };

	assert(a->ceiling == 0);
	exchange_maps_find(&m);
	if (m.n)
		qsort(m.maps, m.n, sizeof *m.maps, exchange_map_by_calls);
	uint32_t n = m.n < CONSIDERED ? m.n : CONSIDERED;
	for (uint32_t i = 0; i < n; i++)
		exchange_map_fill(&m, &m.maps[i]);
	if (n)
		qsort(m.maps, n, sizeof *m.maps, exchange_map_by_imbalance);
	out->rows = m.maps;
	out->n = n < EXCHANGE_MAPS ? n : EXCHANGE_MAPS;
	out->left_out = m.n - out->n;
}
