/* view_strips.c - a window of a timeline: one array per field of a strip, because
 * an object per segment would be three times as long. */
#include "strips.h"
#include "view.h"
#include <assert.h>
#include <stdlib.h>

struct view_strip_name {
	enum strip_name_kind kind;
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
					  v->strips->names[t->name].kind,
					  v->ids[i], v->texts[i], *t }));
	}
	return list;
}

static json_t *view_strips_list(const struct view_strips *v)
{
	json_t *list = json_array();
	uint32_t *place = calloc((size_t)v->strips->names_n + 1, sizeof *place);
	if (!place)
		abort();
	for (uint32_t i = 0; i < v->window->totals_n; i++)
		place[v->window->totals[i].name] = i;
	for (uint32_t i = 0; i < v->strips->n; i++) {
		const struct strip *is = &v->strips->list[i];
		struct slice of = v->window->of_strip[i];
		if (v->window->shown[i] && is->items.from != is->items.to)
			view_append(list, row_strip(&(struct view_strip){ is,
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
