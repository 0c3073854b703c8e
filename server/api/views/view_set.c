/* view_set.c - the keys are Atrex-Bench's (Apache-2.0), the figures ours. */
#include "view_set.h"
#include "names.h"
#include "profile_word.h"
#include "roofline.h"
#include "view_importance.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Shapes of an operator that are the same text and type. */
struct group {
	const struct fleet_shape *first;
	json_t *production, *sol;
	int64_t calls;
	double total_s;
};

/* Whether what is counted can be written as whole numbers: all of it, or a bound
 * would be of less work than is told. */
static bool told(const struct fleet_shape *s)
{
	const struct cost *c = &s->cost;
	for (int d = 0; d < DTYPES; d++)
		if (c->flops[d] > INT64_MAX)
			return false;
	return s->costed && c->read_bytes <= INT64_MAX &&
	       c->write_bytes <= INT64_MAX;
}

static json_t *flops_json(const struct cost *cost)
{
	json_t *v = json_object();
	for (int d = 0; d < DTYPES; d++)
		if (cost->flops[d])
			json_object_set_new(v, dtype_word((enum dtype)d),
				json_integer((json_int_t)cost->flops[d]));
	return v;
}

static json_t *shape_json(struct group *g, int64_t id)
{
	const struct fleet_shape *s = g->first;
	json_t *v = json_object();
	view_set_whole(v, "id", id);
	view_set_text(v, "description", s->text);
	view_set_text(v, "shape", s->text);
	view_set_text(v, "dtype", dtype_word(s->dtype));
	view_set_text(v, "phase", profile_word_phase[s->phase]);
	view_set_whole(v, "call_count", g->calls);
	view_set_real(v, "total_duration_us", 1e6 * g->total_s);
	json_object_set_new(v, "input_kwargs", view_sizes(s->text));
	if (told(s)) {
		json_object_set_new(v, "W_flops", flops_json(&s->cost));
		view_set_whole(v, "Q_read_bytes", (int64_t)s->cost.read_bytes);
		view_set_whole(v, "Q_write_bytes",
			(int64_t)s->cost.write_bytes);
	}
	json_object_set_new(v, "T_sol_ms", g->sol);
	json_object_set_new(v, "production_us", g->production);
	return v;
}

/* What the shape takes at least, on every platform of the fleet. */
static json_t *sol_of(const struct fleet_shape *s, const struct matters *m)
{
	json_t *v = json_object();
	struct bound b;
	for (uint32_t p = 0; told(s) && p < m->platforms_n; p++) {
		roofline(&s->cost, m->platforms[p], &b);
		if (isfinite(b.sol_s))
			view_set_real(v, m->platforms[p]->name, 1e3 * b.sol_s);
	}
	return v;
}

static void group_add(struct group *g, const struct fleet_shape *s,
	const struct matters *m)
{
	if (!g->first)
		*g = (struct group){ .first = s,
			.production = json_object(),
			.sol = sol_of(s, m) };
	g->calls += s->calls;
	g->total_s += s->total_s;
	if (s->platform && *s->platform)
		view_set_real(g->production, s->platform, s->med_ns / 1e3);
}

/* The type that most of the shapes' time is of. */
static enum dtype most(const struct group *all, uint32_t n)
{
	double of[DTYPES] = { 0 };
	enum dtype found = DTYPE_UNKNOWN;
	for (uint32_t i = 0; i < n; i++)
		of[all[i].first->dtype] += all[i].total_s;
	for (int d = 0; d < DTYPES; d++)
		if (d != DTYPE_UNKNOWN &&
			of[d] > (found == DTYPE_UNKNOWN ? 0 : of[found]))
			found = (enum dtype)d;
	return found;
}

static json_t *shapes_of(const struct matters *m, const char *operator,
	const struct fleet_shape * rows, uint32_t n, struct arena *a,
	enum dtype *dtype)
{
	struct group *all = arena_array(a, struct group, (size_t)n + 1);
	json_t *list = json_array();
	struct names ns;
	names_init(&ns, a);
	for (uint32_t i = 0; i < n; i++) {
		const struct fleet_shape *s = &rows[i];
		if (!s->text || !s->operator||
					strcmp(s->operator, operator) != 0)
			continue;
		const char *key = arena_printf(a, "%d %d %s", (int)s->dtype,
			(int)s->phase, s->text);
		group_add(&all[names_put(&ns, key, strlen(key)) - 1], s, m);
	}
	for (uint32_t k = 0; k + 1 < ns.n; k++)
		view_append(list, shape_json(&all[k], k));
	*dtype = most(all, ns.n - 1);
	return list;
}

static json_t *operator_json(const struct matters *m, const struct matter *r,
	const struct fleet_shape *rows, uint32_t n, struct arena *a)
{
	enum dtype dtype;
	json_t *shapes = shapes_of(m, r->operator, rows, n, a, &dtype);
	if (!json_array_size(shapes)) {
		json_decref(shapes);
		return NULL;
	}
	json_t *v = json_object();
	view_set_text(v, "name", r->operator);
	view_set_text(v, "id", arena_printf(a, "kernsift_%s", r->operator));
	view_set_text(v, "dtype", dtype_word(dtype));
	view_set_text(v, "phase",
		r->phase && strchr(r->phase, '/') ? "both" : r->phase);
	view_set_real(v, "importance_score", r->importance);
	view_set_whole(v, "num_profiles", r->runs);
	json_object_set_new(v, "shapes", shapes);
	return v;
}

static json_t *platforms_json(const struct matters *m)
{
	json_t *v = json_object();
	for (uint32_t i = 0; i < m->platforms_n; i++) {
		const struct platform *p = m->platforms[i];
		json_t *is = view_platform(p);
		json_t *one = json_pack("{s:O}", "p_peak_flops",
			json_object_get(is, "peak_flops"));
		view_set_real(one, "b_peak_bytes_per_s", p->bytes_per_s);
		json_object_set_new(v, p->name, one);
		json_decref(is);
	}
	return v;
}

static char *written(json_t *v)
{
	char *text = json_dumps(v, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
	json_decref(v);
	if (!text)
		abort();
	return text;
}

char *bench_from_fleet(const struct matters *m, const struct fleet_shape *rows,
	uint32_t n, const struct catalog *c, struct arena *a)
{
	json_t *operators = json_array();
	for (uint32_t i = 0; i < m->n; i++) {
		json_t *one = m->rows[i].operator? operator_json(m, &m->rows[i],
							   rows, n, a)
						 : NULL;
		if (one)
			view_append(operators, one);
	}
	return written(json_pack("{s:s, s:o, s:o, s:o}", "source",
		arena_printf(a, "kernsift, catalogue %s", catalog_version(c)),
		"num_profiles", view_whole(m->runs), "platforms",
		platforms_json(m), "operators", operators));
}

char *bench_from_set(const char *json, size_t len, const struct matters *m)
{
	json_t *v = json_loadb(json, len, 0, NULL);
	json_t *all = json_object_get(v, "operators"), *kept = json_array();
	for (uint32_t i = 0; i < m->n; i++)
		for (size_t k = 0; k < json_array_size(all); k++) {
			json_t *one = json_array_get(all, k);
			const char *name =
				json_string_value(json_object_get(one, "name"));
			if (name && !strcmp(name, m->rows[i].operator))
				json_array_append(kept, one);
		}
	json_object_set_new(v, "operators", kept);
	return written(v);
}
