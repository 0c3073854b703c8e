/* ceilings.c - reads measured ceilings and checks each value, because the
 * document comes from a client. */
#include "ceilings.h"
#include "entries.h"
#include <math.h>
#include <string.h>

static const char *const ceilings_words[CEILING_KINDS] = {
#define CEILING(code, word, unit, of) [CEILING_##code] = #word,
#include "ceiling.def"
#undef CEILING
};

static const char *const ceilings_units[CEILING_KINDS] = {
#define CEILING(code, word, unit, of) [CEILING_##code] = #unit,
#include "ceiling.def"
#undef CEILING
};

const char *ceiling_word(enum ceiling_kind k)
{
	return ceilings_words[k];
}

const char *ceiling_unit(enum ceiling_kind k)
{
	return ceilings_units[k];
}

static bool ceilings_kind_read(const struct entries *d, size_t i,
	struct ceiling *r, struct err *e)
{
	const char *word, *unit;
	int k = 0;

	if (!entries_text(d, i, "measurement", true, &word, e) ||
		!entries_text(d, i, "unit", true, &unit, e))
		return false;
	while (k < CEILING_KINDS && strcmp(ceilings_words[k], word) != 0)
		k++;
	if (k == CEILING_KINDS)
		return entries_fail(d, i, e,
			"'measurement' is not gemm, copy, triad or all_reduce");
	r->kind = (enum ceiling_kind)k;
	return !strcmp(unit, ceilings_units[k]) ||
	       entries_fail(d, i, e, "'unit' is '%.40s'; it must be %s", unit,
		       ceilings_units[k]);
}

static bool ceilings_dtype_read(const struct entries *d, size_t i,
	struct ceiling *r, struct err *e)
{
	const char *word;

	if (!entries_text(d, i, "dtype", false, &word, e))
		return false;
	if (r->kind != CEILING_GEMM)
		return !word ||
		       entries_fail(d, i, e, "only a gemm has a 'dtype'");
	if (!word)
		return entries_fail(d, i, e, "a gemm needs a 'dtype'");
	r->dtype = dtype_from(word, strlen(word));
	if (r->dtype == DTYPE_UNKNOWN)
		return entries_fail(d, i, e, "no dtype is called '%.40s'",
			word);
	return dtype_counts(r->dtype) ||
	       entries_fail(d, i, e, "'%.40s' has no peak: it only moves bytes",
		       word);
}

/* The limit is that of a platform's peaks (platforms.c). */
static bool ceilings_value_read(const struct entries *d, size_t i,
	struct ceiling *r, struct err *e)
{
	const json_t *v = json_object_get(entries_at(d, i), "value");

	if (!json_is_number(v))
		return entries_fail(d, i, e, "'value' is not a number");
	r->value = json_number_value(v);
	return (isfinite(r->value) && r->value > 0 && r->value <= 1e24) ||
	       entries_fail(d, i, e,
		       "'value' is %g; it must be more than 0 and at most 1e24",
		       r->value);
}

/* A whole number from `min` to `max`; `absent` if it is missing or null. */
static bool ceilings_whole_read(const struct entries *d, size_t i,
	const char *key, const int64_t range[2], int64_t absent, int64_t *out,
	struct err *e)
{
	const json_t *v = json_object_get(entries_at(d, i), key);

	*out = absent;
	if (!v || json_is_null(v))
		return true;
	*out = json_integer_value(v);
	return (json_is_integer(v) && *out >= range[0] && *out <= range[1]) ||
	       entries_fail(d, i, e,
		       "'%s' is not a whole number from %lld to %lld", key,
		       (long long)range[0], (long long)range[1]);
}

/* An all-reduce needs several devices; the other measurements use one. */
static bool ceilings_devices_read(const struct entries *d, size_t i,
	struct ceiling *r, struct err *e)
{
	static const int64_t range[2] = { 1, 1024 };

	if (!ceilings_whole_read(d, i, "devices", range, 1, &r->devices, e))
		return false;
	if (r->kind == CEILING_ALL_REDUCE)
		return r->devices > 1 ||
		       entries_fail(d, i, e,
			       "an all_reduce needs 'devices', at least 2");
	return r->devices == 1 ||
	       entries_fail(d, i, e,
		       "only an all_reduce has several 'devices'");
}

static bool ceilings_row_read(const struct entries *d, size_t i,
	struct arena *a, struct ceiling *r, struct err *e)
{
	/* above the clocks of any known device */
	static const int64_t mhz[2] = { 1, 100000 };

	if (!entries_keys(d, i,
		    "measurement dtype value unit method devices sm_clock_mhz "
		    "memory_clock_mhz",
		    e) ||
		!ceilings_kind_read(d, i, r, e) ||
		!ceilings_dtype_read(d, i, r, e) ||
		!ceilings_value_read(d, i, r, e) ||
		!ceilings_devices_read(d, i, r, e) ||
		!ceilings_whole_read(d, i, "sm_clock_mhz", mhz, -1,
			&r->sm_clock_mhz, e) ||
		!ceilings_whole_read(d, i, "memory_clock_mhz", mhz, -1,
			&r->memory_clock_mhz, e) ||
		!entries_text(d, i, "method", true, &r->method, e))
		return false;
	r->method = arena_strdup(a, r->method);
	return true;
}

static bool ceilings_rows_read(const struct entries *d, struct arena *a,
	struct ceilings *out, struct err *e)
{
	out->n = (uint32_t)entries_n(d);
	if (!out->n)
		return err_set(e, ERR_INPUT,
			"items: is empty; nothing was measured");
	out->rows = arena_array(a, struct ceiling, out->n);
	for (uint32_t i = 0; i < out->n; i++) {
		struct ceiling *r = &out->rows[i];

		if (!ceilings_row_read(d, i, a, r, e))
			return false;
		for (uint32_t k = 0; k < i; k++)
			if (out->rows[k].kind == r->kind &&
				out->rows[k].dtype == r->dtype)
				return entries_fail(d, i, e,
					"items[%u] has the same measurement",
					k);
	}
	return true;
}

static bool ceilings_text_read(const json_t *root, const char *key, bool must,
	struct arena *a, const char **out, struct err *e)
{
	const json_t *v = json_object_get(root, key);
	size_t len = json_string_length(v);

	*out = NULL;
	if (!must && (!v || json_is_null(v)))
		return true;
	if (!json_is_string(v) || !len || len > ENTRIES_TEXT ||
		strlen(json_string_value(v)) != len)
		return err_set(e, ERR_INPUT,
			"%s: is not a text of 1 to %d bytes", key,
			ENTRIES_TEXT);
	*out = arena_strdup(a, json_string_value(v));
	return true;
}

bool ceilings_read(const char *json, struct arena *a, struct ceilings *out,
	struct err *e)
{
	struct entries d = { .entry = "ceiling", .called = "measurement" };

	*out = (struct ceilings){ 0 };
	bool ok = entries_own(&d, json, e) &&
		  ceilings_text_read(d.root, "device", true, a, &out->device,
			  e) &&
		  ceilings_text_read(d.root, "measured_at", true, a,
			  &out->measured_at, e) &&
		  ceilings_text_read(d.root, "platform", false, a,
			  &out->platform, e) &&
		  ceilings_text_read(d.root, "driver", false, a, &out->driver,
			  e) &&
		  ceilings_text_read(d.root, "cuda", false, a, &out->cuda, e) &&
		  ceilings_rows_read(&d, a, out, e);
	entries_release(&d);
	return ok;
}

const struct platform *ceilings_platform(const struct catalog *c,
	const struct ceilings *is, struct err *e)
{
	const struct platform *p = catalog_device(c, is->device);

	if (is->platform && !catalog_platform(c, is->platform))
		err_set(e, ERR_INPUT,
			"platform: the catalog has no platform '%.100s'",
			is->platform);
	else if (!p)
		err_set(e, ERR_INPUT,
			"device: the catalog has no platform for '%.100s'; add "
			"the device to a platform of the catalog",
			is->device);
	else if (is->platform && strcmp(is->platform, p->name) != 0)
		err_set(e, ERR_INPUT,
			"platform: '%.100s' is of the platform '%.100s', not "
			"'%.100s'",
			is->device, p->name, is->platform);
	else
		return p;
	return NULL;
}

struct platform ceilings_as_platform(const struct ceilings *is,
	const struct platform *p)
{
	struct platform out = platform_unknown("the calibration");

	out.link_topology = p ? p->link_topology : LINK_SWITCH;
	out.launch_floor_ns = p ? p->launch_floor_ns : 0;
	for (uint32_t i = 0; i < is->n; i++) {
		const struct ceiling *r = &is->rows[i];

		if (r->kind == CEILING_GEMM) {
			out.peak_flops[r->dtype] = r->value;
			out.peak_clock_mhz[r->dtype] =
				r->sm_clock_mhz > 0 ? (double)r->sm_clock_mhz
						    : (double)NAN;
		} else if (r->kind == CEILING_ALL_REDUCE) {
			out.link_bytes_per_s = r->value;
			out.link_devices = r->devices;
			out.link_of_all_reduce = true;
		} else {
			out.bytes_per_s = fmax(out.bytes_per_s, r->value);
		}
	}
	return out;
}

double ceiling_peak(const struct ceiling *r, const struct platform *p)
{
	double peak;

	if (!p)
		return NAN;
	if (r->kind == CEILING_ALL_REDUCE)
		link_peak(p,
			&(struct link_use){ .kind = COLLECTIVE_ALL_REDUCE,
				.ranks = r->devices,
				.nodes = 1 },
			&peak);
	else
		peak = r->kind == CEILING_GEMM ? p->peak_flops[r->dtype]
					       : p->bytes_per_s;
	return peak;
}
