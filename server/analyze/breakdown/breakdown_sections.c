/* breakdown_sections.c - passes, layers and sections, end to end. */
#include "breakdown_work.h"
#include <math.h>

/* From each instance's first start to its last end. */
static void measure(struct breakdown_work *w)
{
	const struct layering *l = w->l;

	for (uint32_t i = 0; i < w->s->n; i++) {
		const struct layer_item *item = &w->s->items[i];
		if (l->instance[i] == LAYER_NONE)
			continue;
		struct breakdown_span *s = &w->spans[l->instance[i]];
		int64_t end_ns = item->start_ns + item->dur_ns;
		if (!s->launches || item->start_ns < s->start_ns)
			s->start_ns = item->start_ns;
		if (!s->launches || end_ns > s->end_ns)
			s->end_ns = end_ns;
		s->launches++;
	}
}

/* Of the n times in w->ns. Spans of instances may lie over each other, and so
 * add up to more than a trace holds: then nothing is told of them. */
static struct time_stats stats_of(struct breakdown_work *w, uint32_t n)
{
	const int64_t most = INT64_C(1) << 60;
	int64_t total = 0;

	for (uint32_t i = 0; i < n && total < most; i++)
		total += w->ns[i];
	if (n && total < most)
		return stats_from(w->ns, w->scratch, n);
	return (struct time_stats){ .instances = n,
		.total_ns = n ? -1 : 0,
		.min_ns = -1,
		.max_ns = -1,
		.avg_ns = NAN,
		.med_ns = NAN,
		.stddev_ns = NAN,
		.p90_ns = NAN,
		.p99_ns = NAN };
}

static bool is_layer(const struct breakdown_work *w, uint32_t instance)
{
	uint32_t section = w->l->instances[instance].section;

	return w->l->sections[section].place == SECTION_LAYER;
}

/* Of n counts in w->ns the one that comes most often; of equals the least. */
static uint32_t most_frequent(struct breakdown_work *w, uint32_t n)
{
	uint32_t best = 0, best_n = 0;

	if (n)
		stats_from(w->ns, w->scratch, n); /* sorts */
	for (uint32_t i = 0, from = 0; i < n; i++) {
		if (w->ns[i] != w->ns[from])
			from = i;
		if (i - from + 1 > best_n) {
			best_n = i - from + 1;
			best = (uint32_t)w->ns[i];
		}
	}
	return best;
}

static bool passes(struct breakdown_work *w)
{
	const struct layer_seq *s = w->s;
	struct breakdown *out = w->out;
	int64_t first_ns = trace_first_ns(s->trace, s->proc);

	out->windows = arena_array(w->keep, struct breakdown_window,
		(size_t)s->passes_n + 1);
	if (!out->windows)
		return false;

	out->device = s->device;
	out->passes = s->passes_n;
	for (uint32_t p = 0; p < s->passes_n; p++) {
		const struct layer_pass *pass = &s->passes[p];
		w->ns[p] = pass->end_ns - pass->start_ns;
		out->windows[p] =
			(struct breakdown_window){ pass->start_ns - first_ns,
				pass->end_ns - first_ns };
	}
	out->pass = stats_of(w, s->passes_n);
	if (s->stratum != LAYER_NONE && s->profile->cycles.strata_n > 1)
		out->stratum = s->profile->cycles.strata[s->stratum].text;
	return true;
}

/* Instances lie by pass, as they come; passes without layers count for no
 * time, but for how many there are. */
static void layered(struct breakdown_work *w)
{
	uint32_t n = 0, pass = LAYER_NONE;
	int64_t start_ns = 0, end_ns = 0;

	for (uint32_t i = 0; i < w->l->instances_n; i++) {
		const struct breakdown_span *s = &w->spans[i];
		if (!is_layer(w, i) || !s->launches)
			continue;
		if (w->l->instances[i].pass != pass) {
			pass = w->l->instances[i].pass;
			start_ns = s->start_ns;
			end_ns = s->end_ns;
			n++;
		}
		start_ns = s->start_ns < start_ns ? s->start_ns : start_ns;
		end_ns = s->end_ns > end_ns ? s->end_ns : end_ns;
		w->ns[n - 1] = end_ns - start_ns;
	}
	w->out->layered = stats_of(w, n);
}

static void count_layers(struct breakdown_work *w)
{
	uint32_t n = w->s->passes_n;

	for (uint32_t p = 0; p < n; p++)
		w->ns[p] = 0;
	for (uint32_t i = 0; i < w->l->instances_n; i++)
		w->ns[w->l->instances[i].pass] +=
			is_layer(w, i) && w->spans[i].launches;
	w->out->layers = most_frequent(w, n);
}

/* In passes that have any of its instances, which are n. */
static uint32_t per_pass(struct breakdown_work *w, const uint32_t *own,
	uint32_t n)
{
	uint32_t passes_n = 0, pass = LAYER_NONE;

	for (uint32_t i = 0; i < n; i++) {
		const struct layer_instance *in = &w->l->instances[own[i]];
		if (in->pass != pass)
			w->ns[passes_n++] = 0;
		pass = in->pass;
		w->ns[passes_n - 1]++;
	}
	return most_frequent(w, passes_n);
}

/* `own` are its instances that have launches, by pass. */
static void section(struct breakdown_work *w, uint32_t at, const uint32_t *own,
	uint32_t n)
{
	const struct layer_section *from = &w->l->sections[at];
	struct breakdown_section *to = &w->out->sections[at];
	bool layers = from->place == SECTION_LAYER;
	uint32_t first = n ? UINT32_MAX : 0;
	const char *name = from->name;

	if (!name)
		name = layer_section_name(w->l, w->named, at, w->a);
	*to = (struct breakdown_section){ .place = from->place,
		.name = name,
		.instances = n,
		.per_pass = layers ? per_pass(w, own, n) : 1 };
	for (uint32_t i = 0; i < n; i++) {
		const struct breakdown_span *s = &w->spans[own[i]];
		uint32_t number = w->l->instances[own[i]].number;
		first = number < first ? number : first;
		w->ns[i] = s->end_ns - s->start_ns;
	}
	to->first = layers ? first : 0;
	to->time = stats_of(w, n);
}

/* Instances by section: counted two places on, placed one place on. */
static bool sections(struct breakdown_work *w)
{
	const struct layering *l = w->l;
	uint32_t *from = arena_grow(w->a, NULL,
		((size_t)l->sections_n + 2) * sizeof *from);
	uint32_t *order = arena_grow(w->a, NULL,
		((size_t)l->instances_n + 1) * sizeof *order);

	if (!from || !order)
		return false;
	for (uint32_t i = 0; i < l->instances_n; i++)
		from[l->instances[i].section + 2] += w->spans[i].launches > 0;
	for (uint32_t i = 2; i < l->sections_n + 2; i++)
		from[i] += from[i - 1];
	for (uint32_t i = 0; i < l->instances_n; i++)
		if (w->spans[i].launches)
			order[from[l->instances[i].section + 1]++] = i;
	for (uint32_t i = 0; i < l->sections_n; i++)
		section(w, i, order + from[i], from[i + 1] - from[i]);
	w->out->sections_n = l->sections_n;
	arena_drop(w->a, from);
	arena_drop(w->a, order);
	return true;
}

/* Those that have launches. */
static bool instances(struct breakdown_work *w)
{
	const struct layering *l = w->l;
	struct breakdown *out = w->out;
	int64_t first_ns = trace_first_ns(w->s->trace, w->s->proc);

	out->instances = arena_array(w->keep, struct breakdown_instance,
		(size_t)l->instances_n + 1);
	for (uint32_t i = 0; out->instances && i < l->instances_n; i++) {
		const struct layer_instance *in = &l->instances[i];
		const struct breakdown_span *s = &w->spans[i];
		if (s->launches)
			out->instances[out->instances_n++] =
				(struct breakdown_instance){ in->section,
					in->pass, in->number, s->launches,
					s->start_ns - first_ns,
					s->end_ns - first_ns };
	}
	return out->instances;
}

bool breakdown_sections(struct breakdown_work *w)
{
	measure(w);
	if (!passes(w))
		return false;
	layered(w);
	count_layers(w);
	return instances(w) && sections(w);
}
