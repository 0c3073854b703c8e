/* reference_shape.c - one shape of a published operator. */
#include "published.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool work(const struct published *r, struct cost *out)
{
	json_t *map = json_object_get(r->v, "W_flops");

	if (!json_is_object(map))
		return published_wrong(r, "'W_flops' is no object of types");
	for (void *k = json_object_iter(map); k;
		k = json_object_iter_next(map, k)) {
		const char *name = json_object_iter_key(k);
		const json_t *v = json_object_iter_value(k);
		enum dtype d = dtype_from(name, strlen(name));
		if (d == DTYPE_UNKNOWN)
			return published_wrong(r,
				"in 'W_flops' nobody knows the type '%.30s'",
				name);
		if (!json_is_integer(v) || json_integer_value(v) < 0)
			return published_wrong(r,
				"in 'W_flops' '%.30s' is no whole number from "
				"0",
				name);
		if (out->flops[d])
			return published_wrong(r, "'W_flops' tells %s twice",
				dtype_word(d));
		out->flops[d] = (uint64_t)json_integer_value(v);
	}
	return true;
}

static double intensity(const struct cost *c)
{
	double flops = 0;
	double bytes = (double)c->read_bytes + (double)c->write_bytes;

	for (enum dtype d = 0; d < DTYPES; d++)
		flops += (double)c->flops[d];
	return bytes > 0 ? flops / bytes : NAN;
}

/* A time per platform; those not told are unknown. */
static bool times(const struct published *r, const char *key, double least,
	double scale, double *out)
{
	json_t *map = json_object_get(r->v, key);
	uint32_t n = r->out->platforms_n;

	for (uint32_t i = 0; i < n; i++)
		out[i] = NAN;
	if (map && !json_is_null(map) && !json_is_object(map))
		return published_wrong(r, "'%s' is no object of platforms",
			key);
	for (void *k = json_object_iter(map); k;
		k = json_object_iter_next(map, k)) {
		const char *name = json_object_iter_key(k);
		uint32_t i = 0;
		while (i < n && strcmp(r->out->platforms[i].name, name) != 0)
			i++;
		if (i == n)
			return published_wrong(r,
				"in '%s' '%.40s' is none of the platforms", key,
				name);
		if (!published_number(r, json_object_iter_value(k), key, least,
			    &out[i]))
			return false;
		out[i] *= scale;
	}
	return true;
}

/* To so many decimals, ties by what the number exactly is: a decimal is
 * rounded once, where multiplying first would round twice. */
static double rounded(double v, int decimals)
{
	char text[400];

	snprintf(text, sizeof text, "%.*f", decimals, v);
	return strtod(text, NULL);
}

static double share_of_light(const struct reference_shape *s, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		double prod = rounded(s->prod_us[i], 1);
		if (!isnan(s->prod_us[i]) && !isnan(s->sol_us[i]))
			return prod > 0 ? rounded(s->sol_us[i], 2) / prod : NAN;
	}
	return NAN;
}

static bool kwargs(const struct published *r, const char **out)
{
	const json_t *v = json_object_get(r->v, "input_kwargs");
	char *text = v ? json_dumps(v, JSON_COMPACT) : NULL;

	*out = text ? arena_strdup(r->a, text) : NULL;
	free(text);
	return !text || *out || arena_err(r->a, r->err);
}

/* W and Q, or nothing of either. */
static bool figures(const struct published *r, struct reference_shape *out)
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
	if (!work(r, &out->cost) ||
		!published_count(r, "Q_read_bytes", true, &read) ||
		!published_count(r, "Q_write_bytes", true, &write))
		return false;
	out->cost.read_bytes = (uint64_t)read;
	out->cost.write_bytes = (uint64_t)write;
	out->ai = intensity(&out->cost);
	return true;
}

bool reference_shape(const struct published *r,
	const struct reference_operator *op, struct reference_shape *out)
{
	uint32_t n = r->out->platforms_n;
	double *sol = arena_array(r->a, double, n);
	double *prod = arena_array(r->a, double, n);

	if (!sol || !prod)
		return arena_err(r->a, r->err);
	if (!published_count(r, "id", true, &out->id) ||
		!published_count(r, "call_count", false, &out->calls) ||
		!published_text(r, "description", false, &out->description) ||
		!published_text(r, "dtype", false, &out->dtype) ||
		!figures(r, out) || !times(r, "T_sol_ms", 0, 1000, sol) ||
		!times(r, "production_us", 0, 1, prod) ||
		!kwargs(r, &out->kwargs) ||
		!reference_sizes(r, op, &out->sizes))
		return false;
	out->sol_us = sol;
	out->prod_us = prod;
	out->s = share_of_light(out, n);
	return !r->a->full || arena_err(r->a, r->err);
}
