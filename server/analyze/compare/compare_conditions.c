/* compare_conditions.c - reports differences other than times as findings:
 * runs, notes, devices, facts, ranks, iterations. */
#include "compare_state.h"
#include "duration_text.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Differences between the runs, and the quality of their data. */

enum { NOTES_MOST = 5 };
/* The share of GPU time in opaque graphs above which rows say too little. */
static const double opaque_most = 0.1;

typedef bool run_test(const struct compared_run *r);

/* Adds the runs of a side that pass the test to a list; NULL is an empty
 * list. */
static const char *compare_conditions_runs_that(const struct compare *c, int s,
	run_test *test, const char *list)
{
	for (uint32_t i = 0; i < c->side[s].runs_n; i++)
		if (test(&c->side[s].runs[i]))
			list = compare_text_join(c->a, list,
				compare_text_run(c->a, &c->side[s].runs[i]));
	return list;
}

static const char *compare_conditions_all_that(const struct compare *c,
	run_test *test)
{
	return compare_conditions_runs_that(c, HEAD, test,
		compare_conditions_runs_that(c, BASE, test, NULL));
}

static bool compare_conditions_without_gpu(const struct compared_run *r)
{
	for (uint32_t k = 0; k < r->patterns.n; k++)
		if (!compare_on_host(r->patterns.rows[k].type))
			return false;
	return r->stats_n == 0;
}

static bool compare_conditions_statistics_only(const struct compared_run *r)
{
	return r->content == CONTENT_STATISTICS;
}

static bool compare_conditions_no_starts(const struct compared_run *r)
{
	return r->content == CONTENT_DURATIONS;
}

static bool compare_conditions_lags(const struct compared_run *r)
{
	return r->notes.count[NOTE_names_lag] > 0;
}

static void compare_conditions_same_run(struct compare *c)
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

static double compare_conditions_opaque_share(const struct compare_side *s)
{
	double graph = 0, all = 0;
	for (uint32_t i = 0; i < s->runs_n; i++) {
		const struct compared_run *r = &s->runs[i];
		graph += r->graph_ns > 0 ? (double)r->graph_ns : 0;
		all += r->kernel_ns > 0 ? (double)r->kernel_ns : 0;
	}
	return graph > 0 ? graph / (graph + all) : 0;
}

static void compare_conditions_graph_opaque(struct compare *c)
{
	double base = compare_conditions_opaque_share(&c->side[BASE]),
	       head = compare_conditions_opaque_share(&c->side[HEAD]);
	if (base > opaque_most || head > opaque_most)
		compare_finding_add(c, FINDING_graph_opaque,
			compare_text_pct(c->a, base),
			compare_text_pct(c->a, head));
}

static int64_t compare_conditions_noted(const struct compare_side *s,
	enum note_code code)
{
	int64_t sum = 0;
	for (uint32_t i = 0; i < s->runs_n; i++)
		sum += s->runs[i].notes.count[code];
	return sum;
}

static void compare_conditions_records_dropped(struct compare *c)
{
	int64_t base = compare_conditions_noted(&c->side[BASE],
			NOTE_records_dropped),
		head = compare_conditions_noted(&c->side[HEAD],
			NOTE_records_dropped);
	if (base || head)
		compare_finding_add(c, FINDING_records_dropped,
			arena_printf(c->a, "%lld", (long long)base),
			arena_printf(c->a, "%lld", (long long)head));
}

/* Notes without a finding of their own. */
static bool compare_conditions_reports_note(enum note_code code)
{
	return note_severity(code) >= NOTE_LOSS &&
	       code != NOTE_records_dropped && code != NOTE_graph_opaque &&
	       code != NOTE_names_lag && code != NOTE_comm_no_start;
}

static void compare_conditions_notes(struct compare *c)
{
	const char *list = NULL;
	uint32_t n = 0;
	for (int s = 0; s < 2; s++)
		for (uint32_t i = 0; i < c->side[s].runs_n; i++)
			for (enum note_code k = 0; k < NOTE_CODES; k++) {
				const struct compared_run *r =
					&c->side[s].runs[i];
				if (!r->notes.count[k] ||
					!compare_conditions_reports_note(k) ||
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

static void compare_conditions_analysis_versions(struct compare *c)
{
	int min = c->side[BASE].runs[0].analysis_version, max = min;
	for (int s = 0; s < 2; s++)
		for (uint32_t i = 0; i < c->side[s].runs_n; i++) {
			int v = c->side[s].runs[i].analysis_version;
			min = v < min ? v : min;
			max = v > max ? v : max;
		}
	if (min != max)
		compare_finding_add(c, FINDING_analysis_versions,
			arena_printf(c->a, "%d and %d", min, max), NULL);
}

/* Only kernels and graphs count: all programs have copies and waiting. */
static bool compare_conditions_computes(const struct compare_row *r)
{
	return r->type == FUNCTION_gpu_compute || r->type == FUNCTION_gpu_graph;
}

/* Devices, facts and ranks of both sides. */

enum { FACTS_MOST = 12 };

static const struct {
	const char *name, *called;
} known_facts[] = {
#define FACT(name, called) { #name, called },
#include "fact.def"
#undef FACT
};
enum { KNOWN_FACTS = sizeof known_facts / sizeof *known_facts };

static int compare_conditions_by_text(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* The distinct texts of a list, sorted, with " / " between; NULL if there is
 * none. */
static const char *compare_conditions_distinct(struct arena *a,
	const char **list, uint32_t n)
{
	const char *all = NULL;
	if (n)
		qsort(list, n, sizeof *list, compare_conditions_by_text);
	for (uint32_t i = 0; i < n; i++)
		if (i == 0 || strcmp(list[i], list[i - 1]))
			all = all ? arena_printf(a, "%s / %s", all, list[i])
				  : list[i];
	return all;
}

static void compare_conditions_devices_differ(struct compare *c)
{
	const char *text[2];
	for (int s = 0; s < 2; s++) {
		const struct compare_side *side = &c->side[s];
		const char **names = NULL;
		uint32_t n = 0;
		for (uint32_t i = 0; i < side->runs_n; i++)
			for (uint32_t k = 0; k < side->runs[i].device_names_n;
				k++) {
				const char *name =
					side->runs[i].device_names[k];
				if (!name || !*name)
					continue;
				names = arena_grow(c->a, names,
					(n + 1) * sizeof *names);
				names[n++] = name;
			}
		text[s] = compare_conditions_distinct(c->a, names, n);
	}
	if (!text[BASE] && !text[HEAD])
		return;
	for (int s = 0; s < 2; s++)
		text[s] = text[s] ? text[s] : "unknown";
	if (strcmp(text[BASE], text[HEAD]))
		compare_finding_add(c, FINDING_devices_differ, text[BASE],
			text[HEAD]);
}

/* The values of a fact of a side; NULL none. */
static const char *compare_conditions_fact_of(struct compare *c, int s,
	const char *name)
{
	const struct compare_side *side = &c->side[s];
	const char **values = arena_array(c->a, const char *, side->runs_n);
	uint32_t n = 0;
	for (uint32_t i = 0; i < side->runs_n; i++)
		for (uint32_t k = 0; k < side->runs[i].facts.n; k++)
			if (!strcmp(side->runs[i].facts.rows[k].name, name))
				values[n++] = side->runs[i].facts.rows[k].value;
	return compare_conditions_distinct(c->a, values, n);
}

struct compare_conditions_fact_list {
	const char *text[2];
	uint32_t n;
};

static void compare_conditions_fact_compare(struct compare *c, const char *name,
	const char *called, struct compare_conditions_fact_list *l)
{
	const char *value[2] = { compare_conditions_fact_of(c, BASE, name),
		compare_conditions_fact_of(c, HEAD, name) };
	if (!value[BASE] || !value[HEAD] || !strcmp(value[BASE], value[HEAD]) ||
		l->n++ >= FACTS_MOST)
		return;
	for (int s = 0; s < 2; s++)
		l->text[s] = compare_text_join(c->a, l->text[s],
			arena_printf(c->a, "%s %s", called, value[s]));
}

/* One side runs on CUDA, the other on HIP: each has a fact that the other
 * lacks. */
static void compare_conditions_fact_other(struct compare *c,
	struct compare_conditions_fact_list *l)
{
	const char *cuda[2], *hip[2];
	for (int s = 0; s < 2; s++) {
		cuda[s] = compare_conditions_fact_of(c, s, "cuda_runtime");
		hip[s] = compare_conditions_fact_of(c, s, "hip_runtime");
	}
	if (!cuda[BASE] == !cuda[HEAD] || !hip[BASE] == !hip[HEAD] ||
		!cuda[BASE] == !hip[BASE])
		return;
	l->n++;
	for (int s = 0; s < 2; s++)
		l->text[s] = compare_text_join(c->a, l->text[s],
			cuda[s] ? arena_printf(c->a, "CUDA runtime %s", cuda[s])
				: arena_printf(c->a, "HIP runtime %s", hip[s]));
}

bool compare_conditions_clocks_differ(struct compare *c)
{
	static const char *const names[] = { "sm_clock_max_mhz",
		"power_cap_w" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *base = compare_conditions_fact_of(c, BASE,
				   names[i]),
			   *head = compare_conditions_fact_of(c, HEAD,
				   names[i]);
		if (base && head && strcmp(base, head))
			return true;
	}
	return false;
}

static bool compare_conditions_is_known(const char *name)
{
	for (int i = 0; i < KNOWN_FACTS; i++)
		if (!strcmp(known_facts[i].name, name))
			return true;
	return false;
}

static void compare_conditions_facts_differ(struct compare *c)
{
	struct compare_conditions_fact_list l = { 0 };
	const char *last = "";
	for (int i = 0; i < KNOWN_FACTS; i++)
		compare_conditions_fact_compare(c, known_facts[i].name,
			known_facts[i].called, &l);
	compare_conditions_fact_other(c, &l);
	/* All other facts of the base's first run. A fact that this run does
	 * not have is not compared. */
	const struct facts *f = &c->side[BASE].runs[0].facts;
	for (uint32_t i = 0; i < f->n; i++) {
		if (strcmp(f->rows[i].name, last) &&
			!compare_conditions_is_known(f->rows[i].name))
			compare_conditions_fact_compare(c, f->rows[i].name,
				f->rows[i].name, &l);
		last = f->rows[i].name;
	}
	if (l.n > FACTS_MOST)
		for (int s = 0; s < 2; s++)
			l.text[s] = arena_printf(c->a, "%s and %u more",
				l.text[s], l.n - FACTS_MOST);
	if (l.n)
		compare_finding_add(c, FINDING_fact_differs, l.text[BASE],
			l.text[HEAD]);
}

static void compare_conditions_ranks_uneven(struct compare *c)
{
	uint32_t min[2] = { UINT32_MAX, UINT32_MAX }, max[2] = { 0, 0 };
	const char *text[2];
	for (int s = 0; s < 2; s++) {
		for (uint32_t i = 0; i < c->side[s].units_n; i++) {
			uint32_t n = c->side[s].units[i].runs_n;
			min[s] = n < min[s] ? n : min[s];
			max[s] = n > max[s] ? n : max[s];
		}
		text[s] = min[s] == max[s] ? arena_printf(c->a, "%u", max[s])
					   : arena_printf(c->a, "%u to %u",
						     min[s], max[s]);
	}
	if (min[BASE] != max[HEAD] || min[HEAD] != max[BASE])
		compare_finding_add(c, FINDING_ranks_uneven, text[BASE],
			text[HEAD]);
}

static void compare_conditions_rank_twice(struct compare *c)
{
	const char *list = NULL;
	for (int s = 0; s < 2; s++)
		for (uint32_t i = 0; i < c->side[s].units_n; i++) {
			const struct compare_unit *u = &c->side[s].units[i];
			for (uint32_t r = 0, n; r < u->runs_n; r += n) {
				n = 1;
				while (r + n < u->runs_n &&
					u->runs[r + n]->rank ==
						u->runs[r]->rank)
					n++;
				if (n > 1 && u->runs[r]->rank >= 0)
					list = compare_text_join(c->a, list,
						arena_printf(c->a,
							"job %lld holds rank %d"
							" %u times",
							(long long)u->runs[r]
								->job,
							(int)u->runs[r]->rank,
							n));
			}
		}
	if (list)
		compare_finding_add(c, FINDING_rank_twice, list, NULL);
}

static void compare_conditions_slow_gpus(struct compare *c)
{
	const char *text[2] = { NULL, NULL };
	for (int s = 0; s < 2; s++)
		for (uint32_t i = 0; i < c->side[s].runs_n; i++) {
			const struct compared_run *r = &c->side[s].runs[i];
			if (r->slow_gpu)
				text[s] = compare_text_join(c->a, text[s],
					arena_printf(c->a,
						"%s on %s (+%.1f %%)",
						compare_text_run(c->a, r),
						r->slow_gpu,
						100 * r->slow_gpu_slowdown));
		}
	if (text[BASE] || text[HEAD])
		compare_finding_add(c, FINDING_slow_gpu,
			text[BASE] ? text[BASE] : "none",
			text[HEAD] ? text[HEAD] : "none");
}

static bool compare_conditions_one_device_with_collectives(
	const struct compared_run *r)
{
	const char *device = NULL;
	bool collectives = false;
	for (uint32_t i = 0; i < r->patterns.n; i++) {
		const struct pattern *p = &r->patterns.rows[i];
		if (compare_on_host(p->type))
			continue;
		collectives |= p->type == FUNCTION_gpu_comm;
		if (device && strcmp(device, p->device))
			return false;
		device = p->device;
	}
	return collectives && r->world_size != 1;
}

static void compare_conditions_lone_rank(struct compare *c)
{
	const char *list = NULL;
	for (int s = 0; s < 2; s++)
		for (uint32_t i = 0; i < c->side[s].units_n; i++) {
			const struct compare_unit *u = &c->side[s].units[i];
			if (u->runs_n == 1 &&
				compare_conditions_one_device_with_collectives(
					u->runs[0]))
				list = compare_text_join(c->a, list,
					compare_text_run(c->a, u->runs[0]));
		}
	if (list)
		compare_finding_add(c, FINDING_lone_rank, list, NULL);
}

/* Whether an iteration is the same unit of work on both sides, and how much GPU
 * time is outside of iterations. */

/* Iterations from different detectors are comparable if neither the ratio of
 * their launches nor that of their durations exceeds these limits. */
static const double launches_apart = 1.5, duration_apart = 3;
static const double confidence_min = 0.5, covered_min = 0.9;

/* Means over the kept iterations of a run. */
static void compare_conditions_iteration_means(const struct compared_run *r,
	double *launches, double *ns, double *n)
{
	*launches = *ns = *n = 0;
	for (uint32_t i = 0; i < r->iterations.n; i++) {
		const struct iteration *y = &r->iterations.iterations[i];
		if (y->use != ITERATION_KEPT)
			continue;
		*launches += (double)y->launches;
		*ns += (double)y->dur_ns;
		++*n;
	}
	if (*n > 0) {
		*launches /= *n;
		*ns /= *n;
	}
}

static bool compare_conditions_apart(double a, double b, double max)
{
	return a > 0 && b > 0 && (a > max * b || b > max * a);
}

static bool compare_conditions_same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static const char *compare_conditions_range(const struct iterations *x)
{
	return x->range_stem ? x->range_stem : x->range;
}

/* Whether iterations of two runs are the same unit of work. Ranges with equal
 * names are. Periods with equal names may differ. */
static bool compare_conditions_same_meaning(const struct compared_run *a,
	const struct compared_run *b)
{
	const struct iterations *x = &a->iterations, *y = &b->iterations;
	double launches[2], ns[2], n[2];
	bool same = x->detector == y->detector &&
		    compare_conditions_same_text(compare_conditions_range(x),
			    compare_conditions_range(y));
	if (x->detector == ITERATIONS_GIVEN || y->detector == ITERATIONS_GIVEN)
		return same;
	if (same && x->detector != ITERATIONS_PERIOD)
		return true;
	compare_conditions_iteration_means(a, &launches[0], &ns[0], &n[0]);
	compare_conditions_iteration_means(b, &launches[1], &ns[1], &n[1]);
	if (n[0] == 0 || n[1] == 0)
		return true;
	return !compare_conditions_apart(launches[0], launches[1],
		       launches_apart) &&
	       (same ||
		       !compare_conditions_apart(ns[0], ns[1], duration_apart));
}

static const char *compare_conditions_meaning_text(struct arena *a,
	const struct compared_run *r)
{
	static const char *const words[] = {
		[ITERATIONS_NONE] = "none were found",
		[ITERATIONS_ANNOTATION] = "ranges named",
		[ITERATIONS_PERIOD] = "a period of kernels that begins with",
		[ITERATIONS_WINDOW] = "the whole recording",
		[ITERATIONS_GIVEN] = "a table's iterations of",
		[ITERATIONS_NAMED] = "ranges named",
	};
	double launches, ns, n;
	compare_conditions_iteration_means(r, &launches, &ns, &n);
	return arena_printf(a, "%s%s%s (%s on average)",
		words[r->iterations.detector], r->iterations.range ? " " : "",
		r->iterations.range ? r->iterations.range : "",
		duration_text(a, ns));
}

static void compare_conditions_detectors_differ(struct compare *c)
{
	const struct compared_run *first = &c->side[BASE].runs[0];
	for (int s = 0; s < 2; s++)
		for (uint32_t i = 0; i < c->side[s].runs_n; i++) {
			const struct compared_run *r = &c->side[s].runs[i];
			if (compare_conditions_same_meaning(first, r))
				continue;
			compare_finding_add(c, FINDING_detectors_differ,
				compare_conditions_meaning_text(c->a, first),
				compare_conditions_meaning_text(c->a, r));
			return;
		}
}

static uint32_t compare_conditions_count(const struct compare_side *s,
	enum iteration_use use)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < s->runs_n; i++)
		for (uint32_t k = 0; k < s->runs[i].iterations.n; k++)
			n += s->runs[i].iterations.iterations[k].use == use;
	return n;
}

static void compare_conditions_warmup_dropped(struct compare *c)
{
	const char *text[2];
	uint32_t n[2];
	for (int s = 0; s < 2; s++) {
		n[s] = compare_conditions_count(&c->side[s], ITERATION_WARMUP);
		text[s] = arena_printf(c->a, "%u", n[s]);
	}
	if (n[BASE] || n[HEAD])
		compare_finding_add(c, FINDING_warmup_dropped, text[BASE],
			text[HEAD]);
}

double compare_covered(const struct compare_side *s)
{
	double in = 0, all = 0;
	for (uint32_t i = 0; i < s->runs_n; i++) {
		const struct compared_run *r = &s->runs[i];
		if (r->content != CONTENT_LAUNCHES || r->iterations.n == 0 ||
			r->patterns.iterations_n < r->iterations.n)
			continue;
		all += (double)(r->kernel_ns > 0 ? r->kernel_ns : 0) +
		       (double)(r->graph_ns > 0 ? r->graph_ns : 0);
		for (uint32_t k = 0; k < r->patterns.n; k++) {
			const struct pattern *p = &r->patterns.rows[k];
			if (p->type != FUNCTION_gpu_compute &&
				p->type != FUNCTION_gpu_comm &&
				p->type != FUNCTION_gpu_graph)
				continue;
			for (uint32_t y = 0; y < r->patterns.iterations_n; y++)
				in += (double)p->dur_ns[y];
		}
	}
	return all > 0 ? in / all : -1;
}

static void compare_conditions_coverage(struct compare *c)
{
	const char *text[2];
	bool little = false;
	for (int s = 0; s < 2; s++) {
		double share = compare_covered(&c->side[s]);
		little |= share >= 0 && share < covered_min;
		text[s] = share < 0 ? "unknown" : compare_text_pct(c->a, share);
	}
	if (little)
		compare_finding_add(c, FINDING_coverage, text[BASE],
			text[HEAD]);
}

/* Findings that list single runs. */
static void compare_conditions_each_run(struct compare *c)
{
	struct arena *a = c->a;
	const char *windows = NULL, *uneven = NULL, *thinned = NULL;
	for (int s = 0; s < 2; s++)
		for (uint32_t i = 0; i < c->side[s].runs_n; i++) {
			const struct compared_run *r = &c->side[s].runs[i];
			const struct iterations *y = &r->iterations;
			const char *text = compare_text_run(a, r);
			if (y->detector == ITERATIONS_WINDOW)
				windows = compare_text_join(a, windows, text);
			if ((y->detector == ITERATIONS_PERIOD ||
				    y->detector == ITERATIONS_ANNOTATION) &&
				y->confidence < confidence_min)
				uneven = compare_text_join(a, uneven, text);
			if (r->patterns.iterations_n < y->n)
				thinned = compare_text_join(a, thinned,
					arena_printf(a, "%u of %u of %s",
						r->patterns.iterations_n, y->n,
						text));
		}
	if (windows)
		compare_finding_add(c, FINDING_one_window, windows, NULL);
	if (uneven)
		compare_finding_add(c, FINDING_low_confidence, uneven, NULL);
	if (thinned)
		compare_finding_add(c, FINDING_iterations_uneven, thinned,
			NULL);
}

static void compare_conditions_runs(struct compare *c)
{
	const char *list;
	compare_conditions_same_run(c);
	for (int s = 0; s < 2; s++)
		if ((list = compare_conditions_runs_that(c, s,
			     compare_conditions_without_gpu, NULL)))
			compare_finding_add(c, FINDING_no_gpu, list, NULL);
	if ((list = compare_conditions_all_that(c,
		     compare_conditions_statistics_only)))
		compare_finding_add(c, FINDING_statistics_only, list, NULL);
	c->statistics = list;
	if ((list = compare_conditions_all_that(c,
		     compare_conditions_no_starts)))
		compare_finding_add(c, FINDING_no_starts, list, NULL);
	c->statistics |= list != NULL;
	if ((list = compare_conditions_all_that(c, compare_conditions_lags)))
		compare_finding_add(c, FINDING_names_lag, list, NULL);
	compare_conditions_graph_opaque(c);
	compare_conditions_records_dropped(c);
	compare_conditions_notes(c);
	compare_conditions_analysis_versions(c);
}

void compare_conditions(struct compare *c)
{
	compare_conditions_runs(c);
	compare_conditions_devices_differ(c);
	compare_conditions_facts_differ(c);
	compare_conditions_slow_gpus(c);
	compare_conditions_ranks_uneven(c);
	compare_conditions_rank_twice(c);
	compare_conditions_lone_rank(c);
	if (c->statistics)
		return;
	compare_conditions_detectors_differ(c);
	compare_conditions_warmup_dropped(c);
	compare_conditions_coverage(c);
	compare_conditions_each_run(c);
}

static void compare_conditions_iterations_used(struct compare *c)
{
	const char *text[2];
	uint32_t min = UINT32_MAX;
	for (int s = 0; s < 2; s++) {
		uint32_t n = c->side[s].iterations_n;
		min = n < min ? n : min;
		text[s] = arena_printf(c->a, "%u", n);
	}
	if (min == 0 && c->out->comparable)
		compare_finding_add(c, FINDING_no_iteration, text[BASE],
			text[HEAD]);
}

void compare_conditions_rows(struct compare *c)
{
	compare_conditions_iterations_used(c);
}

/* The share of both sides' kernel time that must be in operators of both. Most of
 * a model is found again on another vendor; most of another program is not. */
static const double common_min = 0.5;

/* Whether phase, sequences and tokens pair the compared iterations. */
static bool compare_conditions_labeled(const struct compare *c)
{
	const struct comparison *out = c->out;
	return out->group < out->groups_n &&
	       out->groups[out->group].match == GROUP_BY_LABEL;
}

void compare_conditions_common(struct compare *c)
{
	bool common = false, there[2] = { false, false };
	double known[2], share[2];

	for (uint32_t i = 0; i < c->rows_n; i++) {
		const struct compare_row *r = &c->rows[i];
		if (!compare_conditions_computes(r))
			continue;
		for (int s = 0; s < 2; s++)
			there[s] |= r->launches[s] > 0;
		common |= r->launches[BASE] > 0 && r->launches[HEAD] > 0;
	}
	if (!there[BASE] || !there[HEAD] || common)
		return;
	compare_operators_shares(c, known, share);
	if ((share[BASE] >= common_min && share[HEAD] >= common_min) ||
		compare_conditions_labeled(c))
		compare_finding_add(c, FINDING_no_common_kernel,
			compare_text_pct(c->a, share[BASE]),
			compare_text_pct(c->a, share[HEAD]));
	else
		compare_finding_add(c, FINDING_no_common, NULL, NULL);
}
