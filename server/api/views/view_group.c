/* view_group.c - kernels that are launched together. */
#include "breakdown_word.h"
#include "cell.h"
#include "view_compare.h"
#include "view_breakdown.h"

json_t *view_group(const struct groups_stored *is, uint32_t i)
{
	const struct kernel_group *g = &is->groups.groups[i];
	json_t *v = json_object(), *kernels = json_array();
	for (uint32_t k = 0; k < g->kernels_n; k++)
		view_append(kernels,
			view_layer_kernel(&is->kernels[g->kernels[k]]));
	json_object_set_new(v, "kernels", kernels);
	view_set_text(v, "operator", g->operator_);
	view_set_text(v, "evidence", breakdown_word_evidence[g->evidence]);
	view_set_whole(v, "support", g->support);
	view_set_real(v, "confidence", g->confidence);
	view_set_whole(v, "total_ns", g->total_ns);
	view_set_whole(v, "alone", g->alone);
	return v;
}

static const struct column columns[] = { { "Total Time (ns)", true },
	{ "Support", true }, { "Confidence", true }, { "Alone", true },
	{ "Evidence", false }, { "Operator", false }, { "Kernels", false } };

const struct table *view_groups_table(struct arena *a,
	const struct groups_stored *is)
{
	const char **at;
	struct table *t =
		cell_table(a, CELL_COLUMNS(columns), is->groups.n, &at);
	for (uint32_t i = 0; i < is->groups.n; i++) {
		const struct kernel_group *g = &is->groups.groups[i];
		const char *names = "";
		for (uint32_t k = 0; k < g->kernels_n; k++)
			names = arena_printf(a, "%s%s%s", names, k ? "; " : "",
				is->kernels[g->kernels[k]].name);
		*at++ = cell_whole(a, g->total_ns);
		*at++ = cell_whole(a, g->support);
		*at++ = cell_figure(a, g->confidence);
		*at++ = cell_whole(a, g->alone);
		*at++ = breakdown_word_evidence[g->evidence];
		*at++ = g->operator_ ? g->operator_ : "";
		*at++ = names;
	}
	return t;
}
