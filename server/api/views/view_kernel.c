/* view_kernel.c - kernel and copy statistics as JSON. */
#include "view.h"

static json_t *three(const int32_t v[3])
{
	return v[0] < 0 ? json_null()
			: json_pack("[i, i, i]", v[0], v[1], v[2]);
}

/* `told` is the path that a table of statistics had beside the kernel. */
static json_t *source(const struct kernel_source *s, const char *told)
{
	if (!s->defined_in && !s->launched_from && !told)
		return json_null();
	return json_pack("{s:o, s:o, s:o, s:o}", "defined_in",
		view_text(s->defined_in), "launched_from",
		view_text(s->launched_from), "known_from",
		view_text(s->known_from), "told", view_text(told));
}

json_t *view_times(const struct time_stats *t)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
		"instances", view_whole(t->instances), "total_ns",
		view_whole(t->total_ns), "avg_ns", view_real(t->avg_ns),
		"med_ns", view_real(t->med_ns), "min_ns", view_whole(t->min_ns),
		"max_ns", view_whole(t->max_ns), "stddev_ns",
		view_real(t->stddev_ns), "p90_ns", view_real(t->p90_ns),
		"p99_ns", view_real(t->p99_ns));
}

json_t *view_kernel(const struct kernel_line *k)
{
	json_t *v = json_pack("{s:o, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o}",
		"id", view_whole(k->kernel), "name", k->is.name, "short_name",
		k->is.short_name, "family", view_text(k->is.source.family),
		"operator", view_text(k->is.operator), "device",
		view_whole(k->stat.device), "grid", three(k->stat.grid),
		"block", three(k->stat.block), "time_pct",
		view_real(k->stat.time_pct));
	json_object_update_new(v, view_times(&k->stat.time));
	json_object_set_new(v, "source",
		source(&k->is.source, k->stat.told_source));
	return v;
}

json_t *view_copy(const struct copy_stat *s)
{
	json_t *v = json_pack("{s:s, s:o, s:o}", "operation", s->operation,
		"device", view_whole(s->device), "time_pct",
		view_real(s->time_pct));
	json_object_update_new(v, view_times(&s->time));
	json_object_set_new(v, "bytes", view_whole(s->bytes));
	json_object_set_new(v, "sized", view_whole(s->sized));
	return v;
}
