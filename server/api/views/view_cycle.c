/* view_cycle.c - a run's cycles, and the time of functions in them. */
#include "cell.h"
#include "kernel_name.h"
#include "profile_word.h"
#include "view_compare.h"
#include <string.h>

/* The largest of a stratum's works that are shown. */
enum { WORKS_SHOWN = 20 };

json_t *view_cycles_short(const struct cycles_short *s)
{
	json_t *v = json_object();
	view_set_text(v, "detector", s->detector);
	view_set_real(v, "confidence", s->confidence);
	view_set_text(v, "range", s->range);
	view_set_whole(v, "count", s->count);
	view_set_whole(v, "kept", s->kept);
	view_set_real(v, "median_ns", s->median_ns);
	return v;
}

static json_t *work(const struct work *w)
{
	return json_pack("{s:s, s:s, s:s, s:f}", "kind",
		profile_word_work[w->kind], "name", w->name, "size", w->size,
		"per_cycle", w->per_cycle);
}

static json_t *stratum(const struct cycles *c, uint32_t i)
{
	const struct stratum *s = &c->strata[i];
	json_t *v = json_object(), *works = json_array();
	uint32_t n = 0;
	for (uint32_t w = 0; w < c->works_n; w++)
		if (c->works[w].stratum == i && n++ < WORKS_SHOWN)
			view_append(works, work(&c->works[w]));
	view_set_text(v, "text", s->text);
	view_set_text(v, "phase", profile_word_phase[s->phase]);
	view_set_whole(v, "sequences", s->sequences);
	view_set_whole(v, "tokens", s->tokens);
	view_set_whole(v, "kv_tokens", s->kv_tokens);
	view_set_whole(v, "cycles", s->cycles);
	json_object_set_new(v, "works", works);
	view_set_whole(v, "works_total", n);
	return v;
}

json_t *view_strata(const struct cycles *c)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < c->strata_n; i++)
		view_append(list, stratum(c, i));
	return list;
}

json_t *view_cycle(const struct cycle *c)
{
	json_t *v = json_object();
	view_set_whole(v, "number", c->number);
	view_set_text(v, "label", c->label);
	view_set_whole(v, "start_ns", c->start_ns);
	view_set_whole(v, "dur_ns", c->dur_ns);
	view_set_text(v, "use", profile_word_use[c->use]);
	json_object_set_new(v, "open", json_boolean(c->open));
	view_set_whole(v, "stratum", c->stratum);
	view_set_whole(v, "compute_ns", c->compute_ns);
	view_set_whole(v, "comm_ns", c->comm_ns);
	view_set_whole(v, "copy_ns", c->copy_ns);
	view_set_whole(v, "idle_ns", c->idle_ns);
	view_set_whole(v, "sync_ns", c->sync_ns);
	view_set_whole(v, "launches", c->launches);
	return v;
}

static const struct column columns[] = { { "Number", true }, { "Use", false },
	{ "Open", false }, { "Stratum", true }, { "Start (ns)", true },
	{ "Duration (ns)", true }, { "Compute (ns)", true },
	{ "Communication (ns)", true }, { "Copies (ns)", true },
	{ "Idle (ns)", true }, { "Sync (ns)", true }, { "Launches", true },
	{ "Label", false } };

const struct table *view_cycle_table(struct arena *a, const struct cycles *c)
{
	const char **at;
	struct table *t = cell_table(a, CELL_COLUMNS(columns), c->n, &at);
	for (uint32_t i = 0; i < c->n; i++) {
		const struct cycle *x = &c->cycles[i];
		*at++ = cell_whole(a, x->number);
		*at++ = profile_word_use[x->use];
		*at++ = x->open ? "open" : "";
		*at++ = cell_whole(a, x->stratum);
		*at++ = cell_whole(a, x->start_ns);
		*at++ = cell_whole(a, x->dur_ns);
		*at++ = cell_whole(a, x->compute_ns);
		*at++ = cell_whole(a, x->comm_ns);
		*at++ = cell_whole(a, x->copy_ns);
		*at++ = cell_whole(a, x->idle_ns);
		*at++ = cell_whole(a, x->sync_ns);
		*at++ = cell_whole(a, x->launches);
		*at++ = x->label ? x->label : "";
	}
	return t;
}

static json_t *metric(const struct metric_mean *m)
{
	json_t *v = json_object();
	view_set_text(v, "name", m->name);
	view_set_real(v, "mu", m->mu);
	view_set_real(v, "sigma", m->sigma);
	view_set_whole(v, "cycles", m->cycles);
	view_set_whole(v, "interpolated", m->interpolated);
	view_set_whole(v, "partly", m->partly);
	return v;
}

json_t *view_pattern(struct arena *a, const struct pattern_mean *m)
{
	json_t *v = json_object(), *metrics = json_array();
	for (uint32_t i = 0; i < m->metrics_n; i++)
		view_append(metrics, metric(&m->metrics[i]));
	view_set_text(v, "function", m->of->name);
	view_set_text(v, "short_name",
		view_function(a, m->of->type, m->of->name));
	view_set_text(v, "type", profile_word_function[m->of->type]);
	view_set_text(v, "device", m->of->device);
	view_set_whole(v, "device_number", m->of->number);
	view_set_real(v, "ns_per_cycle", m->ns);
	view_set_real(v, "launches_per_cycle", m->launches);
	view_set_whole(v, "min_ns", m->min_ns);
	view_set_whole(v, "max_ns", m->max_ns);
	view_set_real(v, "beta_pct", m->beta_pct);
	view_set_whole(v, "cycles", m->cycles);
	json_object_set_new(v, "metrics", metrics);
	return v;
}
