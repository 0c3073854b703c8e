/* document_layers.c - as if it had been stored and read back, and beside it
 * where the layers lie. */
#include "document_layers.h"
#include "view_breakdown.h"

static struct breakdown_kernel *kernels_of(const struct profile *p,
	struct arena *a)
{
	struct breakdown_kernel *k = arena_array(a, struct breakdown_kernel,
		(size_t)p->kernels_n + 1);

	for (uint32_t i = 0; i < p->kernels_n; i++)
		k[i] = (struct breakdown_kernel){ -1, p->kernels[i].name,
			p->kernels[i].short_name };
	return k;
}

static json_t *instances(const struct breakdown *b)
{
	json_t *v = json_array();

	for (uint32_t i = 0; i < b->instances_n; i++) {
		const struct breakdown_instance *in = &b->instances[i];
		view_append(v, json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}",
				       "section", view_whole(in->section),
				       "pass", view_whole(in->pass), "number",
				       view_whole(in->number), "start_ns",
				       view_whole(in->start_ns), "end_ns",
				       view_whole(in->end_ns), "launches",
				       view_whole(in->launches)));
	}
	return v;
}

static json_t *windows(const struct breakdown *b)
{
	json_t *v = json_array();

	for (uint32_t i = 0; i < b->passes; i++)
		view_append(v,
			json_pack("{s:o, s:o}", "start_ns",
				view_whole(b->windows[i].start_ns), "end_ns",
				view_whole(b->windows[i].end_ns)));
	return v;
}

void document_layers(const struct profile *p, json_t *run)
{
	struct arena a = { 0 };
	struct breakdown_kernel *kernels = kernels_of(p, &a);
	struct breakdown_stored layers = { p->breakdown, kernels,
		p->kernels_n };
	struct groups_stored groups = { p->groups, kernels, p->kernels_n };
	json_t *breakdown = view_breakdown(-1, &layers), *items = json_array();

	json_object_set_new(breakdown, "windows", windows(&p->breakdown));
	json_object_set_new(breakdown, "instances", instances(&p->breakdown));
	for (uint32_t i = 0; i < p->groups.n; i++)
		view_append(items, view_group(&groups, i));
	json_object_set_new(run, "breakdown", breakdown);
	json_object_set_new(run, "groups", items);
	arena_release(&a);
}
