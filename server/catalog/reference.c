/* reference.c - reads an imported reference set, and computes the values on its
 * pages. */
#include "reference.h"
#include "profile_word.h"
#include "sort.h"
#include "utf8.h"
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An entry of the document while it is read, and its position. */
struct reference_entry {
	const struct catalog *c;
	struct arena *a;
	struct reference *out;
	const char *where; /* "operators[3] ('fused_moe')" */
	json_t *v; /* an object */
	uint32_t *numbers; /* count of numbers in the sizes of all shapes so
		far */
	struct err *err;
};

enum { TEXT = 500 };

/* Always false: sets `where`, then the formatted text. */
static bool reference_entry_wrong(const struct reference_entry *r,
	const char *fmt, ...)
{
	char text[300];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	if (!r->where)
		return err_set(r->err, ERR_INPUT, "%s", text);
	return err_set(r->err, ERR_INPUT, "%s: %s", r->where, text);
}

/* The i-th entry of the list `what`, which must be an object. Error texts use
 * the member `called` as its name, if it has this member. */
static bool reference_entry_at(const struct reference_entry *parent,
	const json_t *list, size_t i, const char *what, const char *called,
	struct reference_entry *out)
{
	const char *in = parent->where ? parent->where : "";
	const char *comma = parent->where ? ", " : "";
	const char *name;

	*out = *parent;
	out->v = json_array_get(list, i);
	name = json_string_value(json_object_get(out->v, called));
	out->where = name ? arena_printf(parent->a, "%s%s%s[%zu] ('%.60s')", in,
				    comma, what, i, name)
			  : arena_printf(parent->a, "%s%s%s[%zu]", in, comma,
				    what, i);
	if (!out->where)
		return arena_err(parent->a, parent->err);
	return json_is_object(out->v) ||
	       reference_entry_wrong(out, "it is no object");
}

/* A copy of a text of 1 to 500 bytes; NULL if it is absent or null, unless
 * `must`. */
static bool reference_entry_text(const struct reference_entry *r,
	const char *key, bool must, const char **out)
{
	const json_t *v = json_object_get(r->v, key);
	size_t len = json_string_length(v);

	*out = NULL;
	if (!must && (!v || json_is_null(v)))
		return true;
	if (!json_is_string(v) || len == 0 || len > TEXT)
		return reference_entry_wrong(r,
			"'%s' is no text of 1 to %d bytes", key, TEXT);
	*out = arena_strndup(r->a, json_string_value(v), len);
	return *out || arena_err(r->a, r->err);
}

/* A whole number from 0; -1 if it is absent or null, unless `must`. */
static bool reference_entry_count(const struct reference_entry *r,
	const char *key, bool must, int64_t *out)
{
	const json_t *v = json_object_get(r->v, key);

	*out = -1;
	if (!must && (!v || json_is_null(v)))
		return true;
	if (!json_is_integer(v) || json_integer_value(v) < 0)
		return reference_entry_wrong(r,
			"'%s' is no whole number from 0", key);
	*out = json_integer_value(v);
	return true;
}

/* A finite number above `minimum`. */
static bool reference_entry_number(const struct reference_entry *r,
	const json_t *v, const char *key, double minimum, double *out)
{
	*out = json_number_value(v);
	if (!json_is_number(v) || !isfinite(*out) || *out < minimum)
		return reference_entry_wrong(r, "'%s' is no number from %g",
			key, minimum);
	return true;
}

/* A list of 1 to `most` entries. */
static bool reference_entry_list(const struct reference_entry *r,
	const char *key, size_t most, json_t **out)
{
	*out = json_object_get(r->v, key);
	size_t n = json_array_size(*out);
	if (!json_is_array(*out) || n == 0)
		return reference_entry_wrong(r, "'%s' is no list with entries",
			key);
	return n <= most || reference_entry_wrong(r,
				    "'%s' has %zu entries; %zu is the "
				    "limit",
				    key, n, most);
}

/* A few bytes of text may represent many numbers. */
enum { NUMBERS = 1 << 20 };

struct reference_sizing {
	const struct reference_entry *r;
	struct arena *room; /* for temporary data */
	const struct operator_info *op;
	struct size *list; /* by index in op->sizes; name NULL: not given */
	uint32_t values;
};

/* Their names first: one of them may be the catalog's name of another size. */
static const char *reference_sizes_ours(const struct operator_info *op,
	const char *name)
{
	for (uint32_t i = 0; i < op->aliases_n; i++)
		if (strcmp(op->aliases[2 * i], name) == 0)
			return op->aliases[2 * i + 1];
	for (uint32_t i = 0; i < op->sizes_n; i++)
		if (strcmp(op->sizes[i], name) == 0)
			return op->sizes[i];
	return NULL;
}

static bool reference_sizes_is_size(const json_t *v)
{
	return json_is_integer(v) && json_integer_value(v) >= 0;
}

/* Whether an argument gives a size, even one that has no name in the catalog.
 * Flags, texts and fractions do not. */
static bool reference_sizes_gives_size(const json_t *v)
{
	return json_is_integer(v) || json_is_array(v) || json_is_object(v);
}

static bool reference_sizes_put(struct reference_sizing *s, const char *name,
	const json_t *v)
{
	bool list = json_is_array(v);
	size_t n = list ? json_array_size(v) : 1;
	uint32_t at = 0;

	if ((!list && !reference_sizes_is_size(v)) ||
		n > SHAPE_VALUES - s->values)
		return false;
	for (size_t i = 0; list && i < n; i++)
		if (!reference_sizes_is_size(json_array_get(v, i)))
			return false;
	while (strcmp(s->op->sizes[at], name) != 0)
		at++;
	int64_t *values = arena_array(s->room, int64_t, n + 1);
	if (!values)
		return false;
	for (size_t i = 0; i < n; i++)
		values[i] = json_integer_value(list ? json_array_get(v, i) : v);
	s->values += (uint32_t)n;
	s->list[at] = (struct size){ name, values, (uint32_t)n, list };
	return true;
}

/* Reads sizes from the arguments under `key`. If `all` is set, each argument
 * that gives a size must have a name in the catalog. Constructor arguments need
 * not, because they may have no effect on the sizes. */
static bool reference_sizes_read(struct reference_sizing *s, const char *key,
	bool all)
{
	json_t *map = json_object_get(s->r->v, key);

	if (map && !json_is_null(map) && !json_is_object(map))
		return false;
	for (void *k = json_object_iter(map); k;
		k = json_object_iter_next(map, k)) {
		const json_t *v = json_object_iter_value(k);
		const char *name =
			reference_sizes_ours(s->op, json_object_iter_key(k));
		if (name ? !reference_sizes_put(s, name, v)
			 : all && reference_sizes_gives_size(v))
			return false;
	}
	return true;
}

/* Reads "shape", in which kernsift writes the sizes of its own fleets. */
static bool reference_sizes_own_text(const struct reference_sizing *s,
	struct shape *out)
{
	const char *text = json_string_value(json_object_get(s->r->v, "shape"));
	struct err why = { 0 };

	return text && shape_read(text, DTYPE_UNKNOWN, s->room, out, &why);
}

static bool reference_sizes_kwargs(struct reference_sizing *s,
	struct shape *out)
{
	if (!s->op)
		return false;
	s->list = arena_array(s->room, struct size, s->op->sizes_n + 1);
	if (!s->list || !reference_sizes_read(s, "init_kwargs", false) ||
		!reference_sizes_read(s, "input_kwargs", true))
		return false;
	for (uint32_t i = 0; i < s->op->sizes_n; i++)
		if (s->list[i].name)
			s->list[out->n++] = s->list[i];
	out->sizes = s->list;
	return out->n > 0;
}

/* The sizes of a shape: those in "shape", else the kwargs under the catalog's
 * names. NULL if the catalog has no name for one of them. ERR_TOO_LARGE if all
 * shapes together have more numbers than a page can show. */
static bool reference_sizes(const struct reference_entry *r,
	const struct reference_operator *op, const char **out)
{
	struct arena room = arena_scratch(r->a);
	struct reference_sizing s = { .r = r,
		.room = &room,
		.op = catalog_operator(r->c, op->name) };
	struct shape shape = { 0 };

	*out = NULL;
	if (reference_sizes_own_text(&s, &shape) ||
		reference_sizes_kwargs(&s, &shape)) {
		for (uint32_t i = 0; i < shape.n; i++)
			*r->numbers += shape.sizes[i].n;
		*out = shape_text(&shape, r->a);
	}
	arena_scratch_release(&room, r->a);
	if (*r->numbers > NUMBERS)
		return err_set(r->err, ERR_TOO_LARGE,
			"the sizes of all shapes have more than %d numbers",
			NUMBERS);
	return !r->a->full || arena_err(r->a, r->err);
}

static bool reference_shape_work(const struct reference_entry *r,
	struct cost *out)
{
	json_t *map = json_object_get(r->v, "W_flops");

	if (!json_is_object(map))
		return reference_entry_wrong(r,
			"'W_flops' is no object of types");
	for (void *k = json_object_iter(map); k;
		k = json_object_iter_next(map, k)) {
		const char *name = json_object_iter_key(k);
		const json_t *v = json_object_iter_value(k);
		enum dtype d = dtype_from(name, strlen(name));
		if (d == DTYPE_UNKNOWN)
			return reference_entry_wrong(r,
				"in 'W_flops' the type '%.30s' is unknown",
				name);
		if (!json_is_integer(v) || json_integer_value(v) < 0)
			return reference_entry_wrong(r,
				"in 'W_flops' '%.30s' is no whole number from "
				"0",
				name);
		if (out->flops[d])
			return reference_entry_wrong(r,
				"'W_flops' has %s twice", dtype_word(d));
		out->flops[d] = (uint64_t)json_integer_value(v);
	}
	return true;
}

static double reference_shape_intensity(const struct cost *c)
{
	double flops = 0;
	double bytes = (double)c->read_bytes + (double)c->write_bytes;

	for (enum dtype d = 0; d < DTYPES; d++)
		flops += (double)c->flops[d];
	return bytes > 0 ? flops / bytes : NAN;
}

/* A time per platform; NaN if the document gives none. */
static bool reference_shape_times(const struct reference_entry *r,
	const char *key, double minimum, double scale, double *out)
{
	json_t *map = json_object_get(r->v, key);
	uint32_t n = r->out->platforms_n;

	for (uint32_t i = 0; i < n; i++)
		out[i] = NAN;
	if (map && !json_is_null(map) && !json_is_object(map))
		return reference_entry_wrong(r,
			"'%s' is no object of platforms", key);
	for (void *k = json_object_iter(map); k;
		k = json_object_iter_next(map, k)) {
		const char *name = json_object_iter_key(k);
		uint32_t i = 0;
		while (i < n && strcmp(r->out->platforms[i].name, name) != 0)
			i++;
		if (i == n)
			return reference_entry_wrong(r,
				"in '%s' '%.40s' is none of the platforms", key,
				name);
		if (!reference_entry_number(r, json_object_iter_value(k), key,
			    minimum, &out[i]))
			return false;
		out[i] *= scale;
	}
	return true;
}

/* Rounds to `decimals` decimals. A tie is decided by the exact binary value.
 * The value is rounded by printing it, because multiplying first would round
 * twice. */
static double reference_shape_rounded(double v, int decimals)
{
	char text[400];

	snprintf(text, sizeof text, "%.*f", decimals, v);
	return strtod(text, NULL);
}

static double reference_shape_share_of_light(const struct reference_shape *s,
	uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		double prod = reference_shape_rounded(s->prod_us[i], 1);
		if (!isnan(s->prod_us[i]) && !isnan(s->sol_us[i]))
			return prod > 0 ? reference_shape_rounded(s->sol_us[i],
						  2) /
						  prod
					: NAN;
	}
	return NAN;
}

static bool reference_shape_kwargs(const struct reference_entry *r,
	const char **out)
{
	const json_t *v = json_object_get(r->v, "input_kwargs");
	char *text = v ? json_dumps(v, JSON_COMPACT) : NULL;

	*out = text ? arena_strdup(r->a, text) : NULL;
	free(text);
	return !text || *out || arena_err(r->a, r->err);
}

/* Reads W and Q. Both must be given, or neither. */
static bool reference_shape_figures(const struct reference_entry *r,
	struct reference_shape *out)
{
	static const char *const keys[] = { "W_flops", "Q_read_bytes",
		"Q_write_bytes" };
	int64_t read, write;

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		const json_t *v = json_object_get(r->v, keys[i]);
		out->costed |= v && !json_is_null(v);
	}
	out->ai = NAN;
	if (!out->costed)
		return true;
	if (!reference_shape_work(r, &out->cost) ||
		!reference_entry_count(r, "Q_read_bytes", true, &read) ||
		!reference_entry_count(r, "Q_write_bytes", true, &write))
		return false;
	out->cost.read_bytes = (uint64_t)read;
	out->cost.write_bytes = (uint64_t)write;
	out->ai = reference_shape_intensity(&out->cost);
	return true;
}

static bool reference_shape(const struct reference_entry *r,
	const struct reference_operator *op, struct reference_shape *out)
{
	uint32_t n = r->out->platforms_n;
	double *sol = arena_array(r->a, double, n);
	double *prod = arena_array(r->a, double, n);

	if (!sol || !prod)
		return arena_err(r->a, r->err);
	if (!reference_entry_count(r, "id", true, &out->id) ||
		!reference_entry_count(r, "call_count", false, &out->calls) ||
		!reference_entry_text(r, "description", false,
			&out->description) ||
		!reference_entry_text(r, "dtype", false, &out->dtype) ||
		!reference_shape_figures(r, out) ||
		!reference_shape_times(r, "T_sol_ms", 0, 1000, sol) ||
		!reference_shape_times(r, "production_us", 0, 1, prod) ||
		!reference_shape_kwargs(r, &out->kwargs) ||
		!reference_sizes(r, op, &out->sizes))
		return false;
	out->sol_us = sol;
	out->prod_us = prod;
	out->s = reference_shape_share_of_light(out, n);
	return !r->a->full || arena_err(r->a, r->err);
}

enum { PLATFORMS = 32, OPERATORS = 2000, SHAPES = 10000 };

/* The limits between regimes on the published pages, in operations per byte. */
static const double COMPUTE_ABOVE = 10, INDEXING_BELOW = 0.01;

static bool reference_peaks(const struct reference_entry *r, struct platform *p)
{
	json_t *map = json_object_get(r->v, "p_peak_flops");

	if (!json_is_object(map))
		return reference_entry_wrong(r,
			"'p_peak_flops' is no object of types");
	for (void *k = json_object_iter(map); k;
		k = json_object_iter_next(map, k)) {
		const char *name = json_object_iter_key(k);
		enum dtype d = dtype_from(name, strlen(name));
		if (d == DTYPE_UNKNOWN)
			return reference_entry_wrong(r,
				"the type '%.30s' is unknown", name);
		if (!reference_entry_number(r, json_object_iter_value(k), name,
			    1, &p->peak_flops[d]))
			return false;
	}
	return true;
}

/* Unknown if it is absent or null. */
static bool reference_bandwidth(const struct reference_entry *r,
	struct platform *p)
{
	static const char key[] = "b_peak_bytes_per_s";
	const json_t *v = json_object_get(r->v, key);

	return !v || json_is_null(v) ||
	       reference_entry_number(r, v, key, 1, &p->bytes_per_s);
}

static bool reference_platforms(const struct reference_entry *doc)
{
	json_t *map = json_object_get(doc->v, "platforms");
	size_t n = json_object_size(map);
	struct platform *p;

	if (!json_is_object(map) || n == 0 || n > PLATFORMS)
		return reference_entry_wrong(doc,
			"'platforms' is no object of 1 to %d platforms",
			PLATFORMS);
	p = doc->out->platforms = arena_array(doc->a, struct platform, n);
	for (void *k = json_object_iter(map); p && k;
		k = json_object_iter_next(map, k), p++) {
		struct reference_entry r = *doc;
		*p = platform_unknown(
			arena_strdup(doc->a, json_object_iter_key(k)));
		p->source = doc->out->source;
		r.where = arena_printf(doc->a, "platforms ('%.60s')",
			json_object_iter_key(k));
		r.v = json_object_iter_value(k);
		if (!p->name || !r.where)
			break;
		if (!reference_peaks(&r, p) || !reference_bandwidth(&r, p))
			return false;
		doc->out->platforms_n++;
	}
	return !doc->a->full || arena_err(doc->a, doc->err);
}

/* sorted[floor(n/2)] of the known values; NaN if there is none. */
static double reference_upper_median(const struct reference_operator *op,
	bool of_s, double *room)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < op->shapes_n; i++) {
		double v = of_s ? op->shapes[i].s : op->shapes[i].ai;
		if (!isnan(v))
			room[n++] = v;
	}
	sort_double(room, n);
	return n ? room[n / 2] : NAN;
}

static bool reference_medians(const struct reference_entry *r,
	struct reference_operator *op)
{
	double *room = arena_array(r->a, double, op->shapes_n);

	if (!room)
		return arena_err(r->a, r->err);
	double ai = reference_upper_median(op, false, room);
	op->regime = isnan(ai)		   ? NULL
		     : ai > COMPUTE_ABOVE  ? "compute"
		     : ai < INDEXING_BELOW ? "indexing"
					   : "memory";
	op->median = op->shapes_n / 2;
	op->ai = op->shapes[op->median].ai;
	op->s_median = reference_upper_median(op, true, room);
	return true;
}

static bool reference_shapes(const struct reference_entry *r,
	struct reference_operator *op, size_t *left)
{
	json_t *list;

	if (!reference_entry_list(r, "shapes", *left, &list))
		return false;
	*left -= json_array_size(list);
	op->shapes_n = (uint32_t)json_array_size(list);
	op->shapes = arena_array(r->a, struct reference_shape, op->shapes_n);
	if (!op->shapes)
		return arena_err(r->a, r->err);
	for (uint32_t i = 0; i < op->shapes_n; i++) {
		struct reference_entry s;
		if (!reference_entry_at(r, list, i, "shapes", "", &s) ||
			!reference_shape(&s, op, &op->shapes[i]))
			return false;
		for (uint32_t k = 0; k < i; k++)
			if (op->shapes[k].id == op->shapes[i].id)
				return reference_entry_wrong(&s,
					"there is another shape of id %lld",
					(long long)op->shapes[i].id);
	}
	return reference_medians(r, op);
}

/* Reads the phase as one of the words of filters: prefill, decode, mixed, both;
 * or none. The published set writes "prefill/decode" for both. */
static bool reference_phase(const struct reference_entry *r, const char **out)
{
	if (!reference_entry_text(r, "phase", false, out))
		return false;
	if (*out && !strcmp(*out, "prefill/decode"))
		*out = "both";
	if (!*out || !strcmp(*out, "both"))
		return true;
	for (int p = 0; p < PHASES; p++)
		if (profile_word_phase[p] &&
			!strcmp(*out, profile_word_phase[p]))
			return true;
	return reference_entry_wrong(r,
		"'phase' is '%.30s', none of prefill, decode, mixed, both",
		*out);
}

static bool reference_operator_read(const struct reference_entry *r,
	struct reference_operator *op, size_t *left)
{
	if (!reference_entry_text(r, "name", true, &op->name) ||
		!reference_entry_text(r, "id", false, &op->id) ||
		!reference_entry_text(r, "dtype", false, &op->dtype) ||
		!reference_phase(r, &op->phase) ||
		!reference_entry_number(r,
			json_object_get(r->v, "importance_score"),
			"importance_score", 0, &op->importance) ||
		!reference_entry_count(r, "num_profiles", true, &op->runs))
		return false;
	if (op->importance > 1)
		return reference_entry_wrong(r,
			"'importance_score' is above 1");
	if (op->runs > r->out->runs)
		return reference_entry_wrong(r,
			"'num_profiles' is above the document's own");
	return reference_shapes(r, op, left);
}

static int reference_by_importance(const void *a, const void *b)
{
	const struct reference_operator *x = a, *y = b;
	int c = (x->importance < y->importance) -
		(x->importance > y->importance);
	return c ? c : strcmp(x->name, y->name);
}

static int reference_by_name(const void *a, const void *b)
{
	const struct reference_operator *x = a, *y = b;
	return strcmp(x->name, y->name);
}

static bool reference_operators(const struct reference_entry *doc)
{
	struct reference *out = doc->out;
	size_t left = SHAPES;
	json_t *list;

	if (!reference_entry_list(doc, "operators", OPERATORS, &list))
		return false;
	size_t n = json_array_size(list);
	out->operators = arena_array(doc->a, struct reference_operator, n);
	if (!out->operators)
		return arena_err(doc->a, doc->err);
	for (size_t i = 0; i < n; i++) {
		struct reference_entry r;
		if (!reference_entry_at(doc, list, i, "operators", "name",
			    &r) ||
			!reference_operator_read(&r, &out->operators[i], &left))
			return false;
	}
	out->operators_n = (uint32_t)n;
	qsort(out->operators, n, sizeof *out->operators, reference_by_name);
	for (size_t i = 1; i < n; i++)
		if (reference_by_name(&out->operators[i - 1],
			    &out->operators[i]) == 0)
			return reference_entry_wrong(doc,
				"there are two operators '%s'",
				out->operators[i].name);
	qsort(out->operators, n, sizeof *out->operators,
		reference_by_importance);
	return true;
}

bool reference_read(const struct catalog *c, const char *json, size_t len,
	struct arena *a, struct reference *out, struct err *e)
{
	json_error_t why;
	uint32_t numbers = 0;
	struct reference_entry doc = { .c = c,
		.a = a,
		.out = out,
		.numbers = &numbers,
		.err = e };

	*out = (struct reference){ 0 };
	doc.v = json_loadb(json, len, JSON_REJECT_DUPLICATES, &why);
	if (!doc.v)
		return err_set(e, ERR_INPUT,
			"the reference set is not JSON: line %d, column %d: %s",
			why.line, why.column, why.text);
	bool ok = json_is_object(doc.v) ||
		  reference_entry_wrong(&doc, "the reference set is not a JSON "
					      "object");
	ok = ok && reference_entry_text(&doc, "source", false, &out->source) &&
	     reference_entry_count(&doc, "num_profiles", true, &out->runs) &&
	     reference_platforms(&doc) && reference_operators(&doc);
	json_decref(doc.v);
	return ok;
}
