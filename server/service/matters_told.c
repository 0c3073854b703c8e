/* matters_told.c - a sentence for each thing that numbers alone would hide. */
#include "matters_told.h"
#include <math.h>
#include <string.h>

/* Less than this is told first. */
static const double COVERED = 0.95;

static void say(struct finding_list *t, const char *code, const char *severity,
	const char *text)
{
	findings_add(t, code, severity, text);
}

/* A share in percent: to a tenth, or two digits of what is less. */
static const char *pct_of(struct arena *a, double share)
{
	return arena_printf(a, share < 0.001 ? "%.2g %%" : "%.1f %%",
		100 * share);
}

static void coverage(struct finding_list *t, double attributed, double specific,
	const char *where)
{
	if (attributed < COVERED)
		say(t, "coverage", "warn",
			arena_printf(t->arena,
				"%.1f %% of GPU time has no operator; %s lists "
				"its kernels",
				100 * (1 - attributed), where));
	if (attributed - specific > 1 - COVERED)
		say(t, "unspecific", "warn",
			arena_printf(t->arena,
				"%.1f %% of GPU time is of operators whose "
				"name explains nothing",
				100 * (attributed - specific)));
}

static void over(struct finding_list *t, double share)
{
	if (share > 0)
		say(t, "over", "warn",
			arena_printf(t->arena,
				"S is above 1 at shapes that take %s of GPU "
				"time: their cost is counted too high, or "
				"their data lay in a cache",
				pct_of(t->arena, share)));
}

/* Adds a word to a list that has it not yet. */
static const char *joined(struct arena *a, const char *list, const char *word)
{
	const char *at = strstr(list, word);
	size_t len = strlen(word);
	if (at && (at == list || at[-1] == ' ') && (!at[len] || at[len] == ','))
		return list;
	return arena_printf(a, "%s%s%s", list, *list ? ", " : "", word);
}

/* "H20 for fp4", where a type that counts has no peak. */
static const char *lacking(struct arena *a, const char *list,
	const struct platform *p, enum dtype d)
{
	if (!p || !dtype_counts(d) || isfinite(p->peak_flops[d]))
		return list;
	return joined(a, list,
		arena_printf(a, "%s for %s", p->name, dtype_word(d)));
}

static void peaks(struct finding_list *t, const char *list)
{
	if (*list)
		say(t, "peak", "warn",
			arena_printf(t->arena,
				"no peak is known of %s: nothing is said of "
				"what that work could take at least",
				list));
}

static void fleet_peaks(struct finding_list *t, const struct fleet *f,
	const struct catalog *c)
{
	const char *list = "", *unknown = "";
	for (uint32_t i = 0; i < f->cells_n; i++) {
		const char *name = f->cells[i].platform;
		if (!catalog_platform(c, name))
			unknown = joined(t->arena, unknown,
				*name ? name : "an unknown platform");
	}
	for (uint32_t i = 0; i < f->rows_n; i++) {
		const struct fleet_row *r = &f->rows[i];
		if (r->sized_s > r->bound_s)
			list = lacking(t->arena, list,
				catalog_platform(c, f->cells[r->cell].platform),
				r->dtype);
	}
	if (*unknown)
		say(t, "platform", "warn",
			arena_printf(t->arena,
				"some runs were on %s, which the catalogue has "
				"no peaks of",
				unknown));
	peaks(t, list);
}

static void sizes(struct finding_list *t, double sized, double bound)
{
	if (sized < COVERED)
		say(t, "unsized", "info",
			arena_printf(t->arena,
				"%.1f %% of GPU time has no sizes: what it "
				"could take at least is not known",
				100 * (1 - sized)));
	if (sized - bound > 1 - COVERED)
		say(t, "unbound", "info",
			arena_printf(t->arena,
				"%.1f %% of GPU time has sizes and no bound: "
				"its "
				"operators have no formula, or its platform no "
				"peak",
				100 * (sized - bound)));
}

static void fleet_told(struct finding_list *t, const struct matters *m,
	const struct fleet *f, const struct catalog *c)
{
	double over_s = 0, all_s = 0;
	for (uint32_t i = 0; i < f->rows_n; i++)
		over_s += f->rows[i].over_s;
	for (uint32_t i = 0; i < f->cells_n; i++)
		all_s += f->cells[i].weighted_s;
	if (!m->runs)
		say(t, "no_match", "warn",
			m->uncounted > 0  ? "no run that matches has operators"
			: m->left_out > 0 ? "no run that matches is counted"
					  : "no run matches");
	else if (!m->n)
		say(t, "no_match", "warn",
			"no operator matches in the runs that do");
	if (m->uncounted > 0)
		say(t, "uncounted", "warn",
			matters_uncounted_text(t->arena, m->uncounted));
	if (m->left_out > 0)
		say(t, "left_out", "warn",
			matters_left_out_text(t->arena, m->left_out));
	coverage(t, m->attributed, m->specific, "/unattributed");
	if (all_s > 0)
		over(t, over_s / all_s);
	fleet_peaks(t, f, c);
	sizes(t, m->sized, m->bound);
	if (m->untold)
		say(t, "untold", "info",
			arena_printf(t->arena,
				"no mean call is told of %u %s: some calls "
				"have no bound, in runs of one workload that "
				"stand for different GPU-hours",
				m->untold,
				m->untold == 1 ? "operator" : "operators"));
	if (m->interval_why && m->runs)
		say(t, "interval", "info", m->interval_why);
}

static void set_told(struct finding_list *t, const struct matters *m)
{
	double sum = 0;
	for (uint32_t i = 0; i < m->n; i++)
		sum += isfinite(m->rows[i].importance) ? m->rows[i].importance
						       : 0;
	if (!m->n)
		say(t, "no_match", "warn", "no operator of the set matches");
	if (sum > 1)
		say(t, "sum", "info",
			arena_printf(t->arena,
				"the published importances add up to %.1f %%: "
				"they are no shares of one whole",
				100 * sum));
}

struct finding_list matters_told(struct arena *a, const struct matters *m,
	const struct fleet *fleet, const struct catalog *c)
{
	struct finding_list t = { .arena = a };
	if (fleet)
		fleet_told(&t, m, fleet, c);
	else
		set_told(&t, m);
	return t;
}

static void replays(struct finding_list *t, const struct run_operators *r)
{
	long long all = r->replayed, known = r->replayed_known, i = 0;
	if (all > known)
		say(t, "replayed", "warn",
			arena_printf(t->arena,
				"%lld of %lld kernels in replays of graphs are "
				"of graphs whose capture nobody saw: at most "
				"their names tell",
				all - known, all));
	while (i < r->n && !r->rows[i].known_ns[KNOWN_GRAPH])
		i++;
	if (i < r->n)
		say(t, "inferred", "info",
			arena_printf(t->arena,
				"%lld of %lld kernels in replays of graphs are "
				"known, some by captures seen: inferred",
				known, all));
}

static void run_peaks(struct finding_list *t, const struct run_matters *m)
{
	const struct run_operators *r = m->is;
	const struct platform *p =
		r->platform ? catalog_platform(m->catalog, r->platform) : NULL;
	const char *list = "";
	for (uint32_t i = 0; i < r->n; i++)
		if (r->rows[i].sized_ns > r->rows[i].bound_ns)
			list = lacking(t->arena, list, p, r->rows[i].dtype);
	if (!p)
		say(t, "platform", "warn",
			r->platform
				? arena_printf(t->arena,
					  "the catalogue no longer has the "
					  "platform '%s'",
					  r->platform)
				: "the catalogue does not know what it ran on, "
				  "or it ran on several: nothing is said of "
				  "what it could take at least");
	peaks(t, list);
}

struct finding_list matters_told_run(struct arena *a,
	const struct run_matters *m)
{
	struct finding_list t = { .arena = a };
	const struct run_operators *r = m->is;
	struct run_share of = run_share_from(m);
	int64_t over_ns = 0;
	for (uint32_t i = 0; i < r->n; i++)
		over_ns += r->rows[i].over_ns;
	if (!r->catalog) {
		say(&t, "not_attributed", "warn",
			"it was analysed before operators were known: "
			"`kernsiftd rebuild` analyses anew");
		return t;
	}
	if (!r->gpu_ns) {
		say(&t, "no_gpu", "warn", "there is no GPU time");
		return t;
	}
	coverage(&t, of.attributed / 100, of.specific / 100,
		"unattributed, beside this table,");
	over(&t, (double)over_ns / (double)r->gpu_ns);
	run_peaks(&t, m);
	replays(&t, r);
	sizes(&t, of.sized / 100, of.bound / 100);
	if (strcmp(r->catalog, catalog_version(m->catalog)) != 0)
		say(&t, "older_catalog", "info",
			arena_printf(a,
				"it was attributed with the catalogue %s; %s "
				"is "
				"in force: `kernsiftd rebuild` attributes anew",
				r->catalog, catalog_version(m->catalog)));
	return t;
}

struct finding_list matters_told_shapes(struct arena *a,
	const struct shapes_told *s)
{
	struct finding_list t = { .arena = a };
	if (!s->n && s->empty)
		say(&t, "no_match", "info", s->empty);
	if (s->all > 0 && s->over > 0)
		say(&t, "over", "warn",
			arena_printf(a,
				"S is above 1 at shapes that take %s of the "
				"time: their cost is counted too high, or "
				"their data lay in a cache",
				pct_of(a, s->over / s->all)));
	if (s->all > 0 && s->unbound > 0)
		say(&t, "unbound", "info",
			arena_printf(a,
				"no bound is known of %.1f %% of the time; "
				"each "
				"line says why",
				100 * s->unbound / s->all));
	return t;
}
