/* records.c - looks for ends of lines, and counts quotes on the way. */
#include "records.h"

/* A function name may hold an end of line; a page of prose is none. */
enum { JOINED_MAX = 16 << 10 };

static size_t quotes_in(const char *p, size_t len)
{
	size_t n = 0;
	for (const char *end = p + len; (p = memchr(p, '"', (size_t)(end - p)));
		p++)
		n++;
	return n;
}

static bool patient(const struct records *r)
{
	return r->quotes && r->again <= r->window->plain->out + JOINED_MAX;
}

/* The record is the first `len` bytes at the window's `at`. */
static enum record found(struct records *r, size_t len, bool ended)
{
	r->at = r->window->at;
	r->taken = len + ended;
	r->ended = ended;
	r->len = len && r->at[len - 1] == '\r' ? len - 1 : len;
	return RECORD;
}

/* Passes over a line that no window can hold. */
static enum record pass(struct records *r, struct err *e)
{
	struct window *w = r->window;
	for (;;) {
		char *end = memchr(w->at, '\n', (size_t)(w->end - w->at));
		w->at = end ? end + 1 : w->end;
		if (end)
			return RECORD_LONG;
		enum window_state state = window_more(w, e);
		if (state == WINDOW_ERR)
			return RECORD_ERR;
		if (state == WINDOW_END)
			return RECORD_LONG;
	}
}

void records_bom(struct records *r)
{
	struct window *w = r->window;
	if (w->end - w->at >= 3 && !memcmp(w->at, "\xEF\xBB\xBF", 3))
		w->at += 3;
}

enum record records_next(struct records *r, struct err *e)
{
	struct window *w = r->window;
	size_t seen = 0, first = 0, quotes = 0;
	w->at += r->taken;
	r->taken = 0;
	r->several = false;
	for (;;) {
		char *end = memchr(w->at + seen, '\n',
			(size_t)(w->end - w->at) - seen);
		size_t upto = (size_t)((end ? end : w->end) - w->at);
		if (patient(r))
			quotes += quotes_in(w->at + seen, upto - seen);
		seen = upto;
		if (end && (quotes % 2 == 0 || !patient(r)))
			return found(r, seen, true);
		if (end) {
			first = r->several ? first : seen;
			r->several = true;
			seen++;
			if (seen < JOINED_MAX)
				continue;
		}
		enum window_state state = seen < JOINED_MAX || !r->several
						  ? window_more(w, e)
						  : WINDOW_FULL;
		if (state == WINDOW_ERR)
			return RECORD_ERR;
		if (state == WINDOW_MORE)
			continue;
		if (r->several) { /* a quote was left open */
			r->again += (int64_t)(seen - first);
			r->several = false;
			return found(r, first, true);
		}
		if (state == WINDOW_FULL)
			return pass(r, e);
		return seen ? found(r, seen, false) : RECORD_END;
	}
}

bool records_shorten(struct records *r)
{
	if (!r->several)
		return false;
	const char *end = memchr(r->at, '\n', r->len);
	size_t len = (size_t)(end - r->at);
	r->again += (int64_t)(r->taken - len);
	r->several = false;
	return found(r, len, true) == RECORD;
}

bool records_cut(const struct records *r)
{
	enum note_code ending = r->window->plain->ending;
	return !r->ended &&
	       (ending == NOTE_truncated || ending == NOTE_damaged ||
		       ending == NOTE_checksum);
}
