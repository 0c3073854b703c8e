/* pattern_heading.c - knows the words of both headings. */
#include "pattern_heading.h"
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char *const patterns[PATTERN_COLUMNS] = {
	[PATTERN_CYCLE] = "cycle",
	[PATTERN_PID] = "pid",
	[PATTERN_FUNCTION] = "function_name",
	[PATTERN_METRIC] = "metric_name",
	[PATTERN_DEVICE] = "device",
	[PATTERN_FUNC_TYPE] = "func_type",
	[PATTERN_DURATION] = "duration",
	[PATTERN_INSTANCES] = "instances_count",
	[PATTERN_BETA] = "beta_pct",
	[PATTERN_HOST] = "hostname",
	[PATTERN_MU] = "mu_pct",
	[PATTERN_SIGMA] = "sigma_pct",
	[PATTERN_INTERPOLATED] = "interpolation_status",
	[PATTERN_ANCHOR] = "anchor_name",
	[PATTERN_CYCLE_DURATION] = "anchor_dur_us",
	[PATTERN_CYCLE_START] = "cycle_start_ts",
	[PATTERN_SIMPLE_NAME] = "simple_name",
};

static const char *const counters[COUNTER_COLUMNS] = {
	[COUNTER_NAME] = "counter_name",
	[COUNTER_TIME] = "timestamp",
	[COUNTER_VALUE] = "value",
	[COUNTER_HOST] = "hostname",
};

static bool is(const struct cell *c, const char *word)
{
	return strlen(word) == c->len && !memcmp(word, c->at, c->len);
}

static bool has(const struct cells *c, const char *word)
{
	for (size_t i = 0; i < c->n; i++)
		if (is(&c->list[i], word))
			return true;
	return false;
}

/* The heading's kind; its cells lie in `text`. */
static enum pattern_kind split(struct cells *c, char *text, const char *line,
	size_t len)
{
	if (len >= PATTERN_HEADING_MAX || !memchr(line, ',', len))
		return PATTERN_NO_HEADING;
	memcpy(text, line, len);
	text[len] = '\0';
	cells_split(c, text, len, ',', 0);
	if (c->broken || c->n > CELLS_MAX)
		return PATTERN_NO_HEADING;
	if (has(c, patterns[PATTERN_CYCLE]) &&
		has(c, patterns[PATTERN_FUNCTION]))
		return PATTERN_HEADING;
	return has(c, counters[COUNTER_NAME]) && has(c, counters[COUNTER_TIME])
		       ? PATTERN_COUNTERS
		       : PATTERN_NO_HEADING;
}

enum pattern_kind pattern_heading_of(const char *line, size_t len)
{
	char text[PATTERN_HEADING_MAX];
	struct cells c;
	return split(&c, text, line, len);
}

/* The words of a kind; how many there are. */
static const char *const *words_of(enum pattern_kind kind, int *n)
{
	*n = kind == PATTERN_HEADING ? (int)PATTERN_COLUMNS
				     : (int)COUNTER_COLUMNS;
	return kind == PATTERN_HEADING ? patterns : counters;
}

bool pattern_heading_from(struct pattern_heading *h, const char *line,
	size_t len)
{
	struct cells c;
	int n;
	enum pattern_kind kind = split(&c, h->text, line, len);
	if (kind == PATTERN_NO_HEADING)
		return false;
	h->kind = kind;
	h->cells = c.n;
	h->unknown = 0;
	const char *const *words = words_of(kind, &n);
	for (int w = 0; w < PATTERN_COLUMNS; w++)
		h->at[w] = -1;
	for (size_t i = 0; i < c.n; i++) {
		int w = 0;
		while (w < n && (h->at[w] >= 0 || !is(&c.list[i], words[w])))
			w++;
		if (w < n)
			h->at[w] = (int)i;
		else if (!h->unknown++)
			h->first_unknown = c.list[i];
	}
	return true;
}

void pattern_heading_lacks(const struct pattern_heading *h, char *to,
	size_t cap)
{
	size_t used = 0;
	int n;
	const char *const *words = words_of(h->kind, &n);
	n = h->kind == PATTERN_HEADING ? (int)PATTERN_NEEDED
				       : (int)COUNTER_NEEDED;
	*to = '\0';
	for (int w = 0; w < n; w++)
		if (h->at[w] < 0 && used < cap)
			used += (size_t)snprintf(to + used, cap - used,
				"%s'%s'", used ? ", " : "", words[w]);
}
