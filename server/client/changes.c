/* changes.c - from the server's JSON; what is not as it should be is refused. */
#include "changes.h"
#include "json_get.h"
#include <math.h>

static struct change_line *lines(struct changes *c, const json_t *list,
	const char *name, size_t *n)
{
	*n = json_array_size(list);
	struct change_line *all =
		arena_array(&c->arena, struct change_line, *n);
	for (size_t i = 0; i < *n; i++) {
		const json_t *v = json_array_get(list, i);
		all[i] = (struct change_line){
			.verdict = told_text(&c->arena, v, "verdict"),
			.evidence = told_text(&c->arena, v, "evidence"),
			.name = told_text(&c->arena, v, name),
			.device = told_text(&c->arena, v, "device"),
			.base_ns = told_real(v, "base_ns_per_cycle"),
			.head_ns = told_real(v, "head_ns_per_cycle"),
			.delta_ns = told_real(v, "delta_ns_per_cycle"),
			.ratio = told_real(v, "ratio"),
			.p_family = told_real(v, "p_family"),
			.base_launches =
				told_real(v, "base_launches_per_cycle"),
			.head_launches =
				told_real(v, "head_launches_per_cycle"),
		};
	}
	return all;
}

static void findings(struct changes *c, const json_t *list)
{
	c->findings_n = json_array_size(list);
	c->findings =
		arena_array(&c->arena, struct change_finding, c->findings_n);
	for (size_t i = 0; i < c->findings_n; i++) {
		const json_t *v = json_array_get(list, i);
		c->findings[i] =
			(struct change_finding){ told_text(&c->arena, v,
							 "severity"),
				told_text(&c->arena, v, "text") };
	}
}

static struct change_side side(struct changes *c, const json_t *v)
{
	return (struct change_side){
		.cycle_ns = told_real(v, "cycle_ns"),
		.runs = (int64_t)json_array_size(json_object_get(v, "runs")),
		.cycles = told_whole(v, "cycles"),
		.cycles_used = told_whole(v, "cycles_used"),
		.detector = told_text(&c->arena, v, "detector"),
	};
}

static void counts(struct changes *c, json_t *v)
{
	const char *key;
	json_t *n;
	c->counts = arena_array(&c->arena, struct change_count,
		json_object_size(v));
	json_object_foreach(v, key, n)
	{
		c->counts[c->counts_n++] =
			(struct change_count){ arena_strdup(&c->arena, key),
				json_integer_value(n) };
	}
}

bool changes_init(struct changes *c, const char *body, size_t len,
	struct err *e)
{
	json_t *v = json_loadb(body ? body : "", len, 0, NULL);
	json_t *items = json_object_get(v, "items");
	const char *headline =
		json_string_value(json_object_get(v, "headline"));
	*c = (struct changes){ .common = (double)NAN };
	if (!headline || !json_is_array(items)) {
		json_decref(v);
		return err_set(e, ERR_INPUT,
			"the server's answer is not a comparison");
	}
	c->headline = told_text(&c->arena, v, "headline");
	c->comparable = json_is_true(json_object_get(v, "comparable"));
	findings(c, json_object_get(v, "findings"));
	c->base = side(c, json_object_get(v, "base"));
	c->head = side(c, json_object_get(v, "head"));
	c->split = lines(c, json_object_get(v, "split"), "what", &c->split_n);
	c->items = lines(c, items, "short_name", &c->items_n);
	c->common = told_real(json_object_get(v, "common"), "ratio");
	counts(c, json_object_get(v, "counts"));
	c->seed = told_whole(v, "seed");
	c->permutations = told_whole(v, "permutations");
	json_decref(v);
	return true;
}

void changes_release(struct changes *c)
{
	arena_release(&c->arena);
}
