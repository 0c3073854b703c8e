/* compare_around.c - what differs around the numbers, as the runs tell it. */
#include "compare_state.h"

enum { NOTES_MOST = 5 };
/* Share of GPU time in graphs recorded whole from which rows say too little. */
static const double opaque_most = 0.1;

typedef bool run_test(const struct compared_run *r);

/* The runs of a side that pass, with commas; NULL none. */
static const char *runs_that(const struct compare *c, int s, run_test *test,
	const char *list)
{
	for (uint32_t i = 0; i < c->side[s].runs_n; i++)
		if (test(&c->side[s].runs[i]))
			list = compare_text_join(c->a, list,
				compare_text_run(c->a, &c->side[s].runs[i]));
	return list;
}

static const char *all_that(const struct compare *c, run_test *test)
{
	return runs_that(c, HEAD, test, runs_that(c, BASE, test, NULL));
}

static bool without_gpu(const struct compared_run *r)
{
	for (uint32_t k = 0; k < r->patterns.n; k++)
		if (!compare_on_host(r->patterns.rows[k].type))
			return false;
	return r->stats_n == 0;
}

static bool statistics_only(const struct compared_run *r)
{
	return r->content == CONTENT_STATISTICS;
}

static bool lags(const struct compared_run *r)
{
	return r->notes.count[NOTE_names_lag] > 0;
}

static void same_run(struct compare *c)
{
	const char *list = NULL;
	for (uint32_t i = 0; i < c->side[BASE].runs_n; i++)
		for (uint32_t j = 0; j < c->side[HEAD].runs_n; j++) {
			int64_t id = c->side[BASE].runs[i].id;
			if (id && id == c->side[HEAD].runs[j].id)
				list = compare_text_join(c->a, list,
					arena_printf(c->a, "%lld",
						(long long)id));
		}
	if (list)
		compare_finding_add(c, FINDING_same_run, list, NULL);
}

static double opaque_share(const struct compare_side *s)
{
	double graph = 0, all = 0;
	for (uint32_t i = 0; i < s->runs_n; i++) {
		const struct compared_run *r = &s->runs[i];
		graph += r->graph_ns > 0 ? (double)r->graph_ns : 0;
		all += r->kernel_ns > 0 ? (double)r->kernel_ns : 0;
	}
	return graph > 0 ? graph / (graph + all) : 0;
}

static void graph_opaque(struct compare *c)
{
	double base = opaque_share(&c->side[BASE]),
	       head = opaque_share(&c->side[HEAD]);
	if (base > opaque_most || head > opaque_most)
		compare_finding_add(c, FINDING_graph_opaque,
			compare_text_pct(c->a, base),
			compare_text_pct(c->a, head));
}

static int64_t noted(const struct compare_side *s, enum note_code code)
{
	int64_t sum = 0;
	for (uint32_t i = 0; i < s->runs_n; i++)
		sum += s->runs[i].notes.count[code];
	return sum;
}

static void records_dropped(struct compare *c)
{
	int64_t base = noted(&c->side[BASE], NOTE_records_dropped),
		head = noted(&c->side[HEAD], NOTE_records_dropped);
	if (base || head)
		compare_finding_add(c, FINDING_records_dropped,
			arena_printf(c->a, "%lld", (long long)base),
			arena_printf(c->a, "%lld", (long long)head));
}

/* What findings of their own tell is left to them. */
static bool worth_telling(enum note_code code)
{
	return note_severity(code) >= NOTE_LOSS &&
	       code != NOTE_records_dropped && code != NOTE_graph_opaque &&
	       code != NOTE_names_lag;
}

static void notes(struct compare *c)
{
	const char *list = NULL;
	uint32_t n = 0;
	for (int s = 0; s < 2; s++)
		for (uint32_t i = 0; i < c->side[s].runs_n; i++)
			for (enum note_code k = 0; k < NOTE_CODES; k++) {
				const struct compared_run *r =
					&c->side[s].runs[i];
				if (!r->notes.count[k] || !worth_telling(k) ||
					n++ >= NOTES_MOST)
					continue;
				list = compare_text_join(c->a, list,
					arena_printf(c->a, "%s: %s",
						compare_text_run(c->a, r),
						note_sentence(c->a, k,
							r->notes.count[k],
							r->notes.detail[k])));
			}
	if (n > NOTES_MOST)
		list = arena_printf(c->a, "%s, and %u more", list,
			n - NOTES_MOST);
	if (list)
		compare_finding_add(c, FINDING_notes, list, NULL);
}

static void analysis_versions(struct compare *c)
{
	int least = c->side[BASE].runs[0].analysis_version, most = least;
	for (int s = 0; s < 2; s++)
		for (uint32_t i = 0; i < c->side[s].runs_n; i++) {
			int v = c->side[s].runs[i].analysis_version;
			least = v < least ? v : least;
			most = v > most ? v : most;
		}
	if (least != most)
		compare_finding_add(c, FINDING_analysis_versions,
			arena_printf(c->a, "%d", least),
			arena_printf(c->a, "%d", most));
}

void compare_around_from(struct compare *c)
{
	const char *list;
	same_run(c);
	for (int s = 0; s < 2; s++)
		if ((list = runs_that(c, s, without_gpu, NULL)))
			compare_finding_add(c, FINDING_no_gpu, list, NULL);
	if ((list = all_that(c, statistics_only)))
		compare_finding_add(c, FINDING_statistics_only, list, NULL);
	c->statistics = list;
	if ((list = all_that(c, lags)))
		compare_finding_add(c, FINDING_names_lag, list, NULL);
	graph_opaque(c);
	records_dropped(c);
	notes(c);
	analysis_versions(c);
}

/* Copies and waiting are common to all programs: kernels tell. */
static bool computes(const struct compare_row *r)
{
	return r->type == FUNCTION_gpu_compute || r->type == FUNCTION_gpu_graph;
}

void compare_around_rows(struct compare *c)
{
	bool common = false, there[2] = { false, false };
	for (uint32_t i = 0; i < c->rows_n; i++) {
		const struct compare_row *r = &c->rows[i];
		if (!computes(r))
			continue;
		for (int s = 0; s < 2; s++)
			there[s] |= r->launches[s] > 0;
		common |= r->launches[BASE] > 0 && r->launches[HEAD] > 0;
	}
	if (there[BASE] && there[HEAD] && !common)
		compare_finding_add(c, FINDING_no_common, NULL, NULL);
}
