/* changes.c - from the server's JSON; what is not as it should be is refused. */
#include "changes.h"
#include <jansson.h>
#include <math.h>

/* A copy without what a terminal would obey; "" where it is no text. */
static const char *text(struct changes *c, const json_t *v, const char *key)
{
	const char *s = json_string_value(json_object_get(v, key));
	char *copy = arena_strdup(&c->arena, s ? s : "");
	for (char *at = copy; *at; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			*at = ' ';
	return copy;
}

static double real(const json_t *v, const char *key)
{
	const json_t *x = json_object_get(v, key);
	return json_is_number(x) ? json_number_value(x) : (double)NAN;
}

static int64_t whole(const json_t *v, const char *key)
{
	const json_t *x = json_object_get(v, key);
	return json_is_integer(x) ? json_integer_value(x) : 0;
}

static struct change_line *lines(struct changes *c, const json_t *list,
	const char *name, size_t *n)
{
	*n = json_array_size(list);
	struct change_line *all =
		arena_array(&c->arena, struct change_line, *n);
	for (size_t i = 0; i < *n; i++) {
		const json_t *v = json_array_get(list, i);
		all[i] = (struct change_line){
			.verdict = text(c, v, "verdict"),
			.evidence = text(c, v, "evidence"),
			.name = text(c, v, name),
			.device = text(c, v, "device"),
			.base_ns = real(v, "base_ns_per_cycle"),
			.head_ns = real(v, "head_ns_per_cycle"),
			.delta_ns = real(v, "delta_ns_per_cycle"),
			.ratio = real(v, "ratio"),
			.p_family = real(v, "p_family"),
			.base_launches = real(v, "base_launches_per_cycle"),
			.head_launches = real(v, "head_launches_per_cycle"),
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
			(struct change_finding){ text(c, v, "severity"),
				text(c, v, "text") };
	}
}

static struct change_side side(struct changes *c, const json_t *v)
{
	return (struct change_side){
		.cycle_ns = real(v, "cycle_ns"),
		.runs = (int64_t)json_array_size(json_object_get(v, "runs")),
		.cycles = whole(v, "cycles"),
		.cycles_used = whole(v, "cycles_used"),
		.detector = text(c, v, "detector"),
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
	c->headline = text(c, v, "headline");
	c->comparable = json_is_true(json_object_get(v, "comparable"));
	findings(c, json_object_get(v, "findings"));
	c->base = side(c, json_object_get(v, "base"));
	c->head = side(c, json_object_get(v, "head"));
	c->split = lines(c, json_object_get(v, "split"), "what", &c->split_n);
	c->items = lines(c, items, "short_name", &c->items_n);
	c->common = real(json_object_get(v, "common"), "ratio");
	counts(c, json_object_get(v, "counts"));
	c->seed = whole(v, "seed");
	c->permutations = whole(v, "permutations");
	json_decref(v);
	return true;
}

void changes_release(struct changes *c)
{
	arena_release(&c->arena);
}
