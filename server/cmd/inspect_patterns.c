/* inspect_patterns.c - time per function and cycle, and counters beside it. */
#include "inspect_patterns.h"
#include "inspect_field.h"
#include "pattern_mean.h"
#include "profile_word.h"
#include <inttypes.h>
#include <math.h>

/* Six digits that say something; a comma behind. */
static void print_figure(FILE *out, double v)
{
	if (isfinite(v))
		fprintf(out, "%.6g", v);
	putc(',', out);
}

static void print_row(FILE *out, const struct pattern_mean *m)
{
	fprintf(out, "%s,", profile_word_function[m->of->type]);
	inspect_field_text(out, m->of->device);
	putc(',', out);
	inspect_field_tenths(out, m->ns);
	print_figure(out, m->launches);
	print_figure(out, m->beta_pct);
	inspect_field_whole(out, m->min_ns);
	inspect_field_whole(out, m->max_ns);
	fprintf(out, "%" PRIu32 ",", m->cycles);
	inspect_field_text(out, m->of->name);
	putc('\n', out);
}

static void print_metrics(FILE *out, const struct pattern_mean *m)
{
	for (uint32_t i = 0; i < m->metrics_n; i++) {
		const struct metric_mean *x = &m->metrics[i];
		inspect_field_text(out, x->name);
		putc(',', out);
		print_figure(out, x->mu);
		print_figure(out, x->sigma);
		fprintf(out, "%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",", x->cycles,
			x->partly, x->interpolated);
		inspect_field_text(out, m->of->device);
		putc(',', out);
		inspect_field_text(out, m->of->name);
		putc('\n', out);
	}
}

void inspect_patterns(FILE *out, const struct profile *p)
{
	struct arena a = { 0 };
	struct pattern_means m;
	pattern_mean_from(&p->cycles, &p->patterns, &a, &m);
	if (m.n)
		fputs("\nType,Device,Time (ns/cycle),Launches/Cycle,Beta (%),"
		      "Min (ns),Max (ns),Cycles,Function\n",
			out);
	for (uint32_t i = 0; i < m.n; i++)
		print_row(out, &m.rows[i]);
	if (p->patterns.metrics_n)
		fputs("\nMetric,Mu,Sigma,Cycles,Partly,Interpolated,Device,"
		      "Function\n",
			out);
	for (uint32_t i = 0; i < m.n; i++)
		print_metrics(out, &m.rows[i]);
	arena_release(&a);
}
