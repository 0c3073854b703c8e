/* compare_series.c - one function's cycles, for a chart. */
#include "compare_state.h"
#include <string.h>

struct filled {
	double *ns, *launches, *beta_pct;
	int64_t *runs, *numbers;
};

/* Whether a row is of the function that is asked for. */
static bool wanted(const struct compare_row *r, const char *name,
	const char *device)
{
	const char *shown = r->device[BASE] ? r->device[BASE] : r->device[HEAD];
	return !strcmp(r->name, name) && (!device || !strcmp(shown, device));
}

static void row_add(const struct compare *c, const struct compare_row *row,
	int s, struct filled *f)
{
	const struct compare_side *side = &c->side[s];
	for (uint32_t i = 0; i < side->cycles_n; i++)
		f->ns[i] += row->ns[s][i];
	for (uint32_t i = 0; i < row->sources_n; i++) {
		const struct compare_source *x = &row->sources[i];
		if (x->side != s)
			continue;
		const struct compare_unit *u = &side->units[x->unit];
		const struct compared_run *run = u->runs[x->run];
		const struct pattern *p = &run->patterns.rows[x->pattern];
		for (uint32_t k = 0; k < u->cycles_n; k++) {
			uint32_t at = u->at[x->run][k];
			f->launches[u->first + k] += (double)p->launches[at];
			f->beta_pct[u->first + k] += compare_beta(run, p, at);
		}
	}
}

static void side_fill(const struct compare *c, int s, struct filled *f)
{
	const struct compare_side *side = &c->side[s];
	for (uint32_t i = 0; i < side->units_n; i++) {
		const struct compare_unit *u = &side->units[i];
		for (uint32_t k = 0; k < u->cycles_n; k++) {
			const struct compared_run *run = u->runs[0];
			uint32_t at = run->patterns.cycle[u->at[0][k]];
			f->runs[u->first + k] = run->id;
			f->numbers[u->first + k] =
				run->cycles.cycles[at].number;
		}
	}
}

bool compare_series_from(const struct compared_run *base, uint32_t base_n,
	const struct compared_run *head, uint32_t head_n, const char *name,
	const char *device, struct arena *a, struct compare_series sides[2],
	struct err *e)
{
	struct compare_options o = COMPARE_OPTIONS;
	struct comparison unused = { .comparable = true };
	struct compare c = { .o = &o, .a = a, .out = &unused };
	bool found = false;

	if (!compare_prepare(&c, base, base_n, head, head_n, e))
		return false;
	for (int s = 0; s < 2; s++) {
		uint32_t n = c.side[s].cycles_n;
		struct filled f = { arena_array(a, double, n + 1),
			arena_array(a, double, n + 1),
			arena_array(a, double, n + 1),
			arena_array(a, int64_t, n + 1),
			arena_array(a, int64_t, n + 1) };
		side_fill(&c, s, &f);
		for (uint32_t i = 0; i < c.rows_n; i++)
			if (wanted(&c.rows[i], name, device)) {
				row_add(&c, &c.rows[i], s, &f);
				found = true;
			}
		sides[s] = (struct compare_series){ .ns = f.ns,
			.launches = f.launches,
			.beta_pct = f.beta_pct,
			.cycle_ns = c.side[s].cycle_ns,
			.runs = f.runs,
			.numbers = f.numbers,
			.n = n };
	}
	if (found)
		return true;
	if (device)
		return err_set(e, ERR_NOT_FOUND,
			"neither side has this function on '%.80s'", device);
	return err_set(e, ERR_NOT_FOUND, "neither side has this function");
}
