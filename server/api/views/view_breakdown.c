/* view_breakdown.c - the layers of a run as JSON. */
#include "breakdown_word.h"
#include "exact.h"
#include "view_compare.h"
#include "view_breakdown.h"

static json_t *index_or_null(uint32_t v)
{
	return v == UINT32_MAX ? json_null() : view_whole(v);
}

static void set_times(json_t *v, const struct time_stats *t)
{
	view_set_real(v, "mean_ns", t->avg_ns);
	view_set_real(v, "med_ns", t->med_ns);
	view_set_real(v, "stddev_ns", t->stddev_ns);
	view_set_whole(v, "min_ns", t->min_ns);
	view_set_whole(v, "max_ns", t->max_ns);
}

static json_t *times(const struct time_stats *t)
{
	json_t *v = json_object();
	view_set_whole(v, "instances", t->instances);
	set_times(v, t);
	return v;
}

json_t *view_layer_kernel(const struct breakdown_kernel *k)
{
	json_t *v = json_object();
	view_set_whole(v, "id", k->id);
	view_set_text(v, "name", k->name);
	view_set_text(v, "short_name", k->short_name);
	return v;
}

json_t *view_layer_roles(layer_roles roles)
{
	json_t *v = json_array();
	for (int i = 0; i < ROLES; i++)
		if (roles & (UINT64_C(1) << i))
			view_append(v, json_string(breakdown_word_role[i]));
	return v;
}

json_t *view_layers_short(const struct layers_short *s)
{
	json_t *v = json_object();
	view_set_text(v, "detector", breakdown_word_layers[s->detector]);
	view_set_real(v, "confidence", s->confidence);
	view_set_whole(v, "count", s->layers);
	return v;
}

/* Its rows' durations, the mean per instance in tenths. */
static double section_sum(const struct breakdown *d, uint32_t i)
{
	int64_t total = 0, n = d->sections[i].instances;
	for (uint32_t r = 0; r < d->rows_n; r++)
		if (d->blocks[d->rows[r].block].section == i)
			total += d->rows[r].time.total_ns;
	return n > 0 ? (double)exact_tenths((wide_t)total, (wide_t)n) / 10
		     : (double)NAN;
}

static json_t *section(const struct breakdown *d, uint32_t i)
{
	const struct breakdown_section *s = &d->sections[i];
	json_t *v = json_object();
	view_set_text(v, "place", breakdown_word_place[s->place]);
	view_set_text(v, "name", s->name);
	view_set_whole(v, "instances", s->instances);
	view_set_whole(v, "per_pass", s->per_pass);
	view_set_whole(v, "first", s->first);
	json_object_set_new(v, "time", times(&s->time));
	view_set_real(v, "sum_ns", section_sum(d, i));
	view_set_real(v, "alike", s->alike);
	return v;
}

static json_t *block(const struct breakdown_block *b)
{
	json_t *v = json_object();
	view_set_whole(v, "section", b->section);
	view_set_text(v, "block", breakdown_word_block[b->kind]);
	json_object_set_new(v, "beside", index_or_null(b->beside));
	view_set_real(v, "sum_ns", b->sum_ns);
	view_set_whole(v, "exclusive_ns", b->exclusive_ns);
	view_set_whole(v, "overlapped_ns", b->overlapped_ns);
	return v;
}

static json_t *item(const struct breakdown_stored *is,
	const struct breakdown_row *r)
{
	json_t *v = json_object();
	view_set_whole(v, "block", r->block);
	json_object_set_new(v, "kernel",
		r->kernel == ROW_NO_KERNEL
			? json_null()
			: view_layer_kernel(&is->kernels[r->kernel]));
	view_set_text(v, "operation", r->operation);
	view_set_text(v, "operator", r->operator_);
	view_set_text(v, "module", r->module);
	json_object_set_new(v, "roles", view_layer_roles(r->roles));
	view_set_text(v, "role_by",
		!r->roles	    ? NULL
		: r->role_by_module ? "module"
				    : "sequence");
	view_set_whole(v, "lane", r->lane);
	json_object_set_new(v, "group", index_or_null(r->group));
	view_set_whole(v, "launches", r->time.instances);
	view_set_whole(v, "instances", r->instances);
	json_object_set_new(v, "extra", json_boolean(r->extra));
	set_times(v, &r->time);
	view_set_real(v, "offset_ns", r->offset_ns);
	view_set_whole(v, "exclusive_ns", r->exclusive_ns);
	view_set_whole(v, "overlapped_ns", r->overlapped_ns);
	view_set_real(v, "sol_ns", view_layer_sol_ns(r));
	view_set_real(v, "s", view_layer_s(r));
	return v;
}

static json_t *bar(const struct breakdown_bar *b)
{
	json_t *v = json_object();
	view_set_whole(v, "layer", b->layer);
	view_set_whole(v, "block", b->block);
	view_set_real(v, "mean_ns", b->mean_ns);
	return v;
}

static void set_lists(json_t *v, const struct breakdown_stored *is)
{
	const struct breakdown *d = &is->breakdown;
	json_t *sections = json_array(), *blocks = json_array();
	json_t *items = json_array(), *bars = json_array();
	for (uint32_t i = 0; i < d->sections_n; i++)
		view_append(sections, section(d, i));
	for (uint32_t i = 0; i < d->blocks_n; i++)
		view_append(blocks, block(&d->blocks[i]));
	for (uint32_t i = 0; i < d->rows_n; i++)
		view_append(items, item(is, &d->rows[i]));
	for (uint32_t i = 0; i < d->bars_n; i++)
		view_append(bars, bar(&d->bars[i]));
	json_object_set_new(v, "sections", sections);
	json_object_set_new(v, "blocks", blocks);
	json_object_set_new(v, "items", items);
	json_object_set_new(v, "bars", bars);
}

static int64_t exclusive_ns(const struct breakdown *d)
{
	int64_t sum = 0;
	for (uint32_t i = 0; i < d->rows_n; i++)
		sum += d->rows[i].exclusive_ns;
	return sum;
}

json_t *view_breakdown(int64_t run, const struct breakdown_stored *is)
{
	const struct breakdown *d = &is->breakdown;
	json_t *v = json_object(), *layers = json_object();
	view_set_whole(layers, "count", d->layers);
	json_object_set_new(layers, "time", times(&d->layered));
	view_set_whole(v, "run", run);
	view_set_text(v, "detector", breakdown_word_layers[d->detector]);
	view_set_real(v, "confidence", d->confidence);
	view_set_text(v, "anchor", d->anchor);
	view_set_text(v, "why", d->why);
	view_set_whole(v, "device", d->device);
	json_object_set_new(v, "realigned", json_boolean(d->realigned));
	view_set_whole(v, "passes", d->passes);
	view_set_text(v, "stratum", d->stratum);
	json_object_set_new(v, "end_to_end", times(&d->pass));
	json_object_set_new(v, "layers", layers);
	view_set_whole(v, "wall_ns", d->wall_ns);
	view_set_whole(v, "exclusive_ns", exclusive_ns(d));
	view_set_whole(v, "overlap_ns", d->overlap_ns);
	view_set_whole(v, "idle_ns", d->idle_ns);
	view_set_whole(v, "other_ns", d->other_ns);
	view_set_whole(v, "exposed_comm_ns", d->exposed_comm_ns);
	set_lists(v, is);
	return v;
}
