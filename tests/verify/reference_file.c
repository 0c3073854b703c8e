/* reference_file.c - prints what the catalog computes for a document or for
 * shapes, for costs.py and reference_tables.py.
 *
 *   reference_file FILE      reads a published document and prints it as one
 *                            JSON object: every shape with its cost by either
 *                            convention, and the roofline bound of the physical
 *                            cost on each platform
 *   reference_file           reads lines "convention operator dtype shape" and
 *                            prints one JSON object for each: the cost, or the
 *                            reason why there is none */
#include "catalog.h"
#include "reference.h"
#include "roofline.h"
#include <jansson.h>
#include <math.h>

static json_t *number(double x)
{
	return isfinite(x) ? json_real(x) : json_null();
}

static json_t *cost_shown(const struct cost *c)
{
	json_t *flops = json_object();

	for (enum dtype d = 1; d < DTYPES; d++)
		if (c->flops[d])
			json_object_set_new(flops, dtype_word(d),
				json_integer((json_int_t)c->flops[d]));
	return json_pack("{s:o, s:I, s:I}", "flops", flops, "read",
		(json_int_t)c->read_bytes, "write", (json_int_t)c->write_bytes);
}

static json_t *why_shown(const struct err *e)
{
	return json_pack("{s:s, s:s}", "code", err_name(e->code), "why",
		e->text);
}

static json_t *costed(const struct catalog *c, const char *name,
	const char *dtype, const char *sizes, enum convention convention,
	struct arena *a, struct cost *cost)
{
	const struct operator_info *op = catalog_operator(c, name);
	struct err e = { 0 };
	struct shape s;

	if (!op)
		err_set(&e, ERR_NOT_FOUND, "unknown operator '%s'", name);
	if (op &&
		shape_read(sizes, dtype_from(dtype, strlen(dtype)), a, &s,
			&e) &&
		catalog_cost(c, op, &s, convention, cost, &e))
		return cost_shown(cost);
	return why_shown(&e);
}

static json_t *bounds_shown(const struct cost *c, const struct reference *r)
{
	json_t *all = json_object();

	for (uint32_t i = 0; i < r->platforms_n; i++) {
		struct bound b;
		roofline(c, &r->platforms[i], &b);
		json_object_set_new(all, r->platforms[i].name,
			number(b.sol_s * 1e6));
	}
	return all;
}

static json_t *times_shown(const struct reference *r, const double *us)
{
	json_t *all = json_object();

	for (uint32_t i = 0; i < r->platforms_n; i++)
		json_object_set_new(all, r->platforms[i].name, number(us[i]));
	return all;
}

static json_t *shape_shown(const struct catalog *c, const struct reference *r,
	const struct reference_operator *op, const struct reference_shape *s,
	struct arena *a)
{
	struct cost cost = { 0 };
	json_t *out =
		json_pack("{s:I, s:I, s:s?, s:s?, s:o, s:o, s:o, s:o, s:o}",
			"id", (json_int_t)s->id, "calls", (json_int_t)s->calls,
			"description", s->description, "sizes", s->sizes,
			"cost", cost_shown(&s->cost), "ai", number(s->ai),
			"sol_us", times_shown(r, s->sol_us), "prod_us",
			times_shown(r, s->prod_us), "s", number(s->s));
	if (!s->sizes)
		return out;
	json_object_set_new(out, "catalog",
		costed(c, op->name, op->dtype, s->sizes, CONVENTION_CATALOG, a,
			&cost));
	cost = (struct cost){ 0 };
	json_t *physical = costed(c, op->name, op->dtype, s->sizes,
		CONVENTION_PHYSICAL, a, &cost);
	if (!json_object_get(physical, "why"))
		json_object_set_new(physical, "sol_us", bounds_shown(&cost, r));
	json_object_set_new(out, "physical", physical);
	return out;
}

static json_t *operator_shown(const struct catalog *c,
	const struct reference *r, const struct reference_operator *op,
	struct arena *a)
{
	json_t *shapes = json_array();

	for (uint32_t i = 0; i < op->shapes_n; i++)
		json_array_append_new(shapes,
			shape_shown(c, r, op, &op->shapes[i], a));
	return json_pack("{s:s, s:s?, s:s?, s:s?, s:o, s:I, s:o, s:o, s:s?, "
			 "s:i,"
			 " s:o}",
		"name", op->name, "id", op->id, "dtype", op->dtype, "phase",
		op->phase, "importance", number(op->importance), "runs",
		(json_int_t)op->runs, "ai", number(op->ai), "s_median",
		number(op->s_median), "regime", op->regime, "median",
		(int)op->median, "shapes", shapes);
}

static bool document_shown(const struct catalog *c, const char *path,
	struct arena *a, struct err *e)
{
	struct reference r;
	json_t *operators = json_array();
	size_t size = 16 << 20, len;
	char *text = arena_alloc(a, size, 1);
	FILE *f = fopen(path, "re");

	if (!f)
		return err_set(e, ERR_INPUT, "cannot open '%s'", path);
	len = fread(text, 1, size, f);
	fclose(f);
	if (!reference_read(c, text, len, a, &r, e))
		return false;
	for (uint32_t i = 0; i < r.operators_n; i++)
		json_array_append_new(operators,
			operator_shown(c, &r, &r.operators[i], a));
	json_t *all = json_pack("{s:s?, s:I, s:o}", "source", r.source, "runs",
		(json_int_t)r.runs, "operators", operators);
	json_dumpf(all, stdout, JSON_COMPACT);
	json_decref(all);
	return true;
}

static void lines_shown(const struct catalog *c)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t len;

	while ((len = getline(&line, &room, stdin)) > 0) {
		struct arena a = { 0 };
		struct cost cost = { 0 };
		char *part[4] = { line };
		line[len - 1] = '\0';
		for (int i = 1; i < 4; i++) {
			char *blank = strchr(part[i - 1], ' ');
			part[i] = blank ? blank + 1 : part[i - 1];
			if (blank)
				*blank = '\0';
		}
		json_t *shown = costed(c, part[1], part[2], part[3],
			strcmp(part[0], "catalog") == 0 ? CONVENTION_CATALOG
							: CONVENTION_PHYSICAL,
			&a, &cost);
		json_dumpf(shown, stdout, JSON_COMPACT);
		putchar('\n');
		json_decref(shown);
		arena_release(&a);
	}
	free(line);
}

int main(int argc, char **argv)
{
	struct arena a = { 0 };
	struct err e = { 0 };
	struct catalog *c = catalog_new(NULL, &e);
	bool ok = c != NULL;

	if (ok && argc > 1)
		ok = document_shown(c, argv[1], &a, &e);
	else if (ok)
		lines_shown(c);
	if (!ok)
		fprintf(stderr, "%s\n", e.text);
	catalog_free(c);
	arena_release(&a);
	return ok ? 0 : 1;
}
