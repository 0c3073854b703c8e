/* stats_heading.c - splits a heading and knows its words. */
#include "stats_heading.h"
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const struct {
	const char *word;
	enum stats_column column;
} words[] = {
	{ "total time", STATS_TOTAL },
	{ "instances", STATS_INSTANCES },
	{ "name", STATS_NAME },
	{ "time", STATS_PCT },
	{ "avg", STATS_AVG },
	{ "average", STATS_AVG },
	{ "med", STATS_MED },
	{ "median", STATS_MED },
	{ "min", STATS_MIN },
	{ "minimum", STATS_MIN },
	{ "max", STATS_MAX },
	{ "maximum", STATS_MAX },
	{ "stddev", STATS_STDDEV },
	{ "std dev", STATS_STDDEV },
	{ "gridxyz", STATS_GRID },
	{ "blockxyz", STATS_BLOCK },
};

/* What stands in brackets at a cell's end, taken off it; the unit. False where
 * it is none. */
static bool unit_take(struct cell *c, enum figure_unit *unit)
{
	const char *open = c->len && c->at[c->len - 1] == ')'
				   ? memrchr(c->at, '(', c->len)
				   : NULL;
	*unit = FIGURE_PLAIN;
	if (!open)
		return true;
	size_t before = (size_t)(open - c->at);
	if (!figure_unit(open + 1, c->len - before - 2, unit))
		return false;
	*c = cell_trim(c->at, before);
	return true;
}

/* The column of a cell; STATS_COLUMNS where nobody knows it. */
static enum stats_column column_of(struct cell c, enum figure_unit *unit)
{
	if (!unit_take(&c, unit))
		return STATS_COLUMNS;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strlen(words[i].word) == c.len &&
			!strncasecmp(words[i].word, c.at, c.len))
			return words[i].column;
	return STATS_COLUMNS;
}

/* Splits where two spaces or more stand. */
static void split_spaces(struct cells *c, char *at, size_t len)
{
	char *end = at + len;
	c->n = 0;
	c->broken = false;
	while (at < end) {
		char *gap = memmem(at, (size_t)(end - at), "  ", 2);
		gap = gap ? gap : end;
		struct cell cell = cell_trim(at, (size_t)(gap - at));
		if (cell.len && c->n < CELLS_MAX)
			c->list[c->n] = cell;
		c->n += cell.len > 0;
		at = gap < end ? gap + 2 : end;
	}
}

static bool split(struct stats_heading *h, size_t len)
{
	struct cells *c = &h->columns;
	if (memchr(h->text, '\t', len)) {
		h->layout = STATS_TABS;
		cells_split(c, h->text, len, '\t', 0);
	} else if (memchr(h->text, ',', len)) {
		h->layout = STATS_CSV;
		cells_split(c, h->text, len, ',', 0);
	} else {
		h->layout = STATS_SPACES;
		split_spaces(c, h->text, len);
	}
	h->cells = c->n;
	return !c->broken && c->n >= 2 && c->n <= CELLS_MAX;
}

/* Of a column that stands twice, the second is not known. */
static void columns_find(struct stats_heading *h)
{
	for (int i = 0; i < STATS_COLUMNS; i++)
		h->at[i] = -1;
	for (size_t i = 0; i < h->cells; i++) {
		enum figure_unit unit;
		enum stats_column c = column_of(h->columns.list[i], &unit);
		if (c < STATS_COLUMNS && h->at[c] < 0) {
			h->at[c] = (int)i;
			h->unit[c] = unit;
			continue;
		}
		if (!h->unknown++)
			h->first_unknown = h->columns.list[i];
	}
}

bool stats_heading_from(struct stats_heading *h, const char *line, size_t len)
{
	enum figure_unit unit;
	struct cell trimmed = cell_trim((char *)(uintptr_t)line, len);
	if (trimmed.len >= STATS_HEADING_MAX || trimmed.len < 5 ||
		!strchr("Tt\"", *trimmed.at))
		return false;
	h->unknown = 0;
	memcpy(h->text, trimmed.at, trimmed.len);
	h->text[trimmed.len] = '\0';
	if (!split(h, trimmed.len) ||
		column_of(h->columns.list[0], &unit) != STATS_PCT)
		return false;
	if (unit != FIGURE_PERCENT &&
		column_of(h->columns.list[1], &unit) != STATS_TOTAL)
		return false;
	columns_find(h);
	return true;
}

/* mpi_event_sum has the columns of kernels, and where each call came from. */
static bool of_calls(const struct stats_heading *h)
{
	static const char column[] = "Source";
	for (size_t i = 0; i < h->cells; i++) {
		const struct cell *c = &h->columns.list[i];
		if (c->len == strlen(column) &&
			!strncasecmp(c->at, column, c->len))
			return true;
	}
	return false;
}

bool stats_heading_kernels(const struct stats_heading *h)
{
	return !of_calls(h) && h->at[STATS_TOTAL] >= 0 &&
	       h->at[STATS_INSTANCES] >= 0 && h->at[STATS_NAME] >= 0;
}

void stats_heading_lacks(const struct stats_heading *h, char *to, size_t cap)
{
	static const char *const called[STATS_NEEDED] = {
		[STATS_TOTAL] = "Total Time",
		[STATS_INSTANCES] = "Instances",
		[STATS_NAME] = "Name",
	};
	size_t used = 0;
	*to = '\0';
	for (int c = 0; c < STATS_NEEDED; c++)
		if (h->at[c] < 0 && used < cap)
			used += (size_t)snprintf(to + used, cap - used,
				"%s'%s'", used ? " and " : "", called[c]);
}

bool stats_heading_places(struct stats_heading *h, const char *line, size_t len)
{
	size_t n = 0;
	for (size_t i = 0; i < len;) {
		size_t from = i;
		while (i < len && line[i] == '-')
			i++;
		if (i > from && n == h->cells)
			return false;
		if (i > from)
			h->places[n++] = (struct extent){ from, i };
		if (i < len && line[i++] != ' ')
			return false;
	}
	return n == h->cells;
}
