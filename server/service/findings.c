/* findings.c - one sentence for each fact that a reader cannot see in the
 * numbers. */
#include "findings.h"
#include "collective_pairs.h"
#include "utf8.h"
#include <math.h>
#include <string.h>

/* The texts are not copied. */
static void findings_add(struct finding_list *l, const char *code,
	const char *severity, const char *text)
{
	struct finding_line *lines =
		arena_array(l->arena, struct finding_line, (size_t)l->n + 1);
	if (l->n)
		memcpy(lines, l->lines, l->n * sizeof *lines);
	lines[l->n++] = (struct finding_line){ code, severity, text };
	l->lines = lines;
}

/* ---- importance, operators of a run, shapes */

static const char *findings_runs_of(struct arena *a, int64_t n)
{
	return arena_printf(a, "%lld %s", (long long)n,
		n == 1 ? "run" : "runs");
}

static const char *findings_without_operators_text(struct arena *a, int64_t n)
{
	return arena_printf(a,
		"%s %s analyzed before operators were known and %s not "
		"counted; `kernsiftd rebuild` analyzes all runs again",
		findings_runs_of(a, n), n == 1 ? "was" : "were",
		n == 1 ? "is" : "are");
}

static const char *findings_left_out_text(struct arena *a, int64_t n)
{
	return arena_printf(a,
		"%s %s not counted: kernel names and durations do not belong "
		"together there, so times per operator would be wrong",
		findings_runs_of(a, n), n == 1 ? "is" : "are");
}

/* If less than this share of GPU time is covered, a finding reports it. */
static const double COVERED = 0.95;

/* A share in percent: with one decimal, or with two digits if it is smaller. */
static const char *findings_pct_of(struct arena *a, double share)
{
	return arena_printf(a, share < 0.001 ? "%.2g %%" : "%.1f %%",
		100 * share);
}

static void findings_coverage(struct finding_list *t, double attributed,
	double specific, const char *where)
{
	if (attributed < COVERED)
		findings_add(t, "coverage", "warn",
			arena_printf(t->arena,
				"%.1f %% of GPU time is unattributed; %s "
				"lists its kernels",
				100 * (1 - attributed), where));
	if (attributed - specific > 1 - COVERED)
		findings_add(t, "unspecific", "warn",
			arena_printf(t->arena,
				"%.1f %% of GPU time belongs to operators "
				"that do not say what the kernels compute",
				100 * (attributed - specific)));
}

static void findings_over(struct finding_list *t, double share)
{
	if (share > 0)
		findings_add(t, "above_bound", "warn",
			arena_printf(t->arena,
				"S is above 1 for shapes that take %s of GPU "
				"time: their computed cost is too high, or "
				"their data was in a cache",
				findings_pct_of(t->arena, share)));
}

/* Adds a word to a list unless the list already contains it. */
static const char *findings_joined(struct arena *a, const char *list,
	const char *word)
{
	const char *at = strstr(list, word);
	size_t len = strlen(word);
	if (at && (at == list || at[-1] == ' ') && (!at[len] || at[len] == ','))
		return list;
	return arena_printf(a, "%s%s%s", list, *list ? ", " : "", word);
}

/* "H20 for fp4", if a type that counts has no peak. */
static const char *findings_lacking(struct arena *a, const char *list,
	const struct platform *p, enum dtype d)
{
	if (!p || !dtype_counts(d) || isfinite(p->peak_flops[d]))
		return list;
	return findings_joined(a, list,
		arena_printf(a, "%s for %s", p->name, dtype_word(d)));
}

static void findings_peaks(struct finding_list *t, const char *list)
{
	if (*list)
		findings_add(t, "peak", "warn",
			arena_printf(t->arena,
				"the catalog has no peak of %s: that work has "
				"no roofline bound",
				list));
}

static void findings_fleet_peaks(struct finding_list *t, const struct fleet *f,
	const struct catalog *c)
{
	const char *list = "", *unknown = "";
	for (uint32_t i = 0; i < f->cells_n; i++) {
		const char *name = f->cells[i].platform;
		if (!catalog_platform(c, name))
			unknown = findings_joined(t->arena, unknown,
				*name ? name : "an unknown platform");
	}
	for (uint32_t i = 0; i < f->rows_n; i++) {
		const struct fleet_row *r = &f->rows[i];
		if (r->sized_s > r->bound_s)
			list = findings_lacking(t->arena, list,
				catalog_platform(c, f->cells[r->cell].platform),
				r->dtype);
	}
	if (*unknown)
		findings_add(t, "platform", "warn",
			arena_printf(t->arena,
				"some runs used %s, of which the catalog has "
				"no peaks",
				unknown));
	findings_peaks(t, list);
}

static void findings_sizes(struct finding_list *t, double sized, double bound)
{
	if (sized < COVERED)
		findings_add(t, "unsized", "info",
			arena_printf(t->arena,
				"%.1f %% of GPU time has no known shape, and "
				"so no roofline bound",
				100 * (1 - sized)));
	if (sized - bound > 1 - COVERED)
		findings_add(t, "unbound", "info",
			arena_printf(t->arena,
				"%.1f %% of GPU time has a known shape but no "
				"roofline bound: its operators have no cost "
				"formula, its platform has no peak, or the "
				"process group of its collectives is unknown",
				100 * (sized - bound)));
}

/* Headroom of collectives that cannot be reached. */
static void findings_waiting(struct finding_list *t, double share)
{
	if (share > 0)
		findings_add(t, "waiting", "info",
			arena_printf(t->arena,
				"headroom of collectives includes waiting for "
				"other ranks: it is %s of GPU time; the page "
				"of a job separates waiting from transfer",
				findings_pct_of(t->arena, share)));
}

/* Runs without energy, and runs whose energy no fit divides. */
static void findings_energy(struct finding_list *t,
	const struct fleet_importance *m)
{
	if (m->energy_unknown > 0)
		findings_add(t, "energy_unknown", "warn",
			arena_printf(t->arena,
				"%lld matching %s excluded because %s energy "
				"is unknown: it requires samples of the power "
				"of every GPU",
				(long long)m->energy_unknown,
				m->energy_unknown == 1 ? "run is" : "runs are",
				m->energy_unknown == 1 ? "its" : "their"));
	if (m->split_by_time > 0)
		findings_add(t, "energy_by_time", "info",
			arena_printf(t->arena,
				"the energy of %lld of %lld %s is divided "
				"between operators by GPU time, because that "
				"of no operator is known",
				(long long)m->split_by_time, (long long)m->runs,
				m->runs == 1 ? "run" : "runs"));
}

static void findings_fleet(struct finding_list *t,
	const struct fleet_importance *m, const struct fleet *f,
	const struct catalog *c)
{
	double over_s = 0, all_s = 0, waiting = 0;
	for (uint32_t i = 0; i < f->rows_n; i++)
		over_s += f->rows[i].over_s;
	for (uint32_t i = 0; i < f->cells_n; i++)
		all_s += f->cells[i].weighted_s;
	if (!m->runs)
		findings_add(t, "no_match", "warn",
			m->energy_unknown > 0
				? "the energy of no matching run is known"
			: m->excluded > 0 ? "no matching run has operators"
			: m->left_out > 0 ? "no matching run is counted"
					  : "no run matches");
	else if (!m->n)
		findings_add(t, "no_match", "warn",
			"the matching runs have no matching operator");
	if (m->excluded > 0)
		findings_add(t, "excluded_runs", "warn",
			findings_without_operators_text(t->arena, m->excluded));
	if (m->left_out > 0)
		findings_add(t, "excluded", "warn",
			findings_left_out_text(t->arena, m->left_out));
	findings_energy(t, m);
	findings_coverage(t, m->attributed, m->specific, "/unattributed");
	if (all_s > 0)
		findings_over(t, over_s / all_s);
	for (uint32_t i = 0; i < m->n; i++)
		waiting += m->rows[i].collective > 0 && m->rows[i].headroom > 0
				   ? m->rows[i].headroom
				   : 0;
	findings_waiting(t, waiting);
	findings_fleet_peaks(t, f, c);
	findings_sizes(t, m->sized, m->bound);
	if (m->untold)
		findings_add(t, "untold", "info",
			arena_printf(t->arena,
				"mean call time is unavailable for %u %s: "
				"some calls have no roofline bound, and runs "
				"of one workload have different GPU-hours",
				m->untold,
				m->untold == 1 ? "operator" : "operators"));
	if (m->interval_why && m->runs)
		findings_add(t, "interval", "info", m->interval_why);
}

static void findings_set(struct finding_list *t,
	const struct fleet_importance *m)
{
	double sum = 0;
	for (uint32_t i = 0; i < m->n; i++)
		sum += isfinite(m->rows[i].importance) ? m->rows[i].importance
						       : 0;
	if (!m->n)
		findings_add(t, "no_match", "warn",
			"no operator of the reference set matches");
	if (sum > 1)
		findings_add(t, "sum", "info",
			arena_printf(t->arena,
				"the published importances add up to %.1f %%: "
				"they are not shares of one total",
				100 * sum));
}

struct finding_list findings_importance(struct arena *a,
	const struct fleet_importance *m, const struct fleet *fleet,
	const struct catalog *c)
{
	struct finding_list t = { .arena = a };
	if (fleet)
		findings_fleet(&t, m, fleet, c);
	else
		findings_set(&t, m);
	return t;
}

static void findings_replays(struct finding_list *t,
	const struct run_operators *r)
{
	long long all = r->replayed, known = r->replayed_known, i = 0;
	if (all > known)
		findings_add(t, "replayed", "warn",
			arena_printf(t->arena,
				"%lld of %lld kernels in graph replays belong "
				"to graphs without a recorded capture: only "
				"their names can show their operators",
				all - known, all));
	while (i < r->n && !r->rows[i].known_ns[KNOWN_GRAPH])
		i++;
	if (i < r->n)
		findings_add(t, "inferred", "info",
			arena_printf(t->arena,
				"%lld of %lld kernels in graph replays are "
				"attributed, some only by inference from "
				"recorded captures",
				known, all));
}

static void findings_run_peaks(struct finding_list *t,
	const struct run_operators_table *m)
{
	const struct run_operators *r = m->is;
	const struct platform *p =
		r->platform ? catalog_platform(m->catalog, r->platform) : NULL;
	const char *list = "";
	for (uint32_t i = 0; i < r->n; i++)
		if (r->rows[i].sized_ns > r->rows[i].bound_ns)
			list = findings_lacking(t->arena, list, p,
				r->rows[i].dtype);
	if (!p)
		findings_add(t, "platform", "warn",
			r->platform ? arena_printf(t->arena,
					      "the catalog no longer has the "
					      "platform '%s'",
					      r->platform)
				    : "the catalog has no common platform for "
				      "its GPUs, or the trace does not name "
				      "them, so it has no roofline bound");
	findings_peaks(t, list);
}

/* Shapes that are faster than the measured ceilings allow. */
static void findings_above_ceilings(struct finding_list *t,
	const struct run_operators_table *m)
{
	int64_t ns = 0;
	for (uint32_t i = 0; m->measured && i < m->is->n; i++)
		ns += m->measured[i].over_ns;
	if (ns)
		findings_add(t, "above_ceiling", "info",
			arena_printf(t->arena,
				"shapes that take %s of GPU time are faster "
				"than the measured ceilings allow: their "
				"computed cost is too high, their data was in "
				"a cache, or the calibration did not reach the "
				"rates of the device",
				findings_pct_of(t->arena,
					(double)ns / (double)m->is->gpu_ns)));
}

/* The peaks are not those of the data sheet. */
static void findings_clock(struct finding_list *t,
	const struct run_operators_table *m)
{
	const char *peaks = run_operators_peaks(m, t->arena);
	const char *left = "";

	if (!peaks)
		return;
	for (enum dtype d = 0; m->ceilings && d < DTYPES; d++)
		if (m->ceilings->rates.peak_flops[d] > 0 &&
			!(m->ceilings->rates.peak_clock_mhz[d] > 0))
			left = arena_printf(t->arena, "%s%s%s", left,
				*left ? ", " : "", dtype_word(d));
	findings_add(t, "peaks_at_clock", "info",
		arena_printf(t->arena, "%s%s%s%s", peaks,
			!m->ceilings ? ""
				     : "; measured ceilings are at this clock, "
				       "too",
			*left ? ", except those without a recorded clock: "
			      : "",
			left));
}

struct finding_list findings_run_operators(struct arena *a,
	const struct run_operators_table *m)
{
	struct finding_list t = { .arena = a };
	const struct run_operators *r = m->is;
	struct run_operators_share of = run_operators_share_from(m);
	int64_t over_ns = 0, waiting_ns = 0;
	for (uint32_t i = 0; i < r->n; i++) {
		over_ns += r->rows[i].clock.over_ns;
		waiting_ns += r->rows[i].collective
				      ? r->rows[i].clock.headroom_ns
				      : 0;
	}
	if (!r->catalog && r->searched) {
		findings_add(&t, "no_gpu", "warn",
			"this trace has no GPU kernels");
		return t;
	}
	if (!r->catalog) {
		findings_add(&t, "not_attributed", "warn",
			"it was analyzed before operators were known; "
			"`kernsiftd rebuild` analyzes it again");
		return t;
	}
	if (!r->gpu_ns) {
		findings_add(&t, "no_gpu", "warn", "there is no GPU time");
		return t;
	}
	findings_coverage(&t, of.attributed / 100, of.specific / 100,
		"`unattributed`, next to this table,");
	findings_over(&t, (double)over_ns / (double)r->gpu_ns);
	findings_above_ceilings(&t, m);
	findings_waiting(&t, (double)waiting_ns / (double)r->gpu_ns);
	findings_run_peaks(&t, m);
	findings_clock(&t, m);
	findings_replays(&t, r);
	findings_sizes(&t, of.sized / 100, of.bound / 100);
	if (strcmp(r->catalog, catalog_version(m->catalog)) != 0)
		findings_add(&t, "older_catalog", "info",
			arena_printf(a,
				"it was attributed with catalog %s; %s is in "
				"force: `kernsiftd rebuild` attributes it again",
				r->catalog, catalog_version(m->catalog)));
	return t;
}

struct finding_list findings_shapes(struct arena *a,
	const struct findings_shape_times *s)
{
	struct finding_list t = { .arena = a };
	if (!s->n && s->empty)
		findings_add(&t, "no_match", "info", s->empty);
	if (s->all > 0 && s->over > 0)
		findings_add(&t, "above_bound", "warn",
			arena_printf(a,
				"S is above 1 for shapes that take %s of the "
				"time: their computed cost is too high, or "
				"their data was in a cache",
				findings_pct_of(a, s->over / s->all)));
	if (s->all > 0 && s->unbound > 0)
		findings_add(&t, "unbound", "info",
			arena_printf(a,
				"%.1f %% of the time has no roofline bound; "
				"each row gives the reason",
				100 * s->unbound / s->all));
	return t;
}

/* ---- kernel profiles */

/* What the rows of a run have in common. */
struct findings_profiled {
	uint32_t unmatched, base, ambiguous, several, absent, above;
	int64_t unmatched_launches;
	const char *names; /* of some unmatched kernels */
};

enum { NAMES_SHOWN = 3, NAME_SHOWN = 80 };

static bool findings_profile_above(const struct kernel_profile *p)
{
	static const enum kernel_figure shares[] = {
		KERNEL_FIGURE_sm_throughput_pct,
		KERNEL_FIGURE_memory_throughput_pct,
		KERNEL_FIGURE_dram_throughput_pct, KERNEL_FIGURE_l1_hit_pct,
		KERNEL_FIGURE_l2_hit_pct, KERNEL_FIGURE_occupancy_pct
	};
	for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
		if (p->figure[shares[i]] > 100)
			return true;
	return false;
}

static struct findings_profiled findings_profiled_count(struct arena *a,
	const struct kernel_profile_line *rows, uint32_t n)
{
	struct findings_profiled f = { .names = "" };
	for (uint32_t i = 0; i < n; i++) {
		const struct kernel_profile_line *l = &rows[i];
		bool found = l->kernel >= 0;
		f.base += l->match == KERNEL_PROFILE_BASE;
		f.ambiguous += l->match == KERNEL_PROFILE_SEVERAL;
		f.several += found && l->several;
		f.absent += found && l->is.grid[0] >= 0 && l->run_launches < 0;
		f.above += findings_profile_above(&l->is);
		if (l->match)
			continue;
		if (f.unmatched++ < NAMES_SHOWN)
			f.names = arena_printf(a, "%s%s'%.*s'", f.names,
				*f.names ? ", " : "",
				(int)utf8_trim(l->is.name,
					strnlen(l->is.name, NAME_SHOWN)),
				l->is.name);
		f.unmatched_launches += l->is.launches;
	}
	return f;
}

static void findings_profile_rows(struct finding_list *t,
	const struct findings_profiled *f)
{
	if (f->unmatched)
		findings_add(t, "profiles_unmatched", "warn",
			arena_printf(t->arena,
				"%u profiled kernels (%lld launches) have the "
				"name of no kernel of this run: %s%s",
				f->unmatched, (long long)f->unmatched_launches,
				f->names,
				f->unmatched > NAMES_SHOWN ? ", …" : ""));
	if (f->ambiguous)
		findings_add(t, "profiles_several_kernels", "warn",
			arena_printf(t->arena,
				"%u profiled kernels have names that fit several "
				"kernels of this run equally; they are shown at "
				"none of them",
				f->ambiguous));
	if (f->above)
		findings_add(t, "profiles_above_100", "warn",
			arena_printf(t->arena,
				"%u profiled kernels have shares above 100 %%: "
				"Nsight Compute measured parts of them in "
				"different executions, which differed",
				f->above));
	if (f->base)
		findings_add(t, "profiles_base_name", "info",
			arena_printf(t->arena,
				"%u profiled kernels were found by their names "
				"without arguments, which one kernel of the "
				"run has",
				f->base));
	if (f->several)
		findings_add(t, "profiles_several_shapes", "info",
			arena_printf(t->arena,
				"%u profiled kernels have a grid and block "
				"with launches of several shapes; they are "
				"shown at the kernel only",
				f->several));
	if (f->absent)
		findings_add(t, "profiles_other_grid", "info",
			arena_printf(t->arena,
				"%u profiled kernels have a grid and block "
				"that no launch of this run has; they are "
				"shown at the kernel only",
				f->absent));
}

struct finding_list findings_kernel_profiles(struct arena *a,
	const struct kernel_profile_line *rows, uint32_t n,
	const struct kernel_profile_file *files, uint32_t files_n)
{
	struct finding_list t = { .arena = a };
	const struct findings_profiled f = findings_profiled_count(a, rows, n);
	int64_t lines = 0, values = 0;
	bool cut = false;
	for (uint32_t i = 0; i < files_n; i++) {
		lines += files[i].bad_lines;
		values += files[i].bad_values;
		cut |= files[i].cut;
	}
	if (n)
		findings_add(&t, "profiles_clocks", "info",
			"Nsight Compute executes each kernel alone and by "
			"default with clocks that are locked to their base: "
			"its durations are not comparable with the run's "
			"times and are in no sum");
	findings_profile_rows(&t, &f);
	if (cut)
		findings_add(&t, "profiles_cut", "warn",
			"a file of kernel profiles ends inside a row; its end "
			"is missing");
	if (lines || values)
		findings_add(&t, "profiles_unreadable", "warn",
			arena_printf(a,
				"%lld lines of the files could not be read, "
				"and %lld values are no numbers of the "
				"expected unit; they are not in the means",
				(long long)lines, (long long)values));
	return t;
}

/* ---- ranks of a job */

enum { RANKS_SHOWN = 8 };

/* The words of a sentence about a number of things. */
static const char *findings_s(int64_t n)
{
	return n == 1 ? "" : "s";
}
static const char *findings_is(int64_t n)
{
	return n == 1 ? "is" : "are";
}
static const char *findings_its(int64_t n)
{
	return n == 1 ? "its" : "their";
}

/* Adds "9" or "4 to 7" to a list. */
static const char *findings_job_span(struct arena *a, const char *list,
	int64_t from, int64_t to)
{
	const char *comma = *list ? ", " : "";
	if (from == to)
		return arena_printf(a, "%s%s%lld", list, comma,
			(long long)from);
	return arena_printf(a, "%s%s%lld to %lld", list, comma, (long long)from,
		(long long)to);
}

/* Ranks are sorted, so missing ones are the gaps between them. */
static void findings_job_missing(struct finding_list *list, struct arena *a,
	const struct ranks *r, int64_t world)
{
	const char *text = "";
	int64_t count = 0, next = 0;
	int shown = 0;
	for (uint32_t i = 0; i <= r->ranks_n; i++) {
		int64_t to = i < r->ranks_n ? r->ranks[i].rank : world;
		to = to < world ? to : world;
		if (to > next) {
			count += to - next;
			if (shown++ < RANKS_SHOWN)
				text = findings_job_span(a, text, next, to - 1);
		}
		next = to + 1 > next ? to + 1 : next;
	}
	if (!count)
		return;
	findings_add(list, "ranks_missing", "warn",
		arena_printf(a,
			"%lld of %lld ranks %s missing (%s%s): waiting for "
			"%s is counted as transfer",
			(long long)count, (long long)world, findings_is(count),
			text, shown > RANKS_SHOWN ? ", and more" : "",
			count == 1 ? "it" : "them"));
}

/* The ranks that occur in more than one run, each once. */
static void findings_job_twice(struct finding_list *list, struct arena *a,
	const struct ranks *r)
{
	const char *text = "";
	for (uint32_t i = 1; i < r->ranks_n; i++) {
		int32_t rank = r->ranks[i].rank;
		bool first = i == 1 || r->ranks[i - 2].rank != rank;
		if (rank >= 0 && r->ranks[i - 1].rank == rank && first)
			text = findings_job_span(a, text, rank, rank);
	}
	if (*text)
		findings_add(list, "rank_twice", "warn",
			arena_printf(a,
				"more than one run reports rank %s; each is "
				"treated as a separate rank",
				text));
}

static uint32_t findings_job_unknown_ranks(const struct ranks *r)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < r->ranks_n; i++)
		n += r->ranks[i].rank < 0;
	return n;
}

/* The largest world size of the runs, and whether they agree. */
static int32_t findings_job_world_of(const struct compared_run *runs,
	uint32_t n, bool *agree)
{
	int32_t world = -1;
	*agree = true;
	for (uint32_t i = 0; i < n; i++) {
		int32_t stated = runs[i].world_size;
		if (stated >= 0 && world >= 0 && stated != world)
			*agree = false;
		world = stated > world ? stated : world;
	}
	return world;
}

static void findings_job_stragglers(struct finding_list *list, struct arena *a,
	const struct ranks *r)
{
	const char *text = "";
	for (uint32_t i = 0; i < r->ranks_n; i++)
		if (r->ranks[i].straggler && r->ranks[i].rank >= 0)
			text = findings_job_span(a, text, r->ranks[i].rank,
				r->ranks[i].rank);
	if (*text)
		findings_add(list, "straggler", "warn",
			arena_printf(a,
				"computing takes clearly longer than on the "
				"median rank: rank %s",
				text));
}

/* A rank that is slow on any GPU needs another repair than a slow GPU. */
static void findings_job_slow_gpus(struct finding_list *list, struct arena *a,
	const struct ranks *r, const struct compared_run *runs, uint32_t n)
{
	const char *text = "";
	for (uint32_t i = 0; i < n; i++) {
		bool straggler = false;
		for (uint32_t k = 0; k < r->ranks_n; k++)
			straggler |= r->ranks[k].straggler &&
				     r->ranks[k].rank == runs[i].rank;
		if (runs[i].slow_gpu)
			text = arena_printf(a, "%s%srank %d%s on %s (+%.1f %%)",
				text, *text ? ", " : "", (int)runs[i].rank,
				straggler ? ", a straggler," : "",
				runs[i].slow_gpu,
				100 * runs[i].slow_gpu_slowdown);
	}
	if (*text)
		findings_add(list, "slow_gpu", "warn",
			arena_printf(a,
				"ranks ran on GPUs that are recorded as slow: %s",
				text));
}

/* What process groups contradict. */
static void findings_job_groups(struct finding_list *list, struct arena *a,
	const struct ranks *r)
{
	/* each with the number, the plural's s, and its or their */
	static const struct {
		enum pair_fault fault;
		const char *code, *text;
	} kinds[] = {
		{ PAIR_AMBIGUOUS, "group_ambiguous",
			"the ranks of %u process group%s are unknown, because "
			"the traces name groups by handles that differ between "
			"processes: %s collectives are not split into transfer "
			"and waiting" },
		{ PAIR_RANK_TWICE, "group_rank_twice",
			"a rank is present twice in %u process group%s: %s "
			"collectives are not split" },
		{ PAIR_RESTARTS, "group_restarts",
			"in %u process group%s the numbers of the collectives "
			"restart, and not equally often on each rank: %s "
			"collectives are not split" },
	};
	uint32_t faults[PAIR_FAULTS] = { 0 };

	for (uint32_t i = 0; i < r->pairs.groups_n; i++)
		faults[r->pairs.groups[i].fault]++;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (faults[kinds[i].fault])
			findings_add(list, kinds[i].code, "warn",
				arena_printf(a, kinds[i].text,
					faults[kinds[i].fault],
					findings_s(faults[kinds[i].fault]),
					findings_its(faults[kinds[i].fault])));
	uint32_t restarts = r->pairs.restarts - faults[PAIR_RESTARTS];
	if (r->pairs.restarts > faults[PAIR_RESTARTS])
		findings_add(list, "sequence_restarts", "info",
			arena_printf(a,
				"in %u process group%s the numbers of the "
				"collectives restart: the collectives are "
				"matched by restart and number",
				restarts, findings_s(restarts)));
	if (r->pairs.name_twice)
		findings_add(list, "group_name_twice", "warn",
			arena_printf(a,
				"different process groups have the name '%s': "
				"each is matched by its ranks",
				r->pairs.name_twice));
}

/* What single collectives contradict, and which are not complete. */
static void findings_job_calls(struct finding_list *list, struct arena *a,
	const struct ranks *r)
{
	uint32_t bounds = 0;

	for (uint32_t i = 0; i < r->collectives_n; i++)
		bounds += r->collectives[i].upper_bound
				  ? r->collectives[i].count
				  : 0;
	if (r->pairs.kinds_differ)
		findings_add(list, "kinds_differ", "warn",
			arena_printf(a,
				"%u collective%s %s of different kinds on %s "
				"ranks and %s not split",
				r->pairs.kinds_differ,
				findings_s(r->pairs.kinds_differ),
				findings_is(r->pairs.kinds_differ),
				findings_its(r->pairs.kinds_differ),
				findings_is(r->pairs.kinds_differ)));
	if (r->sizes_differ)
		findings_add(list, "sizes_differ", "warn",
			arena_printf(a,
				"%u collective%s %s different sizes on %s "
				"ranks: %s bandwidth is unknown",
				r->sizes_differ, findings_s(r->sizes_differ),
				r->sizes_differ == 1 ? "has" : "have",
				findings_its(r->sizes_differ),
				findings_its(r->sizes_differ)));
	if (r->pairs.between_unknown)
		findings_add(list, "peers_unknown", "info",
			arena_printf(a,
				r->pairs.between_unknown == 1
					? "%u send or receive is in a process "
					  "group that does not have two ranks: "
					  "its ranks are unknown, and it is "
					  "not split"
					: "%u sends and receives are in process "
					  "groups that do not have two ranks: "
					  "the ranks of each are unknown, and "
					  "they are not split",
				r->pairs.between_unknown));
	if (bounds && r->ranks_n > 1)
		findings_add(list, "group_incomplete", "info",
			arena_printf(a,
				"of the group%s of %u collective%s some ranks "
				"are not in the job: transfer time is an upper "
				"bound, and waiting is among the ranks present",
				findings_s(bounds), bounds,
				findings_s(bounds)));
	if (r->collectives_left_out)
		findings_add(list, "lines_left_out", "info",
			arena_printf(a,
				"the job has collectives of %u groups, kinds "
				"and sizes; the %u with the most transfer time "
				"are listed",
				r->collectives_n + r->collectives_left_out,
				r->collectives_n));
}

struct finding_list findings_job(struct arena *a, const struct ranks *r,
	const struct compared_run *runs, uint32_t n)
{
	struct finding_list found = { .arena = a }, *list = &found;
	bool agree;
	int32_t world = findings_job_world_of(runs, n, &agree);
	uint32_t unknown = findings_job_unknown_ranks(r);
	findings_job_stragglers(list, a, r);
	findings_job_slow_gpus(list, a, r, runs, n);
	findings_job_twice(list, a, r);
	if (unknown)
		findings_add(list, "rank_unknown", "warn",
			arena_printf(a, "%u of %u runs %s not report %s rank",
				unknown, r->ranks_n,
				unknown == 1 ? "does" : "do",
				findings_its(unknown)));
	else
		findings_job_missing(list, a, r, world);
	if (!agree)
		findings_add(list, "worlds_differ", "warn",
			"the runs report different numbers of ranks");
	if (r->pairs.unmatched)
		findings_add(list, "unmatched", "warn",
			arena_printf(a,
				"collectives that are not matched on all of "
				"their ranks, and are not split into transfer "
				"and waiting: %u",
				r->pairs.unmatched));
	findings_job_groups(list, a, r);
	findings_job_calls(list, a, r);
	if (r->ranks_n > 1 && !r->clocks_agree)
		findings_add(list, "clocks_differ", "info",
			"the ranks' clocks cannot be aligned: which rank "
			"arrives last is unknown");
	if (r->ranks_n == 1)
		findings_add(list, "lone_rank", "info",
			"only one rank is present: its collectives include "
			"waiting for the others");
	return found;
}
