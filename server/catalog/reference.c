/* reference.c - a published document: platforms, operators, what its pages
 * compute of them. */
#include "profile_word.h"
#include "published.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PLATFORMS = 32, OPERATORS = 2000, SHAPES = 10000 };

/* The pages' own bounds between regimes, in operations per byte. */
static const double COMPUTE_ABOVE = 10, INDEXING_BELOW = 0.01;

static bool peaks(const struct published *r, struct platform *p)
{
	json_t *map = json_object_get(r->v, "p_peak_flops");

	for (enum dtype d = 0; d < DTYPES; d++)
		p->peak_flops[d] = NAN;
	if (!json_is_object(map))
		return published_wrong(r,
			"'p_peak_flops' is no object of types");
	for (void *k = json_object_iter(map); k;
		k = json_object_iter_next(map, k)) {
		const char *name = json_object_iter_key(k);
		enum dtype d = dtype_from(name, strlen(name));
		if (d == DTYPE_UNKNOWN)
			return published_wrong(r,
				"nobody knows the type '%.30s'", name);
		if (!published_number(r, json_object_iter_value(k), name, 1,
			    &p->peak_flops[d]))
			return false;
	}
	return true;
}

/* Unknown where it is absent or null. */
static bool bandwidth(const struct published *r, struct platform *p)
{
	static const char key[] = "b_peak_bytes_per_s";
	const json_t *v = json_object_get(r->v, key);

	p->bytes_per_s = NAN;
	return !v || json_is_null(v) ||
	       published_number(r, v, key, 1, &p->bytes_per_s);
}

static bool platforms(const struct published *doc)
{
	json_t *map = json_object_get(doc->v, "platforms");
	size_t n = json_object_size(map);
	struct platform *p;

	if (!json_is_object(map) || n == 0 || n > PLATFORMS)
		return published_wrong(doc,
			"'platforms' is no object of 1 to %d platforms",
			PLATFORMS);
	p = doc->out->platforms = arena_array(doc->a, struct platform, n);
	for (void *k = json_object_iter(map); p && k;
		k = json_object_iter_next(map, k), p++) {
		struct published r = *doc;
		p->name = arena_strdup(doc->a, json_object_iter_key(k));
		p->source = doc->out->source;
		r.where = arena_printf(doc->a, "platforms ('%.60s')",
			json_object_iter_key(k));
		r.v = json_object_iter_value(k);
		if (!p->name || !r.where)
			break;
		if (!peaks(&r, p) || !bandwidth(&r, p))
			return false;
		doc->out->platforms_n++;
	}
	return !doc->a->full || arena_err(doc->a, doc->err);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* sorted[floor(n/2)] of those that are known; NaN where none is. */
static double upper_median(const struct reference_operator *op, bool of_s,
	double *room)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < op->shapes_n; i++) {
		double v = of_s ? op->shapes[i].s : op->shapes[i].ai;
		if (!isnan(v))
			room[n++] = v;
	}
	qsort(room, n, sizeof *room, by_value);
	return n ? room[n / 2] : NAN;
}

static bool medians(const struct published *r, struct reference_operator *op)
{
	double *room = arena_array(r->a, double, op->shapes_n);

	if (!room)
		return arena_err(r->a, r->err);
	double ai = upper_median(op, false, room);
	op->regime = isnan(ai)		   ? NULL
		     : ai > COMPUTE_ABOVE  ? "compute"
		     : ai < INDEXING_BELOW ? "indexing"
					   : "memory";
	op->median = op->shapes_n / 2;
	op->ai = op->shapes[op->median].ai;
	op->s_median = upper_median(op, true, room);
	return true;
}

static bool shapes(const struct published *r, struct reference_operator *op,
	size_t *left)
{
	json_t *list;

	if (!published_list(r, "shapes", *left, &list))
		return false;
	*left -= json_array_size(list);
	op->shapes_n = (uint32_t)json_array_size(list);
	op->shapes = arena_array(r->a, struct reference_shape, op->shapes_n);
	if (!op->shapes)
		return arena_err(r->a, r->err);
	for (uint32_t i = 0; i < op->shapes_n; i++) {
		struct published s;
		if (!published_at(r, list, i, "shapes", "", &s) ||
			!reference_shape(&s, op, &op->shapes[i]))
			return false;
		for (uint32_t k = 0; k < i; k++)
			if (op->shapes[k].id == op->shapes[i].id)
				return published_wrong(&s,
					"there is another shape of id %lld",
					(long long)op->shapes[i].id);
	}
	return medians(r, op);
}

/* Of the words that filters know: prefill, decode, mixed, both; or none. The
 * published set calls both "prefill/decode". */
static bool phase(const struct published *r, const char **out)
{
	if (!published_text(r, "phase", false, out))
		return false;
	if (*out && !strcmp(*out, "prefill/decode"))
		*out = "both";
	if (!*out || !strcmp(*out, "both"))
		return true;
	for (int p = 0; p < PHASES; p++)
		if (profile_word_phase[p] &&
			!strcmp(*out, profile_word_phase[p]))
			return true;
	return published_wrong(r,
		"'phase' is '%.30s', none of prefill, decode, mixed, both",
		*out);
}

static bool operator_read(const struct published *r,
	struct reference_operator *op, size_t *left)
{
	if (!published_text(r, "name", true, &op->name) ||
		!published_text(r, "id", false, &op->id) ||
		!published_text(r, "dtype", false, &op->dtype) ||
		!phase(r, &op->phase) ||
		!published_number(r, json_object_get(r->v, "importance_score"),
			"importance_score", 0, &op->importance) ||
		!published_count(r, "num_profiles", true, &op->runs))
		return false;
	if (op->importance > 1)
		return published_wrong(r, "'importance_score' is above 1");
	if (op->runs > r->out->runs)
		return published_wrong(r,
			"'num_profiles' is above the document's own");
	return shapes(r, op, left);
}

static int by_importance(const void *a, const void *b)
{
	const struct reference_operator *x = a, *y = b;
	int c = (x->importance < y->importance) -
		(x->importance > y->importance);
	return c ? c : strcmp(x->name, y->name);
}

static int by_name(const void *a, const void *b)
{
	const struct reference_operator *x = a, *y = b;
	return strcmp(x->name, y->name);
}

static bool operators(const struct published *doc)
{
	struct reference *out = doc->out;
	size_t left = SHAPES;
	json_t *list;

	if (!published_list(doc, "operators", OPERATORS, &list))
		return false;
	size_t n = json_array_size(list);
	out->operators = arena_array(doc->a, struct reference_operator, n);
	if (!out->operators)
		return arena_err(doc->a, doc->err);
	for (size_t i = 0; i < n; i++) {
		struct published r;
		if (!published_at(doc, list, i, "operators", "name", &r) ||
			!operator_read(&r, &out->operators[i], &left))
			return false;
	}
	out->operators_n = (uint32_t)n;
	qsort(out->operators, n, sizeof *out->operators, by_name);
	for (size_t i = 1; i < n; i++)
		if (by_name(&out->operators[i - 1], &out->operators[i]) == 0)
			return published_wrong(doc,
				"there are two operators '%s'",
				out->operators[i].name);
	qsort(out->operators, n, sizeof *out->operators, by_importance);
	return true;
}

bool reference_read(const struct catalog *c, const char *json, size_t len,
	struct arena *a, struct reference *out, struct err *e)
{
	json_error_t why;
	uint32_t numbers = 0;
	struct published doc = { .c = c,
		.a = a,
		.out = out,
		.numbers = &numbers,
		.err = e };

	*out = (struct reference){ 0 };
	doc.v = json_loadb(json, len, JSON_REJECT_DUPLICATES, &why);
	if (!doc.v)
		return err_set(e, ERR_INPUT,
			"the catalogue is no JSON: line %d, column %d: %s",
			why.line, why.column, why.text);
	bool ok = json_is_object(doc.v) ||
		  published_wrong(&doc, "the catalogue is no JSON object");
	ok = ok && published_text(&doc, "source", false, &out->source) &&
	     published_count(&doc, "num_profiles", true, &out->runs) &&
	     platforms(&doc) && operators(&doc);
	json_decref(doc.v);
	return ok;
}
