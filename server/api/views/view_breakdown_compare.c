/* view_breakdown_compare.c - layers of several runs side by side, as JSON. */
#include "breakdown_word.h"
#include "exact.h"
#include "view_breakdown_compare.h"
#include "view_compare.h"

static const char *const match_word[] = {
	[COMPARE_BY_ROLE] = "role",
	[COMPARE_BY_MODULE] = "module",
	[COMPARE_BY_KERNEL] = "kernel",
	[COMPARE_ALONE] = "alone",
};

static json_t *index_or_null(uint32_t v)
{
	return v == UINT32_MAX ? json_null() : view_whole(v);
}

static json_t *reals(const double *v, uint32_t n)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < n; i++)
		json_array_append_new(list, view_real(v[i]));
	return list;
}

static json_t *run(const struct beside_run *r)
{
	const struct breakdown *d = &r->is.breakdown;
	json_t *v = json_object();
	view_set_whole(v, "run", r->row.id);
	view_set_text(v, "name", r->row.name);
	view_set_text(v, "platform", r->platform);
	view_set_text(v, "device_name", r->device_name);
	view_set_text(v, "detector", breakdown_word_layers[d->detector]);
	view_set_real(v, "confidence", d->confidence);
	view_set_text(v, "why", d->why);
	json_object_set_new(v, "realigned", json_boolean(d->realigned));
	json_object_set_new(v, "names_lag", json_boolean(r->names_lag));
	view_set_whole(v, "layers", d->layers);
	view_set_real(v, "end_to_end_ns", d->pass.avg_ns);
	view_set_real(v, "layered_ns", d->layered.avg_ns);
	view_set_whole(v, "passes", d->passes);
	return v;
}

static json_t *section(const struct beside_run *runs,
	const struct breakdown_compare *b,
	const struct breakdown_compare_section *s)
{
	json_t *v = json_object(), *per_pass = json_array();
	for (uint32_t i = 0; i < b->sides_n; i++)
		json_array_append_new(per_pass,
			s->of[i] == UINT32_MAX
				? json_null()
				: view_whole(runs[i].is.breakdown
						     .sections[s->of[i]]
						     .per_pass));
	view_set_text(v, "place", breakdown_word_place[s->place]);
	view_set_text(v, "name", s->name);
	json_object_set_new(v, "per_pass", per_pass);
	json_object_set_new(v, "sum_ns", reals(s->sum_ns, b->sides_n));
	return v;
}

static json_t *block(const struct breakdown_compare *b,
	const struct breakdown_compare_block *k)
{
	json_t *v = json_object();
	view_set_whole(v, "section", k->section);
	view_set_text(v, "block", breakdown_word_block[k->kind]);
	json_object_set_new(v, "beside", index_or_null(k->beside));
	json_object_set_new(v, "sum_ns", reals(k->sum_ns, b->sides_n));
	return v;
}

/* Of an instance of its section, so that rows add up to their cell. */
static double mean_ns(const struct breakdown *d, const struct breakdown_row *r)
{
	int64_t n = d->sections[d->blocks[r->block].section].instances;
	return n > 0 ? (double)exact_tenths((wide_t)r->time.total_ns,
			       (wide_t)n) /
			       10
		     : (double)NAN;
}

static json_t *row(const struct breakdown_stored *is, uint32_t i)
{
	const struct breakdown_row *r = &is->breakdown.rows[i];
	json_t *v = json_object();
	json_object_set_new(v, "kernel",
		r->kernel == ROW_NO_KERNEL
			? json_null()
			: view_layer_kernel(&is->kernels[r->kernel]));
	view_set_text(v, "operation", r->operation);
	view_set_text(v, "operator", r->operator_);
	view_set_text(v, "module", r->module);
	view_set_real(v, "mean_ns", mean_ns(&is->breakdown, r));
	json_object_set_new(v, "group", index_or_null(r->group));
	json_object_set_new(v, "extra", json_boolean(r->extra));
	view_set_whole(v, "lane", r->lane);
	view_set_whole(v, "overlapped_ns", r->overlapped_ns);
	return v;
}

static json_t *cell(const struct breakdown_stored *is,
	const struct breakdown_compare_cell *c)
{
	json_t *v = json_object(), *rows = json_array();
	for (uint32_t i = 0; i < c->rows_n; i++)
		view_append(rows, row(is, c->rows[i]));
	view_set_real(v, "mean_ns", c->sum_ns);
	view_set_real(v, "diff_ns", c->diff_ns);
	view_set_real(v, "diff_pct", c->diff_pct);
	view_set_real(v, "s", c->s);
	json_object_set_new(v, "rows", rows);
	return v;
}

static json_t *line(const struct beside_run *runs,
	const struct breakdown_compare *b,
	const struct breakdown_compare_line *l)
{
	json_t *v = json_object(), *cells = json_array();
	for (uint32_t i = 0; i < b->sides_n; i++)
		json_array_append_new(cells,
			l->cells[i].rows_n ? cell(&runs[i].is, &l->cells[i])
					   : json_null());
	view_set_whole(v, "block", l->block);
	view_set_text(v, "match", match_word[l->match]);
	json_object_set_new(v, "roles", view_layer_roles(l->roles));
	view_set_text(v, "module", l->module);
	json_object_set_new(v, "cells", cells);
	return v;
}

json_t *view_beside(const struct beside_run *runs,
	const struct breakdown_compare *b)
{
	json_t *v = json_object(), *heads = json_array();
	json_t *sections = json_array(), *blocks = json_array();
	json_t *items = json_array();
	for (uint32_t i = 0; i < b->sides_n; i++)
		view_append(heads, run(&runs[i]));
	for (uint32_t i = 0; i < b->sections_n; i++)
		view_append(sections, section(runs, b, &b->sections[i]));
	for (uint32_t i = 0; i < b->blocks_n; i++)
		view_append(blocks, block(b, &b->blocks[i]));
	for (uint32_t i = 0; i < b->lines_n; i++)
		view_append(items, line(runs, b, &b->lines[i]));
	json_object_set_new(v, "runs", heads);
	json_object_set_new(v, "sections", sections);
	json_object_set_new(v, "blocks", blocks);
	json_object_set_new(v, "items", items);
	return v;
}
