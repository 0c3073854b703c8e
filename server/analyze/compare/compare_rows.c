/* compare_rows.c - the matrix: time per function, place and cycle.
 *
 * A cycle without the function counts as zero. */
#include "compare_state.h"
#include "names.h"
#include <math.h>
#include <string.h>

struct matrix {
	struct compare *c;
	struct names keys; /* id = row + 1 */
	uint32_t cap;
};

static struct compare_row *row_of(struct matrix *m, const char *name,
	enum function_type type, uint32_t place)
{
	struct compare *c = m->c;
	const char *key =
		arena_printf(c->a, "%d %u %s", (int)type, place, name);
	uint32_t id = names_put(&m->keys, key, strlen(key));
	if (id <= c->rows_n)
		return &c->rows[id - 1];
	if (c->rows_n == m->cap) {
		m->cap = m->cap ? m->cap * 2 : 256;
		c->rows = arena_grow(c->a, c->rows, m->cap * sizeof *c->rows);
	}
	struct compare_row *row = &c->rows[c->rows_n++];
	*row = (struct compare_row){ .name = name,
		.type = type,
		.place = place };
	for (int s = 0; s < 2; s++) {
		row->ns[s] = arena_array(c->a, double, c->side[s].cycles_n + 1);
		row->min_ns[s] = row->max_ns[s] = NAN;
		row->device[s] = c->place[s] ? c->place[s][place] : NULL;
	}
	return row;
}

static void cycle_add(struct compare_row *row, int s, const struct pattern *p,
	uint32_t i, uint32_t at)
{
	row->ns[s][at] += (double)p->dur_ns[i];
	row->launches[s] += (double)p->launches[i];
	if (p->launches[i] == 0)
		return;
	double min = (double)p->min_ns[i], max = (double)p->max_ns[i];
	if (min >= 0 && !(row->min_ns[s] <= min))
		row->min_ns[s] = min;
	if (max >= 0 && !(row->max_ns[s] >= max))
		row->max_ns[s] = max;
}

static void spread_add(struct arena *a, struct compare_row *row, int s,
	const struct pattern *p)
{
	bool first = !row->low_ns[s];
	row->spread_lacks[s] |= !p->spread_ns;
	if (!p->spread_ns)
		return;
	if (first) {
		row->low_ns[s] = arena_array(a, double, PATTERN_SPREAD);
		row->high_ns[s] = arena_array(a, double, PATTERN_SPREAD);
	}
	for (int i = 0; i < PATTERN_SPREAD; i++) {
		double ns = (double)p->spread_ns[i];
		if (first || ns < row->low_ns[s][i])
			row->low_ns[s][i] = ns;
		if (first || ns > row->high_ns[s][i])
			row->high_ns[s][i] = ns;
	}
}

static bool ran(const struct compare_unit *u, uint32_t r,
	const struct pattern *p)
{
	for (uint32_t k = 0; k < u->cycles_n; k++)
		if (p->launches[u->at[r][k]] || p->dur_ns[u->at[r][k]])
			return true;
	return false;
}

double compare_beta(const struct compared_run *run, const struct pattern *p,
	uint32_t at)
{
	int64_t ns = run->cycles.cycles[run->patterns.cycle[at]].dur_ns;
	if (p->beta_pct && !isnan(p->beta_pct[at]))
		return p->beta_pct[at];
	return ns > 0 ? 100 * (double)p->dur_ns[at] / (double)ns : 0;
}

static void source_add(struct arena *a, struct compare_row *row, int side,
	uint32_t unit, uint32_t run, uint32_t pattern)
{
	row->sources = arena_grow(a, row->sources,
		(row->sources_n + 1) * sizeof *row->sources);
	row->sources[row->sources_n++] =
		(struct compare_source){ side, unit, run, pattern };
}

static void run_add(struct matrix *m, int s, uint32_t unit, uint32_t r)
{
	const struct compare_unit *u = &m->c->side[s].units[unit];
	const struct compared_run *run = u->runs[r];
	for (uint32_t i = 0; i < run->patterns.n; i++) {
		const struct pattern *p = &run->patterns.rows[i];
		if (!ran(u, r, p))
			continue;
		struct compare_row *row =
			row_of(m, p->name, p->type, u->place_of[r][i]);
		source_add(m->c->a, row, s, unit, r, i);
		spread_add(m->c->a, row, s, p);
		for (uint32_t k = 0; k < u->cycles_n; k++) {
			uint32_t at = u->at[r][k];
			cycle_add(row, s, p, at, u->first + k);
			row->beta[s] += compare_beta(run, p, at) /
					m->c->side[s].cycles_n;
		}
	}
}

void compare_rows_from(struct compare *c)
{
	struct matrix m = { .c = c };
	names_init(&m.keys, c->a);
	for (int s = 0; s < 2; s++)
		for (uint32_t i = 0; i < c->side[s].units_n; i++)
			for (uint32_t r = 0; r < c->side[s].units[i].runs_n;
				r++)
				run_add(&m, s, i, r);
}

static void statistics_add(struct matrix *m, int s, const char *name,
	double total_ns, double instances)
{
	struct compare_row *row = row_of(m, name, FUNCTION_gpu_compute, 0);
	row->ns[s][0] += total_ns;
	row->launches[s] += instances;
}

void compare_rows_statistics(struct compare *c)
{
	struct matrix m = { .c = c };
	names_init(&m.keys, c->a);
	for (int s = 0; s < 2; s++)
		c->side[s].cycles_n = 0;
	for (int s = 0; s < 2; s++)
		for (uint32_t i = 0; i < c->side[s].runs_n; i++) {
			const struct compared_run *r = &c->side[s].runs[i];
			for (uint32_t k = 0; k < r->stats_n; k++)
				statistics_add(&m, s, r->stat_names[k],
					(double)r->stats[k].total_ns,
					(double)r->stats[k].instances);
			for (uint32_t k = 0; !r->stats_n && k < r->patterns.n;
				k++) {
				const struct pattern *p = &r->patterns.rows[k];
				for (uint32_t y = 0; y < r->patterns.cycles_n &&
						     !compare_on_host(p->type);
					y++)
					statistics_add(&m, s, p->name,
						(double)p->dur_ns[y],
						(double)p->launches[y]);
			}
		}
}
