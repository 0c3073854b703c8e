/* collective_pairs.c - finds the process groups that ranks have in common, and
 * pairs their calls by number. */
#include "collective_pairs.h"
#include "collective.h"
#include "names.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* How a call is paired with those of other runs. Sends and receives have
 * numbers of their own. */
enum pair_class { PAIR_NUMBERED, PAIR_ORDERED, PAIR_P2P, PAIR_P2P_ORDERED };
enum {
	PAIR_CLASSES = 4,
	/* A process has a few groups. Beyond this number they are not compared,
	 * because each is compared with each of the other runs. */
	PAIR_HANDLES_MAX = 64,
	/* Calls that others may overtake. A process has a few streams, and a
	 * call is rarely overtaken by more than one on each. */
	PAIR_OVERTAKEN_MAX = 64,
};

/* A call with the key by which it is paired. */
struct pair_event {
	int64_t sequence; /* the number, or the position by start */
	uint32_t group, way; /* way: enum pair_class */
	uint32_t epoch; /* how often the numbers restarted before */
	uint32_t occurrence; /* among the calls of one number */
	uint32_t run, line, call;
};

/* What is counted per group and way over the runs. */
struct pair_count {
	uint32_t calls, most, runs, epochs;
	bool uneven; /* in the number of calls */
	bool torn; /* in the number of epochs */
	bool unordered; /* a run has calls without starts */
};

/* A group that a process knows by its handle. */
struct pair_handle {
	int64_t handle, size;
	uint32_t run, group;
	struct pair_event *events; /* by number */
	uint32_t n;
};

struct pairs_maker {
	const struct compared_run *const *runs;
	uint32_t n;
	struct arena *a;
	struct collective_pairs *out;
	struct names keys; /* of groups; id - 1 is the index */
	struct pair_event *events;
	uint32_t events_n, cap;
	struct pair_count *counts; /* [group * PAIR_CLASSES + way] */
	uint32_t *group_of; /* by line of the run at hand */
};

static const struct collective *pairs_row(const struct pairs_maker *m,
	const struct pair_event *ev)
{
	return &m->runs[ev->run]->collectives.rows[ev->line];
}

/* Groups. */

static uint32_t pairs_group_add(struct pairs_maker *m, struct pair_group g)
{
	struct collective_pairs *out = m->out;

	if (out->groups_n == m->cap) {
		m->cap = m->cap ? m->cap * 2 : 16;
		struct pair_group *grown =
			arena_array(m->a, struct pair_group, m->cap);
		if (out->groups_n)
			memcpy(grown, out->groups,
				out->groups_n * sizeof *grown);
		out->groups = grown;
	}
	out->groups[out->groups_n] = g;
	return out->groups_n++;
}

/* Whether the numbers are NCCL's own, which it counts per communicator and kind
 * (comm->seqNumber[func]). Only its own records name a group by the hash of its
 * communicator, "0x1a". */
static bool pairs_of_communicator(const struct collective *c)
{
	return c->sequence && c->call.group &&
	       !strncmp(c->call.group, "0x", strlen("0x"));
}

/* The group of calls that name it, or of kernels without one. */
static uint32_t pairs_group_named(struct pairs_maker *m,
	const struct collective *c)
{
	const struct collective_call *is = &c->call;
	bool apart = pairs_of_communicator(c);
	const char *key =
		is->group ? arena_printf(m->a, "group %s\n%s\n%lld\n%d",
				    is->group, is->ranks ? is->ranks : "",
				    (long long)is->group_size,
				    apart ? (int)is->kind : -1)
			  : arena_printf(m->a, "kernel %s", c->name);
	uint32_t id = names_put(&m->keys, key, strlen(key));
	struct pair_group g = { .name = is->group,
		.ranks = is->ranks,
		.size = is->group ? is->group_size : -1,
		.nameless = !is->group,
		.of_communicator = apart };

	while (m->out->groups_n < id)
		pairs_group_add(m, g);
	return id - 1;
}

/* Different groups of one name. */
static void pairs_name_twice(struct pairs_maker *m)
{
	struct names seen;

	names_init(&seen, m->a);
	for (uint32_t i = 0; i < m->out->groups_n; i++) {
		const struct pair_group *g = &m->out->groups[i];
		if (!g->name || g->by_handle || g->of_communicator)
			continue;
		uint32_t before = seen.n;
		names_put(&seen, g->name, strlen(g->name));
		if (seen.n == before && !m->out->name_twice && *g->name)
			m->out->name_twice = g->name;
	}
}

/* Calls. */

static enum pair_class pairs_class_of(const struct collective *c, uint32_t call,
	bool grouped)
{
	bool numbered = grouped && c->sequence && c->sequence[call] >= 0;

	if (grouped && collective_is_p2p(c->call.kind))
		return numbered ? PAIR_P2P : PAIR_P2P_ORDERED;
	return numbered ? PAIR_NUMBERED : PAIR_ORDERED;
}

static void pairs_event_add(struct pairs_maker *m, uint32_t run, uint32_t line,
	uint32_t call, uint32_t group, bool grouped)
{
	const struct collective *c = &m->runs[run]->collectives.rows[line];

	m->events[m->events_n++] = (struct pair_event){
		.sequence = c->sequence ? c->sequence[call] : -1,
		.group = group,
		.way = pairs_class_of(c, call, grouped),
		.run = run,
		.line = line,
		.call = call,
	};
}

/* By group, way and start: of one run. */
static int pairs_by_start(const void *left, const void *right, void *arg)
{
	const struct pair_event *a = left, *b = right;
	const struct pairs_maker *m = arg;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->way != b->way)
		return a->way < b->way ? -1 : 1;
	const struct collective *x = pairs_row(m, a), *y = pairs_row(m, b);
	if (x->start_ns[a->call] != y->start_ns[b->call])
		return x->start_ns[a->call] < y->start_ns[b->call] ? -1 : 1;
	if (x->dur_ns[a->call] != y->dur_ns[b->call])
		return x->dur_ns[a->call] < y->dur_ns[b->call] ? -1 : 1;
	return a->line < b->line ? -1 : a->line > b->line;
}

static int pairs_by_key(const void *left, const void *right)
{
	const struct pair_event *a = left, *b = right;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->way != b->way)
		return a->way < b->way ? -1 : 1;
	if (a->epoch != b->epoch)
		return a->epoch < b->epoch ? -1 : 1;
	if (a->sequence != b->sequence)
		return a->sequence < b->sequence ? -1 : 1;
	if (a->occurrence != b->occurrence)
		return a->occurrence < b->occurrence ? -1 : 1;
	if (a->run != b->run)
		return a->run < b->run ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return a->call < b->call ? -1 : a->call > b->call;
}

/* Groups that are known by handles only. */

static bool pairs_of_handle(const struct collective_call *is,
	const struct collective_call *like)
{
	return !is->group && is->group_handle == like->group_handle &&
	       is->group_size == like->group_size;
}

/* The calls of a run's handle, by number. */
static struct pair_handle pairs_handle_from(struct pairs_maker *m, uint32_t run,
	uint32_t line)
{
	const struct collectives *cs = &m->runs[run]->collectives;
	const struct collective_call *like = &cs->rows[line].call;
	struct pair_handle h = { .handle = like->group_handle,
		.size = like->group_size,
		.run = run };
	uint32_t n = 0;

	for (uint32_t i = line; i < cs->n; i++)
		n += pairs_of_handle(&cs->rows[i].call, like) ? cs->rows[i].n
							      : 0;
	h.events = arena_array(m->a, struct pair_event, (size_t)n + 1);
	struct pairs_maker own = *m;
	own.events = h.events;
	own.events_n = 0;
	for (uint32_t i = line; i < cs->n; i++) {
		const struct collective_call *is = &cs->rows[i].call;
		if (!pairs_of_handle(is, like))
			continue;
		for (uint32_t k = 0; k < cs->rows[i].n; k++)
			if (!collective_is_p2p(is->kind))
				pairs_event_add(&own, run, i, k, 0, true);
	}
	h.n = own.events_n;
	qsort_r(h.events, h.n, sizeof *h.events, pairs_by_start, m);
	for (uint32_t i = 0; i < h.n; i++) {
		h.events[i].occurrence = i;
		if (h.events[i].sequence < 0)
			h.events[i].sequence = i;
	}
	qsort(h.events, h.n, sizeof *h.events, pairs_by_key);
	return h;
}

/* Whether two calls of one number may be the same collective. The input of an
 * all-to-all may differ between its ranks. */
static bool pairs_calls_fit(const struct pairs_maker *m,
	const struct pair_event *a, const struct pair_event *b)
{
	const struct collective_call *x = &pairs_row(m, a)->call;
	const struct collective_call *y = &pairs_row(m, b)->call;

	return x->kind == y->kind && a->way == b->way &&
	       (x->kind == COLLECTIVE_ALL_TO_ALL || x->elements < 0 ||
		       y->elements < 0 || x->elements == y->elements);
}

static bool pairs_handles_fit(const struct pairs_maker *m,
	const struct pair_handle *x, const struct pair_handle *y)
{
	uint32_t i = 0, k = 0, common = 0;
	bool ordered = x->n && y->n &&
		       (x->events[0].way == PAIR_ORDERED ||
			       y->events[0].way == PAIR_ORDERED);

	if (x->size != y->size || (ordered && x->n != y->n))
		return false;
	while (i < x->n && k < y->n) {
		const struct pair_event *a = &x->events[i], *b = &y->events[k];
		if (a->sequence == b->sequence) {
			if (!pairs_calls_fit(m, a, b))
				return false;
			common++;
		}
		i += a->sequence <= b->sequence;
		k += b->sequence <= a->sequence;
	}
	return common > 0;
}

struct pairs_handles {
	struct pair_handle *list; /* the first of each group */
	uint32_t n, cap;
};

/* The group of a handle: that of an earlier run whose calls are equal, or a new
 * one. If several fit, which one it is remains unknown. */
static uint32_t pairs_handle_group(struct pairs_maker *m,
	struct pairs_handles *hs, struct pair_handle h)
{
	struct pair_handle *found = NULL;
	bool several = false;

	for (uint32_t i = 0; i < hs->n; i++) {
		if (!pairs_handles_fit(m, &hs->list[i], &h))
			continue;
		several |= found || hs->list[i].run == h.run;
		found = found ? found : &hs->list[i];
	}
	if (found && several)
		m->out->groups[found->group].fault = PAIR_AMBIGUOUS;
	if (found)
		return found->group;
	const char *key = arena_printf(m->a, "handle %u", hs->n + 1);
	names_put(&m->keys, key, strlen(key));
	h.group = pairs_group_add(m,
		(struct pair_group){
			.name = arena_printf(m->a, "#%u", hs->n + 1),
			.size = h.size,
			.by_handle = true });
	if (hs->n == hs->cap) {
		hs->cap = hs->cap ? hs->cap * 2 : 16;
		struct pair_handle *grown =
			arena_array(m->a, struct pair_handle, hs->cap);
		if (hs->n)
			memcpy(grown, hs->list, hs->n * sizeof *grown);
		hs->list = grown;
	}
	hs->list[hs->n++] = h;
	return h.group;
}

/* The group of all handles that are not compared, because a run has too many. */
static uint32_t pairs_handles_left(struct pairs_maker *m)
{
	static const char key[] = "handles left";
	uint32_t id = names_put(&m->keys, key, strlen(key));

	if (m->out->groups_n < id)
		pairs_group_add(m, (struct pair_group){ .name = "other groups",
					   .size = -1,
					   .fault = PAIR_AMBIGUOUS,
					   .by_handle = true });
	return id - 1;
}

/* Sets the groups of a run's lines. */
static void pairs_groups_of(struct pairs_maker *m, struct pairs_handles *hs,
	uint32_t run)
{
	const struct collectives *cs = &m->runs[run]->collectives;
	uint32_t handles = 0;

	m->group_of = arena_array(m->a, uint32_t, (size_t)cs->n + 1);
	for (uint32_t i = 0; i < cs->n; i++)
		m->group_of[i] = UINT32_MAX;
	for (uint32_t i = 0; i < cs->n; i++) {
		const struct collective_call *is = &cs->rows[i].call;
		if (m->group_of[i] != UINT32_MAX)
			continue;
		if (is->group || is->group_handle < 0) {
			m->group_of[i] = pairs_group_named(m, &cs->rows[i]);
			continue;
		}
		if (++handles > PAIR_HANDLES_MAX) {
			m->group_of[i] = pairs_handles_left(m);
			continue;
		}
		uint32_t g =
			pairs_handle_group(m, hs, pairs_handle_from(m, run, i));
		for (uint32_t k = i; k < cs->n; k++)
			if (pairs_of_handle(&cs->rows[k].call, is))
				m->group_of[k] = g;
	}
}

/* Keys. */

/* Whether one of the last calls since the restart at `from` has this number. */
static bool pairs_seen(const struct pair_event *ev, uint32_t from, uint32_t to,
	int64_t sequence)
{
	if (to - from > PAIR_OVERTAKEN_MAX)
		from = to - PAIR_OVERTAKEN_MAX;
	for (uint32_t i = from; i < to; i++)
		if (ev[i].sequence == sequence)
			return true;
	return false;
}

/* Whether ev[at], whose number is below all since the restart at `from`, was
 * overtaken by them: 6, 5, 7. If the numbers restarted, then those before it
 * come again: 6, 5, 6. If the recording ends before either, it was overtaken if
 * it and the rest fit just below the others. */
static bool pairs_overtaken(const struct pair_event *ev, uint32_t n,
	uint32_t from, uint32_t at, int64_t min_sequence)
{
	uint32_t rest = n - at, i = at + 1;

	for (; i < n && i - at <= PAIR_OVERTAKEN_MAX; i++)
		if (ev[i].sequence >= min_sequence)
			return !pairs_seen(ev, from, at, ev[i].sequence);
	return i == n && rest <= at - from &&
	       ev[at].sequence >= min_sequence - (int64_t)rest;
}

/* Completes the keys of the calls of one run, group and way, which are in the
 * order of their starts. Numbers restart if one is not above all since the last
 * restart, unless the call was overtaken. Those of a communicator, which has
 * another hash after a restart, never do. */
static uint32_t pairs_number(const struct pairs_maker *m, struct pair_event *ev,
	uint32_t n)
{
	uint32_t epoch = 0, from = 0;
	int64_t min_sequence = ev->sequence;

	if (ev->way == PAIR_ORDERED || ev->way == PAIR_P2P_ORDERED) {
		for (uint32_t i = 0; i < n; i++)
			ev[i].sequence = i;
		return 1;
	}
	if (m->out->groups[ev->group].of_communicator)
		return 1;
	for (uint32_t i = 1; i < n; i++) {
		int64_t is = ev[i].sequence;
		bool below = is < ev[i - 1].sequence && is <= min_sequence;
		if (below &&
			(is == min_sequence || !pairs_overtaken(ev, n, from, i,
						       min_sequence))) {
			epoch++;
			from = i;
		}
		if (below)
			min_sequence = is;
		ev[i].epoch = epoch;
	}
	return epoch + 1;
}

static void pairs_count(struct pairs_maker *m, const struct pair_event *ev,
	uint32_t n, uint32_t epochs)
{
	struct pair_count *c =
		&m->counts[(size_t)ev->group * PAIR_CLASSES + ev->way];

	c->uneven |= c->runs > 0 && c->calls != n;
	c->torn |= c->runs > 0 && c->epochs != epochs;
	c->unordered |= pairs_row(m, ev)->start_ns[ev->call] < 0;
	c->calls = n;
	c->most = n > c->most ? n : c->most;
	c->epochs = epochs > c->epochs ? epochs : c->epochs;
	c->runs++;
}

/* Completes the keys of a run's events, which begin at `from`. */
static void pairs_keys(struct pairs_maker *m, uint32_t from)
{
	struct pair_event *ev = m->events + from;
	uint32_t n = m->events_n - from, group = UINT32_MAX;

	qsort_r(ev, n, sizeof *ev, pairs_by_start, m);
	for (uint32_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && ev[end].group == ev[i].group &&
				  ev[end].way == ev[i].way;)
			end++;
		uint32_t epochs = pairs_number(m, &ev[i], end - i);
		pairs_count(m, &ev[i], end - i, epochs);
		m->out->groups[ev[i].group].runs_n += ev[i].group != group;
		group = ev[i].group;
	}
	qsort(ev, n, sizeof *ev, pairs_by_key);
	for (uint32_t i = 1; i < n; i++)
		if (ev[i].group == ev[i - 1].group &&
			ev[i].way == ev[i - 1].way &&
			ev[i].epoch == ev[i - 1].epoch &&
			ev[i].sequence == ev[i - 1].sequence)
			ev[i].occurrence = ev[i - 1].occurrence + 1;
}

/* Faults, and pairs. */

/* Marks groups that two runs of one rank are in. */
static void pairs_ranks_twice(struct pairs_maker *m)
{
	int32_t *seen = arena_array(m->a, int32_t, m->out->groups_n + 1);
	uint32_t *by = arena_array(m->a, uint32_t, m->out->groups_n + 1);

	/* Runs are sorted by rank, so runs of one rank are neighbors. */
	for (uint32_t i = 0; i < m->events_n; i++) {
		const struct pair_event *ev = &m->events[i];
		struct pair_group *g = &m->out->groups[ev->group];
		int32_t rank = m->runs[ev->run]->rank;
		if (rank >= 0 && seen[ev->group] == rank + 1 &&
			by[ev->group] != ev->run && !g->nameless && !g->fault)
			g->fault = PAIR_RANK_TWICE;
		seen[ev->group] = rank + 1;
		by[ev->group] = ev->run;
	}
}

/* Whether a group that was found by its calls has the ranks of one group. Another
 * group's calls may be equal, so either the group has all ranks of the job, or
 * all ranks are present: then a group has too many members if it is two. */
static bool pairs_members_known(const struct pairs_maker *m,
	const struct pair_group *g)
{
	int64_t world = -1;

	for (uint32_t r = 0; r < m->n; r++)
		if (m->runs[r]->world_size > world)
			world = m->runs[r]->world_size;
	return world < 0 ? g->size == m->n : g->size >= world || m->n >= world;
}

static void pairs_faults(struct pairs_maker *m)
{
	pairs_ranks_twice(m);
	for (uint32_t i = 0; i < m->out->groups_n; i++) {
		struct pair_group *g = &m->out->groups[i];
		bool restarts = false;
		if (!g->fault && g->size >= 0 && g->runs_n > g->size)
			g->fault = PAIR_AMBIGUOUS;
		if (!g->fault && g->by_handle && g->runs_n > 1 &&
			!pairs_members_known(m, g))
			g->fault = PAIR_AMBIGUOUS;
		for (uint32_t k = 0; k < PAIR_CLASSES; k++) {
			const struct pair_count *c =
				&m->counts[(size_t)i * PAIR_CLASSES + k];
			restarts |= c->epochs > 1;
			if (!g->fault && c->torn)
				g->fault = PAIR_RESTARTS;
		}
		m->out->restarts += restarts;
		if (!g->fault && m->n > 1 && g->runs_n < 2)
			g->fault = PAIR_ALONE;
	}
}

/* Whether the calls of a group and way can be paired. */
static bool pairs_can(const struct pairs_maker *m, const struct pair_event *ev)
{
	const struct pair_group *g = &m->out->groups[ev->group];
	const struct pair_count *c =
		&m->counts[(size_t)ev->group * PAIR_CLASSES + ev->way];

	if (g->fault)
		return false;
	if (ev->way == PAIR_ORDERED || ev->way == PAIR_P2P_ORDERED)
		return !c->uneven && (!c->unordered || m->n == 1) &&
		       c->runs == (g->nameless ? m->n : g->runs_n);
	return true;
}

static bool pairs_kinds_agree(const struct pairs_maker *m,
	const struct pair_event *ev, uint32_t n)
{
	enum collective_kind kind = COLLECTIVE_UNKNOWN;

	for (uint32_t i = 0; i < n && ev->way == PAIR_NUMBERED; i++) {
		enum collective_kind is = pairs_row(m, &ev[i])->call.kind;
		if (is && kind && is != kind)
			return false;
		kind = is ? is : kind;
	}
	return true;
}

/* Adds the events of one key as a pair, if all runs of the group have it. */
static void pairs_add(struct pairs_maker *m, const struct pair_event *ev,
	uint32_t n, uint32_t *members_n)
{
	struct collective_pairs *out = m->out;
	uint32_t all = out->groups[ev->group].runs_n;

	if (!pairs_kinds_agree(m, ev, n)) {
		out->kinds_differ++;
		out->unmatched++;
		return;
	}
	if (n < all) {
		out->unmatched++;
		return;
	}
	out->list[out->n++] =
		(struct collective_pair){ ev->group, *members_n, n };
	for (uint32_t i = 0; i < n; i++)
		out->members[(*members_n)++] = (struct pair_member){ ev[i].run,
			ev[i].line, ev[i].call };
}

static void pairs_list(struct pairs_maker *m)
{
	struct pair_event *ev = m->events;
	uint32_t members = 0;

	m->out->list = arena_array(m->a, struct collective_pair,
		(size_t)m->events_n + 1);
	m->out->members =
		arena_array(m->a, struct pair_member, (size_t)m->events_n + 1);
	qsort(ev, m->events_n, sizeof *ev, pairs_by_key);
	for (uint32_t i = 0, end; i < m->events_n; i = end) {
		for (end = i; end < m->events_n &&
			      ev[end].group == ev[i].group &&
			      ev[end].way == ev[i].way;)
			end++;
		const struct pair_group *g = &m->out->groups[ev[i].group];
		const struct pair_count *c =
			&m->counts[(size_t)ev[i].group * PAIR_CLASSES +
				   ev[i].way];
		bool between =
			ev[i].way >= PAIR_P2P && g->size != 2 && m->n > 1;
		if (between)
			m->out->between_unknown += c->most;
		if (between || !pairs_can(m, &ev[i])) {
			m->out->unmatched += c->most;
			continue;
		}
		for (uint32_t k = i, next; k < end; k = next) {
			for (next = k + 1;
				next < end && ev[next].epoch == ev[k].epoch &&
				ev[next].sequence == ev[k].sequence &&
				ev[next].occurrence == ev[k].occurrence;)
				next++;
			pairs_add(m, &ev[k], next - k, &members);
		}
	}
}

void collective_pairs_from(const struct compared_run *const *runs, uint32_t n,
	struct arena *a, struct collective_pairs *out)
{
	struct pairs_maker m = { .runs = runs, .n = n, .a = a, .out = out };
	struct pairs_handles hs = { 0 };
	const uint32_t **groups =
		arena_array(a, const uint32_t *, (size_t)n + 1);
	size_t calls = 0;

	assert(a->ceiling == 0);
	*out = (struct collective_pairs){ 0 };
	names_init(&m.keys, a);
	for (uint32_t r = 0; r < n; r++) {
		pairs_groups_of(&m, &hs, r);
		groups[r] = m.group_of;
		for (uint32_t i = 0; i < runs[r]->collectives.n; i++)
			calls += runs[r]->collectives.rows[i].n;
	}
	m.events = arena_array(a, struct pair_event, calls + 1);
	m.counts = arena_array(a, struct pair_count,
		(size_t)out->groups_n * PAIR_CLASSES + 1);
	for (uint32_t r = 0; r < n; r++) {
		const struct collectives *cs = &runs[r]->collectives;
		uint32_t from = m.events_n;
		for (uint32_t i = 0; i < cs->n; i++)
			for (uint32_t k = 0; k < cs->rows[i].n; k++)
				pairs_event_add(&m, r, i, k, groups[r][i],
					!out->groups[groups[r][i]].nameless);
		pairs_keys(&m, from);
	}
	out->group_of = groups;
	pairs_faults(&m);
	pairs_name_twice(&m);
	pairs_list(&m);
}
