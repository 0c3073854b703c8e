/* platforms.c - reads platforms: their peaks, and the names that drivers give
 * them. */
#include "inside.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* NaN if absent or null: an unknown value is not guessed. */
static bool platforms_rate(const struct entries *d, size_t i, const json_t *v,
	const char *what, double *out, struct err *e)
{
	*out = NAN;
	if (!v || json_is_null(v))
		return true;
	if (!json_is_number(v))
		return entries_fail(d, i, e, "%s is no number", what);
	double x = json_number_value(v);
	if (!isfinite(x) || x <= 0 || x > 1e24)
		return entries_fail(d, i, e,
			"%s is %g; it must be more than 0 and at most 1e24, "
			"or null if unknown",
			what, x);
	*out = x;
	return true;
}

static bool platforms_peaks_read(const struct entries *d, size_t i,
	struct platform *p, struct err *e)
{
	json_t *peaks = json_object_get(entries_at(d, i), "peak_flops");

	if (peaks && !json_is_object(peaks))
		return entries_fail(d, i, e,
			"'peak_flops' is no object of types and operations "
			"per second");
	for (void *k = json_object_iter(peaks); k;
		k = json_object_iter_next(peaks, k)) {
		const char *word = json_object_iter_key(k);
		enum dtype type = dtype_from(word, strlen(word));
		if (type == DTYPE_UNKNOWN)
			return entries_fail(d, i, e,
				"no type of numbers is called '%.40s'", word);
		if (!dtype_counts(type))
			return entries_fail(d, i, e,
				"'%s' has no peak: it only moves bytes", word);
		if (!isnan(p->peak_flops[type]))
			return entries_fail(d, i, e,
				"two peaks are of the type %s",
				dtype_word(type));
		if (!platforms_rate(d, i, json_object_iter_value(k), word,
			    &p->peak_flops[type], e))
			return false;
	}
	return true;
}

static const char *const platforms_topologies[LINK_TOPOLOGIES] = {
	[LINK_SWITCH] = "switch",
	[LINK_MESH] = "mesh",
	[LINK_PARTIAL] = "partial",
};

const char *platform_topology_word(enum link_topology t)
{
	return platforms_topologies[t];
}

/* Absent: a switch. */
static bool platforms_topology_read(const struct entries *d, size_t i,
	struct platform *p, struct err *e)
{
	const char *word;
	int t = 0;

	if (!entries_text(d, i, "link_topology", false, &word, e))
		return false;
	while (word && t < LINK_TOPOLOGIES &&
		strcmp(platforms_topologies[t], word) != 0)
		t++;
	if (t == LINK_TOPOLOGIES)
		return entries_fail(d, i, e,
			"'link_topology' is '%.40s'; it must be switch, mesh or "
			"partial",
			word);
	p->link_topology = (enum link_topology)t;
	return true;
}

/* The limit is far above any number of devices that are linked to each other. */
static bool platforms_devices_read(const struct entries *d, size_t i,
	struct platform *p, struct err *e)
{
	const json_t *v = json_object_get(entries_at(d, i), "link_devices");
	bool none = !v || json_is_null(v);

	p->link_devices = none ? 0 : json_integer_value(v);
	if (!none && (!json_is_integer(v) || p->link_devices < 2 ||
			     p->link_devices > 65536))
		return entries_fail(d, i, e,
			"'link_devices' is not a whole number from 2 to 65536");
	return !none || p->link_topology == LINK_SWITCH ||
	       entries_fail(d, i, e,
		       "'link_devices' is missing: with the topology %s the "
		       "peak of a group depends on it",
		       platforms_topologies[p->link_topology]);
}

/* The clock behind one peak. */
static bool platforms_clock_read(const struct entries *d, size_t i,
	const json_t *v, enum dtype type, struct platform *p, struct err *e)
{
	double x = json_number_value(v);

	if (!json_is_number(v) || !(x >= 1 && x <= 1e5))
		return entries_fail(d, i, e,
			"'peak_clock_mhz' is no number of MHz from 1 to 1e5");
	if (isnan(p->peak_flops[type]))
		return entries_fail(d, i, e,
			"'peak_clock_mhz' has %s, which has no peak",
			dtype_word(type));
	p->peak_clock_mhz[type] = x;
	return true;
}

/* A number is the clock behind all peaks; an object has a clock per dtype. */
static bool platforms_clocks_read(const struct entries *d, size_t i,
	struct platform *p, struct err *e)
{
	json_t *clocks = json_object_get(entries_at(d, i), "peak_clock_mhz");
	bool ok = true;

	if (!clocks || json_is_null(clocks))
		return true;
	if (!json_is_object(clocks)) {
		for (enum dtype k = 0; ok && k < DTYPES; k++)
			ok = isnan(p->peak_flops[k]) ||
			     platforms_clock_read(d, i, clocks, k, p, e);
		return ok;
	}
	for (void *k = json_object_iter(clocks); ok && k;
		k = json_object_iter_next(clocks, k)) {
		const char *word = json_object_iter_key(k);
		enum dtype type = dtype_from(word, strlen(word));
		if (type == DTYPE_UNKNOWN)
			return entries_fail(d, i, e,
				"no type of numbers is called '%.40s'", word);
		if (!isnan(p->peak_clock_mhz[type]))
			return entries_fail(d, i, e,
				"two clocks are of the type %s",
				dtype_word(type));
		ok = platforms_clock_read(d, i, json_object_iter_value(k), type,
			p, e);
	}
	return ok;
}

static bool platforms_units_read(const struct entries *d, size_t i,
	struct platform *p, struct err *e)
{
	const json_t *v = json_object_get(entries_at(d, i), "compute_units");
	bool given = v && !json_is_null(v);

	p->compute_units = given ? json_integer_value(v) : -1;
	return !given ||
	       (json_is_integer(v) && p->compute_units >= 1 &&
		       p->compute_units <= 100000) ||
	       entries_fail(d, i, e,
		       "'compute_units' is no whole number from 1 to 100000");
}

/* A carried platform with a clock names its source. */
static bool platforms_clock_source_read(const struct entries *d, size_t i,
	struct platform *p, struct err *e)
{
	return entries_text(d, i, "peak_clock_source",
		!d->own && json_object_get(entries_at(d, i), "peak_clock_mhz"),
		&p->peak_clock_source, e);
}

/* A carried platform with a link names the source of its figure. */
static bool platforms_links_read(const struct entries *d, size_t i,
	struct platform *p, struct err *e)
{
	const json_t *one = entries_at(d, i);

	return platforms_rate(d, i, json_object_get(one, "link_bytes_per_s"),
		       "link_bytes_per_s", &p->link_bytes_per_s, e) &&
	       platforms_rate(d, i, json_object_get(one, "network_bytes_per_s"),
		       "network_bytes_per_s", &p->network_bytes_per_s, e) &&
	       platforms_topology_read(d, i, p, e) &&
	       platforms_devices_read(d, i, p, e) &&
	       entries_bool(d, i, "link_across_hosts", false,
		       &p->link_across_hosts, e) &&
	       entries_text(d, i, "link_source",
		       !d->own && (!isnan(p->link_bytes_per_s) ||
					  !isnan(p->network_bytes_per_s)),
		       &p->link_source, e);
}

static bool platforms_floor_read(const struct entries *d, size_t i,
	struct platform *p, struct err *e)
{
	const json_t *v = json_object_get(entries_at(d, i), "launch_floor_ns");

	p->launch_floor_ns = v ? json_integer_value(v) : 0;
	if (v && (!json_is_integer(v) || p->launch_floor_ns < 0 ||
			 p->launch_floor_ns > 1000000000))
		return entries_fail(d, i, e,
			"'launch_floor_ns' is no whole number of nanoseconds "
			"up to a second");
	return true;
}

static bool platforms_name_free(const struct entries *d, size_t i,
	const char *name, struct err *e)
{
	return strcmp(name, "unknown") != 0 ||
	       entries_fail(d, i, e,
		       "that is what runs without a platform are of");
}

static bool platforms_platform_read(struct catalog *c, const struct entries *d,
	size_t i, struct platform *p, struct err *e)
{
	const json_t *devices;

	*p = platform_unknown(NULL);
	if (!entries_keys(d, i,
		    "name vendor source peak_flops bytes_per_s "
		    "link_bytes_per_s network_bytes_per_s link_topology "
		    "link_devices link_across_hosts link_source "
		    "launch_floor_ns devices peak_clock_mhz "
		    "peak_clock_source compute_units",
		    e) ||
		!entries_name(d, i, &p->name, e) ||
		!platforms_name_free(d, i, p->name, e) ||
		!entries_text(d, i, "vendor", !d->own, &p->vendor, e) ||
		!entries_text(d, i, "source", !d->own, &p->source, e) ||
		!platforms_rate(d, i,
			json_object_get(entries_at(d, i), "bytes_per_s"),
			"bytes_per_s", &p->bytes_per_s, e) ||
		!platforms_links_read(d, i, p, e) ||
		!platforms_peaks_read(d, i, p, e) ||
		!platforms_clocks_read(d, i, p, e) ||
		!platforms_clock_source_read(d, i, p, e) ||
		!platforms_units_read(d, i, p, e) ||
		!platforms_floor_read(d, i, p, e) ||
		!entries_list(d, i, "devices", &devices, e))
		return false;
	p->own = d->own;
	if (d == &c->platforms[CARRIED] &&
		entries_own_has(c->platforms, p->name))
		return true;
	for (size_t k = 0; k < json_array_size(devices); k++)
		matcher_meanings_add(&c->arena, &c->device,
			json_string_value(json_array_get(devices, k)), p,
			d->own);
	c->platform_by_name[c->platform_n++] = p;
	return true;
}

static int platforms_by_name(const void *a, const void *b)
{
	const struct platform *const *x = a, *const *y = b;
	return strcmp((*x)->name, (*y)->name);
}

/* The own platform of the pattern with index `fault`. */
static size_t platforms_platform_at(const struct catalog *c, uint32_t fault)
{
	size_t i = 0;
	const struct platform *p = c->device.stands_for[fault];

	while (&c->platform[i] != p)
		i++;
	return i;
}

bool platforms_read(struct catalog *c, struct err *e)
{
	size_t own = entries_n(&c->platforms[OWN]),
	       n = own + entries_n(&c->platforms[CARRIED]);
	struct err why = { 0 };
	uint32_t fault;

	c->platform = arena_array(&c->arena, struct platform, n);
	c->platform_by_name =
		arena_array(&c->arena, const struct platform *, n);
	for (size_t i = 0; i < n; i++)
		if (!platforms_platform_read(c,
			    &c->platforms[i < own ? OWN : CARRIED],
			    i < own ? i : i - own, &c->platform[i], e))
			return false;
	qsort(c->platform_by_name, c->platform_n, sizeof *c->platform_by_name,
		platforms_by_name);
	if (matcher_meanings_compile(&c->device, true, &fault, &why))
		return true;
	size_t at = platforms_platform_at(c, fault);
	return entries_fail(&c->platforms[at < own ? OWN : CARRIED],
		at < own ? at : at - own, e, "in 'devices' %s", why.text);
}

const struct platform *catalog_platform(const struct catalog *c,
	const char *name)
{
	const struct platform key = { .name = name }, *at = &key;
	const struct platform **found = bsearch(&at, c->platform_by_name,
		c->platform_n, sizeof *c->platform_by_name, platforms_by_name);
	return found ? *found : NULL;
}

const struct platform *catalog_device(const struct catalog *c,
	const char *device_name)
{
	return matcher_meanings_find(&c->device, device_name,
		strlen(device_name));
}

uint32_t catalog_platforms(const struct catalog *c,
	const struct platform *const **all)
{
	*all = c->platform_by_name;
	return c->platform_n;
}
