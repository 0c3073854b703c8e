/* ranged_copy.c - array by array. */
#include "ranged_copy.h"
#include <string.h>

static void *copy(struct arena *a, const void *from, size_t n, size_t size)
{
	void *to = arena_alloc(a, n, size);
	if (n)
		memcpy(to, from, n * size);
	return to;
}
#define COPY(a, from, n) (copy((a), (from), (n), sizeof *(from)))

static const char *text(struct arena *a, const char *s)
{
	return s ? arena_strdup(a, s) : NULL;
}

static void cycles_copy(struct cycles *c, struct arena *a)
{
	c->range = text(a, c->range);
	c->cycles = COPY(a, c->cycles, c->n);
	for (uint32_t i = 0; i < c->n; i++)
		c->cycles[i].label = text(a, c->cycles[i].label);
	c->strata = COPY(a, c->strata, c->strata_n);
	for (uint32_t i = 0; i < c->strata_n; i++)
		c->strata[i].text = text(a, c->strata[i].text);
	c->works = COPY(a, c->works, c->works_n);
	for (uint32_t i = 0; i < c->works_n; i++) {
		c->works[i].name = text(a, c->works[i].name);
		c->works[i].size = text(a, c->works[i].size);
	}
}

static void pattern_copy(struct pattern *p, uint32_t n, struct arena *a)
{
	p->name = text(a, p->name);
	p->device = text(a, p->device);
	p->dur_ns = COPY(a, p->dur_ns, n);
	p->launches = COPY(a, p->launches, n);
	p->min_ns = COPY(a, p->min_ns, n);
	p->max_ns = COPY(a, p->max_ns, n);
	if (p->spread_ns)
		p->spread_ns = COPY(a, p->spread_ns, PATTERN_SPREAD);
	if (p->beta_pct)
		p->beta_pct = COPY(a, p->beta_pct, n);
}

static void patterns_copy(struct patterns *p, struct arena *a)
{
	p->cycle = COPY(a, p->cycle, p->cycles_n);
	p->rows = COPY(a, p->rows, p->n);
	for (uint32_t i = 0; i < p->n; i++)
		pattern_copy(&p->rows[i], p->cycles_n, a);
	p->metrics = COPY(a, p->metrics, p->metrics_n);
	for (uint32_t i = 0; i < p->metrics_n; i++) {
		struct pattern_metric *m = &p->metrics[i];
		m->name = text(a, m->name);
		m->mu = COPY(a, m->mu, p->cycles_n);
		m->sigma = COPY(a, m->sigma, p->cycles_n);
		m->interpolated = COPY(a, m->interpolated, p->cycles_n);
	}
}

static void collectives_copy(struct collectives *c, struct arena *a)
{
	c->rows = COPY(a, c->rows, c->n);
	for (uint32_t i = 0; i < c->n; i++) {
		struct collective *r = &c->rows[i];
		r->name = text(a, r->name);
		r->start_ns = COPY(a, r->start_ns, r->n);
		r->dur_ns = COPY(a, r->dur_ns, r->n);
	}
}

void ranged_copy(const struct profile *p, struct arena *a,
	struct compared_run *run)
{
	run->cycles = p->cycles;
	run->patterns = p->patterns;
	run->collectives = p->collectives;
	cycles_copy(&run->cycles, a);
	patterns_copy(&run->patterns, a);
	collectives_copy(&run->collectives, a);
}

/* The kernels that rows are of, each once. */
static void kernels_copy(const struct profile *p, struct arena *a,
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
				(struct breakdown_kernel){ -1, text(a, k->name),
					text(a, k->short_name) };
			*to = ++out->kernels_n;
		}
		r->kernel = *to - 1;
	}
}

void ranged_copy_layers(const struct profile *p, struct arena *a,
	struct breakdown_stored *out)
{
	struct breakdown *d = &out->breakdown;
	*out = (struct breakdown_stored){ .breakdown = p->breakdown };
	d->anchor = text(a, d->anchor);
	d->why = text(a, d->why);
	d->stratum = text(a, d->stratum);
	d->sections = COPY(a, d->sections, d->sections_n);
	d->blocks = COPY(a, d->blocks, d->blocks_n);
	d->rows = COPY(a, d->rows, d->rows_n);
	d->bars = COPY(a, d->bars, d->bars_n);
	for (uint32_t i = 0; i < d->sections_n; i++)
		d->sections[i].name = text(a, d->sections[i].name);
	for (uint32_t i = 0; i < d->rows_n; i++) {
		struct breakdown_row *r = &d->rows[i];
		r->operation = text(a, r->operation);
		r->operator_ = text(a, r->operator_);
		r->module = text(a, r->module);
	}
	kernels_copy(p, a, out);
}
