/* run_diagnosis.c - why a run is slow: causes, and sentences about the largest
 * of them. */
#include "run_diagnosis.h"
#include "duration_text.h"
#include "note.h"
#include "reachable.h"
#include "profile_word.h"
#include "utf8.h"
#include <math.h>
#include <string.h>

/* Every cause in the order of the API, once. A sentence is `before`, the time,
 * `after`. `tab` is the tab of the run's page with the most detail. */
struct diagnosis_text {
	const char *before, *after, *tab;
	const char
		*of; /* what the shares of operators are of; NULL: the evidence
			has no operators */
};
static const struct diagnosis_text diagnosis_compute = { "Kernels compute for",
	"", "operators", "GPU time without copies, sets and collectives" };
static const struct diagnosis_text diagnosis_busy_texts[BUSY_CLASSES] = {
	[BUSY_COMPUTE_BOUND] = { "Compute-bound kernels run for", "",
		"operators", "calls whose bound is the compute time" },
	[BUSY_MEMORY_BOUND] = { "Memory-bound kernels run for", "", "operators",
		"calls whose bound is the memory time" },
	[BUSY_NO_BOUND] = { "Kernels without a known roofline bound run for",
		"", "operators", "kernels without a known bound" },
	[BUSY_LAUNCH_FLOOR] = { "Kernels run for",
		" that take no longer than an empty launch", "operators",
		NULL },
	[BUSY_EXPOSED_COMM] = { "Collectives run for",
		" while nothing computes", "iterations", NULL },
	[BUSY_COPY] = { "Copies run for", " while no kernel runs", "copies",
		NULL },
};
#define IDLE "The GPU is idle for"
static const struct diagnosis_text diagnosis_idle_texts[WAIT_CAUSES] = {
	[WAIT_SYNCHRONIZATION] = { IDLE,
		" because the host waits in a synchronizing call before the "
		"next launch",
		"patterns", NULL },
	[WAIT_COPY] = { IDLE,
		" because the host waits in a blocking copy before the next "
		"launch",
		"copies", NULL },
	[WAIT_HOST_GAP] = { IDLE,
		" because the host does other work before the next launch",
		"iterations", NULL },
	[WAIT_LAUNCH] = { IDLE,
		" while the API call that launches the next work runs",
		"launches", NULL },
	[WAIT_GRAPH] = { IDLE, " between two records of one graph launch",
		"iterations", NULL },
	[WAIT_STREAM] = { IDLE,
		" because the next work waits for another stream", "iterations",
		NULL },
	[WAIT_UNKNOWN] = { IDLE, ", and the cause is unknown", "iterations",
		NULL },
};

/* A share that prints as 0.0 % gets no sentence. */
static const double SHARE_SHOWN_PCT = 0.05;
/* Names in a sentence's evidence; the causes list all of them. The length is
 * that of compare_text_name(). */
enum { DIAGNOSIS_NAMES = 3, DIAGNOSIS_NAME_MOST = 100 };

struct diagnosis_maker {
	struct run_diagnosis *d;
	struct arena *a;
	const struct diagnosis_data *of;
	const struct diagnosis_text *texts[DIAGNOSIS_CAUSES]; /* by cause */
	bool no_calls; /* no kernel has a known API call */
};

static void run_diagnosis_add(struct diagnosis_maker *m,
	const struct diagnosis_text *text, struct diagnosis_cause c)
{
	struct run_diagnosis *d = m->d;
	double wall_ns = (double)d->busy_ns + (double)d->idle_ns;

	c.share_pct =
		wall_ns > 0 ? 100 * (double)c.time_ns / wall_ns : (double)NAN;
	m->texts[d->causes_n] = text;
	d->causes[d->causes_n++] = c;
}

static void run_diagnosis_busy_add(struct diagnosis_maker *m,
	const struct diagnosis_text *text, const char *word, int64_t time_ns)
{
	run_diagnosis_add(m, text,
		(struct diagnosis_cause){ .kind = "busy",
			.cause = word,
			.time_ns = time_ns,
			.parts = -1 });
}

static void run_diagnosis_busy(struct diagnosis_maker *m,
	const struct iteration_sums *s)
{
	const int64_t other[] = { [BUSY_EXPOSED_COMM] = s->comm_ns,
		[BUSY_COPY] = s->copy_ns };

	if (!s->classes_known)
		run_diagnosis_busy_add(m, &diagnosis_compute, "compute",
			s->compute_ns);
	for (int c = s->classes_known ? 0 : BUSY_EXPOSED_COMM; c < BUSY_CLASSES;
		c++)
		run_diagnosis_busy_add(m, &diagnosis_busy_texts[c],
			profile_word_busy[c],
			s->classes_known ? s->class_ns[c] : other[c]);
}

static void run_diagnosis_idle(struct diagnosis_maker *m,
	const struct wait_times *w)
{
	uint32_t from = 0, to;

	for (enum wait_cause c = 0; c < WAIT_CAUSES; c++, from = to) {
		for (to = from; to < w->names_n && w->names[to].cause == c;)
			to++;
		run_diagnosis_add(m, &diagnosis_idle_texts[c],
			(struct diagnosis_cause){ .kind = "idle",
				.cause = profile_word_wait[c],
				.time_ns = w->time_ns[c],
				.parts = w->parts[c],
				.names = w->names + from,
				.names_n = to - from });
	}
}

static void run_diagnosis_idle_unknown(struct diagnosis_maker *m)
{
	run_diagnosis_add(m, &diagnosis_idle_texts[WAIT_UNKNOWN],
		(struct diagnosis_cause){ .kind = "idle",
			.cause = profile_word_wait[WAIT_UNKNOWN],
			.time_ns = m->d->idle_ns,
			.parts = -1 });
}

/* ---- Sentences */

/* "12.3 % of the time (1.234 ms per iteration)" */
static const char *run_diagnosis_time(const struct diagnosis_maker *m,
	const struct diagnosis_cause *c)
{
	double n = (double)m->d->iterations;

	return arena_printf(m->a, "%.1f %% of the time (%s%s)", c->share_pct,
		duration_text(m->a, (double)c->time_ns / n),
		m->d->iterations == 1 ? "" : " per iteration");
}

static const char *run_diagnosis_name(const struct diagnosis_maker *m,
	const struct wait_name *n)
{
	static const char *const of[WAIT_KINDS] = {
		[WAIT_KIND_ANNOTATION] = "range ",
		[WAIT_KIND_MODULE] = "module ",
		[WAIT_KIND_PYTHON] = "Python ",
		[WAIT_KIND_OP] = "operator ",
		[WAIT_KIND_CALL] = "",
	};
	size_t len = strlen(n->name);
	int shown = (int)utf8_clip(n->name, len, DIAGNOSIS_NAME_MOST);

	return arena_printf(m->a, "%s%.*s%s", of[n->kind], shown, n->name,
		len > DIAGNOSIS_NAME_MOST ? "…" : "");
}

/* "120 times; 68.1 % of it in cudaStreamSynchronize, 20.0 % in …" */
static const char *run_diagnosis_idle_evidence(const struct diagnosis_maker *m,
	const struct diagnosis_cause *c)
{
	const char *text = c->parts == 1 ? "once"
					 : arena_printf(m->a, "%lld times",
						   (long long)c->parts);

	for (uint32_t i = 0; i < c->names_n && i < DIAGNOSIS_NAMES; i++)
		text = arena_printf(m->a, "%s%s%.1f %% %sin %s", text,
			i ? ", " : "; ",
			100 * (double)c->names[i].time_ns / (double)c->time_ns,
			i ? "" : "of it ", run_diagnosis_name(m, &c->names[i]));
	return text;
}

/* The time in which kernels of the operator compute: collectives communicate, and
 * recorded copies and sets are operators, too. Kernels that copy do compute. */
static int64_t run_diagnosis_kernel_ns(const struct operator_stat *o)
{
	return o->collective ? 0 : o->total_ns - o->known_ns[KNOWN_RECORD];
}

/* The time of an operator's calls of a class; of all its kernels if the classes are
 * not known. The bound of a call is that of the whole run, as the operators'
 * tables have it. */
static int64_t run_diagnosis_operator_ns(const struct operator_stat *o,
	const struct diagnosis_text *of)
{
	int64_t kernel_ns = run_diagnosis_kernel_ns(o);

	if (o->collective || of == &diagnosis_compute)
		return kernel_ns;
	if (of == &diagnosis_busy_texts[BUSY_COMPUTE_BOUND])
		return o->clock.compute_ns;
	if (of == &diagnosis_busy_texts[BUSY_MEMORY_BOUND])
		return o->bound_ns - o->clock.compute_ns;
	return kernel_ns - o->bound_ns;
}

/* The operators with most such time, the first of equal ones first. */
static int run_diagnosis_top(const struct run_operators *os,
	const struct diagnosis_text *of,
	const struct operator_stat *top[DIAGNOSIS_NAMES])
{
	int n = 0;

	for (uint32_t i = 0; i < os->n; i++) {
		int64_t ns = run_diagnosis_operator_ns(&os->rows[i], of);
		int at = n;
		while (at > 0 &&
			ns > run_diagnosis_operator_ns(top[at - 1], of)) {
			if (at < DIAGNOSIS_NAMES)
				top[at] = top[at - 1];
			at--;
		}
		if (ns <= 0 || at == DIAGNOSIS_NAMES)
			continue;
		top[at] = &os->rows[i];
		n += n < DIAGNOSIS_NAMES;
	}
	return n;
}

/* "88.2 % in gemm fp32, 1.9 % in …, of the run's GPU time without copies, sets
 * and collectives"; NULL if no operator has such time. */
static const char *run_diagnosis_operators(const struct diagnosis_maker *m,
	const struct diagnosis_text *of, const char *what)
{
	const struct run_operators *os = &m->of->operators;
	const struct operator_stat *top[DIAGNOSIS_NAMES];
	int n = run_diagnosis_top(os, of, top);
	int64_t all_ns = 0;
	const char *text = "";

	for (uint32_t i = 0; i < os->n; i++) {
		int64_t ns = run_diagnosis_operator_ns(&os->rows[i], of);
		all_ns += ns > 0 ? ns : 0;
	}
	if (!n)
		return NULL;
	for (int i = 0; i < n; i++) {
		const struct operator_stat *o = top[i];
		const char *dtype = o->name ? dtype_word(o->dtype) : NULL;
		text = arena_printf(m->a, "%s%s%.1f %% %s%s%s%s", text,
			i ? ", " : "",
			100 * (double)run_diagnosis_operator_ns(o, of) /
				(double)all_ns,
			o->name ? "in " : "unattributed",
			o->name ? o->name : "", dtype ? " " : "",
			dtype ? dtype : "");
	}
	return arena_printf(m->a, "%s, of the run's %s", text, what);
}

static const char *run_diagnosis_evidence(const struct diagnosis_maker *m,
	uint32_t i)
{
	const struct diagnosis_cause *c = &m->d->causes[i];
	bool unknown = m->texts[i] == &diagnosis_idle_texts[WAIT_UNKNOWN];
	const char *text = NULL;

	if (unknown && m->no_calls && c->time_ns == m->d->idle_ns)
		return "the trace has no API call of any kernel";
	if (c->parts >= 0)
		return arena_printf(m->a, "%s%s",
			run_diagnosis_idle_evidence(m, c),
			unknown ? "; the API call of the next work had "
				  "returned or is not in the trace"
				: "");
	if (m->texts[i]->of)
		text = run_diagnosis_operators(m, m->texts[i], m->texts[i]->of);
	return text ? text
		    : arena_printf(m->a, "in %lld iteration%s",
			      (long long)m->d->iterations,
			      m->d->iterations == 1 ? "" : "s");
}

/* Ranks of one execution wait for each other, which the page of the job shows. */
static const char *run_diagnosis_link(const struct diagnosis_maker *m,
	const struct diagnosis_text *t)
{
	int64_t job = m->of->run.job_id;

	if (t == &diagnosis_busy_texts[BUSY_EXPOSED_COMM] && job > 0)
		return arena_printf(m->a, "/jobs/%lld", (long long)job);
	return arena_printf(m->a, "/runs/%lld?tab=%s#panel",
		(long long)m->d->run, t->tab);
}

static void run_diagnosis_sentence(struct diagnosis_maker *m, uint32_t i)
{
	struct run_diagnosis *d = m->d;
	const struct diagnosis_cause *c = &d->causes[i];
	const struct diagnosis_text *t = m->texts[i];

	d->sentences[d->sentences_n++] = (struct diagnosis_sentence){ .of = c,
		.text = arena_printf(m->a, "%s %s%s.", t->before,
			run_diagnosis_time(m, c), t->after),
		.evidence = run_diagnosis_evidence(m, i),
		.link = run_diagnosis_link(m, t) };
}

/* The largest cause that is not used yet; the first of equal ones. causes_n if
 * no share is large enough. */
static uint32_t run_diagnosis_largest(const struct run_diagnosis *d,
	const bool *used)
{
	uint32_t most = d->causes_n;

	for (uint32_t i = 0; i < d->causes_n; i++) {
		const struct diagnosis_cause *c = &d->causes[i];
		if (used[i] || !(c->share_pct >= SHARE_SHOWN_PCT))
			continue;
		if (most == d->causes_n || c->time_ns > d->causes[most].time_ns)
			most = i;
	}
	return most;
}

static void run_diagnosis_sentences(struct diagnosis_maker *m)
{
	bool used[DIAGNOSIS_CAUSES] = { false };

	for (int n = 0; n < DIAGNOSIS_SENTENCES; n++) {
		uint32_t i = run_diagnosis_largest(m->d, used);
		if (i == m->d->causes_n)
			return;
		used[i] = true;
		run_diagnosis_sentence(m, i);
	}
}

/* ---- What is unknown */

/* Why the times of the iterations are unknown. */
static const char *run_diagnosis_no_times(const struct run_row *run,
	const struct iteration_sums *sums)
{
	if (strcmp(run->content, profile_word_content[CONTENT_LAUNCHES]) != 0)
		return "the run has no single launches with their starts";
	if (!run->iterations)
		return "the run has no iterations";
	return sums->iterations ? "the times of its iterations are unknown"
				: "no iteration is complete and after the "
				  "warm-up";
}

/* Whether the trace has no API call of any kernel. */
static bool run_diagnosis_no_calls(const struct diagnosis_data *of)
{
	for (uint32_t i = 0; i < of->notes_n; i++)
		if (!strcmp(of->notes[i].code, note_name(NOTE_uncorrelated)))
			return of->notes[i].count >= of->run.launches;
	return false;
}

/* ---- What changes would save */

/* The operators whose headroom is known; that of collectives includes waiting. */
static uint32_t run_diagnosis_faster(const struct diagnosis_data *of,
	struct what_if_operator *to)
{
	const struct run_operators *os = &of->operators;
	double gpu_ns = (double)os->gpu_ns;
	uint32_t n = 0;

	for (uint32_t i = 0; i < os->n && os->gpu_ns > 0; i++) {
		const struct operator_stat *o = &os->rows[i];
		if (!o->name || o->collective || !o->bound_ns)
			continue;
		bool best = of->reachable && of->reachable[i].best;
		to[n++] = (struct what_if_operator){ .name = o->name,
			.dtype = o->dtype,
			.reachable = best ? of->reachable[i].saved / gpu_ns
					  : (double)NAN,
			.headroom = (double)o->clock.headroom_ns / gpu_ns };
	}
	return n;
}

/* The share of launch time in calls that launch no graph. Names beyond the stored
 * ones count as calls that do. */
static double run_diagnosis_single_launches(const struct wait_times *w)
{
	int64_t single_ns = 0;

	for (uint32_t i = 0; i < w->names_n; i++)
		if (w->names[i].cause == WAIT_LAUNCH &&
			!strstr(w->names[i].name, "GraphLaunch"))
			single_ns += w->names[i].time_ns;
	return w->time_ns[WAIT_LAUNCH] > 0
		       ? (double)single_ns / (double)w->time_ns[WAIT_LAUNCH]
		       : 0;
}

static bool run_diagnosis_changes(struct diagnosis_maker *m)
{
	const struct diagnosis_data *of = m->of;
	struct run_diagnosis *d = m->d;
	struct what_if_operator *operators =
		arena_array(m->a, struct what_if_operator, of->operators.n + 1);
	double wall_ns = (double)d->busy_ns + (double)d->idle_ns;
	struct what_if *changes;

	if (!operators)
		return false;
	const struct what_if_input q = { .iterations = of->iterations.rows,
		.n = of->iterations.n,
		.mean_ns = wall_ns / (double)d->iterations,
		.single_launches = run_diagnosis_single_launches(&of->waits),
		.operators = operators,
		.operators_n = run_diagnosis_faster(of, operators),
		.fusions = of->iterations.fusions,
		.fusions_n = of->iterations.fusions_n,
		.collective = of->iterations.collective };
	if (!what_if_from(&q, m->a, &changes, &d->changes_n))
		return false;
	d->changes = changes;
	return true;
}

bool run_diagnosis_from(struct run_diagnosis *d, struct arena *a,
	const struct diagnosis_data *of)
{
	const struct iteration_sums *s = &of->sums;
	struct diagnosis_maker m = { .d = d,
		.a = a,
		.of = of,
		.no_calls = run_diagnosis_no_calls(of) };

	*d = (struct run_diagnosis){ .run = of->run.id,
		.iterations = s->iterations,
		.busy_ns = -1,
		.idle_ns = -1 };
	if (s->idle_ns < 0) {
		d->reason = run_diagnosis_no_times(&of->run, s);
		return true;
	}
	d->busy_ns = s->compute_ns + s->comm_ns + s->copy_ns;
	d->idle_ns = s->idle_ns;
	run_diagnosis_busy(&m, s);
	if (s->causes_known) {
		run_diagnosis_idle(&m, &of->waits);
	} else {
		d->reason = "the run was analyzed before causes of idle time "
			    "were found; `kernsiftd rebuild` finds them";
		run_diagnosis_idle_unknown(&m);
	}
	run_diagnosis_sentences(&m);
	return run_diagnosis_changes(&m);
}
