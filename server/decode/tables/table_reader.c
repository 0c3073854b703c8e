/* table_reader.c - cuts a text table into records and cells */
#include "table_reader.h"
#include <string.h>

static bool table_reader_blank(char c)
{
	return c == ' ' || c == '\t';
}

struct table_cell table_reader_trim(char *at, size_t len)
{
	while (len && table_reader_blank(*at)) {
		at++;
		len--;
	}
	while (len && table_reader_blank(at[len - 1]))
		len--;
	return (struct table_cell){ at, len };
}

/* Returns the position after the quote that closes the cell whose opening quote
 * is before p; NULL if there is none. */
static char *table_reader_closed(char *p, const char *end)
{
	while ((p = memchr(p, '"', (size_t)(end - p)))) {
		p++;
		if (p == end || *p != '"')
			return p;
		p++;
	}
	return NULL;
}

/* Finds the cell that begins at p. Returns the position of the separator or the
 * end after it. */
static char *table_reader_one(char *p, char *end, char separator,
	struct table_cell *cell, bool *broken)
{
	char *start = p;
	while (p < end && *p == ' ')
		p++;
	char *behind =
		p < end && *p == '"' ? table_reader_closed(p + 1, end) : NULL;
	*broken |= p < end && *p == '"' && !behind;
	char *stop = memchr(behind ? behind : start, separator,
		(size_t)(end - (behind ? behind : start)));
	stop = stop ? stop : end;
	if (behind && table_reader_trim(behind, (size_t)(stop - behind)).len)
		*broken = true;
	*cell = table_reader_trim(start, (size_t)(stop - start));
	return stop;
}

static char *table_reader_take(struct table_cells *c, char *p, char *end,
	char separator)
{
	struct table_cell cell;
	p = table_reader_one(p, end, separator, &cell, &c->broken);
	if (c->n < CELLS_MAX)
		c->list[c->n] = cell;
	c->n++;
	return p;
}

static void table_reader_unquote(struct table_cell *c)
{
	if (c->len < 2 || *c->at != '"' || c->at[c->len - 1] != '"')
		return;
	char *to = ++c->at, *start = to;
	for (char *from = to, *end = to + c->len - 2; from < end; from++) {
		*to++ = *from;
		from += *from == '"';
	}
	*c = table_reader_trim(start, (size_t)(to - start));
}

void table_reader_split(struct table_cells *c, char *at, size_t len,
	char separator, size_t want)
{
	char *end = at + len;
	c->n = 0;
	c->broken = false;
	at = table_reader_take(c, at, end, separator);
	while (at < end)
		at = table_reader_take(c, at + 1, end, separator);
	if (c->broken || (want && c->n != want))
		return;
	for (size_t i = 0; i < c->n && i < CELLS_MAX; i++)
		table_reader_unquote(&c->list[i]);
}

bool table_reader_cell(struct table_cursor *c, char separator,
	struct table_cell *cell)
{
	if (!c->at)
		return false;
	char *stop =
		table_reader_one(c->at, c->end, separator, cell, &c->broken);
	c->at = stop < c->end ? stop + 1 : NULL;
	table_reader_unquote(cell);
	return true;
}

/* Whether [from, to) holds only blanks. */
static bool table_reader_gap(const char *at, size_t from, size_t to)
{
	for (; from < to; from++)
		if (!table_reader_blank(at[from]))
			return false;
	return true;
}

void table_reader_columns(struct table_cells *c, char *at, size_t len,
	const struct table_extent *columns, size_t n)
{
	size_t before = 0;
	c->n = 0;
	c->broken = n == 0 || len <= columns[n - 1].from;
	for (size_t i = 0; !c->broken && i < n; i++) {
		size_t from = columns[i].from;
		size_t to = i + 1 < n ? columns[i].to : len;
		c->broken = !table_reader_gap(at, before, from);
		c->list[c->n++] = table_reader_trim(at + from, to - from);
		before = to;
	}
}

/* A function name may contain a line end, but not a page of text. */
enum { JOINED_MAX = 16 << 10 };

static size_t table_reader_quotes_in(const char *p, size_t len)
{
	size_t n = 0;
	for (const char *end = p + len; (p = memchr(p, '"', (size_t)(end - p)));
		p++)
		n++;
	return n;
}

static bool table_reader_patient(const struct table_reader *r)
{
	return r->quotes && r->again <= r->window->plain->out + JOINED_MAX;
}

/* Sets the record to the first `len` bytes at the window's `at`. */
static enum table_record table_reader_found(struct table_reader *r, size_t len,
	bool ended)
{
	r->at = r->window->at;
	r->taken = len + ended;
	r->ended = ended;
	r->len = len && r->at[len - 1] == '\r' ? len - 1 : len;
	return RECORD;
}

/* Skips a line that is longer than the maximum window. */
static enum table_record table_reader_pass(struct table_reader *r,
	struct err *e)
{
	struct byte_window *w = r->window;
	for (;;) {
		char *end = memchr(w->at, '\n', (size_t)(w->end - w->at));
		w->at = end ? end + 1 : w->end;
		if (end)
			return RECORD_LONG;
		enum window_state state = byte_window_more(w, e);
		if (state == WINDOW_ERR)
			return RECORD_ERR;
		if (state == WINDOW_END)
			return RECORD_LONG;
	}
}

void table_reader_bom(struct table_reader *r)
{
	struct byte_window *w = r->window;
	if (w->end - w->at >= 3 && !memcmp(w->at, "\xEF\xBB\xBF", 3))
		w->at += 3;
}

enum table_record table_reader_next(struct table_reader *r, struct err *e)
{
	struct byte_window *w = r->window;
	size_t seen = 0, first = 0, quotes = 0;
	w->at += r->taken;
	r->taken = 0;
	r->several = false;
	for (;;) {
		char *end = memchr(w->at + seen, '\n',
			(size_t)(w->end - w->at) - seen);
		size_t upto = (size_t)((end ? end : w->end) - w->at);
		if (table_reader_patient(r))
			quotes += table_reader_quotes_in(w->at + seen,
				upto - seen);
		seen = upto;
		if (end && (quotes % 2 == 0 || !table_reader_patient(r)))
			return table_reader_found(r, seen, true);
		if (end) {
			first = r->several ? first : seen;
			r->several = true;
			seen++;
			if (seen < JOINED_MAX)
				continue;
		}
		enum window_state state = seen < JOINED_MAX || !r->several
						  ? byte_window_more(w, e)
						  : WINDOW_FULL;
		if (state == WINDOW_ERR)
			return RECORD_ERR;
		if (state == WINDOW_MORE)
			continue;
		if (r->several) { /* a quote was left open */
			r->again += (int64_t)(seen - first);
			r->several = false;
			return table_reader_found(r, first, true);
		}
		if (state == WINDOW_FULL)
			return table_reader_pass(r, e);
		return seen ? table_reader_found(r, seen, false) : RECORD_END;
	}
}

bool table_reader_shorten(struct table_reader *r)
{
	if (!r->several)
		return false;
	const char *end = memchr(r->at, '\n', r->len);
	size_t len = (size_t)(end - r->at);
	r->again += (int64_t)(r->taken - len);
	r->several = false;
	return table_reader_found(r, len, true) == RECORD;
}

bool table_reader_cut(const struct table_reader *r)
{
	enum note_code ending = r->window->plain->ending;
	return !r->ended &&
	       (ending == NOTE_truncated || ending == NOTE_damaged ||
		       ending == NOTE_checksum);
}
