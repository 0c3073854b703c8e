/* view_strips.c - a window of a timeline: one array per field of a strip, because
 * an object per segment would be three times as long. */
#include "strips.h"
#include "view.h"
#include <assert.h>
#include <stdlib.h>

struct view_strip_name {
	int64_t id;
	const char *name;
	struct strip_total total;
};

struct view_strip {
	const struct strip *is;
	const struct strip_segment *segments;
	uint32_t n;
	const uint32_t *place; /* by name: its index in the answer */
};

static const char *const view_strips_kind[] = { "iterations", "ranges",
	"gpu_ranges", "idle", "stream" };
static_assert(sizeof view_strips_kind / sizeof *view_strips_kind == STRIP_KINDS,
	"one word per kind of strip");
static const char *const view_strips_name_kind[] = { "kernel", "copy", "set",
	"graph", "cause", "range", "module", "iteration", "excluded" };
static_assert(sizeof view_strips_name_kind / sizeof *view_strips_name_kind ==
		      STRIP_NAME_KINDS,
	"one word per kind of name");

static json_t *view_strips_starts(const struct view_strip *s)
{
	json_t *list = json_array();
	int64_t before = 0;
	for (uint32_t i = 0; i < s->n; i++) {
		view_append(list,
			json_integer(s->segments[i].start_ns - before));
		before = s->segments[i].start_ns;
	}
	return list;
}

static json_t *view_strips_durations(const struct view_strip *s)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < s->n; i++)
		view_append(list, json_integer(s->segments[i].dur_ns));
	return list;
}

static json_t *view_strips_busy(const struct view_strip *s)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < s->n; i++)
		view_append(list, json_integer(s->segments[i].busy_ns));
	return list;
}

static json_t *view_strips_counts(const struct view_strip *s)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < s->n; i++)
		view_append(list, json_integer(s->segments[i].count));
	return list;
}

static json_t *view_strips_names(const struct view_strip *s)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < s->n; i++)
		view_append(list, json_integer(s->place[s->segments[i].name]));
	return list;
}

static json_t *view_strips_name_list(const struct view_strips *v);
static json_t *view_strips_list(const struct view_strips *v);

static int64_t view_strips_total(const struct view_strips *v)
{
	int64_t n = 0;
	for (uint32_t i = 0; i < v->strips->n; i++)
		n += v->strips->list[i].items.from !=
		     v->strips->list[i].items.to;
	return n;
}

#define ROWS "strips.def"
#include "row_functions.h"

static json_t *view_strips_name_list(const struct view_strips *v)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < v->window->totals_n; i++) {
		const struct strip_total *t = &v->window->totals[i];
		view_append(list, row_strip_name(&(struct view_strip_name){
					  v->ids[i], v->texts[i], *t }));
	}
	return list;
}

/* By name: the index of its sums in the answer. */
static uint32_t *view_strips_places(const struct view_strips *v)
{
	const struct strips_window *w = v->window;
	uint32_t *place = calloc((size_t)v->strips->names_n + 1, sizeof *place);
	uint32_t others[STRIP_NAME_KINDS] = { 0 };

	if (!place)
		abort();
	for (uint32_t i = 0; i < w->totals_n; i++)
		if (w->totals[i].name == STRIPS_OTHERS)
			others[w->totals[i].kind] = i;
	for (uint32_t i = 0; i < v->strips->names_n; i++)
		place[i] = others[v->strips->names[i].kind];
	for (uint32_t i = 0; i < w->totals_n; i++)
		if (w->totals[i].name != STRIPS_OTHERS)
			place[w->totals[i].name] = i;
	return place;
}

static json_t *view_strips_list(const struct view_strips *v)
{
	json_t *list = json_array();
	uint32_t *place = view_strips_places(v);

	for (uint32_t i = 0; i < v->strips->n; i++) {
		struct slice of = v->window->of_strip[i];
		if (v->window->shown[i])
			view_append(list, row_strip(&(struct view_strip){
						  &v->strips->list[i],
						  v->window->segments + of.from,
						  of.to - of.from, place }));
	}
	free(place);
	return list;
}

json_t *view_strips(const struct view_strips *v)
{
	return row_strip_window(v);
}
