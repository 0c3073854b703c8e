/* measure.c - reads the results of benchmarks. */
#include "measure.h"
#include "utf8.h"
#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <math.h>

const char *const measure_source_word[MEASURE_SOURCES] = {
#define MEASURE_SOURCE(name, text) #name,
#include "measure_source.def"
#undef MEASURE_SOURCE
};

/* ---- names and units */

#define LOWER MEASURE_LOWER
#define HIGHER MEASURE_HIGHER
#define NEITHER MEASURE_NEITHER
static const struct measure_kind {
	const char *name, *unit, *text;
	enum measure_better better;
	bool spread; /* the name has a statistic at its end */
} measure_kinds[] = {
#define SPREAD(name, unit, better, text) { #name, unit, text, better, true },
#define MEASURE(name, unit, better, text) { #name, unit, text, better, false },
#include "measure.def"
#undef SPREAD
#undef MEASURE
};
#undef LOWER
#undef HIGHER
#undef NEITHER
enum { MEASURE_KINDS = sizeof measure_kinds / sizeof *measure_kinds };

static const struct measure_unit {
	const char *written, *stored;
	double scale;
} measure_units[] = {
#define UNIT(written, stored, scale) { written, stored, scale },
#include "measure_unit.def"
#undef UNIT
};
enum { MEASURE_UNITS = sizeof measure_units / sizeof *measure_units };

static const struct measure_unit *measure_unit_of(const char *s)
{
	for (int i = 0; i < MEASURE_UNITS; i++)
		if (!strcmp(measure_units[i].written, s))
			return &measure_units[i];
	return NULL;
}

/* The number of a percentile such as p99 or p99.9; NAN if s is none. */
static double measure_percentile(const char *s)
{
	size_t whole = strspn(s + (*s == 'p'), "0123456789");
	const char *at = s + 1 + whole;

	if (*s != 'p' || !whole || strlen(s) > MEASURE_NAME_MAX)
		return NAN;
	if (*at == '.') {
		size_t digits = strspn(at + 1, "0123456789");
		at += digits ? digits + 1 : 0;
	}
	double is = strtod(s + 1, NULL);
	return *at || is > 100 ? NAN : is;
}

/* A statistic as measure.h has it: avg is the mean, p50 the median, p99.0 is p99.
 * NULL: it is none, or is not read. */
static const char *measure_statistic(struct arena *a, const char *word)
{
	static const char *const words[] = { "mean", "median", "min", "max" };
	double percentile = measure_percentile(word);

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strcmp(words[i], word))
			return words[i];
	if (!strcmp(word, "avg"))
		return words[0];
	if (isnan(percentile))
		return NULL;
	return percentile == 50 ? words[1] : arena_printf(a, "p%g", percentile);
}

/* The kind of a measure; NULL: the name is not known. *statistic is the end of the
 * name as measure_statistic() returns it, or NULL. */
static const struct measure_kind *measure_kind_of(struct arena *a,
	const char *name, const char **statistic)
{
	for (int i = 0; i < MEASURE_KINDS; i++) {
		const struct measure_kind *k = &measure_kinds[i];
		size_t len = strlen(k->name);

		*statistic = NULL;
		if (strncmp(name, k->name, len) != 0)
			continue;
		if (!k->spread && !name[len])
			return k;
		if (!k->spread || name[len] != '_')
			continue;
		*statistic = measure_statistic(a, name + len + 1);
		if (*statistic)
			return k;
	}
	return NULL;
}

const char *measure_meaning(struct arena *a, const char *name,
	enum measure_better *better)
{
	const char *statistic;
	const struct measure_kind *k = measure_kind_of(a, name, &statistic);

	*better = k ? k->better : MEASURE_NEITHER;
	if (!k)
		return NULL;
	return statistic ? arena_printf(a, "%s: %s", k->text, statistic)
			 : k->text;
}

/* ---- the list */

struct measure_reader {
	struct arena *a;
	struct measure_list *out;
	struct err *e;
	uint32_t line; /* 0: none, as in JSON */
};

static bool measure_fail(const struct measure_reader *r, const char *text)
{
	return r->line ? err_set(r->e, ERR_INPUT, "line %u: %s", r->line, text)
		       : err_set(r->e, ERR_INPUT, "%s", text);
}

/* "ns, us, ms, …": the units that can be converted into `stored`; all if NULL. */
static const char *measure_units_text(struct arena *a, const char *stored)
{
	const char *text = NULL;

	for (int i = 0; i < MEASURE_UNITS; i++) {
		const struct measure_unit *u = &measure_units[i];
		if (!stored || !strcmp(u->stored, stored))
			text = text ? arena_printf(a, "%s, %s", text,
					      u->written)
				    : u->written;
	}
	return text ? text : "";
}

static bool measure_name_fits(const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)name[i]) && !strchr("_.-", name[i]))
			return false;
	return len && len <= MEASURE_NAME_MAX;
}

/* Gives a measure of a known kind its name and its unit. */
static bool measure_convert(struct measure_reader *r, struct measure *m)
{
	const struct measure_unit *u = measure_unit_of(m->unit);
	const char *statistic;
	const struct measure_kind *k =
		measure_kind_of(r->a, m->name, &statistic);

	if (k && statistic)
		m->name = arena_printf(r->a, "%s_%s", k->name, statistic);
	if (!u)
		return measure_fail(r,
			arena_printf(r->a,
				"the unit '%.40s' of %s is unknown; known are %s",
				m->unit, m->name,
				measure_units_text(r->a, NULL)));
	if (!k)
		return true;
	const struct measure_unit *to = measure_unit_of(k->unit);
	if (strcmp(u->stored, to->stored) != 0)
		return measure_fail(r,
			arena_printf(r->a, "'%.40s' is no unit of %s; %s %s",
				m->unit, m->name,
				strcmp(to->stored, "1") ? "its units are"
							: "its unit is",
				measure_units_text(r->a, to->stored)));
	m->value *= u->scale / to->scale;
	m->unit = k->unit;
	/* Only a plain number, such as a loss, can be below 0. */
	return !(m->value < 0) || !strcmp(k->unit, "1") ||
	       measure_fail(r, arena_printf(r->a, "%s is negative: %.9g %s",
				       m->name, m->value, m->unit));
}

/* The measure of this name; NULL: there is none. */
static const struct measure *measure_find(const struct measure_list *l,
	const char *name)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (!strcmp(l->rows[i].name, name))
			return &l->rows[i];
	return NULL;
}

/* No quantity is larger, and the sums over this are finite. A time of this many ms
 * is 31 years; in ns it is a whole number that fits in 64 bits. */
static const double measure_most = 1e100, measure_most_ms = 1e12;

static bool measure_plausible(struct measure_reader *r, const struct measure *m)
{
	double most = strcmp(m->unit, "ms") ? measure_most : measure_most_ms;

	if (!(fabs(m->value) <= most))
		return measure_fail(r,
			arena_printf(r->a, "%s is too large, or not a number",
				m->name));
	return strcmp(m->name, "accept_length") != 0 || m->value >= 1 ||
	       measure_fail(r,
		       arena_printf(r->a,
			       "accept_length is %.9g, but each step of "
			       "speculative decoding has at least one token",
			       m->value));
}

static bool measure_append(struct measure_reader *r, const struct measure *m)
{
	struct measure_list *l = r->out;

	if (l->n == MEASURES_MAX)
		return measure_fail(r,
			arena_printf(r->a, "there are more than %d measures",
				MEASURES_MAX));
	l->rows = arena_grow(r->a, l->rows, (l->n + 1) * sizeof *l->rows);
	if (!l->rows)
		return arena_err(r->a, r->e);
	l->rows[l->n] = (struct measure){ .name = arena_strdup(r->a, m->name),
		.unit = arena_strdup(r->a, m->unit),
		.value = m->value };
	return (l->rows[l->n].name && l->rows[l->n++].unit) ||
	       arena_err(r->a, r->e);
}

static bool measure_add(struct measure_reader *r, const char *name,
	double value, const char *unit)
{
	struct measure m = { .name = name, .unit = unit, .value = value };

	if (!measure_convert(r, &m) || !measure_plausible(r, &m))
		return false;
	const struct measure *same = measure_find(r->out, m.name);
	if (!same)
		return measure_append(r, &m);
	return same->value == m.value ||
	       measure_fail(r, arena_printf(r->a,
				       "%s has two values: %.9g and %.9g%s%s",
				       m.name, same->value, m.value,
				       strcmp(m.unit, "1") ? " " : "",
				       strcmp(m.unit, "1") ? m.unit : ""));
}

/* Adds a statistic of a quantity if it is one that is read. */
static bool measure_add_statistic(struct measure_reader *r,
	const char *quantity, const char *word, double value, const char *unit)
{
	return !measure_statistic(r->a, word) ||
	       measure_add(r, arena_printf(r->a, "%s_%s", quantity, word),
		       value, unit);
}

/* ---- JSON of vLLM and SGLang */

static const struct measure_key {
	const char *key, *unit, *name;
} measure_flat[] = {
#define FLAT(key, unit, name) { key, unit, #name },
#define NESTED(key, name)
#define LINE(key, unit, name)
#include "measure_key.def"
#undef FLAT
#undef NESTED
#undef LINE
}, measure_nested[] = {
#define FLAT(key, unit, name)
#define NESTED(key, name) { key, NULL, #name },
#define LINE(key, unit, name)
#include "measure_key.def"
#undef FLAT
#undef NESTED
#undef LINE
}, measure_lines[] = {
#define FLAT(key, unit, name)
#define NESTED(key, name)
#define LINE(key, unit, name) { key, unit, #name },
#include "measure_key.def"
#undef FLAT
#undef NESTED
#undef LINE
};

static const struct measure_key *measure_key_of(const struct measure_key *keys,
	size_t n, const char *key)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(keys[i].key, key))
			return &keys[i];
	return NULL;
}
#define MEASURE_KEY(keys, key) \
	measure_key_of(keys, sizeof keys / sizeof *keys, key)

/* The quantity of a latency: what it is called in keys of vLLM (e2el) and of SGLang
 * (e2e_latency). NULL: none. */
static const char *measure_quantity(const char *s)
{
	if (!strcmp(s, "e2el"))
		return "e2e_latency";
	for (int i = 0; i < MEASURE_KINDS; i++)
		if (measure_kinds[i].spread &&
			!strcmp(measure_kinds[i].name, s))
			return measure_kinds[i].name;
	return NULL;
}

/* Python writes numbers that are not finite as NaN and Infinity, which is no JSON.
 * Each becomes a string of the same length, "N" or "Infini". */
static void measure_quote_words(char *s)
{
	static const char *const words[] = { "NaN", "Infinity", "-Infinity" };
	bool inside = false;

	for (; *s; s++) {
		if (inside && *s == '\\' && s[1]) {
			s++;
			continue;
		}
		inside = inside != (*s == '"');
		for (size_t i = 0; i < 3 && !inside; i++) {
			size_t len = strlen(words[i]);
			if (strncmp(s, words[i], len) != 0)
				continue;
			s[0] = s[len - 1] = '"';
			s += len - 1;
			break;
		}
	}
}

/* Whether the value is a word that measure_quote_words() made. */
static bool measure_is_word(const json_t *v)
{
	const char *s = json_string_value(v);
	return s && (!strcmp(s, "a") || !strcmp(s, "nfinit") ||
			    !strcmp(s, "Infinit"));
}

/* The value of a key that is read; *there: it is a number. False if it is a number
 * that is not finite. */
static bool measure_value(struct measure_reader *r, const char *key,
	const json_t *v, bool *there, double *value)
{
	*there = json_is_number(v);
	*value = json_number_value(v);
	return !measure_is_word(v) ||
	       measure_fail(r,
		       arena_printf(r->a, "%.60s is not a finite number", key));
}

/* A latency has a key such as mean_ttft_ms. */
static bool measure_add_latency(struct measure_reader *r, const char *key,
	const json_t *v)
{
	const char *under = strchr(key, '_');
	size_t len = strlen(key);
	double value;
	bool there;

	if (!under || len < 3 || strcmp(key + len - 3, "_ms") != 0 ||
		under >= key + len - 3)
		return true;
	const char *word = arena_strndup(r->a, key, (size_t)(under - key));
	const char *rest = arena_strndup(r->a, under + 1,
		(size_t)(key + len - 3 - (under + 1)));
	if (!word || !rest)
		return arena_err(r->a, r->e);
	const char *quantity = measure_quantity(rest);
	if (!quantity)
		return true;
	if (!measure_value(r, key, v, &there, &value))
		return false;
	return !there || value == 0 ||
	       measure_add_statistic(r, quantity, word, value, "ms");
}

static bool measure_read_flat(struct measure_reader *r, json_t *from)
{
	const json_t *completed = json_object_get(from, "completed");
	const char *key;
	json_t *each;

	if (json_is_integer(completed) && !json_integer_value(completed))
		return measure_fail(r,
			"no request was completed, so the file has no results");
	json_object_foreach(from, key, each)
	{
		const struct measure_key *k = MEASURE_KEY(measure_flat, key);
		double value = 0;
		bool there = false;
		if (!k) {
			if (!measure_add_latency(r, key, each))
				return false;
			continue;
		}
		if (!measure_value(r, key, each, &there, &value) ||
			(there && !measure_add(r, k->name, value, k->unit)))
			return false;
	}
	return true;
}

/* ---- JSON of AIPerf and GenAI-Perf */

static bool measure_is_nested(const json_t *v)
{
	return json_is_string(json_object_get(v, "unit")) &&
	       json_object_get(v, "avg");
}

/* Adds a statistic of a quantity, or the one value of another measure. */
static bool measure_add_nested(struct measure_reader *r, const char *name,
	const char *word, const json_t *v, const char *unit)
{
	double value;
	bool there;

	if (!measure_value(r, name, v, &there, &value) || !there)
		return there || !measure_is_word(v);
	return measure_quantity(name)
		       ? measure_add_statistic(r, name, word, value, unit)
		       : measure_add(r, name, value, unit);
}

static bool measure_read_nested_one(struct measure_reader *r, const char *name,
	json_t *from)
{
	const char *unit = json_string_value(json_object_get(from, "unit"));
	bool quantity = measure_quantity(name);
	const char *word;
	json_t *each;

	/* GenAI-Perf's unit of requests and tokens */
	if (!strcmp(unit, "count"))
		unit = measure_kind_of(r->a, name, &word)->unit;
	json_object_foreach(from, word, each)
	{
		bool read = quantity ? measure_statistic(r->a, word) != NULL
				     : !strcmp(word, "avg");
		if (read && !measure_add_nested(r, name, word, each, unit))
			return false;
	}
	return true;
}

static bool measure_read_nested(struct measure_reader *r, json_t *from)
{
	const char *key;
	json_t *each;

	json_object_foreach(from, key, each)
	{
		const struct measure_key *k = MEASURE_KEY(measure_nested, key);
		if (k && measure_is_nested(each) &&
			!measure_read_nested_one(r, k->name, each))
			return false;
	}
	return true;
}

static enum measure_source measure_source_of(json_t *from)
{
	const char *key;
	json_t *each;

	json_object_foreach(from, key, each)
	{
		if (measure_is_nested(each))
			return MEASURE_SOURCE_aiperf;
	}
	/* vLLM has neither key. */
	return json_object_get(from, "total_output_tokens_retokenized") ||
			       json_object_get(from, "mean_e2e_latency_ms")
		       ? MEASURE_SOURCE_sglang
		       : MEASURE_SOURCE_vllm;
}

static bool measure_is_blank(const char *s)
{
	while (isspace((unsigned char)*s))
		s++;
	return !*s;
}

static bool measure_read_json(struct measure_reader *r, char *text)
{
	json_error_t at;

	measure_quote_words(text);
	json_t *from = json_loads(text,
		JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES, &at);

	if (!from)
		return err_set(r->e, ERR_INPUT, "line %d: %.200s", at.line,
			at.text);
	r->out->source = measure_source_of(from);
	bool ok = measure_is_blank(text + at.position) ||
		  measure_fail(r,
			  "the file has more than one result; send the line "
			  "that belongs to this run");
	if (ok)
		ok = r->out->source == MEASURE_SOURCE_aiperf
			     ? measure_read_nested(r, from)
			     : measure_read_flat(r, from);
	json_decref(from);
	return ok;
}

/* ---- lines */

/* Removes spaces at both ends. */
static char *measure_trim(char *s)
{
	while (isspace((unsigned char)*s))
		s++;
	size_t len = strlen(s);
	while (len && isspace((unsigned char)s[len - 1]))
		s[--len] = 0;
	return s;
}

/* Reads a number; *rest is what follows it. */
static bool measure_number(const char *s, double *value, char **rest)
{
	errno = 0;
	*value = strtod(s, rest);
	return *rest != s && isfinite(*value);
}

/* NAME=VALUE UNIT */
static bool measure_read_plain(struct measure_reader *r, char *line)
{
	char *name = measure_trim(line), *equals = strchr(name, '='), *rest;
	double value;

	if (!*name || *name == '#')
		return true;
	if (!equals)
		return measure_fail(r,
			arena_printf(r->a, "'%.60s' is not NAME=VALUE UNIT",
				name));
	*equals = 0;
	name = measure_trim(name);
	if (!measure_name_fits(name))
		return measure_fail(r,
			arena_printf(r->a,
				"'%.60s' is no name: it has 1 to %d letters, "
				"digits, '_', '-' and '.'",
				name, MEASURE_NAME_MAX));
	char *number = measure_trim(equals + 1);
	if (!measure_number(number, &value, &rest))
		return measure_fail(r,
			arena_printf(r->a,
				"'%.60s' of %s is not a finite number", number,
				name));
	rest = measure_trim(rest);
	return measure_add(r, name, value, *rest ? rest : "1");
}

/* The quantity of a line of LoadGen's latencies. */
static const struct {
	const char *text, *quantity;
} measure_latencies[] = {
	{ "latency", "e2e_latency" },
	{ "First Token latency", "ttft" },
	{ "first token latency", "ttft" },
	{ "Time per Output Token", "tpot" },
	{ "Time to Output Token", "tpot" }, /* before LoadGen 4.1 */
	{ "time to output token", "tpot" },
};

/* "Mean latency (ns)", "99.90 percentile first token latency (ns)" */
static bool measure_add_loadgen(struct measure_reader *r, const char *key,
	double value)
{
	static const char percentile[] = " percentile ";
	const char *at = strstr(key, percentile), *word, *rest;
	size_t len = strlen(key);

	if (len < 5 || strcmp(key + len - 5, " (ns)") != 0)
		return true;
	if (at) {
		/* 99.00 and 99.90 are p99 and p99.9 */
		word = arena_printf(r->a, "p%g", strtod(key, NULL));
		rest = at + strlen(percentile);
	} else {
		at = strchr(key, ' ');
		bool known = !strncmp(key, "Min ", 4) ||
			     !strncmp(key, "Max ", 4) ||
			     !strncmp(key, "Mean ", 5);
		word = !known	       ? ""
		       : key[1] == 'e' ? "mean"
		       : key[1] == 'i' ? "min"
				       : "max";
		rest = at + 1;
	}
	size_t n = (size_t)(key + len - 5 - rest);
	for (size_t i = 0;
		i < sizeof measure_latencies / sizeof *measure_latencies; i++)
		if (strlen(measure_latencies[i].text) == n &&
			!strncmp(measure_latencies[i].text, rest, n))
			return measure_add_statistic(r,
				measure_latencies[i].quantity, word, value,
				"ns");
	return true;
}

/* "text : number" */
static bool measure_read_loadgen(struct measure_reader *r, char *line)
{
	char *colon = strrchr(line, ':'), *rest;
	double value;

	if (!colon)
		return true;
	*colon = 0;
	char *key = measure_trim(line);
	if (!strcmp(key, "Result is") &&
		!strcmp(measure_trim(colon + 1), "INVALID"))
		return measure_fail(r,
			"LoadGen calls the result invalid: a requirement, such as "
			"the minimum duration, is not met");
	if (!measure_number(colon + 1, &value, &rest) || *measure_trim(rest))
		return true;
	const struct measure_key *k = MEASURE_KEY(measure_lines, key);
	return k ? measure_add(r, k->name, value, k->unit)
		 : measure_add_loadgen(r, key, value);
}

/* LoadGen prints the settings after the results. */
static bool measure_read_lines(struct measure_reader *r, char *text)
{
	bool loadgen = r->out->source == MEASURE_SOURCE_mlperf, more = true;

	for (char *line = text; line && more; r->line++) {
		char *end = strchr(line, '\n');
		if (end)
			*end = 0;
		more = !loadgen || !strstr(line, "Test Parameters Used");
		if (more && !(loadgen ? measure_read_loadgen(r, line)
				      : measure_read_plain(r, line)))
			return false;
		line = end ? end + 1 : NULL;
	}
	return true;
}

bool measure_read(const char *bytes, size_t len, struct arena *a,
	struct measure_list *out, struct err *e)
{
	struct measure_reader r = { .a = a, .out = out, .e = e };

	*out = (struct measure_list){ .source = MEASURE_SOURCE_plain };
	if (!utf8_valid(bytes, len) || memchr(bytes, 0, len))
		return err_set(e, ERR_INPUT,
			"the file is not valid UTF-8 (send the JSON or the text "
			"that the benchmark wrote)");
	char *text = arena_strndup(a, bytes, len);
	if (!text)
		return arena_err(a, e);
	const char *first = text + strspn(text, " \t\r\n");
	bool json = *first == '{';
	if (strstr(text, "MLPerf Results Summary") && !json)
		out->source = MEASURE_SOURCE_mlperf;
	if (*first == '[')
		return measure_fail(&r,
			"the file is a list; send one result, which is a JSON "
			"object");
	r.line = !json;
	if (json ? !measure_read_json(&r, text) : !measure_read_lines(&r, text))
		return false;
	return out->n ||
	       err_set(e, ERR_INPUT,
		       "no measure was found: send a result of vLLM, SGLang, "
		       "AIPerf, GenAI-Perf or MLPerf LoadGen, or lines "
		       "NAME=VALUE UNIT");
}
