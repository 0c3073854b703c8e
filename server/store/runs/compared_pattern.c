/* compared_pattern.c - rows become the time of each function in each cycle,
 * counters and collectives. */
#include "compared_read.h"
#include "packed.h"
#include "column.h"

/* What is packed in a column is as many numbers as another one says. */
static bool broken(const struct compared_run *run, struct err *e)
{
	return err_set(e, ERR_INTERNAL,
		"the rows of run %lld do not fit each other; "
		"'kernsiftd rebuild' makes them again",
		(long long)run->id);
}

/* The next column, n numbers of eight bytes; NULL where NULL. *ok becomes false
 * where it holds others, or more than the run is told to. */
static void *numbers(struct compared_read *c, struct result *r, uint32_t n,
	bool *ok)
{
	struct compared_room *room = &c->rooms[c->at];
	size_t len;
	const void *bytes = result_bytes(r, &len);
	if (!bytes)
		return NULL;
	int64_t *to = room->at;
	*ok = *ok && n <= room->left && packed_read(bytes, len, to, n);
	if (*ok) {
		room->at += n;
		room->left -= n;
	}
	return to;
}

/* A row of one of the tables along the axis: the columns after run and rank. */
typedef bool read_fn(struct compared_read *c, struct result *r,
	struct compared_run *run, uint32_t rank);

static bool read_function(struct compared_read *c, struct result *r,
	struct compared_run *run, uint32_t rank)
{
	if (rank >= run->patterns.n)
		return false;
	struct pattern *p = &run->patterns.rows[rank];
	p->name = result_text(r, c->arena);
	const char *type = result_text(r, c->arena);
	p->device = result_text(r, c->arena);
	p->number = result_int4(r, -1);
	/* A kind that another version knew is of the device if one is told. */
	p->type = p->number < 0 ? FUNCTION_other_host : FUNCTION_other_device;
	for (enum function_type t = 0; t < FUNCTION_TYPES; t++)
		if (!strcmp(type, profile_word_function[t]))
			p->type = t;
	return true;
}

static bool read_times(struct compared_read *c, struct result *r,
	struct compared_run *run, uint32_t rank)
{
	const struct patterns *ps = &run->patterns;
	bool ok = true;
	if (rank >= ps->n)
		return false;
	struct pattern *p = &ps->rows[rank];
	p->dur_ns = numbers(c, r, ps->cycles_n, &ok);
	p->launches = numbers(c, r, ps->cycles_n, &ok);
	p->min_ns = numbers(c, r, ps->cycles_n, &ok);
	p->max_ns = numbers(c, r, ps->cycles_n, &ok);
	p->spread_ns = numbers(c, r, PATTERN_SPREAD, &ok);
	p->beta_pct = numbers(c, r, ps->cycles_n, &ok);
	return ok;
}

static bool read_metric(struct compared_read *c, struct result *r,
	struct compared_run *run, uint32_t rank)
{
	const struct patterns *ps = &run->patterns;
	bool ok = true;
	if (rank >= ps->metrics_n)
		return false;
	struct pattern_metric *m = &ps->metrics[rank];
	m->pattern = (uint32_t)result_int4(r, 0);
	m->name = result_text(r, c->arena);
	m->mu = numbers(c, r, ps->cycles_n, &ok);
	m->sigma = numbers(c, r, ps->cycles_n, &ok);
	const int64_t *wide = numbers(c, r, ps->cycles_n, &ok);
	m->interpolated = arena_array(c->arena, uint8_t, ps->cycles_n);
	for (uint32_t i = 0; ok && i < ps->cycles_n; i++)
		m->interpolated[i] = (uint8_t)wide[i];
	return ok && m->pattern < ps->n;
}

static bool read_collective(struct compared_read *c, struct result *r,
	struct compared_run *run, uint32_t rank)
{
	bool ok = true;
	if (rank >= run->collectives.n)
		return false;
	struct collective *l = &run->collectives.rows[rank];
	l->name = result_text(r, c->arena);
	l->device = result_int4(r, -1);
	l->stream = result_int8(r, -1);
	l->n = (uint32_t)result_int4(r, 0);
	l->start_ns = numbers(c, r, l->n, &ok);
	l->dur_ns = numbers(c, r, l->n, &ok);
	return ok;
}

/* Rows come in any order and go where their rank says: sorting wide ones costs
 * more than reading them. */
static bool read_rows(struct compared_read *c, const char *sql, read_fn *read,
	struct err *e)
{
	struct result r;
	bool ok = true;
	if (!compared_rows(c, sql, &r, e))
		return false;
	while (ok && result_next(&r)) {
		struct compared_run *run = compared_run_of(c, &r);
		uint32_t rank = (uint32_t)result_int4(&r, 0);
		ok = read(c, &r, run, rank) || broken(run, e);
	}
	result_release(&r);
	return ok;
}

static bool read_axis(struct compared_read *c, struct result *r,
	struct compared_run *run)
{
	struct patterns *ps = &run->patterns;
	bool ok = true;
	ps->n = (uint32_t)result_int4(r, 0);
	ps->metrics_n = (uint32_t)result_int4(r, 0);
	run->collectives.n = (uint32_t)result_int4(r, 0);
	ps->rows = arena_array(c->arena, struct pattern, ps->n);
	ps->metrics =
		arena_array(c->arena, struct pattern_metric, ps->metrics_n);
	run->collectives.rows =
		arena_array(c->arena, struct collective, run->collectives.n);
	ps->cycles_n = (uint32_t)result_int4(r, 0);
	int64_t told = result_int8(r, 0);
	c->rooms[c->at] = (struct compared_room){
		arena_array(c->arena, int64_t, (size_t)told), told
	};
	const int64_t *cycle = numbers(c, r, ps->cycles_n, &ok);
	ps->cycle = arena_array(c->arena, uint32_t, ps->cycles_n);
	for (uint32_t i = 0; ok && i < ps->cycles_n; i++) {
		ok = cycle[i] >= 0 && cycle[i] < run->cycles.n;
		ps->cycle[i] = (uint32_t)cycle[i];
	}
	return ok;
}

static bool read_axes(struct compared_read *c, struct err *e)
{
	static const char sql[] =
		"SELECT run_id, patterns, metrics, collectives, cycles, told, "
		"cycle "
		"FROM run_axis "
		"WHERE run_id = ANY ($1)";
	struct result r;
	bool ok = true;
	c->rooms = arena_array(c->arena, struct compared_room, c->n);
	if (!compared_rows(c, sql, &r, e))
		return false;
	while (ok && result_next(&r)) {
		struct compared_run *run = compared_run_of(c, &r);
		ok = read_axis(c, &r, run) || broken(run, e);
	}
	result_release(&r);
	return ok;
}

/* Every row that is told of was there. */
static bool whole(const struct compared_read *c, struct err *e)
{
	for (uint32_t i = 0; i < c->n; i++) {
		const struct compared_run *run = &c->runs[i];
		bool ok = c->rooms[i].left == 0;
		for (uint32_t k = 0; k < run->patterns.n; k++)
			ok = ok && run->patterns.rows[k].name &&
			     run->patterns.rows[k].dur_ns;
		for (uint32_t k = 0; k < run->patterns.metrics_n; k++)
			ok = ok && run->patterns.metrics[k].name;
		for (uint32_t k = 0; k < run->collectives.n; k++)
			ok = ok && run->collectives.rows[k].name;
		if (!ok)
			return broken(run, e);
	}
	return true;
}

bool compared_patterns(struct compared_read *c, struct err *e)
{
	static const char functions[] =
		"SELECT p.run_id, p.rank, coalesce(k.name, p.function), "
		"p.type, p.device, p.number "
		"FROM run_pattern p "
		"LEFT JOIN kernel k ON k.id = p.kernel_id "
		"WHERE p.run_id = ANY ($1)";
	static const char times[] =
		"SELECT run_id, rank, dur_ns, launches, min_ns, max_ns, "
		"spread_ns, beta_pct "
		"FROM run_pattern_cycle "
		"WHERE run_id = ANY ($1)";
	static const char metrics[] =
		"SELECT run_id, rank, pattern, name, mu, sigma, interpolated "
		"FROM run_metric "
		"WHERE run_id = ANY ($1)";
	static const char collectives[] =
		"SELECT c.run_id, c.rank, coalesce(k.name, c.function), "
		"c.device, c.stream, c.launches, c.start_ns, c.dur_ns "
		"FROM run_collective c "
		"LEFT JOIN kernel k ON k.id = c.kernel_id "
		"WHERE c.run_id = ANY ($1)";
	uint32_t patterns_n = 0, metrics_n = 0, collectives_n = 0;
	bool ok = read_axes(c, e);
	for (uint32_t i = 0; ok && i < c->n; i++) {
		patterns_n += c->runs[i].patterns.n;
		metrics_n += c->runs[i].patterns.metrics_n;
		collectives_n += c->runs[i].collectives.n;
	}
	if (patterns_n)
		ok = ok && read_rows(c, functions, read_function, e) &&
		     read_rows(c, times, read_times, e);
	if (metrics_n)
		ok = ok && read_rows(c, metrics, read_metric, e);
	if (collectives_n)
		ok = ok && read_rows(c, collectives, read_collective, e);
	return ok && whole(c, e);
}
