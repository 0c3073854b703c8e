/* tables.c - a table of statistics: its lines as they are, its grids summed. */
#include "tables.h"
#include "kernel_list.h"
#include "table_order.h"
#include "stats.h"
#include "tally.h"
#include <math.h>
#include <string.h>

struct maker {
	const struct trace *t;
	struct profile *p;
	struct slice rows;
	struct kernel_list list;
	uint32_t lines[2]; /* how many: without a grid, with one */
	int64_t total_ns[2]; /* their sums */
};

enum content tables_content(const struct process *proc)
{
	if (proc->kernel.from < proc->kernel.to)
		return CONTENT_LAUNCHES;
	if (proc->stat.from < proc->stat.to)
		return CONTENT_STATISTICS;
	return proc->pattern.from < proc->pattern.to ? CONTENT_PATTERNS
						     : CONTENT_LAUNCHES;
}

void tables_beside(const struct process *proc, struct profile *p)
{
	uint32_t patterns = proc->pattern.to - proc->pattern.from;
	uint32_t lines = proc->stat.to - proc->stat.from;
	int64_t left = (int64_t)(proc->copy.to - proc->copy.from) +
		       (proc->graph.to - proc->graph.from);
	if (p->content == CONTENT_LAUNCHES)
		left = lines + patterns;
	else if (p->content == CONTENT_STATISTICS)
		left += patterns;
	if (left)
		note_add(&p->notes, NOTE_beside_table, left, NULL, 0);
}

static struct time_stats time_of(const struct stat_rows *s, uint32_t i)
{
	return (struct time_stats){ .instances = s->instances[i],
		.total_ns = s->total_ns[i],
		.min_ns = s->min_ns[i],
		.max_ns = s->max_ns[i],
		.avg_ns = s->avg_ns[i],
		.med_ns = s->med_ns[i],
		.stddev_ns = s->stddev_ns[i],
		.p90_ns = NAN,
		.p99_ns = NAN };
}

static bool has_grid(const struct maker *m, uint32_t row)
{
	return m->t->stat.launch[row] != 0;
}

/* Counts and sums both kinds of lines. A line without an instance is none. */
static bool measure(struct maker *m, struct err *e)
{
	const struct stat_rows *s = &m->t->stat;
	int64_t launches[2] = { 0, 0 };
	for (uint32_t i = m->rows.from; i < m->rows.to; i++) {
		bool grid = has_grid(m, i);
		m->lines[grid]++;
		if (!tally_sum(&launches[grid], s->instances[i] - 1, e) ||
			!tally_sum(&m->total_ns[grid], s->total_ns[i], e))
			return false;
	}
	bool by_grid = m->lines[0] == 0;
	m->p->launches = launches[by_grid] + m->lines[by_grid];
	m->p->kernel_ns = m->total_ns[by_grid];
	return true;
}

static bool line_fill(struct maker *m, uint32_t row, struct kernel_stat *to)
{
	const struct stat_rows *s = &m->t->stat;
	bool grid = has_grid(m, row);
	const struct launch_shape *shape =
		trace_launch_shape_at(m->t, s->launch[row]);
	double told = s->time_pct[row];
	uint32_t source = s->source[row];

	*to = (struct kernel_stat){ .split = grid ? SPLIT_GRID : SPLIT_NONE,
		.device = -1,
		.time = time_of(s, row),
		.time_pct = isnan(told) ? stats_pct(s->total_ns[row],
						  m->total_ns[grid])
					: told,
		.told_source =
			source ? names_text(&m->t->names, source) : NULL };
	memcpy(to->grid, shape->grid, sizeof to->grid);
	memcpy(to->block, shape->block, sizeof to->block);
	return kernel_list_of(&m->list, s->name[row], &to->kernel);
}

/* The lines of one kind, as they stand in the table. */
static bool lines_add(struct maker *m, bool grid)
{
	struct profile *p = m->p;
	for (uint32_t i = m->rows.from; i < m->rows.to; i++)
		if (has_grid(m, i) == grid &&
			!line_fill(m, i, &p->stats[p->stats_n++]))
			return false;
	return true;
}

/* The least or the greatest of a kernel's grids, as far as all tell it. */
static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t greatest(int64_t a, int64_t b)
{
	return a < 0 || b < 0 ? -1 : a > b ? a : b;
}

/* A line per kernel, over the lines of its grids; one grid's line is its
 * kernel's. */
static bool sums_add(struct maker *m, struct err *e)
{
	const struct stat_rows *s = &m->t->stat;
	struct profile *p = m->p;
	struct kernel_stat *to = p->stats;
	struct tally sums;
	if (!tally_init(&sums, p->arena))
		return arena_err(p->arena, e);
	for (uint32_t i = m->rows.from; i < m->rows.to; i++) {
		struct tally_line add = { .device = -1,
			.instances = s->instances[i],
			.total_ns = s->total_ns[i] };
		if (!kernel_list_of(&m->list, s->name[i], &add.what))
			return arena_err(p->arena, e);
		uint32_t known = sums.n;
		if (!tally_add(&sums, &add, e))
			return false;
		struct kernel_stat *k = &to[add.what];
		if (sums.n > known) {
			if (!line_fill(m, i, k))
				return arena_err(p->arena, e);
			k->split = SPLIT_NONE;
			memset(k->grid, -1, sizeof k->grid);
			memset(k->block, -1, sizeof k->block);
			continue;
		}
		int64_t min_ns = least(k->time.min_ns, s->min_ns[i]);
		int64_t max_ns = greatest(k->time.max_ns, s->max_ns[i]);
		k->time = tally_stats(&sums.lines[add.what]);
		k->time.min_ns = min_ns;
		k->time.max_ns = max_ns;
		k->time_pct = stats_pct(k->time.total_ns, p->kernel_ns);
	}
	p->stats_n = sums.n;
	table_order_kernels(p, to, sums.n);
	arena_drop(p->arena, sums.lines);
	return true;
}

static bool make(struct maker *m, struct err *e)
{
	struct profile *p = m->p;
	size_t most = ((size_t)m->rows.to - m->rows.from) * 2;
	p->stats = arena_grow(p->arena, NULL, most * sizeof *p->stats);
	if (!p->stats)
		return arena_err(p->arena, e);
	bool by_grid = m->lines[0] == 0;
	if (by_grid && !sums_add(m, e))
		return false;
	if ((!by_grid && !lines_add(m, false)) || !lines_add(m, true))
		return arena_err(p->arena, e);
	note_add(&p->notes, NOTE_statistics_only,
		by_grid ? p->kernels_n : m->lines[0], NULL, 0);
	return true;
}

bool tables_statistics(const struct trace *t, const struct process *proc,
	const struct catalog *f, struct profile *p, struct err *e)
{
	struct maker m = { .t = t, .p = p, .rows = proc->stat };
	p->span_ns = p->busy_ns = -1;
	if (!measure(&m, e))
		return false;
	bool ok = kernel_list_init(&m.list, t, f, p) ? make(&m, e)
						     : arena_err(p->arena, e);
	kernel_list_release(&m.list);
	return ok;
}
