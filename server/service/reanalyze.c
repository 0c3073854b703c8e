/* reanalyze.c - decodes a stored capture and analyzes it again. */
#include "reanalyze.h"
#include "learned_graph.h"
#include "analyze.h"
#include "attribute.h"
#include "catalog_cache.h"
#include "correlation.h"
#include "decode.h"
#include "kernel_name.h"
#include "site_overrides.h"
#include "profile_word.h"
#include "query.h"
#include "query_compared.h"
#include <stdlib.h>
#include <string.h>

/* ---- copies that outlive the trace */

static void *reanalyze_copy(struct arena *a, const void *from, size_t n,
	size_t size)
{
	void *to = arena_alloc(a, n, size);
	if (n)
		memcpy(to, from, n * size);
	return to;
}
#define COPY(a, from, n) (reanalyze_copy((a), (from), (n), sizeof *(from)))

static const char *reanalyze_text(struct arena *a, const char *s)
{
	return s ? arena_strdup(a, s) : NULL;
}

static void reanalyze_iterations_copy(struct iterations *c, struct arena *a)
{
	c->range = reanalyze_text(a, c->range);
	c->iterations = COPY(a, c->iterations, c->n);
	for (uint32_t i = 0; i < c->n; i++)
		c->iterations[i].label =
			reanalyze_text(a, c->iterations[i].label);
	c->strata = COPY(a, c->strata, c->strata_n);
	for (uint32_t i = 0; i < c->strata_n; i++)
		c->strata[i].text = reanalyze_text(a, c->strata[i].text);
	c->works = COPY(a, c->works, c->works_n);
	for (uint32_t i = 0; i < c->works_n; i++) {
		c->works[i].name = reanalyze_text(a, c->works[i].name);
		c->works[i].size = reanalyze_text(a, c->works[i].size);
	}
}

static void reanalyze_texts_copy(struct pattern_texts *t, struct arena *a)
{
	const char **list = arena_array(a, const char *, t->n);
	for (uint32_t i = 0; i < t->n; i++)
		list[i] = reanalyze_text(a, t->list[i]);
	t->list = list;
}

static void reanalyze_pattern_copy(struct pattern *p, uint32_t n,
	struct arena *a)
{
	p->name = reanalyze_text(a, p->name);
	p->device = reanalyze_text(a, p->device);
	p->dur_ns = COPY(a, p->dur_ns, n);
	p->launches = COPY(a, p->launches, n);
	p->min_ns = COPY(a, p->min_ns, n);
	p->max_ns = COPY(a, p->max_ns, n);
	reanalyze_texts_copy(&p->launch.grids, a);
	reanalyze_texts_copy(&p->launch.operators, a);
	if (p->spread_ns)
		p->spread_ns = COPY(a, p->spread_ns, PATTERN_SPREAD);
	if (p->beta_pct)
		p->beta_pct = COPY(a, p->beta_pct, n);
}

static void reanalyze_patterns_copy(struct patterns *p, struct arena *a)
{
	p->iteration = COPY(a, p->iteration, p->iterations_n);
	p->rows = COPY(a, p->rows, p->n);
	for (uint32_t i = 0; i < p->n; i++)
		reanalyze_pattern_copy(&p->rows[i], p->iterations_n, a);
	p->metrics = COPY(a, p->metrics, p->metrics_n);
	for (uint32_t i = 0; i < p->metrics_n; i++) {
		struct pattern_metric *m = &p->metrics[i];
		m->name = reanalyze_text(a, m->name);
		m->mu = COPY(a, m->mu, p->iterations_n);
		m->sigma = COPY(a, m->sigma, p->iterations_n);
		m->interpolated = COPY(a, m->interpolated, p->iterations_n);
	}
}

static void reanalyze_collectives_copy(struct collectives *c, struct arena *a)
{
	c->rows = COPY(a, c->rows, c->n);
	for (uint32_t i = 0; i < c->n; i++) {
		struct collective *r = &c->rows[i];
		r->name = reanalyze_text(a, r->name);
		r->call.group = reanalyze_text(a, r->call.group);
		r->call.ranks = reanalyze_text(a, r->call.ranks);
		r->start_ns = COPY(a, r->start_ns, r->n);
		r->dur_ns = COPY(a, r->dur_ns, r->n);
		if (r->sequence)
			r->sequence = COPY(a, r->sequence, r->n);
	}
}

static void reanalyze_iterations_out(const struct profile *p, struct arena *a,
	struct compared_run *run)
{
	run->iterations = p->iterations;
	run->patterns = p->patterns;
	run->collectives = p->collectives;
	reanalyze_iterations_copy(&run->iterations, a);
	for (int i = 0; i < WAIT_CAUSES; i++)
		run->idle_cause_ns[i] =
			p->waits.iteration_ns[i]
				? COPY(a, p->waits.iteration_ns[i],
					  p->iterations.n)
				: NULL;
	reanalyze_patterns_copy(&run->patterns, a);
	reanalyze_collectives_copy(&run->collectives, a);
}

/* Copies the kernels that the rows refer to, each once. */
static void reanalyze_kernels_copy(const struct profile *p, struct arena *a,
	struct breakdown_stored *out)
{
	struct breakdown *d = &out->breakdown;
	uint32_t *at = arena_array(a, uint32_t, p->kernels_n); /* from 1 */
	out->kernels = arena_array(a, struct breakdown_kernel, p->kernels_n);
	for (uint32_t i = 0; i < d->rows_n; i++) {
		struct breakdown_row *r = &d->rows[i];
		if (r->kernel == ROW_NO_KERNEL)
			continue;
		const struct profile_kernel *k = &p->kernels[r->kernel];
		uint32_t *to = &at[r->kernel];
		if (!*to) {
			out->kernels[out->kernels_n] =
				(struct breakdown_kernel){ .id = -1,
					.name = reanalyze_text(a, k->name),
					.short_name = reanalyze_text(a,
						k->short_name) };
			*to = ++out->kernels_n;
		}
		r->kernel = *to - 1;
	}
}

static void reanalyze_layers_out(const struct profile *p, struct arena *a,
	struct breakdown_stored *out)
{
	struct breakdown *d = &out->breakdown;
	*out = (struct breakdown_stored){ .breakdown = p->breakdown };
	d->anchor = reanalyze_text(a, d->anchor);
	d->why = reanalyze_text(a, d->why);
	d->stratum = reanalyze_text(a, d->stratum);
	d->sections = COPY(a, d->sections, d->sections_n);
	d->blocks = COPY(a, d->blocks, d->blocks_n);
	d->rows = COPY(a, d->rows, d->rows_n);
	d->bars = COPY(a, d->bars, d->bars_n);
	for (uint32_t i = 0; i < d->sections_n; i++)
		d->sections[i].name = reanalyze_text(a, d->sections[i].name);
	for (uint32_t i = 0; i < d->rows_n; i++) {
		struct breakdown_row *r = &d->rows[i];
		r->operation = reanalyze_text(a, r->operation);
		r->operator_ = reanalyze_text(a, r->operator_);
		r->module = reanalyze_text(a, r->module);
	}
	reanalyze_kernels_copy(p, a, out);
}

/* ---- from the stored capture to a profile */

/* What a request needs from a profile. A run that was uploaded as a table has no
 * launches, so nothing can be computed. */
struct reanalyze_request {
	struct service_call *call;
	int64_t run;
	struct profile_params params;
	const char *word;
	/* Copies the result out of the profile, which is then freed. */
	void (*take)(const struct profile *p, struct arena *to, void *out);
	void *out;
};

static bool reanalyze_has_launches(const struct reanalyze_request *w,
	const struct profile *p, struct err *e)
{
	return p->content == CONTENT_LAUNCHES ||
	       err_set(e, ERR_NOT_FOUND,
		       "run %lld has no %s: its upload contains only %s",
		       (long long)w->run, w->word,
		       profile_word_content[p->content]);
}

/* Limits for one run's trace and its analysis; a capture is not compressed. */
#define REANALYZE_BYTES ((size_t)1 << 30)
#define CAPTURE_BYTES (INT64_C(1) << 40)

struct capture_source {
	struct db *db;
	int64_t run, edition;
	int32_t seq; /* number of the next piece */
	unsigned char *bytes; /* a piece */
};

static bool reanalyze_capture_next(void *ctx, const void **bytes, size_t *len,
	struct err *e)
{
	struct capture_source *s = ctx;
	*bytes = s->bytes;
	return query_capture(s->db, s->run, s->seq++, &s->edition, s->bytes,
		len, e);
}

static bool reanalyze_trace_read(struct service_call *c, int64_t run,
	struct trace *t, struct err *e)
{
	static const struct decode_limits limits = { CAPTURE_BYTES, 1 };
	struct capture_source s = { .db = c->db, .run = run };
	struct source source = { reanalyze_capture_next, &s, -1 };
	s.bytes = malloc(CAPTURE_PIECE);
	if (!s.bytes)
		abort();
	bool ok = decode(&source, &limits, NULL, t, e);
	free(s.bytes);
	return ok;
}

/* Analyzes with the graphs that other uploads recorded, as at ingest. */
static bool reanalyze_analyzed(const struct reanalyze_request *w,
	const struct trace *t, struct arena *a, struct profile *p,
	struct err *e)
{
	const struct catalog *catalog = catalog_cache_take(w->call, e);
	struct graph_book book = { 0 };
	struct graph_wanted *wanted;
	uint32_t n;
	if (!catalog)
		return false;
	if (!attribute_wanted(t, 0, a, &wanted, &n))
		return arena_err(a, e);
	struct arena learned = arena_scratch(a);
	bool ok = n == 0 || learned_graph_read(w->call->db, &learned, w->run,
				    wanted, n, &book, e);
	ok = ok &&
	     profile_from_params(t, 0, &w->params, catalog, &book, a, p, e);
	arena_scratch_release(&learned, a);
	return ok;
}

/* Adds what the error does not say: which run, and what a full arena means. */
static bool reanalyze_failed(const struct arena *a, int64_t run,
	struct err *why, struct err *e)
{
	if (a->full && !a->refused)
		return err_set(e, ERR_TOO_LARGE,
			"run %lld: analyzing its capture again needs more than "
			"%d MiB; record a shorter window",
			(long long)run, (int)(a->ceiling >> 20));
	return err_set(e, why->code, "run %lld: %s", (long long)run, why->text);
}

static bool reanalyze_read_again(const struct reanalyze_request *w,
	struct err *e)
{
	struct service_call *c = w->call;
	struct arena a = { .ceiling = REANALYZE_BYTES };
	struct err why = { 0 };
	struct profile p = { 0 };
	struct trace t;
	bool ok = (trace_init(&t, &a) || arena_err(&a, &why)) &&
		  reanalyze_trace_read(c, w->run, &t, &why) &&
		  reanalyze_analyzed(w, &t, &a, &p, &why);
	if (!ok)
		reanalyze_failed(&a, w->run, &why, e);
	ok = ok && reanalyze_has_launches(w, &p, e);
	if (ok)
		w->take(&p, &c->arena, w->out);
	arena_release(&a);
	return ok;
}

static void reanalyze_take_iterations(const struct profile *p, struct arena *to,
	void *out)
{
	reanalyze_iterations_out(p, to, out);
}

bool reanalyze_iterations(struct service_call *c, const char *range,
	struct compared_run *run, struct err *e)
{
	const struct reanalyze_request w = { c, run->id,
		{ range, BREAKDOWN_DEFAULTS }, "ranges",
		reanalyze_take_iterations, run };
	return reanalyze_read_again(&w, e);
}

static void reanalyze_take_layers(const struct profile *p, struct arena *to,
	void *out)
{
	reanalyze_layers_out(p, to, out);
}

bool reanalyze_breakdown(struct service_call *c, int64_t run,
	const struct breakdown_params *params, struct breakdown_stored *out,
	struct err *e)
{
	const struct reanalyze_request w = { c, run, { NULL, *params },
		"layers", reanalyze_take_layers, out };
	return reanalyze_read_again(&w, e) &&
	       query_kernel_ids(c->db, out->kernels, out->kernels_n, e);
}

/* ---- the longest idle intervals */

static void reanalyze_gap_end(struct arena *a, const struct wait_gap_end *end,
	struct breakdown_kernel *to)
{
	const char *name = end->name ? end->name : "";
	size_t len = strlen(name);

	*to = (struct breakdown_kernel){ .id = -1,
		.name = name,
		.short_name = name };
	if (end->kind != WAIT_RECORD_KERNEL)
		return;
	kernel_name_from(a, name, len, &name, &len);
	to->name = len ? name : "(unnamed)"; /* as in kernels.c */
	to->short_name = kernel_name_short(a, to->name, strlen(to->name));
}

/* Names the records around the intervals. */
static bool reanalyze_gap_ends(struct service_call *c, struct run_gaps *out,
	struct err *e)
{
	uint32_t n = 2 * out->is.n;

	out->ends = arena_array(&c->arena, struct breakdown_kernel, n);
	for (uint32_t i = 0; i < out->is.n; i++) {
		const struct wait_gap *g = &out->is.rows[i];
		reanalyze_gap_end(&c->arena, &g->before, &out->ends[2 * i]);
		reanalyze_gap_end(&c->arena, &g->after, &out->ends[2 * i + 1]);
	}
	if (!query_kernel_ids(c->db, out->ends, n, e))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		const struct wait_gap *g = &out->is.rows[i / 2];
		const struct wait_gap_end *end = i % 2 ? &g->after : &g->before;
		if (end->kind != WAIT_RECORD_KERNEL)
			out->ends[i].id = -1;
	}
	return true;
}

/* Why no interval of the run is known; NULL if they are. */
static const char *reanalyze_no_gaps(const struct iterations *iterations)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < iterations->n; i++) {
		if (iterations->iterations[i].idle_ns < 0)
			return "the run has no single launches with their "
			       "starts";
		kept += iterations->iterations[i].use == ITERATION_KEPT;
	}
	if (!iterations->n)
		return "the run has no iterations";
	return kept ? NULL : "no iteration is complete and after the warm-up";
}

static bool reanalyze_gaps_find(const struct iterations *iterations,
	uint32_t most, const struct trace *t, struct arena *a, struct arena *to,
	struct wait_gaps *out)
{
	const struct process *proc = &t->processes[0];
	struct profile p = { .arena = a, .iterations = *iterations };
	uint32_t *call_of;

	return correlation_join(t, proc, a, &call_of) &&
	       wait_causes_gaps(t, proc, call_of, &p, most, to, out);
}

bool reanalyze_gaps(struct service_call *c, int64_t run,
	const struct iterations *iterations, uint32_t most,
	struct run_gaps *out, struct err *e)
{
	struct arena a = { .ceiling = REANALYZE_BYTES };
	struct err why = { 0 };
	struct trace t;

	*out = (struct run_gaps){ .reason = reanalyze_no_gaps(iterations) };
	if (out->reason)
		return true;
	bool ok = (trace_init(&t, &a) || arena_err(&a, &why)) &&
		  reanalyze_trace_read(c, run, &t, &why) &&
		  (reanalyze_gaps_find(iterations, most, &t, &a, &c->arena,
			   &out->is) ||
			  arena_err(&a, &why));
	if (!ok)
		reanalyze_failed(&a, run, &why, e);
	arena_release(&a);
	return ok && reanalyze_gap_ends(c, out, e);
}

/* ---- the strips of a timeline */

bool reanalyze_strips(struct service_call *c, int64_t run, struct arena *a,
	struct strips *out, struct err *e)
{
	struct arena of_trace = { .ceiling = REANALYZE_BYTES };
	const struct catalog *catalog = catalog_cache_take(c, e);
	struct iterations iterations;
	struct err why = { 0 };
	struct trace t;
	bool more;

	if (!catalog || !service_db(c, e) ||
		!query_iterations(c->db, &c->arena, run, 0, 0, &iterations,
			&more, e))
		return false;
	bool ok = (trace_init(&t, &of_trace) || arena_err(&of_trace, &why)) &&
		  reanalyze_trace_read(c, run, &t, &why) &&
		  (strips_from(&t, 0, catalog, &iterations, a, out) ||
			  arena_err(a, &why));
	if (!ok)
		reanalyze_failed(a->full ? a : &of_trace, run, &why, e);
	arena_release(&of_trace);
	return ok;
}
